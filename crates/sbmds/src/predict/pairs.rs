//! Which pairs are predicted.

use crate::dissimilarity::{ListedPair, Observation, Term};
use crate::quality::KnownPairs;

/// A pair that is predicted, or one of several measurements of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AskedPair {
    /// The first object.
    pub a: usize,
    /// The second.
    pub b: usize,
    /// The number that was observed; NaN if none was.
    pub observed: f64,
    /// Whether the fit used it.
    pub is_coupled: bool,
    /// What was observed, if it is no number.
    pub limit: Option<Observation>,
    /// Known standard error of the measurement; 0 if nothing is known.
    pub standard_error: f64,
}

/// Pairs by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// All that have a dissimilarity.
    Measured,
    /// Those among them that the fit used.
    Coupled,
    /// All without a dissimilarity.
    Missing,
}

impl Asked {
    fn contains(self, observed: f64, is_coupled: bool) -> bool {
        match self {
            Self::Measured => !observed.is_nan(),
            Self::Coupled => !observed.is_nan() && is_coupled,
            Self::Missing => observed.is_nan(),
        }
    }
}

/// About how many pairs of a kind there are: exactly, but that a missing pair of a matrix counts as measured.
pub fn n_asked(known: &dyn KnownPairs, asked: Asked) -> usize {
    let n_all = known.n_objects() * known.n_objects().saturating_sub(1) / 2;
    let n_measured = known.measured().map_or(n_all, <[_]>::len);
    match asked {
        Asked::Measured => n_measured,
        Asked::Coupled => known.n_coupled(),
        Asked::Missing => n_all - known.measured().map_or(0, <[_]>::len),
    }
}

/// Hands the pairs of a kind, in order, to `visit` in pieces of some thousands.
///
/// # Errors
/// The first that `visit` returns.
pub fn asked_pairs<E>(
    known: &dyn KnownPairs,
    asked: Asked,
    mut visit: impl FnMut(&[AskedPair]) -> Result<(), E>,
) -> Result<(), E> {
    /// Enough for all threads to have work, few enough for the cache.
    const PIECE: usize = 8_192;
    let mut piece = Vec::with_capacity(PIECE);
    let terms = known.measurements().map(by_pair);
    for a in 0..known.n_objects() {
        for b in candidates(known, asked, a) {
            let (observed, is_coupled) = (known.get(a, b), known.is_coupled(a, b));
            if asked.contains(observed, is_coupled) {
                let pair = AskedPair::new((a, b), observed, is_coupled && !observed.is_nan());
                match &terms {
                    Some(terms) if !observed.is_nan() => piece.extend(of_pair(terms, a, b).map(|term| pair.seen(term))),
                    _ => piece.push(pair),
                }
            }
            if piece.len() >= PIECE {
                visit(&piece)?;
                piece.clear();
            }
        }
    }
    if piece.is_empty() { Ok(()) } else { visit(&piece) }
}

/// The measurements, lower object first, sorted by their pairs.
fn by_pair(terms: &[Term]) -> Vec<Term> {
    let lower_first = |term: &Term| Term { near: term.near.min(term.far), far: term.near.max(term.far), ..*term };
    let mut sorted: Vec<Term> = terms.iter().map(lower_first).collect();
    sorted.sort_by_key(|term| (term.near, term.far));
    sorted
}

/// Those of one pair; none if its weight is zero.
fn of_pair(sorted: &[Term], a: usize, b: usize) -> impl Iterator<Item = &Term> {
    let pair = (a as u32, b as u32);
    let first = sorted.partition_point(|term| (term.near, term.far) < pair);
    sorted[first..].iter().take_while(move |term| (term.near, term.far) == pair)
}

/// Later objects that may make a pair of the kind with `a`: where few do, not all are tried.
fn candidates(known: &dyn KnownPairs, asked: Asked, a: usize) -> Vec<usize> {
    let all = || (a + 1..known.n_objects()).collect();
    match (asked, known.measured()) {
        (Asked::Coupled, _) => {
            let mut partners: Vec<usize> = known.partners(a).into_iter().map(|(b, _)| b).filter(|&b| a < b).collect();
            partners.sort_unstable();
            partners
        }
        (Asked::Missing, _) | (_, None) => all(),
        (_, Some(measured)) => {
            let of_a = |first: usize| measured.partition_point(|pair| (pair.0 as usize) < first);
            measured[of_a(a)..of_a(a + 1)].iter().map(|pair| pair.1 as usize).collect()
        }
    }
}

impl AskedPair {
    /// A pair with the number that was observed; NaN if none was.
    pub fn new((a, b): (usize, usize), observed: f64, is_coupled: bool) -> Self {
        Self { a, b, observed, is_coupled, limit: None, standard_error: 0.0 }
    }

    /// The same pair with one of its measurements.
    fn seen(self, term: &Term) -> Self {
        let limit = Some(term.seen).filter(|seen| seen.exact().is_none());
        let observed = term.seen.exact().unwrap_or(f64::NAN);
        Self { observed, limit, standard_error: term.standard_error, ..self }
    }

    /// A listed pair; where the list gives no dissimilarity, that of the input counts, if there is one.
    pub fn listed(pair: &ListedPair, known: Option<&dyn KnownPairs>) -> Self {
        let ListedPair { a, b, delta } = *pair;
        let in_input = known.map_or(f64::NAN, |known| known.get(a, b));
        let is_coupled = !in_input.is_nan() && known.is_some_and(|known| known.is_coupled(a, b));
        if let Some(terms) = known.and_then(KnownPairs::measurements).filter(|_| delta.is_nan()) {
            let is_of_pair = |term: &&Term| {
                (term.near, term.far) == (a as u32, b as u32) || (term.far, term.near) == (a as u32, b as u32)
            };
            let mut of_pair = terms.iter().filter(is_of_pair);
            let nothing = Self::new((a, b), f64::NAN, is_coupled);
            // Which of several measurements is meant nobody knows.
            return of_pair.next().filter(|_| of_pair.next().is_none()).map_or(nothing, |term| nothing.seen(term));
        }
        let observed = if delta.is_nan() { in_input } else { delta };
        Self::new((a, b), observed, is_coupled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::test_data::Matrix;

    fn listed(known: &dyn KnownPairs, asked: Asked) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        asked_pairs(known, asked, |piece| {
            found.extend(piece.iter().map(|pair| (pair.a, pair.b)));
            Ok::<_, ()>(())
        })
        .unwrap();
        found
    }

    #[test]
    fn kinds_of_pairs_are_those_of_the_double_loop() {
        let is_missing = |a: usize, b: usize| (a + b).is_multiple_of(5);
        let matrix = Matrix::new(12, |a, b| if is_missing(a, b) { f64::NAN } else { 1.0 }).banded(3);
        let all = |keep: &dyn Fn(usize, usize) -> bool| -> Vec<(usize, usize)> {
            (0..12).flat_map(|a| (a + 1..12).map(move |b| (a, b))).filter(|&(a, b)| keep(a, b)).collect()
        };
        assert_eq!(listed(&matrix, Asked::Measured), all(&|a, b| !is_missing(a, b)));
        assert_eq!(listed(&matrix, Asked::Coupled), all(&|a, b| !is_missing(a, b) && b - a <= 3));
        assert_eq!(listed(&matrix, Asked::Missing), all(&is_missing));
        assert_eq!(n_asked(&matrix, Asked::Coupled), listed(&matrix, Asked::Coupled).len());
    }
}
