//! Anchored pairs beside their formula in docs/model.md, one pair after another: the slow twin, away from the anchor.

use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use sbmds::coupling::Pairs;
use sbmds::likelihood::{
    AnchorValue, Anchored, Information, Likelihood, LogLikelihood, MapGradient, MapPoint, Noise, Pull, Storage,
    Workspace,
};
use sbmds::random::{Purpose, stream};

const N: usize = 14;
const BANDS: usize = 4;
/// Where the anchor has sigma.
const SIGMA: f64 = 0.3;

type Map = [[f64; 2]; N];

fn distance(map: &Map, a: usize, b: usize) -> f64 {
    (map[a][0] - map[b][0]).hypot(map[a][1] - map[b][1])
}

fn is_coupled(a: usize, b: usize) -> bool {
    a.abs_diff(b) <= BANDS
}

fn each_pair() -> impl Iterator<Item = (usize, usize)> {
    (0..N).flat_map(|a| (a + 1..N).map(move |b| (a, b)))
}

/// Objects around the origin; what was measured is noisy, and one pair is missing.
struct Example {
    anchor: Map,
    delta: [[f64; N]; N],
}

impl Example {
    fn new(rng: &mut ChaCha8Rng) -> Self {
        let mut anchor = [[0.0; 2]; N].map(|_| [0, 1].map(|_| rng.random_range(-1.0..1.0)));
        let centre = [0, 1].map(|dim| anchor.iter().map(|at| at[dim]).sum::<f64>() / N as f64);
        anchor.iter_mut().for_each(|at| (at[0], at[1]) = (at[0] - centre[0], at[1] - centre[1]));
        let mut delta = [[0.0; N]; N];
        for (a, b) in each_pair() {
            delta[a][b] = distance(&anchor, a, b) + rng.random_range(-0.1..0.1_f64);
        }
        delta[2][3] = f64::NAN;
        Self { anchor, delta }
    }

    fn measured(&self) -> impl Iterator<Item = (usize, usize)> {
        each_pair().filter(|&(a, b)| !self.delta[a][b].is_nan())
    }

    fn coupled(&self) -> impl Iterator<Item = (usize, usize)> {
        self.measured().filter(|&(a, b)| is_coupled(a, b))
    }

    fn weight(&self) -> f64 {
        self.measured().count() as f64 / self.coupled().count() as f64
    }

    /// c: the gradient of all pairs at the anchor; springs at rest have none.
    fn pull(&self) -> Map {
        let mut pull = [[0.0; 2]; N];
        for (a, b) in self.measured() {
            let d = distance(&self.anchor, a, b);
            for dim in 0..2 {
                let by = (self.delta[a][b] - d) / (SIGMA * SIGMA) * (self.anchor[a][dim] - self.anchor[b][dim]) / d;
                pull[a][dim] += by;
                pull[b][dim] -= by;
            }
        }
        pull
    }

    /// The block of information about an object: u u' / sigma^2 along a pair and 1 - delta / d of that across it.
    fn block(&self, object: usize, pairs: impl Iterator<Item = (usize, usize)>, at_rest: bool) -> [f64; 3] {
        let mut block = [0.0; 3];
        for (a, b) in pairs.filter(|&(a, b)| a == object || b == object) {
            let d = distance(&self.anchor, a, b);
            let [u, v] = [0, 1].map(|dim| (self.anchor[a][dim] - self.anchor[b][dim]) / d);
            let across = if at_rest { 0.0 } else { 1.0 - self.delta[a][b] / d };
            block[0] += (u * u + across * v * v) / SIGMA.powi(2);
            block[1] += (1.0 - across) * u * v / SIGMA.powi(2);
            block[2] += (v * v + across * u * u) / SIGMA.powi(2);
        }
        block
    }

    /// A with A C A = F, the geometric mean of C^-1 and F, which has a closed form for two rows.
    fn stretch(&self, object: usize) -> [f64; 3] {
        let c = self.block(object, self.coupled(), true).map(|entry| entry * self.weight());
        let f = self.block(object, self.measured(), false);
        let det = |m: [f64; 3]| m[0] * m[2] - m[1] * m[1];
        let inverse = [c[2], -c[1], c[0]].map(|entry| entry / det(c));
        let [alpha, beta] = [det(inverse).sqrt(), det(f).sqrt()];
        let sum: [f64; 3] = std::array::from_fn(|k| inverse[k] / alpha + f[k] / beta);
        sum.map(|entry| entry * (alpha * beta).sqrt() / det(sum).sqrt())
    }

