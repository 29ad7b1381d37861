//! One verdict over everything monitored: converged, not yet, or chains in different modes.

use std::fmt;

/// When a run counts as converged, and when its chains count as disagreeing.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Limits {
    /// Every R-hat must be below this: 1.01 (Vehtari et al. 2021).
    pub max_rhat: f64,
    /// Bulk and tail effective draws wanted per chain: 100 (Vehtari et al. 2021: R-hat itself is noise before that).
    pub min_ess_per_chain: f64,
    /// Chains may be in different modes when an R-hat exceeds this, and a group of chains is well mixed when its own
    /// R-hat is below it: 1.1, the limit of Gelman and Rubin (1992).
    pub disagree_rhat: f64,
    /// Chains are apart when their means differ by this many within-chain standard deviations: 3, where two normal
    /// densities share 13% of their mass.
    pub separation: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_rhat: 1.01, min_ess_per_chain: 100.0, disagree_rhat: 1.1, separation: 3.0 }
    }
}

/// The quantity that does worst, and how it does.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Worst {
    /// Its name.
    pub quantity: String,
    /// Its R-hat or effective sample size.
    pub value: f64,
}

/// Whether a run can be trusted; `Display` says it in a sentence or two.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// Every R-hat and every effective sample size is within the limits.
    Converged {
        /// The largest R-hat.
        max_rhat: Worst,
        /// The smallest bulk or tail effective sample size.
        min_ess: Worst,
    },
    /// More draws are needed.
    NotYet {
        /// About how many times as many draws: what the smallest effective sample size lacks, or what the largest
        /// R-hat does (its square falls towards 1 as 1/n), and at least 2 when an R-hat is too large.
        times_longer: f64,
        /// The largest R-hat; `None` when there are too few draws or nothing has moved.
        max_rhat: Option<Worst>,
        /// The smallest bulk or tail effective sample size; `None` like `max_rhat`.
        min_ess: Option<Worst>,
        /// The effective sample size wanted.
        target_ess: f64,
        /// The R-hat wanted.
        target_rhat: f64,
    },
    /// Chains have settled in different modes of the posterior: more draws will hardly help.
    ChainsDisagree {
        /// Chain numbers (from 0, as stored) by mode, the mode with the highest mean log density first.
        groups: Vec<Vec<usize>>,
        /// Mean log density of each group.
        log_densities: Vec<f64>,
        /// By how much the mean log density of the best group exceeds that of the next.
        log_density_gap: f64,
        /// The quantity that tells the groups apart most clearly.
        quantity: String,
    },
    /// A monitored value is infinite or NaN.
    NotFinite {
        /// The quantity.
        quantity: String,
        /// The chain, from 0.
        chain: usize,
        /// The draw, from 0.
        draw: usize,
    },
}

impl Verdict {
    /// Whether the run may be used as it is.
    pub fn is_converged(&self) -> bool {
        matches!(self, Self::Converged { .. })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Converged { max_rhat, min_ess } => write!(
                f,
                "Converged: the largest R-hat is {:.3} ({}), the smallest effective sample size {:.0} ({}).",
                max_rhat.value, max_rhat.quantity, min_ess.value, min_ess.quantity
            ),
            Self::NotYet { times_longer, max_rhat: Some(rhat), min_ess: Some(ess), target_ess, target_rhat } => write!(
                f,
                "Not converged yet: {}. The largest R-hat is {:.3} ({}; should be below \
                 {target_rhat}), the smallest effective sample size {:.0} ({}; should be at least {target_ess:.0}).",
                how_much_longer(*times_longer),
                rhat.value,
                rhat.quantity,
                ess.value,
                ess.quantity
            ),
            Self::NotYet { times_longer, .. } => write!(
                f,
                "Not converged yet: {}. There are too few draws to tell, or nothing has moved.",
                how_much_longer(*times_longer)
            ),
            Self::ChainsDisagree { groups, log_density_gap, quantity, .. } => write!(
                f,
                "Chains disagree: they have settled in {} different modes ({}), most clearly seen in {quantity}. The \
                 first has a mean log density {log_density_gap:.1} above the next; running longer will hardly help.",
                groups.len(),
                groups.iter().map(|group| name_chains(group)).collect::<Vec<_>>().join("; ")
            ),
            Self::NotFinite { quantity, chain, draw } => {
                write!(f, "Broken: {quantity} is not a finite number in draw {draw} of chain {chain}.")
            }
        }
    }
}

/// 2.3 or 23 times: nobody plans a run to more digits.
fn how_much_longer(times: f64) -> String {
    match times {
        _ if times < 10.0 => format!("run about {:.1} times longer", (times * 10.0).ceil() / 10.0),
        _ if times.is_finite() => format!("run about {times:.0} times longer"),
        // R-hat is infinite where every chain stays at a value of its own.
        _ => "the chains are stuck (infinite R-hat); restart with a longer `warmup`".to_owned(),
    }
}

/// "chain 2" or "chains 0, 1 and 3".
pub(crate) fn name_chains(group: &[usize]) -> String {
    let numbers: Vec<String> = group.iter().map(usize::to_string).collect();
    match numbers.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("chains {} and {last}", rest.join(", ")),
        _ => format!("chain {}", numbers.concat()),
    }
}
