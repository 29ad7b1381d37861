//! What is fitted: simulated data, or files of the user's.

use std::path::PathBuf;
use std::sync::Arc;

use sbmds::dissimilarity::{Dissimilarities, Metric, Names, ReadOptions, read};
use sbmds::fit::Fit;
use sbmds::run::RunError;
use sbmds::settings::PriorFamily;
use sbmds::simulate::{Noise, Simulation};
use sbmds::tree::{Tree, TreeChoice};

use super::super::data::{half_normal, simulated};
use super::super::on_files::{file_name, hash};
use super::super::{Cell, ReproduceError, Source};

/// Files of the user's that join the simulated data; each may be missing.
#[derive(Clone, Debug, Default)]
pub struct OwnFiles {
    /// Distances between objects.
    pub distances: Option<PathBuf>,
    /// A tree whose tips they are.
    pub tree: Option<PathBuf>,
    /// Feature vectors, compared by their cosine.
    pub embeddings: Option<PathBuf>,
}

impl OwnFiles {
    fn named(&self) -> [(&'static str, &Option<PathBuf>); 3] {
        [("distances", &self.distances), ("tree", &self.tree), ("embeddings", &self.embeddings)]
    }

    pub(super) fn flags(&self) -> String {
        let flag = |(name, path): (&str, &Option<PathBuf>)| {
            path.as_ref().map(|path| format!(" --{name} {}", file_name(path))).unwrap_or_default()
        };
        self.named().map(flag).concat()
    }

    /// What is in the files, in few letters; one that cannot be read is refused when its cells run.
    pub(super) fn hash(&self) -> String {
        let hashed = |(name, path): (&str, &Option<PathBuf>)| {
            path.as_ref().map(|path| format!("{name} {} ", hash(path).unwrap_or_default())).unwrap_or_default()
        };
        self.named().map(hashed).concat()
    }

    pub(super) fn n_distances(&self) -> Option<usize> {
        let path = self.distances.as_ref()?;
        read(path, &ReadOptions::default()).ok().map(|found| found.n_objects())
    }
}

/// The data of a cell with the truth, if it is known.
pub(super) struct Data {
    pub measured: Dissimilarities,
    pub truth: Option<Simulation>,
    tree: Option<Tree>,
    priors: PriorFamily,
}

impl Data {
    pub fn of(cell: &Cell, files: &OwnFiles) -> Result<Self, ReproduceError> {
        let of_file = |path: &Option<PathBuf>, options: &ReadOptions| {
            let path = path.clone().unwrap_or_default();
            read(&path, options).map_err(|error| ReproduceError::from(RunError::from(error)))
        };
        let (measured, truth) = match cell.source {
            Source::Simulated => with_truth(simulated(cell, half_normal(cell))),
            Source::LogNormal => with_truth(simulated(cell, Noise::LogNormal { sd: cell.sd })),
            Source::Distances | Source::Tree => (of_file(&files.distances, &ReadOptions::default())?, None),
            Source::Embeddings => {
                let options = ReadOptions { features: Some(Metric::Cosine), ..ReadOptions::default() };
                (every_so_many(of_file(&files.embeddings, &options)?, cell.n_objects), None)
            }
        };
        let tree = match (cell.source, &files.tree) {
            (Source::Tree, Some(path)) => Some(Tree::read(path, TreeChoice::Last).map_err(RunError::from)?),
            _ => None,
        };
        let priors = if truth.is_some() { PriorFamily::Paper } else { PriorFamily::Weak };
        Ok(Self { measured, truth, tree, priors })
    }

    pub fn fit(&self) -> Fit<'_> {
        let fit = Fit::of(&self.measured).priors(self.priors);
        match &self.tree {
            Some(tree) => fit.tree(tree.clone()),
            None => fit,
        }
    }
}

fn with_truth(data: Simulation) -> (Dissimilarities, Option<Simulation>) {
    let n_objects = data.truth().n_objects();
    (Dissimilarities::from_fn(Names::numbered(n_objects), |a, b| data.delta(a, b)), Some(data))
}

/// So many of the objects, evenly spread over the file.
fn every_so_many(data: Dissimilarities, n_objects: usize) -> Dissimilarities {
    let (all, n) = (data.n_objects(), n_objects.min(data.n_objects()));
    let data = Arc::new(data);
    Dissimilarities::from_fn(Names::numbered(n), |a, b| data.get(a * all / n, b * all / n))
}
