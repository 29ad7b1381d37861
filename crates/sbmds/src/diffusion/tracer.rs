//! `posterior.log`: the draws as a table that Tracer and loganalyser read.

use std::io::{self, Write};
use std::path::Path;

use super::NodeDraws;
use crate::brownian::BranchStatistics;
use crate::error::RunError;

/// Columns of branch statistics, by the names BEAST gives them.
const BRANCH_COLUMNS: [&str; 4] =
    ["loc.avDiffusionRate", "loc.wavDiffusionRate", "loc.avDiffusionCoefficient", "loc.wavDiffusionCoefficient"];

/// The draws of one chain that the table holds.
struct ChainColumns {
    lp: Vec<f64>,
    log_likelihood: Vec<f64>,
    sigma: Vec<f64>,
    trait_trace: Vec<f64>,
    trait_logdet: Vec<f64>,
    diffusion_rate: Vec<f64>,
    trait_covariance: Vec<f64>,
}

impl ChainColumns {
    fn read(draws: &NodeDraws<'_>, chain: usize) -> Result<Self, RunError> {
        let reader = draws.reader();
        Ok(Self {
            lp: reader.stat("lp", chain)?,
            log_likelihood: reader.stat("log_likelihood", chain)?,
            sigma: reader.scalar("sigma", chain)?,
            trait_trace: reader.scalar("trait_trace", chain)?,
            trait_logdet: reader.scalar("trait_logdet", chain)?,
            diffusion_rate: reader.scalar("diffusion_rate", chain)?,
            trait_covariance: reader.scalar("trait_covariance", chain)?,
        })
    }

    fn row(&self, draw: usize, n_dims: usize) -> Vec<f64> {
        let sigma = self.sigma[draw];
        let mut row = vec![self.lp[draw], self.log_likelihood[draw], sigma, 1.0 / (sigma * sigma)];
        row.extend([self.trait_trace[draw], self.trait_logdet[draw], self.diffusion_rate[draw]]);
        row.extend(upper_triangle(n_dims).map(|(i, j)| self.trait_covariance[(draw * n_dims + i) * n_dims + j]));
        row
    }
}

/// Writes the table: chains one after another, states counted on; `branches` has the statistics of every draw, or none.
pub(super) fn write(
    out: &mut impl Write,
    path: &Path,
    draws: &NodeDraws<'_>,
    branches: &[BranchStatistics],
    iterations_per_draw: usize,
) -> Result<(), RunError> {
    let reader = draws.reader();
    let chains = (0..reader.n_chains()).map(|chain| ChainColumns::read(draws, chain)).collect::<Result<Vec<_>, _>>()?;
    write_rows(out, &chains, reader.n_dims(), branches, iterations_per_draw).map_err(RunError::io("write", path))
}

fn write_rows(
    out: &mut impl Write,
    chains: &[ChainColumns],
    n_dims: usize,
    branches: &[BranchStatistics],
    iterations_per_draw: usize,
) -> io::Result<()> {
    writeln!(
        out,
        "# sbmds {}: draws after warm-up, no burn-in is left; chains one after another",
        env!("CARGO_PKG_VERSION")
    )?;
    let mut header: Vec<String> =
        ["state", "posterior", "likelihood", "sigma", "mds.precision", "trait.trace", "trait.logDet", "diffusionRate"]
            .map(String::from)
            .into();
    header.extend(upper_triangle(n_dims).map(|(i, j)| format!("trait.covariance{}{}", i + 1, j + 1)));
    if !branches.is_empty() {
        header.extend(BRANCH_COLUMNS.map(String::from));
    }
    header.push("chain".into());
    writeln!(out, "{}", header.join("\t"))?;
    let indices =
        chains.iter().enumerate().flat_map(|(chain, columns)| (0..columns.sigma.len()).map(move |draw| (chain, draw)));
    for (index, (chain, draw)) in indices.enumerate() {
        write!(out, "{}", state(index, iterations_per_draw))?;
        chains[chain].row(draw, n_dims).iter().try_for_each(|number| write!(out, "\t{number}"))?;
        if let Some(branches) = branches.get(index) {
            of_branches(branches).iter().try_for_each(|number| write!(out, "\t{number}"))?;
        }
        writeln!(out, "\t{}", chain + 1)?;
    }
    Ok(())
}

/// The state of a draw: iterations after warm-up, counted on from chain to chain.
pub(super) fn state(index: usize, iterations_per_draw: usize) -> usize {
    (index + 1) * iterations_per_draw
}

fn upper_triangle(n_dims: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n_dims).flat_map(move |i| (i..n_dims).map(move |j| (i, j)))
}

fn of_branches(branches: &BranchStatistics) -> [f64; 4] {
    [
        branches.diffusion_rate,
        branches.weighted_diffusion_rate,
        branches.diffusion_coefficient,
        branches.weighted_diffusion_coefficient,
    ]
}
