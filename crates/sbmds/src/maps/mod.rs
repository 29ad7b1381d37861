//! Two maps of the same objects aligned to one another: which objects lie elsewhere, and how sure that is.
//!
//! A [`MapDraws`] is a run with its draws, or a table of locations from another program. [`compare_maps`] turns, reflects and shifts the second onto
//! the first, draw by draw over the objects that both have (orthogonal Procrustes), and collects the posterior of every object's residual.

mod source;
mod table;

use serde::Serialize;

pub use source::MapDraws;
pub use table::write_maps_csv;

use crate::Locations;
use crate::cholesky::{cholesky, solve_lower};
use crate::diagnostics::{quantile_of_sorted, sorted};
use crate::dissimilarity::Names;
use crate::embedding::{Moments, procrustes};
use crate::error::RunError;

/// Two maps, compared.
#[derive(Clone, Debug)]
pub struct MapComparison {
    /// The names of both.
    pub titles: [String; 2],
    /// The objects that both have, in the order of the first.
    pub names: Names,
    /// The first map.
    pub first: Locations,
    /// The second, laid onto it.
    pub second: Locations,
    /// What the second was multiplied by; 1 if it was not scaled.
    pub scale: f64,
    /// Residual of each object.
    pub residuals: Vec<Residual>,
    /// Root mean squared residual of the maps shown: mean and central 95% interval over draws.
    pub rms: Spread,
    /// Procrustes correlation: the root of the share of the first map's variance that the second explains.
    pub correlation: f64,
    /// Number of draws compared; 1 for two maps without draws.
    pub n_draws: usize,
    /// Objects that only one of them has.
    pub unmatched: [usize; 2],
}

/// Where a number lies over draws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
    /// 2.5% quantile.
    pub low: f64,
    /// 97.5% quantile.
    pub high: f64,
}

impl Spread {
    fn of(values: Vec<f64>) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let sd = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt();
        let values = sorted(values);
        Self { mean, sd, low: quantile_of_sorted(&values, 0.025), high: quantile_of_sorted(&values, 0.975) }
    }
}

/// How far apart the two locations of an object are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// In the maps shown.
    pub shown: f64,
    /// Over draws.
    pub length: Spread,
    /// Share of the draws whose residual is at least as far from the mean residual as no residual would be, in posterior standard deviations: small where
    /// the object certainly lies elsewhere. NaN without draws.
    pub p_same: f64,
}

/// Compares the second map with the first, scaled to it or not.
///
/// # Errors
/// If they share too few objects to be aligned to one another.
pub fn compare_maps(first: &MapDraws, second: &MapDraws, is_scaled: bool) -> Result<MapComparison, RunError> {
    let shared: Vec<(usize, usize)> =
        first.names.iter().enumerate().filter_map(|(a, name)| Some((a, second.names.find(&name)?))).collect();
    let n_dims = first.mean.n_dims().max(second.mean.n_dims());
    check_shared(first, second, shared.len(), n_dims)?;
    let of_first = |map: &Locations| chosen(map, shared.iter().map(|pair| pair.0), n_dims);
    let of_second = |map: &Locations| chosen(map, shared.iter().map(|pair| pair.1), n_dims);
    let reference = of_first(&first.mean);
    let (laid, scale) = lay(&of_second(&second.mean), &reference, is_scaled);
    let (n_draws, n_objects) = (first.n_draws(second), shared.len());
    let mut moments = Moments::new(n_objects, n_dims);
    let mut residual_draws = Vec::with_capacity(n_draws);
    for draw in 0..n_draws {
        let (a, b) = (of_first(first.draw(draw)), of_second(second.draw(draw)));
        let (b, _) = lay(&b, &a, is_scaled);
        let residual = Locations::from_fn(n_objects, n_dims, |object, dim| b.get(object, dim) - a.get(object, dim));
        moments.add(&residual);
        residual_draws.push(residual);
    }
    let names: Vec<String> = shared.iter().map(|&(a, _)| first.names.get(a).into_owned()).collect();
    Ok(MapComparison {
        titles: [first.title.clone(), second.title.clone()],
        names: Names::given(names).unwrap_or_else(|_| Names::numbered(n_objects)),
        residuals: (0..n_objects)
            .map(|object| residual_of(object, &reference, &laid, &moments, &residual_draws))
            .collect(),
        rms: Spread::of(residual_draws.iter().map(rms).collect()),
        correlation: correlation(&reference, &laid),
        unmatched: [first.names.len() - n_objects, second.names.len() - n_objects],
        first: reference,
        second: laid,
        scale,
        n_draws,
    })
}

