//! Aligning draws to one map, by the objects that have a single mode.

use crate::Locations;
use crate::align::{RigidMotion, procrustes};

/// A map that draws are aligned to (Procrustes), by all its objects or by some.
///
/// An object that is now here, now there would drag the others along: it follows the motion that suits the rest.
#[derive(Clone, Debug)]
pub struct Alignment {
    reference: Locations,
    /// The objects that decide, with their locations in the reference; `None`: all.
    deciding: Option<(Vec<usize>, Locations)>,
}

impl Alignment {
    /// By all objects.
    pub fn to(reference: Locations) -> Self {
        Self { reference, deciding: None }
    }

    /// By the objects that are not in `left_out` (in ascending order); by all if too few would remain to fix a rotation.
    pub fn without(reference: Locations, left_out: &[usize]) -> Self {
        let deciding: Vec<usize> =
            (0..reference.n_objects()).filter(|object| left_out.binary_search(object).is_err()).collect();
        if left_out.is_empty() || deciding.len() <= reference.n_dims() {
            return Self::to(reference);
        }
        let locations = reference.reordered(&deciding);
        Self { reference, deciding: Some((deciding, locations)) }
    }

    /// The map.
    pub fn reference(&self) -> &Locations {
        &self.reference
    }

    /// The motion that aligns `x`.
    pub fn motion(&self, x: &Locations) -> RigidMotion {
        match &self.deciding {
            None => procrustes(x, &self.reference),
            Some((objects, locations)) => procrustes(&x.reordered(objects), locations),
        }
    }

    /// `x`, aligned.
    pub fn apply(&self, x: &Locations) -> Locations {
        self.motion(x).apply(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::test_maps::gaussian_map;
    use crate::embedding::{principal_axes, rms_difference};

    #[test]
    fn an_object_left_out_does_not_move_the_others() {
        let reference = gaussian_map(8, 2, 1);
        let mut x = principal_axes(&reference).apply(&reference);
        x.set(3, 0, x.get(3, 0) + 50.0);
        let all = Alignment::to(reference.clone()).apply(&x);
        let without = Alignment::without(reference.clone(), &[3]).apply(&x);
        let others: Vec<usize> = (0..8).filter(|&object| object != 3).collect();
        let off = |x: &Locations| rms_difference(&x.reordered(&others), &reference.reordered(&others));
        assert!(off(&without) < 1e-12 && off(&all) > 1.0, "{} {}", off(&without), off(&all));
        // Two objects fix no rotation in the plane: all decide.
        let few = Alignment::without(reference, &[0, 1, 2, 3, 4, 5]);
        assert!(rms_difference(&few.apply(&x), &all) < 1e-12);
    }
}
