//! What a fit expects of pairs, and where it places objects that it has not seen.

use std::path::Path;

use extendr_api::prelude::*;
use sbmds::dissimilarity::read_new_objects;
use sbmds::fit::Fitted;
use sbmds::place::{OldMap, place};
use sbmds::predict::{Asked, AskedPair, PosteriorDraws, Prediction, asked_pairs, predict};
use sbmds::quality::KnownPairs;
use sbmds::run::RunError;

use crate::answer::answer;

type Answer = std::result::Result<Robj, RunError>;

/// Predictions: of the pairs `a`, `b` (counted from 1), or of all pairs of a kind: "measured", "coupled" or "missing".
#[extendr]
fn fitted_predict(fitted: ExternalPtr<Fitted>, kind: &str, a: Vec<i32>, b: Vec<i32>, level: f64, draws: i32) -> Robj {
    answer(predictions(&fitted, kind, &a, &b, level, draws.max(1) as usize))
}

fn predictions(fitted: &Fitted, kind: &str, a: &[i32], b: &[i32], level: f64, n_draws: usize) -> Answer {
    let measured = fitted.measured()?;
    let known = measured.known();
    let draws = PosteriorDraws::of(fitted, n_draws)?;
    let noise = fitted.pair_noise()?;
    let mut all: Vec<Prediction> = Vec::new();
    let mut piece = |pairs: &[AskedPair]| -> std::result::Result<(), RunError> {
        all.extend(predict(&draws, noise, level, pairs));
        Ok(())
    };
    let object = |number: i32| (number - 1).max(0) as usize;
    match kind {
        "listed" => {
            let pair = |(&a, &b): (&i32, &i32)| {
                let (a, b) = (object(a), object(b));
                let observed = known.get(a, b);
                AskedPair::new((a, b), observed, !observed.is_nan() && known.is_coupled(a, b))
            };
            let pairs: Vec<AskedPair> = a.iter().zip(b).map(pair).collect();
            piece(&pairs)?;
        }
        "coupled" => asked_pairs(&known, Asked::Coupled, &mut piece)?,
        "missing" => asked_pairs(&known, Asked::Missing, &mut piece)?,
        _ => asked_pairs(&known, Asked::Measured, &mut piece)?,
    }
    let numbers = |of: fn(&Prediction) -> f64| {
        let value =
            |one: &Prediction| Some(of(one)).filter(|value| !value.is_nan()).map_or_else(Rfloat::na, Rfloat::from);
        all.iter().map(value).collect::<Doubles>()
    };
    let ends = |of: fn(&Prediction) -> usize| all.iter().map(|one| of(one) as i32 + 1).collect::<Vec<i32>>();
    Ok(list!(
        a = ends(|one| one.pair.a),
        b = ends(|one| one.pair.b),
        observed = numbers(|one| one.pair.observed),
        distance = numbers(|one| one.distance),
        mean = numbers(|one| one.mean),
        sd = numbers(|one| one.sd),
        low = numbers(|one| one.low),
        high = numbers(|one| one.high),
        below = numbers(|one| one.below),
        coupled = all.iter().map(|one| one.pair.is_coupled).collect::<Vec<bool>>()
    )
    .into())
}

/// Places new objects, rows of a table whose columns name objects of the map, in draws of the map.
#[extendr]
fn fitted_place(fitted: ExternalPtr<Fitted>, table: &str, draws: i32, seed: f64) -> Robj {
    answer(placed(&fitted, Path::new(table), draws.max(1) as usize, seed as u64))
}

fn placed(fitted: &Fitted, table: &Path, n_draws: usize, seed: u64) -> Answer {
    let new = read_new_objects(table, fitted.names())?;
    let old = OldMap::of(fitted, n_draws)?;
    let placed = place(&old, fitted.pair_noise()?, &new, seed)?;
    let (n_objects, n_dims) = (placed.names.len(), old.n_dims());
    let names: Vec<String> = placed.names.iter().map(|name| name.into_owned()).collect();
    let covariance: Vec<f64> = (0..n_objects).flat_map(|object| placed.moments.covariance(object)).collect();
    let draws: Vec<f64> = placed.draws.iter().flat_map(|draw| draw.as_slice().to_vec()).collect();
    Ok(list!(
        names = names,
        map = placed.moments.mean().as_slice().to_vec(),
        covariance = covariance,
        n_dims = n_dims as i32,
        stress = placed.objects.iter().map(|one| one.fit.stress).collect::<Vec<f64>>(),
        pairs = placed.objects.iter().map(|one| one.fit.n_pairs as i32).collect::<Vec<i32>>(),
        modes = placed.objects.iter().map(|one| one.n_modes as i32).collect::<Vec<i32>>(),
        draws = draws,
        n_draws = placed.draws.len() as i32
    )
    .into())
}

extendr_module! {
    mod judge;
    fn fitted_predict;
    fn fitted_place;
}
