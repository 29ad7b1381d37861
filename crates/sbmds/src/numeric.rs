//! Plain loops over numbers, compiled for each instruction set: sums eight at a time, always in the same order.

use multiversion::multiversion;

const WIDTH: usize = 8;

/// A sum over the elements of equally long slices. A macro, not a function of a closure: a closure would keep the compiler
/// from using wide vectors.
macro_rules! sum_of {
    ($($slice:ident),+ => $term:expr) => {{
        let length = [$($slice.len()),+][0];
        assert!([$($slice.len()),+].iter().all(|&other| other == length), "slices of one length");
        let mut sums = [0.0; WIDTH];
        let whole = length / WIDTH * WIDTH;
        for start in (0..whole).step_by(WIDTH) {
            $(let $slice: &[f64; WIDTH] = $slice[start..start + WIDTH].try_into().expect("a whole group");)+
            for lane in 0..WIDTH {
                $(let $slice = $slice[lane];)+
                sums[lane] += $term;
            }
        }
        let mut total = ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
        for rest in whole..length {
            $(let $slice = $slice[rest];)+
            total += $term;
        }
        total
    }};
}

/// a . b
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    sum_of!(a, b => a * b)
}

/// sum a b w
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(crate) fn weighted_dot(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    sum_of!(a, b, weights => a * b * weights)
}

/// sum (a + b) c w
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(crate) fn weighted_dot_of_sum(a: &[f64], b: &[f64], c: &[f64], weights: &[f64]) -> f64 {
    sum_of!(a, b, c, weights => (a + b) * c * weights)
}

/// sum a^2
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(crate) fn sum_of_squares(a: &[f64]) -> f64 {
    sum_of!(a => a * a)
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

/// Eigenvalues of a small symmetric matrix (n x n, row by row) and its eigenvectors as the columns of a matrix: Jacobi's method,
/// which is as exact as the numbers allow.
pub(crate) fn symmetric_eigen(n: usize, matrix: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut a = matrix.to_vec();
    let mut basis: Vec<f64> = (0..n * n).map(|k| f64::from(k / n == k % n)).collect();
    // Convergence is quadratic: a handful of sweeps leaves nothing beside the diagonal.
    for _ in 0..30 {
        let beside: f64 = (0..n * n).filter(|k| k / n != k % n).map(|k| a[k] * a[k]).sum();
        let diagonal: f64 = (0..n).map(|k| a[k * n + k] * a[k * n + k]).sum();
        if beside <= f64::EPSILON.powi(2) * diagonal {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate_away(n, &mut a, &mut basis, p, q);
            }
        }
    }
    ((0..n).map(|k| a[k * n + k]).collect(), basis)
}

/// One Jacobi rotation, after which entry (p, q) of `a` is zero.
fn rotate_away(n: usize, a: &mut [f64], basis: &mut [f64], p: usize, q: usize) {
    if a[p * n + q] == 0.0 {
        return;
    }
    let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
    let tan = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let cos = 1.0 / tan.hypot(1.0);
    let sin = tan * cos;
    for k in 0..n {
        let (x, y) = (a[k * n + p], a[k * n + q]);
        (a[k * n + p], a[k * n + q]) = (cos * x - sin * y, sin * x + cos * y);
    }
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        (a[p * n + k], a[q * n + k]) = (cos * x - sin * y, sin * x + cos * y);
        let (x, y) = (basis[k * n + p], basis[k * n + q]);
        (basis[k * n + p], basis[k * n + q]) = (cos * x - sin * y, sin * x + cos * y);
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
