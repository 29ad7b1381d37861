//! What no machine can do is refused before the work, with a remedy, and nothing is written.

use std::fs;

use crate::QUICK;
use crate::kit::Case;

#[test]
fn counts_beyond_all_limits_are_refused_and_nothing_is_written() {
    let case = Case::new(6);
    for (flags, words) in [
        ("--threads 100000", "--threads: 100000 is more than 1024"),
        ("--chains 1000000000000", "--chains: 1000000000000 is more than 1000"),
        ("--chains 18446744073709551615", "--chains"),
        ("--thin 9223372036854775809 --keep thin:2", "--thin"),
        ("--thin 65536 --keep thin:281474976710656", "--keep"),
        ("--warmup 18446744073709551615", "--warmup"),
        ("--checkpoint-every 1e19", "--checkpoint-every"),
        ("--checkpoint-every=-1", "--checkpoint-every"),
        ("--max-depth 64", "--max-depth"),
        ("--draws 10000000 --chains 1000", "of disk"),
    ] {
        case.run(&format!("fit matrix.csv --out run {flags}")).expect(2, &[words, "Remedy"]);
        assert!(!case.path("run").exists(), "{flags}");
    }
    case.run("cluster nothing --min-points 3 --threads 100000").expect(2, &[]);
}

/// 20,000 objects, all pairs: 1.6 GB that a limit of 1 GB does not hold.
#[cfg(target_os = "linux")]
#[test]
fn pairs_that_do_not_fit_into_memory_are_refused_with_a_remedy() {
    let case = Case::new(6);
    let rows: String = (0..20_000).map(|n| format!("o{n},{},{}\n", n % 97, n % 101)).collect();
    case.write("features.csv", &format!("name,a,b\n{rows}"));
    let sbmds = env!("CARGO_BIN_EXE_sbmds");
    for (command, memory) in [
        ("fit features.csv --features --couplings full --out run", "2.400 GB"),
        ("fit features.csv --features --couplings full --out run --arithmetic f64", "1.600 GB"),
        ("eval features.csv --features --couplings full --positions features.csv --sigma 1", "1.600 GB"),
    ] {
        let script = format!("ulimit -v 1000000; exec {sbmds} {command} --seed 1");
        let ended = std::process::Command::new("sh").args(["-c", &script]).current_dir(case.directory.path()).output();
        let ended = crate::program::Ended::from(ended.unwrap());
        ended.expect(
            2,
            &[&format!("199990000 coupled pairs take about {memory} of memory"), "Remedy", "--storage f32", "--force"],
        );
    }
    assert!(!case.path("run").exists());
}

#[test]
fn force_starts_what_seems_too_large() {
    let case = Case::new(6);
    // The disk would not hold all draws; nobody waits for them.
    let mut child = case.command("fit matrix.csv --out run --draws 10000000 --chains 1000 --force").spawn().unwrap();
    while !case.path("run/config.toml").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "it did not start");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[cfg(unix)]
#[test]
fn a_planted_link_in_the_place_of_the_lock_is_not_followed() {
    let case = Case::new(6);
    case.write("victim", "precious");
    fs::create_dir(case.path("run")).unwrap();
    std::os::unix::fs::symlink(case.path("victim"), case.path("run/.lock")).unwrap();
    case.run(QUICK).expect(2, &["is not empty"]);
    // Planted later, into a run that is there.
    fs::remove_dir_all(case.path("run")).unwrap();
    case.run(QUICK).expect_finished();
    fs::remove_file(case.path("run/.lock")).unwrap();
    std::os::unix::fs::symlink(case.path("victim"), case.path("run/.lock")).unwrap();
    case.run("fit --resume --out run --draws 90").expect(2, &[".lock", "link"]);
    assert_eq!(case.read("victim"), "precious");
}

#[test]
fn hidden_files_of_others_count_as_occupied() {
    let case = Case::new(6);
    fs::create_dir(case.path("run")).unwrap();
    case.write("run/.mine", "precious");
    case.run(QUICK).expect(2, &["is not empty"]);
    // What a killed start leaves does not.
    fs::remove_file(case.path("run/.mine")).unwrap();
    case.write("run/.lock", "");
    case.write("run/.config.toml.tmp", "half");
    case.run(QUICK).expect_finished();
    assert!(!case.path("run/.config.toml.tmp").exists());
}

#[test]
fn numbers_whose_squares_overflow_are_no_answer() {
    let case = Case::new(6);
    case.write("edges.csv", "a,b,1e308\na,c,1\nb,c,1\n");
    case.write("positions.csv", "name,x,y\na,0,0\nb,1,0\nc,0,1\n");
    case.run("eval edges.csv --positions positions.csv --sigma 0.1").expect(2, &["1e308 is too large"]);
    case.run("fit edges.csv --out run").expect(2, &["1e308 is too large"]);
    case.write("edges.csv", "a,b,1e140\na,c,1\nb,c,1\n");
    case.run("eval edges.csv --positions positions.csv --sigma 1e-60").expect(2, &["overflows", "Remedy"]);
    case.write("far.csv", "name,x,y\na,1e200,0\nb,1,0\nc,0,1\n");
    case.run("eval edges.csv --positions far.csv --sigma 1").expect(2, &["1e200 is too large for a coordinate"]);
}

#[test]
fn labels_of_hdbscan_appear_whole_or_not_at_all() {
    let case = Case::new(6);
    case.write("points.csv", "name,x\na,0\nb,1\nc,2\n");
    case.write("labels.csv", "old");
    fs::create_dir(case.path(".labels.csv.tmp")).unwrap();
    case.run("hdbscan points.csv --min-cluster-size 2 --out labels.csv").expect(2, &["cannot write labels.csv"]);
    assert_eq!(case.read("labels.csv"), "old", "a disk that refuses leaves the old file");
    fs::remove_dir(case.path(".labels.csv.tmp")).unwrap();
    case.run("hdbscan points.csv --min-cluster-size 2 --out labels.csv").expect(0, &[]);
    assert!(case.read("labels.csv").starts_with("name,label"));
}

/// A full disk as commands other than `fit` meet it: they have no `--resume`.
#[test]
fn advice_about_the_disk_is_advice_for_the_command() {
    let case = Case::new(6);
    case.run(QUICK).expect_finished();
    fs::create_dir(case.path(".page.html.tmp")).unwrap();
    let ended = case.run("report run --out page.html");
    ended.expect(2, &["cannot write", "check the disk"]);
    assert!(!ended.stderr.contains("--resume"), "{}", ended.stderr);
    fs::remove_file(case.path("run/summary.json")).unwrap();
    fs::create_dir(case.path("run/.embedding.csv.tmp")).unwrap();
    let ended = case.run("fit --resume --out run");
    ended.expect(2, &["cannot write", "check the disk", "sbmds fit --resume --out run"]);
}

#[test]
fn a_time_beyond_the_clock_is_no_limit() {
    let case = Case::new(6);
    case.run(&format!("{QUICK} --time 10000000000000000000")).expect_finished();
}
