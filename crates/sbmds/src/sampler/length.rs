//! How long the trajectories of [`jhmc`](super::jhmc) are: learned at the end of warm-up from how much successive draws have in common.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Trajectories in units of the time in which a coordinate with the learned variance turns by one radian. A quarter of a period, pi/2,
/// makes normal draws independent, and their density, which is slowest: it has cos^2 of the angle in common. A little more does better for
/// the directions that are wider than their coordinates. `scripts/compare_samplers.py` had 1.3 to 2.2 compared (docs/model.md).
const BASE: f64 = 1.7;
/// Lengths vary by this fraction: trajectories of one length can be periodic.
const JITTER: f64 = 0.3;
/// Distances that are watched.
const MONITORED: usize = 64;
/// Draws after which they are judged.
const BLOCK: usize = 50;
/// Successive draws that have more than this in common call for longer trajectories: twice the cost then gains more than twice.
const ALIKE: f64 = 0.5;
/// The longest trajectories, in units of the shortest.
const LONGEST: f64 = 16.0;

/// The length of trajectories, and what is learned of it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Length {
    /// In units of the base.
    factor: f64,
    distances: Vec<Distance>,
    n_draws: usize,
    /// The length tried before this one.
    before: Option<Tried>,
    is_settled: bool,
}

/// A length, and how far distances move per gradient with it: mean squared steps, in units of their own.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Tried {
    factor: f64,
    efficiency: f64,
}

/// A distance of two objects over a block of draws.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Distance {
    ends: (usize, usize),
    last: f64,
    mean: f64,
    /// Squared deviations from the mean.
    squares: f64,
    /// Squared differences of successive draws.
    steps: f64,
    /// Squared deviations in the first block: the unit of all steps. Slow distances show more of their variance the longer one looks.
    unit: Option<f64>,
}

impl Length {
    /// For maps of this many objects.
    pub fn new(n_objects: usize, rng: &mut ChaCha8Rng) -> Self {
        let mut pair = || {
            let (a, b) = (rng.random_range(0..n_objects), rng.random_range(0..n_objects.max(2) - 1));
            (a, (b + usize::from(b >= a)).min(n_objects - 1))
        };
        let distances = (0..MONITORED).map(|_| Distance::of(pair())).collect();
        Self { factor: 1.0, distances, n_draws: 0, before: None, is_settled: false }
    }

    /// The time that the next trajectory takes.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> f64 {
        self.factor * BASE * rng.random_range(1.0 - JITTER..1.0 + JITTER)
    }

    /// Learns from a draw, given the distance of two objects in it.
    pub fn learn(&mut self, distance: impl Fn(usize, usize) -> f64) {
        if self.is_settled {
            return;
        }
        self.n_draws += 1;
        for monitored in &mut self.distances {
            let (a, b) = monitored.ends;
            monitored.add(distance(a, b), self.n_draws);
        }
        if self.n_draws == BLOCK {
            let (alike, moved) = (self.alike(), self.moved());
            self.choose(alike, moved);
            self.n_draws = 0;
            self.distances.iter_mut().for_each(Distance::begin_anew);
        }
    }

    /// The mean correlation of successive draws, by von Neumann's ratio; none where nothing moves.
    fn alike(&self) -> f64 {
        let correlations = self.distances.iter().filter(|d| d.squares > 0.0).map(|d| 1.0 - 0.5 * d.steps / d.squares);
        let (sum, count) = correlations.fold((0.0, 0.0), |(sum, count), one| (sum + one, count + 1.0));
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// The mean squared step of a distance, in units of its variance as the first block saw it.
    fn moved(&self) -> f64 {
        let steps = |distance: &Distance| distance.steps / distance.unit.unwrap_or(distance.squares);
        self.distances.iter().map(steps).filter(|moved| moved.is_finite()).sum()
    }

    /// Twice the length as long as that gains: slow directions move twice as far, and chains that are held up by something else, by
    /// modes for instance, do not.
    fn choose(&mut self, alike: f64, moved: f64) {
        let tried = Tried { factor: self.factor, efficiency: moved / self.factor };
        match self.before {
            Some(before) if before.efficiency > tried.efficiency => {
                self.factor = before.factor;
                self.is_settled = true;
            }
            _ if alike > ALIKE && self.factor < LONGEST => {
                self.before = Some(tried);
                self.factor *= 2.0;
            }
            _ => self.is_settled = true,
        }
    }

    /// Ends the learning; a length that was not judged is not kept.
    pub fn freeze(&mut self) {
        if let (false, Some(before)) = (self.is_settled, self.before) {
            self.factor = before.factor;
        }
        self.is_settled = true;
    }
}

impl Distance {
    fn of(ends: (usize, usize)) -> Self {
        Self { ends, last: 0.0, mean: 0.0, squares: 0.0, steps: 0.0, unit: None }
    }

    fn begin_anew(&mut self) {
        let unit = Some(self.unit.unwrap_or(self.squares));
        *self = Self { unit, ..Self::of(self.ends) };
    }

    /// Adds the `count`-th value of the block.
    fn add(&mut self, value: f64, count: usize) {
        if count > 1 {
            self.steps += (value - self.last).powi(2);
        }
        let before = value - self.mean;
        self.mean += before / count as f64;
        self.squares += before * (value - self.mean);
        self.last = value;
    }
}

#[cfg(test)]
mod tests {
    use rand_distr::StandardNormal;

    use super::*;
    use crate::random::{Purpose, stream};

    /// Learns from normal distances whose successive draws have the correlation that trajectories of the present length leave.
    fn learned(correlation: impl Fn(f64) -> f64) -> f64 {
        let mut rng = stream(1, 0, Purpose::Sampling);
        let mut length = Length::new(MONITORED, &mut rng);
        let mut values = vec![0.0; MONITORED * MONITORED];
        for _ in 0..20 * BLOCK {
            let rho = correlation(length.factor);
            for value in &mut values {
                let noise: f64 = rng.sample(StandardNormal);
                *value = rho * *value + (1.0 - rho * rho).sqrt() * noise;
            }
            length.learn(|a, b| values[a * MONITORED + b]);
        }
        length.freeze();
        length.factor
    }

    #[test]
    fn slow_directions_are_given_time() {
        // A direction four times as wide as its coordinates, and one that hardly moves.
        assert_eq!(learned(|factor| (0.25 * factor * BASE).cos().abs()), 4.0);
        assert_eq!(learned(|factor| (factor / 30.0).cos()), LONGEST);
    }

    #[test]
    fn independent_draws_need_no_more() {
        assert_eq!(learned(|_| 0.0), 1.0);
        assert_eq!(learned(|_| -0.6), 1.0);
    }

    /// Draws that stay alike however long trajectories are: something else holds the chain up.
    #[test]
    fn time_that_gains_nothing_is_not_spent() {
        assert_eq!(learned(|_| 0.9), 1.0);
    }

    #[test]
    fn a_length_that_was_not_judged_is_not_kept() {
        let mut length = Length::new(10, &mut stream(1, 0, Purpose::Sampling));
        length.choose(0.9, 0.1);
        assert_eq!(length.factor, 2.0);
        length.freeze();
        assert_eq!(length.factor, 1.0);
    }
}
