//! `sbmds bench scale`: what a fit costs on one to a thousand machines, by a model with measured constants.

mod model;

use clap::Args;
use sbmds::likelihood::{Arithmetic, Storage};

use super::error::BenchError;
use super::numbers::{grouped, short};
use model::{Cluster, Constants, Cost, Fit, cost};

/// Flags of `sbmds bench scale`.
#[derive(Args)]
pub struct Scale {
    /// Compute the table from the constants below instead of measuring: there is nothing else to measure on one machine
    #[arg(long, required = true)]
    simulate: bool,
    /// Numbers of objects
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [1e4, 1e5, 1e6, 1e7, 1e8, 1e9])]
    objects: Vec<f64>,
    /// Nodes, one rank on each
    #[arg(long, value_name = "R,R", value_delimiter = ',', default_values_t = [1, 4, 16, 64, 1024])]
    nodes: Vec<u32>,
    /// Cores of a node
    #[arg(long, value_name = "C", default_value_t = 16)]
    cores: u32,
    /// Dispersed bands [default: D sqrt(N), the fewest that `auto` couples]
    #[arg(long, value_name = "B")]
    bands: Option<u32>,
    /// Dimensions
    #[arg(long, value_name = "D", default_value_t = 2)]
    dims: u32,
    /// Network between nodes, in Gbit/s
    #[arg(long, value_name = "G", default_value_t = 100.0)]
    network: f64,
    /// Latency of a message, in microseconds
    #[arg(long, value_name = "US", default_value_t = 2.0)]
    latency: f64,
    /// What gradients are computed in: f64 or f32 (f32 keeps a copy of the pairs unless they are stored so)
    #[arg(long, value_name = "A", default_value_t = Arithmetic::F32)]
    arithmetic: Arithmetic,
    /// How dissimilarities are stored: f64 or f32
    #[arg(long, value_name = "S", default_value = "f64", value_parser = storage)]
    storage: Storage,
    /// Nanoseconds per pair of a gradient on one core: in the cache, and beyond it [default: as measured]
    #[arg(long, value_name = "NS,NS", value_delimiter = ',', num_args = 2)]
    pair_ns: Option<Vec<f64>>,
    /// Print JSON instead of the table
    #[arg(long)]
    json: bool,
}

impl Scale {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        self.check()?;
        let constants = self.constants();
        let cells = self.objects.iter().flat_map(|&n| self.nodes.iter().map(move |&nodes| (n, nodes)));
        let costs: Vec<(f64, u32, Cost)> =
            cells.map(|(n, nodes)| (n, nodes, cost(&self.fit(n), &self.cluster(nodes), &constants))).collect();
        if self.json {
            let rows: Vec<_> = costs
                .iter()
                .map(|(n_objects, nodes, cost)| serde_json::json!({"objects": n_objects, "nodes": nodes, "cost": cost}))
                .collect();
            let document = serde_json::json!({"constants": constants, "costs": rows});
            println!("{}", serde_json::to_string_pretty(&document).map_err(BenchError::new)?);
            return Ok(());
        }
        print!("{}", self.table(&costs));
        Ok(())
    }

    fn check(&self) -> Result<(), BenchError> {
        let is_positive = |number: &f64| number.is_finite() && *number > 0.0;
        if let Some(n) = self.objects.iter().find(|&&n| !(is_positive(&n) && n > 2.0 * self.bands(n))) {
            return Err(BenchError::new(format!("--objects {n}: give more than twice the {} bands", self.bands(*n))));
        }
        let counts = [("--nodes", self.nodes.iter().min().copied().unwrap_or(0)), ("--cores", self.cores)];
        let counts = counts.into_iter().chain([("--bands", self.bands.unwrap_or(1)), ("--dims", self.dims)]);
        if let Some((flag, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return Err(BenchError::new(format!("{flag}: give 1 or more")));
        }
        let mut numbers = vec![("--network", self.network), ("--latency", self.latency)];
        numbers.extend(self.pair_ns.iter().flatten().map(|&number| ("--pair-ns", number)));
        match numbers.into_iter().find(|(_, number)| !is_positive(number)) {
            Some((flag, number)) => Err(BenchError::new(format!("{flag} {number}: give a number above zero"))),
            None => Ok(()),
        }
    }

    fn constants(&self) -> Constants {
        let measured = Constants::measured(self.arithmetic);
        match self.pair_ns.as_deref() {
            Some(&[pair, far_pair]) => Constants { pair: pair * 1e-9, far_pair: far_pair * 1e-9, ..measured },
            _ => measured,
        }
    }

    fn bands(&self, n_objects: f64) -> f64 {
        self.bands.map_or_else(|| (f64::from(self.dims) * n_objects.sqrt()).ceil(), f64::from)
    }

    fn fit(&self, n_objects: f64) -> Fit {
        let (bands, storage, arithmetic) = (self.bands(n_objects), self.storage, self.arithmetic);
        Fit { n_objects, n_dims: self.dims.into(), bands, storage, arithmetic }
    }

    fn cluster(&self, nodes: u32) -> Cluster {
        Cluster {
            nodes: nodes.into(),
            cores: self.cores.into(),
            bandwidth: self.network * 1e9 / 8.0,
            latency: self.latency * 1e-6,
        }
    }

    fn table(&self, costs: &[(f64, u32, Cost)]) -> String {
        let mut text = format!(
            "dispersed bands in {} dimensions, {}, {} cores per node, {} Gbit/s, {} us\n\n{:>13} {:>22} {:>6} {:>6} {:>10} {:>12} {:>12} \
             {:>12}  {}\n",
            self.dims,
            self.arithmetic,
            self.cores,
            self.network,
            self.latency,
            "objects",
            "pairs",
            "nodes",
            "cores",
            "per rank",
            "s/gradient",
            "s/iteration",
            "network",
            "most of it"
        );
        for (n_objects, nodes, cost) in costs {
            text += &format!(
                "{:>13} {:>22} {:>6} {:>6} {:>10} {:>12} {:>12} {:>12}  {}\n",
                grouped(*n_objects as usize),
                grouped(cost.pairs as usize),
                nodes,
                cost.busy_cores,
                bytes(cost.memory),
                seconds(cost.gradient_seconds()),
                seconds(cost.iteration_seconds),
                bytes(cost.network_bytes),
                cost.bound_by(),
            );
        }
        text + "\ncores: those that have a part of the sum; per rank: memory of rank 0, which has the most; network: bytes that all ranks\n\
                send for one gradient. See docs/scale.md for the model.\n"
    }
}

fn storage(text: &str) -> Result<Storage, String> {
    match text {
        "f64" => Ok(Storage::F64),
        "f32" => Ok(Storage::F32),
        _ => Err("f64 or f32".into()),
    }
}

/// A size in the unit that suits it.
fn bytes(number: f64) -> String {
    match number {
        _ if number == 0.0 => "0".into(),
        _ if number < 1e6 => format!("{} kB", short(number / 1e3)),
        _ if number < 1e9 => format!("{} MB", short(number / 1e6)),
        _ if number < 1e12 => format!("{} GB", short(number / 1e9)),
        _ => format!("{} TB", short(number / 1e12)),
    }
}

/// A time that may be very short.
fn seconds(number: f64) -> String {
    if number < 0.1 { format!("{:.5}", number) } else { short(number) }
}
