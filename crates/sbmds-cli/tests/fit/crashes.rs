//! Runs of the real program that are killed or interrupted, and resumed, end like runs that never were.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use crate::kit::Case;
use crate::program::Ended;

/// 200 objects fill a chunk of locations every 655 draws.
const SETTINGS: &str =
    "--couplings dispersed:6 --sampler hmc --leapfrog-steps 10 --chains 2 --warmup 200 --thin 2 --checkpoint-every 0";
/// Some chunks and a part of one.
const DRAWS: &str = "--draws 1500";
/// More than anybody waits for.
const ENDLESS: &str = "--draws 300000";

fn spawn(case: &Case, arguments: &str) -> Child {
    case.command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Starts a run in `run` and returns when its first chain has saved for the first time.
fn spawn_until_checkpoint(case: &Case, draws: &str) -> Child {
    let mut child = spawn(case, &format!("fit matrix.csv --out run {SETTINGS} {draws}"));
    while !case.path("run/checkpoints/chain-0").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "ended before its first checkpoint");
        sleep(Duration::from_millis(5));
    }
    child
}

fn signal(child: &Child, signal: &str) {
    assert!(Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
}

/// Starts the run `killed`, or goes on with it if it has begun.
fn start_or_resume(case: &Case, settings: &str) -> Child {
    if case.path("killed/config.toml").exists() {
        spawn(case, "fit --out killed --resume --checkpoint-every 0")
    } else {
        spawn(case, &format!("fit matrix.csv --out killed {settings}"))
    }
}

/// Kills the run after each of these milliseconds, counted from its start or from its next checkpoint, then lets it
/// finish; returns how many kills hit a run at work.
fn kill_repeatedly(case: &Case, settings: &str, delays: &[u64], after: After) -> usize {
    let mut hits = 0;
    for &delay in delays {
        let saved = last_saved(case);
        let mut child = start_or_resume(case, settings);
        while after == After::Checkpoint && last_saved(case) == saved && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(delay));
        // SIGKILL: nothing can be tidied up.
        child.kill().unwrap();
        child.wait().unwrap();
        let begun = case.path("killed/config.toml").exists();
        hits += usize::from(begun && !case.path("killed/summary.json").exists());
    }
    Ended::from(start_or_resume(case, settings).wait_with_output().unwrap()).expect_finished();
    hits
}

#[derive(Clone, Copy, PartialEq)]
enum After {
    Start,
    Checkpoint,
}

/// When the last chain saved, if it has.
fn last_saved(case: &Case) -> Option<SystemTime> {
    std::fs::metadata(case.path("killed/checkpoints/chain-1")).and_then(|file| file.modified()).ok()
}

#[test]
fn killed_at_any_moment_a_run_ends_with_the_same_bytes() {
    let case = Case::new(200);
    let settings = format!("{SETTINGS} {DRAWS}");
    case.run(&format!("fit matrix.csv --out whole {settings}")).expect_finished();
    let delays = [3, 10, 20, 30, 40, 55, 70, 90, 110, 130, 160, 200, 250, 300];
    assert!(kill_repeatedly(&case, &settings, &delays, After::Start) > 3, "the kills came too late to say anything");
    case.assert_same_results("whole", "killed");
}

#[test]
fn killed_runs_that_keep_a_summary_or_draw_until_enough_end_the_same() {
    let case = Case::new(40);
    for extra in ["--keep summary --sampler nuts", "--until-ess 400 --sampler nuts --learn-scale", "--sampler mwg"] {
        let settings = format!("--chains 2 --warmup 200 --draws 300 --checkpoint-every 0 {extra}");
        case.run(&format!("fit matrix.csv --out whole {settings}")).expect_finished();
        let hits = kill_repeatedly(&case, &settings, &[0, 30, 150, 400, 800], After::Checkpoint);
        assert!(hits > 1, "the kills came too late to say anything");
        case.assert_same_results("whole", "killed");
        for run in ["whole", "killed"] {
            std::fs::remove_dir_all(case.path(run)).unwrap();
        }
    }
}

