//! Ranks, normal scores and quantiles of pooled draws.

use super::chains::{Chains, HalfChains};
use super::special::normal_quantile;

/// All draws of split chains in increasing order, each with its index in them.
pub(super) struct Ordered {
    draws: Vec<(f64, usize)>,
    n_draws: usize,
}

impl Ordered {
    pub(super) fn new(chains: &HalfChains) -> Self {
        let mut draws: Vec<(f64, usize)> = chains.values.iter().copied().zip(0..).collect();
        draws.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        Self { draws, n_draws: chains.n_draws }
    }

    /// The draws replaced by the normal scores of their pooled ranks (Vehtari et al. 2021, equation 14).
    ///
    /// Equal draws, such as the repeats of a rejected proposal, share the mean of their ranks.
    pub(super) fn normal_scores(&self) -> HalfChains {
        let mut values = vec![0.0; self.draws.len()];
        let mut n_below = 0;
        for ties in self.draws.chunk_by(|a, b| a.0 == b.0) {
            let score = normal_score(n_below, ties.len(), values.len());
            ties.iter().for_each(|&(_, index)| values[index] = score);
            n_below += ties.len();
        }
        HalfChains { values, n_draws: self.n_draws }
    }

    /// The draws' distances from their median: folding lets R-hat see chains that differ in scale only.
    pub(super) fn folded(&self) -> Self {
        // Split chains come in pairs, so there are two draws in the middle.
        let middle = self.draws.len() / 2;
        let median = (self.draws[middle - 1].0 + self.draws[middle].0) / 2.0;
        let (below, above) = self.draws.split_at(middle);
        let distance = |&(draw, index): &(f64, usize)| ((draw - median).abs(), index);
        // Two increasing runs, which a stable sort merges in one pass.
        let mut draws: Vec<(f64, usize)> = below.iter().rev().chain(above).map(distance).collect();
        draws.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { draws, n_draws: self.n_draws }
    }
}

/// Blom's (1958) normal score of `n_ties` equal values with `n_below` smaller ones among `n` in all.
fn normal_score(n_below: usize, n_ties: usize, n: usize) -> f64 {
    let rank = n_below as f64 + (n_ties as f64 + 1.0) / 2.0;
    normal_quantile((rank - 0.375) / (n as f64 + 0.25))
}

/// Bins that show a difference between chains without much noise.
pub const RANK_BINS: usize = 20;

/// How the pooled ranks of each chain spread over `n_bins` equal bins (Vehtari et al. 2021, section 4.1): flat in every
/// chain when all chains draw from one distribution. Equal draws share the mean of their ranks.
pub fn rank_histogram(chains: &Chains, n_bins: usize) -> Vec<Vec<u32>> {
    let mut draws: Vec<(f64, usize)> =
        chains.iter().enumerate().flat_map(|(chain, draws)| draws.iter().map(move |&draw| (draw, chain))).collect();
    draws.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut counts = vec![vec![0; n_bins]; chains.n_chains()];
    let mut n_below = 0;
    for ties in draws.chunk_by(|a, b| a.0 == b.0) {
        let position = (n_below as f64 + ties.len() as f64 / 2.0) / draws.len() as f64;
        let bin = ((position * n_bins as f64) as usize).min(n_bins - 1);
        ties.iter().for_each(|&(_, chain)| counts[chain][bin] += 1);
        n_below += ties.len();
    }
    counts
}

/// The values in increasing order.
pub(crate) fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// The quantile R calls type 7: linear between order statistics (NaN of nothing).
///
/// The order of operations is that of SciPy's `mquantiles`, which ArviZ calls: a last-bit difference would move a
/// draw equal to the quantile to the other side of it.
pub(crate) fn quantile_of_sorted(sorted: &[f64], probability: f64) -> f64 {
    let n = sorted.len();
    match n {
        0 => return f64::NAN,
        1 => return sorted[0],
        _ => {}
    }
    let position = n as f64 * probability + (1.0 - probability);
    let below = position.clamp(1.0, n as f64 - 1.0).floor();
    let weight = (position - below).clamp(0.0, 1.0);
    let k = below as usize;
    (1.0 - weight) * sorted[k - 1] + weight * sorted[k]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_a_score_and_order_is_kept() {
        let scores = Ordered::new(&HalfChains { values: vec![3.0, -1.0, 3.0, 8.0], n_draws: 2 }).normal_scores().values;
        assert_eq!(scores[0], scores[2]);
        assert!(scores[1] < scores[0] && scores[0] < scores[3]);
        // Ranks 1, 2.5, 2.5 and 4 of 4: the middle one is the median.
        assert_eq!(scores[0], 0.0);
    }

    #[test]
    fn rank_histograms_count_every_draw_and_show_chains_apart() {
        let low: Vec<f64> = (0..50).map(f64::from).collect();
        let high: Vec<f64> = (50..100).map(f64::from).collect();
        let counts = rank_histogram(&Chains::new(&[low, high]).unwrap(), 4);
        assert_eq!(counts, [[25, 25, 0, 0], [0, 0, 25, 25]]);
        // A constant has all its draws in the middle.
        assert_eq!(rank_histogram(&Chains::new(&[[7.0; 6]]).unwrap(), 3), [[0, 6, 0]]);
    }

    #[test]
    fn quantiles_are_linear_between_order_statistics() {
        let values = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(quantile_of_sorted(&values, 0.0), 1.0);
        assert_eq!(quantile_of_sorted(&values, 0.5), 3.0);
        assert_eq!(quantile_of_sorted(&values, 1.0), 8.0);
        assert_eq!(quantile_of_sorted(&[7.0], 0.3), 7.0);
        assert!(quantile_of_sorted(&[], 0.3).is_nan());
    }
}
