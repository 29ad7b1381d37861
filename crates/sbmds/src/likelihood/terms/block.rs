//! Some hundred terms at a time: distances, then densities on vectors, then the push on both ends.
//!
//! The ends of terms lie anywhere, so that distances and pushes are scalar loops over gathered locations; what costs, the
//! densities, runs on whole vectors of memory that stays in the first-level cache.

use super::standard::{Between, Standard, Tail};
use super::{Model, Seen, TermSums};
use crate::likelihood::simd::{Double, ln};

/// Terms of a block.
pub(super) const BLOCK: usize = 256;

/// Squares of distances below this count as this: keeps 0/0 away when two objects coincide.
const SMALLEST_SQUARE: f64 = 1e-280;

/// [`Seen`] as what a function can be compiled for.
const EXACT: u8 = Seen::Exact as u8;
const BELOW: u8 = Seen::Below as u8;
const ABOVE: u8 = Seen::Above as u8;
const WITHIN: u8 = Seen::Within as u8;

/// The terms of a block: all of one kind.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub(super) seen: Seen,
    pub(super) near: &'a [u32],
    pub(super) far: &'a [u32],
    pub(super) lower: &'a [f64],
    /// Upper ends of intervals; empty for other kinds.
    pub(super) upper: &'a [f64],
    /// Empty if all are 1.
    pub(super) weights: &'a [f64],
    /// Squares of known errors; empty if there are none.
    pub(super) errors: &'a [f64],
}

/// Where the terms are evaluated.
#[derive(Clone, Copy)]
pub(super) struct Point<'a> {
    /// Locations, object by object.
    pub(super) x: &'a [f64],
    pub(super) n_dims: usize,
    pub(super) sigma: f64,
    /// What objects add to what is measured; empty where distances are.
    pub(super) levels: &'a [f64],
}

/// Where derivatives go, object by object.
pub(super) struct Gradient<'a> {
    pub(super) x: &'a mut [f64],
    pub(super) levels: &'a mut [f64],
}

type Lane = [f64; BLOCK];

/// What is known of the terms of a block.
#[repr(align(64))]
pub(super) struct Memory {
    squares: Lane,
    levels: Lane,
    lower: Lane,
    upper: Lane,
    weights: Lane,
    errors: Lane,
    /// Derivative by the location of the noise, times the weight.
    by_location: Lane,
    /// What a difference of coordinates is multiplied with to be the derivative by the near one.
    pulls: Lane,
}

impl Memory {
    pub(super) fn new() -> Self {
        let zero = [0.0; BLOCK];
        Self {
            squares: zero,
            levels: zero,
            lower: zero,
            upper: zero,
            weights: zero,
            errors: zero,
            by_location: zero,
            pulls: zero,
        }
    }

    /// Copies what the vectors read, whole vectors of it: what stands beyond the last term has no weight.
    #[inline(always)]
    fn fill(&mut self, terms: &Terms<'_>) {
        let n = terms.near.len();
        self.lower[..n].copy_from_slice(terms.lower);
        self.lower[n..].fill(1.0);
        if !terms.upper.is_empty() {
            self.upper[..n].copy_from_slice(terms.upper);
            self.upper[n..].fill(2.0);
        }
        match terms.weights.is_empty() {
            true => self.weights[..n].fill(1.0),
            false => self.weights[..n].copy_from_slice(terms.weights),
        }
        self.weights[n..].fill(0.0);
        if !terms.errors.is_empty() {
            self.errors[..n].copy_from_slice(terms.errors);
            self.errors[n..].fill(0.0);
        }
    }

    /// Squared distances, and the levels of both ends.
    #[inline(always)]
    fn gather<const D: usize>(&mut self, terms: &Terms<'_>, at: Point<'_>) {
        let n_dims = if D > 0 { D } else { at.n_dims };
        let ends = terms.near.iter().zip(terms.far);
        for ((&near, &far), square) in ends.clone().zip(&mut self.squares) {
            let of = |end: u32| &at.x[end as usize * n_dims..(end as usize + 1) * n_dims];
            let (near, far) = (of(near), of(far));
            let mut sum = 0.0;
            for dim in 0..n_dims {
                let difference = near[dim] - far[dim];
                sum += difference * difference;
            }
            *square = sum;
        }
        self.squares[terms.near.len()..].fill(1.0);
        if !at.levels.is_empty() {
            for ((&near, &far), level) in ends.zip(&mut self.levels) {
                *level = at.levels[near as usize] + at.levels[far as usize];
            }
            self.levels[terms.near.len()..].fill(0.0);
        }
    }

