//! Which sampler, and how it is set up.

use std::fmt;
use std::str::FromStr;

use rand_chacha::ChaCha8Rng;

use super::adaptation::StepSize;
use super::arithmetic::ArithmeticChoice;
use super::moves::{Conditions, Move};
use super::{Evaluated, hmc, jhmc, metropolis, nuts};

/// One line of the list of samplers.
pub(super) struct Entry {
    /// What it is called on the command line and in saved chains.
    pub name: &'static str,
    /// Iterations after which draws of maps of some twenty objects are nearly independent.
    pub independent_after: usize,
    /// Acceptance rate to adapt to, unless the settings say otherwise.
    pub target_acceptance: f64,
    /// Whether it follows gradients; random walks do not.
    pub has_gradients: bool,
    /// The first evaluation and the untuned move, from locations `x`.
    pub start: Start,
    /// The move whose tuning was saved as these bytes.
    pub load: Load,
}

type Start = fn(&SamplerSettings, Vec<f64>, &mut Conditions, &mut ChaCha8Rng) -> (Evaluated, Box<dyn Move>);
type Load = fn(&[u8]) -> Result<Box<dyn Move>, postcard::Error>;

macro_rules! samplers {
    ($($(#[$about:meta])* $variant:ident = $entry:expr;)*) => {
        /// The samplers by name.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(into = "String", try_from = "String")]
        #[non_exhaustive]
        pub enum Sampler {
            /// What suits the problem: fits decide by the data and the priors; where there is only a posterior, the no-U-turn sampler.
            #[default]
            Auto,
            $($(#[$about])* $variant,)*
        }

        impl Sampler {
            /// All names.
            pub const ALL: &[Self] = &[Self::Auto, $(Self::$variant),*];

            pub(super) fn entry(self) -> &'static Entry {
                match self.resolve() {
                    $(Self::$variant => &$entry,)*
                    Self::Auto => unreachable!("auto stands for another"),
                }
            }
        }
    };
}

samplers! {
    /// Hamiltonian Monte Carlo on locations and log sigma together, with trajectories of random length.
    Jhmc = jhmc::ENTRY;
    /// No-U-turn sampler on locations and log sigma together.
    Nuts = nuts::ENTRY;
    /// The paper's Hamiltonian Monte Carlo, with Metropolis on sigma^2.
    Hmc = hmc::ENTRY;
    /// The paper's joint random-walk Metropolis.
    Mh = metropolis::JOINT;
    /// Metropolis within Gibbs, one object at a time.
    Mwg = metropolis::SINGLE;
}

impl Sampler {
    /// What `auto` stands for where no fit has decided.
    pub fn resolve(self) -> Self {
        if self == Self::Auto { Self::Nuts } else { self }
    }

    /// Iterations after which draws of maps of some twenty objects are nearly independent.
    pub fn independent_after(self) -> usize {
        self.entry().independent_after
    }

    /// Whether it follows gradients; random walks do not.
    pub(crate) fn has_gradients(self) -> bool {
        self.entry().has_gradients
    }

    /// The move of that name with its saved tuning.
    pub(super) fn load(name: &str, tuning: &[u8]) -> Result<Box<dyn Move>, String> {
        let sampler = Self::ALL.iter().skip(1).find(|sampler| sampler.entry().name == name);
        let sampler = sampler.ok_or_else(|| format!("the move {name:?} is not in the list of samplers"))?;
        (sampler.entry().load)(tuning).map_err(|error| error.to_string())
    }
}

impl fmt::Display for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Auto { "auto" } else { self.entry().name })
    }
}

impl FromStr for Sampler {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name == "surrogate" {
            return Err("the surrogate sampler is gone, nuts is faster on every problem tried: use nuts or hmc".into());
        }
        let found = Self::ALL.iter().copied().find(|sampler| sampler.to_string() == name);
        found.ok_or_else(|| {
            let names: Vec<String> = Self::ALL.iter().map(ToString::to_string).collect();
            let (last, others) = names.split_last().expect("there are samplers");
            format!("{name:?} is no sampler: use {} or {last}", others.join(", "))
        })
    }
}

impl From<Sampler> for String {
    fn from(sampler: Sampler) -> Self {
        sampler.to_string()
    }
}

impl TryFrom<String> for Sampler {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
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
    /// Largest tree depth of a NUTS trajectory.
    pub max_depth: usize,
    /// Let single objects jump between the modes of their conditional density (NUTS only).
    #[serde(default, alias = "leaps")]
    pub mode_jumps: bool,
    /// Whether clusters of objects may turn over.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub group_moves: bool,
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
            group_moves: false,
            paper_adaptation: false,
            arithmetic: ArithmeticChoice::Auto,
        }
    }
}

impl SamplerSettings {
    /// Acceptance rate to adapt to.
    pub(super) fn target(&self) -> f64 {
        self.target_acceptance.unwrap_or(self.sampler.entry().target_acceptance)
    }

    /// A step that starts at `start` and adapts to `target` as the settings say.
    pub(super) fn step_size(&self, start: f64, target: f64) -> StepSize {
        if self.paper_adaptation { StepSize::paper(start, target) } else { StepSize::dual_averaging(start, target) }
    }
}
