//! Whether ranks are uniform, judged by their empirical distribution function as a whole.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Samples of uniform ranks from which p-values are read; they cannot be below 1 / (this + 1).
const N_NULL: usize = 9_999;

/// The test of Säilynoja, Bürkner and Vehtari (2022), "Graphical test for discrete uniformity and its applications in
/// goodness-of-fit evaluation and multiple sample comparison".
///
/// At each rank k the number of ranks below it is binomial; the statistic is the least two-sided binomial tail over all
/// k, and its distribution under uniformity is simulated. Unlike chi-square it needs no bins and sees a small shift.
pub struct UniformityTest {
    n_draws: usize,
    n_replicates: usize,
    /// tails\[k - 1\]\[c\]: two-sided binomial tail of c replicates with rank below k.
    tails: Vec<Vec<f64>>,
    /// Statistics of uniform ranks, in order.
    null: Vec<f64>,
}

impl UniformityTest {
    /// For ranks among `n_draws` draws in `n_replicates` replicates.
    pub fn new(n_draws: usize, n_replicates: usize, rng: &mut ChaCha8Rng) -> Self {
        let share = |k: usize| k as f64 / (n_draws + 1) as f64;
        let tails = (1..=n_draws).map(|k| two_sided_tails(n_replicates, share(k))).collect();
        let mut test = Self { n_draws, n_replicates, tails, null: Vec::new() };
        let mut ranks = vec![0; n_replicates];
        test.null = (0..N_NULL)
            .map(|_| {
                ranks.iter_mut().for_each(|rank| *rank = rng.random_range(0..=n_draws));
                test.statistic(&ranks)
            })
            .collect();
        test.null.sort_by(f64::total_cmp);
        test
    }

    /// Probability that uniform ranks look as far from uniform as these; one rank per replicate.
    pub fn p_value(&self, ranks: &[usize]) -> f64 {
        assert_eq!(ranks.len(), self.n_replicates, "one rank per replicate");
        let statistic = self.statistic(ranks);
        let as_extreme = self.null.partition_point(|&null| null <= statistic);
        (1 + as_extreme) as f64 / (1 + self.null.len()) as f64
    }

    fn statistic(&self, ranks: &[usize]) -> f64 {
        let mut counts = vec![0; self.n_draws + 1];
        ranks.iter().for_each(|&rank| counts[rank] += 1);
        let mut below = 0;
        let tails_here = self.tails.iter().zip(&counts).map(|(tails, count)| {
            below += count;
            tails[below]
        });
        tails_here.fold(1.0, f64::min)
    }
}

/// min(P(C <= c), P(C >= c)) for C ~ Binomial(n, p) and every c.
fn two_sided_tails(n: usize, p: f64) -> Vec<f64> {
    let mass = binomial_masses(n, p);
    let mut upper: Vec<f64> = mass.clone();
    for c in (0..n).rev() {
        upper[c] += upper[c + 1];
    }
    let mut lower = 0.0;
    mass.iter()
        .zip(upper)
        .map(|(mass, upper)| {
            lower += mass;
            upper.min(lower)
        })
        .collect()
}

fn binomial_masses(n: usize, p: f64) -> Vec<f64> {
    let log_factorial = |k: usize| libm::lgamma(k as f64 + 1.0);
    let log_mass = |c: usize| {
        log_factorial(n) - log_factorial(c) - log_factorial(n - c) + c as f64 * p.ln() + (n - c) as f64 * (-p).ln_1p()
    };
    (0..=n).map(|c| log_mass(c).exp()).collect()
}

/// The least interval [low, high] of counts that leaves at most 2.5% on either side of Binomial(n, p).
pub(super) fn central_95(n: usize, p: f64) -> (usize, usize) {
    let mass = binomial_masses(n, p);
    (first_beyond(mass.iter()), n - first_beyond(mass.iter().rev()))
}

/// How many masses in a row do not exceed 2.5% together.
fn first_beyond<'a>(masses: impl Iterator<Item = &'a f64>) -> usize {
    let sums = masses.scan(0.0, |sum, mass| {
        *sum += mass;
        Some(*sum)
    });
    sums.take_while(|&sum| sum <= 0.025).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    fn rng(seed: u64) -> ChaCha8Rng {
        stream(seed, 0, Purpose::Simulation)
    }

    #[test]
    fn binomial_tails_are_those_of_the_table() {
        // Binomial(10, 1/2): P(C <= 2) = 56 / 1024, P(C >= 9) = 11 / 1024.
        let tails = two_sided_tails(10, 0.5);
        assert!((tails[2] - 56.0 / 1024.0).abs() < 1e-12);
        assert!((tails[9] - 11.0 / 1024.0).abs() < 1e-12);
        // Binomial(200, 0.05): R 4.2, qbinom(c(.025, .975), 200, .05) gives 4 and 16.
        assert_eq!(central_95(200, 0.05), (4, 16));
    }

    #[test]
    fn uniform_ranks_have_uniform_p_values() {
        let test = UniformityTest::new(99, 100, &mut rng(1));
        let mut rng = rng(2);
        let p_values: Vec<f64> =
            (0..2_000).map(|_| test.p_value(&(0..100).map(|_| rng.random_range(0..=99)).collect::<Vec<_>>())).collect();
        for level in [0.01, 0.05, 0.2, 0.5] {
            let share = p_values.iter().filter(|&&p| p <= level).count() as f64 / 2_000.0;
            // Four binomial standard errors.
            assert!((share - level).abs() < 4.0 * (level * (1.0 - level) / 2_000.0_f64).sqrt(), "{level}: {share}");
        }
    }

    #[test]
    fn shifted_narrow_and_wide_ranks_are_found_out() {
        let test = UniformityTest::new(99, 200, &mut rng(3));
        let mut rng = rng(4);
        let mut ranks_of = |transform: fn(f64) -> f64| -> Vec<usize> {
            (0..200).map(|_| (100.0 * transform(rng.random::<f64>())) as usize).collect()
        };
        assert!(test.p_value(&ranks_of(|u| u)) > 0.01);
        let shifted = ranks_of(|u| u.powf(1.6));
        // The mean of two: the posterior is too wide. An arcsine: too narrow.
        let hump = ranks_of(|u| if u < 0.5 { (0.5 * u).sqrt() } else { 1.0 - (0.5 * (1.0 - u)).sqrt() });
        let cup = ranks_of(|u| (std::f64::consts::FRAC_PI_2 * u).sin().powi(2));
        for ranks in [shifted, hump, cup] {
            assert!(test.p_value(&ranks) < 2e-3, "{}", test.p_value(&ranks));
        }
    }
}
