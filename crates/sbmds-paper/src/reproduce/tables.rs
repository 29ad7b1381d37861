//! Tables 1 and 2: log-likelihoods and gradients of five objects.

use sbmds::figures::{Axis, AxisScale, Chart, Panel, draw_chart};

use super::page::{exact, short};
use super::paper_example::{BAND_GRADIENTS, BAND_VALUES, LANDMARK_GRADIENTS, LANDMARK_VALUES, X, evaluate, locations};
use super::plot::{authors, colour, ours, point};
use super::{About, Cell, Experiment, Findings, Method, Page, ReproduceError, Row, Scale, Table};

/// The experiment.
pub(super) struct Tables;

impl Experiment for Tables {
    fn about(&self) -> About {
        About {
            name: "tables",
            source: "The paper's Tables 1 and 2",
            summary: "log-likelihoods and gradients of five objects",
            full: None,
            needs: "",
        }
    }

    fn cells(&self, _: Scale) -> Vec<Cell> {
        let of = |method, count| Cell { true_dims: 2, ..Cell::new(5, 0.0, method, count) };
        let sparse = [Method::Band, Method::Landmark].into_iter().flat_map(|m| (1..=4).map(move |count| of(m, count)));
        sparse.chain([of(Method::Dispersed, 1)]).collect()
    }

    fn measured(&self) -> Vec<String> {
        let gradient = (1..=5).flat_map(|object| (1..=2).map(move |dim| format!("gradient_x{object}_{dim}")));
        std::iter::once("log_likelihood".to_owned()).chain(gradient).collect()
    }

    fn run(&self, cell: &Cell, _: Scale) -> Result<Vec<f64>, ReproduceError> {
        let x = locations(&X);
        let (value, gradient) = evaluate(&cell.pairs(), &x, |a, b| x.distance(a, b));
        Ok(std::iter::once(value).chain((0..5).flat_map(|object| gradient.object(object))).collect())
    }

    fn findings(&self, rows: &[Row], _: Scale) -> Findings {
        let mut table = Table::new(&["method", "count", "number", "ours", "authors", "difference"]);
        let mut values = Table::new(&["method", "count", "ours", "authors", "difference"]);
        let mut largest = 0.0_f64;
        for row in rows {
            let Row { cell, values: found } = row;
            let settings = [cell.method.to_string(), cell.count.to_string()];
            for (k, (name, &ours)) in self.measured().into_iter().zip(found).enumerate() {
                let authors = printed(cell.method, cell.count, k);
                let difference = authors.map(|authors| ours - authors);
                largest = largest.max(difference.unwrap_or(0.0).abs());
                let numbers = [exact(ours), optional(authors, exact), optional(difference, exact)];
                table.rows.push([settings.to_vec(), vec![name], numbers.to_vec()].concat());
                if k == 0 {
                    let difference = optional(difference, |difference| format!("{difference:+.4}"));
                    let numbers = [format!("{ours:.4}"), optional(authors, |a| format!("{a:.3}")), difference];
                    values.rows.push([settings.to_vec(), numbers.to_vec()].concat());
                }
            }
        }
        let page = Page {
            about: vec![
                "Five objects in two dimensions, sigma^2 = 0.25, dissimilarities equal to the distances. Each number is the \
                 sparse log-likelihood (the paper's equation 4) or a component of its gradient (equation 5)."
                    .into(),
                "The paper prints locations to two decimals but computed its tables before rounding. The locations used here \
                 round to the printed ones, their distances round to the printed dissimilarities, and were found by \
                 least squares on the printed tables."
                    .into(),
            ],
            comparisons: vec![("Log-likelihoods (Table 1):".into(), values)],
            remarks: vec![
                format!(
                    "Largest difference over all 88 numbers of both tables: {}. The tables are printed to three decimals.",
                    short(largest)
                ),
                "The paper prints the second component of x1's gradient without its minus sign: gradients of a function \
                 of distances add up to zero over the objects, and do so only with it."
                    .into(),
            ],
        };
        Findings { table, figure: figure(rows), page }
    }
}

fn optional(number: Option<f64>, text: impl Fn(f64) -> String) -> String {
    number.map(text).unwrap_or_default()
}

/// The k-th number of a table: the value, then the gradient object by object.
fn printed(method: Method, count: usize, k: usize) -> Option<f64> {
    let (values, gradients) = match method {
        Method::Band => (&BAND_VALUES, &BAND_GRADIENTS),
        Method::Landmark => (&LANDMARK_VALUES, &LANDMARK_GRADIENTS),
        _ => return None,
    };
    let at = count.checked_sub(1)?;
    if k == 0 { values.get(at).copied() } else { gradients.get(at).map(|g| g[(k - 1) / 2][(k - 1) % 2]) }
}

fn figure(rows: &[Row]) -> sbmds::figures::Scene {
    let mut series = Vec::new();
    for method in [Method::Band, Method::Landmark] {
        let of_method = || rows.iter().filter(move |row| row.cell.method == method);
        let found = of_method().map(|row| point(row.cell.count as f64, row.values[0])).collect();
        series.push(ours(method.name(), colour(method), found));
        let printed =
            of_method().filter_map(|row| Some(point(row.cell.count as f64, printed(method, row.cell.count, 0)?)));
        series.push(authors(colour(method), printed.collect()));
    }
    draw_chart(&Chart {
        title: "Log-likelihood of five objects against bands or landmarks".into(),
        note: String::new(),
        x: Axis { title: "Bands or landmarks".into(), scale: AxisScale::Linear },
        y: Axis { title: "Log-likelihood".into(), scale: AxisScale::Linear },
        n_columns: 1,
        panels: vec![Panel { title: String::new(), series }],
        width_mm: 89.0,
    })
}
