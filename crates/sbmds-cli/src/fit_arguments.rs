//! Flags of a fit: priors, sampler, and how much is drawn and kept.

use clap::{Args, ValueEnum};
use sbmds::posterior::PrecisionUpdate;
use sbmds::run::{Keep, PriorConfig, PriorFamily, RunConfig, Shrinkage, Start};
use sbmds::sampler::{ArithmeticChoice, Sampler, SamplerSettings};

/// The priors.
#[derive(Args)]
#[command(next_help_heading = "Priors")]
pub struct PriorArgs {
    /// Priors: weak ones that follow the size of the data, or the paper's N(0, 1) and IG(1, 1) in the unit of the input
    #[arg(long, value_enum, value_name = "FAMILY", default_value = "weak")]
    priors: PriorsArg,
    /// Prior standard deviation of the locations, in the unit of the input [default: 8 times the data's scale; paper: 1]
    #[arg(long, value_name = "S")]
    prior_scale: Option<f64>,
    /// Learn the prior variance of each dimension, under IG(1, S^2) [default S: the data's scale; paper: 1]
    #[arg(long)]
    learn_scale: bool,
    /// Prior under which superfluous dimensions vanish: a half-Cauchy of the sd of every axis (with --tree, of the roots of the eigenvalues of Sigma)
    #[arg(long, value_enum, value_name = "PRIOR", default_value = "none")]
    shrinkage: ShrinkageArg,
    /// Shape of the inverse gamma prior of sigma^2 [default: 1]
    #[arg(long, value_name = "A")]
    noise_shape: Option<f64>,
    /// Rate of the inverse gamma prior of sigma^2, in squared units of the input [default: 1e-5 times the data's scale
    /// squared; paper: 1]
    #[arg(long, value_name = "B")]
    noise_rate: Option<f64>,
    /// Noise standard deviation, if it is known (in the unit of the input)
    #[arg(long, value_name = "SIGMA")]
    sigma: Option<f64>,
    /// With --priors paper: count them in a unit of the data's own size, as the default priors always do
    #[arg(long, hide = true)]
    pub standardize: bool,
}

/// See [`Shrinkage`].
#[derive(Clone, Copy, ValueEnum)]
pub enum ShrinkageArg {
    None,
    HalfCauchy,
}

/// See [`PriorFamily`].
#[derive(Clone, Copy, ValueEnum)]
pub enum PriorsArg {
    Weak,
    Paper,
}

/// The sampler.
#[derive(Args)]
#[command(next_help_heading = "Sampler")]
pub struct SamplerArgs {
    /// Sampler: auto (jhmc or nuts), jhmc, nuts, hmc, mh or mwg
    #[arg(long, default_value = "auto")]
    sampler: Sampler,
    /// Leapfrog steps of an HMC trajectory
    #[arg(long, value_name = "STEPS", default_value_t = 20)]
    leapfrog_steps: usize,
    /// Vary the length of HMC trajectories by this fraction
    #[arg(long, value_name = "FRACTION", default_value_t = 0.0)]
    jitter: f64,
    /// Acceptance rate to adapt to [default: 0.8 for jhmc and nuts, 0.65 for hmc, 0.234 for mh, 0.35 for mwg]
    #[arg(long, value_name = "RATE")]
    target_acceptance: Option<f64>,
    /// Minimum NUTS tree depth: at least 2^DEPTH - 1 gradients per draw, for slow large-scale modes of band couplings
    #[arg(long, value_name = "DEPTH", default_value_t = 0)]
    min_depth: usize,
    /// Largest tree depth of a NUTS trajectory
    #[arg(long, value_name = "DEPTH", default_value_t = 10)]
    max_depth: usize,
    /// Do not let single objects jump between the modes of their conditional posterior (jhmc, nuts)
    #[arg(long, alias = "no-leaps")]
    no_mode_jumps: bool,
    /// Let clusters of objects turn over, where few pairs tie them to the rest (jhmc, nuts; always with --titers)
    #[arg(long)]
    group_moves: bool,
    /// Adapt step sizes by the rule of the paper instead of dual averaging
    #[arg(long)]
    paper_adaptation: bool,
    /// Arithmetic of gradients: f64, f32 (faster), or auto: f32 where it is accurate; draws are exact in each
    #[arg(long, default_value = "auto")]
    arithmetic: ArithmeticChoice,
}

