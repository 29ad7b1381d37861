//! Rigid motions of the whole map, which distances do not notice: rotations and, along a tree, shifts.
//!
//! A trajectory turns round a map of D dimensions in D (D - 1) / 2 ways, and nothing ever turns it back. In six dimensions
//! these 15 ways outweigh all that matters in the no-U-turn criterion, and trajectories become ten times too long. Removing
//! them from the momenta that the criterion looks at leaves the motion of objects beside each other.

use crate::cholesky::cholesky_solve;
use crate::numeric::weighted_dot;

/// The rigid motions of one map.
pub struct RigidMotions {
    /// D rows of coordinates, one number per object, and with shifts a row of how far each object's coordinates go.
    rows: Vec<Vec<f64>>,
    n_dims: usize,
    generators: Vec<Generator>,
}

/// A rigid motion: which rows, with which signs, are the velocities in which dimensions.
type Generator = Vec<(usize, usize, f64)>;

/// So few rigid motions do not lengthen a trajectory.
const FEW: usize = 1;

impl RigidMotions {
    /// Of coordinates, dimension by dimension; `shift` says how far each goes when the map is shifted, if it can be. `None` if there
    /// are so few motions that they do not matter.
    pub(super) fn new(coordinates: &[f64], n_dims: usize, shift: Option<Vec<f64>>) -> Option<Self> {
        let n_objects = coordinates.len() / n_dims;
        let rotations = (0..n_dims).flat_map(|i| (i + 1..n_dims).map(move |j| vec![(j, i, 1.0), (i, j, -1.0)]));
        let shifts = (0..if shift.is_some() { n_dims } else { 0 }).map(|dim| vec![(dim, n_dims, 1.0)]);
        let generators: Vec<Generator> = rotations.chain(shifts).collect();
        let mut rows: Vec<Vec<f64>> = coordinates.chunks_exact(n_objects).map(<[f64]>::to_vec).collect();
        rows.extend(shift);
        (generators.len() > FEW).then_some(Self { rows, n_dims, generators })
    }

    /// The same motions of coordinates that are a linear map of these, of every dimension alike; `change` maps a row in place.
    pub(super) fn in_coordinates(mut self, mut change: impl FnMut(&mut [f64])) -> Self {
        self.rows.iter_mut().for_each(|row| change(row));
        self
    }

    /// Removes from the momenta of the coordinates (and leaves those beyond them) what belongs to rigid motions: afterwards
    /// b' p = 0 for every rigid velocity b. Unchanged if the motions are not independent.
    pub(super) fn remove(&self, momentum: &mut [f64], inverse_mass: &[f64]) {
        let n_objects = self.rows[0].len();
        let masses: Vec<Vec<f64>> = inverse_mass[..self.n_dims * n_objects]
            .chunks_exact(n_objects)
            .map(|inverse| inverse.iter().map(|inverse| 1.0 / inverse).collect())
            .collect();
        let products = self.products(&masses);
        let n_rows = self.rows.len();
        let ones = vec![1.0; n_objects];
        let of_momentum: Vec<f64> = momentum
            .chunks_exact(n_objects)
            .take(self.n_dims)
            .flat_map(|p| self.rows.iter().map(|row| weighted_dot(p, row, &ones)).collect::<Vec<_>>())
            .collect();
        let n = self.generators.len();
        let mut matrix = vec![0.0; n * n];
        let mut rates = vec![0.0; n];
        for (g, generator) in self.generators.iter().enumerate() {
            rates[g] = generator.iter().map(|&(dim, row, sign)| sign * of_momentum[dim * n_rows + row]).sum();
            for (h, other) in self.generators.iter().enumerate() {
                matrix[g * n + h] = generator
                    .iter()
                    .flat_map(|a| other.iter().map(move |b| (a, b)))
                    .filter(|(a, b)| a.0 == b.0)
                    .map(|(a, b)| a.2 * b.2 * products[(a.0 * n_rows + a.1) * n_rows + b.1])
                    .sum();
            }
        }
        if !cholesky_solve(n, &matrix, &mut rates) {
            return;
        }
        for (generator, rate) in self.generators.iter().zip(rates) {
            for &(dim, row, sign) in generator {
                let p = &mut momentum[dim * n_objects..(dim + 1) * n_objects];
                for ((p, mass), x) in p.iter_mut().zip(&masses[dim]).zip(&self.rows[row]) {
                    *p -= sign * rate * mass * x;
                }
            }
        }
    }

