//! The couplings by name, as typed on the command line.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::effort::Effort;

/// Which pairs are coupled.
///
/// ```
/// use sbmds::Couplings;
///
/// let couplings: Couplings = "dispersed:50".parse()?;
/// assert_eq!(couplings, Couplings::Dispersed(50));
/// assert_eq!(couplings.to_string(), "dispersed:50");
/// assert!("dispersed".parse::<Couplings>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Couplings {
    /// All pairs while a fit takes minutes, else as many dispersed bands as that affords, at least ceil(D sqrt(N)).
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
    /// B dispersed bands that stand for all pairs: weighted, with a correction from all pairs at an anchor.
    Anchored(usize),
    /// B random diagonals, wrapped around, that hold those of fewer: `nested:40` has the pairs of `nested:20` and as many more.
    Nested(usize),
    /// The pairs of an edge list.
    Graph(PathBuf),
}

impl Couplings {
    /// What `auto` means for this many objects and dimensions; other couplings stay themselves.
    pub fn resolve(&self, n_objects: usize, n_dims: usize, effort: Effort) -> Self {
        match self {
            Self::Auto => effort.bands(n_objects, n_dims).map_or(Self::Full, Self::Dispersed),
            other => other.clone(),
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
            Self::Anchored(bands) => write!(f, "anchored:{bands}"),
            Self::Nested(bands) => write!(f, "nested:{bands}"),
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
            ("anchored", _) => count().map(Self::Anchored),
            ("nested", _) => count().map(Self::Nested),
            ("graph", Some(path)) if !path.is_empty() => Ok(Self::Graph(path.into())),
            ("graph", _) => Err(format!("{text:?} needs a file of pairs, such as graph:pairs.csv")),
            _ => Err(format!(
                "{text:?} is no coupling: use auto, full, band:B, landmark:L, dispersed:B, anchored:B or graph:FILE"
            )),
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
    use super::{Couplings, Effort};

    #[test]
    fn names_round_trip() {
        for name in
            ["auto", "full", "band:3", "landmark:10", "dispersed:50", "anchored:40", "nested:7", "graph:a:b.csv"]
        {
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
    fn only_auto_depends_on_the_effort() {
        let effort = Effort::default();
        assert_eq!(Couplings::Auto.resolve(500, 2, effort), Couplings::Full);
        assert_eq!(Couplings::Auto.resolve(100_000, 6, effort), Couplings::Dispersed(1_898));
        assert_eq!(Couplings::Band(3).resolve(10_000, 2, effort), Couplings::Band(3));
    }
}
