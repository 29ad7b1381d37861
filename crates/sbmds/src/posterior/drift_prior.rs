//! Two kinds of objects, viruses and sera, that drift along the first axis with time; viruses may evolve along a tree.
//!
//! With t in years since the earliest object, x_n ~ N(beta t_n e_1, s_x^2 I) for viruses, or Brownian motion along the tree with
//! variance s_x^2 and drift beta e_1 per year; x_n ~ N(beta t_n e_1, s_y^2 I) for sera (Bedford et al. 2014; docs/titres.md).
//! beta, s_x^2 and s_y^2 are drawn from their conditionals, all of which are known.

use std::f64::consts::PI;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::{FreeMotions, LocationPrior, Spread, draw_inverse_gamma};
use crate::brownian::{BrownianPrior, BrownianWorkspace, Precision};
use crate::likelihood::Scratch;

/// What is known of drift and variances before anything is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriftHyper {
    /// 1 / s_x^2 and 1 / s_y^2 ~ Gamma(shape, rate).
    pub shape: f64,
    /// Rate of it.
    pub rate: f64,
    /// beta is half-normal with this scale; `None`: there is no drift.
    pub drift: Option<f64>,
}

impl Default for DriftHyper {
    /// Nearly flat variances, as in Bedford et al. (2014); a drift of at most some units a year.
    fn default() -> Self {
        Self { shape: 1e-3, rate: 1e-3, drift: Some(2.0) }
    }
}

/// The prior of viruses and sera.
#[derive(Clone, Debug)]
pub struct DriftPrior {
    n_objects: usize,
    n_dims: usize,
    /// Positions of the viruses, and of the sera.
    viruses: Vec<usize>,
    sera: Vec<usize>,
    /// Years since the earliest object, by position.
    times: Vec<f64>,
    /// Of the viruses, by their number among them.
    tree: Option<BrownianPrior>,
    hyper: DriftHyper,
}

/// Scratch memory: the viruses' locations, and that of the passes along the tree.
struct Memory {
    of_tree: Option<BrownianWorkspace>,
    residuals: Vec<f64>,
    gradient: Vec<f64>,
}

/// beta, s_x^2, s_y^2.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    drift: f64,
    of_viruses: f64,
    of_sera: f64,
}

impl Numbers {
    fn of(spread: &Spread) -> Self {
        match spread {
            Spread::Own(numbers) if numbers.len() == 3 => {
                Self { drift: numbers[0], of_viruses: numbers[1], of_sera: numbers[2] }
            }
            _ => panic!("the spread of another prior"),
        }
    }

    fn spread(self) -> Spread {
        Spread::Own(vec![self.drift, self.of_viruses, self.of_sera])
    }
}

impl DriftPrior {
    /// Of viruses and sera at these positions, with times by position; `tree` is that of the viruses, by their number, in years
    /// and with a root around 0.
    ///
    /// # Panics
    /// If the positions are not all, or the tree has other tips or dimensions.
    pub fn new(
        n_dims: usize,
        (viruses, sera): (Vec<usize>, Vec<usize>),
        times: Vec<f64>,
        tree: Option<BrownianPrior>,
        hyper: DriftHyper,
    ) -> Self {
        let n_objects = viruses.len() + sera.len();
        assert_eq!(times.len(), n_objects, "a time for every object");
        if let Some(tree) = &tree {
            assert_eq!((tree.n_objects(), tree.n_dims()), (viruses.len(), n_dims), "a tip for every virus");
        }
        Self { n_objects, n_dims, viruses, sera, times, tree, hyper }
    }

