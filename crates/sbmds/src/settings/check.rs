//! Settings are checked once, before anything is read; what holds a checked one need not look again.

use std::ops::Deref;

use super::config::{FitConfig, PriorFamily, RunConfig};
use crate::coupling::{Effort, LayOptions};
use crate::error::RunError;
use crate::posterior::Priors;
use crate::sampler::Sampler;

/// Settings that have passed [`FitConfig::check`]: whoever holds one need not look again.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedConfig(FitConfig);

impl Deref for CheckedConfig {
    type Target = FitConfig;

    fn deref(&self) -> &FitConfig {
        &self.0
    }
}

impl CheckedConfig {
    /// How couplings are laid.
    pub(crate) fn lay_options(&self) -> LayOptions {
        let (order, landmarks) = (self.model.order, self.model.landmarks);
        LayOptions { order, landmarks, seed: self.run.seed, effort: self.effort() }
    }

    /// How much sampling is asked for.
    pub(crate) fn effort(&self) -> Effort {
        let of_chain = self.sampler.n_warmup.saturating_add(self.run.draws.saturating_mul(self.run.thin));
        Effort { n_iterations: of_chain.saturating_mul(self.run.chains) }
    }

    /// The same if none is given.
    pub(crate) fn default_scale(&self) -> f64 {
        let is_learned = self.priors.learn_scale || !self.priors.shrinkage.is_none();
        match self.priors.family {
            // Twofold dilutions are a unit of their own.
            PriorFamily::Weak if self.input.titers && !is_learned => Priors::TITRE_SCALE,
            PriorFamily::Weak if !is_learned => Priors::WEAK_SCALE,
            _ => 1.0,
        }
    }

    /// What sigma is divided by before the model sees it: the unit of the data, unless the noise has none.
    pub(crate) fn sigma_unit(&self) -> f64 {
        if self.measurement.sigma_has_unit() { self.model.unit } else { 1.0 }
    }

    /// The same settings, changed in a way that needs no further check.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut FitConfig)) -> Self {
        change(&mut self.0);
        self
    }
}

/// Draws of a chain that can be stored: beyond, the store would be a heap of millions of files.
const MOST_DRAWS: usize = 10_000_000;
/// Chains of a run: each takes some forty files and a thread for a while.
pub const MOST_CHAINS: usize = 1_000;
/// Threads of a run: starting more takes longer than any work they could share.
pub const MOST_THREADS: usize = 1_024;
/// Seconds between checkpoints: a day.
pub const MOST_CHECKPOINT_SECONDS: f64 = 86_400.0;
/// Iterations of warm-up, or between two draws: at a microsecond each, a quarter of an hour for every draw.
const MOST_ITERATIONS: usize = 1_000_000_000;
/// Tree depth of a trajectory: a thousand million steps.
const MOST_DEPTH: usize = 30;

/// Refuses threads that nobody can have.
pub(crate) fn check_threads(n_threads: usize) -> Result<(), RunError> {
    at_most("`threads`", n_threads, MOST_THREADS, "more than there are cores make a run slower")
}

fn at_most(flag: &'static str, count: usize, most: usize, reason: &str) -> Result<(), RunError> {
    if count <= most {
        return Ok(());
    }
    Err(RunError::setting(flag, format!("{count} is more than {most}"), format!("give fewer: {reason}")))
}

impl FitConfig {
    /// Refuses settings that cannot be used, naming the flag.
    ///
    /// # Errors
    /// The first setting that cannot be used, and what to do.
    pub fn check(self) -> Result<CheckedConfig, RunError> {
        self.check_counts()?;
        self.check_numbers()?;
        self.check_tree()?;
        self.check_shrinkage()?;
        self.measurement.check(self.input.titers)?;
        self.written()?;
        Ok(CheckedConfig(self).with(|config| {
            // Axes that vanish need steps of their own, which nuts has.
            if !config.priors.shrinkage.is_none() {
                config.sampler.sampler = Sampler::Nuts;
            }
        }))
    }

    /// With a tree the spread of the locations is Sigma's alone.
    fn check_tree(&self) -> Result<(), RunError> {
        let Some(tree) = &self.tree else { return Ok(()) };
        for (flag, given) in
            [("`learn_scale`", self.priors.learn_scale), ("`prior_scale`", self.priors.scale.is_some())]
        {
            if given {
                let problem = "with `tree` locations spread by diffusion, and how fast they do is learned";
                let remedy = "leave it out";
                return Err(RunError::setting(flag, problem, remedy));
            }
        }
        if tree.index == Some(0) {
            return Err(RunError::setting("`tree_index`", "trees are counted from 1", "give 1 or more"));
        }
        Ok(())
    }

