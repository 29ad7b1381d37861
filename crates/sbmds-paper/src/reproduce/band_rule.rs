//! Figure B.4: how far ceil(D sqrt N) bands are from the full model.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sbmds::diagnostics::hellinger;
use sbmds::figures::{Axis, AxisScale, Chart, Panel, Scene, SeriesPoint, draw_chart};
use sbmds::simulate::Simulation;

use super::authors::band_rule as authors;
use super::data::{first_map, half_normal, posterior, simulated, start};
use super::draw::{chain, draws};
use super::efficiency::random_pairs;
use super::groups::{Group, grouped};
use super::measures::vector_hellinger;
use super::page::{exact, ratio, short};
use super::plot::{authors as hollow, colour, ours, point};
use super::{About, Cell, Experiment, Findings, Method, Page, ReproduceError, Row, Scale, Table};

/// The experiment.
pub(super) struct BandRule {
    /// When set, a chain ends.
    pub stop: Arc<AtomicBool>,
}

/// Noise of the simulations; the paper does not give its own.
const NOISE: f64 = 0.2;
/// Pairs whose posteriors are compared.
const COMPARED: usize = 500;
/// What is compared with the full model.
const MODELS: [Method; 3] = [Method::Full, Method::Band, Method::Dispersed];

impl Experiment for BandRule {
    fn about(&self) -> About {
        About {
            name: "band-rule",
            source: "The paper's Figure B.4",
            summary: "Hellinger distance between the full model and one with ceil(D sqrt N) bands",
            full: Some("the paper's sizes and dimensions"),
            needs: "",
        }
    }

    fn cells(&self, scale: Scale) -> Vec<Cell> {
        let sizes = scale.pick(vec![30], vec![50, 100, 250], vec![50, 100, 250, 500, 1_000]);
        let dims = scale.pick(vec![2], vec![2, 3], vec![2, 3, 4, 5]);
        let cell = |n_objects, n_dims| {
            let cell = Cell::new(n_objects, NOISE, Method::Band, bands(n_objects, n_dims));
            Cell { n_dims, true_dims: n_dims, ..cell }
        };
        sizes.into_iter().flat_map(|n_objects| dims.iter().map(move |&n_dims| cell(n_objects, n_dims))).collect()
    }

    fn measured(&self) -> Vec<String> {
        let measures = ["hellinger", "vector_hellinger"];
        MODELS.iter().flat_map(|model| measures.map(|measure| format!("{measure}_{model}"))).collect()
    }

    /// Distances of each model from the full one; of the full one from another chain of itself.
    fn run(&self, cell: &Cell, scale: Scale) -> Result<Vec<f64>, ReproduceError> {
        let data = simulated(cell, half_normal(cell));
        let draws =
            |method: Method, chain| distances(&Cell { method, ..cell.clone() }, &data, scale, chain, &self.stop);
        let reference = draws(Method::Full, 0)?;
        let compare = |method: &Method| {
            let other = draws(*method, 1)?;
            Ok([hellinger, vector_hellinger].map(|distance| {
                reference.iter().zip(&other).map(|(a, b)| distance(a, b)).sum::<f64>() / reference.len() as f64
            }))
        };
        Ok(MODELS.iter().map(compare).collect::<Result<Vec<_>, ReproduceError>>()?.concat())
    }

    fn cost(&self, cell: &Cell) -> f64 {
        (cell.n_objects as f64).powi(2)
    }

    fn findings(&self, rows: &[Row], scale: Scale) -> Findings {
        let groups = grouped(rows);
        let mut table = Table::new(&[
            "objects",
            "dims",
            "method",
            "bands",
            "hellinger",
            "vector_hellinger",
            "authors_hellinger",
            "ratio_of_vector_hellinger",
        ]);
        let mut comparison = Table::new(&[
            "N",
            "D",
            "model",
            "Hellinger distance",
            "of draws as weights",
            "authors",
            "weights / authors",
        ]);
        for (group, (k, method)) in groups.iter().flat_map(|group| MODELS.iter().enumerate().map(move |m| (group, m))) {
            let Cell { n_objects, n_dims, count, .. } = &group.cell;
            let (found, weights) = (group.mean(2 * k), group.mean(2 * k + 1));
            let theirs = quoted(*method, &group.cell);
            let settings = [n_objects.to_string(), n_dims.to_string()];
            let model =
                if *method == Method::Full { "full, another chain".into() } else { format!("{method}:{count}") };
            let ratio = ratio(weights, theirs);
            let compared = [theirs.map(short).unwrap_or_default(), ratio.clone()];
            comparison.rows.push([&settings[..], &[model, short(found), short(weights)], &compared].concat());
            let numbers = [method.to_string(), count.to_string(), exact(found), exact(weights)];
            table.rows.push([&settings[..], &numbers, &[theirs.map(exact).unwrap_or_default(), ratio]].concat());
        }
        let page = Page {
            about: about(scale),
            comparisons: vec![("Ours beside the authors':".into(), comparison)],
            remarks: remarks(),
        };
        Findings { table, figure: figure(&groups, scale), page }
    }
}

