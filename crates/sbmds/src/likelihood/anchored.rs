//! The information of all pairs at the cost of a few: a sparse log-likelihood, weighted, with a linear correction at an anchor.
//!
//! With all M pairs, P coupled ones, w = M / P and an anchor theta_0 = (X_0, log sigma_0) near the mode of the full posterior
//! (docs/model.md, "Anchored couplings"):
//!
//! ```text
//! l_A(theta) = w l_J(theta) + l(theta_0) - w l_J(theta_0) + < grad l(theta_0) - w grad l_J(theta_0), theta - theta_0 >
//! ```
//!
//! The first term has, up to sampling error of the pairs, the curvature of all pairs; the linear one puts the mode where all
//! pairs have it. Distances do not see rotations and shifts, but a linear function of X does: it is taken of X aligned to X_0
//! (orthogonal Procrustes), so that l_A does not see them either.

use std::sync::Arc;

use super::{LikelihoodValue, LogLikelihood, MapGradient, MapPoint, Workspace};
use crate::numeric::{dot, symmetric_eigen};

/// A log-likelihood with its derivatives at the anchor.
#[derive(Clone, Debug, PartialEq)]
pub struct AnchorValue {
    /// Number of pairs.
    pub n_pairs: usize,
    /// Log-likelihood.
    pub log_likelihood: f64,
    /// Its derivative by log sigma.
    pub by_log_sigma: f64,
    /// Its gradient by the locations: N * D numbers, dimension by dimension, by coupling position.
    pub by_x: Vec<f64>,
}

impl AnchorValue {
    /// Of a log-likelihood at a point.
    pub fn of(likelihood: &dyn LogLikelihood, workspace: &mut Workspace, at: MapPoint) -> Self {
        let mut by_x = vec![0.0; at.x.len()];
        let value = likelihood.both(workspace, at, MapGradient { x: &mut by_x, own: &mut [] });
        let LikelihoodValue { log_likelihood, by_log_sigma } = value;
        Self { n_pairs: likelihood.n_pairs(), log_likelihood, by_log_sigma, by_x }
    }

    /// The log-likelihood of these pairs and others.
    pub fn add(&mut self, other: &Self) {
        self.n_pairs += other.n_pairs;
        self.log_likelihood += other.log_likelihood;
        self.by_log_sigma += other.by_log_sigma;
        self.by_x.iter_mut().zip(&other.by_x).for_each(|(sum, x)| *sum += x);
    }
}

/// The log-likelihood of all pairs, as coupled ones and an anchor tell it.
pub struct Anchored {
    sparse: Arc<dyn LogLikelihood>,
    n_pairs: usize,
    weight: f64,
    /// X_0 about its centre.
    anchor: Vec<f64>,
    log_sigma: f64,
    /// By how much the gradients of all pairs and of the weighted coupled ones differ at the anchor.
    by_x: Vec<f64>,
    by_log_sigma: f64,
    /// < by_x, X_0 > less l(theta_0) - w l_J(theta_0).
    offset: f64,
}

impl Anchored {
    /// Corrects `sparse` by what all pairs say at the anchor.
    ///
    /// # Panics
    /// If the anchor is of another size than the likelihood, or no pair is coupled.
    pub fn new(sparse: Arc<dyn LogLikelihood>, anchor: MapPoint, all: &AnchorValue) -> Self {
        let coupled = AnchorValue::of(&*sparse, &mut Workspace::parallel(), anchor);
        assert!(coupled.n_pairs > 0 && all.by_x.len() == coupled.by_x.len(), "an anchor of another likelihood");
        let weight = all.n_pairs as f64 / coupled.n_pairs as f64;
        let by_x: Vec<f64> = all.by_x.iter().zip(&coupled.by_x).map(|(all, coupled)| all - weight * coupled).collect();
        let centred = centred(anchor.x, sparse.n_objects());
        let offset = dot(&by_x, &centred) - (all.log_likelihood - weight * coupled.log_likelihood);
        Self {
            n_pairs: all.n_pairs,
            weight,
            anchor: centred,
            log_sigma: anchor.sigma.ln(),
            by_log_sigma: all.by_log_sigma - weight * coupled.by_log_sigma,
            by_x,
            offset,
            sparse,
        }
    }

