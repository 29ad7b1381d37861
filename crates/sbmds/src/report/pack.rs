//! Arrays of numbers as the page reads them: little-endian bytes in base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serializer;
use serde::ser::SerializeMap;

/// `{"f32": BASE64}`.
pub(super) fn f32s<S: Serializer>(values: &impl AsRef<[f64]>, to: S) -> Result<S::Ok, S::Error> {
    packed("f32", values.as_ref().iter().flat_map(|&value| (value as f32).to_le_bytes()), to)
}

/// `{"u32": BASE64}`.
pub(super) fn u32s<S: Serializer>(values: &impl AsRef<[u32]>, to: S) -> Result<S::Ok, S::Error> {
    packed("u32", values.as_ref().iter().flat_map(|value| value.to_le_bytes()), to)
}

/// `{"u16": BASE64}`.
pub(super) fn u16s<S: Serializer>(values: &impl AsRef<[u16]>, to: S) -> Result<S::Ok, S::Error> {
    packed("u16", values.as_ref().iter().flat_map(|value| value.to_le_bytes()), to)
}

/// The same, or `null`.
pub(super) fn known_f32s<S: Serializer>(values: &Option<Vec<f64>>, to: S) -> Result<S::Ok, S::Error> {
    match values {
        Some(values) => f32s(values, to),
        None => to.serialize_none(),
    }
}

/// The same, or `null`.
pub(super) fn known_u32s<S: Serializer>(values: &Option<Vec<u32>>, to: S) -> Result<S::Ok, S::Error> {
    match values {
        Some(values) => u32s(values, to),
        None => to.serialize_none(),
    }
}

fn packed<S: Serializer>(kind: &str, bytes: impl Iterator<Item = u8>, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(1))?;
    map.serialize_entry(kind, &STANDARD.encode(bytes.collect::<Vec<u8>>()))?;
    map.end()
}

/// Numbers rounded to 16 bits, each dimension on a scale of its own: `offset[dim] + scale[dim] * value`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quantised {
    /// The rounded numbers; the dimension runs fastest.
    pub values: Vec<i16>,
    /// What one step is worth in each dimension.
    pub scale: Vec<f64>,
    /// What 0 stands for in each dimension.
    pub offset: Vec<f64>,
}

/// Steps on either side of the middle.
const STEPS: f64 = 32_767.0;

impl Quantised {
    /// Rounds numbers whose dimension runs fastest.
    pub(super) fn new(numbers: &[f32], n_dims: usize) -> Self {
        let range = |dim: usize| {
            let numbers = numbers.iter().skip(dim).step_by(n_dims).map(|&number| f64::from(number));
            numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let ranges: Vec<(f64, f64)> = (0..n_dims).map(range).collect();
        let offset: Vec<f64> = ranges.iter().map(|(low, high)| (low + high) / 2.0).collect();
        let scale: Vec<f64> =
            ranges.iter().map(|(low, high)| ((high - low) / 2.0 / STEPS).max(f64::MIN_POSITIVE)).collect();
        let round = |(index, &number): (usize, &f32)| {
            let dim = index % n_dims;
            ((f64::from(number) - offset[dim]) / scale[dim]).round() as i16
        };
        Self { values: numbers.iter().enumerate().map(round).collect(), scale, offset }
    }
}

impl serde::Serialize for Quantised {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let mut map = to.serialize_map(Some(3))?;
        map.serialize_entry("i16", &STANDARD.encode(bytes))?;
        map.serialize_entry("scale", &self.scale)?;
        map.serialize_entry("offset", &self.offset)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_off_by_at_most_half_a_step() {
        let numbers: Vec<f32> =
            (0..60).map(|k| if k % 2 == 0 { (k as f32).sin() } else { 1000.0 + k as f32 }).collect();
        let quantised = Quantised::new(&numbers, 2);
        for (index, &number) in numbers.iter().enumerate() {
            let dim = index % 2;
            let back = quantised.offset[dim] + quantised.scale[dim] * f64::from(quantised.values[index]);
            assert!((back - f64::from(number)).abs() <= 0.5001 * quantised.scale[dim], "{back} {number}");
        }
        // One value only: no range to divide by.
        assert_eq!(Quantised::new(&[3.0, 4.0], 2).values, [0, 0]);
    }

    #[test]
    fn numbers_are_little_endian_in_base64() {
        #[derive(serde::Serialize)]
        struct Arrays {
            #[serde(serialize_with = "f32s")]
            a: Vec<f64>,
            #[serde(serialize_with = "u16s")]
            b: Vec<u16>,
        }
        let json = serde_json::to_string(&Arrays { a: vec![1.0], b: vec![258] }).unwrap();
        // 1.0f32 is 00 00 80 3f, 258 is 02 01.
        assert_eq!(json, r#"{"a":{"f32":"AACAPw=="},"b":{"u16":"AgE="}}"#);
    }
}
