//! Lines of an edge list that say more than one exact number per pair: limits, repeats, weights and known errors.

use super::cell::{Agreement, Averaged, compare};
use super::error::{Fault, FilePosition, InputError, brief, shortened};
use super::names::Names;
use super::observation::{Observation, Term};
use super::style::Style;

/// A measured pair and the line it stands on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub a: u32,
    pub b: u32,
    /// Whether the line names b before a: lists of both directions say everything twice.
    pub is_reversed: bool,
    pub seen: Observation,
    pub weight: f64,
    pub standard_error: f64,
    pub line: u64,
}

impl Measured {
    /// Whether it is one exact number and nothing else.
    fn is_plain(&self) -> bool {
        self.seen.exact().is_some() && self.weight == 1.0 && self.standard_error == 0.0
    }

    fn term(&self) -> Term {
        let Self { a, b, seen, weight, standard_error, .. } = *self;
        Term { near: a, far: b, seen, weight, standard_error }
    }

    /// Whether the two lines say the same of a pair.
    fn agrees_with(&self, other: &Self) -> Agreement {
        match (self.is_plain(), other.is_plain()) {
            (true, true) => compare(self.seen.representative(), other.seen.representative()),
            _ if (self.seen, self.weight, self.standard_error) == (other.seen, other.weight, other.standard_error) => {
                Agreement::Equal
            }
            _ => Agreement::Different,
        }
    }
}

/// Reads a cell as a dissimilarity: a number, `<0.4`, `>2`, `0.2..0.4`; `None` when it is missing.
pub(super) fn observation(cell: &str, style: Style) -> Result<Option<Observation>, Fault> {
    let number = |text: &str| style.dissimilarity(text.trim());
    if let Some(limit) = cell.strip_prefix('<') {
        return limit_of(cell, number(limit)?).map(|limit| Some(Observation::Below(limit)));
    }
    if let Some(limit) = cell.strip_prefix('>') {
        return limit_of(cell, number(limit)?).map(|limit| Some(Observation::Above(limit)));
    }
    if let Some((lower, upper)) = cell.split_once("..") {
        let (lower, upper) = (limit_of(cell, number(lower)?)?, limit_of(cell, number(upper)?)?);
        if lower >= upper {
            let problem = format!("\"{}\" is no interval: its lower end is not below its upper end", shortened(cell));
            return Err(Fault::new(problem, "write it as 0.2..0.4"));
        }
        return Ok(Some(Observation::Within(lower, upper)));
    }
    let value = number(cell)?;
    Ok((!value.is_nan()).then_some(Observation::Exact(value)))
}

fn limit_of(cell: &str, limit: f64) -> Result<f64, Fault> {
    if limit.is_nan() {
        let problem = format!("\"{}\" has no limit", shortened(cell));
        return Err(Fault::new(problem, "write <0.4, >2 or 0.2..0.4, and leave the cell empty when there is no value"));
    }
    Ok(limit)
}

/// What a list of lines comes to.
pub(super) struct Merged {
    /// Sorted, each pair once: the mean of what was measured.
    pub pairs: Vec<(u32, u32, f64)>,
    /// All measurements, if they are more than one exact number per pair.
    pub terms: Option<Vec<Term>>,
    pub averaged: Averaged,
    pub warning: Option<String>,
}

/// Joins the lines about one pair. Every line is a measurement of its own, also if it repeats another of the same direction to the letter; a line
/// that says the same in the other direction is the same measurement, for lists of both directions say everything twice.
pub(super) fn merged(file: &str, names: &Names, mut measured: Vec<Measured>) -> Merged {
    measured.sort_by_key(|pair| (pair.a, pair.b));
    let (mut averaged, mut kept) = (Averaged::default(), Vec::with_capacity(measured.len()));
    for lines in measured.chunk_by(is_same_pair) {
        add_measurements(lines, &mut averaged, &mut kept);
    }
    let of_pairs = || kept.chunk_by(is_same_pair);
    let repeated: Vec<&[Measured]> = of_pairs().filter(|lines| lines.len() > 1).collect();
    let is_plain = repeated.is_empty() && kept.iter().all(Measured::is_plain);
    let pairs = of_pairs().map(|lines| (lines[0].a, lines[0].b, mean(lines))).collect();
    let terms = (!is_plain).then(|| kept.iter().map(Measured::term).collect());
    let warning = repeated.first().map(|lines| repeats_warning(file, names, lines, repeated.len()));
    Merged { pairs, terms, averaged: if is_plain { averaged } else { Averaged::default() }, warning }
}

fn is_same_pair(one: &Measured, other: &Measured) -> bool {
    (one.a, one.b) == (other.a, other.b)
}

