//! The information of all pairs at the cost of a few: weighted pairs that pull a map to an anchor, with a linear correction there.
//!
//! With all M pairs, P coupled ones, w = M / P, moves e = R (X - m) - X_0 of the map aligned to an anchor X_0, and sigma_0
//! (docs/model.md, "Anchored couplings"), the log-likelihood of all pairs becomes
//!
//! ```text
//! l_A(X, sigma) = w l_J*(X_0 + A e, sigma) + s < c, e > + b (1 - s) / 2 + const,      s = (sigma_0 / sigma)^2
//! ```
//!
//! l_J* is the log-likelihood of the coupled pairs with the anchor's distances in place of what was measured: springs at rest. Few
//! pairs can be fitted better than all, and what is not there cannot be overfitted. A_n stretches the moves of each object so that
//! its D x D block of information is that of all pairs, residuals included; c and b make gradient and derivative by log sigma at
//! the anchor those of all pairs. Distances do not see rotations and shifts, and neither does l_A.
//!
//! Noise of another family ([`Pull::Measured`]) keeps what was measured, and is linear in log sigma and its own parameters.

mod alignment;
mod information;

use std::sync::Arc;

use self::alignment::{Alignment, centred};
pub use self::information::Information;
use super::{LikelihoodValue, LogLikelihood, MapGradient, MapPoint, OwnParameters, Workspace};
use crate::coupling::Position;
use crate::numeric::{add_scaled, add_scaled_product, dot};

/// A log-likelihood with its derivatives at the anchor.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AnchorValue {
    /// Number of pairs.
    pub n_pairs: usize,
    /// How many densities are multiplied; see [`LogLikelihood::n_densities`].
    pub n_densities: f64,
    /// Log-likelihood.
    pub log_likelihood: f64,
    /// Its derivative by log sigma.
    pub by_log_sigma: f64,
    /// Its gradient by the locations: N * D numbers, dimension by dimension, by coupling position.
    pub by_x: Vec<f64>,
    /// Its gradient by the measurement's own parameters.
    pub by_own: Vec<f64>,
}

impl AnchorValue {
    /// Of a log-likelihood at a point.
    pub fn of(likelihood: &dyn LogLikelihood, workspace: &mut Workspace, at: MapPoint) -> Self {
        let (mut by_x, mut by_own) = (vec![0.0; at.x.len()], vec![0.0; at.own.len()]);
        let value = likelihood.both(workspace, at, MapGradient { x: &mut by_x, own: &mut by_own });
        let LikelihoodValue { log_likelihood, by_log_sigma } = value;
        let (n_pairs, n_densities) = (likelihood.n_pairs(), likelihood.n_densities());
        Self { n_pairs, n_densities, log_likelihood, by_log_sigma, by_x, by_own }
    }

    /// The log-likelihood of these pairs and others; of none ([`AnchorValue::default`]) and others, too.
    pub fn add(&mut self, other: &Self) {
        self.n_pairs += other.n_pairs;
        self.n_densities += other.n_densities;
        self.log_likelihood += other.log_likelihood;
        self.by_log_sigma += other.by_log_sigma;
        for (sum, part) in [(&mut self.by_x, &other.by_x), (&mut self.by_own, &other.by_own)] {
            sum.resize(part.len(), 0.0);
            add_scaled(sum, 1.0, part);
        }
    }
}

/// What coupled pairs pull a map to.
pub enum Pull {
    /// The anchor: pairs with its distances as dissimilarities.
    Anchor(Arc<dyn LogLikelihood>),
    /// What was measured.
    Measured,
}

/// The log-likelihood of all pairs, as coupled ones and an anchor tell it.
pub struct Anchored {
    /// The coupled pairs as they were measured.
    coupled: Arc<dyn LogLikelihood>,
    /// What is evaluated.
    sparse: Arc<dyn LogLikelihood>,
    is_at_rest: bool,
    n_pairs: usize,
    n_densities: f64,
    weight: f64,
    /// X_0 about its centre.
    anchor: Vec<f64>,
    sigma: f64,
    own: Vec<f64>,
    /// A_n: entry (i, j) of every object side by side; empty where moves are not stretched.
    stretches: Vec<f64>,
    /// c, b and what corrects the own parameters.
    by_x: Vec<f64>,
    by_log_sigma: f64,
    by_own: Vec<f64>,
    constant: f64,
}

