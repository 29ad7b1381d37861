//! Synthetic chains for every verdict: mixed, slow, drifting, stuck, and settled in different modes.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::{Assessment, ChainsError, Limits, Monitored, Verdict, assess};

const N_CHAINS: usize = 4;

/// Makes unit-variance AR(1) chains; `rho` 0 gives independent draws.
struct Maker(ChaCha8Rng);

impl Maker {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn normal(&mut self) -> f64 {
        self.0.sample(StandardNormal)
    }

    fn chain(&mut self, n_draws: usize, rho: f64) -> Vec<f64> {
        let mut now = self.normal();
        let mut step = || {
            now = rho * now + (1.0 - rho * rho).sqrt() * self.normal();
            now
        };
        (0..n_draws).map(|_| step()).collect()
    }

    /// Chains whose draws are shifted by `shift(chain, t)`, t running from 0 to 1.
    fn shifted(&mut self, name: &str, n_draws: usize, rho: f64, shift: impl Fn(usize, f64) -> f64) -> Monitored {
        let chains = (0..N_CHAINS).map(|chain| {
            let draws = self.chain(n_draws, rho).into_iter().enumerate();
            draws.map(|(t, draw)| draw + shift(chain, t as f64 / n_draws as f64)).collect()
        });
        Monitored::new(name, chains.collect()).unwrap()
    }

    fn mixed(&mut self, name: &str, n_draws: usize, rho: f64) -> Monitored {
        self.shifted(name, n_draws, rho, |_, _| 0.0)
    }

    fn many(&mut self, n: usize, n_draws: usize, rho: f64) -> Vec<Monitored> {
        (0..n).map(|i| self.mixed(&format!("d{i}"), n_draws, rho)).collect()
    }
}

fn judged(log_density: &Monitored, others: &[Monitored]) -> Assessment {
    assess(log_density, others, &Limits::default()).unwrap()
}

fn times_longer(verdict: &Verdict) -> f64 {
    match verdict {
        Verdict::NotYet { times_longer, .. } => *times_longer,
        other => panic!("{other}"),
    }
}

#[test]
fn independent_draws_have_converged() {
    let mut maker = Maker::new(1);
    let assessment = judged(&maker.mixed("log density", 500, 0.0), &maker.many(50, 500, 0.0));
    assert!(assessment.verdict.is_converged(), "{}", assessment.verdict);
    assert!(assessment.min_ess().unwrap().value > 1000.0);
    assert_eq!(assessment.diagnoses[0].name, "log density");
}

#[test]
fn each_limit_counts_by_itself() {
    let mut maker = Maker::new(1);
    let log_density = maker.mixed("log density", 5000, 0.9);
    assert!(judged(&log_density, &[]).verdict.is_converged());
    let strict_rhat = Limits { max_rhat: 1.0005, ..Limits::default() };
    // About 5000 / 19 = 263 effective draws per chain.
    let strict_ess = Limits { min_ess_per_chain: 900.0, ..Limits::default() };
    assert!(times_longer(&assess(&log_density, &[], &strict_rhat).unwrap().verdict) >= 2.0);
    let factor = times_longer(&assess(&log_density, &[], &strict_ess).unwrap().verdict);
    assert!((2.0..5.0).contains(&factor), "{factor}");
}

#[test]
fn slow_chains_need_more_draws_and_then_converge() {
    let mut maker = Maker::new(2);
    let short = judged(&maker.mixed("log density", 1000, 0.9), &maker.many(5, 1000, 0.9));
    let factor = times_longer(&short.verdict);
    assert!((1.5..20.0).contains(&factor), "{}", short.verdict);
    let n_draws = (1000.0 * factor * 1.5) as usize;
    let long = judged(&maker.mixed("log density", n_draws, 0.9), &maker.many(5, n_draws, 0.9));
    assert!(long.verdict.is_converged(), "{}", long.verdict);
}

#[test]
fn very_slow_chains_are_not_taken_for_modes() {
    for seed in 0..20 {
        for n_draws in [30, 100, 300] {
            let mut maker = Maker::new(seed);
            let assessment = judged(&maker.mixed("log density", n_draws, 0.99), &maker.many(40, n_draws, 0.99));
            assert!(times_longer(&assessment.verdict) > 10.0, "seed {seed}: {}", assessment.verdict);
        }
    }
}

