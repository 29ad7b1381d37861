//! The no-U-turn sampler with multinomial weights (Hoffman & Gelman 2014; Betancourt 2017, appendix A).

use std::cell::OnceCell;
use std::rc::Rc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::adaptation::{RunningVariance, StepSize, Windows};
use super::close_tips::{CloseTips, WithCloseTips};
use super::equilibrate::{equilibrate, is_large};
use super::hamiltonian::{DIVERGENCE, Integrator, PhasePoint, draw_momentum};
use super::hmc::{self, reasonable_step};
use super::moves::{Conditions, Move};
use super::settings::{Entry, SamplerSettings};
use super::target::Target;
use super::{Evaluated, StepInfo};
use crate::Locations;
use crate::align::{RigidMotion, procrustes, shift_onto};
use crate::coupling::Position;
use crate::likelihood::LogLikelihood;
use crate::numeric::{weighted_dot, weighted_dot_of_sum};
use crate::posterior::{Posterior, Unknowns};

/// In the list of samplers; 0.8 is Stan's acceptance rate.
pub(super) const ENTRY: Entry = Entry {
    name: "nuts",
    independent_after: 5,
    target_acceptance: 0.8,
    has_gradients: true,
    start,
    load: |tuning| Ok(Box::new(postcard::from_bytes::<Nuts>(tuning)?)),
};

fn start(
    settings: &SamplerSettings,
    x: Vec<f64>,
    conditions: &mut Conditions,
    rng: &mut ChaCha8Rng,
) -> (Evaluated, Box<dyn Move>) {
    let (current, nuts) = begin(settings, [Integrator::Leapfrog; 2], x, conditions, rng);
    (current, Box::new(nuts))
}

/// The first evaluation and the untuned move. Trajectories are followed by the first integrator until the last window of warm-up
/// begins, and then by the second.
pub(super) fn begin(
    settings: &SamplerSettings,
    [integrator, tuned]: [Integrator; 2],
    x: Vec<f64>,
    conditions: &mut Conditions,
    rng: &mut ChaCha8Rng,
) -> (Evaluated, Nuts) {
    let (posterior, variance) = (conditions.posterior, conditions.variance);
    let (likelihood, unknowns) = (posterior.likelihood(), posterior.joint_unknowns());
    let guess = known_variance(likelihood, variance.get());
    let close_tips = close_tips(conditions, guess);
    let mut inverse_mass = vec![guess; x.len()];
    close_tips.set_variances(&mut inverse_mass);
    // Log sigma has the information 2 per pair.
    let of_noise = 0.5 / likelihood.n_pairs().max(1) as f64;
    let own_masses = vec![1.0; conditions.own.len()];
    let inverse_mass = unknowns.join(inverse_mass, || of_noise, &own_masses);
    let position = unknowns.join(x, || posterior.noise().coordinate(variance), conditions.own);
    let mut target = conditions.joint();
    let mut current = Evaluated::at(&mut target, position);
    if is_large(unknowns.n_coordinates()) && close_tips.is_empty() {
        current = equilibrate(current, &mut target, &inverse_mass, rng);
    }
    let step = if close_tips.is_empty() {
        reasonable_step(integrator, &current, &mut target, &inverse_mass, rng)
    } else {
        let mut target = WithCloseTips::new(target, &close_tips, unknowns.n_dims());
        reasonable_step(integrator, &current, &mut target, &inverse_mass, rng)
    };
    let nuts = Nuts {
        step: settings.step_size(step, settings.target()),
        variances: RunningVariance::new(inverse_mass.len()),
        inverse_mass,
        min_depth: settings.min_depth,
        max_depth: settings.max_depth,
        windows: Windows::new(settings.n_warmup),
        integrator,
        tuned,
        frame: Frame { n_objects: unknowns.n_objects(), n_dims: unknowns.n_dims(), reference: None },
        close_tips,
        has_new_masses: false,
        axes: None,
        followed: None,
    };
    (current, nuts)
}

