//! `sbmds simulate`: the paper's simulated data, with the truth beside it.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use sbmds::dissimilarity::TiterRow;
use sbmds::measurement::simulate::{SimulatedTitres, TitreSimulation};
use sbmds::random::{Purpose, stream};
use sbmds::simulate::{Noise, Simulation};

use crate::failure::Failure;

/// Flags of `sbmds simulate`.
#[derive(Args)]
pub struct Simulate {
    /// Number of objects
    #[arg(long, value_name = "N", default_value_t = 100)]
    objects: usize,
    /// Dimensions of the true locations, each coordinate standard normal
    #[arg(short = 'D', long, value_name = "D", default_value_t = 2)]
    dims: usize,
    /// Noise added to the distances
    #[arg(long, value_enum, default_value = "half-normal")]
    noise: NoiseArg,
    /// Standard deviation of the noise (of its logarithm for log-normal)
    #[arg(long, value_name = "SD", default_value_t = 0.2)]
    sd: f64,
    /// Seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Simulate titres of viruses against sera that drift over the years; --sd is that of log2 titres, truth.csv and potencies.csv hold the truth
    #[arg(long, conflicts_with_all = ["objects", "noise"])]
    titers: bool,
    /// Number of viruses
    #[arg(long, value_name = "N", default_value_t = 60, requires = "titers")]
    viruses: usize,
    /// Number of sera
    #[arg(long, value_name = "N", default_value_t = 20, requires = "titers")]
    sera: usize,
    /// Drift of viruses and sera along the first axis, in units per year
    #[arg(long, value_name = "BETA", default_value_t = 0.5, requires = "titers", allow_negative_numbers = true)]
    drift: f64,
    /// Directory to write distances.csv, truth.csv and true_distances.csv (or titers.csv) to
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// See [`Noise`].
#[derive(Clone, Copy, ValueEnum)]
enum NoiseArg {
    /// d + |N(0, sd^2)|: the paper's simulations
    HalfNormal,
    /// N(d, sd^2) truncated to positive values: the model itself
    TruncatedNormal,
    /// d + exp(N(0, sd^2)): the paper's heavy tails
    LogNormal,
    /// d
    None,
}

impl Simulate {
    pub fn run(&self) -> Result<(), Failure> {
        if self.objects < 3 || self.dims == 0 || !(self.sd.is_finite() && self.sd >= 0.0) {
            return Err(Failure::bad_input("--objects must be 3 or more, --dims 1 or more, --sd a number from 0"));
        }
        if self.titers {
            return self.titers();
        }
        let sd = self.sd;
        let noise = match self.noise {
            NoiseArg::HalfNormal => Noise::HalfNormal { sd },
            NoiseArg::TruncatedNormal => Noise::TruncatedNormal { sd },
            NoiseArg::LogNormal => Noise::LogNormal { sd },
            NoiseArg::None => Noise::None,
        };
        let mut rng = stream(self.seed, 0, Purpose::Simulation);
        let simulation = Simulation::new(self.objects, self.dims, noise, &mut rng);
        fs::create_dir_all(&self.out).map_err(|error| cannot_write(&self.out, error))?;
        self.write_matrix("distances.csv", |a, b| simulation.delta(a, b))?;
        self.write_matrix("true_distances.csv", |a, b| simulation.distance(a, b))?;
        self.write("truth.csv", |file| {
            let columns: Vec<_> = (1..=self.dims).map(|dim| format!("x{dim}")).collect();
            writeln!(file, "name,{}", columns.join(","))?;
            for object in 0..self.objects {
                let values: Vec<_> = simulation.truth().object(object).iter().map(f64::to_string).collect();
                writeln!(file, "{},{}", name(object), values.join(","))?;
            }
            Ok(())
        })?;
        println!("{} objects in {} dimensions: {}", self.objects, self.dims, self.out.join("distances.csv").display());
        Ok(())
    }

    /// Titres, one per line with years, and what they were drawn from.
    fn titers(&self) -> Result<(), Failure> {
        let Self { viruses: n_viruses, sera: n_sera, dims: n_dims, sd: sigma, drift, .. } = *self;
        if n_viruses < 2 || n_sera < 2 || !drift.is_finite() {
            return Err(Failure::bad_input("--viruses and --sera must be 2 or more, --drift a number"));
        }
        let years = (1.5 * n_viruses as f64).min(40.0).round();
        let simulation = TitreSimulation { n_viruses, n_sera, n_dims, sigma, drift, years };
        let SimulatedTitres { truth, years, potencies, rows } =
            simulation.draw(&mut stream(self.seed, 0, Purpose::Simulation));
        let year = |n: usize| 1970.0 + years[n];
        let name = |n: usize| match n.checked_sub(n_viruses) {
            Some(serum) => format!("S{}/{}", serum + 1, year(n)),
            None => format!("V{}/{}", n + 1, year(n)),
        };
        fs::create_dir_all(&self.out).map_err(|error| cannot_write(&self.out, error))?;
        self.write("titers.csv", |file| {
            writeln!(file, "virus,virusYear,serum,serumYear,titer")?;
            for TiterRow { virus, serum, titer } in &rows {
                let serum = n_viruses + serum;
                writeln!(file, "{},{},{},{},{titer}", name(*virus), year(*virus), name(serum), year(serum))?;
            }
            Ok(())
        })?;
        self.write("truth.csv", |file| {
            let columns: Vec<_> = (1..=n_dims).map(|dim| format!("x{dim}")).collect();
            writeln!(file, "name,{}", columns.join(","))?;
            for n in 0..truth.n_objects() {
                let values: Vec<_> = truth.object(n).iter().map(f64::to_string).collect();
                writeln!(file, "{},{}", name(n), values.join(","))?;
            }
            Ok(())
        })?;
        self.write("potencies.csv", |file| {
            writeln!(file, "name,value")?;
            potencies.iter().enumerate().try_for_each(|(k, value)| writeln!(file, "{},{value}", name(n_viruses + k)))
        })?;
        let path = self.out.join("titers.csv");
        println!("{} titres of {n_viruses} viruses against {n_sera} sera: {}", rows.len(), path.display());
        Ok(())
    }

    fn write_matrix(&self, file: &str, value: impl Fn(usize, usize) -> f64) -> Result<(), Failure> {
        self.write(file, |file| {
            for object in 0..self.objects {
                write!(file, ",{}", name(object))?;
            }
            writeln!(file)?;
            for a in 0..self.objects {
                write!(file, "{}", name(a))?;
                for b in 0..self.objects {
                    write!(file, ",{}", if a == b { 0.0 } else { value(a.min(b), a.max(b)) })?;
                }
                writeln!(file)?;
            }
            Ok(())
        })
    }

    /// Writes the whole file or nothing.
    fn write(&self, name: &str, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Failure> {
        let path = self.out.join(name);
        let write = || {
            let mut file = BufWriter::new(tempfile::NamedTempFile::new_in(&self.out)?);
            content(&mut file)?;
            file.into_inner().map_err(|error| error.into_error())?.persist(&path).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(|error| cannot_write(&path, error))
    }
}

fn name(object: usize) -> String {
    format!("object{}", object + 1)
}

fn cannot_write(path: &Path, error: std::io::Error) -> Failure {
    Failure::bad_input(format!("cannot write {}: {error}. Remedy: choose another --out", path.display()))
}
