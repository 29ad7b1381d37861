//! Which candidate to take, by the one-standard-error rule.

use super::Judged;
use crate::loo::Difference;

/// What to take, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The candidate to take, by its number.
    pub taken: usize,
    /// The one that predicts best.
    pub best: usize,
    /// In one line.
    pub line: String,
}

/// The candidate with the fewest dimensions (then the first) that predicts no worse than the best by more than the standard error of their
/// difference.
pub fn advise(judged: &[Judged]) -> Advice {
    let elpd = |one: usize| judged[one].score.elpd;
    let best = (0..judged.len()).max_by(|&a, &b| elpd(a).total_cmp(&elpd(b))).unwrap_or(0);
    let is_as_good = |one: usize| {
        let behind = Difference::of(&judged[best].left_out, &judged[one].left_out);
        behind.elpd <= behind.se
    };
    let taken = (0..judged.len()).filter(|&one| is_as_good(one)).min_by_key(|&one| judged[one].candidate.n_dims);
    let taken = taken.unwrap_or(best);
    Advice { taken, best, line: line(judged, taken, best) }
}

fn line(judged: &[Judged], taken: usize, best: usize) -> String {
    let said = |one: usize| {
        let candidate = &judged[one].candidate;
        let dimensions = if candidate.n_dims == 1 { "dimension" } else { "dimensions" };
        let noise = candidate.noise.map_or(String::new(), |noise| format!(" with {noise} noise"));
        format!("{} {dimensions}{noise}", candidate.n_dims)
    };
    let limit = judged.iter().map(|one| one.candidate.n_dims).max();
    let more = (limit == Some(judged[taken].candidate.n_dims) && judged.len() > 1)
        .then_some("; more dimensions may be better still");
    let reason = if taken == best {
        format!("{} predict pairs that were left out best", said(best))
    } else {
        let Difference { elpd, se } = Difference::of(&judged[best].left_out, &judged[taken].left_out);
        format!("{} predict them best, but only by {elpd:.1} +- {se:.1} in log density", said(best))
    };
    format!("Take {}: {reason}{}.", said(taken), more.unwrap_or_default())
}
