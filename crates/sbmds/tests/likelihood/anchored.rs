//! Anchored pairs: value and gradient against all pairs at the anchor and against differences, invariance, exactness.

use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use sbmds::Locations;
use sbmds::coupling::Pairs;
use sbmds::likelihood::{
    AnchorValue, Anchored, Information, Likelihood, LikelihoodValue, LogLikelihood, MapGradient, MapPoint, Noise, Pull,
    Storage, Workspace,
};
use sbmds::random::{Purpose, stream};

const N: usize = 12;

fn random(n_dims: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..N * n_dims).map(|_| rng.random_range(-1.0..1.0)).collect()
}

fn measured(a: usize, b: usize) -> f64 {
    0.3 + ((7 * a + 3 * b) as f64 * 0.618).fract()
}

fn likelihood(n_dims: usize, pairs: &Pairs, delta: impl Fn(usize, usize) -> f64 + Sync) -> Arc<dyn LogLikelihood> {
    Arc::new(Likelihood::new(N, n_dims, pairs, Noise::TruncatedNormal, Storage::F64, delta))
}

fn at(x: &[f64], sigma: f64) -> MapPoint<'_> {
    MapPoint { x, sigma, own: &[] }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Measured,
    Springs,
    Stretched,
}

fn anchored(kind: Kind, pairs: &Pairs, anchor: MapPoint) -> Anchored {
    anchored_of(kind, pairs, anchor, measured)
}

fn anchored_of(
    kind: Kind,
    pairs: &Pairs,
    anchor: MapPoint,
    measured: impl Fn(usize, usize) -> f64 + Sync + Copy,
) -> Anchored {
    let n_dims = anchor.x.len() / N;
    let full = likelihood(n_dims, &Pairs::full(N), measured);
    let all = AnchorValue::of(&*full, &mut Workspace::serial(), anchor);
    let coupled = likelihood(n_dims, pairs, measured);
    if kind == Kind::Measured {
        return Anchored::new(coupled, Pull::Measured, anchor, &all, None);
    }
    let map = Locations::from_values(N, anchor.x.to_vec());
    let springs = likelihood(n_dims, pairs, |a, b| map.distance(a, b));
    let information = Information::of(&*full, anchor).filter(|_| kind == Kind::Stretched);
    Anchored::new(coupled, Pull::Anchor(springs), anchor, &all, information.as_ref())
}

fn both(likelihood: &dyn LogLikelihood, point: MapPoint) -> (LikelihoodValue, Vec<f64>) {
    let mut gradient = vec![0.0; point.x.len()];
    let value = likelihood.both(&mut Workspace::serial(), point, MapGradient { x: &mut gradient, own: &mut [] });
    (value, gradient)
}

fn value(likelihood: &dyn LogLikelihood, x: &[f64], sigma: f64) -> f64 {
    likelihood.value(&mut Workspace::serial(), at(x, sigma))
}

const KINDS: [Kind; 3] = [Kind::Measured, Kind::Springs, Kind::Stretched];

#[test]
fn at_the_anchor_value_and_derivatives_are_those_of_all_pairs() {
    for (kind, n_dims) in KINDS.iter().flat_map(|&kind| [1, 2, 3, 5].map(|n_dims| (kind, n_dims))) {
        let anchor = random(n_dims, &mut stream(n_dims as u64, 0, Purpose::Simulation));
        let anchored = anchored(kind, &Pairs::band(N, 3), at(&anchor, 0.4));
        let full = likelihood(n_dims, &Pairs::full(N), measured);
        let ((found, gradient), (all, of_all)) = (both(&anchored, at(&anchor, 0.4)), both(&*full, at(&anchor, 0.4)));
        assert!((found.log_likelihood - all.log_likelihood).abs() < 1e-9, "{kind:?}: {found:?} {all:?}");
        assert!((found.by_log_sigma - all.by_log_sigma).abs() < 1e-9, "{kind:?}: {found:?} {all:?}");
        assert!(gradient.iter().zip(&of_all).all(|(a, b)| (a - b).abs() < 1e-9), "{kind:?}, D = {n_dims}");
    }
}

