//! A text file as numbered lines, read one at a time, with the encoding checked on the way.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::Path;

use super::error::{Fault, InputError, Place};

/// How much of a file is looked at to tell its format: more than two lines of any matrix that fits in memory.
const HEAD_BYTES: u64 = 1 << 22;

/// What follows the head of a file.
type Rest<'a> = Box<dyn Read + 'a>;

/// An opened file: its first bytes, and the rest to be streamed.
pub(super) struct Source<'a> {
    pub file: &'a str,
    /// Size in bytes; bounds what the file can hold before anything is allocated for it.
    pub size: u64,
    pub head: Vec<u8>,
    rest: Rest<'a>,
}

impl<'a> Source<'a> {
    /// Opens `path`; `file` is how messages call it.
    pub fn open(path: &Path, file: &'a str) -> Result<Self, InputError> {
        Self::try_open(path, file).map_err(|error| unreadable(&error).at(file, Place::File))
    }

    fn try_open(path: &Path, file: &'a str) -> io::Result<Self> {
        let mut opened = File::open(path)?;
        let metadata = opened.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if metadata.is_file() {
            return Self::start(file, metadata.len(), opened);
        }
        // A pipe has no size and cannot be reopened: hold what it delivers.
        let mut delivered = Vec::new();
        opened.read_to_end(&mut delivered)?;
        Self::start(file, delivered.len() as u64, Cursor::new(delivered))
    }

    #[cfg(test)]
    pub fn from_bytes(file: &'a str, bytes: &'a [u8]) -> Self {
        Self::start(file, bytes.len() as u64, bytes).expect("memory is readable")
    }

    fn start(file: &'a str, size: u64, mut rest: impl Read + 'a) -> io::Result<Self> {
        let mut head = Vec::new();
        rest.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        Ok(Self { file, size, head, rest: Box::new(rest) })
    }

    /// The file from its beginning, line by line.
    pub fn lines(self) -> Result<Lines<'a>, InputError> {
        if self.head.iter().all(u8::is_ascii_whitespace) && self.head.len() as u64 == self.size {
            return Err(Fault::new("the file is empty", "give a file with data").at(self.file, Place::File));
        }
        let reader = BufReader::with_capacity(1 << 16, Cursor::new(self.head).chain(self.rest));
        Ok(Lines { file: self.file, size: self.size, reader, number: 0, offset: 0, text: String::new() })
    }

    /// The whole file in memory, for pipes that deliver a binary array.
    pub fn into_bytes(self) -> Result<Vec<u8>, InputError> {
        let mut bytes = self.head;
        let mut rest = self.rest;
        rest.read_to_end(&mut bytes).map_err(|error| unreadable(&error).at(self.file, Place::File))?;
        Ok(bytes)
    }
}

/// The lines of a file, one in memory at a time.
pub(super) struct Lines<'a> {
    pub file: &'a str,
    pub size: u64,
    reader: BufReader<Chain<Cursor<Vec<u8>>, Rest<'a>>>,
    number: u64,
    offset: u64,
    text: String,
}

/// One line without its end, and its place.
#[derive(Clone, Copy)]
pub(super) struct Line<'l> {
    pub file: &'l str,
    pub number: u64,
    pub text: &'l str,
}

impl Lines<'_> {
    /// The next line, blank or not.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, InputError> {
        Ok(if self.advance()? { Some(self.current()) } else { None })
    }

    /// The next line that is not blank.
    pub fn next_filled(&mut self) -> Result<Option<Line<'_>>, InputError> {
        while self.advance()? {
            if !self.text.trim().is_empty() {
                return Ok(Some(self.current()));
            }
        }
        Ok(None)
    }

    /// An error that concerns the file as a whole.
    pub fn error(&self, fault: Fault) -> InputError {
        fault.at(self.file, Place::File)
    }

    fn current(&self) -> Line<'_> {
        Line { file: self.file, number: self.number, text: &self.text }
    }

    fn advance(&mut self) -> Result<bool, InputError> {
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        bytes.clear();
        let n_read = self.reader.read_until(b'\n', &mut bytes).map_err(|error| self.error(unreadable(&error)))?;
        self.number += 1;
        let mut start = self.offset;
        self.offset += n_read as u64;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        if start == 0 && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
            start += BYTE_ORDER_MARK.len() as u64;
        }
        self.text = String::from_utf8(bytes).map_err(|error| {
            let invalid = start + error.utf8_error().valid_up_to() as u64;
            not_utf8(invalid).at(self.file, Place::Line(self.number))
        })?;
        Ok(n_read > 0)
    }
}

/// What some editors put before UTF-8 text.
pub(super) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl Line<'_> {
    /// An error on this line.
    pub fn error(&self, fault: Fault) -> InputError {
        fault.at(self.file, Place::Line(self.number))
    }

    /// An error in cell `column` (counted from 1) of this line.
    pub fn error_in(&self, column: usize, fault: Fault) -> InputError {
        fault.at(self.file, Place::Cell(self.number, column as u64))
    }
}

fn not_utf8(offset: u64) -> Fault {
    Fault::new(
        format!("the text is not UTF-8 (byte {offset} of the file, counted from 0)"),
        "save the file as UTF-8, for example with: iconv -f LATIN1 -t UTF-8 (or -f UTF-16)",
    )
}

pub(super) fn unreadable(error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::NotFound => Fault::new("there is no such file", "check the path and its spelling"),
        io::ErrorKind::IsADirectory => Fault::new("this is a directory, not a file", "give the path of a file in it"),
        _ => Fault::new(format!("the file cannot be read: {error}"), "check the file and your permission to read it"),
    }
}
