//! Mean MSE when the truth has more dimensions than the map: the numbers behind Figure 4.
//!
//! Source: the authors' results for the paper, `misspecified_dimension_band.csv` and
//! `misspecified_dimension_landmark.csv`, column `mean_mse`; true sigma 0.2, 20 bands or landmarks.

use crate::reproduce::Method;

/// (method, N, MSE at true dimensions 2 to 10).
const LINES: [(Method, usize, [f64; 9]); 8] = [
    (Method::Band, 100, [0.024686, 0.33222, 0.82789, 0.90966, 1.4624, 1.7256, 2.0688, 2.3047, 2.8927]),
    (Method::Classical, 100, [0.0081559, 0.34201, 0.97258, 1.4189, 2.3199, 3.1194, 4.1667, 4.3337, 5.6773]),
    (Method::Full, 100, [0.021745, 0.25296, 0.53258, 0.68956, 0.97862, 1.309, 1.5839, 1.7238, 2.1351]),
    (Method::Landmark, 100, [0.028091, 0.39359, 1.0285, 2.1715, 3.4367, 4.0077, 5.255, 6.0058, 7.0899]),
    (Method::Band, 1000, [0.036553, 0.79007, 1.1443, 1.6155, 2.0572, 2.298, 2.6712, 2.9422, 3.2988]),
    (Method::Classical, 1000, [0.0055729, 0.4575, 1.1419, 1.9062, 2.783, 3.7238, 4.7567, 5.7395, 6.917]),
    (Method::Full, 1000, [0.021036, 0.28958, 0.57115, 0.84475, 1.1426, 1.4417, 1.7372, 2.0479, 2.3518]),
    (Method::Landmark, 1000, [0.027707, 0.99574, 1.3686, 1.9943, 2.8844, 6.4288, 5.7356, 6.2718, 7.9032]),
];

/// The authors' mean MSE, if there is one.
pub(in crate::reproduce) fn mse(method: Method, n_objects: usize, true_dims: usize) -> Option<f64> {
    let line = LINES.iter().find(|line| line.0 == method && line.1 == n_objects)?;
    line.2.get(true_dims.checked_sub(2)?).copied()
}
