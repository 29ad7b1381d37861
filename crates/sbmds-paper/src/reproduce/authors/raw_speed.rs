//! Seconds per evaluation at N = 10,000: the numbers behind Figure 6.
//!
//! Source: the authors' results for the paper, `raw_timing_n10000_band.csv` and `raw_timing_n10000_landmark.csv`; the last
//! line of each is the full model. Speed-ups over it, from the paper's text: likelihood 457, 91, 7 and 1.3, gradient 773,
//! 71, 10 and 1.3 for 5, 50, 500 and 5,000 bands.

use crate::reproduce::Method;

/// (bands or landmarks, seconds per likelihood, seconds per gradient).
type Line = (usize, f64, f64);

const BAND: [Line; 8] = [
    (5, 0.003, 0.007),
    (10, 0.004, 0.013),
    (50, 0.015, 0.076),
    (100, 0.031, 0.109),
    (500, 0.187, 0.526),
    (1000, 0.259, 1.027),
    (5000, 1.064, 4.11),
    (9999, 1.367, 5.434),
];

const LANDMARK: [Line; 8] = [
    (5, 0.003, 0.006),
    (10, 0.005, 0.012),
    (50, 0.014, 0.055),
    (100, 0.027, 0.108),
    (500, 0.134, 0.519),
    (1000, 0.26, 1.008),
    (5000, 1.02, 3.997),
    (9999, 1.368, 5.362),
];

/// (bands, speed-up of the likelihood, of the gradient), as the paper's text gives them.
pub(in crate::reproduce) const SPEED_UPS: [(usize, f64, f64); 4] =
    [(5, 457.0, 773.0), (50, 91.0, 71.0), (500, 7.0, 10.0), (5_000, 1.3, 1.3)];

/// The authors' seconds per likelihood and per gradient with 10,000 objects, if they are quoted.
pub(in crate::reproduce) fn seconds(method: Method, count: usize) -> Option<(f64, f64)> {
    let (lines, count) = match method {
        Method::Band => (&BAND, count),
        Method::Landmark => (&LANDMARK, count),
        Method::Full => (&BAND, 9_999),
        _ => return None,
    };
    lines.iter().find(|line| line.0 == count).map(|line| (line.1, line.2))
}