    /// How many pairs each coupled one stands for.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The correction at a point, by the rotation that aligns it to the anchor.
    fn correction(&self, at: MapPoint, alignment: &Alignment) -> f64 {
        alignment.value - self.offset + self.by_log_sigma * (at.sigma.ln() - self.log_sigma)
    }

    fn align(&self, x: &[f64]) -> Alignment {
        Alignment::new(x, &self.anchor, &self.by_x, self.sparse.n_objects())
    }

    /// Weights the gradient of the coupled pairs and adds that of the correction.
    fn correct_gradient(&self, alignment: &Alignment, gradient: &mut [f64]) {
        let n = self.sparse.n_objects();
        let n_dims = self.sparse.n_dims();
        for (dim, by_x) in gradient.chunks_exact_mut(n).enumerate() {
            by_x.iter_mut().for_each(|by_x| *by_x *= self.weight);
            for other in 0..n_dims {
                let (of_correction, of_anchor) = alignment.weights(dim, other);
                let (correction, anchor) = (&self.by_x[other * n..][..n], &self.anchor[other * n..][..n]);
                for ((by_x, c), x) in by_x.iter_mut().zip(correction).zip(anchor) {
                    *by_x += of_correction * c + of_anchor * x;
                }
            }
        }
    }
}

impl LogLikelihood for Anchored {
    fn n_objects(&self) -> usize {
        self.sparse.n_objects()
    }

    fn n_dims(&self) -> usize {
        self.sparse.n_dims()
    }

    fn n_pairs(&self) -> usize {
        self.n_pairs
    }

    fn value(&self, workspace: &mut Workspace, at: MapPoint) -> f64 {
        self.weight * self.sparse.value(workspace, at) + self.correction(at, &self.align(at.x))
    }

    fn both(&self, workspace: &mut Workspace, at: MapPoint, gradient: MapGradient) -> LikelihoodValue {
        let sparse = self.sparse.both(workspace, at, MapGradient { x: &mut *gradient.x, own: gradient.own });
        let alignment = self.align(at.x);
        self.correct_gradient(&alignment, gradient.x);
        LikelihoodValue {
            log_likelihood: self.weight * sparse.log_likelihood + self.correction(at, &alignment),
            by_log_sigma: self.weight * sparse.by_log_sigma + self.by_log_sigma,
        }
    }

    fn gradient(&self, workspace: &mut Workspace, at: MapPoint, gradient: MapGradient) {
        self.sparse.gradient(workspace, at, MapGradient { x: &mut *gradient.x, own: gradient.own });
        self.correct_gradient(&self.align(at.x), gradient.x);
    }

    fn visit_partners(&self, position: usize, visit: &mut dyn FnMut(usize, f64) -> bool) {
        self.sparse.visit_partners(position, visit);
    }
}

/// The rotation R that brings X closest to the anchor, and what < c, R X > is and how it changes.
struct Alignment {
    n_dims: usize,
    /// < c, R X >: c sums to zero over objects, so that the centre of X does not count.
    value: f64,
    /// R, row by row.
    rotation: Vec<f64>,
    /// 2 W of the derivative R' (c_n + 2 W x0_n), row by row.
    twist: Vec<f64>,
}