impl Anchored {
    /// Corrects pairs by what all say at the anchor. `coupled` are the coupled pairs as they were measured; `information`, if it is
    /// known, is that of all pairs there.
    ///
    /// # Panics
    /// If the anchor is of another size than the likelihood, or no pair is coupled.
    pub fn new(
        coupled: Arc<dyn LogLikelihood>,
        pull: Pull,
        at: MapPoint,
        all: &AnchorValue,
        information: Option<&Information>,
    ) -> Self {
        let (sparse, is_at_rest) = match pull {
            Pull::Anchor(springs) => (springs, true),
            Pull::Measured => (Arc::clone(&coupled), false),
        };
        let few = AnchorValue::of(&*sparse, &mut Workspace::parallel(), at);
        assert!(few.n_pairs > 0 && all.by_x.len() == few.by_x.len(), "an anchor of another likelihood");
        let weight = all.n_pairs as f64 / few.n_pairs as f64;
        let stretches = information
            .and_then(|all| Some(Information::of(&*sparse, at)?.times(weight).stretches_to(all)))
            .unwrap_or_default();
        let mut anchored = Self {
            n_pairs: all.n_pairs,
            n_densities: all.n_densities,
            weight,
            anchor: centred(at.x, sparse.n_objects()),
            sigma: at.sigma,
            own: at.own.to_vec(),
            stretches,
            by_x: all.by_x.clone(),
            by_log_sigma: all.by_log_sigma - weight * few.by_log_sigma,
            by_own: all.by_own.iter().zip(&few.by_own).map(|(all, few)| all - weight * few).collect(),
            constant: all.log_likelihood - weight * few.log_likelihood,
            coupled,
            sparse,
            is_at_rest,
        };
        let mut stretched = vec![0.0; few.by_x.len()];
        anchored.stretch(&few.by_x, &mut stretched);
        add_scaled(&mut anchored.by_x, -weight, &stretched);
        anchored
    }

    /// How many pairs each coupled one stands for.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Where the anchor has sigma.
    pub fn sigma_at_anchor(&self) -> f64 {
        self.sigma
    }

    /// Where the anchor has the measurement's own parameters.
    pub fn own_at_anchor(&self) -> &[f64] {
        &self.own
    }

    /// What residuals make of the information about a location: mean over objects and directions of A_n^2, 1 where all pairs fit;
    /// `None` where moves are not stretched.
    pub fn mean_squared_stretch(&self) -> Option<f64> {
        let n = self.sparse.n_objects() * self.sparse.n_dims();
        (!self.stretches.is_empty()).then(|| dot(&self.stretches, &self.stretches) / n as f64)
    }

    /// The same with another correction of the gradient: by `change` more, by the locations as the anchor has them.
    pub fn tilted(&self, change: &[f64]) -> Self {
        let mut by_x = self.by_x.clone();
        add_scaled(&mut by_x, 1.0, change);
        Self {
            by_x,
            coupled: Arc::clone(&self.coupled),
            sparse: Arc::clone(&self.sparse),
            anchor: self.anchor.clone(),
            own: self.own.clone(),
            stretches: self.stretches.clone(),
            by_own: self.by_own.clone(),
            ..*self
        }
    }

    /// A location-wise array at `x`, such as a gradient, turned as the alignment of `x` to the anchor turns it.
    pub fn turned(&self, x: &[f64], array: &[f64]) -> Vec<f64> {
        let mut turned = vec![0.0; array.len()];
        self.align(x).turn(array, &mut turned);
        turned
    }

    /// How far a map is from the anchor, object by object, once aligned to it.
    pub fn moves(&self, x: &[f64]) -> Vec<f64> {
        let mut moves = vec![0.0; x.len()];
        self.align(x).moves(x, &self.anchor, &mut moves);
        moves
    }

    fn align(&self, x: &[f64]) -> Alignment {
        Alignment::new(x, &self.anchor, self.sparse.n_objects())
    }

    /// A_n times each object's part of an array; A_n is symmetric.
    fn stretch(&self, from: &[f64], to: &mut [f64]) {
        let n = self.sparse.n_objects();
        if self.stretches.is_empty() {
            return to.copy_from_slice(from);
        }
        let n_dims = self.sparse.n_dims();
        for (dim, to) in to.chunks_exact_mut(n).enumerate() {
            to.fill(0.0);
            for (other, from) in from.chunks_exact(n).enumerate() {
                add_scaled_product(to, 1.0, from, &self.stretches[(dim * n_dims + other) * n..][..n]);
            }
        }
    }

    /// Where the springs are evaluated, in `room`; the linear term.
    fn enter(&self, x: &[f64], alignment: &Alignment, room: &mut Room) -> f64 {
        room.resize(x.len());
        alignment.moves(x, &self.anchor, &mut room.moves);
        self.stretch(&room.moves, &mut room.stretched);
        add_scaled(&mut room.stretched, 1.0, &self.anchor);
        dot(&self.by_x, &room.moves)
    }

