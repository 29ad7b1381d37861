//! The rotation that brings a map closest to the anchor (orthogonal Procrustes), and how functions of the aligned map change.

use crate::numeric::{add_scaled, dot, symmetric_eigen};

/// X brought to the anchor X_0, which is about its own centre: z_n = R (x_n - m).
///
/// With S = sum x_n x0_n' = U D V' the rotation is R = V U', and P = R S = V D V' is symmetric.
pub(super) struct Alignment {
    n_dims: usize,
    centre: Vec<f64>,
    /// R, row by row.
    rotation: Vec<f64>,
    /// V, and D.
    basis: Vec<f64>,
    singular: Vec<f64>,
}

impl Alignment {
    /// Of locations to an anchor, both dimension by dimension.
    pub fn new(x: &[f64], anchor: &[f64], n_objects: usize) -> Self {
        let n_dims = x.len() / n_objects;
        let s = cross(x, anchor, n_objects);
        let (squares, basis) = symmetric_eigen(n_dims, &product(n_dims, &transposed(n_dims, &s), &s));
        // Maps on a line have one direction only: any rotation of the others will do.
        let largest = squares.iter().copied().fold(0.0, f64::max);
        let singular: Vec<f64> =
            squares.iter().map(|&d| d.max(1e-24 * largest).max(f64::MIN_POSITIVE).sqrt()).collect();
        let scaled = from_basis(n_dims, &basis, |a, b| if a == b { 1.0 / singular[a] } else { 0.0 });
        let rotation = product(n_dims, &scaled, &transposed(n_dims, &s));
        let centre = x.chunks_exact(n_objects).map(|x| x.iter().sum::<f64>() / n_objects as f64).collect();
        Self { n_dims, centre, rotation, basis, singular }
    }

    /// Writes z - x0 of all objects to `moves`.
    pub fn moves(&self, x: &[f64], anchor: &[f64], moves: &mut [f64]) {
        let n = x.len() / self.n_dims;
        for (dim, moves) in moves.chunks_exact_mut(n).enumerate() {
            let of = &self.rotation[dim * self.n_dims..][..self.n_dims];
            let shift: f64 = of.iter().zip(&self.centre).map(|(r, m)| r * m).sum();
            moves.iter_mut().zip(&anchor[dim * n..]).for_each(|(to, x0)| *to = -shift - x0);
            for (r, x) in of.iter().zip(x.chunks_exact(n)) {
                add_scaled(moves, *r, x);
            }
        }
    }

    /// R times each object's part of an array.
    pub fn turn(&self, array: &[f64], turned: &mut [f64]) {
        let n = array.len() / self.n_dims;
        for (dim, turned) in turned.chunks_exact_mut(n).enumerate() {
            turned.fill(0.0);
            for (r, array) in self.rotation[dim * self.n_dims..][..self.n_dims].iter().zip(array.chunks_exact(n)) {
                add_scaled(turned, *r, array);
            }
        }
    }

    /// From the gradient of a function by z to that by x, in place.
    ///
    /// When X moves by dX, R moves by dR = Omega R with Omega P + P Omega = (R dS)' - R dS, which gives tr(dR G),
    /// G = sum x_n g_n', as sum 2 (W x0_n) . (R dx_n) with W = Q_ab / (D_a + D_b) in the basis V, Q the skew part of R G.
    pub fn pull_back(&self, x: &[f64], anchor: &[f64], gradient: &mut [f64], moved: &mut [f64]) {
        let (n_dims, n) = (self.n_dims, x.len() / self.n_dims);
        for by_z in gradient.chunks_exact_mut(n) {
            let mean = by_z.iter().sum::<f64>() / n as f64;
            by_z.iter_mut().for_each(|by_z| *by_z -= mean);
        }
        let twist = self.twist(&cross(x, gradient, n));
        for (dim, moved) in moved.chunks_exact_mut(n).enumerate() {
            moved.fill(0.0);
            for other in 0..n_dims {
                let of_anchor: f64 =
                    (0..n_dims).map(|k| self.rotation[k * n_dims + dim] * twist[k * n_dims + other]).sum();
                add_scaled(moved, self.rotation[other * n_dims + dim], &gradient[other * n..][..n]);
                add_scaled(moved, of_anchor, &anchor[other * n..][..n]);
            }
        }
        gradient.copy_from_slice(moved);
    }

    /// 2 W, row by row.
    fn twist(&self, g: &[f64]) -> Vec<f64> {
        let n_dims = self.n_dims;
        let q = product(n_dims, &self.rotation, g);
        let in_basis = product(n_dims, &product(n_dims, &transposed(n_dims, &self.basis), &q), &self.basis);
        let skew = |a: usize, b: usize| 0.5 * (in_basis[a * n_dims + b] - in_basis[b * n_dims + a]);
        from_basis(n_dims, &self.basis, |a, b| 2.0 * skew(a, b) / (self.singular[a] + self.singular[b]))
    }
}

/// X about its centre.
pub(super) fn centred(x: &[f64], n_objects: usize) -> Vec<f64> {
    let mut x = x.to_vec();
    for dim in x.chunks_exact_mut(n_objects) {
        let centre = dim.iter().sum::<f64>() / n_objects as f64;
        dim.iter_mut().for_each(|x| *x -= centre);
    }
    x
}

/// sum a_n b_n', row by row.
fn cross(a: &[f64], b: &[f64], n_objects: usize) -> Vec<f64> {
    let n_dims = a.len() / n_objects;
    let entry = |k: usize| dot(&a[k / n_dims * n_objects..][..n_objects], &b[k % n_dims * n_objects..][..n_objects]);
    (0..n_dims * n_dims).map(entry).collect()
}

pub(super) fn product(n: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
    (0..n * n).map(|k| (0..n).map(|i| a[k / n * n + i] * b[i * n + k % n]).sum()).collect()
}

fn transposed(n: usize, a: &[f64]) -> Vec<f64> {
    (0..n * n).map(|k| a[k % n * n + k / n]).collect()
}

/// V M V' of a matrix given in the basis V.
pub(super) fn from_basis(n: usize, basis: &[f64], entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let matrix: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
    product(n, &product(n, basis, &matrix), &transposed(n, basis))
}