    /// Adds the pushes on both ends.
    #[inline(always)]
    fn scatter<const D: usize>(&self, terms: &Terms<'_>, at: Point<'_>, gradient: &mut Gradient<'_>) {
        let n_dims = if D > 0 { D } else { at.n_dims };
        for ((&near, &far), pull) in terms.near.iter().zip(terms.far).zip(&self.pulls) {
            let (near, far) = (near as usize * n_dims, far as usize * n_dims);
            for dim in 0..n_dims {
                let push = pull * (at.x[near + dim] - at.x[far + dim]);
                gradient.x[near + dim] += push;
                gradient.x[far + dim] -= push;
            }
        }
        if !at.levels.is_empty() {
            for ((&near, &far), by_level) in terms.near.iter().zip(terms.far).zip(&self.by_location) {
                gradient.levels[near as usize] += by_level;
                gradient.levels[far as usize] += by_level;
            }
        }
    }

    /// Sums of a block; adds its derivatives, if they are wanted.
    #[inline(always)]
    pub(super) fn run<S: Double, F: Standard<S>>(
        &mut self,
        s: S,
        (standard, model): (F, Model),
        terms: &Terms<'_>,
        at: Point<'_>,
        gradient: Option<&mut Gradient<'_>>,
    ) -> TermSums {
        self.fill(terms);
        match at.n_dims {
            2 => self.gather::<2>(terms, at),
            _ => self.gather::<0>(terms, at),
        }
        let densities = Densities { standard, model, sigma: at.sigma, has_errors: !terms.errors.is_empty() };
        let n_vectors = terms.near.len().div_ceil(S::LANES);
        let sums = match terms.seen {
            Seen::Exact => densities.run::<S, EXACT>(s, self, n_vectors),
            Seen::Below => densities.run::<S, BELOW>(s, self, n_vectors),
            Seen::Above => densities.run::<S, ABOVE>(s, self, n_vectors),
            Seen::Within => densities.run::<S, WITHIN>(s, self, n_vectors),
        };
        if let Some(gradient) = gradient {
            match at.n_dims {
                2 => self.scatter::<2>(terms, at, gradient),
                _ => self.scatter::<0>(terms, at, gradient),
            }
        }
        sums
    }
}

/// The vector part of a block.
#[derive(Clone, Copy)]
struct Densities<F> {
    standard: F,
    model: Model,
    sigma: f64,
    has_errors: bool,
}

/// Location and scale of the noise, and limits.
struct Around<S: Double> {
    location: S::V,
    per_scale: S::V,
    log_scale: S::V,
    lower: S::V,
    upper: S::V,
}

impl<S: Double> Clone for Around<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Double> Copy for Around<S> {}

/// Log density and derivatives, as in `measurement/family.rs`.
struct LogDensity<S: Double> {
    value: S::V,
    by_location: S::V,
    by_log_scale: S::V,
    by_log_nu: S::V,
}

impl<F> Densities<F> {
    /// Runs over the vectors of a block, of which `SEEN` was seen.
    #[inline(always)]
    fn run<S: Double, const SEEN: u8>(self, s: S, memory: &mut Memory, n_vectors: usize) -> TermSums
    where
        F: Standard<S>,
    {
        let zero = s.splat(0.0);
        let (mut value, mut by_log_sigma, mut by_log_nu) = (zero, zero, zero);
        let known = (s.splat(self.sigma.recip()), s.splat(self.sigma.ln()), s.splat(1.0));
        for vector in 0..n_vectors {
            let start = vector * S::LANES;
            let load = |lane: &Lane| {
                debug_assert!(start + S::LANES <= BLOCK);
                // SAFETY: vectors divide a block, and there are no more of them than in one.
                unsafe { s.load(lane.as_ptr().add(start)) }
            };
            let squares = s.max(load(&memory.squares), s.splat(SMALLEST_SQUARE));
            let distance = s.sqrt(squares);
            let (per_scale, log_scale, share) = match self.has_errors {
                true => self.scale(s, load(&memory.errors)),
                false => known,
            };
            let location = match (self.model.levels, self.model.logarithmic) {
                (true, _) => s.sub(load(&memory.levels), distance),
                (false, true) => s.mul(s.splat(0.5), ln(s, squares)),
                (false, false) => distance,
            };
            let (lower, upper) = (load(&memory.lower), load(&memory.upper));
            let around = Around { location, per_scale, log_scale, lower, upper };
            let mut at = match SEEN {
                EXACT => self.exact(s, around),
                BELOW => self.below(s, around),
                ABOVE => self.above(s, around),
                _ => self.within(s, around),
            };
            if self.model.truncated {
                at = self.given_positive(s, at, around);
            }
            let weight = load(&memory.weights);
            value = s.mul_add(weight, at.value, value);
            by_log_sigma = s.mul_add(weight, s.mul(share, at.by_log_scale), by_log_sigma);
            by_log_nu = s.mul_add(weight, at.by_log_nu, by_log_nu);
            let by_location = s.mul(weight, at.by_location);
            let per_distance = match (self.model.levels, self.model.logarithmic) {
                (true, _) => s.div(s.splat(-1.0), distance),
                (false, true) => s.div(s.splat(1.0), squares),
                (false, false) => s.div(s.splat(1.0), distance),
            };
            // SAFETY: as above.
            unsafe {
                s.store(memory.by_location.as_mut_ptr().add(start), by_location);
                s.store(memory.pulls.as_mut_ptr().add(start), s.mul(by_location, per_distance));
            }
        }
        TermSums { value: s.sum(value), by_log_sigma: s.sum(by_log_sigma), by_log_nu: s.sum(by_log_nu) }
    }

