//! Sums over many distances, compiled for each instruction set: eight at a time, always in the same order.

use multiversion::multiversion;

const WIDTH: usize = 8;

/// sums += (values - centre)^2
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(super) fn add_squared_differences(sums: &mut [f64], values: &[f64], centre: f64) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += (value - centre) * (value - centre);
    }
}

/// sum (sqrt(squared) - expected)^2
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub(super) fn sum_of_squared_errors(squared: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(squared.len(), expected.len(), "slices of one length");
    let (squared, rest) = squared.as_chunks::<WIDTH>();
    let (expected, expected_rest) = expected.as_chunks::<WIDTH>();
    let mut sums = [0.0; WIDTH];
    for (squared, expected) in squared.iter().zip(expected) {
        for lane in 0..WIDTH {
            let error = squared[lane].sqrt() - expected[lane];
            sums[lane] += error * error;
        }
    }
    let total = ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
    rest.iter().zip(expected_rest).fold(total, |total, (squared, expected)| total + (squared.sqrt() - expected).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_equal_the_plain_loops() {
        for length in [0, 1, 7, 8, 9, 100] {
            let values: Vec<f64> = (0..length).map(|i| (f64::from(i) * 0.7).sin()).collect();
            let expected: Vec<f64> = (0..length).map(|i| (f64::from(i) * 1.3).cos()).collect();
            let mut squared = vec![0.5; values.len()];
            add_squared_differences(&mut squared, &values, 0.3);
            assert!(squared.iter().zip(&values).all(|(sum, value)| *sum == 0.5 + (value - 0.3) * (value - 0.3)));
            let plain: f64 = squared.iter().zip(&expected).map(|(s, e)| (s.sqrt() - e).powi(2)).sum();
            assert!((sum_of_squared_errors(&squared, &expected) - plain).abs() < 1e-12);
        }
    }
}
