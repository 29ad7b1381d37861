//! `sbmds bench samplers`: effective draws per second on the paper's efficiency study.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use rand::RngExt;
use sbmds::coupling::Pairs;
use sbmds::diagnostics::{Chains, ess_bulk};
use sbmds::fit::{Follower, Step, drive};
use sbmds::likelihood::{
    AnchorValue, Anchored, Information, Likelihood, LogLikelihood, MapPoint, Noise, Pull, Storage,
};
use sbmds::posterior::{Parameters, Posterior, Priors, Spread, Variance, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Chain, Sampler, SamplerSettings};
use sbmds::simulate::{self, Simulation};
use serde::Serialize;

use super::clock::thread_time;
use super::coupled::Coupled;
use super::error::BenchError;
use super::numbers::{grouped, short};
use super::overhead::Overhead;
use super::passing::Passing;

/// Flags of `sbmds bench samplers`.
#[derive(Args)]
pub struct Samplers {
    /// Numbers of objects
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [20, 40, 80, 160, 320])]
    objects: Vec<usize>,
    /// Couplings
    #[arg(long, value_name = "C,C", value_delimiter = ',', default_values_t = COUPLINGS)]
    couplings: Vec<Coupled>,
    /// Samplers: jhmc, nuts, hmc, mh, mwg
    #[arg(long, value_name = "S,S", value_delimiter = ',', default_values_t = SAMPLERS)]
    samplers: Vec<Sampler>,
    /// Standard deviation of the simulated half-normal noise
    #[arg(long, value_name = "SD", default_value_t = 0.2)]
    noise: f64,
    /// Dimensions of the truth and of the map
    #[arg(long, value_name = "D", default_value_t = 2)]
    dims: usize,
    /// Trajectory lengths of hmc vary by this fraction
    #[arg(long, value_name = "J", default_value_t = 0.0)]
    jitter: f64,
    /// Minimum NUTS tree depth
    #[arg(long, value_name = "DEPTH", default_value_t = 0)]
    min_depth: usize,
    /// Seconds of kept draws for each configuration
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,
    /// Iterations that adapt and are thrown away
    #[arg(long, value_name = "W", default_value_t = 1_000)]
    warmup: usize,
    /// Seed of data and chains
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
}

const COUPLINGS: [Coupled; 4] = [Coupled::Full, Coupled::Band(10), Coupled::Landmark(10), Coupled::Dispersed(10)];
const SAMPLERS: [Sampler; 5] = [Sampler::Jhmc, Sampler::Hmc, Sampler::Mh, Sampler::Mwg, Sampler::Nuts];

/// Distances whose effective sample size is watched, beside sigma.
const MONITORED_PAIRS: usize = 200;
/// Draws kept at most: enough for any estimate, little memory.
const MOST_DRAWS: usize = 200_000;

/// One row of the table.
#[derive(Serialize)]
struct Row {
    n_objects: usize,
    couplings: String,
    sampler: String,
    n_pairs: usize,
    n_draws: usize,
    acceptance: f64,
    seconds: f64,
    /// Smallest bulk effective sample size over the monitored distances and sigma.
    min_ess: f64,
    min_ess_per_second: f64,
    /// Nothing for samplers without gradients.
    gradients_per_min_ess: Option<f64>,
    /// What a gradient costs inside the sampler (Hamiltonian samplers).
    overhead: Option<Overhead>,
}

