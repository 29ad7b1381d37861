//! A text file as numbered lines, read one at a time, with the encoding checked on the way.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::Path;

use super::comments::Comments;
use super::error::{Fault, FilePosition, InputError};
use super::in_memory::SharedBytes;
use super::nearest;
use super::origin::Origin;

/// How much of a file is looked at to tell its format: more than two lines of any matrix that fits in memory.
const HEAD_BYTES: u64 = 1 << 22;

/// An opened file: its first bytes, and the rest to be streamed.
pub(super) struct Source<'a> {
    pub file: &'a str,
    /// Size in bytes, unpacked; bounds what the file can hold before anything is allocated for it.
    pub size: u64,
    pub head: Vec<u8>,
    origin: Origin,
    is_packed: bool,
    rest: Box<dyn Read>,
    comments: Option<Comments>,
    /// Bytes and lines of comments above the table.
    skipped: (usize, u64),
}

impl<'a> Source<'a> {
    /// Opens `path`; `file` is how messages call it.
    pub fn open(path: &Path, file: &'a str) -> Result<Self, InputError> {
        let origin = Origin::open(path).map_err(|error| unreadable_at(path, &error).at(file, FilePosition::File))?;
        Self::from_origin(path, file, origin)
    }

    /// Opens what was found at `path`.
    pub fn from_origin(path: &Path, file: &'a str, origin: Origin) -> Result<Self, InputError> {
        Self::start(file, origin).map_err(|error| unreadable_at(path, &error).at(file, FilePosition::File))
    }

    #[cfg(test)]
    pub fn from_bytes(file: &'a str, bytes: &[u8]) -> Self {
        Self::from_origin(Path::new(file), file, Origin::Bytes(std::sync::Arc::new(bytes.to_vec())))
            .expect("memory is readable")
    }

    fn start(file: &'a str, origin: Origin) -> io::Result<Self> {
        let is_packed = origin.is_gzip()?;
        let mut rest = origin.content()?;
        let mut head = Vec::new();
        rest.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        let size = match is_packed {
            false => origin.n_stored()?,
            true => head.len() as u64 + io::copy(&mut rest, &mut io::sink())?,
        };
        if is_packed && size > HEAD_BYTES {
            rest = origin.content()?;
            io::copy(&mut rest.by_ref().take(HEAD_BYTES), &mut io::sink())?;
        }
        let (comments, n_bytes, n_lines) = Comments::above(&head);
        Ok(Self { file, size, head, origin, is_packed, rest, comments, skipped: (n_bytes, n_lines) })
    }

    /// The same source in which no line is a comment.
    pub fn without_comments(self) -> Self {
        Self { comments: None, skipped: (0, 0), ..self }
    }

    /// The same source in which comments stand only above the table.
    pub fn with_all_lines(self) -> Self {
        Self { comments: None, ..self }
    }

    /// Whether a line of the table is a comment.
    pub fn is_comment(&self, line: &str) -> bool {
        self.comments.is_some_and(|comments| comments.contain(line))
    }

    /// The beginning of the table, below the comments above it.
    pub fn table(&self) -> &[u8] {
        &self.head[self.skipped.0..]
    }

    /// Whether all of the file is in `head`.
    pub fn is_whole(&self) -> bool {
        self.head.len() as u64 >= self.size
    }

