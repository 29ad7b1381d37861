//! `zarr.json` of an array, in the one form that sbmds writes (Zarr v3 core specification, "Array metadata").

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Content;
use crate::draws::plan::Dtype;

/// What a store says of an array. The order of the fields is that of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ArrayMetadata {
    zarr_format: u32,
    node_type: String,
    pub(super) shape: Vec<u64>,
    data_type: String,
    chunk_grid: Named<ChunkGrid>,
    chunk_key_encoding: Named<KeyEncoding>,
    fill_value: Value,
    codecs: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dimension_names: Option<Vec<Option<String>>>,
}

/// An extension point: a name with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Named<T> {
    name: String,
    configuration: T,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ChunkGrid {
    chunk_shape: Vec<NonZeroU64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct KeyEncoding {
    separator: String,
}

impl Content {
    const ALL: [Self; 4] =
        [Self::Number(Dtype::Float), Self::Number(Dtype::Integer), Self::Number(Dtype::Boolean), Self::Text];

    fn data_type(self) -> &'static str {
        match self {
            Self::Number(Dtype::Float) => "float64",
            Self::Number(Dtype::Integer) => "int64",
            Self::Number(Dtype::Boolean) => "bool",
            Self::Text => "string",
        }
    }

    /// What is read where no chunk is: a draw that is not made.
    fn fill_value(self) -> Value {
        match self {
            Self::Number(Dtype::Float) => json!("NaN"),
            Self::Number(Dtype::Integer) => json!(0),
            Self::Number(Dtype::Boolean) => json!(false),
            Self::Text => json!(""),
        }
    }

    /// Locations hardly compress (gzip 1 saves 4% of simulated draws, at 25 to 50 MB/s), but damage must not go unseen.
    fn codecs(self) -> Value {
        match self {
            Self::Number(_) => {
                json!([{ "name": "bytes", "configuration": { "endian": "little" } }, { "name": "crc32c" }])
            }
            Self::Text => json!([{ "name": "vlen-utf8" }, { "name": "crc32c" }]),
        }
    }
}

impl ArrayMetadata {
    /// A new array; `None` if a chunk would have no entries along an axis.
    pub(super) fn new(shape: Vec<u64>, chunk: &[u64], axes: &[&str], content: Content) -> Option<Self> {
        let chunk_shape = chunk.iter().map(|&length| NonZeroU64::new(length)).collect::<Option<_>>()?;
        Some(Self {
            zarr_format: 3,
            node_type: "array".into(),
            shape,
            data_type: content.data_type().into(),
            chunk_grid: Named { name: "regular".into(), configuration: ChunkGrid { chunk_shape } },
            // One directory per array instead of one per chunk index.
            chunk_key_encoding: Named { name: "default".into(), configuration: KeyEncoding { separator: ".".into() } },
            fill_value: content.fill_value(),
            codecs: content.codecs(),
            dimension_names: Some(axes.iter().map(|axis| Some((*axis).into())).collect()),
        })
    }

    /// What the elements are.
    ///
    /// # Errors
    /// If the array is none that sbmds writes.
    pub(super) fn content(&self) -> Result<Content, String> {
        let known = Content::ALL.into_iter().find(|content| content.data_type() == self.data_type);
        let content = known.ok_or_else(|| format!("elements of the type {:?}", self.data_type))?;
        // Everything but lengths and names is fixed by the content.
        let chunk: Vec<u64> = self.chunk_shape().iter().map(|length| length.get()).collect();
        let mut expected = Self::new(self.shape.clone(), &chunk, &[], content).ok_or("empty chunks")?;
        expected.dimension_names.clone_from(&self.dimension_names);
        if expected != *self {
            return Err("not the form in which sbmds stores draws".into());
        }
        if chunk.len() != self.shape.len() {
            return Err(format!("{} axes in chunks of {} axes", self.shape.len(), chunk.len()));
        }
        Ok(content)
    }

    pub(super) fn chunk_shape(&self) -> &[NonZeroU64] {
        &self.chunk_grid.configuration.chunk_shape
    }

    /// Name of an axis, empty if it has none.
    pub(super) fn axis_name(&self, axis: usize) -> &str {
        let names = self.dimension_names.as_ref();
        names.and_then(|names| names.get(axis)).and_then(|name| name.as_deref()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As zarrs 0.23 wrote them, and zarr-python 3 reads them.
    const FLOATS: &str = r#"{"zarr_format":3,"node_type":"array","shape":[2,30],"data_type":"float64","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1,30]}},"chunk_key_encoding":{"name":"default","configuration":{"separator":"."}},"fill_value":"NaN","codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}],"dimension_names":["chain","draw"]}"#;
    const TEXTS: &str = r#"{"zarr_format":3,"node_type":"array","shape":[12],"data_type":"string","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[12]}},"chunk_key_encoding":{"name":"default","configuration":{"separator":"."}},"fill_value":"","codecs":[{"name":"vlen-utf8"},{"name":"crc32c"}],"dimension_names":["object"]}"#;

    #[test]
    fn metadata_are_written_to_the_letter() {
        let floats = ArrayMetadata::new(vec![2, 30], &[1, 30], &["chain", "draw"], Content::Number(Dtype::Float));
        assert_eq!(written(&floats.unwrap()), FLOATS);
        let texts = ArrayMetadata::new(vec![12], &[12], &["object"], Content::Text);
        assert_eq!(written(&texts.unwrap()), TEXTS);
        assert_eq!(ArrayMetadata::new(vec![12], &[0], &["object"], Content::Text), None);
    }

    fn written(metadata: &ArrayMetadata) -> String {
        serde_json::to_string(metadata).unwrap()
    }

    #[test]
    fn only_what_sbmds_writes_is_read() {
        let content = |json: &str| serde_json::from_str::<ArrayMetadata>(json).map_err(|e| e.to_string())?.content();
        assert_eq!(content(FLOATS), Ok(Content::Number(Dtype::Float)));
        assert_eq!(content(TEXTS), Ok(Content::Text));
        for (known, other) in [
            ("float64", "float32"),
            ("\"endian\":\"little\"", "\"endian\":\"big\""),
            ("{\"name\":\"crc32c\"}", "{\"name\":\"gzip\",\"configuration\":{\"level\":1}}"),
            ("\"separator\":\".\"", "\"separator\":\"/\""),
            ("\"chunk_shape\":[1,30]", "\"chunk_shape\":[1,0]"),
            ("\"chunk_shape\":[1,30]", "\"chunk_shape\":[1,30,2]"),
            ("\"zarr_format\":3", "\"zarr_format\":2"),
            ("\"node_type\":\"array\"", "\"node_type\":\"group\""),
            ("\"NaN\"", "0.0"),
        ] {
            assert!(content(&FLOATS.replace(known, other)).is_err(), "{other}");
        }
    }
}
