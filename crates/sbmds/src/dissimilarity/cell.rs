//! One number of a file: what counts as missing and what cannot be a dissimilarity.

use super::error::{Fault, brief, shortened};
use super::style::{is_decimal_comma, is_thousands};

/// The largest dissimilarity, feature or coordinate: squares of larger ones overflow when summed.
pub(super) const LARGEST: f64 = 1e150;

/// Reads a cell as any number; NaN when it is missing.
pub(super) fn parse_number(cell: &str) -> Result<f64, Fault> {
    match cell.parse::<f64>() {
        Ok(value) => Ok(value),
        Err(_) if is_missing(cell) => Ok(f64::NAN),
        Err(_) => Err(not_a_number(cell)),
    }
}

/// What is wrong with a cell that is no number: the sign or separator that is in the way, if it is a usual one.
fn not_a_number(cell: &str) -> Fault {
    let shown = shortened(cell);
    let is_number = |text: &str| text.trim().parse::<f64>().is_ok();
    if cell.strip_suffix('%').is_some_and(is_number) {
        return Fault::new(format!("\"{shown}\" has a percent sign"), "write numbers without it in every cell");
    }
    if is_thousands(cell) {
        let problem = format!("\"{shown}\" has a thousands separator");
        return Fault::new(problem, "write numbers without it: 3313, not 3,313");
    }
    if is_decimal_comma(cell) {
        let problem = format!("\"{shown}\" has a decimal comma");
        return Fault::new(problem, "write numbers with a decimal point, or separate the cells by semicolons");
    }
    if cell.strip_prefix(['<', '>']).is_some_and(is_number) {
        let problem = format!("\"{shown}\" is a limit, not a number");
        return Fault::new(problem, "give limits in an edge list (name,name,value), or titres with `titers`");
    }
    Fault::new(
        format!("\"{shown}\" is not a number"),
        "write numbers with a decimal point, and leave the cell empty (or NA) when there is no value",
    )
}

/// `value`, if it can be a dissimilarity (NaN is a missing one).
pub(super) fn check_dissimilarity(value: f64) -> Result<f64, Fault> {
    if value.is_infinite() {
        return Err(Fault::new(
            format!("{value} is infinite; dissimilarities must be finite"),
            "leave the cell empty (NaN in a .npy) if the pair was not measured",
        ));
    }
    if value > LARGEST {
        return Err(Fault::new(
            format!("{value:e} is too large; squares of dissimilarities beyond {LARGEST:e} overflow"),
            "correct the value, or divide all by a common number",
        ));
    }
    if value < 0.0 {
        return Err(Fault::new(
            format!("{value} is negative; dissimilarities must be zero or more"),
            "correct the value, or turn similarities into dissimilarities first",
        ));
    }
    Ok(value)
}

/// `value`, if the diagonal may hold it.
pub(super) fn check_diagonal(value: f64) -> Result<(), Fault> {
    if value.is_nan() || value == 0.0 {
        return Ok(());
    }
    Err(Fault::new(
        format!("{value} stands on the diagonal; the dissimilarity of an object to itself is 0"),
        "set the diagonal to 0 or leave it empty, and check that the table holds dissimilarities, not similarities",
    ))
}

/// How two readings of one pair go together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Agreement {
    /// Equal up to the rounding of printed numbers: the first counts.
    Equal,
    /// As near as sums in single precision, in another order, are: the mean counts. Holds the relative gap.
    Near(f64),
    /// They contradict each other.
    Different,
}

/// Compares two readings of one pair. A missing one contradicts nothing.
pub(super) fn compare(first: f64, second: f64) -> Agreement {
    let (gap, size) = ((first - second).abs(), first.abs().max(second.abs()));
    if gap.is_nan() || gap <= 1e-9 || gap <= 1e-6 * size {
        Agreement::Equal
    } else if gap <= 1e-4 * size {
        Agreement::Near(gap / size)
    } else {
        Agreement::Different
    }
}

/// The mean of two readings.
pub(super) fn mean(first: f64, second: f64) -> f64 {
    0.5 * first + 0.5 * second
}

/// The pairs of which the mean of two readings counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Averaged {
    pub n_pairs: usize,
    pub largest_gap: f64,
}

impl Averaged {
    pub fn add(&mut self, gap: f64) {
        *self = self.and(Self { n_pairs: 1, largest_gap: gap });
    }

    pub fn and(self, other: Self) -> Self {
        Self { n_pairs: self.n_pairs + other.n_pairs, largest_gap: self.largest_gap.max(other.largest_gap) }
    }

    /// What the user should know.
    pub fn warning(self, file: &str) -> Option<String> {
        let pairs = if self.n_pairs == 1 { "pair has" } else { "pairs have" };
        (self.n_pairs > 0).then(|| {
            format!(
                "{}: {} {pairs} two values that differ by up to {:.1e} of their size; the mean is used",
                brief(file),
                self.n_pairs,
                self.largest_gap
            )
        })
    }
}

/// The fault of a pair whose two readings disagree.
pub(super) fn asymmetric(here: f64, mirrored: f64) -> Fault {
    Fault::new(
        format!("{here} here, but {mirrored} in the other direction; dissimilarities must be symmetric"),
        "correct one of the two, leave one of them empty, or average them",
    )
}

/// Whether a cell says that there is no value: empty, NA, N/A, ?, or dashes alone.
/// (NaN in any case is a number to Rust, so it needs no mention.)
pub(super) fn is_missing(cell: &str) -> bool {
    matches!(cell, "" | "NA" | "N/A" | "?") || cell.bytes().all(|byte| byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_cells_are_nan() {
        for cell in ["", "NA", "NaN", "nan", "N/A", "?", "-", "--"] {
            assert!(parse_number(cell).and_then(check_dissimilarity).unwrap().is_nan(), "{cell:?}");
        }
    }

    #[test]
    fn numbers_whose_squares_overflow_are_refused() {
        assert_eq!(parse_number("1e150").and_then(check_dissimilarity).unwrap(), 1e150);
        for cell in ["1.1e150", "1e308"] {
            let problem = parse_number(cell).and_then(check_dissimilarity).unwrap_err().problem;
            assert!(problem.contains("too large"), "{problem}");
        }
    }

    #[test]
    fn agreement_is_up_to_rounding() {
        for (first, second) in [(1.0, 1.0 + 0.9e-6), (0.0, 1e-9), (1e6, 1e6 + 0.9), (f64::NAN, 1.0)] {
            assert_eq!(compare(first, second), Agreement::Equal);
        }
        for (first, second) in [(1.0, 1.0 + 1.1e-6), (1e6, 1e6 - 99.0), (1.2, 1.20001)] {
            assert!(matches!(compare(first, second), Agreement::Near(_)), "{first} {second}");
        }
        for (first, second) in [(0.0, 1.1e-9), (1.0, 1.00011), (3.0, 4.0)] {
            assert_eq!(compare(first, second), Agreement::Different);
        }
    }

    #[test]
    fn what_is_in_the_way_of_a_number_is_named() {
        for (cell, expected) in [
            ("12%", "\"12%\" has a percent sign"),
            ("3,313", "\"3,313\" has a thousands separator"),
            ("1.234,5", "\"1.234,5\" has a thousands separator"),
            ("0,93", "\"0,93\" has a decimal comma"),
            ("<10", "\"<10\" is a limit, not a number"),
            ("far", "\"far\" is not a number"),
        ] {
            assert_eq!(parse_number(cell).unwrap_err().problem, expected);
        }
    }
}
