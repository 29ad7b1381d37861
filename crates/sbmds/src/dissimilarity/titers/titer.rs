//! One titre as it is written: `640`, `<40`, `>1280`, `*`.

use super::super::error::{Fault, shortened};
use super::super::style::Style;

/// A titre, raw: not a logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Titer {
    /// A number.
    Number(f64),
    /// Less than this dilution still inhibits: `<40`.
    Below(f64),
    /// The last dilution still inhibits: `>1280`.
    Above(f64),
}

impl Titer {
    /// Base-2 logarithm of the number or limit.
    pub fn log2(self) -> f64 {
        let (Self::Number(value) | Self::Below(value) | Self::Above(value)) = self;
        value.log2()
    }

    /// Base-2 logarithm of the number, if it is one.
    pub fn number_log2(self) -> Option<f64> {
        matches!(self, Self::Number(_)).then(|| self.log2())
    }

    /// Whether a number is one of a twofold series: 10, 20, 40, ... or 8, 16, 32, ...
    pub fn is_on_grid(self) -> bool {
        let Self::Number(value) = self else { return false };
        let is_whole = |steps: f64| (steps - steps.round()).abs() < 1e-9;
        is_whole((value / 10.0).log2()) || is_whole(value.log2())
    }
}

impl std::fmt::Display for Titer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Below(limit) => write!(f, "<{limit}"),
            Self::Above(limit) => write!(f, ">{limit}"),
        }
    }
}

/// Reads a cell; `None` if nothing was measured.
pub(super) fn parse(cell: &str, style: Style) -> Result<Option<Titer>, Fault> {
    let cell = cell.trim();
    if cell.is_empty() || cell == "*" || cell == "." {
        return Ok(None);
    }
    let (kind, number): (fn(f64) -> Titer, &str) = match cell.as_bytes()[0] {
        b'<' => (Titer::Below, &cell[1..]),
        b'>' => (Titer::Above, &cell[1..]),
        _ => (Titer::Number, cell),
    };
    let value = style.number(number.trim()).map_err(|_| not_a_titer(cell))?;
    if value.is_nan() {
        return if number.len() == cell.len() { Ok(None) } else { Err(not_a_titer(cell)) };
    }
    if value.is_infinite() {
        return Err(not_a_titer(cell));
    }
    if value <= 0.0 {
        let problem = format!("\"{}\" is no titre: titres are above zero, and not logarithms", shortened(cell));
        return Err(Fault::new(problem, "write <10 if the lowest dilution was 10, * if nothing was measured"));
    }
    Ok(Some(kind(value)))
}

fn not_a_titer(cell: &str) -> Fault {
    let problem = format!("\"{}\" is no titre", shortened(cell));
    Fault::new(
        problem,
        "write a number, <40, >1280, or * for a pair that was not measured; repeats go in lines of the long form",
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::table::Delimiter;
    use super::*;

    #[test]
    fn numbers_limits_and_gaps_are_told_apart() {
        let style = Style { delimiter: Delimiter::Byte(b','), decimal_comma: false, negative: false };
        let read = |cell| parse(cell, style);
        assert_eq!(read("640"), Ok(Some(Titer::Number(640.0))));
        assert_eq!(read(" 629.5 "), Ok(Some(Titer::Number(629.5))));
        assert_eq!(read("<40"), Ok(Some(Titer::Below(40.0))));
        assert_eq!(read("> 1280"), Ok(Some(Titer::Above(1280.0))));
        for gap in ["*", "", ".", "NA"] {
            assert_eq!(read(gap), Ok(None), "{gap}");
        }
        for wrong in ["0", "-3", "<0", "<", ">>10", "80/160", "<*", "inf", "<NA", "40<"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_grid_starts_at_ten_or_at_eight() {
        for (value, is_on_grid) in
            [(10.0, true), (5.0, true), (1280.0, true), (32.0, true), (4096.0, true), (230.0, false)]
        {
            assert_eq!(Titer::Number(value).is_on_grid(), is_on_grid, "{value}");
        }
        assert!(!Titer::Below(40.0).is_on_grid());
    }
}
