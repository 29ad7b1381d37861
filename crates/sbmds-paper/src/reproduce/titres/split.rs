//! Which rows are held out, and how they are scored.

use rand::seq::SliceRandom;
use sbmds::dissimilarity::{Titer, Titers};
use sbmds::random::{Purpose, stream};

use super::HeldOut;

/// Share of the rows, or of the pairs, that is held out.
const SHARE: f64 = 0.1;

/// Whether each row is held out. A row whose virus or serum would have none left stays.
pub(super) fn held_out(titers: &Titers, kind: HeldOut, seed: u64) -> Vec<bool> {
    let n_rows = titers.rows().len();
    let key = |row: usize| match kind {
        HeldOut::Rows => (row, 0),
        HeldOut::Pairs => (titers.rows()[row].virus, titers.rows()[row].serum),
    };
    let mut units: Vec<(usize, usize)> = (0..n_rows).map(key).collect();
    units.sort_unstable();
    units.dedup();
    units.shuffle(&mut stream(seed, 0, Purpose::Simulation));
    let n_wanted = (SHARE * units.len() as f64).round() as usize;
    let mut left = vec![0_usize; titers.names().len()];
    let ends = |row: usize| [titers.rows()[row].virus, titers.n_viruses() + titers.rows()[row].serum];
    (0..n_rows).flat_map(ends).for_each(|object| left[object] += 1);
    let mut is_held_out = vec![false; n_rows];
    let mut n_found = 0;
    for unit in units {
        if n_found == n_wanted {
            break;
        }
        let rows: Vec<usize> = (0..n_rows).filter(|&row| key(row) == unit).collect();
        let is_last = ends(rows[0]).iter().any(|&object| left[object] <= rows.len());
        if is_last {
            continue;
        }
        for row in rows {
            is_held_out[row] = true;
            ends(row).iter().for_each(|&object| left[object] -= 1);
        }
        n_found += 1;
    }
    is_held_out
}

/// Absolute errors of held-out rows.
#[derive(Default)]
pub(super) struct Score {
    n_numbers: f64,
    n_limits: f64,
    /// Of the written titre, mu - 1/2: the lower end of the interval around mu.
    of_written: f64,
    /// Of mu itself.
    of_mu: f64,
    /// How far written titres lie on the wrong side of limits.
    beyond_limits: f64,
    n_kept: f64,
}

impl Score {
    pub(super) const NAMES: [&'static str; 6] =
        ["error", "error_of_mu", "error_with_limits", "n_numbers", "n_limits", "limits_kept"];

    /// A row with its expected log2 titre mu.
    pub(super) fn add(&mut self, titer: Titer, mu: f64) {
        let (log2, written) = (titer.log2(), mu - 0.5);
        let beyond = match titer {
            Titer::Number(_) => {
                self.n_numbers += 1.0;
                self.of_written += (log2 - written).abs();
                self.of_mu += (log2 - mu).abs();
                return;
            }
            Titer::Below(_) => mu - log2,
            Titer::Above(_) => log2 - mu,
        };
        self.n_limits += 1.0;
        self.n_kept += f64::from(u8::from(beyond <= 0.0));
        self.beyond_limits += beyond.max(0.0);
    }

    pub(super) fn numbers(&self) -> Vec<f64> {
        let with_limits = (self.of_written + self.beyond_limits) / (self.n_numbers + self.n_limits);
        vec![
            self.of_written / self.n_numbers,
            self.of_mu / self.n_numbers,
            with_limits,
            self.n_numbers,
            self.n_limits,
            self.n_kept,
        ]
    }
}

#[cfg(test)]
mod tests {
    use sbmds::dissimilarity::TiterRow;

    use super::*;

    fn table() -> Titers {
        let names = |letter: &str, n: usize| (0..n).map(|k| format!("{letter}{k}")).collect::<Vec<_>>();
        let cells = (0..12).flat_map(|virus| (0..5).map(move |serum| (virus, serum)));
        // A last virus with a single titre.
        let rows = cells.chain([(0, 0), (0, 0), (12, 0)]);
        let rows = rows.map(|(virus, serum)| TiterRow { virus, serum, titer: Titer::Number(40.0) }).collect();
        Titers::new(&names("v", 13), &names("s", 5), rows).unwrap()
    }

    #[test]
    fn a_tenth_is_held_out_and_nobody_is_left_without() {
        let titers = table();
        for seed in 0..40 {
            let rows = held_out(&titers, HeldOut::Rows, seed);
            assert_eq!(rows.iter().filter(|is| **is).count(), 6);
            assert!(!rows[62] && titers.with_rows(|row| !rows[row]).is_ok());
            let pairs = held_out(&titers, HeldOut::Pairs, seed);
            // The repeats of a pair stay together.
            assert_eq!([pairs[0], pairs[0]], [pairs[60], pairs[61]]);
            assert!(titers.with_rows(|row| !pairs[row]).is_ok());
        }
        assert_ne!(held_out(&titers, HeldOut::Rows, 1), held_out(&titers, HeldOut::Rows, 2));
    }

    #[test]
    fn numbers_and_limits_are_scored_as_documented() {
        let mut score = Score::default();
        score.add(Titer::Number(64.0), 7.0);
        score.add(Titer::Below(32.0), 5.75);
        score.add(Titer::Below(32.0), 4.0);
        // |6 - 6.5|, |6 - 7|, (0.5 + 0.75 + 0) / 3
        assert_eq!(score.numbers(), [0.5, 1.0, 1.25 / 3.0, 1.0, 2.0, 1.0]);
    }
}
