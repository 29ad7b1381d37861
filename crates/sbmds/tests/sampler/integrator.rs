//! The integrators as physics, on every density the Hamiltonian samplers follow.

use rand_chacha::ChaCha8Rng;
use sbmds::coupling::Pairs;
use sbmds::likelihood::Noise;
use sbmds::posterior::{Given, Variance, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Evaluated, Integrator, JointTarget, LocationsTarget, PhasePoint, Target, Value, draw_momentum};

use crate::kit::{Model, Problem, priors, tree_priors};

fn rng(seed: u64) -> ChaCha8Rng {
    stream(seed, 0, Purpose::Simulation)
}

/// Three objects on a line or in the plane, all pairs.
fn three_objects(n_dims: usize, noise: Noise) -> Problem {
    let (_, priors) = priors(n_dims).remove(2);
    Model::new(3, n_dims, Pairs::full(3), noise, priors).draw(&mut rng(n_dims as u64))
}

/// Unequal masses: an integrator that forgets them somewhere is found out.
fn inverse_masses(n: usize) -> Vec<f64> {
    (0..n).map(|k| 0.5 + 0.3 * k as f64).collect()
}

fn start(target: &mut impl Target, position: &[f64]) -> PhasePoint {
    let momentum = draw_momentum(&inverse_masses(position.len()), &mut rng(17));
    PhasePoint { evaluated: Evaluated::at(target, position.to_vec()), momentum }
}

const INTEGRATORS: [Integrator; 2] = [Integrator::Leapfrog, Integrator::TwoStage];

/// Everything a trajectory must keep, at `position` of `target`.
fn check_integrator(target: &mut impl Target, position: &[f64]) {
    check_gradient(target, position);
    for integrator in INTEGRATORS {
        check_reversible(integrator, target, position, 0.05);
        check_volume(integrator, target, position, 0.1);
    }
    check_energy_errors(target, position);
}

/// There and, with the momentum flipped, back: the start to rounding.
fn check_reversible(integrator: Integrator, target: &mut impl Target, position: &[f64], step: f64) {
    let inverse_mass = inverse_masses(position.len());
    let begin = start(target, position);
    let mut point = begin.clone();
    integrator.follow(&mut point, target, &inverse_mass, step, 25);
    let moved = largest_difference(point.evaluated.position(), position);
    assert!(moved > 0.1, "a trajectory that stays proves nothing: {moved}");
    point.momentum.iter_mut().for_each(|p| *p = -*p);
    integrator.follow(&mut point, target, &inverse_mass, step, 25);
    let flipped: Vec<f64> = point.momentum.iter().map(|p| -p).collect();
    let back = largest_difference(point.evaluated.position(), position);
    assert!(back < 1e-11, "moved {moved}, came back to {back}");
    assert!(largest_difference(&flipped, &begin.momentum) < 1e-11);
    assert!((point.evaluated.log_density() - begin.evaluated.log_density()).abs() < 1e-10);
    // Backwards in time is the same as flipped.
    let mut forth = begin.clone();
    integrator.follow(&mut forth, target, &inverse_mass, step, 7);
    integrator.follow(&mut forth, target, &inverse_mass, -step, 7);
    assert!(largest_difference(forth.evaluated.position(), position) < 1e-11);
}

