//! Which object is at which coupling position, and back: the only place that converts one into the other.

use std::ops::Deref;

use crate::Locations;

/// Where an object is in the coupling order: an index of arrays that the likelihood, samplers and priors count by. It is a type of
/// its own so that the number of an object is not taken for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Position(usize);

impl Position {
    /// The position with this index.
    pub const fn new(index: usize) -> Self {
        Self(index)
    }

    /// Its index, from 0 on.
    pub const fn index(self) -> usize {
        self.0
    }
}

/// The order in which objects are coupled. As a slice it holds the object (input order) at each position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectOrder {
    objects: Vec<usize>,
    positions: Vec<usize>,
}

impl ObjectOrder {
    /// The order in which `objects[position]` is at `position`.
    ///
    /// # Panics
    /// If it is not each of 0..N once.
    pub fn new(objects: Vec<usize>) -> Self {
        let mut positions = vec![usize::MAX; objects.len()];
        for (position, &object) in objects.iter().enumerate() {
            assert!(positions[object] == usize::MAX, "object {object} is in the order twice");
            positions[object] = position;
        }
        Self { objects, positions }
    }

    /// As in the input.
    pub fn given(n_objects: usize) -> Self {
        Self::new((0..n_objects).collect())
    }

    /// The object at a position.
    pub fn object(&self, position: Position) -> usize {
        self.objects[position.0]
    }

    /// The position of an object.
    pub fn position(&self, object: usize) -> Position {
        Position(self.positions[object])
    }

    /// Locations given in input order, by position.
    pub fn to_positions(&self, by_object: &Locations) -> Locations {
        by_object.reordered(&self.objects)
    }

    /// Locations (or a gradient) given by position, in input order.
    pub fn to_objects(&self, by_position: &Locations) -> Locations {
        by_position.reordered(&self.positions)
    }

    /// N * D numbers given by position, dimension by dimension, as locations in input order, each `times` as large.
    pub fn to_scaled_objects(&self, by_position: &[f64], times: f64) -> Locations {
        let (n_objects, n_dims) = (self.objects.len(), by_position.len() / self.objects.len().max(1));
        let coordinate = |object: usize, dim: usize| by_position[dim * n_objects + self.positions[object]] * times;
        Locations::from_fn(n_objects, n_dims, coordinate)
    }
}

impl Deref for ObjectOrder {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.objects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_is_where_it_was() {
        let order = ObjectOrder::new(vec![2, 0, 3, 1]);
        assert!((0..4).all(|object| order.object(order.position(object)) == object));
        let map = Locations::from_fn(4, 2, |object, dim| (10 * dim + object) as f64);
        let by_position = order.to_positions(&map);
        assert_eq!(by_position.dim(0), [2.0, 0.0, 3.0, 1.0]);
        assert_eq!(order.to_objects(&by_position), map);
        let doubled = order.to_scaled_objects(by_position.as_slice(), 2.0);
        assert_eq!(doubled, Locations::from_fn(4, 2, |object, dim| 2.0 * map.get(object, dim)));
    }

    #[test]
    #[should_panic(expected = "object 1 is in the order twice")]
    fn an_order_has_every_object_once() {
        ObjectOrder::new(vec![1, 1, 0]);
    }
}