/// A guess of the variance with which distances know a coordinate, which is the mean of what its partners say.
fn known_variance(likelihood: &dyn LogLikelihood, variance: f64) -> f64 {
    let pairs = likelihood.n_pairs().max(1) as f64;
    variance * likelihood.n_dims() as f64 * likelihood.n_objects() as f64 / (2.0 * pairs)
}

/// Objects that the prior holds closer together than the distances do.
fn close_tips(conditions: &Conditions, known: f64) -> CloseTips {
    let Conditions { posterior, spread, .. } = conditions;
    CloseTips::new(posterior.likelihood().n_objects(), posterior.locations().close_pairs(spread, known))
}

/// From this depth on turns are looked for without rigid motions: shorter trajectories do not get far enough to be misled.
const RIGID_FROM: usize = 4;

/// How far a trajectory goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Trajectory {
    /// Until it makes a U-turn; the draw is one of its points.
    UntilTurn,
    /// For a time, in the unit of the step size; the draw is its end, if that is accepted.
    OfTime(f64),
}

/// Tuning of the sampler.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Nuts {
    step: StepSize,
    inverse_mass: Vec<f64>,
    min_depth: usize,
    max_depth: usize,
    windows: Windows,
    /// What follows trajectories now, and with masses of many draws.
    integrator: Integrator,
    tuned: Integrator,
    variances: RunningVariance,
    frame: Frame,
    /// Tips of a tree whose momenta are those of their estimates and contrasts.
    close_tips: CloseTips,
    has_new_masses: bool,
    /// Prior variances along axes that may vanish, at present.
    #[serde(skip)]
    axes: Option<Vec<f64>>,
    /// The inverse masses made as small as these, if there are any.
    #[serde(skip)]
    followed: Option<Vec<f64>>,
}

impl Move for Nuts {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn step(
        &mut self,
        current: &mut Evaluated,
        conditions: &mut Conditions,
        warmup: Option<usize>,
        rng: &mut ChaCha8Rng,
    ) -> StepInfo {
        self.iterate(Trajectory::UntilTurn, current, conditions, warmup, rng)
    }

    fn freeze(&mut self) {
        self.step.freeze();
    }

    fn unknowns(&self, posterior: &Posterior) -> Unknowns {
        posterior.joint_unknowns()
    }

    fn evaluate(&self, position: Vec<f64>, conditions: &mut Conditions) -> Evaluated {
        Evaluated::at(&mut conditions.joint(), position)
    }

    fn takes_single_gradients(&self) -> bool {
        true
    }

    fn weighs_by_single_values(&self) -> bool {
        true
    }

    fn is_followed_by_jumps(&self) -> bool {
        true
    }

    /// Masses are to say how objects move within each mode.
    fn learn_of_jumps(&mut self, positions: &[Position]) {
        let Frame { n_objects, n_dims, .. } = self.frame;
        for &position in positions {
            (0..n_dims).for_each(|dim| self.variances.leave(dim * n_objects + position.index()));
        }
    }
}

impl Nuts {
    /// One iteration along such a trajectory; see [`Move::step`].
    pub(super) fn iterate(
        &mut self,
        trajectory: Trajectory,
        current: &mut Evaluated,
        conditions: &mut Conditions,
        warmup: Option<usize>,
        rng: &mut ChaCha8Rng,
    ) -> StepInfo {
        if warmup.is_some() && std::mem::take(&mut self.has_new_masses) {
            let known = known_variance(conditions.posterior.likelihood(), conditions.variance.get());
            self.choose_close_tips(close_tips(conditions, known));
        }
        self.axes = conditions.posterior.locations().vanishing_variances(conditions.spread);
        self.follow_axes();
        if self.close_tips.is_empty() {
            return self.step_on(trajectory, current, &mut conditions.joint(), warmup, rng);
        }
        let close_tips = std::mem::take(&mut self.close_tips);
        let n_dims = self.frame.n_dims;
        let mut target = WithCloseTips::new(conditions.joint(), &close_tips, n_dims);
        if close_tips.is_new {
            self.find_step(current, &mut target, rng);
        }
        let info = self.step_on(trajectory, current, &mut target, warmup, rng);
        self.close_tips = close_tips;
        self.close_tips.is_new = false;
        info
    }

