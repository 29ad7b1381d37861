//! What the tests of the samplers share: small problems drawn from the model, every coupling, every sampler, statistics.

use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use sbmds::brownian::{BrownianPrior, BrownianSettings, Precision, WishartPrior};
use sbmds::coupling::Pairs;
use sbmds::likelihood::{Likelihood, Noise, Storage};
use sbmds::posterior::{
    LocationPrior, NoisePrior, Parameters, Posterior, PrecisionUpdate, Priors, ScalePrior, TreePrior, Workspace,
};
use sbmds::random::{Purpose, positive_normal, stream};
use sbmds::sampler::{ArithmeticChoice, Chain, Sampler, SamplerSettings};
use sbmds::tree::TreeBuilder;

/// The samplers as such; `auto` is one of them.
pub const SAMPLERS: [Sampler; 5] = [Sampler::Hmc, Sampler::Jhmc, Sampler::Nuts, Sampler::Mh, Sampler::Mwg];

/// Every kind of coupling, with about half of all pairs (all of them for `full`).
pub fn couplings(n_objects: usize) -> Vec<(&'static str, Pairs)> {
    let half = n_objects.div_ceil(2);
    let dispersed = Pairs::dispersed(n_objects, (n_objects / 4).max(1), &mut stream(1, 0, Purpose::Coupling));
    vec![
        ("full", Pairs::full(n_objects)),
        ("band", Pairs::band(n_objects, half)),
        ("landmark", Pairs::landmarks(n_objects, half)),
        ("dispersed", dispersed),
        ("graph", Pairs::graph(n_objects, ring_with_chords(n_objects)).unwrap()),
    ]
}

/// The ring 0, 1, ..., N - 1, 0 and two thirds of the other pairs.
fn ring_with_chords(n_objects: usize) -> Vec<(u32, u32)> {
    let n = n_objects as u32;
    let chosen = |a: u32, b: u32| b == a + 1 || (a == 0 && b == n - 1) || !(a + b).is_multiple_of(3);
    (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).filter(|&(a, b)| chosen(a, b)).collect()
}

/// The priors every sampler must handle: sigma known, sigma learned, the scales learned too.
pub fn priors(n_dims: usize) -> Vec<(&'static str, Priors)> {
    let known_scales = ScalePrior::Fixed { variances: (0..n_dims).map(|dim| 1.0 / (1 + dim) as f64).collect() };
    // sigma^2 around 1, comparable with the distances: there log Phi matters.
    let learned_noise = NoisePrior::InverseGamma { shape: 4.0, rate: 3.0, floor: 0.0 };
    vec![
        ("sigma known", Priors { scales: known_scales.clone(), noise: NoisePrior::Fixed { sigma: 1.2 } }),
        ("sigma learned", Priors { scales: known_scales, noise: learned_noise }),
        ("scales learned", Priors { scales: ScalePrior::Learned { shape: 3.0, rate: 2.0 }, noise: learned_noise }),
    ]
}

/// The prior along a tree in both its forms, with this many degrees of freedom more than dimensions.
pub fn tree_priors(n_objects: usize, n_dims: usize, spare: f64) -> Vec<(&'static str, TreePrior)> {
    let mut builder = TreeBuilder::new();
    // Lengths by a fixed rule; the first tip is at its parent, and two others are near each other.
    let length = |k: usize| if k == 1 { 1e-3 } else { 0.1 + (k as f64 * 0.618_033_988_75).fract() };
    let mut root = builder.tip("t0", 0.0);
    for tip in 1..n_objects {
        let next = builder.tip(format!("t{tip}"), length(tip));
        root = builder.parent(&[root, next], 0.3 * length(2 * tip));
    }
    // Tips are objects in another order.
    let tip_positions: Vec<usize> = (0..n_objects).rev().collect();
    // A root near the others, and few degrees of freedom but not so few that Sigma has no moments.
    let settings = BrownianSettings { root_sample_size: 0.5, ..BrownianSettings::paper(n_dims) };
    let brownian = BrownianPrior::new(&builder.finish(), &tip_positions, settings).unwrap();
    let wishart = WishartPrior::new(n_dims as f64 + spare, Precision::scaled_identity(n_dims, 0.03)).unwrap();
    [("collapsed", PrecisionUpdate::Collapsed), ("gibbs", PrecisionUpdate::Gibbs)]
        .map(|(name, update)| (name, TreePrior { brownian: brownian.clone(), wishart: wishart.clone(), update }))
        .into()
}

/// Distance of two objects in N * D numbers, dimension by dimension.
pub fn distance(x: &[f64], n_objects: usize, a: usize, b: usize) -> f64 {
    x.chunks_exact(n_objects).map(|values| (values[a] - values[b]).powi(2)).sum::<f64>().sqrt()
}

