//! The log-likelihood and its gradient at given locations.

use std::path::Path;

use extendr_api::prelude::*;
use sbmds::Locations;
use sbmds::coupling::{Effort, LayOptions, lay};
use sbmds::likelihood::{Likelihood, Noise, Workspace};
use sbmds_cli::{FitPlan, FitTask};

use crate::answer::answer;
use crate::data::Given;

/// `words` are those of a fit of the data; `x` is N x D by column, in the order of the data; the gradient comes back likewise.
#[extendr]
fn log_likelihood_at(words: Vec<String>, given: List, noise: &str, x: Vec<f64>, n_dims: i32, sigma: f64) -> Robj {
    answer(evaluate(&words, &given, noise, &x, n_dims.max(1) as usize, sigma))
}

fn evaluate(
    words: &[String],
    given: &List,
    noise: &str,
    x: &[f64],
    n_dims: usize,
    sigma: f64,
) -> std::result::Result<Robj, String> {
    let noise: Noise = noise.parse().map_err(|error| format!("noise: {error}"))?;
    let FitTask::Start { config: model, .. } = FitPlan::parse(words)?.task else {
        return Err("these are no words of a fit".into());
    };
    // Nothing here is read by way of a file.
    let data = Given::from_list(given)?.read(&model.input.path, &model.input.read_options(), Path::new(""))?;
    let n = data.n_objects();
    if x.len() != n * n_dims {
        return Err(format!(
            "{} locations are given for {n} objects. Remedy: give one row per object",
            x.len() / n_dims
        ));
    }
    if !(sigma.is_finite() && sigma > 0.0) {
        return Err(format!("sigma = {sigma}: the noise must be a number above zero"));
    }
    // One evaluation, as `sbmds eval` has it.
    let effort = Effort { n_iterations: 1 };
    let options =
        LayOptions { order: model.model.order, landmarks: model.model.landmarks, seed: model.run.seed, effort };
    let coupling = lay(&model.model.couplings, &data, n_dims, &options).map_err(|error| error.to_string())?;
    let order = &coupling.order;
    let likelihood =
        Likelihood::new(n, n_dims, &coupling.pairs, noise, model.model.storage, |a, b| data.get(order[a], order[b]));
    let locations = coupling.order.to_positions(&Locations::from_fn(n, n_dims, |object, dim| x[object + n * dim]));
    let mut gradient = Locations::zeros(n, n_dims);
    let value = likelihood.log_likelihood_and_gradient(&mut Workspace::parallel(), &locations, sigma, &mut gradient);
    if !value.is_finite() {
        return Err(
            "the log-likelihood overflows. Remedy: divide dissimilarities and locations by a common number".into()
        );
    }
    let gradient = coupling.order.to_objects(&gradient).as_slice().to_vec();
    Ok(list!(log_likelihood = value, gradient = gradient, n_pairs = likelihood.n_pairs() as f64).into())
}

extendr_module! {
    mod eval;
    fn log_likelihood_at;
}
