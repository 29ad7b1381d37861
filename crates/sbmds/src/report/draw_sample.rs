//! A bounded sample of aligned draws, for the page to play.

use serde::Serialize;

use super::pack::Quantised;
use crate::Locations;
use crate::draws::Spaced;

/// Aligned draws: draw by draw, object by object, dimension by dimension.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawSample {
    /// Number of draws.
    pub count: usize,
    /// Their locations.
    pub x: Quantised,
}

/// Numbers that make about 1.5 MB as 16 bits in base64.
const MOST_NUMBERS: usize = 562_500;
/// More frames do not improve the animation.
const MOST_DRAWS: usize = 200;
/// Coordinates of one draw above which the page shows none: 50,000 objects in two dimensions.
const LARGEST_DRAW: usize = 100_000;

/// How many of `n_draws` draws of `n_objects` x `n_dims` numbers the page gets of each of `n_maps` maps.
pub(super) fn choose(n_draws: usize, n_objects: usize, n_dims: usize, n_maps: usize) -> Spaced {
    let size = n_objects * n_dims;
    let most = if size > LARGEST_DRAW { 0 } else { (MOST_NUMBERS / n_maps / size.max(1)).min(MOST_DRAWS) };
    Spaced::new(n_draws, most)
}

/// Collects the chosen draws.
pub(super) struct Collector {
    chosen: Spaced,
    n_dims: usize,
    numbers: Vec<f32>,
}

impl Collector {
    pub fn new(chosen: Spaced, n_dims: usize) -> Self {
        Self { chosen, n_dims, numbers: Vec::new() }
    }

    pub fn visit(&mut self, index: usize, draw: &Locations) {
        if self.chosen.contains(index) {
            for object in 0..draw.n_objects() {
                self.numbers.extend((0..self.n_dims).map(|dim| draw.get(object, dim) as f32));
            }
        }
    }

    /// The draws; `None` if there are none.
    pub fn finish(self) -> Option<DrawSample> {
        let count = self.chosen.count;
        (count > 0).then(|| DrawSample { count, x: Quantised::new(&self.numbers, self.n_dims) })
    }
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn the_sample_fits_its_budget() {
        assert_eq!(choose(4000, 1_000, 2, 1).count, 200);
        assert_eq!(choose(50, 1_000, 2, 1).count, 50);
        assert_eq!(choose(4000, 10_000, 2, 1).count, 28);
        assert_eq!(choose(4000, 50_001, 2, 1).count, 0);
        assert_eq!(choose(4000, 20_000, 6, 1).count, 0);
    }
}
