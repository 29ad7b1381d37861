//! Placed objects against their conditional density, integrated on a grid.

use rand_distr::{Distribution, StandardNormal};

use super::*;
use crate::embedding::test_maps::gaussian_map;
use crate::likelihood::Noise;
use crate::measurement::NoiseScale;

const SIGMA: f64 = 0.3;
const VARIANCES: [f64; 2] = [4.0, 4.0];
const N_DRAWS: usize = 4_000;

/// Of families that have it.
const NU: f64 = 2.5;
const NOISE: NoiseScale = NoiseScale { sigma: SIGMA, nu: NU };

fn draws_of(map: &Locations, noise: impl Into<Family>, partners: &[(usize, f64)]) -> (Vec<Vec<f64>>, f64) {
    let family = noise.into();
    let old = OldMap::of_family(family, &vec![(map.clone(), NOISE); N_DRAWS], VARIANCES.to_vec());
    let drawn = Placing::new(&old, family, partners.to_vec()).draws(&mut stream(3, 0, Purpose::Placing));
    (drawn.locations, drawn.efficiency)
}

/// Probabilities of the cells of a coarse grid over a square, by a fine grid.
fn by_quadrature(map: &Locations, noise: Family, partners: &[(usize, f64)]) -> Vec<f64> {
    let (fine, step) = (CELLS * 40, 2.0 * REACH / (CELLS * 40) as f64);
    let mut cells = vec![0.0; CELLS * CELLS];
    for i in 0..fine {
        for j in 0..fine {
            let at = [-REACH + (i as f64 + 0.5) * step, -REACH + (j as f64 + 0.5) * step];
            let prior: f64 = at.iter().zip(VARIANCES).map(|(x, variance)| -0.5 * x * x / variance).sum();
            let pair = |&(other, delta): &(usize, f64)| {
                let distance = (0..2).map(|dim| (map.get(other, dim) - at[dim]).powi(2)).sum::<f64>().sqrt();
                noise.log_density_of_value(delta, distance, NOISE)
            };
            cells[i / 40 * CELLS + j / 40] += (prior + partners.iter().map(pair).sum::<f64>()).exp();
        }
    }
    let total: f64 = cells.iter().sum();
    cells.iter().map(|cell| cell / total).collect()
}

/// A square of this many cells a side, this far from the origin.
const CELLS: usize = 12;
const REACH: f64 = 6.0;

fn check(noise: impl Into<Family>, partners: &[(usize, f64)], least_efficiency: f64) {
    let (noise, map) = (noise.into(), gaussian_map(6, 2, 8));
    let (locations, efficiency) = draws_of(&map, noise, partners);
    assert!(efficiency > least_efficiency, "{partners:?}: efficiency {efficiency}");
    let expected = by_quadrature(&map, noise, partners);
    let cell = |x: f64| (((x + REACH) / (2.0 * REACH) * CELLS as f64) as usize).min(CELLS - 1);
    let mut counts = vec![0.0; CELLS * CELLS];
    locations.iter().for_each(|at| counts[cell(at[0]) * CELLS + cell(at[1])] += 1.0);
    for (count, expected) in counts.iter().zip(&expected) {
        let share = count / N_DRAWS as f64;
        // Four and a half standard errors: among 144 cells of ten tests about once in a thousand.
        let error = (expected * (1.0 - expected) / N_DRAWS as f64).sqrt();
        assert!((share - expected).abs() < 4.5 * error + 1e-3, "{noise} {partners:?}: {share} for {expected}");
    }
}

#[test]
fn an_object_with_enough_partners_is_where_its_density_is() {
    for family in Family::ALL {
        check(family, &[(0, 1.0), (1, 1.4), (2, 0.8), (3, 2.0), (4, 1.7)], 0.2);
    }
}

#[test]
fn too_few_partners_leave_two_places_or_a_ring() {
    check(Noise::TruncatedNormal, &[(0, 1.5), (1, 1.5)], 0.05);
    check(Noise::TruncatedNormal, &[(2, 2.0)], 0.05);
    check(Noise::Normal, &[(3, 0.1)], 0.05);
    for family in [Family::StudentT, Family::TruncatedStudentT, Family::LogNormal] {
        check(family, &[(0, 1.5), (1, 1.5)], 0.05);
    }
}

/// Old objects on a line leave two mirror images, which are found and told apart.
#[test]
fn mirror_images_are_two_modes() {
    let map = Locations::from_fn(8, 2, |object, dim| if dim == 0 { object as f64 - 3.5 } else { 0.0 });
    let old = OldMap::new(&vec![(map.clone(), 0.05); 400], vec![64.0; 2]);
    let at = [0.3, 1.0];
    let mut text = format!("name{}\nx", (0..8).map(|object| format!(",{object}")).collect::<String>());
    for object in 0..8 {
        let delta = (map.get(object, 0) - at[0]).hypot(at[1]);
        text += &format!(",{delta}");
    }
    let file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let new = crate::dissimilarity::read_new_objects(file.path(), &crate::dissimilarity::Names::numbered(8)).unwrap();
    let placed = place(&old, Noise::TruncatedNormal, &new, 1).unwrap();
    assert_eq!((placed.modes.len(), placed.objects[0].n_modes), (1, 2));
    assert!((placed.modes[0].share(0) - 0.5).abs() < 0.12, "{}", placed.modes[0].share(0));
    assert!((placed.moments.mean().get(0, 1).abs() - 1.0).abs() < 0.05 && placed.moments.sd(0, 1) < 0.1);
    let again = place(&old, Noise::TruncatedNormal, &new, 1).unwrap();
    assert_eq!(placed.draws, again.draws);
}

/// With many partners few proposals suffice: mean and spread are those of the density's normal.
#[test]
fn an_object_with_many_partners_is_sharp() {
    let map = gaussian_map(1_000, 2, 5);
    let mut rng = stream(9, 0, Purpose::Simulation);
    let truth = [0.4, -0.7];
    let mut partners = Vec::new();
    for object in 0..1_000 {
        let distance = (map.get(object, 0) - truth[0]).hypot(map.get(object, 1) - truth[1]);
        let error: f64 = StandardNormal.sample(&mut rng);
        partners.push((object, (distance + SIGMA * error).abs()));
    }
    let (locations, efficiency) = draws_of(&map, Noise::Normal, &partners);
    // Proposals are normals a tenth wider than the density: 2 s^2 - 1 over s^4 with s = 1.1.
    assert!((efficiency - 0.97).abs() < 0.03, "{efficiency}");
    for dim in 0..2 {
        let mean = locations.iter().map(|at| at[dim]).sum::<f64>() / N_DRAWS as f64;
        let variance = locations.iter().map(|at| (at[dim] - mean).powi(2)).sum::<f64>() / N_DRAWS as f64;
        // Half of 1,000 partners' information lies along each axis.
        let expected = SIGMA / 500_f64.sqrt();
        assert!((mean - truth[dim]).abs() < 4.0 * expected, "{mean}");
        assert!((variance.sqrt() / expected - 1.0).abs() < 0.1, "{} {expected}", variance.sqrt());
    }
}