#[test]
fn two_chains_in_another_mode_disagree() {
    let mut maker = Maker::new(3);
    let other_mode = |chain: usize| if chain % 2 == 1 { 1.0 } else { 0.0 };
    let log_density = maker.shifted("log density", 400, 0.5, |chain, _| -100.0 - 12.0 * other_mode(chain));
    // One folded object changes few of the distances; the rest mix.
    let mut others = maker.many(200, 400, 0.5);
    others.extend((0..5).map(|i| maker.shifted(&format!("fold{i}"), 400, 0.5, |chain, _| 8.0 * other_mode(chain))));
    match judged(&log_density, &others).verdict {
        Verdict::ChainsDisagree { groups, log_density_gap, log_densities, .. } => {
            assert_eq!(groups, [[0, 2], [1, 3]]);
            assert!((log_density_gap - 12.0).abs() < 0.5, "{log_density_gap}");
            assert!(log_densities[0] > log_densities[1]);
        }
        other => panic!("{other}"),
    }
}

#[test]
fn the_better_mode_comes_first_and_slow_quantities_do_not_hide_modes() {
    let mut maker = Maker::new(4);
    let mode = |chain: usize| [1.0, 1.0, 0.0, 2.0][chain];
    let log_density = maker.shifted("log density", 400, 0.3, |chain, _| 30.0 * mode(chain));
    let mut others = maker.many(100, 400, 0.98);
    others.extend((0..6).map(|i| maker.shifted(&format!("fold{i}"), 400, 0.3, |chain, _| 9.0 * mode(chain))));
    match judged(&log_density, &others).verdict {
        Verdict::ChainsDisagree { groups, log_density_gap, .. } => {
            assert_eq!(groups, [vec![3], vec![0, 1], vec![2]]);
            assert!((log_density_gap - 30.0).abs() < 1.0, "{log_density_gap}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn one_odd_quantity_among_many_is_not_a_mode() {
    let mut maker = Maker::new(5);
    let mut others = maker.many(20, 300, 0.2);
    // Four more differ, but within the reach of their spread.
    others.extend((0..4).map(|i| maker.shifted(&format!("near{i}"), 300, 0.2, |chain, _| 1.5 * (chain / 3) as f64)));
    others.push(maker.shifted("odd", 300, 0.2, |chain, _| 4.0 * (chain / 3) as f64));
    let assessment = judged(&maker.mixed("log density", 300, 0.2), &others);
    assert!(times_longer(&assessment.verdict) >= 2.0);
    assert_eq!(assessment.max_rhat().unwrap().quantity, "odd");
}

#[test]
fn one_folded_object_is_a_mode_even_if_a_single_distance_shows_it() {
    let mut maker = Maker::new(7);
    let log_density = maker.shifted("log density", 400, 0.5, |chain, _| if chain == 0 { 1.5 } else { 0.0 });
    let mut others = maker.many(50, 400, 0.9);
    others.push(maker.shifted("folded", 400, 0.3, |chain, _| if chain == 0 { 8.0 } else { 0.0 }));
    match judged(&log_density, &others).verdict {
        Verdict::ChainsDisagree { groups, quantity, .. } => {
            assert_eq!((groups, quantity.as_str()), (vec![vec![0], vec![1, 2, 3]], "folded"));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_drifting_chain_has_not_settled_anywhere() {
    let mut maker = Maker::new(6);
    // Once arriving at the other chains, once still on the way: apart from them, yet in no mode.
    for end in [0.0, 20.0] {
        let drift = |chain: usize, t: f64| if chain == 2 { end + 30.0 * (1.0 - t) } else { 0.0 };
        let log_density = maker.shifted("log density", 400, 0.3, drift);
        let others: Vec<_> = (0..10).map(|i| maker.shifted(&format!("d{i}"), 400, 0.3, drift)).collect();
        let assessment = judged(&log_density, &others);
        assert!(times_longer(&assessment.verdict) >= 2.0, "{}", assessment.verdict);
    }
}

#[test]
fn a_stuck_chain_has_not_settled_either() {
    let mut maker = Maker::new(7);
    let stuck = |maker: &mut Maker, name: &str| {
        let mut chains: Vec<Vec<f64>> = (0..3).map(|_| maker.chain(200, 0.0)).collect();
        chains.push(vec![9.3; 200]);
        Monitored::new(name, chains).unwrap()
    };
    let log_density = stuck(&mut maker, "log density");
    let others = [stuck(&mut maker, "a"), stuck(&mut maker, "b"), stuck(&mut maker, "c")];
    assert!(times_longer(&judged(&log_density, &others).verdict) >= 2.0);
}

#[test]
fn a_single_chain_is_judged_by_its_halves() {
    let mut maker = Maker::new(8);
    let single = |draws: Vec<f64>| Monitored::new("log density", vec![draws]).unwrap();
    let good = judged(&single(maker.chain(1000, 0.0)), &[]);
    assert!(good.verdict.is_converged(), "{}", good.verdict);
    let drifting = maker.chain(1000, 0.0).into_iter().enumerate().map(|(t, draw)| draw + 0.01 * t as f64).collect();
    assert!(judged(&single(drifting), &[]).max_rhat().unwrap().value > 1.5);
}

#[test]
fn constants_are_left_out_unless_nothing_moves() {
    let mut maker = Maker::new(9);
    let fixed = Monitored::new("sigma", vec![vec![0.2; 500]; N_CHAINS]).unwrap();
    assert!(judged(&maker.mixed("log density", 500, 0.0), std::slice::from_ref(&fixed)).verdict.is_converged());
    assert_eq!(times_longer(&judged(&fixed, &[]).verdict), 2.0);
    let too_few = maker.mixed("log density", 2, 0.0);
    assert_eq!(times_longer(&judged(&too_few, &[]).verdict), 50.0);
    let none = Monitored::new("log density", vec![vec![]; N_CHAINS]).unwrap();
    assert_eq!(times_longer(&judged(&none, &[]).verdict), 100.0);
}

#[test]
fn values_that_are_not_finite_and_other_shapes_are_named() {
    let mut maker = Maker::new(10);
    let mut draws: Vec<Vec<f64>> = (0..N_CHAINS).map(|_| maker.chain(50, 0.0)).collect();
    draws[2][17] = f64::INFINITY;
    let broken = Monitored::new("d(a, b)", draws).unwrap();
    let log_density = maker.mixed("log density", 50, 0.0);
    let verdict = judged(&log_density, &[broken]).verdict;
    assert_eq!(verdict, Verdict::NotFinite { quantity: "d(a, b)".into(), chain: 2, draw: 17 });
    let longer = maker.mixed("sigma", 60, 0.0);
    let error = assess(&log_density, &[longer], &Limits::default()).unwrap_err();
    assert!(matches!(error, ChainsError::OtherShape { found_draws: 60, n_draws: 50, .. }), "{error}");
}

#[test]
fn verdicts_read_as_sentences() {
    let worst = |quantity: &str, value| super::Worst { quantity: quantity.into(), value };
    let not_yet = Verdict::NotYet {
        times_longer: 2.31,
        max_rhat: Some(worst("sigma", 1.0234)),
        min_ess: Some(worst("d(Oslo, Lima)", 173.6)),
        target_ess: 400.0,
        target_rhat: 1.01,
    };
    assert_eq!(
        not_yet.to_string(),
        "Not converged yet: run about 2.4 times longer. The largest R-hat is 1.023 (sigma; should be below 1.01), the \
         smallest effective sample size 174 (d(Oslo, Lima); should be at least 400)."
    );
    let stuck = Verdict::NotYet {
        times_longer: f64::INFINITY,
        max_rhat: Some(worst("sigma", f64::INFINITY)),
        min_ess: Some(worst("sigma", 40.0)),
        target_ess: 400.0,
        target_rhat: 1.01,
    };
    assert_eq!(
        stuck.to_string(),
        "Not converged yet: the chains are stuck (infinite R-hat); restart with a longer `warmup`. The largest R-hat is inf (sigma; should be \
         below 1.01), the smallest effective sample size 40 (sigma; should be at least 400)."
    );
    let disagree = Verdict::ChainsDisagree {
        groups: vec![vec![0, 1, 3], vec![2]],
        log_densities: vec![-10.0, -22.34],
        log_density_gap: 12.34,
        quantity: "d(Oslo, Lima)".into(),
    };
    assert_eq!(
        disagree.to_string(),
        "Chains disagree: they have settled in 2 different modes (chains 0, 1 and 3; chain 2), most clearly seen in \
         d(Oslo, Lima). The first has a mean log density 12.3 above the next; running longer will hardly help."
    );
}
