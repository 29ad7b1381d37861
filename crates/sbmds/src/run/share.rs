//! A share of the likelihood of a fit that runs elsewhere, from its settings and its files.

use super::hashes::{check_hashes, hashes_of};
use crate::dissimilarity::Input;
use crate::error::RunError;
use crate::fit::problem::{lay, share_of_likelihood};
use crate::likelihood::{Likelihood, Share};
use crate::settings::FitConfig;

/// Builds the share of the likelihood that resolved settings describe, in the model's unit.
///
/// # Errors
/// If a file cannot be read, or is not the one that the fit was started with.
pub fn share_of(config: FitConfig, share: Share) -> Result<Likelihood, RunError> {
    let config = config.check()?;
    let input = Input::open(&config.input.path)?;
    check_hashes(hashes_of(&config, &input)?, &config)?;
    let data = input.read(&config.input.read_options())?;
    let coupling = lay(&config, &data)?;
    Ok(share_of_likelihood(&config, &data, &coupling, share))
}
