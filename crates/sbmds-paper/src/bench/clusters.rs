//! `sbmds bench clusters`: the time of one HDBSCAN, beside a plain spanning tree that looks at every pair.

use std::hint::black_box;

use clap::Args;
use rand::RngExt;
use sbmds::Locations;
use sbmds::cluster::hdbscan::reference::spanning_tree_length;
use sbmds::cluster::{HdbscanSettings, hdbscan};
use sbmds::random::{Purpose, stream};
use serde::Serialize;

use super::clock::Clock;
use super::error::BenchError;
use super::numbers::{grouped, short};
use super::passing::Passing;

/// Flags of `sbmds bench clusters`.
#[derive(Args)]
pub struct Clusters {
    /// Numbers of objects
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1_000, 10_000])]
    objects: Vec<usize>,
    /// Dimensions
    #[arg(long, value_name = "D", value_delimiter = ',', default_values_t = [2])]
    dims: Vec<usize>,
    /// Smallest cluster, and samples within the core distance
    #[arg(long, value_name = "M", default_value_t = 40)]
    min_points: usize,
    /// HDBSCANs timed; the median counts
    #[arg(long, value_name = "R", default_value_t = 7)]
    rounds: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One line of the report.
#[derive(Serialize)]
struct Timing {
    n_objects: usize,
    n_dims: usize,
    min_points: usize,
    n_clusters: usize,
    n_noise: usize,
    /// Processor time of one HDBSCAN, from locations to labels.
    seconds: f64,
    /// Processor time of core distances and spanning tree by looking at every pair.
    plain_seconds: f64,
    /// The first over the second.
    ratio: f64,
}

impl Clusters {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        if self.rounds == 0 || self.dims.contains(&0) {
            return Err(BenchError::new("--rounds and --dims need numbers of at least 1"));
        }
        if let Some(n_objects) = self.objects.iter().find(|&&n_objects| n_objects < self.min_points) {
            let message = format!("--objects {n_objects}: fewer than --min-points {}", self.min_points);
            return Err(BenchError::new(message));
        }
        let mut timings = Vec::new();
        for (n_objects, n_dims) in self.objects.iter().flat_map(|&n| self.dims.iter().map(move |&dims| (n, dims))) {
            let _line = Passing::line(format_args!("{} objects in {n_dims} dimensions", grouped(n_objects)));
            timings.push(self.time(n_objects, n_dims)?);
        }
        if self.json {
            println!("{}", serde_json::to_string_pretty(&timings).map_err(BenchError::new)?);
            return Ok(());
        }
        println!(
            "{:>10} {:>5} {:>9} {:>8} {:>9} {:>9} {:>8}",
            "objects", "dims", "clusters", "noise", "ms", "plain ms", "ratio"
        );
        for Timing { n_objects, n_dims, n_clusters, n_noise, seconds, plain_seconds, ratio, .. } in &timings {
            let [milliseconds, plain] = [seconds, plain_seconds].map(|seconds| short(seconds * 1e3));
            println!(
                "{:>10} {n_dims:>5} {n_clusters:>9} {:>8} {milliseconds:>9} {plain:>9} {ratio:>8.4}",
                grouped(*n_objects),
                grouped(*n_noise)
            );
        }
        Ok(())
    }

    fn time(&self, n_objects: usize, n_dims: usize) -> Result<Timing, BenchError> {
        let x = mixture(n_objects, n_dims);
        let settings = HdbscanSettings::new(self.min_points);
        let found = hdbscan(&x, &settings).map_err(BenchError::new)?;
        let mut rounds: Vec<f64> = (0..self.rounds)
            .map(|_| Clock::Thread.time(|| drop(black_box(hdbscan(black_box(&x), &settings)))).as_secs_f64())
            .collect();
        rounds.sort_by(f64::total_cmp);
        let seconds = rounds[rounds.len() / 2];
        let plain = Clock::Thread.time(|| {
            black_box(spanning_tree_length(black_box(&x), self.min_points));
        });
        let plain_seconds = plain.as_secs_f64();
        Ok(Timing {
            n_objects,
            n_dims,
            min_points: self.min_points,
            n_clusters: found.n_clusters,
            n_noise: found.n_noise(),
            seconds,
            plain_seconds,
            ratio: seconds / plain_seconds,
        })
    }
}

/// Four groups of unequal spread and size that touch, as maps of real objects have them.
fn mixture(n_objects: usize, n_dims: usize) -> Locations {
    let mut rng = stream(1, 0, Purpose::Simulation);
    Locations::from_fn(n_objects, n_dims, |object, dim| {
        let group = object % 7 % 4;
        // Twelve uniform numbers make a normal one.
        let normal = (0..12).map(|_| rng.random_range(-0.5..0.5)).sum::<f64>();
        let centre = if (group >> (dim % 2)) & 1 == 1 { 4.0 } else { 0.0 };
        centre + normal * (0.6 + 0.3 * group as f64)
    })
}
