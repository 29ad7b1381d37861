//! What rank 0 tells the others to do, and what they answer.

use sbmds::likelihood::Want;
use serde::{Deserialize, Serialize};

/// Numbers of a message's head: what to do, and one number with it.
pub const HEAD: usize = 2;

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// There is nothing more to do.
    End,
    /// Take a share of a likelihood; its description follows, so many bytes long.
    Hold(usize),
    /// Add up the share at locations that follow, for a noise standard deviation.
    Sum(Want, f64),
}

impl Command {
    /// As numbers: they share a message with no others, and lengths stay far below 2^53.
    pub fn head(self) -> [f64; HEAD] {
        match self {
            Self::End => [0.0, 0.0],
            Self::Hold(length) => [1.0, length as f64],
            Self::Sum(Want::Value, sigma) => [2.0, sigma],
            Self::Sum(Want::Gradient, sigma) => [3.0, sigma],
            Self::Sum(Want::Both, sigma) => [4.0, sigma],
        }
    }

    /// The command of a head.
    pub fn of(head: [f64; HEAD]) -> Self {
        match head {
            [1.0, length] => Self::Hold(length as usize),
            [2.0, sigma] => Self::Sum(Want::Value, sigma),
            [3.0, sigma] => Self::Sum(Want::Gradient, sigma),
            [4.0, sigma] => Self::Sum(Want::Both, sigma),
            _ => Self::End,
        }
    }
}

/// The likelihood of which everybody is to take a share.
#[derive(Serialize, Deserialize)]
pub struct Description {
    /// The resolved settings of the fit, as in `config.toml`.
    pub config: String,
    /// The instruction set of the kernels: all ranks must use the same.
    pub instructions: String,
    /// Threads of each rank.
    pub n_threads: usize,
}

/// What a rank says of its share.
#[derive(Serialize, Deserialize)]
pub struct Held {
    /// Pairs held.
    pub n_pairs: usize,
    /// Leaves of the tree of sums.
    pub n_leaves: usize,
    /// Why the rank cannot take part, if so.
    pub problem: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_survive_the_way() {
        for command in [
            Command::End,
            Command::Hold(123_456_789),
            Command::Sum(Want::Value, 0.25),
            Command::Sum(Want::Gradient, 1e-9),
            Command::Sum(Want::Both, 3.0),
        ] {
            assert_eq!(Command::of(command.head()), command);
        }
    }
}
