//! Whether the coupled pairs can determine a map at all.

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

/// Calls back with the partners of a position, until told `false`.
type Partners<'a> = &'a dyn Fn(usize, &mut dyn FnMut(usize) -> bool);

impl Connections {
    /// Of a graph of `n_objects` positions, for a map of `n_dims` dimensions. `partners(position, visit)` calls back with every
    /// partner that is coupled and has a dissimilarity, until told `false`.
    pub fn of(n_objects: usize, n_dims: usize, partners: Partners) -> Self {
        Self { parts: parts(n_objects, partners), underdetermined: underdetermined(n_objects, n_dims, partners) }
    }
}

fn parts(n_objects: usize, partners: Partners) -> Vec<Vec<usize>> {
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
            partners(part[next], &mut |other| {
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

fn underdetermined(n_objects: usize, n_dims: usize, partners: Partners) -> Vec<Underdetermined> {
    let enough = (n_dims + 1).min(n_objects - 1);
    let mut found = Vec::new();
    for position in 0..n_objects {
        let mut n_partners = 0;
        partners(position, &mut |_| {
            n_partners += 1;
            n_partners < enough
        });
        if n_partners < enough {
            found.push(Underdetermined { position, partners: n_partners });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::Pairs;

    fn connections(n_dims: usize, pairs: &Pairs, missing: &[(usize, usize)]) -> Connections {
        let n_objects = pairs.n_objects();
        Connections::of(n_objects, n_dims, &|position, visit| {
            let is_known = |other: &usize| {
                let (a, b) = (position.min(*other), position.max(*other));
                a != b && pairs.contains(a, b) && !missing.contains(&(a, b))
            };
            _ = (0..n_objects).filter(is_known).all(visit);
        })
    }

    #[test]
    fn a_full_coupling_is_fine() {
        let found = connections(2, &Pairs::full(6), &[]);
        assert_eq!(found, Connections { parts: vec![], underdetermined: vec![] });
    }

    #[test]
    fn a_missing_pair_can_cut_a_band_in_two() {
        let found = connections(1, &Pairs::band(5, 1), &[(1, 2)]);
        assert_eq!(found.parts, [vec![2, 3, 4], vec![0, 1]]);
    }

    #[test]
    fn objects_with_too_few_partners_are_named() {
        let found = connections(2, &Pairs::band(6, 2), &[]);
        assert!(found.parts.is_empty());
        let ends = [Underdetermined { position: 0, partners: 2 }, Underdetermined { position: 5, partners: 2 }];
        assert_eq!(found.underdetermined, ends);
    }

    #[test]
    fn isolated_objects_are_parts_of_their_own() {
        let found = connections(1, &Pairs::graph(4, vec![(0, 1), (1, 2)]).unwrap(), &[]);
        assert_eq!(found.parts, [vec![0, 1, 2], vec![3]]);
    }
}