    fn check_shrinkage(&self) -> Result<(), RunError> {
        if self.priors.shrinkage.is_none() {
            return Ok(());
        }
        let refused = |problem: &str, remedy: &str| Err(RunError::setting("`shrinkage`", problem, remedy));
        match self.sampler.sampler {
            _ if self.priors.learn_scale => {
                refused("it learns the scale of every dimension itself", "leave out `learn_scale`")
            }
            _ if self.measurement.drift => refused("with `drift` the first axis is time", "leave out one of the two"),
            _ if self.input.titers && self.measurement.tree.is_some() => {
                refused("the locations of titres have a tree of their own", "leave out one of the two")
            }
            Sampler::Auto | Sampler::Nuts => Ok(()),
            _ => refused("its narrow axes need steps of their own, which only nuts has", "use `sampler` nuts or auto"),
        }
    }

    fn check_counts(&self) -> Result<(), RunError> {
        let RunConfig { chains, chain, draws, thin, seed, until_ess, max_draws, .. } = self.run;
        for (flag, count) in [
            ("`dims`", self.model.n_dims),
            ("`chains`", chains),
            ("`draws`", draws),
            ("`thin`", thin),
            ("`leapfrog_steps`", self.sampler.leapfrog_steps),
            ("`max_depth`", self.sampler.max_depth),
            ("`max_draws`", max_draws.unwrap_or(1)),
        ] {
            if count == 0 {
                return Err(RunError::setting(flag, "0 is too few", "give a whole number of 1 or more"));
            }
        }
        for (flag, count) in [("`draws`", draws), ("`max_draws`", max_draws.unwrap_or(1))] {
            if count > MOST_DRAWS {
                let remedy = "give fewer and let `thin` T skip T - 1 of T iterations: nobody needs so many draws";
                return Err(RunError::setting(flag, format!("{count} is more than {MOST_DRAWS}"), remedy));
            }
        }
        at_most("`chains`", chains, MOST_CHAINS, "a few chains say whether they agree")?;
        at_most("`warmup`", self.sampler.n_warmup, MOST_ITERATIONS, "warm-up ends long before")?;
        at_most("`thin`", thin, MOST_ITERATIONS, "no two draws need to be so far apart")?;
        let between = self.run.iterations_per_draw();
        at_most(
            "`keep`",
            between,
            MOST_ITERATIONS,
            "it multiplies with `thin`, and no two draws need to be so far apart",
        )?;
        at_most(
            "`leapfrog_steps`",
            self.sampler.leapfrog_steps,
            MOST_ITERATIONS,
            "a trajectory turns back long before",
        )?;
        at_most("`max_depth`", self.sampler.max_depth, MOST_DEPTH, "each doubles the steps of a trajectory")?;
        if i64::try_from(seed).is_err() {
            let remedy = format!("give a number of at most {}", i64::MAX);
            return Err(RunError::setting("`seed`", format!("{seed} does not fit the configuration file"), remedy));
        }
        if let Some(chain) = chain.filter(|chain| !(1..=chains).contains(chain)) {
            let remedy = "give the number of one of them, counted from 1, or more `chains`";
            return Err(RunError::setting("`chain`", format!("there is no chain {chain} of {chains}"), remedy));
        }
        if chain.is_some() && until_ess.is_some() {
            let problem = "the effective sample size is that of all chains together, and this run has one of them";
            return Err(RunError::setting("`until_ess`", problem, "give `draws` instead, or leave out `chain`"));
        }
        if max_draws.is_some() && until_ess.is_none() {
            let remedy = "give `until_ess` E as well, or use `draws`";
            return Err(RunError::setting("`max_draws`", "it limits `until_ess`, which is not given", remedy));
        }
        if max_draws.is_some_and(|most| most < draws) {
            let problem = format!("it is below the {draws} draws that are made first");
            return Err(RunError::setting("`max_draws`", problem, "give a larger number, or lower `draws`"));
        }
        Ok(())
    }

