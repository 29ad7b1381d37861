//! Simulation-based calibration (Talts et al. 2018): ranks of true values among their draws are uniform, for every family of
//! noise, for limits, and for titres with drifting viruses and sera.

use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{StandardNormal, StudentT};
use rayon::prelude::*;
use sbmds::likelihood::LogLikelihood;
use sbmds::measurement::{
    Family, KnownErrors, LevelGroup, LevelPrior, Nu, Observation, Quantity, Support, Term, TermLikelihood, Terms,
};
use sbmds::posterior::{
    DriftHyper, DriftPrior, LocationPrior, NoisePrior, NormalPrior, Parameters, Posterior, Priors, ScalePrior,
    Variance, Workspace,
};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Chain, Sampler};

use crate::kit::{distance, settings};

/// Data sets for each model.
const N_SETS: usize = 160;
/// Draws among which a true value has its rank, every [`THIN`]-th iteration.
const N_RANKED: usize = 63;
const THIN: usize = 6;
const N_BINS: usize = 8;
/// Chi-square of 7 degrees of freedom, once in 10,000: a test has some five quantities.
const LIMIT: f64 = 30.0;

/// What one measurement shows of its value.
type Censor = fn(f64) -> Observation;

fn as_it_is(value: f64) -> Observation {
    Observation::Exact(value)
}

/// A dilution series from 1 to 3 in steps of a half.
fn on_a_grid(value: f64) -> Observation {
    match value {
        _ if value < 1.0 => Observation::Below(1.0),
        _ if value > 3.0 => Observation::Above(3.0),
        _ => {
            let lower = 1.0 + ((value - 1.0) / 0.5).floor() * 0.5;
            Observation::Within(lower, lower + 0.5)
        }
    }
}

/// A measurement of the family around m.
fn draw(family: Family, m: f64, sigma: f64, nu: f64, rng: &mut ChaCha8Rng) -> f64 {
    loop {
        let normal: f64 = rng.sample(StandardNormal);
        let value = match family {
            Family::Normal | Family::TruncatedNormal => m + sigma * normal,
            Family::StudentT | Family::TruncatedStudentT => m + sigma * rng.sample(StudentT::new(nu).unwrap()),
            Family::LogNormal => m * (sigma * normal).exp(),
        };
        if family.support() == Support::Line || value > 0.0 {
            return value;
        }
    }
}

fn priors(n_dims: usize) -> Priors {
    Priors {
        scales: ScalePrior::Fixed { variances: vec![1.0; n_dims] },
        noise: NoisePrior::InverseGamma { shape: 4.0, rate: 1.0, floor: 0.0 },
    }
}

/// Ranks of the true values of all quantities among the draws.
fn ranks(
    posterior: &Posterior,
    truth: &Parameters,
    quantities: &dyn Fn(&Parameters) -> Vec<f64>,
    rng: ChaCha8Rng,
) -> Vec<usize> {
    let known = quantities(truth);
    let mut chain = Chain::start(posterior, &settings(Sampler::Nuts, 400), truth.clone(), rng, Workspace::serial());
    while chain.is_warming_up() {
        chain.step();
    }
    let mut ranks = vec![0; known.len()];
    for _ in 0..N_RANKED {
        for _ in 0..THIN {
            chain.step();
        }
        let drawn = Parameters {
            x: chain.x().to_vec(),
            variance: Variance::of_sigma(chain.sigma()),
            spread: chain.spread().clone(),
            own: chain.own().to_vec(),
        };
        for (rank, (drawn, known)) in ranks.iter_mut().zip(quantities(&drawn).iter().zip(&known)) {
            *rank += usize::from(drawn < known);
        }
    }
    ranks
}

/// Chi-square of the ranks of every quantity against uniform ones.
fn check(name: &str, one: impl Fn(usize) -> Vec<usize> + Sync + Send) {
    let all: Vec<Vec<usize>> = (0..N_SETS).into_par_iter().map(one).collect();
    for quantity in 0..all[0].len() {
        let mut bins = [0.0; N_BINS];
        all.iter().for_each(|ranks| bins[ranks[quantity] * N_BINS / (N_RANKED + 1)] += 1.0);
        let expected = N_SETS as f64 / N_BINS as f64;
        let chi_square: f64 = bins.iter().map(|count| (count - expected).powi(2) / expected).sum();
        eprintln!("{name} quantity {quantity}: chi-square {chi_square:.1} {bins:?}");
        assert!(chi_square < LIMIT, "{name}, quantity {quantity}: ranks {bins:?}");
    }
}

