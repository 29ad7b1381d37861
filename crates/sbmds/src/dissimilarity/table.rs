//! Lines split into cells: commas, tabs, semicolons or blanks, with or without quotes.

use std::borrow::Cow;

use super::error::{Fault, InputError};
use super::text::{BYTE_ORDER_MARK, Line};

/// What separates the cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delimiter {
    /// This byte; two in a row enclose an empty cell.
    Byte(u8),
    /// Any run of blanks.
    Blanks,
}

impl Delimiter {
    /// Told from the first two filled lines of `head`: what cuts both into equally many cells, or the second into one
    /// more (as in R's tables); failing that, what cuts them into most.
    pub fn detect(head: &[u8]) -> Self {
        let lines: Vec<_> = first_lines(head).take(2).map(String::from_utf8_lossy).collect();
        let score = |delimiter: &Self| {
            let counts: Vec<usize> =
                lines.iter().map(|line| delimiter.split(line).map_while(Result::ok).count()).collect();
            match counts[..] {
                [first, second] => {
                    let is_table = first > 1 && (second == first || second == first + 1);
                    // Names hold blanks more often than other delimiters.
                    (is_table, *delimiter != Self::Blanks, first.min(second) > 1, first + second)
                }
                _ => (false, *delimiter != Self::Blanks, false, counts.iter().sum()),
            }
        };
        let bytes = [b',', b';', b'\t'].map(Self::Byte);
        // On a tie the last wins: the character that is rarer in names.
        let best = bytes.into_iter().chain([Self::Blanks]).max_by_key(score).unwrap_or(Self::Blanks);
        let cuts = |line: &Cow<'_, str>| best.split(line).map_while(Result::ok).nth(1).is_some();
        if lines.iter().any(cuts) { best } else { Self::Blanks }
    }

    /// The cells of `text`, trimmed and without quotes.
    pub fn split(self, text: &str) -> Cells<'_> {
        Cells { delimiter: self, rest: Some(text) }
    }

    /// All cells of a line.
    pub fn cells<'l>(self, line: &Line<'l>) -> Result<Vec<Cow<'l, str>>, InputError> {
        let mut cells = Vec::new();
        for (index, cell) in self.split(line.text).enumerate() {
            cells.push(cell.map_err(|fault| line.error_in(index + 1, fault))?);
        }
        Ok(cells)
    }
}

/// The filled lines of `head`; the last may be cut short.
pub(super) fn first_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    head.split(|&byte| byte == b'\n').filter(|line| !line.iter().all(u8::is_ascii_whitespace))
}

/// The cells of one line.
pub(super) struct Cells<'l> {
    delimiter: Delimiter,
    rest: Option<&'l str>,
}

impl<'l> Iterator for Cells<'l> {
    type Item = Result<Cow<'l, str>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest?;
        let start = match self.delimiter {
            Delimiter::Blanks => rest.trim_start(),
            // Not any white space: the delimiter itself may be a tab.
            Delimiter::Byte(_) => rest.trim_start_matches(' '),
        };
        if self.delimiter == Delimiter::Blanks && start.is_empty() {
            self.rest = None;
            return None;
        }
        if let Some(quoted) = start.strip_prefix('"') {
            return Some(self.quoted(quoted));
        }
        let (cell, rest) = self.cut(start);
        self.rest = rest;
        Some(Ok(Cow::Borrowed(cell.trim_end())))
    }
}

impl<'l> Cells<'l> {
    /// What stands before the next delimiter, and what after it.
    fn cut(&self, text: &'l str) -> (&'l str, Option<&'l str>) {
        let found = match self.delimiter {
            // A byte below 128 is a whole character, so slicing beside it is sound.
            Delimiter::Byte(delimiter) => text.bytes().position(|byte| byte == delimiter).map(|end| (end, 1)),
            Delimiter::Blanks => {
                text.char_indices().find(|(_, c)| c.is_whitespace()).map(|(end, c)| (end, c.len_utf8()))
            }
        };
        match found {
            Some((end, width)) => (&text[..end], Some(&text[end + width..])),
            None => (text, None),
        }
    }

    /// The rest of a cell that opened with a quote; two quotes inside stand for one.
    fn quoted(&mut self, text: &'l str) -> Result<Cow<'l, str>, Fault> {
        self.rest = None;
        let bytes = text.as_bytes();
        let mut end = 0;
        let mut doubled = false;
        loop {
            match (bytes.get(end), bytes.get(end + 1)) {
                (None, _) => return Err(open_quote()),
                (Some(b'"'), Some(b'"')) => {
                    doubled = true;
                    end += 2;
                }
                (Some(b'"'), _) => break,
                _ => end += 1,
            }
        }
        let (after, rest) = self.cut(&text[end + 1..]);
        if !after.trim().is_empty() {
            return Err(open_quote());
        }
        self.rest = rest;
        let cell = text[..end].trim();
        Ok(if doubled { Cow::Owned(cell.replace("\"\"", "\"")) } else { Cow::Borrowed(cell) })
    }
}

fn open_quote() -> Fault {
    Fault::new(
        "a quoted cell does not end with a quote",
        "close the quote on the same line, and double a quote that is part of a name",
    )
}

#[cfg(test)]
mod tests {
    use super::Delimiter::{self, Blanks, Byte};

    fn split(delimiter: Delimiter, text: &str) -> Vec<String> {
        delimiter.split(text).map(|cell| cell.unwrap().into_owned()).collect()
    }

    #[test]
    fn cells_are_trimmed_and_unquoted() {
        assert_eq!(split(Byte(b','), "a, b ,\"c, d\",\"e \"\"f\"\"\" ,"), ["a", "b", "c, d", "e \"f\"", ""]);
        assert_eq!(split(Byte(b'\t'), "\t 1.0\t 2"), ["", "1.0", "2"]);
        assert_eq!(split(Blanks, "  a  \"b c\"\t d "), ["a", "b c", "d"]);
        assert_eq!(split(Byte(b','), ""), [""]);
        assert!(split(Blanks, " ").is_empty());
    }

    #[test]
    fn broken_quotes_are_faults() {
        for text in ["\"a", "\"a\"b,c", "a,\""] {
            assert!(Byte(b',').split(text).any(|cell| cell.is_err()), "{text}");
        }
    }

    #[test]
    fn delimiter_is_the_one_on_both_lines() {
        assert_eq!(Delimiter::detect(b"x;y\nx;y,1\n"), Byte(b';'));
        assert_eq!(Delimiter::detect(b"\xef\xbb\xbfTAXA\ta,b\tc\n\na,b\t0\t1"), Byte(b'\t'));
        assert_eq!(Delimiter::detect(b",\"a;;;;\",b\n\"a;;;;\",0,1"), Byte(b','));
        assert_eq!(Delimiter::detect(b"a b c\na 0 1 2"), Blanks);
        assert_eq!(Delimiter::detect(b"A,x B,y C,z\nA,x 0 1 2"), Blanks);
        assert_eq!(Delimiter::detect(b"a,b\na\n"), Byte(b','));
        assert_eq!(Delimiter::detect(b"a b,c d\n1 2,3 4\n"), Byte(b','));
        assert_eq!(Delimiter::detect(b""), Blanks);
    }
}
