//! `sbmds bench memory`: what a likelihood built from features costs to build and to hold.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use clap::Args;
use rand::RngExt;
use sbmds::Locations;
use sbmds::coupling::{self, Couplings, LayOptions};
use sbmds::dissimilarity::{self, Metric, ReadOptions};
use sbmds::likelihood::{Likelihood, Noise, Storage, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::simulate::{self, Simulation};
use serde::Serialize;

use super::error::BenchError;
use super::numbers::{grouped, short};
use super::passing::Passing;
use super::problem::SIGMA;
use super::resident::{Watch, anonymous_bytes};

/// Flags of `sbmds bench memory`.
#[derive(Args)]
pub struct Memory {
    /// Number of objects
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    objects: usize,
    /// Coupled pairs
    #[arg(long, default_value = "dispersed:50")]
    couplings: Couplings,
    /// Number of dimensions
    #[arg(long, value_name = "D", default_value_t = 2)]
    dims: usize,
    /// Columns of the features (single precision)
    #[arg(long, value_name = "P", default_value_t = 16)]
    columns: usize,
    /// Print one JSON document instead of a text
    #[arg(long)]
    json: bool,
}

/// What is printed.
#[derive(Serialize)]
struct Report {
    n_objects: usize,
    n_dims: usize,
    couplings: Couplings,
    n_pairs: usize,
    feature_bytes: usize,
    /// Anonymous memory over what the process had before; none elsewhere than on Linux.
    bytes: Option<Bytes>,
    /// The same couplings with fewer pairs come after the whole: time per pair stays the same if building is linear.
    builds: Vec<Build>,
}

#[derive(Serialize)]
struct Bytes {
    peak_building: u64,
    after_building: u64,
    peak_evaluating: u64,
    after_evaluating: u64,
    budget: u64,
}

#[derive(Serialize)]
struct Build {
    n_pairs: usize,
    seconds: f64,
    seconds_per_million_pairs: f64,
}

/// The aim: at most this many bytes over the feature file.
const BYTES_PER_PAIR: u64 = 12;
const BYTES_PER_OBJECT: u64 = 200;

impl Memory {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        if self.objects < 3 || self.dims == 0 || self.columns == 0 {
            return Err(BenchError::new("give at least 3 objects, 1 dimension and 1 column"));
        }
        let file = tempfile::Builder::new().suffix(".npy").tempfile().map_err(BenchError::new)?;
        let line = Passing::line(format!("writing features, {} x {}", grouped(self.objects), self.columns));
        write_features(file.as_file(), self.objects, self.columns)
            .map_err(|error| BenchError::new(format!("{}: {error}", file.path().display())))?;
        drop(line);
        let report = self.measure(file.path())?;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&report).map_err(BenchError::new)?);
        } else {
            print!("{}", report.text());
        }
        Ok(())
    }

    fn measure(&self, features: &Path) -> Result<Report, BenchError> {
        let before = anonymous_bytes();
        let simulation =
            Simulation::new(self.objects, self.dims, simulate::Noise::None, &mut stream(1, 0, Purpose::Simulation));
        let x = simulation.truth();
        let watch = Watch::start();
        let (likelihood, build) = self.build(features, &self.couplings)?;
        let (peak_building, after_building) = (watch.peak(), anonymous_bytes());
        drop(watch);

        let watch = Watch::start();
        let (mut workspace, mut gradient) = (Workspace::parallel(), Locations::zeros(self.objects, self.dims));
        likelihood.log_likelihood_and_gradient(&mut workspace, x, SIGMA, &mut gradient);
        let (peak_evaluating, after_evaluating) = (watch.peak(), anonymous_bytes());
        drop(watch);

        let n_pairs = likelihood.n_pairs();
        let over = |bytes: u64| bytes.saturating_sub(before.unwrap_or(0));
        let bytes = after_building.zip(after_evaluating).map(|(after_building, after_evaluating)| Bytes {
            peak_building: over(peak_building),
            after_building: over(after_building),
            peak_evaluating: over(peak_evaluating),
            after_evaluating: over(after_evaluating),
            budget: BYTES_PER_PAIR * n_pairs as u64 + BYTES_PER_OBJECT * self.objects as u64,
        });
        drop((likelihood, workspace, gradient));
        let mut builds = vec![build];
        for couplings in fewer(&self.couplings) {
            builds.push(self.build(features, &couplings)?.1);
        }
        Ok(Report {
            n_objects: self.objects,
            n_dims: self.dims,
            couplings: self.couplings.clone(),
            n_pairs,
            feature_bytes: self.objects * self.columns * size_of::<f32>(),
            bytes,
            builds,
        })
    }

    fn build(&self, features: &Path, couplings: &Couplings) -> Result<(Likelihood, Build), BenchError> {
        let _line = Passing::line(format!("building {couplings}"));
        let start = Instant::now();
        let options = ReadOptions { features: Some(Metric::Euclidean), ..Default::default() };
        let data = dissimilarity::read(features, &options)?;
        let coupling = coupling::lay(couplings, &data, self.dims, &LayOptions::default())?;
        let order = &coupling.order;
        let likelihood =
            Likelihood::new(self.objects, self.dims, &coupling.pairs, Noise::default(), Storage::F64, |a, b| {
                data.get(order[a], order[b])
            });
        let (seconds, n_pairs) = (start.elapsed().as_secs_f64(), likelihood.n_pairs());
        Ok((likelihood, Build { n_pairs, seconds, seconds_per_million_pairs: 1e6 * seconds / n_pairs as f64 }))
    }
}

