//! Group moves: whole clusters turn over, which neither trajectories nor jumps of single objects do.
//!
//! Where few measurements tie a cluster to the rest of a map, it fits on either side of it (the clusters HK68, EN72 and VI75 of
//! Smith et al. 2004 do). Clusters are found in the map during warm-up and then kept. A move reflects one of them in a hyperplane
//! that depends on the other objects alone, or on the cluster's centre: the reflection is its own inverse and keeps volumes, so
//! that accepting it with the ratio of posterior densities is exact.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::coupling::Position;
use crate::likelihood::LogLikelihood;
use crate::posterior::{Given, Posterior, Workspace};

/// Clusters that are remembered: those with the widest gaps around them.
const MOST_GROUPS: usize = 32;
/// Moves of clusters, and of single objects, proposed after every iteration.
const TRIES: usize = 3;
const SINGLE_TRIES: usize = 5;

/// Pairs up to which partners of every object are kept beside those of the likelihood.
const MOST_PAIRS: usize = 1_000_000;

/// The clusters that turn.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct GroupMoves {
    groups: Vec<Group>,
    /// Every object alone: under priors that tie objects to each other, where there are no mode jumps, it turns over in this way.
    singles: Vec<Group>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Group {
    members: Vec<u32>,
    /// Objects outside it that were measured against its members, and how often.
    partners: Vec<(u32, f64)>,
}

impl GroupMoves {
    /// Looks for clusters in the present map.
    pub fn search(&mut self, likelihood: &dyn LogLikelihood, x: &[f64]) {
        let n_objects = likelihood.n_objects();
        let mut edges = spanning_tree(x, n_objects);
        edges.sort_by(|a, b| b.2.total_cmp(&a.2));
        let sides = (0..edges.len()).filter_map(|cut| smaller_side(&edges, cut, n_objects));
        self.groups = sides.map(|members| Group::new(members, likelihood)).take(MOST_GROUPS).collect();
        self.groups.retain(|group| !group.partners.is_empty());
        let n_alone = if likelihood.n_pairs() <= MOST_PAIRS { n_objects as u32 } else { 0 };
        let alone = (0..n_alone).map(|object| Group::new(vec![object], likelihood));
        self.singles = alone.filter(|group| group.partners.len() > 1).collect();
    }

    /// Of a cluster of two and an object alone, to be saved.
    #[cfg(test)]
    pub fn filled() -> Self {
        let group = Group { members: vec![1, 2], partners: vec![(0, 2.0), (3, 1.0)] };
        let single = Group { members: vec![3], partners: vec![(0, 1.0), (2, 1.0)] };
        Self { groups: vec![group], singles: vec![single] }
    }

    /// Proposes to turn some clusters; returns the positions of the objects that did.
    pub fn turn(
        &self,
        posterior: &Posterior,
        workspace: &mut Workspace,
        x: &mut [f64],
        given: Given,
        rng: &mut ChaCha8Rng,
    ) -> Vec<Position> {
        let mut moved = Vec::new();
        let kinds = [(&self.groups, TRIES), (&self.singles, SINGLE_TRIES)];
        let tries = kinds.into_iter().filter(|(groups, _)| !groups.is_empty());
        let tries: Vec<_> = tries.flat_map(|(groups, n)| std::iter::repeat_n(groups, n)).collect();
        if tries.is_empty() {
            return moved;
        }
        let mut density = posterior.value(workspace, x, given).of_locations();
        for groups in tries {
            let group = &groups[rng.random_range(0..groups.len())];
            let n_objects = posterior.likelihood().n_objects();
            let Some(mirror) = group.mirror(x, n_objects, rng) else { continue };
            let turned = mirror.reflected(x, n_objects, &group.members);
            let there = posterior.value(workspace, &turned, given).of_locations();
            if rng.random::<f64>().ln() < there - density {
                x.copy_from_slice(&turned);
                density = there;
                moved.extend(group.members.iter().map(|&member| Position::new(member as usize)));
            }
        }
        moved
    }
}

impl Group {
    fn new(members: Vec<u32>, likelihood: &dyn LogLikelihood) -> Self {
        let is_member = |object: usize| members.binary_search(&(object as u32)).is_ok();
        let mut counts = vec![0.0; likelihood.n_objects()];
        for &member in &members {
            likelihood.visit_partners(Position::new(member as usize), &mut |partner, _| {
                if !is_member(partner.index()) {
                    counts[partner.index()] += 1.0;
                }
                true
            });
        }
        let partners = (0..).zip(counts).filter(|(_, count)| *count > 0.0).collect();
        Self { members, partners }
    }