fn check_shared(first: &MapDraws, second: &MapDraws, n_shared: usize, n_dims: usize) -> Result<(), RunError> {
    if n_shared > n_dims + 1 {
        return Ok(());
    }
    let problem = format!("{} and {} share {n_shared} objects by name", first.title, second.title);
    let remedy = format!("give maps of the same objects, spelled alike; at least {} are needed", n_dims + 2);
    Err(RunError::setting("`maps`", problem, remedy))
}

/// Some objects of a map, with further dimensions of zeros.
fn chosen(map: &Locations, objects: impl Iterator<Item = usize>, n_dims: usize) -> Locations {
    let objects: Vec<usize> = objects.collect();
    let coordinate = |object: usize, dim: usize| if dim < map.n_dims() { map.get(objects[object], dim) } else { 0.0 };
    Locations::from_fn(objects.len(), n_dims, coordinate)
}

/// `map` laid onto `reference`, and by what it was multiplied about its centre (Gower and Dijksterhuis 2004, section 4).
fn lay(map: &Locations, reference: &Locations, is_scaled: bool) -> (Locations, f64) {
    let mut laid = procrustes(map, reference).apply(map);
    if !is_scaled {
        return (laid, 1.0);
    }
    let (mut products, mut squares) = (0.0, 0.0);
    for dim in 0..laid.n_dims() {
        let (here, there) = (centred(laid.dim(dim)), centred(reference.dim(dim)));
        products += here.iter().zip(&there).map(|(x, y)| x * y).sum::<f64>();
        squares += here.iter().map(|x| x * x).sum::<f64>();
    }
    let scale = if squares > 0.0 { products / squares } else { 1.0 };
    for dim in 0..laid.n_dims() {
        let centre = laid.dim(dim).iter().sum::<f64>() / laid.n_objects() as f64;
        laid.dim_mut(dim).iter_mut().for_each(|x| *x = centre + scale * (*x - centre));
    }
    (laid, scale)
}

fn centred(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| value - mean).collect()
}

fn length(residual: &Locations, object: usize) -> f64 {
    residual.object(object).iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn rms(residual: &Locations) -> f64 {
    let squares: f64 = residual.as_slice().iter().map(|x| x * x).sum();
    (squares / residual.n_objects() as f64).sqrt()
}

/// sqrt(1 - residual sum of squares / total sum of squares), 0 where nothing is explained.
fn correlation(reference: &Locations, laid: &Locations) -> f64 {
    let total: f64 = (0..reference.n_dims()).flat_map(|dim| centred(reference.dim(dim))).map(|x| x * x).sum();
    let residual: f64 = reference.as_slice().iter().zip(laid.as_slice()).map(|(x, y)| (x - y).powi(2)).sum();
    (1.0 - residual / total).max(0.0).sqrt()
}

fn residual_of(
    object: usize,
    reference: &Locations,
    laid: &Locations,
    moments: &Moments,
    draws: &[Locations],
) -> Residual {
    let between = |dim: usize| (laid.get(object, dim) - reference.get(object, dim)).powi(2);
    Residual {
        shown: (0..reference.n_dims()).map(between).sum::<f64>().sqrt(),
        length: Spread::of(draws.iter().map(|residual| length(residual, object)).collect()),
        p_same: p_same(object, moments, draws),
    }
}

/// See [`Residual::p_same`].
fn p_same(object: usize, moments: &Moments, draws: &[Locations]) -> f64 {
    let n = moments.mean().n_dims();
    let mut factor = vec![0.0; n * n];
    if draws.len() <= n || cholesky(n, &moments.covariance(object), &mut factor).is_none() {
        return f64::NAN;
    }
    let mean = moments.mean().object(object);
    let squared_widths = |point: Vec<f64>| {
        let mut off: Vec<f64> = point.iter().zip(&mean).map(|(x, mean)| x - mean).collect();
        solve_lower(n, &factor, &mut off);
        off.iter().map(|x| x * x).sum::<f64>()
    };
    let of_none = squared_widths(vec![0.0; n]);
    let n_beyond = draws.iter().filter(|draw| squared_widths(draw.object(object)) >= of_none).count();
    n_beyond as f64 / draws.len() as f64
}

#[cfg(test)]
mod tests;
