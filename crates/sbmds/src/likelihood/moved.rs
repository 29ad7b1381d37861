//! The change in log-likelihood when one object moves, at the cost of its partners only.

use super::density::{Energy, PairDensity, Total};
use super::dispatch::{Kernel, Want, dispatch_value};
use super::landmarks::Row;
use super::simd::{MAX_LANES, Simd};
use super::{Likelihood, Workspace};
use crate::Locations;

/// The partners of the moving object, contiguous.
#[derive(Default)]
pub(super) struct Scratch {
    deltas: Vec<f64>,
    /// One array per dimension, each as long as `deltas`.
    locations: Vec<f64>,
    partners: Vec<usize>,
    here: Vec<f64>,
}

impl Likelihood {
    /// log L(x with the object at `place` moved to `to`) - log L(x); one coordinate per dimension in `to`.
    ///
    /// Costs O(partners of that object).
    pub fn change_when_moved(
        &self,
        workspace: &mut Workspace,
        x: &Locations,
        sigma: f64,
        place: usize,
        to: &[f64],
    ) -> f64 {
        assert_eq!(to.len(), self.n_dims(), "a location of another dimension");
        let scratch = &mut workspace.moved;
        self.collect_partners(scratch, x, sigma, place);
        scratch.here.clear();
        scratch.here.extend((0..x.n_dims()).map(|dim| x.get(place, dim) / sigma));
        let before = self.energy_of_row(scratch, sigma);
        for (here, to) in scratch.here.iter_mut().zip(to) {
            *here = to / sigma;
        }
        before - self.energy_of_row(scratch, sigma)
    }

    fn collect_partners(&self, scratch: &mut Scratch, x: &Locations, sigma: f64, place: usize) {
        scratch.deltas.clear();
        scratch.partners.clear();
        self.for_each_partner(place, |other, delta| {
            scratch.deltas.push(delta);
            scratch.partners.push(other);
            true
        });
        scratch.deltas.resize(scratch.partners.len().next_multiple_of(MAX_LANES), f64::NAN);
        scratch.locations.clear();
        for dim in 0..x.n_dims() {
            let values = x.dim(dim);
            scratch.locations.extend(scratch.partners.iter().map(|&other| values[other] / sigma));
            scratch.locations.resize((dim + 1) * scratch.deltas.len(), 0.0);
        }
    }

    fn energy_of_row(&self, scratch: &Scratch, sigma: f64) -> f64 {
        let kernel = RowKernel { scratch, n_dims: self.n_dims(), per_sigma: 1.0 / sigma };
        dispatch_value(self.choice(Want::Value), kernel).value
    }
}

struct RowKernel<'a> {
    scratch: &'a Scratch,
    n_dims: usize,
    per_sigma: f64,
}

impl Kernel for RowKernel<'_> {
    #[inline(always)]
    fn run<S: Simd, P: PairDensity, const D: usize, const VALUE: bool, const GRADIENT: bool>(
        self,
        s: S,
        density: P,
    ) -> Energy {
        debug_assert!(!GRADIENT);
        let mut total = Total::new(s);
        let row = Row {
            deltas: self.scratch.deltas.as_ptr(),
            x_near: self.scratch.here.as_ptr(),
            x_near_stride: 1,
            x_far: self.scratch.locations.as_ptr(),
            x_far_stride: self.scratch.deltas.len(),
            g_near: std::ptr::null_mut(),
            g_near_stride: 0,
            g_far: std::ptr::null_mut(),
            g_far_stride: 0,
            n_dims: if D == 0 { self.n_dims } else { D },
            first: 0,
            n_pairs: self.scratch.partners.len(),
            has_gaps: false,
        };
        // SAFETY: deltas and locations are padded to whole vectors, deltas with NaN.
        unsafe { row.run::<S, P, D, true, false>(s, density, self.per_sigma, &mut total) };
        total.energy(s)
    }
}
