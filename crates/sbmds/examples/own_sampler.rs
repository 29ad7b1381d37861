//! A sampler of one's own, against quadrature: Langevin proposals for two objects measured 1.5 apart.

use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use sbmds::coupling::Pairs;
use sbmds::diagnostics::{Chains, mcse_mean};
use sbmds::likelihood::{Likelihood, Noise, Storage};
use sbmds::posterior::{NoisePrior, Posterior, Priors, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Chain, Conditions, Evaluated, Move, SamplerSettings, StepInfo};

/// x' = x + e^2 / 2 grad log p(x) + e N(0, I), accepted by Metropolis and Hastings (Roberts & Tweedie 1996).
#[derive(Clone, Debug, serde::Serialize)]
struct Langevin {
    step: f64,
}

impl Langevin {
    /// Where proposals are centred.
    fn mean(&self, from: &Evaluated) -> impl Iterator<Item = f64> {
        let (half, gradient) = (0.5 * self.step * self.step, from.gradient().expect("a gradient"));
        from.position().iter().zip(gradient).map(move |(x, derivative)| x + half * derivative)
    }

    /// Log density of proposing `to`, up to a constant.
    fn log_proposal(&self, from: &Evaluated, to: &Evaluated) -> f64 {
        self.mean(from).zip(to.position()).map(|(mean, to)| -0.5 * ((to - mean) / self.step).powi(2)).sum()
    }
}

impl Move for Langevin {
    fn name(&self) -> &'static str {
        "langevin"
    }

    fn step(
        &mut self,
        current: &mut Evaluated,
        conditions: &mut Conditions,
        _warmup: Option<usize>,
        rng: &mut ChaCha8Rng,
    ) -> StepInfo {
        let to = self.mean(current).map(|mean| mean + self.step * rng.sample::<f64, _>(StandardNormal)).collect();
        let proposed = Evaluated::at(&mut conditions.locations(), to);
        let hastings = self.log_proposal(&proposed, current) - self.log_proposal(current, &proposed);
        let log_ratio = proposed.log_density() - current.log_density() + hastings;
        let (acceptance, accepted) = (log_ratio.exp().min(1.0), rng.random::<f64>().ln() < log_ratio);
        if accepted {
            *current = proposed;
        }
        StepInfo { acceptance, accepted, step_size: self.step, n_gradients: 1, ..StepInfo::default() }
    }

    fn freeze(&mut self) {}
}

/// The mean distance, by a chain and by quadrature.
pub fn main() {
    let (delta, sigma) = (1.5, 0.5);
    let likelihood = Likelihood::new(2, 2, &Pairs::full(2), Noise::Normal, Storage::F64, |_, _| delta);
    let priors = Priors { noise: NoisePrior::Fixed { sigma }, ..Priors::paper(2) };
    let posterior = Posterior::new(Arc::new(likelihood), priors.clone());
    let mut rng = stream(1, 0, Purpose::Sampling);
    let (settings, start) = (SamplerSettings::default(), priors.draw(2, 2, &mut rng));
    let kernel = Box::new(Langevin { step: 0.6 });
    let mut chain = Chain::with_move(&posterior, kernel, &settings, start, rng, Workspace::serial());
    chain.warm_up();
    let draws: Vec<f64> = (0..20_000).map(|_| (chain.step(), chain.distance(0, 1)).1).collect();
    let (mean, error) = (draws.iter().sum::<f64>() / 20_000.0, mcse_mean(&Chains::new(&[draws]).unwrap()));
    // x_1 - x_2 ~ N(0, 2 I): the distance d has the prior density d exp(-d^2 / 4) / 2.
    let weight = |d: f64| d * (-0.25 * d * d - 0.5 * ((d - delta) / sigma).powi(2)).exp();
    let grid = || (1..10_000).map(|k| f64::from(k) * 1e-3);
    let exact = grid().map(|d| d * weight(d)).sum::<f64>() / grid().map(weight).sum::<f64>();
    println!("mean distance: {mean:.4} +- {error:.4}, by quadrature {exact:.4}");
    assert!(error < 0.02 && (mean - exact).abs() < 4.0 * error);
}
