//! What is wrong with the coupling graph, in words.

use crate::coupling::{Coupling, Couplings, Position};
use crate::dissimilarity::Names;
use crate::likelihood::Connections;
use crate::plain::shown;

/// Objects named in a message before it says how many more there are.
const NAMED: usize = 8;
/// Components of a graph listed in a message.
const COMPONENTS: usize = 3;

/// Why the coupled pairs cannot make one map, naming objects; `None` if they can.
pub fn disconnection(connections: &Connections, coupling: &Coupling, names: &Names) -> Option<String> {
    let smaller = connections.components.get(1..).filter(|smaller| !smaller.is_empty())?;
    let apart: Vec<_> = smaller.iter().take(COMPONENTS).map(|component| listed(component, coupling, names)).collect();
    let remedy = match coupling.couplings {
        // Every measured pair is in use: no coupling can join the components.
        Couplings::Full => "fit the parts apart, each from a file of its own, or measure pairs that join them",
        _ => "couple more pairs (`couplings` dispersed:B with a larger B, or full) or measure pairs that join them",
    };
    Some(format!(
        "the coupling graph has {} connected components; objects outside the largest: {}. Remedy: {remedy}",
        connections.components.len(),
        apart.join("; ")
    ))
}

/// Which objects have too few partners to be placed without doubt; `None` if none has.
pub fn underdetermination(connections: &Connections, coupling: &Coupling, names: &Names) -> Option<String> {
    if connections.underdetermined.is_empty() {
        return None;
    }
    let positions: Vec<_> = connections.underdetermined.iter().map(|object| object.position).collect();
    Some(format!(
        "{} of {} objects have too few coupled partners to be placed without doubt (a map needs one more than its \
         dimensions): {}",
        positions.len(),
        names.len(),
        listed(&positions, coupling, names)
    ))
}

fn listed(positions: &[Position], coupling: &Coupling, names: &Names) -> String {
    let shown: Vec<_> =
        positions.iter().take(NAMED).map(|&position| shown(&names.get(coupling.order[position.index()]))).collect();
    let more = positions.len().saturating_sub(NAMED);
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}
