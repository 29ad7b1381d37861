//! From the couplings asked for to coupled pairs: order, landmarks, diagonals, edges.

use rand::seq::SliceRandom;

use super::offsets::offset_order;
use super::{Coupling, Couplings, Effort, ObjectOrder, Pairs};
use crate::dissimilarity::{Dissimilarities, InputError, read_edges, spread_landmarks};
use crate::random::{Purpose, stream};

/// The order in which objects are laid before they are coupled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
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
#[non_exhaustive]
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
    let order = ObjectOrder::new(order);
    let pairs = match &couplings {
        Couplings::Full | Couplings::Auto => Pairs::full(n_objects),
        Couplings::Band(bands) => Pairs::band(n_objects, *bands),
        // The last object has no later one: N - 1 landmarks are all pairs.
        Couplings::Landmark(count) => Pairs::landmarks(n_objects, (*count).min(n_objects - 1)),
        Couplings::Dispersed(bands) | Couplings::Anchored(bands) => {
            Pairs::dispersed(n_objects, *bands, &mut stream(options.seed, 0, Purpose::Coupling))
        }
        Couplings::Nested(bands) => Pairs::nested(n_objects, *bands, &mut stream(options.seed, 0, Purpose::Coupling)),
        Couplings::Graph(path) => graph(read_edges(path, data.names())?.into_iter(), &order),
    };
    // An edge list has the measured pairs alone.
    let pairs = match (data.measured_pairs(), &couplings) {
        (Some(measured), Couplings::Anchored(bands)) => some_measured(measured, &order, *bands, options.seed),
        (Some(measured), _) => all_measured(measured, &order).of_graph_where(|a, b| pairs.contains(a, b)),
        (None, _) => pairs,
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

/// Pairs of objects that no nested coupling of at most `n_bands` bands has, at least `n_wanted` if there are that many: whole diagonals, the last of
/// the order in which nested couplings take them.
pub fn never_nested(n_objects: usize, n_bands: usize, n_wanted: usize, options: &LayOptions) -> Vec<(usize, usize)> {
    let order = ordered(n_objects, options);
    let offsets = offset_order(n_objects, &mut stream(options.seed, 0, Purpose::Coupling));
    let n_diagonals = n_wanted.div_ceil(n_objects.max(1)).min(offsets.len().saturating_sub(n_bands));
    let pair = |offset: usize, position: usize| {
        let (a, b) = (order[position], order[(position + offset) % n_objects]);
        (a.min(b), a.max(b))
    };
    let last = &offsets[offsets.len() - n_diagonals..];
    let mut pairs: Vec<_> = last.iter().flat_map(|&offset| (0..n_objects).map(move |k| pair(offset, k))).collect();
    pairs.sort_unstable();
    pairs
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

/// The pairs of objects as pairs of positions; `edges` are distinct pairs of distinct objects.
fn graph(edges: impl Iterator<Item = (u32, u32)>, order: &ObjectOrder) -> Pairs {
    let by_position = |(a, b): (u32, u32)| {
        let [a, b] = [a, b].map(|object| order.position(object as usize).index() as u32);
        (a.min(b), a.max(b))
    };
    let mut pairs: Vec<(u32, u32)> = edges.map(by_position).collect();
    pairs.sort_unstable();
    Pairs::graph(order.len(), pairs).expect("distinct pairs of the objects")
}

/// All measured pairs, by coupling position.
pub(crate) fn all_measured(measured: &[(u32, u32, f64)], order: &ObjectOrder) -> Pairs {
    graph(measured.iter().map(|&(a, b, _)| (a, b)), order)
}

/// About as many of the measured pairs as `bands` bands have, at random; each object keeps this many partners, or all it has.
fn some_measured(measured: &[(u32, u32, f64)], order: &ObjectOrder, bands: usize, seed: u64) -> Pairs {
    let mut pairs: Vec<(u32, u32)> = measured.iter().map(|&(a, b, _)| (a, b)).collect();
    pairs.shuffle(&mut stream(seed, 0, Purpose::Coupling));
    let mut n_partners = vec![0; order.len()];
    let (mut chosen, rest): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|&(a, b)| {
        let ends = [a as usize, b as usize];
        let is_needed = ends.iter().any(|&end| n_partners[end] < bands);
        if is_needed {
            ends.iter().for_each(|&end| n_partners[end] += 1);
        }
        is_needed
    });
    let n_more = (bands * order.len()).saturating_sub(chosen.len());
    chosen.extend(rest.into_iter().take(n_more));
    graph(chosen.into_iter(), order)
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
        let order = |order, seed| laid("band:2", order, LandmarkChoice::First, seed).order.to_vec();
        assert_eq!(order(Order::Given, 1), (0..9).collect::<Vec<_>>());
        assert_eq!(order(Order::Shuffle, 1), order(Order::Shuffle, 1));
        assert_ne!(order(Order::Shuffle, 1), order(Order::Shuffle, 2));
    }

    #[test]
    fn spread_landmarks_come_first_and_the_rest_keep_their_order() {
        let coupling = laid("landmark:3", Order::Given, LandmarkChoice::MaxMin, 1);
        assert_eq!(*coupling.order, [0, 8, 4, 1, 2, 3, 5, 6, 7]);
        assert_eq!(coupling.pairs, Pairs::landmarks(9, 3));
        let shuffled = laid("landmark:3", Order::Shuffle, LandmarkChoice::MaxMin, 1);
        let first = laid("landmark:3", Order::Shuffle, LandmarkChoice::First, 1);
        assert_eq!(shuffled.order[0], first.order[0]);
    }

    #[test]
    fn nested_couplings_hold_each_other_and_never_the_last_diagonals() {
        let data = line(23);
        for seed in 0..5 {
            let options = LayOptions { seed, ..LayOptions::default() };
            let pairs = |bands| lay(&Couplings::Nested(bands), &data, 2, &options).unwrap();
            let out = never_nested(23, 7, 60, &options);
            assert_eq!(out.len(), 3 * 23);
            for bands in 1..=8 {
                let (few, more) = (pairs(bands), pairs(bands + 1));
                assert_eq!(few.pairs.count(), bands * 23);
                assert_eq!(few.order, more.order);
                let in_few = |a: usize, b: usize| few.pairs.contains(a.min(b), a.max(b));
                let all = || (0..23).flat_map(|a| (a + 1..23).map(move |b| (a, b)));
                assert!(all().all(|(a, b)| !few.pairs.contains(a, b) || more.pairs.contains(a, b)));
                let is_coupled =
                    |&(a, b): &(usize, usize)| in_few(few.order.position(a).index(), few.order.position(b).index());
                assert!(bands > 8 || !out.iter().any(is_coupled));
            }
        }
        assert_eq!(lay(&Couplings::Nested(11), &data, 2, &LayOptions::default()).unwrap().pairs, Pairs::full(23));
    }

    #[test]
    fn too_many_bands_or_landmarks_are_all_pairs() {
        for couplings in ["full", "band:8", "band:100", "landmark:8", "landmark:100", "dispersed:4", "dispersed:100"] {
            let coupling = laid(couplings, Order::Shuffle, LandmarkChoice::First, 1);
            assert_eq!(coupling.pairs.count(), 36, "{couplings}");
        }
    }
}
