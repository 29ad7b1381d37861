//! Enough pairs? Dispersed couplings grown, each holding the pairs of the last, until what the fits say stops moving.
//!
//! All fits share the shuffle, each begins at the map of the one before, and all are judged by the same pairs, which none of them has. What moves when
//! the bands double is the held-out error, the posterior width of distances and, with a tree, the rate of diffusion ([`Step`]).

mod advice;
#[cfg(feature = "figures")]
mod figure;
mod ladder;
mod rung;
mod table;

use std::path::Path;

use super::{Fits, Told};
use crate::coupling::{Couplings, never_nested};
use crate::dissimilarity::Input;
use crate::error::RunError;
use crate::quality::KnownPair;
use crate::run::{Control, FitConfig};
use crate::settings::Start;

#[cfg(feature = "figures")]
pub use figure::draw_bands;
pub use ladder::Ladder;
pub use rung::{Rung, Step};
pub use table::{BandsRow, write_bands_csv};

/// Pairs that no fit sees, if there are that many: the standard error of their root mean square is 1.6% of it, that of the difference of two fits much
/// less.
const HELD_OUT: usize = 2_000;

/// What to grow, and where.
pub struct BandsQuestion<'a> {
    /// Settings of every fit but for the couplings.
    pub base: FitConfig,
    /// Numbers of bands to fit, whatever the first of them say; `None`: doubled until nothing moves.
    pub bands: Option<Vec<usize>>,
    /// Where the fits are, or are to be.
    pub directory: &'a Path,
}

/// How many bands are enough.
#[derive(Clone, Debug)]
pub struct BandsChoice {
    /// Every number of bands, ascending.
    pub rungs: Vec<Rung>,
    /// Objects.
    pub n_objects: usize,
    /// Dimensions.
    pub n_dims: usize,
    /// Pairs that no fit saw.
    pub n_held_out: usize,
    /// Bands that couple all pairs but those held out.
    pub most: usize,
    /// The rung from which on nothing moves; `None` if something still did at the end.
    pub settled: Option<usize>,
}

impl BandsChoice {
    /// The paper's rule: ceil(D sqrt(N)).
    pub fn rule(&self) -> usize {
        ladder::rule(self.n_objects, self.n_dims)
    }
}

/// Grows couplings and judges them; `None` if it was interrupted, with everything saved.
///
/// # Errors
/// If settings or input cannot be used, or the directory holds fits with other settings.
pub fn choose_bands(
    question: &BandsQuestion,
    control: &Control,
    told: &dyn Told,
) -> Result<Option<BandsChoice>, RunError> {
    let checked = question.base.clone().check()?;
    let data = Input::open(&question.base.input.path)?.read(&question.base.input.read_options())?;
    let (n_objects, n_dims) = (data.n_objects(), checked.model.n_dims);
    let ladder = Ladder::new(n_objects, n_dims, question.bands.as_deref(), HELD_OUT, checked.effort())?;
    let unseen = never_nested(n_objects, ladder.most(), HELD_OUT, &checked.lay_options());
    let known = |&(a, b): &(usize, usize)| KnownPair { a, b, delta: data.get(a, b) };
    let held_out: Vec<KnownPair> = unseen.iter().map(known).filter(|pair| !pair.delta.is_nan()).collect();
    if held_out.is_empty() {
        let problem = "no measured pair is left to judge fits by";
        return Err(RunError::setting(
            "INPUT",
            problem,
            "measure more pairs, or judge by `folds` which `dims` to take",
        ));
    }
    let fits = Fits::open(question.directory, &question.base, control, told)?;
    let mut rungs: Vec<Rung> = Vec::new();
    for &bands in ladder.bands() {
        let config = config_of(&question.base, bands, &fits, rungs.last(), data.names())?;
        let Some(run) = fits.carry_out(config, &format!("bands-{bands}"))? else { return Ok(None) };
        rungs.push(Rung::of(bands, &run, &held_out, rungs.last())?);
        if question.bands.is_none() && rungs.last().is_some_and(Rung::stands_still) {
            break;
        }
    }
    // What stands still from one number to the next has arrived at the first of the two.
    let settled = rungs.iter().position(Rung::stands_still).map(|moved| moved - 1);
    Ok(Some(BandsChoice { rungs, n_objects, n_dims, n_held_out: held_out.len(), most: ladder.most(), settled }))
}

/// The fit of this many bands, begun at the map of the fit before, which needs half the warm-up.
fn config_of(
    base: &FitConfig,
    bands: usize,
    fits: &Fits,
    before: Option<&Rung>,
    names: &crate::dissimilarity::Names,
) -> Result<FitConfig, RunError> {
    let mut config = base.clone();
    config.model.couplings = Couplings::Nested(bands);
    if let Some(before) = before {
        config.run.start = Start::Map(fits.write_map(&format!("bands-{bands}-start"), &before.map, names)?);
        config.sampler.n_warmup = base.sampler.n_warmup.div_ceil(2);
    }
    Ok(config)
}