#[test]
fn elsewhere_the_gradient_is_that_of_the_value() {
    for (kind, n_dims) in KINDS.iter().flat_map(|&kind| [1, 2, 3, 5].map(|n_dims| (kind, n_dims))) {
        let rng = &mut stream(n_dims as u64, 0, Purpose::Simulation);
        let (anchor, x) = (random(n_dims, rng), random(n_dims, rng));
        let anchored = anchored(kind, &Pairs::band(N, 3), at(&anchor, 0.4));
        let (found, gradient) = both(&anchored, at(&x, 0.3));
        assert!((value(&anchored, &x, 0.3) - found.log_likelihood).abs() < 1e-9);
        let h = 1e-5;
        for k in 0..x.len() {
            let moved = |by: f64| {
                let mut x = x.clone();
                x[k] += by;
                value(&anchored, &x, 0.3)
            };
            let derivative = (moved(h) - moved(-h)) / (2.0 * h);
            let is_near = (derivative - gradient[k]).abs() < 1e-4 * (1.0 + derivative.abs());
            assert!(is_near, "{kind:?}, D = {n_dims}: {derivative} {}", gradient[k]);
        }
        let [up, down] = [h, -h].map(|h: f64| value(&anchored, &x, 0.3 * h.exp()));
        let by_log_sigma = (up - down) / (2.0 * h);
        assert!((by_log_sigma - found.by_log_sigma).abs() < 1e-4 * (1.0 + by_log_sigma.abs()), "{kind:?}");
    }
}

#[test]
fn with_all_pairs_coupled_nothing_is_corrected() {
    let rng = &mut stream(3, 0, Purpose::Simulation);
    let (anchor, x) = (random(2, rng), random(2, rng));
    let anchored = anchored(Kind::Measured, &Pairs::full(N), at(&anchor, 0.4));
    assert_eq!(anchored.weight(), 1.0);
    let (found, gradient) = both(&anchored, at(&x, 0.2));
    let (all, of_all) = both(&*likelihood(2, &Pairs::full(N), measured), at(&x, 0.2));
    assert!((found.log_likelihood - all.log_likelihood).abs() < 1e-9);
    assert!(gradient.iter().zip(&of_all).all(|(a, b)| (a - b).abs() < 1e-9));
}

/// Turned in a plane, mirrored in the last dimension and shifted.
fn moved(n_dims: usize, x: &[f64]) -> Vec<f64> {
    let (sin, cos) = 1.1_f64.sin_cos();
    let map = Locations::from_fn(N, n_dims, |object, dim| {
        let of = |dim: usize| x[dim * N + object];
        let mirror = if dim + 1 == n_dims { -1.0 } else { 1.0 };
        let turned = match dim {
            0 => cos * of(0) - sin * of(1),
            1 => sin * of(0) + cos * of(1),
            _ => of(dim),
        };
        mirror * turned + 3.0 - 7.0 * dim as f64
    });
    map.as_slice().to_vec()
}

/// Neither rotations, reflections and shifts of the map nor those of the anchor change anything.
#[test]
fn rigid_motions_are_not_seen() {
    for n_dims in [2, 3] {
        let rng = &mut stream(4, 0, Purpose::Simulation);
        let (anchor, x) = (random(n_dims, rng), random(n_dims, rng));
        for kind in KINDS {
            let value = |anchor: &[f64], x: &[f64]| value(&anchored(kind, &Pairs::band(N, 3), at(anchor, 0.4)), x, 0.3);
            let expected = value(&anchor, &x);
            assert!((value(&anchor, &moved(n_dims, &x)) - expected).abs() < 1e-8, "{kind:?}, D = {n_dims}");
            assert!((value(&moved(n_dims, &anchor), &x) - expected).abs() < 1e-8, "{kind:?}, D = {n_dims}");
        }
    }
}

