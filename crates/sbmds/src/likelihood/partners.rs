//! One object and its partners: what a location costs while they stay where they are, at the cost of the partners only.

use super::density::{Energy, PairDensity, Total, TotalOf};
use super::dispatch::{Kernel, Want, dispatch_derivative, dispatch_value};
use super::landmarks::Row;
use super::simd::{Number, Simd};
use super::{Likelihood, Workspace};
use crate::Locations;
use crate::coupling::Position;

/// The partners of one object, contiguous and in units of sigma.
#[derive(Default)]
pub(super) struct Partners {
    /// Dissimilarities, then NaN up to a whole number of vectors.
    expected: Vec<f64>,
    /// One array per dimension, each as long as `expected`.
    locations: Vec<f64>,
    positions: Vec<usize>,
}

impl Partners {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Makes these the partners, by their numbers on a map and their dissimilarities.
    pub fn list(&mut self, partners: impl Iterator<Item = (usize, f64)>, map: Map, sigma: f64) {
        let per_sigma = 1.0 / sigma;
        self.expected.clear();
        self.positions.clear();
        for (other, delta) in partners {
            self.expected.push(delta * per_sigma);
            self.positions.push(other);
        }
        self.locate(map, per_sigma);
    }

    /// Looks up where the partners are on a map, and pads everything to whole vectors.
    ///
    /// # Panics
    /// If the map is of another size than it says, or a partner is not on it.
    fn locate(&mut self, map: Map, per_sigma: f64) {
        let Map { x, n_objects, n_dims } = map;
        assert_eq!(x.len(), n_objects * n_dims, "locations of another size");
        let Self { expected, locations, positions } = self;
        let padded = positions.len().next_multiple_of(f64::MAX_LANES);
        expected.resize(padded, f64::NAN);
        locations.clear();
        for (dim, values) in x.chunks_exact(n_objects).enumerate() {
            locations.extend(positions.iter().map(|&other| values[other] * per_sigma));
            locations.resize((dim + 1) * padded, 0.0);
        }
    }

    /// What the kernels below rely on: `at` and the partners have `n_dims` coordinates.
    ///
    /// # Panics
    /// If they have not.
    fn check(&self, at: &[f64], n_dims: usize) {
        assert_eq!(at.len(), n_dims, "a location of another dimension");
        assert_eq!(self.locations.len(), n_dims * self.expected.len(), "partners of another dimension");
    }
}

/// Locations of N objects in D dimensions, dimension by dimension.
#[derive(Clone, Copy)]
pub(super) struct Map<'a> {
    pub x: &'a [f64],
    pub n_objects: usize,
    pub n_dims: usize,
}

/// The partners of every object, those of one side by side: a chain that moves one object at a time reads them in order,
/// where the layouts of the kernels would send it all over memory. Twice the memory of the pairs and more.
pub struct PartnerLists {
    /// Where the partners of each object begin.
    starts: Vec<usize>,
    positions: Vec<u32>,
    deltas: Vec<f64>,
}

/// Dimensions up to which curvatures are computed.
pub const MOST_HESSIAN_DIMS: usize = 8;

/// Gradient and Hessian of an object's energy, by its location in units of sigma.
#[derive(Clone, Copy, Debug)]
pub struct Derivatives {
    /// By the location.
    pub gradient: [f64; MOST_HESSIAN_DIMS],
    /// Row by row, D x D, the lower triangle.
    pub hessian: [f64; MOST_HESSIAN_DIMS * MOST_HESSIAN_DIMS],
}

impl Likelihood {
    /// log L(x with the object at `position` moved to `to`) - log L(x); one coordinate per dimension in `to`.
    ///
    /// Costs O(partners of that object).
    ///
    /// # Panics
    /// If `x`, `position` or `to` is of another size than this likelihood.
    pub fn change_when_moved(
        &self,
        workspace: &mut Workspace,
        x: &Locations,
        sigma: f64,
        position: Position,
        to: &[f64],
    ) -> f64 {
        self.change_when_moved_at(workspace, x.as_slice(), sigma, position, to)
    }

    /// The same of N * D numbers, dimension by dimension.
    pub(super) fn change_when_moved_at(
        &self,
        workspace: &mut Workspace,
        x: &[f64],
        sigma: f64,
        position: Position,
        to: &[f64],
    ) -> f64 {
        self.gather_partners(&mut workspace.partners, x, sigma, position);
        self.change_among_gathered(workspace, x, sigma, position, to)
    }

