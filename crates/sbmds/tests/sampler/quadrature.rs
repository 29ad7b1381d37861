//! Three objects, whose posterior a grid can integrate: every sampler must find the same means and probabilities.
//!
//! The likelihood sees differences only and the centroid is independent of them under the prior, so u = x1 - x2 and
//! v = x2 - x3 are all there is: (u, v) ~ N(0, lambda S) with S = [2, -1; -1, 2] in each dimension.

use std::sync::Arc;

use rayon::prelude::*;
use sbmds::coupling::Pairs;
use sbmds::diagnostics::{Chains, ess_bulk, mcse_mean};
use sbmds::likelihood::{Likelihood, Noise, Storage};
use sbmds::posterior::{NoisePrior, Posterior, Priors, ScalePrior, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Chain, Sampler, SamplerSettings};

use crate::kit::{SAMPLERS, distance, settings, single};

/// Dissimilarities of the pairs (1, 2), (2, 3), (1, 3): no triangle on a line, so that modes compete.
const DELTAS: [f64; 3] = [0.6, 0.9, 1.2];
/// Width of the grid in u and v.
const WIDTH: f64 = 0.05;
/// Grid points on either side of zero: prior and likelihood leave nothing beyond 9.
const REACH: i64 = 180;
/// Thresholds of the probabilities, on the grid.
const DISTANCE_THRESHOLD: f64 = 0.8;
const LOG_SIGMA_THRESHOLD: f64 = -0.4;

const N_CHAINS: usize = 4;
const N_DRAWS: usize = 8_000;
/// Fewer effective draws than this would let anything pass.
const LEAST_ESS: f64 = 2_000.0;
/// Monte Carlo standard errors that an estimate may be off: once in 16,000 comparisons.
const LIMIT: f64 = 4.0;

/// A point of the posterior, as far as the test looks at it.
struct Point {
    distances: [f64; 3],
    sigma: f64,
    /// Lambda of the first dimension.
    scale: f64,
}

