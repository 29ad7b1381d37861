//! The verdict on the map, by whole fits of hand-made data: good ones, and the ways in which a map can say nothing.

use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rand_distr::{Distribution, StandardNormal};
use sbmds::Locations;
use sbmds::coupling::Couplings;
use sbmds::dissimilarity::Metric;
use sbmds::quality::{Finding, MapVerdict};
use sbmds::random::{Purpose, stream};
use sbmds::run::{Control, FitConfig, Keep, Outcome, RunDirectory, Silent, Summary, fit};

/// Normal numbers by a seed.
fn normal(n_objects: usize, n_dims: usize, seed: u64) -> Locations {
    let mut rng = stream(seed, 0, Purpose::Simulation);
    Locations::from_fn(n_objects, n_dims, |_, _| StandardNormal.sample(&mut rng))
}

/// Distances of normal points, each changed by `change` and with normal noise of standard deviation `sigma`.
fn simulated(n_objects: usize, n_dims: usize, sigma: f64, change: impl Fn(f64) -> f64) -> String {
    let truth = normal(n_objects, n_dims, 7);
    let noise = normal(n_objects, n_objects, 8);
    matrix(n_objects, |a, b| (change(truth.distance(a, b)) + sigma * noise.get(a, b)).abs())
}

/// A labelled matrix from a function of (a, b), a < b.
fn matrix(n_objects: usize, value: impl Fn(usize, usize) -> f64) -> String {
    let mut text: String = (0..n_objects).map(|object| format!(",o{object}")).collect();
    for a in 0..n_objects {
        write!(text, "\no{a}").unwrap();
        for b in 0..n_objects {
            let value = if a == b { 0.0 } else { value(a.min(b), a.max(b)) };
            write!(text, ",{value}").unwrap();
        }
    }
    text + "\n"
}

/// A fit of a text in a directory of its own, with what `change` does to the settings.
fn fitted(text: &str, change: impl FnOnce(&mut FitConfig)) -> Summary {
    let directory = tempfile::tempdir().unwrap();
    fitted_in(directory.path(), text, change)
}

fn fitted_in(directory: &Path, text: &str, change: impl FnOnce(&mut FitConfig)) -> Summary {
    let mut config = FitConfig { sbmds_version: "0.0.0".into(), ..FitConfig::default() };
    config.input.path = directory.join("input.csv");
    std::fs::write(&config.input.path, text).unwrap();
    config.sampler.n_warmup = 200;
    (config.run.chains, config.run.draws) = (2, 200);
    change(&mut config);
    let stop = AtomicBool::new(false);
    let checkpoint_interval = Duration::from_secs(3600);
    let control = Control {
        observer: &Silent,
        stop: &stop,
        n_threads: 1,
        checkpoint_interval,
        deadline: None,
        force: false,
        engine: None,
    };
    match fit(config, &directory.join("run"), &control).unwrap() {
        Outcome::Finished(fitted) => fitted.summary().clone(),
        _ => panic!("the run did not end"),
    }
}

fn map_of(text: &str, n_dims: usize) -> MapVerdict {
    fitted(text, |config| config.model.n_dims = n_dims).map.unwrap()
}

#[test]
fn a_good_map_explains_the_data_and_names_a_planted_error() {
    let (truth, noise) = (normal(25, 2, 7), normal(25, 25, 8));
    let mistake = |a, b| if (a, b) == (3, 11) { 2.0 } else { 0.0 };
    let map = map_of(&matrix(25, |a, b| (truth.distance(a, b) + 0.1 * noise.get(a, b) + mistake(a, b)).abs()), 2);
    assert!(map.describes_data && map.findings.is_empty(), "{map:?}");
    assert!(map.verdict.starts_with("The map explains 9"), "{}", map.verdict);
    assert!(map.r2.unwrap() > 0.9 && map.stress1.unwrap() < 0.2 && map.sigma_over_spread.unwrap() < 0.4, "{map:?}");
    assert!(map.ellipse_over_map.unwrap() < 0.2 && map.n_heldout == 0 && map.heldout_stress1.is_none(), "{map:?}");
    let worst = &map.worst_pairs[0];
    assert_eq!((worst.a.as_str(), worst.b.as_str(), map.worst_pairs.len()), ("o3", "o11", 10));
    let (low, high) = worst.predicted.unwrap();
    assert!(worst.residual_in_sigmas.unwrap() > 4.0 && low < worst.fitted && high < worst.observed, "{worst:?}");
}

#[test]
fn equal_dissimilarities_make_any_map_arbitrary() {
    let map = map_of(&matrix(12, |_, _| 3.0), 2);
    assert!(map.found(Finding::Equal) && map.found(Finding::Undetermined) && !map.describes_data, "{map:?}");
    assert!(map.verdict.contains("any map is arbitrary") && map.r2.is_none(), "{}", map.verdict);
    let nearly = map_of(&matrix(12, |a, b| 3.0 + 0.02 * ((a * b) % 3) as f64), 2);
    assert!(nearly.found(Finding::Equal), "{nearly:?}");
}

#[test]
fn similarities_are_recognised() {
    let truth = normal(20, 2, 7);
    let map = map_of(&matrix(20, |a, b| (-truth.distance(a, b)).exp()), 2);
    assert_eq!((map.findings[0], map.describes_data), (Finding::Similarities, false), "{map:?}");
    assert!(map.reversed_r2.unwrap() > 0.8 && map.verdict.contains("Are these similarities?"), "{}", map.verdict);
}