/// The same kind of couplings with a half and a quarter of the pairs.
fn fewer(couplings: &Couplings) -> Vec<Couplings> {
    let divided = |by: usize| match couplings {
        Couplings::Band(count) if *count >= by => Some(Couplings::Band(count / by)),
        Couplings::Landmark(count) if *count >= by => Some(Couplings::Landmark(count / by)),
        Couplings::Dispersed(count) if *count >= by => Some(Couplings::Dispersed(count / by)),
        _ => None,
    };
    [2, 4].into_iter().filter_map(divided).collect()
}

/// Uniform numbers in single precision as a `.npy` array, format 1.0 (numpy.org, "NPY format").
fn write_features(file: impl Write, n_objects: usize, n_columns: usize) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    // 10 bytes before it and a multiple of 64 bytes in all.
    let header = format!(
        "{:<117}\n",
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({n_objects}, {n_columns}), }}")
    );
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&(header.len() as u16).to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    let mut rng = stream(1, 0, Purpose::Start);
    for _ in 0..n_objects * n_columns {
        file.write_all(&rng.random::<f32>().to_le_bytes())?;
    }
    file.flush()
}

impl Report {
    fn text(&self) -> String {
        let mut text = format!(
            "{} objects, {}, D = {}: {} pairs from a feature file of {} MB\n\n",
            grouped(self.n_objects),
            self.couplings,
            self.n_dims,
            grouped(self.n_pairs),
            short(1e-6 * self.feature_bytes as f64)
        );
        text += &self
            .bytes
            .as_ref()
            .map_or_else(|| "Memory is measured on Linux only.\n".to_owned(), |bytes| self.memory(bytes));
        text += &format!("\n{:>15}  {:>8}  {:>26}\n", "built, pairs", "seconds", "seconds per million pairs");
        for Build { n_pairs, seconds, seconds_per_million_pairs } in &self.builds {
            let (n_pairs, rate) = (grouped(*n_pairs), short(*seconds_per_million_pairs));
            text += &format!("{n_pairs:>15}  {:>8}  {rate:>26}\n", short(*seconds));
        }
        text
    }

    fn memory(&self, bytes: &Bytes) -> String {
        // Eight bytes of every pair are its dissimilarity; the rest is laid to the objects' account.
        let rest = |total: u64| (total as f64 - 8.0 * self.n_pairs as f64) / self.n_objects as f64;
        let mut text = format!(
            "{:<22} {:>8}  {:>15}  {:>32}\n",
            "memory of its own", "MB", "bytes per pair", "or 8 per pair and, per object,"
        );
        for (when, total) in [
            ("peak while building", bytes.peak_building),
            ("after building", bytes.after_building),
            ("peak while evaluating", bytes.peak_evaluating),
            ("after evaluating", bytes.after_evaluating),
        ] {
            let per_pair = short(total as f64 / self.n_pairs as f64);
            text += &format!("{when:<22} {:>8}  {per_pair:>15}  {:>32}\n", megabytes(total), short(rest(total)));
        }
        let peak = bytes.peak_building.max(bytes.peak_evaluating);
        text + &format!(
            "budget: {BYTES_PER_PAIR} bytes per pair and {BYTES_PER_OBJECT} per object, {} MB: {}% used{}\n",
            megabytes(bytes.budget),
            short(100.0 * peak as f64 / bytes.budget as f64),
            if peak > bytes.budget { ", TOO MUCH" } else { "" }
        )
    }
}

fn megabytes(bytes: u64) -> String {
    short(1e-6 * bytes as f64)
}
