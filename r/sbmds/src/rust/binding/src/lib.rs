//! What R calls of sbmds: start a fit and watch it, open a run, and hand over what it found. Everything else is R code.

// The macro that registers functions makes public ones without a word.
#![allow(missing_docs)]
#![cfg(feature = "package")]

mod answer;
mod data;
mod eval;
mod fitted;
mod job;
mod judge;
mod value;

use extendr_api::prelude::*;

extendr_module! {
    mod sbmds;
    use eval;
    use fitted;
    use job;
    use judge;
}
