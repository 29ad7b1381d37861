//! `sbmds predict`: what the posterior expects of dissimilarities, and which of them surprise.

use std::path::{Path, PathBuf};

use clap::Args;
use sbmds::dissimilarity::{Names, read_listed_pairs};
use sbmds::files::replace_with;
use sbmds::measurement::PairNoise;
use sbmds::plain::shown;
use sbmds::predict::{
    Asked, AskedPair, PosteriorDraws, Prediction, PredictionTable, Surprise, Tally, asked_pairs, n_asked, predict,
};
use sbmds::quality::KnownPairs;
use sbmds::run::{FinishedRun, digits};
use serde::Serialize;

use crate::arguments::n_threads;
use crate::failure::Failure;
use crate::say::{say, warn};

/// Measured pairs beyond which only coupled ones are predicted unless asked otherwise: a table of some hundred megabytes.
const MOST_ROWS: usize = 2_000_000;

/// Flags of `sbmds predict`.
#[derive(Args)]
pub struct Predict {
    /// Directory of the run
    run: PathBuf,
    /// Pairs to predict: name,name on every line, with the observed dissimilarity if there is one [default: every measured pair]
    pairs: Option<PathBuf>,
    /// Predict all pairs that have no dissimilarity
    #[arg(long, conflicts_with_all = ["pairs", "coupled"])]
    missing: bool,
    /// Predict the pairs that the fit used, not others that were measured too
    #[arg(long, conflicts_with = "pairs")]
    coupled: bool,
    /// Probability that an interval should hold
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    level: f64,
    /// Draws to use, evenly spaced over the chains
    #[arg(long, value_name = "S", default_value_t = 400)]
    draws: usize,
    /// Most surprising pairs to list
    #[arg(long, value_name = "K", default_value_t = 10)]
    worst: usize,
    /// Threads to use [default: all cores]; the answer does not depend on it
    #[arg(long, value_name = "P")]
    threads: Option<usize>,
    /// The table to write [default: predict.csv in the directory of the run]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Predict {
    pub fn run(&self) -> Result<(), Failure> {
        self.check()?;
        let run = FinishedRun::open(&self.run)?;
        let noise = run.pair_noise()?;
        let draws = PosteriorDraws::of(&run, self.draws)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads(self.threads)?).build();
        let pool = pool.map_err(|error| Failure::bad_input(format!("cannot start the threads: {error}")))?;
        let path = self.out.clone().unwrap_or_else(|| run.path().join("predict.csv"));
        let counted = pool.install(|| self.write(&run, (&draws, noise), &path))?;
        let summary = counted.summary(self.level, draws.len(), run.names(), &path);
        if self.json {
            println!("{}", serde_json::to_string_pretty(&summary).map_err(Failure::bad_input)?);
        } else {
            print!("{}", summary.table());
        }
        if !run.summary().converged {
            warn(format_args!("{} has not converged: {}", run.path().display(), run.summary().verdict));
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Failure> {
        if self.draws == 0 {
            return Err(Failure::bad_input("--draws 0: nothing to predict from; give at least 1"));
        }
        match self.level {
            level if level > 0.0 && level < 1.0 => Ok(()),
            level => {
                Err(Failure::bad_input(format!("--level {level}: give a probability between 0 and 1, such as 0.95")))
            }
        }
    }

    /// Writes the table and counts what is in it.
    fn write(
        &self,
        run: &FinishedRun,
        (draws, noise): (&PosteriorDraws, PairNoise),
        path: &Path,
    ) -> Result<Counted, Failure> {
        let listed = self.pairs.as_deref().map(|pairs| read_listed_pairs(pairs, run.names())).transpose()?;
        // Listed pairs need no input: without it, only what the list gives counts as observed.
        let measured = if listed.is_some() { run.measured().ok() } else { Some(run.measured()?) };
        let known = measured.as_ref().map(|measured| measured.known());
        let known = known.as_ref().map(|known| known as &dyn KnownPairs);
        let mut counted = Counted::new(self.worst);
        let written = replace_with(path, |writer| {
            let mut table = PredictionTable::new(writer, run.names())?;
            let mut piece = |pairs: &[AskedPair]| {
                predict(draws, noise, self.level, pairs).iter().try_for_each(|prediction| {
                    counted.add(prediction);
                    table.write(prediction)
                })
            };
            if let Some(listed) = &listed {
                let pairs: Vec<AskedPair> = listed.iter().map(|pair| AskedPair::listed(pair, known)).collect();
                piece(&pairs)?;
            } else if let Some(known) = known {
                asked_pairs(known, self.asked(known), &mut piece)?;
            }
            Ok(table.finish()?)
        });
        written.map_err(|error| Failure::bad_input(format!("{}: cannot be written: {error}", path.display())))?;
        Ok(counted)
    }

    fn asked(&self, known: &dyn KnownPairs) -> Asked {
        match (self.missing, self.coupled) {
            (true, _) => Asked::Missing,
            (_, true) => Asked::Coupled,
            _ if n_asked(known, Asked::Measured) <= MOST_ROWS => Asked::Measured,
            _ => {
                let n_pairs = n_asked(known, Asked::Measured);
                say(format_args!(
                    "note: {n_pairs} pairs are measured; the {} coupled ones are predicted",
                    known.n_coupled()
                ));
                Asked::Coupled
            }
        }
    }
}

/// What was predicted, counted.
struct Counted {
    n_pairs: usize,
    coupled: Tally,
    others: Tally,
    all: Tally,
}

impl Counted {
    fn new(n_surprises: usize) -> Self {
        Self { n_pairs: 0, coupled: Tally::new(0), others: Tally::new(0), all: Tally::new(n_surprises) }
    }

