//! Which chains sit in which mode of the posterior.
//!
//! MDS posteriors fold: an object may settle on the wrong side of its neighbours, and no local sampler brings it
//! back. Chains in different folds mix well by themselves and still never agree, which more draws cannot mend. Slow
//! or drifting chains also differ in their means, but do not mix by themselves; that is the distinction made here.

use rayon::prelude::*;

use super::chains::{Chains, mean, variance};
use super::rank::{quantile_of_sorted, sorted};
use super::rhat::rhat;
use super::verdict::Limits;

/// Shorter chains look well mixed, or far apart, by chance.
const MIN_DRAWS: usize = 20;

/// A single quantity may differ by accident: this many must agree that two chains are apart (half of them when
/// fewer are in doubt).
const AGREEING_QUANTITIES: usize = 3;

/// One quantity on which chains are this many times further apart than asked needs no others to agree.
const OVERWHELMING: f64 = 2.0;

/// Chains in groups that do not overlap, each group well mixed.
#[derive(Debug, PartialEq)]
pub(super) struct Modes {
    /// Chain numbers, group by group, in order of their first chain.
    pub(super) groups: Vec<Vec<usize>>,
    /// Which of the suspects keeps groups furthest apart.
    pub(super) clearest: usize,
}

/// The modes seen in `suspects` (quantities whose chains differ), or `None` when the chains are not settled in any.
pub(super) fn find_modes(suspects: &[Chains], limits: &Limits) -> Option<Modes> {
    let first = suspects.first()?;
    if first.n_draws() < MIN_DRAWS {
        return None;
    }
    let located: Vec<Vec<Located>> = suspects.iter().map(|chains| chains.iter().map(Located::new).collect()).collect();
    let groups = connected_groups(first.n_chains(), |a, b| separation(&located, a, b) < limits.separation);
    if groups.len() < 2 {
        return None;
    }
    let spans: Vec<f64> = located.iter().map(|chains| span(chains, &groups)).collect();
    let separating: Vec<&Chains> =
        suspects.iter().zip(&spans).filter(|(_, span)| **span >= limits.separation).map(|(chains, _)| chains).collect();
    let settled = groups.iter().all(|group| is_well_mixed(group, &separating, limits.disagree_rhat));
    let clearest = (0..spans.len()).max_by(|&a, &b| spans[a].total_cmp(&spans[b]))?;
    settled.then_some(Modes { groups, clearest })
}

/// Where one chain is on one quantity.
struct Located {
    mean: f64,
    variance: f64,
}

impl Located {
    fn new(draws: &[f64]) -> Self {
        Self { mean: mean(draws), variance: variance(draws) }
    }

    /// Difference of means in units of the within-chain standard deviation.
    fn distance(&self, other: &Self) -> f64 {
        let gap = (self.mean - other.mean).abs();
        if gap == 0.0 { 0.0 } else { gap / (0.5 * (self.variance + other.variance)).sqrt() }
    }
}

/// How far apart two chains are: the distance that several quantities reach or exceed, or half of the largest.
///
/// Not the mean over quantities: one folded object changes only the few distances that involve it, and of those only
/// one may be monitored.
fn separation(located: &[Vec<Located>], a: usize, b: usize) -> f64 {
    let distances = sorted(located.iter().map(|chains| chains[a].distance(&chains[b])).collect());
    let several = distances[distances.len() - AGREEING_QUANTITIES.min(distances.len().div_ceil(2))];
    several.max(distances[distances.len() - 1] / OVERWHELMING)
}

/// The largest distance between chains of different groups on one quantity.
fn span(chains: &[Located], groups: &[Vec<usize>]) -> f64 {
    let between = |one: &Vec<usize>, other: &Vec<usize>| {
        let distances = one.iter().flat_map(|&a| other.iter().map(move |&b| chains[a].distance(&chains[b])));
        distances.fold(0.0, f64::max)
    };
    let pairs = groups.iter().enumerate().flat_map(|(i, one)| groups[..i].iter().map(move |other| (one, other)));
    pairs.map(|(one, other)| between(one, other)).fold(0.0, f64::max)
}

/// Chains linked directly or through others.
fn connected_groups(n_chains: usize, linked: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for chain in 0..n_chains {
        let (joined, mut others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(|&member| linked(member, chain)));
        let mut merged: Vec<usize> = joined.concat();
        merged.push(chain);
        merged.sort_unstable();
        others.push(merged);
        groups = others;
    }
    groups.sort();
    groups
}

/// Whether the group's chains, by themselves, agree on most of the quantities that separate it from others.
fn is_well_mixed(group: &[usize], separating: &[&Chains], limit: f64) -> bool {
    let rhats = separating.par_iter().map(|chains| rhat(&chains.select(group)));
    // A chain that never moves has R-hat NaN and is stuck, not settled.
    let known = rhats.map(|value| if value.is_nan() { f64::INFINITY } else { value }).collect();
    quantile_of_sorted(&sorted(known), 0.5) < limit
}
