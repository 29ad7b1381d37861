//! `sbmds calibrate`: simulation-based calibration of whole fits, with the plot saved.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use sbmds::calibration::{Calibration, CalibrationSettings, Measured, calibrate};
use sbmds::coupling::Couplings;
use sbmds::measurement::Family;
use sbmds::posterior::{HalfCauchy, Priors, ScalePrior};
use sbmds::predict::CoverageStudy;
use sbmds::sampler::Sampler;

use crate::failure::Failure;
use crate::fit_arguments::{PriorsArg, ShrinkageArg};

/// Flags of `sbmds calibrate`.
#[derive(Args)]
pub struct Calibrate {
    /// Objects of each simulated data set
    #[arg(long, default_value_t = 20)]
    objects: usize,
    /// Dimensions of the map
    #[arg(short = 'D', long, default_value_t = 2)]
    dims: usize,
    /// Data sets to simulate and fit
    #[arg(long, default_value_t = 200)]
    replicates: usize,
    /// Which pairs enter the likelihood: auto, full, band:B, landmark:L, dispersed:B or graph:FILE
    #[arg(long, default_value = "dispersed:3")]
    couplings: Couplings,
    /// How data scatter, and what the fits assume: truncated-normal, normal, truncated-student-t, student-t or log-normal. Beside the
    /// default, sigma^2 ~ IG(4, 1), every third pair is measured twice, and chains start at the truth
    #[arg(long, value_name = "FAMILY")]
    noise: Option<Family>,
    /// Degrees of freedom of Student's t [default: unknown, with their prior]
    #[arg(long, value_name = "NU")]
    nu: Option<f64>,
    /// Measurements show only between which marks they lie, or beyond which: intervals, < and >
    #[arg(long)]
    limits: bool,
    /// Titres of viruses, the first half of the objects, against sera: intervals and limits, unknown potencies and avidities, drift
    #[arg(long, conflicts_with = "limits")]
    titers: bool,
    /// Let the fits assume another noise than the data have: shows that calibration notices
    #[arg(long, value_name = "FAMILY")]
    assume: Option<Family>,
    /// Priors from which the truth is drawn and that the fits assume: the paper's, or the default ones of `sbmds fit` in their unit
    #[arg(long, value_enum, value_name = "FAMILY", default_value = "paper")]
    priors: PriorsArg,
    /// Shrinkage over dimensions, of which the truth is drawn, too
    #[arg(long, value_enum, value_name = "PRIOR", default_value = "none")]
    shrinkage: ShrinkageArg,
    /// Sampler: auto, jhmc, nuts, hmc, mh or mwg
    #[arg(long, default_value = "auto")]
    sampler: Sampler,
    /// Warm-up iterations of each fit
    #[arg(long, default_value_t = 500)]
    warmup: usize,
    /// Draws among which the truth is ranked
    #[arg(long, default_value_t = 99)]
    draws: usize,
    /// Iterations per draw; by default enough for nearly independent draws
    #[arg(long)]
    thin: Option<usize>,
    /// Instead of ranks: how often 95% predictive intervals hold pairs that the fits did not see, a fifth of all
    #[arg(long)]
    coverage: bool,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Directory for ranks.csv and ranks.svg; made if it is not there
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Calibrate {
    pub fn run(&self) -> Result<(), Failure> {
        if self.coverage {
            return self.check_coverage();
        }
        if let Some(directory) = &self.out {
            fs::create_dir_all(directory).map_err(|error| cannot_write(directory, &error))?;
        }
        let settings = self.settings();
        let on_terminal = io::stderr().is_terminal();
        let on_progress = |n_done: usize| {
            if on_terminal {
                eprint!("\r{n_done} of {} fits", settings.n_replicates);
            }
        };
        let calibration = calibrate(&settings, &on_progress).map_err(Failure::bad_input)?;
        if on_terminal {
            eprintln!();
        }
        print!("{calibration}");
        if let Some(directory) = &self.out {
            save(&calibration, directory)?;
        }
        if calibration.is_uniform() {
            Ok(())
        } else {
            Err(Failure::not_converged(
                "not calibrated: some ranks are not uniform. If \"eff. draws\" are few, thin more (--thin) or warm up \
                 longer (--warmup); if not, the fits are wrong",
            ))
        }
    }

    /// Predictive intervals of pairs that fits have not seen.
    fn check_coverage(&self) -> Result<(), Failure> {
        let study = CoverageStudy {
            n_replicates: self.replicates,
            n_objects: self.objects,
            n_dims: self.dims,
            seed: self.seed,
            ..CoverageStudy::default()
        };
        let found = study.run(&|_| {})?;
        let (percent, error) = (100.0 * found.share, 100.0 * found.standard_error);
        println!("{percent:.2}% +- {error:.2} of {} pairs lie in their 95% predictive intervals", found.n_pairs);
        // Four standard errors, and never less than two percent: another seed must not alarm.
        if (percent - 95.0).abs() <= (4.0 * error).max(2.0) {
            return Ok(());
        }
        Err(Failure::not_converged("not calibrated: predictive intervals hold more or fewer pairs than they say"))
    }

    fn settings(&self) -> CalibrationSettings {
        let mut settings = CalibrationSettings::new(self.sampler, self.dims);
        settings.n_objects = self.objects;
        settings.priors = match self.priors {
            PriorsArg::Weak => Priors::weak(self.dims),
            PriorsArg::Paper => Priors::paper(self.dims),
        };
        if matches!(self.shrinkage, ShrinkageArg::HalfCauchy) {
            settings.priors.scales = ScalePrior::Shrunk(HalfCauchy { scale: 1.0 });
            settings.sampler.sampler = Sampler::Nuts;
        }
        settings = settings.measuring(self.measured());
        settings.assumed = self.assume;
        settings.n_replicates = self.replicates;
        settings.couplings = self.couplings.clone();
        settings.sampler.n_warmup = self.warmup;
        settings.n_draws = self.draws;
        settings.thin = self.thin.unwrap_or(settings.thin);
        settings.seed = self.seed;
        settings
    }
}

impl Calibrate {
    /// Pairs with the default noise are those of the kernels.
    fn measured(&self) -> Measured {
        let (nu, has_limits) = (self.nu, self.limits);
        match self.noise {
            family if self.titers => Measured::Titres { family: family.unwrap_or(Family::Normal), nu },
            None if !has_limits => Measured::Pairs,
            family => Measured::Distances { family: family.unwrap_or_default(), nu, has_limits },
        }
    }
}

fn save(calibration: &Calibration, directory: &Path) -> Result<(), Failure> {
    let mut csv = Vec::new();
    calibration.write_ranks_csv(&mut csv).map_err(Failure::bad_input)?;
    for (name, bytes) in [("ranks.csv", csv), ("ranks.svg", calibration.histograms_svg().into_bytes())] {
        let path = directory.join(name);
        fs::File::create(&path)
            .and_then(|mut file| file.write_all(&bytes))
            .map_err(|error| cannot_write(&path, &error))?;
    }
    Ok(())
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::bad_input(format!("{}: cannot be written: {error}", path.display()))
}
