//! What a fit found, open to be looked at: its settings, its map, its draws aligned to the map, and what it was fitted to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::chain::monitor::{DISTANCES, MonitoredPairs, monitored};
use super::home::InMemory;
use super::problem::Problem;
use super::problem::coupled::CoupledPairs;
use super::problem::known::Known;
use super::problem::memory::check_memory;
use super::problem::tree::RunTree;
use super::problem::unit::Unit;
use super::problem::{lay, likelihood};
use super::summary::Summary;
use crate::Locations;
use crate::coupling::Coupling;
use crate::diagnostics::Monitored;
use crate::diffusion::NodeDraws;
use crate::dissimilarity::{Dissimilarities, Names};
use crate::draws::{DrawReader, Variable};
use crate::embedding::{Alignment, Embedding, MixedMoments, ModeCentres, Moments, ObjectModes, procrustes};
use crate::error::RunError;
use crate::likelihood::LogLikelihood;
use crate::measurement::{NoiseScale, PairNoise};
use crate::posterior::Priors;
use crate::settings::{CheckedConfig, FitConfig, Keep, Resolved};

/// What a fit found, in memory or in the directory of a run.
#[derive(Clone)]
pub struct Fitted {
    shared: Arc<Shared>,
    /// The mode whose map this is, from 1.
    mode: usize,
    map: Arc<ModeMap>,
}

/// What all modes share.
struct Shared {
    config: FitConfig,
    summary: Summary,
    reader: DrawReader,
    home: Box<dyn Home>,
}

/// The map of one of the modes that the chains are in.
pub(crate) struct ModeMap {
    embedding: Embedding,
    /// The chains that the map consists of.
    chains: Vec<usize>,
    /// Where the modes of objects that have several are.
    centres: Vec<ModeCentres>,
    alignment: Alignment,
}

impl ModeMap {
    pub fn new(embedding: Embedding, chains: Vec<usize>, centres: Vec<ModeCentres>) -> Self {
        let left_out: Vec<usize> = centres.iter().map(|modes| modes.object).collect();
        let alignment = Alignment::without(embedding.mean.clone(), &left_out);
        Self { embedding, chains, centres, alignment }
    }
}

/// Where a fit keeps what is not in its draws: memory, or the directory of a run.
pub(crate) trait Home: Send + Sync {
    /// Where it is, or what to call it.
    fn path(&self) -> &Path;

    /// The map of a mode, counted from 1, which the chains `chains` are in.
    fn map(&self, mode: usize, chains: Vec<usize>, reader: &DrawReader, summary: &Summary)
    -> Result<ModeMap, RunError>;

    /// The tree along which locations diffuse, if there is one.
    fn tree(&self, config: &FitConfig, names: &Names) -> Result<Option<Arc<RunTree>>, RunError>;

    /// Mean and covariances that some chains kept instead of their draws.
    fn kept_moments(&self, chains: &[usize]) -> Result<Option<Moments>, RunError>;

    /// The data, coupled as they were fitted.
    fn measured(&self, config: &FitConfig) -> Result<Arc<Measured>, RunError>;

    /// What a fit in memory keeps; `None` if it is in a directory, which can be opened again.
    fn in_memory(&self) -> Option<&InMemory> {
        None
    }
}

impl Fitted {
    pub(crate) fn new(
        config: FitConfig,
        summary: Summary,
        reader: DrawReader,
        home: Box<dyn Home>,
        mode: usize,
    ) -> Result<Self, RunError> {
        let chains = chains_of(&summary, &reader, mode)?;
        let map = Arc::new(home.map(mode, chains, &reader, &summary)?);
        Ok(Self { shared: Arc::new(Shared { config, summary, reader, home }), mode, map })
    }

    /// Whether the chains have converged, in words.
    pub fn verdict(&self) -> &str {
        &self.summary().verdict
    }

    /// The map, on its principal axes, and the stress of every object.
    pub fn map(&self) -> &Embedding {
        self.embedding()
    }

    /// The draws, aligned unless raw ones were asked for.
    pub fn draws(&self) -> &DrawReader {
        self.reader()
    }

    /// The distance of two objects in every draw, chain after chain.
    ///
    /// # Errors
    /// If there is no object of that name, or no draws of the locations were kept.
    pub fn distances(&self, a: &str, b: &str) -> Result<Vec<f64>, RunError> {
        let find = |name: &str| self.names().find(name).ok_or_else(|| RunError::NoObject(name.into()));
        let (a, b) = (find(a)?, find(b)?);
        let mut distances = Vec::new();
        self.reader().for_each_x(|_, _, x| distances.push(x.distance(a, b)))?;
        Ok(distances)
    }

