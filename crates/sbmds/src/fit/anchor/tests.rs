//! The check of an anchored fit, with the right anchor and with a wrong one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::coupling::Couplings;
use crate::dissimilarity::{Dissimilarities, Names};
use crate::fit::AnchorCheck;
use crate::fit::anchor::{Anchor, FoundAnchor, anchor};
use crate::fit::builder::fit_in_memory;
use crate::fit::control::Control;
use crate::fit::observer::Silent;
use crate::fit::problem::Problem;
use crate::fit::problem::prepare::prepare;
use crate::fit::sink::MemorySink;
use crate::likelihood::{AnchorValue, MapPoint, Workspace};
use crate::random::{Purpose, stream};
use crate::settings::resolved::FileFindings;
use crate::settings::{FitConfig, Resolved};
use crate::simulate::{Noise, Simulation};

const N: usize = 80;

/// The problem of simulated data of so many dimensions on a map of two, with its anchor, given to `use_it`.
fn with_problem<T>(
    n_dims: usize,
    change: impl FnOnce(&mut FitConfig),
    use_it: impl FnOnce(Resolved, Problem, &Control) -> T,
) -> T {
    let mut rng = stream(5, 0, Purpose::Simulation);
    let simulation = Simulation::new(N, n_dims, Noise::HalfNormal { sd: 0.2 }, &mut rng);
    let data = Dissimilarities::from_fn(Names::numbered(N), |a, b| simulation.delta(a, b));
    let mut config = FitConfig::default();
    config.model.couplings = Couplings::Anchored(10);
    (config.run.chains, config.run.draws, config.sampler.n_warmup) = (2, 200, 200);
    change(&mut config);
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
    let (config, problem) = prepare(config, data, None, FileFindings::default(), None, &control).unwrap();
    use_it(config, problem, &control)
}

/// What the check says of a fit whose problem `change` has changed.
fn checked(change: impl FnOnce(Problem) -> Problem) -> AnchorCheck {
    let fitted = with_problem(
        2,
        |_| (),
        |config, problem, control| {
            fit_in_memory(config, change(problem), control, Box::new(|plan| Ok(Box::new(MemorySink::new(plan)?))))
                .unwrap()
        },
    );
    fitted.summary().anchor.clone().unwrap()
}

/// The same problem with the mode elsewhere: by about two standard deviations in every coordinate, to and fro.
fn misled(problem: Problem) -> Problem {
    let anchor = problem.anchor.unwrap();
    // Information about a coordinate is about N / (2 sigma^2).
    let pull = 2.0 * (N as f64 / 2.0).sqrt() / anchor.sigma();
    let tilt: Vec<f64> = (0..2 * N).map(|k| if k % 2 == 0 { pull } else { -pull }).collect();
    let wrong = Arc::new(anchor.likelihood.tilted(&tilt));
    let posterior = problem.posterior.clone().with_likelihood(Arc::clone(&wrong) as _);
    Problem { posterior, anchor: Some(Anchor { likelihood: wrong, ..anchor }), ..problem }
}

#[test]
fn the_right_anchor_holds_and_a_wrong_one_is_noticed() {
    let right = checked(|problem| problem);
    assert!(right.holds, "{right:?}");
    let wrong = checked(misled);
    assert!(!wrong.holds && wrong.shift > 1.0, "{wrong:?}");
    assert!(wrong.sentence().contains("is not that of all pairs"), "{}", wrong.sentence());
}

/// What is stored of an anchor makes the same likelihood, bit for bit, without a search.
#[test]
fn a_stored_anchor_makes_the_same_likelihood() {
    with_problem(
        2,
        |_| (),
        |config, problem, control| {
            let Problem { posterior, anchor: Some(first), .. } = problem else { panic!("no anchor") };
            let bytes = postcard::to_allocvec(&first.found).unwrap();
            let found: FoundAnchor = postcard::from_bytes(&bytes).unwrap();
            let problem = Problem { anchor: None, posterior, ..problem };
            let again = anchor(problem, &config, Some(found), control).unwrap().anchor.unwrap();
            assert_eq!(again.found, first.found);
            let x = first.map();
            let at = MapPoint { x: x.as_slice(), sigma: 1.1 * first.sigma(), own: &[] };
            let value = |of: &Anchor| AnchorValue::of(&*of.likelihood, &mut Workspace::serial(), at);
            assert_eq!(value(&again), value(&first));
        },
    );
}
