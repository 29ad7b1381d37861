//! A fit decides its arithmetic before it samples, by the problem alone: single precision where that is accurate, else double.

use rand::RngExt;
use rand_distr::StandardNormal;
use sbmds::Locations;
use sbmds::dissimilarity::{Dissimilarities, Names};
use sbmds::fit::{Fit, Fitted};
use sbmds::likelihood::Arithmetic;
use sbmds::random::{Purpose, stream};
use sbmds::run::FitConfig;
use sbmds::sampler::{ArithmeticChoice, Sampler};
use sbmds::settings::Start;

const N_OBJECTS: usize = 24;

/// Noisy distances of a random map whose first objects coincide.
fn data(n_coincident: usize, sigma: f64) -> Dissimilarities {
    let mut rng = stream(8, 0, Purpose::Simulation);
    let mut map = Locations::from_fn(N_OBJECTS, 2, |_, _| rng.sample(StandardNormal));
    for object in 1..n_coincident {
        (0..2).for_each(|dim| map.set(object, dim, map.get(0, dim)));
    }
    let mut values = Vec::new();
    for a in 0..N_OBJECTS {
        for b in a + 1..N_OBJECTS {
            let noise: f64 = rng.sample(StandardNormal);
            let are_one = b < n_coincident;
            values.push(if are_one { 0.0 } else { (map.distance(a, b) + sigma * noise).abs() });
        }
    }
    let names = Names::given((0..N_OBJECTS).map(|object| format!("o{object}")).collect()).unwrap();
    Dissimilarities::from_condensed(names, &values).unwrap()
}

fn fitted(data: &Dissimilarities, change: impl FnOnce(&mut FitConfig)) -> Fitted {
    Fit::of(data).chains(2).warmup(200).draws(100).seed(3).with(change).run().unwrap()
}

fn arithmetic(fitted: &Fitted) -> Arithmetic {
    let &[decided] = &fitted.config().arithmetic[..] else { panic!("one for all: {:?}", fitted.config().arithmetic) };
    assert_eq!(fitted.summary().arithmetic, decided.to_string(), "chains compute in what was decided");
    decided
}

#[test]
fn single_precision_is_for_what_it_can_tell() {
    let noisy = data(0, 0.1);
    assert_eq!(arithmetic(&fitted(&noisy, |_| {})), Arithmetic::F32);
    assert_eq!(arithmetic(&fitted(&noisy, |config| config.run.start = Start::Prior)), Arithmetic::F32);
    assert_eq!(
        arithmetic(&fitted(&noisy, |config| config.sampler.arithmetic = ArithmeticChoice::F64)),
        Arithmetic::F64
    );
    assert_eq!(arithmetic(&fitted(&noisy, |config| config.sampler.sampler = Sampler::Mwg)), Arithmetic::F64);
    // A thousandth of the extent is enough noise, a millionth is not: single precision knows distances to 1e-7 of it.
    assert_eq!(arithmetic(&fitted(&data(0, 1e-3), |_| {})), Arithmetic::F32);
    let tiny = |config: &mut FitConfig| {
        config.priors.sigma = Some(1e-6);
        (config.sampler.n_warmup, config.run.draws, config.sampler.max_depth) = (20, 10, 5);
    };
    assert_eq!(arithmetic(&fitted(&data(0, 1e-6), tiny)), Arithmetic::F64);
}

#[test]
fn coincident_objects_are_fitted_alike_in_both() {
    let data = data(8, 0.1);
    let auto = fitted(&data, |config| config.run.draws = 400);
    let double = fitted(&data, |config| {
        config.run.draws = 400;
        config.sampler.arithmetic = ArithmeticChoice::F64;
    });
    assert_eq!((arithmetic(&auto), arithmetic(&double)), (Arithmetic::F32, Arithmetic::F64));
    let [auto, double] = [auto, double].map(|fitted| fitted.summary().sigma.clone());
    // Sixteen objects in the plane and eight in one point leave sigma known to a twentieth.
    let difference = auto.mean.unwrap() - double.mean.unwrap();
    assert!(difference.abs() < 0.3 * double.sd.unwrap(), "{auto:?} {double:?}");
}
