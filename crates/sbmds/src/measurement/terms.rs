//! The measurements as terms of a log-likelihood: one per line of the data, so that repeats, weights and limits are all the same to it.

use super::family::{Family, LogDensity, Support};
use crate::dissimilarity::{Observation, Term};

/// What a known standard error does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum KnownErrors {
    /// It adds to the noise: the scale is sqrt(sigma^2 + se^2).
    #[default]
    Add,
    /// It is the noise, where it is known: the scale is se.
    Replace,
}

impl KnownErrors {
    /// The scale of a measurement with this standard error (0: none is known), and the derivative of its logarithm by log sigma.
    #[inline]
    pub(super) fn scale(self, sigma: f64, standard_error: f64) -> (f64, f64) {
        match (standard_error, self) {
            (0.0, _) => (sigma, 1.0),
            (error, Self::Replace) => (error, 0.0),
            (error, Self::Add) => {
                let variance = sigma * sigma + error * error;
                (variance.sqrt(), sigma * sigma / variance)
            }
        }
    }
}

/// What is measured of a pair at distance d.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Quantity {
    /// The distance itself.
    #[default]
    Distance,
    /// The sum of the two objects' levels minus the distance: log titres.
    Level,
}

/// The terms, sorted by their first object.
#[derive(Clone, Debug)]
pub struct Terms {
    n_objects: usize,
    quantity: Quantity,
    family: Family,
    known_errors: KnownErrors,
    terms: Vec<Term>,
    /// Which of the given terms stands where.
    given: Vec<usize>,
}

/// What the noise is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseScale {
    /// Scale of the family.
    pub sigma: f64,
    /// Degrees of freedom of Student's t; anything for other families.
    pub nu: f64,
}

impl NoiseScale {
    /// Of a family without degrees of freedom.
    pub fn of_sigma(sigma: f64) -> Self {
        Self { sigma, nu: f64::INFINITY }
    }
}

/// Log-likelihood with its derivatives by the noise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TermsValue {
    /// Log-likelihood.
    pub log_likelihood: f64,
    /// By log sigma.
    pub by_log_sigma: f64,
    /// By log nu.
    pub by_log_nu: f64,
}

impl std::ops::Add for TermsValue {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            log_likelihood: self.log_likelihood + other.log_likelihood,
            by_log_sigma: self.by_log_sigma + other.by_log_sigma,
            by_log_nu: self.by_log_nu + other.by_log_nu,
        }
    }
}

impl Terms {
    /// Arranges `terms` of `n_objects` objects.
    ///
    /// # Panics
    /// If a term names an object that is not there, or one object twice.
    pub fn new(
        n_objects: usize,
        terms: &[Term],
        family: Family,
        quantity: Quantity,
        known_errors: KnownErrors,
    ) -> Self {
        let is_pair = |term: &Term| term.near != term.far && (term.near.max(term.far) as usize) < n_objects;
        assert!(terms.iter().all(is_pair), "every term is about two of the {n_objects} objects");
        let mut given: Vec<usize> = (0..terms.len()).collect();
        given.sort_by_key(|&k| (terms[k].near, terms[k].far));
        let sorted: Vec<Term> = given.iter().map(|&k| terms[k]).collect();
        Self { n_objects, quantity, family, known_errors, terms: sorted, given }
    }

    /// The same measurements with every value and error divided by `unit`.
    pub fn in_unit(mut self, unit: f64) -> Self {
        for term in &mut self.terms {
            term.seen = term.seen.scaled(1.0 / unit);
            if self.family.sigma_has_unit() {
                term.standard_error /= unit;
            }
        }
        self
    }

    /// Number of objects.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// The noise family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// What known errors do.
    pub fn known_errors(&self) -> KnownErrors {
        self.known_errors
    }

    /// What is measured.
    pub fn quantity(&self) -> Quantity {
        self.quantity
    }

    /// Number of terms: measurements, not pairs.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Number of pairs with a measurement.
    pub fn n_pairs(&self) -> usize {
        self.terms.chunk_by(|a, b| (a.near, a.far) == (b.near, b.far)).count()
    }

