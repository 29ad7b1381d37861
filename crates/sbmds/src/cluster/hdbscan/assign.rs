//! From selected clusters to labels, membership strengths and outlier scores.

use super::Clustering;
use super::condensed::CondensedTree;
use super::distinct::Distinct;

/// What each object gets, given the selected cluster of every cluster of the tree.
pub fn assign(points: &Distinct, tree: &CondensedTree, within: &[Option<u32>]) -> Clustering {
    let numbers = numbers(tree, within);
    let deaths_below = deaths_below(tree);
    let n_points = points.len();
    let (mut labels, mut probabilities, mut scores) = (vec![-1; n_points], vec![0.0; n_points], vec![0.0; n_points]);
    for point in 0..n_points {
        let (cluster, level) = (tree.cluster_of[point] as usize, tree.levels[point]);
        scores[point] = outlier_score(level, deaths_below[cluster]);
        if let Some(selected) = within[cluster] {
            labels[point] = numbers[selected as usize];
            probabilities[point] = membership(level, tree.clusters[selected as usize].death);
        }
    }
    let n_clusters = numbers.iter().filter(|&&number| number >= 0).count();
    let objects = || points.point_of.iter().map(|&point| point as usize);
    Clustering {
        n_clusters,
        labels: objects().map(|point| labels[point]).collect(),
        probabilities: objects().map(|point| probabilities[point]).collect(),
        outlier_scores: objects().map(|point| scores[point]).collect(),
    }
}

/// The label of each selected cluster: by decreasing size, equal sizes by the first of their points in order of
/// coordinates. -1 for clusters that are not selected.
fn numbers(tree: &CondensedTree, within: &[Option<u32>]) -> Vec<i32> {
    let mut first_points = vec![usize::MAX; tree.clusters.len()];
    for (point, &cluster) in tree.cluster_of.iter().enumerate().rev() {
        if let Some(selected) = within[cluster as usize] {
            first_points[selected as usize] = point;
        }
    }
    let is_selected = |cluster: &usize| within[*cluster] == Some(*cluster as u32);
    let mut selected: Vec<usize> = (0..tree.clusters.len()).filter(is_selected).collect();
    selected.sort_by_key(|&cluster| (std::cmp::Reverse(tree.clusters[cluster].size), first_points[cluster]));
    let mut numbers = vec![-1; tree.clusters.len()];
    for (number, cluster) in (0..).zip(selected) {
        numbers[cluster] = number;
    }
    numbers
}

/// How deep in its cluster a point lies: the level it falls out at, relative to the cluster's own last level (eq. 7).
fn membership(level: f64, death: f64) -> f64 {
    if level >= death { 1.0 } else { level / death }
}

/// GLOSH (Campello et al. 2015, eq. 8 of docs/clustering.md): how early a point falls out, relative to the last that do
/// from the same cluster or below it.
fn outlier_score(level: f64, death_below: f64) -> f64 {
    if level >= death_below { 0.0 } else { 1.0 - level / death_below }
}

/// The largest level at which anything falls out of a cluster or of those below it.
fn deaths_below(tree: &CondensedTree) -> Vec<f64> {
    let mut deaths: Vec<f64> = tree.clusters.iter().map(|cluster| cluster.death).collect();
    for number in (1..deaths.len()).rev() {
        if let Some(parent) = tree.clusters[number].parent {
            deaths[parent as usize] = deaths[number].max(deaths[parent as usize]);
        }
    }
    deaths
}
