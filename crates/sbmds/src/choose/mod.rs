//! How many dimensions, which noise: candidates fitted to the same pairs and compared by how well they predict pairs they have not seen.
//!
//! [`choose`] fits every candidate into a directory of its own, so that an interrupted choice goes on where it was; scores them by leave-one-out
//! ([`crate::loo`]) or by exact folds; and advises by the one-standard-error rule: the simplest candidate that predicts no worse than the best by
//! more than the standard error of their difference.

mod advice;
mod bands;
mod candidate;
#[cfg(feature = "figures")]
mod figure;
mod fits;
mod judged;
mod mdsic;
mod table;

use std::path::Path;

pub use advice::{Advice, advise};
#[cfg(feature = "figures")]
pub use bands::draw_bands;
pub use bands::{BandsChoice, BandsQuestion, BandsRow, Ladder, Rung, Step, choose_bands, write_bands_csv};
pub use candidate::Candidate;
#[cfg(feature = "figures")]
pub use figure::draw_choice;
use fits::Task;
pub use fits::{Fits, Told};
pub use judged::{Judged, JudgedPairs};
pub use mdsic::{MapFit, mdsic};
pub use table::{ChoiceRow, rows, write_choice_csv};

use crate::coupling::Couplings;
use crate::error::RunError;
use crate::loo::Folds;
use crate::quality::KnownPair;
use crate::random::{Purpose, stream};
use crate::run::{Control, FinishedRun, FitConfig};

/// Candidates, judged.
pub struct Choice {
    /// In the order of dimensions, then of noise families.
    pub judged: Vec<Judged>,
    /// What to take.
    pub advice: Advice,
}

/// What to compare, and how.
pub struct Question<'a> {
    /// Settings of every fit but for what candidates differ in.
    pub base: FitConfig,
    /// What to compare.
    pub candidates: Vec<Candidate>,
    /// Where the fits are, or are to be.
    pub directory: &'a Path,
    /// Exact folds; 0: leave one out by weights.
    pub n_folds: usize,
}

/// Fits what is needed and compares it; `None` if it was interrupted, with everything saved.
///
/// # Errors
/// If settings or input cannot be used, or the directory holds fits with other settings.
pub fn choose(question: &Question, control: &Control, told: &dyn Told) -> Result<Option<Choice>, RunError> {
    let fits = Fits::open(question.directory, &question.base, control, told)?;
    // The fit with most dimensions decides which pairs all are compared on.
    let Some(largest) = question.candidates.iter().max_by_key(|candidate| candidate.n_dims) else {
        return Err(RunError::setting("`dims`", "there is nothing to choose from", "give dimensions such as 1-6"));
    };
    let Some(run) = fits.run(&question.base, largest)? else { return Ok(None) };
    let base = with_couplings(&question.base, run.config().model.couplings.clone());
    let pairs = JudgedPairs::of(&run)?;
    let Some(runs) = fits.run_all(&base, &question.candidates)? else { return Ok(None) };
    let judged = match question.n_folds {
        0 => by_leaving_out(&question.candidates, &runs, &pairs).map(Some),
        n_folds => by_folds(&fits, &base, &question.candidates, &runs, &pairs, n_folds),
    };
    let Some(mut judged) = judged? else { return Ok(None) };
    mdsic::fill(&mut judged);
    let advice = advise(&judged);
    Ok(Some(Choice { judged, advice }))
}

fn with_couplings(base: &FitConfig, couplings: Couplings) -> FitConfig {
    let mut config = base.clone();
    config.model.couplings = couplings;
    config
}

fn by_leaving_out(
    candidates: &[Candidate],
    runs: &[FinishedRun],
    pairs: &JudgedPairs,
) -> Result<Vec<Judged>, RunError> {
    let judged = |(candidate, run)| Judged::by_leaving_out(candidate, run, pairs);
    candidates.iter().zip(runs).map(judged).collect()
}

/// Exact folds: a fit for each of each candidate, without its pairs. The folds are the same for all candidates, so that they are compared on the same
/// pairs: those that leave every object enough for the most dimensions.
fn by_folds(
    fits: &Fits,
    base: &FitConfig,
    candidates: &[Candidate],
    runs: &[FinishedRun],
    pairs: &JudgedPairs,
    n_folds: usize,
) -> Result<Option<Vec<Judged>>, RunError> {
    let Some(first) = runs.first() else { return Ok(Some(Vec::new())) };
    let names = first.names();
    let most_dims = candidates.iter().map(|candidate| candidate.n_dims).max().unwrap_or(1);
    let mut rng = stream(base.run.seed, 0, Purpose::Folds);
    let folds = Folds::new(pairs.pairs(), names.len(), n_folds, most_dims + 1, &mut rng);
    check(&folds, pairs.pairs().len(), most_dims)?;
    let mut tasks = Vec::new();
    for candidate in candidates {
        for fold in 0..n_folds {
            let kept: Vec<&KnownPair> = folds.kept(fold).map(|pair| &pairs.pairs()[pair]).collect();
            let part = format!("fold-{}", fold + 1);
            let file = fits.write_pairs(&format!("{candidate}-{part}"), &kept, names)?;
            tasks.push(Task::part(&with_couplings(base, Couplings::Graph(file)), candidate, &part));
        }
    }
    let Some(fitted) = fits.carry_out_all(&tasks)? else { return Ok(None) };
    let mut judged = Vec::new();
    for ((candidate, run), fitted) in candidates.iter().zip(runs).zip(fitted.chunks(n_folds)) {
        let mut held_out = Vec::new();
        for (fold, run) in fitted.iter().enumerate() {
            let out: Vec<usize> = folds.held_out(fold).collect();
            let said = pairs.some(&out).held_out(run)?;
            held_out.extend(out.into_iter().zip(said));
        }
        judged.push(judged::by_holding_out(candidate, run, pairs, held_out));
    }
    Ok(Some(judged))
}

/// Refuses folds in which hardly a pair is held out: the candidates could not be told apart.
fn check(folds: &Folds, n_pairs: usize, most_dims: usize) -> Result<(), RunError> {
    let n_held_out: usize = (0..folds.len()).map(|fold| folds.held_out(fold).count()).sum();
    if (0..folds.len()).all(|fold| folds.held_out(fold).next().is_some()) {
        return Ok(());
    }
    let problem = format!(
        "{n_held_out} of {n_pairs} pairs can be held out in {} folds if every object keeps {} pairs, and some fold has none",
        folds.len(),
        most_dims + 1
    );
    Err(RunError::setting("`folds`", problem, "give fewer `dims`, fewer folds, or leave `folds` out"))
}
