//! Families, limits, weights and repeats against plain numerical integration and differences.

use approx::assert_relative_eq;
use sbmds::likelihood::{LogLikelihood, MapGradient, MapPoint, Noise, Workspace};
use sbmds::measurement::{
    Family, KnownErrors, LevelGroup, LevelPrior, NoiseScale, Nu, Observation, Quantity, Support, Term, TermLikelihood,
    Terms,
};

/// Where the density of a family is integrated, step by step.
fn grid(family: Family) -> impl Iterator<Item = f64> {
    let (from, to, n) =
        if family.support() == Support::Line { (-400.0, 400.0, 400_000) } else { (0.0, 400.0, 200_000) };
    let step = (to - from) / f64::from(n);
    (0..n).map(move |k| from + (f64::from(k) + 0.5) * step)
}

#[test]
fn limits_are_integrals_of_the_density() {
    for family in Family::ALL {
        for (m, s, nu) in [(0.3, 0.8, 3.0), (2.5, 0.5, 7.5)] {
            let step = 0.002;
            let density = |y: f64| family.log_density(Observation::Exact(y), m, s, nu).value.exp();
            let mass = |from: f64, to: f64| {
                grid(family).filter(|y| (from..to).contains(y)).map(|y| density(y) * step).sum::<f64>()
            };
            let probability = |seen| family.log_density(seen, m, s, nu).value.exp();
            // Student's t leaves a little beyond the grid.
            assert_relative_eq!(mass(f64::NEG_INFINITY, f64::INFINITY), 1.0, epsilon = 2e-5);
            assert_relative_eq!(mass(f64::NEG_INFINITY, 1.0), probability(Observation::Below(1.0)), epsilon = 2e-5);
            assert_relative_eq!(mass(2.0, f64::INFINITY), probability(Observation::Above(2.0)), epsilon = 2e-5);
            assert_relative_eq!(mass(1.0, 2.6), probability(Observation::Within(1.0, 2.6)), epsilon = 2e-5);
        }
    }
}

/// Measurements near the distance and dozens of standard deviations away.
const SEEN: [Observation; 9] = [
    Observation::Exact(1.7),
    Observation::Exact(60.0),
    Observation::Below(0.4),
    Observation::Below(5.0),
    Observation::Above(1.1),
    Observation::Above(50.0),
    Observation::Within(0.2, 0.4),
    Observation::Within(1.0, 3.0),
    Observation::Within(40.0, 41.0),
];

#[test]
fn derivatives_are_limits_of_differences() {
    let h = 1e-5;
    for family in Family::ALL {
        for seen in SEEN {
            for (m, s, nu) in [(0.05, 0.9, 2.5), (1.9, 0.7, 6.0)] {
                let at = family.log_density(seen, m, s, nu);
                let value =
                    |m: f64, log_s: f64, log_nu: f64| family.log_density(seen, m, log_s.exp(), log_nu.exp()).value;
                let (log_s, log_nu) = (s.ln(), nu.ln());
                let by = |f: &dyn Fn(f64) -> f64| (f(h) - f(-h)) / (2.0 * h);
                let close = |found: f64, expected: f64, what: &str| {
                    let tolerance = 2e-6 * expected.abs().max(1.0);
                    assert!((found - expected).abs() < tolerance, "{family} {seen:?} {what}: {found} and {expected}");
                };
                close(at.by_location, by(&|e| value(m + e, log_s, log_nu)), "by the location");
                close(at.by_log_scale, by(&|e| value(m, log_s + e, log_nu)), "by log sigma");
                close(at.by_log_nu, by(&|e| value(m, log_s, log_nu + e)), "by log nu");
            }
        }
    }
}

