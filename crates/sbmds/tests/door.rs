//! A fit of data in memory: the same as that of a file in a directory, bit for bit.

#[path = "../examples/features_to_map.rs"]
mod features_to_map;
#[path = "../examples/fit_in_memory.rs"]
mod fit_in_memory;
#[path = "../examples/own_sink.rs"]
mod own_sink;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sbmds::dissimilarity::Dissimilarities;
use sbmds::draws::DrawReader;
use sbmds::fit::{ChainProgress, Fit, Fitted, Observer};
use sbmds::run::{Control, FitConfig, Keep, Outcome, RunError, Silent, TreeConfig, fit};
use sbmds::tree::Tree;

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
const TREE: &str = "((((a:1,b:1):1,(c:1,d:1):1):1,(e:2,f:2):1):1,(g:3,h:3):1);";

fn value(a: usize, b: usize) -> f64 {
    let [x, y] = [0.618, 0.414].map(|step| ((a as f64 * step).fract() - (b as f64 * step).fract()) * 3.0);
    (x.hypot(y) + 0.1 * ((a * b) as f64).sin().abs() * 1e3).round() / 1e3
}

fn data() -> Dissimilarities {
    let values: Vec<f64> = (0..8).flat_map(|a| (a + 1..8).map(move |b| value(a, b))).collect();
    Dissimilarities::from_condensed(&NAMES, &values).unwrap()
}

fn settings(config: &mut FitConfig) {
    config.sampler.n_warmup = 60;
    (config.run.chains, config.run.draws, config.run.seed) = (2, 40, 7);
}

/// The same fit from a file into a directory.
fn on_disk(directory: &Path, change: impl Fn(&mut FitConfig)) -> Fitted {
    let input = directory.join("matrix.csv");
    let row = |a: usize| {
        (0..8).map(|b| format!(",{}", if a == b { 0.0 } else { value(a.min(b), a.max(b)) })).collect::<String>()
    };
    let rows: String = (0..8).map(|a| format!("{}{}\n", NAMES[a], row(a))).collect();
    std::fs::write(&input, format!(",{}\n{rows}", NAMES.join(","))).unwrap();
    let mut config = FitConfig { sbmds_version: env!("CARGO_PKG_VERSION").into(), ..FitConfig::default() };
    config.input.path = input;
    settings(&mut config);
    change(&mut config);
    let stop = AtomicBool::new(false);
    let checkpoint_interval = Duration::from_secs(3600);
    let control = Control {
        observer: &Silent,
        stop: &stop,
        n_threads: 1,
        checkpoint_interval,
        deadline: None,
        force: false,
        engine: None,
    };
    match fit(config, &directory.join("run"), &control).unwrap() {
        Outcome::Finished(fitted) => *fitted,
        _ => panic!("the run did not end"),
    }
}

fn all_bits(reader: &DrawReader) -> Vec<u64> {
    let mut numbers = Vec::new();
    if reader.has_x() {
        reader.for_each_x(|_, _, x| numbers.extend_from_slice(x.as_slice())).unwrap();
    }
    for chain in 0..reader.n_chains() {
        reader.variables().for_each(|variable| numbers.extend(reader.scalar(&variable.name, chain).unwrap()));
        reader.stats().for_each(|stat| numbers.extend(reader.stat(&stat.name, chain).unwrap()));
    }
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn assert_equal(in_memory: &Fitted, on_disk: &Fitted) {
    assert_eq!(all_bits(in_memory.draws()), all_bits(on_disk.draws()));
    assert_eq!(in_memory.map().mean, on_disk.map().mean);
    assert_eq!(in_memory.map().stress, on_disk.map().stress);
    assert_eq!(in_memory.moments().unwrap(), on_disk.moments().unwrap());
    let timeless = |fitted: &Fitted| {
        let mut summary = fitted.summary().clone();
        summary.seconds = 0.0;
        summary.files.clear();
        summary.diffusion.iter_mut().for_each(|diffusion| diffusion.tree.clear());
        summary
    };
    assert_eq!(timeless(in_memory), timeless(on_disk));
}

#[test]
fn a_fit_in_memory_is_the_run_of_a_directory_bit_for_bit() {
    let changes: [fn(&mut FitConfig); 3] = [
        |_| {},
        |config| config.run.keep = Keep::Summary,
        |config| (config.model.couplings, config.run.until_ess) = ("dispersed:3".parse().unwrap(), Some(60.0)),
    ];
    for change in changes {
        let directory = tempfile::tempdir().unwrap();
        let in_memory = Fit::of(&data()).with(settings).with(change).threads(2).run().unwrap();
        assert_equal(&in_memory, &on_disk(directory.path(), change));
    }
}

#[test]
fn the_same_along_a_tree() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tree.nwk");
    std::fs::write(&path, TREE).unwrap();
    let on_disk = on_disk(directory.path(), |config| config.tree = Some(TreeConfig::new(path.clone())));
    let in_memory = Fit::of(&data()).with(settings).tree(Tree::parse(TREE).unwrap()).run().unwrap();
    assert_equal(&in_memory, &on_disk);
    assert!(in_memory.tree().unwrap().is_some());
}

#[test]
fn distances_and_reports_need_no_files() {
    let directory = tempfile::tempdir().unwrap();
    let fitted = Fit::of(&data()).with(settings).run().unwrap();
    let distances = fitted.distances("a", "c").unwrap();
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    assert_eq!(distances.len(), 80);
    assert!((mean - value(0, 2)).abs() < 0.5, "{mean} for {}", value(0, 2));
    let unknown = fitted.distances("a", "nobody").unwrap_err();
    assert!(matches!(unknown, RunError::NoObject(_)) && unknown.to_string().contains("nobody"));
    let page = directory.path().join("map.html");
    fitted.report(&page).unwrap();
    assert!(std::fs::read_to_string(page).unwrap().contains("</html>"));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "nothing but the page");
}

/// Stops a fit when the first chain has gone so far.
struct StopAt<'a> {
    iteration: usize,
    stop: &'a AtomicBool,
}

impl Observer for StopAt<'_> {
    fn note(&self, _: &str) {}
    fn warn(&self, _: &str) {}
    fn progress(&self, progress: &ChainProgress) {
        if progress.iteration >= self.iteration {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_fit_that_is_stopped_keeps_its_draws() {
    let long = |config: &mut FitConfig| {
        settings(config);
        (config.run.chains, config.run.draws) = (1, 1_000_000);
    };
    let stop = AtomicBool::new(false);
    let watch = StopAt { iteration: 100, stop: &stop };
    let stopped = Fit::of(&data()).with(long).observer(&watch).stop_when(&stop).run().unwrap();
    let n_draws = stopped.draws().n_complete(0);
    assert!((1..1_000_000).contains(&n_draws), "{n_draws}");
    assert!(!stopped.summary().converged || n_draws > 100);
    // Before the first draw there is nothing to keep.
    let outcome = Fit::of(&data()).with(long).stop_when(&AtomicBool::new(true)).run();
    assert!(matches!(outcome, Err(RunError::NoDraws)));
}

/// The examples check what they show.
#[test]
fn the_examples_of_whole_fits_hold() {
    fit_in_memory::main().unwrap();
    features_to_map::main().unwrap();
    own_sink::main().unwrap();
}
