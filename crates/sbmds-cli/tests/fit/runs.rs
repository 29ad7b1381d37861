//! What fits write, refuse and repeat.

use crate::kit::{Case, dissimilarity, matrix, read_npy};

const SHORT: &str = "--chains 2 --warmup 60 --draws 40";

#[test]
fn a_plain_fit_converges_and_its_files_agree() {
    let case = Case::new(12);
    let ended = case.run("fit matrix.csv --out run --draws 4000");
    ended.expect(0, &["12 objects, 66 pairs (full), 2 dimensions", "Converged"]);
    let summary = case.json("run/summary.json");
    assert_eq!(summary["converged"], true);
    assert_eq!((&summary["n_objects"], &summary["n_draws"]), (&12.into(), &4000.into()));
    // The data have errors of standard deviation 0.2 / sqrt(12) = 0.058.
    let sigma = summary["sigma"]["mean"].as_f64().unwrap();
    assert!((0.035..0.08).contains(&sigma), "{sigma}");
    let embedding = case.read("run/embedding.csv");
    assert_eq!(embedding.lines().count(), 13);
    assert!(embedding.lines().nth(3).unwrap().starts_with("o2,"));
    // The log density, sigma and all 66 distances.
    assert_eq!(case.read("run/diagnostics.csv").lines().count(), 1 + 2 + 66);
    assert!(case.read("run/config.toml").contains("couplings = \"full\""));
    let printed = case.run("summary run --objects 3");
    printed.expect(0, &[]);
    assert!(printed.stdout.starts_with("Chains: Converged"), "{}", printed.stdout);
    assert!(printed.stdout.contains("\no2 ") && printed.stdout.contains("... 9 more"), "{}", printed.stdout);
}

#[test]
fn the_map_is_the_one_the_data_were_made_from() {
    let case = Case::new(12);
    case.run("fit matrix.csv --out run --draws 300 --warmup 300").expect_finished();
    let rows: Vec<Vec<f64>> = case.read("run/embedding.csv").lines().skip(1).map(numbers).collect();
    for a in 0..12 {
        for b in a + 1..12 {
            let distance = (rows[a][0] - rows[b][0]).hypot(rows[a][1] - rows[b][1]);
            assert!((distance - dissimilarity(a, b)).abs() < 0.35, "{a} {b}: {distance}");
        }
    }
}

/// The numbers of a row after its name.
fn numbers(row: &str) -> Vec<f64> {
    row.split(',').skip(1).map(|cell| cell.parse().unwrap()).collect()
}

#[test]
fn draws_do_not_depend_on_the_number_of_threads() {
    let case = Case::new(15);
    for threads in [1, 2, 4] {
        let ended = case
            .run(&format!("fit matrix.csv --out run{threads} --threads {threads} --chains 3 --warmup 80 --draws 40"));
        ended.expect_finished();
    }
    case.assert_same_results("run1", "run2");
    case.assert_same_results("run1", "run4");
    case.run("fit matrix.csv --out other --seed 2 --chains 3 --warmup 80 --draws 40").expect_finished();
    assert_ne!(case.results("run1").0, case.results("other").0);
}

#[test]
fn a_likelihood_spread_over_threads_gives_the_same_draws() {
    // 400 objects have 79,800 pairs: enough for one chain to use several threads.
    let case = Case::new(400);
    for threads in [1, 2, 4] {
        let settings = "--couplings full --sampler hmc --leapfrog-steps 5 --chains 1 --warmup 6 --draws 6";
        case.run(&format!("fit matrix.csv --out run{threads} --threads {threads} {settings}")).expect_finished();
    }
    case.assert_same_results("run1", "run2");
    case.assert_same_results("run1", "run4");
}

#[test]
fn every_sampler_runs_and_is_repeatable() {
    let case = Case::new(10);
    for sampler in ["auto", "jhmc", "nuts", "hmc", "mh", "mwg"] {
        for run in ["a", "b"] {
            let ended = case.run(&format!("fit matrix.csv --out {sampler}-{run} --sampler {sampler} {SHORT}"));
            ended.expect_finished();
        }
        case.assert_same_results(&format!("{sampler}-a"), &format!("{sampler}-b"));
    }
    let options = "--paper-adaptation --jitter 0.2 --target-acceptance 0.7 --leapfrog-steps 7 --learn-scale --thin 3";
    case.run(&format!("fit matrix.csv --out options --sampler hmc {options} {SHORT}")).expect_finished();
    assert!(case.path("options/draws.zarr/posterior/lambda").exists());
}