    /// Whether the last iteration has learned masses.
    pub(super) fn has_new_masses(&self) -> bool {
        self.has_new_masses
    }

    /// Whether the masses are those of many draws: in the last window of warm-up and after it.
    pub(super) fn has_good_masses(&self) -> bool {
        self.windows.is_at_last()
    }

    /// Whether masses are learned at this iteration that are kept.
    pub(super) fn is_in_last_window(&self, iteration: usize) -> bool {
        self.windows.is_last(iteration)
    }

    /// One transition, and what there is to learn from it.
    fn step_on(
        &mut self,
        trajectory: Trajectory,
        current: &mut Evaluated,
        target: &mut impl Target,
        warmup: Option<usize>,
        rng: &mut ChaCha8Rng,
    ) -> StepInfo {
        let info = match trajectory {
            Trajectory::UntilTurn => self.transition(current, target, rng),
            Trajectory::OfTime(time) => {
                let n_steps = self.n_steps(time);
                hmc::transition(self.integrator, current, target, self.inverse_mass(), (self.step.get(), n_steps), rng)
            }
        };
        if let Some(iteration) = warmup {
            self.adapt(iteration, &info, current, target, rng);
        }
        info
    }

    /// The steps that take such a time, within the limits of the tree depth.
    pub(super) fn n_steps(&self, time: f64) -> usize {
        let [fewest, most] = [self.min_depth, self.max_depth].map(|depth| ((1_u64 << depth) - 1).max(1) as f64);
        (time / self.step.get()).round().max(fewest).min(most) as usize
    }

    /// One draw from the trajectory that doubles until it makes a U-turn.
    fn transition(&self, current: &mut Evaluated, target: &mut impl Target, rng: &mut ChaCha8Rng) -> StepInfo {
        let inverse_mass = self.inverse_mass();
        let start = PhasePoint { evaluated: current.clone(), momentum: draw_momentum(inverse_mass, rng) };
        let mut walk = Walk {
            target,
            inverse_mass,
            min_depth: self.min_depth,
            step: self.step.get(),
            integrator: self.integrator,
            start_energy: start.energy(inverse_mass),
            acceptance_sum: 0.0,
            n_steps: 0,
            diverging: false,
        };
        let mut tree = Tree::leaf(start, 0.0);
        let mut depth = 0;
        while depth < self.max_depth {
            let forward = rng.random::<bool>();
            let Some(other) = walk.grow(tree.end(forward), depth, forward, rng) else { break };
            depth += 1;
            // Biased towards the new half, which lies further from the start.
            let take_other = rng.random::<f64>().ln() < other.log_weight - tree.log_weight;
            tree = tree.join(other, forward, take_other);
            tree.has_turned |= walk.turns(&mut tree, depth);
            if tree.has_turned && depth >= self.min_depth {
                break;
            }
        }
        let info = StepInfo {
            acceptance: walk.acceptance_sum / walk.n_steps.max(1) as f64,
            accepted: tree.sample.position() != current.position(),
            energy: tree.sample_energy + walk.start_energy,
            step_size: self.step.get(),
            n_gradients: walk.n_steps * self.integrator.n_gradients(),
            diverging: walk.diverging,
            tree_depth: depth,
        };
        *current = (*tree.sample).clone();
        info
    }

    fn inverse_mass(&self) -> &[f64] {
        self.followed.as_deref().unwrap_or(&self.inverse_mass)
    }

    /// Masses of axes that have become narrower than when masses were learned: these belong to the spread, which is given while locations move.
    fn follow_axes(&mut self) {
        let Some(axes) = &self.axes else { return };
        let mut inverse_mass = self.inverse_mass.clone();
        for (of_axis, variance) in inverse_mass.chunks_mut(self.frame.n_objects).zip(axes) {
            let mean = of_axis.iter().sum::<f64>() / of_axis.len() as f64;
            let factor = (variance / mean).min(1.0);
            of_axis.iter_mut().for_each(|inverse_mass| *inverse_mass *= factor);
        }
        self.followed = Some(inverse_mass);
    }

