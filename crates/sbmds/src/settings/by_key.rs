//! Settings by their key in `config.toml`: what was asked for, what the data decided, and where two differ.

use std::collections::BTreeMap;
use std::path::Path;

use toml::{Table, Value};

use super::config::{FitConfig, INPUT_COPY};
use crate::error::RunError;

/// What `asked` says of a setting that was not given.
const LEFT_OPEN: &str = "left open";

impl FitConfig {
    /// Reads a file of settings, such as the `config.toml` of a run; what it leaves out has its default.
    ///
    /// # Errors
    /// If the file cannot be read, or holds a setting that does not exist or has no such value.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let text = std::fs::read_to_string(path).map_err(RunError::io("read", path))?;
        let unusable = |what: toml::de::Error| RunError::Config { path: path.to_owned(), what: what.to_string() };
        let mut file: Table = text.parse().map_err(unusable)?;
        rename_old_settings(&mut file);
        // The file of a run is whole; where an old version left something out, that is not what is now the default.
        let is_of_a_run = file.contains_key("sbmds_version");
        let mut settings = if is_of_a_run { Table::new() } else { Self::default().to_table() };
        lay_over(&mut settings, file);
        let mut config: Self = settings.try_into().map_err(unusable)?;
        if config.input.copy.is_some() {
            // What came through a pipe is beside the settings.
            config.input.path = path.with_file_name(INPUT_COPY);
        }
        Ok(config)
    }

    /// The same settings for a new run: as they were asked for, without what only the data of the old run could tell.
    pub fn as_asked(self) -> Self {
        let mut settings = self.to_table();
        for (key, value) in &self.asked {
            match value.as_str() {
                Some(LEFT_OPEN) => put(&mut settings, key, None),
                _ => put(&mut settings, key, Some(value.clone())),
            }
        }
        let copy = self.input.copy.clone();
        let mut config = settings.try_into().unwrap_or(self).without_findings();
        // A new run keeps its own copy of what came through a pipe.
        config.input.copy = copy;
        config
    }

    /// These settings with those at `keys` taken from `other`.
    pub fn overlaid<'a>(self, other: &Self, keys: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut settings, other) = (self.to_table(), other.to_table());
        for key in keys {
            // A tree that was not there comes with all its settings.
            let whole = key.split_once('.').map(|(part, _)| part).filter(|part| !settings.contains_key(*part));
            put(&mut settings, whole.unwrap_or(key), at(&other, whole.unwrap_or(key)).cloned());
        }
        settings.try_into().unwrap_or(self)
    }

    /// The setting at a key such as `model.n_dims`, as it is typed; `None` if it is not given.
    pub fn setting(&self, key: &str) -> Option<String> {
        at(&self.to_table(), key).map(|value| spoken(Some(value)))
    }

    /// What this run has at a key and what `other` asks for there, in words; `None` if they agree.
    pub fn difference(&self, other: &Self, key: &str) -> Option<(String, String)> {
        // A part of several settings, such as the tree of viruses, is compared without the hashes in it.
        let settings = |config: &Self| config.clone().without_findings().to_table();
        let (mine, others) = (settings(self), settings(other));
        let (mine, others) = (at(&mine, key), at(&others, key));
        let asked = self.asked.get(key);
        if mine == others || (others.is_some() && others == asked) {
            return None;
        }
        let found =
            asked.map_or_else(|| spoken(mine), |asked| format!("{} (from {})", spoken(mine), spoken(Some(asked))));
        Some((found, spoken(others)))
    }

    /// Remembers what was asked for wherever the data decided otherwise.
    pub(crate) fn remembering(mut self, asked: &Self) -> Self {
        if self.asked.is_empty() {
            let (before, after) = (asked.clone().without_findings(), self.clone().without_findings());
            self.asked = replaced(&before.to_table(), &after.to_table());
        }
        self
    }

    /// Without hashes and measures of the data: they are found anew when a run starts.
    fn without_findings(mut self) -> Self {
        self.sbmds_version = env!("CARGO_PKG_VERSION").into();
        self.instructions.clear();
        self.arithmetic.clear();
        self.input.hash.clear();
        let input = &mut self.input;
        (input.names_hash, input.weights_hash, input.errors_hash, input.copy) = (None, None, None, None);
        if let Some(tree) = &mut self.measurement.tree {
            tree.hash = None;
        }
        self.model.couplings_hash = None;
        self.model.unit = Self::default().model.unit;
        (self.priors.sigma_floor, self.priors.rounded_to) = (0.0, None);
        if let Some(tree) = &mut self.tree {
            tree.hash.clear();
            tree.total_length = 0.0;
        }
        self.asked.clear();
        self
    }

    /// As `config.toml` has them.
    ///
    /// # Errors
    /// If they cannot be written, because a path is no text.
    pub(crate) fn written(&self) -> Result<Table, RunError> {
        Table::try_from(self).map_err(|error| {
            let problem = format!("they cannot be written into config.toml: {error}");
            RunError::setting("settings", problem, "rename files and folders whose names are no text (UTF-8)")
        })
    }

    fn to_table(&self) -> Table {
        // `check` refuses settings that cannot be written.
        self.written().unwrap_or_default()
    }
}

