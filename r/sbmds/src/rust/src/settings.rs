//! The settings of a fit by the names of the flags, with underscores.

use extendr_api::prelude::*;
use sbmds::run::{FitConfig, TreeConfig};
use toml::{Table, Value};

/// Every setting that R may give, and its key in `config.toml`.
const SETTINGS: [(&str, &str, &str); 32] = [
    ("dims", "model", "n_dims"),
    ("couplings", "model", "couplings"),
    ("order", "model", "order"),
    ("landmarks", "model", "landmarks"),
    ("noise", "model", "noise"),
    ("storage", "model", "storage"),
    ("standardize", "model", "standardize"),
    ("priors", "priors", "family"),
    ("prior_scale", "priors", "scale"),
    ("learn_scale", "priors", "learn_scale"),
    ("noise_shape", "priors", "noise_shape"),
    ("noise_rate", "priors", "noise_rate"),
    ("sigma", "priors", "sigma"),
    ("tree_index", "tree", "index"),
    ("prune", "tree", "prune"),
    ("root_sample_size", "tree", "root_sample_size"),
    ("branch_scaling", "tree", "branch_scaling"),
    ("trait_precision_update", "tree", "precision_update"),
    ("sampler", "sampler", "sampler"),
    ("iter_warmup", "sampler", "n_warmup"),
    ("leapfrog_steps", "sampler", "leapfrog_steps"),
    ("jitter", "sampler", "jitter"),
    ("target_acceptance", "sampler", "target_acceptance"),
    ("min_depth", "sampler", "min_depth"),
    ("max_depth", "sampler", "max_depth"),
    ("no_mode_jumps", "sampler", "mode_jumps"),
    ("paper_adaptation", "sampler", "paper_adaptation"),
    ("chains", "run", "chains"),
    ("iter_sampling", "run", "draws"),
    ("thin", "run", "thin"),
    ("seed", "run", "seed"),
    ("start", "run", "start"),
];
/// Those of the table `run` that say what is kept.
const KEEPING: [&str; 4] = ["keep", "raw_draws", "until_ess", "max_draws"];

/// The defaults with the given settings in their place, and a tree if locations diffuse along one.
///
/// # Errors
/// If there is no such setting, or it has no such value.
pub fn config(given: &List, tree: Option<TreeConfig>) -> std::result::Result<FitConfig, String> {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let default = FitConfig { sbmds_version: version, tree, ..FitConfig::default() };
    let mut config = default;
    for (name, value) in given.iter().filter(|(_, value)| !value.is_null()) {
        config = with(config, name, &value)?;
    }
    Ok(config)
}

fn with(config: FitConfig, name: &str, given: &Robj) -> std::result::Result<FitConfig, String> {
    let (section, key) = place_of(name)?;
    let value = typed(given).ok_or_else(|| format!("{name}: give one number, one string, TRUE or FALSE"))?;
    // The one flag that switches something off.
    let value = if name == "no_mode_jumps" { Value::Boolean(value != Value::Boolean(true)) } else { value };
    let mut settings = Table::try_from(&config).map_err(|error| error.to_string())?;
    let Some(Value::Table(entries)) = settings.get_mut(section) else {
        return Err(format!("{name}: there is no tree. Remedy: give one with tree ="));
    };
    let shown = value.to_string();
    entries.insert(key.into(), value);
    settings.try_into().map_err(|error: toml::de::Error| format!("{name}: {shown} cannot be used: {}", error.message()))
}

/// Table and key of a setting.
fn place_of(name: &str) -> std::result::Result<(&'static str, &'static str), String> {
    let keeping = KEEPING.iter().map(|&key| (key, "run", key));
    let mut known = SETTINGS.into_iter().chain(keeping);
    known.clone().find(|(known, _, _)| *known == name).map(|(_, section, key)| (section, key)).ok_or_else(|| {
        let near = known.find(|(known, _, _)| known.starts_with(name) || name.starts_with(known));
        let names: Vec<&str> = SETTINGS.iter().map(|(known, _, _)| *known).chain(KEEPING).collect();
        let remedy = near.map_or_else(|| names.join(", "), |(known, _, _)| known.to_owned());
        format!("{name} is no setting of a fit. Remedy: give one of {remedy}")
    })
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