#[test]
fn interrupted_by_the_user_a_run_saves_and_says_how_to_go_on() {
    let case = Case::new(200);
    for name in ["INT", "TERM", "HUP"] {
        if name == "HUP" && !hangups_arrive() {
            continue;
        }
        let child = spawn_until_checkpoint(&case, ENDLESS);
        signal(&child, name);
        let ended = Ended::from(child.wait_with_output().unwrap());
        ended.expect(130, &["interrupted", "sbmds fit --resume --out run"]);
        case.run("summary run").expect(2, &["is not finished", "--resume"]);
        std::fs::remove_dir_all(case.path("run")).unwrap();
    }
}

/// Whether a child of this process gets SIGHUP: not where whoever started the tests has it ignored.
fn hangups_arrive() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 0)
}

#[test]
fn a_hangup_that_is_to_be_ignored_is() {
    let case = Case::new(200);
    let sbmds = env!("CARGO_BIN_EXE_sbmds");
    // As nohup does it.
    let script = format!("trap '' HUP; exec {sbmds} fit matrix.csv --out run {SETTINGS} {ENDLESS}");
    let mut child = Command::new("sh").args(["-c", &script]).current_dir(case.directory.path()).spawn().unwrap();
    while !case.path("run/checkpoints/chain-0").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "ended before its first checkpoint");
        sleep(Duration::from_millis(5));
    }
    signal(&child, "HUP");
    sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None, "the run should have gone on");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn interrupted_and_resumed_a_run_ends_with_the_same_bytes() {
    let case = Case::new(200);
    case.run(&format!("fit matrix.csv --out whole {SETTINGS} {DRAWS}")).expect_finished();
    let child = spawn_until_checkpoint(&case, DRAWS);
    signal(&child, "INT");
    child.wait_with_output().unwrap();
    case.run("fit --out run --resume").expect_finished();
    case.assert_same_results("whole", "run");
}

#[test]
fn two_processes_cannot_work_on_one_run() {
    let case = Case::new(200);
    let mut child = spawn_until_checkpoint(&case, ENDLESS);
    let second = case.run("fit --out run --resume");
    child.kill().unwrap();
    child.wait().unwrap();
    second.expect(2, &["another process"]);
}

#[test]
fn a_damaged_checkpoint_falls_back_to_the_one_before() {
    let case = Case::new(40);
    let settings = "--chains 2 --warmup 100 --draws 200 --checkpoint-every 0";
    case.run(&format!("fit matrix.csv --out run {settings}")).expect_finished();
    case.run(&format!("fit matrix.csv --out whole {settings}")).expect_finished();
    std::fs::remove_file(case.path("run/summary.json")).unwrap();
    let path = case.path("run/checkpoints/chain-1");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let ended = case.run("fit --out run --resume");
    ended.expect_finished();
    assert!(ended.stderr.contains("warning: the checkpoint") && ended.stderr.contains("corrupt"), "{}", ended.stderr);
    case.assert_same_results("whole", "run");
}

#[test]
fn a_disk_that_refuses_is_an_error_and_the_run_goes_on_when_it_no_longer_does() {
    let case = Case::new(40);
    let settings = "--chains 2 --warmup 100 --draws 600 --sampler hmc --checkpoint-every 0";
    case.run(&format!("fit matrix.csv --out whole {settings}")).expect_finished();
    // Files of at most 200 blocks: writing beyond fails as on a full disk.
    let sbmds = env!("CARGO_BIN_EXE_sbmds");
    let script = format!("trap '' XFSZ; ulimit -f 200; exec {sbmds} fit matrix.csv --out run {settings}");
    let refused = Command::new("sh").args(["-c", &script]).current_dir(case.directory.path()).output().unwrap();
    Ended::from(refused).expect(2, &["cannot write", "too large", "--resume"]);
    case.run("fit --out run --resume").expect_finished();
    case.assert_same_results("whole", "run");
}