    /// The file itself, if it can be mapped: neither packed nor a pipe.
    pub fn plain_file(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path) if !self.is_packed => Some(path),
            _ => None,
        }
    }

    /// The bytes, if they are in memory as they are.
    pub fn delivered(&self) -> Option<SharedBytes> {
        match &self.origin {
            Origin::Bytes(bytes) if !self.is_packed => Some(SharedBytes::clone(bytes)),
            _ => None,
        }
    }

    /// Counts the lines of the table that are neither blank nor comments. The last error, if any, is met again when they
    /// are read.
    pub fn n_lines(&self) -> u64 {
        let is_comment = |line: &[u8]| {
            let is_marked = line.first() == Some(&b'#');
            is_marked && self.is_comment(&String::from_utf8_lossy(line))
        };
        let is_filled = |line: &Vec<u8>| !line.trim_ascii().is_empty() && !is_comment(line.trim_ascii());
        let count = |content: Box<dyn Read + '_>| {
            let lines = BufReader::with_capacity(1 << 16, content).split(b'\n').map_while(Result::ok);
            lines.skip(self.skipped.1 as usize).filter(is_filled).count()
        };
        let content = match self.is_whole() {
            true => Ok(Box::new(Cursor::new(&self.head)) as Box<dyn Read + '_>),
            false => self.origin.content().map(|content| content as Box<dyn Read + '_>),
        };
        content.map_or(0, count) as u64
    }

    /// The table from its beginning, line by line.
    pub fn lines(mut self) -> Result<Lines<'a>, InputError> {
        if let Some(fault) = super::looks::binary(&self.head) {
            return Err(fault.at(self.file, FilePosition::File));
        }
        if self.head.iter().all(u8::is_ascii_whitespace) && self.is_whole() {
            return Err(empty().at(self.file, FilePosition::File));
        }
        let (n_bytes, number) = self.skipped;
        self.head.drain(..n_bytes);
        let reader = BufReader::with_capacity(1 << 16, Cursor::new(self.head).chain(self.rest));
        let (file, size, comments) = (self.file, self.size, self.comments);
        Ok(Lines { file, size, reader, number, offset: n_bytes as u64, text: String::new(), comments })
    }

    /// The whole file in memory, for pipes and packed files that deliver a binary array.
    pub fn into_bytes(self) -> Result<Vec<u8>, InputError> {
        let mut bytes = self.head;
        let mut rest = self.rest;
        rest.read_to_end(&mut bytes).map_err(|error| unreadable(&error).at(self.file, FilePosition::File))?;
        Ok(bytes)
    }
}

/// The fault of a file without content.
pub(super) fn empty() -> Fault {
    Fault::new("the file is empty", "give a file with data")
}

/// The head of a file and what follows it.
type Content = Chain<Cursor<Vec<u8>>, Box<dyn Read>>;

/// The lines of a file, one in memory at a time.
pub(super) struct Lines<'a> {
    pub file: &'a str,
    pub size: u64,
    reader: BufReader<Content>,
    number: u64,
    offset: u64,
    text: String,
    comments: Option<Comments>,
}

/// One line without its end, and its position.
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

    /// The next line that is neither blank nor a comment.
    pub fn next_filled(&mut self) -> Result<Option<Line<'_>>, InputError> {
        while self.advance()? {
            let is_comment = self.comments.is_some_and(|comments| comments.contain(&self.text));
            if !self.text.trim().is_empty() && !is_comment {
                return Ok(Some(self.current()));
            }
        }
        Ok(None)
    }

    /// An error that concerns the file as a whole.
    pub fn error(&self, fault: Fault) -> InputError {
        fault.at(self.file, FilePosition::File)
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
            not_utf8(invalid).at(self.file, FilePosition::Line(self.number))
        })?;
        Ok(n_read > 0)
    }
}

/// What some editors put before UTF-8 text.
pub(super) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl Line<'_> {
    /// An error on this line.
    pub fn error(&self, fault: Fault) -> InputError {
        fault.at(self.file, FilePosition::Line(self.number))
    }

    /// An error in cell `column` (counted from 1) of this line.
    pub fn error_in(&self, column: usize, fault: Fault) -> InputError {
        fault.at(self.file, FilePosition::Cell(self.number, column as u64))
    }
}

fn not_utf8(offset: u64) -> Fault {
    Fault::new(
        format!("the text is not UTF-8 (byte {offset} of the file, counted from 0)"),
        "save the file as UTF-8, for example with: iconv -f LATIN1 -t UTF-8 (or -f UTF-16)",
    )
}

/// Why the file at `path` cannot be read; one that is not there may be spelled otherwise.
pub(super) fn unreadable_at(path: &Path, error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::NotFound => Fault::new("there is no such file", nearest::remedy(path)),
        _ => unreadable(error),
    }
}

pub(super) fn unreadable(error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::NotFound => Fault::new("there is no such file", "check the path and its spelling"),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            Fault::new(format!("this is a damaged gzip file: {error}"), "copy or download the file again")
        }
        io::ErrorKind::IsADirectory => Fault::new("this is a directory, not a file", "give the path of a file in it"),
        _ => Fault::new(format!("the file cannot be read: {error}"), "check the file and your permission to read it"),
    }
}
