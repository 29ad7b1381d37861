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

/// Joins the lines about one pair. Lines that agree but for rounding are one measurement; if some do not, every line is one,
/// unless it says the same as a line of the other direction.
pub(super) fn merged(file: &str, names: &Names, mut measured: Vec<Measured>) -> Merged {
    measured.sort_by_key(|pair| (pair.a, pair.b));
    let of_pairs = || measured.chunk_by(|x, y| (x.a, x.b) == (y.a, y.b));
    let contradicts = |lines: &[Measured]| lines.iter().any(|line| line.agrees_with(&lines[0]) == Agreement::Different);
    let repeated: Vec<&[Measured]> = of_pairs().filter(|lines| contradicts(lines)).collect();
    let is_plain = repeated.is_empty() && measured.iter().all(Measured::is_plain);
    let mut averaged = Averaged::default();
    let pairs = of_pairs().map(|lines| (lines[0].a, lines[0].b, mean(lines, &mut averaged))).collect();
    let terms = (!is_plain).then(|| of_pairs().flat_map(|lines| terms(lines, !repeated.is_empty())).collect());
    let warning = repeated.first().map(|lines| repeats_warning(file, names, lines, repeated.len()));
    Merged { pairs, terms, averaged: if is_plain { averaged } else { Averaged::default() }, warning }
}

/// The mean of what was measured of a pair, by weights; readings that agree but for the last digits of single precision are told of.
fn mean(lines: &[Measured], averaged: &mut Averaged) -> f64 {
    let gap = |line: &Measured| match line.agrees_with(&lines[0]) {
        Agreement::Near(gap) => gap,
        _ => 0.0,
    };
    let largest_gap = lines.iter().map(gap).fold(0.0, f64::max);
    let is_same = lines.iter().all(|line| line.agrees_with(&lines[0]) == Agreement::Equal);
    if is_same {
        return lines[0].seen.representative();
    }
    if largest_gap > 0.0 {
        averaged.add(largest_gap);
    }
    let total: f64 = lines.iter().map(|line| line.weight).sum();
    let share = |line: &Measured| if total > 0.0 { line.weight / total } else { 1.0 / lines.len() as f64 };
    lines.iter().map(|line| line.seen.representative() * share(line)).sum()
}

/// The measurements of a pair.
fn terms(lines: &[Measured], has_repeats: bool) -> Vec<Term> {
    if !has_repeats {
        return vec![lines[0].term()];
    }
    let (forward, backward): (Vec<&Measured>, Vec<&Measured>) = lines.iter().partition(|line| !line.is_reversed);
    let mut terms: Vec<Term> = forward.iter().map(|line| line.term()).collect();
    let mut seen_before = terms.clone();
    for line in backward {
        match seen_before.iter().position(|term| *term == line.term()) {
            Some(same) => drop(seen_before.swap_remove(same)),
            None => terms.push(line.term()),
        }
    }
    terms
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
