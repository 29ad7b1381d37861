//! The settings of a fit by the names of the flags, with underscores.

use extendr_api::prelude::*;
use sbmds::run::{FitConfig, TreeConfig};
use toml::{Table, Value};

/// Settings that are called otherwise in `config.toml`, or are not there unless given: name, table and key. All others are found by
/// their key.
const SETTINGS: [(&str, &str, &str); 16] = [
    ("dims", "model", "n_dims"),
    ("priors", "priors", "family"),
    ("prior_scale", "priors", "scale"),
    ("noise_shape", "priors", "noise_shape"),
    ("noise_rate", "priors", "noise_rate"),
    ("sigma", "priors", "sigma"),
    ("tree_index", "tree", "index"),
    ("trait_precision_update", "tree", "precision_update"),
    ("iter_warmup", "sampler", "n_warmup"),
    ("target_acceptance", "sampler", "target_acceptance"),
    ("no_mode_jumps", "sampler", "mode_jumps"),
    ("iter_sampling", "run", "draws"),
    ("until_ess", "run", "until_ess"),
    ("max_draws", "run", "max_draws"),
    // Those of a tree, which is not there by default.
    ("prune", "tree", "prune"),
    ("root_sample_size", "tree", "root_sample_size"),
];
/// Tables whose keys are names of settings.
const TABLES: [&str; 5] = ["model", "priors", "tree", "sampler", "run"];

/// The defaults with the given settings in their place, and a tree if locations diffuse along one.
///
/// # Errors
/// If there is no such setting, or it has no such value.
pub fn config(given: &List, tree: Option<TreeConfig>) -> std::result::Result<FitConfig, String> {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let mut config = FitConfig { sbmds_version: version, tree, ..FitConfig::default() };
    for (name, value) in given.iter().filter(|(_, value)| !value.is_null()) {
        config = with(&config, name, &value)?;
    }
    Ok(config)
}

fn with(config: &FitConfig, name: &str, given: &Robj) -> std::result::Result<FitConfig, String> {
    let mut settings = Table::try_from(config).map_err(|error| error.to_string())?;
    let (table, key) = find(&settings, name)?;
    let value = typed(given).ok_or_else(|| format!("{name}: give one number, one string, TRUE or FALSE"))?;
    // The one flag that switches something off.
    let value = if name == "no_mode_jumps" { Value::Boolean(value != Value::Boolean(true)) } else { value };
    let Some(Value::Table(entries)) = settings.get_mut(&table) else {
        return Err(format!("{name}: there is no tree. Remedy: give one with tree ="));
    };
    let shown = value.to_string();
    entries.insert(key, value);
    settings.try_into().map_err(|error: toml::de::Error| format!("{name}: {shown} cannot be used: {}", error.message()))
}

/// Table and key of a setting.
fn find(settings: &Table, name: &str) -> std::result::Result<(String, String), String> {
    if let Some((_, table, key)) = SETTINGS.iter().find(|(known, _, _)| *known == name) {
        return Ok(((*table).into(), (*key).into()));
    }
    let renamed = |key: &str| SETTINGS.iter().any(|(known, _, other)| key == *other && key != *known);
    let mut names: Vec<String> = SETTINGS.iter().map(|(known, _, _)| (*known).into()).collect();
    for table in TABLES {
        let keys = settings.get(table).and_then(Value::as_table).into_iter().flat_map(Table::keys);
        for key in keys.filter(|key| !renamed(key)) {
            if key == name {
                return Ok((table.into(), key.clone()));
            }
            names.push(key.clone());
        }
    }
    Err(format!("{name} is no setting of a fit. Remedy: give one of {}", names.join(", ")))
}

/// A scalar of R; whole numbers are integers, whatever R keeps them in.
fn typed(given: &Robj) -> Option<Value> {
    if given.len() != 1 || given.is_na() {
        return None;
    }
    if let Some(text) = given.as_str() {
        return Some(Value::String(text.into()));
    }
    if let Some(truth) = given.as_bool() {
        return Some(Value::Boolean(truth));
    }
    let number = given.as_real().or_else(|| given.as_integer().map(f64::from))?;
    let is_whole = number.fract() == 0.0 && number.abs() < 2f64.powi(53);
    Some(if is_whole { Value::Integer(number as i64) } else { Value::Float(number) })
}
