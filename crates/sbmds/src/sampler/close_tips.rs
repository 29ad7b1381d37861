//! Momenta for tips of a tree that are nearly identical: of where they are together, and of how far they are apart.
//!
//! Two tips at the ends of tiny branches move together, and apart by very little. No diagonal mass of their own coordinates can
//! say so, and their short distance would force short steps on all. Where the prior holds tips closer together than the
//! distances do, their coordinates are replaced by their common estimate and their contrast (eq. 13 to 15), each with a
//! mass of its own; positions and gradients stay those of the locations.

use super::rigid::RigidMotions;
use super::target::{Target, Value};
use crate::brownian::CloseMerge;

/// Which tips are merged, and how; empty if there is no tree or no tips are close.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct CloseTips {
    n_objects: usize,
    merges: Vec<CloseMerge>,
    /// Whether they were chosen since the last step was tuned.
    pub(super) is_new: bool,
}

impl CloseTips {
    /// The tips that `merges` names, among `n_objects` objects.
    pub(super) fn new(n_objects: usize, merges: Vec<CloseMerge>) -> Self {
        Self { n_objects, merges, is_new: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.merges.is_empty()
    }

    /// Whether these are the same tips, merged in the same order.
    pub(super) fn merges_like(&self, other: &Self) -> bool {
        let pairs = |tips: &Self| tips.merges.iter().map(|merge| (merge.kept, merge.other)).collect::<Vec<_>>();
        pairs(self) == pairs(other)
    }

    /// Puts the contrasts' prior variances in place of the guesses for the coordinates they replace.
    pub(super) fn set_variances(&self, variances: &mut [f64]) {
        // Beyond the coordinates there may be log sigma.
        for variances in variances.chunks_exact_mut(self.n_objects) {
            self.merges.iter().for_each(|merge| variances[merge.other] = merge.variance);
        }
    }

    /// From locations to estimates and contrasts, in place.
    fn merge(&self, x: &mut [f64]) {
        for x in x.chunks_exact_mut(self.n_objects) {
            for &CloseMerge { kept, other, share, .. } in &self.merges {
                let contrast = x[kept] - x[other];
                x[kept] -= share * contrast;
                x[other] = contrast;
            }
        }
    }

    /// The inverse.
    fn split(&self, y: &mut [f64]) {
        for y in y.chunks_exact_mut(self.n_objects) {
            for &CloseMerge { kept, other, share, .. } in self.merges.iter().rev() {
                let contrast = y[other];
                y[other] = y[kept] - (1.0 - share) * contrast;
                y[kept] += share * contrast;
            }
        }
    }

    /// The transpose of the inverse: from derivatives by locations to derivatives by estimates and contrasts.
    fn pull_back(&self, derivatives: &mut [f64]) {
        for derivatives in derivatives.chunks_exact_mut(self.n_objects) {
            for &CloseMerge { kept, other, share, .. } in &self.merges {
                let (of_kept, of_other) = (derivatives[kept], derivatives[other]);
                derivatives[kept] = of_kept + of_other;
                derivatives[other] = share * of_kept - (1.0 - share) * of_other;
            }
        }
    }
}

/// A target whose first numbers are locations, with momenta of the merged tips.
pub(super) struct WithCloseTips<'a, T> {
    target: T,
    tips: &'a CloseTips,
    n_coordinates: usize,
    buffer: Vec<f64>,
}

impl<'a, T: Target> WithCloseTips<'a, T> {
    pub(super) fn new(target: T, tips: &'a CloseTips, n_dims: usize) -> Self {
        let n_coordinates = tips.n_objects * n_dims;
        Self { target, tips, n_coordinates, buffer: vec![0.0; n_coordinates] }
    }
}

impl<T: Target> Target for WithCloseTips<'_, T> {
    fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Value {
        self.target.evaluate(position, gradient)
    }

    fn gradient(&mut self, position: &[f64], gradient: &mut [f64]) {
        self.target.gradient(position, gradient);
    }

    fn drift(&mut self, position: &mut [f64], step: f64, momentum: &[f64], inverse_mass: &[f64]) {
        let (x, rest) = position.split_at_mut(self.n_coordinates);
        let velocities = momentum.iter().zip(inverse_mass).map(|(p, inverse)| p * inverse);
        self.buffer.iter_mut().zip(velocities).for_each(|(to, velocity)| *to = velocity);
        self.tips.split(&mut self.buffer);
        x.iter_mut().zip(&self.buffer).for_each(|(x, velocity)| *x += step * velocity);
        self.target.drift(rest, step, &momentum[self.n_coordinates..], &inverse_mass[self.n_coordinates..]);
    }

    fn kick(&mut self, momentum: &mut [f64], step: f64, gradient: &[f64]) {
        let (of_x, of_rest) = momentum.split_at_mut(self.n_coordinates);
        self.buffer.copy_from_slice(&gradient[..self.n_coordinates]);
        self.tips.pull_back(&mut self.buffer);
        of_x.iter_mut().zip(&self.buffer).for_each(|(p, derivative)| *p += step * derivative);
        self.target.kick(of_rest, step, &gradient[self.n_coordinates..]);
    }

    fn coordinates(&mut self, position: &[f64]) -> Vec<f64> {
        let mut coordinates = position.to_vec();
        self.tips.merge(&mut coordinates[..self.n_coordinates]);
        coordinates
    }

    fn rigid_motions(&mut self, position: &[f64]) -> Option<RigidMotions> {
        // Merging is linear and acts on every dimension alike, so that its coordinates turn and shift as locations do.
        Some(self.target.rigid_motions(position)?.in_coordinates(|row| self.tips.merge(row)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tips() -> CloseTips {
        let merge = |kept, other, share| CloseMerge { kept, other, share, variance: 0.1 };
        CloseTips { n_objects: 5, merges: vec![merge(3, 1, 0.25), merge(0, 4, 0.5), merge(0, 3, 0.9)], is_new: false }
    }

    fn numbers(start: f64) -> Vec<f64> {
        (0..10).map(|k| ((k as f64 + start) * 12.9898).sin() * 3.0).collect()
    }

    #[test]
    fn splitting_undoes_merging_and_pulling_back_is_its_transpose() {
        let (tips, x, g) = (tips(), numbers(0.5), numbers(7.0));
        let mut y = x.clone();
        tips.merge(&mut y);
        assert!(y.iter().zip(&x).any(|(y, x)| (y - x).abs() > 0.1));
        let mut back = y.clone();
        tips.split(&mut back);
        assert!(back.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-12));
        // g' (A y) = (A' g)' y
        let mut pulled = g.clone();
        tips.pull_back(&mut pulled);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        assert!((dot(&g, &x) - dot(&pulled, &y)).abs() < 1e-12);
    }
}
