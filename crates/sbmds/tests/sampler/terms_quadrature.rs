//! Three objects on a line, whose posterior a grid can integrate: every noise family, with numbers and with limits.
//!
//! As in `quadrature.rs`, u = x1 - x2 and v = x2 - x3 are all there is.

use std::sync::Arc;

use sbmds::diagnostics::{Chains, ess_bulk, mcse_mean};
use sbmds::measurement::{Family, KnownErrors, Nu, Observation, Quantity, Term, TermLikelihood, Terms};
use sbmds::posterior::{NoisePrior, Parameters, Posterior, Priors, ScalePrior, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Chain, Sampler};

use crate::kit::{distance, settings};

/// Width and reach of the grid; the prior and the likelihood leave nothing beyond 8.
const WIDTH: f64 = 0.05;
const REACH: i64 = 160;
const N_CHAINS: usize = 2;
const N_DRAWS: usize = 3_000;
const LEAST_ESS: f64 = 400.0;
/// Monte Carlo standard errors: once in 16,000 comparisons.
const LIMIT: f64 = 4.0;

/// d12, d13, P(d12 < 0.8), P(d12 < d23), sigma, log nu.
fn quantities(distances: [f64; 3], sigma: f64, nu: f64) -> [f64; 6] {
    let below = |value: f64, limit: f64| {
        if (value - limit).abs() < 1e-9 { 0.5 } else { f64::from(u8::from(value < limit)) }
    };
    [distances[0], distances[2], below(distances[0], 0.8), below(distances[0], distances[1]), sigma, nu.ln()]
}

/// What was measured of (1, 2), (2, 3), (1, 3), the last twice and with a weight.
fn terms(seen: [Observation; 4]) -> Vec<Term> {
    let pairs = [(0, 1), (1, 2), (0, 2), (0, 2)];
    let mut terms: Vec<Term> = pairs.into_iter().zip(seen).map(|((a, b), seen)| Term::new(a, b, seen)).collect();
    terms[3].weight = 0.5;
    terms
}

const NUMBERS: [Observation; 4] =
    [Observation::Exact(0.6), Observation::Exact(0.9), Observation::Exact(1.2), Observation::Exact(1.5)];
const LIMITS: [Observation; 4] =
    [Observation::Exact(0.6), Observation::Below(1.1), Observation::Within(1.0, 1.4), Observation::Above(0.7)];

const SHAPE: f64 = 3.0;
const RATE: f64 = 1.0;

/// Log-normal measurements never have two objects in one point, so that on a line objects seldom pass each other: such posteriors are
/// compared where the second object lies between the others.
fn is_compared(family: Family, u: f64, v: f64) -> bool {
    family != Family::LogNormal || u * v > 0.0
}

fn exact(family: Family, terms: &[Term], nus: &[(f64, f64)]) -> [f64; 6] {
    let (mut weight, mut sums) = (0.0, [0.0; 6]);
    for t in (-44..=60).map(|k| f64::from(k) * 0.05) {
        for &(nu, log_prior_of_nu) in nus {
            let sigma = t.exp();
            let log_weight = -2.0 * SHAPE * t - RATE * (-2.0 * t).exp() + log_prior_of_nu;
            let of_pair = |pair: (u32, u32), k: i64| {
                let here = terms.iter().filter(|term| (term.near, term.far) == pair);
                // The middle of the first cell stands for 0, where a log-normal measurement is impossible.
                let d = if k == 0 { 0.25 * WIDTH } else { k as f64 * WIDTH };
                here.map(|term| term.weight * family.log_density(term.seen, d, sigma, nu).value).sum::<f64>()
            };
            let tables =
                [(0, 1), (1, 2), (0, 2)].map(|pair| (0..=2 * REACH).map(|k| of_pair(pair, k)).collect::<Vec<f64>>());
            for i in 0..=REACH {
                let edge = if i == 0 { 0.5 } else { 1.0 };
                for j in -REACH..=REACH {
                    let steps = [i, j.abs(), (i + j).abs()];
                    let (u, v) = (i as f64 * WIDTH, j as f64 * WIDTH);
                    if !is_compared(family, u, v) {
                        continue;
                    }
                    let prior = -(u * u + u * v + v * v) / 3.0;
                    let pairs: f64 = (0..3).map(|pair| tables[pair][steps[pair] as usize]).sum();
                    let mass = edge * (prior + pairs + log_weight).exp();
                    let found = quantities(steps.map(|k| k as f64 * WIDTH), sigma, nu);
                    weight += mass;
                    sums.iter_mut().zip(found).for_each(|(sum, quantity)| *sum += mass * quantity);
                }
            }
        }
    }
    sums.map(|sum| sum / weight)
}

