//! What the sampler `auto` stands for: decided by the problem alone, and told.

use sbmds::dissimilarity::{Dissimilarities, Names};
use sbmds::fit::Fit;
use sbmds::random::{Purpose, stream};
use sbmds::simulate::{Noise, Simulation};

/// The sampler of a short fit of so many objects on a map of so many dimensions.
fn chosen(n_objects: usize, n_dims: usize, couplings: &str, noise: Option<&str>) -> String {
    let noise_of_data = Noise::HalfNormal { sd: 0.2 };
    let simulation = Simulation::new(n_objects, 2, noise_of_data, &mut stream(3, 0, Purpose::Simulation));
    let data = Dissimilarities::from_fn(Names::numbered(n_objects), |a, b| simulation.delta(a, b));
    let fit = Fit::of(&data).dims(n_dims).couplings(couplings.parse().unwrap()).chains(1).warmup(12).draws(4).seed(1);
    let family = noise.map(|noise| noise.parse().unwrap());
    fit.with(|config| config.measurement.family = family).run().unwrap().summary().sampler.clone()
}

#[test]
fn large_maps_of_plain_dissimilarities_have_trajectories_of_random_length() {
    assert_eq!(chosen(100, 2, "full", None), "jhmc");
    assert_eq!(chosen(100, 2, "dispersed:10", None), "jhmc");
    assert_eq!(chosen(99, 2, "full", None), "nuts", "small");
    assert_eq!(chosen(210, 1, "full", None), "nuts", "a line");
    assert_eq!(chosen(100, 2, "band:20", None), "nuts", "slow large-scale modes");
    assert_eq!(chosen(100, 2, "full", Some("student-t")), "nuts", "another family");
}