    /// The same number with the partners from `lists`, which must be this likelihood's.
    ///
    /// # Panics
    /// As [`Likelihood::change_when_moved`].
    pub fn change_when_moved_among(
        &self,
        lists: &PartnerLists,
        workspace: &mut Workspace,
        x: &Locations,
        sigma: f64,
        position: Position,
        to: &[f64],
    ) -> f64 {
        let Partners { expected, positions, .. } = &mut workspace.partners;
        let range = lists.starts[position.index()]..lists.starts[position.index() + 1];
        let per_sigma = 1.0 / sigma;
        expected.clear();
        expected.extend(lists.deltas[range.clone()].iter().map(|delta| delta * per_sigma));
        positions.clear();
        positions.extend(lists.positions[range].iter().map(|&other| other as usize));
        workspace.partners.locate(self.map(x.as_slice()), per_sigma);
        self.change_among_gathered(workspace, x.as_slice(), sigma, position, to)
    }

    /// The partners of every object.
    pub fn partner_lists(&self) -> PartnerLists {
        let mut lists = PartnerLists { starts: vec![0], positions: Vec::new(), deltas: Vec::new() };
        lists.positions.reserve_exact(2 * self.n_pairs());
        lists.deltas.reserve_exact(2 * self.n_pairs());
        for position in 0..self.n_objects() {
            self.for_each_partner(Position::new(position), |other, delta| {
                lists.positions.push(other.index() as u32);
                lists.deltas.push(delta);
                true
            });
            lists.starts.push(lists.positions.len());
        }
        lists
    }

    /// See [`Likelihood::change_when_moved`]; the workspace holds the partners.
    fn change_among_gathered(
        &self,
        workspace: &mut Workspace,
        x: &[f64],
        sigma: f64,
        position: Position,
        to: &[f64],
    ) -> f64 {
        assert_eq!(to.len(), self.n_dims(), "a location of another dimension");
        let Workspace { partners, at, .. } = workspace;
        at.clear();
        at.extend(x.chunks_exact(self.n_objects()).map(|values| values[position.index()] / sigma));
        let before = self.energy_among(partners, at);
        at.iter_mut().zip(to).for_each(|(at, to)| *at = to / sigma);
        before - self.energy_among(partners, at)
    }

    /// Makes `partners` those of the object at `position` in the map `x` (dimension by dimension).
    pub(super) fn gather_partners(&self, partners: &mut Partners, x: &[f64], sigma: f64, position: Position) {
        let Partners { expected, positions, .. } = partners;
        let per_sigma = 1.0 / sigma;
        expected.clear();
        positions.clear();
        self.for_each_partner(position, |other, delta| {
            expected.push(delta * per_sigma);
            positions.push(other.index());
            true
        });
        partners.locate(self.map(x), per_sigma);
    }

    fn map<'a>(&self, x: &'a [f64]) -> Map<'a> {
        Map { x, n_objects: self.n_objects(), n_dims: self.n_dims() }
    }

    /// The energy (docs/model.md, eq. 6) of an object at `at`, in units of sigma.
    ///
    /// # Panics
    /// If the partners or `at` have another number of dimensions.
    pub(super) fn energy_among(&self, partners: &Partners, at: &[f64]) -> f64 {
        partners.check(at, self.n_dims());
        dispatch_value(self.choice(Want::Value), EnergyKernel { partners, at }).value
    }

    /// Gradient and Hessian of [`Likelihood::energy_among`].
    ///
    /// # Panics
    /// As [`Likelihood::energy_among`]; and if there are more than [`MOST_HESSIAN_DIMS`] dimensions.
    pub(super) fn derivatives_among(&self, partners: &Partners, at: &[f64]) -> Derivatives {
        partners.check(at, self.n_dims());
        assert!(at.len() <= MOST_HESSIAN_DIMS, "too many dimensions for curvatures");
        let mut derivatives = Derivatives { gradient: [0.0; _], hessian: [0.0; _] };
        dispatch_derivative(
            self.choice(Want::Gradient),
            DerivativesKernel { partners, at, derivatives: &mut derivatives },
        );
        derivatives
    }
}

/// `partners` and `at` were checked to have the dimensions of the choice.
struct EnergyKernel<'a> {
    partners: &'a Partners,
    at: &'a [f64],
}

