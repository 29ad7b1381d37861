//! The Hellinger distance between two posteriors of one quantity, from their draws.

use super::kernel_density::{bandwidth, binned_mass};

/// Points per bandwidth of the narrower density: the grid's error is far below that of the draws.
const PER_BANDWIDTH: f64 = 8.0;
/// Points at most, for densities that lie far apart in units of their widths.
const MOST_POINTS: usize = 1 << 16;
/// Bandwidths by which the grid reaches beyond the draws.
const MARGIN: f64 = 5.0;

/// The Hellinger distance between the distributions of two samples: 0 for the same, 1 for disjoint ones.
///
/// H = sqrt(1 - ∫ sqrt(p q)), where p and q are Gaussian kernel density estimates of the samples, each with
/// Silverman's bandwidth 0.9 min(sd, IQR / 1.34) n^(-1/5), and the integral is a sum over one fine grid for both. Values
/// that are not finite are left out; NaN if nothing is left of a sample.
///
/// Two samples of n independent draws of the same distribution are not 0 apart but about sqrt(0.5 / n^(4/5)): 0.04 for
/// n = 1,000. Distances of that size say that the samples cannot be told apart.
///
/// ```
/// let (a, b): (Vec<f64>, Vec<f64>) = (0..1000).map(|k| (f64::from(k % 100), f64::from(k % 100) + 500.0)).unzip();
/// assert!(sbmds::diagnostics::hellinger(&a, &a) < 1e-6);
/// assert!(sbmds::diagnostics::hellinger(&a, &b) > 0.999_999);
/// ```
pub fn hellinger(a: &[f64], b: &[f64]) -> f64 {
    let finite = |draws: &[f64]| draws.iter().copied().filter(|draw| draw.is_finite()).collect::<Vec<f64>>();
    let (a, b) = (finite(a), finite(b));
    if a.is_empty() || b.is_empty() {
        return f64::NAN;
    }
    let (width_a, width_b) = (bandwidth(&a), bandwidth(&b));
    let ends = a.iter().chain(&b).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
    let margin = MARGIN * width_a.max(width_b);
    let (low, high) = (ends.0 - margin, ends.1 + margin);
    let wanted = ((high - low) * PER_BANDWIDTH / width_a.min(width_b)).ceil();
    let n_cells = if wanted < MOST_POINTS as f64 { wanted as usize } else { MOST_POINTS };
    let step = (high - low) / (n_cells - 1) as f64;
    let p = binned_mass(&a, width_a.max(step), low, step, n_cells);
    let q = binned_mass(&b, width_b.max(step), low, step, n_cells);
    // 1 - ∫ sqrt(p q) = ∫ (sqrt p - sqrt q)^2 / 2, which is exact for densities that are nearly the same.
    let squares: f64 = p.iter().zip(&q).map(|(p, q)| (p.sqrt() - q.sqrt()).powi(2)).sum();
    (0.5 * squares).sqrt().min(1.0)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, Normal};

    use super::*;

    fn normal(mean: f64, sd: f64, n_draws: usize, seed: u64) -> Vec<f64> {
        let normal = Normal::new(mean, sd).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..n_draws).map(|_| normal.sample(&mut rng)).collect()
    }

    /// H^2 = 1 - sqrt(2 s t / (s^2 + t^2)) exp(-(m - n)^2 / (4 (s^2 + t^2))) for N(m, s^2) and N(n, t^2).
    fn closed_form((m, s): (f64, f64), (n, t): (f64, f64)) -> f64 {
        let squares = s * s + t * t;
        (1.0 - (2.0 * s * t / squares).sqrt() * (-(m - n).powi(2) / (4.0 * squares)).exp()).sqrt()
    }

    #[test]
    fn normals_are_as_far_apart_as_the_closed_form_says() {
        for (seed, (mean, sd)) in [(0.5, 1.0), (1.0, 1.0), (3.0, 1.0), (0.0, 2.0), (1.0, 4.0)].into_iter().enumerate() {
            let (a, b) = (normal(0.0, 1.0, 20_000, 2 * seed as u64), normal(mean, sd, 20_000, 2 * seed as u64 + 1));
            let (found, expected) = (hellinger(&a, &b), closed_form((0.0, 1.0), (mean, sd)));
            // The kernel widens both densities by 1 + h^2 / 2, h = 0.9 * 20,000^(-1/5) = 0.12: at most 1% of H here; the
            // draws add about as much.
            assert!((found - expected).abs() < 0.01, "N({mean}, {sd}^2): {found}, not {expected}");
            assert!((hellinger(&b, &a) - found).abs() < 1e-12);
            // Neither the unit nor the origin matters.
            let moved = |draws: &[f64]| draws.iter().map(|x| 1e4 * x - 7e4).collect::<Vec<f64>>();
            assert!((hellinger(&moved(&a), &moved(&b)) - found).abs() < 1e-3);
        }
    }

    #[test]
    fn the_same_sample_is_at_zero_and_disjoint_ones_at_one() {
        let a = normal(3.0, 0.2, 500, 1);
        assert!(hellinger(&a, &a) < 1e-6);
        assert!(hellinger(&a, &normal(30.0, 0.2, 500, 2)) > 1.0 - 1e-6);
        assert!(hellinger(&a, &[1e6; 5]) > 1.0 - 1e-6);
        assert!(hellinger(&[2.0; 9], &[2.0; 9]) < 1e-6);
        assert!(hellinger(&[], &a).is_nan() && hellinger(&a, &[f64::NAN]).is_nan());
    }

    #[test]
    fn samples_of_one_distribution_are_as_far_apart_as_documented() {
        let distances: Vec<f64> =
            (0..20).map(|k| hellinger(&normal(0.0, 1.0, 1_000, 100 + k), &normal(0.0, 1.0, 1_000, 200 + k))).collect();
        let mean = distances.iter().sum::<f64>() / 20.0;
        assert!((0.03..0.06).contains(&mean), "{mean}");
    }
}
