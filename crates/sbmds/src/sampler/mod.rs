//! Drawing from the posterior: blocks for the locations, the noise and the spread, driven by one [`Chain`].

mod adaptation;
mod arithmetic;
mod close_tips;
mod equilibrate;
mod evaluated;
mod gibbs;
mod group_moves;
mod hamiltonian;
mod hmc;
mod jhmc;
mod length;
mod metropolis;
pub(crate) mod mode_jump;
mod moves;
mod nuts;
mod rigid;
mod settings;
mod target;

use std::sync::atomic::{AtomicBool, Ordering};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

pub use adaptation::StepSize;
pub use arithmetic::ArithmeticChoice;
pub(crate) use arithmetic::is_single_accurate;
pub use evaluated::Evaluated;
pub use hamiltonian::{Integrator, PhasePoint, draw_momentum, kinetic_energy, leapfrog};
pub use moves::{Conditions, Move, SavedMove};
pub use rigid::RigidMotions;
pub use settings::{Sampler, SamplerSettings};
pub use target::{Interruptible, JointTarget, LocationsTarget, Target, Value};

use crate::likelihood::{Arithmetic, MapPoint};
use crate::posterior::{Given, Parameters, Posterior, Spread, Variance, Workspace};
use arithmetic::ChainArithmetic;
use gibbs::{NoiseWalk, shift_to_new_centre};
use group_moves::GroupMoves;
use mode_jump::{Jumper, ModeJumps, is_time_to_search};

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
    /// Tree depth of a NUTS trajectory: how often it was doubled.
    pub tree_depth: usize,
}

/// One Markov chain: the posterior it samples, its scratch memory and its state.
pub struct Chain<'a> {
    posterior: &'a Posterior,
    workspace: Workspace,
    state: ChainState,
}

/// Everything the next step depends on; saving it and going on gives the same draws as never having stopped.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct ChainState {
    current: Evaluated,
    variance: Variance,
    spread: Spread,
    own: Vec<f64>,
    kernel: Box<dyn Move>,
    noise: NoiseWalk,
    /// Objects that jump between modes, if any may.
    mode_jumps: Option<ModeJumps>,
    /// Clusters that turn over, if any may.
    group_moves: Option<GroupMoves>,
    arithmetic: ChainArithmetic,
    iteration: usize,
    n_warmup: usize,
    rng: ChaCha8Rng,
}

/// Widths of the random walk of log standard deviations of axes.
const LEAST_RESCALE: f64 = 0.02;
const MOST_RESCALE: f64 = 2.0;
/// Acceptance rate to which the noise's random walk adapts (one dimension).
const NOISE_TARGET: f64 = 0.44;

impl<'a> Chain<'a> {
    /// Starts at `start`.
    pub fn start(
        posterior: &'a Posterior,
        settings: &SamplerSettings,
        start: Parameters,
        rng: ChaCha8Rng,
        workspace: Workspace,
    ) -> Self {
        Self::begin(posterior, settings, start, rng, workspace, None, settings.sampler.entry().start)
    }

    /// The same, unless `stop` becomes true meanwhile.
    pub fn start_unless(
        posterior: &'a Posterior,
        settings: &SamplerSettings,
        start: Parameters,
        rng: ChaCha8Rng,
        workspace: Workspace,
        stop: &AtomicBool,
    ) -> Option<Self> {
        let first = settings.sampler.entry().start;
        let chain = Self::begin(posterior, settings, start, rng, workspace, Some(stop), first);
        // Nothing is lost where it became true only now.
        (!stop.load(Ordering::Relaxed)).then_some(chain)
    }

