//! The outlines of the clusters of a few draws, each aligned to the map shown: the paper's picture of what is uncertain.

use super::bagging::DrawId;
use super::hull::convex_hull;
use super::saved::SavedClusters;
use crate::Locations;
use crate::run::{FinishedRun, RunError};

/// Draws whose clusters are outlined: as many as in the paper's figure.
const N_OUTLINED: usize = 5;

/// Two axes of a map, from 0; the second is absent on a map of one dimension.
pub(crate) type Axes = (usize, Option<usize>);

/// The outline of a cluster of a draw.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outline {
    /// Which of the outlined draws it is of, from 0.
    pub draw: usize,
    /// The consensus cluster that most of its members are of; -1 if they are all noise there.
    pub cluster: i32,
    /// The corners of its convex hull, for each pair of axes asked for.
    pub corners: Vec<Vec<(f64, f64)>>,
}

/// The outlines of five of the draws that were clustered, evenly spaced, and which draws these are.
///
/// # Errors
/// If the draws cannot be read.
pub(crate) fn outlines(
    run: &FinishedRun,
    saved: &SavedClusters,
    axes: &[Axes],
) -> Result<(Vec<DrawId>, Vec<Outline>), RunError> {
    // Draws of another mode of the map would lie across it.
    let shown = |&draw: &usize| run.shown_chains().contains(&saved.ids[draw].chain);
    let clustered: Vec<usize> = (0..saved.ids.len()).filter(shown).collect();
    let n_outlined = clustered.len().min(N_OUTLINED);
    let chosen = (0..n_outlined).map(|k| clustered[(2 * k + 1) * clustered.len() / (2 * n_outlined)]);
    let mut ids = Vec::new();
    let mut all = Vec::new();
    for (number, draw) in chosen.enumerate() {
        let id = saved.ids[draw];
        let x = run.aligned(id.chain, id.draw)?;
        all.extend(outlines_of(number, &x, saved.labels.draw(draw), &saved.consensus, axes));
        ids.push(id);
    }
    Ok((ids, all))
}

fn outlines_of(draw: usize, x: &Locations, labels: &[i32], consensus: &[i32], axes: &[Axes]) -> Vec<Outline> {
    let n_clusters = labels.iter().map(|&label| (label + 1).max(0) as usize).max().unwrap_or(0);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); n_clusters];
    for (object, &label) in labels.iter().enumerate().filter(|(_, label)| **label >= 0) {
        members[label as usize].push(object);
    }
    let outline = |members: &Vec<usize>| Outline {
        draw,
        cluster: most_frequent(members.iter().map(|&object| consensus[object])),
        corners: axes.iter().map(|&axes| convex_hull(seen(x, members, axes))).collect(),
    };
    members.iter().map(outline).collect()
}

/// Where objects are on two axes.
fn seen(x: &Locations, objects: &[usize], (first, second): Axes) -> Vec<(f64, f64)> {
    let up = |object: usize| second.map_or(0.0, |second| x.get(object, second));
    objects.iter().map(|&object| (x.get(object, first), up(object))).collect()
}

/// The most frequent label that is not noise, the smallest of equals; -1 if there is none.
fn most_frequent(labels: impl Iterator<Item = i32>) -> i32 {
    let mut counts: Vec<usize> = Vec::new();
    for label in labels.filter(|&label| label >= 0) {
        counts.resize(counts.len().max(label as usize + 1), 0);
        counts[label as usize] += 1;
    }
    let most = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count);
    most.map_or(-1, |(label, _)| label as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_outlined_on_all_axes_and_matched_with_the_consensus() {
        // A square with its centre, and a segment; the last object is noise.
        let corners = [[0.0, 0.0, 1.0], [2.0, 0.0, 2.0], [2.0, 2.0, 3.0], [0.0, 2.0, 4.0], [1.0, 1.0, 9.0]];
        let line = [[5.0, 5.0, 0.0], [6.0, 6.0, 0.0], [9.0, 9.0, 9.0]];
        let all = [&corners[..], &line[..]].concat();
        let x = Locations::from_fn(8, 3, |object, dim| all[object][dim]);
        let labels = [1, 1, 1, 1, 1, 0, 0, -1];
        let consensus = [2, 2, 0, 0, -1, -1, -1, 0];
        let outlines = outlines_of(3, &x, &labels, &consensus, &[(0, Some(1)), (2, None)]);
        assert_eq!(outlines.len(), 2);
        assert_eq!((outlines[0].draw, outlines[0].cluster, outlines[1].cluster), (3, -1, 0));
        assert_eq!(outlines[0].corners, [vec![(5.0, 5.0), (6.0, 6.0)], vec![(0.0, 0.0)]]);
        let square = vec![(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)];
        assert_eq!(outlines[1].corners, [square, vec![(1.0, 0.0), (9.0, 0.0)]]);
    }
}
