//! A likelihood whose pairs are held by many ranks, as rank 0 sees it.

use std::sync::{Mutex, PoisonError};

use sbmds::coupling::Position;
use sbmds::likelihood::{
    Arithmetic, AskedSums, Conditional, Likelihood, LikelihoodValue, LogLikelihood, MapGradient, MapPoint, PartialSums,
    Want, Workspace,
};

use crate::exchange::{Exchanges, spread, tell};
use crate::message::Command;

/// The pairs of this rank, and what it needs to reach those of the others.
pub struct Remote {
    pub share: Likelihood,
    /// All pairs, their dissimilarities asked for one by one.
    pub partners: Likelihood,
    pub state: Mutex<State>,
}

/// One sum at a time: the ranks know one conversation only.
pub struct State {
    pub exchanges: Exchanges,
    /// Gradients of this rank's branches.
    pub branches: Vec<f64>,
    /// Locations on their way to the others.
    pub x: Vec<f64>,
}

impl Remote {
    /// The sums over all pairs; `gradient` is overwritten if it is wanted.
    fn sum(
        &self,
        workspace: &mut Workspace,
        (arithmetic, want): (Arithmetic, Want),
        at: MapPoint,
        gradient: &mut [f64],
    ) -> PartialSums {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { exchanges, branches, x } = &mut *state;
        let asked = AskedSums { arithmetic, want, sigma: at.sigma };
        tell(Command::Sum(asked));
        x.clear();
        x.extend_from_slice(at.x);
        spread(x);
        let exchange = exchanges.get(arithmetic);
        exchange.make_room(want, branches);
        let sums = self.share.partial_sums(workspace, asked, exchange.parts(), at.x, branches);
        exchange.join(want, branches, &sums, gradient)
    }
}

impl LogLikelihood for Remote {
    fn n_objects(&self) -> usize {
        self.partners.n_objects()
    }

    fn n_dims(&self) -> usize {
        self.partners.n_dims()
    }

    fn n_pairs(&self) -> usize {
        self.partners.n_pairs()
    }

    fn value(&self, workspace: &mut Workspace, at: MapPoint) -> f64 {
        let sums = self.sum(workspace, (Arithmetic::F64, Want::Value), at, &mut []);
        Arithmetic::F64.value_of(sums, self.n_pairs(), at.x, at.sigma, &[]).log_likelihood
    }

    fn both(&self, workspace: &mut Workspace, at: MapPoint, gradient: MapGradient) -> LikelihoodValue {
        let arithmetic = workspace.arithmetic;
        let sums = self.sum(workspace, (arithmetic, Want::Both), at, gradient.x);
        arithmetic.value_of(sums, self.n_pairs(), at.x, at.sigma, gradient.x)
    }

    fn gradient(&self, workspace: &mut Workspace, at: MapPoint, gradient: MapGradient) {
        self.sum(workspace, (workspace.arithmetic, Want::Gradient), at, gradient.x);
    }

    fn has_single_precision(&self) -> bool {
        self.share.has_single_precision()
    }

    fn visit_partners(&self, position: Position, visit: &mut dyn FnMut(Position, f64) -> bool) {
        self.partners.visit_partners(position, visit);
    }

    fn change_when_moved(&self, workspace: &mut Workspace, at: MapPoint, position: Position, to: &[f64]) -> f64 {
        LogLikelihood::change_when_moved(&self.partners, workspace, at, position, to)
    }

    fn conditional(&self) -> Option<Box<dyn Conditional + '_>> {
        self.partners.conditional()
    }
}
