//! Experiments as a whole: cells, resuming, and the paper's numbers.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::authors::accuracy;
use super::data::half_normal;
use super::draw::Effort;
use super::*;

/// Two cells that count how often they are run.
#[derive(Default)]
struct Counted {
    n_runs: AtomicUsize,
    revision: u32,
}

impl Experiment for Counted {
    fn about(&self) -> About {
        About { name: "counted", source: "No paper", summary: "counts", full: None, needs: "" }
    }

    fn cells(&self, _: Scale) -> Vec<Cell> {
        (0..4).map(|repeat| Cell::new(5, 0.1, Method::Band, 1).repeated(repeat)).collect()
    }

    fn measured(&self) -> Vec<String> {
        vec!["number".into(), "unknown".into()]
    }

    fn run(&self, cell: &Cell, _: Scale) -> Result<Vec<f64>, ReproduceError> {
        self.n_runs.fetch_add(1, Ordering::Relaxed);
        Ok(vec![cell.repeat as f64 + 0.1, f64::NAN])
    }

    fn findings(&self, rows: &[Row], scale: Scale) -> Findings {
        let mut findings = tables::Tables.findings(&[], scale);
        findings.table = Table::new(&["number"]);
        findings.table.rows = rows.iter().map(|row| vec![row.values[0].to_string()]).collect();
        findings
    }

    fn revision(&self) -> u32 {
        self.revision
    }
}

fn run(experiment: &Counted, directory: &std::path::Path, limits: Limits) -> Result<Outcome, ReproduceError> {
    reproduce(experiment, Scale::Toy, directory, limits, 2, &AtomicBool::new(false), &|_| {})
}

#[test]
fn finished_cells_are_not_run_again_and_half_written_lines_are_cut_off() {
    let directory = tempfile::tempdir().unwrap();
    let experiment = Counted::default();
    let two = Limits { repeats: Some(2), ..Limits::default() };
    run(&experiment, directory.path(), two).unwrap();
    assert_eq!(experiment.n_runs.load(Ordering::Relaxed), 2);
    // Killed while the third line was written.
    let ledger = directory.path().join("counted.cells.jsonl");
    let whole = std::fs::read_to_string(&ledger).unwrap();
    std::fs::write(&ledger, format!("{whole}{{\"cell\":{{\"n_obj")).unwrap();
    let outcome = run(&experiment, directory.path(), Limits::default()).unwrap();
    assert!(matches!(outcome, Outcome::Finished(_)));
    assert_eq!(experiment.n_runs.load(Ordering::Relaxed), 4);
    assert!(std::fs::read_to_string(&ledger).unwrap().starts_with(&whole));
    let csv = std::fs::read_to_string(directory.path().join("counted.csv")).unwrap();
    assert_eq!(csv, "number\n0.1\n1.1\n2.1\n3.1\n");
    run(&experiment, directory.path(), Limits::default()).unwrap();
    assert_eq!(experiment.n_runs.load(Ordering::Relaxed), 4);
}

#[test]
fn cells_of_other_settings_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    run(&Counted::default(), directory.path(), Limits::default()).unwrap();
    let changed = Counted { revision: 9, ..Counted::default() };
    let error = run(&changed, directory.path(), Limits::default()).unwrap_err().to_string();
    assert!(error.contains("revision 0, now counted --toy, revision 9") && error.contains("--out"), "{error}");
    let none = Limits { max_objects: Some(3), ..Limits::default() };
    assert!(matches!(run(&Counted::default(), directory.path(), none), Err(ReproduceError::NoCells)));
}

#[test]
fn a_stopped_experiment_is_interrupted() {
    let directory = tempfile::tempdir().unwrap();
    let experiment = Counted::default();
    let stopped = AtomicBool::new(true);
    let outcome = reproduce(&experiment, Scale::Toy, directory.path(), Limits::default(), 2, &stopped, &|_| {});
    assert_eq!(outcome.unwrap(), Outcome::Interrupted);
    assert!(!directory.path().join("counted.md").exists());
}

/// Chains that set the flag themselves, in the middle of the third cell.
struct Stopping {
    stop: Arc<AtomicBool>,
    /// Draws looked at before the flag is set.
    n_left: AtomicUsize,
}

impl Stopping {
    const EFFORT: Effort = Effort { warmup: 20, first: 10, most: 10, error: 1.0 };

    fn after(n_draws: usize) -> Self {
        Self { stop: Arc::default(), n_left: AtomicUsize::new(n_draws) }
    }
}

impl Experiment for Stopping {
    fn about(&self) -> About {
        About { name: "stopping", source: "No paper", summary: "stops", full: None, needs: "" }
    }

    fn cells(&self, _: Scale) -> Vec<Cell> {
        (0..4).map(|repeat| Cell::new(8, 0.1, Method::Band, 3).repeated(repeat)).collect()
    }

    fn measured(&self) -> Vec<String> {
        vec!["sigma".into()]
    }