    /// Where to reflect: in the plane that fits the partners best, in one through partners drawn at random, or in one through
    /// the cluster's centre. None depends on which side of it the cluster is.
    fn mirror(&self, x: &[f64], n_objects: usize, rng: &mut ChaCha8Rng) -> Option<Mirror> {
        let n_dims = x.len() / n_objects;
        let at = |object: u32| -> Vec<f64> { (0..n_dims).map(|dim| x[dim * n_objects + object as usize]).collect() };
        // A single object is its own centre: no plane through it turns it over.
        match rng.random_range(0..if self.members.len() > 1 { 3 } else { 2 }) {
            0 => {
                let points: Vec<(Vec<f64>, f64)> = self.partners.iter().map(|&(object, n)| (at(object), n)).collect();
                Mirror::fitted(&points)
            }
            1 => {
                let pick = |_| self.partners[rng.random_range(0..self.partners.len())].0;
                let points: Vec<Vec<f64>> = (0..n_dims).map(pick).map(at).collect();
                Mirror::through(&points)
            }
            _ => {
                let centre = |points: Vec<Vec<f64>>| -> Vec<f64> {
                    let n = points.len() as f64;
                    (0..n_dims).map(|dim| points.iter().map(|point| point[dim]).sum::<f64>() / n).collect()
                };
                let own = centre(self.members.iter().map(|&object| at(object)).collect());
                let rest = centre(self.partners.iter().map(|&(object, _)| at(object)).collect());
                Mirror::through(&if n_dims == 1 { vec![own] } else { vec![own, rest] })
            }
        }
    }
}

/// A hyperplane.
struct Mirror {
    point: Vec<f64>,
    normal: Vec<f64>,
}

impl Mirror {
    /// Through some points, at most D of them. Where they leave the normal open, it is the coordinate axis that is nearest to
    /// being one: a function of the points alone.
    fn through(points: &[Vec<f64>]) -> Option<Self> {
        let n_dims = points[0].len();
        let mut along: Vec<Vec<f64>> = Vec::new();
        for point in &points[1..] {
            let difference: Vec<f64> = point.iter().zip(&points[0]).map(|(a, b)| a - b).collect();
            along.extend(unit(rest_of(&difference, &along)));
        }
        if along.len() + 1 < points.len() {
            // Two points are one.
            return None;
        }
        let axis = |dim: usize| -> Vec<f64> { (0..n_dims).map(|k| f64::from(u8::from(k == dim))).collect() };
        let candidates = (0..n_dims).map(|dim| rest_of(&axis(dim), &along));
        let normal = candidates.max_by(|a, b| dot(a, a).total_cmp(&dot(b, b)))?;
        Some(Self { point: points[0].clone(), normal: unit(normal)? })
    }

    /// With the least weighted squares of the distances of all points: the normal is the axis along which they spread least.
    fn fitted(points: &[(Vec<f64>, f64)]) -> Option<Self> {
        let n_dims = points[0].0.len();
        let total: f64 = points.iter().map(|(_, weight)| weight).sum();
        let mean = |dim: usize| points.iter().map(|(point, weight)| weight * point[dim]).sum::<f64>() / total;
        let centre: Vec<f64> = (0..n_dims).map(mean).collect();
        let mut covariance = vec![vec![0.0; n_dims]; n_dims];
        for (point, weight) in points {
            for a in 0..n_dims {
                for b in 0..n_dims {
                    covariance[a][b] += weight * (point[a] - centre[a]) * (point[b] - centre[b]) / total;
                }
            }
        }
        let trace: f64 = (0..n_dims).map(|dim| covariance[dim][dim]).sum();
        // Power iteration on trace I - C: a fixed number of steps, so that the same points give the same normal.
        let mut normal: Vec<f64> = (0..n_dims).map(|dim| 1.0 + 0.1 * dim as f64).collect();
        for _ in 0..200 {
            let next: Vec<f64> = (0..n_dims).map(|a| trace * normal[a] - dot(&covariance[a], &normal)).collect();
            normal = unit(next)?;
        }
        Some(Self { point: centre, normal })
    }

