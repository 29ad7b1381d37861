//! How many pairs a fit can afford: what `auto` couples, and how long a fit will take.

/// Iterations of all chains together, which is what pairs cost time in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Warm-up and draws of all chains.
    pub n_iterations: usize,
}

impl Default for Effort {
    /// Four chains of 1,000 + 1,000 iterations.
    fn default() -> Self {
        Self { n_iterations: 8_000 }
    }
}

/// Time that `auto` may spend: beyond some minutes people would rather have fewer pairs.
const AFFORDABLE_SECONDS: f64 = 600.0;
/// The machine that `auto` has in mind. Its choice must not depend on the machine it runs on.
const CORES: usize = 2;
/// Memory that `auto` may fill with pairs: 2 GB at 8 bytes each.
const AFFORDABLE_PAIRS: f64 = 2.5e8;
/// Gradients per iteration of NUTS: 31 per draw and 39 per iteration of warm-up for 1,797 handwritten digits.
const GRADIENTS: f64 = 35.0;
/// Coordinates there. Gradients grow with their fourth root, because the step must shrink by that factor for the errors of all together to
/// stay the same (Beskos et al. 2013); 100,000 objects in two dimensions take 95.
const COORDINATES: f64 = 3_594.0;
/// Seconds per pair and gradient in two dimensions (2.1e-9 with AVX-512), and for each further one.
const SECONDS_PER_PAIR: f64 = 2.1e-9;
const SECONDS_PER_FURTHER_DIMENSION: f64 = 0.5e-9;

impl Effort {
    /// About how long sampling takes on this many cores; right within a factor of two or three.
    pub fn seconds(&self, n_pairs: usize, n_dims: usize, n_cores: usize) -> f64 {
        let further = n_dims.saturating_sub(2) as f64;
        let per_pair = SECONDS_PER_PAIR + further * SECONDS_PER_FURTHER_DIMENSION;
        self.n_iterations as f64 * GRADIENTS * per_pair * n_pairs as f64 / n_cores.max(1) as f64
    }

    /// The same for `n_objects` objects: beyond those that `GRADIENTS` was counted with, an iteration takes more gradients.
    pub fn seconds_for(&self, n_objects: usize, n_pairs: usize, n_dims: usize, n_cores: usize) -> f64 {
        let coordinates = n_objects as f64 * n_dims as f64;
        self.seconds(n_pairs, n_dims, n_cores) * (coordinates / COORDINATES).max(1.0).powf(0.25)
    }

    /// Pairs that `auto` may couple.
    pub fn affordable_pairs(&self, n_dims: usize) -> f64 {
        (AFFORDABLE_SECONDS / self.seconds(1, n_dims, CORES)).min(AFFORDABLE_PAIRS)
    }

    /// Bands that `auto` couples; `None` for all pairs. At least D sqrt(N), below which dispersed bands lose the map.
    pub fn bands(&self, n_objects: usize, n_dims: usize) -> Option<usize> {
        let n = n_objects as f64;
        let affordable = self.affordable_pairs(n_dims);
        if n * (n - 1.0) / 2.0 <= affordable {
            return None;
        }
        let bands = (affordable / n).floor().max((n_dims as f64 * n.sqrt()).ceil()) as usize;
        (2 * bands + 1 < n_objects).then_some(bands)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_while_that_takes_minutes_then_as_many_bands_as_can_be_afforded() {
        let effort = Effort::default();
        assert_eq!(effort.bands(1_797, 2), None);
        let bands = effort.bands(3_000, 2).unwrap();
        assert!((400..1_400).contains(&bands), "{bands}");
        let seconds = effort.seconds(3_000 * bands, 2, 2);
        assert!((0.99..=1.0).contains(&(seconds / AFFORDABLE_SECONDS)), "{seconds}");
        // Shorter chains afford more pairs, more dimensions fewer.
        assert_eq!(Effort { n_iterations: 2_000 }.bands(3_000, 2), None);
        assert!(effort.bands(3_000, 6).unwrap() < bands);
    }

    #[test]
    fn never_fewer_bands_than_the_rule_and_never_more_than_there_are() {
        let effort = Effort::default();
        assert_eq!(effort.bands(1_000_000, 2), Some(2_000));
        // So many dimensions that the rule's bands are all pairs.
        assert_eq!(effort.bands(2_500, 30), None);
    }

    #[test]
    fn one_evaluation_affords_all_pairs_that_fit_in_memory() {
        let once = Effort { n_iterations: 1 };
        assert_eq!(once.bands(20_000, 2), None);
        assert!(once.bands(100_000, 2).is_some());
    }
}