    /// The same fit, looked at in another of the modes that its chains are in, counted from 1.
    ///
    /// # Errors
    /// If there are fewer modes, or the files of that mode cannot be read.
    pub fn in_mode(&self, mode: usize) -> Result<Self, RunError> {
        let Shared { summary, reader, home, .. } = &*self.shared;
        let chains = chains_of(summary, reader, mode)?;
        let map = Arc::new(home.map(mode, chains, reader, summary)?);
        Ok(Self { shared: Arc::clone(&self.shared), mode, map })
    }

    /// The mode whose map this is, from 1, and how many there are.
    pub fn mode(&self) -> (usize, usize) {
        (self.mode, self.shared.summary.shown.maps.len().max(1))
    }

    /// What the map is, in words: "posterior mean", "a central draw", with the mode if there are several.
    pub fn what_is_shown(&self) -> String {
        let is_draw = self.shared.summary.shown.maps.get(self.mode - 1).is_some_and(|map| map.central_draw.is_some());
        let what = if is_draw { "a central draw" } else { "posterior mean" };
        match self.mode() {
            (_, 1) => what.into(),
            (mode, n_modes) => format!("{what} of mode {mode} of {n_modes}"),
        }
    }

    /// What it keeps in memory beside its draws, if it is not in a directory.
    pub(super) fn in_memory(&self) -> Option<&InMemory> {
        self.shared.home.in_memory()
    }

    /// The chains that the map consists of.
    pub fn shown_chains(&self) -> &[usize] {
        &self.map.chains
    }

    /// Where the run is; a fit in memory has only a name.
    pub fn path(&self) -> &Path {
        self.shared.home.path()
    }

    /// The name of its directory.
    pub fn name(&self) -> String {
        // "." and ".." have no name of their own.
        let path = self.path().canonicalize().unwrap_or_else(|_| self.path().to_owned());
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }

    /// Its settings.
    pub fn config(&self) -> &FitConfig {
        &self.shared.config
    }

    /// Its verdict and first numbers.
    pub fn summary(&self) -> &Summary {
        &self.shared.summary
    }

    /// The objects, in input order.
    pub fn names(&self) -> &Names {
        self.reader().names()
    }

    /// The draws as stored.
    pub fn reader(&self) -> &DrawReader {
        &self.shared.reader
    }

    /// The map shown, on its principal axes, and the stress of every object.
    pub fn embedding(&self) -> &Embedding {
        &self.map.embedding
    }

    /// How a dissimilarity of a pair scatters around its distance.
    ///
    /// # Errors
    /// If titres were fitted: they are no dissimilarities.
    pub fn pair_noise(&self) -> Result<PairNoise, RunError> {
        let config = self.config();
        if config.input.titers {
            let problem =
                format!("{} was fitted to titres, which are no dissimilarities of pairs", self.path().display());
            let remedy = "use its tables titers.csv (expected titres of all cells, with intervals) and drops.csv";
            return Err(RunError::setting("RUN", problem, remedy));
        }
        let family = config.measurement.family.unwrap_or(config.model.noise.into());
        Ok(PairNoise { family, known_errors: config.measurement.known_errors })
    }

    /// The noise in every draw of the chains that the map consists of, chain after chain.
    ///
    /// # Errors
    /// If the store is damaged.
    pub fn noise_draws(&self) -> Result<Vec<NoiseScale>, RunError> {
        let of_chains = |name: &str| -> Result<Vec<f64>, RunError> {
            let values = self.shown_chains().iter().map(|&chain| self.reader().scalar(name, chain));
            Ok(values.collect::<Result<Vec<_>, _>>()?.concat())
        };
        let sigmas = of_chains("sigma")?;
        let is_learned = self.reader().variables().any(|variable| variable.name == "nu");
        let known = self.config().measurement.nu.unwrap_or(f64::INFINITY);
        let nus = if is_learned { of_chains("nu")? } else { vec![known; sigmas.len()] };
        Ok(sigmas.into_iter().zip(nus).map(|(sigma, nu)| NoiseScale { sigma, nu }).collect())
    }

    /// Number of stored draws of the locations that the map consists of.
    pub fn n_locations(&self) -> usize {
        let stored = |&chain| self.reader().n_complete(chain);
        if self.reader().has_x() { self.map.chains.iter().map(stored).sum() } else { 0 }
    }

    /// The tree that the locations were fitted along, if they were.
    ///
    /// # Errors
    /// If the run's copy of the tree cannot be read.
    pub fn tree(&self) -> Result<Option<Arc<RunTree>>, RunError> {
        self.shared.home.tree(self.config(), self.names())
    }

    /// The stored draws with a location for every node of its tree.
    ///
    /// # Errors
    /// If there is no diffusion along the tree.
    pub fn node_draws<'a>(&'a self, tree: &'a RunTree) -> Result<NodeDraws<'a>, RunError> {
        tree.node_draws(self.reader(), self.map.alignment.clone(), &self.map.chains, self.config().run.seed)
    }