fn check(family: Family, seen: [Observation; 4], nu: Nu) {
    let terms = terms(seen);
    let nus = match nu {
        Nu::Fixed(nu) => vec![(nu, 0.0)],
        // Gamma(2, 0.1) in the coordinate log nu.
        Nu::Learned => {
            (-12..=26).map(|k| (f64::from(k) * 0.2).exp()).map(|nu| (nu, 2.0 * nu.ln() - 0.1 * nu)).collect()
        }
    };
    let exact = exact(family, &terms, &nus);
    let noise = NoisePrior::InverseGamma { shape: SHAPE, rate: RATE, floor: 0.0 };
    let priors = Priors { scales: ScalePrior::Fixed { variances: vec![1.0] }, noise };
    let arranged = Terms::new(3, &terms, family, Quantity::Distance, KnownErrors::Add);
    let likelihood = TermLikelihood::of_distances(arranged, 1, nu);
    let posterior = Posterior::new(Arc::new(likelihood), priors.clone());
    let chain = |chain: usize| -> Vec<[f64; 6]> {
        let mut rng = stream(5, chain, Purpose::Sampling);
        let start = priors.draw(3, 1, &mut rng);
        let own = if nu == Nu::Learned && family.has_nu() { vec![1.5] } else { Vec::new() };
        let mut start = Parameters { own, ..start };
        start.x.as_mut_slice().sort_by(f64::total_cmp);
        let mut chain = Chain::start(&posterior, &settings(Sampler::Nuts, 600), start, rng, Workspace::serial());
        while chain.is_warming_up() {
            chain.step();
        }
        let mut draw = || {
            for _ in 0..2 {
                chain.step();
            }
            while !is_compared(family, chain.x()[0] - chain.x()[1], chain.x()[1] - chain.x()[2]) {
                chain.step();
            }
            let distances = [(0, 1), (1, 2), (0, 2)].map(|(a, b)| distance(chain.x(), 3, a, b));
            let drawn_nu = match nu {
                Nu::Fixed(nu) => nu,
                Nu::Learned => chain.own().last().map_or(1.0, |log| log.exp()),
            };
            quantities(distances, chain.sigma(), drawn_nu)
        };
        (0..N_DRAWS).map(|_| draw()).collect()
    };
    let chains: Vec<Vec<[f64; 6]>> = (0..N_CHAINS).map(chain).collect();
    for (quantity, expected) in exact.into_iter().enumerate().take(if nu == Nu::Learned { 6 } else { 5 }) {
        let draws: Vec<Vec<f64>> = chains.iter().map(|c| c.iter().map(|drawn| drawn[quantity]).collect()).collect();
        let pooled = draws.concat();
        let mean = pooled.iter().sum::<f64>() / pooled.len() as f64;
        let chains = Chains::new(&draws).unwrap();
        let (z, ess) = ((mean - expected) / mcse_mean(&chains), ess_bulk(&chains));
        eprintln!("{family} quantity {quantity}: {mean:.4} grid {expected:.4} z {z:.2} ess {ess:.0}");
        assert!(z.abs() < LIMIT && ess > LEAST_ESS, "{family}, quantity {quantity}: {mean} and {expected} (z {z:.1})");
    }
}

#[test]
fn three_objects_with_numbers_of_every_family() {
    Family::ALL.into_iter().for_each(|family| check(family, NUMBERS, Nu::Fixed(4.0)));
}

#[test]
fn three_objects_with_limits_of_every_family() {
    Family::ALL.into_iter().for_each(|family| check(family, LIMITS, Nu::Fixed(4.0)));
}

#[test]
fn three_objects_with_unknown_degrees_of_freedom() {
    check(Family::StudentT, NUMBERS, Nu::Learned);
}