/// Settings of files written before they were renamed.
fn rename_old_settings(settings: &mut Table) {
    if let Some(sampler) = settings.get_mut("sampler").and_then(Value::as_table_mut)
        && let Some(value) = sampler.remove("leaps")
    {
        sampler.entry("mode_jumps").or_insert(value);
    }
}

/// The value at a key such as `model.n_dims`.
fn at<'a>(settings: &'a Table, key: &str) -> Option<&'a Value> {
    match key.split_once('.') {
        Some((part, rest)) => at(settings.get(part)?.as_table()?, rest),
        None => settings.get(key),
    }
}

fn put(settings: &mut Table, key: &str, value: Option<Value>) {
    let (part, rest) = key.split_once('.').map_or((key, None), |(part, rest)| (part, Some(rest)));
    match (rest, value) {
        (Some(rest), value) => {
            if let Some(Value::Table(below)) = settings.get_mut(part) {
                put(below, rest, value);
            }
        }
        (None, Some(value)) => drop(settings.insert(part.into(), value)),
        (None, None) => drop(settings.remove(part)),
    }
}

/// Replaces what `upper` has.
fn lay_over(settings: &mut Table, upper: Table) {
    for (key, value) in upper {
        match (settings.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => lay_over(below, above),
            (_, value) => drop(settings.insert(key, value)),
        }
    }
}

/// Every key at which `after` differs, with what was there before.
fn replaced(before: &Table, after: &Table) -> BTreeMap<String, Value> {
    let leaves = |part: &str, table: &Table| table.keys().map(|key| format!("{part}.{key}")).collect::<Vec<_>>();
    let parts = after.iter().filter_map(|(part, value)| Some((part, value.as_table()?)));
    let keys = parts.flat_map(|(part, table)| leaves(part, table));
    keys.filter(|key| at(before, key) != at(after, key))
        .map(|key| {
            let value = at(before, &key).cloned().unwrap_or_else(|| LEFT_OPEN.into());
            (key, value)
        })
        .collect()
}

/// A value as it is typed.
fn spoken(value: Option<&Value>) -> String {
    match value {
        None => "none".into(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::Couplings;
    use crate::run::TreeConfig;

    fn asked() -> FitConfig {
        let mut config = FitConfig { sbmds_version: env!("CARGO_PKG_VERSION").into(), ..FitConfig::default() };
        config.model.n_dims = 3;
        config.tree = Some(TreeConfig::new("flu.trees".into()));
        config
    }

    /// As a run saves it: couplings, tree and hashes found.
    fn found() -> FitConfig {
        let mut config = asked();
        config.model.couplings = Couplings::Dispersed(17);
        config.model.unit = 0.25;
        config.input.hash = "abc".into();
        let tree = config.tree.take().unwrap();
        config.tree = Some(TreeConfig { index: Some(7), total_length: 31.5, hash: "def".into(), ..tree });
        config.remembering(&asked())
    }

    #[test]
    fn a_run_remembers_what_was_asked_for_where_the_data_decided() {
        let text = toml::to_string(&found()).unwrap();
        assert!(text.ends_with("[asked]\n\"model.couplings\" = \"auto\"\n\"tree.index\" = \"left open\"\n"), "{text}");
        let read: FitConfig = toml::from_str(&text).unwrap();
        assert_eq!(read, found());
        assert_eq!(read.clone().as_asked(), asked(), "a new run starts from what was asked for");
        assert_eq!(read.clone().remembering(&asked()).asked, read.asked, "going on forgets nothing");
    }

    #[test]
    fn only_what_differs_is_a_difference() {
        let mut other = asked();
        assert_eq!(found().difference(&other, "model.couplings"), None, "auto again");
        other.model.couplings = Couplings::Dispersed(17);
        assert_eq!(found().difference(&other, "model.couplings"), None, "what auto came to");
        other.model.couplings = Couplings::Full;
        let difference = found().difference(&other, "model.couplings");
        assert_eq!(difference, Some(("dispersed:17 (from auto)".into(), "full".into())));
        other.priors.sigma = Some(0.5);
        assert_eq!(found().difference(&other, "priors.sigma"), Some(("none".into(), "0.5".into())));
        assert_eq!(found().difference(&other, "model.n_dims"), None);
    }

    #[test]
    fn flags_lie_over_a_file_and_the_file_over_the_defaults() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("my.toml");
        std::fs::write(&path, "[model]\nn_dims = 5\n[run]\nseed = 9\n").unwrap();
        let read = FitConfig::read(&path).unwrap();
        assert_eq!((read.model.n_dims, read.run.seed, read.run.draws), (5, 9, 1000));
        let mut flags = asked();
        flags.run.seed = 3;
        let both = read.overlaid(&flags, ["run.seed", "tree.path"]);
        assert_eq!((both.model.n_dims, both.run.seed, &both.tree), (5, 3, &asked().tree));
        std::fs::write(&path, "[sampler]\nleaps = false\n").unwrap();
        assert!(!FitConfig::read(&path).unwrap().sampler.mode_jumps, "an old name of a setting");
        std::fs::write(&path, "[model]\ndims = 5\n").unwrap();
        let message = FitConfig::read(&path).unwrap_err().to_string();
        assert!(message.contains("my.toml") && message.contains("dims") && message.contains("Remedy"), "{message}");
    }
}