/// Adds the measurements of one pair. A line of the other direction joins one of the first that says the same, if there is one left: the line that
/// comes first in the file counts, or the mean where they differ in the last digits of single precision.
fn add_measurements(lines: &[Measured], averaged: &mut Averaged, kept: &mut Vec<Measured>) {
    let first = kept.len();
    kept.extend(lines.iter().filter(|line| !line.is_reversed));
    let mut alone: Vec<usize> = (first..kept.len()).collect();
    for line in lines.iter().filter(|line| line.is_reversed) {
        let says = |wanted: fn(Agreement) -> bool| alone.iter().position(|&k| wanted(line.agrees_with(&kept[k])));
        let same = says(|agreement| agreement == Agreement::Equal)
            .or_else(|| says(|agreement| matches!(agreement, Agreement::Near(_))));
        let Some(same) = same else {
            kept.push(*line);
            continue;
        };
        let mirrored = &mut kept[alone.swap_remove(same)];
        if let Agreement::Near(gap) = line.agrees_with(mirrored) {
            averaged.add(gap);
            let mean = 0.5 * mirrored.seen.representative() + 0.5 * line.seen.representative();
            mirrored.seen = Observation::Exact(mean);
        } else if line.line < mirrored.line {
            mirrored.seen = line.seen;
        }
    }
}

/// The mean of what was measured of a pair, by weights.
fn mean(lines: &[Measured]) -> f64 {
    if let [line] = lines {
        return line.seen.representative();
    }
    let total: f64 = lines.iter().map(|line| line.weight).sum();
    let share = |line: &Measured| if total > 0.0 { line.weight / total } else { 1.0 / lines.len() as f64 };
    lines.iter().map(|line| line.seen.representative() * share(line)).sum()
}

fn repeats_warning(file: &str, names: &Names, lines: &[Measured], n_pairs: usize) -> String {
    let [a, b] = [lines[0].a, lines[0].b].map(|object| shortened(&names.get(object as usize)));
    let pairs = if n_pairs == 1 { "1 pair was".to_owned() } else { format!("{n_pairs} pairs were") };
    let (first, last) = (lines[0].line, lines[lines.len() - 1].line);
    format!(
        "{}: {pairs} measured more than once ({a} to {b} on lines {first} and {last}); every line counts as a measurement of its own",
        brief(file)
    )
}

/// A weight or a standard error: a number that is not negative.
pub(super) fn quality(cell: &str, style: Style, what: &str) -> Result<f64, Fault> {
    let value = style.number(cell)?;
    if value.is_finite() && value >= 0.0 {
        return Ok(value);
    }
    let problem = format!("\"{}\" is no {what}", shortened(cell));
    Err(Fault::new(problem, format!("give every line a {what} of zero or more")))
}

/// An error in a cell of a file.
pub(super) fn in_cell(file: &str, line: u64, column: usize, fault: Fault) -> InputError {
    fault.at(file, FilePosition::Cell(line, column as u64 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(line: u64, is_reversed: bool, (a, b): (u32, u32), value: f64) -> Measured {
        let seen = Observation::Exact(value);
        Measured { a, b, is_reversed, seen, weight: 1.0, standard_error: 0.0, line }
    }

    /// What the lines of the pair 0, 1 come to beside a line of another pair.
    fn values(lines: &[(bool, f64)], others: &[Measured]) -> Vec<f64> {
        let names = Names::given(["a", "b", "c"].map(String::from).to_vec()).unwrap();
        let mut all: Vec<Measured> =
            (1..).zip(lines).map(|(number, &(is_reversed, value))| line(number, is_reversed, (0, 1), value)).collect();
        all.extend(others);
        let merged = merged("list.csv", &names, all);
        let of_pair = |term: &&Term| (term.near, term.far) == (0, 1);
        let value = |term: &Term| term.seen.exact().unwrap();
        match &merged.terms {
            Some(terms) => terms.iter().filter(of_pair).map(value).collect(),
            None => merged.pairs.iter().filter(|pair| (pair.0, pair.1) == (0, 1)).map(|pair| pair.2).collect(),
        }
    }

    #[test]
    fn repeats_count_and_the_other_direction_does_not_whatever_else_is_in_the_file() {
        let (forth, back) = (|value| (false, value), |value| (true, value));
        type Lines<'a> = &'a [(bool, f64)];
        let cases: [(Lines, &[f64]); 8] = [
            (&[forth(1.0)], &[1.0]),
            (&[forth(1.0), forth(1.0)], &[1.0, 1.0]),
            (&[back(1.0), back(1.0)], &[1.0, 1.0]),
            (&[forth(1.0), back(1.0)], &[1.0]),
            (&[forth(1.0), forth(1.0), back(1.0), back(1.0)], &[1.0, 1.0]),
            (&[forth(1.0), forth(2.0), back(2.0)], &[1.0, 2.0]),
            (&[forth(1.0), back(2.0)], &[1.0, 2.0]),
            (&[back(1.0), forth(1.00001)], &[0.5 * 1.00001 + 0.5 * 1.0]),
        ];
        let elsewhere = [line(9, false, (0, 2), 3.0), line(10, false, (0, 2), 4.0)];
        for (lines, expected) in cases {
            assert_eq!(values(lines, &[]), expected, "{lines:?}");
            assert_eq!(values(lines, &elsewhere[..1]), expected, "{lines:?} beside a plain pair");
            assert_eq!(values(lines, &elsewhere), expected, "{lines:?} beside a pair that was measured twice");
        }
    }
}
