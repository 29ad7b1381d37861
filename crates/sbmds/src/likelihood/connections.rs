//! Whether the coupled pairs can determine a map at all.

use super::Likelihood;

/// What the coupling graph says before any sampling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connections {
    /// Connected parts of more than one: positions, the largest part first. Empty if the graph is connected.
    pub parts: Vec<Vec<usize>>,
    /// Positions with too few partners to be determined, though connected.
    pub underdetermined: Vec<Underdetermined>,
}

/// An object with fewer than D + 1 partners: its location is known up to a reflection or worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Underdetermined {
    /// Its position in the coupling order.
    pub position: usize,
    /// How many partners it has.
    pub partners: usize,
}

impl Connections {
    /// Looks at the pairs that are coupled and have a dissimilarity.
    pub fn of(likelihood: &Likelihood) -> Self {
        Self { parts: parts(likelihood), underdetermined: underdetermined(likelihood) }
    }
}

fn parts(likelihood: &Likelihood) -> Vec<Vec<usize>> {
    let n_objects = likelihood.n_objects();
    let mut seen = vec![false; n_objects];
    let mut n_seen = 0;
    let mut parts = Vec::new();
    for first in 0..n_objects {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        n_seen += 1;
        let mut part = vec![first];
        let mut next = 0;
        while next < part.len() {
            likelihood.for_each_partner(part[next], |other, _| {
                if !seen[other] {
                    seen[other] = true;
                    n_seen += 1;
                    part.push(other);
                }
                // Dense couplings reach everything at once: stop then.
                n_seen < n_objects
            });
            next += 1;
        }
        parts.push(part);
    }
    if parts.len() == 1 {
        return Vec::new();
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts
}

fn underdetermined(likelihood: &Likelihood) -> Vec<Underdetermined> {
    let enough = (likelihood.n_dims() + 1).min(likelihood.n_objects() - 1);
    let mut found = Vec::new();
    for position in 0..likelihood.n_objects() {
        let mut partners = 0;
        likelihood.for_each_partner(position, |_, _| {
            partners += 1;
            partners < enough
        });
        if partners < enough {
            found.push(Underdetermined { position, partners });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::Pairs;
    use crate::likelihood::{Noise, Storage};

    fn connections(n_objects: usize, n_dims: usize, pairs: Pairs, missing: &[(usize, usize)]) -> Connections {
        let dissimilarity = |a: usize, b: usize| if missing.contains(&(a, b)) { f64::NAN } else { 1.0 };
        let likelihood =
            Likelihood::new(n_objects, n_dims, &pairs, Noise::default(), Storage::default(), dissimilarity);
        Connections::of(&likelihood)
    }

    #[test]
    fn a_full_coupling_is_fine() {
        let found = connections(6, 2, Pairs::full(6), &[]);
        assert_eq!(found, Connections { parts: vec![], underdetermined: vec![] });
    }

    #[test]
    fn a_missing_pair_can_cut_a_band_in_two() {
        let found = connections(5, 1, Pairs::band(5, 1), &[(1, 2)]);
        assert_eq!(found.parts, [vec![2, 3, 4], vec![0, 1]]);
    }

    #[test]
    fn objects_with_too_few_partners_are_named() {
        let found = connections(6, 2, Pairs::band(6, 2), &[]);
        assert!(found.parts.is_empty());
        let ends = [Underdetermined { position: 0, partners: 2 }, Underdetermined { position: 5, partners: 2 }];
        assert_eq!(found.underdetermined, ends);
    }

    #[test]
    fn isolated_objects_are_parts_of_their_own() {
        let found = connections(4, 1, Pairs::Graph(vec![(0, 1), (1, 2)]), &[]);
        assert_eq!(found.parts, [vec![0, 1, 2], vec![3]]);
    }
}
