//! Autocovariance of chains at every lag in O(n log n), by a small Fourier transform of its own.
//!
//! Only the average over chains is ever needed, so the power spectra are added before the one inverse transform, and
//! two real chains travel as the real and imaginary part of one complex signal. That leaves so few transforms that a
//! plain radix-2 one is fast enough (the reason there is no FFT library here).

use super::chains::{HalfChains, mean};

/// The autocovariance at lags 0, 1, ..., n - 1, averaged over the chains; each lag is divided by n, as ArviZ does.
///
/// The mean taken from each chain is its own.
pub(super) fn mean_autocovariance(chains: &HalfChains) -> Vec<f64> {
    let n_draws = chains.n_draws;
    // Padding to at least 2n keeps the circular correlation from wrapping around.
    let transform = Fourier::new((2 * n_draws).next_power_of_two());
    let mut power = vec![0.0; transform.len()];
    let halves: Vec<&[f64]> = chains.iter().collect();
    for pair in halves.chunks(2) {
        add_power(pair, &transform, &mut power);
    }
    // The inverse of a real signal is the conjugate of its forward transform; the real part is all we read. It is the
    // sum of both chains' autocorrelations: the cross terms of x + iy are imaginary.
    let mut signal: Vec<Complex> = power.into_iter().map(|value| (value, 0.0)).collect();
    transform.forward(&mut signal);
    let scale = 1.0 / (transform.len() as f64 * n_draws as f64 * halves.len() as f64);
    signal[..n_draws].iter().map(|(re, _)| re * scale).collect()
}

/// Adds |F(x + iy)|^2 of one or two centred chains x and y.
fn add_power(pair: &[&[f64]], transform: &Fourier, power: &mut [f64]) {
    let mut signal = vec![(0.0, 0.0); transform.len()];
    let centre = mean(pair[0]);
    signal.iter_mut().zip(pair[0]).for_each(|(slot, draw)| slot.0 = draw - centre);
    if let Some(second) = pair.get(1) {
        let centre = mean(second);
        signal.iter_mut().zip(*second).for_each(|(slot, draw)| slot.1 = draw - centre);
    }
    transform.forward(&mut signal);
    power.iter_mut().zip(&signal).for_each(|(sum, (re, im))| *sum += re * re + im * im);
}

/// Real and imaginary part.
type Complex = (f64, f64);

/// Radix-2 fast Fourier transform of one length, a power of two.
struct Fourier {
    /// exp(-2 pi i k / n) for k < n / 2.
    roots: Vec<Complex>,
}

impl Fourier {
    fn new(len: usize) -> Self {
        let root = |k: usize| {
            let (sin, cos) = (-std::f64::consts::TAU * k as f64 / len as f64).sin_cos();
            (cos, sin)
        };
        Self { roots: (0..len / 2).map(root).collect() }
    }

    fn len(&self) -> usize {
        2 * self.roots.len()
    }

    /// Cooley and Tukey (1965): bit-reversed order, then butterflies of doubling width.
    fn forward(&self, signal: &mut [Complex]) {
        bit_reverse(signal);
        let mut half = 1;
        while half < signal.len() {
            let stride = self.roots.len() / half;
            for block in signal.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for ((a, b), w) in low.iter_mut().zip(high).zip(self.roots.iter().step_by(stride)) {
                    let turned = (b.0 * w.0 - b.1 * w.1, b.0 * w.1 + b.1 * w.0);
                    *b = (a.0 - turned.0, a.1 - turned.1);
                    *a = (a.0 + turned.0, a.1 + turned.1);
                }
            }
            half *= 2;
        }
    }
}

fn bit_reverse(signal: &mut [Complex]) {
    let unused_bits = usize::BITS - signal.len().trailing_zeros();
    for i in 0..signal.len() {
        let j = i.reverse_bits() >> unused_bits;
        if i < j {
            signal.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    /// The definition, chain by chain.
    fn direct(chains: &HalfChains, lag: usize) -> f64 {
        let of_one = |chain: &[f64]| {
            let centre = mean(chain);
            let products = chain.iter().zip(&chain[lag..]).map(|(a, b)| (a - centre) * (b - centre));
            products.sum::<f64>() / chain.len() as f64
        };
        chains.iter().map(of_one).sum::<f64>() / chains.iter().len() as f64
    }

    #[test]
    fn transform_and_definition_agree_for_any_length_and_number_of_chains() {
        for (n_chains, n_draws) in [(1, 2), (2, 3), (3, 17), (5, 64), (8, 100)] {
            let values = (0..n_chains * n_draws).map(|i| (i as f64 * 1.7).sin() * 3.0 + (i % 7) as f64).collect();
            let chains = HalfChains { values, n_draws };
            let fast = mean_autocovariance(&chains);
            assert_eq!(fast.len(), n_draws);
            for lag in 0..n_draws {
                assert_relative_eq!(fast[lag], direct(&chains, lag), epsilon = 1e-12, max_relative = 1e-11);
            }
        }
    }
}
