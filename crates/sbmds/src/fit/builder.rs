//! The door: a fit of dissimilarities in memory, draws in memory out.

use std::cell::LazyCell;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::chain::monitor::{MonitoredPairs, judge};
use super::chain::record;
use super::control::{Control, with_threads};
use super::fitted::{Fitted, Measured};
use super::home::{InMemory, LazyMeasured, ModeParts};
use super::observer::{Observer, Silent};
use super::problem::Problem;
use super::problem::prepare::prepare;
use super::problem::tree::RunTree;
use super::sample::{Sampled, Task, sample};
use super::shown::ShownMap;
use super::sink::{DrawSink, MemorySink};
use super::start::arithmetic::decide;
use super::start::reference::reference;
use super::summary::BranchSummary;
use super::summary::results::Results;
use crate::coupling::Couplings;
use crate::dissimilarity::Dissimilarities;
use crate::draws::{DrawReader, StorePlan};
use crate::error::RunError;
use crate::fit::start::Starts;
use crate::likelihood::Noise;
use crate::sampler::Sampler;
use crate::settings::check::check_threads;
use crate::settings::resolved::FileFindings;
use crate::settings::{FitConfig, PriorFamily, Resolved, TreeConfig};
use crate::tree::Tree;

/// A fit of dissimilarities in memory; one call per setting, the rest at its default.
///
/// ```
/// use sbmds::{Dissimilarities, Fit};
///
/// // Corners and centre of a square: (0, 1), (0, 2), ... (3, 4).
/// let names = ["NE", "NW", "SW", "SE", "centre"];
/// let values = [2.0, 2.8, 2.0, 1.4, 2.0, 2.8, 1.4, 2.0, 1.4, 1.4];
/// let data = Dissimilarities::from_condensed(&names, &values)?;
/// let fit = Fit::of(&data).dims(2).chains(2).draws(200).seed(1).run()?;
/// assert_eq!(fit.map().mean.n_objects(), 5);
/// assert_eq!(fit.distances("NE", "centre")?.len(), 400);
/// println!("{}", fit.verdict());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a fit does nothing until it is run"]
pub struct Fit<'a> {
    data: Dissimilarities,
    config: FitConfig,
    tree: Option<Tree>,
    observer: &'a dyn Observer,
    stop: Option<&'a AtomicBool>,
    n_threads: usize,
    time: Option<Duration>,
    force: bool,
}