type Quantity = (&'static str, fn(&Point) -> f64);

/// What is compared: distances, probabilities of distances, noise and scale.
const QUANTITIES: [Quantity; 9] = [
    ("d12", |point| point.distances[0]),
    ("d12^2", |point| point.distances[0].powi(2)),
    ("d13", |point| point.distances[2]),
    ("P(d12 < t)", |point| below(point.distances[0], DISTANCE_THRESHOLD)),
    ("P(d13 < t)", |point| below(point.distances[2], DISTANCE_THRESHOLD)),
    ("P(d12 < d23)", |point| below(point.distances[0], point.distances[1])),
    ("sigma", |point| point.sigma),
    ("P(log sigma < t)", |point| below(point.sigma.ln(), LOG_SIGMA_THRESHOLD)),
    ("lambda", |point| point.scale),
];

/// 1 below, 0 above, and a half on the threshold itself, as the trapezoidal rule wants it.
fn below(value: f64, threshold: f64) -> f64 {
    if (value - threshold).abs() < 1e-9 { 0.5 } else { f64::from(u8::from(value < threshold)) }
}

/// Weighted means of all quantities.
#[derive(Default)]
struct Means {
    weight: f64,
    sums: [f64; QUANTITIES.len()],
}

impl Means {
    fn add(&mut self, weight: f64, point: &Point) {
        self.weight += weight;
        for (sum, (_, quantity)) in self.sums.iter_mut().zip(QUANTITIES) {
            *sum += weight * quantity(point);
        }
    }

    fn get(&self) -> [f64; QUANTITIES.len()] {
        self.sums.map(|sum| sum / self.weight)
    }
}

/// Values of log sigma with the log of their prior weight: one if it is known, else a grid.
fn log_sigmas(prior: NoisePrior) -> Vec<(f64, f64)> {
    match prior {
        NoisePrior::Fixed { sigma } => vec![(sigma.ln(), 0.0)],
        NoisePrior::InverseGamma { shape, rate, .. } => {
            // sigma^2 ~ IG(a, b): log sigma = t has the density exp(-2 a t - b exp(-2 t)), up to a constant.
            (-44..=60).map(|k| f64::from(k) * 0.05).map(|t| (t, -2.0 * shape * t - rate * (-2.0 * t).exp())).collect()
        }
    }
}

/// Log prior of the differences, given the quadratic form of (u, v), and the posterior mean of lambda given them.
fn differences_prior(prior: &ScalePrior, form: f64, n_dims: usize) -> (f64, f64) {
    match prior {
        ScalePrior::Fixed { variances } => (-0.5 * form / variances[0], variances[0]),
        // Lambda integrated out on the line: IG(a, b) times N(0, lambda S) leaves IG(a + 1, b + form / 2).
        ScalePrior::Learned { shape, rate } => {
            assert_eq!(n_dims, 1, "one lambda per dimension has no common form");
            (-(shape + 1.0) * (rate + 0.5 * form).ln(), (rate + 0.5 * form) / shape)
        }
        ScalePrior::Shrunk(_) => unreachable!("its lambda has no finite variance: see shrinkage.rs"),
    }
}

/// On the line: a grid over u > 0 (the reflection gives the rest), v and log sigma; all distances are on the grid too.
fn exact_on_a_line(priors: &Priors, noise: Noise) -> [f64; QUANTITIES.len()] {
    let mut means = Means::default();
    for (log_sigma, log_weight) in log_sigmas(priors.noise) {
        let sigma = log_sigma.exp();
        let log_density = DELTAS.map(|delta| {
            let at = |k: i64| noise.log_density(delta, k as f64 * WIDTH, sigma);
            (0..=2 * REACH).map(at).collect::<Vec<f64>>()
        });
        for i in 0..=REACH {
            let edge = if i == 0 { 0.5 } else { 1.0 };
            for j in -REACH..=REACH {
                let steps = [i, j.abs(), (i + j).abs()];
                let (u, v) = (i as f64 * WIDTH, j as f64 * WIDTH);
                let (prior, scale) = differences_prior(&priors.scales, 2.0 / 3.0 * (u * u + u * v + v * v), 1);
                let pairs: f64 = (0..3).map(|pair| log_density[pair][steps[pair] as usize]).sum();
                let distances = steps.map(|k| k as f64 * WIDTH);
                means.add(edge * (prior + pairs + log_weight).exp(), &Point { distances, sigma, scale });
            }
        }
    }
    means.get()
}

/// In the plane: a grid over |u|, |v| and the angle between them, with the area |u| |v|.
fn exact_in_the_plane(priors: &Priors, noise: Noise) -> [f64; QUANTITIES.len()] {
    const N_ANGLES: i32 = 96;
    let mut means = Means::default();
    for (log_sigma, log_weight) in log_sigmas(priors.noise) {
        let sigma = log_sigma.exp();
        for (i, j) in (1..=REACH).flat_map(|i| (1..=REACH).map(move |j| (i, j))) {
            let (u, v) = (i as f64 * WIDTH, j as f64 * WIDTH);
            let near = noise.log_density(DELTAS[0], u, sigma) + noise.log_density(DELTAS[1], v, sigma);
            for k in 0..N_ANGLES {
                let cosine = ((f64::from(k) + 0.5) * std::f64::consts::PI / f64::from(N_ANGLES)).cos();
                let far = (u * u + v * v + 2.0 * u * v * cosine).max(0.0).sqrt();
                let form = 2.0 / 3.0 * (u * u + u * v * cosine + v * v);
                let (prior, scale) = differences_prior(&priors.scales, form, 2);
                let log_density = prior + near + noise.log_density(DELTAS[2], far, sigma) + log_weight;
                means.add(u * v * log_density.exp(), &Point { distances: [u, v, far], sigma, scale });
            }
        }
    }
    means.get()
}

fn posterior(n_dims: usize, pairs: &Pairs, priors: &Priors, noise: Noise) -> Posterior {
    let delta = |a: usize, b: usize| DELTAS[if a.abs_diff(b) == 2 { 2 } else { a.min(b) }];
    Posterior::new(Arc::new(Likelihood::new(3, n_dims, pairs, noise, Storage::F64, delta)), priors.clone())
}

/// Draws of all quantities: [quantity][chain][draw].
fn draws(posterior: &Posterior, priors: &Priors, settings: &SamplerSettings) -> Vec<Vec<Vec<f64>>> {
    let sampler = settings.sampler;
    let n_dims = posterior.likelihood().n_dims();
    let seed = 11 + Sampler::ALL.iter().position(|other| *other == sampler).unwrap() as u64;
    let chains: Vec<Vec<Point>> = (0..N_CHAINS)
        .into_par_iter()
        .map(|chain| {
            let mut rng = stream(seed, chain, Purpose::Sampling);
            let start = priors.draw(3, n_dims, &mut rng);
            let mut chain = Chain::start(posterior, settings, start, rng, Workspace::serial());
            while chain.is_warming_up() {
                chain.step();
            }
            (0..N_DRAWS).map(|_| point_after_steps(&mut chain, sampler)).collect()
        })
        .collect();
    QUANTITIES.iter().map(|(_, quantity)| chains.iter().map(|c| c.iter().map(quantity).collect()).collect()).collect()
}

/// Random walks are thinned: they cost little and move little.
fn point_after_steps(chain: &mut Chain, sampler: Sampler) -> Point {
    let n_steps = if matches!(sampler, Sampler::Mh | Sampler::Mwg) { 4 } else { 1 };
    for _ in 0..n_steps {
        chain.step();
    }
    let distances = [(0, 1), (1, 2), (0, 2)].map(|(a, b)| distance(chain.x(), 3, a, b));
    Point { distances, sigma: chain.sigma(), scale: chain.spread().as_slice()[0] }
}

/// Every sampler against the grid.
fn check(n_dims: usize, priors: &Priors, noise: Noise) {
    let exact = if n_dims == 1 { exact_on_a_line(priors, noise) } else { exact_in_the_plane(priors, noise) };
    let posterior = posterior(n_dims, &Pairs::full(3), priors, noise);
    let mut failures = Vec::new();
    // Trajectories that must go on after they have turned visit the same posterior.
    let long = SamplerSettings { min_depth: 4, ..settings(Sampler::Nuts, 1_000) };
    let singles = [Sampler::Jhmc, Sampler::Nuts, Sampler::Hmc].map(|sampler| single(settings(sampler, 1_000)));
    for settings in SAMPLERS.map(|sampler| settings(sampler, 1_000)).into_iter().chain([long]).chain(singles) {
        let sampler = format!("{} in {} from depth {}", settings.sampler, settings.arithmetic, settings.min_depth);
        for ((name, _), (draws, exact)) in QUANTITIES.iter().zip(draws(&posterior, priors, &settings).iter().zip(exact))
        {
            let chains = Chains::new(draws).unwrap();
            let pooled = draws.concat();
            let mean = pooled.iter().sum::<f64>() / pooled.len() as f64;
            if pooled.iter().all(|&draw| draw == pooled[0]) {
                assert!((mean - exact).abs() < 1e-9, "{sampler}, {name} is known: {mean} and {exact}");
                continue;
            }
            let (error, ess) = (mcse_mean(&chains), ess_bulk(&chains));
            let z = (mean - exact) / error;
            eprintln!("{sampler:29} {name:16} {mean:8.4} grid {exact:8.4} z {z:6.2} ess {ess:7.0}");
            if z.abs() > LIMIT || ess < LEAST_ESS {
                failures
                    .push(format!("{sampler}, {name}: {mean} where the grid has {exact} (z = {z:.1}, ess = {ess:.0})"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

fn known_scales(n_dims: usize) -> ScalePrior {
    ScalePrior::Fixed { variances: vec![1.0; n_dims] }
}

/// Three pairs say little of sigma: its posterior is skewed, with a heavy tail.
const SKEWED: NoisePrior = NoisePrior::InverseGamma { shape: 3.0, rate: 1.0, floor: 0.0 };

#[test]
fn three_objects_on_a_line_with_known_noise() {
    check(1, &Priors { scales: known_scales(1), noise: NoisePrior::Fixed { sigma: 0.5 } }, Noise::TruncatedNormal);
}

#[test]
fn three_objects_on_a_line_with_unknown_noise() {
    check(1, &Priors { scales: known_scales(1), noise: SKEWED }, Noise::TruncatedNormal);
}

#[test]
fn three_objects_on_a_line_with_unknown_normal_noise() {
    check(1, &Priors { scales: known_scales(1), noise: SKEWED }, Noise::Normal);
}

#[test]
fn three_objects_on_a_line_with_unknown_noise_and_scale() {
    let scales = ScalePrior::Learned { shape: 4.0, rate: 2.0 };
    check(1, &Priors { scales, noise: SKEWED }, Noise::TruncatedNormal);
}

#[test]
fn three_objects_in_the_plane_with_known_noise() {
    check(2, &Priors { scales: known_scales(2), noise: NoisePrior::Fixed { sigma: 0.5 } }, Noise::TruncatedNormal);
}
