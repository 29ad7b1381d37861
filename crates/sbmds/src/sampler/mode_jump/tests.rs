//! Mode jumps against quadrature: one object among others that stay, whose density a grid can integrate.

use std::sync::Arc;

use super::*;
use crate::coupling::Pairs;
use crate::likelihood::{Likelihood, LogLikelihood, Noise, Storage};
use crate::posterior::{Priors, Spread};
use crate::random::{Purpose, stream};

/// The position of the object that jumps.
const FIRST: Position = Position::new(0);

/// Four others nearly on a line: the first object fits on both sides of it, on one a little better.
const OTHERS: [[f64; 2]; 4] = [[-2.0, 0.0], [-0.6, 0.1], [0.7, -0.1], [1.9, 0.05]];
/// Where its distances are measured from, with errors.
const TRUTH: [f64; 2] = [0.3, 1.0];
const ERRORS: [f64; 4] = [0.1, -0.05, 0.15, -0.1];
const SIGMA: f64 = 0.3;
const SCALES: [f64; 2] = [4.0, 4.0];

fn given(spread: &Spread) -> Given<'_> {
    Given { sigma: SIGMA, spread, own: &[] }
}

fn posterior(noise: Noise) -> Posterior {
    let distance = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let dissimilarity = |a: usize, b: usize| match (a.min(b), a.max(b)) {
        (0, other) => distance(TRUTH, OTHERS[other - 1]) + ERRORS[other - 1],
        (a, b) => distance(OTHERS[a - 1], OTHERS[b - 1]),
    };
    let all = Pairs::full(5);
    let likelihood = Likelihood::new(5, 2, &all, noise, Storage::F64, dissimilarity);
    Posterior::new(Arc::new(likelihood), Priors::paper(2))
}

/// The first object at `at`, dimension by dimension.
fn map(at: [f64; 2]) -> Vec<f64> {
    let column = |dim: usize| std::iter::once(at[dim]).chain(OTHERS.iter().map(move |other| other[dim]));
    column(0).chain(column(1)).collect()
}

/// The density of the first object, from the formulas that everything is checked against.
fn density(posterior: &Posterior, noise: Noise, at: [f64; 2]) -> f64 {
    let mut log_density = 0.0;
    posterior.likelihood().visit_partners(FIRST, &mut |other, delta| {
        let [x, y] = OTHERS[other.index() - 1];
        log_density += noise.log_density(delta, (at[0] - x).hypot(at[1] - y), SIGMA);
        true
    });
    let prior: f64 = at.iter().zip(SCALES).map(|(x, scale)| x * x / (2.0 * scale)).sum();
    (log_density - prior).exp()
}

/// What is compared: the side of the line, and where on it.
const QUANTITIES: [fn([f64; 2]) -> f64; 5] =
    [|[_, y]| f64::from(u8::from(y > 0.0)), |[x, _]| x, |[_, y]| y, |[x, _]| x * x, |[_, y]| y * y];

fn by_quadrature(posterior: &Posterior, noise: Noise) -> [f64; 5] {
    const WIDTH: f64 = 0.02;
    let (mut weight, mut sums) = (0.0, [0.0; 5]);
    for column in -200..200 {
        for row in -200..200 {
            let at = [f64::from(column), f64::from(row)].map(|cell| (cell + 0.5) * WIDTH);
            let density = density(posterior, noise, at);
            weight += density;
            sums.iter_mut().zip(QUANTITIES).for_each(|(sum, quantity)| *sum += density * quantity(at));
        }
    }
    sums.map(|sum| sum / weight)
}

