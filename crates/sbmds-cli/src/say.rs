//! What the program says to a person: without control characters, without endless lines, and without a panic if nobody
//! listens any more.

use std::fmt::Display;
use std::io::Write;

use sbmds::plain::message;

/// A line, or several, on stderr. A closed terminal is no reason to stop: what is said is saved elsewhere, if it matters.
pub fn say(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{}", message(&text.to_string()));
}

/// A warning on stderr.
pub fn warn(text: impl Display) {
    say(format_args!("warning: {text}"));
}
