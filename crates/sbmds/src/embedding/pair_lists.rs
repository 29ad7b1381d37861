//! The coupled pairs as one sorted list of partners per object, as shortest paths and sweeps read them.

use rayon::prelude::*;

use crate::dense::Matrix;

/// Coupled pairs as one sorted list per object.
pub(super) struct PairLists {
    first: Vec<usize>,
    partners: Vec<u32>,
    observed: Vec<f64>,
}

impl PairLists {
    /// Reads every list once; NaN, infinite and negative entries, and an object's pair with itself, are left out.
    pub fn collect(n_objects: usize, neighbours: &(dyn Fn(usize) -> Vec<(usize, f64)> + Sync)) -> Self {
        let lists: Vec<Vec<(usize, f64)>> = (0..n_objects)
            .into_par_iter()
            .map(|object| {
                let usable = |&(partner, observed): &(usize, f64)| {
                    partner != object && partner < n_objects && observed.is_finite() && observed >= 0.0
                };
                let mut list: Vec<(usize, f64)> = neighbours(object).into_iter().filter(usable).collect();
                list.sort_by_key(|(partner, _)| *partner);
                list
            })
            .collect();
        let mut pairs = Self { first: vec![0], partners: Vec::new(), observed: Vec::new() };
        for list in lists {
            pairs.partners.extend(list.iter().map(|(partner, _)| *partner as u32));
            pairs.observed.extend(list.iter().map(|(_, observed)| *observed));
            pairs.first.push(pairs.partners.len());
        }
        pairs
    }

    /// Number of objects.
    pub fn n_objects(&self) -> usize {
        self.first.len() - 1
    }

    /// The partners of one object with their dissimilarities.
    pub fn partners(&self, object: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.first[object]..self.first[object + 1];
        let partners = self.partners[range.clone()].iter().map(|&partner| partner as usize);
        partners.zip(self.observed[range].iter().copied())
    }

    /// Number of list entries: each pair counts twice.
    pub fn n_entries(&self) -> usize {
        self.partners.len()
    }

    /// Number of partners of one object.
    pub fn degree(&self, object: usize) -> usize {
        self.first[object + 1] - self.first[object]
    }

    /// The sparse symmetric matrix with entries `weight(object, partner, observed)` times a block of vectors.
    pub fn product(&self, block: &Matrix, weight: impl Fn(usize, usize, f64) -> f64 + Sync) -> Matrix {
        let width = block.n_columns();
        let input: Vec<f64> = (0..block.n_rows()).flat_map(|row| (0..width).map(move |k| block[(row, k)])).collect();
        let mut output = vec![0.0; input.len()];
        output.par_chunks_mut(width).enumerate().for_each(|(object, row)| {
            for (partner, observed) in self.partners(object) {
                let entry = weight(object, partner, observed);
                row.iter_mut().zip(&input[partner * width..][..width]).for_each(|(out, x)| *out += entry * x);
            }
        });
        Matrix::from_fn(block.n_rows(), width, |row, k| output[row * width + k])
    }

    /// The dissimilarity of a pair, NaN when it is not coupled.
    pub fn observed(&self, a: usize, b: usize) -> f64 {
        let range = self.first[a]..self.first[a + 1];
        match self.partners[range.clone()].binary_search(&(b as u32)) {
            Ok(index) => self.observed[range.start + index],
            Err(_) => f64::NAN,
        }
    }
}
