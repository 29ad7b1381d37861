//! Every kernel path against the double loop that says the equation.

use proptest::prelude::*;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use sbmds::Locations;
use sbmds::coupling::{Pairs, Position};
use sbmds::likelihood::{InstructionSet, Likelihood, Noise, Storage, Workspace, reference};
use sbmds::random::{Purpose, stream};

/// A problem small enough for the double loop.
struct Problem {
    pairs: Pairs,
    noise: Noise,
    x: Locations,
    sigma: f64,
    /// Upper triangle; NaN = missing.
    deltas: Vec<Vec<f64>>,
}

impl Problem {
    fn new(n_objects: usize, n_dims: usize, pairs: Pairs, sigma: f64, missing: f64, seed: u64) -> Self {
        let mut rng = stream(seed, 0, Purpose::Simulation);
        let x = Locations::from_fn(n_objects, n_dims, |_, _| rng.sample(StandardNormal));
        let mut deltas = vec![vec![0.0; n_objects]; n_objects];
        for a in 0..n_objects {
            for b in a + 1..n_objects {
                let delta = x.distance(a, b) * rng.random_range(0.0..2.0);
                deltas[a][b] = if rng.random_bool(missing) { f64::NAN } else { delta };
            }
        }
        Self { pairs, noise: Noise::TruncatedNormal, x, sigma, deltas }
    }

    fn coupled(&self) -> Vec<(usize, usize, f64)> {
        let n_objects = self.x.n_objects();
        let all = (0..n_objects).flat_map(|a| (a + 1..n_objects).map(move |b| (a, b)));
        all.filter(|&(a, b)| self.pairs.contains(a, b) && !self.deltas[a][b].is_nan())
            .map(|(a, b)| (a, b, self.deltas[a][b]))
            .collect()
    }

    fn likelihood(&self, storage: Storage) -> Likelihood {
        let (n_objects, n_dims) = (self.x.n_objects(), self.x.n_dims());
        Likelihood::new(n_objects, n_dims, &self.pairs, self.noise, storage, |a, b| self.deltas[a][b])
    }

    fn reference(&self) -> (f64, Locations) {
        let mut gradient = Locations::zeros(self.x.n_objects(), self.x.n_dims());
        let value =
            reference::log_likelihood_and_gradient(self.coupled(), self.noise, &self.x, self.sigma, &mut gradient);
        (value, gradient)
    }

    /// Sum of the absolute terms, to which rounding is relative.
    fn scale(&self) -> (f64, f64) {
        let coupled = self.coupled();
        let value = coupled.iter().map(|&(a, b, delta)| {
            let distance = self.x.distance(a, b);
            1.0 + (distance / self.sigma).powi(2)
                + (delta / self.sigma).powi(2)
                + self.noise.log_density(delta, distance, self.sigma).abs()
        });
        let gradient = coupled
            .iter()
            .map(|&(a, b, delta)| (self.x.distance(a, b) + delta) / self.sigma.powi(2) + 1.0 / self.sigma);
        (value.sum::<f64>().max(1.0), gradient.fold(1e-300, f64::max))
    }

    /// Compares every function on every instruction set; `precision` is that of the stored dissimilarities.
    fn check(&self, storage: Storage, precision: f64) {
        let (value, gradient) = self.reference();
        let (value_scale, gradient_scale) = self.scale();
        for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
            let likelihood = self.likelihood(storage).with_instruction_set(set);
            assert_eq!(likelihood.n_pairs(), self.coupled().len());
            let mut workspace = Workspace::serial();
            let mut found = Locations::zeros(self.x.n_objects(), self.x.n_dims());
            let fused = likelihood.log_likelihood_and_gradient(&mut workspace, &self.x, self.sigma, &mut found);
            let close = |a: f64, b: f64, scale: f64| (a - b).abs() <= precision * scale;
            assert!(close(fused, value, value_scale), "{set} fused {fused} {value}");
            for (found, expected) in found.as_slice().iter().zip(gradient.as_slice()) {
                assert!(close(*found, *expected, 100.0 * gradient_scale), "{set} gradient {found} {expected}");
            }
            let alone = likelihood.log_likelihood(&mut workspace, &self.x, self.sigma);
            assert!(close(alone, value, value_scale), "{set} value {alone} {value}");
            let mut again = Locations::zeros(self.x.n_objects(), self.x.n_dims());
            likelihood.gradient(&mut workspace, &self.x, self.sigma, &mut again);
            assert_eq!(found, again, "{set}: the gradient alone and fused have the same bits");
        }
    }
}