fn about(scale: Scale) -> Vec<String> {
    let (warmup, n_draws) = effort(scale);
    vec![
        format!(
            "Standard normal locations in D dimensions, fitted in D, half-normal noise {NOISE} (the paper does not give its own). For each of \
             {COMPARED} random pairs the posterior of its distance under the full model is compared with that under ceil(D sqrt N) bands or \
             dispersed bands; numbers are means over pairs. Chains: NUTS, {warmup} iterations of warm-up, {n_draws} draws."
        ),
        "The Hellinger distance is sqrt(1 - ∫ sqrt(p q)) of Gaussian kernel density estimates (Silverman's bandwidth) on one grid: \
         0 for the same distribution, 1 for disjoint ones. Between two chains of the same model it is not 0 but the noise of \
         the draws: the rows \"full, another chain\"."
            .into(),
        "The authors used `CalcHellingerDist` of R's textmineR; on what is not said. Its argument is a vector of weights. Given two vectors of \
         draws it returns about half their relative spread, whether or not the distributions are the same: the column \"of draws as \
         weights\"."
            .into(),
    ]
}

fn remarks() -> Vec<String> {
    vec![
        "The authors' numbers lie far below the 0.05 that 1,000 draws of one and the same posterior give by an estimate of densities, and near those \
         of draws taken as weights. They therefore show how narrow the posteriors of distances are, not how near sparse and \
         full ones are to each other."
            .into(),
        "The paper's figure shows ratios to N = 100; ours shows the distances themselves.".into(),
    ]
}

fn bands(n_objects: usize, n_dims: usize) -> usize {
    (n_dims as f64 * (n_objects as f64).sqrt()).ceil() as usize
}

fn quoted(method: Method, cell: &Cell) -> Option<f64> {
    if method == Method::Band { authors::hellinger(cell.n_objects, cell.n_dims) } else { None }
}

/// (warm-up, draws).
fn effort(scale: Scale) -> (usize, usize) {
    scale.pick((150, 200), (200, 1_000), (500, 1_000))
}

/// The draws of each compared distance.
fn distances(
    cell: &Cell,
    data: &Simulation,
    scale: Scale,
    number: usize,
    stop: &AtomicBool,
) -> Result<Vec<Vec<f64>>, ReproduceError> {
    let posterior = posterior(cell, data);
    let (warmup, n_draws) = effort(scale);
    let chain = chain(cell, &posterior, start(&posterior, &first_map(cell, data)), warmup, number);
    let pairs = random_pairs(cell.n_objects, COMPARED);
    let mut by_pair = vec![Vec::with_capacity(n_draws); pairs.len()];
    draws(chain, n_draws, stop, |chain| {
        for (&(a, b), draws) in pairs.iter().zip(&mut by_pair) {
            draws.push(chain.distance(a, b));
        }
    })?;
    Ok(by_pair)
}

fn figure(groups: &[Group], scale: Scale) -> Scene {
    let mut dims: Vec<usize> = groups.iter().map(|group| group.cell.n_dims).collect();
    dims.sort_unstable();
    dims.dedup();
    let panel = |&n_dims: &usize| {
        let of = |k: usize| -> Vec<SeriesPoint> {
            let here = groups.iter().filter(|group| group.cell.n_dims == n_dims);
            here.map(|group| point(group.cell.n_objects as f64, group.mean(k))).collect()
        };
        let here = groups.iter().filter(|group| group.cell.n_dims == n_dims);
        let theirs =
            here.filter_map(|group| Some(point(group.cell.n_objects as f64, quoted(Method::Band, &group.cell)?)));
        let weights = sbmds::figures::SeriesColour::Numbered(5);
        let series = vec![
            ours("full against itself", colour(Method::Full), of(0)),
            ours("band", colour(Method::Band), of(2)),
            ours("dispersed", colour(Method::Dispersed), of(4)),
            ours("band, draws as weights", weights, of(3)),
            hollow(weights, theirs.collect()),
        ];
        Panel { title: format!("D = {n_dims}"), series }
    };
    draw_chart(&Chart {
        title: "Hellinger distance to the full model against the number of objects".into(),
        note: scale.note().into(),
        x: Axis { title: "Objects N".into(), scale: AxisScale::Log },
        y: Axis { title: "Mean Hellinger distance to full".into(), scale: AxisScale::Log },
        n_columns: dims.len(),
        panels: dims.iter().map(panel).collect(),
        width_mm: if dims.len() > 1 { 183.0 } else { 89.0 },
    })
}
