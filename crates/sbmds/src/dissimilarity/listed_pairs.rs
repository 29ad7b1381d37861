//! Pairs that somebody asks about: `name,name` or `name,name,value`, in the order of the file.

use std::path::Path;

use super::edges::{find_name, reads_like_header};
use super::error::{Fault, InputError};
use super::names::Names;
use super::style::Style;
use super::text::{Line, Source};

/// A pair that is asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedPair {
    /// The object named first.
    pub a: usize,
    /// The object named second.
    pub b: usize,
    /// The dissimilarity given with it; NaN if there is none.
    pub delta: f64,
}

/// Reads pairs of `names`, with or without a header and with or without a third column of dissimilarities.
///
/// # Errors
/// If a name is not among `names`, a line joins an object to itself or holds no dissimilarity where it should.
pub fn read_listed_pairs(path: &Path, names: &Names) -> Result<Vec<ListedPair>, InputError> {
    let file = super::content::shown(path);
    from_source(Source::open(path, &file)?, names)
}

fn from_source(source: Source<'_>, names: &Names) -> Result<Vec<ListedPair>, InputError> {
    let style = Style::detect(&source);
    let mut lines = source.lines()?;
    let mut pairs = Vec::new();
    let mut is_first = true;
    while let Some(line) = lines.next_filled()? {
        let cells = style.cells(&line)?;
        let names_none = !cells.iter().take(2).any(|cell| names.find(cell).is_some());
        if std::mem::take(&mut is_first) && reads_like_header(&cells) && names_none {
            continue;
        }
        pairs.push(read_pair(&line, &cells, style, names)?);
    }
    if pairs.is_empty() {
        return Err(lines.error(Fault::new("there are no pairs", "write one pair per line: name,name")));
    }
    Ok(pairs)
}

fn read_pair(
    line: &Line<'_>,
    cells: &[std::borrow::Cow<'_, str>],
    style: Style,
    names: &Names,
) -> Result<ListedPair, InputError> {
    let [first, second, rest @ ..] = cells else {
        return Err(line.error(Fault::new("the line names one object", "write one pair per line: name,name")));
    };
    let a = find_name(line, 1, first, |name| names.find(name))?;
    let b = find_name(line, 2, second, |name| names.find(name))?;
    if a == b {
        let fault = Fault::new("the pair joins an object to itself", "remove the line");
        return Err(line.error(fault).between([first.as_ref(), second]));
    }
    let value = rest.first().map(|cell| style.dissimilarity(cell)).transpose();
    let delta = value.map_err(|fault| line.error_in(3, fault).between([first.as_ref(), second]))?;
    Ok(ListedPair { a, b, delta: delta.unwrap_or(f64::NAN) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<ListedPair>, InputError> {
        let names = Names::given(["a", "b", "c"].map(String::from).to_vec()).unwrap();
        from_source(Source::from_bytes("pairs.csv", text.as_bytes()), &names)
    }

    #[test]
    fn pairs_keep_their_order_and_their_values() {
        let pairs = read("from,to,value\nc,a,1.5\na,b,\nb,c,0\n").unwrap();
        assert_eq!(pairs.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), [(2, 0), (0, 1), (1, 2)]);
        assert!(pairs[0].delta == 1.5 && pairs[1].delta.is_nan() && pairs[2].delta == 0.0);
        assert!(read("c\ta\n").unwrap()[0].delta.is_nan());
    }

    #[test]
    fn what_is_no_pair_is_named_with_its_line() {
        for (text, part) in [
            ("a,b\na,d\n", "line 2"),
            ("a,a\n", "itself"),
            ("a,b,-1\n", "column 3"),
            ("a\n", "one object"),
            ("from,to\n", "no pairs"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
