//! What to do next after a fit, as commands to paste.

use std::path::Path;

use sbmds::run::{FitConfig, Summary};

/// A command line word, quoted where a shell would take it apart.
pub fn word(text: impl AsRef<Path>) -> String {
    let text = text.as_ref().display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "_-./+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// `sbmds fit --resume --out RUN`.
pub fn resume(run: &Path) -> String {
    format!("sbmds fit --resume --out {}", word(run))
}

/// What may help a run whose verdict is not good or that has less than it was asked for, one line each.
pub fn after(run: &Path, config: &FitConfig, summary: &Summary) -> Vec<String> {
    if let Some(couplings) = summary.map.as_ref().and_then(|map| map.more_couplings.as_deref()) {
        // No draws mend couplings that do not carry over.
        return vec![more_pairs(run, couplings)];
    }
    let next = match summary.verdict_details["kind"].as_str() {
        Some("not_yet") => vec![longer(run, config, summary)],
        Some("chains_disagree") => disagreement(run, config),
        _ => Vec::new(),
    };
    next.into_iter().chain(ess_not_reached(run, config, summary)).collect()
}

/// The same fit with more coupled pairs.
fn more_pairs(run: &Path, couplings: &str) -> String {
    let out = run.with_file_name(format!("{}-{}", name(run), couplings.replace(':', "-")));
    format!("Couple more pairs with: {} --couplings {couplings} --out {}", again(run), word(out))
}

/// More draws, as many as the verdict asks for; or a new start, if the chains are stuck.
fn longer(run: &Path, config: &FitConfig, summary: &Summary) -> String {
    let Some(times) = summary.verdict_details["times_longer"].as_f64() else {
        let warmup = 2 * config.sampler.n_warmup.max(500);
        return format!("Start anew with: {} --warmup {warmup} --overwrite --out {}", again(run), word(run));
    };
    let draws = rounded_up(times * made(config, summary) as f64);
    if draws <= config.run.draws {
        // The time was up before the draws were made.
        return format!("Go on with: {}", resume(run));
    }
    let limit = config.run.max_draws.filter(|&most| most < draws).map(|_| format!(" --max-draws {draws}"));
    format!("Go on with: {} --draws {draws}{}", resume(run), limit.unwrap_or_default())
}

/// What to do if the limit of `--until-ess` came first.
fn ess_not_reached(run: &Path, config: &FitConfig, summary: &Summary) -> Option<String> {
    let (wanted, smallest) = (config.run.until_ess?, summary.min_ess.as_ref()?.value);
    if smallest >= wanted || summary.n_draws < config.run.most_stored_draws() {
        return None;
    }
    let draws = rounded_up(1.1 * made(config, summary) as f64 * wanted / smallest.max(1.0));
    Some(format!(
        "The effective sample size asked for, {wanted}, is not reached: the smallest is {smallest:.0} after the most draws allowed. \
         Go on with: {} --max-draws {draws}",
        resume(run)
    ))
}

/// Draws of each chain, as `--draws` counts them.
fn made(config: &FitConfig, summary: &Summary) -> usize {
    summary.n_draws * config.run.iterations_per_draw() / config.run.thin.max(1)
}

/// The settings once more, for a run elsewhere.
fn again(run: &Path) -> String {
    format!("sbmds fit --config {}", word(run.join("config.toml")))
}

fn disagreement(run: &Path, config: &FitConfig) -> Vec<String> {
    let elsewhere = |end: String| word(run.with_file_name(format!("{}-{end}", name(run))));
    let (n_dims, n_chains) = (config.model.n_dims + 1, 2 * config.run.chains.max(2));
    let warmup = 2 * config.sampler.n_warmup.max(500);
    vec![
        format!(
            "One more dimension often lets the modes meet: {} --dims {n_dims} --out {}",
            again(run),
            elsewhere(format!("{n_dims}d"))
        ),
        format!(
            "More chains with a longer warm-up show which mode most of them find: {} --chains {n_chains} --warmup {warmup} --out {}",
            again(run),
            elsewhere(format!("{n_chains}-chains"))
        ),
    ]
}

fn name(run: &Path) -> String {
    run.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Upwards to two digits: nobody plans a run to more.
fn rounded_up(number: f64) -> usize {
    let unit = 10_f64.powf((number.max(1.0).log10().floor() - 1.0).max(0.0));
    ((number / unit).ceil() * unit) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(word("runs/a-1.0"), "runs/a-1.0");
        assert_eq!(word("my run"), "'my run'");
        assert_eq!(word("it's"), r"'it'\''s'");
        assert_eq!(word("$(rm)"), "'$(rm)'");
    }

    #[test]
    fn more_pairs_are_coupled_in_a_run_of_their_own() {
        assert_eq!(
            more_pairs(Path::new("a/my run"), "dispersed:120"),
            "Couple more pairs with: sbmds fit --config 'a/my run/config.toml' --couplings dispersed:120 --out 'a/my \
             run-dispersed-120'"
        );
    }

    #[test]
    fn numbers_of_draws_are_round() {
        assert_eq!([2786.0, 1000.0, 101.0, 7.2, 0.0, 12345.0].map(rounded_up), [2800, 1000, 110, 8, 0, 13000]);
    }
}
