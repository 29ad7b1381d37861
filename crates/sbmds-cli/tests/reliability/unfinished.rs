//! A run that is not finished says so in every command; what is missing after the last draw is made by `--resume`.

use std::fs;

use crate::QUICK;
use crate::kit::Case;

fn unfinished() -> Case {
    let case = Case::new(12);
    case.run(QUICK).expect_finished();
    fs::remove_file(case.path("run/summary.json")).unwrap();
    case
}

#[test]
fn export_and_cluster_of_an_unfinished_run_say_so() {
    let case = unfinished();
    for command in ["export run --out x", "cluster run --min-points 3"] {
        let ended = case.run(command);
        ended.expect(0, &["warning: run is not finished", "60 of 60 draws", "sbmds fit --resume --out run"]);
    }
    for command in ["summary run", "report run", "plot run map --out m.svg", "compare run run"] {
        case.run(command).expect(2, &["is not finished"]);
    }
}

#[test]
fn a_kill_before_the_report_is_mended_by_resume() {
    let case = Case::new(12);
    case.run(QUICK).expect_finished();
    let whole = case.read("run/map.svg");
    for missing in ["report.html", "map.svg"] {
        fs::remove_file(case.path("run").join(missing)).unwrap();
        case.write("run/.report.html.tmp", "half");
        case.run("fit --resume --out run").expect_finished();
        assert!(case.path("run/report.html").exists(), "{missing}");
        assert_eq!(case.read("run/map.svg"), whole, "{missing}");
        assert!(!case.path("run/.report.html.tmp").exists(), "what the kill left is swept");
    }
    fs::remove_file(case.path("run/report.html")).unwrap();
    case.run("fit --resume --out run --no-report").expect_finished();
    assert!(!case.path("run/report.html").exists(), "nobody wants one");
}

#[test]
fn no_report_of_fewer_draws_stays_when_a_run_went_on() {
    let case = Case::new(12);
    case.run(QUICK).expect_finished();
    case.run("fit --resume --out run --draws 90 --no-report").expect_finished();
    assert!(!case.path("run/report.html").exists() && !case.path("run/map.svg").exists());
}
