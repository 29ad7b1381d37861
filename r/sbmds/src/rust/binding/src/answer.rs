//! How results and errors reach R: an error is a value, which R code raises as a condition of its own class.

use std::fmt::Display;

use extendr_api::prelude::*;

/// The result, or a list of class `sbmds_failure` with the message. Nothing unwinds through R.
pub fn answer<E: Display>(result: std::result::Result<Robj, E>) -> Robj {
    result.unwrap_or_else(|error| {
        let mut failure = list!(message = error.to_string()).into_robj();
        // A list takes any class.
        let _ = failure.set_class(["sbmds_failure"]);
        failure
    })
}

/// An entry of a list by name; `None` if it is not there or NULL.
pub fn entry(list: &List, name: &str) -> Option<Robj> {
    list.iter().find(|(key, _)| *key == name).map(|(_, value)| value).filter(|value| !value.is_null())
}

/// An entry that is a string.
pub fn text(list: &List, name: &str) -> Option<String> {
    entry(list, name)?.as_str().map(str::to_owned)
}

/// An entry that is true.
pub fn is_set(list: &List, name: &str) -> bool {
    entry(list, name).and_then(|value| value.as_bool()).unwrap_or(false)
}
