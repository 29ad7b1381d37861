//! Drawing from the posterior: blocks for the locations, the noise and the spread, driven by one [`Chain`].

mod adaptation;
mod arithmetic;
mod close_tips;
mod gibbs;
mod hamiltonian;
mod hmc;
mod metropolis;
mod mode_jump;
mod nuts;
mod rigid;
mod settings;
mod target;

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;

pub use arithmetic::ArithmeticChoice;
pub use hamiltonian::{PhasePoint, draw_momentum, kinetic_energy, leapfrog};
pub use rigid::RigidMotions;
pub use settings::{Sampler, SamplerSettings};
pub use target::{Evaluated, JointTarget, LocationsTarget, SurrogateTarget, Target};

use crate::likelihood::{Arithmetic, Likelihood};
use crate::posterior::{Density, Parameters, Posterior, Spread, Workspace};
use arithmetic::ChainArithmetic;
use close_tips::{CloseTips, WithCloseTips};
use gibbs::{NoiseWalk, draw_centre, draw_spread, shift_to_new_centre};
use hmc::Hmc;
use metropolis::{JointWalk, SingleWalk};
use mode_jump::{Jumper, ModeJumps, is_time_to_search};
use nuts::Nuts;

/// What a person wants to know of one transition; the next step does not need it.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StepInfo {
    /// Probability with which the locations' move was (or, averaged over a trajectory, would be) accepted.
    pub acceptance: f64,
    /// Whether it was.
    pub accepted: bool,
    /// Hamiltonian at the new point (negative log density for samplers without momentum).
    pub energy: f64,
    /// Step size of the locations' move.
    pub step_size: f64,
    /// Gradients evaluated.
    pub n_gradients: usize,
    /// Whether the integrator lost the trajectory.
    pub diverging: bool,
    /// Doublings of a NUTS trajectory.
    pub tree_depth: usize,
}

/// One Markov chain: the posterior it samples, its scratch memory and its state.
pub struct Chain<'a> {
    posterior: &'a Posterior,
    /// The sparse likelihood whose gradient a surrogate trajectory follows.
    surrogate: Option<Arc<Likelihood>>,
    workspace: Workspace,
    state: ChainState,
}

/// Everything the next step depends on; saving it and going on gives the same draws as never having stopped.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct ChainState {
    current: Evaluated,
    variance: f64,
    spread: Spread,
    kernel: Kernel,
    noise: NoiseWalk,
    /// Objects that jump between modes, if any may.
    mode_jumps: Option<ModeJumps>,
    arithmetic: ChainArithmetic,
    iteration: usize,
    n_warmup: usize,
    rng: ChaCha8Rng,
}

/// How the locations move, with the tuning.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
enum Kernel {
    Hmc(Hmc),
    Surrogate(Hmc),
    Nuts(Nuts),
    JointWalk(JointWalk),
    SingleWalk(SingleWalk),
}

/// Acceptance rate to which the noise's random walk adapts (one dimension).
const NOISE_TARGET: f64 = 0.44;

impl<'a> Chain<'a> {
    /// Starts at `start`; `surrogate` is only used by the sampler of that name.
    pub fn start(
        posterior: &'a Posterior,
        surrogate: Option<Arc<Likelihood>>,
        settings: &SamplerSettings,
        start: Parameters,
        mut rng: ChaCha8Rng,
        mut workspace: Workspace,
    ) -> Self {
        let Parameters { x, variance, spread } = start;
        let arithmetic = ChainArithmetic::new(settings.arithmetic, settings.sampler.follows_gradients());
        let (current, kernel) = settings::first_kernel(
            posterior,
            surrogate.as_deref(),
            settings,
            &mut workspace,
            (x, variance, &spread),
            &mut rng,
        );
        // The posterior sd of sigma^2 is about sigma^2 sqrt(2 / pairs).
        let tau = 2.4 * variance * (2.0 / posterior.likelihood().n_pairs().max(1) as f64).sqrt();
        let noise = NoiseWalk { step: settings.step_size(tau, NOISE_TARGET) };
        let n_warmup = settings.n_warmup;
        let mode_jumps = settings.mode_jumps.then(ModeJumps::default);
        let mut state = ChainState {
            current,
            variance,
            spread,
            kernel,
            noise,
            mode_jumps,
            arithmetic,
            iteration: 0,
            n_warmup,
            rng,
        };
        if n_warmup == 0 {
            state.freeze();
        }
        Self { posterior, surrogate, workspace, state }
    }

