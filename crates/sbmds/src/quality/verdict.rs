//! What was found about a map: the numbers, what they mean, and from where on they mean it.

use serde::{Deserialize, Serialize};

use super::curvature::Curvature;
use super::pair_fit::PairFit;
use super::reversed::BothWays;
use super::worst::WorstPair;
use crate::coupling::Couplings;

/// Whether the map describes the data. Numbers that cannot be known are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct MapVerdict {
    /// The verdict in sentences.
    pub verdict: String,
    /// Whether nothing was found that puts the whole map in doubt.
    pub describes_data: bool,
    /// What was found, the most important first.
    pub findings: Vec<Finding>,
    /// Stress-1 over the coupled pairs: the root of squared residuals over squared dissimilarities.
    pub stress1: Option<f64>,
    /// Squared correlation of dissimilarities and distances over the coupled pairs.
    pub r2: Option<f64>,
    /// R^2 less what as many free coordinates explain of pure noise.
    pub adjusted_r2: Option<f64>,
    /// Stress-1 over a sample of known pairs that were not coupled.
    pub heldout_stress1: Option<f64>,
    /// R^2 over that sample.
    pub heldout_r2: Option<f64>,
    /// Its size.
    pub n_heldout: usize,
    /// Posterior mean of sigma, in input units.
    pub sigma: Option<f64>,
    /// Sigma relative to the standard deviation of the coupled dissimilarities.
    pub sigma_over_spread: Option<f64>,
    /// The typical 95% ellipse relative to the map: 1 if as large.
    pub ellipse_over_map: Option<f64>,
    /// The share of coupled dissimilarities within their 95% posterior predictive intervals.
    pub coverage: Option<f64>,
    /// The same of the pairs that were not coupled.
    pub heldout_coverage: Option<f64>,
    /// The part of the squared residuals that follows from the fitted distance alone: curvature of the Shepard plot.
    pub curvature: Option<f64>,
    /// R^2 of a quick map of the largest value minus each, if similarities are suspected.
    pub reversed_r2: Option<f64>,
    /// The couplings to try next, if those there are do not suffice.
    pub more_couplings: Option<String>,
    /// The coupled pairs with the largest residuals, largest first.
    pub worst_pairs: Vec<WorstPair>,
}

/// Something a reader of the map must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finding {
    /// No more pairs than free coordinates: the map fits whatever the data are.
    Saturated,
    /// All dissimilarities are equal or nearly so.
    Equal,
    /// The map explains little, and the data turned around would be explained much better.
    Similarities,
    /// The map explains little.
    Little,
    /// Ellipses are as large as the map.
    Undetermined,
    /// Pairs that were not coupled fit clearly worse.
    NotCarriedOver,
    /// The Shepard plot is curved.
    #[serde(alias = "bend")]
    Curved,
    /// Too few dissimilarities lie in their predictive intervals.
    NarrowIntervals,
}

impl Finding {
    /// Whether it puts the whole map in doubt.
    pub fn is_fatal(self) -> bool {
        matches!(self, Self::Equal | Self::Similarities | Self::Little | Self::Undetermined | Self::NotCarriedOver)
    }
}

impl MapVerdict {
    /// Whether this was found.
    pub fn found(&self, finding: Finding) -> bool {
        self.findings.contains(&finding)
    }
}