    /// Takes other tips as close than before: what is known of the spread at the start says little of where chains go.
    fn choose_close_tips(&mut self, close_tips: CloseTips) {
        if !close_tips.is_empty() && !close_tips.merges_like(&self.close_tips) {
            close_tips.set_variances(&mut self.inverse_mass);
            self.close_tips = close_tips;
            self.close_tips.is_new = true;
        }
    }

    /// Starts anew with a step that suits the masses.
    fn find_step(&mut self, current: &Evaluated, target: &mut impl Target, rng: &mut ChaCha8Rng) {
        let step = reasonable_step(self.integrator, current, target, self.inverse_mass(), rng);
        self.step.restart_at(step);
    }

    /// Learns step and masses from the transition just made.
    fn adapt(
        &mut self,
        iteration: usize,
        info: &StepInfo,
        current: &Evaluated,
        target: &mut impl Target,
        rng: &mut ChaCha8Rng,
    ) {
        self.step.learn(info.acceptance, info.accepted);
        if self.windows.learns_mass(iteration) {
            let motion = self.frame.motion(current.position());
            let aligned = self.frame.moved(current.position(), &motion);
            self.variances.add(&target.coordinates(&aligned));
        }
        if self.windows.ends_after(iteration) {
            self.inverse_mass = self.variances.take(&self.inverse_mass);
            self.follow_axes();
            self.frame.reference = None;
            self.has_new_masses = true;
            if self.windows.is_at_last() {
                self.integrator = self.tuned;
            }
            self.find_step(current, target, rng);
        }
    }
}

/// How the map lies while masses are learned. No distance tells a map from the same map turned or shifted, and it drifts. Variances
/// learned from the drift would be too large: steps too long for everything else, and so a small step size and long trajectories.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Frame {
    n_objects: usize,
    n_dims: usize,
    /// The first map since masses were last learned.
    reference: Option<Locations>,
}

impl Frame {
    /// What lays a map onto the first one.
    fn motion(&mut self, position: &[f64]) -> RigidMotion {
        let map = self.map(position);
        let reference = self.reference.get_or_insert_with(|| map.clone());
        // A line cannot turn, and is not to be mirrored.
        if self.n_dims == 1 { shift_onto(&map, reference) } else { procrustes(&map, reference) }
    }

    /// A position with its map moved; the other unknowns stay as they are.
    fn moved(&self, position: &[f64], motion: &RigidMotion) -> Vec<f64> {
        let mut moved = motion.apply(&self.map(position)).as_slice().to_vec();
        moved.extend_from_slice(&position[moved.len()..]);
        moved
    }

    fn map(&self, position: &[f64]) -> Locations {
        Locations::from_values(self.n_objects, position[..self.n_objects * self.n_dims].to_vec())
    }
}

/// What growing a trajectory needs and keeps count of.
struct Walk<'a, T> {
    target: &'a mut T,
    inverse_mass: &'a [f64],
    min_depth: usize,
    step: f64,
    integrator: Integrator,
    start_energy: f64,
    acceptance_sum: f64,
    n_steps: usize,
    diverging: bool,
}