#[test]
fn a_bad_verdict_is_exit_code_1_with_a_sentence() {
    let case = Case::new(10);
    let ended = case.run("fit matrix.csv --out run --chains 2 --warmup 5 --draws 5");
    ended.expect(1, &["Not converged yet: run about"]);
    assert_eq!(case.json("run/summary.json")["converged"], false);
    let again = case.run("fit --out run --resume");
    again.expect(1, &["this run is finished", "Not converged yet"]);
}

#[test]
fn a_directory_in_use_is_refused() {
    let case = Case::new(10);
    case.run(&format!("fit matrix.csv --out run {SHORT}")).expect_finished();
    case.run("fit matrix.csv --out run").expect(2, &["holds a run already", "--resume", "--overwrite", "--out"]);
    std::fs::create_dir(case.path("full")).unwrap();
    case.write("full/letter.txt", "dear");
    case.run("fit matrix.csv --out full").expect(2, &["is not empty"]);
    case.run("fit --out nowhere --resume").expect(2, &["holds no run"]);
    case.run("summary nowhere").expect(2, &["holds no run"]);
    case.run("summary matrix.csv").expect(2, &["matrix.csv holds no run", "directory of a fit"]);
}

#[test]
fn dissimilarities_that_are_all_zero_are_refused() {
    let case = Case::new(10);
    case.write("matrix.csv", &matrix(10, |_, _| 0.0));
    for flags in ["", "--standardize", "--learn-scale"] {
        let ended = case.run(&format!("fit matrix.csv --out run {flags}"));
        ended.expect(2, &["matrix.csv", "all dissimilarities in use are 0", "Remedy"]);
        assert!(!case.path("run").exists(), "nothing is written");
    }
}

#[test]
fn an_unwritable_directory_is_refused_before_the_work() {
    let case = Case::new(10);
    case.write("file", "in the way");
    let ended = case.run("fit matrix.csv --out file/run");
    ended.expect(2, &["file", "--out"]);
}

#[test]
fn a_changed_input_is_refused_and_a_moved_one_is_not() {
    let case = Case::new(10);
    case.run(&format!("fit matrix.csv --out run {SHORT}")).expect_finished();
    std::fs::remove_file(case.path("run/summary.json")).unwrap();
    let original = case.read("matrix.csv");
    case.write("matrix.csv", &matrix(10, |a, b| 1.001 * dissimilarity(a, b)));
    case.run("fit --out run --resume").expect(2, &["matrix.csv has changed", "restore it"]);
    case.write("moved.csv", &original);
    case.run("fit moved.csv --out run --resume").expect_finished();
}

#[test]
fn changed_weights_and_errors_are_refused() {
    let case = Case::new(10);
    case.write("weights.csv", &matrix(10, |a, b| 1.0 + ((a + b) % 3) as f64));
    case.write("errors.csv", &matrix(10, |_, _| 0.125));
    case.run(&format!("fit matrix.csv --weights weights.csv --errors errors.csv --out run {SHORT}")).expect_finished();
    for file in ["weights.csv", "errors.csv"] {
        let original = case.read(file);
        case.write(file, &matrix(10, |_, _| 0.5));
        let changed = format!("{file} has changed");
        case.run("fit --out run --resume --draws 60").expect(2, &[&changed, "restore it"]);
        case.write(file, &original);
    }
    case.run("fit --out run --resume --draws 60 --no-report").expect_finished();
}

#[test]
fn draws_may_grow_on_resume() {
    let case = Case::new(10);
    case.run(&format!("fit matrix.csv --out run {SHORT}")).expect_finished();
    case.run("fit --out run --resume --draws 10").expect(2, &["--draws: 10 is less than the 40 draws", "which stay"]);
    case.run("fit --out run --resume --draws 100").expect_finished();
    case.run("fit matrix.csv --out long --chains 2 --warmup 60 --draws 100").expect_finished();
    assert_eq!(case.summary("run"), case.summary("long"));
    assert_eq!(case.read("run/embedding.csv"), case.read("long/embedding.csv"));
}

#[test]
fn a_disconnected_graph_stops_with_names() {
    let case = Case::new(10);
    case.write("matrix.csv", &matrix(10, |a, b| if (a < 3) == (b < 3) { dissimilarity(a, b) } else { f64::NAN }));
    let ended = case.run("fit matrix.csv --out run");
    ended.expect(2, &["2 connected components", "o0", "o1", "o2", "Remedy"]);
    assert!(!case.path("run").exists(), "nothing is written");
}

#[test]
fn objects_with_too_few_partners_are_named_and_the_fit_goes_on() {
    let case = Case::new(10);
    case.write("matrix.csv", &matrix(10, |a, b| if b == 9 && a > 1 { f64::NAN } else { dissimilarity(a, b) }));
    let ended = case.run(&format!("fit matrix.csv --out run {SHORT}"));
    ended.expect_finished();
    assert!(ended.stderr.contains("warning: 1 of 10 objects") && ended.stderr.contains("o9"), "{}", ended.stderr);
    let summary = std::fs::read_to_string(case.path("run/summary.json")).unwrap();
    assert!(summary.contains("\"warnings\": [\n    \"1 of 10 objects"), "{summary}");
}