/// All dissimilarities of a problem, the model's own: row by row of the full matrix.
pub fn draw_data(parameters: &Parameters, n_objects: usize, noise: Noise, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut deltas = vec![0.0; n_objects * n_objects];
    for a in 0..n_objects {
        for b in a + 1..n_objects {
            let d = distance(&parameters.x, n_objects, a, b);
            let delta = match noise {
                Noise::TruncatedNormal => positive_normal(d, parameters.sigma(), rng),
                Noise::Normal => d + parameters.sigma() * rng.sample::<f64, _>(StandardNormal),
                other => panic!("no data are drawn with {other} noise yet"),
            };
            deltas[a * n_objects + b] = delta;
            deltas[b * n_objects + a] = delta;
        }
    }
    deltas
}

/// What data are drawn from, and what the sampler believes.
#[derive(Clone)]
pub struct Model {
    pub n_objects: usize,
    pub n_dims: usize,
    pub pairs: Pairs,
    pub priors: Priors,
    /// Noise of the data.
    pub noise: Noise,
    /// Noise of the likelihood: the same, unless a test wants to see a wrong model found out.
    pub assumed: Noise,
    /// What locations diffuse along, if anything.
    pub tree: Option<TreePrior>,
    /// What the sampler believes they do.
    pub assumed_tree: Option<TreePrior>,
}

/// Data drawn from a model, with the parameters they were drawn from.
pub struct Problem {
    pub truth: Parameters,
    pub posterior: Posterior,
}

impl Model {
    pub fn new(n_objects: usize, n_dims: usize, pairs: Pairs, noise: Noise, priors: Priors) -> Self {
        Self { n_objects, n_dims, pairs, priors, noise, assumed: noise, tree: None, assumed_tree: None }
    }

    /// The same with locations that diffuse along a tree.
    pub fn with_tree(self, tree: TreePrior) -> Self {
        Self { tree: Some(tree.clone()), assumed_tree: Some(tree), ..self }
    }

    /// Parameters from the prior.
    pub fn draw_parameters(&self, rng: &mut ChaCha8Rng) -> Parameters {
        let Some(tree) = &self.tree else { return self.priors.draw(self.n_objects, self.n_dims, rng) };
        let variance = self.priors.noise.draw(rng);
        let (x, spread) = tree.draw(rng);
        Parameters { x, variance, spread, own: Vec::new() }
    }

    /// Parameters from the prior, data from the parameters.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> Problem {
        self.draw_data(self.draw_parameters(rng), rng)
    }

    /// Data from given parameters.
    pub fn draw_data(&self, truth: Parameters, rng: &mut ChaCha8Rng) -> Problem {
        let deltas = draw_data(&truth, self.n_objects, self.noise, rng);
        let delta = |a: usize, b: usize| deltas[a * self.n_objects + b];
        let (n_objects, n_dims) = (self.n_objects, self.n_dims);
        let likelihood = Likelihood::new(n_objects, n_dims, &self.pairs, self.assumed, Storage::F64, delta);
        let mut posterior = Posterior::new(Arc::new(likelihood), self.priors.clone());
        if let Some(tree) = &self.assumed_tree {
            posterior = posterior.with_tree(tree.clone());
        }
        Problem { truth, posterior }
    }
}

impl Problem {
    /// A chain that starts at the truth.
    pub fn chain(&self, settings: &SamplerSettings, rng: ChaCha8Rng, workspace: Workspace) -> Chain<'_> {
        Chain::start(&self.posterior, settings, self.truth.clone(), rng, workspace)
    }
}

/// Short jittered trajectories in double precision: small problems need no more.
pub fn settings(sampler: Sampler, n_warmup: usize) -> SamplerSettings {
    let arithmetic = ArithmeticChoice::F64;
    SamplerSettings {
        sampler,
        n_warmup,
        leapfrog_steps: 6,
        jitter: 0.5,
        max_depth: 6,
        arithmetic,
        ..Default::default()
    }
}

/// The same in single precision.
pub fn single(settings: SamplerSettings) -> SamplerSettings {
    SamplerSettings { arithmetic: ArithmeticChoice::F32, ..settings }
}

/// p-value of the two-sample Kolmogorov-Smirnov test (asymptotic, with Stephens' correction for small samples).
pub fn kolmogorov_smirnov(first: &[f64], second: &[f64]) -> f64 {
    let (first, second) = (sorted(first), sorted(second));
    let (n, m) = (first.len() as f64, second.len() as f64);
    let mut largest = 0.0_f64;
    let (mut i, mut j) = (0, 0);
    while i < first.len() && j < second.len() {
        let value = first[i].min(second[j]);
        i += first[i..].iter().take_while(|&&x| x <= value).count();
        j += second[j..].iter().take_while(|&&x| x <= value).count();
        largest = largest.max((i as f64 / n - j as f64 / m).abs());
    }
    let root = (n * m / (n + m)).sqrt();
    kolmogorov_tail((root + 0.12 + 0.11 / root) * largest)
}

/// P(K > x) of Kolmogorov's distribution.
fn kolmogorov_tail(x: f64) -> f64 {
    if x < 0.3 {
        return 1.0;
    }
    let term = |k: i32| (-1.0_f64).powi(k - 1) * (-2.0 * f64::from(k * k) * x * x).exp();
    (2.0 * (1..=20).map(term).sum::<f64>()).clamp(0.0, 1.0)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}
