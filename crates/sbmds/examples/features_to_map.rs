//! From features to a map and its clusters: three groups of flowers, each measured by four lengths.

use rand::RngExt;
use rand_distr::StandardNormal;
use sbmds::cluster::{HdbscanSettings, hdbscan};
use sbmds::random::{Purpose, stream};
use sbmds::{Dissimilarities, Fit, Metric, Names};

/// Mean lengths of the groups, in centimetres.
const GROUPS: [[f64; 4]; 3] = [[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]];
const FLOWERS: usize = 20;
/// Standard deviation of a length within a group.
const WITHIN: f64 = 0.12;

/// A fit, and what is to hold of it.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rng = stream(1, 0, Purpose::Simulation);
    let mut rows = Vec::new();
    for group in GROUPS {
        for _ in 0..FLOWERS {
            rows.extend(group.map(|mean| mean + WITHIN * rng.sample::<f64, _>(StandardNormal)));
        }
    }
    // One row per object; only the dissimilarities of coupled pairs are ever computed.
    let data = Dissimilarities::from_features(Names::numbered(3 * FLOWERS), rows, 4, Metric::Euclidean)?;
    let fit =
        Fit::of(&data).dims(2).couplings("dispersed:12".parse()?).chains(2).warmup(300).draws(200).seed(1).run()?;
    println!("{}", fit.verdict());
    let clusters = hdbscan(&fit.map().mean, &HdbscanSettings::new(8))?;
    let labels_of = |group: usize| &clusters.labels[group * FLOWERS..][..FLOWERS];
    for group in 0..GROUPS.len() {
        println!("group {}: clusters {:?}", group + 1, labels_of(group));
    }
    // A cluster for each group: most flowers of a group have one label, which no other group has.
    let mut labels = Vec::new();
    for group in 0..GROUPS.len() {
        let count = |label: i32| labels_of(group).iter().filter(|&&other| other == label).count();
        let usual = (0..3).max_by_key(|&label| count(label)).unwrap_or(-1);
        assert!(count(usual) >= FLOWERS - 2, "group {}: {:?}", group + 1, labels_of(group));
        labels.push(usual);
    }
    labels.sort_unstable();
    assert_eq!(labels, [0, 1, 2]);
    Ok(())
}