#[test]
fn bad_settings_name_their_flag() {
    let case = Case::new(10);
    for (settings, flag) in [
        ("--dims 0", "--dims"),
        ("--dims 10", "--dims"),
        ("--draws 0", "--draws"),
        ("--sigma -1", "--sigma"),
        ("--max-draws 5000", "--max-draws"),
        ("--threads 0", "--threads"),
        ("--checkpoint-every -1", "--checkpoint-every"),
        ("--keep some", "--keep"),
        ("--sampler gibbs", "--sampler"),
    ] {
        case.run(&format!("fit matrix.csv --out run {}", settings.replace(" -1", "=-1"))).expect(2, &[flag]);
        assert!(!case.path("run").exists());
    }
}

#[test]
fn data_of_any_size_give_the_same_map_and_misfit_to_the_papers_priors_is_said() {
    // A power of two, so that not a bit is rounded differently.
    let case = Case::new(12);
    case.write("large.csv", &matrix(12, |a, b| 1024.0 * dissimilarity(a, b)));
    case.run(&format!("fit matrix.csv --out small {SHORT}")).expect_finished();
    // --standardize was needed for this before the default priors had no unit.
    let ended = case.run(&format!("fit large.csv --out large --standardize {SHORT}"));
    ended.expect_finished();
    assert!(!ended.stderr.contains("warning"), "{}", ended.stderr);
    for (run, out) in [("small", "small-npy"), ("large", "large-npy")] {
        case.run(&format!("export {run} --format npy --out {out}")).expect(0, &[]);
    }
    for file in ["draws.npy", "sigma.npy"] {
        let (_, small) = read_npy(&case.path("small-npy").join(file));
        let (_, large) = read_npy(&case.path("large-npy").join(file));
        assert!(small.iter().zip(&large).all(|(small, large)| 1024.0 * small == *large), "{file}");
    }
    let paper = case.run(&format!("fit large.csv --out paper --priors paper {SHORT}"));
    assert!(paper.stderr.contains("warning: the dissimilarities are much larger"), "{}", paper.stderr);
    assert!(paper.stderr.contains("leave out --priors paper"));
}

#[test]
fn stored_likelihoods_are_those_of_the_stored_locations() {
    let case = Case::new(12);
    for (run, settings) in [("plain", ""), ("band", "--couplings band:4 --noise normal"), ("unit", "--standardize")] {
        case.run(&format!("fit matrix.csv --out {run} {settings} {SHORT}")).expect_finished();
        case.run(&format!("export {run} --out {run}-npy")).expect(0, &[]);
        let (shape, draws) = read_npy(&case.path(&format!("{run}-npy/draws.npy")));
        let (_, sigma) = read_npy(&case.path(&format!("{run}-npy/sigma.npy")));
        let (_, stored) = read_npy(&case.path(&format!("{run}-npy/log_likelihood.npy")));
        assert_eq!(shape, [2, 40, 12, 2]);
        // Chain 1, draw 17.
        let draw = 40 + 17;
        let mut positions = String::from("name,x,y\n");
        for object in 0..12 {
            let at = (draw * 12 + object) * 2;
            positions += &format!("o{object},{},{}\n", draws[at], draws[at + 1]);
        }
        case.write("positions.csv", &positions);
        let settings = settings.replace("--standardize", "");
        let printed =
            case.run(&format!("eval matrix.csv --positions positions.csv --sigma {} {settings}", sigma[draw]));
        printed.expect(0, &[]);
        let evaluated: serde_json::Value = serde_json::from_str(&printed.stdout).unwrap();
        let evaluated = evaluated["log_likelihood"].as_f64().unwrap();
        assert!(
            (evaluated - stored[draw]).abs() < 1e-9 * evaluated.abs().max(1.0),
            "{run}: {evaluated} {}",
            stored[draw]
        );
        let summary: serde_json::Value =
            serde_json::from_slice(&std::fs::read(case.path(&format!("{run}/summary.json"))).unwrap()).unwrap();
        let mean = stored.iter().sum::<f64>() / stored.len() as f64;
        assert!((summary["log_likelihood"].as_f64().unwrap() - mean).abs() < 1e-9 * mean.abs().max(1.0), "{run}");
    }
}