    /// Visits the stored draws that the map consists of and whose index `is_wanted`, each aligned to the map, with its index among
    /// these draws (chain after chain); memory holds one of them. A run that kept none has nothing to visit.
    ///
    /// # Errors
    /// If the store is damaged.
    pub fn for_each_aligned(
        &self,
        is_wanted: impl Fn(usize) -> bool,
        mut visit: impl FnMut(usize, &Locations),
    ) -> Result<(), RunError> {
        if self.n_locations() == 0 {
            return Ok(());
        }
        let mut indices = 0..;
        self.reader().for_each_x_of(&self.map.chains, |_, _, x| {
            if let Some(index) = indices.next().filter(|&index| is_wanted(index)) {
                visit(index, &self.map.alignment.apply(x));
            }
        })?;
        Ok(())
    }

    /// One stored draw of a chain, aligned to the map.
    ///
    /// # Errors
    /// If there is no such draw or the store is damaged.
    pub fn aligned(&self, chain: usize, draw: usize) -> Result<Locations, RunError> {
        Ok(self.map.alignment.apply(&self.reader().x(chain, draw)?))
    }

    /// What aligns draws to the map.
    pub fn alignment(&self) -> &Alignment {
        &self.map.alignment
    }

    /// Where `sbmds cluster` leaves the clusters of the run by default.
    pub fn clusters(&self) -> PathBuf {
        self.path().join("clusters")
    }

    /// Mean and covariance of every object in the mode that is shown: from the draws, or from what the chains kept of them.
    ///
    /// # Errors
    /// If the store is damaged, or the checkpoints that hold the moments of a run without draws are.
    pub fn moments(&self) -> Result<Moments, RunError> {
        Ok(self.moments_and_modes()?.0)
    }

    /// The same with the modes of the objects that have several.
    ///
    /// # Errors
    /// As [`Fitted::moments`].
    pub fn moments_and_modes(&self) -> Result<(Moments, Vec<ObjectModes>), RunError> {
        let mut mixed = self.no_moments();
        if self.config().run.keep == Keep::Summary {
            let kept = self
                .shared
                .home
                .kept_moments(&self.map.chains)?
                .map(|kept| kept.moved(&procrustes(kept.mean(), &self.map.embedding.mean)));
            return Ok((kept.unwrap_or_else(|| self.seen(&mixed).0), Vec::new()));
        }
        self.for_each_aligned(|_| true, |_, aligned| mixed.add(aligned))?;
        Ok(self.seen(&mixed))
    }

    /// Room for the moments of the aligned draws.
    pub(crate) fn no_moments(&self) -> MixedMoments {
        MixedMoments::new(self.names().len(), self.reader().n_dims(), self.map.centres.clone())
    }

    /// Moments of the aligned draws, seen from the map.
    pub(crate) fn seen(&self, mixed: &MixedMoments) -> (Moments, Vec<ObjectModes>) {
        let map = self.shared.summary.shown.maps.get(self.mode - 1);
        let is_draw = map.is_some_and(|map| map.central_draw.is_some());
        let from = is_draw.then_some(&self.map.embedding.mean);
        (mixed.shown(from), mixed.modes(from))
    }

    /// Prior standard deviation of a location, in input units. Where it was learned, and along a tree, that of the weak priors.
    ///
    /// # Errors
    /// If the settings cannot be used any more.
    pub fn prior_scale(&self) -> Result<f64, RunError> {
        let config = Resolved::of_run(self.config().clone().check()?);
        let is_known = config.tree.is_none() && !config.priors.learn_scale && config.priors.shrinkage.is_none();
        Ok(config.model.unit * if is_known { config.prior_scale() } else { Priors::WEAK_SCALE })
    }

    /// Everything that the verdict looks at: the log density, sigma, then distances.
    ///
    /// # Errors
    /// If the store is damaged.
    pub fn monitored(&self) -> Result<Vec<Monitored>, RunError> {
        monitored(self.reader(), &MonitoredPairs::choose(self.names().len(), self.config().run.seed))
    }

    /// One quantity by name: a monitored one, or `NAME` or `NAME[k]` of the store (k from 1).
    ///
    /// # Errors
    /// If there is none of that name (the message lists some that are there), or the store is damaged.
    pub fn quantity(&self, name: &str) -> Result<Monitored, RunError> {
        if let Some(stored) = self.stored_quantity(name)? {
            return Ok(stored);
        }
        // As flags are written: diffusion-rate.
        if let Some(stored) = self.stored_quantity(&name.replace('-', "_"))? {
            return Ok(stored);
        }
        let mut monitored = self.monitored()?;
        if let Some(found) = monitored.iter().position(|quantity| quantity.name() == name) {
            return Ok(monitored.swap_remove(found));
        }
        let stored = self.variables().flat_map(entries);
        let some: Vec<String> = stored.chain(monitored.iter().map(|quantity| quantity.name().into())).take(8).collect();
        let problem = format!("{} has no quantity {name:?}", self.path().display());
        let remedy =
            format!("give one of the first column of diagnostics.csv or of the store: {}, ...", some.join(", "));
        Err(RunError::setting("`quantity`", problem, remedy))
    }

