//! Plain loops over numbers, compiled for each instruction set: sums eight at a time, always in the same order.

use multiversion::multiversion;

const WIDTH: usize = 8;

/// Sum of `term` over the elements of `N` equally long slices.
#[inline(always)]
fn fold<const N: usize>(slices: [&[f64]; N], term: impl Fn([f64; N]) -> f64) -> f64 {
    let length = slices[0].len();
    assert!(slices.iter().all(|slice| slice.len() == length), "slices of one length");
    let chunks = slices.map(|slice| slice.as_chunks::<WIDTH>());
    let mut sums = [0.0; WIDTH];
    for i in 0..length / WIDTH {
        for lane in 0..WIDTH {
            sums[lane] += term(chunks.map(|(whole, _)| whole[i][lane]));
        }
    }
    let mut total: f64 = (0..WIDTH / 2).map(|lane| sums[lane] + sums[lane + WIDTH / 2]).sum();
    for i in 0..length % WIDTH {
        total += term(chunks.map(|(_, rest)| rest[i]));
    }
    total
}

/// a . b
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    fold([a, b], |[a, b]| a * b)
}

/// sum a b w
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(crate) fn weighted_dot(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    fold([a, b, weights], |[a, b, weight]| a * b * weight)
}

/// sum (a + b) c w
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(crate) fn weighted_dot_of_sum(a: &[f64], b: &[f64], c: &[f64], weights: &[f64]) -> f64 {
    fold([a, b, c, weights], |[a, b, c, weight]| (a + b) * c * weight)
}

/// sum a^2
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(crate) fn sum_of_squares(a: &[f64]) -> f64 {
    fold([a], |[a]| a * a)
}

/// a += factor * b
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(crate) fn add_scaled(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += factor * b;
    }
}

/// a += factor * b * weights
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(crate) fn add_scaled_product(a: &mut [f64], factor: f64, b: &[f64], weights: &[f64]) {
    for ((a, b), weight) in a.iter_mut().zip(b).zip(weights) {
        *a += factor * b * weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_equal_the_plain_loops() {
        for length in [0, 1, 7, 8, 9, 100] {
            let a: Vec<f64> = (0..length).map(|i| (i as f64 * 0.7).sin()).collect();
            let b: Vec<f64> = (0..length).map(|i| (i as f64 * 1.3).cos()).collect();
            let close = |x: f64, y: f64| (x - y).abs() < 1e-12;
            assert!(close(dot(&a, &b), (0..length).map(|i| a[i] * b[i]).sum()));
            assert!(close(weighted_dot(&a, &b, &a), (0..length).map(|i| a[i] * b[i] * a[i]).sum()));
            assert!(close(sum_of_squares(&a), (0..length).map(|i| a[i] * a[i]).sum()));
            let plain = (0..length).map(|i| (a[i] + b[i]) * a[i] * b[i]).sum();
            assert!(close(weighted_dot_of_sum(&a, &b, &a, &b), plain));
        }
    }
}
