//! Laying couplings over objects: order, landmarks, diagonals, edges.

use rand::RngExt;
use rand::seq::SliceRandom;

use super::{Coupling, Couplings, Pairs, dispersed_offsets};
use crate::dissimilarity::{Dissimilarities, InputError, read_edges};
use crate::random::{Purpose, stream};

/// The order in which objects are laid before they are coupled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Shuffled, depending on the seed: file order is rarely random.
    #[default]
    Shuffle,
    /// As in the input.
    Given,
}

/// Which objects become landmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LandmarkChoice {
    /// The first of the (shuffled) order.
    #[default]
    First,
    /// Each as far as possible from those already chosen.
    MaxMin,
}

/// How to lay a coupling.
#[derive(Clone, Copy, Debug, Default)]
pub struct LayOptions {
    /// Order of the objects.
    pub order: Order,
    /// Choice of landmarks.
    pub landmarks: LandmarkChoice,
    /// Seed of the shuffle, the dispersed offsets and the first max-min landmark.
    pub seed: u64,
}

/// Lays `couplings` over the objects of `data` for a map of `n_dims` dimensions.
pub fn lay(
    couplings: &Couplings,
    data: &Dissimilarities,
    n_dims: usize,
    options: &LayOptions,
) -> Result<Coupling, InputError> {
    let n_objects = data.n_objects();
    // Only these pairs were measured: `auto` takes them all.
    let couplings = match data.measured_pairs() {
        Some(_) if *couplings == Couplings::Auto => Couplings::Full,
        _ => couplings.resolve(n_objects, n_dims),
    };
    let mut order = ordered(n_objects, options);
    if let (Couplings::Landmark(count), LandmarkChoice::MaxMin) = (&couplings, options.landmarks) {
        put_first(&mut order, &spread_landmarks(data, *count, options.seed));
    }
    let pairs = match &couplings {
        Couplings::Full | Couplings::Auto => Pairs::full(n_objects),
        Couplings::Band(bands) => Pairs::band(n_objects, *bands),
        // The last object has no later one: N - 1 landmarks are all pairs.
        Couplings::Landmark(count) => Pairs::Landmarks((*count).min(n_objects - 1)),
        Couplings::Dispersed(bands) => {
            Pairs::Diagonals(dispersed_offsets(n_objects, *bands, &mut stream(options.seed, 0, Purpose::Coupling)))
        }
        Couplings::Graph(path) => graph(&read_edges(path, data.names())?, &order),
    };
    let pairs = match data.measured_pairs() {
        Some(measured) => measured_only(&pairs, measured, &order),
        None => pairs,
    };
    Ok(Coupling { couplings, order, pairs })
}

fn ordered(n_objects: usize, options: &LayOptions) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n_objects).collect();
    if options.order == Order::Shuffle {
        order.shuffle(&mut stream(options.seed, 0, Purpose::Order));
    }
    order
}

/// Moves `chosen` to the front, in that order; the others keep theirs.
fn put_first(order: &mut Vec<usize>, chosen: &[usize]) {
    let mut is_chosen = vec![false; order.len()];
    for &object in chosen {
        is_chosen[object] = true;
    }
    order.retain(|&object| !is_chosen[object]);
    order.splice(0..0, chosen.iter().copied());
}

/// Objects, each the furthest from all chosen before it; the first at random. Missing dissimilarities say nothing.
fn spread_landmarks(data: &Dissimilarities, count: usize, seed: u64) -> Vec<usize> {
    let n_objects = data.n_objects();
    let mut chosen = vec![stream(seed, 0, Purpose::Coupling).random_range(0..n_objects)];
    let mut nearest = vec![f64::INFINITY; n_objects];
    while chosen.len() < count.min(n_objects - 1) {
        let latest = chosen[chosen.len() - 1];
        nearest[latest] = f64::NEG_INFINITY;
        for (object, nearest) in nearest.iter_mut().enumerate() {
            // f64::min ignores NaN.
            *nearest = nearest.min(data.get(latest, object));
        }
        let furthest = (0..n_objects).max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]));
        chosen.extend(furthest);
    }
    chosen
}

/// The place of each object.
fn places(order: &[usize]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, &object) in order.iter().enumerate() {
        places[object] = place as u32;
    }
    places
}

fn graph(edges: &[(u32, u32)], order: &[usize]) -> Pairs {
    let places = places(order);
    let mut pairs: Vec<(u32, u32)> = edges
        .iter()
        .map(|&(a, b)| {
            let (a, b) = (places[a as usize], places[b as usize]);
            (a.min(b), a.max(b))
        })
        .collect();
    pairs.sort_unstable();
    Pairs::Graph(pairs)
}

/// The measured pairs among the coupled: what an edge list can say.
fn measured_only(pairs: &Pairs, measured: &[(u32, u32, f64)], order: &[usize]) -> Pairs {
    let edges: Vec<(u32, u32)> = measured.iter().map(|&(a, b, _)| (a, b)).collect();
    match graph(&edges, order) {
        Pairs::Graph(edges) => {
            let coupled = |&(a, b): &(u32, u32)| pairs.contains(a as usize, b as usize);
            Pairs::Graph(edges.into_iter().filter(coupled).collect())
        }
        other => other,
    }
}