    fn add(&mut self, prediction: &Prediction) {
        self.n_pairs += 1;
        self.all.add(prediction);
        if prediction.pair.is_coupled { self.coupled.add(prediction) } else { self.others.add(prediction) }
    }

    fn summary(&self, level: f64, n_draws: usize, names: &Names, path: &Path) -> PredictSummary {
        PredictSummary {
            n_pairs: self.n_pairs,
            n_draws,
            level,
            coupled: KindSummary::of(&self.coupled),
            others: KindSummary::of(&self.others),
            surprises: self.all.surprises(names),
            file: path.display().to_string(),
        }
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct PredictSummary {
    n_pairs: usize,
    n_draws: usize,
    level: f64,
    coupled: Option<KindSummary>,
    others: Option<KindSummary>,
    surprises: Vec<Surprise>,
    file: String,
}

/// Observed pairs of one kind.
#[derive(Serialize)]
struct KindSummary {
    n_pairs: usize,
    coverage: Option<f64>,
    rmse: Option<f64>,
    stress1: Option<f64>,
    r2: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<LimitsSummary>,
}

/// Limits among them: how many, and the mean of the predictive probabilities of what they say.
#[derive(Serialize)]
struct LimitsSummary {
    n_limits: usize,
    probability: f64,
}

impl KindSummary {
    fn of(tally: &Tally) -> Option<Self> {
        let (n_pairs, fit) = (tally.n_pairs(), tally.fit());
        let (stress1, r2) = (fit.stress1(), fit.r2());
        let limits = tally.limits().map(|(n_limits, probability)| LimitsSummary { n_limits, probability });
        let (coverage, rmse) = (tally.coverage(), tally.rmse());
        (n_pairs > 0 || limits.is_some()).then_some(Self { n_pairs, coverage, rmse, stress1, r2, limits })
    }
}

impl PredictSummary {
    fn table(&self) -> String {
        let mut text = format!("{:12} {} pairs from {} draws\n", "predicted", self.n_pairs, self.n_draws);
        let percent = 100.0 * self.level;
        for (kind, summary) in [("coupled", &self.coupled), ("not coupled", &self.others)] {
            let Some(KindSummary { n_pairs, coverage, rmse, limits, .. }) = summary else { continue };
            if let Some(LimitsSummary { n_limits, probability }) = limits {
                text += &format!("{kind:12} {n_limits} limits, whose probability is {probability:.2} on average\n");
            }
            if *n_pairs == 0 {
                continue;
            }
            let (coverage, rmse) = (100.0 * coverage.unwrap_or(f64::NAN), digits(rmse.unwrap_or(f64::NAN)));
            text += &format!(
                "{kind:12} {n_pairs} observed: {coverage:.1}% lie in their {percent}% intervals, root mean squared error {rmse}\n"
            );
        }
        if !self.surprises.is_empty() {
            text += "\nmost surprising pairs (z: observed minus expected, in predictive standard deviations)\n";
            text += &self.surprise_table();
        }
        text + &format!("{}\n", self.file)
    }

    fn surprise_table(&self) -> String {
        let names: Vec<(String, String)> = self.surprises.iter().map(|pair| (shown(&pair.a), shown(&pair.b))).collect();
        let width = |of: &dyn Fn(&(String, String)) -> usize| names.iter().map(of).max().unwrap_or(0).max(4);
        let (wide_a, wide_b) = (width(&|names| names.0.chars().count()), width(&|names| names.1.chars().count()));
        let mut text = String::new();
        for title in ["observed", "expected", "low", "high", "z"] {
            text += &format!("{title:>11}");
        }
        text = format!("{:wide_a$}  {:wide_b$}{text}\n", "a", "b");
        for (pair, (a, b)) in self.surprises.iter().zip(&names) {
            text += &format!("{a:wide_a$}  {b:wide_b$}");
            for number in [pair.observed, pair.mean, pair.interval[0], pair.interval[1]] {
                text += &format!("{:>11}", digits(number));
            }
            text += &format!("{:>11.2}\n", pair.z);
        }
        text
    }
}
