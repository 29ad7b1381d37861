//! What every sampler promises under every coupling and prior: finite, repeatable, resumable, frozen after warm-up.

use rand_chacha::ChaCha8Rng;
use sbmds::coupling::Pairs;
use sbmds::likelihood::Noise;
use sbmds::posterior::{Spread, Variance, Workspace};
use sbmds::random::{Purpose, stream};
use sbmds::sampler::{Chain, ChainState, Sampler, SamplerSettings, StepInfo};

use crate::kit::{Model, Problem, SAMPLERS, couplings, priors, settings, tree_priors};

const N_STEPS: usize = 20;
/// Half of the steps adapt, so that the end of warm-up is among them.
const N_WARMUP: usize = 10;

fn rng(seed: u64) -> ChaCha8Rng {
    stream(seed, 0, Purpose::Sampling)
}

/// One step and all it shows, as bits.
fn bits_after_step(chain: &mut Chain) -> Vec<u64> {
    let info = chain.step();
    let numbers = [chain.sigma(), chain.log_likelihood(), chain.log_density(), info.acceptance, info.energy];
    let values = chain.x().iter().chain(chain.spread().as_slice()).chain(&numbers);
    assert!(values.clone().all(|value| value.is_finite()), "{info:?} at {:?}", chain.x());
    let counts = [info.n_gradients as u64, info.tree_depth as u64, info.accepted.into(), info.diverging.into()];
    values.map(|value| value.to_bits()).chain(counts).collect()
}

/// So many steps from the start, with the state they end in.
fn run(chain: &mut Chain, n_steps: usize) -> (Vec<Vec<u64>>, Vec<u8>) {
    let bits = (0..n_steps).map(|_| bits_after_step(chain)).collect();
    (bits, saved(chain.state()))
}

fn saved(state: &ChainState) -> Vec<u8> {
    postcard::to_stdvec(state).unwrap()
}

/// Every sampler, coupling and prior on problems of one size.
fn for_each_case(n_objects: usize, mut check: impl FnMut(&str, &Problem, &SamplerSettings)) {
    for (coupling, pairs) in couplings(n_objects) {
        for (prior, priors) in priors(2) {
            let model = Model::new(n_objects, 2, pairs.clone(), Noise::TruncatedNormal, priors);
            for_each_sampler(&model, &format!("{coupling}, {prior}"), &mut check);
        }
        let (_, learned_noise) = priors(2).remove(1);
        for (form, tree) in tree_priors(n_objects, 2, 6.0) {
            let model = Model::new(n_objects, 2, pairs.clone(), Noise::TruncatedNormal, learned_noise.clone());
            for_each_sampler(&model.with_tree(tree), &format!("{coupling}, tree, {form}"), &mut check);
        }
    }
}

fn for_each_sampler(model: &Model, case: &str, check: &mut impl FnMut(&str, &Problem, &SamplerSettings)) {
    let problem = model.draw(&mut stream(1, 0, Purpose::Simulation));
    for sampler in SAMPLERS {
        check(&format!("{sampler}, {case}"), &problem, &settings(sampler, N_WARMUP));
    }
}

#[test]
fn steps_are_finite_repeatable_by_seed_and_move() {
    for_each_case(12, |case, problem, settings| {
        let steps = |seed: u64| run(&mut problem.chain(settings, rng(seed), Workspace::serial()), N_STEPS);
        let (first, again, other) = (steps(1), steps(1), steps(2));
        assert!(first == again, "{case}: one seed gives two chains");
        assert!(first.0 != other.0, "{case}: two seeds give one chain");
        let n_coordinates = 24;
        let first_x = &first.0[0][..n_coordinates];
        assert!(first.0.iter().any(|bits| &bits[..n_coordinates] != first_x), "{case}: never moves");
    });
}

#[test]
fn threads_do_not_change_a_bit() {
    let pools = [1, 2].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    // As many objects as it takes for a likelihood to be split among threads: twice the smallest share.
    for_each_case(400, |case, problem, settings| {
        assert!(problem.posterior.likelihood().n_pairs() >= 2 * 16_384, "{case}: too small to be shared");
        let settings = SamplerSettings { n_warmup: 2, max_depth: 3, ..settings.clone() };
        let steps = |workspace| run(&mut problem.chain(&settings, rng(1), workspace), 4);
        let serial = steps(Workspace::serial());
        for pool in &pools {
            assert!(pool.install(|| steps(Workspace::parallel())) == serial, "{case}: bits depend on threads");
        }
    });
}

