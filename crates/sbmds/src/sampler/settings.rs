//! Which sampler, and how it is set up.

use std::fmt;
use std::str::FromStr;

use rand_chacha::ChaCha8Rng;

use super::adaptation::StepSize;
use super::arithmetic::ArithmeticChoice;
use super::close_tips::{CloseTips, WithCloseTips};
use super::hmc::{Hmc, reasonable_step};
use super::metropolis::{JointWalk, SingleWalk};
use super::nuts::Nuts;
use super::target::{Evaluated, JointTarget, LocationsTarget, SurrogateTarget, Target};
use super::{Kernel, Likelihood, Posterior, Spread, Workspace};

/// The samplers by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sampler {
    /// The one with most effective draws per second in `sbmds bench samplers`.
    #[default]
    Auto,
    /// No-U-turn sampler on locations and log sigma together.
    Nuts,
    /// The paper's Hamiltonian Monte Carlo, with Metropolis on sigma^2.
    Hmc,
    /// The paper's joint random-walk Metropolis.
    Mh,
    /// Metropolis within Gibbs, one object at a time.
    Mwg,
    /// Hamiltonian Monte Carlo for the full likelihood along the gradient of a sparse one.
    Surrogate,
}

impl Sampler {
    /// All names.
    pub const ALL: [Self; 6] = [Self::Auto, Self::Nuts, Self::Hmc, Self::Mh, Self::Mwg, Self::Surrogate];

    /// Whether it moves along gradients.
    pub(super) fn follows_gradients(self) -> bool {
        matches!(self.resolve(), Self::Nuts | Self::Hmc | Self::Surrogate)
    }

    /// What `auto` stands for.
    pub fn resolve(self) -> Self {
        if self == Self::Auto { Self::Nuts } else { self }
    }
}

impl fmt::Display for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Nuts => "nuts",
            Self::Hmc => "hmc",
            Self::Mh => "mh",
            Self::Mwg => "mwg",
            Self::Surrogate => "surrogate",
        })
    }
}

impl FromStr for Sampler {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|sampler| sampler.to_string() == name)
            .ok_or_else(|| format!("{name:?} is no sampler: use auto, nuts, hmc, mh, mwg or surrogate"))
    }
}

/// How to sample.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SamplerSettings {
    /// Which sampler.
    pub sampler: Sampler,
    /// Iterations that adapt and are thrown away.
    pub n_warmup: usize,
    /// Leapfrog steps of an HMC trajectory.
    pub leapfrog_steps: usize,
    /// Trajectory lengths vary by this fraction.
    pub jitter: f64,
    /// Acceptance rate to adapt to; the default depends on the sampler.
    pub target_acceptance: Option<f64>,
    /// Minimum NUTS tree depth: trajectories long enough for slow motions of many objects together.
    #[serde(default)]
    pub min_depth: usize,
    /// Largest number of doublings of a NUTS trajectory.
    pub max_depth: usize,
    /// Let single objects jump between the modes of their conditional density (NUTS only).
    #[serde(default, alias = "leaps")]
    pub mode_jumps: bool,
    /// Adapt steps by the paper's rule instead of dual averaging.
    pub paper_adaptation: bool,
    /// The arithmetic of gradients; runs that say nothing of it were made in double precision.
    #[serde(default = "ArithmeticChoice::of_old_runs")]
    pub arithmetic: ArithmeticChoice,
}

impl Default for SamplerSettings {
    fn default() -> Self {
        Self {
            sampler: Sampler::Auto,
            n_warmup: 1000,
            leapfrog_steps: 20,
            jitter: 0.0,
            target_acceptance: None,
            min_depth: 0,
            max_depth: 10,
            mode_jumps: true,
            paper_adaptation: false,
            arithmetic: ArithmeticChoice::Auto,
        }
    }
}

impl SamplerSettings {
    /// Acceptance rate to adapt to: 0.65 for HMC (the paper's), 0.8 for NUTS (Stan's), 0.234 for the joint walk, 0.35 for single
    /// objects, near the optimum for a few dimensions.
    fn target(&self) -> f64 {
        self.target_acceptance.unwrap_or(match self.sampler.resolve() {
            Sampler::Nuts => 0.8,
            Sampler::Mh => 0.234,
            Sampler::Mwg => 0.35,
            _ => 0.65,
        })
    }

    /// A step that starts at `start` and adapts to `target` as the settings say.
    pub(super) fn step_size(&self, start: f64, target: f64) -> StepSize {
        if self.paper_adaptation { StepSize::paper(start, target) } else { StepSize::dual_averaging(start, target) }
    }
}

