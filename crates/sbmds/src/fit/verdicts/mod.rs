//! Two verdicts of a run, side by side: on its chains and on its map.

pub(crate) mod map_verdict;
pub(crate) mod prior_check;

use serde::{Deserialize, Serialize};

use crate::diagnostics::{Assessment, Verdict};
use crate::fit::summary::lines::digits;
use crate::fit::summary::{Extreme, Summary};
use crate::quality::{Finding, MapVerdict, WorstPair};

/// Whether the chains can be trusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainsVerdict {
    /// Whether they can.
    pub converged: bool,
    /// The verdict in words.
    pub verdict: String,
    /// The largest R-hat.
    pub max_rhat: Option<Extreme>,
    /// The smallest bulk or tail effective sample size.
    pub min_ess: Option<Extreme>,
}

impl ChainsVerdict {
    /// Beside a map whose couplings do not carry over, more draws are no remedy and are not advised.
    pub(crate) fn new(assessment: &Assessment, map: Option<&MapVerdict>) -> Self {
        let is_carried_over = !map.is_some_and(|map| map.found(Finding::NotCarriedOver));
        let verdict = match &assessment.verdict {
            Verdict::NotYet { max_rhat: Some(rhat), min_ess: Some(ess), .. } if !is_carried_over => {
                format!(
                    "Not converged yet, but more coupled pairs come first. The largest R-hat is {:.3} ({}), the smallest effective \
                 sample size {:.0} ({}).",
                    rhat.value, rhat.quantity, ess.value, ess.quantity
                )
            }
            verdict => verdict.to_string(),
        };
        Self {
            converged: assessment.verdict.is_converged(),
            verdict,
            max_rhat: assessment.max_rhat().map(Into::into),
            min_ess: assessment.min_ess().map(Into::into),
        }
    }
}

/// Worst pairs that a line names.
const PAIRS_NAMED: usize = 3;

impl Summary {
    /// Both verdicts, each with what it is about. The more urgent comes first: no draws mend couplings that do not carry over.
    pub fn verdicts(&self) -> Vec<(&'static str, &str)> {
        let chains = ("Chains", self.verdict.as_str());
        match &self.map {
            Some(map) if map.found(Finding::NotCarriedOver) => vec![("Map", &map.verdict), chains],
            Some(map) => vec![chains, ("Map", &map.verdict)],
            None => vec![chains],
        }
    }
}

/// Label and text of the lines about the map.
pub(crate) fn map_lines(map: &MapVerdict) -> Vec<(&'static str, String)> {
    let mut lines = vec![("map fit", fit(map))];
    if map.n_heldout > 0 {
        lines.push(("other pairs", other_pairs(map)));
    }
    if let Some(coverage) = map.coverage {
        lines.push((
            "predictions",
            format!("95% intervals hold {:.1}% of the coupled dissimilarities", 100.0 * coverage),
        ));
    }
    if !map.worst_pairs.is_empty() {
        let named: Vec<String> = map.worst_pairs.iter().take(PAIRS_NAMED).map(worst_pair).collect();
        lines.push(("worst pairs", named.join("; ")));
    }
    lines
}

fn fit(map: &MapVerdict) -> String {
    let of = |number: Option<f64>| number.map_or_else(|| "-".into(), digits);
    format!(
        "Stress-1 {}, R^2 {}; sigma is {} of the spread of the dissimilarities, a typical 95% ellipse {} of the map",
        of(map.stress1),
        of(map.r2),
        of(map.sigma_over_spread),
        of(map.ellipse_over_map)
    )
}

fn other_pairs(map: &MapVerdict) -> String {
    let of = |number: Option<f64>| number.map_or_else(|| "-".into(), digits);
    let held = map.heldout_coverage.map(|share| format!("; 95% intervals hold {:.1}% of them", 100.0 * share));
    format!(
        "Stress-1 {}, R^2 {} over {} that were not coupled{}",
        of(map.heldout_stress1),
        of(map.heldout_r2),
        map.n_heldout,
        held.unwrap_or_default()
    )
}

fn worst_pair(WorstPair { a, b, observed, fitted, residual_in_sigmas, .. }: &WorstPair) -> String {
    let sigmas = residual_in_sigmas.map(|sigmas| format!(" ({sigmas:+.1} sigma)"));
    format!("{a} and {b}, observed {}, fitted {}{}", digits(*observed), digits(*fitted), sigmas.unwrap_or_default())
}
