//! Figures 6, 7 and B.2: seconds per likelihood and per gradient.

use std::time::{Duration, Instant};

use sbmds::figures::{Axis, AxisScale, Chart, Panel, Scene, Series, draw_chart};
use sbmds::likelihood::{Likelihood, Workspace};

use super::authors::raw_speed as authors;
use super::data::{half_normal, likelihood, simulated};
use super::page::{exact, short};
use super::plot::{authors as hollow, colour, ours, point};
use super::{About, Cell, Experiment, Findings, Method, Page, ReproduceError, Row, Scale, Table};

/// The experiment.
pub(super) struct RawSpeed;

/// Bands of the comparison between numbers of objects.
const BANDS: usize = 50;
/// Noise of data and likelihood: speed hardly depends on it.
const NOISE: f64 = 0.2;

impl Experiment for RawSpeed {
    fn about(&self) -> About {
        About {
            name: "raw-speed",
            source: "The paper's Figures 6, 7 and B.2",
            summary: "seconds per log-likelihood and gradient, and speed-ups over the full model",
            full: Some("the paper's sizes"),
            needs: "",
        }
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn cells(&self, scale: Scale) -> Vec<Cell> {
        let largest = largest(scale);
        let counts: Vec<usize> = vec![1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];
        let sizes: Vec<usize> = scale.pick(vec![100], vec![500, 1_000, 2_000], vec![500, 1_000, 2_000, 5_000]);
        let mut cells = Vec::new();
        for n_objects in sizes {
            cells.extend(Method::SPARSE.map(|method| Cell::new(n_objects, NOISE, method, BANDS.min(n_objects / 3))));
            cells.push(Cell::new(n_objects, NOISE, Method::Full, 0));
        }
        for method in Method::SPARSE {
            let most = if method == Method::Dispersed { (largest - 1) / 2 } else { largest };
            cells.extend(counts.iter().filter(|&&c| c < most).map(|&count| Cell::new(largest, NOISE, method, count)));
        }
        cells.push(Cell::new(largest, NOISE, Method::Full, 0));
        cells
    }

    fn measured(&self) -> Vec<String> {
        ["pairs", "likelihood_seconds", "gradient_seconds"].map(String::from).to_vec()
    }

    fn run(&self, cell: &Cell, scale: Scale) -> Result<Vec<f64>, ReproduceError> {
        let data = simulated(cell, half_normal(cell));
        let likelihood = likelihood(cell, &data);
        let budget = Duration::from_millis(scale.pick(5, 150, 1_000));
        let (value, gradient) = seconds(&likelihood, data.truth().as_slice(), budget);
        Ok(vec![likelihood.n_pairs() as f64, value, gradient])
    }

    fn cost(&self, cell: &Cell) -> f64 {
        1e5 + cell.pairs().count() as f64
    }

    fn findings(&self, rows: &[Row], scale: Scale) -> Findings {
        let full = |n_objects: usize| {
            let row = rows.iter().find(|row| row.cell.method == Method::Full && row.cell.n_objects == n_objects);
            row.map_or((f64::NAN, f64::NAN), |row| (row.values[1], row.values[2]))
        };
        let mut table = Table::new(&[
            "objects",
            "method",
            "count",
            "pairs",
            "likelihood_seconds",
            "gradient_seconds",
            "likelihood_speed_up",
            "gradient_speed_up",
            "authors_likelihood_seconds",
            "authors_gradient_seconds",
        ]);
        let mut speed_ups = Table::new(&[
            "method",
            "count",
            "likelihood speed-up",
            "authors",
            "gradient speed-up",
            "authors",
            "authors' seconds / ours (gradient)",
        ]);
        let mut against_n = Table::new(&["N", "method", "likelihood speed-up", "gradient speed-up"]);
        for Row { cell, values } in rows {
            let (full_value, full_gradient) = full(cell.n_objects);
            let gains = [full_value / values[1], full_gradient / values[2]];
            let theirs = quoted(cell);
            let settings = [cell.n_objects.to_string(), cell.method.to_string(), cell.count.to_string()];
            let their_seconds = [theirs.map(|t| exact(t.0)), theirs.map(|t| exact(t.1))].map(Option::unwrap_or_default);
            let numbers = [values[0], values[1], values[2], gains[0], gains[1]].map(exact);
            table.rows.push([&settings[..], &numbers, &their_seconds].concat());
            let printed = authors::SPEED_UPS.iter().find(|line| line.0 == cell.count);
            if let (true, Some(printed)) = (cell.n_objects == largest(scale), printed) {
                let their_gain = |gain: f64| if cell.method == Method::Band { short(gain) } else { String::new() };
                let faster = theirs.map(|t| format!("{:.0}", t.1 / values[2])).unwrap_or_default();
                let cells = [short(gains[0]), their_gain(printed.1), short(gains[1]), their_gain(printed.2), faster];
                speed_ups.rows.push([&settings[1..], &cells].concat());
            } else if cell.n_objects < largest(scale) && cell.method != Method::Full {
                let method = format!("{}:{}", cell.method, cell.count);
                against_n.rows.push(vec![settings[0].clone(), method, short(gains[0]), short(gains[1])]);
            }
        }
        let n_objects = largest(scale);
        let page = Page {
            about: vec![format!(
                "One thread, two dimensions, f64 throughout. Each time is the smallest of at least five evaluations: other work on the machine \
                 only ever adds to it. The gradient is that of the likelihood alone; the largest size here is N = {n_objects} (the paper: \
                 10,000). Data: half-normal noise {NOISE}."
            )],
            comparisons: vec![
                (format!("Speed-ups over the full model at N = {n_objects}, beside those in the paper's text (bands):"), speed_ups),
                ("Speed-ups at smaller N (the paper: about 3, 10 and 40 at N = 500, 1,000 and 5,000 with 50 bands):".into(), against_n),
            ],
            remarks: vec![
                "Speed-ups are the ratio of the numbers of pairs, less what the memory costs: the full model at N = 10,000 reads 400 MB per \
                 evaluation. The authors' clock has steps of a millisecond, which is why their 5 bands are 457 (773) times as fast where \
                 their numbers of pairs say 1,000."
                    .into(),
                "Their times are of another machine: the last column says how much of a factor that and the kernels are.".into(),
            ],
        };
        Findings { table, figure: figure(rows, scale), page }
    }
}

fn largest(scale: Scale) -> usize {
    scale.pick(200, 5_000, 10_000)
}

fn quoted(cell: &Cell) -> Option<(f64, f64)> {
    if cell.n_objects == 10_000 { authors::seconds(cell.method, cell.count) } else { None }
}

/// Seconds per likelihood and per gradient.
fn seconds(likelihood: &Likelihood, x: &[f64], budget: Duration) -> (f64, f64) {
    let mut workspace = Workspace::serial();
    let mut gradient = vec![0.0; x.len()];
    let value = smallest(budget, || {
        std::hint::black_box(likelihood.value_at(&mut workspace, x, NOISE));
    });
    let derivative = smallest(budget, || {
        likelihood.gradient_at(&mut workspace, x, NOISE, &mut gradient);
        std::hint::black_box(&gradient);
    });
    (value, derivative)
}

/// The smallest time of at least five calls, in seconds.
fn smallest(budget: Duration, mut work: impl FnMut()) -> f64 {
    let begin = Instant::now();
    let (mut best, mut calls) = (Duration::MAX, 0);
    while calls < 5 || begin.elapsed() < budget {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
        calls += 1;
    }
    best.as_secs_f64()
}

fn figure(rows: &[Row], scale: Scale) -> Scene {
    let largest = largest(scale);
    let of = |method: Method, chosen: &dyn Fn(&Cell) -> bool, x: &dyn Fn(&Cell) -> f64, k: usize| {
        let rows = rows.iter().filter(|row| row.cell.method == method && chosen(&row.cell));
        rows.map(|row| point(x(&row.cell), row.values[k])).collect::<Vec<_>>()
    };
    let against_count = |k: usize, title: &str| {
        let mut series: Vec<Series> = Vec::new();
        for method in Method::SPARSE {
            let mut points = of(method, &|cell| cell.n_objects == largest, &|cell| cell.count as f64, k);
            points.extend(of(Method::Full, &|cell| cell.n_objects == largest, &|_| (largest - 1) as f64, k));
            series.push(ours(method.name(), colour(method), points));
            let theirs = |row: &Row| {
                let (value, gradient) = quoted(&row.cell).filter(|_| row.cell.method == method)?;
                Some(point(row.cell.count as f64, if k == 1 { value } else { gradient }))
            };
            let points: Vec<_> = rows.iter().filter_map(theirs).collect();
            if !points.is_empty() {
                series.push(hollow(colour(method), points));
            }
        }
        Panel { title: format!("{title}, N = {largest}, against bands"), series }
    };
    let against_size = |k: usize, title: &str| {
        let is_shown = |cell: &Cell| cell.method == Method::Full || cell.count == BANDS.min(cell.n_objects / 3);
        let all = [Method::Full, Method::Band, Method::Landmark, Method::Dispersed];
        let series =
            all.map(|method| ours(method.name(), colour(method), of(method, &is_shown, &|c| c.n_objects as f64, k)));
        Panel { title: format!("{title}, {BANDS} bands, against N"), series: series.to_vec() }
    };
    draw_chart(&Chart {
        title: "Seconds per evaluation against bands or landmarks, and against objects".into(),
        note: scale.note().into(),
        x: Axis {
            title: "Above: bands or landmarks (the last is the full model). Below: objects N".into(),
            scale: AxisScale::Log,
        },
        y: Axis { title: "Seconds per evaluation".into(), scale: AxisScale::Log },
        n_columns: 2,
        panels: vec![
            against_count(1, "Likelihood"),
            against_count(2, "Gradient"),
            against_size(1, "Likelihood"),
            against_size(2, "Gradient"),
        ],
        width_mm: 183.0,
    })
}