impl Alignment {
    /// With S = sum x_n x0_n' = U D V' the rotation is R = V U', and P = R S = V D V' is symmetric. When X moves by dX, R moves
    /// by dR = Omega R with Omega P + P Omega = (R dS)' - R dS, which gives tr(dR G), G = sum x_n c_n', as
    /// sum 2 (W x0_n) . (R dx_n) with W = Q_ab / (D_a + D_b) in the basis V, Q the skew part of R G.
    fn new(x: &[f64], anchor: &[f64], c: &[f64], n_objects: usize) -> Self {
        let n_dims = x.len() / n_objects;
        let cross = |other: &[f64]| -> Vec<f64> {
            let entry = |k: usize| {
                dot(&x[k / n_dims * n_objects..][..n_objects], &other[k % n_dims * n_objects..][..n_objects])
            };
            (0..n_dims * n_dims).map(entry).collect()
        };
        let (s, g) = (cross(anchor), cross(c));
        let (squares, basis) = symmetric_eigen(n_dims, &product(n_dims, &transposed(n_dims, &s), &s));
        // Maps on a line have one direction only: any rotation of the others will do.
        let largest = squares.iter().copied().fold(0.0, f64::max);
        let singular: Vec<f64> =
            squares.iter().map(|&d| d.max(1e-24 * largest).max(f64::MIN_POSITIVE).sqrt()).collect();
        let scaled = from_basis(n_dims, &basis, |a, b| if a == b { 1.0 / singular[a] } else { 0.0 });
        let rotation = product(n_dims, &scaled, &transposed(n_dims, &s));
        let q = product(n_dims, &rotation, &g);
        let in_basis = product(n_dims, &product(n_dims, &transposed(n_dims, &basis), &q), &basis);
        let skew = |a: usize, b: usize| 0.5 * (in_basis[a * n_dims + b] - in_basis[b * n_dims + a]);
        let twist = from_basis(n_dims, &basis, |a, b| 2.0 * skew(a, b) / (singular[a] + singular[b]));
        Self { n_dims, value: (0..n_dims).map(|k| q[k * n_dims + k]).sum(), rotation, twist }
    }

    /// The weights of c_n and x0_n, dimension `other`, in the derivative by x_n, dimension `dim`: R' and R' 2 W.
    fn weights(&self, dim: usize, other: usize) -> (f64, f64) {
        let n = self.n_dims;
        let of_anchor = (0..n).map(|k| self.rotation[k * n + dim] * self.twist[k * n + other]).sum();
        (self.rotation[other * n + dim], of_anchor)
    }
}

/// X about its centre.
fn centred(x: &[f64], n_objects: usize) -> Vec<f64> {
    let mut x = x.to_vec();
    for dim in x.chunks_exact_mut(n_objects) {
        let centre = dim.iter().sum::<f64>() / n_objects as f64;
        dim.iter_mut().for_each(|x| *x -= centre);
    }
    x
}

fn product(n: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
    (0..n * n).map(|k| (0..n).map(|i| a[k / n * n + i] * b[i * n + k % n]).sum()).collect()
}

fn transposed(n: usize, a: &[f64]) -> Vec<f64> {
    (0..n * n).map(|k| a[k % n * n + k / n]).collect()
}