    fn memory<'a>(&self, scratch: &'a mut Scratch) -> &'a mut Memory {
        scratch.get(|| Memory {
            of_tree: self.tree.as_ref().map(BrownianPrior::workspace),
            residuals: vec![0.0; self.viruses.len() * self.n_dims],
            gradient: vec![0.0; self.viruses.len() * self.n_dims],
        })
    }

    /// Coordinates of some objects less what the drift explains, dimension by dimension.
    fn residuals<'a>(&'a self, positions: &'a [usize], x: &'a [f64], drift: f64) -> impl Iterator<Item = f64> + 'a {
        x.chunks_exact(self.n_objects).enumerate().flat_map(move |(dim, x)| {
            let along = if dim == 0 { drift } else { 0.0 };
            positions.iter().map(move |&n| x[n] - along * self.times[n])
        })
    }

    /// Log density of sera, or of viruses without a tree; adds the gradient, if it is wanted.
    fn independent(
        &self,
        positions: &[usize],
        (x, drift, variance): (&[f64], f64, f64),
        gradient: Option<&mut [f64]>,
    ) -> f64 {
        let squares: f64 = self.residuals(positions, x, drift).map(|residual| residual * residual).sum();
        if let Some(gradient) = gradient {
            let rows = x.chunks_exact(self.n_objects).zip(gradient.chunks_exact_mut(self.n_objects));
            for (dim, (x, gradient)) in rows.enumerate() {
                let along = if dim == 0 { drift } else { 0.0 };
                positions.iter().for_each(|&n| gradient[n] -= (x[n] - along * self.times[n]) / variance);
            }
        }
        -0.5 * (squares / variance + (positions.len() * self.n_dims) as f64 * (2.0 * PI * variance).ln())
    }

    /// Quadratic form of the viruses' residuals: Q with density exp(-Q / (2 s_x^2)).
    fn quadratic(&self, memory: &mut Memory, x: &[f64], drift: f64) -> f64 {
        match (&self.tree, &mut memory.of_tree) {
            (Some(tree), Some(workspace)) => {
                let residuals: Vec<f64> = self.residuals(&self.viruses, x, drift).collect();
                let square = tree.quadratic(workspace, &residuals);
                (0..self.n_dims).map(|dim| square[dim * (self.n_dims + 1)]).sum()
            }
            _ => self.residuals(&self.viruses, x, drift).map(|residual| residual * residual).sum(),
        }
    }

    /// Precision and mean of beta given all else, without its prior: from the quadratic form at three drifts.
    fn drift_given(&self, memory: &mut Memory, x: &[f64], numbers: Numbers) -> (f64, f64) {
        let mut exponent = |drift: f64| {
            let of_sera: f64 = self.residuals(&self.sera, x, drift).map(|residual| residual * residual).sum();
            0.5 * (self.quadratic(memory, x, drift) / numbers.of_viruses + of_sera / numbers.of_sera)
        };
        let (below, here, above) = (exponent(-1.0), exponent(0.0), exponent(1.0));
        let precision = below - 2.0 * here + above;
        (precision, 0.5 * (below - above) / precision)
    }

    fn draw_drift(&self, memory: &mut Memory, x: &[f64], numbers: Numbers, rng: &mut ChaCha8Rng) -> f64 {
        let Some(scale) = self.hyper.drift else { return 0.0 };
        let (of_data, mean) = self.drift_given(memory, x, numbers);
        let precision = of_data + scale.powi(-2);
        let mean = if of_data > 0.0 { of_data * mean / precision } else { 0.0 };
        let sd = precision.sqrt().recip();
        mean + sd * normal_above(-mean / sd, rng)
    }
}

impl LocationPrior for DriftPrior {
    fn log_density(&self, scratch: &mut Scratch, x: &[f64], spread: &Spread) -> f64 {
        let Numbers { drift, of_viruses, of_sera } = Numbers::of(spread);
        let sera = self.independent(&self.sera, (x, drift, of_sera), None);
        let Some(tree) = &self.tree else {
            return sera + self.independent(&self.viruses, (x, drift, of_viruses), None);
        };
        let quadratic = self.quadratic(self.memory(scratch), x, drift);
        let n = (self.viruses.len() * self.n_dims) as f64;
        let constant = n * (2.0 * PI * of_viruses).ln() + self.n_dims as f64 * tree.log_det();
        sera - 0.5 * (constant + quadratic / of_viruses)
    }