    fn check_numbers(&self) -> Result<(), RunError> {
        let above_zero = |number: f64| number.is_finite() && number > 0.0;
        for (flag, number) in [
            ("`prior_scale`", self.priors.scale),
            ("`noise_shape`", self.priors.noise_shape),
            ("`noise_rate`", self.priors.noise_rate),
            ("`sigma`", self.priors.sigma),
            ("`until_ess`", self.run.until_ess),
        ] {
            if let Some(number) = number.filter(|&number| !above_zero(number)) {
                return Err(RunError::setting(flag, format!("{number} cannot be used"), "give a number above zero"));
            }
        }
        let jitter = self.sampler.jitter;
        if !(0.0..1.0).contains(&jitter) {
            let remedy = "give a fraction from 0 to below 1, such as 0.2";
            return Err(RunError::setting("`jitter`", format!("{jitter} cannot be used"), remedy));
        }
        let (least, most) = (self.sampler.min_depth, self.sampler.max_depth);
        if least > most {
            let problem = format!("{least} is above the {most} of `max_depth`");
            return Err(RunError::setting("`min_depth`", problem, "lower it, or raise `max_depth`"));
        }
        if let Some(rate) = self.sampler.target_acceptance.filter(|&rate| !(above_zero(rate) && rate < 1.0)) {
            let remedy = "give a rate between 0 and 1, such as 0.8";
            return Err(RunError::setting("`target_acceptance`", format!("{rate} cannot be used"), remedy));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Keep, TreeConfig};

    fn tree() -> TreeConfig {
        TreeConfig::new("flu.trees".into())
    }

    #[test]
    fn settings_that_cannot_be_used_name_their_flag() {
        type Spoil = fn(&mut FitConfig);
        let cases: [(&str, Spoil); 23] = [
            ("`chains`", |config| config.run.chains = 1_000_000_000_000),
            ("`warmup`", |config| config.sampler.n_warmup = usize::MAX),
            ("`thin`", |config| config.run.thin = usize::MAX / 2 + 2),
            ("`keep`", |config| (config.run.thin, config.run.keep) = (1 << 16, Keep::Thin(1 << 48))),
            ("`leapfrog_steps`", |config| config.sampler.leapfrog_steps = usize::MAX),
            ("`max_depth`", |config| config.sampler.max_depth = 64),
            ("`min_depth`", |config| config.sampler.min_depth = 11),
            ("`draws`", |config| config.run.draws = 2_000_000_000),
            ("`dims`", |config| config.model.n_dims = 0),
            ("`chains`", |config| config.run.chains = 0),
            ("`chain`", |config| config.run.chain = Some(0)),
            ("`chain`", |config| config.run.chain = Some(5)),
            ("`until_ess`", |config| (config.run.chain, config.run.until_ess) = (Some(2), Some(400.0))),
            ("`seed`", |config| config.run.seed = u64::MAX),
            ("`prior_scale`", |config| config.priors.scale = Some(-1.0)),
            ("`sigma`", |config| config.priors.sigma = Some(f64::NAN)),
            ("`jitter`", |config| config.sampler.jitter = 1.0),
            ("`target_acceptance`", |config| config.sampler.target_acceptance = Some(1.0)),
            ("`max_draws`", |config| config.run.max_draws = Some(2000)),
            ("`until_ess`", |config| config.run.until_ess = Some(0.0)),
            ("`learn_scale`", |config| (config.priors.learn_scale, config.tree) = (true, Some(tree()))),
            ("`prior_scale`", |config| (config.priors.scale, config.tree) = (Some(2.0), Some(tree()))),
            ("`tree_index`", |config| config.tree = Some(TreeConfig { index: Some(0), ..tree() })),
        ];
        assert!(FitConfig::default().check().is_ok());
        for (flag, spoil) in cases {
            let mut config = FitConfig::default();
            spoil(&mut config);
            let message = config.check().unwrap_err().to_string();
            assert!(message.starts_with(flag) && message.contains("Remedy"), "{message}");
        }
    }

    /// `config.toml` could not name it.
    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_text_is_refused() {
        use std::os::unix::ffi::OsStringExt;
        let path = std::ffi::OsString::from_vec(b"m\xfcll.csv".to_vec());
        let input = crate::run::InputConfig { path: path.into(), ..Default::default() };
        let message = FitConfig { input, ..FitConfig::default() }.check().unwrap_err().to_string();
        let expected = "settings: they cannot be written into config.toml: path contains invalid UTF-8 characters. Remedy: rename \
             files and folders whose names are no text (UTF-8)";
        assert_eq!(message, expected);
    }
}
