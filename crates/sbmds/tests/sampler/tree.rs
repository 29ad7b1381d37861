//! The two forms of the prior along a tree are one posterior: Sigma integrated out, or drawn in turn with the locations.

use rayon::prelude::*;
use sbmds::calibration::UniformityTest;
use sbmds::coupling::Pairs;
use sbmds::diagnostics::{Diagnosis, Monitored};
use sbmds::likelihood::Noise;
use sbmds::posterior::{Parameters, Posterior, Spread, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Chain, Sampler, SamplerSettings};

use crate::kit::{Model, Problem, distance, priors, settings, tree_priors};

const N_OBJECTS: usize = 12;
const N_DIMS: usize = 2;
const N_CHAINS: usize = 4;
const N_DRAWS: usize = 2_500;
/// Means may differ by this many of their standard errors: with 20 comparisons and a fixed seed, once in 800 choices of it.
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
    let second = Problem { truth, posterior };
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

/// Ranks of the true rate (trace(Sigma)) and noise among draws of fits that start elsewhere, one per simulated data set.
fn ranks(model: &Model, n_replicates: usize) -> [Vec<usize>; 2] {
    let settings = settings(Sampler::Nuts, 300);
    let rank_of = |replicate: usize| {
        let problem = model.draw(&mut stream(31, replicate, Purpose::Simulation));
        // From another draw of the prior of everything but the map, which is jittered.
        let mut rng = stream(32, replicate, Purpose::Start);
        let elsewhere = model.draw_parameters(&mut rng);
        let jittered = problem.truth.x.iter().zip(&elsewhere.x).map(|(x, other)| x + 0.05 * other).collect();
        let start = Parameters { x: jittered, ..elsewhere };
        let rng = stream(33, replicate, Purpose::Sampling);
        let mut chain = Chain::start(&problem.posterior, &settings, start, rng, Workspace::serial());
        while chain.is_warming_up() {
            chain.step();
        }
        let quantities =
            |parameters: (&Spread, f64)| [parameters.0.precision().unwrap().trace_covariance(), parameters.1];
        let truth = quantities((&problem.truth.spread, problem.truth.sigma()));
        let mut below = [0, 0];
        for _ in 0..N_RANKED {
            (0..5).for_each(|_| _ = chain.step());
            let draw = quantities((chain.spread(), chain.sigma()));
            below
                .iter_mut()
                .zip(draw.iter().zip(&truth))
                .for_each(|(below, (draw, truth))| *below += usize::from(draw < truth));
        }
        below
    };
    let of_replicates: Vec<[usize; 2]> = (0..n_replicates).into_par_iter().map(rank_of).collect();
    [0, 1].map(|quantity| of_replicates.iter().map(|ranks| ranks[quantity]).collect())
}

/// Draws among which the truth is ranked.
const N_RANKED: usize = 49;

/// Simulation-based calibration (Talts et al. 2018): the rate is recovered, with intervals that hold it as often as they say.
#[test]
fn rates_of_simulated_data_are_recovered_with_calibrated_intervals() {
    let (_, priors) = priors(N_DIMS).remove(1);
    let [(_, collapsed), (_, gibbs)]: [_; 2] = tree_priors(N_OBJECTS, N_DIMS, 2.0).try_into().unwrap();
    let model = Model::new(N_OBJECTS, N_DIMS, Pairs::full(N_OBJECTS), Noise::TruncatedNormal, priors);
    let test = UniformityTest::new(N_RANKED, 200, &mut stream(34, 0, Purpose::Simulation));
    for (label, tree) in [("collapsed", collapsed.clone()), ("gibbs", gibbs)] {
        let [of_rate, of_noise] = ranks(&model.clone().with_tree(tree), 200);
        for (name, ranks) in [("trace(Sigma)", &of_rate), ("sigma", &of_noise)] {
            let p = test.p_value(ranks);
            assert!(p > 1e-3, "{label}, {name}: p = {p:.2e}, ranks {ranks:?}");
        }
        // Ranks 5 to 44 of 50 are the central 80%: 160 +- 5.7 of 200.
        let inside = of_rate.iter().filter(|&&rank| (5..45).contains(&rank)).count();
        assert!((140..=180).contains(&inside), "{label}: {inside} of 200 intervals of 80% hold the rate");
    }
    // Fits that expect another rate are found out.
    let [(_, other), _]: [_; 2] = tree_priors(N_OBJECTS, N_DIMS, 12.0).try_into().unwrap();
    let wrong = Model { assumed_tree: Some(other), ..model.with_tree(collapsed) };
    let [of_rate, _] = ranks(&wrong, 200);
    // The least p-value there is.
    assert!(test.p_value(&of_rate) < 2e-4);
}
