//! Titres and the priors of their maps against values computed with many digits: our own, and published cases where they are at hand.

// Constants have the digits with which they are published.
#![allow(clippy::excessive_precision)]

use std::path::PathBuf;

use approx::assert_relative_eq;
use sbmds::brownian::{BranchScaling, BrownianPrior, BrownianSettings};
use sbmds::dissimilarity::{Titers, read_titers};
use sbmds::likelihood::{InstructionSet, LogLikelihood, MapGradient, MapPoint, Scratch, Workspace};
use sbmds::measurement::titres::{self, Reading};
use sbmds::measurement::{Family, LevelGroup, LevelPrior, NoiseScale, Nu, TermLikelihood};
use sbmds::posterior::{DriftHyper, DriftPrior, LocationPrior, Spread};
use sbmds::tree::TreeBuilder;
use serde::Deserialize;

const TIMES: [f64; 6] = [0.0, 3.0, 7.0, 4.0, 1.0, 9.0];
const X: [f64; 12] = [0.31, 1.9, 4.75, 2.2, -0.8, 5.1, -1.2, 0.4, -0.6, 1.5, 0.25, 2.0];

/// Log density of the locations, its gradient, and the log density of drift and variances: mpmath 1.3 with 40 digits, from the densities as
/// docs/titres.md has them.
const GOLDEN_VALUE: f64 = -17.133774703342055;
const GOLDEN_GRADIENT: [f64; 12] = [
    -0.336_956_521_739_130_43,
    -0.023_529_411_764_705_882,
    -0.445_652_173_913_043_48,
    0.164_705_882_352_941_18,
    0.835_294_117_647_058_82,
    0.521_739_130_434_782_61,
    1.304_347_826_086_956_5,
    -0.235_294_117_647_058_82,
    0.652_173_913_043_478_26,
    -0.882_352_941_176_470_59,
    -0.147_058_823_529_411_76,
    -2.173_913_043_478_260_9,
];
const GOLDEN_SPREAD: f64 = -15.244530895111444;

/// Three viruses and three sera.
fn drift_prior(has_tree: bool) -> DriftPrior {
    let tree = has_tree.then(|| {
        let mut builder = TreeBuilder::new();
        let [first, second, third] = [("a", 1.5), ("b", 0.7), ("c", 2.2)].map(|(name, age)| builder.tip(name, age));
        let inner = builder.parent(&[first, second], 0.9);
        let _ = builder.parent(&[inner, third], 0.0);
        let settings =
            BrownianSettings { scaling: BranchScaling::None, root_sample_size: 0.5, ..BrownianSettings::paper(2) };
        BrownianPrior::new(&builder.finish(), &[2, 0, 1], settings).unwrap()
    });
    DriftPrior::new(2, (vec![0, 2, 5], vec![1, 3, 4]), TIMES.to_vec(), tree, DriftHyper::default())
}

fn spread() -> Spread {
    Spread::Own(vec![0.62, 0.92, 1.7])
}

#[test]
fn the_prior_of_drifting_objects_has_its_density() {
    let prior = drift_prior(false);
    let mut gradient = vec![0.0; 12];
    let mut scratch = Scratch::default();
    let value = prior.add_gradient(&mut scratch, &X, &spread(), &mut gradient);
    assert_relative_eq!(value, GOLDEN_VALUE, max_relative = 1e-14);
    assert_relative_eq!(prior.log_density(&mut scratch, &X, &spread()), GOLDEN_VALUE, max_relative = 1e-14);
    for (found, expected) in gradient.iter().zip(GOLDEN_GRADIENT) {
        assert_relative_eq!(*found, expected, max_relative = 1e-14);
    }
    assert_relative_eq!(prior.log_density_of_spread(&spread()), GOLDEN_SPREAD, max_relative = 1e-13);
}

#[test]
fn gradients_of_the_prior_are_limits_of_differences() {
    let h = 1e-5;
    for prior in [drift_prior(false), drift_prior(true)] {
        let mut scratch = Scratch::default();
        let mut gradient = vec![0.25; 12];
        let value = prior.add_gradient(&mut scratch, &X, &spread(), &mut gradient);
        assert_relative_eq!(value, prior.log_density(&mut scratch, &X, &spread()), max_relative = 1e-12);
        for k in 0..12 {
            let mut at = |by: f64| {
                let mut x = X;
                x[k] += by;
                prior.log_density(&mut scratch, &x, &spread())
            };
            // What was there stays.
            assert_relative_eq!(gradient[k] - 0.25, (at(h) - at(-h)) / (2.0 * h), max_relative = 1e-7, epsilon = 1e-8);
        }
    }
}

