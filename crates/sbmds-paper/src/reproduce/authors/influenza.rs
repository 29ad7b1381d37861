//! Hellinger distances and speed-ups of the sparse models on influenza: the numbers of Table 3.
//!
//! Source: the paper's Table 3, means over four strains in six dimensions.

use crate::reproduce::Method;

/// What the authors found with this many bands or landmarks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::reproduce) struct Quoted {
    /// Hellinger distance to the full model.
    pub hellinger: f64,
    /// Effective draws per hour over those of the full model: mean over strains.
    pub speed_up: f64,
    /// Smallest and largest of the strains.
    pub range: (f64, f64),
}

/// (method, count, Hellinger distance, mean speed-up, smallest, largest).
const LINES: [(Method, usize, f64, f64, f64, f64); 6] = [
    (Method::Band, 50, 0.024, 5.99, 5.58, 6.52),
    (Method::Band, 100, 0.021, 4.06, 3.99, 4.14),
    (Method::Band, 200, 0.019, 2.81, 2.76, 2.86),
    (Method::Landmark, 50, 0.024, 5.22, 4.35, 5.63),
    (Method::Landmark, 100, 0.023, 3.83, 3.69, 3.90),
    (Method::Landmark, 200, 0.022, 2.97, 2.55, 3.52),
];

/// The authors' numbers, if there are any.
pub(in crate::reproduce) fn table_3(method: Method, count: usize) -> Option<Quoted> {
    let &(.., hellinger, speed_up, low, high) = LINES.iter().find(|line| (line.0, line.1) == (method, count))?;
    Some(Quoted { hellinger, speed_up, range: (low, high) })
}
