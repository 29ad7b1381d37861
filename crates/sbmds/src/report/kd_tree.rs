//! The nearest neighbours of a location, found exactly in a balanced tree.

use crate::Locations;

/// Objects sorted into a balanced tree: the middle of every range splits it along one dimension, in turns.
pub(super) struct KdTree {
    n_dims: usize,
    /// Objects in tree order.
    objects: Vec<u32>,
    /// Their coordinates, in tree order, object by object.
    points: Vec<f64>,
}

/// Ranges up to this length are searched one by one.
const LEAF: usize = 8;

impl KdTree {
    pub fn new(x: &Locations) -> Self {
        let mut objects: Vec<u32> = (0..).take(x.n_objects()).collect();
        split(x, &mut objects, 0);
        let points = objects.iter().flat_map(|&object| x.object(object as usize)).collect();
        Self { n_dims: x.n_dims(), objects, points }
    }

    /// The `k` objects nearest to `location` but for `except`, nearest first; equal distances in input order.
    pub fn nearest(&self, location: &[f64], k: usize, except: u32) -> Vec<u32> {
        let mut found = Found { k, except, best: Vec::with_capacity(k + 1) };
        self.search(location, 0, self.objects.len(), 0, &mut found);
        found.best.into_iter().map(|(_, object)| object).collect()
    }

    fn search(&self, location: &[f64], start: usize, end: usize, dim: usize, found: &mut Found) {
        if end - start <= LEAF {
            (start..end).for_each(|node| self.visit(location, node, found));
            return;
        }
        let middle = usize::midpoint(start, end);
        let gap = location[dim] - self.points[middle * self.n_dims + dim];
        let next = (dim + 1) % self.n_dims;
        let (near, far) =
            if gap < 0.0 { ((start, middle), (middle + 1, end)) } else { ((middle + 1, end), (start, middle)) };
        self.search(location, near.0, near.1, next, found);
        self.visit(location, middle, found);
        // At equal distance there may still be an object that comes first in input order.
        if gap * gap <= found.worst() {
            self.search(location, far.0, far.1, next, found);
        }
    }

    fn visit(&self, location: &[f64], node: usize, found: &mut Found) {
        let point = &self.points[node * self.n_dims..(node + 1) * self.n_dims];
        let squared = location.iter().zip(point).map(|(a, b)| (a - b) * (a - b)).sum();
        found.offer(squared, self.objects[node]);
    }
}

fn split(x: &Locations, objects: &mut [u32], dim: usize) {
    if objects.len() <= LEAF {
        return;
    }
    let middle = objects.len() / 2;
    let coordinate = x.dim(dim);
    objects.select_nth_unstable_by(middle, |&a, &b| coordinate[a as usize].total_cmp(&coordinate[b as usize]));
    let next = (dim + 1) % x.n_dims();
    let (below, above) = objects.split_at_mut(middle);
    split(x, below, next);
    split(x, &mut above[1..], next);
}

/// The nearest objects met so far, with their squared distances, in order.
struct Found {
    k: usize,
    except: u32,
    best: Vec<(f64, u32)>,
}

impl Found {
    fn worst(&self) -> f64 {
        if self.best.len() < self.k { f64::INFINITY } else { self.best.last().map_or(f64::INFINITY, |last| last.0) }
    }

    fn offer(&mut self, squared: f64, object: u32) {
        if object == self.except || squared > self.worst() {
            return;
        }
        let rank = self.best.partition_point(|&other| other < (squared, object));
        self.best.insert(rank, (squared, object));
        self.best.truncate(self.k);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::embedding::test_maps::gaussian_map;

    /// The same by looking at every object.
    fn slow(x: &Locations, object: usize, k: usize) -> Vec<u32> {
        let mut others: Vec<(f64, u32)> = (0..x.n_objects())
            .filter(|&other| other != object)
            .map(|other| ((0..x.n_dims()).map(|d| (x.get(object, d) - x.get(other, d)).powi(2)).sum(), other as u32))
            .collect();
        others.sort_by(|a, b| a.partial_cmp(b).unwrap());
        others.iter().take(k).map(|&(_, other)| other).collect()
    }

    proptest! {
        #[test]
        fn the_tree_finds_what_a_look_at_every_object_finds(
            n_objects in 2_usize..200, n_dims in 1_usize..5, coarse in any::<bool>(), seed in 0_u64..1000
        ) {
            let mut x = gaussian_map(n_objects, n_dims, seed);
            if coarse {
                // Many ties.
                x.as_mut_slice().iter_mut().for_each(|value| *value = value.round());
            }
            let tree = KdTree::new(&x);
            for object in 0..n_objects {
                let k = 5.min(n_objects - 1);
                prop_assert_eq!(tree.nearest(&x.object(object), k, object as u32), slow(&x, object, k));
            }
        }
    }
}