/// Adjusted R^2 below which a map explains little. Maps of pure noise (8 to 60 objects, two dimensions) have 0.4 to -0.1, those of
/// distances whose noise is as large as the spread of the locations about 0.35 and more, usual maps more than 0.7.
const LITTLE: f64 = 1.0 / 3.0;
/// Standard deviation over mean below which dissimilarities are nearly equal. Distances of points in the plane have about 0.5; of
/// normal points in D dimensions 1 / sqrt(2 D), which is 0.05 in 200 dimensions.
const EQUAL: f64 = 0.05;
/// Ellipses from this part of the map on leave its locations undetermined. Fits of pure noise and of equal dissimilarities have 0.8 to 4,
/// fits of distances below 0.65 even if noise is large.
const UNDETERMINED: f64 = 0.75;
/// By how much more than expected Stress-1 of other pairs may exceed that of the coupled ones. Fits that were found to carry over
/// (1,797 images, 3,188 airports) have 1.05 and less, fits that drew the coupling graph 1.09 to 1.7; two standard errors are added.
const CARRY_OVER: f64 = 1.06;
/// The Shepard plot is curved from this part of the squared residuals on: simulated distances have up to 0.13 (more only with so
/// few pairs that the F ratio is small), square roots, squares and too few dimensions 0.3 to 0.9.
const CURVED_SHARE: f64 = 0.2;
/// And with this F ratio, which 5 and 40 degrees of freedom exceed about once in a thousand times.
const CURVED_F: f64 = 5.0;
/// Coverage of 95% intervals below this is too low: 0.9 is twice as many misses as promised.
const COVERAGE: f64 = 0.9;
/// Pairs from which on coverage is judged: with 50, a true 95% falls below 0.9 about once in twenty-five times.
const COVERAGE_PAIRS: usize = 50;
/// By how much R^2 of the reversed data must exceed that of the data as they are. Pure noise differs by up to 0.15 from twelve objects
/// on, similarities by 0.3 to 0.85.
const REVERSED_GAIN: f64 = 0.25;
/// How many times as many pairs to couple next: a step that is felt, and three of which reach any number.
const TIMES_MORE: usize = 4;

/// All that the findings follow from.
pub(super) struct Evidence {
    pub coupled: PairFit,
    pub held_out: PairFit,
    /// Free coordinates of the map: N D less the D (D + 1) / 2 of rigid motions.
    pub n_free: usize,
    pub ellipse_over_map: Option<f64>,
    pub curvature: Option<Curvature>,
    pub coverage: Option<f64>,
    pub heldout_coverage: Option<f64>,
}

impl Evidence {
    /// What was found; `both_ways` is asked only if the data may be similarities.
    pub fn findings(&self, both_ways: impl FnOnce() -> Option<BothWays>) -> (Vec<Finding>, Option<BothWays>) {
        let mut findings = Vec::new();
        let mut ways = None;
        if self.is_saturated() {
            findings.push(Finding::Saturated);
        } else if self.is_equal() {
            findings.push(Finding::Equal);
        } else if self.explains_little() {
            ways = both_ways().filter(|ways| ways.reversed > ways.as_given + REVERSED_GAIN);
            findings.push(if ways.is_some() { Finding::Similarities } else { Finding::Little });
        }
        let is_map = findings.is_empty();
        let further = [
            (Finding::Undetermined, self.ellipse_over_map.is_some_and(|ratio| ratio >= UNDETERMINED)),
            (Finding::NotCarriedOver, ways.is_none() && !self.is_equal() && !self.carries_over()),
            (Finding::Curved, is_map && self.is_curved()),
        ];
        findings.extend(further.into_iter().filter(|(_, found)| *found).map(|(finding, _)| finding));
        if is_map && self.has_narrow_intervals(findings.contains(&Finding::NotCarriedOver)) {
            findings.push(Finding::NarrowIntervals);
        }
        (findings, ways)
    }

    fn is_saturated(&self) -> bool {
        self.coupled.n_pairs() <= self.n_free
    }

    /// Nearly equal, and not because they fit a map on which all are equally far apart.
    fn is_equal(&self) -> bool {
        let spread = self.coupled.relative_spread();
        spread < EQUAL && self.coupled.stress1().is_some_and(|stress1| stress1 > spread)
    }

    fn explains_little(&self) -> bool {
        self.coupled.adjusted_r2(self.n_free).is_none_or(|r2| r2 < LITTLE)
    }

