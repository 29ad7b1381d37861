//! Single precision: phi / Phi and log Phi from tables, sums of a few vectors at a time carried on in f64.

use super::density::{Energy, Expected, Formulas, Total, masked};
use super::simd::{Single, UNIT};

/// The arithmetic of f32, with lengths in units of 3/4 sigma.
pub(super) struct SingleFormulas;

impl<S: Single> Formulas<S> for SingleFormulas {
    const UNIT: f64 = UNIT;
    const LEAST_SQUARE: f64 = 1e-30;
    type Total = SingleTotal<S>;

    #[inline(always)]
    fn root(s: S, z2: S::V) -> S::V {
        s.sqrt(z2)
    }

    /// c = (z - y + phi / Phi) / z                                                                        (eq. 7)
    #[inline(always)]
    fn truncated_normal<const VALUE: bool, const GRADIENT: bool, const MASKED: bool>(
        s: S,
        (_z2, z): (S::V, S::V),
        y: Expected<S>,
        total: &mut SingleTotal<S>,
    ) -> S::V {
        let below = y.below(s, z);
        let cell = s.cell(z);
        let ratio = s.ratio(cell);
        if VALUE {
            let below = masked::<S, MASKED>(s, y.delta, below, 0.0);
            total.squares = s.mul_add(below, below, total.squares);
            let log_phi = masked::<S, MASKED>(s, y.delta, s.log_phi(cell), 0.0);
            total.log_phi = s.add(log_phi, total.log_phi);
            if GRADIENT {
                let ratio = masked::<S, MASKED>(s, y.delta, ratio, 0.0);
                total.truncations = s.mul_add(z, ratio, total.truncations);
            }
        }
        if !GRADIENT {
            return z;
        }
        let per_z = s.div(s.splat(1.0), z);
        masked::<S, MASKED>(s, y.delta, s.mul(s.add(below, ratio), per_z), 0.0)
    }

    /// c = (z - y) / z
    #[inline(always)]
    fn normal<const VALUE: bool, const GRADIENT: bool, const MASKED: bool>(
        s: S,
        (_z2, z): (S::V, S::V),
        y: Expected<S>,
        total: &mut SingleTotal<S>,
    ) -> S::V {
        let below = masked::<S, MASKED>(s, y.delta, y.below(s, z), 0.0);
        if VALUE {
            total.squares = s.mul_add(below, below, total.squares);
        }
        if GRADIENT { s.div(below, z) } else { z }
    }

    #[inline(always)]
    fn ratio(s: S, _z2: S::V, z: S::V) -> S::V {
        s.ratio(s.cell(z))
    }
}

/// The sums of a few vectors, and of all before them in f64.
pub(super) struct SingleTotal<S: Single> {
    /// Squared residuals, in units of (3/4 sigma)^2.
    squares: S::V,
    /// z phi / Phi, in the same unit.
    truncations: S::V,
    log_phi: S::V,
    settled: [Lanes; 3],
}

/// As many as the widest vector has.
type Lanes = [f64; 16];

impl<S: Single> Total<S> for SingleTotal<S> {
    const VECTORS_PER_SETTLING: usize = 16;

    #[inline(always)]
    fn new(s: S) -> Self {
        let zero = s.splat(0.0);
        Self { squares: zero, truncations: zero, log_phi: zero, settled: [[0.0; 16]; 3] }
    }

    #[inline(always)]
    fn settle(&mut self, s: S) {
        let sums = [&mut self.squares, &mut self.truncations, &mut self.log_phi];
        for (sum, settled) in sums.into_iter().zip(&mut self.settled) {
            // SAFETY: no vector has more lanes.
            unsafe { s.add_to(settled.as_mut_ptr(), *sum) };
            *sum = s.splat(0.0);
        }
    }

    #[inline(always)]
    fn energy(mut self, s: S) -> Energy {
        self.settle(s);
        let [squares, truncations, log_phi] = self.settled.map(|lanes| lanes.iter().sum::<f64>());
        let squares = squares / (UNIT * UNIT);
        Energy { value: 0.5 * squares + log_phi, pull: squares + truncations / (UNIT * UNIT) }
    }
}
