//! `sbmds hdbscan`: clusters of points, without a fit.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use sbmds::cluster::{Clustering, HdbscanSettings, Selection, hdbscan};
use sbmds::dissimilarity::{Names, read_points};

use crate::failure::Failure;
use crate::say::say;

/// Flags of `sbmds hdbscan`.
#[derive(Args)]
pub struct Hdbscan {
    /// Points: CSV or TSV with a header, first column the name, then the coordinates; or .npy (N x D)
    points: PathBuf,
    /// The fewest points that make a cluster
    #[arg(long, value_name = "M")]
    min_cluster_size: usize,
    /// Points within the core distance, the point itself counted, as in scikit-learn [default: M]
    #[arg(long, value_name = "K")]
    min_samples: Option<usize>,
    /// How clusters are selected from the hierarchy: eom (excess of mass) or leaf
    #[arg(long, default_value = "eom")]
    selection: Selection,
    /// Where to write the labels (name,label,probability,outlier_score; label -1 is noise) [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Hdbscan {
    pub fn run(&self) -> Result<(), Failure> {
        let settings = HdbscanSettings {
            min_cluster_size: self.min_cluster_size,
            min_samples: self.min_samples.unwrap_or(self.min_cluster_size),
            selection: self.selection,
        };
        settings.check().map_err(Failure::bad_input)?;
        let (names, x) = read_points(&self.points)?;
        let refused = |error| Failure::bad_input(format!("{}: {error}", self.points.display()));
        let clustering = hdbscan(&x, &settings).map_err(refused)?;
        self.write(&names, &clustering)?;
        say(format_args!("{} points: {} clusters, {} noise", names.len(), clustering.n_clusters, clustering.n_noise()));
        Ok(())
    }

    fn write(&self, names: &Names, clustering: &Clustering) -> Result<(), Failure> {
        let table = table(names, clustering).map_err(Failure::bad_input)?;
        let written = match &self.out {
            Some(path) => sbmds::files::replace(path, &table),
            None => std::io::stdout().write_all(&table),
        };
        let destination = self.out.as_ref().map_or("the labels".into(), |path| path.display().to_string());
        written
            .map_err(|error| Failure::bad_input(format!("cannot write {destination}: {error}; choose another --out")))
    }
}

fn table(names: &Names, clustering: &Clustering) -> csv::Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["name", "label", "probability", "outlier_score"])?;
    for (object, name) in names.iter().enumerate() {
        let Clustering { labels, probabilities, outlier_scores, .. } = clustering;
        let numbers = [probabilities[object], outlier_scores[object]].map(|number| number.to_string());
        table.write_record([&*name, &labels[object].to_string(), &numbers[0], &numbers[1]])?;
    }
    table.into_inner().map_err(|error| error.into_error().into())
}
