//! No unit matters: c times the data give c times the map and the same verdict.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use sbmds::Locations;
use sbmds::draws::DrawReader;
use sbmds::random::{Purpose, stream};
use sbmds::run::{Control, FitConfig, Outcome, Silent, Summary, fit};
use sbmds::sampler::ArithmeticChoice;

/// Which pairs of a random map were measured.
#[derive(Clone, Copy, Debug)]
enum Measured {
    All,
    /// All but a few.
    WithGaps,
    /// Near ones only.
    Local,
}

/// A random problem as an edge list, noise included.
fn problem(rng: &mut ChaCha8Rng, measured: Measured) -> (usize, Vec<(usize, usize, f64)>) {
    let (n_objects, n_dims) = (rng.random_range(7..14), rng.random_range(1..4));
    let map = Locations::from_fn(n_objects, n_dims, |object, dim| {
        // Along the first axis, so that near pairs connect all.
        rng.random::<f64>() + if dim == 0 { 0.3 * object as f64 } else { 0.0 }
    });
    let mut pairs = Vec::new();
    for b in 1..n_objects {
        for a in 0..b {
            let delta = (map.distance(a, b) + 0.1 * (rng.random::<f64>() - 0.5)).abs();
            let is_measured = match measured {
                Measured::All => true,
                Measured::WithGaps => b - a == 1 || rng.random::<f64>() < 0.8,
                Measured::Local => b - a <= n_dims + 1,
            };
            if is_measured {
                pairs.push((a, b, delta));
            }
        }
    }
    (n_dims, pairs)
}

/// All draws of the locations, and the summary.
fn fitted(pairs: &[(usize, usize, f64)], factor: f64, n_dims: usize, n_draws: usize) -> (Vec<f64>, Summary) {
    fitted_in(ArithmeticChoice::Auto, pairs, factor, n_dims, n_draws)
}

fn fitted_in(
    arithmetic: ArithmeticChoice,
    pairs: &[(usize, usize, f64)],
    factor: f64,
    n_dims: usize,
    n_draws: usize,
) -> (Vec<f64>, Summary) {
    let directory = tempfile::tempdir().unwrap();
    let mut edges = String::new();
    for (a, b, delta) in pairs {
        writeln!(edges, "o{a},o{b},{}", delta * factor).unwrap();
    }
    let input = directory.path().join("edges.csv");
    fs::write(&input, edges).unwrap();
    let mut config = FitConfig::default();
    config.input.path = input;
    config.model.n_dims = n_dims;
    config.sampler.n_warmup = n_draws;
    config.sampler.arithmetic = arithmetic;
    (config.run.draws, config.run.chains) = (n_draws, 2);
    let out = directory.path().join("run");
    let summary = run(config, &out);
    let mut draws = Vec::new();
    let reader = DrawReader::open(&out).unwrap();
    reader.for_each_x(|_, _, x| draws.extend(x.as_slice().iter().map(|x| x / factor))).unwrap();
    (draws, summary)
}

fn run(config: FitConfig, out: &Path) -> Summary {
    let stop = AtomicBool::new(false);
    let checkpoint_interval = Duration::from_secs(1000);
    let control = Control {
        observer: &Silent,
        stop: &stop,
        n_threads: 1,
        checkpoint_interval,
        deadline: None,
        force: false,
        engine: None,
    };
    match fit(config, out, &control).unwrap() {
        Outcome::Finished(fitted) => fitted.summary().clone(),
        _ => panic!("the run did not end"),
    }
}

#[test]
fn a_power_of_two_times_the_data_gives_the_same_draws_bit_for_bit() {
    for (seed, measured) in [(1, Measured::All), (2, Measured::WithGaps), (3, Measured::Local)] {
        let (n_dims, pairs) = problem(&mut stream(seed, 0, Purpose::Start), measured);
        let (draws, summary) = fitted(&pairs, 1.0, n_dims, 150);
        for factor in [2.0_f64.powi(-20), 2.0_f64.powi(20)] {
            let (others, other) = fitted(&pairs, factor, n_dims, 150);
            assert!(draws == others, "{measured:?}, {factor:e}");
            assert_eq!(summary.verdict, other.verdict);
            assert_eq!(summary.sigma.mean.unwrap() * factor, other.sigma.mean.unwrap());
        }
    }
}

/// In double precision: single-precision gradients round to other bits in another unit. Rounding differs by a bit, and chains that differ by a bit drift apart in the end: these are short.
#[test]
fn any_factor_gives_the_same_map_up_to_rounding() {
    for seed in 10..25 {
        let measured = [Measured::All, Measured::WithGaps, Measured::Local][seed as usize % 3];
        let mut rng = stream(seed, 0, Purpose::Start);
        let (n_dims, pairs) = problem(&mut rng, measured);
        let (draws, _) = fitted_in(ArithmeticChoice::F64, &pairs, 1.0, n_dims, 12);
        let extent = draws.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let factor = 10.0_f64.powf(rng.random_range(-6.0..6.0));
        let (others, _) = fitted_in(ArithmeticChoice::F64, &pairs, factor, n_dims, 12);
        let apart = draws.iter().zip(&others).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
        assert!(apart < 1e-6 * extent, "{measured:?}, factor {factor:e}: {apart:e} apart");
    }
}

/// Where only near pairs were measured, the map is much wider than they are: a prior of their size would fold it.
#[test]
fn a_long_map_of_near_pairs_is_not_folded() {
    let n_objects = 60;
    let mut rng = stream(5, 0, Purpose::Start);
    // A strip, 20 long and 1 wide, of which pairs nearer than 3 were measured.
    let map = Locations::from_fn(n_objects, 2, |object, dim| {
        if dim == 0 { 20.0 * object as f64 / n_objects as f64 } else { rng.random::<f64>() }
    });
    let pairs: Vec<(usize, usize, f64)> = (1..n_objects)
        .flat_map(|b| (0..b).map(move |a| (a, b)))
        .map(|(a, b)| (a, b, map.distance(a, b)))
        .filter(|pair| pair.2 < 3.0)
        .map(|(a, b, delta)| (a, b, delta + 0.02 * rng.random::<f64>()))
        .collect();
    let (draws, summary) = fitted(&pairs, 1.0, 2, 200);
    let last =
        Locations::from_fn(n_objects, 2, |object, dim| draws[draws.len() - 2 * n_objects + dim * n_objects + object]);
    let length = last.distance(0, n_objects - 1);
    let truth = map.distance(0, n_objects - 1);
    assert!((length / truth - 1.0).abs() < 0.1, "{length} instead of {truth}; {}", summary.verdict);
    assert!(summary.warnings.iter().all(|warning| !warning.contains("crushes")), "{:?}", summary.warnings);
}
