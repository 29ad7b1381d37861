//! New objects among the old ones on the page.

use super::data::{LabelData, ModeData, ObjectModesData, ReportData};
use crate::dissimilarity::NO_LEVEL;
use crate::embedding::Moments;
use crate::place::Placed;

impl ReportData {
    /// Adds placed objects behind those of the run, with a label that tells new from old. What the page shows of every object of the run but
    /// not of new ones, it no longer shows: draws, neighbours, clusters, trees and the maps of other modes.
    pub fn with_placed(mut self, placed: &Placed) -> Self {
        let (n_old, n_new) = (self.n_objects, placed.names.len());
        self.title = format!("{} with {n_new} new objects", self.title);
        let n_several = placed.modes.len();
        let text = format!("{n_new} placed on the map of {n_old}, {n_several} with several modes");
        self.summary.insert(0, ("new objects".into(), text));
        self.names.extend(placed.names.iter().map(String::from));
        self.labels.iter_mut().for_each(|label| extend(label, n_new));
        self.labels.insert(0, old_or_new(n_old, n_new));
        let rows =
            |moments: &Moments| (0..n_new).flat_map(|object| moments.mean().object(object)).collect::<Vec<f64>>();
        self.mean.extend(rows(&placed.moments));
        if let Some(covariance) = &mut self.covariance {
            covariance.extend((0..n_new).flat_map(|object| upper_triangle(&placed.moments, object)));
        }
        self.fit.stress.extend(placed.objects.iter().map(|object| object.fit.stress));
        if let Some(residual) = &mut self.fit.residual {
            residual.extend(placed.objects.iter().map(|object| object.fit.mean_residual));
        }
        if let Some(partners) = &mut self.fit.partners {
            partners.extend(placed.objects.iter().map(|object| object.fit.n_pairs as u32));
        }
        self.object_modes.extend(placed.modes.iter().map(|modes| {
            ObjectModesData {
                object: n_old + modes.object,
                shown: modes.shown,
                modes: (0..modes.modes.len())
                    .map(|mode| ModeData {
                        share: modes.share(mode),
                        mean: modes.modes[mode].mean().object(0),
                        covariance: upper_triangle(&modes.modes[mode], 0)
                            .map(|x| Some(x).filter(|x| x.is_finite()))
                            .collect(),
                    })
                    .collect(),
            }
        }));
        self.n_objects = n_old + n_new;
        (self.draws, self.neighbours) = (None, None);
        self.other_maps.clear();
        self.sections.clear();
        self
    }
}

fn old_or_new(n_old: usize, n_new: usize) -> LabelData {
    let codes = std::iter::repeat_n(0, n_old).chain(std::iter::repeat_n(1, n_new)).collect();
    LabelData::Categorical { name: "placed".into(), levels: vec!["old".into(), "new".into()], codes }
}

/// New objects have no label.
fn extend(label: &mut LabelData, n_new: usize) {
    match label {
        LabelData::Categorical { codes, .. } => codes.extend(std::iter::repeat_n(NO_LEVEL, n_new)),
        LabelData::Numeric { values, .. } => values.extend(std::iter::repeat_n(f64::NAN, n_new)),
    }
}

fn upper_triangle(moments: &Moments, object: usize) -> impl Iterator<Item = f64> {
    let (n_dims, covariance) = (moments.mean().n_dims(), moments.covariance(object));
    (0..n_dims * n_dims).filter(move |entry| entry % n_dims >= entry / n_dims).map(move |entry| covariance[entry])
}
