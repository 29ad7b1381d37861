//! What rank 0 tells the others to do, and what they answer.

use sbmds::likelihood::{Arithmetic, AskedSums, Likelihood, Want};
use serde::{Deserialize, Serialize};

/// Numbers of a message's head: what to do, how, and one number with it.
pub const HEAD: usize = 4;

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// There is nothing more to do.
    End,
    /// Take a share of a likelihood; its description follows, this many bytes long.
    Hold(usize),
    /// Add up the share at locations that follow.
    Sum(AskedSums),
}

impl Command {
    /// As numbers: they share a message with no others, and lengths stay far below 2^53.
    pub fn head(self) -> [f64; HEAD] {
        match self {
            Self::End => [0.0; HEAD],
            Self::Hold(length) => [1.0, 0.0, 0.0, length as f64],
            Self::Sum(AskedSums { arithmetic, want, sigma }) => {
                [2.0, number_of(&WANTS, want), number_of(&Arithmetic::ALL, arithmetic), sigma]
            }
        }
    }

    /// The command of a head.
    pub fn of(head: [f64; HEAD]) -> Self {
        match head {
            [1.0, _, _, length] => Self::Hold(length as usize),
            [2.0, want, arithmetic, sigma] => {
                let (want, arithmetic) = (WANTS[want as usize], Arithmetic::ALL[arithmetic as usize]);
                Self::Sum(AskedSums { arithmetic, want, sigma })
            }
            _ => Self::End,
        }
    }
}

/// In the order in which they are numbered.
const WANTS: [Want; 3] = [Want::Value, Want::Gradient, Want::Both];

fn number_of<T: PartialEq>(all: &[T], one: T) -> f64 {
    all.iter().position(|other| *other == one).map_or(f64::NAN, |number| number as f64)
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
    /// Leaves of the trees of sums, by arithmetic.
    pub n_leaves: [usize; 2],
    /// Why the rank cannot take part, if so.
    pub problem: Option<String>,
}

impl Held {
    /// A share that is there.
    pub fn of(share: &Likelihood) -> Self {
        let n_leaves = Arithmetic::ALL.map(|arithmetic| share.n_leaves(arithmetic));
        Self { n_pairs: share.n_pairs(), n_leaves, problem: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_survive_the_way() {
        let sums = |want| Arithmetic::ALL.map(|arithmetic| Command::Sum(AskedSums { arithmetic, want, sigma: 1e-9 }));
        let others = [Command::End, Command::Hold(123_456_789)];
        for command in others.into_iter().chain(WANTS.into_iter().flat_map(sums)) {
            assert_eq!(Command::of(command.head()), command);
        }
    }
}
