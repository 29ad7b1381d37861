//! Writes a small store of made-up draws and its NumPy export: `draws_store RUN` makes RUN/draws.zarr and RUN/npy.
//!
//! `scripts/check_arviz.py RUN` then opens both in Python.

use std::path::Path;
use std::process::ExitCode;

use sbmds::Locations;
use sbmds::dissimilarity::Names;
use sbmds::draws::{Draw, DrawStore, StoreError, StorePlan, Variable, export_npy};

const N_OBJECTS: usize = 40;
const N_DRAWS: usize = 1200;

fn plan(names: &Names) -> StorePlan<'_> {
    StorePlan {
        n_chains: 3,
        n_draws: 600,
        names,
        n_dims: 2,
        keep_x: true,
        reference: None,
        variables: vec![Variable::float("sigma"), Variable::float("lambda").with_axis("dim", 2)],
        stats: vec![
            Variable::float("lp"),
            Variable::float("log_likelihood"),
            Variable::float("energy"),
            Variable::boolean("diverging"),
            Variable::integer("n_gradients"),
        ],
    }
}

/// A map that moves a little from draw to draw, the same in every run.
fn write_chain(store: &DrawStore, chain: usize, n_draws: usize) -> Result<(), StoreError> {
    let mut writer = store.writer(chain)?;
    for draw in 0..n_draws {
        let phase = (draw * (chain + 1)) as f64;
        let x = Locations::from_fn(N_OBJECTS, 2, |object, dim| {
            (object as f64 + dim as f64 / 2.0).sin() + 0.1 * (phase + object as f64).cos()
        });
        let sigma = 0.3 + 0.05 * (1.7 * phase).sin();
        let lp = -100.0 + 10.0 * (2.3 * phase).cos();
        let stats = [lp, lp + 5.0, -lp, f64::from(draw % 100 == 7), (1 + draw % 16) as f64];
        writer.push(&Draw { x: &x, scalars: &[sigma, 1.0, phase.cos()], stats: &stats })?;
    }
    writer.finish()
}

fn main() -> ExitCode {
    let Some(run) = std::env::args_os().nth(1) else {
        eprintln!("usage: draws_store RUN");
        return ExitCode::from(2);
    };
    match write_run(Path::new(&run)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn write_run(run: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let names = (0..N_OBJECTS).map(|object| format!("Zürich {object}")).collect();
    let names = Names::given(names)?;
    let mut store = DrawStore::create(run, &plan(&names))?;
    store.extend_draws(N_DRAWS)?;
    // The last chain is behind the others, as in a run that was stopped.
    for (chain, n_draws) in [(0, N_DRAWS), (1, N_DRAWS), (2, 700)] {
        write_chain(&store, chain, n_draws)?;
    }
    export_npy(run, &run.join("npy"), &[("lambda", "lambda.npy"), ("n_gradients", "n_gradients.npy")], None)?;
    Ok(())
}