    /// 1 / scale, log scale, and the derivative of log scale by log sigma.
    #[inline(always)]
    fn scale<S: Double>(self, s: S, errors: S::V) -> (S::V, S::V, S::V) {
        let variance = s.splat(self.sigma * self.sigma);
        // An error of 0 is none: sigma is the scale then, also where known errors replace it.
        let is_known = s.is_negative(s.sub(s.splat(0.0), errors));
        let sum = match self.model.replace_errors {
            true => s.select(is_known, errors, variance),
            false => s.add(variance, errors),
        };
        let share = match self.model.replace_errors {
            true => s.select(is_known, s.splat(0.0), s.splat(1.0)),
            false => s.div(variance, sum),
        };
        (s.div(s.splat(1.0), s.sqrt(sum)), s.mul(s.splat(0.5), ln(s, sum)), share)
    }

    #[inline(always)]
    fn exact<S: Double>(self, s: S, around: Around<S>) -> LogDensity<S>
    where
        F: Standard<S>,
    {
        let Around { location, per_scale, log_scale, lower, .. } = around;
        let z = s.mul(s.sub(lower, location), per_scale);
        let at = self.standard.density(s, z);
        // What is logarithmic is the measurement, too: the density of it has its reciprocal as a factor.
        let constant = if self.model.logarithmic { s.add(log_scale, lower) } else { log_scale };
        let one = one_sided(s, at, z, per_scale, -1.0);
        LogDensity { value: s.sub(one.value, constant), by_log_scale: s.sub(one.by_log_scale, s.splat(1.0)), ..one }
    }

    #[inline(always)]
    fn below<S: Double>(self, s: S, around: Around<S>) -> LogDensity<S>
    where
        F: Standard<S>,
    {
        let z = s.mul(s.sub(around.lower, around.location), around.per_scale);
        one_sided(s, self.standard.cdf(s, z), z, around.per_scale, -1.0)
    }

    #[inline(always)]
    fn above<S: Double>(self, s: S, around: Around<S>) -> LogDensity<S>
    where
        F: Standard<S>,
    {
        let z = s.mul(s.sub(around.location, around.lower), around.per_scale);
        one_sided(s, self.standard.cdf(s, z), z, around.per_scale, 1.0)
    }

    #[inline(always)]
    fn within<S: Double>(self, s: S, around: Around<S>) -> LogDensity<S>
    where
        F: Standard<S>,
    {
        let Around { location, per_scale, lower, upper, .. } = around;
        let (a, b) = (s.mul(s.sub(lower, location), per_scale), s.mul(s.sub(upper, location), per_scale));
        let Between { value, by_lower, by_upper, by_log_nu } = self.standard.between(s, a, b);
        let zero = s.splat(0.0);
        LogDensity {
            value,
            by_location: s.mul(s.sub(zero, s.add(by_lower, by_upper)), per_scale),
            by_log_scale: s.sub(zero, s.mul_add(by_lower, a, s.mul(by_upper, b))),
            by_log_nu,
        }
    }

    /// Given that the quantity is positive: divided by the probability F(m / s) of that.
    #[inline(always)]
    fn given_positive<S: Double>(self, s: S, at: LogDensity<S>, around: Around<S>) -> LogDensity<S>
    where
        F: Standard<S>,
    {
        let z = s.mul(around.location, around.per_scale);
        let positive = one_sided(s, self.standard.cdf(s, z), z, around.per_scale, 1.0);
        LogDensity {
            value: s.sub(at.value, positive.value),
            by_location: s.sub(at.by_location, positive.by_location),
            by_log_scale: s.sub(at.by_log_scale, positive.by_log_scale),
            by_log_nu: s.sub(at.by_log_nu, positive.by_log_nu),
        }
    }
}

/// Derivatives by location and log scale from that by z, which grows (`sign` 1) or falls (-1) with the location.
#[inline(always)]
fn one_sided<S: Double>(s: S, tail: Tail<S>, z: S::V, per_scale: S::V, sign: f64) -> LogDensity<S> {
    LogDensity {
        value: tail.value,
        by_location: s.mul(s.mul(tail.derivative, per_scale), s.splat(sign)),
        by_log_scale: s.sub(s.splat(0.0), s.mul(tail.derivative, z)),
        by_log_nu: tail.by_log_nu,
    }
}
