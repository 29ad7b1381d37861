//! Mean Hellinger distances between the full and the banded model: the numbers behind Figure B.4.
//!
//! Source: the authors' results for the paper, `band_rule_d_sqrt_n.csv`, column `mean_hellinger`; ceil(D sqrt N) bands.

/// (N, distances at D = 2, 3, 4, 5).
const LINES: [(usize, [f64; 4]); 5] = [
    (50, [0.019332, 0.012744, 0.011011, 0.010197]),
    (100, [0.016015, 0.01148, 0.0090353, 0.0082635]),
    (250, [0.013082, 0.0083352, 0.0066449, 0.00578]),
    (500, [0.010915, 0.0067188, 0.0053138, 0.0046159]),
    (1000, [0.0089386, 0.0055983, 0.0043727, 0.0037029]),
];

/// The authors' mean Hellinger distance, if there is one.
pub(in crate::reproduce) fn hellinger(n_objects: usize, n_dims: usize) -> Option<f64> {
    let line = LINES.iter().find(|line| line.0 == n_objects)?;
    line.1.get(n_dims.checked_sub(2)?).copied()
}
