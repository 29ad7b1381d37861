//! Values of JSON as R has them.

use extendr_api::prelude::*;
use serde_json::Value;

/// Objects become named lists, arrays of numbers or strings become vectors, null becomes NA in a vector and NULL elsewhere.
pub fn robj(value: &Value) -> Robj {
    match value {
        Value::Null => ().into(),
        Value::Bool(truth) => truth.into(),
        Value::Number(number) => number.as_f64().into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(values) => vector(values),
        Value::Object(entries) => List::from_names_and_values(entries.keys(), entries.values().map(robj))
            .map_or_else(|_| ().into(), Robj::from),
    }
}

fn vector(values: &[Value]) -> Robj {
    if !values.is_empty() && values.iter().all(|value| value.is_number() || value.is_null()) {
        let numbers = values.iter().map(|value| value.as_f64().map_or_else(Rfloat::na, Rfloat::from));
        return Doubles::from_values(numbers).into();
    }
    if values.iter().all(Value::is_string) {
        return values.iter().filter_map(Value::as_str).collect_robj();
    }
    List::from_values(values.iter().map(robj)).into()
}
