//! `sbmds bench families`: time per measurement of every noise family, with numbers and limits, beside the kernels of pairs.

use std::hint::black_box;

use clap::Args;
use sbmds::coupling::Position;
use sbmds::likelihood::{Likelihood, LogLikelihood, MapGradient, MapPoint, Workspace};
use sbmds::measurement::{Family, KnownErrors, Nu, Observation, Quantity, Term, TermLikelihood, Terms};

use super::clock::Clock;
use super::coupled::Coupled;
use super::error::BenchError;
use super::problem::{Data, Problem, SIGMA};

/// Flags of `sbmds bench families`.
#[derive(Args)]
pub struct Families {
    /// Number of objects
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    objects: usize,
    /// Numbers of dimensions
    #[arg(long, value_name = "D", default_value_t = 2)]
    dims: usize,
    /// Pairs of a random graph with as many pairs as band:B
    #[arg(long, value_name = "B", default_value_t = 100)]
    bands: usize,
    /// Turns that each contender gets; the best counts
    #[arg(long, value_name = "T", default_value_t = 7)]
    turns: usize,
}

/// Degrees of freedom of Student's t.
const NU: f64 = 4.0;

/// What is seen of a number.
type Seeing = fn(f64) -> Observation;

/// What is seen of each measurement.
const SEEN: [(&str, Seeing); 4] = [
    ("number", Observation::Exact),
    ("<", |value| Observation::Below(value + 0.3)),
    (">", |value| Observation::Above((value - 0.3).max(0.01))),
    ("interval", |value| Observation::Within(value, value + 0.5)),
];

struct Contender {
    name: String,
    likelihood: Box<dyn LogLikelihood>,
    /// Best time, in nanoseconds per measurement.
    best: f64,
}

impl Families {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        if self.objects < 3 || self.dims == 0 || self.bands == 0 || self.bands >= self.objects || self.turns == 0 {
            return Err(BenchError::new("give 3 objects or more, a dimension, a turn, and fewer bands than objects"));
        }
        let data = Data::new(self.objects, self.dims);
        let mut contenders = self.contenders(&data);
        let mut workspaces: Vec<Workspace> = contenders.iter().map(|_| Workspace::serial()).collect();
        let mut gradient = vec![0.0; self.objects * self.dims];
        for _ in 0..self.turns {
            for (contender, workspace) in contenders.iter_mut().zip(&mut workspaces) {
                let at = MapPoint { x: data.x().as_slice(), sigma: SIGMA, own: &[] };
                let time = Clock::Thread.time(|| {
                    let gradient = MapGradient { x: &mut gradient, own: &mut [] };
                    black_box(contender.likelihood.both(workspace, at, gradient).log_likelihood);
                });
                let per_term = 1e9 * time.as_secs_f64() / contender.likelihood.n_pairs() as f64;
                contender.best = contender.best.min(per_term);
            }
        }
        println!("value and gradient, one thread, nanoseconds per measurement; ratio to the kernel of pairs");
        let pairs = contenders[0].best;
        for Contender { name, best, .. } in &contenders {
            println!("{name:<34} {best:7.2} {:6.2}", best / pairs);
        }
        Ok(())
    }

    /// The kernel of pairs on the same graph, and all families.
    fn contenders(&self, data: &Data) -> Vec<Contender> {
        let problem = Problem::build(Coupled::Graph(self.bands), data);
        let pairs = dissimilarities(&problem.likelihood);
        let contender = |name: String, likelihood| Contender { name, likelihood, best: f64::INFINITY };
        let mut contenders = vec![contender("pairs, truncated-normal".into(), Box::new(problem.likelihood) as _)];
        for (what, see) in SEEN {
            for family in Family::ALL {
                let term = |&(a, b, value): &(usize, usize, f64)| Term::new(a, b, see(value));
                let terms: Vec<Term> = pairs.iter().map(term).collect();
                let terms = Terms::new(self.objects, &terms, family, Quantity::Distance, KnownErrors::Add);
                let likelihood = TermLikelihood::of_distances(terms, self.dims, Nu::Fixed(NU));
                contenders.push(contender(format!("{what}, {family}"), Box::new(likelihood)));
            }
        }
        contenders
    }
}

/// Every pair with its dissimilarity.
fn dissimilarities(likelihood: &Likelihood) -> Vec<(usize, usize, f64)> {
    let mut pairs = Vec::with_capacity(likelihood.n_pairs());
    for near in 0..likelihood.n_objects() {
        likelihood.for_each_partner(Position::new(near), |far, delta| {
            if far.index() > near {
                pairs.push((near, far.index(), delta));
            }
            true
        });
    }
    pairs
}
