//! Chains in single precision: when they are, what they report, and that their draws are those of the exact posterior.

use std::sync::Arc;

use sbmds::coupling::Pairs;
use sbmds::likelihood::{Arithmetic, Likelihood, MapGradient, MapPoint, Noise, Storage};
use sbmds::posterior::{NoisePrior, Parameters, Posterior, Priors, ScalePrior, Spread, Variance, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{ArithmeticChoice, Chain, Sampler, SamplerSettings};

use crate::kit::{Model, settings, single};

const N_OBJECTS: usize = 30;

fn model(sigma: f64) -> Model {
    let priors = Priors { scales: ScalePrior::Fixed { variances: vec![1.0; 2] }, noise: NoisePrior::Fixed { sigma } };
    Model::new(N_OBJECTS, 2, Pairs::full(N_OBJECTS), Noise::TruncatedNormal, priors)
}

#[test]
fn auto_is_single_precision_where_that_is_accurate() {
    for (sigma, sampler, expected) in [
        (0.2, Sampler::Jhmc, Arithmetic::F32),
        (0.2, Sampler::Nuts, Arithmetic::F32),
        (0.2, Sampler::Hmc, Arithmetic::F32),
        (0.2, Sampler::Mh, Arithmetic::F64),
        // 6e-8 / 1e-5 times the root of twice 435 squared residuals is more than 0.05.
        (1e-5, Sampler::Nuts, Arithmetic::F64),
        (1e-5, Sampler::Hmc, Arithmetic::F64),
    ] {
        let mut rng = stream(3, 0, Purpose::Sampling);
        let problem = model(sigma).draw(&mut rng);
        let settings = SamplerSettings { arithmetic: ArithmeticChoice::Auto, ..settings(sampler, 20) };
        let mut chain = problem.chain(&settings, rng, Workspace::serial());
        for _ in 0..25 {
            chain.step();
        }
        assert_eq!(chain.arithmetic(), expected, "{sampler}, sigma {sigma}");
    }
}

#[test]
fn reported_log_likelihoods_are_double() {
    for sampler in [Sampler::Jhmc, Sampler::Nuts, Sampler::Hmc] {
        let mut rng = stream(4, 0, Purpose::Sampling);
        let problem = model(0.01).draw(&mut rng);
        let mut chain = problem.chain(&single(settings(sampler, 20)), rng, Workspace::serial());
        let mut largest_difference = 0.0_f64;
        for step in 0..60 {
            chain.step();
            if step < 20 {
                continue;
            }
            let (likelihood, mut workspace) = (problem.posterior.likelihood(), Workspace::serial().likelihood);
            let at = MapPoint { x: chain.x(), sigma: chain.sigma(), own: &[] };
            let exact = likelihood.value(&mut workspace, at);
            workspace.arithmetic = Arithmetic::F32;
            let gradient = MapGradient { x: &mut vec![0.0; 2 * N_OBJECTS], own: &mut [] };
            let rounded = likelihood.both(&mut workspace, at, gradient).log_likelihood;
            largest_difference = largest_difference.max((exact - rounded).abs());
            let reported = chain.log_likelihood();
            assert!((reported - exact).abs() < 1e-9 * exact.abs(), "{sampler}: {reported} {exact}");
        }
        assert!(largest_difference > 1e-5, "{sampler}: the test cannot tell");
    }
}

#[test]
fn a_saved_chain_goes_on_in_its_arithmetic() {
    for sampler in [Sampler::Jhmc, Sampler::Nuts, Sampler::Hmc] {
        for stop in [5, 20, 33] {
            let mut rng = stream(5, 0, Purpose::Sampling);
            let problem = model(0.2).draw(&mut rng);
            let settings = SamplerSettings { arithmetic: ArithmeticChoice::Auto, ..settings(sampler, 20) };
            let mut whole = problem.chain(&settings, rng.clone(), Workspace::serial());
            let mut first = problem.chain(&settings, rng, Workspace::serial());
            (0..stop).for_each(|_| _ = first.step());
            let state = first.state().clone();
            let mut second = Chain::resume(&problem.posterior, state, Workspace::serial());
            (stop..40).for_each(|_| _ = second.step());
            (0..40).for_each(|_| _ = whole.step());
            assert_eq!(whole.x(), second.x(), "{sampler}, stopped after {stop}");
            assert_eq!(whole.arithmetic(), Arithmetic::F32);
        }
    }
}

/// Three objects on a line in steps of a million sigma: single precision knows their distances to a quarter of sigma only.
const COARSE_SIGMA: f64 = 3e-7;

/// Dissimilarities that single precision rounds by tenths of sigma. On a line x = (0, -u, -u - v), with u and v positive and long
/// and a flat prior, (u, v) is normal with precision [2, 1; 1, 2] / sigma^2.
const DELTAS: [f64; 3] = [0.7 + 1.3e-7, 1.1 - 0.9e-7, 1.8 + 3.7e-7];

fn coarse_posterior() -> Posterior {
    let delta = |a: usize, b: usize| DELTAS[if a.abs_diff(b) == 2 { 2 } else { a.min(b) }];
    let likelihood = Likelihood::new(3, 1, &Pairs::full(3), Noise::TruncatedNormal, Storage::F64, delta);
    let scales = ScalePrior::Fixed { variances: vec![1e6] };
    Posterior::new(Arc::new(likelihood), Priors { scales, noise: NoisePrior::Fixed { sigma: COARSE_SIGMA } })
}

/// Mean and variance of u, in units of sigma from its posterior mean.
fn moments_of_u(sampler: Sampler) -> [f64; 2] {
    let posterior = coarse_posterior();
    let spread = Spread::Scales(vec![1e6]);
    let start =
        Parameters { x: vec![0.9, 0.2, -0.9], variance: Variance::of_sigma(COARSE_SIGMA), spread, own: Vec::new() };
    let settings = SamplerSettings { mode_jumps: false, ..single(settings(sampler, 500)) };
    let rng = stream(6, 0, Purpose::Sampling);
    let mut chain = Chain::start(&posterior, &settings, start, rng, Workspace::serial());
    (0..500).for_each(|_| _ = chain.step());
    let surplus = DELTAS[2] - DELTAS[0] - DELTAS[1];
    let draws: Vec<f64> = (0..20_000)
        .map(|_| {
            chain.step();
            (chain.x()[0] - chain.x()[1] - DELTAS[0] - surplus / 3.0) / COARSE_SIGMA
        })
        .collect();
    let mean = draws.iter().sum::<f64>() / draws.len() as f64;
    [mean, draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / draws.len() as f64]
}

/// Without the step that accepts draws of jhmc and NUTS by their f64 energies, the mean is off by a tenth of sigma and more.
#[test]
fn draws_are_exact_even_where_single_precision_is_coarse() {
    for sampler in [Sampler::Jhmc, Sampler::Nuts, Sampler::Hmc] {
        let [mean, variance] = moments_of_u(sampler);
        assert!(mean.abs() < 0.04, "{sampler}: {mean}");
        assert!((variance - 2.0 / 3.0).abs() < 0.04, "{sampler}: {variance}");
    }
}
