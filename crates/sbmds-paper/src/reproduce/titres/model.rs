//! The ten models of Bedford et al. (2014), as settings of a fit.

use std::path::Path;

use sbmds::FitConfig;
use sbmds::likelihood::Noise;
use sbmds::measurement::titres::Reading;
use sbmds::run::{Levels, MeasurementConfig, VirusTree};

/// One of the models.
pub(super) struct Model {
    pub(super) n_dims: usize,
    /// Viruses and sera drift with their years.
    pub(super) has_drift: bool,
    /// Viruses evolve along a tree.
    pub(super) has_tree: bool,
    /// Potencies are estimated; else they are the largest titres.
    pub(super) has_potencies: bool,
    /// There are avidities.
    pub(super) has_avidities: bool,
    /// Published mean absolute error.
    pub(super) published: f64,
}

const fn model(n_dims: usize, [drift, tree, potencies, avidities]: [bool; 4], published: f64) -> Model {
    Model { n_dims, has_drift: drift, has_tree: tree, has_potencies: potencies, has_avidities: avidities, published }
}

/// Models 1 to 10; errors for influenza A/H1N1 (eLife 3:e01914, Table 1).
pub(super) const MODELS: [Model; 10] = [
    model(1, [false, false, false, false], 0.94),
    model(2, [false, false, false, false], 0.78),
    model(3, [false, false, false, false], 0.80),
    model(4, [false, false, false, false], 0.84),
    model(5, [false, false, false, false], 0.89),
    model(2, [true, false, false, false], 0.75),
    model(2, [true, true, false, false], 0.74),
    model(2, [true, true, true, false], 0.73),
    model(2, [true, true, false, true], 0.72),
    model(2, [true, true, true, true], 0.71),
];

/// Standard deviation of locations without drift: the text's variance of 10,000.
const UNINFORMED: f64 = 100.0;

impl Model {
    /// The settings; the tree is the last of its file.
    pub(super) fn apply(&self, config: &mut FitConfig, tree: &Path) {
        config.input.titers = true;
        config.model.noise = Noise::Normal;
        config.sampler.group_moves = true;
        let levels = |is_estimated: bool| if is_estimated { Levels::Estimated } else { Levels::Fixed };
        config.measurement = MeasurementConfig {
            reading: Reading::Interval,
            potencies: levels(self.has_potencies),
            avidities: self.has_avidities.then_some(Levels::Estimated),
            drift: self.has_drift,
            tree: self.has_tree.then(|| VirusTree {
                path: tree.to_owned(),
                root_sample_size: 0.001,
                ..VirusTree::default()
            }),
            ..MeasurementConfig::default()
        };
        if !self.has_drift {
            config.priors.scale = Some(UNINFORMED);
        }
    }

    /// In a table.
    pub(super) fn description(&self) -> String {
        let prior = match (self.has_drift, self.has_tree) {
            (_, true) => "tree, drift",
            (true, false) => "drift",
            _ => "uninformed",
        };
        let levels = match (self.has_potencies, self.has_avidities) {
            (false, false) => "",
            (true, false) => ", potencies",
            (false, true) => ", avidities",
            (true, true) => ", potencies, avidities",
        };
        format!("{} axes, {prior}{levels}", self.n_dims).replace("1 axes", "1 axis")
    }
}