    fn run(&self, cell: &Cell, _: Scale) -> Result<Vec<f64>, ReproduceError> {
        let data = data::simulated(cell, half_normal(cell));
        let posterior = data::posterior(cell, &data);
        let start = data::start(&posterior, &data::first_map(cell, &data));
        let trace = draw::trace(cell, &posterior, start, &Self::EFFORT, &self.stop, |chain| {
            let n_left = self.n_left.fetch_sub(1, Ordering::Relaxed);
            assert!(n_left > 0, "no draw after the flag is set");
            self.stop.store(n_left == 1, Ordering::Relaxed);
            chain.sigma()
        })?;
        Ok(vec![trace.mean])
    }

    fn findings(&self, rows: &[Row], scale: Scale) -> Findings {
        Counted::default().findings(rows, scale)
    }
}

#[test]
fn a_cell_stopped_in_the_middle_is_not_kept_and_run_again() {
    let directories = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let run = |experiment: &Stopping, index: usize| {
        let directory = directories[index].path();
        reproduce(experiment, Scale::Toy, directory, Limits::default(), 1, &experiment.stop, &|_| {}).unwrap()
    };
    let read = |index: usize, name: &str| std::fs::read_to_string(directories[index].path().join(name)).unwrap();
    // Ten draws a cell: the third is half done.
    assert_eq!(run(&Stopping::after(25), 0), Outcome::Interrupted);
    assert_eq!(read(0, "stopping.cells.jsonl").lines().count(), 1 + 2);
    assert!(!directories[0].path().join("stopping.csv").exists());
    for index in [0, 1] {
        assert!(matches!(run(&Stopping::after(1_000), index), Outcome::Finished(_)));
    }
    for name in ["stopping.cells.jsonl", "stopping.csv"] {
        assert_eq!(read(0, name), read(1, name));
    }
}

#[test]
fn names_are_distinct_and_cells_are_too() {
    let all = experiments(&Arc::default());
    for (index, experiment) in all.iter().enumerate() {
        assert!(all[..index].iter().all(|other| other.about().name != experiment.about().name));
        for scale in [Scale::Toy, Scale::Quick, Scale::Full] {
            let cells = experiment.cells(scale);
            assert!(!cells.is_empty());
            let keys: std::collections::BTreeSet<String> = cells.iter().map(|cell| format!("{cell:?}")).collect();
            assert_eq!(keys.len(), cells.len(), "{}", experiment.about().name);
        }
    }
}

/// The authors' MSE at N = 100 with 5, 10 and 20 bands and landmarks, for all four noise levels: 24 numbers of one data set
/// each. Ours are means over data sets; what tells them apart is the spread between data sets. About 30 s on two cores.
#[test]
fn accuracy_of_100_objects_is_that_of_the_authors() {
    const DATA_SETS: usize = 6;
    let effort = Effort { warmup: 200, first: 100, most: 200, error: 0.03 };
    let mut cells = Vec::new();
    for sd in [0.1, 0.2, 0.3, 0.4] {
        for method in [Method::Band, Method::Landmark] {
            cells.extend([5, 10, 20].map(|count| Cell::new(100, sd, method, count)));
        }
    }
    use rayon::prelude::*;
    let fits: Vec<(Cell, Vec<f64>)> = (0..DATA_SETS)
        .into_par_iter()
        .flat_map(|repeat| cells.par_iter().map(move |cell| cell.repeated(repeat)))
        .map(|cell| Ok((cell.repeated(0), mse::fit(&cell, half_normal(&cell), &effort, &AtomicBool::new(false))?)))
        .collect::<Result<_, ReproduceError>>()
        .unwrap();
    let mut off = Vec::new();
    for cell in &cells {
        let logs: Vec<f64> = fits.iter().filter(|fit| fit.0 == *cell).map(|fit| fit.1[0].ln()).collect();
        let mean = logs.iter().sum::<f64>() / DATA_SETS as f64;
        let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (DATA_SETS as f64 - 1.0);
        let authors = accuracy::mse(cell.method, 100, cell.sd, cell.count).unwrap().ln();
        // One data set of theirs, DATA_SETS of ours; a spread estimated from so few is taken as 5% at least.
        let sd = variance.sqrt().max(0.05) * (1.0 + 1.0 / DATA_SETS as f64).sqrt();
        println!("{:?}: {:.4}, authors {:.4}, sd {sd:.3}", cell, mean.exp(), authors.exp());
        off.push((authors - mean) / sd);
    }
    // Found: at most 2.0, root mean square 1.0. Student's t with 5 degrees of freedom is beyond 4 with probability 0.01.
    assert!(off.iter().all(|off| off.abs() < 4.0), "{off:.1?}");
    // All of the authors' numbers come from one data set, so that they deviate together, but not by more than that.
    let rms = (off.iter().map(|off| off * off).sum::<f64>() / off.len() as f64).sqrt();
    assert!(rms < 2.0, "{rms}: {off:.1?}");
}