    /// Whether Stress-1 of other pairs is about what it should be. Where the model holds, the map has fitted part q = free
    /// coordinates / pairs of the coupled noise, so that its residuals have variance sigma^2 (1 - q), and its errors add as much to
    /// those of other pairs, sigma^2 (1 + q).
    fn carries_over(&self) -> bool {
        let (Some(coupled), Some(other)) = (self.coupled.stress1(), self.held_out.stress1()) else { return true };
        // Beyond 0.9 there is nothing left to compare with.
        let fitted = (self.n_free as f64 / self.coupled.n_pairs() as f64).min(0.9);
        let expected = coupled * ((1.0 + fitted) / (1.0 - fitted)).sqrt();
        // A root mean square of n normal residuals has a relative standard error of 1 / sqrt(2 n); two of them are allowed.
        let allowed = CARRY_OVER + (2.0 / self.held_out.n_pairs() as f64).sqrt();
        other <= expected * allowed
    }

    fn is_curved(&self) -> bool {
        self.curvature.is_some_and(|curvature| curvature.share >= CURVED_SHARE && curvature.f_ratio >= CURVED_F)
    }

    fn has_narrow_intervals(&self, said_of_others: bool) -> bool {
        let is_low = |share: Option<f64>, fit: &PairFit| {
            fit.n_pairs() >= COVERAGE_PAIRS && share.is_some_and(|share| share < COVERAGE)
        };
        is_low(self.coverage, &self.coupled) || (!said_of_others && is_low(self.heldout_coverage, &self.held_out))
    }
}

/// More couplings than `n_pairs` pairs among `n_objects`: all if that is affordable, else four times as many, dispersed.
pub(super) fn more_couplings(n_objects: usize, n_pairs: usize, affordable_pairs: f64) -> Couplings {
    let n_all = n_objects as f64 * (n_objects as f64 - 1.0) / 2.0;
    let bands = TIMES_MORE * n_pairs.div_ceil(n_objects.max(1));
    if n_all <= affordable_pairs || 2 * bands + 1 >= n_objects { Couplings::Full } else { Couplings::Dispersed(bands) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_times_as_many_bands_or_all_pairs() {
        let more = |n_objects, bands| more_couplings(n_objects, n_objects * bands, 2e6);
        assert_eq!((more(9_308, 30), more(3_188, 113)), (Couplings::Dispersed(120), Couplings::Dispersed(452)));
        // All 1,124,250 pairs can be afforded; four times 260 bands are all of them.
        assert_eq!((more(1_500, 20), more(2_020, 260)), (Couplings::Full, Couplings::Full));
    }

    /// Residuals of plus and minus `error`, the distances being 1 ... 10.
    fn with_error(n_pairs: usize, error: f64) -> PairFit {
        let mut fit = PairFit::default();
        for k in 0..n_pairs {
            let distance = 1.0 + (k % 10) as f64;
            fit.add(distance + if k / 10 % 2 == 0 { error } else { -error }, distance);
        }
        fit
    }

    /// Stress of coupled and other pairs as measured, in two dimensions.
    fn carries_over(n_objects: usize, bands: usize, coupled: f64, other: f64) -> bool {
        Evidence {
            coupled: with_error(n_objects * bands, coupled),
            held_out: with_error(10_000, other),
            n_free: 2 * n_objects - 3,
            ellipse_over_map: None,
            curvature: None,
            coverage: None,
            heldout_coverage: None,
        }
        .carries_over()
    }

    #[test]
    fn couplings_carry_over_where_other_pairs_are_no_worse_than_they_must_be() {
        // Images of digits and airports.
        assert!(carries_over(1_797, 85, 0.155, 0.166) && carries_over(3_188, 113, 0.497, 0.519));
        // What a true model leaves: (1 + q) / (1 - q) with q = 2 / bands.
        assert!(carries_over(1_000, 10, 0.8_f64.sqrt(), 1.2_f64.sqrt()));
        // Abstracts, pure noise with few bands and with more, 300 airports.
        assert!(!carries_over(9_308, 30, 0.218, 0.400) && !carries_over(1_500, 20, 0.32, 0.47));
        assert!(!carries_over(1_500, 78, 0.39, 0.46) && !carries_over(300, 20, 0.273, 0.329));
    }
}
