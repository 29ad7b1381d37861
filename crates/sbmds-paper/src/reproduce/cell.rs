//! One setting of an experiment, and what was measured there.

use std::fmt;

use rand_chacha::ChaCha8Rng;
use sbmds::coupling::{Couplings, Pairs, random_offsets};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::Sampler;

use super::HeldOut;

/// How a map is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Classical multidimensional scaling: no model.
    Classical,
    /// All pairs.
    Full,
    /// The paper's B-sBMDS.
    Band,
    /// The paper's L-sBMDS.
    Landmark,
    /// Random diagonals, wrapped around: new here.
    Dispersed,
    /// The same with offsets as they are drawn, not chosen: to see what choosing gains.
    Unchosen,
    /// Dispersed bands, weighted, with a correction from all pairs at an anchor: new here.
    Anchored,
}

impl Method {
    /// The three sparse methods.
    pub const SPARSE: [Self; 3] = [Self::Band, Self::Landmark, Self::Dispersed];

    /// As in tables and legends.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classical => "classical",
            Self::Full => "full",
            Self::Band => "band",
            Self::Landmark => "landmark",
            Self::Dispersed => "dispersed",
            Self::Anchored => "anchored",
            Self::Unchosen => "dispersed, unchosen",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Simulated as the experiment does it.
    #[default]
    Simulated,
    /// Simulated with log-normal noise.
    LogNormal,
    /// The user's distances.
    Distances,
    /// The user's distances along the user's tree.
    Tree,
    /// The user's feature vectors.
    Embeddings,
}

impl Source {
    fn is_simulated(&self) -> bool {
        *self == Self::Simulated
    }
}

/// One setting: what is simulated and how it is fitted.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Cell {
    /// Objects N.
    pub n_objects: usize,
    /// Dimensions of the true locations.
    pub true_dims: usize,
    /// Dimensions of the map.
    pub n_dims: usize,
    /// Standard deviation of the simulated noise.
    pub sd: f64,
    /// How the map is found.
    pub method: Method,
    /// Bands or landmarks; 0 where there are none.
    pub count: usize,
    /// The sampler.
    pub sampler: Sampler,
    /// Which simulated data set, from 0.
    pub repeat: usize,
    /// What is fitted.
    #[serde(default, skip_serializing_if = "Source::is_simulated")]
    pub source: Source,
    /// What is kept from the fit, if anything is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
}

impl Cell {
    /// The first data set of N objects in two dimensions, fitted by NUTS.
    pub fn new(n_objects: usize, sd: f64, method: Method, count: usize) -> Self {
        Self {
            n_objects,
            true_dims: 2,
            n_dims: 2,
            sd,
            method,
            count,
            sampler: Sampler::Nuts,
            repeat: 0,
            source: Source::Simulated,
            held_out: None,
        }
    }

    /// Another data set of the same setting.
    pub fn repeated(&self, repeat: usize) -> Self {
        Self { repeat, ..self.clone() }
    }

    /// The coupled pairs; all for methods that are not sparse. Simulated objects come in random order: none is shuffled.
    pub fn pairs(&self) -> Pairs {
        match self.method {
            Method::Full | Method::Classical => Pairs::full(self.n_objects),
            Method::Band => Pairs::band(self.n_objects, self.count),
            Method::Landmark => Pairs::landmarks(self.n_objects, self.count.min(self.n_objects - 1)),
            Method::Dispersed | Method::Anchored => Pairs::dispersed(self.n_objects, self.count, &mut self.offsets()),
            Method::Unchosen => {
                let offsets = random_offsets(self.n_objects, self.count, &mut self.offsets());
                Pairs::diagonals(self.n_objects, offsets).expect("offsets of this many objects")
            }
        }
    }

    /// The same by name, as a whole fit takes it.
    pub fn couplings(&self) -> Couplings {
        match self.method {
            Method::Full | Method::Classical => Couplings::Full,
            Method::Band => Couplings::Band(self.count),
            Method::Landmark => Couplings::Landmark(self.count),
            // No fit can be asked to leave offsets unchosen.
            Method::Dispersed | Method::Unchosen => Couplings::Dispersed(self.count),
            Method::Anchored => Couplings::Anchored(self.count),
        }
    }

    /// The stream that offsets are drawn from.
    fn offsets(&self) -> ChaCha8Rng {
        stream(self.seed(), 0, Purpose::Coupling)
    }

    /// The seed of data and chains: the same data for every method, count and noise level.
    pub fn seed(&self) -> u64 {
        (self.n_objects as u64) << 32 | (self.true_dims as u64) << 24 | self.repeat as u64
    }
}

/// A cell with what was measured there.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Row {
    /// The setting.
    pub cell: Cell,
    /// The numbers, in the order of [`Experiment::measured`](super::Experiment::measured).
    #[serde(with = "null_is_nan")]
    pub values: Vec<f64>,
}

/// JSON has no NaN: null stands for it.
mod null_is_nan {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        values.iter().map(|value| value.is_finite().then_some(*value)).collect::<Vec<_>>().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        let values = Vec::<Option<f64>>::deserialize(deserializer)?;
        Ok(values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
    }
}
