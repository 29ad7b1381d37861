//! Clusters of abstracts against the number of bands: the numbers of Table 4.
//!
//! Source: the paper's Table 4; 9,308 arXiv abstracts of four subjects, HDBSCAN with 40 neighbours on 200 draws.

/// Articles in the authors' data.
pub(in crate::reproduce) const N_ARTICLES: f64 = 9_308.0;

/// What the authors found with this many bands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::reproduce) struct Quoted {
    /// Most frequent number of clusters.
    pub mode_clusters: usize,
    /// Mean number of noise points.
    pub noise: f64,
    /// Mean classification error and the ends of its 95% interval.
    pub error: [f64; 3],
}

/// (bands, clusters, noise points, error with its interval).
const LINES: [(usize, usize, f64, [f64; 3]); 5] = [
    (50, 2, 3975.0, [0.226, 0.111, 0.315]),
    (100, 3, 2954.0, [0.094, 0.038, 0.171]),
    (500, 4, 1380.0, [0.051, 0.041, 0.061]),
    (1000, 4, 1248.0, [0.038, 0.031, 0.045]),
    (2000, 4, 1009.0, [0.034, 0.031, 0.037]),
];

/// The authors' numbers for this many bands, if there are any.
pub(in crate::reproduce) fn table_4(bands: usize) -> Option<Quoted> {
    let &(_, mode_clusters, noise, error) = LINES.iter().find(|line| line.0 == bands)?;
    Some(Quoted { mode_clusters, noise, error })
}