/// The determinant of the derivative of the end by the start is 1.
fn check_volume(integrator: Integrator, target: &mut impl Target, position: &[f64], step: f64) {
    let inverse_mass = inverse_masses(position.len());
    let begin = start(target, position);
    let n = position.len();
    let mut end_of = |phase: &[f64]| {
        let evaluated = Evaluated::at(target, phase[..n].to_vec());
        let mut point = PhasePoint { evaluated, momentum: phase[n..].to_vec() };
        integrator.follow(&mut point, target, &inverse_mass, step, 5);
        [point.evaluated.position(), &point.momentum].concat()
    };
    let phase = [position, &begin.momentum].concat();
    let width = 1e-5;
    let columns: Vec<Vec<f64>> = (0..2 * n)
        .map(|k| {
            let [mut up, mut down] = [phase.clone(), phase.clone()];
            up[k] += width;
            down[k] -= width;
            let (up, down) = (end_of(&up), end_of(&down));
            up.iter().zip(&down).map(|(up, down)| (up - down) / (2.0 * width)).collect()
        })
        .collect();
    // The map is no mere shift: its derivative is far from the identity.
    assert!((columns[n][0]).abs() > step);
    let determinant = determinant(columns);
    assert!((determinant - 1.0).abs() < 1e-6, "volume changes by {determinant}");
}

/// Halving the step at the same length of time quarters the energy error, of both integrators; for as many gradients that of two stages
/// is smaller.
fn check_energy_errors(target: &mut impl Target, position: &[f64]) {
    let inverse_mass = inverse_masses(position.len());
    let begin = start(target, position);
    let mut error = |integrator: Integrator, step: f64, n_steps: usize| {
        let mut point = begin.clone();
        integrator.follow(&mut point, target, &inverse_mass, step, n_steps);
        (point.energy(&inverse_mass) - begin.energy(&inverse_mass)).abs()
    };
    let [of_leapfrog, of_two_stages] = INTEGRATORS.map(|integrator| {
        let two = integrator.n_gradients();
        [0.02, 0.01, 0.005, 0.0025].map(|step| error(integrator, two as f64 * step, (0.2 / step) as usize / two))
    });
    for errors in [of_leapfrog, of_two_stages] {
        for pair in errors.windows(2) {
            let ratio = pair[0] / pair[1];
            assert!((3.5..4.5).contains(&ratio), "energy errors {errors:?}");
        }
    }
    assert!(of_two_stages[3] < 0.7 * of_leapfrog[3], "{of_two_stages:?} {of_leapfrog:?}");
}

/// The gradient is the central difference of the log density, in every component; with and without the value.
fn check_gradient(target: &mut impl Target, position: &[f64]) {
    let here = Evaluated::at(target, position.to_vec());
    let mut alone = vec![f64::NAN; position.len()];
    target.gradient(position, &mut alone);
    assert!(largest_difference(here.gradient().unwrap(), &alone) < 1e-12);
    for k in 0..position.len() {
        let mut at = |shift: f64| {
            let mut moved = position.to_vec();
            moved[k] += shift;
            Evaluated::at(target, moved).log_density()
        };
        let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
        let derivative = here.gradient().unwrap()[k];
        assert!(
            (derivative - difference).abs() < 1e-7 * (1.0 + derivative.abs()),
            "component {k}: {derivative} and {difference}"
        );
    }
}

#[test]
fn locations_target_is_integrated_as_physics() {
    for noise in Noise::ALL {
        for n_dims in [1, 2, 3] {
            let problem = three_objects(n_dims, noise);
            let Problem { truth, posterior, .. } = &problem;
            let workspace = &mut Workspace::serial();
            let mut target = LocationsTarget { posterior, workspace, given: truth.given() };
            check_integrator(&mut target, &truth.x);
        }
    }
}

/// The prior along a tree as part of every target, in both its forms.
#[test]
fn targets_with_a_tree_are_integrated_as_physics() {
    for n_dims in [1, 2, 3] {
        for (_, tree) in tree_priors(4, n_dims, 6.0) {
            let (_, priors) = priors(n_dims).remove(1);
            let model = Model::new(4, n_dims, Pairs::full(4), Noise::TruncatedNormal, priors).with_tree(tree);
            let Problem { truth, posterior } = &model.draw(&mut rng(n_dims as u64));
            let workspace = &mut Workspace::serial();
            let mut target = LocationsTarget { posterior, workspace, given: truth.given() };
            check_gradient(&mut target, &truth.x);
            // Tips a branch of 0.001 apart need small steps.
            INTEGRATORS.into_iter().for_each(|integrator| check_reversible(integrator, &mut target, &truth.x, 0.01));
            let mut target = JointTarget::new(posterior, workspace, truth.given());
            check_gradient(&mut target, &joint_position(&truth.x, truth.sigma()));
        }
    }
}

