//! Which format a file is in, told from its name and its first lines.

use std::path::Path;

use super::cell::parse_number;
use super::npy::MAGIC;
use super::phylip;
use super::table::{Delimiter, first_lines};

/// How dissimilarities are written in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Told from the file.
    #[default]
    Auto,
    /// A labelled square matrix: CSV, TSV, semicolons or blanks.
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

/// The format of a file that begins with `head`.
pub(super) fn sniff(path: &Path, head: &[u8]) -> Format {
    if is_npy(path, head) {
        return Format::Npy;
    }
    let lines: Vec<_> = first_lines(head).take(2).map(String::from_utf8_lossy).collect();
    if has_extension(path, &["phy", "phylip"]) || lines.first().is_some_and(|line| phylip::is_first_line(line)) {
        return Format::Phylip;
    }
    match &lines[..] {
        [first, second] if is_edge_list(Delimiter::detect(head), first, second) => Format::Edges,
        _ => Format::Matrix,
    }
}

/// Whether a file is, or claims to be, a NumPy array.
pub(super) fn is_npy(path: &Path, head: &[u8]) -> bool {
    head.starts_with(MAGIC) || has_extension(path, &["npy"])
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Three cells on both lines, unless they are the header and first row of a matrix of two objects.
fn is_edge_list(delimiter: Delimiter, first: &str, second: &str) -> bool {
    let cells = |line| delimiter.split(line).map_while(Result::ok).map(|cell| cell.into_owned()).collect::<Vec<_>>();
    let (first, second) = (cells(first), cells(second));
    let is_header = first.len() == 3 && parse_number(&first[2]).is_err();
    first.len() == 3 && second.len() == 3 && !(is_header && first[1..].contains(&second[0]))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Format, sniff};

    #[test]
    fn formats_are_told_from_their_first_lines() {
        let cases: [(&str, &[u8], Format); 11] = [
            ("x", b"\x93NUMPY\x01\x00", Format::Npy),
            ("x.NPY", b"rubbish", Format::Npy),
            ("x.txt", b"  5 \nA 0 1", Format::Phylip),
            ("x.phy", b"A 0 1", Format::Phylip),
            ("x.csv", b"a,b,0.5\na,c,1\n", Format::Edges),
            ("x.csv", b"from,to,value\na,c,1\n", Format::Edges),
            ("x.csv", b"a b NA\na c 1\n", Format::Edges),
            ("x.csv", b",a,b\na,0,1\n", Format::Matrix),
            ("x.csv", b"TAXA\ta\tb\tc\na\t0\t1\t2\n", Format::Matrix),
            ("x.csv", b"a b c\na 0 1 2\n", Format::Matrix),
            ("x.csv", b"", Format::Matrix),
        ];
        for (path, head, expected) in cases {
            assert_eq!(sniff(Path::new(path), head), expected, "{}", String::from_utf8_lossy(head));
        }
    }

    #[test]
    fn formats_are_spelled_as_they_are_parsed() {
        for format in [Format::Auto, Format::Matrix, Format::Phylip, Format::Npy, Format::Edges] {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let message = "\"xls\" is no format; choose auto, matrix, phylip, npy or edges";
        assert_eq!("xls".parse::<Format>().unwrap_err(), message);
    }
}
