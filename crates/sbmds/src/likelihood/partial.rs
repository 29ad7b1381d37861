//! The sums over a share of the pairs, which with those of all other shares make value and gradient.

use super::arithmetic::Precision;
use super::dispatch::Want;
use super::{Arithmetic, Likelihood, Parts, Workspace};

/// What is asked of every share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AskedSums {
    /// In which it is computed.
    pub arithmetic: Arithmetic,
    /// Value, gradient or both.
    pub want: Want,
    /// Noise standard deviation.
    pub sigma: f64,
}

/// What is summed over pairs beside the gradient, one number each: enough to make the value of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartialSums {
    /// Energy (docs/model.md, eq. 6), without the normalising constants of the pairs.
    pub energy: f64,
    /// What the derivative by sigma needs beside the gradient (eq. 10).
    pub pull: f64,
}

impl std::ops::AddAssign for PartialSums {
    fn add_assign(&mut self, other: Self) {
        self.energy += other.energy;
        self.pull += other.pull;
    }
}

impl Likelihood {
    /// Leaves of the tree along which chunks are added in this arithmetic: more ranks than these find nothing to do.
    pub fn n_leaves(&self, arithmetic: Arithmetic) -> usize {
        self.tree(arithmetic).leaves.end
    }

    /// The sums of every branch that the share sends (see [`Parts`]); if gradients are wanted they overwrite `gradients`, N * D
    /// numbers for each branch. [`Arithmetic::value_of`] makes a value of the sums of all.
    ///
    /// # Panics
    /// If `parts` belong to another tree, or sizes differ.
    pub fn partial_sums(
        &self,
        workspace: &mut Workspace,
        asked: AskedSums,
        parts: &Parts,
        x: &[f64],
        gradients: &mut [f64],
    ) -> Vec<PartialSums> {
        match asked.arithmetic {
            Arithmetic::F64 => self.sums_of::<f64>(workspace, asked, parts, x, gradients),
            Arithmetic::F32 => self.sums_of::<f32>(workspace, asked, parts, x, gradients),
        }
    }

