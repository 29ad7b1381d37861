//! Which flags of a fit are settings of the run, where they stand in `config.toml`, and which of them were given.

use clap::ArgMatches;
use clap::parser::ValueSource;
use sbmds::run::FitConfig;

use crate::failure::Failure;

/// Whether a setting may differ when a run goes on.
#[derive(Clone, Copy, PartialEq)]
enum OnResume {
    /// It made the draws that are there.
    Fixed,
    /// More draws may be wanted, and files may have moved (their content is compared).
    Free,
}

use OnResume::{Fixed, Free};

/// Every flag that is a setting (by its id), its key in the configuration, and whether it may differ on `--resume`.
const SETTINGS: [(&str, &str, OnResume); 63] = [
    ("input", "input.path", Free),
    ("format", "input.format", Fixed),
    ("features", "input.metric", Fixed),
    ("metric", "input.metric", Fixed),
    ("names", "input.names", Free),
    ("labels", "input.labels", Free),
    ("no_names", "input.no_names", Fixed),
    ("value", "input.value", Fixed),
    ("weight", "input.weight", Fixed),
    ("error", "input.error", Fixed),
    ("weights", "input.weights", Fixed),
    ("errors", "input.errors", Fixed),
    ("known_errors", "measurement.known_errors", Fixed),
    ("dims", "model.n_dims", Fixed),
    ("couplings", "model.couplings", Fixed),
    ("order", "model.order", Fixed),
    ("landmarks", "model.landmarks", Fixed),
    ("noise", "model.noise", Fixed),
    ("noise", "measurement.family", Fixed),
    ("noise", "input.negative", Fixed),
    ("nu", "measurement.nu", Fixed),
    ("titers", "input.titers", Fixed),
    ("titers", "measurement.tree", Fixed),
    ("reading", "measurement.reading", Fixed),
    ("potencies", "measurement.potencies", Fixed),
    ("avidities", "measurement.avidities", Fixed),
    ("drift", "measurement.drift", Fixed),
    ("storage", "model.storage", Fixed),
    ("standardize", "model.standardize", Fixed),
    ("priors", "priors.family", Fixed),
    ("prior_scale", "priors.scale", Fixed),
    ("learn_scale", "priors.learn_scale", Fixed),
    ("shrinkage", "priors.shrinkage", Fixed),
    ("noise_shape", "priors.noise_shape", Fixed),
    ("noise_rate", "priors.noise_rate", Fixed),
    ("sigma", "priors.sigma", Fixed),
    ("tree", "tree.path", Free),
    ("tree_index", "tree.index", Fixed),
    ("prune", "tree.prune", Fixed),
    ("root_sample_size", "tree.root_sample_size", Fixed),
    ("branch_scaling", "tree.branch_scaling", Fixed),
    ("trait_precision_update", "tree.precision_update", Fixed),
    ("sampler", "sampler.sampler", Fixed),
    ("warmup", "sampler.n_warmup", Fixed),
    ("leapfrog_steps", "sampler.leapfrog_steps", Fixed),
    ("jitter", "sampler.jitter", Fixed),
    ("target_acceptance", "sampler.target_acceptance", Fixed),
    ("min_depth", "sampler.min_depth", Fixed),
    ("max_depth", "sampler.max_depth", Fixed),
    ("no_mode_jumps", "sampler.mode_jumps", Fixed),
    ("group_moves", "sampler.group_moves", Fixed),
    ("paper_adaptation", "sampler.paper_adaptation", Fixed),
    ("arithmetic", "sampler.arithmetic", Fixed),
    ("chains", "run.chains", Fixed),
    ("chain", "run.chain", Fixed),
    ("draws", "run.draws", Free),
    ("thin", "run.thin", Fixed),
    ("seed", "run.seed", Fixed),
    ("start", "run.start", Fixed),
    ("keep", "run.keep", Fixed),
    ("raw_draws", "run.raw_draws", Fixed),
    ("until_ess", "run.until_ess", Free),
    ("max_draws", "run.max_draws", Free),
];

/// Flags that say how to work, not what to fit.
#[cfg(test)]
const NO_SETTINGS: [&str; 12] = [
    "out",
    "resume",
    "overwrite",
    "config",
    "time",
    "threads",
    "checkpoint_every",
    "progress",
    "no_report",
    "nonmetric",
    "force",
    "other_instructions",
];

