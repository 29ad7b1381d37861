//! Titres as terms: log2 titre = potency of the serum [or half its sum with the virus's avidity] - distance + noise.

use super::family::Family;
use super::terms::{KnownErrors, Quantity, Terms};
use crate::dissimilarity::{Observation, Term, Titer, Titers};

/// How a titre that is a number is read. `<` and `>` are limits in every reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reading {
    /// An interval where numbers are of a twofold series, if most are; exact elsewhere.
    #[default]
    Auto,
    /// The number itself.
    Exact,
    /// The serum inhibits at this dilution and no longer at the next: log2 titre between H and H + 1 (Bedford et al. 2014).
    Interval,
}

/// What each row of the table says of its log2 titre.
pub fn observations(titers: &Titers, reading: Reading) -> Vec<Observation> {
    let numbers = || titers.rows().iter().filter(|row| row.titer.number_log2().is_some());
    let n_on_grid = numbers().filter(|row| row.titer.is_on_grid()).count();
    let is_grid = 2 * n_on_grid > numbers().count();
    let read = |titer: Titer| {
        let h = titer.log2();
        match (titer, reading) {
            (Titer::Below(_), _) => Observation::Below(h),
            (Titer::Above(_), _) => Observation::Above(h),
            (Titer::Number(_), Reading::Exact) => Observation::Exact(h),
            (Titer::Number(_), Reading::Interval) => Observation::Within(h, h + 1.0),
            (Titer::Number(_), Reading::Auto) if !is_grid => Observation::Exact(h),
            (Titer::Number(_), Reading::Auto) if titer.is_on_grid() => Observation::Within(h, h + 1.0),
            // Between the dilutions lie means of titres, each of which stands for the step above it.
            (Titer::Number(_), Reading::Auto) => Observation::Exact(h + 0.5),
        }
    };
    titers.rows().iter().map(|row| read(row.titer)).collect()
}

/// The terms of all rows; objects are viruses, then sera.
pub fn terms(titers: &Titers, reading: Reading, family: Family) -> Terms {
    let n_viruses = titers.n_viruses();
    let seen = observations(titers, reading);
    let rows = titers.rows().iter().zip(seen);
    let terms: Vec<Term> = rows.map(|(row, seen)| Term::new(row.virus, n_viruses + row.serum, seen)).collect();
    Terms::new(titers.names().len(), &terms, family, Quantity::Level, KnownErrors::Add)
}

/// What each object adds to a log2 titre: its potency, or half its potency or avidity where viruses have avidities.
pub fn levels(n_viruses: usize, potencies: &[f64], avidities: Option<&[f64]>) -> Vec<f64> {
    match avidities {
        None => std::iter::repeat_n(0.0, n_viruses).chain(potencies.iter().copied()).collect(),
        Some(avidities) => avidities.iter().chain(potencies).map(|level| 0.5 * level).collect(),
    }
}