impl Samplers {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        self.check()?;
        let mut rows = Vec::new();
        if !self.json {
            println!("{}", self.heading());
        }
        for &n_objects in &self.objects {
            let mut rng = stream(self.seed, 0, Purpose::Simulation);
            let noise = simulate::Noise::HalfNormal { sd: self.noise };
            let data = Simulation::new(n_objects, self.dims, noise, &mut rng);
            for &coupled in &self.couplings {
                for &sampler in &self.samplers {
                    let line = Passing::line(format!("{} objects, {coupled}, {sampler}", grouped(n_objects)));
                    let row = self.measure(&data, coupled, sampler.resolve());
                    drop(line);
                    if !self.json {
                        println!("{}", row.line());
                    }
                    rows.push(row);
                }
            }
        }
        if self.json {
            println!("{}", serde_json::to_string_pretty(&rows).map_err(BenchError::new)?);
        }
        Ok(())
    }

    fn check(&self) -> Result<(), BenchError> {
        if let Some(n_objects) = self.objects.iter().find(|&&n| n < 3) {
            return Err(BenchError::new(format!("--objects {n_objects}: give 3 or more")));
        }
        let is_anchored = self.couplings.iter().any(|coupled| matches!(coupled, Coupled::Anchored(_)));
        if is_anchored && self.samplers.contains(&Sampler::Mwg) {
            return Err(BenchError::new("--couplings anchored:B: leave mwg out, which moves single objects"));
        }
        if self.dims == 0 || !(self.seconds > 0.0 && self.noise > 0.0) || !(0.0..1.0).contains(&self.jitter) {
            return Err(BenchError::new(
                "--dims, --seconds and --noise must be above zero, --jitter at least 0 and below 1",
            ));
        }
        Ok(())
    }

    fn heading(&self) -> String {
        format!(
            "half-normal noise {}, D = {}, one thread; min ESS over {MONITORED_PAIRS} distances and sigma;\n\
             leapfrog, iteration: processor time per gradient, against the bare gradient of the likelihood\n\
             {:>8}  {:<13} {:<10} {:>7} {:>9} {:>10} {:>13} {:>13} {:>9} {:>10}\n\
             {:>8}  {:<13} {:<10} {:>7} {:>9} {:>10} {:>13} {:>13} {:>9} {:>10}",
            self.noise,
            self.dims,
            "objects",
            "couplings",
            "sampler",
            "accept",
            "draws",
            "min ESS/s",
            "gradients per",
            "bare gradient",
            "leapfrog",
            "iteration",
            "",
            "",
            "",
            "",
            "",
            "",
            "min ESS",
            "us",
            "of bare",
            "of bare"
        )
    }

    fn measure(&self, data: &Simulation, coupled: Coupled, sampler: Sampler) -> Row {
        let n_objects = data.truth().n_objects();
        let (pairs, noise) = (coupled.pairs(n_objects), Noise::TruncatedNormal);
        let delta = |a: usize, b: usize| data.delta(a, b);
        let likelihood = |pairs: &Pairs, delta: &(dyn Fn(usize, usize) -> f64 + Sync)| -> Arc<dyn LogLikelihood> {
            Arc::new(Likelihood::new(n_objects, self.dims, pairs, noise, Storage::F64, delta))
        };
        let coupled_pairs = likelihood(&pairs, &delta);
        let n_pairs = coupled_pairs.n_pairs();
        let sampled = match coupled {
            Coupled::Anchored(_) => {
                let springs = likelihood(&pairs, &|a, b| data.truth().distance(a, b));
                let at = MapPoint { x: data.truth().as_slice(), sigma: self.noise, own: &[] };
                anchored(coupled_pairs, springs, &*likelihood(&Pairs::full(n_objects), &delta), at)
            }
            _ => coupled_pairs,
        };
        let posterior = Posterior::new(sampled, Priors::paper(self.dims));
        let settings = SamplerSettings {
            sampler,
            n_warmup: self.warmup,
            jitter: self.jitter,
            min_depth: self.min_depth,
            ..SamplerSettings::default()
        };
        let start = Parameters {
            x: data.truth().as_slice().to_vec(),
            variance: Variance::of_sigma(self.noise),
            spread: Spread::Scales(vec![1.0; self.dims]),
            own: Vec::new(),
        };
        let rng = stream(self.seed, 0, Purpose::Sampling);
        let mut chain = Chain::start(&posterior, &settings, start, rng, Workspace::serial());
        let mut record = Record::new(monitored_pairs(n_objects, self.seed), self.seconds);
        let Ok(()) = drive(&mut chain, 1, &mut record);
        let min_ess = record.quantities.iter().map(min_ess_of).fold(f64::INFINITY, f64::min);
        let seconds = record.time.as_secs_f64();
        let n_draws = record.quantities[0].len();
        let per_gradient = |value: f64| (record.n_gradients > 0).then_some(value);
        Row {
            n_objects,
            couplings: coupled.to_string(),
            sampler: sampler.to_string(),
            n_pairs,
            n_draws,
            acceptance: record.acceptance / n_draws as f64,
            seconds,
            min_ess,
            min_ess_per_second: min_ess / seconds,
            gradients_per_min_ess: per_gradient(record.n_gradients as f64 / min_ess),
            overhead: (record.n_gradients > 0).then(|| Overhead::measure(&posterior, &mut chain, record.step_size)),
        }
    }
}

