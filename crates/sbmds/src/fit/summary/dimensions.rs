//! How many dimensions a fit with shrinkage uses: a posterior that no rotation changes.

use serde::{Deserialize, Serialize};

use super::Interval;
use super::lines::digits;
use crate::Locations;
use crate::draws::DrawReader;
use crate::embedding::principal_axes;
use crate::error::RunError;

/// Variances of the map along its principal axes, in the store.
pub(crate) const AXIS_VARIANCE: &str = "axis_variance";
/// How many of them exceed what noise alone would make, in the store.
pub(crate) const N_DIMS_USED: &str = "n_dims_used";

/// How many dimensions are used, and how wide the map is along each axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DimensionsUsed {
    /// Posterior probability of 0, 1, 2, ... dimensions.
    pub probabilities: Vec<f64>,
    /// The most probable number.
    pub mode: usize,
    /// Standard deviation of the map along each of its principal axes, the widest first.
    pub axis_sd: Vec<Interval>,
    /// The standard deviation along an axis that noise alone would make: sqrt(2 sigma d / sqrt(m)) with the root mean square d of the dissimilarities and m
    /// partners per object (docs/judging.md).
    pub noise_sd: f64,
}

/// Variances of a map along its principal axes, the largest first.
pub(crate) fn axis_variances(map: &Locations) -> Vec<f64> {
    let turned = principal_axes(map).apply(map);
    let variance = |dim: usize| {
        let x = turned.dim(dim);
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64
    };
    let mut variances: Vec<f64> = (0..map.n_dims()).map(variance).collect();
    variances.sort_by(|a, b| b.total_cmp(a));
    variances
}

/// The largest variance that an axis gets from noise alone, for sigma = 1. Noise of sigma in a distance d is 2 d sigma in its square, and d sigma in the
/// products that classical scaling makes of squares; of N objects, m pairs of each known, these have eigenvalues up to 2 d sigma N / sqrt(m) (Wigner), N
/// times the variance along an axis.
pub(crate) fn noise_edge(rms: f64, n_objects: usize, n_pairs: usize) -> f64 {
    2.0 * rms / (2.0 * n_pairs as f64 / n_objects as f64).sqrt()
}

impl DimensionsUsed {
    /// Of the draws of `chains`; `edge` is [`noise_edge`] in input units.
    pub(crate) fn of(reader: &DrawReader, chains: &[usize], edge: f64, sigma: f64) -> Result<Self, RunError> {
        let n_dims = reader.n_dims();
        let (mut variances, mut used) = (Vec::new(), Vec::new());
        for &chain in chains {
            variances.extend(reader.scalar(AXIS_VARIANCE, chain)?);
            used.extend(reader.scalar(N_DIMS_USED, chain)?);
        }
        let axis = |dim: usize| variances.iter().skip(dim).step_by(n_dims).map(|v| v.sqrt()).collect();
        let share = |k: usize| used.iter().filter(|&&n| n as usize == k).count() as f64 / used.len() as f64;
        let probabilities: Vec<f64> = (0..=n_dims).map(share).collect();
        let mode = (0..=n_dims).max_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b])).unwrap_or(0);
        let axis_sd = (0..n_dims).map(|dim| Interval::of_draws(axis(dim))).collect();
        Ok(Self { probabilities, mode, axis_sd, noise_sd: (edge * sigma).sqrt() })
    }

    /// In one line.
    pub fn sentence(&self) -> String {
        let mut known: Vec<(usize, f64)> = self.probabilities.iter().copied().enumerate().collect();
        known.retain(|(_, share)| *share >= 0.005);
        known.sort_by(|a, b| b.1.total_cmp(&a.1));
        let shares: Vec<String> = known.iter().map(|(k, share)| format!("{k} ({:.0}%)", 100.0 * share)).collect();
        let sds: Vec<String> = self.axis_sd.iter().map(|axis| axis.mean.map_or("-".into(), digits)).collect();
        format!("{}; sd along axes {}, by noise alone {}", shares.join(", "), sds.join(", "), digits(self.noise_sd))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variances_are_those_of_the_axes_however_the_map_lies() {
        let flat = |angle: f64| {
            Locations::from_fn(4, 2, |object, dim| {
                let (along, across) = ([3.0, -3.0, 1.0, -1.0][object], [0.1, 0.1, -0.1, -0.1][object]);
                let (sin, cos) = angle.sin_cos();
                [cos * along - sin * across + 7.0, sin * along + cos * across - 2.0][dim]
            })
        };
        for angle in [0.0, 0.7, 2.0] {
            let variances = axis_variances(&flat(angle));
            assert!((variances[0] - 5.0).abs() < 1e-9 && (variances[1] - 0.01).abs() < 1e-9, "{variances:?}");
        }
    }

    /// 2,000 objects without any dimension: the largest eigenvalue of a symmetric matrix of noise, found by hand as 2 sd sqrt(N).
    #[test]
    fn the_edge_is_wigners() {
        let (n_objects, rms, sigma) = (2_000, 3.0, 0.1);
        let edge = noise_edge(rms, n_objects, n_objects * (n_objects - 1) / 2) * sigma;
        let largest = 2.0 * rms * sigma * (n_objects as f64).sqrt();
        assert!((edge * n_objects as f64 / largest - 1.0).abs() < 1e-3);
    }
}
