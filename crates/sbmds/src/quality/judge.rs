//! The whole story of judging a map: look at the coupled pairs, at others, at the draws, and say what was found.

use super::curvature::Curvature;
use super::ellipses::ellipse_over_map;
use super::pair_fit::PairFit;
use super::pairs::{KnownPair, KnownPairs, Selection, for_each_coupled, held_out};
use super::predictive::{Coverage, Intervals};
use super::reversed::both_ways;
use super::verdict::{Evidence, Finding, MapVerdict, more_couplings};
use super::words::sentences;
use super::worst::Worst;
use crate::Locations;
use crate::dissimilarity::Names;
use crate::embedding::Moments;
use crate::likelihood::Noise;
use crate::random::{Purpose, stream};

/// Pairs of each kind whose predictive intervals are looked at: a share of ten thousand has a standard error of at most half a
/// percent.
const MOST_PAIRS: usize = 10_000;

/// The map that is shown, and what belongs to it.
pub struct Shown<'a> {
    /// The map.
    pub map: &'a Locations,
    /// Moments of the draws it stands for, aligned to it.
    pub moments: &'a Moments,
    /// Posterior mean of sigma, in the unit of the map.
    pub sigma: f64,
    /// The noise family.
    pub noise: Noise,
    /// The objects.
    pub names: &'a Names,
    /// The seed of the run, which fixes the samples of pairs.
    pub seed: u64,
    /// Pairs that another fit of the kind may couple.
    pub affordable_pairs: f64,
}

/// Judges a map by the pairs it was fitted to, by others that are known, and by draws.
///
/// `draws` hands some hundred draws that belong to the map, with their sigma, to the visitor it is given; they need not be aligned. A run
/// that kept none hands over none: what depends on them is then absent.
///
/// # Errors
/// Those of `draws`.
pub fn judge_map<E>(
    shown: &Shown,
    pairs: &dyn KnownPairs,
    draws: impl FnOnce(&mut dyn FnMut(&Locations, f64)) -> Result<(), E>,
) -> Result<MapVerdict, E> {
    let mut rng = stream(shown.seed, 0, Purpose::MapVerdict);
    let others = held_out(pairs, MOST_PAIRS, &mut rng);
    let mut selection = Selection::new(MOST_PAIRS, pairs.n_coupled(), &mut rng);
    let seen = Seen::of(shown.map, pairs, &mut selection);
    let mut coverage = Coverage::new(shown.noise, seen.sample.clone());
    let mut other_coverage = Coverage::new(shown.noise, others.clone());
    let mut intervals = Intervals::new(shown.noise, seen.worst.pairs().collect());
    draws(&mut |x, sigma| {
        coverage.visit(x, sigma);
        other_coverage.visit(x, sigma);
        intervals.visit(x, sigma);
    })?;
    let evidence = Evidence {
        coupled: seen.fit,
        held_out: fit_of(&others, shown.map),
        n_free: n_free(shown.map),
        ellipse_over_map: ellipse_over_map(shown.map, shown.moments),
        curvature: seen.curvature(shown),
        coverage: coverage.share(),
        heldout_coverage: other_coverage.share(),
    };
    let (findings, ways) = evidence.findings(|| both_ways(pairs, shown.map.n_dims(), &mut rng));
    let worst_pairs = seen.worst.named(shown.names, shown.sigma, &intervals.finish());
    let mut verdict = MapVerdict {
        reversed_r2: ways.map(|ways| ways.reversed),
        more_couplings: findings
            .contains(&Finding::NotCarriedOver)
            .then(|| more_couplings(pairs.n_objects(), pairs.n_coupled(), shown.affordable_pairs).to_string()),
        worst_pairs,
        ..with_numbers(&evidence, findings, shown.sigma)
    };
    verdict.verdict = sentences(&verdict, evidence.curvature.as_ref(), shown.map.n_dims());
    Ok(verdict)
}

/// What one look at every coupled pair collects.
struct Seen {
    fit: PairFit,
    worst: Worst,
    sample: Vec<KnownPair>,
}

impl Seen {
    fn of(map: &Locations, pairs: &dyn KnownPairs, selection: &mut Selection) -> Self {
        let mut seen = Self { fit: PairFit::default(), worst: Worst::default(), sample: Vec::new() };
        for_each_coupled(pairs, |pair| {
            let distance = map.distance(pair.a, pair.b);
            seen.fit.add(pair.delta, distance);
            seen.worst.add(pair, distance);
            if selection.takes_next() {
                seen.sample.push(pair);
            }
        });
        seen
    }

    fn curvature(&self, shown: &Shown) -> Option<Curvature> {
        let with_distance = |pair: &KnownPair| (pair.delta, shown.map.distance(pair.a, pair.b));
        let pairs: Vec<(f64, f64)> = self.sample.iter().map(with_distance).collect();
        let free_share = n_free(shown.map) as f64 / self.fit.n_pairs() as f64;
        Curvature::of(&pairs, shown.noise, shown.sigma, free_share)
    }
}

fn fit_of(pairs: &[KnownPair], map: &Locations) -> PairFit {
    let mut fit = PairFit::default();
    pairs.iter().for_each(|pair| fit.add(pair.delta, map.distance(pair.a, pair.b)));
    fit
}

/// Coordinates that distances can tell: all but those of rigid motions.
fn n_free(map: &Locations) -> usize {
    let n_dims = map.n_dims();
    (map.n_objects() * n_dims).saturating_sub(n_dims * (n_dims + 1) / 2)
}

fn with_numbers(evidence: &Evidence, findings: Vec<Finding>, sigma: f64) -> MapVerdict {
    let Evidence { coupled, held_out, n_free, ellipse_over_map, curvature, coverage, heldout_coverage } = evidence;
    let known = |number: f64| Some(number).filter(|number| number.is_finite());
    MapVerdict {
        describes_data: !findings.iter().any(|finding| finding.is_fatal()),
        findings,
        stress1: coupled.stress1(),
        r2: coupled.r2(),
        adjusted_r2: coupled.adjusted_r2(*n_free),
        heldout_stress1: held_out.stress1(),
        heldout_r2: held_out.r2(),
        n_heldout: held_out.n_pairs(),
        sigma: known(sigma),
        sigma_over_spread: known(sigma / coupled.spread()),
        ellipse_over_map: *ellipse_over_map,
        coverage: *coverage,
        heldout_coverage: *heldout_coverage,
        curvature: curvature.map(|curvature| curvature.share),
        ..MapVerdict::default()
    }
}
