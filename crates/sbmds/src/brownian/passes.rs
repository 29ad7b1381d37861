//! The passes over the tree: linear in the number of tips, D numbers at a time, without allocation.
//!
//! Slots, contrasts and everything else here are stored point by point (D numbers of one slot together), because a merge
//! touches all dimensions of two slots. Every pass is compiled for each small D and for each instruction set.

use multiversion::multiversion;

use super::plan::Merge;

/// How many columns of a matrix are summed at once.
pub(super) const BLOCK: usize = 8;

/// Calls a pass with the number of dimensions as a constant, where it is small.
macro_rules! by_dims {
    ($pass:ident($n_dims:expr, $($argument:expr),*)) => {
        match $n_dims {
            1 => $pass(1, $($argument),*),
            2 => $pass(2, $($argument),*),
            3 => $pass(3, $($argument),*),
            4 => $pass(4, $($argument),*),
            5 => $pass(5, $($argument),*),
            6 => $pass(6, $($argument),*),
            n_dims => $pass(n_dims, $($argument),*),
        }
    };
}

/// Two different slots, the first one before the second.
#[inline(always)]
fn two<'s>(slots: &'s mut [f64], merge: &Merge, n_dims: usize) -> (&'s mut [f64], &'s mut [f64]) {
    let (before, after) = slots.split_at_mut(merge.other as usize * n_dims);
    (&mut before[merge.kept as usize * n_dims..][..n_dims], &mut after[..n_dims])
}

/// Locations of the tips (dimension by dimension, by position) into their slots, minus `origin`.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(super) fn gather(positions: &[u32], x: &[f64], origin: &[f64], slots: &mut [f64]) {
    by_dims!(gather_in(origin.len(), positions, x, origin, slots));
}

#[inline(always)]
fn gather_in(n_dims: usize, positions: &[u32], x: &[f64], origin: &[f64], slots: &mut [f64]) {
    let (x, origin) = (&x[..n_dims * positions.len()], &origin[..n_dims]);
    for (slot, &position) in slots.chunks_exact_mut(n_dims).zip(positions) {
        for dim in 0..n_dims {
            slot[dim] = x[dim * positions.len() + position as usize] - origin[dim];
        }
    }
}

/// Adds `factor` times the slots' numbers to those at the positions of their tips (dimension by dimension).
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(super) fn scatter(n_dims: usize, positions: &[u32], slots: &[f64], factor: f64, out: &mut [f64]) {
    by_dims!(scatter_in(n_dims, positions, slots, factor, out));
}

#[inline(always)]
fn scatter_in(n_dims: usize, positions: &[u32], slots: &[f64], factor: f64, out: &mut [f64]) {
    let out = &mut out[..n_dims * positions.len()];
    for (slot, &position) in slots.chunks_exact(n_dims).zip(positions) {
        for dim in 0..n_dims {
            out[dim * positions.len() + position as usize] += factor * slot[dim];
        }
    }
}

/// The pass up (eq. 13 to 15): the contrast of every merge, and last the root's estimate. Slots end as estimates.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(super) fn contrasts(n_dims: usize, merges: &[Merge], slots: &mut [f64], contrasts: &mut [f64]) {
    by_dims!(contrasts_in(n_dims, merges, slots, contrasts));
}

#[inline(always)]
fn contrasts_in(n_dims: usize, merges: &[Merge], slots: &mut [f64], contrasts: &mut [f64]) {
    #[inline(always)]
    fn step(kept: &mut [f64], other: &[f64], contrast: &mut [f64], share: f64) {
        for dim in 0..kept.len() {
            contrast[dim] = kept[dim] - other[dim];
            kept[dim] -= share * contrast[dim];
        }
    }
    let (of_merges, of_root) = contrasts.split_at_mut(merges.len() * n_dims);
    for (merge, contrast) in merges.iter().zip(of_merges.chunks_exact_mut(n_dims)) {
        let (kept, other) = two(slots, merge, n_dims);
        step(kept, other, contrast, merge.share);
    }
    of_root.copy_from_slice(&slots[..n_dims]);
}

/// The transpose of the pass up (eq. 18): from numbers for every contrast to numbers for every tip, into `slots`.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(super) fn contrasts_transposed(n_dims: usize, merges: &[Merge], contrasts: &[f64], slots: &mut [f64]) {
    by_dims!(transposed_in(n_dims, merges, contrasts, slots));
}

#[inline(always)]
fn transposed_in(n_dims: usize, merges: &[Merge], contrasts: &[f64], slots: &mut [f64]) {
    #[inline(always)]
    fn step(kept: &mut [f64], other: &mut [f64], contrast: &[f64], share: f64) {
        for dim in 0..kept.len() {
            let derivative = contrast[dim] - share * kept[dim];
            kept[dim] += derivative;
            other[dim] = -derivative;
        }
    }
    let (of_merges, of_root) = contrasts.split_at(merges.len() * n_dims);
    slots[..n_dims].copy_from_slice(of_root);
    for (merge, contrast) in merges.iter().zip(of_merges.chunks_exact(n_dims)).rev() {
        let (kept, other) = two(slots, merge, n_dims);
        step(kept, other, contrast, merge.share);
    }
}