    /// For every dimension the sums of products of two rows, weighted by the masses.
    fn products(&self, masses: &[Vec<f64>]) -> Vec<f64> {
        let n_rows = self.rows.len();
        let mut products = vec![0.0; self.n_dims * n_rows * n_rows];
        for (dim, masses) in masses.iter().enumerate() {
            for a in 0..n_rows {
                for b in 0..=a {
                    let product = weighted_dot(&self.rows[a], &self.rows[b], masses);
                    products[(dim * n_rows + a) * n_rows + b] = product;
                    products[(dim * n_rows + b) * n_rows + a] = product;
                }
            }
        }
        products
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random.
    fn numbers(n: usize, start: f64) -> Vec<f64> {
        (0..n).map(|k| ((k as f64 + start) * 12.9898).sin() * 3.0).collect()
    }

    #[test]
    fn what_is_left_moves_against_no_rotation_and_no_shift() {
        let (n_objects, n_dims) = (9, 3);
        let x = numbers(n_objects * n_dims, 0.3);
        let inverse_mass: Vec<f64> = numbers(n_objects * n_dims + 1, 7.1).iter().map(|m| 0.5 + m.abs()).collect();
        let mut momentum = numbers(n_objects * n_dims + 1, 31.7);
        let before = momentum.clone();
        let motions = RigidMotions::new(&x, n_dims, Some(vec![1.0; n_objects])).unwrap();
        motions.remove(&mut momentum, &inverse_mass);
        assert_eq!(momentum[27], before[27], "the number beyond the coordinates stays");
        assert!(momentum.iter().zip(&before).any(|(after, before)| (after - before).abs() > 0.1));
        // Angular and linear momentum, by their definitions.
        let at = |values: &[f64], object: usize, dim: usize| values[dim * n_objects + object];
        for i in 0..n_dims {
            let linear: f64 = (0..n_objects).map(|n| at(&momentum, n, i)).sum();
            assert!(linear.abs() < 1e-10, "{linear}");
            for j in 0..i {
                let of = |n| at(&x, n, i) * at(&momentum, n, j) - at(&x, n, j) * at(&momentum, n, i);
                let angular: f64 = (0..n_objects).map(of).sum();
                assert!(angular.abs() < 1e-10, "{angular}");
            }
        }
        // Once is enough.
        let once = momentum.clone();
        motions.remove(&mut momentum, &inverse_mass);
        assert!(momentum.iter().zip(&once).all(|(a, b)| (a - b).abs() < 1e-10));
    }

    #[test]
    fn a_velocity_that_is_rigid_is_removed_whole() {
        let (n_objects, n_dims) = (7, 3);
        let x = numbers(n_objects * n_dims, 1.0);
        let inverse_mass: Vec<f64> = numbers(n_objects * n_dims, 3.0).iter().map(|m| 0.5 + m.abs()).collect();
        // The map turns from dimension 0 to 2: p = M v.
        let mut momentum = vec![0.0; n_objects * n_dims];
        for n in 0..n_objects {
            momentum[n] = -x[2 * n_objects + n] / inverse_mass[n];
            momentum[2 * n_objects + n] = x[n] / inverse_mass[2 * n_objects + n];
        }
        RigidMotions::new(&x, n_dims, None).unwrap().remove(&mut momentum, &inverse_mass);
        assert!(momentum.iter().all(|p| p.abs() < 1e-10), "{momentum:?}");
    }

    #[test]
    fn one_rotation_is_left_alone_and_so_are_motions_that_depend_on_each_other() {
        assert!(RigidMotions::new(&numbers(10, 0.0), 2, None).is_none());
        assert!(RigidMotions::new(&numbers(10, 0.0), 1, None).is_none());
        // All objects at one location: rotations do nothing.
        let momentum = numbers(12, 5.0);
        let mut after = momentum.clone();
        RigidMotions::new(&[0.0; 12], 3, None).unwrap().remove(&mut after, &[1.0; 12]);
        assert_eq!(after, momentum);
    }
}
