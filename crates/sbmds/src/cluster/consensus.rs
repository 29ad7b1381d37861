//! One partition that says best what all draws say.

use rayon::prelude::*;

use super::draw_labels::DrawLabels;
use super::linkage;
use super::variation::{Candidate, Entropies};
use crate::dissimilarity::Names;

/// The partition with the smallest expected variation of information found.
#[derive(Clone, Debug, PartialEq)]
pub struct Consensus {
    /// Number of clusters.
    pub n_clusters: usize,
    /// The cluster of each object, from 0 for the largest on; -1 for objects that are with no one.
    pub labels: Vec<i32>,
    /// Mean probability of an object to share a cluster with the other members of its own; of noise, to be noise.
    pub confidence: Vec<f64>,
    /// Expected variation of information between this and a draw, in bits.
    pub expected_variation: f64,
}

/// Partitions of draws looked at: more draws than this are represented by some, evenly spaced.
const MOST_CANDIDATES: usize = 200;
/// Best candidates that are refined.
const N_REFINED: usize = 4;
/// Sweeps over all objects; a handful is the rule.
const MOST_SWEEPS: usize = 50;

/// Searches the partition that minimises the expected variation of information from the draws (Wade and Ghahramani
/// 2018; docs/clustering.md, eq. 11): among the draws' own partitions and, for few objects, the cuts of average linkage;
/// the best of them are refined by moving objects one by one while that helps.
pub fn consensus(draws: &DrawLabels, names: &Names) -> Consensus {
    let entropies = Entropies::new(draws.n_objects());
    let mut candidates = candidates(draws);
    let variations: Vec<f64> = candidates
        .par_iter()
        .map(|labels| Candidate::new(draws, &entropies, labels.clone()).expected_variation())
        .collect();
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| variations[a].total_cmp(&variations[b]));
    let best: Vec<Vec<i32>> =
        order.iter().take(N_REFINED).map(|&index| std::mem::take(&mut candidates[index])).collect();
    let refined: Vec<Vec<i32>> = best.into_par_iter().map(|labels| refine(draws, &entropies, labels)).collect();
    let finished = refined.into_iter().map(|labels| {
        let candidate = Candidate::new(draws, &entropies, numbered(&labels, names));
        (candidate.expected_variation(), candidate)
    });
    let (expected_variation, best) = finished
        .reduce(|best, other| if other.0 < best.0 { other } else { best })
        .unwrap_or_else(|| (0.0, Candidate::new(draws, &entropies, vec![-1; draws.n_objects()])));
    let n_clusters = best.labels.iter().map(|&label| (label + 1) as usize).max().unwrap_or(0);
    Consensus { n_clusters, confidence: best.confidence(), labels: best.labels, expected_variation }
}

/// Different partitions to begin with.
fn candidates(draws: &DrawLabels) -> Vec<Vec<i32>> {
    let n_candidates = draws.n_draws().min(MOST_CANDIDATES);
    let spaced = (0..n_candidates).map(|index| draws.draw(index * draws.n_draws() / n_candidates).to_vec());
    let mut all: Vec<Vec<i32>> = spaced.collect();
    if draws.n_objects() <= linkage::MOST_OBJECTS {
        all.extend(linkage::cuts(draws));
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn refine(draws: &DrawLabels, entropies: &Entropies, labels: Vec<i32>) -> Vec<i32> {
    let mut candidate = Candidate::new(draws, entropies, labels);
    for _ in 0..MOST_SWEEPS {
        if candidate.sweep() == 0 {
            break;
        }
    }
    candidate.labels
}

/// The same clusters, numbered by decreasing size, equal sizes by their first name; who is alone is noise.
fn numbered(labels: &[i32], names: &Names) -> Vec<i32> {
    let n_labels = labels.iter().map(|&label| (label + 1).max(0) as usize).max().unwrap_or(0);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); n_labels];
    for (object, &label) in labels.iter().enumerate().filter(|(_, label)| **label >= 0) {
        members[label as usize].push(object);
    }
    members.retain(|members| members.len() > 1);
    let first_name = |members: &Vec<usize>| members.iter().map(|&object| names.get(object).into_owned()).min();
    members.sort_by_cached_key(|members| (std::cmp::Reverse(members.len()), first_name(members)));
    let mut numbered = vec![-1; labels.len()];
    for (number, members) in (0..).zip(&members) {
        members.iter().for_each(|&object| numbered[object] = number);
    }
    numbered
}