/// How much is drawn and kept.
#[derive(Args)]
#[command(next_help_heading = "Draws")]
pub struct DrawArgs {
    /// Chains
    #[arg(long, value_name = "K", default_value_t = 4)]
    pub chains: usize,
    /// Run only the K-th of the chains, in a directory of its own; `sbmds combine` puts them together
    #[arg(long, value_name = "K")]
    pub chain: Option<usize>,
    /// Iterations of each chain that adapt and are thrown away
    #[arg(long, value_name = "W", default_value_t = 1000)]
    pub warmup: usize,
    /// Draws of each chain after warm-up
    #[arg(long, value_name = "S", default_value_t = 1000)]
    pub draws: usize,
    /// Iterations per draw
    #[arg(long, value_name = "T", default_value_t = 1)]
    thin: usize,
    /// Where chains start: auto, classical or landmark (MDS), graph (the coupled pairs alone), prior (a draw from it) or map:FILE (names and coordinates)
    #[arg(long, value_name = "START", default_value = "auto")]
    start: Start,
    /// What to keep: all, thin:K (every K-th draw) or summary (moments of the locations, no draws of them)
    #[arg(long, value_name = "WHAT", default_value = "all")]
    keep: Keep,
    /// Store the draws of the locations as the sampler has them, not aligned to one map
    #[arg(long)]
    raw_draws: bool,
    /// Draw until the smallest effective sample size of everything monitored is E
    #[arg(long, value_name = "E")]
    pub until_ess: Option<f64>,
    /// Draws of each chain after which to give up on --until-ess [default: 20 times --draws]
    #[arg(long, value_name = "S")]
    pub max_draws: Option<usize>,
}

/// See [`PrecisionUpdate`].
#[derive(Clone, Copy, ValueEnum)]
pub enum PrecisionUpdateArg {
    Collapsed,
    Gibbs,
}

impl From<PrecisionUpdateArg> for PrecisionUpdate {
    fn from(update: PrecisionUpdateArg) -> Self {
        match update {
            PrecisionUpdateArg::Collapsed => Self::Collapsed,
            PrecisionUpdateArg::Gibbs => Self::Gibbs,
        }
    }
}

impl PriorArgs {
    pub fn config(&self) -> PriorConfig {
        PriorConfig {
            family: match self.priors {
                PriorsArg::Weak => PriorFamily::Weak,
                PriorsArg::Paper => PriorFamily::Paper,
            },
            scale: self.prior_scale,
            learn_scale: self.learn_scale,
            shrinkage: match self.shrinkage {
                ShrinkageArg::None => Shrinkage::None,
                ShrinkageArg::HalfCauchy => Shrinkage::HalfCauchy,
            },
            noise_shape: self.noise_shape,
            noise_rate: self.noise_rate,
            sigma: self.sigma,
            ..PriorConfig::default()
        }
    }
}

impl SamplerArgs {
    pub fn settings(&self, n_warmup: usize) -> SamplerSettings {
        SamplerSettings {
            sampler: self.sampler,
            n_warmup,
            leapfrog_steps: self.leapfrog_steps,
            jitter: self.jitter,
            target_acceptance: self.target_acceptance,
            min_depth: self.min_depth,
            max_depth: self.max_depth,
            mode_jumps: !self.no_mode_jumps,
            group_moves: self.group_moves,
            paper_adaptation: self.paper_adaptation,
            arithmetic: self.arithmetic,
        }
    }
}

impl DrawArgs {
    /// With the whole path of a map, since a run may be resumed from elsewhere.
    fn start(&self) -> Start {
        match &self.start {
            Start::Map(path) => Start::Map(std::path::absolute(path).unwrap_or_else(|_| path.clone())),
            start => start.clone(),
        }
    }

    pub fn config(&self, seed: u64) -> RunConfig {
        RunConfig {
            chains: self.chains,
            chain: self.chain,
            draws: self.draws,
            thin: self.thin,
            seed,
            start: self.start(),
            keep: self.keep,
            raw_draws: self.raw_draws,
            until_ess: self.until_ess,
            max_draws: self.max_draws,
        }
    }
}