impl<'a> Fit<'a> {
    /// A fit of these dissimilarities.
    pub fn of(data: &Dissimilarities) -> Self {
        let mut config = FitConfig { sbmds_version: env!("CARGO_PKG_VERSION").into(), ..FitConfig::default() };
        config.input.path = "data in memory".into();
        let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            data: data.clone(),
            config,
            tree: None,
            observer: &Silent,
            stop: None,
            n_threads,
            time: None,
            force: false,
        }
    }

    /// Dimensions of the map.
    pub fn dims(self, n_dims: usize) -> Self {
        self.with(|config| config.model.n_dims = n_dims)
    }

    /// Which pairs enter the likelihood.
    pub fn couplings(self, couplings: Couplings) -> Self {
        self.with(|config| config.model.couplings = couplings)
    }

    /// How dissimilarities scatter about distances.
    pub fn noise(self, noise: Noise) -> Self {
        self.with(|config| config.model.noise = noise)
    }

    /// The priors by name.
    pub fn priors(self, family: PriorFamily) -> Self {
        self.with(|config| config.priors.family = family)
    }

    /// How the posterior is sampled.
    pub fn sampler(self, sampler: Sampler) -> Self {
        self.with(|config| config.sampler.sampler = sampler)
    }

    /// Number of chains.
    pub fn chains(self, chains: usize) -> Self {
        self.with(|config| config.run.chains = chains)
    }

    /// Iterations of warm-up of each chain, whose draws are not kept.
    pub fn warmup(self, n_warmup: usize) -> Self {
        self.with(|config| config.sampler.n_warmup = n_warmup)
    }

    /// Draws of each chain after warm-up.
    pub fn draws(self, draws: usize) -> Self {
        self.with(|config| config.run.draws = draws)
    }

    /// Seed of everything random: the same seed gives the same bits, for any number of threads.
    pub fn seed(self, seed: u64) -> Self {
        self.with(|config| config.run.seed = seed)
    }

    /// Locations that diffuse along a tree, whose tips are the objects by name.
    pub fn tree(mut self, tree: Tree) -> Self {
        self.tree = Some(tree);
        self.with(|config| config.tree = Some(TreeConfig::new("tree in memory".into())))
    }

    /// Any setting of a fit, by its field of [`FitConfig`].
    pub fn with(mut self, change: impl FnOnce(&mut FitConfig)) -> Self {
        change(&mut self.config);
        self
    }

    /// Threads to use; all cores if not given.
    pub fn threads(mut self, n_threads: usize) -> Self {
        self.n_threads = n_threads;
        self
    }

    /// Ends after about so long, with the draws made by then.
    pub fn time_limit(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// Starts although memory seems too small.
    pub fn force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// Tells somebody how far the fit is, what to know and what to mind.
    pub fn observer(mut self, observer: &'a dyn Observer) -> Self {
        self.observer = observer;
        self
    }

    /// Stops soon after this becomes true, with the draws made by then.
    pub fn stop_when(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Samples, judges and sums up.
    ///
    /// # Errors
    /// If settings or data cannot be used, or the fit was stopped before every chain had a draw.
    pub fn run(self) -> Result<Fitted, RunError> {
        self.run_into(|plan| Ok(Box::new(MemorySink::new(plan)?)))
    }

    /// The same with the draws going into a sink of the caller's own, made for what is planned. What the fit says of its draws is
    /// read from the sink.
    ///
    /// # Errors
    /// As [`Fit::run`], and what the sink says.
    pub fn run_into<'s>(
        self,
        make: impl FnOnce(&StorePlan<'_>) -> Result<Box<dyn DrawSink + 's>, RunError> + Send,
    ) -> Result<Fitted, RunError> {
        check_threads(self.n_threads)?;
        let never = AtomicBool::new(false);
        let control = Control {
            observer: self.observer,
            stop: self.stop.unwrap_or(&never),
            n_threads: self.n_threads,
            checkpoint_interval: Duration::MAX,
            deadline: self.time.map(|time| Instant::now() + time),
            force: self.force,
            engine: None,
        };
        let config = self.config.check()?;
        let (data, tree) = (self.data, self.tree);
        with_threads(control.n_threads, || {
            let match_tree = |(tree, config)| RunTree::of(tree, config, data.names());
            let tree = tree.zip(config.tree.clone()).map(match_tree).transpose()?;
            let (config, problem) = prepare(config, data, tree, FileFindings::default(), None, &control)?;
            fit_in_memory(config, problem, &control, Box::new(make))
        })
    }
}

/// Makes a sink for what is planned.
type Make<'a, 's> = Box<dyn FnOnce(&StorePlan<'_>) -> Result<Box<dyn DrawSink + 's>, RunError> + 'a>;

/// Samples a prepared problem.
pub(super) fn fit_in_memory(
    config: Resolved,
    problem: Problem,
    control: &Control,
    make: Make,
) -> Result<Fitted, RunError> {
    if problem.lacks_anchor() {
        return Err(RunError::NoDraws);
    }
    let pairs = MonitoredPairs::choose(problem.data.n_objects(), config.run.seed);
    let starts = LazyCell::new(|| Starts::until(&problem, &config, Some(control.stop)));
    let reference = reference(&starts, &problem, &config);
    let mut sink = make(&record::plan(&problem, &config, &pairs, reference.as_ref()))?;
    let decided = decide(&config, &problem, || &starts);
    if control.is_stopped() {
        // The first map may be half done.
        return Err(RunError::NoDraws);
    }
    let config = config.clone().computed_in(decided);
    let task = Task { config: &config, problem: &problem, pairs: &pairs };
    let Sampled { chains, assessment, .. } = sample(task, &starts, &mut *sink, control)?;
    let chains = chains.ok_or(RunError::NoDraws)?;
    let reader = sink.reader()?;
    let assessment = assessment.map_or_else(|| judge(&reader, &pairs), Ok)?;
    let Results { maps, fits, mut summary } = Results::of(&config, &problem, &chains, &assessment, &reader)?;
    summary.warnings[problem.warnings.len()..].iter().for_each(|warning| control.observer.warn(warning));
    if let (Some(tree), Some(diffusion)) = (&problem.tree, &mut summary.diffusion) {
        diffusion.branches = branches(tree, &reader, &maps[0], config.run.seed)?;
    }
    let embed = |(map, fits): (&ShownMap, &Vec<_>)| ModeParts::new(map, fits);
    let home = InMemory {
        maps: maps.iter().zip(&fits).map(embed).collect(),
        tree: problem.tree.clone(),
        measured: LazyMeasured::known(Measured::of(&problem)),
        moments: chains.into_iter().map(|chain| chain.moments).collect(),
    };
    drop(starts);
    Fitted::new((**config).clone(), summary, reader, Box::new(home), 1)
}

/// How far locations move along the branches of the tree.
fn branches(tree: &RunTree, reader: &DrawReader, map: &ShownMap, seed: u64) -> Result<Option<BranchSummary>, RunError> {
    let mut branches = Vec::new();
    let draws = tree.node_draws(reader, map.alignment(), &map.chains, seed)?;
    draws.for_each(
        |_| true,
        |draw| {
            branches.push(draw.branch_statistics());
            Ok(())
        },
    )?;
    Ok(BranchSummary::of(&branches))
}
