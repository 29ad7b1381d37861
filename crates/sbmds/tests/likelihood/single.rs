//! Single precision against double: the errors that docs/model.md promises, on every path.

use proptest::prelude::*;
use rand::RngExt;
use rand_distr::StandardNormal;
use sbmds::Locations;
use sbmds::coupling::Pairs;
use sbmds::likelihood::{Arithmetic, InstructionSet, Likelihood, LikelihoodValue, Noise, Storage, Workspace};
use sbmds::random::{Purpose, stream};

/// Rounding of single precision, 2^-24.
const ROUNDING: f64 = 6e-8;

/// What is drawn at random.
#[derive(Clone, Copy, Debug)]
struct Shape {
    n_objects: usize,
    n_dims: usize,
    kind: usize,
    size: usize,
    sigma: f64,
    missing: f64,
    noise: Noise,
    seed: u64,
}

/// A map, and dissimilarities as the model draws them.
struct Problem {
    shape: Shape,
    pairs: Pairs,
    x: Locations,
    deltas: Vec<f64>,
}

/// What one arithmetic says.
struct Found {
    fused: LikelihoodValue,
    value: f64,
    gradient: Vec<f64>,
}

/// Standard errors that rounding may cause: of each object's gradient, and of the log-likelihood.
struct Allowed {
    gradient: Vec<f64>,
    value: f64,
}

impl Problem {
    fn new(shape: Shape) -> Self {
        let mut rng = stream(shape.seed, 0, Purpose::Simulation);
        let x = Locations::from_fn(shape.n_objects, shape.n_dims, |_, _| rng.sample(StandardNormal));
        Self::around(shape, x)
    }

    fn around(shape: Shape, x: Locations) -> Self {
        let Shape { n_objects, kind, size, sigma, missing, seed, .. } = shape;
        let mut rng = stream(seed, 1, Purpose::Simulation);
        let pairs = match kind {
            0 => Pairs::full(n_objects),
            1 => Pairs::band(n_objects, size),
            2 => Pairs::landmarks(n_objects, size.min(n_objects - 1)),
            3 => Pairs::dispersed(n_objects, size, &mut rng),
            _ => {
                let all = (0..n_objects as u32).flat_map(|a| (a + 1..n_objects as u32).map(move |b| (a, b)));
                Pairs::graph(n_objects, all.filter(|_| rng.random_bool(0.2)).collect()).unwrap()
            }
        };
        let mut deltas = vec![f64::NAN; n_objects * n_objects];
        for a in 0..n_objects {
            for b in a + 1..n_objects {
                let residual: f64 = rng.sample(StandardNormal);
                if !rng.random_bool(missing) {
                    // Exact in single precision: what is tested is arithmetic, not storage.
                    deltas[a * n_objects + b] = f64::from((x.distance(a, b) + sigma * residual).abs() as f32);
                }
            }
        }
        Self { shape, pairs, x, deltas }
    }

    fn likelihood(&self, set: InstructionSet) -> Likelihood {
        let Shape { n_objects, n_dims, noise, .. } = self.shape;
        let dissimilarity = |a: usize, b: usize| self.deltas[a * n_objects + b];
        Likelihood::new(n_objects, n_dims, &self.pairs, noise, Storage::F64, dissimilarity).with_instruction_set(set)
    }

    fn find(&self, arithmetic: Arithmetic, set: InstructionSet) -> Found {
        let (likelihood, mut workspace) = (self.likelihood(set), Workspace::serial());
        let (x, sigma) = (self.x.as_slice(), self.shape.sigma);
        let mut gradient = vec![0.0; x.len()];
        likelihood.gradient_in(arithmetic, &mut workspace, x, sigma, &mut gradient);
        let mut again = vec![0.0; x.len()];
        let fused = likelihood.evaluate_in(arithmetic, &mut workspace, x, sigma, &mut again);
        assert_eq!(gradient, again, "{set}: the gradient alone and fused have the same bits");
        Found { fused, value: likelihood.value_in(arithmetic, &mut workspace, x, sigma), gradient }
    }

    /// Every pair adds what rounding its coordinates does to its distance and, if it is short, to its direction.
    fn allowed(&self) -> Allowed {
        let Shape { n_objects, n_dims, sigma, .. } = self.shape;
        let centred = |object: usize, dim: usize| {
            let mean = self.x.as_slice()[dim * n_objects..][..n_objects].iter().sum::<f64>() / n_objects as f64;
            (self.x.get(object, dim) - mean) / sigma
        };
        let radius = |object: usize| (0..n_dims).map(|dim| centred(object, dim).powi(2)).sum::<f64>().sqrt();
        let radii: Vec<f64> = (0..n_objects).map(radius).collect();
        let (mut gradient, mut coherent) = (vec![0.0; n_objects], vec![0.0; n_objects]);
        let (mut value, mut n_pairs) = (0.0, 0.0);
        for a in 0..n_objects {
            for b in a + 1..n_objects {
                let delta = self.deltas[a * n_objects + b];
                if delta.is_nan() || !self.pairs.contains(a, b) {
                    continue;
                }
                let (z, y, reach) = (self.x.distance(a, b) / sigma, delta / sigma, radii[a] + radii[b]);
                let rounding = ROUNDING * (1.0 + z + reach);
                let turned = (ROUNDING * reach / z.max(1e-300)).min(2.0) * (1.0 + (y - z).abs());
                for object in [a, b] {
                    gradient[object] += rounding.powi(2) + turned.powi(2);
                    // All its partners see the same rounded object.
                    coherent[object] += ROUNDING * radii[object];
                }
                value += (rounding * (1.0 + (y - z).abs())).powi(2);
                n_pairs += 1.0;
            }
        }
        let gradient = gradient.iter().zip(coherent).map(|(square, coherent)| (f64::sqrt(*square) + coherent) / sigma);
        let gradient = gradient.collect();
        // Beside the rounding, what the tables are off on average.
        Allowed { gradient, value: value.sqrt() + 5e-9 * n_pairs }
    }

