//! Scratch memory of the kernels: D values for each of a range of objects, padded so that whole vectors may be read and
//! written.

use std::ops::Range;

use super::simd::Number;

/// D values for each of a range of objects: one array per dimension, or interleaved (object by object).
pub(super) struct Arrays<T = f64> {
    values: Vec<T>,
    objects: Range<usize>,
    n_dims: usize,
    /// Where dimension 0 of the first object is.
    first: usize,
    /// Distance between dimensions of one object.
    stride: usize,
    /// Distance between objects.
    step: usize,
}

impl<T: Number> Arrays<T> {
    /// Numbers in 4 KiB.
    const PAGE: usize = 4096 / size_of::<T>();
    const LANES: usize = T::MAX_LANES;

    pub(super) fn new() -> Self {
        Self { values: Vec::new(), objects: 0..0, n_dims: 0, first: 0, stride: 0, step: 1 }
    }

    /// Makes room for `objects`; contents are whatever was there.
    ///
    /// A store and a nearby load whose addresses agree in their low 12 bits look dependent to the processor, which
    /// doubled the time of small problems. `role` (0: locations, 1 and 2: gradients) and the dimension therefore
    /// spread the arrays evenly over a page, counted from object 0 so that all roles keep their distance.
    pub(super) fn lay_out(&mut self, objects: Range<usize>, n_dims: usize, role: usize, interleaved: bool) {
        let spread = (Self::PAGE / (3 * n_dims)).next_multiple_of(Self::LANES).max(Self::LANES);
        let length = objects.len() + 2 * Self::LANES;
        (self.stride, self.step) = if interleaved {
            (1, n_dims)
        } else {
            (length + (spread + Self::PAGE - length % Self::PAGE) % Self::PAGE, 1)
        };
        let needed = 2 * Self::PAGE + Self::LANES + length.max(self.stride) * n_dims;
        if self.values.len() < needed {
            self.values.resize(needed, T::ZERO);
        }
        let page_start = self.values.as_ptr().align_offset(Self::PAGE * size_of::<T>()).min(Self::PAGE);
        let phase = if interleaved { 0 } else { (objects.start + role * n_dims * spread) % Self::PAGE };
        self.first = page_start + phase + Self::LANES;
        (self.objects, self.n_dims) = (objects, n_dims);
    }

    /// Zeroes all values and the padding.
    pub(super) fn zero(&mut self) {
        let length = self.objects.len() + Self::LANES;
        if self.step == 1 {
            for dim in 0..self.n_dims {
                let start = self.first + dim * self.stride;
                self.values[start..start + length].fill(T::ZERO);
            }
        } else {
            self.values[self.first..self.first + length * self.n_dims].fill(T::ZERO);
        }
    }

    /// Distance between dimensions of one object.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// Where dimension 0 of object 0 would be: add an object of the range laid out (times D if interleaved) to get an
    /// address.
    pub(super) fn origin(&self) -> *const T {
        self.values.as_ptr().wrapping_add(self.first).wrapping_sub(self.objects.start * self.step)
    }

    /// As [`Arrays::origin`], to write.
    pub(super) fn origin_mut(&mut self) -> *mut T {
        self.values.as_mut_ptr().wrapping_add(self.first).wrapping_sub(self.objects.start * self.step)
    }

    /// Becomes locations given dimension by dimension, each coordinate as `scaling(all of its dimension)` makes it, with zeros
    /// before and after.
    pub(super) fn fill_from<F: Fn(f64) -> T>(
        &mut self,
        locations: &[f64],
        n_dims: usize,
        interleaved: bool,
        scaling: impl Fn(&[f64]) -> F,
    ) {
        let n_objects = locations.len() / n_dims;
        self.lay_out(0..n_objects, n_dims, 0, interleaved);
        for (dim, values) in locations.chunks_exact(n_objects).enumerate() {
            let start = self.first + dim * self.stride;
            let scaled = scaling(values);
            if interleaved {
                for (room, value) in self.values[start..].iter_mut().step_by(self.step).zip(values) {
                    *room = scaled(*value);
                }
            } else {
                for (room, value) in self.values[start..].iter_mut().zip(values) {
                    *room = scaled(*value);
                }
                self.values[start - Self::LANES..start].fill(T::ZERO);
                self.values[start + n_objects..start + n_objects + Self::LANES].fill(T::ZERO);
            }
        }
    }
}

impl Arrays<f64> {
    /// Adds `factor` * dimension `dim` of the objects in `window` to `sums`, which holds these objects.
    pub(super) fn fold_into(&self, sums: &mut [f64], dim: usize, window: &Range<usize>, factor: f64) {
        let start = window.start.max(self.objects.start);
        let end = window.end.min(self.objects.end);
        if start >= end {
            return;
        }
        let values = &self.values[self.first + dim * self.stride + (start - self.objects.start) * self.step..];
        let sums = &mut sums[start - window.start..end - window.start];
        if self.step == 1 {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += factor * value;
            }
        } else {
            for (sum, value) in sums.iter_mut().zip(values.iter().step_by(self.step)) {
                *sum += factor * value;
            }
        }
    }
}
