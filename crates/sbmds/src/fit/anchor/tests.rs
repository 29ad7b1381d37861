//! The check of an anchored fit, with the right anchor and with a wrong one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::coupling::Couplings;
use crate::dissimilarity::{Dissimilarities, Names};
use crate::fit::AnchorCheck;
use crate::fit::builder::fit_in_memory;
use crate::fit::control::Control;
use crate::fit::observer::Silent;
use crate::fit::problem::Problem;
use crate::fit::problem::prepare::prepare;
use crate::fit::sink::MemorySink;
use crate::random::{Purpose, stream};
use crate::settings::FitConfig;
use crate::settings::resolved::FileFindings;
use crate::simulate::{Noise, Simulation};

const N: usize = 80;

/// What the check says of a fit whose problem `change` has changed.
fn checked(change: impl FnOnce(Problem) -> Problem) -> AnchorCheck {
    let mut rng = stream(5, 0, Purpose::Simulation);
    let simulation = Simulation::new(N, 2, Noise::HalfNormal { sd: 0.2 }, &mut rng);
    let data = Dissimilarities::from_fn(Names::numbered(N), |a, b| simulation.delta(a, b));
    let mut config = FitConfig::default();
    config.model.couplings = Couplings::Anchored(10);
    (config.run.chains, config.run.draws, config.sampler.n_warmup) = (2, 200, 200);
    let stop = AtomicBool::new(false);
    let control = Control {
        observer: &Silent,
        stop: &stop,
        n_threads: 1,
        checkpoint_interval: Duration::MAX,
        deadline: None,
        force: false,
        engine: None,
    };
    let config = config.check().unwrap();
    let (config, problem) = prepare(config, data, None, FileFindings::default(), &control).unwrap();
    let fitted =
        fit_in_memory(config, change(problem), &control, Box::new(|plan| Ok(Box::new(MemorySink::new(plan)?))))
            .unwrap();
    fitted.summary().anchor.clone().unwrap()
}

/// The same problem with the mode elsewhere: by about two standard deviations in every coordinate, to and fro.
fn misled(problem: Problem) -> Problem {
    let anchored = problem.anchored.as_ref().unwrap();
    // Information about a coordinate is about N / (2 sigma^2).
    let pull = 2.0 * (N as f64 / 2.0).sqrt() / anchored.sigma_at_anchor();
    let tilt: Vec<f64> = (0..2 * N).map(|k| if k % 2 == 0 { pull } else { -pull }).collect();
    let wrong = Arc::new(anchored.tilted(&tilt));
    let posterior = problem.posterior.clone().with_likelihood(Arc::clone(&wrong) as _);
    Problem { posterior, anchored: Some(wrong), ..problem }
}

#[test]
fn the_right_anchor_holds_and_a_wrong_one_is_noticed() {
    let right = checked(|problem| problem);
    assert!(right.holds, "{right:?}");
    let wrong = checked(misled);
    assert!(!wrong.holds && wrong.shift > 1.0, "{wrong:?}");
    assert!(wrong.sentence().contains("is not that of all pairs"), "{}", wrong.sentence());
}