/// The same objects in another order: the value stays, the gradient is permuted.
#[test]
fn relabelling_permutes_the_gradient() {
    let rng = &mut stream(6, 0, Purpose::Simulation);
    let (n_dims, new) = (2, |object: usize| (5 * object + 3) % N);
    let (anchor, x) = (random(n_dims, rng), random(n_dims, rng));
    let relabelled = |x: &[f64]| {
        let mut to = vec![0.0; x.len()];
        x.iter().enumerate().for_each(|(k, x)| to[k / N * N + new(k % N)] = *x);
        to
    };
    let edges: Vec<(usize, usize)> = (0..N).flat_map(|a| (a + 1..N.min(a + 4)).map(move |b| (a, b))).collect();
    let graph = |label: &dyn Fn(usize) -> usize| {
        let ends = |&(a, b): &(usize, usize)| (label(a).min(label(b)) as u32, label(a).max(label(b)) as u32);
        let mut edges: Vec<(u32, u32)> = edges.iter().map(ends).collect();
        edges.sort_unstable();
        Pairs::graph(N, edges).unwrap()
    };
    let old = |label: usize| (0..N).find(|&object| new(object) == label).unwrap();
    let relabelled_delta = |a: usize, b: usize| measured(old(a).min(old(b)), old(a).max(old(b)));
    for kind in KINDS {
        let plain = anchored_of(kind, &graph(&|object| object), at(&anchor, 0.4), measured);
        let other = anchored_of(kind, &graph(&new), at(&relabelled(&anchor), 0.4), relabelled_delta);
        let ((value, gradient), (other_value, other_gradient)) =
            (both(&plain, at(&x, 0.3)), both(&other, at(&relabelled(&x), 0.3)));
        let off = (value.log_likelihood - other_value.log_likelihood).abs();
        assert!(off < 1e-8 && (value.by_log_sigma - other_value.by_log_sigma).abs() < 1e-8, "{kind:?}: {off}");
        let expected = relabelled(&gradient);
        assert!(expected.iter().zip(&other_gradient).all(|(a, b)| (a - b).abs() < 1e-7), "{kind:?}");
    }
}

/// The curvature by one object's location, by differences of the gradient, is that of all pairs.
#[test]
fn stretched_springs_have_the_curvature_of_all_pairs() {
    let n_dims = 2;
    // A map that all pairs fit: away from it Hessians have negative eigenvalues, which are not followed.
    let anchor = random(n_dims, &mut stream(8, 0, Purpose::Simulation));
    let map = Locations::from_values(N, anchor.clone());
    let noisy = |a: usize, b: usize| map.distance(a, b) + 0.05 * (measured(a, b) - 0.8);
    let (full, coupled) = (likelihood(n_dims, &Pairs::full(N), noisy), likelihood(n_dims, &Pairs::band(N, 3), noisy));
    let point = at(&anchor, 0.1);
    let all = AnchorValue::of(&*full, &mut Workspace::serial(), point);
    let springs = likelihood(n_dims, &Pairs::band(N, 3), |a, b| map.distance(a, b));
    let information = Information::of(&*full, point).expect("the kernels tell");
    // What alignment does to one object's moves is O(1 / N) of the curvature: compared in a map with the others held by hand.
    let stretched = Anchored::new(coupled, Pull::Anchor(springs), point, &all, Some(&information));
    let curvature = |likelihood: &dyn LogLikelihood, k: usize| {
        let h = 1e-5;
        let along = |by: f64| {
            let mut x = anchor.clone();
            x[k] += by;
            both(likelihood, at(&x, 0.1)).1[k]
        };
        (along(h) - along(-h)) / (2.0 * h)
    };
    let ratios: Vec<f64> = (0..anchor.len()).map(|k| curvature(&stretched, k) / curvature(&*full, k)).collect();
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    assert!((mean - 1.0).abs() < 0.15 && ratios.iter().all(|ratio| (0.6..1.5).contains(ratio)), "{ratios:?}");
}
