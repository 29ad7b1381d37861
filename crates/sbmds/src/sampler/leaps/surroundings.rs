//! What holds one object in place: its partners, their dissimilarities and the prior, in units of sigma.

use crate::cholesky::{cholesky, solve_lower, solve_lower_transposed};
use crate::likelihood::{Likelihood, Noise};

/// Partners taken at a time, so that the compiler can use vector instructions.
const LANES: usize = 8;
/// Dimensions up to which there are leaps: with more, there is a way around every hill.
pub(super) const MOST_DIMS: usize = 8;
/// Distances beyond which truncation at zero is nothing (in units of sigma).
const TRUNCATION_ENDS: f64 = 8.5;
/// Newton steps at most, without and with the truncation at zero.
const MOST_STEPS: usize = 25;
const MOST_FINE_STEPS: usize = 12;
/// Steps shorter than this part of the object's posterior width end a climb.
const SETTLED: f64 = 0.02;

/// The surroundings of one object; memory is reused from object to object.
#[derive(Default)]
pub(super) struct Surroundings {
    n_dims: usize,
    noise: Noise,
    n_partners: usize,
    /// Dissimilarities, then zeros up to a whole number of lanes.
    expected: Vec<f64>,
    /// 1 for a partner, 0 beyond the last.
    counts: Vec<f64>,
    /// Locations of the partners, dimension by dimension, each as long as `expected`.
    partners: Vec<f64>,
    places: Vec<usize>,
    /// sigma^2 / Lambda.
    prior: Vec<f64>,
}

/// Slope and curvature of the energy at a point.
pub(super) struct Bend {
    pub slope: [f64; MOST_DIMS],
    /// Row by row, n_dims x n_dims.
    pub curvature: [f64; MOST_DIMS * MOST_DIMS],
}

impl Surroundings {
    /// Those of the object at `place`.
    pub fn gather(&mut self, likelihood: &Likelihood, x: &[f64], sigma: f64, place: usize, scales: &[f64]) {
        let Self { expected, places, counts, partners, prior, .. } = self;
        let per_sigma = 1.0 / sigma;
        expected.clear();
        places.clear();
        likelihood.for_each_partner(place, |other, delta| {
            expected.push(delta * per_sigma);
            places.push(other);
            true
        });
        let padded = places.len().next_multiple_of(LANES);
        expected.resize(padded, 0.0);
        counts.clear();
        counts.resize(places.len(), 1.0);
        counts.resize(padded, 0.0);
        partners.clear();
        for values in x.chunks_exact(likelihood.n_objects()) {
            partners.extend(places.iter().map(|&other| values[other] * per_sigma));
            partners.resize(partners.len().next_multiple_of(LANES), 0.0);
        }
        prior.clear();
        prior.extend(scales.iter().map(|scale| sigma * sigma / scale));
        self.n_partners = places.len();
        self.n_dims = likelihood.n_dims();
        self.noise = likelihood.noise();
    }

    /// Minus the log density of the object at `at`, up to a constant.
    pub fn energy(&self, at: &[f64]) -> f64 {
        let stride = self.expected.len();
        let prior: f64 = at.iter().zip(&self.prior).map(|(x, precision)| 0.5 * x * x * precision).sum();
        let pairs = (0..self.n_partners).map(|partner| {
            let squares = at.iter().enumerate().map(|(dim, x)| (x - self.partners[dim * stride + partner]).powi(2));
            self.noise.log_density(self.expected[partner], squares.sum::<f64>().sqrt(), 1.0)
        });
        prior - pairs.sum::<f64>()
    }

    /// Uphill from `at` to a top, or until it is known where that leads; true if it is not.
    pub fn climb(&self, at: &mut [f64], is_known: impl Fn(&[f64]) -> bool) -> bool {
        for _ in 0..MOST_STEPS {
            let is_short = self.step(at, false);
            if is_known(at) {
                return false;
            }
            if is_short {
                break;
            }
        }
        true
    }

    /// From a top that ignores the truncation at zero to one that does not, with the curvature there.
    pub fn climb_finely(&self, at: &mut [f64]) -> Bend {
        if self.noise == Noise::TruncatedNormal {
            for _ in 0..MOST_FINE_STEPS {
                if self.step(at, true) {
                    break;
                }
            }
        }
        self.bend(at, true)
    }

    /// One Newton step, or where the energy does not bend upwards, one to the minimum of a parabola that lies above it
    /// (de Leeuw 1977). True if it is short.
    fn step(&self, at: &mut [f64], finely: bool) -> bool {
        let Bend { slope, curvature } = self.bend(at, finely);
        let n = self.n_dims;
        let weight = self.n_partners as f64 + self.prior.iter().fold(0.0, |a: f64, b| a.max(*b));
        let mut step = slope;
        let mut factor = [0.0; MOST_DIMS * MOST_DIMS];
        let is_bowl = cholesky(n, &curvature[..n * n], &mut factor[..n * n]).is_some();
        if is_bowl {
            solve_lower(n, &factor[..n * n], &mut step[..n]);
            solve_lower_transposed(n, &factor[..n * n], &mut step[..n]);
        }
        let squared = |step: &[f64]| step.iter().map(|x| x * x).sum::<f64>();
        // A Newton step of many parabola steps is out of its depth.
        let most = 10.0 * squared(&slope[..n]).sqrt() / weight;
        let length = squared(&step[..n]).sqrt();
        let factor = match is_bowl {
            true if length <= most => 1.0,
            true => most / length,
            false => 1.0 / weight,
        };
        at.iter_mut().zip(step).for_each(|(x, step)| *x -= factor * step);
        squared(&step[..n]) * factor * factor * weight < SETTLED * SETTLED
    }

