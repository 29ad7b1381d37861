//! What the program says to a person: without control characters, without endless lines, and without a panic if nobody
//! listens any more.

use std::fmt::Display;
use std::io::Write;

use sbmds::plain::message;

use crate::flags::with_flags;

/// A line, or several, on stderr. A closed terminal is no reason to stop: what is said is saved elsewhere, if it matters.
pub fn say(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{}", shown(&text.to_string()));
}

/// What the library says, as it is shown: with flags, and without control characters.
pub fn shown(text: &str) -> String {
    message(&with_flags(text))
}

/// A warning on stderr.
pub fn warn(text: impl Display) {
    say(format_args!("warning: {text}"));
}