impl<T: Target> Walk<'_, T> {
    /// A tree of 2^depth points beyond `from`; `None` if it diverges, or makes a U-turn within itself and is not shorter than the
    /// least that a trajectory must have.
    fn grow(&mut self, from: &Node, depth: usize, forward: bool, rng: &mut ChaCha8Rng) -> Option<Tree> {
        if depth == 0 {
            return self.step_from(from, forward);
        }
        let near = self.grow(from, depth - 1, forward, rng)?;
        let far = self.grow(near.end(forward), depth - 1, forward, rng)?;
        // Uniform over the weights inside a tree: multinomial sampling.
        let total = log_sum_exp(near.log_weight, far.log_weight);
        let take_far = rng.random::<f64>().ln() < far.log_weight - total;
        let mut tree = near.join(far, forward, take_far);
        tree.has_turned |= self.turns(&mut tree, depth);
        (!tree.has_turned || depth < self.min_depth).then_some(tree)
    }

    fn step_from(&mut self, from: &Node, forward: bool) -> Option<Tree> {
        let mut point = PhasePoint { evaluated: (*from.evaluated).clone(), momentum: from.momentum.to_vec() };
        let step = if forward { self.step } else { -self.step };
        self.integrator.follow(&mut point, self.target, self.inverse_mass, step, 1);
        let error = point.energy(self.inverse_mass) - self.start_energy;
        let error = if error.is_nan() { f64::INFINITY } else { error };
        self.n_steps += 1;
        self.acceptance_sum += (-error).exp().min(1.0);
        if error > DIVERGENCE {
            self.diverging = true;
            return None;
        }
        Some(Tree::leaf(point, error))
    }

    /// Whether the trajectory makes a U-turn: over its whole length, or from either half to just across the seam, which
    /// catches the turns that a trajectory of just the wrong length would hide. The seam is of no use afterwards, and a map of a
    /// million objects takes much memory: it is dropped.
    fn turns(&mut self, tree: &mut Tree, depth: usize) -> bool {
        let seam = tree.seam.take();
        let inverse_mass = self.inverse_mass;
        let mut momentum = |node: &Node| -> Rc<Vec<f64>> {
            if depth < RIGID_FROM { node.momentum.clone() } else { node.shape_momentum(self.target, inverse_mass) }
        };
        let [first, last] = &tree.ends;
        let (of_first, of_last) = (momentum(first), momentum(last));
        let backward = |momentum: &[f64]| weighted_dot(&tree.momentum_sum, momentum, inverse_mass) <= 0.0;
        if backward(&of_first) || backward(&of_last) {
            return true;
        }
        let Some(seam) = &seam else { return false };
        let across = |sum: &[f64], beyond: &Node, from: &[f64], to: &[f64]| {
            [from, to].iter().any(|point| weighted_dot_of_sum(sum, &beyond.momentum, point, inverse_mass) <= 0.0)
        };
        across(&seam.early_sum, &seam.late_first, &of_first, &momentum(&seam.late_first))
            || across(&seam.late_sum, &seam.early_last, &momentum(&seam.early_last), &of_last)
    }
}

/// A point of a trajectory.
struct Node {
    evaluated: Rc<Evaluated>,
    momentum: Rc<Vec<f64>>,
    /// The momentum without rigid motions, computed when first needed.
    shape_momentum: OnceCell<Rc<Vec<f64>>>,
}

impl Node {
    fn shape_momentum(&self, target: &mut impl Target, inverse_mass: &[f64]) -> Rc<Vec<f64>> {
        let without_rigid = || {
            let Some(motions) = target.rigid_motions(self.evaluated.position()) else {
                return self.momentum.clone();
            };
            let mut momentum = self.momentum.to_vec();
            motions.remove(&mut momentum, inverse_mass);
            Rc::new(momentum)
        };
        self.shape_momentum.get_or_init(without_rigid).clone()
    }
}

/// A stretch of trajectory: its ends, one point drawn from it, and its momenta summed.
struct Tree {
    /// First and last point in time; the same point for a single leaf.
    ends: [Rc<Node>; 2],
    momentum_sum: Rc<Vec<f64>>,
    sample: Rc<Evaluated>,
    /// Energy of the sample above that of the trajectory's start.
    sample_energy: f64,
    /// Log of the summed weights exp(-energy).
    log_weight: f64,
    /// Whether it, or a tree it is made of, makes a U-turn: every point of a tree sees the same.
    has_turned: bool,
    seam: Option<Seam>,
}

/// Where two halves met: the points on either side, and the summed momenta of either half.
struct Seam {
    early_last: Rc<Node>,
    late_first: Rc<Node>,
    early_sum: Rc<Vec<f64>>,
    late_sum: Rc<Vec<f64>>,
}

impl Tree {
    fn leaf(PhasePoint { evaluated, momentum }: PhasePoint, energy: f64) -> Self {
        let (evaluated, momentum) = (Rc::new(evaluated), Rc::new(momentum));
        let sample = evaluated.clone();
        let point = Rc::new(Node { evaluated, momentum: momentum.clone(), shape_momentum: OnceCell::new() });
        Self {
            momentum_sum: momentum,
            sample,
            sample_energy: energy,
            log_weight: -energy,
            has_turned: false,
            ends: [point.clone(), point],
            seam: None,
        }
    }

