//! Anchored runs in a directory: a stopped search starts again, a run that goes on keeps its anchor, and chains share one.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sbmds::fit::{ChainProgress, Fitted, Observer};
use sbmds::run::{Changes, Control, FitConfig, Outcome, RunError, combine, fit, resume};

const N: usize = 30;

/// Counts passes over all pairs, and stops the fit at one of them.
#[derive(Default)]
struct Passes {
    n: AtomicUsize,
    stop_at: Option<usize>,
    stop: AtomicBool,
}

impl Observer for Passes {
    fn note(&self, text: &str) {
        if text.starts_with("anchor: pass") {
            let n = self.n.fetch_add(1, Ordering::Relaxed) + 1;
            self.stop.fetch_or(Some(n) == self.stop_at, Ordering::Relaxed);
        }
    }

    fn warn(&self, _: &str) {}

    fn progress(&self, _: &ChainProgress) {}
}

/// What `work` gives under control of `passes`, and how many passes it took.
fn watched<T>(passes: Passes, deadline: Option<Instant>, work: impl FnOnce(&Control) -> T) -> (T, usize) {
    let control = Control {
        observer: &passes,
        stop: &passes.stop,
        n_threads: 1,
        checkpoint_interval: Duration::from_secs(3600),
        deadline,
        force: false,
        engine: None,
    };
    (work(&control), passes.n.load(Ordering::Relaxed))
}

/// Settings of a small anchored fit of a matrix that is written here.
fn settings(directory: &Path) -> FitConfig {
    let at = |n: usize| [0.618_034, 0.414_214].map(|step| (n as f64 * step).fract());
    let delta = |a: usize, b: usize| {
        let ([x, y], [u, v]) = (at(a), at(b));
        (x - u).hypot(y - v) + 0.1 * ((a * b + a + b) as f64 * 0.732_051).fract()
    };
    let row = |a: usize| {
        (0..N).map(|b| format!(",{}", if a == b { 0.0 } else { delta(a.min(b), a.max(b)) })).collect::<String>()
    };
    let heading: String = (0..N).map(|n| format!(",o{n}")).collect();
    let rows: String = (0..N).map(|a| format!("o{a}{}\n", row(a))).collect();
    let input = directory.join("matrix.csv");
    std::fs::write(&input, format!("{heading}\n{rows}")).unwrap();
    let mut config = FitConfig { sbmds_version: env!("CARGO_PKG_VERSION").into(), ..FitConfig::default() };
    config.input.path = input;
    config.model.couplings = "anchored:5".parse().unwrap();
    config.sampler.n_warmup = 60;
    (config.run.chains, config.run.draws, config.run.seed) = (2, 40, 7);
    config
}

fn finished((outcome, _): &(Result<Outcome, RunError>, usize)) -> &Fitted {
    let Ok(Outcome::Finished(fitted)) = outcome else { panic!("the run did not end") };
    fitted
}

fn bits(fitted: &Fitted) -> Vec<u64> {
    let mut bits = Vec::new();
    fitted.draws().for_each_x(|_, _, x| bits.extend(x.as_slice().iter().map(|x| x.to_bits()))).unwrap();
    bits
}

#[test]
fn a_stopped_search_starts_again_and_a_kept_anchor_is_not_searched_for() {
    let directory = tempfile::tempdir().unwrap();
    let (config, kept) = (settings(directory.path()), "checkpoints/anchor");
    let [run, plain] = ["run", "plain"].map(|name| directory.path().join(name));
    let whole = watched(Passes::default(), None, |control| fit(config.clone(), &plain, control));
    assert!(whole.1 > 1 && plain.join(kept).exists(), "{} passes", whole.1);

    let stopping = Passes { stop_at: Some(1), ..Passes::default() };
    let stopped = watched(stopping, None, |control| fit(config.clone(), &run, control));
    assert!(matches!(stopped.0, Ok(Outcome::Interrupted)) && !run.join(kept).exists());
    let late = watched(Passes::default(), Some(Instant::now()), |control| resume(&run, &Changes::default(), control));
    assert!(matches!(late.0, Ok(Outcome::TimeUp(None))) && !run.join(kept).exists());
    let again = watched(Passes::default(), None, |control| resume(&run, &Changes::default(), control));
    assert_eq!(again.1, whole.1);
    assert_eq!(bits(finished(&again)), bits(finished(&whole)));

    let more = Changes { draws: Some(60), ..Changes::default() };
    let longer = watched(Passes::default(), None, |control| resume(&run, &more, control));
    assert_eq!(longer.1, 0, "the anchor was searched for again");
    assert!(finished(&longer).summary().anchor.is_some());

    std::fs::write(run.join(kept), "no anchor").unwrap();
    let more = Changes { draws: Some(80), ..Changes::default() };
    let (refused, _) = watched(Passes::default(), None, |control| resume(&run, &more, control));
    let message = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(message.contains("is not a checkpoint of sbmds"), "{message}");
}

#[test]
fn chains_that_ran_one_by_one_are_combined_about_their_anchor() {
    let directory = tempfile::tempdir().unwrap();
    let config = settings(directory.path());
    let [joint, all] = ["joint", "all"].map(|name| directory.path().join(name));
    let whole = watched(Passes::default(), None, |control| fit(config.clone(), &joint, control));
    let parts = [1, 2].map(|chain| {
        let mut config = config.clone();
        config.run.chain = Some(chain);
        let run = directory.path().join(format!("chain-{chain}"));
        finished(&watched(Passes::default(), None, |control| fit(config, &run, control)));
        run
    });
    let combined = watched(Passes::default(), None, |control| combine(&parts, &all, None, control));
    assert_eq!(combined.1, 0, "the anchor was searched for again");
    assert!(all.join("checkpoints/anchor").exists());
    assert_eq!(bits(finished(&combined)), bits(finished(&whole)));
    assert_eq!(finished(&combined).summary().anchor, finished(&whole).summary().anchor);
}
