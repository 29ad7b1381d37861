//! Which rows are held out, and how they are scored.

use rand::seq::SliceRandom;
use sbmds::dissimilarity::{Titer, Titers};
use sbmds::random::{Purpose, stream};

use super::HeldOut;

/// Share of the rows, or of the pairs, that is held out.
const SHARE: f64 = 0.1;

/// Whether each row is held out. A row stays if without it a virus or serum would have none left, or if numbers would tie fewer
/// objects to each other: of a group that only limits tie to the rest nobody can say where it is, and an uninformed prior puts it
/// dozens of units away.
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
    let whole = ties(titers, &vec![false; n_rows]);
    let (mut is_held_out, mut n_found) = (vec![false; n_rows], 0);
    for unit in units {
        if n_found == n_wanted {
            break;
        }
        let rows: Vec<usize> = (0..n_rows).filter(|&row| key(row) == unit).collect();
        rows.iter().for_each(|&row| is_held_out[row] = true);
        if ties(titers, &is_held_out) == whole {
            n_found += 1;
        } else {
            rows.iter().for_each(|&row| is_held_out[row] = false);
        }
    }
    is_held_out
}

/// The connected components of viruses and sera that are left, by numbers alone, and how many of them have a row at all.
fn ties(titers: &Titers, is_held_out: &[bool]) -> (usize, usize) {
    let n_objects = titers.names().len();
    let mut root: Vec<usize> = (0..n_objects).collect();
    let (mut n_components, mut has_row) = (n_objects, vec![false; n_objects]);
    for (row, _) in titers.rows().iter().zip(is_held_out).filter(|(_, is_held_out)| !**is_held_out) {
        let ends = [row.virus, titers.n_viruses() + row.serum];
        ends.iter().for_each(|&object| has_row[object] = true);
        let [a, b] = ends.map(|object| find(&mut root, object));
        if matches!(row.titer, Titer::Number(_)) && a != b {
            root[a] = b;
            n_components -= 1;
        }
    }
    (n_components, has_row.iter().filter(|has| **has).count())
}

/// The object that stands for the component of this one.
fn find(root: &mut [usize], mut object: usize) -> usize {
    while root[object] != object {
        root[object] = root[root[object]];
        object = root[object];
    }
    object
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

    /// Two blocks of four viruses and three sera, with one number and many limits between them.
    #[test]
    fn numbers_keep_the_table_together() {
        let names = |letter: &str, n: usize| (0..n).map(|k| format!("{letter}{k}")).collect::<Vec<_>>();
        let cells = (0..8_usize).flat_map(|virus| (0..6_usize).map(move |serum| (virus, serum)));
        let titer = |(virus, serum): (usize, usize)| match virus / 4 == serum / 3 || (virus, serum) == (0, 5) {
            true => Titer::Number(40.0),
            false => Titer::Below(10.0),
        };
        let rows: Vec<TiterRow> =
            cells.map(|cell| TiterRow { virus: cell.0, serum: cell.1, titer: titer(cell) }).collect();
        let bridge = rows.iter().position(|row| (row.virus, row.serum) == (0, 5)).unwrap();
        let titers = Titers::new(&names("v", 8), &names("s", 6), rows).unwrap();
        for seed in 0..40 {
            let kinds = [HeldOut::Rows, HeldOut::Pairs];
            assert!(kinds.iter().all(|kind| !held_out(&titers, *kind, seed)[bridge]), "seed {seed}");
        }
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