#[test]
fn exports_have_their_shapes_and_names() {
    let case = Case::new(10);
    case.run(&format!("fit matrix.csv --out run --dims 3 --keep thin:4 {SHORT}")).expect_finished();
    case.run("export run --format npy --out npy").expect(0, &[]);
    assert_eq!(read_npy(&case.path("npy/draws.npy")).0, [2, 10, 10, 3]);
    assert_eq!(read_npy(&case.path("npy/sigma.npy")).0, [2, 10]);
    assert_eq!(read_npy(&case.path("npy/log_likelihood.npy")).0, [2, 10]);
    assert_eq!(case.read("npy/names.txt"), (0..10).map(|n| format!("o{n}\n")).collect::<String>());
}

#[test]
fn a_summary_keeps_no_locations_but_the_same_map() {
    let case = Case::new(12);
    let settings = "--chains 2 --warmup 300 --draws 300";
    case.run(&format!("fit matrix.csv --out all {settings}")).expect_finished();
    case.run(&format!("fit matrix.csv --out summary --keep summary {settings}")).expect_finished();
    assert!(!case.path("summary/draws.zarr/posterior/x").exists());
    assert_eq!(case.read("all/diagnostics.csv"), case.read("summary/diagnostics.csv"));
    let rows = |run: &str| -> Vec<Vec<f64>> {
        case.read(&format!("{run}/embedding.csv")).lines().skip(1).map(numbers).collect()
    };
    for (all, summary) in rows("all").iter().zip(rows("summary")) {
        // Two coordinates and their standard deviations: the running alignment knows only earlier draws.
        for (all, summary) in all.iter().zip(&summary).take(4) {
            assert!((all - summary).abs() < 0.02, "{all} {summary}");
        }
    }
    case.run("export summary --out npy").expect(0, &[]);
    assert!(!case.path("npy/draws.npy").exists() && case.path("npy/sigma.npy").exists());
}

#[test]
fn draws_until_the_effective_sample_size_or_the_limit() {
    let case = Case::new(10);
    let settings = "--chains 2 --warmup 200 --draws 50";
    case.run(&format!("fit matrix.csv --out enough --until-ess 300 {settings}")).expect_finished();
    let summary = case.json("enough/summary.json");
    assert!(summary["n_draws"].as_u64().unwrap() > 50);
    // Of bulk and tails, as the verdict has it.
    let rows: Vec<Vec<f64>> = case.read("enough/diagnostics.csv").lines().skip(1).map(numbers).collect();
    let smallest = rows.iter().map(|row| row[6].min(row[7])).fold(f64::MAX, f64::min);
    assert!(smallest >= 300.0, "{smallest}");
    case.run(&format!("fit matrix.csv --out capped --until-ess 1e6 --max-draws 120 {settings}")).expect_finished();
    assert_eq!(case.json("capped/summary.json")["n_draws"], 120);
    // Rounds change nothing: the draws are those of one long run.
    case.run("fit matrix.csv --out long --chains 2 --warmup 200 --draws 120").expect_finished();
    assert_eq!(case.read("capped/embedding.csv"), case.read("long/embedding.csv"));
}

#[test]
fn edge_lists_and_features_fit_too() {
    let case = Case::new(10);
    let mut edges = String::from("from,to,value\n");
    for (a, b) in (0..10).flat_map(|a| (a + 1..10).map(move |b| (a, b))).filter(|(a, b)| (a + b) % 4 != 0) {
        edges += &format!("o{a},o{b},{}\n", dissimilarity(a, b));
    }
    case.write("edges.csv", &edges);
    case.run(&format!("fit edges.csv --format edges --out edges {SHORT}")).expect_finished();
    let mut features = String::from("name,p,q,r\n");
    for n in 0..10 {
        features += &format!("o{n},{},{},{}\n", (n as f64).sin(), (n as f64).cos(), n as f64 / 10.0);
    }
    case.write("features.csv", &features);
    case.run(&format!("fit features.csv --features --metric cosine --out features {SHORT}")).expect_finished();
    for start in ["classical", "landmark", "graph", "prior"] {
        case.run(&format!("fit edges.csv --format edges --out {start} --start {start} {SHORT}")).expect_finished();
    }
}

#[test]
fn programs_get_json_lines() {
    let case = Case::new(10);
    let ended = case.run(&format!("fit matrix.csv --out run --progress json {SHORT}"));
    ended.expect_finished();
    let lines: Vec<serde_json::Value> = ended
        .stderr
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["note"], "10 objects, 45 pairs (full), 2 dimensions");
    for chain in 0..2 {
        let last = lines.iter().rfind(|line| line["chain"] == chain).unwrap();
        assert_eq!((&last["iteration"], &last["n_iterations"]), (&100.into(), &100.into()));
        assert!(last["acceptance"].as_f64().unwrap() > 0.0);
    }
}