    /// The map with some objects on the other side.
    fn reflected(&self, x: &[f64], n_objects: usize, members: &[u32]) -> Vec<f64> {
        let mut turned = x.to_vec();
        for &member in members {
            let coordinate = |dim: usize| dim * n_objects + member as usize;
            let height: f64 =
                (0..self.normal.len()).map(|dim| self.normal[dim] * (x[coordinate(dim)] - self.point[dim])).sum();
            for (dim, normal) in self.normal.iter().enumerate() {
                turned[coordinate(dim)] -= 2.0 * height * normal;
            }
        }
        turned
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// What is left of a vector beside some orthonormal ones.
fn rest_of(vector: &[f64], along: &[Vec<f64>]) -> Vec<f64> {
    let mut rest = vector.to_vec();
    for direction in along {
        let part = dot(&rest, direction);
        rest.iter_mut().zip(direction).for_each(|(rest, direction)| *rest -= part * direction);
    }
    rest
}

fn unit(vector: Vec<f64>) -> Option<Vec<f64>> {
    let length = dot(&vector, &vector).sqrt();
    (length > 1e-12).then(|| vector.iter().map(|part| part / length).collect())
}

/// The minimum spanning tree of the map (Prim): two objects and their distance.
fn spanning_tree(x: &[f64], n_objects: usize) -> Vec<(usize, usize, f64)> {
    let distance = |a: usize, b: usize| x.chunks_exact(n_objects).map(|x| (x[a] - x[b]).powi(2)).sum::<f64>();
    let mut nearest = vec![(f64::INFINITY, 0); n_objects];
    let mut is_in = vec![false; n_objects];
    let mut edges = Vec::with_capacity(n_objects);
    let mut newest = 0;
    is_in[0] = true;
    for _ in 1..n_objects {
        for other in (0..n_objects).filter(|&other| !is_in[other]) {
            let gap = distance(newest, other);
            if gap < nearest[other].0 {
                nearest[other] = (gap, newest);
            }
        }
        let free = (0..n_objects).filter(|&other| !is_in[other]);
        let Some(next) = free.min_by(|&a, &b| nearest[a].0.total_cmp(&nearest[b].0)) else { break };
        edges.push((nearest[next].1, next, nearest[next].0.sqrt()));
        is_in[next] = true;
        newest = next;
    }
    edges
}

/// The objects on the smaller side of an edge of the tree, sorted; `None` if it is a single one.
fn smaller_side(edges: &[(usize, usize, f64)], cut: usize, n_objects: usize) -> Option<Vec<u32>> {
    let mut group: Vec<usize> = (0..n_objects).collect();
    fn root(group: &mut [usize], mut object: usize) -> usize {
        while group[object] != object {
            group[object] = group[group[object]];
            object = group[object];
        }
        object
    }
    for (_, &(a, b, _)) in edges.iter().enumerate().filter(|(k, _)| *k != cut) {
        let (a, b) = (root(&mut group, a), root(&mut group, b));
        group[a] = b;
    }
    let here = root(&mut group, edges[cut].0);
    let (one, other): (Vec<u32>, Vec<u32>) =
        (0..n_objects as u32).partition(|&object| root(&mut group, object as usize) == here);
    let smaller = if one.len() <= other.len() { one } else { other };
    (smaller.len() > 1).then_some(smaller)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reflection_is_its_own_inverse_and_keeps_the_mirror() {
        // No sine of equal steps: those would lie in one plane.
        let x: Vec<f64> = (0..15).map(|k| (f64::from(k * k) * 0.7).sin() * 3.0).collect();
        let point = |n: usize| vec![x[n], x[5 + n], x[10 + n]];
        let through = Mirror::through(&[point(0), point(1), point(2)]).unwrap();
        let fitted = Mirror::fitted(&[(point(0), 1.0), (point(1), 2.0), (point(2), 1.0), (point(3), 1.0)]).unwrap();
        for mirror in [&through, &fitted] {
            let once = mirror.reflected(&x, 5, &[3, 4]);
            let twice = mirror.reflected(&once, 5, &[3, 4]);
            assert!(twice.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-12));
            assert!(once.iter().zip(&x).any(|(a, b)| (a - b).abs() > 0.1));
        }
        // Distances to the points of the mirror stay.
        let once = through.reflected(&x, 5, &[3]);
        let distance = |x: &[f64], a: usize, b: usize| x.chunks_exact(5).map(|x| (x[a] - x[b]).powi(2)).sum::<f64>();
        (0..3).for_each(|n| assert!((distance(&x, 3, n) - distance(&once, 3, n)).abs() < 1e-12));
    }

    #[test]
    fn clusters_are_the_sides_of_the_widest_gaps() {
        // 0, 1, 2 | 10, 11 | 20, 21, 22, 23 on a line.
        let x = [0.0, 1.0, 2.0, 10.0, 11.0, 20.0, 21.0, 22.0, 23.0];
        let mut edges = spanning_tree(&x, 9);
        edges.sort_by(|a, b| b.2.total_cmp(&a.2));
        assert_eq!(edges.len(), 8);
        assert_eq!((edges[0].2, edges[1].2), (9.0, 8.0));
        assert_eq!(smaller_side(&edges, 0, 9), Some(vec![5, 6, 7, 8]));
        assert_eq!(smaller_side(&edges, 1, 9), Some(vec![0, 1, 2]));
    }
}
