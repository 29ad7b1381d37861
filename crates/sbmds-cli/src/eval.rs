//! `sbmds eval`: the log-likelihood and its gradient at given locations, and with a tree the locations' prior.

use std::path::PathBuf;

use clap::Args;
use sbmds::Locations;
use sbmds::brownian::Precision;
use sbmds::coupling::Coupling;
use sbmds::dissimilarity::{Dissimilarities, Names, read_positions};
use sbmds::likelihood::{Likelihood, LogLikelihood, MapGradient, MapPoint, Workspace};
use sbmds::measurement::{Nu, TermLikelihood, Terms};
use sbmds::run::{disconnection, underdetermination};
use serde::Serialize;

use crate::arguments::{CouplingArgs, InputArgs};
use crate::eval_titers::{self, LevelArgs, TiterArgs};
use crate::failure::Failure;
use crate::measurement_arguments::KnownErrorsArg;
use crate::say::warn;
use crate::tree_arguments::TreeArgs;

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
    /// Degrees of freedom of Student's t
    #[arg(long, value_name = "NU", allow_negative_numbers = true)]
    nu: Option<f64>,
    /// What known standard errors do: add to sigma, or replace it
    #[arg(long, value_enum, default_value = "add")]
    known_errors: KnownErrorsArg,
    #[command(flatten)]
    titers: TiterArgs,
    #[command(flatten)]
    levels: LevelArgs,
    #[command(flatten)]
    tree: TreeArgs,
    /// Precision of the diffusion along the tree, the inverse of Sigma: D x D numbers without header
    #[arg(long, value_name = "FILE", requires = "tree")]
    trait_precision: Option<PathBuf>,
}

/// What is printed.
#[derive(Serialize)]
struct Evaluation {
    n_objects: usize,
    n_dims: usize,
    n_pairs: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    n_terms: Option<usize>,
    log_likelihood: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    gradient: Option<Vec<Vec<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_prior_tree: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gradient_prior_tree: Option<Vec<Vec<f64>>>,
}

/// The locations' prior given a tree, with its gradient in input order.
struct TreePrior {
    log_density: f64,
    gradient: Locations,
}

impl Eval {
    pub fn run(&self) -> Result<(), Failure> {
        if !(self.sigma.is_finite() && self.sigma > 0.0) {
            return Err(Failure::bad_input(format!("--sigma {}: the noise must be a number above zero", self.sigma)));
        }
        if self.titers.titers {
            let reading = self.titers.reading.into();
            return eval_titers::run(
                &self.input.input,
                &self.positions,
                self.sigma,
                reading,
                &self.levels,
                self.gradient,
            );
        }
        let data = self.input.read(self.coupling.admits_negative())?;
        let positions = read_positions(&self.positions, data.names())?;
        let tree_prior = self.tree_prior(&positions, data.names())?;
        let coupling = self.coupling.lay(&data, positions.n_dims())?;
        let likelihood = self.coupling.likelihood(&data, &coupling, positions.n_dims());
        let connections = likelihood.connections();
        let apart = disconnection(&connections, &coupling, data.names());
        for problem in apart.into_iter().chain(underdetermination(&connections, &coupling, data.names())) {
            warn(problem);
        }

        let x = coupling.order.to_positions(&positions);
        let terms = self.terms(&data, &coupling, &likelihood)?;
        let (log_likelihood, gradient) = self.evaluate(&likelihood, terms.as_ref(), &x)?;
        let by_object = coupling.order.to_objects(&gradient);
        let evaluation = Evaluation {
            n_objects: x.n_objects(),
            n_dims: x.n_dims(),
            n_pairs: likelihood.n_pairs(),
            n_terms: terms.map(|terms| terms.terms().len()),
            log_likelihood,
            gradient: self.gradient.then(|| rows(&by_object)),
            log_prior_tree: tree_prior.as_ref().map(|prior| prior.log_density),
            gradient_prior_tree: tree_prior.filter(|_| self.gradient).map(|prior| rows(&prior.gradient)),
        };
        let json = serde_json::to_string(&evaluation).map_err(Failure::bad_input)?;
        println!("{json}");
        Ok(())
    }

