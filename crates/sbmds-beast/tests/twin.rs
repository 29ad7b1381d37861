//! Long random sequences of BEAST's calls, against a twin that recomputes everything from the formula.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use sbmds::beast::BeastFlags;
use sbmds::coupling::{Coupling, Couplings, LayOptions, lay};
use sbmds::dissimilarity::{Dissimilarities, Names};
use sbmds::likelihood::Noise;
use sbmds::random::{Purpose, stream};
use sbmds_beast::{Instance, Shape, Threads};

/// What an instance must know, and nothing else.
#[derive(Clone)]
struct Twin {
    shape: Shape,
    n_dims: usize,
    noise: Noise,
    coupling: Option<Coupling>,
    values: Vec<f64>,
    locations: Vec<f64>,
    precision: f64,
}

impl Twin {
    /// Every pair of objects that is used: its two numbers, where its dissimilarity is, and the dissimilarity.
    fn pairs(&self) -> Vec<(usize, usize, usize, f64)> {
        let all: Vec<_> = match self.shape {
            Shape::Symmetric(n) => {
                (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b, a * n + b))).filter(|p| self.coupled(p)).collect()
            }
            Shape::Rectangular { rows, columns } => {
                (0..rows).flat_map(|a| (0..columns).map(move |b| (a, rows + b, a * columns + b))).collect()
            }
        };
        let valued = all.into_iter().map(|(a, b, at)| (a, b, at, self.values[at]));
        valued.filter(|pair| !pair.3.is_nan()).collect()
    }

    fn coupled(&self, &(a, b, _): &(usize, usize, usize)) -> bool {
        let Some(Coupling { order, pairs, .. }) = &self.coupling else { return true };
        let position = |object| order.iter().position(|&other| other == object).unwrap();
        let (a, b) = (position(a), position(b));
        pairs.contains(a.min(b), a.max(b))
    }

    fn location(&self, object: usize) -> &[f64] {
        &self.locations[object * self.n_dims..][..self.n_dims]
    }

    fn distance(&self, a: usize, b: usize) -> f64 {
        self.location(a).iter().zip(self.location(b)).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
    }

    fn sigma(&self) -> f64 {
        1.0 / self.precision.sqrt()
    }

    fn log_likelihood(&self) -> f64 {
        let density = |&(a, b, _, delta): &(usize, usize, usize, f64)| {
            self.noise.log_density(delta, self.distance(a, b), self.sigma())
        };
        self.pairs().iter().map(density).sum()
    }

    /// What BEAST makes of the sum an instance returns; of rows with columns it counts the measured pairs itself.
    fn log_likelihood_of_sum(&self, sum: f64) -> f64 {
        let counted = match self.shape {
            Shape::Symmetric(n) => n * (n - 1) / 2,
            Shape::Rectangular { .. } => self.pairs().len(),
        };
        0.5 * (self.precision.ln() - (2.0 * std::f64::consts::PI).ln()) * counted as f64 - sum
    }

    fn gradient(&self) -> Vec<f64> {
        let mut gradient = vec![0.0; self.locations.len()];
        for (a, b, _, delta) in self.pairs() {
            let distance = self.distance(a, b);
            if distance == 0.0 {
                continue;
            }
            let derivative = self.noise.derivative(delta, distance, self.sigma()) / distance;
            for dim in 0..self.n_dims {
                let along = derivative * (self.location(a)[dim] - self.location(b)[dim]);
                gradient[a * self.n_dims + dim] += along;
                gradient[b * self.n_dims + dim] -= along;
            }
        }
        gradient
    }
}

/// An instance and its twin, and what was stored of the twin.
struct Pair {
    instance: Instance,
    twin: Twin,
    stored: Twin,
    rng: ChaCha8Rng,
}

fn dissimilarities(shape: Shape, missing: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let value = |rng: &mut ChaCha8Rng| if rng.random_bool(missing) { f64::NAN } else { rng.random_range(0.1..3.0) };
    match shape {
        Shape::Rectangular { rows, columns } => (0..rows * columns).map(|_| value(rng)).collect(),
        Shape::Symmetric(n) => {
            let mut values = vec![0.0; n * n];
            for a in 0..n {
                for b in a + 1..n {
                    values[a * n + b] = value(rng);
                    values[b * n + a] = values[a * n + b];
                }
            }
            values
        }
    }
}

fn coupling(flags: &BeastFlags, shape: Shape, n_dims: usize, values: &[f64]) -> Option<Coupling> {
    let (Some(couplings), Shape::Symmetric(n)) = (&flags.couplings, shape) else { return None };
    let data = Dissimilarities::from_fn(Names::numbered(n), |a, b| values[a * n + b]);
    Some(lay(couplings, &data, n_dims, &flags.lay).unwrap())
}

