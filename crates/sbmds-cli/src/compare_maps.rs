//! `sbmds compare --maps`: maps laid onto the first, and which objects lie elsewhere.

use std::path::{Path, PathBuf};

use clap::Args;
use sbmds::figures::{Options, draw_arrows, write};
use sbmds::files::replace_with;
use sbmds::maps::{MapComparison, MapDraws, Spread, compare_maps, write_maps_csv};
use sbmds::plain::shown;
use sbmds::run::{FinishedRun, digits};
use serde::Serialize;

use crate::failure::Failure;
use crate::plot::two_axes;
use crate::say::{say, warn};

/// Draws of every run that are aligned to one another.
const MOST_DRAWS: usize = 400;
/// Objects listed: those that moved most.
const N_LISTED: usize = 10;

/// Flags of `--maps`.
#[derive(Args)]
pub struct LayingArgs {
    /// Write the residual of every object into this CSV (--maps)
    #[arg(long, value_name = "FILE", requires = "maps")]
    table: Option<PathBuf>,
    /// Scale maps to the size of the first, too (--maps); a table of another program always is
    #[arg(long, requires = "maps")]
    scale: bool,
    /// The two axes of the figure (--maps)
    #[arg(long, value_name = "A,B", default_value = "1,2", value_parser = two_axes, requires = "maps")]
    axes: (usize, usize),
}

/// Compares every other map with the first.
pub fn run(paths: &[PathBuf], laying: &LayingArgs, out: Option<&Path>, json: bool) -> Result<(), Failure> {
    let maps = paths.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
    if maps.len() > 2 && (out.is_some() || laying.table.is_some()) {
        return Err(Failure::bad_input("--out and --table show two maps. Remedy: give two, or leave both flags out"));
    }
    let (first, others) = maps.split_first().ok_or_else(|| Failure::bad_input("--maps: two maps are needed"))?;
    let mut summaries = Vec::new();
    for other in others {
        let is_scaled = laying.scale || first.is_fixed() || other.is_fixed();
        let comparison = compare_maps(first, other, is_scaled)?;
        if let Some(path) = &laying.table {
            replace_with(path, |file| Ok(write_maps_csv(file, &comparison)?))
                .map_err(|error| Failure::bad_input(format!("{}: cannot be written: {error}", path.display())))?;
        }
        if let Some(path) = out {
            write(&draw_arrows(&comparison, &Options { axes: laying.axes, ..Options::default() })?, path)?;
        }
        summaries.push(MapsSummary::of(&comparison));
    }
    if json {
        println!("{}", serde_json::to_string_pretty(&summaries).map_err(Failure::bad_input)?);
    } else {
        summaries.iter().for_each(|summary| print!("{}", summary.table()));
    }
    laying.table.iter().for_each(|path| say(format_args!("table: {}", path.display())));
    out.iter().for_each(|path| say(format_args!("arrows: {}", path.display())));
    Ok(())
}

/// A run, or a table of locations.
fn open(path: &Path) -> Result<MapDraws, Failure> {
    if path.is_file() {
        return Ok(MapDraws::of_table(path)?);
    }
    let run = FinishedRun::open(path)?;
    if !run.summary().converged {
        warn(format_args!("{} has not converged: {}", path.display(), run.summary().verdict));
    }
    Ok(MapDraws::of_run(&run, MOST_DRAWS)?)
}

/// What is said of two maps.
#[derive(Serialize)]
struct MapsSummary {
    maps: [String; 2],
    n_objects: usize,
    unmatched: [usize; 2],
    n_draws: usize,
    scale: f64,
    correlation: f64,
    rms_residual: Spread,
    n_elsewhere: Option<usize>,
    moved: Vec<Moved>,
}

/// An object that moved.
#[derive(Serialize)]
struct Moved {
    name: String,
    residual: f64,
    interval: Option<[f64; 2]>,
    p_same: Option<f64>,
}

impl MapsSummary {
    fn of(comparison: &MapComparison) -> Self {
        let residuals = &comparison.residuals;
        let mut order: Vec<usize> = (0..residuals.len()).collect();
        order.sort_by(|&a, &b| residuals[b].shown.total_cmp(&residuals[a].shown));
        let has_draws = comparison.n_draws > 1;
        let moved = |&object: &usize| Moved {
            name: comparison.names.get(object).into_owned(),
            residual: residuals[object].shown,
            interval: has_draws.then(|| [residuals[object].length.low, residuals[object].length.high]),
            p_same: Some(residuals[object].p_same).filter(|p| !p.is_nan()),
        };
        Self {
            maps: comparison.titles.clone(),
            n_objects: residuals.len(),
            unmatched: comparison.unmatched,
            n_draws: comparison.n_draws,
            scale: comparison.scale,
            correlation: comparison.correlation,
            rms_residual: comparison.rms,
            n_elsewhere: has_draws.then(|| residuals.iter().filter(|residual| residual.p_same < 0.05).count()),
            moved: order.iter().take(N_LISTED).map(moved).collect(),
        }
    }

    fn table(&self) -> String {
        let [first, second] = &self.maps;
        let mut text = format!("{second} laid onto {first}: {} objects in both", self.n_objects);
        if self.unmatched != [0, 0] {
            text += &format!(", {} only in {first}, {} only in {second}", self.unmatched[0], self.unmatched[1]);
        }
        text += &format!("\n{:22} {}\n", "correlation", digits(self.correlation));
        if self.scale != 1.0 {
            text += &format!("{:22} {} times {second}\n", "scale", digits(self.scale));
        }
        let Spread { mean, low, high, .. } = self.rms_residual;
        text += &format!("{:22} {}", "root mean sq. residual", digits(mean));
        if let Some(n_elsewhere) = self.n_elsewhere {
            text += &format!(", 95% in [{}, {}] over {} draws\n", digits(low), digits(high), self.n_draws);
            text += &format!("{:22} {n_elsewhere} of {} objects (p < 0.05)", "lie elsewhere", self.n_objects);
        }
        text + "\n\n" + &self.moved_table() + "\n"
    }

    fn moved_table(&self) -> String {
        let names: Vec<String> = self.moved.iter().map(|moved| shown(&moved.name)).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(10);
        let mut text = format!("{:width$}{:>11}{:>24}{:>9}\n", "moved most", "residual", "95% interval", "p same");
        for (moved, name) in self.moved.iter().zip(&names) {
            let interval =
                moved.interval.map_or("-".into(), |[low, high]| format!("[{}, {}]", digits(low), digits(high)));
            let p_same = moved.p_same.map_or("-".into(), |p| format!("{p:.3}"));
            text += &format!("{name:width$}{:>11}{interval:>24}{p_same:>9}\n", digits(moved.residual));
        }
        text
    }
}
