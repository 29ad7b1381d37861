//! Which format a file is said to be in.

use std::path::Path;

use super::npy::MAGIC;

/// How dissimilarities are written in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Told from the file.
    #[default]
    Auto,
    /// A square matrix or a triangle, with or without names: CSV, TSV, semicolons or blanks.
    Matrix,
    /// PHYLIP, square or lower-triangular.
    Phylip,
    /// NumPy's `.npy`.
    Npy,
    /// One pair per line: `name,name,value`.
    Edges,
}

super::words::spelled! { Format, "format",
    Auto => "auto",
    Matrix => "matrix",
    Phylip => "phylip",
    Npy => "npy",
    Edges => "edges",
}

/// Whether a file is, or claims to be, a NumPy array.
pub(super) fn is_npy(path: &Path, head: &[u8]) -> bool {
    head.starts_with(MAGIC) || has_extension(path, &["npy"])
}

pub(super) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn formats_are_spelled_as_they_are_parsed() {
        for format in [Format::Auto, Format::Matrix, Format::Phylip, Format::Npy, Format::Edges] {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let message = "\"xls\" is no format; choose auto, matrix, phylip, npy or edges";
        assert_eq!("xls".parse::<Format>().unwrap_err(), message);
    }
}
