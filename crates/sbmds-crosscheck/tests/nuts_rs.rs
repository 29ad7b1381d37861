//! The project's no-U-turn sampler against that of the `nuts-rs` crate, on one small posterior.

#[allow(dead_code)] // The samplers' own tests use the rest.
#[path = "../../sbmds/tests/sampler/kit.rs"]
mod kit;

use std::collections::HashMap;

use kit::{Model, Problem, distance, priors, settings};
use nuts_rs::{Chain as _, CpuLogpFunc, CpuMath, CpuMathError, DiagNutsSettings, HasDims, LogpError, Settings};
use sbmds::coupling::Pairs;
use sbmds::diagnostics::{Chains, ess_bulk, mcse_mean};
use sbmds::likelihood::Noise;
use sbmds::posterior::Workspace;
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{JointTarget, Sampler, Target};

const N_OBJECTS: usize = 6;
const N_CHAINS: usize = 4;
const N_WARMUP: usize = 1_000;
const N_DRAWS: usize = 4_000;

/// The joint density as nuts-rs asks for it.
struct Foreign<'a> {
    problem: &'a Problem,
    workspace: Workspace,
}

/// A density that is not finite: a divergence.
#[derive(Debug, thiserror::Error)]
#[error("the log density is not finite")]
struct NotFinite;

impl LogpError for NotFinite {
    fn is_recoverable(&self) -> bool {
        true
    }
}

impl HasDims for Foreign<'_> {
    fn dim_sizes(&self) -> HashMap<String, u64> {
        HashMap::from([("unconstrained_parameter".to_owned(), self.dim() as u64)])
    }
}

impl CpuLogpFunc for Foreign<'_> {
    type LogpError = NotFinite;
    type FlowParameters = ();
    type ExpandedVector = Vec<f64>;

    fn dim(&self) -> usize {
        self.problem.truth.x.len() + 1
    }

    fn logp(&mut self, position: &[f64], gradient: &mut [f64]) -> Result<f64, NotFinite> {
        let Problem { posterior, truth, .. } = self.problem;
        let mut target = JointTarget::new(posterior, &mut self.workspace, truth.given());
        let log_density = target.evaluate(position, gradient).log_density;
        if log_density.is_finite() { Ok(log_density) } else { Err(NotFinite) }
    }

    fn expand_vector<R: nuts_rs::rand::Rng + ?Sized>(
        &mut self,
        _: &mut R,
        position: &[f64],
    ) -> Result<Vec<f64>, CpuMathError> {
        Ok(position.to_vec())
    }
}

/// Distances of all pairs and log sigma, of (x, log sigma).
fn measure(position: &[f64]) -> Vec<f64> {
    let (log_sigma, x) = position.split_last().unwrap();
    let pairs = (0..N_OBJECTS).flat_map(|a| (a + 1..N_OBJECTS).map(move |b| (a, b)));
    pairs.map(|(a, b)| distance(x, N_OBJECTS, a, b)).chain([*log_sigma]).collect()
}

fn start(problem: &Problem) -> Vec<f64> {
    [problem.truth.x.as_slice(), &[problem.truth.sigma().ln()]].concat()
}

fn theirs(problem: &Problem, chain: usize) -> Vec<Vec<f64>> {
    let settings = DiagNutsSettings { num_tune: N_WARMUP as u64, ..Default::default() };
    let math = CpuMath::new(Foreign { problem, workspace: Workspace::serial() });
    let mut rng = stream(21, chain, Purpose::Sampling);
    let mut sampler = settings.new_chain(chain as u64, math, &mut rng).unwrap();
    sampler.set_position(&start(problem)).unwrap();
    let draws: Vec<_> = (0..N_WARMUP + N_DRAWS).map(|_| measure(&sampler.draw().unwrap().0)).collect();
    draws[N_WARMUP..].to_vec()
}

fn ours(problem: &Problem, chain: usize) -> Vec<Vec<f64>> {
    let rng = stream(22, chain, Purpose::Sampling);
    let mut chain = problem.chain(&settings(Sampler::Nuts, N_WARMUP), rng, Workspace::serial());
    while chain.is_warming_up() {
        chain.step();
    }
    (0..N_DRAWS)
        .map(|_| {
            chain.step();
            measure(&[chain.x(), &[chain.sigma().ln()]].concat())
        })
        .collect()
}

/// Mean, its Monte Carlo standard error and the effective draws of each quantity.
fn estimates(draws: &[Vec<Vec<f64>>]) -> Vec<[f64; 3]> {
    let of_quantity = |k: usize| {
        let values: Vec<Vec<f64>> = draws.iter().map(|chain| chain.iter().map(|draw| draw[k]).collect()).collect();
        let chains = Chains::new(&values).unwrap();
        let mean = values.iter().flatten().sum::<f64>() / (N_CHAINS * N_DRAWS) as f64;
        [mean, mcse_mean(&chains), ess_bulk(&chains)]
    };
    (0..draws[0][0].len()).map(of_quantity).collect()
}

#[test]
fn nuts_agrees_with_nuts_rs() {
    let (_, priors) = priors(2).remove(1);
    let model = Model::new(N_OBJECTS, 2, Pairs::full(N_OBJECTS), Noise::TruncatedNormal, priors);
    let problem = model.draw(&mut stream(2, 0, Purpose::Simulation));
    let all = |draw: fn(&Problem, usize) -> Vec<Vec<f64>>| {
        estimates(&(0..N_CHAINS).map(|chain| draw(&problem, chain)).collect::<Vec<_>>())
    };
    let (ours, theirs) = (all(ours), all(theirs));
    for (quantity, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        let z = (ours[0] - theirs[0]) / ours[1].hypot(theirs[1]);
        eprintln!("{quantity:2}: {ours:.4?} {theirs:.4?} z = {z:.2}");
        assert!(z.abs() < 4.0, "quantity {quantity}: {} and {} (z = {z})", ours[0], theirs[0]);
        assert!(ours[2] > 2_000.0 && theirs[2] > 1_000.0, "quantity {quantity}: too few effective draws");
    }
}