impl Kernel for EnergyKernel<'_> {
    type Number = f64;

    #[inline(always)]
    fn run<S: Simd<Number = f64>, P: PairDensity<S>, const D: usize, const VALUE: bool, const GRADIENT: bool>(
        self,
        s: S,
        density: P,
    ) -> Energy {
        debug_assert!(!GRADIENT);
        let mut total = TotalOf::<S>::new(s);
        let row = Row {
            deltas: self.partners.expected.as_ptr(),
            x_near: self.at.as_ptr(),
            x_near_stride: 1,
            x_far: self.partners.locations.as_ptr(),
            x_far_stride: self.partners.expected.len(),
            g_near: std::ptr::null_mut(),
            g_near_stride: 0,
            g_far: std::ptr::null_mut(),
            g_far_stride: 0,
            n_dims: if D == 0 { self.at.len() } else { D },
            first: 0,
            n_pairs: self.partners.len(),
            has_gaps: false,
        };
        // SAFETY: deltas and locations (of `at.len()` dimensions, which are D) are padded to whole vectors, deltas with NaN.
        unsafe { row.run::<S, P, D, true, false>(s, density, 1.0, &mut total) };
        total.energy(s)
    }
}

/// `partners` and `at` were checked to have the dimensions of the choice.
struct DerivativesKernel<'a> {
    partners: &'a Partners,
    at: &'a [f64],
    derivatives: &'a mut Derivatives,
}

