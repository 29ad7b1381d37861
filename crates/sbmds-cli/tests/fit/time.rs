//! `--time`: a run that ends in time has its verdict, its map and the draws it would have had anyway.

use crate::kit::{Case, read_npy};

#[test]
fn when_the_time_is_up_the_draws_so_far_count() {
    let case = Case::new(12);
    let settings = "--chains 3 --warmup 50 --threads 1";
    let command = format!("fit matrix.csv --out run {settings} --draws 1000000");
    let mut ended = case.run(&format!("{command} --time 1s"));
    // A machine that is slow or busy may need more for the warm-up.
    for seconds in [2, 4, 8, 16, 32, 64].into_iter().take_while(|_| !case.path("run/summary.json").exists()) {
        ended.expect(130, &["before every chain had ended its warm-up"]);
        ended = case.run(&format!("{command} --resume --time {seconds}s"));
    }
    ended.expect_finished();
    let summary = case.json("run/summary.json");
    let n_draws = summary["n_draws"].as_u64().unwrap();
    assert!((1..1_000_000).contains(&n_draws), "{n_draws}");
    for words in [format!("the time is up after {n_draws} draws of each chain"), "sbmds fit --resume --out run".into()]
    {
        assert!(ended.stderr.contains(&words), "no {words:?} in {}", ended.stderr);
    }
    assert!(case.path("run/report.html").exists() && case.path("run/map.svg").exists());
    assert_eq!(case.read("run/embedding.csv").lines().count(), 13);
    // Later chains are no worse off than the first ones.
    case.run("export run --out npy").expect(0, &[]);
    case.run(&format!("fit matrix.csv --out plain {settings} --draws {n_draws} --no-report")).expect_finished();
    case.run("export plain --out plain-npy").expect(0, &[]);
    for file in ["sigma.npy", "log_likelihood.npy"] {
        let (ours, plain) = (read_npy(&case.path("npy").join(file)), read_npy(&case.path("plain-npy").join(file)));
        assert_eq!(ours.0, [3, n_draws as usize]);
        assert!(ours == plain, "{file}: the clock has changed the draws");
    }
}

#[test]
fn a_run_that_was_out_of_time_goes_on_as_if_it_never_was() {
    let case = Case::new(12);
    let settings = "--chains 2 --warmup 300 --draws 4000 --no-report";
    // However far this comes.
    let first = case.run(&format!("fit matrix.csv --out run {settings} --time 0.3"));
    assert!(matches!(first.code, Some(0 | 1 | 130)), "{first:?}");
    case.run(&format!("fit matrix.csv --out run {settings} --resume")).expect_finished();
    case.run(&format!("fit matrix.csv --out plain {settings}")).expect_finished();
    assert_eq!(case.summary("run"), case.summary("plain"));
    assert_eq!(case.read("run/embedding.csv"), case.read("plain/embedding.csv"));
}

#[test]
fn time_that_does_not_last_for_the_warm_up_is_said() {
    let case = Case::new(12);
    let command = "fit matrix.csv --out run --chains 2 --warmup 10000000 --draws 10 --time 0.2s";
    for resume in ["", " --resume"] {
        let ended = case.run(&format!("{command}{resume}"));
        let words = ["before every chain had ended its warm-up", "everything is saved", "sbmds fit --resume --out run"];
        ended.expect(130, &words);
        assert!(!case.path("run/summary.json").exists());
    }
    for time in ["soon", "0", "5x"] {
        case.run(&format!("fit matrix.csv --out other --time {time}")).expect(2, &["--time", "10m"]);
    }
}

/// A run of enough draws that a first map is worth its while, killed by the clock before it has any.
#[test]
fn the_first_map_of_a_run_at_work_has_a_page() {
    let case = Case::new(12);
    let ended = case.run("fit matrix.csv --out run --warmup 1000000 --draws 1000000 --time 1");
    ended.expect(130, &["a first map after", "preliminary", "`sbmds report run` shows it"]);
    let table = case.read("run/embedding.csv");
    assert!(
        table.starts_with("name,x1,x2,stress,status\n") && table.matches(",preliminary\n").count() == 12,
        "{table}"
    );
    let ended = case.run("report run");
    ended.expect(0, &["run is not finished", "preliminary map, without error bars"]);
    assert_eq!(ended.stdout, "run/preliminary.html\n");
    let page = case.read("run/preliminary.html");
    assert!(page.matches("<circle").count() == 12 && page.contains("<title>o11</title>"));
    // A small run has none.
    case.run("fit matrix.csv --out small --warmup 400 --draws 400 --time 0.001 --progress none").expect(130, &[]);
    case.run("report small").expect(2, &["small is not finished"]);
}