    /// What the store holds, but for distances: those have readable names of their own.
    fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.reader().variables().filter(|variable| variable.name != DISTANCES).chain(self.reader().stats())
    }

    fn stored_quantity(&self, name: &str) -> Result<Option<Monitored>, RunError> {
        let found = self.variables().find_map(|variable| Some((variable, entries(variable).position(|e| e == name)?)));
        let Some((variable, entry)) = found else { return Ok(None) };
        let is_stat = self.reader().stats().any(|stat| stat.name == variable.name);
        let draws_of = |chain| {
            let values = match is_stat {
                true => self.reader().stat(&variable.name, chain)?,
                false => self.reader().scalar(&variable.name, chain)?,
            };
            let of_entry = values.iter().skip(entry).step_by(variable.row_len().max(1));
            Ok(of_entry.take(self.reader().n_complete_in_all()).copied().collect())
        };
        let draws = (0..self.reader().n_chains()).map(draws_of).collect::<Result<Vec<Vec<f64>>, RunError>>()?;
        Ok(Some(Monitored::new(name, draws)?))
    }

    /// The data as they were fitted; a run reads its input again.
    ///
    /// # Errors
    /// If the input is gone, has changed or cannot be read.
    pub fn measured(&self) -> Result<Arc<Measured>, RunError> {
        self.shared.home.measured(self.config())
    }
}

/// The chains that the map of a mode consists of.
fn chains_of(summary: &Summary, reader: &DrawReader, mode: usize) -> Result<Vec<usize>, RunError> {
    let n_modes = summary.shown.maps.len().max(1);
    if !(1..=n_modes).contains(&mode) {
        let modes = if n_modes == 1 { "one mode".to_owned() } else { format!("{n_modes} modes") };
        let problem = format!("{mode} is asked for, and the chains are in {modes}");
        return Err(RunError::setting(
            "`mode`",
            problem,
            format!("give a number from 1 to {n_modes}, or leave it out"),
        ));
    }
    // Older versions did not say.
    let all = || (0..reader.n_chains()).collect();
    let chains = summary.shown.maps.get(mode - 1).map_or_else(all, |map| map.chains.clone());
    Ok(chains.into_iter().filter(|&chain| chain < reader.n_chains()).collect())
}

/// The names of a variable's numbers: its own, or with the entry in brackets, counted from 1.
fn entries(variable: &Variable) -> impl Iterator<Item = String> + '_ {
    let is_scalar = variable.axes.is_empty();
    (1..=variable.row_len())
        .map(move |k| if is_scalar { variable.name.clone() } else { format!("{}[{k}]", variable.name) })
}

/// The dissimilarities of a fit, coupled as they were fitted.
pub struct Measured {
    data: Dissimilarities,
    coupling: Coupling,
    likelihood: Arc<dyn LogLikelihood>,
    unit: Unit,
}

impl Measured {
    pub(crate) fn new(
        data: Dissimilarities,
        coupling: Coupling,
        likelihood: Arc<dyn LogLikelihood>,
        unit: Unit,
    ) -> Self {
        Self { data, coupling, likelihood, unit }
    }

    /// Of data read again, coupled as they were fitted.
    pub(crate) fn again(config: &CheckedConfig, data: Dissimilarities) -> Result<Self, RunError> {
        let coupling = lay(config, &data)?;
        check_memory(&coupling.pairs, config.model.storage)?;
        let unit = Unit(config.model.unit);
        let likelihood = likelihood(config, &data, &coupling).in_unit(unit.0);
        Ok(Self::new(data, coupling, Arc::new(likelihood), unit))
    }

    /// Of what was sampled.
    pub(crate) fn of(problem: &Problem) -> Self {
        let likelihood = Arc::clone(problem.posterior.shared_likelihood());
        Self::new(problem.data.clone(), problem.coupling.clone(), likelihood, problem.unit)
    }

    /// All that was measured, coupled or not.
    pub fn data(&self) -> &Dissimilarities {
        &self.data
    }

    /// The coupled pairs, in input order and units.
    pub fn coupled(&self) -> CoupledPairs<'_> {
        CoupledPairs::new(&self.coupling.order, &*self.likelihood, self.unit)
    }

    /// All pairs that have a dissimilarity, coupled or not.
    pub fn known(&self) -> Known<'_> {
        Known::new(&self.data, &self.coupling, self.coupled())
    }
}
