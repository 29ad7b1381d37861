//! R-hat: do the chains, and the two halves of each chain, look like draws of one distribution?

use super::chains::{Chains, HalfChains, mean, variance};
use super::rank::Ordered;

/// Rank-normalised split R-hat: the larger of the bulk and the folded one (Vehtari et al. 2021, section 4).
///
/// Close to 1 when the chains agree in location (bulk) and in scale (folded). NaN for fewer than 4 draws per chain,
/// a NaN among the draws, or a quantity that never moves.
pub fn rhat(chains: &Chains) -> f64 {
    if !chains.are_usable() {
        return f64::NAN;
    }
    let ordered = Ordered::new(&chains.split());
    rhat_of_ordered(&ordered, &ordered.normal_scores())
}

/// R-hat when the split chains are already in order and their normal scores known.
pub(super) fn rhat_of_ordered(ordered: &Ordered, scores: &HalfChains) -> f64 {
    let bulk = plain_rhat(scores);
    let folded = plain_rhat(&ordered.folded().normal_scores());
    // A quantity with two symmetric values folds to a constant and has only the bulk R-hat.
    if folded > bulk { folded } else { bulk }
}

/// Gelman and Rubin's ratio of pooled to within-chain standard deviation (Vehtari et al. 2021, equations 1-4).
fn plain_rhat(chains: &HalfChains) -> f64 {
    let n_draws = chains.n_draws as f64;
    let means: Vec<f64> = chains.iter().map(mean).collect();
    let variances: Vec<f64> = chains.iter().map(variance).collect();
    let between = n_draws * variance(&means);
    let within = mean(&variances);
    ((between / within + n_draws - 1.0) / n_draws).sqrt()
}
