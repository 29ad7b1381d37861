//! Pareto smoothed importance sampling of one observation (Vehtari, Simpson, Gelman, Yao and Gabry 2024, JMLR 25(72)).

use super::log_sum_exp;

/// Fewest draws to which a tail is fitted.
const SHORTEST_TAIL: usize = 5;

/// Normalised log weights of the draws, smoothed, and the shape k of their tail.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothed {
    /// Log weights; their exponentials sum to 1.
    pub log_weights: Vec<f64>,
    /// Shape of the generalised Pareto distribution of the largest weights: above 0.7 the answer is not reliable. Infinite where the tail
    /// is too short to tell.
    pub shape: f64,
}

/// Draws that count as the tail: a fifth, or three times the root of the effective number, whichever is less.
fn tail_length(n_draws: usize, relative_efficiency: f64) -> usize {
    let n = n_draws as f64;
    (0.2 * n).min(3.0 * (n / relative_efficiency).sqrt()).ceil() as usize
}

/// Smooths the largest of some log weights, whose draws count `relative_efficiency` times as much as independent ones.
pub fn smooth(mut log_weights: Vec<f64>, relative_efficiency: f64) -> Smoothed {
    let n_draws = log_weights.len();
    let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    log_weights.iter_mut().for_each(|weight| *weight -= largest);
    let mut order: Vec<usize> = (0..n_draws).collect();
    order.sort_by(|&a, &b| log_weights[a].total_cmp(&log_weights[b]));
    let mut shape = f64::INFINITY;
    if let Some(first) = n_draws.checked_sub(tail_length(n_draws, relative_efficiency) + 1) {
        // Below the smallest positive number a weight says nothing.
        let cutoff = log_weights[order[first]].max(f64::MIN_POSITIVE.ln());
        let tail = &order[order.partition_point(|&draw| log_weights[draw] <= cutoff)..];
        if tail.len() >= SHORTEST_TAIL {
            shape = smooth_tail(&mut log_weights, tail, cutoff);
        }
    }
    let total = log_sum_exp(&log_weights);
    log_weights.iter_mut().for_each(|weight| *weight -= total);
    Smoothed { log_weights, shape }
}

/// Replaces the weights of the `tail`, smallest first, by expected order statistics of the distribution fitted to them.
fn smooth_tail(log_weights: &mut [f64], tail: &[usize], cutoff: f64) -> f64 {
    let base = cutoff.exp();
    let excess: Vec<f64> = tail.iter().map(|&draw| log_weights[draw].exp() - base).collect();
    let (shape, scale) = fit_pareto(&excess);
    if shape.is_finite() && scale > 0.0 {
        for (rank, &draw) in tail.iter().enumerate() {
            let probability = (rank as f64 + 0.5) / tail.len() as f64;
            // No weight may exceed the largest there was.
            log_weights[draw] = (base + pareto_quantile(probability, shape, scale)).ln().min(0.0);
        }
    }
    shape
}

/// The quantile of a generalised Pareto distribution.
fn pareto_quantile(probability: f64, shape: f64, scale: f64) -> f64 {
    let log_tail = -(-probability).ln_1p();
    let standard = if shape.abs() < f64::EPSILON { log_tail } else { (shape * log_tail).exp_m1() / shape };
    scale * standard
}

/// Shape and scale of a generalised Pareto distribution from sorted values (Zhang and Stephens 2009, Technometrics 51), the shape
/// drawn towards 1/2 as if by ten further values (Vehtari et al. 2024, appendix G).
fn fit_pareto(sorted: &[f64]) -> (f64, f64) {
    const PRIOR_VALUES: f64 = 10.0;
    let n = sorted.len() as f64;
    let largest = sorted[sorted.len() - 1];
    let quartile = sorted[((n / 4.0 + 0.5) as usize).max(1) - 1];
    let n_points = 30 + n.sqrt() as usize;
    let point = |k: usize| {
        let root = (n_points as f64 / (k as f64 + 0.5)).sqrt();
        1.0 / largest + (1.0 - root) / (3.0 * quartile)
    };
    let points: Vec<f64> = (0..n_points).map(point).collect();
    let shape_at = |theta: f64| sorted.iter().map(|x| (-theta * x).ln_1p()).sum::<f64>() / n;
    let log_profile: Vec<f64> = points
        .iter()
        .map(|&theta| {
            let shape = shape_at(theta);
            n * ((-theta / shape).ln() - shape - 1.0)
        })
        .collect();
    let total = log_sum_exp(&log_profile);
    let weights: Vec<f64> = log_profile.iter().map(|log| (log - total).exp()).collect();
    let kept = || weights.iter().zip(&points).filter(|(weight, _)| **weight >= 10.0 * f64::EPSILON);
    let theta =
        kept().map(|(weight, theta)| weight * theta).sum::<f64>() / kept().map(|(weight, _)| weight).sum::<f64>();
    let shape = shape_at(theta);
    let scale = -shape / theta;
    ((n * shape + PRIOR_VALUES * 0.5) / (n + PRIOR_VALUES), scale)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn the_shape_of_a_pareto_sample_is_found() {
        let mut rng = stream(11, 0, Purpose::Simulation);
        for shape in [0.2, 0.5, 0.9] {
            let mut sample: Vec<f64> = (0..4_000).map(|_| pareto_quantile(rng.random(), shape, 2.0)).collect();
            sample.sort_by(f64::total_cmp);
            let (found, scale) = fit_pareto(&sample);
            // A shape has a standard error of (1 + k) / sqrt(n), 0.03 here.
            assert!((found - shape).abs() < 0.09 && (scale - 2.0).abs() < 0.25, "{shape}: {found} {scale}");
        }
    }

    #[test]
    fn weights_sum_to_one_and_equal_ones_stay_equal() {
        let equal = smooth(vec![-3.0; 100], 1.0);
        assert!(equal.log_weights.iter().all(|weight| (weight.exp() - 0.01).abs() < 1e-15));
        assert_eq!(equal.shape, f64::INFINITY);
        let ramp = smooth((0..300).map(|k| 0.02 * f64::from(k)).collect(), 1.0);
        assert!((ramp.log_weights.iter().map(|weight| weight.exp()).sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(smooth(vec![1.0, 2.0], 1.0).shape, f64::INFINITY);
    }
}
