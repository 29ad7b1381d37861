//! What is wrong with a call: a sentence for the Java exception, with its remedy.

use std::fmt;

/// Why a call could not be answered.
#[derive(Debug)]
pub struct CallError(String);

impl CallError {
    /// A problem and what to do about it.
    pub fn new(problem: impl fmt::Display, remedy: impl fmt::Display) -> Self {
        Self(format!("{problem}. Remedy: {remedy}"))
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CallError {}

/// A sentence that has its remedy.
impl From<String> for CallError {
    fn from(sentence: String) -> Self {
        Self(sentence)
    }
}

impl From<jni::errors::Error> for CallError {
    fn from(error: jni::errors::Error) -> Self {
        Self::new(format!("the Java array cannot be used: {error}"), "pass a double[] that is not null")
    }
}