/// The flags that stand on the command line.
pub struct Given<'a>(pub Option<&'a ArgMatches>);

impl Given<'_> {
    /// Whether a flag was typed, by its id.
    pub fn has(&self, flag: &str) -> bool {
        let source = |matches: &ArgMatches| matches.try_contains_id(flag).is_ok().then(|| matches.value_source(flag));
        self.0.and_then(source).flatten() == Some(ValueSource::CommandLine)
    }

    /// The settings of `base` with those of the given flags taken from `asked`.
    pub fn over(&self, base: FitConfig, asked: &FitConfig) -> FitConfig {
        let named = self.settings(&base).map(|(_, key, _)| key).collect::<Vec<_>>();
        // The labels of an array may name its rows.
        let names = (self.has("labels") && asked.input.names.is_some()).then_some("input.names");
        base.overlaid(asked, named.into_iter().chain(names))
    }

    /// Refuses flags that ask for something else than the run has.
    pub fn check(&self, run: &FitConfig, asked: &FitConfig) -> Result<(), Failure> {
        for (flag, key, _) in self.settings(run).filter(|(_, _, on_resume)| *on_resume == Fixed) {
            if let Some((has, wanted)) = run.difference(asked, key) {
                let flag = flag.replace('_', "-");
                return Err(Failure::bad_input(format!(
                    "--{flag} cannot be changed when a run is resumed: the run has {has}, and {wanted} is asked for. Remedy: leave it \
                     out to go on with the run, or start anew without --resume: elsewhere with another --out, or here with --overwrite"
                )));
            }
        }
        Ok(())
    }

    /// Settings whose flags were typed. `--features` says that there is a metric, not which.
    fn settings(&self, base: &FitConfig) -> impl Iterator<Item = (&'static str, &'static str, OnResume)> {
        let says_nothing = |flag: &str| flag == "features" && base.input.metric.is_some();
        SETTINGS.into_iter().filter(move |(flag, _, _)| self.has(flag) && !says_nothing(flag))
    }
}

#[cfg(test)]
mod tests {
    use clap::Args;

    use super::*;
    use crate::fit::Fit;

    #[test]
    fn every_flag_is_a_setting_or_is_known_to_be_none() {
        let command = Fit::augment_args(clap::Command::new("fit"));
        let flags: Vec<&str> = command.get_arguments().map(|argument| argument.get_id().as_str()).collect();
        for flag in &flags {
            let is_setting = SETTINGS.iter().any(|(known, _, _)| known == flag);
            assert!(is_setting != NO_SETTINGS.contains(flag), "{flag}: list it in SETTINGS or in NO_SETTINGS");
        }
        for (flag, _, _) in SETTINGS {
            assert!(flags.contains(&flag), "{flag} is no flag of a fit");
        }
    }

    #[test]
    fn every_setting_has_its_key() {
        let asked = |text: &str| {
            let command = Fit::augment_args(clap::Command::new("fit"));
            let matches = command.try_get_matches_from(text.split_whitespace()).unwrap();
            let fit = <Fit as clap::FromArgMatches>::from_arg_matches(&matches).unwrap();
            fit.asked(std::path::Path::new("in.npy")).unwrap()
        };
        let of_features = asked(
            "fit in.npy --features --no-names --value v --weight w --error e --weights W --errors E --noise normal --names n --labels l --prior-scale 1 --noise-shape 1 --noise-rate 1 --sigma 1 --tree t --tree-index 1 --target-acceptance 0.5 --until-ess 9 --shrinkage half-cauchy \
                    --max-draws 5000 --raw-draws --chain 2",
        );
        let of_titres =
            asked("fit hi.csv --titers --noise student-t --nu 4 --avidities fixed --drift --tree t --group-moves");
        let empty = FitConfig::default();
        for (flag, key, _) in SETTINGS {
            for asked in [&of_features, &of_titres] {
                let there = empty.clone().overlaid(asked, [key]).difference(asked, key);
                assert_eq!(there, None, "{flag}");
            }
            let is_there = [&of_features, &of_titres].iter().any(|asked| asked.setting(key).is_some());
            assert!(is_there, "{flag}: there is no {key}");
        }
    }
}
