//! `--overwrite` replaces a run, whole, and nothing else.

use std::fs;

use crate::kit::{Case, files_below};

const SHORT: &str = "--chains 2 --warmup 60 --draws 40";

#[test]
fn a_run_is_replaced_with_all_that_belongs_to_it() {
    let case = Case::new(12);
    case.run(&format!("fit matrix.csv --out run {SHORT} --draws 60")).expect(2, &["cannot be used multiple times"]);
    case.run(&format!("fit matrix.csv --out run --dims 3 {SHORT}")).expect_finished();
    case.run("cluster run").expect(0, &[]);
    assert!(case.path("run/clusters/clusters.csv").exists() && case.path("run/report.html").exists());
    case.run(&format!("fit matrix.csv --out run --overwrite --no-report {SHORT}")).expect_finished();
    case.run(&format!("fit matrix.csv --out fresh --no-report {SHORT}")).expect_finished();
    case.assert_same_results("run", "fresh");
    assert!(!case.path("run/clusters").exists() && !case.path("run/report.html").exists(), "nothing old is left");
    let hidden = fs::read_dir(case.directory.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(hidden.count(), 0, "nor beside it");
    // Where nothing is there is nothing to replace.
    case.run(&format!("fit matrix.csv --out new --overwrite {SHORT}")).expect_finished();
    case.run(&format!("fit matrix.csv --out new --overwrite --resume {SHORT}")).expect(2, &["cannot be used with"]);
}

#[test]
fn a_run_stays_until_the_new_one_can_start() {
    let case = Case::new(12);
    case.run(&format!("fit matrix.csv --out run {SHORT}")).expect_finished();
    let before = files_below(&case.path("run"));
    case.write("broken.csv", "a,b\n1\n");
    for arguments in ["broken.csv", "matrix.csv --dims 20", "matrix.csv --chains 0", "nowhere.csv"] {
        let ended = case.run(&format!("fit {arguments} --out run --overwrite"));
        ended.expect(2, &[]);
    }
    let same = |mut files: std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>| {
        files.remove(std::path::Path::new(".lock"));
        files
    };
    assert!(same(files_below(&case.path("run"))) == same(before), "the old run has changed");
}

#[test]
fn nothing_but_a_run_is_replaced() {
    let case = Case::new(12);
    fs::create_dir_all(case.path("papers/config.toml")).unwrap();
    case.write("papers/thesis.tex", "ten years");
    fs::create_dir(case.path("site")).unwrap();
    case.write("site/config.toml", "title = \"my site\"\n");
    case.write("site/index.html", "hello");
    fs::create_dir(case.path("letters")).unwrap();
    case.write("letters/one.txt", "dear");
    case.write("file", "a file");
    for name in ["papers", "site", "letters", "file"] {
        let ended = case.run(&format!("fit matrix.csv --out {name} --overwrite {SHORT}"));
        ended.expect(2, &[name]);
    }
    assert_eq!(case.read("papers/thesis.tex"), "ten years");
    assert_eq!((case.read("site/index.html"), case.read("letters/one.txt")), ("hello".into(), "dear".into()));
    // Nor what somebody has put into the directory of a run.
    case.run(&format!("fit matrix.csv --out run {SHORT}")).expect_finished();
    case.write("run/figure-3.pdf", "a figure");
    let ended = case.run(&format!("fit matrix.csv --out run --overwrite {SHORT}"));
    ended.expect(2, &["run holds what is no part of its run (figure-3.pdf)", "Remedy: move it away"]);
    assert!(case.path("run/summary.json").exists());
}

#[test]
fn what_a_killed_replacement_left_is_removed() {
    let case = Case::new(12);
    case.run(&format!("fit matrix.csv --out run {SHORT}")).expect_finished();
    // Killed while the old run was being removed: its settings go last.
    fs::rename(case.path("run"), case.path(".run.replaced")).unwrap();
    fs::remove_file(case.path(".run.replaced/summary.json")).unwrap();
    // A command that cannot start leaves even that.
    case.run(&format!("fit nowhere.csv --out run --overwrite {SHORT}")).expect(2, &["nowhere.csv"]);
    assert!(case.path(".run.replaced/embedding.csv").exists());
    case.run(&format!("fit matrix.csv --out run --overwrite {SHORT}")).expect_finished();
    assert!(!case.path(".run.replaced").exists() && case.path("run/summary.json").exists());
}
