//! Gaussian kernel densities of draws: for pictures of them and for distances between them.

use super::{quantile_of_sorted, sorted};

/// At most `most` of the draws, evenly spaced: more change nothing in a density that can be seen.
pub fn thinned(draws: &[f64], most: usize) -> impl Iterator<Item = f64> {
    draws.iter().copied().step_by(draws.len().div_ceil(most).max(1))
}

/// Silverman's (1986) rule: 0.9 min(sd, IQR / 1.34) n^(-1/5).
pub fn bandwidth(draws: &[f64]) -> f64 {
    let n = draws.len() as f64;
    let mean = draws.iter().sum::<f64>() / n;
    let sd = (draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / n).sqrt();
    let sorted = sorted(draws.to_vec());
    let quartiles = quantile_of_sorted(&sorted, 0.75) - quantile_of_sorted(&sorted, 0.25);
    let spread = if quartiles > 0.0 { sd.min(quartiles / 1.34) } else { sd };
    // A constant has no density; a narrow peak says so.
    let spread = if spread > 0.0 { spread } else { 1e-3 * mean.abs().max(1e-3) };
    0.9 * spread * n.powf(-0.2)
}

/// The density at evenly spaced points of a range, ends included.
pub fn density(draws: &[f64], bandwidth: f64, range: (f64, f64), n_points: usize) -> Vec<(f64, f64)> {
    let norm = 1.0 / (draws.len().max(1) as f64 * bandwidth * std::f64::consts::TAU.sqrt());
    let at = |x: f64| draws.iter().map(|draw| (-0.5 * ((x - draw) / bandwidth).powi(2)).exp()).sum::<f64>() * norm;
    let point = |k: usize| range.0 + (range.1 - range.0) * k as f64 / (n_points - 1) as f64;
    (0..n_points).map(|k| (point(k), at(point(k)))).collect()
}

/// The mass of each of `n_cells` points from `low` on, `step` apart: draws are shared out to the two points beside them
/// (linear binning) and then spread by the kernel. As exact as [`density`] if the step is a small part of the bandwidth,
/// and as fast for many draws as for few.
pub(crate) fn binned_mass(draws: &[f64], bandwidth: f64, low: f64, step: f64, n_cells: usize) -> Vec<f64> {
    let mut counts = vec![0.0; n_cells + 1];
    for draw in draws {
        let point = ((draw - low) / step).clamp(0.0, (n_cells - 1) as f64);
        let share = point.fract();
        counts[point as usize] += 1.0 - share;
        counts[point as usize + 1] += share;
    }
    // Beyond five bandwidths lies less than a millionth of a kernel.
    let reach = (5.0 * bandwidth / step).ceil() as usize;
    let kernel: Vec<f64> = (0..=reach).map(|k| (-0.5 * (k as f64 * step / bandwidth).powi(2)).exp()).collect();
    let total = draws.len() as f64 * (kernel[0] + 2.0 * kernel[1..].iter().sum::<f64>());
    let mut mass = vec![0.0; n_cells];
    for (cell, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
        let weight = count / total;
        for point in cell.saturating_sub(reach)..(cell + reach + 1).min(n_cells) {
            mass[point] += weight * kernel[point.abs_diff(cell)];
        }
    }
    mass
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 500 draws, even on (6, 8).
    fn draws() -> Vec<f64> {
        (0..500).map(|k| ((f64::from(k) * 0.618).fract() - 0.5) * 2.0 + 7.0).collect()
    }

    #[test]
    fn a_density_has_mass_one_and_lies_where_its_draws_do() {
        let draws = draws();
        let width = bandwidth(&draws);
        let curve = density(&draws, width, (4.0, 10.0), 256);
        let step = 6.0 / 255.0;
        let mass: f64 = curve.iter().map(|point| point.1 * step).sum();
        let mean: f64 = curve.iter().map(|point| point.0 * point.1 * step).sum();
        assert!((mass - 1.0).abs() < 1e-3 && (mean - 7.0).abs() < 0.01, "{mass} {mean}");
        assert!(bandwidth(&[2.0; 10]) > 0.0);
    }

    #[test]
    fn binned_masses_are_those_of_the_density() {
        let draws = draws();
        let width = bandwidth(&draws);
        let step = width / 8.0;
        let n_cells = (6.0 / step).ceil() as usize;
        let binned = binned_mass(&draws, width, 4.0, step, n_cells);
        let exact = density(&draws, width, (4.0, 4.0 + step * (n_cells - 1) as f64), n_cells);
        assert!((binned.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let highest = exact.iter().map(|point| point.1).fold(0.0, f64::max);
        assert!(binned.iter().zip(&exact).all(|(mass, point)| (mass / step - point.1).abs() < 5e-3 * highest));
    }
}