    /// A measurement that cannot be under the family, if there is one: a negative number, or zero under log-normal noise.
    pub fn impossible(&self) -> Option<&Term> {
        let is_possible = |value: f64| match self.family.support() {
            Support::Line => true,
            Support::NotNegative => value >= 0.0,
            Support::Positive => value > 0.0,
        };
        let largest = |seen: Observation| match seen {
            Observation::Exact(value) | Observation::Below(value) => Some(value),
            Observation::Above(_) => None,
            // A lower end of zero says nothing.
            Observation::Within(_, upper) => Some(upper),
        };
        let is_impossible = |term: &&Term| largest(term.seen).is_some_and(|value| !is_possible(value));
        self.terms.iter().find(is_impossible).filter(|_| self.quantity == Quantity::Distance)
    }

    /// The terms, sorted by their objects.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Log density of every term, in the order they were given.
    pub fn values(&self, x: &[f64], noise: NoiseScale, levels: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.len()];
        for (term, &given) in self.terms.iter().zip(&self.given) {
            values[given] = term.weight * self.log_density(term, self.distance(x, term), noise, levels).value;
        }
        values
    }

    /// What is expected of a pair at this distance.
    #[inline]
    fn location(&self, term: &Term, distance: f64, levels: &[f64]) -> (f64, f64) {
        match self.quantity {
            Quantity::Distance => (distance, 1.0),
            Quantity::Level => (levels[term.near as usize] + levels[term.far as usize] - distance, -1.0),
        }
    }

    /// The scale of a term, and the derivative of its logarithm by log sigma.
    #[inline]
    fn scale(&self, term: &Term, sigma: f64) -> (f64, f64) {
        self.known_errors.scale(sigma, term.standard_error)
    }

    /// Log density of a term at this distance, with derivatives by the location, by log sigma and by log nu.
    #[inline]
    fn log_density(&self, term: &Term, distance: f64, noise: NoiseScale, levels: &[f64]) -> LogDensity {
        let (location, _) = self.location(term, distance, levels);
        let (scale, by_log_sigma) = self.scale(term, noise.sigma);
        let density = self.family.log_density(term.seen, location, scale, noise.nu);
        LogDensity { by_log_scale: density.by_log_scale * by_log_sigma, ..density }
    }

    fn distance(&self, x: &[f64], term: &Term) -> f64 {
        let squared = |x: &[f64]| (x[term.near as usize] - x[term.far as usize]).powi(2);
        x.chunks_exact(self.n_objects).map(squared).sum::<f64>().sqrt()
    }

    /// Log-likelihood and its derivatives by all locations and levels, which are overwritten, one term after another: the plain
    /// formulas that the kernels are checked against.
    pub fn evaluate_slowly(
        &self,
        x: &[f64],
        noise: NoiseScale,
        levels: &[f64],
        by_x: &mut [f64],
        by_level: &mut [f64],
    ) -> TermsValue {
        by_x.fill(0.0);
        by_level.fill(0.0);
        let mut sum = TermsValue::default();
        for term in &self.terms {
            let distance = self.distance(x, term);
            let density = self.log_density(term, distance, noise, levels);
            let weight = term.weight;
            sum = sum
                + TermsValue {
                    log_likelihood: weight * density.value,
                    by_log_sigma: weight * density.by_log_scale,
                    by_log_nu: weight * density.by_log_nu,
                };
            let (near, far) = (term.near as usize, term.far as usize);
            if self.quantity == Quantity::Level {
                by_level[near] += weight * density.by_location;
                by_level[far] += weight * density.by_location;
            }
            let (_, sign) = self.location(term, distance, levels);
            if distance > 0.0 {
                // Coincident objects have no direction: their gradient is 0.
                let pull = weight * density.by_location * sign / distance;
                for (x, by_x) in x.chunks_exact(self.n_objects).zip(by_x.chunks_exact_mut(self.n_objects)) {
                    let push = pull * (x[near] - x[far]);
                    by_x[near] += push;
                    by_x[far] -= push;
                }
            }
        }
        sum
    }
}
