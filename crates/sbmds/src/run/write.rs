//! Writes what a fit says as the files of its run.

use super::directory::RunDirectory;
use super::map_files::write_maps;
use super::{integrity, titre_files};
use crate::diagnostics::{Assessment, Diagnosis};
use crate::diffusion::{DEFAULT_TREES, write_files};
use crate::draws::DrawReader;
use crate::error::RunError;
use crate::fit::problem::Problem;
use crate::fit::summary::known;
use crate::fit::summary::results::Results;
use crate::fit::{BranchSummary, RunTree, ShownMap, Summary};
use crate::settings::Resolved;

/// Writes `embedding.csv` and the tables of other modes, `diagnostics.csv` and, last, `summary.json`.
pub(super) fn write(
    run: &RunDirectory,
    config: &Resolved,
    problem: &Problem,
    results: Results,
    assessment: &Assessment,
    reader: &DrawReader,
) -> Result<Summary, RunError> {
    let Results { maps, fits, mut summary } = results;
    run.remove_pictures()?;
    write_maps(run, problem.data.names(), &maps, &fits)?;
    write_diagnostics(run, &assessment.diagnoses)?;
    if let (Some(tree), Some(diffusion)) = (&problem.tree, &mut summary.diffusion) {
        diffusion.branches = write_diffusion(run, config, tree, reader, &maps[0])?;
    }
    if let Some(titers) = problem.data.titers() {
        titre_files::write(run, config, titers, reader, &maps[0])?;
    }
    summary.files = integrity::checksums(run.path())?;
    run.save_summary(&summary)?;
    Ok(summary)
}

/// Writes the tree and the files that describe its nodes; returns how far locations move along the branches.
fn write_diffusion(
    run: &RunDirectory,
    config: &Resolved,
    tree: &RunTree,
    reader: &DrawReader,
    map: &ShownMap,
) -> Result<Option<BranchSummary>, RunError> {
    run.replace(&run.tree(), (tree.tree().to_newick() + "\n").as_bytes())?;
    let draws = tree.node_draws(reader, map.alignment(), &map.chains, config.run.seed)?;
    let (_, branches) = write_files(run.path(), &draws, DEFAULT_TREES, config.run.iterations_per_draw())?;
    Ok(BranchSummary::of(&branches))
}

fn write_diagnostics(run: &RunDirectory, diagnoses: &[Diagnosis]) -> Result<(), RunError> {
    let path = run.diagnostics();
    let failed = |error: csv::Error| RunError::Damaged { path: path.clone(), what: error.to_string() };
    let mut table = csv::Writer::from_writer(Vec::new());
    let header = ["quantity", "mean", "sd", "q5", "median", "q95", "rhat", "ess_bulk", "ess_tail", "mcse_mean"];
    table.write_record(header).map_err(failed)?;
    for diagnosis in diagnoses {
        let Diagnosis { mean, sd, q5, median, q95, rhat, ess_bulk, ess_tail, mcse_mean, .. } = *diagnosis;
        let numbers = [mean, sd, q5, median, q95, rhat, ess_bulk, ess_tail, mcse_mean];
        let cells = numbers.iter().map(|&x| known(x).map_or_else(String::new, |x| x.to_string()));
        table.write_record(std::iter::once(diagnosis.name.clone()).chain(cells)).map_err(failed)?;
    }
    let table = table.into_inner().map_err(|error| failed(error.into_error().into()))?;
    run.replace(&path, &table)
}