/// V M V' of a matrix given in the basis V.
fn from_basis(n: usize, basis: &[f64], entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let matrix: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
    product(n, &product(n, basis, &matrix), &transposed(n, basis))
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::Locations;
    use crate::coupling::Pairs;
    use crate::likelihood::{Likelihood, Noise, Storage};
    use crate::random::{Purpose, stream};

    const N: usize = 12;

    fn random(n_dims: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
        (0..N * n_dims).map(|_| rng.random_range(-1.0..1.0)).collect()
    }

    fn likelihood(n_dims: usize, pairs: &Pairs) -> Arc<dyn LogLikelihood> {
        let delta = |a: usize, b: usize| 0.3 + ((7 * a + 3 * b) as f64 * 0.618).fract();
        Arc::new(Likelihood::new(N, n_dims, pairs, Noise::TruncatedNormal, Storage::F64, delta))
    }

    fn at(x: &[f64], sigma: f64) -> MapPoint<'_> {
        MapPoint { x, sigma, own: &[] }
    }

    fn anchored(n_dims: usize, pairs: &Pairs, anchor: MapPoint) -> Anchored {
        let full = likelihood(n_dims, &Pairs::full(N));
        let all = AnchorValue::of(&*full, &mut Workspace::serial(), anchor);
        Anchored::new(likelihood(n_dims, pairs), anchor, &all)
    }

    fn both(likelihood: &dyn LogLikelihood, point: MapPoint) -> (LikelihoodValue, Vec<f64>) {
        let mut gradient = vec![0.0; point.x.len()];
        let value = likelihood.both(&mut Workspace::serial(), point, MapGradient { x: &mut gradient, own: &mut [] });
        (value, gradient)
    }

    /// Value and gradient at the anchor are those of all pairs; elsewhere the gradient is that of the value.
    #[test]
    fn derivatives_are_those_of_the_value() {
        for n_dims in [1, 2, 3, 5] {
            let rng = &mut stream(n_dims as u64, 0, Purpose::Simulation);
            let (anchor, x) = (random(n_dims, rng), random(n_dims, rng));
            let anchored = anchored(n_dims, &Pairs::band(N, 3), at(&anchor, 0.4));
            let full = likelihood(n_dims, &Pairs::full(N));
            let ((value, gradient), (all, of_all)) =
                (both(&anchored, at(&anchor, 0.4)), both(&*full, at(&anchor, 0.4)));
            assert!((value.log_likelihood - all.log_likelihood).abs() < 1e-9, "{value:?} {all:?}");
            assert!((value.by_log_sigma - all.by_log_sigma).abs() < 1e-9);
            assert!(gradient.iter().zip(&of_all).all(|(a, b)| (a - b).abs() < 1e-9), "D = {n_dims}");
            let (value, gradient) = both(&anchored, at(&x, 0.3));
            let at_value = |x: &[f64], sigma: f64| anchored.value(&mut Workspace::serial(), at(x, sigma));
            assert!((at_value(&x, 0.3) - value.log_likelihood).abs() < 1e-9);
            let h = 1e-5;
            for k in 0..x.len() {
                let moved = |by: f64| {
                    let mut x = x.clone();
                    x[k] += by;
                    at_value(&x, 0.3)
                };
                let slope = (moved(h) - moved(-h)) / (2.0 * h);
                assert!(
                    (slope - gradient[k]).abs() < 1e-4 * (1.0 + slope.abs()),
                    "D = {n_dims}: {slope} {}",
                    gradient[k]
                );
            }
            let by_log_sigma = (at_value(&x, 0.3 * h.exp()) - at_value(&x, 0.3 * (-h).exp())) / (2.0 * h);
            assert!((by_log_sigma - value.by_log_sigma).abs() < 1e-4 * (1.0 + by_log_sigma.abs()));
        }
    }

    #[test]
    fn with_all_pairs_coupled_nothing_is_corrected() {
        let rng = &mut stream(3, 0, Purpose::Simulation);
        let (anchor, x) = (random(2, rng), random(2, rng));
        let anchored = anchored(2, &Pairs::full(N), at(&anchor, 0.4));
        assert_eq!(anchored.weight(), 1.0);
        let (value, gradient) = both(&anchored, at(&x, 0.2));
        let (all, of_all) = both(&*likelihood(2, &Pairs::full(N)), at(&x, 0.2));
        assert!((value.log_likelihood - all.log_likelihood).abs() < 1e-9);
        assert!(gradient.iter().zip(&of_all).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    /// Neither rotations, reflections and shifts of the map nor those of the anchor change anything.
    #[test]
    fn rigid_motions_are_not_seen() {
        let rng = &mut stream(4, 0, Purpose::Simulation);
        let (anchor, x) = (random(2, rng), random(2, rng));
        let moved = |x: &[f64]| {
            let (sin, cos) = 1.1_f64.sin_cos();
            let map = Locations::from_fn(N, 2, |object, dim| match dim {
                0 => cos * x[object] - sin * x[N + object] + 3.0,
                _ => -(sin * x[object] + cos * x[N + object]) - 7.0,
            });
            map.as_slice().to_vec()
        };
        let value = |anchor: &[f64], x: &[f64]| {
            anchored(2, &Pairs::band(N, 3), at(anchor, 0.4)).value(&mut Workspace::serial(), at(x, 0.3))
        };
        let expected = value(&anchor, &x);
        assert!((value(&anchor, &moved(&x)) - expected).abs() < 1e-8);
        assert!((value(&moved(&anchor), &x) - expected).abs() < 1e-8);
    }
}
