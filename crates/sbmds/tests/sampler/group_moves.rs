//! Clusters that turn over: shares of modes that trajectories do not reach agree with known masses.

use std::sync::Arc;

use sbmds::measurement::{Family, KnownErrors, Nu, Observation, Quantity, Term, TermLikelihood, Terms};
use sbmds::posterior::{NoisePrior, Posterior, Priors, ScalePrior, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Chain, Sampler, SamplerSettings};

use crate::kit::settings;

const SIGMA: f64 = 0.1;

fn posterior(n: usize, n_dims: usize, terms: &[Term], variance: f64) -> (Posterior, Priors) {
    let terms = Terms::new(n, terms, Family::Normal, Quantity::Distance, KnownErrors::Add);
    let likelihood = TermLikelihood::of_distances(terms, n_dims, Nu::Fixed(1.0));
    let scales = ScalePrior::Fixed { variances: vec![variance; n_dims] };
    let priors = Priors { scales, noise: NoisePrior::Fixed { sigma: SIGMA } };
    (Posterior::new(Arc::new(likelihood), priors.clone()), priors)
}

/// Share of draws in the first mode, its standard error from batches, and how often a chain changes modes.
fn share(
    (posterior, priors): &(Posterior, Priors),
    start: &[f64],
    group_moves: bool,
    is_first: impl Fn(&[f64]) -> bool,
) -> (f64, f64, usize) {
    const N_BATCHES: usize = 40;
    const BATCH: usize = 100;
    let n_dims = posterior.likelihood().n_dims();
    let mut rng = stream(3, 0, Purpose::Sampling);
    let mut at = priors.draw(posterior.likelihood().n_objects(), n_dims, &mut rng);
    at.x.copy_from_slice(start);
    let settings = SamplerSettings { group_moves, mode_jumps: false, ..settings(Sampler::Nuts, 500) };
    let mut chain = Chain::start(posterior, &settings, at, rng, Workspace::serial());
    while chain.is_warming_up() {
        chain.step();
    }
    let mut draws = Vec::with_capacity(N_BATCHES * BATCH);
    for _ in 0..N_BATCHES * BATCH {
        chain.step();
        draws.push(f64::from(u8::from(is_first(chain.x()))));
    }
    let n_changes = draws.windows(2).filter(|two| two[0] != two[1]).count();
    let means: Vec<f64> = draws.chunks(BATCH).map(|batch| batch.iter().sum::<f64>() / BATCH as f64).collect();
    let mean = means.iter().sum::<f64>() / N_BATCHES as f64;
    let variance = means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / (N_BATCHES - 1) as f64;
    (mean, (variance / N_BATCHES as f64).sqrt(), n_changes)
}

/// Objects 2 and 3 are on the side of object 1, or on the other side of object 0: a measurement with a large error favours one.
fn on_a_line() -> Vec<Term> {
    let exact = |a, b, value| Term::new(a, b, Observation::Exact(value));
    let mut terms = vec![exact(0, 1, 0.5), exact(0, 2, 3.0), exact(0, 3, 3.6), exact(2, 3, 0.6), exact(1, 2, 2.8)];
    terms[4].standard_error = 1.0;
    terms
}

/// Mass of the mode on the side of object 1, by a grid over the differences to object 0; x1 > x0 by reflection.
fn mass_on_a_line(terms: &[Term], variance: f64) -> f64 {
    const STEP: f64 = 0.025;
    let log_density = |d: [f64; 4]| {
        let (sum, squares) = (d.iter().sum::<f64>(), d.iter().map(|d| d * d).sum::<f64>());
        let of = |term: &Term| {
            let distance = (d[term.near as usize] - d[term.far as usize]).abs();
            let scale = (SIGMA * SIGMA + term.standard_error.powi(2)).sqrt();
            -0.5 * ((term.seen.representative() - distance) / scale).powi(2) - scale.ln()
        };
        terms.iter().map(of).sum::<f64>() - 0.5 * (squares - 0.25 * sum * sum) / variance
    };
    let grid = |from: f64, to: f64| {
        let n = ((to - from) / STEP).round() as i32;
        (0..=n).map(move |k| from + f64::from(k) * STEP)
    };
    let mut masses = [0.0; 2];
    for (mode, sign) in [1.0, -1.0].into_iter().enumerate() {
        for u in grid(0.0, 1.2) {
            for v in grid(2.2, 3.8) {
                for w in grid(2.8, 4.4) {
                    masses[mode] += log_density([0.0, u, sign * v, sign * w]).exp();
                }
            }
        }
    }
    masses[0] / (masses[0] + masses[1])
}

#[test]
fn shares_of_two_modes_on_a_line_are_those_of_a_grid() {
    let terms = on_a_line();
    let problem = posterior(4, 1, &terms, 4.0);
    let known = mass_on_a_line(&terms, 4.0);
    // Unequal, or the test would not see a wrong acceptance.
    assert!((0.55..0.9).contains(&known), "{known}");
    let is_first = |x: &[f64]| (x[1] - x[0]) * (x[2] - x[0]) > 0.0;
    let start = [0.0, 0.5, 3.0, 3.6];
    let (found, error, n_changes) = share(&problem, &start, true, is_first);
    eprintln!("share {found:.3} +- {error:.3}, grid {known:.3}, {n_changes} changes");
    assert!(n_changes > 100, "{n_changes} changes");
    assert!((found - known).abs() < 4.0 * error, "{found} +- {error} and {known}");
    let (_, _, without) = share(&problem, &start, false, is_first);
    assert!(without < 5, "without group moves there are {without} changes");
}

/// Three anchors on a line, one beside it, and a cluster of three that was measured against the first three alone: it fits on
/// either side of their line, with equal masses under a prior that is wide.
#[test]
fn shares_of_a_cluster_on_either_side_of_a_line_are_equal() {
    let places = [[-2.0, 0.0], [0.0, 0.0], [2.0, 0.0], [0.5, 1.5], [-0.5, 3.0], [0.0, 3.5], [0.6, 3.1]];
    let distance = |a: usize, b: usize| {
        let [dx, dy]: [f64; 2] = std::array::from_fn(|dim| places[a][dim] - places[b][dim]);
        (dx * dx + dy * dy).sqrt()
    };
    let is_measured = |a: usize, b: usize| a != 3 || b < 4;
    let pairs = (0..7).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|&(a, b)| is_measured(a, b));
    let terms: Vec<Term> = pairs.map(|(a, b)| Term::new(a, b, Observation::Exact(distance(a, b)))).collect();
    let problem = posterior(7, 2, &terms, 1e4);
    let start: Vec<f64> = (0..2).flat_map(|dim| places.iter().map(move |place| place[dim])).collect();
    // The sides of the line through the outer anchors.
    let side = |x: &[f64], n: usize| {
        let (dx, dy) = (x[2] - x[0], x[9] - x[7]);
        dx * (x[7 + n] - x[7]) - dy * (x[n] - x[0])
    };
    let is_first = |x: &[f64]| side(x, 3) * side(x, 5) > 0.0;
    let (found, error, n_changes) = share(&problem, &start, true, is_first);
    eprintln!("share {found:.3} +- {error:.3}, {n_changes} changes");
    assert!(n_changes > 100, "{n_changes} changes");
    assert!((found - 0.5).abs() < 4.0 * error, "{found} +- {error}");
    assert!(share(&problem, &start, false, is_first).2 < 5);
}
