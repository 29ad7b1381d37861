//! The two forms of the prior along a tree are one posterior: Sigma integrated out, or drawn in turn with the locations.

mod sampler_kit;

use sampler_kit::{Model, Problem, distance, priors, settings, tree_priors};
use sbmds::coupling::Pairs;
use sbmds::diagnostics::{Diagnosis, Monitored};
use sbmds::likelihood::Noise;
use sbmds::posterior::{Posterior, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Sampler, SamplerSettings};

const N_OBJECTS: usize = 12;
const N_DIMS: usize = 2;
const N_CHAINS: usize = 4;
const N_DRAWS: usize = 2_500;
/// Means may differ by so many of their standard errors: with 20 comparisons and a fixed seed, once in 800 choices of it.
const LIMIT: f64 = 4.0;
const QUANTITIES: [&str; 5] = ["log trace", "log determinant", "log sigma", "distance", "log likelihood"];

/// What the draws of a sampler say of every quantity.
fn diagnoses(problem: &Problem, sampler: Sampler) -> Vec<Diagnosis> {
    let settings = SamplerSettings { leapfrog_steps: 15, max_depth: 8, ..settings(sampler, 500) };
    let mut quantities = vec![vec![Vec::new(); N_CHAINS]; QUANTITIES.len()];
    for number in 0..N_CHAINS {
        let mut chain = problem.chain(&settings, stream(11, number, Purpose::Sampling), Workspace::serial());
        while chain.is_warming_up() {
            chain.step();
        }
        for _ in 0..N_DRAWS {
            chain.step();
            let precision = chain.spread().precision().unwrap();
            let values = [
                precision.trace_covariance().ln(),
                precision.log_det(),
                chain.sigma().ln(),
                distance(chain.x(), N_OBJECTS, 0, 1),
                chain.log_likelihood(),
            ];
            quantities.iter_mut().zip(values).for_each(|(draws, value)| draws[number].push(value));
        }
    }
    let named = QUANTITIES.into_iter().zip(quantities);
    named.map(|(name, draws)| Diagnosis::new(&Monitored::new(name, draws).unwrap())).collect()
}

#[test]
fn collapsed_and_gibbs_draws_have_the_same_means() {
    let (_, priors) = priors(N_DIMS).remove(1);
    let [(_, collapsed), (_, gibbs)]: [_; 2] = tree_priors(N_OBJECTS, N_DIMS, 2.0).try_into().unwrap();
    let model = Model::new(N_OBJECTS, N_DIMS, Pairs::full(N_OBJECTS), Noise::TruncatedNormal, priors);
    let first = model.clone().with_tree(collapsed).draw(&mut stream(9, 0, Purpose::Simulation));
    // The same data under the other form.
    let mut truth = first.truth.clone();
    truth.spread = gibbs.spread(truth.spread.precision().unwrap().clone());
    let posterior: Posterior = first.posterior.clone().with_tree(gibbs);
    let second = Problem { truth, posterior, surrogate: first.surrogate.clone() };
    let reference = diagnoses(&first, Sampler::Nuts);
    for (label, problem, sampler) in [
        ("gibbs, nuts", &second, Sampler::Nuts),
        ("gibbs, hmc", &second, Sampler::Hmc),
        ("collapsed, hmc", &first, Sampler::Hmc),
        ("collapsed, mwg", &first, Sampler::Mwg),
    ] {
        for (a, b) in reference.iter().zip(diagnoses(problem, sampler)) {
            let (name, difference, error) = (&a.name, a.mean - b.mean, a.mcse_mean.hypot(b.mcse_mean));
            eprintln!("{label}, {name}: {difference:.4} +- {error:.4}, ESS {:.0} and {:.0}", a.ess_bulk, b.ess_bulk);
            assert!(b.ess_bulk > 100.0, "{label}, {name}: {} effective draws say nothing", b.ess_bulk);
            assert!(difference.abs() < LIMIT * error, "{label}, {name}: means differ by {difference} +- {error}");
        }
    }
}
