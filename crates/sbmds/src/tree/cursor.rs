//! Reading a tree's text piece by piece: names, numbers, comments, and where they stand.

use super::error::Fault;

/// A position in the text, moved forward by reading.
#[derive(Clone)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

/// What ends an unquoted name in a tree. Blanks inside it are part of it; the end of a line is not.
const NAME_ENDS: &[u8] = b"()[]:;,\r\n";

impl<'t> Cursor<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The same text from byte `at`.
    pub fn moved_to(&self, at: usize) -> Self {
        Self { text: self.text, at }
    }

    /// How many bytes were read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next byte.
    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Reads `byte` (ASCII) if it is next.
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// What is next, for a message.
    pub fn next_shown(&self) -> String {
        match self.text[self.at..].chars().next() {
            Some(next) => format!("'{}'", next.escape_debug()),
            None => "the end of the file".into(),
        }
    }

    pub fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Skips blanks and hands every comment on the way, without its brackets, to `keep`.
    pub fn skip_comments(&mut self, mut keep: impl FnMut(&'t str)) -> Result<(), Fault> {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'[') {
                return Ok(());
            }
            keep(self.comment()?);
        }
    }

    /// The inside of the comment that starts here. Comments nest.
    fn comment(&mut self) -> Result<&'t str, Fault> {
        let mut depth = 0_usize;
        for (offset, byte) in self.text.as_bytes()[self.at..].iter().enumerate() {
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => continue,
            }
            if depth == 0 {
                let inside = &self.text[self.at + 1..self.at + offset];
                self.at += offset + 1;
                return Ok(inside);
            }
        }
        Err(Fault::new(self.at, "this comment or annotation has no end", "close it with ']'"))
    }

    /// A quoted or unquoted name, if one is next.
    pub fn name(&mut self) -> Result<Option<String>, Fault> {
        self.name_before(NAME_ENDS)
    }

    /// The same with other bytes that end an unquoted name.
    pub fn name_before(&mut self, ends: &[u8]) -> Result<Option<String>, Fault> {
        match self.peek() {
            Some(quote @ (b'\'' | b'"')) => self.quoted(quote).map(Some),
            _ => {
                let name = self.until(ends).trim_end();
                Ok((!name.is_empty()).then(|| name.to_owned()))
            }
        }
    }

    /// The text up to the next of `ends` (ASCII), or all that is left.
    pub fn until(&mut self, ends: &[u8]) -> &'t str {
        let rest = &self.text[self.at..];
        let length = rest.bytes().position(|byte| ends.contains(&byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// A name in quotes; a quote inside is doubled.
    fn quoted(&mut self, quote: u8) -> Result<String, Fault> {
        let start = self.at;
        let mut name = String::new();
        loop {
            self.at += 1;
            name.push_str(self.until(&[quote]));
            if !self.take(quote) {
                return Err(Fault::new(start, "this quoted name has no end", "close it with the same quote"));
            }
            if self.peek() != Some(quote) {
                return Ok(name);
            }
            name.push(char::from(quote));
        }
    }

    /// Skips the rest of a statement and its semicolon.
    pub fn skip_statement(&mut self) -> Result<(), Fault> {
        loop {
            self.skip_comments(|_| ())?;
            if self.peek().is_none() || self.take(b';') {
                return Ok(());
            }
            if self.name()?.is_none() {
                // One of the other bytes that end names.
                self.at += 1;
            }
        }
    }
}
