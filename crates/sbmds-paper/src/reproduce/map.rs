//! Figure 3: posterior mean maps with 5 and 10 bands, landmarks or dispersed bands.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sbmds::Locations;
use sbmds::embedding::{generalised_procrustes, procrustes};
use sbmds::figures::{Maps, Scene, SmallMap, draw_maps};

use super::data::{first_map, half_normal, posterior, simulated, start};
use super::draw::{chain, draws};
use super::measures::DistanceErrors;
use super::page::{exact, short};
use super::{About, Cell, Experiment, Findings, Method, Page, ReproduceError, Row, Scale, Table};

/// The experiment.
pub(super) struct Map {
    /// When set, a chain ends.
    pub stop: Arc<AtomicBool>,
}

impl Experiment for Map {
    fn about(&self) -> About {
        About {
            name: "map",
            source: "The paper's Figure 3",
            summary: "posterior mean maps, coloured by the true first coordinate",
            full: Some("the paper's size and noise levels, and more draws"),
            needs: "",
        }
    }

    fn cells(&self, scale: Scale) -> Vec<Cell> {
        let n_objects = scale.pick(30, 1_000, 1_000);
        let sds = scale.pick(vec![0.2], vec![0.1, 0.3], vec![0.1, 0.2, 0.3, 0.4]);
        let lines = [10, 5].into_iter().flat_map(|count| Method::SPARSE.map(|method| (method, count)));
        lines.flat_map(|(method, count)| sds.iter().map(move |&sd| Cell::new(n_objects, sd, method, count))).collect()
    }

    fn measured(&self) -> Vec<String> {
        vec!["mse".into(), "mse_of_mean".into(), "x1...xN,y1...yN".into()]
    }

    /// The mean MSE of draws, the MSE of the mean map, and the mean map, turned to the truth.
    fn run(&self, cell: &Cell, scale: Scale) -> Result<Vec<f64>, ReproduceError> {
        let data = simulated(cell, half_normal(cell));
        let errors = DistanceErrors::new(data.truth());
        let posterior = posterior(cell, &data);
        let (warmup, n_draws) = effort(scale);
        let chain = chain(cell, &posterior, start(&posterior, &first_map(cell, &data)), warmup, 0);
        let n = cell.n_objects;
        let draws = draws(chain, n_draws, &self.stop, |chain| Locations::from_values(n, chain.x().to_vec()))?;
        let mse = draws.iter().map(|draw| errors.mean_square(draw.as_slice())).sum::<f64>() / n_draws as f64;
        let mean = generalised_procrustes(|visit| {
            draws.iter().for_each(visit);
            Ok::<(), Infallible>(())
        });
        let mean = mean.unwrap_or_default().map_or_else(|| draws[0].clone(), |found| found.mean);
        let turned = procrustes(&mean, data.truth()).apply(&mean);
        Ok([&[mse, errors.mean_square(turned.as_slice())], turned.as_slice()].concat())
    }

    fn findings(&self, rows: &[Row], scale: Scale) -> Findings {
        let mut table = Table::new(&["noise", "method", "count", "object", "true_x", "true_y", "mean_x", "mean_y"]);
        let mut comparison = Table::new(&["noise", "method", "count", "MSE of draws", "MSE of the mean map"]);
        for row in rows {
            let Cell { sd, method, count, n_objects, .. } = &row.cell;
            let settings = [sd.to_string(), method.to_string(), count.to_string()];
            comparison.rows.push([&settings[..], &[row.values[0], row.values[1]].map(short)].concat());
            let data = simulated(&row.cell, half_normal(&row.cell));
            for (object, (x, y)) in points(row).enumerate().take(*n_objects) {
                let numbers = [data.truth().get(object, 0), data.truth().get(object, 1), x, y].map(exact);
                table.rows.push([&settings[..], &[(object + 1).to_string()], &numbers].concat());
            }
        }
        let (warmup, n_draws) = effort(scale);
        let page = Page {
            about: vec![
                format!(
                    "Standard normal locations in two dimensions, half-normal noise. Each map is the mean of {n_draws} draws of one NUTS chain \
                     (after {warmup} iterations of warm-up, from the classical MDS map), aligned by generalised Procrustes analysis and \
                     turned to the truth. Objects have the colour of their true x: where colours mix, the map is wrong."
                ),
                "The paper shows bands and landmarks; dispersed bands are new here. It gives no numbers for this figure.".into(),
            ],
            comparisons: vec![("Mean squared error of distances, over all N^2 entries:".into(), comparison)],
            remarks: vec![
                "Bands lose the map first: with 5 of them the draws disagree so much about its large-scale shape that their mean shrinks towards the \
                 centre. Landmarks and dispersed bands keep it; dispersed bands have the smallest errors."
                    .into(),
            ],
        };
        Findings { table, figure: figure(rows, scale), page }
    }
}

/// (warm-up, draws).
fn effort(scale: Scale) -> (usize, usize) {
    scale.pick((100, 50), (150, 100), (500, 1_000))
}

/// The mean map of a row.
fn points(row: &Row) -> impl Iterator<Item = (f64, f64)> + '_ {
    let (x, y) = row.values[2..].split_at(row.cell.n_objects);
    x.iter().copied().zip(y.iter().copied())
}

fn figure(rows: &[Row], scale: Scale) -> Scene {
    let mut by_noise: Vec<&Row> = rows.iter().collect();
    by_noise.sort_by(|a, b| a.cell.sd.total_cmp(&b.cell.sd));
    let truth = rows.first().map(|row| simulated(&row.cell, half_normal(&row.cell)).truth().dim(0).to_vec());
    let map = |row: &&Row| {
        let Cell { method, count, sd, .. } = &row.cell;
        SmallMap { title: format!("{method}:{count}, noise {sd}"), points: points(row).collect() }
    };
    draw_maps(&Maps {
        title: "Posterior mean maps of simulated data",
        note: scale.note(),
        colour_name: "True x",
        colours: &truth.unwrap_or_default(),
        // One column for each method and count.
        n_columns: 6,
        maps: by_noise.iter().map(map).collect(),
        width_mm: 183.0,
    })
}
