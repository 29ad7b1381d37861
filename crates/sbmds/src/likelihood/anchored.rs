//! The information of all pairs at the cost of a few: a sparse log-likelihood, weighted, with a linear correction at an anchor.
//!
//! With all M pairs, P coupled ones, w = M / P and an anchor theta_0 = (X_0, log sigma_0) near the mode of the full posterior
//! (docs/model.md, eq. 30):
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
            let entry = |k: usize| dot(&x[k / n_dims * n_objects..][..n_objects], &other[k % n_dims * n_objects..][..n_objects]);
            (0..n_dims * n_dims).map(entry).collect()
        };
        let (s, g) = (cross(anchor), cross(c));
        let (squares, basis) = symmetric_eigen(n_dims, &product(n_dims, &transposed(n_dims, &s), &s));
        // Maps on a line have one direction only: any rotation of the others will do.
        let largest = squares.iter().copied().fold(0.0, f64::max);
        let singular: Vec<f64> = squares.iter().map(|&d| d.max(1e-24 * largest).max(f64::MIN_POSITIVE).sqrt()).collect();
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
