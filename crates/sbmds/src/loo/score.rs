//! What pairs left out say together, and how two models differ in it.

use serde::{Deserialize, Serialize};

use super::LeftOut;

/// Expected log predictive density over all pairs left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Pairs.
    pub n_pairs: usize,
    /// Sum of the log predictive densities.
    pub elpd: f64,
    /// Its standard error: what another sample of as many pairs might change.
    pub se: f64,
    /// How much better the pairs look to draws that know them: about the number of free parameters that the data determine.
    pub p_loo: f64,
    /// Root mean squared difference of dissimilarities and predictive means; of pairs that have a number, not a limit.
    pub rmse: f64,
    /// Pairs whose answer is not reliable.
    pub n_unreliable: usize,
}

impl Score {
    /// Of pairs left out and their dissimilarities (NaN where limits were seen); shapes beyond `reliable` count as unreliable.
    pub fn of(left_out: &[LeftOut], observed: &[f64], reliable: f64) -> Self {
        let elpd = left_out.iter().map(|pair| pair.elpd).sum();
        let squares = left_out.iter().zip(observed).map(|(pair, delta)| (delta - pair.mean).powi(2));
        let squares: Vec<f64> = squares.filter(|square| !square.is_nan()).collect();
        Self {
            n_pairs: left_out.len(),
            elpd,
            se: error_of_sum(left_out.iter().map(|pair| pair.elpd)),
            p_loo: left_out.iter().map(|pair| pair.lpd).sum::<f64>() - elpd,
            rmse: (squares.iter().sum::<f64>() / squares.len() as f64).sqrt(),
            n_unreliable: left_out.iter().filter(|pair| pair.shape > reliable && pair.shape.is_finite()).count(),
        }
    }
}

/// How much better one model predicts the same pairs than another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Difference of the expected log predictive densities.
    pub elpd: f64,
    /// Its standard error, from the differences pair by pair.
    pub se: f64,
}

impl Difference {
    /// First minus second, of the same pairs.
    ///
    /// # Panics
    /// If these are not equally many.
    pub fn of(first: &[LeftOut], second: &[LeftOut]) -> Self {
        assert_eq!(first.len(), second.len(), "the same pairs");
        let differences = || first.iter().zip(second).map(|(a, b)| a.elpd - b.elpd);
        Self { elpd: differences().sum(), se: error_of_sum(differences()) }
    }
}

/// Standard error of a sum of exchangeable terms: sqrt(n times their variance).
fn error_of_sum(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = terms.clone().count() as f64;
    let mean = terms.clone().sum::<f64>() / n;
    terms.map(|term| (term - mean).powi(2)).sum::<f64>().sqrt()
}
