//! Anchored fits through the front door: the anchor and its check are part of what is calibrated.
//!
//! Given the data, a truth drawn from the prior is a draw of the posterior whatever else is known of the data: ranks among the fits
//! whose own check holds must be uniform, too. The others say themselves that they are not the posterior, and are only counted.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{At, CalibrationError, CalibrationSettings, Rank, Replicate, quantities, rank};
use crate::fit::{Fit, Fitted};
use crate::likelihood::MapPoint;
use crate::posterior::{NoisePrior, ScalePrior, Workspace};
use crate::settings::PriorFamily;

impl Replicate {
    /// The ranks of the truth under the posterior of all pairs; `None` if the fit says that it is not that.
    pub(super) fn rank_in_whole_fit(
        &self,
        settings: &CalibrationSettings,
        rng: &mut ChaCha8Rng,
    ) -> Result<Option<Vec<Rank>>, CalibrationError> {
        let fitted = self.fitted(settings, rng.next_u64())?;
        if !fitted.summary().anchor.as_ref().is_some_and(|check| check.holds) {
            return Ok(None);
        }
        let draws = self.kept_draws(settings, &fitted)?;
        let column = |k: usize| draws.iter().map(|draw| draw[k]).collect();
        Ok(Some(self.truth_quantities(settings).iter().enumerate().map(|(k, &truth)| rank(truth, column(k))).collect()))
    }

    fn fitted(&self, settings: &CalibrationSettings, seed: u64) -> Result<Fitted, CalibrationError> {
        let (NoisePrior::InverseGamma { shape, rate, floor: 0.0 }, ScalePrior::Fixed { variances }, Some((data, _))) =
            (&settings.priors.noise, &settings.priors.scales, &self.coupled)
        else {
            return Err(CalibrationError::AnchoredPriors);
        };
        let scale = variances[0].sqrt();
        let fit = Fit::of(data).dims(settings.n_dims).couplings(settings.couplings.clone()).chains(1);
        let fit = fit.priors(PriorFamily::Paper).with(|config| {
            config.priors.scale = Some(scale);
            (config.priors.noise_shape, config.priors.noise_rate) = (Some(*shape), Some(*rate));
            config.sampler.sampler = settings.sampler.sampler;
        });
        let n_draws = settings.n_draws * settings.thin;
        let fit = fit.warmup(settings.sampler.n_warmup).draws(n_draws).seed(seed >> 1).threads(1);
        fit.run().map_err(|error| CalibrationError::Fit(error.to_string()))
    }

    /// The quantities in every `thin`-th draw, with the log-likelihood of all pairs.
    fn kept_draws(&self, settings: &CalibrationSettings, fitted: &Fitted) -> Result<Vec<Vec<f64>>, CalibrationError> {
        let damaged = |error: crate::draws::StoreError| CalibrationError::Fit(error.to_string());
        let (reader, (_, order)) = (fitted.reader(), self.coupled.as_ref().ok_or(CalibrationError::AnchoredPriors)?);
        let sigmas = reader.scalar("sigma", 0).map_err(damaged)?;
        let mut draws = Vec::with_capacity(settings.n_draws);
        for draw in (settings.thin - 1..sigmas.len()).step_by(settings.thin) {
            let x = order.to_positions(&reader.x(0, draw).map_err(damaged)?);
            let at = MapPoint { x: x.as_slice(), sigma: sigmas[draw], own: &[] };
            let log_likelihood = self.posterior.likelihood().value(&mut Workspace::serial().likelihood, at);
            let spread = &self.truth.spread;
            draws.push(quantities(
                settings,
                &self.posterior,
                &At { x: at.x, sigma: at.sigma, log_likelihood, own: &[], spread },
            ));
        }
        Ok(draws)
    }
}