/// One case of the published golden points.
#[derive(Deserialize)]
struct Case {
    id: String,
    dims: usize,
    model: String,
    reading: String,
    viruses: Vec<String>,
    sera: Vec<String>,
    virus_years: Vec<f64>,
    serum_years: Vec<f64>,
    measurements: Vec<[String; 3]>,
    parameters: Parameters,
    priors: serde_json::Value,
    expected: Expected,
}

#[derive(Deserialize)]
struct Parameters {
    virus_locations: Vec<Vec<f64>>,
    serum_locations: Vec<Vec<f64>>,
    virus_avidities: Vec<f64>,
    serum_potencies: Vec<f64>,
    phi: f64,
    beta: f64,
    virus_locations_sd: f64,
    serum_locations_sd: f64,
}

#[derive(Deserialize)]
struct Expected {
    log_likelihood: f64,
    terms: Vec<f64>,
    gradient: Gradient,
    log_prior: serde_json::Value,
    log_prior_gradient: PriorGradient,
}

#[derive(Deserialize)]
struct Gradient {
    virus_locations: Vec<Vec<f64>>,
    serum_locations: Vec<Vec<f64>>,
    virus_avidities: Vec<f64>,
    serum_potencies: Vec<f64>,
    phi: f64,
}

#[derive(Deserialize)]
struct PriorGradient {
    virus_locations: Vec<Vec<f64>>,
    serum_locations: Vec<Vec<f64>>,
    virus_avidities: Vec<f64>,
    serum_potencies: Vec<f64>,
}

/// The published cases, if they are here.
fn cases() -> Vec<Case> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("SBMDS_SHARED_DATA").map_or(beside, PathBuf::from);
    let path = folder.join("titers/golden_points.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {} is not here", path.display());
        return Vec::new();
    };
    serde_json::from_str(&text).unwrap()
}

impl Case {
    fn titers(&self) -> Titers {
        let line = |row: &[String; 3]| row.join(",") + "\n";
        let text = format!("virus,serum,titer\n{}", self.measurements.iter().map(line).collect::<String>());
        let file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read_titers(file.path()).unwrap()
    }

    /// Which of the case's viruses, then sera, the objects of the table are.
    fn objects(&self, titers: &Titers) -> Vec<usize> {
        let n_viruses = titers.n_viruses();
        let find = |names: &[String], name: &str| names.iter().position(|other| other == name).unwrap();
        let object = |(k, name): (usize, std::borrow::Cow<'_, str>)| match k < n_viruses {
            true => find(&self.viruses, &name),
            false => self.viruses.len() + find(&self.sera, &name),
        };
        titers.names().iter().enumerate().map(object).collect()
    }
}

/// Rows of viruses, then of sera, in the order of `objects`, dimension by dimension.
fn by_dim(viruses: &[Vec<f64>], sera: &[Vec<f64>], objects: &[usize]) -> Vec<f64> {
    let all: Vec<&Vec<f64>> = viruses.iter().chain(sera).collect();
    (0..all[0].len()).flat_map(|dim| objects.iter().map(|&k| all[k][dim]).collect::<Vec<_>>()).collect()
}

fn close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-11 * expected.abs().max(1.0), "{what}: {found} for {expected}");
}

