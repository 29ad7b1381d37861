//! The obviously right twin: a double loop that says the equations, with libm's erfc. Slow.

use super::Noise;
use crate::Locations;

/// Log-likelihood and gradient of the pairs `(n, m, delta)`, one after another (docs/model.md, eq. 2-5).
///
/// Every kernel is tested against this, and `sbmds bench kernels` reports speed relative to it.
pub fn log_likelihood_and_gradient(
    pairs: impl IntoIterator<Item = (usize, usize, f64)>,
    noise: Noise,
    x: &Locations,
    sigma: f64,
    gradient: &mut Locations,
) -> f64 {
    gradient.as_mut_slice().fill(0.0);
    let mut log_likelihood = 0.0;
    for (n, m, delta) in pairs {
        let distance = x.distance(n, m);
        log_likelihood += noise.log_density(delta, distance, sigma);
        if distance > 0.0 {
            let derivative = noise.derivative(delta, distance, sigma);
            for dim in 0..x.n_dims() {
                let push = derivative * (x.get(n, dim) - x.get(m, dim)) / distance;
                gradient.set(n, dim, gradient.get(n, dim) + push);
                gradient.set(m, dim, gradient.get(m, dim) - push);
            }
        }
    }
    log_likelihood
}
