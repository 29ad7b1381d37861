//! A line on stderr while something long goes on.

use std::io::{IsTerminal, stderr};

/// Says what goes on; on a terminal the line disappears when dropped, so that it leaves no gap in a table.
pub struct Passing;

impl Passing {
    pub fn line(text: impl std::fmt::Display) -> Self {
        if stderr().is_terminal() {
            eprint!("{text} ...")
        } else {
            eprintln!("{text} ...")
        }
        Self
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        if stderr().is_terminal() {
            // Back to the first column, and erase to the end of the line.
            eprint!("\r\x1b[K");
        }
    }
}