#[test]
fn jumps_alone_find_the_density_of_one_object() {
    const N_BATCHES: usize = 50;
    const N_JUMPS: usize = 2_000;
    for noise in Noise::ALL {
        let posterior = posterior(noise);
        let expected = by_quadrature(&posterior, noise);
        assert!((0.1..0.9).contains(&expected[0]), "there should be two sides: {}", expected[0]);
        let mut x = map([0.3, 1.0]);
        let mut rng = stream(1, 0, Purpose::Sampling);
        let spread = Spread::Scales(SCALES.to_vec());
        let anchors = (1..5).map(|other| vec![Position::new(other)]).collect();
        let mode_jumps = ModeJumps { objects: vec![MultimodalObject { position: FIRST, anchors, is_doubtful: false }] };
        let mut means = Vec::new();
        for _ in 0..N_BATCHES {
            let mut sums = [0.0; 5];
            for _ in 0..N_JUMPS {
                let mut jumper = Jumper::new(&posterior, &mut x, given(&spread)).unwrap();
                mode_jumps.jump(&mut jumper, &mut rng);
                drop(jumper);
                sums.iter_mut().zip(QUANTITIES).for_each(|(sum, quantity)| *sum += quantity([x[0], x[5]]));
            }
            means.push(sums.map(|sum| sum / N_JUMPS as f64));
        }
        for (index, expected) in expected.iter().enumerate() {
            let of_batches: Vec<f64> = means.iter().map(|means| means[index]).collect();
            let mean = of_batches.iter().sum::<f64>() / N_BATCHES as f64;
            let squares: f64 = of_batches.iter().map(|batch| (batch - mean).powi(2)).sum();
            let error = (squares / (N_BATCHES * (N_BATCHES - 1)) as f64).sqrt();
            assert!(error < 0.03, "{noise} {index}: too noisy to say, {error}");
            assert!((mean - expected).abs() < 4.0 * error, "{noise} {index}: {mean} +- {error} against {expected}");
        }
    }
}

#[test]
fn derivatives_and_curvatures_are_those_of_the_energy() {
    const STEP: f64 = 1e-4;
    for noise in Noise::ALL {
        let posterior = posterior(noise);
        let x = map([0.0, 0.0]);
        let mut surroundings = Surroundings::new(posterior.likelihood().conditional().unwrap());
        surroundings.gather(MapPoint { x: &x, sigma: SIGMA, own: &[] }, FIRST, &SCALES);
        for at in [[1.0, 3.0], [-0.5, -2.0], [-2.0, 0.2]] {
            let derivatives = surroundings.derivatives(&at);
            let shifted = |dim: usize, by: f64| {
                let mut at = at;
                at[dim] += by;
                at
            };
            for row in 0..2 {
                let [up, down] = [STEP, -STEP].map(|step| surroundings.energy(&shifted(row, step)));
                let derivative = (up - down) / (2.0 * STEP);
                assert!(
                    (derivatives.gradient[row] - derivative).abs() < 1e-6,
                    "{noise} {at:?}: {} {derivative}",
                    derivatives.gradient[row]
                );
                for column in 0..=row {
                    let [up, down] =
                        [STEP, -STEP].map(|by| surroundings.derivatives(&shifted(column, by)).gradient[row]);
                    let (said, curvature) = (derivatives.hessian[row * 2 + column], (up - down) / (2.0 * STEP));
                    assert!((said - curvature).abs() < 1e-5, "{noise} {at:?} {row} {column}: {said} {curvature}");
                }
            }
        }
    }
}

#[test]
fn searches_double_their_intervals_and_end_with_a_tenth_of_warm_up_left() {
    let searches = |n_warmup: usize| (0..n_warmup).filter(|&i| is_time_to_search(i, n_warmup)).collect::<Vec<_>>();
    assert_eq!(searches(1_000), [9, 19, 39, 79, 159, 319, 639, 899]);
    assert_eq!(searches(20), [9, 17]);
    assert_eq!(searches(5), [4]);
    assert_eq!(searches(0), [0; 0]);
}

#[test]
fn a_search_finds_both_sides_and_remembers_who_has_two() {
    let posterior = posterior(Noise::TruncatedNormal);
    let mut x = map([0.3, 1.0]);
    let spread = Spread::Scales(SCALES.to_vec());
    let mut mode_jumps = ModeJumps::default();
    let mut jumper = Jumper::new(&posterior, &mut x, given(&spread)).unwrap();
    mode_jumps.search(&mut jumper, &mut stream(1, 0, Purpose::Sampling));
    let first = mode_jumps.objects.iter().find(|multimodal| multimodal.position == FIRST);
    assert!(first.is_some_and(|first| first.anchors.len() == 2), "{mode_jumps:?}");
}

/// Forty others on a line and one beside it, which alone tells on which side of the line the first object is.
fn beside_a_line() -> (Posterior, Vec<f64>) {
    const N_OBJECTS: usize = 42;
    let location = |object: usize| match object {
        0 => TRUTH,
        1 => [0.0, 1.5],
        k => [0.1 * k as f64 - 2.0, if k % 2 == 0 { 0.05 } else { -0.05 }],
    };
    let (likelihood, x) = measured_without_error(&(0..N_OBJECTS).map(location).collect::<Vec<_>>());
    (Posterior::new(Arc::new(likelihood), Priors::paper(2)), x)
}

