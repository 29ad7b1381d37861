//! What is wrong with an input, where, between which objects, and what to do about it.

use std::convert::Infallible;
use std::fmt;

use super::names::DuplicateName;

/// Why an input cannot be used: one readable sentence with its position and a remedy.
///
/// ```text
/// dist.csv, line 14, column 7 (A/Texas/21 to A/Ohio/3): -0.5 is negative; dissimilarities must be zero or more. Remedy: ...
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct InputError(Box<Details>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    file: String,
    position: FilePosition,
    objects: Vec<String>,
    fault: Fault,
}

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilePosition {
    /// The file as a whole.
    File,
    /// A line, counted from 1.
    Line(u64),
    /// A cell of a line, both counted from 1.
    Cell(u64, u64),
    /// An element of a binary array, counted from 0 as NumPy does.
    Entry(u64, u64),
    /// An element of a binary vector, counted from 0.
    Element(u64),
}

/// What is wrong, apart from where: a problem and its remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub problem: String,
    pub remedy: String,
}

impl Fault {
    pub fn new(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { problem: problem.into(), remedy: remedy.into() }
    }

    /// The error that this fault is at `position` in `file`.
    pub fn at(self, file: &str, position: FilePosition) -> InputError {
        InputError(Box::new(Details { file: file.into(), position, objects: Vec::new(), fault: self }))
    }
}

impl InputError {
    /// The same error, naming the objects involved.
    pub(super) fn between<S: Into<String>>(mut self, objects: impl IntoIterator<Item = S>) -> Self {
        self.0.objects = objects.into_iter().map(Into::into).collect();
        self
    }

    /// The file, as its path was given.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// The line, counted from 1; none for binary files and for what concerns the whole file.
    pub fn line(&self) -> Option<u64> {
        match self.0.position {
            FilePosition::Line(line) | FilePosition::Cell(line, _) => Some(line),
            FilePosition::File | FilePosition::Entry(..) | FilePosition::Element(_) => None,
        }
    }

    /// The cell within the line, counted from 1 (the name of the row is cell 1).
    pub fn column(&self) -> Option<u64> {
        match self.0.position {
            FilePosition::Cell(_, column) => Some(column),
            FilePosition::File | FilePosition::Line(_) | FilePosition::Entry(..) | FilePosition::Element(_) => None,
        }
    }

    /// The names of the objects involved (none, one, or the two of a pair).
    pub fn objects(&self) -> &[String] {
        &self.0.objects
    }

    /// What is wrong.
    pub fn problem(&self) -> &str {
        &self.0.fault.problem
    }

    /// What to do about it.
    pub fn remedy(&self) -> &str {
        &self.0.fault.remedy
    }
}

/// Names that are given with the data, not in a file.
impl From<DuplicateName> for InputError {
    fn from(DuplicateName { name, earlier, later }: DuplicateName) -> Self {
        let problem =
            format!("objects {earlier} and {later} (counted from 0) are both called \"{}\"", shortened(&name));
        Fault::new(problem, "give every object a name of its own").at("names", FilePosition::File)
    }
}

impl From<Infallible> for InputError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.0.file, self.0.position)?;
        let objects: Vec<String> = self.0.objects.iter().map(|name| shortened(name)).collect();
        if !objects.is_empty() {
            write!(out, " ({})", objects.join(" to "))?;
        }
        let end = if self.remedy().ends_with('?') { "" } else { "." };
        write!(out, ": {}. Remedy: {}{end}", self.problem(), self.remedy())
    }
}

impl fmt::Display for FilePosition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(out, ", line {line}"),
            Self::Cell(line, column) => write!(out, ", line {line}, column {column}"),
            Self::Entry(row, column) => write!(out, ", entry [{row}, {column}]"),
            Self::Element(index) => write!(out, ", entry [{index}]"),
        }
    }
}

/// Text from a file, fit for one line of a message: control characters escaped, cut after 60 characters.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut short: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push_str("...");
    }
    // Quotes need no escape in a message.
    short.replace("\\\"", "\"").replace("\\'", "'")
}

/// A file without the folders it is in, for sentences that are kept with results.
pub(super) fn brief(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

/// The first few of `names`, and how many more there are.
pub(super) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    const MOST: usize = 5;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| shortened(name.as_ref())).collect();
    match names.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, FilePosition, listed, shortened};

    #[test]
    fn message_has_file_position_objects_problem_and_remedy() {
        let error =
            Fault::new("-0.5 is negative", "check it").at("dist.csv", FilePosition::Cell(14, 7)).between(["a", "b"]);
        assert_eq!(error.to_string(), "dist.csv, line 14, column 7 (a to b): -0.5 is negative. Remedy: check it.");
        assert_eq!((error.line(), error.column(), error.objects().len()), (Some(14), Some(7), 2));
    }

    #[test]
    fn long_and_strange_text_stays_on_one_line() {
        assert_eq!(shortened("a\nb\"c"), "a\\nb\"c");
        assert_eq!(shortened(&"x".repeat(100)), format!("{}...", "x".repeat(60)));
        assert_eq!(listed(&["a", "b", "c", "d", "e", "f", "g"]), "a, b, c, d, e and 2 more");
    }
}