    fn add_gradient(&self, scratch: &mut Scratch, x: &[f64], spread: &Spread, gradient: &mut [f64]) -> f64 {
        let Numbers { drift, of_viruses, of_sera } = Numbers::of(spread);
        let sera = self.independent(&self.sera, (x, drift, of_sera), Some(&mut *gradient));
        let Some(tree) = &self.tree else {
            return sera + self.independent(&self.viruses, (x, drift, of_viruses), Some(gradient));
        };
        let Memory { of_tree, residuals, gradient: of_viruses_gradient } = self.memory(scratch);
        let workspace = of_tree.get_or_insert_with(|| tree.workspace());
        residuals.clear();
        residuals.extend(self.residuals(&self.viruses, x, drift));
        of_viruses_gradient.fill(0.0);
        let precision = Precision::scaled_identity(self.n_dims, 1.0 / of_viruses);
        let viruses = tree.log_density_and_gradient(workspace, residuals, &precision, of_viruses_gradient);
        let rows = gradient.chunks_exact_mut(self.n_objects);
        for (row, by_virus) in rows.zip(of_viruses_gradient.chunks_exact(self.viruses.len())) {
            self.viruses.iter().zip(by_virus).for_each(|(&n, slope)| row[n] += slope);
        }
        sera + viruses
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> (Vec<f64>, Spread) {
        let DriftHyper { shape, rate, drift } = self.hyper;
        let numbers = Numbers {
            drift: drift.map_or(0.0, |scale| (scale * rng.sample::<f64, _>(StandardNormal)).abs()),
            of_viruses: draw_inverse_gamma(shape, rate, rng),
            of_sera: draw_inverse_gamma(shape, rate, rng),
        };
        let mut x = vec![0.0; self.n_objects * self.n_dims];
        let mut viruses = vec![0.0; self.viruses.len() * self.n_dims];
        match &self.tree {
            Some(tree) => {
                let precision = Precision::scaled_identity(self.n_dims, 1.0 / numbers.of_viruses);
                tree.draw(&mut tree.workspace(), &precision, rng, &mut viruses);
            }
            None => {
                viruses.iter_mut().for_each(|x| *x = numbers.of_viruses.sqrt() * rng.sample::<f64, _>(StandardNormal))
            }
        }
        for (dim, row) in x.chunks_exact_mut(self.n_objects).enumerate() {
            let along = if dim == 0 { numbers.drift } else { 0.0 };
            for (k, &n) in self.viruses.iter().enumerate() {
                row[n] = along * self.times[n] + viruses[dim * self.viruses.len() + k];
            }
            for &n in &self.sera {
                row[n] = along * self.times[n] + numbers.of_sera.sqrt() * rng.sample::<f64, _>(StandardNormal);
            }
        }
        (x, numbers.spread())
    }

    /// Regression of the first axis on time, and mean squares around it.
    fn start_spread(&self, x: &[f64], _rng: &mut ChaCha8Rng) -> Spread {
        let mut scratch = Scratch::default();
        let memory = self.memory(&mut scratch);
        let mut numbers = Numbers { drift: 0.0, of_viruses: 1.0, of_sera: 1.0 };
        if self.hyper.drift.is_some() {
            let (precision, mean) = self.drift_given(memory, x, numbers);
            // Positive: the axis points to the future.
            numbers.drift = if precision > 0.0 { mean.max(1e-3) } else { 1e-3 };
        }
        let mean = |sum: f64, n: usize| (sum / (n * self.n_dims).max(1) as f64).max(1e-6);
        numbers.of_viruses = mean(self.quadratic(memory, x, numbers.drift), self.viruses.len());
        let of_sera = self.residuals(&self.sera, x, numbers.drift).map(|residual| residual * residual).sum();
        numbers.of_sera = mean(of_sera, self.sera.len());
        numbers.spread()
    }

    fn log_density_of_spread(&self, spread: &Spread) -> f64 {
        let Numbers { drift, of_viruses, of_sera } = Numbers::of(spread);
        let DriftHyper { shape, rate, drift: scale } = self.hyper;
        let constant = shape * rate.ln() - libm::lgamma(shape);
        let of_variance = |v: f64| constant - (shape + 1.0) * v.ln() - rate / v;
        let of_drift = scale.map_or(0.0, |scale| 0.5 * (2.0 / PI).ln() - scale.ln() - 0.5 * (drift / scale).powi(2));
        of_variance(of_viruses) + of_variance(of_sera) + of_drift
    }

    /// s_x^2, s_y^2 and beta, one after the other, each from its conditional.
    fn draw_spread(&self, scratch: &mut Scratch, x: &[f64], spread: &mut Spread, rng: &mut ChaCha8Rng) -> bool {
        let memory = self.memory(scratch);
        let mut numbers = Numbers::of(spread);
        let DriftHyper { shape, rate, .. } = self.hyper;
        let half = |n: usize| 0.5 * (n * self.n_dims) as f64;
        let of_viruses = self.quadratic(memory, x, numbers.drift);
        numbers.of_viruses = draw_inverse_gamma(shape + half(self.viruses.len()), rate + 0.5 * of_viruses, rng);
        let of_sera: f64 = self.residuals(&self.sera, x, numbers.drift).map(|residual| residual * residual).sum();
        numbers.of_sera = draw_inverse_gamma(shape + half(self.sera.len()), rate + 0.5 * of_sera, rng);
        numbers.drift = self.draw_drift(memory, x, numbers, rng);
        *spread = numbers.spread();
        true
    }

    fn free_motions(&self) -> FreeMotions {
        if self.hyper.drift.is_some() { FreeMotions::None } else { FreeMotions::Rotations }
    }

    fn names(&self) -> Vec<String> {
        ["drift", "virus_variance", "serum_variance"].map(String::from).to_vec()
    }

    fn reported(&self, spread: &Spread, unit: f64) -> Vec<f64> {
        let Numbers { drift, of_viruses, of_sera } = Numbers::of(spread);
        vec![drift * unit, of_viruses * unit * unit, of_sera * unit * unit]
    }

    fn power_of_unit(&self, _spread: &Spread) -> f64 {
        4.0 + if self.hyper.drift.is_some() { 1.0 } else { 0.0 }
    }

    fn warnings(&self) -> Vec<String> {
        self.tree.iter().flat_map(|tree| tree.coincident_tips().map(ToString::to_string)).collect()
    }
}

/// A standard normal number above `least` (Robert 1995, Statistics and Computing 5:121).
fn normal_above(least: f64, rng: &mut ChaCha8Rng) -> f64 {
    if least <= 0.0 {
        loop {
            let z: f64 = rng.sample(StandardNormal);
            if z >= least {
                return z;
            }
        }
    }
    let rate = 0.5 * (least + (least * least + 4.0).sqrt());
    loop {
        let z = least - (1.0 - rng.random::<f64>()).ln() / rate;
        if rng.random::<f64>().ln() <= -0.5 * (z - rate).powi(2) {
            return z;
        }
    }
}
