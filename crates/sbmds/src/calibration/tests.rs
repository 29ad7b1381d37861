//! Calibration in small: right fits pass, wrong ones do not.

use super::*;
use crate::posterior::{HalfCauchy, NoisePrior, ScalePrior};
use crate::sampler::ArithmeticChoice;

fn small(sampler: Sampler) -> CalibrationSettings {
    CalibrationSettings {
        n_objects: 8,
        n_replicates: 150,
        couplings: Couplings::Dispersed(2),
        n_draws: 49,
        ..CalibrationSettings::new(sampler, 2)
    }
}

/// All quantities in one table, for messages.
fn calibrated(settings: &CalibrationSettings) -> Calibration {
    calibrate(settings, &|_| ()).unwrap()
}

#[test]
fn whole_fits_are_calibrated() {
    for sampler in [Sampler::Jhmc, Sampler::Nuts, Sampler::Hmc, Sampler::Mwg] {
        let calibration = calibrated(&small(sampler));
        assert!(calibration.is_uniform(), "{calibration}");
        // Nearly independent draws: otherwise ranks pile up at the ends.
        assert!(calibration.quantities.iter().all(|quantity| quantity.ess > 25.0), "{calibration}");
    }
}

#[test]
fn whole_fits_in_either_arithmetic_are_calibrated() {
    for arithmetic in [ArithmeticChoice::F64, ArithmeticChoice::F32] {
        let mut settings = small(Sampler::Jhmc);
        settings.sampler.arithmetic = arithmetic;
        let calibration = calibrated(&settings);
        assert!(calibration.is_uniform(), "{arithmetic}: {calibration}");
    }
}

#[test]
fn fits_with_learned_scales_are_calibrated() {
    let mut settings = small(Sampler::Jhmc);
    settings.priors.scales = ScalePrior::Learned { shape: 3.0, rate: 2.0 };
    let calibration = calibrated(&settings);
    assert!(calibration.is_uniform(), "{calibration}");
}

/// Three dimensions, of which the half-Cauchy often lets one or two vanish.
#[test]
fn fits_with_shrinkage_over_dimensions_are_calibrated() {
    let mut settings = CalibrationSettings { n_dims: 3, couplings: Couplings::Full, ..small(Sampler::Nuts) };
    settings.priors = Priors { scales: ScalePrior::Shrunk(HalfCauchy { scale: 1.0 }), ..Priors::paper(3) };
    let calibration = calibrated(&settings);
    assert!(calibration.is_uniform(), "{calibration}");
}

#[test]
fn fits_with_the_default_priors_are_calibrated() {
    let mut settings = CalibrationSettings { couplings: Couplings::Full, ..small(Sampler::Jhmc) };
    settings.priors = Priors::weak(2);
    let calibration = calibrated(&settings);
    assert!(calibration.is_uniform(), "{calibration}");
}

/// A floor that most maps would go below.
#[test]
fn fits_with_a_floor_of_the_noise_are_calibrated() {
    for sampler in [Sampler::Jhmc, Sampler::Hmc] {
        let mut settings = small(sampler);
        settings.priors.noise = NoisePrior::InverseGamma { shape: 2.0, rate: 0.02, floor: 0.3 };
        let calibration = calibrated(&settings);
        assert!(calibration.is_uniform(), "{calibration}");
    }
}

/// Draws that are not thinned at all from a walk that never warmed up are no sample of the posterior.
#[test]
fn a_chain_that_does_not_mix_is_found_out() {
    let mut settings = small(Sampler::Mh);
    settings.thin = 1;
    settings.sampler.n_warmup = 0;
    assert!(!calibrated(&settings).is_uniform());
}

#[test]
fn ranks_depend_on_the_seed_alone() {
    let settings = CalibrationSettings { n_replicates: 12, ..small(Sampler::Nuts) };
    let ranks = |settings: &CalibrationSettings, n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        let calibration = pool.install(|| calibrated(settings));
        let mut csv = Vec::new();
        calibration.write_ranks_csv(&mut csv).unwrap();
        (String::from_utf8(csv).unwrap(), calibration.histograms_svg())
    };
    let first = ranks(&settings, 1);
    assert_eq!(first, ranks(&settings, 2));
    assert_ne!(first, ranks(&CalibrationSettings { seed: 2, ..settings.clone() }, 2));
    let (csv, svg) = first;
    assert_eq!(csv.lines().count(), 13);
    assert!(csv.starts_with("replicate,sigma,log likelihood,mean squared distance,distance 1-2,"));
    assert_eq!(svg.matches("p = ").count(), 6);
}

#[test]
fn a_known_sigma_is_not_ranked() {
    let mut settings = CalibrationSettings { n_replicates: 10, ..small(Sampler::Nuts) };
    settings.priors.noise = NoisePrior::Fixed { sigma: 0.5 };
    let names: Vec<String> = calibrated(&settings).quantities.into_iter().map(|quantity| quantity.name).collect();
    assert_eq!(names, ["log likelihood", "mean squared distance", "distance 1-2", "distance 2-3", "distance 1-3"]);
}

#[test]
fn settings_that_rank_nothing_are_refused() {
    let refusal = |settings: CalibrationSettings| calibrate(&settings, &|_| ()).unwrap_err().to_string();
    let settings = small(Sampler::Nuts);
    assert_eq!(
        refusal(CalibrationSettings { n_replicates: 0, ..settings.clone() }),
        "the number of replicates must be at least 10, not 0"
    );
    assert_eq!(
        refusal(CalibrationSettings { n_objects: 3, ..settings }),
        "the number of objects must be at least 4, not 3"
    );
}

/// Anchored fits that hold their own check, with noise of about a fifth of the distances. 60 fits let a quantity fail if its
/// p-value is below 0.01 / 6; posteriors half as wide, or off by a standard deviation, are far below.
#[test]
fn anchored_fits_are_calibrated() {
    let mut settings = CalibrationSettings {
        n_objects: 40,
        n_replicates: 60,
        couplings: Couplings::Anchored(8),
        n_draws: 49,
        ..CalibrationSettings::new(Sampler::Nuts, 2)
    };
    settings.sampler.n_warmup = 200;
    settings.priors.noise = NoisePrior::InverseGamma { shape: 10.0, rate: 1.0, floor: 0.0 };
    let calibration = calibrated(&settings);
    assert!(calibration.is_uniform(), "{calibration}");
    assert!(calibration.n_replicates > 40, "{calibration}");
}

#[test]
fn anchored_fits_need_priors_in_the_unit_of_the_data() {
    let mut settings = CalibrationSettings { couplings: Couplings::Anchored(2), ..small(Sampler::Nuts) };
    settings.priors.noise = NoisePrior::Fixed { sigma: 0.5 };
    assert!(matches!(calibrate(&settings, &|_| ()), Err(CalibrationError::AnchoredPriors)));
}
