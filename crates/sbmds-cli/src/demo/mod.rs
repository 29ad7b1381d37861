//! `sbmds demo`: the whole way on built-in data, from distances between cities to a map of the world.

mod cities;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, FromArgMatches};
use sbmds::Locations;
use sbmds::dissimilarity::{Names, read_positions};
use sbmds::embedding::procrustes;

use cities::{demo_cities, great_circle};

use crate::failure::Failure;
use crate::fit::Fit;
use crate::{report, terminal_map};

/// Flags of `sbmds demo`.
#[derive(Args)]
pub struct Demo {
    /// Directory to write the distances and the run to [default: sbmds-demo, or sbmds-demo-2, ... if that exists]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Width of the map in characters
    #[arg(long, value_name = "COLUMNS", default_value_t = 110)]
    width: usize,
}

impl Demo {
    pub fn run(&self) -> Result<(), Failure> {
        let directory = self.directory();
        let (names, coordinates) = demo_cities();
        let distances = directory.join("distances.csv");
        fs::create_dir_all(&directory)
            .and_then(|()| write_distances(&distances, &names, &coordinates))
            .map_err(|error| Failure::bad_input(format!("cannot write {}: {error}", distances.display())))?;
        println!(
            "{} cities of the world's time zones; {} holds the great-circle distances between them, in 1,000 km.\n\
             Their coordinates on the globe are not in it. Fitting a flat map to the distances ...",
            names.len(),
            distances.display()
        );
        let run = directory.join("cities");
        let mut fit = fit_command(&distances, &run)?;
        fit.map_is_drawn_elsewhere = true;
        let fitted = fit.run(None);
        if let Err(failure) = &fitted
            && !failure.is_bad_verdict()
        {
            return fitted;
        }
        self.show(&run, names, &coordinates)?;
        fitted
    }

    fn directory(&self) -> PathBuf {
        let numbered = (2..).map(|number| PathBuf::from(format!("sbmds-demo-{number}")));
        let mut choices = std::iter::once(PathBuf::from("sbmds-demo")).chain(numbered);
        self.out.clone().or_else(|| choices.find(|path| !path.exists())).unwrap_or_default()
    }

    /// The map, rotated to match the globe: distances do not fix an orientation.
    fn show(&self, run: &Path, names: Vec<String>, coordinates: &[[f64; 2]]) -> Result<(), Failure> {
        let cities = Names::given(names).map_err(|_| Failure::bad_input("the built-in cities have distinct names"))?;
        let map = read_map(&run.join("embedding.csv"), &cities)?;
        let turned = procrustes(&map, &seen_from_above(coordinates)).apply(&map);
        let points: Vec<_> =
            (0..cities.len()).map(|n| (cities.get(n).into_owned(), turned.get(n, 0), turned.get(n, 1))).collect();
        println!("\n{}", terminal_map::draw(&points, self.width.max(40), self.width.max(40) * 2 / 5));
        println!(
            "The posterior mean map, turned to match a view of the globe. Locations and uncertainties of every city:\n  \
             {embedding}\nThe interactive report, for any browser:\n  {report}\nMore: sbmds summary {run}",
            embedding = run.join("embedding.csv").display(),
            report = report::default_path(run).display(),
            run = run.display()
        );
        Ok(())
    }
}

/// `sbmds fit DISTANCES --out RUN`: what anyone would type.
fn fit_command(distances: &Path, run: &Path) -> Result<Fit, Failure> {
    let words = [OsStr::new("fit"), distances.as_os_str(), "--out".as_ref(), run.as_os_str()];
    Fit::augment_args(clap::Command::new("fit"))
        .try_get_matches_from(words)
        .and_then(|matches| Fit::from_arg_matches(&matches))
        .map_err(Failure::bad_input)
}

fn write_distances(path: &Path, names: &[String], coordinates: &[[f64; 2]]) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(fs::File::create_new(path)?);
    writeln!(file, ",{}", names.join(","))?;
    for (name, &here) in names.iter().zip(coordinates) {
        let row: Vec<_> = coordinates.iter().map(|&there| format!("{:.3}", great_circle(here, there))).collect();
        writeln!(file, "{name},{}", row.join(","))?;
    }
    file.flush()
}

/// The first two coordinates of `embedding.csv`, which has more columns.
fn read_map(path: &Path, names: &Names) -> Result<Locations, Failure> {
    let table = read_positions(path, names)?;
    Ok(Locations::from_fn(names.len(), 2, |object, dim| table.get(object, dim)))
}

/// Azimuthal equidistant projection around the middle of all cities: what a flat map of distances should resemble.
fn seen_from_above(coordinates: &[[f64; 2]]) -> Locations {
    let middle = mean_direction(coordinates);
    Locations::from_fn(coordinates.len(), 2, |city, dim| {
        let [latitude, longitude] = coordinates[city].map(f64::to_radians);
        let [mid_latitude, mid_longitude] = middle.map(f64::to_radians);
        let turn = longitude - mid_longitude;
        let east = latitude.cos() * turn.sin();
        let north = mid_latitude.cos() * latitude.sin() - mid_latitude.sin() * latitude.cos() * turn.cos();
        let length = east.hypot(north).max(f64::MIN_POSITIVE);
        great_circle(middle, coordinates[city]) * if dim == 0 { east } else { north } / length
    })
}

fn mean_direction(coordinates: &[[f64; 2]]) -> [f64; 2] {
    let sum = coordinates.iter().fold([0.0; 3], |sum, city| {
        let [latitude, longitude] = city.map(f64::to_radians);
        let direction = [latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin()];
        [sum[0] + direction[0], sum[1] + direction[1], sum[2] + direction[2]]
    });
    [sum[2].atan2(sum[0].hypot(sum[1])).to_degrees(), sum[1].atan2(sum[0]).to_degrees()]
}
