//! Where the objects are: N locations in D dimensions.

/// N locations in R^D, stored dimension by dimension: coordinate d of object n is `values[d * N + n]`.
///
/// Equal coordinates of neighbouring objects are contiguous, which is what the kernels read.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Locations {
    n_objects: usize,
    n_dims: usize,
    values: Vec<f64>,
}

impl Locations {
    /// All objects at the origin.
    pub fn zeros(n_objects: usize, n_dims: usize) -> Self {
        Self { n_objects, n_dims, values: vec![0.0; n_objects * n_dims] }
    }

    /// From one function of (object, dimension).
    pub fn from_fn(n_objects: usize, n_dims: usize, mut coordinate: impl FnMut(usize, usize) -> f64) -> Self {
        let mut values = Vec::with_capacity(n_objects * n_dims);
        for dim in 0..n_dims {
            values.extend((0..n_objects).map(|object| coordinate(object, dim)));
        }
        Self { n_objects, n_dims, values }
    }

    /// From N * D numbers, dimension by dimension.
    ///
    /// # Panics
    /// If they are not a multiple of `n_objects`.
    pub fn from_values(n_objects: usize, values: Vec<f64>) -> Self {
        assert!(
            n_objects > 0 && values.len().is_multiple_of(n_objects),
            "{} numbers of {n_objects} objects",
            values.len()
        );
        Self { n_objects, n_dims: values.len() / n_objects, values }
    }

    /// Number of objects N.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// Number of dimensions D.
    pub fn n_dims(&self) -> usize {
        self.n_dims
    }

    /// Coordinate `dim` of `object`.
    pub fn get(&self, object: usize, dim: usize) -> f64 {
        self.values[dim * self.n_objects + object]
    }

    /// Sets coordinate `dim` of `object`.
    pub fn set(&mut self, object: usize, dim: usize, value: f64) {
        self.values[dim * self.n_objects + object] = value;
    }

    /// One coordinate of every object.
    pub fn dim(&self, dim: usize) -> &[f64] {
        &self.values[dim * self.n_objects..(dim + 1) * self.n_objects]
    }

    /// One coordinate of every object, to write.
    pub fn dim_mut(&mut self, dim: usize) -> &mut [f64] {
        &mut self.values[dim * self.n_objects..(dim + 1) * self.n_objects]
    }

    /// All coordinates of one object.
    pub fn object(&self, object: usize) -> Vec<f64> {
        (0..self.n_dims).map(|dim| self.get(object, dim)).collect()
    }

    /// The N * D numbers, dimension by dimension.
    pub fn as_slice(&self) -> &[f64] {
        &self.values
    }

    /// The N * D numbers, dimension by dimension, to write.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Euclidean distance between two objects.
    pub fn distance(&self, a: usize, b: usize) -> f64 {
        (0..self.n_dims).map(|dim| (self.get(a, dim) - self.get(b, dim)).powi(2)).sum::<f64>().sqrt()
    }

    /// The same locations with object `order[k]` at position k.
    pub fn reordered(&self, order: &[usize]) -> Self {
        Self::from_fn(order.len(), self.n_dims, |position, dim| self.get(order[position], dim))
    }
}
