//! Files that belong together are replaced together: a kill leaves the old set or the new one, and a mixture is seen.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use crate::QUICK;
use crate::kit::{Case, files_below};

fn two_runs() -> Case {
    let case = Case::new(20);
    case.run(QUICK).expect_finished();
    case.run(&QUICK.replace("--out run", "--out other").replace("--draws 60", "--draws 75")).expect_finished();
    case
}

/// Runs a command again and again, killed after more and more time, until it ends by itself; `look` sees what is left.
fn kill_ever_later(case: &Case, command: &str, mut look: impl FnMut()) {
    for delay in 0.. {
        let mut child = case.command(command).stdout(std::process::Stdio::null()).spawn().unwrap();
        sleep(Duration::from_micros(700 * delay));
        if child.try_wait().unwrap().is_some() {
            return;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        look();
    }
}

fn visible(case: &Case, directory: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = files_below(&case.path(directory)).into_iter();
    files.filter(|(path, _)| !path.to_string_lossy().starts_with('.')).collect()
}

#[test]
fn an_export_killed_over_an_older_one_leaves_one_of_the_two() {
    let case = two_runs();
    case.run("export run --out x").expect(0, &[]);
    case.run("export other --out y").expect(0, &[]);
    let (old, new) = (visible(&case, "x"), visible(&case, "y"));
    assert!(old.len() == 4 && old != new);
    kill_ever_later(&case, "export other --out x", || {
        let found = visible(&case, "x");
        assert!(found == old || found == new, "a mixture of {:?}", found.keys());
    });
    assert!(visible(&case, "x") == new);
    let left = fs::read_dir(case.directory.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(left.count(), 0, "what kills left is swept by the next export");
}

#[test]
fn a_clustering_killed_over_an_older_one_leaves_one_of_the_two() {
    let case = two_runs();
    fs::remove_file(case.path("run/report.html")).unwrap();
    case.run("cluster run --min-points 3 --counts").expect(0, &[]);
    let old = visible(&case, "run/clusters");
    case.run("cluster run --min-points 8 --out y").expect(0, &[]);
    let new = visible(&case, "y");
    kill_ever_later(&case, "cluster run --min-points 8", || {
        let found = visible(&case, "run/clusters");
        assert!(found == old || found == new, "a mixture of {:?}", found.keys());
    });
    assert!(visible(&case, "run/clusters") == new, "together.npy of the old set is gone too");
}

#[test]
fn labels_of_another_clustering_are_seen() {
    let case = two_runs();
    case.run("cluster run --min-points 3").expect(0, &[]);
    case.run("cluster run --min-points 8 --out y").expect(0, &[]);
    fs::copy(case.path("y/labels.npy"), case.path("run/clusters/labels.npy")).unwrap();
    case.run("cluster run --together o1 o2").expect(2, &["labels.npy is not as it was written", "Remedy"]);
    let report = case.run("report run");
    report.expect(0, &["warning: The clusters cannot be shown", "labels.npy"]);
    assert!(!case.read("run/report.html").contains(r#""kind":"clusters""#));
    case.run("plot run clusters --out c.svg").expect(2, &["labels.npy is not as it was written"]);
}

#[test]
fn an_export_leaves_files_of_others_alone() {
    let case = two_runs();
    fs::create_dir(case.path("x")).unwrap();
    case.write("x/mine.txt", "precious");
    case.run("export run --out x").expect(0, &[]);
    case.run("export other --out x").expect(0, &[]);
    case.run("export other --out y").expect(0, &[]);
    let mut found = visible(&case, "x");
    assert_eq!(found.remove(&PathBuf::from("mine.txt")).unwrap(), b"precious");
    assert!(found == visible(&case, "y"));
}