    /// l_A, pair by pair.
    fn value(&self, x: &Map, sigma: f64) -> f64 {
        let moves = moves(x, &self.anchor);
        let (weight, pull, s) = (self.weight(), self.pull(), (SIGMA / sigma).powi(2));
        let mut stretched = self.anchor;
        for object in 0..N {
            let (a, e) = (self.stretch(object), moves[object]);
            stretched[object][0] += a[0] * e[0] + a[1] * e[1];
            stretched[object][1] += a[1] * e[0] + a[2] * e[1];
        }
        let log_density = |residual: f64, sigma: f64| {
            -sigma.ln() - 0.5 * (residual / sigma).powi(2) - 0.5 * (2.0 * std::f64::consts::PI).ln()
        };
        let springs = |map: &Map, sigma: f64| -> f64 {
            let of_pair = |(a, b)| log_density(distance(map, a, b) - distance(&self.anchor, a, b), sigma);
            self.coupled().map(of_pair).sum()
        };
        let residual = |(a, b): (usize, usize)| self.delta[a][b] - distance(&self.anchor, a, b);
        let linear: f64 = (0..N).map(|n| pull[n][0] * moves[n][0] + pull[n][1] * moves[n][1]).sum();
        // b: what the residuals of all pairs add to the derivative by log sigma, beyond w times the springs'.
        let of_sigma = self.measured().map(residual).map(|residual| (residual / SIGMA).powi(2)).sum::<f64>();
        let all_at_anchor: f64 = self.measured().map(residual).map(|residual| log_density(residual, SIGMA)).sum();
        let constant = all_at_anchor - weight * springs(&self.anchor, SIGMA);
        weight * springs(&stretched, sigma) + s * linear + 0.5 * of_sigma * (1.0 - s) + constant
    }

    fn anchored(&self) -> Anchored {
        let delta = |a: usize, b: usize| self.delta[a.min(b)][a.max(b)];
        let of = |pairs: &Pairs| Arc::new(Likelihood::new(N, 2, pairs, Noise::Normal, Storage::F64, delta));
        let (full, coupled) = (of(&Pairs::full(N)), of(&Pairs::band(N, BANDS)));
        let at_rest = |a: usize, b: usize| if delta(a, b).is_nan() { f64::NAN } else { distance(&self.anchor, a, b) };
        let springs = Likelihood::new(N, 2, &Pairs::band(N, BANDS), Noise::Normal, Storage::F64, at_rest);
        let x = flat(&self.anchor);
        let at = MapPoint { x: &x, sigma: SIGMA, own: &[] };
        let all = AnchorValue::of(&*full, &mut Workspace::serial(), at);
        let information = Information::of(&*full, at);
        Anchored::new(coupled, Pull::Anchor(Arc::new(springs)), at, &all, information.as_ref())
    }
}

/// e: the map turned (and mirrored, if that is nearer) onto the anchor, less the anchor.
fn moves(x: &Map, anchor: &Map) -> Map {
    let centre = [0, 1].map(|dim| x.iter().map(|at| at[dim]).sum::<f64>() / N as f64);
    let turned = |mirror: f64| {
        let about = x.map(|at| [at[0] - centre[0], mirror * (at[1] - centre[1])]);
        let dot: f64 = about.iter().zip(anchor).map(|(x, to)| x[0] * to[0] + x[1] * to[1]).sum();
        let cross: f64 = about.iter().zip(anchor).map(|(x, to)| x[0] * to[1] - x[1] * to[0]).sum();
        let (sin, cos) = cross.atan2(dot).sin_cos();
        (dot.hypot(cross), about.map(|at| [cos * at[0] - sin * at[1], sin * at[0] + cos * at[1]]))
    };
    let (plain, mirrored) = (turned(1.0), turned(-1.0));
    let aligned = if plain.0 > mirrored.0 { plain.1 } else { mirrored.1 };
    std::array::from_fn(|n| [0, 1].map(|dim| aligned[n][dim] - anchor[n][dim]))
}

fn flat(map: &Map) -> Vec<f64> {
    [0, 1].iter().flat_map(|&dim| map.iter().map(move |at| at[dim])).collect()
}

#[test]
fn away_from_the_anchor_the_formula_holds_pair_by_pair() {
    for seed in 0..5 {
        let rng = &mut stream(seed, 0, Purpose::Simulation);
        let example = Example::new(rng);
        let anchored = example.anchored();
        // Turned, mirrored, shifted, and moved by about a standard deviation of the noise.
        let (sin, cos) = rng.random_range(0.0..6.0_f64).sin_cos();
        let x = example.anchor.map(|at| {
            let [x, y] = at.map(|x| x + rng.random_range(-0.2..0.2));
            [cos * x + sin * y + 2.0, sin * x - cos * y - 1.0]
        });
        for sigma in [SIGMA, 0.2, 0.5] {
            let (position, mut gradient) = (flat(&x), vec![0.0; 2 * N]);
            let at = MapPoint { x: &position, sigma, own: &[] };
            let found = anchored.both(&mut Workspace::serial(), at, MapGradient { x: &mut gradient, own: &mut [] });
            let expected = example.value(&x, sigma);
            let off = (found.log_likelihood - expected).abs();
            assert!(off < 1e-9 * expected.abs().max(1.0), "{found:?} instead of {expected}");
            let h = 1e-5;
            for (k, found) in gradient.iter().enumerate() {
                let moved = |by: f64| {
                    let mut x = x;
                    x[k % N][k / N] += by;
                    example.value(&x, sigma)
                };
                let derivative = (moved(h) - moved(-h)) / (2.0 * h);
                assert!((derivative - found).abs() < 1e-5 * derivative.abs().max(1.0), "{found} not {derivative}");
            }
            let [up, down] = [h, -h].map(|h: f64| example.value(&x, sigma * h.exp()));
            let derivative = (up - down) / (2.0 * h);
            assert!((derivative - found.by_log_sigma).abs() < 1e-5 * derivative.abs().max(1.0), "{derivative}");
        }
    }
}
