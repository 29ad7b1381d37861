//! Anchored fits beside fits of all pairs: widths, means, and what the check says of them.

use sbmds::coupling::Couplings;
use sbmds::dissimilarity::{Dissimilarities, Names};
use sbmds::fit::{Fit, Fitted};
use sbmds::random::{Purpose, stream};
use sbmds::simulate::{Noise, Simulation};

fn simulated(n_objects: usize, noise: Noise) -> Simulation {
    Simulation::new(n_objects, 2, noise, &mut stream(3, 0, Purpose::Simulation))
}

fn complete(simulation: &Simulation) -> Dissimilarities {
    Dissimilarities::from_fn(Names::numbered(simulation.truth().n_objects()), |a, b| simulation.delta(a, b))
}

fn fitted(data: &Dissimilarities, couplings: Couplings) -> Fitted {
    Fit::of(data).couplings(couplings).chains(2).warmup(250).draws(400).seed(4).threads(1).run().unwrap()
}

fn moments(draws: &[f64]) -> (f64, f64) {
    let n = draws.len() as f64;
    let mean = draws.iter().sum::<f64>() / n;
    (mean, (draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt())
}

/// Ratio of standard deviations (geometric mean) of 60 distances, and the root mean square shift of means in standard deviations.
fn compared(anchored: &Fitted, full: &Fitted) -> (f64, f64) {
    let n = anchored.names().len();
    let (mut log_ratio, mut shift) = (0.0, 0.0);
    for k in 0..60 {
        let (a, b) = ((7 * k) % n, (7 * k + 13 + k) % n);
        let name = |object: usize| anchored.names().get(object).into_owned();
        let of = |fitted: &Fitted| moments(&fitted.distances(&name(a), &name(b)).unwrap());
        let ((mean, sd), (full_mean, full_sd)) = (of(anchored), of(full));
        log_ratio += (sd / full_sd).ln() / 60.0;
        shift += ((mean - full_mean) / full_sd).powi(2) / 60.0;
    }
    (log_ratio.exp(), shift.sqrt())
}

/// A fifth of the pairs gives the posterior of all: 0.10 is what Monte Carlo error leaves of shifts, and a posterior of a fifth of
/// the pairs alone has a ratio above 2.
#[test]
fn anchored_fits_have_the_posterior_of_all_pairs() {
    let data = complete(&simulated(100, Noise::HalfNormal { sd: 0.2 }));
    let (full, anchored) = (fitted(&data, Couplings::Full), fitted(&data, Couplings::Anchored(10)));
    let (ratio, shift) = compared(&anchored, &full);
    assert!((0.9..1.15).contains(&ratio) && shift < 0.25, "{ratio} {shift}");
    let check = anchored.summary().anchor.clone().unwrap();
    assert!(check.holds && (check.sd_ratio - ratio).abs() < 0.1, "{check:?} beside {ratio}, {shift}");
    assert!(full.summary().anchor.is_none());
    let (sparse_ratio, _) = compared(&fitted(&data, Couplings::Dispersed(10)), &full);
    assert!(sparse_ratio > 1.8, "{sparse_ratio}");
}

/// A quarter of the pairs were not measured, and those of the first objects less often.
#[test]
fn missing_pairs_are_neither_used_nor_replaced() {
    let simulation = simulated(100, Noise::HalfNormal { sd: 0.2 });
    let is_missing = |a: usize, b: usize| (a * 31 + b * 17).is_multiple_of(if a < 20 { 2 } else { 6 });
    let data = Dissimilarities::from_fn(Names::numbered(100), |a, b| match is_missing(a, b) {
        true => f64::NAN,
        false => simulation.delta(a, b),
    });
    let (full, anchored) = (fitted(&data, Couplings::Full), fitted(&data, Couplings::Anchored(12)));
    let (ratio, shift) = compared(&anchored, &full);
    assert!((0.88..1.18).contains(&ratio) && shift < 0.3, "{ratio} {shift}");
    assert!(anchored.summary().anchor.as_ref().unwrap().holds, "{:?}", anchored.summary().anchor);
}

/// Two bands are too few for anything: the verdict says so.
#[test]
fn too_few_bands_are_flagged() {
    let numbers = |a: usize, b: usize| 0.2 + ((a * 37 + b * 101) as f64 * 0.618_034).fract();
    let data = Dissimilarities::from_fn(Names::numbered(80), numbers);
    let anchored = fitted(&data, Couplings::Anchored(2));
    let check = anchored.summary().anchor.clone().unwrap();
    assert!(!check.holds && check.sd_ratio > 1.2 && !anchored.summary().converged, "{check:?}");
    assert!(anchored.verdict().contains("is not that of all pairs"), "{}", anchored.verdict());
}

/// Four dimensions on a map of two: residuals are not noise, there are other maps that fit as well, and nobody is told that the narrow
/// posterior around one of them is that of all pairs.
#[test]
fn maps_that_do_not_fit_are_flagged() {
    let simulation = Simulation::new(100, 4, Noise::HalfNormal { sd: 0.1 }, &mut stream(3, 0, Purpose::Simulation));
    let anchored = fitted(&complete(&simulation), Couplings::Anchored(20));
    let check = anchored.summary().anchor.clone().unwrap();
    assert!(!check.holds && !anchored.summary().converged, "{check:?}");
}

/// With all pairs coupled the posterior is exactly theirs.
#[test]
fn with_all_pairs_nothing_changes() {
    let data = complete(&simulated(30, Noise::HalfNormal { sd: 0.2 }));
    let check = fitted(&data, Couplings::Anchored(15)).summary().anchor.clone().unwrap();
    assert!(check.weight == 1.0 && check.shift < 1e-3 && (check.sd_ratio - 1.0).abs() < 1e-6, "{check:?}");
}

/// Student's t keeps what was measured in the coupled pairs: it is checked all the same, and is the posterior of all pairs here.
#[test]
fn other_noise_is_checked_too() {
    let data = complete(&simulated(80, Noise::HalfNormal { sd: 0.2 }));
    let student = |couplings| {
        let fit = Fit::of(&data).couplings(couplings).chains(2).warmup(250).draws(400).seed(4).threads(1);
        fit.with(|config| config.measurement.family = Some("student-t".parse().unwrap())).run().unwrap()
    };
    let (full, anchored) = (student(Couplings::Full), student(Couplings::Anchored(20)));
    let (ratio, shift) = compared(&anchored, &full);
    let check = anchored.summary().anchor.clone().unwrap();
    assert!((0.85..1.25).contains(&ratio) && shift < 0.5, "{ratio} {shift} {check:?}");
    assert!((check.sd_ratio - ratio).abs() < 0.15, "{check:?} beside {ratio}, {shift}");
}

/// Four dimensions on a map of two under Student's t, where residuals are not looked at: gradients at the draws tell.
#[test]
fn other_noise_does_not_hide_a_misfit() {
    let simulation = Simulation::new(60, 4, Noise::HalfNormal { sd: 0.1 }, &mut stream(3, 0, Purpose::Simulation));
    let data = complete(&simulation);
    let fit = Fit::of(&data).couplings(Couplings::Anchored(12)).chains(2).warmup(150).draws(150).seed(4).threads(1);
    let anchored = fit.with(|config| config.measurement.family = Some("student-t".parse().unwrap())).run().unwrap();
    let check = anchored.summary().anchor.clone().unwrap();
    assert!(!check.holds && !anchored.summary().converged, "{check:?}");
}

#[test]
fn the_normal_family_has_the_posterior_of_all_pairs() {
    let data = complete(&simulated(80, Noise::TruncatedNormal { sd: 0.2 }));
    let normal = |couplings| {
        let fit = Fit::of(&data).couplings(couplings).chains(2).warmup(250).draws(400).seed(4).threads(1);
        fit.noise(sbmds::likelihood::Noise::Normal).run().unwrap()
    };
    let (full, anchored) = (normal(Couplings::Full), normal(Couplings::Anchored(10)));
    let (ratio, shift) = compared(&anchored, &full);
    assert!((0.9..1.15).contains(&ratio) && shift < 0.25, "{ratio} {shift}");
    assert!(anchored.summary().anchor.as_ref().unwrap().holds, "{:?}", anchored.summary().anchor);
}

/// Three fifths of the pairs as an edge list: some of those are coupled, and stand for all of those.
#[test]
fn an_edge_list_has_the_posterior_of_its_pairs() {
    let simulation = simulated(80, Noise::HalfNormal { sd: 0.2 });
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("edges.csv");
    let edges = (0..80).flat_map(|a| (a + 1..80).map(move |b| (a, b))).filter(|(a, b)| (a * 31 + b * 18) % 5 < 3);
    let line = |(a, b)| format!("o{a},o{b},{}\n", simulation.delta(a, b));
    std::fs::write(&path, edges.map(line).collect::<String>()).unwrap();
    let data = sbmds::dissimilarity::read(&path, &Default::default()).unwrap();
    assert!(data.measured_pairs().is_some());
    let (full, anchored) = (fitted(&data, Couplings::Full), fitted(&data, Couplings::Anchored(12)));
    let (ratio, shift) = compared(&anchored, &full);
    assert!((0.85..1.2).contains(&ratio) && shift < 0.3, "{ratio} {shift}");
    let check = anchored.summary().anchor.as_ref().unwrap();
    assert!(check.holds && check.weight > 1.5, "{check:?}");
}

/// A comb of a tree: ((((0, 1), 2), 3), ...).
fn comb(n: usize) -> sbmds::tree::Tree {
    let text = (1..n).fold("0:1".to_owned(), |text, tip| format!("({text},{tip}:{tip}):1"));
    sbmds::tree::Tree::parse(&format!("{};", text.strip_suffix(":1").unwrap())).unwrap()
}

#[test]
fn along_a_tree_the_posterior_is_that_of_all_pairs() {
    let simulation = simulated(80, Noise::HalfNormal { sd: 0.2 });
    let names = Names::given((0..80).map(|object| object.to_string()).collect()).unwrap();
    let data = Dissimilarities::from_fn(names, |a, b| simulation.delta(a, b));
    let along = |couplings| {
        let fit = Fit::of(&data).couplings(couplings).chains(2).warmup(250).draws(400).seed(4).threads(1);
        fit.tree(comb(80)).run().unwrap()
    };
    let (full, anchored) = (along(Couplings::Full), along(Couplings::Anchored(10)));
    let (ratio, shift) = compared(&anchored, &full);
    assert!((0.9..1.15).contains(&ratio) && shift < 0.25, "{ratio} {shift}");
    assert!(anchored.summary().anchor.as_ref().unwrap().holds, "{:?}", anchored.summary().anchor);
}