/// The first evaluation and the untuned kernel.
pub(super) fn first_kernel(
    posterior: &Posterior,
    surrogate: Option<&Likelihood>,
    settings: &SamplerSettings,
    workspace: &mut Workspace,
    (x, variance, spread): (Vec<f64>, f64, &Spread),
    rng: &mut ChaCha8Rng,
) -> (Evaluated, Kernel) {
    let sigma = variance.sqrt();
    let n_coordinates = x.len();
    let likelihood = posterior.likelihood();
    let target_rate = settings.target();
    let new_hmc = |step: f64| {
        let step = settings.step_size(step, target_rate);
        Hmc::new(step, settings.leapfrog_steps, settings.jitter, n_coordinates)
    };
    let ones = vec![1.0; n_coordinates];
    match settings.sampler.resolve() {
        Sampler::Hmc => {
            let mut target = LocationsTarget { posterior, workspace, sigma, spread };
            let current = Evaluated::at(&mut target, x);
            let step = reasonable_step(&current, &mut target, &ones, rng);
            (current, Kernel::Hmc(new_hmc(step)))
        }
        Sampler::Surrogate => {
            let sparse = surrogate.unwrap_or(likelihood);
            let mut target = SurrogateTarget { posterior, sparse, workspace, sigma, spread };
            let current = Evaluated::at(&mut target, x);
            let step = reasonable_step(&current, &mut target, &ones, rng);
            (current, Kernel::Surrogate(new_hmc(step)))
        }
        Sampler::Nuts | Sampler::Auto => {
            // Log sigma has the information 2 per pair.
            let pairs = likelihood.n_pairs().max(1) as f64;
            let guess = known_variance(likelihood, variance);
            let mut inverse_mass = vec![guess; n_coordinates];
            let close_tips = posterior.tree().map(|tree| CloseTips::new(&tree.brownian, spread, guess));
            let close_tips = close_tips.filter(|close_tips| !close_tips.is_empty()).unwrap_or_default();
            if !close_tips.is_empty() {
                close_tips.set_variances(&mut inverse_mass);
            }
            let n_dims = likelihood.n_dims();
            let mut position = x;
            let (current, step) = if posterior.priors().noise.is_fixed() {
                let target = LocationsTarget { posterior, workspace, sigma, spread };
                first_nuts_step(target, position, (&close_tips, n_dims), &inverse_mass, rng)
            } else {
                inverse_mass.push(0.5 / pairs);
                position.push(posterior.priors().noise.coordinate(variance));
                let target = JointTarget { posterior, workspace, spread };
                first_nuts_step(target, position, (&close_tips, n_dims), &inverse_mass, rng)
            };
            let step = settings.step_size(step, target_rate);
            let depths = (settings.min_depth, settings.max_depth);
            let shape = (likelihood.n_objects(), n_dims);
            (current, Kernel::Nuts(Nuts::new(inverse_mass, step, depths, settings.n_warmup, shape, close_tips)))
        }
        Sampler::Mh => {
            let density = posterior.value(workspace, &x, sigma, spread);
            // 2.4 / sqrt(dimension) posterior standard deviations (Roberts, Gelman & Gilks 1997).
            let tau = 2.4 * sigma / (n_coordinates as f64).sqrt();
            let step = settings.step_size(tau, target_rate);
            (Evaluated::without_gradient(x, density), Kernel::JointWalk(JointWalk { step }))
        }
        Sampler::Mwg => {
            let density = posterior.value(workspace, &x, sigma, spread);
            let step = settings.step_size(sigma, target_rate);
            let walk = SingleWalk::new(likelihood.n_objects(), step);
            (Evaluated::without_gradient(x, density), Kernel::SingleWalk(walk))
        }
    }
}

/// A guess of the variance with which distances know a coordinate, which is the mean of its partners' pulls.
pub(super) fn known_variance(likelihood: &Likelihood, variance: f64) -> f64 {
    let pairs = likelihood.n_pairs().max(1) as f64;
    variance * likelihood.n_dims() as f64 * likelihood.n_objects() as f64 / (2.0 * pairs)
}

/// The first evaluation and a first step size.
fn first_nuts_step(
    mut target: impl Target,
    position: Vec<f64>,
    (close_tips, n_dims): (&CloseTips, usize),
    inverse_mass: &[f64],
    rng: &mut ChaCha8Rng,
) -> (Evaluated, f64) {
    let current = Evaluated::at(&mut target, position);
    let step = if close_tips.is_empty() {
        reasonable_step(&current, &mut target, inverse_mass, rng)
    } else {
        reasonable_step(&current, &mut WithCloseTips::new(target, close_tips, n_dims), inverse_mass, rng)
    };
    (current, step)
}
