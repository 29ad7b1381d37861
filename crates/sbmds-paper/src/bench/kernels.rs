//! `sbmds bench kernels`: time per pair of the likelihood and its gradient.

use clap::Args;

use super::coupled::Coupled;
use super::error::BenchError;
use super::measure::measure;
use super::numbers::grouped;
use super::passing::Passing;
use super::problem::{Data, Problem};
use super::report::Report;

/// Flags of `sbmds bench kernels`.
#[derive(Args)]
pub struct Kernels {
    /// Numbers of objects
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [320, 1_000, 10_000, 1_000_000])]
    objects: Vec<usize>,
    /// Couplings; graph:B is a random graph with as many pairs as band:B
    #[arg(long, value_name = "C,C", value_delimiter = ',', default_values_t = Coupled::DEFAULT)]
    couplings: Vec<Coupled>,
    /// Numbers of dimensions
    #[arg(long, value_name = "D,D", value_delimiter = ',', default_values_t = [2, 6])]
    dims: Vec<usize>,
    /// Seconds for each configuration (each contender gets three turns in any case)
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    seconds: f64,
    /// Leave out what has more pairs: each takes 8 bytes
    #[arg(long, value_name = "P", default_value_t = 100_000_000)]
    max_pairs: usize,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
}

impl Kernels {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        self.check()?;
        let mut report = Report::new();
        self.show(&report.heading());
        for &n_objects in &self.objects {
            let couplings = self.couplings_for(n_objects, &mut report.skipped);
            for &n_dims in &self.dims {
                self.measure(n_objects, n_dims, &couplings, &mut report);
            }
        }
        self.show(&report.closing());
        for skipped in &report.skipped {
            self.show(&format!("left out: {skipped}\n"));
        }
        if self.json {
            println!("{}", serde_json::to_string_pretty(&report).map_err(BenchError::new)?);
        }
        Ok(())
    }

    fn check(&self) -> Result<(), BenchError> {
        if let Some(n_objects) = self.objects.iter().find(|&&n| n < 3 || u32::try_from(n).is_err()) {
            return Err(BenchError::new(format!("--objects {n_objects}: give 3 to {}", u32::MAX)));
        }
        if let Some(coupled) = self.couplings.iter().find(|coupled| matches!(coupled, Coupled::Anchored(_))) {
            return Err(BenchError::new(format!("--couplings {coupled}: measure the kernels of dispersed:B")));
        }
        if self.dims.contains(&0) {
            return Err(BenchError::new("--dims 0: a map has at least one dimension"));
        }
        if !(self.seconds.is_finite() && self.seconds >= 0.0) {
            return Err(BenchError::new(format!("--seconds {}: give a number of seconds", self.seconds)));
        }
        Ok(())
    }

    fn show(&self, text: &str) {
        if !self.json {
            print!("{text}");
        }
    }

    /// The couplings to measure with this many objects; says what is left out.
    fn couplings_for(&self, n_objects: usize, skipped: &mut Vec<String>) -> Vec<Coupled> {
        let mut kept = Vec::new();
        for &coupled in &self.couplings {
            let n_pairs = coupled.n_pairs(n_objects);
            let where_ = format!("{coupled} of {} objects", grouped(n_objects));
            if coupled != Coupled::Full && n_pairs == Coupled::Full.n_pairs(n_objects) && self.has_full() {
                skipped.push(format!("{where_}: that is full"));
            } else if n_pairs > self.max_pairs {
                let gigabytes = grouped((8e-9 * n_pairs as f64).round() as usize);
                let pairs = grouped(n_pairs);
                skipped.push(format!("{where_}: {pairs} pairs, {gigabytes} GB; --max-pairs {n_pairs} measures it"));
            } else {
                kept.push(coupled);
            }
        }
        kept
    }

    fn has_full(&self) -> bool {
        self.couplings.contains(&Coupled::Full)
    }

    /// Builds and measures everything of one size together, so that ratios come from the same minutes.
    fn measure(&self, n_objects: usize, n_dims: usize, couplings: &[Coupled], report: &mut Report) {
        let data = Data::new(n_objects, n_dims);
        let line = Passing::line(format!("{} objects, D = {n_dims}: building the couplings", grouped(n_objects)));
        let problems: Vec<Problem> = couplings.iter().map(|&coupled| Problem::build(coupled, &data)).collect();
        drop(line);
        let line = Passing::line(format!("{} objects, D = {n_dims}: measuring", grouped(n_objects)));
        // On a thread of the pool, where chains run: from outside, each evaluation would wait to be woken.
        let best = rayon::scope(|_| measure(&problems, &data, self.seconds * problems.len() as f64));
        drop(line);
        self.show(&report.add(&problems, &best));
    }
}