#[test]
fn exact_numbers_are_those_of_the_kernels() {
    for (family, noise) in [(Family::Normal, Noise::Normal), (Family::TruncatedNormal, Noise::TruncatedNormal)] {
        for (delta, d, sigma) in [(0.0, 0.4, 0.7), (1.3, 0.0, 0.2), (2.0, 1.9, 0.05)] {
            let at = family.log_density(Observation::Exact(delta), d, sigma, 1.0);
            assert_relative_eq!(at.value, noise.log_density(delta, d, sigma), max_relative = 1e-12, epsilon = 1e-12);
            assert_relative_eq!(
                at.by_location,
                noise.derivative(delta, d, sigma),
                max_relative = 1e-12,
                epsilon = 1e-12
            );
        }
    }
}

#[test]
fn many_degrees_of_freedom_are_normal_noise() {
    for seen in [SEEN[0], SEEN[3], SEEN[4], SEEN[7]] {
        let [t, normal] =
            [Family::StudentT, Family::Normal].map(|family| family.log_density(seen, 1.2, 0.8, 1e7).value);
        assert_relative_eq!(t, normal, epsilon = 1e-6);
    }
}

fn three_objects() -> Vec<f64> {
    vec![0.1, 1.3, -0.4, 0.2, 0.5, 1.9]
}

fn evaluate(terms: &[Term], family: Family, known_errors: KnownErrors) -> (f64, f64, Vec<f64>) {
    let terms = Terms::new(3, terms, family, Quantity::Distance, known_errors);
    let (mut by_x, mut by_level) = (vec![0.0; 6], vec![0.0; 3]);
    let noise = NoiseScale { sigma: 0.6, nu: 4.0 };
    let value = terms.evaluate_slowly(&three_objects(), noise, &[0.0; 3], &mut by_x, &mut by_level);
    (value.log_likelihood, value.by_log_sigma, by_x)
}

#[test]
fn a_weight_of_two_is_the_pair_given_twice() {
    for family in Family::ALL {
        let base = [Term::new(0, 1, Observation::Exact(0.9)), Term::new(1, 2, Observation::Below(2.0))];
        let twice = [base[0], base[1], base[1]];
        let weighted = [base[0], Term { weight: 2.0, ..base[1] }];
        let (twice, weighted) =
            (evaluate(&twice, family, KnownErrors::Add), evaluate(&weighted, family, KnownErrors::Add));
        assert_relative_eq!(twice.0, weighted.0, max_relative = 1e-14);
        assert_relative_eq!(twice.1, weighted.1, max_relative = 1e-13);
        twice
            .2
            .iter()
            .zip(&weighted.2)
            .for_each(|(a, b)| assert_relative_eq!(a, b, max_relative = 1e-13, epsilon = 1e-15));
    }
}

#[test]
fn known_errors_add_to_sigma_or_replace_it() {
    let exact = |standard_error| [Term { standard_error, ..Term::new(0, 1, Observation::Exact(0.9)) }];
    let plain = |scale| Family::Normal.log_density(Observation::Exact(0.9), 1.2369316876852983, scale, 1.0);
    let (value, by_log_sigma, _) = evaluate(&exact(0.8), Family::Normal, KnownErrors::Add);
    assert_relative_eq!(value, plain(1.0).value, max_relative = 1e-12);
    assert_relative_eq!(by_log_sigma, 0.36 * plain(1.0).by_log_scale, max_relative = 1e-12);
    let (value, by_log_sigma, _) = evaluate(&exact(0.8), Family::Normal, KnownErrors::Replace);
    assert_relative_eq!(value, plain(0.8).value, max_relative = 1e-12);
    assert_eq!(by_log_sigma, 0.0);
    // Nothing is known where the error is 0.
    assert_eq!(evaluate(&exact(0.0), Family::Normal, KnownErrors::Replace).0, plain(0.6).value);
}