    /// Goes on from a saved state.
    pub fn resume(
        posterior: &'a Posterior,
        surrogate: Option<Arc<Likelihood>>,
        state: ChainState,
        mut workspace: Workspace,
    ) -> Self {
        workspace.arithmetic = state.arithmetic.now;
        Self { posterior, surrogate, workspace, state }
    }

    /// Takes over the step sizes and masses of a chain of the same sampler on a problem of the same size, and keeps
    /// them: from now on nothing adapts.
    pub fn use_tuning_of(&mut self, tuned: &ChainState) {
        self.state.kernel = tuned.kernel.clone();
        self.state.noise = tuned.noise.clone();
        self.state.mode_jumps = tuned.mode_jumps.clone();
        self.state.n_warmup = self.state.iteration;
        self.state.freeze();
    }

    /// One iteration: locations, noise, spread; adaptation while warming up.
    pub fn step(&mut self) -> StepInfo {
        if self.state.iteration <= self.state.n_warmup {
            self.choose_arithmetic();
        }
        let info = self.move_locations();
        if !matches!(self.state.kernel, Kernel::Nuts(_)) && !self.posterior.priors().noise.is_fixed() {
            self.move_noise();
        }
        let jumped = self.jump();
        self.move_spread(jumped);
        self.state.iteration += 1;
        if self.state.iteration == self.state.n_warmup {
            self.state.freeze();
        }
        info
    }

    /// What to save.
    pub fn state(&self) -> &ChainState {
        &self.state
    }

    /// Iterations done, warm-up included.
    pub fn iteration(&self) -> usize {
        self.state.iteration
    }

    /// Whether the chain still adapts; such draws are not kept.
    pub fn is_warming_up(&self) -> bool {
        self.state.iteration < self.state.n_warmup
    }

    /// The locations, N * D numbers, dimension by dimension, by position.
    pub fn x(&self) -> &[f64] {
        let likelihood = self.posterior.likelihood();
        &self.state.current.position()[..likelihood.n_objects() * likelihood.n_dims()]
    }

    /// Noise standard deviation.
    pub fn sigma(&self) -> f64 {
        self.state.variance.sqrt()
    }

    /// Spread of the locations under their prior.
    pub fn spread(&self) -> &Spread {
        &self.state.spread
    }

    /// Log-likelihood at the present point, in f64 once warm-up is over.
    pub fn log_likelihood(&self) -> f64 {
        self.state.current.density().log_likelihood + self.state.arithmetic.correction
    }

    /// In which the chain computes its gradients.
    pub fn arithmetic(&self) -> Arithmetic {
        self.state.arithmetic()
    }

    /// Log posterior density at the present point, up to a constant: of (X, sigma^2, Lambda), with a tree of (X, sigma^2,
    /// Sigma^-1), or of (X, sigma^2) where Sigma is integrated out.
    pub fn log_density(&self) -> f64 {
        self.log_likelihood()
            + self.state.current.density().log_prior_x
            + self.posterior.log_prior_rest(self.state.variance, &self.state.spread)
    }

    /// The arithmetic of the next iteration; when warm-up ends, that of all.
    fn choose_arithmetic(&mut self) {
        let sigma = self.sigma();
        let is_warming_up = self.is_warming_up();
        let Self { posterior, surrogate, workspace, state } = self;
        let ChainState { arithmetic, current, kernel, spread, .. } = state;
        if arithmetic.choose(posterior, current, sigma) {
            workspace.arithmetic = arithmetic.now;
            let position = std::mem::take(&mut current.position);
            *current = kernel.evaluate(position, posterior, surrogate.as_deref(), workspace, (sigma, spread));
        }
        if !is_warming_up && matches!(kernel, Kernel::Nuts(_)) {
            arithmetic.measure(posterior, workspace, current, sigma);
        }
    }

