//! Where chains start: a draw from the prior, or a first map jittered differently for each chain.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::Locations;

/// Locations from N(0, scale^2 I): the prior itself when `scale` is its standard deviation.
pub fn prior_draw(n_objects: usize, n_dims: usize, scale: f64, rng: &mut ChaCha8Rng) -> Locations {
    Locations::from_fn(n_objects, n_dims, |_, _| scale * standard_normal(rng))
}

/// The start with N(0, (spread s)^2) added to every coordinate, where s is the root mean squared coordinate of the
/// start about its centre (1 when all objects coincide).
///
/// Chains that begin apart can be seen to meet: 0.1 to 0.3 keeps the shape of the map and separates objects that
/// the start puts at the same location.
pub fn disperse(start: &Locations, spread: f64, rng: &mut ChaCha8Rng) -> Locations {
    let amount = spread * size(start);
    Locations::from_fn(start.n_objects(), start.n_dims(), |object, dim| {
        start.get(object, dim) + amount * standard_normal(rng)
    })
}

fn standard_normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// Root mean squared coordinate about the centre, or 1 for a map without extent.
fn size(map: &Locations) -> f64 {
    let n = map.n_objects() as f64;
    let squares = |dim: usize| {
        let mean = map.dim(dim).iter().sum::<f64>() / n;
        map.dim(dim).iter().map(|x| (x - mean).powi(2)).sum::<f64>()
    };
    let mean_square = (0..map.n_dims()).map(squares).sum::<f64>() / (n * map.n_dims() as f64);
    // Coincident objects leave rounding behind, not extent.
    let magnitude = map.as_slice().iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if mean_square.sqrt() > 1e-12 * magnitude { mean_square.sqrt() } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::embedding::rms_difference;

    fn rng(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    #[test]
    fn prior_draws_have_the_scale_and_follow_the_seed() {
        let draw = prior_draw(20_000, 2, 3.0, &mut rng(1));
        // The standard error of a root mean square over 40,000 coordinates is 3 / sqrt(80,000) = 0.011.
        assert!((size(&draw) - 3.0).abs() < 0.04);
        assert_eq!(draw, prior_draw(20_000, 2, 3.0, &mut rng(1)));
        assert_ne!(draw, prior_draw(20_000, 2, 3.0, &mut rng(2)));
    }

    #[test]
    fn dispersed_starts_are_jittered_in_proportion_to_the_map() {
        let start = prior_draw(20_000, 2, 50.0, &mut rng(3));
        let jittered = disperse(&start, 0.2, &mut rng(4));
        // Two coordinates, each moved by 0.2 * 50 on average.
        assert!((rms_difference(&start, &jittered) / 200.0_f64.sqrt() - 1.0).abs() < 0.02);
        assert_eq!(disperse(&start, 0.0, &mut rng(4)), start);
    }

    #[test]
    fn coincident_objects_come_apart() {
        for coordinate in [0.0, 1e9 / 3.0] {
            let start = Locations::from_fn(10, 2, |_, _| coordinate);
            let jittered = disperse(&start, 0.1, &mut rng(5));
            assert!((1..10).all(|object| jittered.distance(0, object) > 1e-4));
        }
        assert_eq!(disperse(&Locations::zeros(0, 2), 0.1, &mut rng(5)).n_objects(), 0);
    }
}
