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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissimilarity::TiterRow;

    /// What numbers and limits of one serum are read as.
    fn read(titers: &[Titer], reading: Reading) -> Vec<Observation> {
        let viruses: Vec<String> = (0..titers.len()).map(|k| format!("v{k}")).collect();
        let rows = titers.iter().enumerate().map(|(virus, &titer)| TiterRow { virus, serum: 0, titer }).collect();
        observations(&Titers::new(&viruses, &["s".into()], rows).unwrap(), reading)
    }

    fn close(found: Observation, expected: Observation) {
        let ends = |seen: Observation| match seen {
            Observation::Exact(x) | Observation::Below(x) | Observation::Above(x) => (x, x),
            Observation::Within(low, high) => (low, high),
        };
        assert_eq!(std::mem::discriminant(&found), std::mem::discriminant(&expected), "{found} for {expected}");
        let (found, expected) = (ends(found), ends(expected));
        assert!((found.0 - expected.0).abs() < 1e-12 && (found.1 - expected.1).abs() < 1e-12, "{found:?} {expected:?}");
    }

    /// 32, 512 and 4096 are of the series 8, 16, 32, ...; 230 and 1230 are means, of no series.
    #[test]
    fn auto_reads_steps_of_both_series_and_means_between_them() {
        let ten = 10.0_f64.log2();
        let cases = [
            (Titer::Number(10.0), Observation::Within(ten, ten + 1.0)),
            (Titer::Number(1280.0), Observation::Within(ten + 7.0, ten + 8.0)),
            (Titer::Number(32.0), Observation::Within(5.0, 6.0)),
            (Titer::Number(512.0), Observation::Within(9.0, 10.0)),
            (Titer::Number(4096.0), Observation::Within(12.0, 13.0)),
            (Titer::Number(230.0), Observation::Exact(230.0_f64.log2() + 0.5)),
            (Titer::Number(1230.0), Observation::Exact(1230.0_f64.log2() + 0.5)),
            (Titer::Below(40.0), Observation::Below(ten + 2.0)),
            (Titer::Above(1280.0), Observation::Above(ten + 7.0)),
        ];
        let titers = cases.map(|(titer, _)| titer);
        read(&titers, Reading::Auto).into_iter().zip(cases).for_each(|(found, (_, expected))| close(found, expected));
        for (titer, found) in titers.into_iter().zip(read(&titers, Reading::Interval)) {
            if titer.number_log2().is_some() {
                close(found, Observation::Within(titer.log2(), titer.log2() + 1.0));
            }
        }
        for (titer, found) in titers.into_iter().zip(read(&titers, Reading::Exact)) {
            if titer.number_log2().is_some() {
                close(found, Observation::Exact(titer.log2()));
            }
        }
    }

    /// Where most numbers lie on no series, all are read exactly; half of them is not most.
    #[test]
    fn auto_reads_exactly_where_most_numbers_are_of_no_series() {
        let titers = [Titer::Number(10.0), Titer::Number(230.0), Titer::Below(40.0)];
        let found = read(&titers, Reading::Auto);
        close(found[0], Observation::Exact(10.0_f64.log2()));
        close(found[1], Observation::Exact(230.0_f64.log2()));
        close(found[2], Observation::Below(40.0_f64.log2()));
    }
}
