//! MDSIC, the criterion of Oh and Raftery (2001, "Bayesian multidimensional scaling and choice of dimension", JASA 96, 1031-1044).

use super::Judged;
use crate::Locations;
use crate::embedding::principal_axes;
use crate::quality::KnownPair;

/// What MDSIC needs of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapFit {
    n_objects: usize,
    n_pairs: usize,
    /// Sum of squared residuals.
    squares: f64,
    /// Sum of squared coordinates along each principal axis.
    axes: Vec<f64>,
}

impl MapFit {
    /// Of a map and its pairs.
    pub fn of(map: &Locations, pairs: &[KnownPair]) -> Self {
        let turned = principal_axes(map).apply(map);
        Self {
            n_objects: map.n_objects(),
            n_pairs: pairs.len(),
            squares: pairs.iter().map(|pair| (pair.delta - map.distance(pair.a, pair.b)).powi(2)).sum(),
            axes: (0..map.n_dims()).map(|dim| turned.dim(dim).iter().map(|x| x * x).sum()).collect(),
        }
    }
}

/// MDSIC of maps of 1, 2, 3, ... dimensions; the smallest is best. With m pairs and n objects,
///
/// MDSIC_1 = (m - 2) log SSR_1 and MDSIC_{p+1} = MDSIC_p + (m - 2) log(SSR_{p+1} / SSR_p)
/// + (n + 1) (sum over axes j <= p of log(r_j (n + 1) / (n + r_j)) + log(n + 1)),
///
/// r_j being the ratio of the sums of squares along axis j of the larger map to the smaller. The paper has all pairs, m = n (n - 1) / 2; here m is the
/// number of pairs used.
pub fn mdsic(maps: &[MapFit]) -> Vec<f64> {
    let Some(first) = maps.first() else { return Vec::new() };
    let (n, m) = (first.n_objects as f64, first.n_pairs as f64);
    let mut values = vec![(m - 2.0) * first.squares.ln()];
    for two in maps.windows(2) {
        let ratio = |(larger, smaller): (&f64, &f64)| {
            let r = larger / smaller;
            (r * (n + 1.0) / (n + r)).ln()
        };
        let axes: f64 = two[1].axes.iter().zip(&two[0].axes).map(ratio).sum();
        let penalty = (n + 1.0) * (axes + (n + 1.0).ln());
        let last = values[values.len() - 1];
        values.push(last + (m - 2.0) * (two[1].squares / two[0].squares).ln() + penalty);
    }
    values
}

/// Fills in MDSIC where the maps of all smaller dimensions are there, for every noise family.
pub(super) fn fill(judged: &mut [Judged]) {
    let noises: Vec<_> = judged.iter().map(|one| one.candidate.noise).collect();
    for noise in noises {
        let mut found: Vec<usize> = (0..judged.len()).filter(|&one| judged[one].candidate.noise == noise).collect();
        found.sort_by_key(|&one| judged[one].candidate.n_dims);
        let n_complete = (1..).zip(&found).take_while(|(dims, one)| judged[**one].candidate.n_dims == *dims).count();
        found.truncate(n_complete);
        let maps: Vec<MapFit> = found.iter().map(|&one| judged[one].map_fit.clone()).collect();
        found.iter().zip(mdsic(&maps)).for_each(|(&one, value)| judged[one].mdsic = Some(value));
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    #[test]
    fn the_formula_by_hand() {
        let map = |squares: f64, axes: &[f64]| MapFit { n_objects: 10, n_pairs: 45, squares, axes: axes.to_vec() };
        let values = mdsic(&[map(8.0, &[20.0]), map(2.0, &[22.0, 9.0]), map(1.9, &[22.0, 9.0, 0.5])]);
        assert_relative_eq!(values[0], 43.0 * 8.0_f64.ln());
        let first = 11.0 * ((1.1_f64 * 11.0 / 11.1).ln() + 11.0_f64.ln());
        assert_relative_eq!(values[1], values[0] + 43.0 * 0.25_f64.ln() + first, max_relative = 1e-12);
        // Axes that stay as they are cost log 1 each.
        let second = 11.0 * 11.0_f64.ln();
        assert_relative_eq!(values[2], values[1] + 43.0 * 0.95_f64.ln() + second, max_relative = 1e-12);
        assert!(values[1] < values[0] && values[1] < values[2], "two dimensions are best: {values:?}");
    }
}
