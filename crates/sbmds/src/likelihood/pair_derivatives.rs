//! The derivatives of a block of pairs, kept between the two passes of a kernel.

use super::aligned::Aligned;
use super::simd::Number;

/// Lines of derivatives, each with a vector of zeros before and after it.
pub(super) struct PairDerivatives<T> {
    values: Option<Aligned<T>>,
    n_lines: usize,
    length: usize,
}

impl<T: Number> PairDerivatives<T> {
    pub(super) fn new() -> Self {
        Self { values: None, n_lines: 0, length: 0 }
    }

    /// Room for `n_lines` lines of `length` derivatives, whole vectors; what they hold is whatever was there.
    pub(super) fn lay_out(&mut self, n_lines: usize, length: usize) -> Lines<T> {
        let length = length.next_multiple_of(T::MAX_LANES);
        // Lines 320 bytes apart modulo 4096: loads of one and stores to another do not look alike.
        let line = length + 2 * T::MAX_LANES;
        let stride = line + (SPREAD / size_of::<T>() + PAGE - line % PAGE) % PAGE;
        if self.values.as_ref().is_none_or(|values| values.len() < n_lines * stride) {
            self.values = Some(Aligned::new(n_lines * stride, T::ZERO));
        } else if self.length != length || self.n_lines < n_lines {
            let values = self.values.as_mut().expect("there is room");
            for line in values.chunks_exact_mut(stride).take(n_lines) {
                line[..T::MAX_LANES].fill(T::ZERO);
                line[T::MAX_LANES + length..][..T::MAX_LANES].fill(T::ZERO);
            }
        }
        (self.n_lines, self.length) = (n_lines, length);
        let values = self.values.as_mut().expect("there is room");
        Lines { origin: values.as_mut_ptr().wrapping_add(T::MAX_LANES), stride }
    }
}

const PAGE: usize = 1024;
const SPREAD: usize = 320;

/// Where the derivatives of a line begin, and how far the next line is.
#[derive(Clone, Copy)]
pub(super) struct Lines<T> {
    pub(super) origin: *mut T,
    pub(super) stride: usize,
}