#[test]
fn a_saved_chain_goes_on_as_if_never_stopped() {
    for_each_case(12, |case, problem, settings| {
        let whole = run(&mut problem.chain(settings, rng(3), Workspace::serial()), N_STEPS);
        // At the start, within warm-up, at its end, and after it.
        for stop in [0, 7, N_WARMUP, 15] {
            let mut chain = problem.chain(settings, rng(3), Workspace::serial());
            let (mut bits, bytes) = run(&mut chain, stop);
            let state: ChainState = postcard::from_bytes(&bytes).unwrap();
            assert_eq!(saved(&state), bytes, "{case}: a saved state changes when read");
            let mut chain = Chain::resume(&problem.posterior, state, Workspace::serial());
            assert_eq!(chain.iteration(), stop);
            let (rest, end) = run(&mut chain, N_STEPS - stop);
            bits.extend(rest);
            assert!((bits, end) == whole, "{case}: stopped after {stop} steps it goes another way");
        }
    });
}

#[test]
fn adaptation_ends_with_warm_up() {
    for_each_case(12, |case, problem, settings| {
        let mut chain = problem.chain(settings, rng(4), Workspace::serial());
        let mut steps = Vec::new();
        while chain.is_warming_up() {
            steps.push(chain.step().step_size);
        }
        assert_eq!(chain.iteration(), N_WARMUP);
        assert!(steps.windows(2).all(|pair| pair[0] != pair[1]), "{case}: learns nothing: {steps:?}");
        let frozen = chain.step().step_size;
        assert!((0..N_STEPS).all(|_| chain.step().step_size == frozen), "{case}: still learning");
        assert!(!format!("{:?}", chain.state()).contains("DualAveraging"), "{case}: some step still learns");
    });
}

#[test]
fn without_warm_up_nothing_adapts() {
    for_each_case(12, |case, problem, settings| {
        let settings = SamplerSettings { n_warmup: 0, ..settings.clone() };
        let mut chain = problem.chain(&settings, rng(5), Workspace::serial());
        assert!(!chain.is_warming_up());
        let first = chain.step().step_size;
        assert!((0..N_STEPS).all(|_| chain.step().step_size == first), "{case}: learns without warm-up");
    });
}

fn small_problem() -> Problem {
    let (_, priors) = priors(2).remove(1);
    Model::new(12, 2, Pairs::full(12), Noise::TruncatedNormal, priors).draw(&mut stream(1, 0, Purpose::Simulation))
}

/// The paper's Section "Bayesian computation": every 50 iterations the step changes by a factor 1 +- min(0.01, 1 /
/// sqrt(s - 1)), up if more proposals were accepted than wanted.
#[test]
fn the_papers_adaptation_changes_steps_every_fifty_iterations() {
    let problem = small_problem();
    for sampler in [Sampler::Hmc, Sampler::Mh] {
        let settings = SamplerSettings { paper_adaptation: true, ..settings(sampler, 500) };
        let target = if sampler == Sampler::Hmc { 0.65 } else { 0.234 };
        let mut chain = problem.chain(&settings, rng(6), Workspace::serial());
        let infos: Vec<StepInfo> = (0..600).map(|_| chain.step()).collect();
        let mut expected = infos[0].step_size;
        let mut accepted = 0;
        for (iteration, info) in infos.iter().enumerate() {
            assert_eq!(info.step_size, expected, "{sampler}, iteration {iteration}");
            accepted += usize::from(info.accepted);
            // The first draw is iteration 1 of the paper's count, the start.
            let s = iteration + 2;
            if s % 50 == 0 && s <= 501 {
                let change = f64::min(0.01, 1.0 / ((s - 1) as f64).sqrt());
                expected *= if accepted as f64 / 50.0 > target { 1.0 + change } else { 1.0 - change };
                accepted = 0;
            }
        }
        assert_ne!(expected, infos[0].step_size);
    }
    // One object at a time: the mean of all objects' steps changes when they may, and not between.
    let settings = SamplerSettings { paper_adaptation: true, ..settings(Sampler::Mwg, 500) };
    let mut chain = problem.chain(&settings, rng(6), Workspace::serial());
    let steps: Vec<f64> = (0..600).map(|_| chain.step().step_size).collect();
    let changes: Vec<usize> = (0..599).filter(|&k| steps[k] != steps[k + 1]).map(|k| k + 2).collect();
    assert!(changes.len() > 5 && changes.iter().all(|s| s % 50 == 0 && *s <= 501), "{changes:?}");
}

