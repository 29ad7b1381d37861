//! The passes over the tree: linear in the number of tips, D numbers at a time, without allocation.
//!
//! Slots, contrasts and everything else here are stored point by point (D numbers of one slot together), because a merge
//! touches all dimensions of two slots. Every pass is compiled for each small D and for each instruction set.

use multiversion::multiversion;

use super::plan::Merge;

/// Most columns of a matrix product that are summed at once.
const BLOCK: usize = 8;

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

/// Locations of the tips (dimension by dimension, by place) into their slots, minus `origin`.
pub(super) fn gather(places: &[u32], x: &[f64], origin: &[f64], slots: &mut [f64]) {
    let (n_objects, n_dims) = (places.len(), origin.len());
    for (dim, (x, origin)) in x.chunks_exact(n_objects).zip(origin).enumerate() {
        for (slot, &place) in slots[dim..].iter_mut().step_by(n_dims).zip(places) {
            *slot = x[place as usize] - origin;
        }
    }
}

/// The slots' numbers back to the places of their tips, through `write`.
pub(super) fn scatter(
    places: &[u32],
    slots: &[f64],
    n_dims: usize,
    out: &mut [f64],
    write: impl Fn(&mut f64, usize, f64),
) {
    for (dim, out) in out.chunks_exact_mut(places.len()).enumerate() {
        for (slot, &place) in slots[dim..].iter().step_by(n_dims).zip(places) {
            write(&mut out[place as usize], dim, *slot);
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
            let slope = contrast[dim] - share * kept[dim];
            kept[dim] += slope;
            other[dim] = -slope;
        }
    }
    let (of_merges, of_root) = contrasts.split_at(merges.len() * n_dims);
    slots[..n_dims].copy_from_slice(of_root);
    for (merge, contrast) in merges.iter().zip(of_merges.chunks_exact(n_dims)).rev() {
        let (kept, other) = two(slots, merge, n_dims);
        step(kept, other, contrast, merge.share);
    }
}

/// The inverse of the pass up: from contrasts to tips, into `slots`.
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
    #[inline(always)]
    fn step(contrast: &[f64], precision: f64, sum: &mut [f64]) {
        let n_dims = contrast.len();
        for row in 0..n_dims {
            let factor = contrast[row] * precision;
            for column in 0..n_dims {
                sum[row * n_dims + column] += factor * contrast[column];
            }
        }
    }
    sum.fill(0.0);
    for (contrast, precision) in contrasts.chunks_exact(n_dims).zip(precisions) {
        step(contrast, *precision, sum);
    }
}

/// Multiplies every contrast by a symmetric matrix and divides it by its variance: w = M u / v (eq. 17). Returns the sum of u' w,
/// which is tr(M S).
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(super) fn weigh(n_dims: usize, contrasts: &[f64], precisions: &[f64], matrix: &[f64], weighed: &mut [f64]) -> f64 {
    by_dims!(weigh_in(n_dims, contrasts, precisions, matrix, weighed))
}

#[inline(always)]
fn weigh_in(n_dims: usize, contrasts: &[f64], precisions: &[f64], matrix: &[f64], weighed: &mut [f64]) -> f64 {
    #[inline(always)]
    fn step(contrast: &[f64], precision: f64, matrix: &[f64], weighed: &mut [f64]) -> f64 {
        let n_dims = contrast.len();
        let mut square = 0.0;
        for start in (0..n_dims).step_by(BLOCK) {
            let width = BLOCK.min(n_dims - start);
            let mut sums = [0.0; BLOCK];
            for row in 0..n_dims {
                for column in 0..width {
                    sums[column] += contrast[row] * matrix[row * n_dims + start + column];
                }
            }
            for column in 0..width {
                weighed[start + column] = sums[column] * precision;
                square += contrast[start + column] * sums[column];
            }
        }
        square * precision
    }
    let mut total = 0.0;
    let points = contrasts.chunks_exact(n_dims).zip(weighed.chunks_exact_mut(n_dims));
    for ((contrast, weighed), precision) in points.zip(precisions) {
        total += step(contrast, *precision, matrix, weighed);
    }
    total
}

/// Multiplies every contrast by a function of its variance.
pub(super) fn scale(n_dims: usize, variances: &[f64], contrasts: &mut [f64], factor: impl Fn(f64) -> f64) {
    for (contrast, variance) in contrasts.chunks_exact_mut(n_dims).zip(variances) {
        let factor = factor(*variance);
        contrast.iter_mut().for_each(|value| *value *= factor);
    }
}
