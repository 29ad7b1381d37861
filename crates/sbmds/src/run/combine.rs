//! One run of chains that ran one by one (`--chain`), as if they had run together.

use std::path::{Path, PathBuf};

use super::directory::RunDirectory;
use super::disk;
use super::fit::{Outcome, carry_out, read_and_prepare};
use super::hashes::{check_hashes, hashes_of};
use super::sink::DirectorySink;
use crate::Locations;
use crate::dissimilarity::Input;
use crate::draws::{Draw, DrawReader};
use crate::error::RunError;
use crate::fit::anchor::FoundAnchor;
use crate::fit::chain::monitor::MonitoredPairs;
use crate::fit::chain::record;
use crate::fit::control::with_threads;
use crate::fit::problem::Problem;
use crate::fit::problem::instructions;
use crate::fit::sink::DrawSink;
use crate::fit::{Control, Observer, SavedChain, Silent};
use crate::likelihood::{Arithmetic, InstructionSet};
use crate::settings::{FitConfig, Resolved};

/// A run that has one chain.
struct Part {
    directory: RunDirectory,
    config: Resolved,
    /// Which of all chains, counted from 1.
    chain: usize,
    saved: SavedChain,
    reader: DrawReader,
}

/// Makes the run `directory` of finished runs that have one chain each, and sums it up; `input` is where their input is now, if it
/// has moved. [`super::resume`] goes on with it as with any other run.
///
/// # Errors
/// If the runs are not all chains of one fit, one of them is not finished, the input has changed, or the disk refuses.
pub fn combine(
    runs: &[PathBuf],
    directory: &Path,
    input: Option<PathBuf>,
    control: &Control,
) -> Result<Outcome, RunError> {
    RunDirectory::is_free(directory)?;
    let mut parts = runs.iter().map(|run| Part::open(run, control.observer)).collect::<Result<Vec<_>, _>>()?;
    parts.sort_by_key(|part| part.chain);
    check(&parts)?;
    with_threads(control.n_threads, || {
        let (config, problem) = joint(&parts, input, control)?;
        disk::check_disk(directory, &config, &problem, control.force)?;
        let run = RunDirectory::create(directory, &config)?;
        run.keep_input(kept_input(&parts[0])?.as_deref())?;
        copy_chains(&parts, &run, &config, &problem, control)?;
        carry_out(&run, &config, &problem, control)
    })
}

impl Part {
    fn open(path: &Path, observer: &dyn Observer) -> Result<Self, RunError> {
        let (directory, config) = RunDirectory::reopen(path)?;
        let Some(chain) = config.run.chain else {
            let problem = format!("{} holds all {} chains of its fit", path.display(), config.run.chains);
            return Err(apart(problem, "give runs made with `chain` K"));
        };
        let config = Resolved::of_run(config.check()?);
        let sink = DirectorySink::open(&directory, config.run_id()?, usize::MAX, observer, |_| Ok(None))?;
        let Some(sink) = sink else { return Err(unfinished(path, 0, &config)) };
        let (saved, reader) = (sink.saved(0)?, sink.reader()?);
        let n_draws = saved.as_ref().map_or(0, SavedChain::n_draws);
        match saved {
            Some(saved) if n_draws >= config.run.stored_draws() => Ok(Self { directory, config, chain, saved, reader }),
            _ => Err(unfinished(path, n_draws, &config)),
        }
    }

    fn path(&self) -> std::path::Display<'_> {
        self.directory.path().display()
    }
}

fn apart(problem: String, remedy: impl Into<String>) -> RunError {
    RunError::Apart { problem, remedy: remedy.into() }
}

fn unfinished(path: &Path, n_draws: usize, config: &FitConfig) -> RunError {
    let (path, wanted) = (path.display(), config.run.stored_draws());
    let problem = format!("{path} is not finished: its chain has {n_draws} of {wanted} draws");
    apart(problem, format!("sbmds fit --resume --out {path}"))
}

/// Refuses parts that are not all chains of one fit, with the first reason found.
fn check(parts: &[Part]) -> Result<(), RunError> {
    let Some((first, others)) = parts.split_first() else {
        return Err(apart("there is nothing to combine".into(), "give the directories of runs made with `chain` K"));
    };
    for other in others {
        let both = format!("{} and {} are no chains of one fit", first.path(), other.path());
        if other.config.input.hash != first.config.input.hash {
            let problem = format!("{both}: their data differ");
            return Err(apart(problem, "combine runs of the same input, read in the same way"));
        }
        let draws = (first.config.run.draws != other.config.run.draws)
            .then(|| ("run.draws".into(), first.config.run.draws.to_string(), other.config.run.draws.to_string()));
        if let Some((key, mine, others)) = first.config.first_difference(&other.config)?.or(draws) {
            let problem = format!("{both}: {key} is {mine} in one and {others} in the other");
            return Err(apart(problem, "run one of them again with the settings of the other"));
        }
    }
    if let Some(pair) = parts.windows(2).find(|pair| pair[0].chain == pair[1].chain) {
        let problem = format!("{} and {} are both chain {}", pair[0].path(), pair[1].path(), pair[0].chain);
        return Err(apart(problem, "give every chain once"));
    }
    let n_chains = first.config.run.chains;
    let missing: Vec<String> = (1..=n_chains)
        .filter(|chain| parts.iter().all(|part| part.chain != *chain))
        .map(|chain| chain.to_string())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let problem = format!("of {n_chains} chains {} are missing: {}", missing.len(), missing.join(", "));
    Err(apart(problem, "run them with `chain` K, and give the directories of all"))
}