    fn sums_of<T: Precision>(
        &self,
        workspace: &mut Workspace,
        AskedSums { arithmetic, want, sigma }: AskedSums,
        parts: &Parts,
        x: &[f64],
        gradients: &mut [f64],
    ) -> Vec<PartialSums> {
        let (tree, branches) = (self.tree(arithmetic), parts.of(self.share.rank));
        assert_eq!(parts.n_leaves(), tree.leaves.end, "parts of another tree");
        let size = if want.gradient() { x.len() } else { 0 };
        assert_eq!(gradients.len(), size * branches.len(), "gradients of another size");
        let mut evaluation = self.evaluation::<T>(workspace, want, x, sigma);
        let sum = |(k, leaves)| {
            let branch = tree.of(leaves).expect("a branch of this tree");
            evaluation.run(branch, &mut gradients[k * size..(k + 1) * size])
        };
        branches.iter().enumerate().map(sum).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::Pairs;
    use crate::likelihood::{Noise, Share, Storage};

    const N_OBJECTS: usize = 1200;
    const SIGMA: f64 = 0.3;

    fn scattered(k: usize) -> f64 {
        (k as f64 * 0.618_033_988_749_895 + 0.1).fract()
    }

    /// One pair in fifty is missing.
    fn dissimilarity(a: usize, b: usize) -> f64 {
        let k = a * N_OBJECTS + b;
        if k.is_multiple_of(50) { f64::NAN } else { 0.1 + 2.0 * scattered(k) }
    }

    /// Of few and many chunks, narrow and wide.
    fn couplings() -> [Pairs; 4] {
        let graph = (0..N_OBJECTS as u32).flat_map(|a| (a + 1..N_OBJECTS as u32).step_by(3).map(move |b| (a, b)));
        let graph = Pairs::graph(N_OBJECTS, graph.collect()).unwrap();
        [Pairs::band(N_OBJECTS, 280), Pairs::full(N_OBJECTS), Pairs::landmarks(N_OBJECTS, 300), graph]
    }

    fn shared(pairs: &Pairs, share: Share) -> Likelihood {
        Likelihood::shared(N_OBJECTS, 2, pairs, Noise::default(), Storage::F64, share, dissimilarity)
    }

    /// What the ranks' sums make: value and gradient.
    fn from_ranks(pairs: &Pairs, arithmetic: Arithmetic, n_ranks: usize, x: &[f64]) -> (usize, f64, f64, Vec<f64>) {
        let asked = AskedSums { arithmetic, want: Want::Both, sigma: SIGMA };
        let (mut n_pairs, mut sums, mut gradients, mut parts) = (0, Vec::new(), Vec::new(), None);
        for rank in 0..n_ranks {
            let likelihood = shared(pairs, Share { rank, n_ranks });
            let parts = parts.insert(Parts::new(likelihood.n_leaves(arithmetic), n_ranks));
            let mut gradient = vec![f64::NAN; parts.of(rank).len() * x.len()];
            let mut workspace = if rank % 2 == 0 { Workspace::serial() } else { Workspace::parallel() };
            sums.extend(likelihood.partial_sums(&mut workspace, asked, parts, x, &mut gradient));
            gradients.extend(gradient.chunks_exact(x.len()).map(<[f64]>::to_vec));
            n_pairs += likelihood.n_pairs();
        }
        let parts = parts.expect("a rank");
        parts.join(&mut sums, |left, right| *left += *right);
        parts.join(&mut gradients, |left, right| left.iter_mut().zip(right).for_each(|(left, right)| *left += right));
        let value = arithmetic.value_of(sums[0], n_pairs, x, SIGMA, &gradients[0]);
        (n_pairs, value.log_likelihood, value.by_log_sigma, gradients.swap_remove(0))
    }

    #[test]
    fn any_number_of_ranks_and_threads_gives_the_same_bits() {
        let x: Vec<f64> = (0..2 * N_OBJECTS).map(|k| 2.0 * scattered(7 * k) - 1.0).collect();
        let all = couplings();
        let cases = all.iter().enumerate().flat_map(|case| Arithmetic::ALL.map(|arithmetic| (case, arithmetic)));
        for ((k, pairs), arithmetic) in cases {
            let whole = shared(pairs, Share::WHOLE);
            let n_leaves = whole.n_leaves(arithmetic);
            assert!(n_leaves > 2, "coupling {k} has {n_leaves} leaves");
            for mut workspace in [Workspace::serial(), Workspace::parallel()] {
                let mut gradient = vec![0.0; x.len()];
                let value = whole.evaluate_in(arithmetic, &mut workspace, &x, SIGMA, &mut gradient);
                let expected = (whole.n_pairs(), value.log_likelihood, value.by_log_sigma, gradient);
                for n_ranks in [1, 2, 3, 70] {
                    let found = from_ranks(pairs, arithmetic, n_ranks, &x);
                    assert!(found == expected, "coupling {k} in {arithmetic} on {n_ranks} ranks");
                }
            }
        }
    }

    #[test]
    fn values_alone_are_those_beside_the_gradient() {
        let x: Vec<f64> = (0..2 * N_OBJECTS).map(|k| 2.0 * scattered(7 * k) - 1.0).collect();
        let likelihood = shared(&Pairs::full(N_OBJECTS), Share { rank: 1, n_ranks: 3 });
        let parts = Parts::new(likelihood.n_leaves(Arithmetic::F64), 3);
        let asked = |want| AskedSums { arithmetic: Arithmetic::F64, want, sigma: SIGMA };
        let mut gradients = vec![0.0; parts.of(1).len() * x.len()];
        let both = likelihood.partial_sums(&mut Workspace::serial(), asked(Want::Both), &parts, &x, &mut gradients);
        let values = likelihood.partial_sums(&mut Workspace::serial(), asked(Want::Value), &parts, &x, &mut []);
        for (both, value) in both.iter().zip(values) {
            assert!((both.energy - value.energy).abs() < 1e-9 * both.energy.abs(), "{both:?} {value:?}");
        }
    }

    #[test]
    fn a_share_holds_its_part_of_the_pairs() {
        let of_many_leaves = |pairs: &Pairs| shared(pairs, Share::WHOLE).n_leaves(Arithmetic::F64) >= 8;
        for pairs in couplings().into_iter().filter(of_many_leaves) {
            let whole = shared(&pairs, Share::WHOLE).n_pairs();
            for rank in 0..4 {
                let part = shared(&pairs, Share { rank, n_ranks: 4 }).n_pairs();
                assert!(part.abs_diff(whole / 4) < whole / 12, "{part} of {whole}");
            }
        }
    }
}