    /// The log-likelihood, of the terms if there are any, and its gradient; zeros if that is not wanted.
    fn evaluate(
        &self,
        likelihood: &Likelihood,
        terms: Option<&TermLikelihood>,
        x: &Locations,
    ) -> Result<(f64, Locations), Failure> {
        let (mut workspace, sigma) = (Workspace::parallel(), self.sigma);
        let mut gradient = Locations::zeros(x.n_objects(), x.n_dims());
        let log_likelihood = match terms {
            Some(terms) => {
                let at = MapPoint { x: x.as_slice(), sigma, own: &[] };
                let by_x = MapGradient { x: gradient.as_mut_slice(), own: &mut [] };
                terms.both(&mut workspace, at, by_x).log_likelihood
            }
            None if self.gradient => likelihood.log_likelihood_and_gradient(&mut workspace, x, sigma, &mut gradient),
            None => likelihood.log_likelihood(&mut workspace, x, sigma),
        };
        if !log_likelihood.is_finite() {
            return Err(Failure::bad_input(format!(
                "the log-likelihood overflows: dissimilarities or distances are too large for --sigma {sigma}. Remedy: divide all \
                 of them by a common number"
            )));
        }
        Ok((log_likelihood, gradient))
    }

    /// Measurements that are more than one exact number per pair, or noise that the kernels do not have.
    fn terms(
        &self,
        data: &Dissimilarities,
        coupling: &Coupling,
        coupled: &Likelihood,
    ) -> Result<Option<TermLikelihood>, Failure> {
        let noise = self.coupling.noise;
        let Some(terms) = Terms::of_coupled(data, coupling, coupled, 1.0, (noise, self.known_errors.into())) else {
            return Ok(None);
        };
        if let Some(term) = terms.impossible() {
            let (problem, remedy) = noise.support().refusal(term.seen.representative());
            return Err(Failure::bad_input(format!("--noise {noise}: {problem}. Remedy: {remedy}")));
        }
        if noise.has_nu() && !self.nu.is_some_and(|nu| nu.is_finite() && nu > 0.0) {
            let message = format!("--noise {noise} needs degrees of freedom. Remedy: give --nu, a number above zero");
            return Err(Failure::bad_input(message));
        }
        let nu = Nu::Fixed(self.nu.unwrap_or(f64::INFINITY));
        Ok(Some(TermLikelihood::of_distances(terms, coupled.n_dims(), nu)))
    }

    /// The prior of the locations, if a tree is given.
    fn tree_prior(&self, positions: &Locations, names: &Names) -> Result<Option<TreePrior>, Failure> {
        let Some(file) = &self.trait_precision else {
            let message = "--tree needs --trait-precision FILE: the inverse of Sigma, D x D numbers without header";
            return if self.tree.tree.is_some() { Err(Failure::bad_input(message)) } else { Ok(None) };
        };
        let Some(tree) = self.tree.read(names)? else { return Ok(None) };
        let precision = Precision::read(file, positions.n_dims()).map_err(Failure::bad_input)?;
        // Positions are objects here: nothing is shuffled.
        let prior = self.tree.prior(tree.tree(), tree.objects(), positions.n_dims())?;
        let mut gradient = Locations::zeros(positions.n_objects(), positions.n_dims());
        let (mut workspace, x) = (prior.workspace(), positions.as_slice());
        let log_density = prior.log_density_and_gradient(&mut workspace, x, &precision, gradient.as_mut_slice());
        Ok(Some(TreePrior { log_density, gradient }))
    }
}

/// One row of numbers per object.
fn rows(locations: &Locations) -> Vec<Vec<f64>> {
    (0..locations.n_objects()).map(|object| locations.object(object)).collect()
}
