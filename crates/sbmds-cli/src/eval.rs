//! `sbmds eval`: the log-likelihood and its gradient at given locations.

use std::path::PathBuf;

use clap::Args;
use sbmds::Locations;
use sbmds::coupling::Connections;
use sbmds::dissimilarity::read_positions;
use sbmds::likelihood::Workspace;
use sbmds::run::{disconnection, underdetermination};
use serde::Serialize;

use crate::arguments::{CouplingArgs, InputArgs};
use crate::failure::Failure;

/// Flags of `sbmds eval`.
#[derive(Args)]
pub struct Eval {
    #[command(flatten)]
    input: InputArgs,
    /// Locations: CSV (header; name, then one column per dimension; any order) or .npy (N x D, input order)
    #[arg(long, value_name = "FILE")]
    positions: PathBuf,
    /// Standard deviation of the noise
    #[arg(long, allow_negative_numbers = true)]
    sigma: f64,
    #[command(flatten)]
    coupling: CouplingArgs,
    /// Also print the gradient with respect to the locations, in input order
    #[arg(long)]
    gradient: bool,
}

/// What is printed.
#[derive(Serialize)]
struct Evaluation {
    n_objects: usize,
    n_dims: usize,
    n_pairs: usize,
    log_likelihood: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    gradient: Option<Vec<Vec<f64>>>,
}

impl Eval {
    pub fn run(&self) -> Result<(), Failure> {
        if !(self.sigma.is_finite() && self.sigma > 0.0) {
            return Err(Failure::bad_input(format!("--sigma {}: the noise must be a number above zero", self.sigma)));
        }
        let data = self.input.read()?;
        let positions = read_positions(&self.positions, data.names())?;
        let coupling = self.coupling.lay(&data, positions.n_dims())?;
        let likelihood = self.coupling.likelihood(&data, &coupling, positions.n_dims());
        let connections = Connections::of(&likelihood);
        let apart = disconnection(&connections, &coupling, data.names());
        for problem in apart.into_iter().chain(underdetermination(&connections, &coupling, data.names())) {
            eprintln!("warning: {problem}");
        }

        let x = coupling.to_places(&positions);
        let mut gradient = Locations::zeros(x.n_objects(), x.n_dims());
        let mut workspace = Workspace::parallel();
        let log_likelihood = if self.gradient {
            likelihood.log_likelihood_and_gradient(&mut workspace, &x, self.sigma, &mut gradient)
        } else {
            likelihood.log_likelihood(&mut workspace, &x, self.sigma)
        };
        let by_object = coupling.to_objects(&gradient);
        let evaluation = Evaluation {
            n_objects: x.n_objects(),
            n_dims: x.n_dims(),
            n_pairs: likelihood.n_pairs(),
            log_likelihood,
            gradient: self.gradient.then(|| (0..x.n_objects()).map(|object| by_object.object(object)).collect()),
        };
        let json = serde_json::to_string(&evaluation).map_err(Failure::bad_input)?;
        println!("{json}");
        Ok(())
    }
}