/// Springs that stand for all pairs at a point. It need not be the mode: what a gradient costs does not depend on it.
fn anchored(
    coupled: Arc<dyn LogLikelihood>,
    springs: Arc<dyn LogLikelihood>,
    full: &dyn LogLikelihood,
    at: MapPoint,
) -> Arc<dyn LogLikelihood> {
    let all = AnchorValue::of(full, &mut Workspace::parallel().likelihood, at);
    let information = Information::of(full, at);
    Arc::new(Anchored::new(coupled, Pull::Anchor(springs), at, &all, information.as_ref()))
}

/// What a chain did after warm-up, for a given time; the chain alone is timed.
struct Record {
    pairs: Vec<(usize, usize)>,
    /// Distances of the pairs, and sigma.
    quantities: Vec<Vec<f64>>,
    time: Duration,
    acceptance: f64,
    n_gradients: usize,
    step_size: f64,
    /// Seconds to sample, from when warm-up is over.
    seconds: f64,
    sampling_since: Option<Instant>,
    /// Processor time when the present iteration began.
    begin: Duration,
}

impl Record {
    fn new(pairs: Vec<(usize, usize)>, seconds: f64) -> Self {
        Self {
            quantities: vec![Vec::new(); pairs.len() + 1],
            pairs,
            time: Duration::ZERO,
            acceptance: 0.0,
            n_gradients: 0,
            step_size: f64::NAN,
            seconds,
            sampling_since: None,
            begin: Duration::ZERO,
        }
    }
}

impl Follower for Record {
    type Error = Infallible;

    fn goes_on(&mut self, chain: &Chain) -> Result<bool, Infallible> {
        if !chain.is_warming_up() {
            let since = self.sampling_since.get_or_insert_with(Instant::now);
            if since.elapsed().as_secs_f64() >= self.seconds || self.quantities[0].len() >= MOST_DRAWS {
                return Ok(false);
            }
        }
        self.begin = thread_time();
        Ok(true)
    }

    fn iterated(&mut self, _: &Chain, step: Step) -> Result<(), Infallible> {
        if !step.is_warmup {
            self.time += thread_time().saturating_sub(self.begin);
            self.acceptance += step.info.acceptance;
            self.n_gradients += step.info.n_gradients;
            self.step_size = step.info.step_size;
        }
        Ok(())
    }

    fn draw(&mut self, chain: &Chain) -> Result<(), Infallible> {
        let distances = self.pairs.iter().map(|&(a, b)| chain.distance(a, b));
        for (values, value) in self.quantities.iter_mut().zip(distances.chain([chain.sigma()])) {
            values.push(value);
        }
        Ok(())
    }
}

fn monitored_pairs(n_objects: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut rng = stream(seed, 0, Purpose::Monitoring);
    let mut pair = || {
        let a = rng.random_range(0..n_objects);
        let b = rng.random_range(0..n_objects - 1);
        (a, b + usize::from(b >= a))
    };
    (0..MONITORED_PAIRS).map(|_| pair()).collect()
}

fn min_ess_of(values: &Vec<f64>) -> f64 {
    Chains::new(std::slice::from_ref(values)).map_or(f64::NAN, |chains| ess_bulk(&chains))
}

impl Row {
    fn line(&self) -> String {
        let or_dash = |value: Option<f64>| value.map_or("-".into(), short);
        format!(
            "{:>8}  {:<13} {:<10} {:>7.2} {:>9} {:>10} {:>13} {:>13} {:>9} {:>10}",
            grouped(self.n_objects),
            self.couplings,
            self.sampler,
            self.acceptance,
            grouped(self.n_draws),
            short(self.min_ess_per_second),
            or_dash(self.gradients_per_min_ess),
            or_dash(self.overhead.as_ref().map(|o| 1e6 * o.bare_gradient_seconds)),
            or_dash(self.overhead.as_ref().map(|o| o.leapfrog_step)),
            or_dash(self.overhead.as_ref().map(|o| o.iteration)),
        )
    }
}
