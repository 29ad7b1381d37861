//! The couplings a bench measures: those of the command line, and a random graph in place of one from a file.

use std::fmt;
use std::str::FromStr;

use rand::Rng;
use rand::seq::index;
use sbmds::coupling::{Couplings, Pairs};
use sbmds::random::{Purpose, stream};

/// Which pairs are coupled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coupled {
    /// All pairs.
    Full,
    /// |n - m| <= B.
    Band(usize),
    /// Pairs touching one of L landmarks.
    Landmark(usize),
    /// B random diagonals, wrapped around.
    Dispersed(usize),
    /// The same diagonals, standing for all pairs (`bench samplers` alone: its kernels are those of the diagonals).
    Anchored(usize),
    /// A random graph with as many pairs as the band of the same B.
    Graph(usize),
}

/// Bands of the random graph when none are given.
const GRAPH_BANDS: usize = 50;

/// All benches measure the same pairs.
const SEED: u64 = 1;

impl Coupled {
    /// What is measured when nothing is asked for.
    pub const DEFAULT: [Self; 7] = [
        Self::Band(10),
        Self::Band(50),
        Self::Band(500),
        Self::Landmark(50),
        Self::Dispersed(50),
        Self::Graph(GRAPH_BANDS),
        Self::Full,
    ];

    /// Number of pairs among `n_objects` objects.
    pub fn n_pairs(self, n_objects: usize) -> usize {
        let all = n_objects * (n_objects - 1) / 2;
        let lines = |count: usize| {
            let count = count.min(n_objects - 1);
            count * n_objects - count * (count + 1) / 2
        };
        match self {
            Self::Full => all,
            Self::Band(count) | Self::Landmark(count) | Self::Graph(count) => lines(count),
            Self::Dispersed(bands) | Self::Anchored(bands) if bands >= (n_objects - 1) / 2 => all,
            Self::Dispersed(bands) | Self::Anchored(bands) => bands * n_objects,
        }
    }

    /// The pairs themselves.
    pub fn pairs(self, n_objects: usize) -> Pairs {
        let mut rng = stream(SEED, 0, Purpose::Coupling);
        match self {
            Self::Full => Pairs::full(n_objects),
            Self::Band(bands) => Pairs::band(n_objects, bands),
            Self::Landmark(count) => Pairs::landmarks(n_objects, count.min(n_objects - 1)),
            Self::Dispersed(bands) | Self::Anchored(bands) => Pairs::dispersed(n_objects, bands, &mut rng),
            Self::Graph(_) => {
                let edges = random_edges(n_objects, self.n_pairs(n_objects), &mut rng);
                Pairs::graph(n_objects, edges).expect("random pairs are sorted and distinct")
            }
        }
    }
}

/// `n_pairs` distinct pairs, sorted; each row gets its share, within one pair, of what a uniform choice would give it.
fn random_edges(n_objects: usize, n_pairs: usize, rng: &mut impl Rng) -> Vec<(u32, u32)> {
    let all = n_objects as u128 * (n_objects as u128 - 1) / 2;
    let mut edges = Vec::with_capacity(n_pairs);
    let mut passed = 0;
    for row in 0..n_objects {
        let later = n_objects - 1 - row;
        passed += later as u128;
        let share = (passed * n_pairs as u128 / all) as usize - edges.len();
        let start = edges.len();
        edges.extend(index::sample(rng, later, share).iter().map(|step| (row as u32, (row + 1 + step) as u32)));
        edges[start..].sort_unstable();
    }
    edges
}

impl fmt::Display for Coupled {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => out.pad("full"),
            Self::Band(bands) => out.pad(&format!("band:{bands}")),
            Self::Landmark(landmarks) => out.pad(&format!("landmark:{landmarks}")),
            Self::Dispersed(bands) => out.pad(&format!("dispersed:{bands}")),
            Self::Anchored(bands) => out.pad(&format!("anchored:{bands}")),
            Self::Graph(bands) => out.pad(&format!("graph:{bands}")),
        }
    }
}

impl FromStr for Coupled {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let graph = |bands: &str| match bands.parse() {
            Ok(bands) if bands > 0 => Ok(Self::Graph(bands)),
            _ => Err(format!("{text:?}: a bench makes its own graph, with as many pairs as band:B: graph or graph:B")),
        };
        match text.split_once(':') {
            None if text == "graph" => Ok(Self::Graph(GRAPH_BANDS)),
            Some(("graph", bands)) => graph(bands),
            _ => match text.parse()? {
                Couplings::Full => Ok(Self::Full),
                Couplings::Band(bands) => Ok(Self::Band(bands)),
                Couplings::Landmark(landmarks) => Ok(Self::Landmark(landmarks)),
                Couplings::Dispersed(bands) => Ok(Self::Dispersed(bands)),
                Couplings::Anchored(bands) => Ok(Self::Anchored(bands)),
                _ => Err(format!("{text:?}: name the coupling to measure, such as dispersed:50")),
            },
        }
    }
}

impl serde::Serialize for Coupled {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::{Coupled, SEED, random_edges};
    use sbmds::random::{Purpose, stream};

    #[test]
    fn pairs_are_as_many_as_announced() {
        for n_objects in [3, 4, 60, 101] {
            for coupled in Coupled::DEFAULT.into_iter().chain([Coupled::Dispersed(3), Coupled::Graph(7)]) {
                assert_eq!(coupled.pairs(n_objects).count(), coupled.n_pairs(n_objects), "{coupled}");
            }
        }
    }

    #[test]
    fn random_edges_are_sorted_distinct_and_spread() {
        let edges = random_edges(500, 20_000, &mut stream(SEED, 0, Purpose::Coupling));
        assert!(edges.len() == 20_000 && edges.is_sorted_by(|a, b| a < b));
        assert!(edges.iter().all(|&(a, b)| a < b && b < 500));
        let mut degrees = [0; 500];
        for &(a, b) in &edges {
            degrees[a as usize] += 1;
            degrees[b as usize] += 1;
        }
        // Mean 80, standard deviation at most sqrt(80).
        assert!(degrees.iter().all(|&degree| (35..=125).contains(&degree)), "{degrees:?}");
    }

    #[test]
    fn names_round_trip_and_others_are_refused() {
        for name in ["full", "band:10", "landmark:5", "dispersed:3", "graph:50"] {
            assert_eq!(name.parse::<Coupled>().unwrap().to_string(), name);
        }
        assert_eq!("graph".parse(), Ok(Coupled::Graph(50)));
        for name in ["auto", "graph:edges.csv", "graph:0", "band:0", "ring"] {
            assert!(name.parse::<Coupled>().is_err(), "{name}");
        }
    }
}