/// The kernels, on every instruction set, and the plain loop term by term.
#[test]
fn kernels_have_the_golden_values() {
    for case in cases() {
        let (titers, has_avidities) = (case.titers(), case.model == "half-sum");
        let (objects, n_viruses) = (case.objects(&titers), titers.n_viruses());
        let reading = if case.reading == "exact" { Reading::Exact } else { Reading::Interval };
        let level = |k: usize| match k.checked_sub(case.viruses.len()) {
            None => case.parameters.virus_avidities[k],
            Some(serum) => case.parameters.serum_potencies[serum],
        };
        let (avidities, potencies) = objects.split_at(n_viruses);
        let group = |name: &'static str, objects: &[usize]| LevelGroup {
            name,
            objects: objects.iter().map(usize::to_string).collect(),
            prior: LevelPrior::Normal { mean: 9.0, sd: 1.0 },
            start: vec![9.0; objects.len()],
        };
        let mut groups = vec![group("potency", potencies)];
        if has_avidities {
            groups.insert(0, group("avidity", avidities));
        }
        let share = if has_avidities { 0.5 } else { 1.0 };
        let level_of = |k: usize| match k.checked_sub(n_viruses) {
            Some(serum) => Some((groups.len() - 1, serum, share)),
            None => has_avidities.then_some((0, k, share)),
        };
        let level_of: Vec<_> = (0..objects.len()).map(level_of).collect();
        let own: Vec<f64> = objects[if has_avidities { 0 } else { n_viruses }..].iter().map(|&k| level(k)).collect();
        let x = by_dim(&case.parameters.virus_locations, &case.parameters.serum_locations, &objects);
        let expected = &case.expected.gradient;
        let by_x = by_dim(&expected.virus_locations, &expected.serum_locations, &objects);
        let by_level: Vec<f64> = expected.virus_avidities.iter().chain(&expected.serum_potencies).copied().collect();
        for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
            let terms = titres::terms(&titers, reading, Family::Normal);
            let levels = groups.clone();
            let likelihood = TermLikelihood::of_titres(terms, case.dims, Nu::Learned, levels, level_of.clone()).on(set);
            let at = MapPoint { x: &x, sigma: case.parameters.phi, own: &own };
            let (mut found_x, mut found_own) = (vec![0.0; x.len()], vec![0.0; own.len()]);
            let gradient = MapGradient { x: &mut found_x, own: &mut found_own };
            let value = likelihood.both(&mut Workspace::serial(), at, gradient);
            let what = format!("{} on {set}", case.id);
            close(value.log_likelihood, case.expected.log_likelihood, &what);
            close(value.by_log_sigma / case.parameters.phi, expected.phi, &format!("{what}, phi"));
            found_x.iter().zip(&by_x).for_each(|(found, expected)| close(*found, *expected, &what));
            let first = objects.len() - own.len();
            for (found, &object) in found_own.iter().zip(&objects[first..]) {
                close(*found, by_level[object], &format!("{what}, level {object}"));
            }
            let noise = NoiseScale { sigma: case.parameters.phi, nu: f64::INFINITY };
            let values = likelihood.terms().values(&x, noise, &likelihood.levels(&own));
            values.iter().zip(&case.expected.terms).for_each(|(found, expected)| close(*found, *expected, &what));
        }
    }
}

/// Locations that drift, avidities and potencies.
#[test]
fn priors_have_the_golden_values() {
    for case in cases() {
        let all: Vec<usize> = (0..case.viruses.len() + case.sera.len()).collect();
        let (viruses, sera) = all.split_at(case.viruses.len());
        let years: Vec<f64> = case.virus_years.iter().chain(&case.serum_years).copied().collect();
        let first = years.iter().copied().fold(f64::INFINITY, f64::min);
        let times = years.iter().map(|year| year - first).collect();
        let prior = DriftPrior::new(case.dims, (viruses.to_vec(), sera.to_vec()), times, None, DriftHyper::default());
        let given = &case.parameters;
        let variances = [given.virus_locations_sd, given.serum_locations_sd].map(|sd| sd * sd);
        let spread = Spread::Own(vec![given.beta, variances[0], variances[1]]);
        let x = by_dim(&given.virus_locations, &given.serum_locations, &all);
        let mut gradient = vec![0.0; x.len()];
        let value = prior.add_gradient(&mut Scratch::default(), &x, &spread, &mut gradient);
        let number = |name: &str| case.expected.log_prior[name].as_f64().unwrap();
        close(value, number("virus_locations") + number("serum_locations"), &case.id);
        let by = &case.expected.log_prior_gradient;
        let expected = by_dim(&by.virus_locations, &by.serum_locations, &all);
        gradient.iter().zip(&expected).for_each(|(found, expected)| close(*found, *expected, &case.id));
        // Gammas of the precisions are inverse gammas of the variances v, with a Jacobian of v^-2; the rest is the drift's own prior.
        let gammas =
            ["gamma of 1/virus_locations_sd^2", "gamma of 1/serum_locations_sd^2"].map(number).iter().sum::<f64>();
        let jacobian = -2.0 * (variances[0].ln() + variances[1].ln());
        let of_drift = 0.5 * (2.0 / std::f64::consts::PI).ln() - 2.0_f64.ln() - given.beta * given.beta / 8.0;
        close(prior.log_density_of_spread(&spread), gammas + jacobian + of_drift, &case.id);
        for (name, levels, by) in [
            ("virus_avidities", &given.virus_avidities, &by.virus_avidities),
            ("serum_potencies", &given.serum_potencies, &by.serum_potencies),
        ] {
            let of = |field: &str| case.priors[name][field].as_f64().unwrap();
            let objects = (0..levels.len()).map(|k| k.to_string()).collect();
            let prior = LevelPrior::Normal { mean: of("mean"), sd: of("sd") };
            let group = LevelGroup { name: "level", objects, prior, start: levels.clone() };
            let mut gradient = vec![0.0; levels.len()];
            close(group.add_log_prior(levels, &mut gradient), number(name), name);
            gradient.iter().zip(by).for_each(|(found, expected)| close(*found, *expected, name));
        }
    }
}