impl Kernel for DerivativesKernel<'_> {
    type Number = f64;

    /// With c the derivative of a pair and e its excess (see [`PairDensity::curvature`]), the gradient is the sum of c (at - x), the
    /// Hessian that of c I + e (at - x) (at - x)'.
    #[inline(always)]
    fn run<S: Simd<Number = f64>, P: PairDensity<S>, const D: usize, const VALUE: bool, const GRADIENT: bool>(
        self,
        s: S,
        density: P,
    ) -> Energy {
        let n_dims = if D == 0 { self.at.len() } else { D };
        let Partners { expected, locations, .. } = self.partners;
        let zero = s.splat(0.0);
        let mut gradient = [zero; MOST_HESSIAN_DIMS];
        let mut along = [[zero; MOST_HESSIAN_DIMS]; MOST_HESSIAN_DIMS];
        let mut round = zero;
        for first in (0..expected.len()).step_by(S::LANES) {
            let mut off = [zero; MOST_HESSIAN_DIMS];
            let mut z2 = zero;
            for dim in 0..n_dims {
                // SAFETY: there are `expected.len()` locations in each of the dimensions, and whole vectors of them.
                let other = unsafe { s.load(locations.as_ptr().add(dim * expected.len() + first)) };
                off[dim] = s.sub(s.splat(self.at[dim]), other);
                z2 = s.mul_add(off[dim], off[dim], z2);
            }
            // SAFETY: as above.
            let y = unsafe { s.load(expected.as_ptr().add(first)) };
            let (derivative, excess) = density.curvature(s, z2, y);
            round = s.add(round, derivative);
            for row in 0..n_dims {
                gradient[row] = s.mul_add(derivative, off[row], gradient[row]);
                let along_row = s.mul(excess, off[row]);
                for column in 0..=row {
                    along[row][column] = s.mul_add(along_row, off[column], along[row][column]);
                }
            }
        }
        let round = s.sum(round);
        for row in 0..n_dims {
            self.derivatives.gradient[row] = s.sum(gradient[row]);
            for column in 0..=row {
                self.derivatives.hessian[row * n_dims + column] = s.sum(along[row][column]);
            }
            self.derivatives.hessian[row * n_dims + row] += round;
        }
        Energy::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::Pairs;
    use crate::likelihood::{InstructionSet, Noise, Storage};

    const N_OBJECTS: usize = 14;
    const SIGMA: f64 = 0.4;
    const POSITION: Position = Position::new(5);

    /// Numbers without a pattern, between 0 and 1.
    fn scattered(k: usize) -> f64 {
        (k as f64 * 0.618_033_988_749_895 + 0.1).fract()
    }

    /// All pairs but one, which is missing.
    fn likelihood(n_dims: usize, noise: Noise, set: InstructionSet) -> Likelihood {
        let pairs = Pairs::full(N_OBJECTS);
        let dissimilarity =
            |a: usize, b: usize| if (a, b) == (POSITION.index(), 9) { f64::NAN } else { 0.2 + scattered(31 * a + b) };
        Likelihood::new(N_OBJECTS, n_dims, &pairs, noise, Storage::F64, dissimilarity).with_instruction_set(set)
    }

    /// The energy by the plain formula, up to the constant of each pair.
    fn plain_energy(likelihood: &Likelihood, x: &[f64], at: &[f64]) -> f64 {
        let constant = 0.5 * (2.0 * std::f64::consts::PI).ln();
        let mut energy = 0.0;
        likelihood.for_each_partner(POSITION, |other, delta| {
            let off = |dim: usize| at[dim] - x[dim * N_OBJECTS + other.index()] / SIGMA;
            let distance = (0..at.len()).map(|dim| off(dim).powi(2)).sum::<f64>().sqrt();
            energy -= likelihood.noise().log_density(delta / SIGMA, distance, 1.0) + constant;
            true
        });
        energy
    }

    #[test]
    fn energies_and_their_derivatives_are_those_of_the_plain_formula() {
        const STEP: f64 = 1e-3;
        let sets = InstructionSet::ALL.into_iter().filter(|set| set.is_available());
        for (set, noise, n_dims) in sets.flat_map(|set| {
            Noise::ALL
                .into_iter()
                .flat_map(move |noise| (1..=MOST_HESSIAN_DIMS).map(move |n_dims| (set, noise, n_dims)))
        }) {
            let likelihood = likelihood(n_dims, noise, set);
            let x: Vec<f64> = (0..N_OBJECTS * n_dims).map(|k| 2.0 * scattered(7 * k) - 1.0).collect();
            let at: Vec<f64> = (0..n_dims).map(|dim| scattered(100 + dim) - 0.3).collect();
            let mut partners = Partners::default();
            likelihood.gather_partners(&mut partners, &x, SIGMA, POSITION);
            assert_eq!(partners.len(), N_OBJECTS - 2);
            let plain = |shifts: &[(usize, f64)]| {
                let mut at = at.clone();
                shifts.iter().for_each(|&(dim, by)| at[dim] += by);
                plain_energy(&likelihood, &x, &at)
            };
            let energy = likelihood.energy_among(&partners, &at);
            assert!((energy - plain(&[])).abs() < 1e-12 * energy.abs(), "{set} {noise} {n_dims}: {energy}");
            let derivatives = likelihood.derivatives_among(&partners, &at);
            for row in 0..n_dims {
                let derivative = (plain(&[(row, STEP)]) - plain(&[(row, -STEP)])) / (2.0 * STEP);
                assert!(
                    (derivatives.gradient[row] - derivative).abs() < 1e-4,
                    "{set} {noise} {n_dims}: {} {derivative}",
                    derivatives.gradient[row]
                );
                for column in 0..=row {
                    let corner = |a: f64, b: f64| plain(&[(row, a * STEP), (column, b * STEP)]);
                    let expected = (corner(1.0, 1.0) - corner(1.0, -1.0) - corner(-1.0, 1.0) + corner(-1.0, -1.0))
                        / (4.0 * STEP * STEP);
                    let found = derivatives.hessian[row * n_dims + column];
                    assert!(
                        (found - expected).abs() < 1e-3,
                        "{set} {noise} {n_dims} {row} {column}: {found} {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn listed_partners_give_the_same_bits() {
        for noise in Noise::ALL {
            let likelihood = likelihood(2, noise, InstructionSet::best());
            let lists = likelihood.partner_lists();
            let x = Locations::from_fn(N_OBJECTS, 2, |object, dim| scattered(7 * object + dim));
            let mut workspace = Workspace::serial();
            for position in (0..N_OBJECTS).map(Position::new) {
                let to = [scattered(position.index()), -0.5];
                let plain = likelihood.change_when_moved(&mut workspace, &x, SIGMA, position, &to);
                let listed = likelihood.change_when_moved_among(&lists, &mut workspace, &x, SIGMA, position, &to);
                assert_eq!(plain, listed, "{noise} {position:?}");
            }
        }
    }

    #[test]
    fn a_coincident_partner_gives_finite_numbers() {
        for noise in Noise::ALL {
            let likelihood = likelihood(2, noise, InstructionSet::best());
            let x = vec![0.25; 2 * N_OBJECTS];
            let mut partners = Partners::default();
            likelihood.gather_partners(&mut partners, &x, SIGMA, POSITION);
            let derivatives = likelihood.derivatives_among(&partners, &[0.25 / SIGMA; 2]);
            assert!(
                derivatives.gradient.iter().chain(&derivatives.hessian).all(|number| number.is_finite()),
                "{derivatives:?}"
            );
        }
    }
}