/// Titres with unknown potencies, avidities and degrees of freedom.
fn titres() -> TermLikelihood {
    let seen =
        [Observation::Exact(7.3), Observation::Within(6.0, 7.0), Observation::Below(5.3), Observation::Above(9.0)];
    let pairs = [(0, 2), (0, 3), (1, 2), (1, 3)];
    let mut terms: Vec<Term> = pairs.iter().zip(seen).map(|(&(a, b), seen)| Term::new(a, b, seen)).collect();
    terms.push(Term { weight: 2.0, standard_error: 0.4, ..terms[0] });
    let terms = Terms::new(4, &terms, Family::StudentT, Quantity::Level, KnownErrors::Add);
    let group = |name, start: [f64; 2], prior| LevelGroup {
        name,
        objects: vec!["a".into(), "b".into()],
        prior,
        start: start.to_vec(),
    };
    let groups = vec![
        group("avidity", [8.0, 9.0], LevelPrior::Normal { mean: 8.5, sd: 1.0 }),
        group("potency", [9.5, 10.0], LevelPrior::Hierarchical { mean: 9.0, learn_mean: true }),
    ];
    let level_of = vec![Some((0, 0, 0.5)), Some((0, 1, 0.5)), Some((1, 0, 0.5)), Some((1, 1, 0.5))];
    TermLikelihood::of_titres(terms, 2, Nu::Learned, groups, level_of)
}

#[test]
fn the_gradient_of_titres_is_that_of_all_unknowns() {
    let likelihood = titres();
    let parameters = likelihood.own().unwrap();
    let own = parameters.start();
    assert_eq!((own.len(), parameters.names().len(), parameters.reported(&own).len()), (7, 7, 7));
    assert_eq!(parameters.names()[2], "potency[a]");
    let x = [0.3, -1.0, 1.4, 0.2, 0.9, 0.1, -0.7, 2.0];
    let all: Vec<f64> = x.iter().chain(&[0.8_f64.ln()]).chain(&own).copied().collect();
    let density = |all: &[f64], gradient: Option<&mut Vec<f64>>| {
        let (x, rest) = all.split_at(8);
        let (mut by_x, mut by_own) = (vec![0.0; 8], vec![0.0; 7]);
        let at = MapPoint { x, sigma: rest[0].exp(), own: &rest[1..] };
        let value = likelihood.both(&mut Workspace::serial(), at, MapGradient { x: &mut by_x, own: &mut by_own });
        let prior = parameters.add_log_prior(&rest[1..], &mut by_own);
        if let Some(gradient) = gradient {
            *gradient = by_x.into_iter().chain([value.by_log_sigma]).chain(by_own).collect();
        }
        value.log_likelihood + prior
    };
    let mut gradient = Vec::new();
    density(&all, Some(&mut gradient));
    for k in 0..all.len() {
        let moved = |by: f64| {
            let mut moved = all.clone();
            moved[k] += by;
            density(&moved, None)
        };
        let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        assert!((gradient[k] - expected).abs() < 1e-6 * expected.abs().max(1.0), "{k}: {} and {expected}", gradient[k]);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let n = 120;
    let terms: Vec<Term> = (0..n)
        .flat_map(|b| (0..b).map(move |a| (a, b)))
        .map(|(a, b)| Term::new(a, b, Observation::Exact(1.0 + ((a * 31 + b * 17) % 13) as f64 / 7.0)))
        .collect();
    let terms = Terms::new(n, &terms, Family::TruncatedStudentT, Quantity::Distance, KnownErrors::Add);
    let likelihood = TermLikelihood::of_distances(terms, 2, Nu::Fixed(4.0));
    let x: Vec<f64> = (0..2 * n).map(|k| (k as f64 * 12.9898).sin() * 2.0).collect();
    let evaluate = |mut workspace: Workspace| {
        let mut by_x = vec![0.0; 2 * n];
        let at = MapPoint { x: &x, sigma: 0.4, own: &[] };
        let value = likelihood.both(&mut workspace, at, MapGradient { x: &mut by_x, own: &mut [] });
        (value.log_likelihood.to_bits(), by_x.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
    };
    assert_eq!(evaluate(Workspace::serial()), evaluate(Workspace::parallel()));
}
