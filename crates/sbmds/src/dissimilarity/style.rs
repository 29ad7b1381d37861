//! How a text writes its cells and numbers: the delimiter, and whether commas are decimal points.

use std::borrow::Cow;

use super::cell::{check_dissimilarity, parse_number};
use super::error::{Fault, InputError, brief};
use super::table::{Cells, Delimiter, first_lines};
use super::text::{Line, Source};

/// How many lines are looked at to tell decimal commas.
const LINES: usize = 1000;

/// The delimiter of the cells and the decimal point of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub delimiter: Delimiter,
    /// Whether numbers are written `0,93`.
    pub decimal_comma: bool,
    /// Whether dissimilarities may be negative.
    pub negative: bool,
}

impl Style {
    /// Told from the first lines of the table.
    pub fn detect(source: &Source<'_>) -> Self {
        Self::of(source.table())
    }

    /// Told from the beginning of a table.
    pub fn of(head: &[u8]) -> Self {
        Self::with(head, Delimiter::detect(head))
    }

    /// With this delimiter.
    pub fn with(head: &[u8], delimiter: Delimiter) -> Self {
        let may_be = delimiter != Delimiter::Byte(b',') && head.contains(&b',');
        Self { delimiter, decimal_comma: may_be && has_decimal_commas(head, delimiter), negative: false }
    }

    /// The same, where dissimilarities may be negative.
    pub fn allowing_negative(self, negative: bool) -> Self {
        Self { negative, ..self }
    }

    /// The cells of `text`, trimmed and without quotes.
    pub fn split(self, text: &str) -> Cells<'_> {
        self.delimiter.split(text)
    }

    /// All cells of a line.
    pub fn cells<'l>(self, line: &Line<'l>) -> Result<Vec<Cow<'l, str>>, InputError> {
        self.delimiter.cells(line)
    }

    /// Reads a cell as any number; NaN when it is missing.
    pub fn number(self, cell: &str) -> Result<f64, Fault> {
        if self.decimal_comma && is_decimal_comma(cell) {
            return parse_number(&cell.replace(',', "."));
        }
        parse_number(cell)
    }

    /// Reads a cell as a dissimilarity: zero or more, finite, or NaN when it is missing.
    pub fn dissimilarity(self, cell: &str) -> Result<f64, Fault> {
        let value = self.number(cell)?;
        // Noise that admits negative numbers treats both signs alike.
        check_dissimilarity(if self.negative { value.abs() } else { value })?;
        Ok(value)
    }

    /// Whether a cell holds a number or is missing.
    pub fn is_value(self, cell: &str) -> bool {
        self.number(cell).is_ok()
    }

    /// What the user should know about the numbers.
    pub fn note(self, file: &str) -> Option<String> {
        self.decimal_comma
            .then(|| format!("{}: numbers are written with decimal commas (0,5 is read as 0.5)", brief(file)))
    }
}

/// Whether the numbers below the first line have decimal commas. A column that holds `817` beside `3,313` has thousands
/// separators instead.
fn has_decimal_commas(head: &[u8], delimiter: Delimiter) -> bool {
    let mut columns: Vec<Column> = Vec::new();
    for line in first_lines(head).take(LINES) {
        let line = String::from_utf8_lossy(line);
        for (column, cell) in delimiter.split(&line).map_while(Result::ok).enumerate() {
            if columns.len() <= column {
                columns.resize_with(column + 1, Column::default);
            }
            columns[column].look_at(&cell);
        }
    }
    let with_commas = || columns.iter().filter(|column| column.decimal_commas > 0);
    with_commas().next().is_some() && !with_commas().any(Column::has_thousands) && !columns.iter().any(|c| c.points > 0)
}

/// What the numbers of a column look like.
#[derive(Default)]
struct Column {
    decimal_commas: usize,
    /// Among them, those that thousands separators would explain as well.
    like_thousands: usize,
    whole: usize,
    points: usize,
}

impl Column {
    fn look_at(&mut self, cell: &str) {
        let is_number = cell.parse::<f64>().is_ok();
        if is_decimal_comma(cell) {
            self.decimal_commas += 1;
            self.like_thousands += usize::from(is_thousands(cell));
        } else if is_number && cell.contains('.') {
            self.points += 1;
        } else if is_number && cell.bytes().all(|byte| byte.is_ascii_digit()) && cell.bytes().any(|byte| byte != b'0') {
            self.whole += 1;
        }
    }

    fn has_thousands(&self) -> bool {
        self.whole > 0 && self.like_thousands == self.decimal_commas
    }
}

/// Whether a cell is a number with one comma where others write a point.
pub(super) fn is_decimal_comma(cell: &str) -> bool {
    let Some((whole, fraction)) = cell.split_once(',') else { return false };
    let digits = whole.trim_start_matches(['-', '+']);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa = fraction.split(['e', 'E']).next().unwrap_or_default();
    is_digits(digits) && is_digits(mantissa) && format!("{whole}.{fraction}").parse::<f64>().is_ok()
}

/// Whether a cell is a number whose thousands are set apart by `,`, `.`, `'` or blanks: 3,313 or 1.234,5.
pub(super) fn is_thousands(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['-', '+']);
    let separated = |separator: char, point: char| {
        let (whole, fraction) = digits.split_once(point).unwrap_or((digits, "0"));
        let groups: Vec<&str> = whole.split(separator).collect();
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        groups.len() > 1
            && are_digits(fraction)
            && !groups[0].is_empty()
            && groups[0].len() <= 3
            && !groups[0].starts_with('0')
            && are_digits(groups[0])
            && groups[1..].iter().all(|group| group.len() == 3 && are_digits(group))
    };
    separated(',', '.')
        || separated('\'', '.')
        || separated('\u{a0}', '.')
        || (digits.contains(',') && separated('.', ','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_commas_are_told_from_thousands() {
        for (text, expected) in [
            (";a;b\na;0;0,93\nb;0,93;0\n", true),
            ("\ta\tb\na\t0\t1,5e-3\nb\t1,5e-3\t0\n", true),
            ("a b 1,5\na c 2\n", true),
            (";a;b\na;0;1,234\nb;1,234;0\n", true),
            (";a;b;c\na;0;817;3,313\nb;817;0;900\nc;3,313;900;0\n", false),
            (";a;b\na;0;1.5\nb;0,5;0\n", false),
            (",a,b\na,0,1\nb,1,0\n", false),
            (";a,1;b\na,1;0;1\nb;1;0\n", false),
        ] {
            assert_eq!(Style::of(text.as_bytes()).decimal_comma, expected, "{text}");
        }
    }

    #[test]
    fn thousands_are_recognised() {
        for cell in ["3,313", "-1,234,567.5", "1.234,5", "12'345", "1\u{a0}000"] {
            assert!(is_thousands(cell), "{cell}");
        }
        for cell in ["0,931", "1,5", "1.234", "1234,567", "a,bcd", "", ",123"] {
            assert!(!is_thousands(cell), "{cell}");
        }
    }
}
