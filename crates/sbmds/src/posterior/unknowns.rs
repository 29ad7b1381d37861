//! Where each unknown is in the vector of numbers that a sampler moves.

/// The layout of that vector: the N * D coordinates, then the noise's coordinate unless sigma is known or given, then the
/// measurement's own parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknowns {
    n_objects: usize,
    n_dims: usize,
    has_noise: bool,
    n_own: usize,
}

impl Unknowns {
    /// Locations alone.
    pub fn locations(n_objects: usize, n_dims: usize) -> Self {
        Self { n_objects, n_dims, has_noise: false, n_own: 0 }
    }

    /// The same with the noise's coordinate (if `has_noise`) and `n_own` parameters of the measurement.
    pub fn with(self, has_noise: bool, n_own: usize) -> Self {
        Self { has_noise, n_own, ..self }
    }

    /// Number of objects N.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// Number of dimensions D.
    pub fn n_dims(&self) -> usize {
        self.n_dims
    }

    /// Whether the noise's coordinate is among them.
    pub fn has_noise(&self) -> bool {
        self.has_noise
    }

    /// Number of coordinates, N * D.
    pub fn n_coordinates(&self) -> usize {
        self.n_objects * self.n_dims
    }

    /// Length of the vector.
    pub fn len(&self) -> usize {
        self.n_coordinates() + usize::from(self.has_noise) + self.n_own
    }

    /// Whether there is nothing to move.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One vector of all: `noise` is left out if it is not among them.
    pub fn join(&self, mut x: Vec<f64>, noise: impl FnOnce() -> f64, own: &[f64]) -> Vec<f64> {
        assert_eq!((x.len(), own.len()), (self.n_coordinates(), self.n_own), "unknowns of another problem");
        x.reserve_exact(self.len() - x.len());
        if self.has_noise {
            x.push(noise());
        }
        x.extend_from_slice(own);
        x
    }

    /// The parts of a vector: coordinates, the noise's coordinate, own parameters.
    pub fn split<'a>(&self, all: &'a [f64]) -> (&'a [f64], Option<f64>, &'a [f64]) {
        assert_eq!(all.len(), self.len(), "unknowns of another problem");
        let (x, rest) = all.split_at(self.n_coordinates());
        let (noise, own) = rest.split_at(usize::from(self.has_noise));
        (x, noise.first().copied(), own)
    }

    /// The same, to write.
    pub fn split_mut<'a>(&self, all: &'a mut [f64]) -> (&'a mut [f64], Option<&'a mut f64>, &'a mut [f64]) {
        assert_eq!(all.len(), self.len(), "unknowns of another problem");
        let (x, rest) = all.split_at_mut(self.n_coordinates());
        let (noise, own) = rest.split_at_mut(usize::from(self.has_noise));
        (x, noise.first_mut(), own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_splits_into_the_same_parts() {
        for (has_noise, own) in [(false, vec![]), (true, vec![]), (false, vec![7.0, 8.0]), (true, vec![9.0])] {
            let unknowns = Unknowns::locations(2, 1).with(has_noise, own.len());
            let mut all = unknowns.join(vec![1.0, 2.0], || 3.0, &own);
            assert_eq!(all.len(), unknowns.len());
            assert_eq!(unknowns.split(&all), (&[1.0, 2.0][..], has_noise.then_some(3.0), &own[..]));
            let (x, noise, _) = unknowns.split_mut(&mut all);
            x[1] = 5.0;
            noise.into_iter().for_each(|noise| *noise = 6.0);
            assert_eq!(unknowns.split(&all), (&[1.0, 5.0][..], has_noise.then_some(6.0), &own[..]));
        }
    }
}