    fn end(&self, last: bool) -> &Node {
        &self.ends[usize::from(last)]
    }

    /// The two as one, `other` after this one if `forward`; the sample is the other's if `take_other`.
    fn join(self, other: Tree, forward: bool, take_other: bool) -> Tree {
        let log_weight = log_sum_exp(self.log_weight, other.log_weight);
        let has_turned = self.has_turned || other.has_turned;
        let from = if take_other { &other } else { &self };
        let (sample, sample_energy) = (from.sample.clone(), from.sample_energy);
        let (early, late) = if forward { (self, other) } else { (other, self) };
        let momentum_sum = early.momentum_sum.iter().zip(late.momentum_sum.iter()).map(|(a, b)| a + b).collect();
        let [first, early_last] = early.ends;
        let [late_first, last] = late.ends;
        let (early_sum, late_sum) = (early.momentum_sum, late.momentum_sum);
        let seam = Some(Seam { early_last, late_first, early_sum, late_sum });
        let ends = [first, last];
        Tree { ends, momentum_sum: Rc::new(momentum_sum), sample, sample_energy, log_weight, has_turned, seam }
    }
}

fn log_sum_exp(a: f64, b: f64) -> f64 {
    let larger = a.max(b);
    if larger == f64::NEG_INFINITY { larger } else { larger + ((a - larger).exp() + (b - larger).exp()).ln() }
}

#[cfg(test)]
mod tests {
    use super::Frame;

    /// Four objects in the plane, x before y, then a parameter that is no location.
    const POSITION: [f64; 9] = [0.0, 2.0, 1.0, -1.0, 0.0, 0.5, 3.0, 1.0, 7.0];

    fn turned(position: &[f64; 9], angle: f64, shift: [f64; 2], mirror: f64) -> Vec<f64> {
        let (sin, cos) = angle.sin_cos();
        let mut turned = position.to_vec();
        for object in 0..4 {
            let (x, y) = (position[object], mirror * position[4 + object]);
            turned[object] = cos * x - sin * y + shift[0];
            turned[4 + object] = sin * x + cos * y + shift[1];
        }
        turned
    }

    #[test]
    fn a_map_that_only_turns_and_drifts_stands_still_in_its_frame() {
        let mut frame = Frame { n_objects: 4, n_dims: 2, reference: None };
        frame.motion(&POSITION);
        for (angle, shift, mirror) in [(0.3, [1.0, -2.0], 1.0), (-2.5, [0.0, 5.0], 1.0), (1.0, [0.1, 0.2], -1.0)] {
            let position = turned(&POSITION, angle, shift, mirror);
            let motion = frame.motion(&position);
            for (moved, first) in frame.moved(&position, &motion).iter().zip(POSITION) {
                assert!((moved - first).abs() < 1e-12, "{moved} {first}");
            }
        }
    }

    #[test]
    fn a_map_that_changes_shape_still_does_in_its_frame() {
        let mut frame = Frame { n_objects: 4, n_dims: 2, reference: None };
        frame.motion(&POSITION);
        let mut wider = POSITION;
        wider[..8].iter_mut().for_each(|coordinate| *coordinate *= 1.5);
        let motion = frame.motion(&wider);
        let moved = frame.moved(&wider, &motion);
        let width = |map: &[f64]| (map[0] - map[1]).hypot(map[4] - map[5]);
        assert!((width(&moved) - 1.5 * width(&POSITION)).abs() < 1e-12);
    }

    #[test]
    fn a_line_is_shifted_but_never_mirrored() {
        let mut frame = Frame { n_objects: 3, n_dims: 1, reference: None };
        frame.motion(&[0.0, 1.0, 2.0, 7.0]);
        for line in [[5.0, 6.0, 7.0, 7.0], [7.0, 6.0, 5.0, 7.0]] {
            let motion = frame.motion(&line);
            let shifted = [line[0] - 5.0, line[1] - 5.0, line[2] - 5.0, 7.0];
            assert_eq!(frame.moved(&line, &motion), shifted);
        }
    }
}