#[test]
fn joint_target_is_integrated_as_physics() {
    for noise in Noise::ALL {
        for n_dims in [1, 2, 3] {
            let Problem { truth, posterior, .. } = &three_objects(n_dims, noise);
            let workspace = &mut Workspace::serial();
            let mut target = JointTarget::new(posterior, workspace, truth.given());
            check_integrator(&mut target, &joint_position(&truth.x, truth.sigma()));
        }
    }
}

/// A density over log sigma is that over sigma^2 times the Jacobian 2 sigma^2, to the constant.
#[test]
fn joint_density_carries_the_jacobian() {
    let Problem { truth, posterior, .. } = &three_objects(2, Noise::TruncatedNormal);
    for variance in [0.01, 0.3, 1.0, 7.0].map(Variance::new) {
        let workspace = &mut Workspace::serial();
        let given = Given { sigma: variance.sigma(), ..truth.given() };
        let joint = Evaluated::at(
            &mut JointTarget::new(posterior, workspace, given),
            joint_position(&truth.x, variance.sigma()),
        );
        let given_sigma = posterior.value(&mut Workspace::serial(), &truth.x, given);
        let over_variance = given_sigma.of_locations() + posterior.noise().log_density(variance);
        let expected = over_variance + (2.0 * variance.get()).ln();
        assert!((joint.log_density() - expected).abs() < 1e-10, "{} and {expected}", joint.log_density());
        assert!((joint.value().density.log_likelihood - given_sigma.log_likelihood).abs() < 1e-10);
    }
}

/// A target that counts how often it is asked.
struct Counting<T> {
    target: T,
    values: usize,
    gradients: usize,
}

impl<T: Target> Target for Counting<T> {
    fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> Value {
        self.values += 1;
        self.gradients += 1;
        self.target.evaluate(position, gradient)
    }

    fn gradient(&mut self, position: &[f64], gradient: &mut [f64]) {
        self.gradients += 1;
        self.target.gradient(position, gradient);
    }
}

#[test]
fn as_many_gradients_as_stages_and_one_value_per_trajectory() {
    let Problem { truth, posterior, .. } = &three_objects(2, Noise::TruncatedNormal);
    let workspace = &mut Workspace::serial();
    let target = LocationsTarget { posterior, workspace, given: truth.given() };
    let mut counting = Counting { target, values: 0, gradients: 0 };
    let mut point = start(&mut counting, &truth.x);
    for (integrator, n_steps) in
        INTEGRATORS.into_iter().flat_map(|integrator| [1, 2, 20].map(|n_steps| (integrator, n_steps)))
    {
        (counting.values, counting.gradients) = (0, 0);
        integrator.follow(&mut point, &mut counting, &inverse_masses(6), 0.01, n_steps);
        assert_eq!((counting.gradients, counting.values), (n_steps * integrator.n_gradients(), 1));
    }
}

fn joint_position(x: &[f64], sigma: f64) -> Vec<f64> {
    [x, &[sigma.ln()]].concat()
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// By elimination with the largest pivot.
fn determinant(mut rows: Vec<Vec<f64>>) -> f64 {
    let mut product = 1.0;
    for k in 0..rows.len() {
        let pivot = (k..rows.len()).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs())).unwrap();
        if pivot != k {
            rows.swap(pivot, k);
            product = -product;
        }
        product *= rows[k][k];
        let (above, below) = rows.split_at_mut(k + 1);
        for row in below {
            let factor = row[k] / above[k][k];
            row.iter_mut().zip(&above[k]).skip(k).for_each(|(value, pivot)| *value -= factor * pivot);
        }
    }
    product
}
