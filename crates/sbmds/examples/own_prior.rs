//! A prior of one's own, against quadrature: two objects near a ring of radius 2, measured 3 apart with a known error of 0.5.

use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use sbmds::coupling::Pairs;
use sbmds::diagnostics::{Chains, mcse_mean};
use sbmds::likelihood::{Likelihood, Noise, Scratch, Storage};
use sbmds::posterior::{LocationPrior, NoisePrior, Parameters, Posterior, Priors, Spread, Variance, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Chain, SamplerSettings};

/// p(x_n) proportional to exp(-(|x_n| - radius)^2 / (2 width^2)) in the plane.
struct Ring {
    radius: f64,
    width: f64,
}

impl LocationPrior for Ring {
    fn log_density(&self, _: &mut Scratch, x: &[f64], _: &Spread) -> f64 {
        let (across, up) = x.split_at(x.len() / 2);
        across.iter().zip(up).map(|(x, y)| -0.5 * ((x.hypot(*y) - self.radius) / self.width).powi(2)).sum()
    }

    fn add_gradient(&self, scratch: &mut Scratch, x: &[f64], spread: &Spread, gradient: &mut [f64]) -> f64 {
        for (k, derivative) in gradient.iter_mut().enumerate() {
            let radius = x[k].hypot(x[(k + x.len() / 2) % x.len()]);
            *derivative -= (radius - self.radius) / self.width.powi(2) * x[k] / radius;
        }
        self.log_density(scratch, x, spread)
    }

    /// By rejection: the density is at most 1.
    fn draw(&self, rng: &mut ChaCha8Rng) -> (Vec<f64>, Spread) {
        loop {
            let (x, spread) = ((0..4).map(|_| rng.random_range(-4.0..4.0)).collect::<Vec<f64>>(), Spread::Own(vec![]));
            if rng.random::<f64>().ln() < self.log_density(&mut Scratch::default(), &x, &spread) {
                return (x, spread);
            }
        }
    }

    fn start_spread(&self, _: &[f64], _: &mut ChaCha8Rng) -> Spread {
        Spread::Own(vec![])
    }
}

/// The mean distance, by a chain and by quadrature over both radii and the angle between the objects.
pub fn main() {
    let (ring, delta, sigma) = (Ring { radius: 2.0, width: 0.3 }, 3.0, 0.5);
    let exact = by_quadrature(&ring, delta, sigma);
    let likelihood = Likelihood::new(2, 2, &Pairs::full(2), Noise::Normal, Storage::F64, |_, _| delta);
    let priors = Priors { noise: NoisePrior::Fixed { sigma }, ..Priors::paper(2) };
    let posterior = Posterior::new(Arc::new(likelihood), priors).with_locations(Arc::new(ring));
    let mut rng = stream(1, 0, Purpose::Sampling);
    let (x, spread) = posterior.locations().draw(&mut rng);
    let start = Parameters { x, variance: Variance::of_sigma(sigma), spread, own: vec![] };
    let mut chain = Chain::start(&posterior, &SamplerSettings::default(), start, rng, Workspace::serial());
    chain.warm_up();
    let draws: Vec<f64> = (0..20_000).map(|_| (chain.step(), chain.distance(0, 1)).1).collect();
    let (mean, error) = (draws.iter().sum::<f64>() / 20_000.0, mcse_mean(&Chains::new(&[draws]).unwrap()));
    println!("mean distance: {mean:.4} +- {error:.4}, by quadrature {exact:.4}");
    assert!(error < 0.02 && (mean - exact).abs() < 4.0 * error);
}

fn by_quadrature(ring: &Ring, delta: f64, sigma: f64) -> f64 {
    let radii = || (1..=200).map(|k| f64::from(k) / 50.0);
    let (mut mass, mut sum) = (0.0, 0.0);
    for (r, s) in radii().flat_map(|r| radii().map(move |s| (r, s))) {
        for angle in (0..200).map(|k| f64::from(k) * std::f64::consts::PI / 100.0) {
            let distance = (r * r + s * s - 2.0 * r * s * angle.cos()).sqrt();
            let off = [(r - ring.radius) / ring.width, (s - ring.radius) / ring.width, (distance - delta) / sigma];
            let weight = r * s * (-0.5 * off.iter().map(|off| off * off).sum::<f64>()).exp();
            (mass, sum) = (mass + weight, sum + weight * distance);
        }
    }
    sum / mass
}