    fn check(&self) {
        let allowed = self.allowed();
        for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
            let (double, single) = (self.find(Arithmetic::F64, set), self.find(Arithmetic::F32, set));
            for (at, (exact, found)) in double.gradient.iter().zip(&single.gradient).enumerate() {
                let error = (exact - found).abs() / allowed.gradient[at % self.shape.n_objects].max(1e-300);
                assert!(error < 6.0, "{set} gradient {at}: {exact} {found}, {error} of what is allowed");
            }
            let error = (double.value - single.value).abs() / allowed.value.max(1e-300);
            assert!(error < 6.0, "{set} value: {} {}, {error} of what is allowed", double.value, single.value);
            let error = (double.value - single.fused.log_likelihood).abs() / allowed.value.max(1e-300);
            assert!(error < 6.0, "{set} fused: {} {:?}, {error} of what is allowed", double.value, single.fused);
            let [exact, found] = [&double, &single].map(|found| found.fused.by_log_sigma);
            let error = (exact - found).abs() / (2.0 * allowed.value + 1e-13 * exact.abs()).max(1e-300);
            assert!(error < 6.0, "{set} by log sigma: {exact} {found}, {error} of what is allowed");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn errors_are_those_of_rounding(
        n_objects in 3_usize..150,
        n_dims in 1_usize..11,
        kind in 0_usize..5,
        size in 1_usize..40,
        log10_sigma in -3.0_f64..1.0,
        missing in prop_oneof![Just(0.0), Just(0.1), Just(0.9)],
        normal in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let noise = if normal { Noise::Normal } else { Noise::TruncatedNormal };
        Problem::new(Shape { n_objects, n_dims, kind, size, sigma: 10_f64.powf(log10_sigma), missing, noise, seed }).check();
    }
}

const SHAPE: Shape = Shape {
    n_objects: 120,
    n_dims: 2,
    kind: 0,
    size: 10,
    sigma: 0.2,
    missing: 0.0,
    noise: Noise::TruncatedNormal,
    seed: 5,
};

/// Many rows, offsets and landmarks: more than one block of each kernel.
#[test]
fn errors_are_those_of_rounding_in_many_blocks() {
    for (kind, size) in [(0, 0), (1, 90), (2, 130), (3, 40), (4, 0)] {
        for (n_dims, missing) in [(2, 0.0), (2, 0.2), (5, 0.0), (6, 0.1)] {
            Problem::new(Shape { n_objects: 1_100, n_dims, kind, size, missing, ..SHAPE }).check();
        }
    }
}

#[test]
fn it_does_not_matter_where_the_map_lies() {
    for kind in 0..5 {
        let problem = Problem::new(Shape { kind, ..SHAPE });
        let mut far = Problem::new(Shape { kind, ..SHAPE });
        far.x.as_mut_slice().iter_mut().for_each(|x| *x += 1e6);
        let set = InstructionSet::best();
        let [here, there] = [&problem, &far].map(|problem| problem.find(Arithmetic::F32, set));
        assert!((here.value - there.value).abs() < 1e-3, "kind {kind}: {} {}", here.value, there.value);
        for (here, there) in here.gradient.iter().zip(&there.gradient) {
            assert!((here - there).abs() < 1e-2, "kind {kind}: {here} {there}");
        }
        far.check();
    }
}

#[test]
fn coincident_objects_are_finite_and_right() {
    for kind in 0..5 {
        for n_dims in [1, 2, 6, 9] {
            let mut problem = Problem::new(Shape { kind, n_dims, ..SHAPE });
            for object in 0..40 {
                (0..n_dims).for_each(|dim| problem.x.set(object, dim, 0.25));
            }
            problem.deltas[3] = 0.0;
            problem.check();
        }
    }
}

/// The kernels' sums are made by chunks, which do not depend on who makes them.
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for (kind, size) in [(0, 0), (1, 60), (2, 60), (3, 60), (4, 0)] {
        let problem = Problem::new(Shape { n_objects: 1_500, kind, size, ..SHAPE });
        let likelihood = problem.likelihood(InstructionSet::best());
        let evaluate = |mut workspace: Workspace| {
            let mut gradient = vec![0.0; 3_000];
            let value =
                likelihood.evaluate_in(Arithmetic::F32, &mut workspace, problem.x.as_slice(), 0.2, &mut gradient);
            (value.log_likelihood.to_bits(), gradient.iter().map(|slope| slope.to_bits()).collect::<Vec<_>>())
        };
        let serial = evaluate(Workspace::serial());
        for threads in [1, 2, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| evaluate(Workspace::parallel())) == serial, "kind {kind}, {threads} threads");
        }
    }
}
