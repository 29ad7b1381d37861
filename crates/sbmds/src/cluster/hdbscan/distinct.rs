//! The distinct locations among the points, in an order that depends on coordinates alone.

use std::cmp::Ordering;

use crate::Locations;

/// Distinct points sorted by their coordinates, each with the number of objects at it.
///
/// Everything after this works on sorted distinct points, so no answer can depend on the order of the rows, and objects
/// at the same location always share their fate.
pub struct Distinct {
    pub n_dims: usize,
    /// Coordinates, point by point.
    pub coordinates: Vec<f64>,
    /// How many objects lie at each point.
    pub n_copies: Vec<u32>,
    /// The point of each object.
    pub point_of: Vec<u32>,
}

impl Distinct {
    pub fn new(x: &Locations) -> Self {
        let (n_objects, n_dims) = (x.n_objects(), x.n_dims());
        let mut sorted: Vec<(f64, u32)> =
            x.dim(0).iter().zip(0..).map(|(&first, object)| (unsigned_zero(first), object)).collect();
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| compare_rest(x, a.1, b.1)));
        let mut distinct = Self {
            n_dims,
            coordinates: Vec::with_capacity(n_objects * n_dims),
            n_copies: Vec::with_capacity(n_objects),
            point_of: vec![0; n_objects],
        };
        let mut before: Option<(f64, u32)> = None;
        for &(first, object) in &sorted {
            let is_copy = before
                .is_some_and(|(other_first, other)| first == other_first && compare_rest(x, other, object).is_eq());
            match distinct.n_copies.last_mut() {
                Some(n_copies) if is_copy => *n_copies += 1,
                _ => distinct.push(x, object),
            }
            distinct.point_of[object as usize] = distinct.n_copies.len() as u32 - 1;
            before = Some((first, object));
        }
        distinct
    }

    fn push(&mut self, x: &Locations, object: u32) {
        self.coordinates.extend((0..self.n_dims).map(|dim| unsigned_zero(x.get(object as usize, dim))));
        self.n_copies.push(1);
    }

    /// Number of distinct points.
    pub fn len(&self) -> usize {
        self.n_copies.len()
    }

    /// Coordinates of one point.
    pub fn point(&self, point: usize) -> &[f64] {
        &self.coordinates[point * self.n_dims..][..self.n_dims]
    }
}

/// -0 and 0 are one location.
fn unsigned_zero(value: f64) -> f64 {
    value + 0.0
}

/// By all coordinates but the first, one after the other.
fn compare_rest(x: &Locations, a: u32, b: u32) -> Ordering {
    let [a, b] = [a, b].map(|object| object as usize);
    (1..x.n_dims())
        .map(|dim| unsigned_zero(x.get(a, dim)).total_cmp(&unsigned_zero(x.get(b, dim))))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
