//! Whether residuals may be noise, where no stretches of moves tell: curvatures along random directions.

use rand::RngExt;

use super::all_pairs::AllPairs;
use crate::error::RunError;
use crate::likelihood::{AnchorValue, LogLikelihood, MapPoint, Workspace};
use crate::numeric::{add_scaled, dot};
use crate::random::{Purpose, stream};

/// Random directions: each knows the traces to about one part in the square root of the number of coupled pairs.
const PROBES: u64 = 8;
/// How far a direction goes, in standard deviations of the noise: differences are then exact to some digits, and sigma is far.
const STEP: f64 = 1e-3;

/// What residuals make of the information about a location: 1 where they are noise, as `Anchored::mean_squared_stretch` says it of
/// springs.
///
/// With l the log density of a pair as a function of its distance d, the trace of minus its Hessian by both ends is 2 (-l'') along
/// the pair and 2 (-l' / d) across it, once for each of the D - 1 other directions. Noise has l' of mean zero; what is left across
/// is made by residuals that are not. For random signs e the mean of e' H e is tr H, and the curvature across pairs is that in a
/// dimension which the map does not have. The coupled pairs are a sample of all, to which the anchor owes nothing. On a line there
/// is no direction across; there the ratio is that of a plane.
pub(super) fn curvature(all: &AllPairs, at: MapPoint) -> Result<f64, RunError> {
    let n_dims = all.n_dims();
    let pairs = all.coupled_in(n_dims + 1)?;
    let probe = Probe { pairs: &*pairs, at, n_dims };
    let (mut of_map, mut across) = (0.0, 0.0);
    for k in 0..PROBES {
        of_map += probe.trace(0..n_dims, k) / PROBES as f64;
        across += probe.trace(n_dims..n_dims + 1, k) / PROBES as f64;
    }
    let along = of_map - (n_dims - 1) as f64 * across;
    Ok((along + (n_dims - 1).max(1) as f64 * across) / along)
}

/// Pairs of a map in one dimension more than it has.
struct Probe<'a> {
    pairs: &'a dyn LogLikelihood,
    at: MapPoint<'a>,
    n_dims: usize,
}

impl Probe<'_> {
    /// The trace of minus the Hessian by the coordinates of some dimensions, as the signs of one stream estimate it.
    fn trace(&self, dims: std::ops::Range<usize>, k: u64) -> f64 {
        let n = self.pairs.n_objects();
        let mut rng = stream(k, dims.start, Purpose::Start);
        let mut signs = vec![0.0; n * (self.n_dims + 1)];
        signs[dims.start * n..dims.end * n].fill_with(|| if rng.random() { 1.0 } else { -1.0 });
        let step = STEP * self.at.sigma;
        let [up, down] = [step, -step].map(|by| self.gradient(&signs, by));
        (dot(&signs, &down) - dot(&signs, &up)) / (2.0 * step)
    }

    fn gradient(&self, signs: &[f64], by: f64) -> Vec<f64> {
        let mut x = self.at.x.to_vec();
        x.resize(signs.len(), 0.0);
        add_scaled(&mut x, by, signs);
        AnchorValue::of(self.pairs, &mut Workspace::parallel(), MapPoint { x: &x, ..self.at }).by_x
    }
}