    fn move_locations(&mut self) -> StepInfo {
        let Self { posterior, surrogate, workspace, state } = self;
        let ChainState { current, variance, spread, kernel, arithmetic, rng, iteration, n_warmup, .. } = state;
        let learning = *iteration < *n_warmup;
        let sigma = variance.sqrt();
        match kernel {
            Kernel::Hmc(hmc) => {
                let info = if arithmetic.now == Arithmetic::F64 {
                    let mut target = LocationsTarget { posterior, workspace, sigma, spread };
                    hmc.transition(current, &mut target, rng)
                } else {
                    let mut target = SurrogateTarget::single(posterior, workspace, sigma, spread);
                    hmc.transition(current, &mut target, rng)
                };
                hmc.step.learn(info.acceptance, info.accepted);
                info
            }
            Kernel::Surrogate(hmc) => {
                let sparse = surrogate.as_deref().unwrap_or(posterior.likelihood());
                let mut target = SurrogateTarget { posterior, sparse, workspace, sigma, spread };
                let info = hmc.transition(current, &mut target, rng);
                hmc.step.learn(info.acceptance, info.accepted);
                info
            }
            Kernel::Nuts(nuts) => {
                let warmup_iteration = learning.then_some(*iteration);
                if let (true, Some(tree)) = (learning && nuts.take_has_new_masses(), posterior.tree()) {
                    let guess = settings::known_variance(posterior.likelihood(), *variance);
                    nuts.choose_close_tips(CloseTips::new(&tree.brownian, spread, guess));
                }
                let before = (!learning && arithmetic.now == Arithmetic::F32).then(|| current.clone());
                let mut info = if posterior.priors().noise.is_fixed() {
                    let target = LocationsTarget { posterior, workspace, sigma, spread };
                    nuts_step(nuts, current, posterior, target, rng, warmup_iteration)
                } else {
                    let target = JointTarget { posterior, workspace, spread };
                    nuts_step(nuts, current, posterior, target, rng, warmup_iteration)
                };
                let variance_at = |point: &Evaluated| match posterior.priors().noise.is_fixed() {
                    true => *variance,
                    false => posterior.priors().noise.variance_at(point.position[point.position.len() - 1]),
                };
                if let Some(before) = before {
                    let sigma = variance_at(current).sqrt();
                    if info.accepted && !arithmetic.accepts(posterior, workspace, current, sigma, rng) {
                        *current = before;
                        info.accepted = false;
                    }
                }
                *variance = variance_at(current);
                info
            }
            Kernel::JointWalk(walk) => {
                let info = walk.transition(current, posterior, workspace, (sigma, spread), rng);
                walk.step.learn(info.acceptance, info.accepted);
                info
            }
            Kernel::SingleWalk(walk) => walk.sweep(current, posterior, workspace, (sigma, spread), learning, rng),
        }
    }

    /// Mode jumps of single objects; now and then during warm-up all search for modes. True if one moved.
    fn jump(&mut self) -> bool {
        let Self { posterior, state, .. } = self;
        let ChainState { current, variance, spread, kernel, mode_jumps, rng, iteration, n_warmup, .. } = state;
        let searches = is_time_to_search(*iteration, *n_warmup);
        let (Kernel::Nuts(nuts), Some(mode_jumps)) = (kernel, mode_jumps) else { return false };
        if !searches && mode_jumps.is_empty() {
            return false;
        }
        let n_objects = posterior.likelihood().n_objects();
        let x = &mut current.position[..n_objects * posterior.likelihood().n_dims()];
        let Some(mut jumper) = Jumper::new(posterior, x, variance.sqrt(), spread) else { return false };
        if searches {
            mode_jumps.search(&mut jumper, rng);
        } else {
            mode_jumps.jump(&mut jumper, rng);
        }
        if *iteration < *n_warmup {
            nuts.tell_of_jumps(jumper.gone_elsewhere());
        }
        jumper.has_moved()
    }

    fn move_noise(&mut self) {
        let Self { posterior, workspace, state, surrogate } = self;
        let mut proposed = None;
        let moved =
            state.noise.transition(state.variance, state.current.density, posterior, &mut state.rng, |variance| {
                let position = state.current.position.clone();
                let evaluated = state.kernel.evaluate(
                    position,
                    posterior,
                    surrogate.as_deref(),
                    workspace,
                    (variance.sqrt(), &state.spread),
                );
                proposed.insert(evaluated).density()
            });
        if let (true, Some(evaluated)) = (moved.accepted, proposed) {
            state.variance = moved.variance;
            state.current = evaluated;
        }
        state.noise.step.learn(moved.acceptance, moved.accepted);
    }