/// The fit that the parts are chains of.
fn joint(parts: &[Part], input: Option<PathBuf>, control: &Control) -> Result<(Resolved, Problem), RunError> {
    let checked = (*parts[0].config).clone();
    let checked = checked.with(|config| {
        config.run.chain = None;
        config.input.path = input.unwrap_or_else(|| config.input.path.clone());
    });
    let input = Input::open(&checked.input.path)?;
    let hashes = check_hashes(hashes_of(&checked, &input)?, &checked)?;
    // Nothing is drawn here: the instruction sets are those of the parts, whatever this machine has.
    let quiet = Control { observer: &Silent, ..*control };
    let (config, mut problem) = read_and_prepare(checked, &input, hashes, anchor_of(parts)?, &quiet)?;
    let of_this_machine = instructions::warning(&config);
    let config = config.drawn_with(instruction_sets(parts), arithmetics(parts));
    problem.warnings.retain(|warning| Some(warning) != of_this_machine.as_ref());
    problem.warnings.extend(instructions::warning(&config));
    problem.warnings.iter().for_each(|warning| control.observer.warn(warning));
    Ok((config, problem))
}

/// The anchor about which all parts sampled, if they have one.
fn anchor_of(parts: &[Part]) -> Result<Option<FoundAnchor>, RunError> {
    let of_part = |part: &Part| part.directory.anchor(part.config.run_id()?, &Silent);
    let Some((first, others)) = parts.split_first() else { return Ok(None) };
    let anchor = of_part(first)?;
    for other in others {
        if let (Some(anchor), Some(of_other)) = (&anchor, &of_part(other)?)
            && !anchor.agrees_with(of_other)
        {
            let problem = format!("{} and {} are anchored at different maps", first.path(), other.path());
            return Err(apart(
                problem,
                "run one of them again with the `start` and on a machine like that of the other",
            ));
        }
    }
    Ok(anchor)
}

fn instruction_sets(parts: &[Part]) -> Vec<InstructionSet> {
    let mut sets: Vec<InstructionSet> = Vec::new();
    for &set in parts.iter().flat_map(|part| &part.config.instructions) {
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    sets
}

fn arithmetics(parts: &[Part]) -> Vec<Arithmetic> {
    let has = |arithmetic: &Arithmetic| parts.iter().any(|part| part.config.arithmetic.contains(arithmetic));
    Arithmetic::ALL.into_iter().filter(has).collect()
}

/// What came through a pipe when the first part started.
fn kept_input(part: &Part) -> Result<Option<Vec<u8>>, RunError> {
    let path = &part.config.input.path;
    part.config.input.copy.as_ref().map(|_| std::fs::read(path).map_err(RunError::io("read", path))).transpose()
}

/// Stores the draws of every part as those of a chain, and saves the chain where it ended.
fn copy_chains(
    parts: &[Part],
    run: &RunDirectory,
    config: &Resolved,
    problem: &Problem,
    control: &Control,
) -> Result<(), RunError> {
    let pairs = MonitoredPairs::choose(problem.data.n_objects(), config.run.seed);
    let reference = parts[0].reader.reference()?;
    let most_draws = config.run.most_stored_draws();
    let sink = DirectorySink::open(run, config.run_id()?, most_draws, control.observer, |create| {
        create(&record::plan(problem, config, &pairs, reference.as_ref())).map(Some)
    })?;
    let sink = sink.expect("the store is made if it is not there");
    for (chain, part) in parts.iter().enumerate() {
        let mut to = sink.chain(chain)?;
        let nowhere = Locations::zeros(0, 0);
        let columns = Columns::read(&part.reader)?;
        for draw in 0..part.saved.n_draws() {
            let x = part.reader.has_x().then(|| part.reader.x(0, draw)).transpose()?;
            let (scalars, stats) = (columns.variables.row(draw), columns.stats.row(draw));
            to.push(&Draw { x: x.as_ref().unwrap_or(&nowhere), scalars: &scalars, stats: &stats })?;
        }
        let buffered = to.buffered()?;
        to.save(&part.saved.moved(&buffered))?;
        to.finish()?;
    }
    Ok(())
}

/// All numbers of a chain besides the locations.
struct Columns {
    variables: Rows,
    stats: Rows,
}

/// Variables with the length of one draw of each.
struct Rows(Vec<(Vec<f64>, usize)>);

impl Columns {
    fn read(reader: &DrawReader) -> Result<Self, RunError> {
        let variables = reader.variables().map(|v| Ok((reader.scalar(&v.name, 0)?, v.row_len())));
        let stats = reader.stats().map(|v| Ok((reader.stat(&v.name, 0)?, v.row_len())));
        let variables = variables.collect::<Result<_, RunError>>()?;
        Ok(Self { variables: Rows(variables), stats: Rows(stats.collect::<Result<_, RunError>>()?) })
    }
}

impl Rows {
    fn row(&self, draw: usize) -> Vec<f64> {
        let of_variable = |(values, length): &(Vec<f64>, usize)| values[draw * length..(draw + 1) * length].to_vec();
        self.0.iter().flat_map(of_variable).collect()
    }
}