fn random_pairs(kind: usize, n_objects: usize, size: usize, rng: &mut ChaCha8Rng) -> Pairs {
    match kind {
        0 => Pairs::full(n_objects),
        1 => Pairs::band(n_objects, size),
        2 => Pairs::landmarks(n_objects, size.min(n_objects - 1)),
        3 => Pairs::dispersed(n_objects, size, rng),
        _ => {
            let all = (0..n_objects as u32).flat_map(|a| (a + 1..n_objects as u32).map(move |b| (a, b)));
            Pairs::graph(n_objects, all.filter(|_| rng.random_bool(0.2)).collect()).unwrap()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn every_path_equals_the_double_loop(
        n_objects in 3_usize..150,
        n_dims in 1_usize..11,
        kind in 0_usize..5,
        size in 1_usize..40,
        log10_sigma in -3.0_f64..3.0,
        missing in prop_oneof![Just(0.0), Just(0.1), Just(0.9)],
        normal in any::<bool>(),
        single in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let pairs = random_pairs(kind, n_objects, size, &mut stream(seed, 0, Purpose::Coupling));
        let mut problem = Problem::new(n_objects, n_dims, pairs, 10_f64.powf(log10_sigma), missing, seed);
        if normal {
            problem.noise = Noise::Normal;
        }
        if single {
            problem.check(Storage::F32, 1e-6);
        } else {
            problem.check(Storage::F64, 1e-14);
        }
    }

    #[test]
    fn moving_one_object_changes_what_two_evaluations_say(
        n_objects in 3_usize..80,
        n_dims in 1_usize..8,
        kind in 0_usize..5,
        size in 1_usize..20,
        missing in prop_oneof![Just(0.0), Just(0.3)],
        seed in any::<u64>(),
    ) {
        let mut rng = stream(seed, 1, Purpose::Simulation);
        let pairs = random_pairs(kind, n_objects, size, &mut rng);
        let problem = Problem::new(n_objects, n_dims, pairs, 0.5, missing, seed);
        let position = rng.random_range(0..n_objects);
        let to: Vec<f64> = (0..n_dims).map(|_| rng.sample(StandardNormal)).collect();
        let mut moved = problem.x.clone();
        for dim in 0..n_dims {
            moved.set(position, dim, to[dim]);
        }
        for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
            let likelihood = problem.likelihood(Storage::F64).with_instruction_set(set);
            let mut workspace = Workspace::serial();
            let before = likelihood.log_likelihood(&mut workspace, &problem.x, problem.sigma);
            let after = likelihood.log_likelihood(&mut workspace, &moved, problem.sigma);
            let change = likelihood.change_when_moved(&mut workspace, &problem.x, problem.sigma, Position::new(position), &to);
            let tolerance = 1e-13 * problem.scale().0;
            prop_assert!((change - (after - before)).abs() <= tolerance, "{} {}", change, after - before);
        }
    }
}

#[test]
fn gradient_is_the_central_difference_of_the_value() {
    for (kind, noise) in (0..5).flat_map(|kind| Noise::ALL.map(|noise| (kind, noise))) {
        let pairs = random_pairs(kind, 12, 3, &mut stream(5, 0, Purpose::Coupling));
        let mut problem = Problem::new(12, 3, pairs, 0.7, 0.1, 11);
        problem.noise = noise;
        let likelihood = problem.likelihood(Storage::F64);
        let mut workspace = Workspace::serial();
        let mut gradient = Locations::zeros(12, 3);
        likelihood.gradient(&mut workspace, &problem.x, problem.sigma, &mut gradient);
        for object in 0..12 {
            for dim in 0..3 {
                let mut value_at = |step: f64| {
                    let mut x = problem.x.clone();
                    x.set(object, dim, x.get(object, dim) + step);
                    likelihood.log_likelihood(&mut workspace, &x, problem.sigma)
                };
                let difference = (value_at(1e-5) - value_at(-1e-5)) / 2e-5;
                assert!((difference - gradient.get(object, dim)).abs() < 1e-6, "kind {kind} {noise}");
            }
        }
    }
}

#[test]
fn derivative_by_log_sigma_is_the_central_difference() {
    for (kind, noise) in (0..5).flat_map(|kind| Noise::ALL.map(|noise| (kind, noise))) {
        let pairs = random_pairs(kind, 40, 3, &mut stream(5, 0, Purpose::Coupling));
        let mut problem = Problem::new(40, 3, pairs, 0.7, 0.1, 11);
        problem.noise = noise;
        let likelihood = problem.likelihood(Storage::F64);
        let mut workspace = Workspace::serial();
        let mut gradient = vec![0.0; 120];
        let x = problem.x.as_slice();
        let found = likelihood.evaluate_at(&mut workspace, x, problem.sigma, &mut gradient).by_log_sigma;
        let mut value_at = |step: f64| likelihood.value_at(&mut workspace, x, problem.sigma * step.exp());
        let difference = (value_at(1e-5) - value_at(-1e-5)) / 2e-5;
        assert!((difference - found).abs() < 1e-5 * (1.0 + found.abs()), "kind {kind} {noise}: {difference} {found}");
    }
}

#[test]
fn all_bands_and_all_landmarks_are_the_full_coupling() {
    let n_objects = 300;
    let full = Problem::new(n_objects, 2, Pairs::full(n_objects), 0.4, 0.05, 3);
    let (value, gradient) = full.reference();
    let all = (0..n_objects as u32).flat_map(|a| (a + 1..n_objects as u32).map(move |b| (a, b)));
    let couplings = [
        Pairs::band(n_objects, n_objects - 1),
        Pairs::band(n_objects, n_objects + 7),
        Pairs::landmarks(n_objects, n_objects - 1),
        Pairs::landmarks(n_objects, n_objects),
        Pairs::dispersed(n_objects, n_objects, &mut stream(1, 0, Purpose::Coupling)),
        Pairs::graph(n_objects, all.collect()).unwrap(),
    ];
    for pairs in couplings {
        let problem = Problem { pairs, ..Problem::new(n_objects, 2, Pairs::full(n_objects), 0.4, 0.05, 3) };
        let likelihood = problem.likelihood(Storage::F64);
        assert_eq!(likelihood.n_pairs(), full.coupled().len());
        let mut found = Locations::zeros(n_objects, 2);
        let sum = likelihood.log_likelihood_and_gradient(&mut Workspace::serial(), &problem.x, 0.4, &mut found);
        assert!((sum - value).abs() < 1e-9 * value.abs());
        for (found, expected) in found.as_slice().iter().zip(gradient.as_slice()) {
            assert!((found - expected).abs() < 1e-9);
        }
    }
}

#[test]
fn relabelling_the_objects_permutes_the_gradient() {
    let n_objects = 90;
    let problem = Problem::new(n_objects, 2, Pairs::full(n_objects), 0.4, 0.1, 3);
    let mut order: Vec<usize> = (0..n_objects).collect();
    rand::seq::SliceRandom::shuffle(order.as_mut_slice(), &mut stream(9, 0, Purpose::Order));
    let relabelled = Likelihood::new(n_objects, 2, &problem.pairs, problem.noise, Storage::F64, |a, b| {
        let (a, b) = (order[a].min(order[b]), order[a].max(order[b]));
        problem.deltas[a][b]
    });
    let mut workspace = Workspace::serial();
    let (mut here, mut there) = (Locations::zeros(n_objects, 2), Locations::zeros(n_objects, 2));
    let a = problem.likelihood(Storage::F64).log_likelihood_and_gradient(&mut workspace, &problem.x, 0.4, &mut here);
    let b = relabelled.log_likelihood_and_gradient(&mut workspace, &problem.x.reordered(&order), 0.4, &mut there);
    assert!((a - b).abs() < 1e-10 * a.abs());
    for (x, y) in here.reordered(&order).as_slice().iter().zip(there.as_slice()) {
        assert!((x - y).abs() < 1e-10);
    }
}

/// Large enough for many chunks: the sums must not depend on who does them.
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let n_objects = 3_000;
    let mut rng = stream(4, 0, Purpose::Simulation);
    let x = Locations::from_fn(n_objects, 2, |_, _| rng.sample(StandardNormal));
    let edges: std::collections::BTreeSet<(u32, u32)> = (0..150_000)
        .map(|_| (rng.random_range(0..2_999), rng.random_range(0..3_000)))
        .filter(|(a, b)| a != b)
        .map(|(a, b): (u32, u32)| (a.min(b), a.max(b)))
        .collect();
    for pairs in [
        Pairs::full(n_objects),
        Pairs::band(n_objects, 60),
        Pairs::landmarks(n_objects, 60),
        Pairs::dispersed(n_objects, 60, &mut rng),
        Pairs::graph(n_objects, edges.into_iter().collect()).unwrap(),
    ] {
        let dissimilarity = |a: usize, b: usize| x.distance(a, b) * (0.5 + ((a * 31 + b * 17) % 100) as f64 / 100.0);
        let likelihood = Likelihood::new(n_objects, 2, &pairs, Noise::default(), Storage::F64, dissimilarity);
        let evaluate = |mut workspace: Workspace| {
            let mut gradient = Locations::zeros(n_objects, 2);
            let value = likelihood.log_likelihood_and_gradient(&mut workspace, &x, 0.3, &mut gradient);
            (value.to_bits(), gradient.as_slice().iter().map(|g| g.to_bits()).collect::<Vec<_>>())
        };
        let serial = evaluate(Workspace::serial());
        for threads in [1, 2, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| evaluate(Workspace::parallel())) == serial, "{threads} threads");
        }
    }
}

#[test]
fn coincident_objects_and_zero_dissimilarities_are_finite_and_right() {
    for n_dims in [1, 2, 6, 9] {
        let mut problem = Problem::new(40, n_dims, Pairs::full(40), 0.5, 0.0, 8);
        for object in 0..20 {
            for dim in 0..n_dims {
                problem.x.set(object, dim, 0.25);
            }
        }
        for a in 0..30 {
            for b in a + 1..40 {
                problem.deltas[a][b] = 0.0;
            }
        }
        problem.check(Storage::F64, 1e-14);
    }
}

#[test]
fn distances_up_to_a_million_sigma_are_finite_and_right() {
    for scale in [1e-6, 1e-3, 1.0, 8.9, 37.0, 1e3, 1e6] {
        for sigma in [1e-3, 1.0, 1e3] {
            let mut problem = Problem::new(60, 2, Pairs::full(60), sigma, 0.0, 8);
            for value in problem.x.as_mut_slice() {
                *value *= scale * sigma;
            }
            for a in 0..60 {
                for b in a + 1..60 {
                    problem.deltas[a][b] *= scale * sigma;
                }
            }
            let (value, _) = problem.reference();
            assert!(value.is_finite());
            problem.check(Storage::F64, 1e-14);
        }
    }
}