impl Pair {
    fn new(shape: Shape, n_dims: usize, flags: BeastFlags, missing: f64, seed: u64) -> Self {
        let mut rng = stream(seed, 0, Purpose::Simulation);
        let values = dissimilarities(shape, missing, &mut rng);
        let n_objects = match shape {
            Shape::Symmetric(n) => n,
            Shape::Rectangular { rows, columns } => rows + columns,
        };
        let locations: Vec<f64> = (0..n_objects * n_dims).map(|_| rng.random_range(-1.0..1.0)).collect();
        let mut instance = Instance::new(shape, n_dims, flags.to_number().unwrap(), Threads::Count(2)).unwrap();
        instance.set_parameters(&[2.0]).unwrap();
        instance.set_pairwise_data(&values).unwrap();
        instance.update_locations(None, &locations).unwrap();
        instance.store_state();
        let noise = if flags.truncated { Noise::TruncatedNormal } else { Noise::Normal };
        let coupling = coupling(&flags, shape, n_dims, &values);
        let twin = Twin { shape, n_dims, noise, coupling, values, locations, precision: 2.0 };
        Self { instance, stored: twin.clone(), twin, rng }
    }

    fn n_objects(&self) -> usize {
        self.twin.locations.len() / self.twin.n_dims
    }

    /// One call of BEAST, chosen at random.
    fn step(&mut self) {
        let (n_objects, n_dims) = (self.n_objects(), self.twin.n_dims);
        match self.rng.random_range(0..12) {
            0..=4 => {
                let object = self.rng.random_range(0..n_objects);
                let to: Vec<f64> = (0..n_dims).map(|_| self.rng.random_range(-1.0..1.0)).collect();
                self.instance.update_locations(Some(object), &to).unwrap();
                self.twin.locations[object * n_dims..][..n_dims].copy_from_slice(&to);
            }
            5 => {
                let all: Vec<f64> = (0..n_objects * n_dims).map(|_| self.rng.random_range(-1.0..1.0)).collect();
                self.instance.update_locations(None, &all).unwrap();
                self.twin.locations = all;
            }
            6 => {
                let precision = self.rng.random_range(0.1..20.0);
                self.instance.set_parameters(&[precision]).unwrap();
                self.twin.precision = precision;
            }
            7 => {
                self.instance.store_state();
                self.stored = self.twin.clone();
            }
            8 => {
                self.instance.restore_state().unwrap();
                self.twin = self.stored.clone();
            }
            9 => self.instance.accept_state(),
            10 if self.rng.random_bool(0.1) => {
                let values: Vec<f64> = self.twin.values.iter().map(|value| value * 1.5).collect();
                self.instance.set_pairwise_data(&values).unwrap();
                self.twin.values = values;
            }
            10 => self.instance.make_dirty(),
            _ => self.check(),
        }
    }

    fn check(&mut self) {
        let expected = self.twin.log_likelihood();
        let found = self.twin.log_likelihood_of_sum(self.instance.sum_of_increments().unwrap());
        assert!((found - expected).abs() <= 1e-11 * expected.abs().max(1.0), "{found} {expected}");
    }

    fn check_gradient(&mut self) {
        let mut found = vec![7.0; self.twin.locations.len()];
        self.instance.location_gradient(&mut found).unwrap();
        for (found, expected) in found.iter().zip(self.twin.gradient()) {
            assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{found} {expected}");
        }
    }
}

fn flags(couplings: &str, truncated: bool, multicore: bool) -> BeastFlags {
    let couplings = Some(couplings.parse().unwrap()).filter(|couplings| *couplings != Couplings::Full);
    BeastFlags {
        truncated,
        multicore,
        couplings,
        lay: LayOptions { seed: 3, ..LayOptions::default() },
        ..BeastFlags::default()
    }
}

#[test]
fn any_sequence_of_calls_gives_the_formula() {
    let rectangle = Shape::Rectangular { rows: 7, columns: 4 };
    let mut seed = 0;
    for truncated in [false, true] {
        for (couplings, shape, n_dims, missing) in [
            ("full", Shape::Symmetric(2), 1, 0.0),
            ("full", Shape::Symmetric(23), 2, 0.0),
            ("full", Shape::Symmetric(40), 3, 0.3),
            ("band:4", Shape::Symmetric(30), 2, 0.05),
            ("landmark:5", Shape::Symmetric(30), 2, 0.05),
            ("dispersed:4", Shape::Symmetric(40), 2, 0.05),
            ("dispersed:6", Shape::Symmetric(41), 6, 0.0),
            ("auto", Shape::Symmetric(20), 2, 0.2),
            ("full", rectangle, 2, 0.3),
            ("full", rectangle, 5, 0.0),
        ] {
            seed += 1;
            let mut pair = Pair::new(shape, n_dims, flags(couplings, truncated, seed % 2 == 0), missing, seed);
            pair.check_gradient();
            (0..600).for_each(|_| pair.step());
            pair.check();
            pair.check_gradient();
        }
    }
}

