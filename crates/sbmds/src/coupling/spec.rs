//! The couplings by name, as typed on the command line.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Which pairs are coupled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Couplings {
    /// `full` when there are few objects, else `dispersed` with B = ceil(D sqrt(N)).
    #[default]
    Auto,
    /// All pairs.
    Full,
    /// |n - m| <= B: the paper's B-sBMDS.
    Band(usize),
    /// Pairs touching one of L landmarks: the paper's L-sBMDS.
    Landmark(usize),
    /// B random diagonals, wrapped around: as many pairs as a band, but no object is far from any other.
    Dispersed(usize),
    /// The pairs of an edge list.
    Graph(PathBuf),
}

impl Couplings {
    /// Largest number of objects for which `auto` couples all pairs: 125,000 pairs, a fraction of a millisecond.
    pub const AUTO_FULL_OBJECTS: usize = 500;

    /// What `auto` means for so many objects and dimensions; other couplings stay themselves.
    pub fn resolve(&self, n_objects: usize, n_dims: usize) -> Self {
        if *self != Self::Auto {
            return self.clone();
        }
        let bands = (n_dims as f64 * (n_objects as f64).sqrt()).ceil() as usize;
        if n_objects <= Self::AUTO_FULL_OBJECTS || 2 * bands + 1 >= n_objects {
            Self::Full
        } else {
            Self::Dispersed(bands)
        }
    }
}

impl fmt::Display for Couplings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Full => f.write_str("full"),
            Self::Band(bands) => write!(f, "band:{bands}"),
            Self::Landmark(landmarks) => write!(f, "landmark:{landmarks}"),
            Self::Dispersed(bands) => write!(f, "dispersed:{bands}"),
            Self::Graph(path) => write!(f, "graph:{}", path.display()),
        }
    }
}

impl FromStr for Couplings {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, argument) = match text.split_once(':') {
            Some((kind, argument)) => (kind, Some(argument)),
            None => (text, None),
        };
        let count = || match argument.map(str::parse::<usize>) {
            Some(Ok(count)) if count > 0 => Ok(count),
            _ => Err(format!("{text:?} needs a whole number of 1 or more, such as {kind}:20")),
        };
        match (kind, argument) {
            ("auto", None) => Ok(Self::Auto),
            ("full", None) => Ok(Self::Full),
            ("band", _) => count().map(Self::Band),
            ("landmark", _) => count().map(Self::Landmark),
            ("dispersed", _) => count().map(Self::Dispersed),
            ("graph", Some(path)) if !path.is_empty() => Ok(Self::Graph(path.into())),
            ("graph", _) => Err(format!("{text:?} needs a file of pairs, such as graph:pairs.csv")),
            _ => Err(format!("{text:?} is no coupling: use auto, full, band:B, landmark:L, dispersed:B or graph:FILE")),
        }
    }
}

impl serde::Serialize for Couplings {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Couplings {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::Couplings;

    #[test]
    fn names_round_trip() {
        for name in ["auto", "full", "band:3", "landmark:10", "dispersed:50", "graph:a:b.csv"] {
            assert_eq!(name.parse::<Couplings>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn wrong_names_say_what_to_do() {
        for (name, part) in [
            ("band", "band:20"),
            ("band:", "band:20"),
            ("band:0", "1 or more"),
            ("band:-1", "1 or more"),
            ("dispersed:x", "dispersed:20"),
            ("graph", "graph:pairs.csv"),
            ("full:3", "no coupling"),
            ("ring", "no coupling"),
        ] {
            let message = name.parse::<Couplings>().unwrap_err();
            assert!(message.contains(part), "{name}: {message}");
        }
    }

    #[test]
    fn auto_is_full_when_small_and_dispersed_when_large() {
        assert_eq!(Couplings::Auto.resolve(500, 2), Couplings::Full);
        assert_eq!(Couplings::Auto.resolve(501, 2), Couplings::Dispersed(45));
        assert_eq!(Couplings::Auto.resolve(10_000, 2), Couplings::Dispersed(200));
        assert_eq!(Couplings::Auto.resolve(10_000, 6), Couplings::Dispersed(600));
        // So many dimensions that the bands would be all pairs.
        assert_eq!(Couplings::Auto.resolve(900, 20), Couplings::Full);
        assert_eq!(Couplings::Band(3).resolve(10_000, 2), Couplings::Band(3));
    }
}
