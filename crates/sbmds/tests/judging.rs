//! Predictions of pairs left out: by weights, exactly, and as a guide to the number of dimensions.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use sbmds::choose::{Candidate, Judged, Question, Told, advise, choose};
use sbmds::dissimilarity::{Dissimilarities, Names};
use sbmds::fit::Fit;
use sbmds::likelihood::Noise;
use sbmds::loo::{held_out, leave_one_out};
use sbmds::predict::{CoverageStudy, PosteriorDraws};
use sbmds::quality::KnownPair;
use sbmds::random::{Purpose, stream};
use sbmds::run::{Control, FitConfig, Silent};
use sbmds::simulate::{self, Simulation};

fn simulation(n_objects: usize, n_dims: usize, sd: f64, seed: u64) -> Simulation {
    let noise = simulate::Noise::TruncatedNormal { sd };
    Simulation::new(n_objects, n_dims, noise, &mut stream(seed, 0, Purpose::Simulation))
}

fn data(simulation: &Simulation, is_kept: impl Fn(usize, usize) -> bool) -> Dissimilarities {
    let n_objects = simulation.truth().n_objects();
    let value = |a, b| if is_kept(a, b) { simulation.delta(a, b) } else { f64::NAN };
    Dissimilarities::from_fn(Names::numbered(n_objects), value)
}

fn all_pairs(simulation: &Simulation) -> Vec<KnownPair> {
    let n = simulation.truth().n_objects();
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    pairs.map(|(a, b)| KnownPair { a, b, delta: simulation.delta(a, b) }).collect()
}

fn draws(data: &Dissimilarities, n_dims: usize, n_draws: usize) -> PosteriorDraws {
    let fitted = Fit::of(data).dims(n_dims).chains(2).warmup(400).draws(n_draws).seed(3).run().unwrap();
    PosteriorDraws::of(&fitted, 2 * n_draws).unwrap()
}

/// Eight objects on a line: what weights say of a pair is what a fit without it says.
#[test]
fn weights_answer_as_fits_without_the_pair_do() {
    let simulation = simulation(8, 1, 0.2, 5);
    let pairs = all_pairs(&simulation);
    let whole = draws(&data(&simulation, |_, _| true), 1, 2_000);
    let left_out = leave_one_out(&whole, Noise::TruncatedNormal, &pairs, 0.5);
    for k in [0, 9, 17, 24] {
        let KnownPair { a, b, .. } = pairs[k];
        let without = draws(&data(&simulation, |c, d| (c, d) != (a, b)), 1, 2_000);
        let exact = held_out(&without, Noise::TruncatedNormal, &pairs[k..=k])[0];
        let found = left_out[k];
        assert!(found.shape < 0.7, "{a}-{b}: k = {}", found.shape);
        assert!((found.elpd - exact.elpd).abs() < 0.1, "{a}-{b}: {} against {}", found.elpd, exact.elpd);
        assert!((found.mean - exact.mean).abs() < 0.05, "{a}-{b}: {} against {}", found.mean, exact.mean);
        assert!(found.elpd < found.lpd, "who knows the pair expects it more");
    }
}

/// Stops a choice when so many of its fits have ended.
struct StopsAfter<'a> {
    fits: usize,
    ended: AtomicUsize,
    stop: &'a AtomicBool,
}

impl Told for StopsAfter<'_> {
    fn begins(&self, _name: &str) {}

    fn ends(&self, _name: &str, _seconds: f64) {
        if self.ended.fetch_add(1, Ordering::Relaxed) + 1 >= self.fits {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Makes a choice of one or two dimensions with two folds, stopped after so many fits; the elpd of both, or `None`.
fn choice(input: &Path, directory: &Path, fits: usize) -> Option<Vec<f64>> {
    let mut base = FitConfig::default();
    base.input.path = input.to_owned();
    (base.run.chains, base.run.draws, base.sampler.n_warmup) = (1, 60, 60);
    let question = Question { base, candidates: Candidate::all(&[1, 2], &[]), directory, n_folds: 2 };
    let stop = AtomicBool::new(false);
    let control = Control {
        observer: &Silent,
        stop: &stop,
        n_threads: 1,
        checkpoint_interval: Duration::from_secs(2),
        deadline: None,
        engine: None,
        force: false,
    };
    let told = StopsAfter { fits, ended: AtomicUsize::new(0), stop: &stop };
    let choice = choose(&question, &control, &told).unwrap();
    choice.map(|choice| choice.judged.iter().map(|judged| judged.score.elpd).collect())
}

/// A choice has six fits here. Stopped after any number of them it goes on to the very same answer.
#[test]
fn an_interrupted_choice_goes_on_to_the_same_answer() {
    let folder = tempfile::tempdir().unwrap();
    let simulation = simulation(9, 1, 0.2, 6);
    let row = |a: usize| {
        let cells =
            (0..9).map(|b| if a == b { "0".to_owned() } else { simulation.delta(a.min(b), a.max(b)).to_string() });
        cells.collect::<Vec<_>>().join(",") + "\n"
    };
    let input = folder.path().join("distances.csv");
    std::fs::write(&input, (0..9).map(row).collect::<String>()).unwrap();
    let whole = choice(&input, &folder.path().join("whole"), usize::MAX).unwrap();
    for fits in 1..6 {
        let directory = folder.path().join(format!("after-{fits}"));
        assert_eq!(choice(&input, &directory, fits), None, "stopped after {fits}");
        assert_eq!(choice(&input, &directory, usize::MAX).as_ref(), Some(&whole), "stopped after {fits}");
    }
}

/// The dimension that leave-one-out advises for a simulated map, of candidates from 1 to `most`.
fn advised(n_objects: usize, n_dims: usize, most: usize, seed: u64) -> usize {
    let simulation = simulation(n_objects, n_dims, 0.2, seed);
    let (data, pairs) = (data(&simulation, |_, _| true), all_pairs(&simulation));
    let judged: Vec<Judged> = (1..=most)
        .map(|n_dims| {
            let fit = Fit::of(&data).dims(n_dims).chains(2).warmup(250).draws(150).seed(seed);
            Judged::by_leaving_out(&Candidate { n_dims, noise: None }, &fit.run().unwrap(), &pairs.clone().into())
                .unwrap()
        })
        .collect();
    judged[advise(&judged).taken].candidate.n_dims
}

#[test]
fn the_dimensions_of_small_simulated_maps_are_found() {
    for (n_dims, seed) in [(1, 1), (2, 2)] {
        assert_eq!(advised(30, n_dims, 3, seed), n_dims);
    }
}

#[test]
fn predictive_intervals_hold_as_often_as_they_say() {
    let study = CoverageStudy { n_replicates: 16, n_objects: 12, ..CoverageStudy::default() };
    let found = study.run(&|_| {}).unwrap();
    // Three standard errors of some hundred pairs that share maps; `sbmds calibrate --coverage` has 200 data sets.
    assert!((found.share - 0.95).abs() < 0.05, "{found:?}");
    assert!(found.n_pairs > 150, "{found:?}");
}
