//! Every file of a run directory, damaged in every way: each command that reads it answers as before, or says what is wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::kit::{Case, files_below};
use crate::program::Ended;

/// Commands that look at a run; what they write goes to `out`.
const COMMANDS: [&str; 6] = [
    "summary damaged --no-map",
    "export damaged --out out",
    "report damaged --out out/report.html",
    "plot damaged map --out out/map.svg",
    "cluster damaged --together o1 o2",
    "fit --resume --out damaged --no-report --progress none",
];

#[derive(Clone, Copy, Debug)]
enum Damage {
    Flip,
    Cut,
    Empty,
    Longer,
    Swap,
    Number,
    Delete,
}

const DAMAGES: [Damage; 7] =
    [Damage::Flip, Damage::Cut, Damage::Empty, Damage::Longer, Damage::Swap, Damage::Number, Damage::Delete];

/// What a command says and leaves.
#[derive(Debug, PartialEq)]
struct Answer {
    code: Option<i32>,
    stdout: String,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

fn ask(case: &Case, command: &str) -> (Answer, Ended) {
    let out = case.path("out");
    let _ = fs::remove_dir_all(&out);
    fs::create_dir(&out).unwrap();
    let ended = case.run(command);
    let answer = Answer { code: ended.code, stdout: ended.stdout.clone(), files: files_below(&out) };
    (answer, ended)
}

/// A run along a tree with labels and clusters, and so with every file there is.
fn whole_run() -> Case {
    let case = Case::new(8);
    let tips: Vec<String> = (0..8).map(|n| format!("o{n}:0.{}", n + 1)).collect();
    case.write("tree.nwk", &format!("(({}):0.5,({}):0.25);\n", tips[..4].join(","), tips[4..].join(",")));
    let rows: String = (0..8).map(|n| format!("o{n},g{}\n", n % 2)).collect();
    case.write("labels.csv", &format!("name,group\n{rows}"));
    let settings =
        "--chains 2 --warmup 30 --draws 30 --checkpoint-every 0 --progress none --tree tree.nwk --labels labels.csv";
    case.run(&format!("fit matrix.csv --out run {settings}")).expect_finished();
    case.run("cluster run --min-points 2 --counts").expect(0, &[]);
    case
}

/// Another file of the same kind in the same directory.
fn sibling(files: &[PathBuf], path: &Path, rng: &mut StdRng) -> Option<PathBuf> {
    let is_alike = |other: &&PathBuf| other.parent() == path.parent() && *other != path;
    let alike: Vec<&PathBuf> = files.iter().filter(is_alike).collect();
    (!alike.is_empty()).then(|| alike[rng.random_range(0..alike.len())].clone())
}

/// Puts another number in the place of one; `None` if the file is no text with numbers.
fn with_other_number(bytes: &[u8], rng: &mut StdRng) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_digit = |k: usize| text.as_bytes()[k].is_ascii_digit();
    let starts: Vec<usize> = (0..text.len()).filter(|&k| is_digit(k) && (k == 0 || !is_digit(k - 1))).collect();
    if starts.is_empty() {
        return None;
    }
    let start = starts[rng.random_range(0..starts.len())];
    let end = start + text[start..].bytes().take_while(u8::is_ascii_digit).count();
    let others = ["0", "1", "3", "48", "1000000000000000", "18446744073709551615", "99999999999999999999999"];
    Some([&text[..start], others[rng.random_range(0..others.len())], &text[end..]].concat().into_bytes())
}

/// Damages the file at `path` of the run in `run`; `false` if it cannot be damaged so.
fn damage(run: &Path, files: &[PathBuf], path: &Path, how: Damage, rng: &mut StdRng) -> bool {
    let file = run.join(path);
    let mut bytes = fs::read(&file).unwrap();
    match how {
        Damage::Empty if bytes.is_empty() => return false,
        Damage::Empty => bytes.clear(),
        Damage::Flip | Damage::Cut if bytes.is_empty() => return false,
        Damage::Flip => {
            let at = rng.random_range(0..bytes.len());
            bytes[at] ^= 1 << rng.random_range(0..8);
        }
        Damage::Cut => bytes.truncate(rng.random_range(0..bytes.len())),
        Damage::Longer => bytes.extend(b"\n1,2,3"),
        Damage::Number => match with_other_number(&bytes, rng) {
            Some(changed) => bytes = changed,
            None => return false,
        },
        Damage::Swap => {
            let Some(other) = sibling(files, path, rng).map(|other| run.join(other)) else { return false };
            let others = fs::read(&other).unwrap();
            fs::write(&other, &bytes).unwrap();
            bytes = others;
        }
        Damage::Delete => {
            fs::remove_file(&file).unwrap();
            return true;
        }
    }
    fs::write(&file, bytes).unwrap();
    true
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    for (path, content) in files_below(from) {
        let target = to.join(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, content).unwrap();
    }
}

