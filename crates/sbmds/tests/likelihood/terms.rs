//! The kernels of terms against their slow twin: every family, everything that can be seen, every instruction set.

use sbmds::likelihood::{InstructionSet, LogLikelihood, MapGradient, MapPoint, Workspace};
use sbmds::measurement::{
    Family, KnownErrors, LevelGroup, LevelPrior, NoiseScale, Nu, Observation, Quantity, Term, TermLikelihood, Terms,
};

/// A number from 0 to 1 by a fixed rule.
fn number(k: usize) -> f64 {
    ((k as f64 * 12.9898).sin() * 43_758.545_3).fract().abs()
}

/// All kinds of measurements, repeats among them, with and without weights and errors.
fn terms(n_objects: usize, n_terms: usize, is_plain: bool) -> Vec<Term> {
    let term = |k: usize| {
        let near = (number(k) * n_objects as f64) as usize % n_objects;
        let far = (near + 1 + (number(k + 5_000) * (n_objects - 1) as f64) as usize % (n_objects - 1)) % n_objects;
        let value = 0.1 + 3.0 * number(k + 900);
        let seen = match k % 4 {
            0 => Observation::Exact(value),
            1 => Observation::Below(value),
            2 => Observation::Above(value),
            _ => Observation::Within(value, value + 0.7),
        };
        let (weight, standard_error) = match is_plain {
            true => (1.0, 0.0),
            false => (if k.is_multiple_of(3) { 2.0 } else { 0.7 }, if k.is_multiple_of(5) { 0.4 } else { 0.0 }),
        };
        Term { weight, standard_error, ..Term::new(near.min(far), near.max(far), seen) }
    };
    (0..n_terms).map(term).collect()
}

/// Value, derivatives by log sigma and log nu, by locations and by levels.
struct Found {
    sums: [f64; 3],
    by_x: Vec<f64>,
    by_level: Vec<f64>,
}

const N_OBJECTS: usize = 30;

fn slowly(terms: &Terms, x: &[f64], noise: NoiseScale, levels: &[f64]) -> Found {
    let (mut by_x, mut by_level) = (vec![0.0; x.len()], vec![0.0; N_OBJECTS]);
    let value = terms.evaluate_slowly(x, noise, levels, &mut by_x, &mut by_level);
    Found { sums: [value.log_likelihood, value.by_log_sigma, value.by_log_nu], by_x, by_level }
}

/// The same by the kernels: levels and nu are unknowns of the likelihood.
fn by_kernels(terms: Terms, set: InstructionSet, x: &[f64], noise: NoiseScale, levels: &[f64]) -> Found {
    let (n_dims, has_nu) = (x.len() / N_OBJECTS, terms.family().has_nu());
    let has_levels = terms.quantity() == Quantity::Level;
    let likelihood = if has_levels {
        let group = LevelGroup {
            name: "level",
            objects: (0..N_OBJECTS).map(|k| k.to_string()).collect(),
            prior: LevelPrior::Normal { mean: 0.0, sd: 1.0 },
            start: levels.to_vec(),
        };
        let level_of = (0..N_OBJECTS).map(|k| Some((0, k, 1.0))).collect();
        TermLikelihood::of_titres(terms, n_dims, Nu::Learned, vec![group], level_of)
    } else {
        TermLikelihood::of_distances(terms, n_dims, Nu::Learned)
    };
    let likelihood = likelihood.on(set);
    let mut own = if has_levels { levels.to_vec() } else { Vec::new() };
    own.extend(has_nu.then(|| noise.nu.ln()));
    let (mut by_x, mut by_own) = (vec![0.0; x.len()], vec![0.0; own.len()]);
    let at = MapPoint { x, sigma: noise.sigma, own: &own };
    let gradient = MapGradient { x: &mut by_x, own: &mut by_own };
    let found = likelihood.both(&mut Workspace::serial(), at, gradient);
    assert_eq!(likelihood.value(&mut Workspace::serial(), at), found.log_likelihood);
    let by_log_nu = if has_nu { by_own.pop().unwrap() } else { 0.0 };
    by_own.resize(N_OBJECTS, 0.0);
    Found { sums: [found.log_likelihood, found.by_log_sigma, by_log_nu], by_x, by_level: by_own }
}

/// The largest difference, relative where values are above 1.
fn difference(found: &[f64], expected: &[f64]) -> f64 {
    let of = |(found, expected): (&f64, &f64)| (found - expected).abs() / expected.abs().max(1.0);
    // Not a maximum: that would pass over NaN.
    found.iter().zip(expected).map(of).fold(0.0, |a, b| if b <= a { a } else { b })
}

#[test]
fn kernels_equal_the_slow_twin() {
    for (n_terms, n_dims, is_plain) in [(7, 2, false), (600, 2, true), (300, 3, false)] {
        let x: Vec<f64> = (0..N_OBJECTS * n_dims).map(|k| 4.0 * number(k + 77)).collect();
        let levels: Vec<f64> = (0..N_OBJECTS).map(|k| 3.0 * number(k + 99)).collect();
        let given = terms(N_OBJECTS, n_terms, is_plain);
        for family in Family::ALL {
            let of_titres = matches!(family, Family::Normal | Family::StudentT);
            let nus: &[f64] = if family.has_nu() { &[0.7, 4.0, 300.0] } else { &[1.0] };
            for &quantity in if of_titres { &[Quantity::Distance, Quantity::Level][..] } else { &[Quantity::Distance] }
            {
                for errors in [KnownErrors::Add, KnownErrors::Replace] {
                    let terms = Terms::new(N_OBJECTS, &given, family, quantity, errors);
                    // The smallest sigma: limits dozens of standard deviations away.
                    for (sigma, &nu) in [0.02, 0.6, 5.0].into_iter().flat_map(|s| nus.iter().map(move |nu| (s, nu))) {
                        let noise = NoiseScale { sigma, nu };
                        let expected = slowly(&terms, &x, noise, &levels);
                        for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
                            let found = by_kernels(terms.clone(), set, &x, noise, &levels);
                            let what = format!("{family}, {quantity:?}, {errors:?}, sigma {sigma}, nu {nu}, {set}");
                            assert!(difference(&found.sums[..2], &expected.sums[..2]) < 1e-11, "{what}");
                            assert!(difference(&found.by_x, &expected.by_x) < 1e-10, "{what}");
                            assert!(difference(&found.by_level, &expected.by_level) < 1e-10, "{what}");
                            // The twin's derivative by nu is a difference quotient.
                            assert!(difference(&found.sums[2..], &expected.sums[2..]) < 1e-8, "{what}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn coincident_objects_have_finite_gradients() {
    for family in Family::ALL {
        for seen in [Observation::Exact(1.0), Observation::Below(1.0), Observation::Within(0.5, 1.0)] {
            let terms = Terms::new(3, &[Term::new(0, 1, seen)], family, Quantity::Distance, KnownErrors::Add);
            let likelihood = TermLikelihood::of_distances(terms, 2, Nu::Fixed(4.0));
            let mut by_x = [1.0; 6];
            let at = MapPoint { x: &[0.5; 6], sigma: 0.3, own: &[] };
            let found = likelihood.both(&mut Workspace::serial(), at, MapGradient { x: &mut by_x, own: &mut [] });
            assert!(found.log_likelihood.is_finite() && found.by_log_sigma.is_finite(), "{family} {seen:?}");
            assert_eq!(by_x, [0.0; 6], "{family} {seen:?}");
        }
    }
}