    /// Starts at `start` with a move of the caller's own; the settings say the rest.
    pub fn with_move(
        posterior: &'a Posterior,
        kernel: Box<dyn Move>,
        settings: &SamplerSettings,
        start: Parameters,
        rng: ChaCha8Rng,
        workspace: Workspace,
    ) -> Self {
        Self::begin(posterior, settings, start, rng, workspace, None, |_, x, conditions, _| {
            let noise = posterior.noise().coordinate(conditions.variance);
            let unknowns = kernel.unknowns(posterior);
            let own = if unknowns == posterior.location_unknowns() { &[] } else { conditions.own };
            let current = kernel.evaluate(unknowns.join(x, || noise, own), conditions);
            (current, kernel)
        })
    }

    fn begin(
        posterior: &'a Posterior,
        settings: &SamplerSettings,
        Parameters { x, variance, spread, own }: Parameters,
        mut rng: ChaCha8Rng,
        mut workspace: Workspace,
        stop: Option<&AtomicBool>,
        first: impl FnOnce(&SamplerSettings, Vec<f64>, &mut Conditions, &mut ChaCha8Rng) -> (Evaluated, Box<dyn Move>),
    ) -> Self {
        let mut conditions =
            Conditions { posterior, workspace: &mut workspace, variance, spread: &spread, own: &own, stop };
        let (current, kernel) = first(settings, x, &mut conditions, &mut rng);
        // The posterior sd of sigma^2 is about sigma^2 sqrt(2 / pairs).
        let tau = 2.4 * variance.get() * (2.0 / posterior.likelihood().n_pairs().max(1) as f64).sqrt();
        let noise = NoiseWalk { step: settings.step_size(tau, NOISE_TARGET) };
        let n_warmup = settings.n_warmup;
        let mode_jumps = settings.mode_jumps.then(ModeJumps::default);
        let group_moves = settings.group_moves.then(GroupMoves::default);
        let has_single = kernel.takes_single_gradients() && posterior.likelihood().has_single_precision();
        let arithmetic = ChainArithmetic::new(settings.arithmetic, has_single);
        let mut state = ChainState {
            current,
            variance,
            spread,
            own,
            kernel,
            noise,
            mode_jumps,
            group_moves,
            arithmetic,
            iteration: 0,
            n_warmup,
            rng,
        };
        if n_warmup == 0 {
            state.freeze();
        }
        Self { posterior, workspace, state }
    }

    /// Goes on from a saved state.
    pub fn resume(posterior: &'a Posterior, state: ChainState, mut workspace: Workspace) -> Self {
        workspace.likelihood.arithmetic = state.arithmetic();
        Self { posterior, workspace, state }
    }

    /// Takes over the step sizes and masses of a chain of the same sampler on a problem of the same size, and keeps
    /// them: from now on nothing adapts.
    pub fn use_tuning_of(&mut self, tuned: &ChainState) {
        self.state.kernel = tuned.kernel.clone();
        self.state.noise = tuned.noise.clone();
        self.state.mode_jumps = tuned.mode_jumps.clone();
        self.state.group_moves = tuned.group_moves.clone();
        self.state.n_warmup = self.state.iteration;
        self.state.freeze();
    }

    /// One iteration: locations, noise, spread; adaptation while warming up.
    pub fn step(&mut self) -> StepInfo {
        self.iterate(None)
    }

    /// The same, unless `stop` becomes true meanwhile: then the chain is as it was `before`, and goes on as if it had not stopped.
    pub fn step_unless(&mut self, stop: &AtomicBool, before: ChainState) -> Option<StepInfo> {
        let info = self.iterate(Some(stop));
        if !stop.load(Ordering::Relaxed) {
            return Some(info);
        }
        self.workspace.likelihood.arithmetic = before.arithmetic();
        self.state = before;
        None
    }

    fn iterate(&mut self, stop: Option<&AtomicBool>) -> StepInfo {
        if self.state.iteration <= self.state.n_warmup {
            self.choose_arithmetic(stop);
        }
        let info = self.move_locations(stop);
        self.move_noise(stop);
        self.move_rest(stop);
        self.state.iteration += 1;
        if self.state.iteration == self.state.n_warmup {
            self.state.freeze();
        }
        info
    }

