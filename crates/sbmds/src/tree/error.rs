//! What is wrong with a tree, where, and what to do about it.

use std::fmt::Write;

/// Why a tree cannot be used: one readable sentence with its position and a remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The file cannot be read at all.
    #[error("{file}: {problem}. Remedy: {remedy}.")]
    Unreadable {
        /// The file, as its path was given.
        file: String,
        /// What is wrong.
        problem: String,
        /// What to do about it.
        remedy: String,
    },
    /// The text breaks a rule of Newick, NEXUS or this program.
    #[error("{file}, line {line}, column {column}: {problem}. Remedy: {remedy}.")]
    Malformed {
        /// The file, as its path was given.
        file: String,
        /// Line, counted from 1.
        line: usize,
        /// Character within the line, counted from 1.
        column: usize,
        /// What is wrong, or what was expected.
        problem: String,
        /// What to do about it.
        remedy: String,
    },
    /// The file has no tree.
    #[error("{file}: there is no tree in this file. Remedy: give a Newick file, or a NEXUS file with a trees block.")]
    NoTree {
        /// The file, as its path was given.
        file: String,
    },
    /// The file has no tree of the wanted number.
    #[error("{file}: there is no tree {index}; the file has {n_trees}. Remedy: choose from 1 to {n_trees}.")]
    NoSuchTree {
        /// The file, as its path was given.
        file: String,
        /// The wanted tree, counted from 1.
        index: usize,
        /// How many trees there are.
        n_trees: usize,
    },
    /// Tips and objects do not have the same names.
    #[error("{file}: {}", unmatched(tips, objects, *pruning))]
    Unmatched {
        /// The file, as its path was given.
        file: String,
        /// Tips that are no object.
        tips: Vec<String>,
        /// Objects that are no tip.
        objects: Vec<String>,
        /// Whether extra tips were to be dropped.
        pruning: bool,
    },
}

fn unmatched(tips: &[String], objects: &[String], pruning: bool) -> String {
    let mut text = String::new();
    let mut remedies = Vec::new();
    if !objects.is_empty() {
        let _ = write!(text, "{} not in the tree: {}. ", counted(objects, "object is", "objects are"), listed(objects));
        remedies.push("give a tree with all objects, or leave these out of the dissimilarities");
    }
    if !tips.is_empty() && !pruning {
        let _ = write!(text, "{} not among the objects: {}. ", counted(tips, "tip is", "tips are"), listed(tips));
        remedies.push("drop extra tips with `prune`, or make the names equal (they are compared exactly)");
    }
    text + "Remedy: " + &remedies.join("; ") + "."
}

fn counted(names: &[String], one: &str, several: &str) -> String {
    format!("{} {}", names.len(), if names.len() == 1 { one } else { several })
}

/// The first ten of `names`, and how many more there are.
pub(crate) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    const MOST: usize = 10;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| shortened(name.as_ref())).collect();
    match names.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Text from a file, fit for one line of a message.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    let rest = if end < text.len() { "..." } else { "" };
    text[..end].chars().map(|c| if c.is_control() { ' ' } else { c }).chain(rest.chars()).collect()
}

/// What is wrong at one byte of the text; the reader of the file adds file, line and column.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub at: usize,
    pub problem: String,
    pub remedy: String,
}

impl Fault {
    pub fn new(at: usize, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { at, problem: problem.into(), remedy: remedy.into() }
    }

    /// The error that this fault is in `text`, the content of `file`.
    pub fn in_file(self, file: &str, text: &str) -> TreeError {
        let before = &text.as_bytes()[..self.at.min(text.len())];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        TreeError::Malformed {
            file: file.to_owned(),
            line: before.iter().filter(|&&byte| byte == b'\n').count() + 1,
            // Continuation bytes of UTF-8 are no characters of their own.
            column: before[line_start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count() + 1,
            problem: self.problem,
            remedy: self.remedy,
        }
    }
}
