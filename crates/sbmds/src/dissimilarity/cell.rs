//! One number of a file: what counts as missing and what cannot be a dissimilarity.

use super::error::{Fault, shortened};

/// The largest dissimilarity, feature or coordinate: squares of larger ones overflow when summed.
pub(super) const LARGEST: f64 = 1e150;

/// Reads a cell as any number; NaN when it is missing.
pub(super) fn parse_number(cell: &str) -> Result<f64, Fault> {
    match cell.parse::<f64>() {
        Ok(value) => Ok(value),
        Err(_) if is_missing(cell) => Ok(f64::NAN),
        Err(_) => Err(Fault::new(
            format!("\"{}\" is not a number", shortened(cell)),
            "write numbers with a decimal point, and leave the cell empty (or NA) when there is no value",
        )),
    }
}

/// Reads a cell as a dissimilarity: zero or more, finite, or NaN when it is missing.
pub(super) fn parse_dissimilarity(cell: &str) -> Result<f64, Fault> {
    check_dissimilarity(parse_number(cell)?)
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

/// Whether two readings of one pair agree up to the rounding of printed numbers.
pub(super) fn agree(first: f64, second: f64) -> bool {
    let gap = (first - second).abs();
    gap <= 1e-9 || gap <= 1e-6 * first.abs().max(second.abs())
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
            assert!(parse_dissimilarity(cell).unwrap().is_nan(), "{cell:?}");
        }
    }

    #[test]
    fn numbers_whose_squares_overflow_are_refused() {
        assert_eq!(parse_dissimilarity("1e150").unwrap(), 1e150);
        for cell in ["1.1e150", "1e308"] {
            let problem = parse_dissimilarity(cell).unwrap_err().problem;
            assert!(problem.contains("too large"), "{problem}");
        }
    }

    #[test]
    fn agreement_is_up_to_rounding() {
        assert!(agree(1.0, 1.0 + 0.9e-6) && agree(0.0, 1e-9) && agree(1e6, 1e6 + 0.9));
        assert!(!agree(1.0, 1.0 + 1.1e-6) && !agree(0.0, 1.1e-9));
    }
}