/// Eight searches from random others all lead to the wrong side about once in 256 searches. An object that neither looks from where it is
/// nor compares would be lost to it.
#[test]
fn searches_never_lose_a_good_mode() {
    let (posterior, mut x) = beside_a_line();
    let spread = Spread::Scales(SCALES.to_vec());
    let mut jumper = Jumper::new(&posterior, &mut x, given(&spread)).unwrap();
    let rng = &mut stream(1, 0, Purpose::Sampling);
    for search in 0..3_000 {
        let modes = jumper.search_modes(FIRST, &[], rng);
        jumper.settle(FIRST, &modes, rng);
        assert!(jumper.location(FIRST)[1] > 0.0, "lost in search {search}");
    }
}

/// The one beside the line is 2.52 from the wrong side instead of 0.58, 6.5 sigma: exp(-21) or 1e-9 of the probability, which other
/// partners may turn round.
#[test]
fn a_search_remembers_a_mode_that_is_improbable_now() {
    let (posterior, mut x) = beside_a_line();
    let spread = Spread::Scales(SCALES.to_vec());
    let mut jumper = Jumper::new(&posterior, &mut x, given(&spread)).unwrap();
    let mut mode_jumps = ModeJumps::default();
    mode_jumps.search(&mut jumper, &mut stream(1, 0, Purpose::Sampling));
    let first = mode_jumps.objects.iter().find(|multimodal| multimodal.position == FIRST);
    assert!(first.is_some_and(|first| first.anchors.len() == 2), "{mode_jumps:?}");
}

/// Below the line, left of its middle: of the others there, the three that lie 0.05, 0.15 and 0.25 to the side.
#[test]
fn a_mode_is_searched_from_the_middle_of_others_around_it() {
    let (posterior, mut x) = beside_a_line();
    let spread = Spread::Scales(SCALES.to_vec());
    let jumper = Jumper::new(&posterior, &mut x, given(&spread)).unwrap();
    let mut around = jumper.nearest(FIRST, &[-0.35 / SIGMA, -0.5 / SIGMA], &[false; 42]);
    around.sort_unstable();
    assert_eq!(around, [15, 17, 19].map(Position::new));
    let middle = jumper.middle(&around);
    assert!((middle[0] * SIGMA + 0.3).abs() < 1e-12 && (middle[1] * SIGMA + 0.05).abs() < 1e-12, "{middle:?}");
    let excluded: Vec<bool> = (0..42).map(|object| object == 17).collect();
    assert!(!jumper.nearest(FIRST, &[-0.35 / SIGMA, -0.5 / SIGMA], &excluded).contains(&Position::new(17)));
}

/// All distances between objects at these locations, and the map of them.
fn measured_without_error(locations: &[[f64; 2]]) -> (Likelihood, Vec<f64>) {
    let n_objects = locations.len();
    let distance = |a: usize, b: usize| {
        let ([x, y], [to_x, to_y]) = (locations[a], locations[b]);
        (x - to_x).hypot(y - to_y)
    };
    let all = Pairs::full(n_objects);
    let likelihood = Likelihood::new(n_objects, 2, &all, Noise::TruncatedNormal, Storage::F64, distance);
    (likelihood, (0..2).flat_map(|dim| locations.iter().map(move |location| location[dim])).collect())
}

/// How many modes an object at `truth` among `others` has, and whether they pass for normals.
fn modes_among(others: &[[f64; 2]], truth: [f64; 2]) -> (usize, bool) {
    let (likelihood, x) = measured_without_error(&[&[truth], others].concat());
    let mut surroundings = Surroundings::new(likelihood.conditional().unwrap());
    surroundings.gather(MapPoint { x: &x, sigma: SIGMA, own: &[] }, FIRST, &SCALES);
    let modes = Modes::find(&surroundings, std::iter::once(truth.map(|x| x / SIGMA).to_vec()));
    (modes.len(), modes.are_normal(&surroundings))
}

/// Others all around hold an object in a round mode. Two others side by side leave it a ring, along whose tangent the Laplace
/// approximation is far too long.
#[test]
fn a_mode_among_others_is_normal_and_a_ring_is_not() {
    let all_around: Vec<[f64; 2]> = (0..16).map(|k| [(f64::from(k)).cos(), (f64::from(k)).sin()]).collect();
    assert_eq!(modes_among(&all_around, [0.1, 0.2]), (1, true));
    let side_by_side = [[-0.05, 0.0], [0.05, 0.0]];
    assert_eq!(modes_among(&side_by_side, [0.0, 1.0]), (1, false));
}