    /// Slope and curvature at a point, `finely`: with the truncation at zero.
    pub(super) fn bend(&self, at: &[f64], finely: bool) -> Bend {
        let n = self.n_dims;
        let truncated = finely && self.noise == Noise::TruncatedNormal;
        let mut sums = Sums::ZERO;
        for first in (0..self.expected.len()).step_by(LANES) {
            let (off, squares) = self.off(at, first);
            let (mut pulls, mut bends) = self.springs(first, &squares);
            if truncated {
                self.add_truncation(first, &squares, &mut pulls, &mut bends);
            }
            sums.add(n, &off, &pulls, &bends);
        }
        let mut bend = Bend { slope: [0.0; MOST_DIMS], curvature: [0.0; MOST_DIMS * MOST_DIMS] };
        let round: f64 = sums.round.iter().sum();
        for row in 0..n {
            bend.slope[row] = sums.slopes[row].iter().sum::<f64>() + self.prior[row] * at[row];
            for column in 0..=row {
                bend.curvature[row * n + column] = sums.curvatures[row * n + column].iter().sum();
            }
            bend.curvature[row * n + row] += round + self.prior[row];
        }
        bend
    }

    /// From the partners `first..first + LANES` to `at`, by dimension, and the squared distances.
    fn off(&self, at: &[f64], first: usize) -> ([Lanes; MOST_DIMS], Lanes) {
        let mut off = [[0.0; LANES]; MOST_DIMS];
        // A partner at the very place has no direction.
        let mut squares = [1e-12; LANES];
        for dim in 0..self.n_dims {
            let partners = &self.partners[dim * self.expected.len() + first..][..LANES];
            for lane in 0..LANES {
                off[dim][lane] = at[dim] - partners[lane];
                squares[lane] += off[dim][lane] * off[dim][lane];
            }
        }
        (off, squares)
    }

    /// For each partner the slope along the line to it, per distance, and how much more the energy bends along that line than
    /// across, per squared distance.
    fn springs(&self, first: usize, squares: &Lanes) -> (Lanes, Lanes) {
        let (expected, counts) = (&self.expected[first..][..LANES], &self.counts[first..][..LANES]);
        let (mut pulls, mut bends) = ([0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            pulls[lane] = counts[lane] * (1.0 - expected[lane] / squares[lane].sqrt());
            bends[lane] = (counts[lane] - pulls[lane]) / squares[lane];
        }
        (pulls, bends)
    }

    /// What log Phi adds to both.
    fn add_truncation(&self, first: usize, squares: &Lanes, pulls: &mut Lanes, bends: &mut Lanes) {
        for lane in 0..LANES {
            let (distance, expected) = (squares[lane].sqrt(), self.expected[first + lane]);
            if distance < TRUNCATION_ENDS {
                // phi / Phi, whose derivative is -(phi / Phi) (z + phi / Phi).
                let ratio = expected - distance - self.noise.slope(expected, distance, 1.0);
                let ratio = self.counts[first + lane] * ratio;
                pulls[lane] += ratio / distance;
                bends[lane] -= (ratio * (distance + ratio) + ratio / distance) / squares[lane];
            }
        }
    }
}

/// One number for each of some partners.
type Lanes = [f64; LANES];

/// Slopes and curvatures summed over partners, lane by lane.
struct Sums {
    slopes: [Lanes; MOST_DIMS],
    /// Along the lines to the partners, row by row of the lower triangle.
    curvatures: [Lanes; MOST_DIMS * MOST_DIMS],
    /// In all directions.
    round: Lanes,
}

impl Sums {
    const ZERO: Self = Self {
        slopes: [[0.0; LANES]; MOST_DIMS],
        curvatures: [[0.0; LANES]; MOST_DIMS * MOST_DIMS],
        round: [0.0; LANES],
    };

    fn add(&mut self, n_dims: usize, off: &[Lanes; MOST_DIMS], pulls: &Lanes, bends: &Lanes) {
        for lane in 0..LANES {
            self.round[lane] += pulls[lane];
        }
        for row in 0..n_dims {
            for lane in 0..LANES {
                self.slopes[row][lane] += pulls[lane] * off[row][lane];
            }
            for column in 0..=row {
                let sums = &mut self.curvatures[row * n_dims + column];
                for lane in 0..LANES {
                    sums[lane] += bends[lane] * off[row][lane] * off[column][lane];
                }
            }
        }
    }
}
