//! From the couplings asked for to coupled pairs: order, landmarks, diagonals, edges.

use rand::seq::SliceRandom;

use super::{Coupling, Couplings, Effort, Pairs, dispersed_offsets};
use crate::dissimilarity::{Dissimilarities, InputError, read_edges, spread_landmarks};
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
    /// Each as far as possible from those already chosen, from the first of the order on.
    MaxMin,
}

/// How to lay a coupling.
#[derive(Clone, Copy, Debug, Default)]
pub struct LayOptions {
    /// Order of the objects.
    pub order: Order,
    /// Choice of landmarks.
    pub landmarks: LandmarkChoice,
    /// Seed of the shuffle and the dispersed offsets.
    pub seed: u64,
    /// What is to be done with the pairs: how many `auto` can afford.
    pub effort: Effort,
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
        _ => couplings.resolve(n_objects, n_dims, options.effort),
    };
    let mut order = ordered(n_objects, options);
    if let (Couplings::Landmark(count), LandmarkChoice::MaxMin) = (&couplings, options.landmarks) {
        let positions = spread_landmarks(n_objects, *count, |a, b| data.get(order[a], order[b]));
        let landmarks: Vec<usize> = positions.into_iter().map(|position| order[position]).collect();
        put_first(&mut order, &landmarks);
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

/// The position of each object.
fn positions(order: &[usize]) -> Vec<u32> {
    let mut positions = vec![0; order.len()];
    for (position, &object) in order.iter().enumerate() {
        positions[object] = position as u32;
    }
    positions
}

fn graph(edges: &[(u32, u32)], order: &[usize]) -> Pairs {
    let positions = positions(order);
    let mut pairs: Vec<(u32, u32)> = edges
        .iter()
        .map(|&(a, b)| {
            let (a, b) = (positions[a as usize], positions[b as usize]);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissimilarity::Names;

    fn line(n_objects: usize) -> Dissimilarities {
        Dissimilarities::from_fn(Names::numbered(n_objects), |a, b| (a as f64 - b as f64).abs())
    }

    fn laid(couplings: &str, order: Order, landmarks: LandmarkChoice, seed: u64) -> Coupling {
        let options = LayOptions { order, landmarks, seed, ..LayOptions::default() };
        lay(&couplings.parse().unwrap(), &line(9), 2, &options).unwrap()
    }

    #[test]
    fn given_order_is_kept_and_shuffles_follow_the_seed() {
        let order = |order, seed| laid("band:2", order, LandmarkChoice::First, seed).order;
        assert_eq!(order(Order::Given, 1), (0..9).collect::<Vec<_>>());
        assert_eq!(order(Order::Shuffle, 1), order(Order::Shuffle, 1));
        assert_ne!(order(Order::Shuffle, 1), order(Order::Shuffle, 2));
    }

    #[test]
    fn spread_landmarks_come_first_and_the_rest_keep_their_order() {
        let coupling = laid("landmark:3", Order::Given, LandmarkChoice::MaxMin, 1);
        assert_eq!(coupling.order, [0, 8, 4, 1, 2, 3, 5, 6, 7]);
        assert_eq!(coupling.pairs, Pairs::Landmarks(3));
        let shuffled = laid("landmark:3", Order::Shuffle, LandmarkChoice::MaxMin, 1);
        let first = laid("landmark:3", Order::Shuffle, LandmarkChoice::First, 1);
        assert_eq!(shuffled.order[0], first.order[0]);
    }

    #[test]
    fn too_many_bands_or_landmarks_are_all_pairs() {
        for couplings in ["full", "band:8", "band:100", "landmark:8", "landmark:100", "dispersed:4", "dispersed:100"] {
            let coupling = laid(couplings, Order::Shuffle, LandmarkChoice::First, 1);
            assert_eq!(coupling.pairs.count(9), 36, "{couplings}");
        }
    }
}
