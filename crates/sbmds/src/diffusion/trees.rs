//! `posterior.trees`: the tree with a location at every node, once for every draw, as FigTree, SPREAD and BEAST's tools read it.

use std::io::Write;
use std::path::Path;

use super::{NodeDraws, tracer};
use crate::draws::Spaced;
use crate::error::RunError;
use crate::tree::NexusWriter;

/// Writes at most `most` trees, of evenly spaced draws.
pub(super) fn write(
    out: &mut impl Write,
    path: &Path,
    draws: &NodeDraws<'_>,
    most: usize,
    iterations_per_draw: usize,
) -> Result<(), RunError> {
    let n_dims = draws.reader().n_dims();
    let chosen = Spaced::new(draws.n_draws(), most);
    let mut log_densities = Vec::new();
    for chain in 0..draws.reader().n_chains() {
        log_densities.extend(draws.reader().stat("lp", chain)?);
    }
    let mut writer = NexusWriter::new(out, draws.tree()).map_err(RunError::io("write", path))?;
    draws.for_each(
        |index| chosen.contains(index),
        |draw| {
            let name = format!("STATE_{}", tracer::state(draw.index, iterations_per_draw));
            let about = format!("lnP={}", log_densities[draw.index]);
            let nodes = draw.nodes();
            writer
                .tree(&name, &about, |node, coordinates| {
                    coordinates.extend((0..n_dims).map(|dim| rounded(nodes.get(node, dim))));
                })
                .map_err(RunError::io("write", path))
        },
    )?;
    writer.finish().map(drop).map_err(RunError::io("write", path))
}

/// Seven digits: more are noise, and would fill the file.
fn rounded(number: f64) -> f64 {
    format!("{number:.6e}").parse().unwrap_or(number)
}