    /// Iterates until warm-up is over.
    pub fn warm_up(&mut self) {
        while self.is_warming_up() {
            self.step();
        }
    }

    /// What to save.
    pub fn state(&self) -> &ChainState {
        &self.state
    }

    /// Iterations done, warm-up included.
    pub fn iteration(&self) -> usize {
        self.state.iteration
    }

    /// Iterations since warm-up ended.
    pub fn sampled_iterations(&self) -> usize {
        self.state.iteration.saturating_sub(self.state.n_warmup)
    }

    /// Whether the chain still adapts; such draws are not kept.
    pub fn is_warming_up(&self) -> bool {
        self.state.iteration < self.state.n_warmup
    }

    /// The locations, N * D numbers, dimension by dimension, by position.
    pub fn x(&self) -> &[f64] {
        &self.state.current.position()[..self.posterior.location_unknowns().n_coordinates()]
    }

    /// Distance between the objects at two positions.
    pub fn distance(&self, a: usize, b: usize) -> f64 {
        let squares = self.x().chunks_exact(self.posterior.likelihood().n_objects()).map(|x| (x[a] - x[b]).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// Noise standard deviation.
    pub fn sigma(&self) -> f64 {
        self.state.variance.sigma()
    }

    /// Spread of the locations under their prior.
    pub fn spread(&self) -> &Spread {
        &self.state.spread
    }

    /// Log-likelihood at the present point, in f64 once warm-up is over.
    pub fn log_likelihood(&self) -> f64 {
        self.state.current.value().density.log_likelihood + self.state.arithmetic.correction
    }

    /// In which the chain computes its gradients.
    pub fn arithmetic(&self) -> Arithmetic {
        self.state.arithmetic()
    }

    /// Log posterior density at the present point, up to a constant: of (X, sigma^2, Lambda), with a tree of (X, sigma^2,
    /// Sigma^-1), or of (X, sigma^2) where Sigma is integrated out.
    pub fn log_density(&self) -> f64 {
        self.log_likelihood()
            + self.state.current.value().density.log_prior_x
            + self.posterior.log_prior_rest(self.state.variance, &self.state.spread)
            + self.log_prior_own()
    }

    /// The measurement's own parameters, if it has any.
    pub fn own(&self) -> &[f64] {
        &self.state.own
    }

    fn log_prior_own(&self) -> f64 {
        let own = self.own();
        self.posterior
            .likelihood()
            .own()
            .map_or(0.0, |parameters| parameters.add_log_prior(own, &mut vec![0.0; own.len()]))
    }

    /// The arithmetic of the next iteration; when warm-up ends, that of all.
    fn choose_arithmetic(&mut self, stop: Option<&AtomicBool>) {
        let is_warming_up = self.is_warming_up();
        let Self { posterior, workspace, state } = self;
        let ChainState { current, variance, spread, own, kernel, arithmetic, .. } = state;
        let mut conditions = Conditions { posterior, workspace, variance: *variance, spread, own, stop };
        if arithmetic.choose(current, &conditions) {
            conditions.workspace.likelihood.arithmetic = arithmetic.now;
            *current = kernel.evaluate(current.position().to_vec(), &mut conditions);
        }
        if !is_warming_up && kernel.weighs_by_single_values() {
            arithmetic.correction = arithmetic.correction_at(current, &mut conditions);
        }
    }

    fn move_locations(&mut self, stop: Option<&AtomicBool>) -> StepInfo {
        let Self { posterior, workspace, state } = self;
        let ChainState { current, variance, spread, own, kernel, arithmetic, rng, iteration, n_warmup, .. } = state;
        let warmup = (*iteration < *n_warmup).then_some(*iteration);
        let mut conditions = Conditions { posterior, workspace, variance: *variance, spread, own, stop };
        let is_corrected = warmup.is_none() && arithmetic.now == Arithmetic::F32 && kernel.weighs_by_single_values();
        let before = is_corrected.then(|| current.clone());
        let mut info = kernel.step(current, &mut conditions, warmup, rng);
        let unknowns = kernel.unknowns(posterior);
        let variance_at = |w| posterior.noise().variance_at(w);
        if let (Some(before), true) = (before, info.accepted) {
            conditions.variance = unknowns.split(current.position()).1.map_or(*variance, variance_at);
            info.accepted = arithmetic.accepts(current, &mut conditions, rng);
            if !info.accepted {
                *current = before;
            }
        }
        let (_, noise, moved_own) = unknowns.split(current.position());
        if let Some(w) = noise {
            *variance = variance_at(w);
        }
        if !moved_own.is_empty() {
            *own = moved_own.to_vec();
        }
        info
    }

    /// Metropolis on the noise variance, unless it is known or moves with the locations.
    fn move_noise(&mut self, stop: Option<&AtomicBool>) {
        let Self { posterior, workspace, state } = self;
        if posterior.noise().known().is_some() || state.kernel.unknowns(posterior).has_noise() {
            return;
        }
        let ChainState { current, variance, spread, own, kernel, noise, rng, .. } = state;
        let mut proposed = None;
        let moved = noise.transition(*variance, current.log_density(), posterior, rng, |variance| {
            let mut conditions = Conditions { posterior, workspace, variance, spread, own, stop };
            let evaluated = kernel.evaluate(current.position().to_vec(), &mut conditions);
            proposed.insert(evaluated).log_density()
        });
        if let (true, Some(evaluated)) = (moved.accepted, proposed) {
            *variance = moved.variance;
            *current = evaluated;
        }
        noise.step.learn(moved.acceptance, moved.accepted);
    }

    /// Mode jumps, the spread given the locations, and where the map is given the spread. Where the prior draws the centre, that
    /// waits for the end of warm-up: masses are learned from how locations move beside each other.
    fn move_rest(&mut self, stop: Option<&AtomicBool>) {
        let is_warming_up = self.is_warming_up();
        let Self { posterior, workspace, state } = self;
        let n_coordinates = posterior.location_unknowns().n_coordinates();
        let mut position = state.current.position().to_vec();
        let x = &mut position[..n_coordinates];
        let mut has_jumped = state.jump(posterior, x);
        has_jumped |= state.turn_groups(posterior, workspace, x);
        has_jumped |= posterior.locations().draw_rotation(&mut workspace.prior, x, &state.spread, &mut state.rng);
        has_jumped |= state.rescale_axes(posterior, workspace, x);
        let ChainState { current, variance, spread, own, kernel, arithmetic, rng, .. } = state;
        let mut changed = has_jumped;
        changed |= posterior.locations().draw_spread(&mut workspace.prior, x, spread, rng);
        if !is_warming_up {
            changed |= posterior.locations().draw_centre(&mut workspace.prior, x, spread, rng);
        }
        if changed {
            let mut conditions = Conditions { posterior, workspace, variance: *variance, spread, own, stop };
            *current = kernel.evaluate(position, &mut conditions);
            if has_jumped && !is_warming_up && kernel.weighs_by_single_values() {
                arithmetic.correction = arithmetic.correction_at(current, &mut conditions);
            }
        }
        if let (true, Some(scales)) =
            (kernel.is_followed_by_jumps(), posterior.locations().independent_variances(spread))
        {
            shift_to_new_centre(current, posterior.likelihood().n_objects(), scales, rng);
        }
    }
}

impl ChainState {
    /// In which the chain computes its gradients.
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic.now
    }

    /// Mode jumps of single objects of `x`; now and then during warm-up all search for modes. True if one moved.
    fn jump(&mut self, posterior: &Posterior, x: &mut [f64]) -> bool {
        let Self { variance, spread, own, kernel, mode_jumps, rng, iteration, n_warmup, .. } = self;
        let searches = is_time_to_search(*iteration, *n_warmup);
        let (true, Some(mode_jumps)) = (kernel.is_followed_by_jumps(), mode_jumps) else { return false };
        if !searches && mode_jumps.is_empty() {
            return false;
        }
        let Some(mut jumper) = Jumper::new(posterior, x, Given { sigma: variance.sigma(), spread, own }) else {
            return false;
        };
        if searches {
            mode_jumps.search(&mut jumper, rng);
        } else {
            mode_jumps.jump(&mut jumper, rng);
        }
        if *iteration < *n_warmup {
            kernel.learn_of_jumps(jumper.gone_elsewhere());
        }
        jumper.has_moved()
    }

    /// Clusters of `x` turn over; now and then during warm-up they are looked for. True if one moved.
    fn turn_groups(&mut self, posterior: &Posterior, workspace: &mut Workspace, x: &mut [f64]) -> bool {
        let Self { variance, spread, own, kernel, group_moves, rng, iteration, n_warmup, .. } = self;
        let Some(group_moves) = group_moves else { return false };
        if is_time_to_search(*iteration, *n_warmup) {
            group_moves.search(posterior.likelihood(), x);
        }
        let given = Given { sigma: variance.sigma(), spread, own };
        let moved = group_moves.turn(posterior, workspace, x, given, rng);
        if *iteration < *n_warmup {
            // Masses are to say how objects move where they are.
            kernel.learn_of_jumps(&moved);
        }
        !moved.is_empty()
    }

    /// Axes that may vanish become wider or narrower, the map along them with their standard deviation. Given the map a standard deviation moves by a part
    /// of 1 / sqrt(2 N) at most, and an axis that nothing holds would take thousands of iterations to fade.
    fn rescale_axes(&mut self, posterior: &Posterior, workspace: &mut Workspace, x: &mut [f64]) -> bool {
        let Self { variance, spread, own, rng, .. } = self;
        let (n_objects, n_dims) = (posterior.likelihood().n_objects(), posterior.likelihood().n_dims());
        if posterior.locations().rescaled(spread, 0, 1.0).is_none() {
            return false;
        }
        let (sigma, mut has_moved) = (variance.sigma(), false);
        let mut log_likelihood =
            |x: &[f64]| posterior.likelihood().value(&mut workspace.likelihood, MapPoint { x, sigma, own });
        let mut now = log_likelihood(x);
        for axis in 0..n_dims {
            // A width of its own for each attempt: axes that distances know want small steps, those that vanish large ones.
            let width = LEAST_RESCALE * (MOST_RESCALE / LEAST_RESCALE).powf(rng.random::<f64>());
            let factor = (width * rng.sample::<f64, _>(StandardNormal)).exp();
            let Some((rescaled, change)) = posterior.locations().rescaled(spread, axis, factor) else { continue };
            let mut proposed = x.to_vec();
            proposed[axis * n_objects..(axis + 1) * n_objects].iter_mut().for_each(|x| *x *= factor);
            let there = log_likelihood(&proposed);
            if rng.random::<f64>().ln() < there - now + change {
                x.copy_from_slice(&proposed);
                (*spread, now, has_moved) = (rescaled, there, true);
            }
        }
        has_moved
    }

    /// The same with everything in it that a chain may have, to be saved.
    #[cfg(test)]
    pub(crate) fn filled(self, spread: Spread) -> Self {
        Self {
            spread,
            own: vec![0.5, -0.25],
            mode_jumps: Some(ModeJumps::filled()),
            group_moves: Some(GroupMoves::filled()),
            arithmetic: ChainArithmetic::filled(),
            iteration: 300,
            ..self
        }
    }

    fn freeze(&mut self) {
        self.kernel.freeze();
        self.noise.step.freeze();
    }
}
