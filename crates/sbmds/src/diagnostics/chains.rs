//! The draws of one scalar in several chains of equal length, checked once.

/// Fewer draws per chain than this say nothing: the halves of a split chain need a variance (ArviZ's limit).
const MIN_DRAWS: usize = 4;

/// The draws of one scalar quantity: one slice per chain, all of the same length.
#[derive(Clone, Debug)]
pub struct Chains<'a> {
    chains: Vec<&'a [f64]>,
    n_draws: usize,
}

/// Why draws are not a set of [`Chains`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainsError {
    /// No chain at all.
    #[error("there are no chains to diagnose")]
    NoChains,
    /// Chains of different lengths.
    #[error("chain {chain} has {n_draws} draws where chain 0 has {expected}: cut all chains to the shortest first")]
    UnequalLengths {
        /// The first chain whose length differs.
        chain: usize,
        /// Its number of draws.
        n_draws: usize,
        /// The number of draws of chain 0.
        expected: usize,
    },
    /// A monitored quantity whose chains are not those of the log density.
    #[error(
        "`{name}` has {found_chains} chains of {found_draws} draws where the log density has {n_chains} of {n_draws}"
    )]
    OtherShape {
        /// The quantity.
        name: String,
        /// Its number of chains.
        found_chains: usize,
        /// Its draws per chain.
        found_draws: usize,
        /// Chains of the log density.
        n_chains: usize,
        /// Draws per chain of the log density.
        n_draws: usize,
    },
}

impl<'a> Chains<'a> {
    /// A view of `chains`, which must be at least one and of equal length.
    pub fn new<C: AsRef<[f64]>>(chains: &'a [C]) -> Result<Self, ChainsError> {
        let expected = chains.first().ok_or(ChainsError::NoChains)?.as_ref().len();
        let lengths = || chains.iter().map(|chain| chain.as_ref().len());
        match lengths().enumerate().find(|&(_, n_draws)| n_draws != expected) {
            Some((chain, n_draws)) => Err(ChainsError::UnequalLengths { chain, n_draws, expected }),
            None => Ok(Self::already_checked(chains)),
        }
    }

    /// A view of chains known to be of equal length.
    pub(super) fn already_checked<C: AsRef<[f64]>>(chains: &'a [C]) -> Self {
        let n_draws = chains.first().map_or(0, |chain| chain.as_ref().len());
        Self { chains: chains.iter().map(AsRef::as_ref).collect(), n_draws }
    }

    /// Number of chains.
    pub fn n_chains(&self) -> usize {
        self.chains.len()
    }

    /// Number of draws in each chain.
    pub fn n_draws(&self) -> usize {
        self.n_draws
    }

    /// The chains, one slice each.
    pub fn iter(&self) -> impl Iterator<Item = &'a [f64]> + '_ {
        self.chains.iter().copied()
    }

    /// Only the chains with these numbers (which must exist).
    pub(super) fn select(&self, chains: &[usize]) -> Self {
        Self { chains: chains.iter().map(|&chain| self.chains[chain]).collect(), n_draws: self.n_draws }
    }

    /// All draws, chain after chain.
    pub(super) fn pooled(&self) -> Vec<f64> {
        self.chains.concat()
    }

    /// Whether R-hat and effective sample sizes mean anything: enough draws and no NaN among them.
    pub(super) fn are_usable(&self) -> bool {
        self.n_draws >= MIN_DRAWS && !self.chains.iter().any(|chain| chain.iter().any(|draw| draw.is_nan()))
    }

    /// The first and the last half of every chain, each value sent through `transform`.
    ///
    /// An odd chain loses its middle draw. Splitting is what lets R-hat see a drift within a chain.
    pub(super) fn split_map(&self, transform: impl Fn(f64) -> f64) -> HalfChains {
        let n_draws = self.n_draws / 2;
        let halves = self.chains.iter().flat_map(|chain| [&chain[..n_draws], &chain[chain.len() - n_draws..]]);
        HalfChains { values: halves.flatten().map(|&draw| transform(draw)).collect(), n_draws }
    }

    /// The first and the last half of every chain.
    pub(super) fn split(&self) -> HalfChains {
        self.split_map(|draw| draw)
    }
}

/// Split chains, half after half in one piece of memory.
#[derive(Clone, Debug)]
pub(super) struct HalfChains {
    /// All values; half h is `values[h * n_draws..][..n_draws]`.
    pub(super) values: Vec<f64>,
    /// Draws in each half.
    pub(super) n_draws: usize,
}

impl HalfChains {
    /// The halves in chain order.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.n_draws)
    }
}

/// The mean (NaN of nothing), counted from the first value: a chain that never moves has variance exactly 0.
pub(super) fn mean(values: &[f64]) -> f64 {
    let Some(first) = values.first() else {
        return f64::NAN;
    };
    first + values.iter().map(|value| value - first).sum::<f64>() / values.len() as f64
}

/// The variance with denominator n - 1 (NaN of fewer than two values).
pub(super) fn variance(values: &[f64]) -> f64 {
    let centre = mean(values);
    values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_must_exist_and_be_of_equal_length() {
        assert_eq!(Chains::new::<Vec<f64>>(&[]).unwrap_err(), ChainsError::NoChains);
        let ragged = [vec![1.0, 2.0], vec![1.0, 2.0], vec![1.0]];
        assert_eq!(
            Chains::new(&ragged).unwrap_err(),
            ChainsError::UnequalLengths { chain: 2, n_draws: 1, expected: 2 }
        );
        let slices: [&[f64]; 2] = [&[1.0, 2.0], &[3.0, 4.0]];
        assert_eq!(Chains::new(&slices).unwrap().n_chains(), 2);
    }

    #[test]
    fn splitting_an_odd_chain_drops_its_middle_draw() {
        let chains = [vec![1.0, 2.0, 3.0, 4.0, 5.0]];
        assert_eq!(Chains::new(&chains).unwrap().split().values, [1.0, 2.0, 4.0, 5.0]);
    }
}