/// The inverse of the pass up (eq. 22): from contrasts to tips, into `slots`.
pub(super) fn tips(n_dims: usize, merges: &[Merge], contrasts: &[f64], slots: &mut [f64]) {
    let (of_merges, of_root) = contrasts.split_at(merges.len() * n_dims);
    slots[..n_dims].copy_from_slice(of_root);
    for (merge, contrast) in merges.iter().zip(of_merges.chunks_exact(n_dims)).rev() {
        let (kept, other) = two(slots, merge, n_dims);
        for dim in 0..n_dims {
            other[dim] = kept[dim] - (1.0 - merge.share) * contrast[dim];
            kept[dim] += merge.share * contrast[dim];
        }
    }
}

/// The transpose of that inverse: from numbers for every tip (in `slots`, overwritten) to numbers for every contrast.
pub(super) fn tips_transposed(n_dims: usize, merges: &[Merge], slots: &mut [f64], contrasts: &mut [f64]) {
    let (of_merges, of_root) = contrasts.split_at_mut(merges.len() * n_dims);
    for (merge, contrast) in merges.iter().zip(of_merges.chunks_exact_mut(n_dims)) {
        let (kept, other) = two(slots, merge, n_dims);
        for dim in 0..n_dims {
            contrast[dim] = merge.share * kept[dim] - (1.0 - merge.share) * other[dim];
            kept[dim] += other[dim];
        }
    }
    of_root.copy_from_slice(&slots[..n_dims]);
}

/// S = sum of u u' / v over the contrasts (eq. 16), row by row.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(super) fn sum_of_outer_products(n_dims: usize, contrasts: &[f64], precisions: &[f64], sum: &mut [f64]) {
    by_dims!(outer_products_in(n_dims, contrasts, precisions, sum));
}

#[inline(always)]
fn outer_products_in(n_dims: usize, contrasts: &[f64], precisions: &[f64], sum: &mut [f64]) {
    let n_blocks = n_dims.div_ceil(BLOCK);
    for rows in 0..n_blocks {
        for columns in 0..n_blocks {
            let block = outer_products_block(n_dims, contrasts, precisions, rows * BLOCK, columns * BLOCK);
            for (row, entries) in (rows * BLOCK..n_dims).zip(&block) {
                let sum = &mut sum[row * n_dims..(row + 1) * n_dims];
                sum.iter_mut().skip(columns * BLOCK).zip(entries).for_each(|(sum, entry)| *sum = *entry);
            }
        }
    }
}

/// At most eight rows and columns of that sum, which fit in registers.
#[inline(always)]
fn outer_products_block(
    n_dims: usize,
    contrasts: &[f64],
    precisions: &[f64],
    row: usize,
    column: usize,
) -> [[f64; BLOCK]; BLOCK] {
    let (n_rows, n_columns) = (BLOCK.min(n_dims - row), BLOCK.min(n_dims - column));
    let mut sums = [[0.0; BLOCK]; BLOCK];
    for (contrast, precision) in contrasts.chunks_exact(n_dims).zip(precisions) {
        let mut padded = [0.0; BLOCK];
        padded[..n_columns].copy_from_slice(&contrast[column..column + n_columns]);
        for k in 0..n_rows {
            let factor = contrast[row + k] * precision;
            for lane in 0..BLOCK {
                sums[k][lane] += factor * padded[lane];
            }
        }
    }
    sums
}

/// A D x D matrix cut into blocks of eight columns, the last one filled with zeros.
pub(super) fn padded(n_dims: usize, matrix: &[f64], blocks: &mut [[f64; BLOCK]]) {
    for (block, rows) in blocks.chunks_exact_mut(n_dims).enumerate() {
        for (row, padded) in rows.iter_mut().enumerate() {
            let row = &matrix[row * n_dims..(row + 1) * n_dims];
            *padded = std::array::from_fn(|lane| row.get(block * BLOCK + lane).copied().unwrap_or(0.0));
        }
    }
}

/// Multiplies every contrast by a symmetric matrix and divides it by its variance: w = M u / v (eq. 17). Returns the sum of
/// u' w, which is tr(M S).
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(super) fn weigh(
    n_dims: usize,
    contrasts: &[f64],
    precisions: &[f64],
    matrix: &[[f64; BLOCK]],
    weighed: &mut [f64],
) -> f64 {
    by_dims!(weigh_in(n_dims, contrasts, precisions, matrix, weighed))
}

#[inline(always)]
fn weigh_in(n_dims: usize, contrasts: &[f64], precisions: &[f64], matrix: &[[f64; BLOCK]], weighed: &mut [f64]) -> f64 {
    let mut squares = [0.0; BLOCK];
    for block in 0..n_dims.div_ceil(BLOCK) {
        let (start, matrix) = (block * BLOCK, &matrix[block * n_dims..][..n_dims]);
        let width = BLOCK.min(n_dims - start);
        let points = contrasts.chunks_exact(n_dims).zip(weighed.chunks_exact_mut(n_dims));
        for ((contrast, weighed), precision) in points.zip(precisions) {
            let mut sums = [0.0; BLOCK];
            for row in 0..n_dims {
                for lane in 0..BLOCK {
                    sums[lane] += contrast[row] * matrix[row][lane];
                }
            }
            for lane in 0..width {
                let value = sums[lane] * precision;
                weighed[start + lane] = value;
                squares[lane] += contrast[start + lane] * value;
            }
        }
    }
    squares.iter().sum()
}