/// Gradients reported are gradients asked for: one per leapfrog step, however a trajectory ends.
#[test]
fn trajectories_report_their_gradients() {
    let problem = small_problem();
    let settings = SamplerSettings { leapfrog_steps: 13, jitter: 0.0, ..settings(Sampler::Hmc, 20) };
    let mut chain = problem.chain(&settings, rng(7), Workspace::serial());
    assert!((0..40).all(|_| chain.step().n_gradients == 13));
    let jittered = SamplerSettings { jitter: 0.5, ..settings };
    let mut chain = problem.chain(&jittered, rng(7), Workspace::serial());
    let lengths: Vec<usize> = (0..400).map(|_| chain.step().n_gradients).collect();
    // 13 (1 +- 0.5), every length in between.
    assert!((7..=19).all(|length| lengths.contains(&length)) && lengths.iter().all(|n| (7..=19).contains(n)));
    let nuts = SamplerSettings { sampler: Sampler::Nuts, max_depth: 4, ..jittered };
    let mut chain = problem.chain(&nuts, rng(7), Workspace::serial());
    for info in (0..200).map(|_| chain.step()) {
        assert!((1..=4).contains(&info.tree_depth) || info.n_gradients == 1, "{info:?}");
        // A doubling to depth k costs 2^(k - 1); one that was given up may have cost less.
        assert!(info.n_gradients >= (1 << info.tree_depth) - 1 && info.n_gradients < 1 << 4, "{info:?}");
    }
    // 2^6 - 1 steps are more than this problem needs before it turns back: no trajectory is shorter. 2 of 198 are longer; if turns
    // within a trajectory were forgotten, 28 would be.
    let lengths = |min_depth: usize| -> Vec<usize> {
        let long = SamplerSettings { min_depth, max_depth: 8, ..nuts.clone() };
        let mut chain = problem.chain(&long, rng(7), Workspace::serial());
        (0..200).map(|_| chain.step()).filter(|info| !info.diverging).map(|info| info.n_gradients).collect()
    };
    assert!(lengths(0).iter().any(|&n| n < 15));
    let long = lengths(6);
    assert!(long.iter().all(|&n| n >= 63) && long.iter().filter(|&&n| n > 63).count() < 10, "{long:?}");
}

/// A start so far out that nothing can be computed there is a divergence, not a panic, and the chain stays.
#[test]
fn a_trajectory_that_is_lost_is_rejected() {
    let problem = small_problem();
    for sampler in [Sampler::Hmc, Sampler::Jhmc, Sampler::Nuts] {
        let mut tuned = problem.chain(&settings(sampler, 0), rng(8), Workspace::serial());
        // Tuning of a map a million times as large.
        let mut truth = problem.truth.clone();
        truth.x.iter_mut().for_each(|x| *x *= 1e6);
        truth.variance = Variance::new(truth.variance.get() * 1e12);
        truth.spread = Spread::Scales(truth.spread.as_slice().iter().map(|scale| scale * 1e12).collect());
        let wide = Problem { truth, posterior: problem.posterior.clone() };
        let settings = settings(sampler, 0);
        tuned.use_tuning_of(wide.chain(&settings, rng(8), Workspace::serial()).state());
        let before = tuned.x().to_vec();
        let info = tuned.step();
        assert!(info.diverging && info.acceptance < 1e-6, "{sampler}: {info:?}");
        // NUTS and jhmc draw the centre of the map by itself; its shape stays.
        let n_objects = problem.posterior.likelihood().n_objects();
        for (x, before) in tuned.x().chunks_exact(n_objects).zip(before.chunks_exact(n_objects)) {
            let shift = x[0] - before[0];
            assert!(sampler != Sampler::Hmc || shift == 0.0);
            assert!(x.iter().zip(before).all(|(x, before)| (x - before - shift).abs() < 1e-12), "{sampler}");
        }
        assert!(tuned.log_density().is_finite());
    }
}
