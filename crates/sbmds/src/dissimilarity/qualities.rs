//! Weights and standard errors from files of their own, joined to the measurements by name.

use std::path::Path;

use super::error::{Fault, FilePosition, InputError};
use super::names::Names;
use super::observation::{Observation, Term};
use super::{Dissimilarities, ReadOptions, read};

/// The measurements with the weights and errors that the options name.
pub(super) fn attach(data: Dissimilarities, options: &ReadOptions) -> Result<Dissimilarities, InputError> {
    if options.weights.is_none() && options.errors.is_none() {
        return Ok(data);
    }
    let mut terms = data.measurements().map_or_else(|| all_pairs(&data), <[Term]>::to_vec);
    if let Some(path) = &options.weights {
        let weight = Lookup::new(path, data.names(), "weight")?;
        for term in &mut terms {
            term.weight *= weight.of(term, data.names())?;
        }
    }
    if let Some(path) = &options.errors {
        let error = Lookup::new(path, data.names(), "standard error")?;
        for term in &mut terms {
            term.standard_error = error.of(term, data.names())?;
        }
    }
    terms.retain(|term| term.weight > 0.0);
    Ok(data.with_terms(Some(terms)))
}

/// One exact number for every measured pair.
fn all_pairs(data: &Dissimilarities) -> Vec<Term> {
    let term = |a: usize, b: usize, value: f64| Term::new(a, b, Observation::Exact(value));
    if let Some(pairs) = data.measured_pairs() {
        return pairs.iter().map(|&(a, b, value)| term(a as usize, b as usize, value)).collect();
    }
    let pairs = (0..data.n_objects()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let known = pairs.map(|(a, b)| term(a, b, data.get(a, b))).filter(|term| !term.seen.representative().is_nan());
    known.collect()
}

/// A number for every pair, by the objects' numbers in the data.
struct Lookup {
    file: String,
    what: &'static str,
    numbers: Dissimilarities,
    /// The object of the file for every object of the data.
    objects: Vec<Option<usize>>,
}

impl Lookup {
    fn new(path: &Path, names: &Names, what: &'static str) -> Result<Self, InputError> {
        let numbers = read(path, &ReadOptions::default())?;
        let objects = names.iter().map(|name| numbers.names().find(&name)).collect();
        Ok(Self { file: super::content::shown(path), what, numbers, objects })
    }

    fn of(&self, term: &Term, names: &Names) -> Result<f64, InputError> {
        let [a, b] = [term.near as usize, term.far as usize];
        let found = self.objects[a].zip(self.objects[b]).map(|(a, b)| self.numbers.get(a, b));
        found.filter(|value| !value.is_nan()).ok_or_else(|| {
            let fault = Fault::new(
                format!("a pair that was measured has no {}", self.what),
                format!("give a {} for every measured pair, by the names of the input", self.what),
            );
            fault.at(&self.file, FilePosition::File).between([names.get(a), names.get(b)])
        })
    }
}
