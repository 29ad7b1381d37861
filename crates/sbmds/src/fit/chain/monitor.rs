//! What tells whether a run has converged: quantities that no rotation of the map changes.

use std::collections::BTreeSet;

use rand::RngExt;

use super::record::{TRAIT_LOGDET, TRAIT_TRACE};
use crate::Locations;
use crate::diagnostics::{Assessment, Limits, Monitored, assess};
use crate::draws::DrawReader;
use crate::error::RunError;
use crate::fit::summary::dimensions::N_DIMS_USED;
use crate::random::{Purpose, stream};

/// Pairs whose distances are monitored.
const N_PAIRS: usize = 200;

/// Name of the monitored distances in the store.
pub(crate) const DISTANCES: &str = "monitored_distance";

/// Pairs of objects (input order), a < b, whose distances are monitored: all, or a random sample.
pub(crate) struct MonitoredPairs(Vec<(usize, usize)>);

impl MonitoredPairs {
    pub fn choose(n_objects: usize, seed: u64) -> Self {
        if n_objects * (n_objects - 1) / 2 <= N_PAIRS {
            return Self((0..n_objects).flat_map(|a| (a + 1..n_objects).map(move |b| (a, b))).collect());
        }
        let mut rng = stream(seed, 0, Purpose::Monitoring);
        let mut pairs = BTreeSet::new();
        while pairs.len() < N_PAIRS {
            let (a, b) = (rng.random_range(0..n_objects), rng.random_range(0..n_objects));
            if a != b {
                pairs.insert((a.min(b), a.max(b)));
            }
        }
        Self(pairs.into_iter().collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The distances of the pairs in one draw.
    pub fn distances<'a>(&'a self, x: &'a Locations) -> impl Iterator<Item = f64> + 'a {
        self.0.iter().map(|&(a, b)| x.distance(a, b))
    }
}

/// Name of the log density among what is monitored.
pub(crate) const LOG_DENSITY: &str = "log density";

/// Name of the log-likelihood, which is monitored in its place where axes may vanish.
pub(crate) const LOG_LIKELIHOOD: &str = "log likelihood";

/// Name of trace(Sigma) among what is monitored.
pub(crate) const TRACE: &str = "trace(Sigma)";

/// Everything monitored, in the draws that every chain has: the log density, sigma, with a tree trace and log determinant of
/// Sigma, then the distances.
///
/// Where axes may vanish, the data say nothing of how far they have: the density of nearly nothing along them wanders over many
/// orders of magnitude while the map stays. Instead of the log density and the log determinant, the log-likelihood and the number
/// of dimensions used are monitored.
pub(crate) fn monitored(reader: &DrawReader, pairs: &MonitoredPairs) -> Result<Vec<Monitored>, RunError> {
    let n_draws = reader.n_complete_in_all();
    let chains = 0..reader.n_chains();
    let first = |mut draws: Vec<f64>| {
        draws.truncate(n_draws);
        draws
    };
    let has = |name: &str| reader.variables().any(|variable| variable.name == name);
    let may_vanish = has(N_DIMS_USED);
    let (name, stat) = if may_vanish { (LOG_LIKELIHOOD, "log_likelihood") } else { (LOG_DENSITY, "lp") };
    let density = chains.clone().map(|chain| Ok(first(reader.stat(stat, chain)?))).collect::<Result<_, RunError>>()?;
    let scalar = |name: &str| {
        chains.clone().map(|chain| Ok(first(reader.scalar(name, chain)?))).collect::<Result<Vec<_>, RunError>>()
    };
    let mut quantities = vec![Monitored::new(name, density)?, Monitored::new("sigma", scalar("sigma")?)?];
    if has(TRAIT_TRACE) {
        quantities.push(Monitored::new(TRACE, scalar(TRAIT_TRACE)?)?);
    }
    if has(TRAIT_LOGDET) && !may_vanish {
        quantities.push(Monitored::new("log det(Sigma)", scalar(TRAIT_LOGDET)?)?);
    }
    if may_vanish {
        quantities.push(Monitored::new("dimensions used", scalar(N_DIMS_USED)?)?);
    }
    let distances: Vec<Vec<f64>> =
        chains.clone().map(|chain| Ok(reader.scalar(DISTANCES, chain)?)).collect::<Result<_, RunError>>()?;
    for (index, &(a, b)) in pairs.0.iter().enumerate() {
        let name = format!("distance of {} and {}", reader.names().get(a), reader.names().get(b));
        let of_pair =
            |values: &Vec<f64>| values.iter().skip(index).step_by(pairs.len()).take(n_draws).copied().collect();
        quantities.push(Monitored::new(name, distances.iter().map(of_pair).collect())?);
    }
    Ok(quantities)
}

/// Judges the draws that every chain has.
pub(crate) fn judge(reader: &DrawReader, pairs: &MonitoredPairs) -> Result<Assessment, RunError> {
    let quantities = monitored(reader, pairs)?;
    Ok(assess(&quantities[0], &quantities[1..], &Limits::default())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_objects_are_monitored_in_all_pairs_and_many_in_a_sample() {
        assert_eq!(MonitoredPairs::choose(20, 1).len(), 190);
        let many = MonitoredPairs::choose(1_000, 1);
        assert_eq!(many.len(), N_PAIRS);
        assert!(many.0.iter().all(|&(a, b)| a < b && b < 1_000));
        assert_eq!(many.0, MonitoredPairs::choose(1_000, 1).0);
        assert_ne!(many.0, MonitoredPairs::choose(1_000, 2).0);
    }
}
