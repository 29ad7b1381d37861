//! The mean of many maps, aligned to it (generalised Procrustes analysis).

use crate::Locations;
use crate::align::{principal_axes, procrustes, rms_difference};

/// The mean of many maps after aligning them.
#[derive(Clone, Debug)]
pub struct MeanMap {
    /// The mean map, centred, on its principal axes with fixed signs. Align each draw to it with [`procrustes`].
    pub mean: Locations,
    /// Root mean squared distance of aligned draws from their mean, after each pass. Never increases.
    pub residuals: Vec<f64>,
    /// Whether the mean stopped moving before the pass limit.
    pub converged: bool,
}

/// Passes over the draws after which the mean is taken as it is: twenty times the usual number.
const MAX_PASSES: usize = 100;
/// The mean has converged when it moves less than this fraction of its own size.
const STILL: f64 = 1e-8;

/// Generalised Procrustes analysis (Gower 1975) without scaling: align every draw to the mean, average, repeat
/// until the mean moves by less than 1e-8 of its size.
///
/// `draws` calls its argument once per draw and is called once per pass, so that draws can stay on disk: memory
/// does not grow with their number. Its error, if any, is handed on. `None` when there are no draws.
pub fn generalised_procrustes<E>(
    draws: impl Fn(&mut dyn FnMut(&Locations)) -> Result<(), E>,
) -> Result<Option<MeanMap>, E> {
    let Some(mut mean) = first_draw(&draws)? else { return Ok(None) };
    let (mut residuals, mut converged) = (Vec::new(), false);
    while !converged && residuals.len() < MAX_PASSES {
        let (next, residual) = one_pass(&draws, &mean)?;
        let moved = rms_difference(&procrustes(&next, &mean).apply(&next), &mean);
        converged = moved <= STILL * rms_difference(&next, &Locations::zeros(next.n_objects(), next.n_dims()));
        residuals.push(residual);
        mean = next;
    }
    Ok(Some(MeanMap { mean: principal_axes(&mean).apply(&mean), residuals, converged }))
}

fn first_draw<E>(draws: &impl Fn(&mut dyn FnMut(&Locations)) -> Result<(), E>) -> Result<Option<Locations>, E> {
    let mut first = None;
    draws(&mut |draw| {
        first.get_or_insert_with(|| principal_axes(draw).apply(draw));
    })?;
    Ok(first)
}

/// The mean of all draws aligned to `reference`, and their root mean squared distance from that mean.
fn one_pass<E>(
    draws: &impl Fn(&mut dyn FnMut(&Locations)) -> Result<(), E>,
    reference: &Locations,
) -> Result<(Locations, f64), E> {
    let mut mean = Locations::zeros(reference.n_objects(), reference.n_dims());
    let (mut n_draws, mut scatter) = (0.0, 0.0);
    draws(&mut |draw| {
        n_draws += 1.0;
        let aligned = procrustes(draw, reference).apply(draw);
        for (centre, x) in mean.as_mut_slice().iter_mut().zip(aligned.as_slice()) {
            // Welford's update: the sum of squares about the mean without cancellation.
            let before = x - *centre;
            *centre += before / n_draws;
            scatter += before * (x - *centre);
        }
    })?;
    let n_locations = n_draws * reference.n_objects().max(1) as f64;
    Ok((mean, (scatter / f64::max(n_locations, 1.0)).sqrt()))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;
    use crate::embedding::test_maps::{gaussian_map, random_motion};

    /// Draws around one map, each turned its own way.
    fn turned_draws(n_objects: usize, n_dims: usize, noise: f64, seed: u64) -> Vec<Locations> {
        let truth = gaussian_map(n_objects, n_dims, seed);
        let draw = |k: u64| {
            let error = gaussian_map(n_objects, n_dims, seed + 100 + k);
            let near = Locations::from_fn(n_objects, n_dims, |o, d| truth.get(o, d) + noise * error.get(o, d));
            random_motion(n_dims, seed + 500 + 2 * k).apply(&near)
        };
        (0..12).map(draw).collect()
    }

    fn mean_map(draws: &[Locations]) -> MeanMap {
        let pass = |visit: &mut dyn FnMut(&Locations)| {
            draws.iter().for_each(visit);
            Ok::<(), Infallible>(())
        };
        generalised_procrustes(pass).unwrap().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Default::default() })]

        #[test]
        fn the_mean_map_does_not_depend_on_how_the_draws_lie(n_dims in 1_usize..5, seed in 0_u64..1000) {
            let draws = turned_draws(30, n_dims, 0.1, seed);
            let turned: Vec<_> =
                draws.iter().zip(0..).map(|(x, k)| random_motion(n_dims, seed + 900 + k).apply(x)).collect();
            let (a, b) = (mean_map(&draws), mean_map(&turned));
            prop_assert!(rms_difference(&a.mean, &b.mean) < 1e-6);
        }
    }

    #[test]
    fn the_mean_map_settles_and_its_residual_never_increases() {
        for n_dims in [1, 2, 6] {
            let found = mean_map(&turned_draws(40, n_dims, 0.3, 5));
            assert!(found.converged && found.residuals.len() > 1);
            assert!(found.residuals.is_sorted_by(|a, b| *b <= a + 1e-12), "{:?}", found.residuals);
            // Noise of sd 0.3 in every coordinate, of which alignment absorbs a little.
            let expected = 0.3 * (n_dims as f64).sqrt();
            assert!((0.8..1.0).contains(&(found.residuals[1] / expected)), "{:?}", found.residuals);
            let twice = principal_axes(&found.mean).apply(&found.mean);
            assert!(rms_difference(&twice, &found.mean) < 1e-10);
        }
    }

    #[test]
    fn coincident_and_single_objects_have_a_mean_without_nan() {
        for map in [Locations::zeros(5, 3), Locations::from_fn(5, 3, |_, d| d as f64), gaussian_map(1, 3, 1)] {
            let found = mean_map(&[map.clone(), map]);
            assert!(found.converged && found.mean.as_slice().iter().all(|x| x.abs() < 1e-12));
        }
    }

    #[test]
    fn no_draws_give_no_mean_and_errors_are_handed_on() {
        assert!(generalised_procrustes(|_| Ok::<(), Infallible>(())).unwrap().is_none());
        assert_eq!(generalised_procrustes(|_| Err("disk")).unwrap_err(), "disk");
    }
}
