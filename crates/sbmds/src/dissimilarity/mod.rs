//! What was measured: dissimilarities between named objects, read from files.

mod names;

pub use names::Names;
