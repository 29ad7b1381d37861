//! Numbers that begin at a cache line: a vector read from elsewhere would touch two.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line and of the widest vector.
const LINE: usize = 64;

/// So many numbers, the first at the start of a cache line.
pub(super) struct Aligned<T> {
    values: Vec<T>,
    first: usize,
    length: usize,
}

impl<T: Copy> Aligned<T> {
    pub(super) fn new(length: usize, value: T) -> Self {
        let values = vec![value; length + LINE / size_of::<T>()];
        let first = values.as_ptr().align_offset(LINE);
        Self { values, first, length }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.values[self.first..self.first + self.length]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[self.first..self.first + self.length]
    }
}