/// The aim of single updates is speed; that they are used at all shows in their rounding.
#[test]
fn a_million_cycles_neither_drift_nor_differ() {
    let mut pair = Pair::new(Shape::Symmetric(30), 2, flags("full", true, false), 0.1, 77);
    let first = pair.instance.sum_of_increments().unwrap();
    for cycle in 0..1_000_000_usize {
        pair.instance.store_state();
        let (object, shift) = (cycle % 30, (cycle % 7) as f64);
        pair.instance.update_locations(Some(object), &[shift, -shift]).unwrap();
        assert!(pair.instance.sum_of_increments().unwrap().is_finite());
        pair.instance.restore_state().unwrap();
        assert_eq!(pair.instance.sum_of_increments().unwrap(), first, "cycle {cycle}");
    }
    // Accepted moves add up rounding errors of their own; there and back again 10^6 times leaves none that matter.
    let home = pair.twin.locations[..2].to_vec();
    for cycle in 0..1_000_000_usize {
        pair.instance.store_state();
        let to = if cycle % 2 == 0 { [0.3 + cycle as f64 * 1e-6, -0.7] } else { [home[0], home[1]] };
        pair.instance.update_locations(Some(0), &to).unwrap();
        pair.instance.sum_of_increments().unwrap();
        pair.instance.accept_state();
    }
    let last = pair.instance.sum_of_increments().unwrap();
    assert!((last - first).abs() < 1e-11 * first.abs(), "{first} {last}");
}

#[test]
fn maps_without_a_density_are_rejected_and_forgotten() {
    for bad in [f64::NAN, f64::INFINITY, 1e200] {
        for missing in [0.0, 0.2] {
            let mut pair = Pair::new(Shape::Symmetric(12), 2, flags("full", true, false), missing, 5);
            pair.check();
            pair.instance.store_state();
            pair.instance.update_locations(Some(3), &[bad, 0.0]).unwrap();
            assert_eq!(pair.instance.sum_of_increments().unwrap(), f64::INFINITY, "{bad}");
            pair.instance.restore_state().unwrap();
            pair.check();
            pair.instance.set_parameters(&[-1.0]).unwrap();
            assert_eq!(pair.instance.sum_of_increments().unwrap(), f64::INFINITY);
            let mut gradient = vec![0.0; 24];
            pair.instance.location_gradient(&mut gradient).unwrap();
            assert!(gradient.iter().all(|derivative| derivative.is_nan()));
            pair.instance.set_parameters(&[2.0]).unwrap();
            pair.check();
            pair.check_gradient();
        }
    }
}

#[test]
fn observations_come_back_with_their_derivatives() {
    for (shape, couplings) in [
        (Shape::Symmetric(9), "full"),
        (Shape::Symmetric(9), "band:2"),
        (Shape::Rectangular { rows: 4, columns: 3 }, "full"),
    ] {
        let mut pair = Pair::new(shape, 2, flags(couplings, true, false), 0.2, 8);
        let data = pair.instance.pairwise_data().unwrap();
        let mut derivatives = vec![7.0; data.len()];
        pair.instance.observation_gradient(&mut derivatives).unwrap();
        let used = pair.twin.pairs();
        let n_copies = if matches!(shape, Shape::Symmetric(_)) { 2 } else { 1 };
        let n_diagonal = if n_copies == 2 { 9 } else { 0 };
        assert_eq!(data.iter().filter(|value| !value.is_nan()).count(), n_copies * used.len() + n_diagonal);
        assert_eq!(derivatives.iter().filter(|value| **value != 0.0).count(), n_copies * used.len());
        for (_, _, at, delta) in used {
            assert_eq!(data[at], delta);
            const STEP: f64 = 1e-5;
            let moved = |by: f64| {
                let mut twin = pair.twin.clone();
                twin.values[at] += by;
                twin.log_likelihood()
            };
            let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            assert!((derivatives[at] - expected).abs() < 1e-6, "{} {expected}", derivatives[at]);
        }
    }
}

#[test]
fn single_precision_keeps_seven_digits() {
    let double = flags("full", true, false);
    let single = BeastFlags { single_precision: true, ..double.clone() };
    let mut of_double = Pair::new(Shape::Symmetric(30), 2, double, 0.0, 4);
    let mut of_single = Pair::new(Shape::Symmetric(30), 2, single, 0.0, 4);
    let sums = [&mut of_double, &mut of_single].map(|pair| pair.instance.sum_of_increments().unwrap());
    assert!((sums[0] - sums[1]).abs() < 1e-6 * sums[0].abs());
    assert_ne!(sums[0], sums[1], "the flag does nothing");
}