/// Five objects on a line or in the plane, with one repeat and one weight.
fn family_is_calibrated(family: Family, censor: Censor) {
    let (n, n_dims) = (5, 2);
    check(&family.to_string(), |set| {
        let mut rng = stream(31 + set as u64, 0, Purpose::Simulation);
        let priors = priors(n_dims);
        let locations = NormalPrior::new(n, n_dims, priors.scales.clone());
        let (x, spread) = locations.draw(&mut rng);
        let variance = priors.noise.draw(&mut rng);
        // nu ~ Gamma(2, 0.1)
        let nu = 10.0 * -(rng.random::<f64>() * rng.random::<f64>()).ln();
        let own = if family.has_nu() { vec![nu.ln()] } else { Vec::new() };
        let truth = Parameters { x, variance, spread, own };
        let mut terms = Vec::new();
        for (a, b) in (0..n).flat_map(|b| (0..b).map(move |a| (a, b))) {
            for _ in 0..if a == 0 { 2 } else { 1 } {
                let value = draw(family, distance(&truth.x, n, a, b), truth.sigma(), nu, &mut rng);
                terms.push(Term::new(a, b, censor(value)));
            }
        }
        let terms = Terms::new(n, &terms, family, Quantity::Distance, KnownErrors::Add);
        let likelihood: Arc<dyn LogLikelihood> = Arc::new(TermLikelihood::of_distances(terms, n_dims, Nu::Learned));
        let posterior = Posterior::new(likelihood, priors);
        let quantities = |at: &Parameters| {
            let pair = |a, b| distance(&at.x, n, a, b);
            let mut quantities = vec![at.sigma(), pair(0, 1), pair(2, 4)];
            quantities.extend(&at.own);
            quantities
        };
        ranks(&posterior, &truth, &quantities, rng)
    });
}

#[test]
fn student_t_is_calibrated() {
    family_is_calibrated(Family::StudentT, as_it_is);
}

#[test]
fn truncated_student_t_is_calibrated() {
    family_is_calibrated(Family::TruncatedStudentT, as_it_is);
}

#[test]
fn log_normal_is_calibrated() {
    family_is_calibrated(Family::LogNormal, as_it_is);
}

#[test]
fn limits_are_calibrated() {
    family_is_calibrated(Family::TruncatedNormal, on_a_grid);
    family_is_calibrated(Family::Normal, on_a_grid);
    family_is_calibrated(Family::LogNormal, on_a_grid);
}

/// A half-normal number with this scale.
fn half_normal(scale: f64, rng: &mut ChaCha8Rng) -> f64 {
    (scale * rng.sample::<f64, _>(StandardNormal)).abs()
}

/// Titres of four viruses against three sera, all levels unknown, read as intervals with limits.
#[test]
fn titres_with_levels_and_drift_are_calibrated() {
    let (n_viruses, n_sera, n_dims) = (4, 3, 2);
    let n = n_viruses + n_sera;
    let times: Vec<f64> = (0..n).map(|k| [0.0, 1.0, 2.5, 4.0, 0.5, 2.0, 3.5][k]).collect();
    check("titres", |set| {
        let mut rng = stream(977 + set as u64, 0, Purpose::Simulation);
        let hyper = DriftHyper { shape: 4.0, rate: 3.0, drift: Some(0.5) };
        let kinds = ((0..n_viruses).collect(), (n_viruses..n).collect());
        let locations = DriftPrior::new(n_dims, kinds, times.clone(), None, hyper);
        let (x, spread) = locations.draw(&mut rng);
        let priors = priors(n_dims);
        let variance = priors.noise.draw(&mut rng);
        let mut normal = |mean: f64, sd: f64| mean + sd * rng.sample::<f64, _>(StandardNormal);
        let avidities: Vec<f64> = (0..n_viruses).map(|_| normal(6.0, 1.0)).collect();
        let mean = normal(6.0, 0.5);
        let sd = half_normal(2.0, &mut rng);
        let potencies: Vec<f64> = (0..n_sera).map(|_| mean + sd * rng.sample::<f64, _>(StandardNormal)).collect();
        let own = [avidities.clone(), potencies.clone(), vec![mean, sd.ln()]].concat();
        let truth = Parameters { x, variance, spread, own };
        let mut terms = Vec::new();
        for (virus, serum) in (0..n_viruses).flat_map(|v| (0..n_sera).map(move |s| (v, s))) {
            let d = distance(&truth.x, n, virus, n_viruses + serum);
            let mu = 0.5 * (avidities[virus] + potencies[serum]) - d;
            let value = draw(Family::Normal, mu, truth.sigma(), 1.0, &mut rng);
            let seen = match value {
                _ if value < 3.0 => Observation::Below(3.0),
                _ if value > 9.0 => Observation::Above(9.0),
                _ => Observation::Within(value.floor(), value.floor() + 1.0),
            };
            terms.push(Term::new(virus, n_viruses + serum, seen));
        }
        let terms = Terms::new(n, &terms, Family::Normal, Quantity::Level, KnownErrors::Add);
        let group = |name, levels: &[f64], prior| LevelGroup {
            name,
            objects: (0..levels.len()).map(|k| k.to_string()).collect(),
            prior,
            start: levels.to_vec(),
        };
        let groups = vec![
            group("avidity", &avidities, LevelPrior::Normal { mean: 6.0, sd: 1.0 }),
            group("potency", &potencies, LevelPrior::Hierarchical { mean: 6.0, learn_mean: true }),
        ];
        let level = |k: usize| if k < n_viruses { (0, k, 0.5) } else { (1, k - n_viruses, 0.5) };
        let level_of = (0..n).map(|k| Some(level(k))).collect();
        let likelihood = TermLikelihood::of_titres(terms, n_dims, Nu::Fixed(1.0), groups, level_of);
        let posterior = Posterior::new(Arc::new(likelihood), priors).with_locations(Arc::new(locations));
        let quantities = |at: &Parameters| {
            let (own, spread) = (&at.own, at.spread.as_slice());
            let pair = |a, b| distance(&at.x, n, a, b);
            vec![at.sigma(), pair(0, 5), pair(1, 2), own[0], own[4], own[7], own[8], spread[0], spread[1], spread[2]]
        };
        ranks(&posterior, &truth, &quantities, rng)
    });
}
