//! A small finished run with awkward names, for tests.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::Locations;
use crate::draws::{Draw, DrawStore, StorePlan, Variable};
use crate::embedding::{Moments, principal_axes, write_embedding_csv};
use crate::run::{Control, FinishedRun, FitConfig, Keep, Outcome, Silent, fit};

/// Objects of the run.
pub(crate) const N: usize = 9;
/// Its chains.
pub(crate) const CHAINS: usize = 2;
/// Draws of each.
pub(crate) const DRAWS: usize = 30;

/// Names that would break a careless page or table.
pub(crate) fn name(object: usize) -> String {
    match object {
        0 => "</script><b>".into(),
        1 => "a \"quoted\", name".into(),
        _ => format!("o{object}"),
    }
}

/// Where the objects are.
fn location(object: usize) -> [f64; 2] {
    [0.618, 0.414].map(|step| (object as f64 * step).fract() * 3.0)
}

/// A run of two chains of 30 draws on nine objects in `n_dims` dimensions.
pub(crate) fn small_run(directory: &Path, n_dims: usize, keep: Keep) -> FinishedRun {
    let mut text = String::new();
    for a in 0..N {
        for b in a + 1..N {
            let ([x, y], [u, v]) = (location(a), location(b));
            let quote = |object| format!("\"{}\"", name(object).replace('"', "\"\""));
            text += &format!("{},{},{}\n", quote(a), quote(b), (x - u).hypot(y - v));
        }
    }
    let input = directory.join("edges.csv");
    std::fs::write(&input, text).unwrap();
    let mut config = FitConfig { sbmds_version: "0.0.0".into(), ..FitConfig::default() };
    config.input.path = input;
    config.model.n_dims = n_dims;
    config.sampler.n_warmup = 50;
    (config.run.chains, config.run.draws, config.run.keep) = (CHAINS, DRAWS, keep);
    let stop = AtomicBool::new(false);
    let control = Control {
        observer: &Silent,
        stop: &stop,
        n_threads: 1,
        checkpoint_interval: Duration::from_secs(3600),
        deadline: None,
        force: false,
        engine: None,
    };
    let run = directory.join("run");
    assert!(matches!(fit(config, &run, &control).unwrap(), Outcome::Finished(_)));
    FinishedRun::open(&run).unwrap()
}

/// The same with draws that no sampler made, in two dimensions: the true map with errors by a fixed rule. Pictures of it are
/// the same on every machine.
pub(crate) fn fixed_run(directory: &Path) -> FinishedRun {
    let run = small_run(directory, 2, Keep::All);
    std::fs::remove_dir_all(run.path().join("draws.zarr")).unwrap();
    // Which map the sampler's draws made is of no interest here.
    let path = run.path().join("summary.json");
    let mut summary: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert!(summary.as_object_mut().unwrap().remove("shown").is_some());
    std::fs::write(&path, summary.to_string()).unwrap();
    let truth = Locations::from_fn(N, 2, |object, dim| location(object)[dim]);
    let truth = principal_axes(&truth).apply(&truth);
    let n_pairs = N * (N - 1) / 2;
    let plan = StorePlan {
        n_chains: CHAINS,
        n_draws: DRAWS,
        names: run.names(),
        n_dims: 2,
        keep_x: true,
        reference: None,
        variables: vec![Variable::float("sigma"), Variable::float("monitored_distance").with_axis("pair", n_pairs)],
        stats: vec![Variable::float("lp")],
    };
    let store = DrawStore::create(run.path(), &plan).unwrap();
    let mut moments = Moments::new(N, 2);
    for chain in 0..CHAINS {
        let mut writer = store.writer(chain).unwrap();
        for draw in 0..DRAWS {
            let error = |k: usize| ((k + 100 * draw + 7919 * chain) as f64 * 0.618_033_988_75).fract() - 0.5;
            let x = Locations::from_fn(N, 2, |object, dim| truth.get(object, dim) + 0.3 * error(2 * object + dim));
            let distances = (0..N).flat_map(|a| (a + 1..N).map(move |b| (a, b))).map(|(a, b)| x.distance(a, b));
            let scalars: Vec<f64> = std::iter::once(0.2 + 0.05 * error(50)).chain(distances).collect();
            writer.push(&Draw { x: &x, scalars: &scalars, stats: &[error(60)] }).unwrap();
            moments.add(&x);
        }
        writer.finish().unwrap();
    }
    let mut table = Vec::new();
    write_embedding_csv(&mut table, run.names(), &moments, &[]).unwrap();
    std::fs::write(run.path().join("embedding.csv"), table).unwrap();
    forget_checksums(&run.path().join("summary.json"));
    FinishedRun::open(run.path()).unwrap()
}

/// A summary as an older version wrote it, of which the files may be others.
fn forget_checksums(path: &Path) {
    let mut summary: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let entries = summary.as_object_mut().unwrap();
    ["files", "checksum", "seconds_checksum"].into_iter().for_each(|entry| drop(entries.remove(entry)));
    std::fs::write(path, serde_json::to_vec_pretty(&summary).unwrap()).unwrap();
}
