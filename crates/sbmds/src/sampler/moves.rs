//! The move of a chain: what a sampler is, whoever wrote it.

use std::fmt;
use std::sync::atomic::AtomicBool;

use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::settings::Sampler;
use super::target::{Interruptible, JointTarget, LocationsTarget};
use super::{Evaluated, StepInfo};
use crate::coupling::Position;
use crate::posterior::{Given, Posterior, Spread, Unknowns, Variance, Workspace};

/// What a move finds when it is asked: the posterior, and all unknowns but those it moves.
pub struct Conditions<'a> {
    /// What is sampled.
    pub posterior: &'a Posterior,
    /// Scratch memory.
    pub workspace: &'a mut Workspace,
    /// Noise variance sigma^2.
    pub variance: Variance,
    /// Spread of the locations.
    pub spread: &'a Spread,
    /// The measurement's own parameters.
    pub own: &'a [f64],
    /// Ends the iteration early when it becomes true: densities are then no numbers, and the iteration is undone.
    pub stop: Option<&'a AtomicBool>,
}

impl<'a> Conditions<'a> {
    /// What is given while the locations move.
    pub fn given(&self) -> Given<'a> {
        Given { sigma: self.variance.sigma(), spread: self.spread, own: self.own }
    }

    /// The density of the locations given the rest.
    pub fn locations(&mut self) -> Interruptible<'_, LocationsTarget<'_>> {
        let target = LocationsTarget { given: self.given(), posterior: self.posterior, workspace: self.workspace };
        Interruptible::new(target, self.stop)
    }

    /// The density of all that can move together: locations, noise (unless it is known) and the measurement's own parameters.
    pub fn joint(&mut self) -> Interruptible<'_, JointTarget<'_>> {
        Interruptible::new(JointTarget::new(self.posterior, self.workspace, self.given()), self.stop)
    }
}

/// A Markov move of the locations, or of more, that leaves the posterior as it is; with its tuning, which is saved with the chain.
///
/// A chain of its own is started with [`Chain::with_move`](super::Chain::with_move).
pub trait Move: SavedMove + fmt::Debug + Send + Sync {
    /// The name under which it is saved.
    fn name(&self) -> &'static str;

    /// One iteration from `current`, which is the value of the last one; adapts if `warmup` is the number of an iteration.
    fn step(
        &mut self,
        current: &mut Evaluated,
        conditions: &mut Conditions,
        warmup: Option<usize>,
        rng: &mut ChaCha8Rng,
    ) -> StepInfo;

    /// Ends all adaptation.
    fn freeze(&mut self);

    /// What it moves: by default the locations alone, and Metropolis moves the noise.
    fn unknowns(&self, posterior: &Posterior) -> Unknowns {
        posterior.location_unknowns()
    }

    /// The density at a position as this move needs it: by default with the gradient.
    fn evaluate(&self, position: Vec<f64>, conditions: &mut Conditions) -> Evaluated {
        if self.unknowns(conditions.posterior) == conditions.posterior.location_unknowns() {
            Evaluated::at(&mut conditions.locations(), position)
        } else {
            Evaluated::at(&mut conditions.joint(), position)
        }
    }

    /// Whether it follows gradients in the workspace's arithmetic.
    fn takes_single_gradients(&self) -> bool {
        false
    }

    /// Whether it then also weighs draws by values in that arithmetic, so that they need to be accepted by those in f64; it must be
    /// reversible.
    fn weighs_by_single_values(&self) -> bool {
        false
    }

    /// Whether each step is followed by mode jumps of single objects and a draw of the map's centre.
    fn is_followed_by_jumps(&self) -> bool {
        false
    }

    /// Learns during warm-up that the objects at these positions jumped to other modes.
    fn learn_of_jumps(&mut self, _positions: &[Position]) {}
}

/// How a move is copied and saved; every type that can be serialised has it.
pub trait SavedMove {
    /// A copy.
    fn copied(&self) -> Box<dyn Move>;

    /// Its tuning as bytes.
    ///
    /// # Errors
    /// If the type cannot be serialised.
    fn to_bytes(&self) -> Result<Vec<u8>, postcard::Error>;
}

impl<T: Move + Clone + Serialize + 'static> SavedMove for T {
    fn copied(&self) -> Box<dyn Move> {
        Box::new(self.clone())
    }

    fn to_bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_allocvec(self)
    }
}

impl Clone for Box<dyn Move> {
    fn clone(&self) -> Self {
        self.copied()
    }
}

impl Serialize for Box<dyn Move> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tuning = self.to_bytes().map_err(serde::ser::Error::custom)?;
        Saved { name: self.name().into(), tuning: Bytes(tuning) }.serialize(serializer)
    }
}

/// Moves of the list alone can be read again: those of other crates are unknown here.
impl<'de> Deserialize<'de> for Box<dyn Move> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Saved { name, tuning } = Saved::deserialize(deserializer)?;
        Sampler::load(&name, &tuning.0).map_err(serde::de::Error::custom)
    }
}

/// A move as it is saved.
#[derive(Serialize, Deserialize)]
struct Saved {
    name: String,
    tuning: Bytes,
}

/// Bytes that are written as such, not one by one.
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(BytesVisitor)
    }
}

struct BytesVisitor;

impl serde::de::Visitor<'_> for BytesVisitor {
    type Value = Bytes;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("bytes")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
        Ok(Bytes(bytes.to_vec()))
    }
}
