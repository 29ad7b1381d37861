//! Which pairs enter the likelihood: the couplings, and the order of the objects they apply to.
//!
//! A coupling joins *coupling positions* 0..N; `order` says which object (input order) is at each position. Everything
//! downstream works on positions and reports in input order.

mod effort;
mod lay;
mod object_order;
mod offsets;
mod pairs;
mod spec;

pub use effort::Effort;
pub(crate) use lay::all_measured;
pub use lay::{LandmarkChoice, LayOptions, Order, lay, never_nested};
pub use object_order::{ObjectOrder, Position};
pub use offsets::{CHOSEN_BANDS, dispersed_offsets, random_offsets};
pub use pairs::{PairShape, Pairs, PairsError};
pub use spec::Couplings;

/// The coupled pairs, and the order of the objects.
#[derive(Clone, Debug)]
pub struct Coupling {
    /// What was asked for, with `auto` resolved.
    pub couplings: Couplings,
    /// The object (input order) at each position.
    pub order: ObjectOrder,
    /// The coupled positions.
    pub pairs: Pairs,
}

impl Coupling {
    /// The positions of two objects, the lower first, if they are coupled.
    pub fn coupled(&self, a: usize, b: usize) -> Option<(Position, Position)> {
        let (a, b) = (self.order.position(a), self.order.position(b));
        let (near, far) = (a.min(b), a.max(b));
        self.pairs.contains(near.index(), far.index()).then_some((near, far))
    }
}