    /// The spread given the locations, and where the map is given the spread. Along a tree the latter waits for the end of
    /// warm-up: masses are learned from how locations move beside each other.
    fn move_spread(&mut self, jumped: bool) {
        let is_warming_up = self.is_warming_up();
        let Self { posterior, workspace, state, surrogate } = self;
        let ChainState { current, variance, spread, kernel, arithmetic, rng, .. } = state;
        let n_coordinates = posterior.likelihood().n_objects() * posterior.likelihood().n_dims();
        let mut changed = draw_spread(posterior, workspace, &current.position[..n_coordinates], spread, rng) || jumped;
        if !is_warming_up {
            changed |= draw_centre(posterior, workspace, &mut current.position[..n_coordinates], spread, rng);
        }
        if changed {
            let position = std::mem::take(&mut current.position);
            let given = (variance.sqrt(), &*spread);
            *current = kernel.evaluate(position, posterior, surrogate.as_deref(), workspace, given);
        }
        if jumped && !is_warming_up {
            arithmetic.measure(posterior, workspace, current, variance.sqrt());
        }
        if let (Kernel::Nuts(_), Spread::Scales(scales)) = (&*kernel, &*spread) {
            shift_to_new_centre(current, posterior.likelihood().n_objects(), scales, rng);
        }
    }
}

/// One transition, with momenta for close tips if there are any.
fn nuts_step(
    nuts: &mut Nuts,
    current: &mut Evaluated,
    posterior: &Posterior,
    mut target: impl Target,
    rng: &mut ChaCha8Rng,
    warmup_iteration: Option<usize>,
) -> StepInfo {
    if nuts.close_tips.is_empty() {
        return nuts_transition(nuts, current, &mut target, rng, warmup_iteration);
    }
    let close_tips = std::mem::take(&mut nuts.close_tips);
    let mut target = WithCloseTips::new(target, &close_tips, posterior.likelihood().n_dims());
    if close_tips.is_new {
        nuts.find_step(current, &mut target, rng);
    }
    let info = nuts_transition(nuts, current, &mut target, rng, warmup_iteration);
    nuts.close_tips = close_tips;
    nuts.close_tips.is_new = false;
    info
}

fn nuts_transition(
    nuts: &mut Nuts,
    current: &mut Evaluated,
    target: &mut impl Target,
    rng: &mut ChaCha8Rng,
    warmup_iteration: Option<usize>,
) -> StepInfo {
    let info = nuts.transition(current, target, rng);
    if let Some(iteration) = warmup_iteration {
        nuts.adapt(iteration, &info, current, target, rng);
    }
    info
}

impl Kernel {
    /// The density at `position` as this kernel needs it: with its own target's gradient, or without one.
    fn evaluate(
        &self,
        position: Vec<f64>,
        posterior: &Posterior,
        surrogate: Option<&Likelihood>,
        workspace: &mut Workspace,
        (sigma, spread): (f64, &Spread),
    ) -> Evaluated {
        match self {
            Self::Nuts(_) if !posterior.priors().noise.is_fixed() => {
                Evaluated::at(&mut JointTarget { posterior, workspace, spread }, position)
            }
            Self::Hmc(_) if workspace.arithmetic == Arithmetic::F32 => {
                Evaluated::at(&mut SurrogateTarget::single(posterior, workspace, sigma, spread), position)
            }
            Self::Hmc(_) | Self::Nuts(_) => {
                Evaluated::at(&mut LocationsTarget { posterior, workspace, sigma, spread }, position)
            }
            Self::Surrogate(_) => {
                let sparse = surrogate.unwrap_or(posterior.likelihood());
                Evaluated::at(&mut SurrogateTarget { posterior, sparse, workspace, sigma, spread }, position)
            }
            Self::JointWalk(_) | Self::SingleWalk(_) => {
                let density: Density = posterior.value(workspace, &position, sigma, spread);
                Evaluated::without_gradient(position, density)
            }
        }
    }

    fn freeze(&mut self) {
        match self {
            Self::Hmc(hmc) | Self::Surrogate(hmc) => hmc.step.freeze(),
            Self::Nuts(nuts) => nuts.step.freeze(),
            Self::JointWalk(walk) => walk.step.freeze(),
            Self::SingleWalk(walk) => walk.freeze(),
        }
    }
}

impl ChainState {
    /// In which the chain computes its gradients.
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic.now
    }

    fn freeze(&mut self) {
        self.kernel.freeze();
        self.noise.step.freeze();
    }
}
