//! Whether the coupled pairs can determine a map at all.

use crate::coupling::Position;

/// What the coupling graph says before any sampling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connections {
    /// The connected components, the largest first, if there is more than one; empty if the graph is connected.
    pub components: Vec<Vec<Position>>,
    /// Positions with too few partners to be determined, though connected.
    pub underdetermined: Vec<Underdetermined>,
}

/// An object with fewer than D + 1 partners: its location is known up to a reflection or worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Underdetermined {
    /// Its position in the coupling order.
    pub position: Position,
    /// How many partners it has.
    pub n_partners: usize,
}

/// Calls back with the partners of a position, until told `false`.
type Partners<'a> = &'a dyn Fn(Position, &mut dyn FnMut(Position) -> bool);

impl Connections {
    /// Of a graph of `n_objects` positions, for a map of `n_dims` dimensions. `partners(position, visit)` calls back with every
    /// partner that is coupled and has a dissimilarity, until told `false`.
    pub fn of(n_objects: usize, n_dims: usize, partners: Partners) -> Self {
        let components = components(n_objects, partners);
        Self { components, underdetermined: underdetermined(n_objects, n_dims, partners) }
    }
}

fn components(n_objects: usize, partners: Partners) -> Vec<Vec<Position>> {
    let mut seen = vec![false; n_objects];
    let mut n_seen = 0;
    let mut components = Vec::new();
    for first in (0..n_objects).map(Position::new) {
        if seen[first.index()] {
            continue;
        }
        seen[first.index()] = true;
        n_seen += 1;
        let mut component = vec![first];
        let mut next = 0;
        while next < component.len() {
            partners(component[next], &mut |other| {
                if !seen[other.index()] {
                    seen[other.index()] = true;
                    n_seen += 1;
                    component.push(other);
                }
                // Dense couplings reach everything at once: stop then.
                n_seen < n_objects
            });
            next += 1;
        }
        components.push(component);
    }
    if components.len() == 1 {
        return Vec::new();
    }
    components.sort_by_key(|component| std::cmp::Reverse(component.len()));
    components
}

fn underdetermined(n_objects: usize, n_dims: usize, partners: Partners) -> Vec<Underdetermined> {
    let enough = (n_dims + 1).min(n_objects - 1);
    let mut found = Vec::new();
    for position in (0..n_objects).map(Position::new) {
        let mut n_partners = 0;
        partners(position, &mut |_| {
            n_partners += 1;
            n_partners < enough
        });
        if n_partners < enough {
            found.push(Underdetermined { position, n_partners });
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
                let (a, b) = (position.index().min(*other), position.index().max(*other));
                a != b && pairs.contains(a, b) && !missing.contains(&(a, b))
            };
            _ = (0..n_objects).filter(is_known).map(Position::new).all(visit);
        })
    }

    fn positions(indices: &[usize]) -> Vec<Position> {
        indices.iter().copied().map(Position::new).collect()
    }

    #[test]
    fn a_full_coupling_is_fine() {
        let found = connections(2, &Pairs::full(6), &[]);
        assert_eq!(found, Connections { components: vec![], underdetermined: vec![] });
    }

    #[test]
    fn a_missing_pair_can_cut_a_band_in_two() {
        let found = connections(1, &Pairs::band(5, 1), &[(1, 2)]);
        assert_eq!(found.components, [positions(&[2, 3, 4]), positions(&[0, 1])]);
    }

    #[test]
    fn objects_with_too_few_partners_are_named() {
        let found = connections(2, &Pairs::band(6, 2), &[]);
        assert!(found.components.is_empty());
        let ends = [0, 5].map(|end| Underdetermined { position: Position::new(end), n_partners: 2 });
        assert_eq!(found.underdetermined, ends);
    }

    #[test]
    fn isolated_objects_are_components_of_their_own() {
        let found = connections(1, &Pairs::graph(4, vec![(0, 1), (1, 2)]).unwrap(), &[]);
        assert_eq!(found.components, [positions(&[0, 1, 2]), positions(&[3])]);
    }
}
