//! Where the whole map is: the one thing about the locations that no distance knows.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::{BrownianPrior, BrownianWorkspace, Precision};

impl BrownianPrior {
    /// Moves all locations together so that the root's contrast u_N (eq. 15) is drawn anew given Sigma^-1: N(0, v_N Sigma).
    ///
    /// Distances and all other contrasts stay as they are. With a root that may be anywhere (kappa = 0.001) trajectories would
    /// take very long to get there, and u_N is one of the N contrasts that Sigma is learned from.
    pub fn draw_centre(
        &self,
        workspace: &mut BrownianWorkspace,
        x: &mut [f64],
        precision: &Precision,
        rng: &mut ChaCha8Rng,
    ) {
        self.pass_up(workspace, x);
        let (n_objects, n_dims) = (self.n_objects(), self.n_dims());
        let mut noise: Vec<f64> = (0..n_dims).map(|_| rng.sample(StandardNormal)).collect();
        precision.colour(&mut noise);
        let deviation = self.plan.deviations[n_objects - 1];
        let present = &workspace.contrasts[(n_objects - 1) * n_dims..];
        for ((x, noise), present) in x.chunks_exact_mut(n_objects).zip(noise).zip(present) {
            let shift = deviation * noise - present;
            x.iter_mut().for_each(|x| *x += shift);
        }
    }
}