#[test]
fn pure_noise_is_explained_little() {
    let noise = normal(25, 25, 9);
    let map = map_of(&matrix(25, |a, b| noise.get(a, b).abs()), 2);
    assert_eq!((map.findings[0], map.describes_data), (Finding::Little, false), "{map:?}");
    assert!(map.verdict.starts_with("The map explains little: "), "{}", map.verdict);
}

#[test]
fn too_few_dimensions_bend_the_shepard_plot_and_the_right_ones_do_not() {
    let four_dimensional = simulated(25, 4, 0.05, |distance| distance);
    let map = map_of(&four_dimensional, 1);
    assert!(map.found(Finding::Curved) && map.verdict.contains("`dims` 2"), "{map:?}");
    assert!(!map_of(&four_dimensional, 4).found(Finding::Curved));
}

#[test]
fn curved_data_bend_the_shepard_plot_and_straight_ones_do_not() {
    for change in [f64::sqrt, |distance: f64| distance * distance, |distance: f64| 1.0 - (-distance).exp()] {
        let map = map_of(&simulated(25, 2, 0.03, change), 2);
        assert!(map.found(Finding::Curved) && map.verdict.contains("The Shepard plot is curved"), "{map:?}");
    }
    for sigma in [0.02, 0.3, 0.8] {
        let map = map_of(&simulated(25, 2, sigma, |distance| distance), 2);
        assert!(!map.found(Finding::Curved) && map.curvature.unwrap() < 0.15, "{map:?}");
    }
}

#[test]
fn predictive_intervals_hold_about_as_many_as_they_promise() {
    let text = simulated(80, 2, 0.3, |distance| distance);
    let full = map_of(&text, 2);
    // 3,160 pairs: a standard error of 0.4%, and a little more than 95% because the map was fitted to them.
    assert!((0.94..0.98).contains(&full.coverage.unwrap()), "{full:?}");
    let sparse = fitted(&text, |config| config.model.couplings = Couplings::Dispersed(15)).map.unwrap();
    assert_eq!(sparse.n_heldout, 80 * 79 / 2 - 80 * 15);
    assert!((0.93..0.97).contains(&sparse.heldout_coverage.unwrap()), "{sparse:?}");
    assert!(sparse.findings.is_empty() && sparse.more_couplings.is_none(), "{sparse:?}");
    assert!(sparse.verdict.contains("over 1960 pairs that were not coupled"), "{}", sparse.verdict);
}

#[test]
fn couplings_of_data_that_no_plane_fits_do_not_carry_over() {
    let features = normal(300, 100, 3);
    let mut text = "name".to_owned();
    (0..100).for_each(|column| write!(text, ",f{column}").unwrap());
    for object in 0..300 {
        write!(text, "\no{object}").unwrap();
        (0..100).for_each(|column| write!(text, ",{}", features.get(object, column)).unwrap());
    }
    let summary = fitted(&(text + "\n"), |config| {
        config.input.metric = Some(Metric::Cosine);
        config.model.couplings = Couplings::Dispersed(12);
        (config.sampler.n_warmup, config.run.chains, config.run.draws) = (100, 1, 40);
    });
    let map = summary.map.as_ref().unwrap();
    assert!(map.found(Finding::NotCarriedOver) && !map.describes_data && map.n_heldout == 10_000, "{map:?}");
    assert!(map.heldout_stress1.unwrap() > 1.3 * map.stress1.unwrap(), "{map:?}");
    assert_eq!(map.more_couplings.as_deref(), Some("full"));
    assert!(map.verdict.contains("`couplings` full") && !summary.verdict.contains("times longer"), "{summary:?}");
    assert_eq!(summary.verdicts()[0].0, "Map");
}

#[test]
fn a_run_without_draws_says_what_its_moments_know() {
    let text = simulated(20, 2, 0.2, |distance| distance);
    let with_draws = map_of(&text, 2);
    let map = fitted(&text, |config| config.run.keep = Keep::Summary).map.unwrap();
    assert!(map.coverage.is_none() && map.worst_pairs.iter().all(|pair| pair.predicted.is_none()), "{map:?}");
    assert!(map.ellipse_over_map.is_some() && map.sigma == with_draws.sigma, "{map:?}");
    approx::assert_relative_eq!(map.stress1.unwrap(), with_draws.stress1.unwrap(), max_relative = 0.02);
    assert_eq!(map.findings, with_draws.findings);
}

#[test]
fn a_triangle_fits_by_construction() {
    let map = map_of(&matrix(3, |a, b| [3.0, 4.0, 5.0][a + b - 1]), 2);
    assert_eq!(map.findings[0], Finding::Saturated, "{map:?}");
    assert!(map.verdict.contains("fits by construction"), "{}", map.verdict);
}

#[test]
fn a_summary_of_an_earlier_version_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let now = fitted_in(directory.path(), &simulated(8, 2, 0.2, |distance| distance), |_| ());
    let (run, _) = RunDirectory::open(&directory.path().join("run")).unwrap();
    assert_eq!(run.summary().unwrap(), now);
    let path = directory.path().join("run/summary.json");
    let mut json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for key in ["stress1", "r2", "heldout_stress1", "worst_pairs"] {
        assert!(json["map"].as_object().unwrap().contains_key(key), "{json}");
    }
    assert_eq!(json["chains"]["verdict"], json["verdict"]);
    let object = json.as_object_mut().unwrap();
    assert!(object.remove("chains").is_some() && object.remove("map").is_some());
    std::fs::write(&path, json.to_string()).unwrap();
    let then = run.summary().unwrap();
    assert_eq!((&then.map, &then.chains, &then.verdict), (&None, &None, &now.verdict));
    assert_eq!(then.verdicts().len(), 1);
}