    /// From the gradient of the springs to that of the whole by the map that was asked for.
    fn leave(&self, at: MapPoint, alignment: &Alignment, room: &mut Room, gradient: &mut [f64]) {
        self.stretch(gradient, &mut room.stretched);
        gradient.iter_mut().zip(&room.stretched).for_each(|(by_x, stretched)| *by_x = self.weight * stretched);
        add_scaled(gradient, self.precision(at), &self.by_x);
        alignment.pull_back(at.x, &self.anchor, gradient, &mut room.moves);
    }

    /// s: by how much the linear term counts, which is a sum of residuals over sigma^2.
    fn precision(&self, at: MapPoint) -> f64 {
        if self.is_at_rest { (self.sigma / at.sigma).powi(2) } else { 1.0 }
    }

    /// What is added to the weighted springs, and its derivative by log sigma.
    fn correction(&self, at: MapPoint, linear: f64) -> LikelihoodValue {
        let s = self.precision(at);
        let own: f64 =
            self.by_own.iter().zip(at.own.iter().zip(&self.own)).map(|(by, (own, own_0))| by * (own - own_0)).sum();
        let (of_sigma, by_log_sigma) = match self.is_at_rest {
            true => (0.5 * self.by_log_sigma * (1.0 - s), self.by_log_sigma * s - 2.0 * s * linear),
            false => (self.by_log_sigma * (at.sigma / self.sigma).ln(), self.by_log_sigma),
        };
        LikelihoodValue { log_likelihood: s * linear + of_sigma + own + self.constant, by_log_sigma }
    }

    fn whole(&self, at: MapPoint, sparse: LikelihoodValue, linear: f64) -> LikelihoodValue {
        let correction = self.correction(at, linear);
        LikelihoodValue {
            log_likelihood: self.weight * sparse.log_likelihood + correction.log_likelihood,
            by_log_sigma: self.weight * sparse.by_log_sigma + correction.by_log_sigma,
        }
    }
}

/// Moves and stretched maps, or what becomes of them.
#[derive(Default)]
struct Room {
    moves: Vec<f64>,
    stretched: Vec<f64>,
}

impl Room {
    fn taken_from(workspace: &mut Workspace) -> Self {
        std::mem::take(workspace.scratch.get(Self::default))
    }

    fn resize(&mut self, length: usize) {
        self.moves.resize(length, 0.0);
        self.stretched.resize(length, 0.0);
    }

    fn give_back(self, workspace: &mut Workspace) {
        *workspace.scratch.get(Self::default) = self;
    }
}

impl LogLikelihood for Anchored {
    fn n_objects(&self) -> usize {
        self.sparse.n_objects()
    }

    fn n_dims(&self) -> usize {
        self.sparse.n_dims()
    }

    fn n_pairs(&self) -> usize {
        self.n_pairs
    }

    fn n_densities(&self) -> f64 {
        self.n_densities
    }

    fn value(&self, workspace: &mut Workspace, at: MapPoint) -> f64 {
        let (alignment, mut room) = (self.align(at.x), Room::taken_from(workspace));
        let linear = self.enter(at.x, &alignment, &mut room);
        let log_likelihood = self.sparse.value(workspace, MapPoint { x: &room.stretched, ..at });
        room.give_back(workspace);
        self.whole(at, LikelihoodValue { log_likelihood, by_log_sigma: 0.0 }, linear).log_likelihood
    }

    fn both(&self, workspace: &mut Workspace, at: MapPoint, gradient: MapGradient) -> LikelihoodValue {
        let (alignment, mut room) = (self.align(at.x), Room::taken_from(workspace));
        let linear = self.enter(at.x, &alignment, &mut room);
        let moved = MapPoint { x: &room.stretched, ..at };
        let sparse = self.sparse.both(workspace, moved, MapGradient { x: &mut *gradient.x, own: &mut *gradient.own });
        self.leave(at, &alignment, &mut room, gradient.x);
        gradient.own.iter_mut().zip(&self.by_own).for_each(|(own, by_own)| *own = self.weight * *own + by_own);
        room.give_back(workspace);
        self.whole(at, sparse, linear)
    }

    fn has_single_precision(&self) -> bool {
        self.sparse.has_single_precision()
    }

    fn visit_partners(&self, position: Position, visit: &mut dyn FnMut(Position, f64) -> bool) {
        self.coupled.visit_partners(position, visit);
    }

    fn own(&self) -> Option<&dyn OwnParameters> {
        self.coupled.own()
    }
}