/// Refused with a message, the same as before, or said to be different.
#[track_caller]
fn assert_honest(what: &str, before: &(Answer, Ended), now: &(Answer, Ended)) {
    let (answer, ended) = now;
    assert!(matches!(ended.code, Some(0..=2)), "{what}: {:?} {}", ended.code, ended.stderr);
    assert!(!ended.stderr.contains("panicked"), "{what}: {}", ended.stderr);
    if ended.code == Some(2) {
        assert!(ended.stderr.contains("error: "), "{what}: no message");
    } else if *answer != before.0 {
        let warnings = |ended: &Ended| ended.stderr.matches("warning").count();
        let is_said = warnings(ended) > warnings(&before.1);
        assert!(is_said, "{what}: another answer without a word\n{}\nbefore:\n{}", answer.stdout, before.0.stdout);
    }
}

#[test]
fn no_damage_of_a_finished_run_crashes_or_changes_an_answer_without_a_word() {
    let case = whole_run();
    let (run, damaged) = (case.path("run"), case.path("damaged"));
    copy(&run, &damaged);
    let before: Vec<_> = COMMANDS.iter().map(|command| ask(&case, command)).collect();
    assert!(before.iter().all(|(answer, _)| matches!(answer.code, Some(0 | 1))), "{before:?}");
    let files: Vec<PathBuf> = files_below(&run).into_keys().collect();
    let mut rng = StdRng::seed_from_u64(1);
    let (mut n_damaged, mut n_refused) = (0, 0);
    for path in &files {
        for how in DAMAGES {
            copy(&run, &damaged);
            if !damage(&damaged, &files, path, how, &mut rng) {
                continue;
            }
            n_damaged += 1;
            // Each damage meets two of the commands, in turns.
            for turn in [n_damaged, n_damaged / COMMANDS.len() + n_damaged + 3] {
                let index = turn % COMMANDS.len();
                let now = ask(&case, COMMANDS[index]);
                n_refused += usize::from(now.1.code == Some(2));
                assert_honest(&format!("{} {how:?}: {}", path.display(), COMMANDS[index]), &before[index], &now);
            }
        }
    }
    assert!(n_damaged > 300 && n_refused > n_damaged / 3, "{n_refused} refused of {n_damaged} damaged");
}

/// Without a summary, a resume makes all results again: from the same draws, or not at all. Two chunks of one array that have
/// changed indices carry good checksums, and are seen in finished runs alone.
#[test]
fn a_damaged_unfinished_run_ends_with_the_same_draws_or_is_refused() {
    let case = whole_run();
    let (run, damaged) = (case.path("run"), case.path("damaged"));
    fs::remove_file(run.join("summary.json")).unwrap();
    copy(&run, &damaged);
    let resume = COMMANDS[5];
    let export = COMMANDS[1];
    ask(&case, resume).1.expect_finished();
    let before = ask(&case, export);
    let files: Vec<PathBuf> = files_below(&run).into_keys().collect();
    let matters =
        |path: &&PathBuf| ["config.toml", "checkpoints", "draws.zarr"].iter().any(|part| path.starts_with(part));
    let mut rng = StdRng::seed_from_u64(2);
    for (number, path) in files.iter().filter(matters).enumerate() {
        let how =
            [Damage::Flip, Damage::Number, Damage::Cut, Damage::Empty, Damage::Delete, Damage::Longer][number % 6];
        copy(&run, &damaged);
        if !damage(&damaged, &files, path, how, &mut rng) {
            continue;
        }
        let what = format!("{} {how:?}", path.display());
        let resumed = ask(&case, resume).1;
        assert!(matches!(resumed.code, Some(0..=2)), "{what}: {:?} {}", resumed.code, resumed.stderr);
        if resumed.code == Some(2) {
            assert!(resumed.stderr.contains("error: "), "{what}");
        } else {
            assert_honest(&what, &before, &ask(&case, export));
        }
    }
}
