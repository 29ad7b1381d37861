//! Figures 1, 2 and B.1: how accurate distances are with few bands, landmarks or dispersed bands.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sbmds::figures::{Axis, AxisScale, Chart, Panel, Scene, draw_chart};

use super::authors::accuracy as authors;
use super::data::half_normal;
use super::draw::Effort;
use super::groups::{Group, grouped};
use super::plot::{colour, level, point};
use super::{About, Cell, Experiment, Findings, Method, Page, ReproduceError, Row, Scale, Table, mse};

/// The experiment.
pub(super) struct Accuracy {
    /// When set, a chain ends.
    pub stop: Arc<AtomicBool>,
}

/// Objects up to which the full model is fitted too, and every count in chains of full length.
const FULL_OBJECTS: usize = 1_000;
/// Counts beyond that.
const FEWER_COUNTS: [usize; 6] = [1, 2, 3, 5, 10, 20];
/// Draws at most beyond that: one draw averages over 100,000 distances.
const MOST_OF_MANY_OBJECTS: usize = 200;

const REMARKS: [&str; 2] = [
    "Dispersed bands have as many pairs as the band of the same count (up to the wrap-around: B N instead of B N - B (B + 1)/2).",
    "The authors' numbers of one method over all noise levels and counts share one data set, and so lie above or below ours together.",
];

impl Experiment for Accuracy {
    fn about(&self) -> About {
        About {
            name: "accuracy",
            source: "The paper's Figures 1, 2 and B.1",
            summary: "mean squared error of distances against the number of bands or landmarks",
            full: Some("the paper's sizes, noise levels and counts, and more data sets"),
            needs: "",
        }
    }

    fn cells(&self, scale: Scale) -> Vec<Cell> {
        let sds = scale.pick(vec![0.2], vec![0.1, 0.4], vec![0.1, 0.2, 0.3, 0.4]);
        let sizes: Vec<usize> = scale.pick(vec![10], vec![10, 100, 1_000], vec![10, 100, 1_000, 10_000]);
        let mut cells = Vec::new();
        for n_objects in sizes {
            for repeat in 0..repeats(n_objects, scale) {
                for &sd in &sds {
                    if n_objects <= FULL_OBJECTS {
                        cells.push(Cell::new(n_objects, sd, Method::Full, 0).repeated(repeat));
                    }
                    for (method, count) in Method::SPARSE
                        .into_iter()
                        .flat_map(|m| counts(n_objects, scale).into_iter().map(move |c| (m, c)))
                    {
                        cells.push(Cell::new(n_objects, sd, method, count).repeated(repeat));
                    }
                }
            }
        }
        cells
    }

    fn measured(&self) -> Vec<String> {
        mse::measured()
    }

    fn run(&self, cell: &Cell, scale: Scale) -> Result<Vec<f64>, ReproduceError> {
        mse::fit(cell, half_normal(cell), &effort(cell.n_objects, scale), &self.stop)
    }

    fn cost(&self, cell: &Cell) -> f64 {
        // Few bands mix slowly, many cost more: about even. Trajectories get longer with N.
        (cell.n_objects as f64).powf(1.4)
    }

    fn findings(&self, rows: &[Row], scale: Scale) -> Findings {
        let groups = grouped(rows);
        let mut table = mse::csv_table();
        let mut comparison = Table::new(&[&["N", "noise", "method", "count"][..], &mse::COMPARED].concat());
        for group in &groups {
            let authors = quoted(&group.cell);
            table.rows.push(mse::csv_line(group, authors));
            if [5, 10, 20, 0].contains(&group.cell.count) {
                let Cell { n_objects, sd, method, count, .. } = &group.cell;
                let count = if *method == Method::Full { String::new() } else { count.to_string() };
                let settings = [n_objects.to_string(), sd.to_string(), method.to_string(), count];
                comparison.rows.push(mse::compared(&settings, group, authors));
            }
        }
        let page = Page {
            about: vec![
                "N standard normal locations in two dimensions, dissimilarities d + |e|, e ~ N(0, noise^2), as in the paper's \
                 code (half-normal noise, which is not the model's: even with all pairs the MSE stays above about \
                 0.5 noise^2)."
                    .into(),
                mse::about_mse(),
                mse::about_draws(&effort(FULL_OBJECTS, scale))
                    + &largest(&groups).map_or_else(String::new, |n| about_many_objects(n, scale)),
                "Means are over several simulated data sets; each of the authors' numbers is one data set. \"Authors off by\" is in \
                 standard deviations between data sets, the error of our mean included: within 3 the difference is chance. It is left out \
                 where there are fewer than three data sets, whose spread may be small by chance."
                    .into(),
            ],
            comparisons: vec![("At 5, 10 and 20 bands or landmarks, and with all pairs (full):".into(), comparison)],
            remarks: mse::about_largest_error(&groups)
                .into_iter()
                .chain(about_slow_bands(&groups))
                .chain(REMARKS.map(String::from))
                .collect(),
        };
        Findings { table, figure: figure(&groups, scale), page }
    }
}

fn quoted(cell: &Cell) -> Option<f64> {
    authors::mse(cell.method, cell.n_objects, cell.sd, cell.count)
}

/// The number of objects of the groups that have less than the others, if there are such.
fn largest(groups: &[Group]) -> Option<usize> {
    groups.iter().map(|group| group.cell.n_objects).find(|&n| n > FULL_OBJECTS)
}

/// What is less there.
fn about_many_objects(n_objects: usize, scale: Scale) -> String {
    let most = effort(n_objects, scale).most;
    format!(" At N = {n_objects} there is one data set, at most {most} draws, and not every count.")
}

/// Why bands may differ from the authors' where there are many objects.
fn about_slow_bands(groups: &[Group]) -> Option<String> {
    groups.iter().any(|group| group.cell.n_objects >= FULL_OBJECTS).then(|| {
        format!(
            "From N = {FULL_OBJECTS} on the large-scale modes of a band are explored slowly, from a start near the truth. What 5 or 10 bands give there \
             probably depends on how far a chain has come, ours or the authors', more than the Monte Carlo error within one chain shows (this \
             was not tested); what 5 landmarks give, on which objects they are."
        )
    })
}

/// Data sets of each setting.
fn repeats(n_objects: usize, scale: Scale) -> usize {
    match (scale, n_objects) {
        (Scale::Toy, _) => 2,
        (Scale::Quick, 10) => 8,
        (Scale::Quick, 100) => 3,
        (Scale::Quick, _) => 1,
        (Scale::Full, 10) => 20,
        (Scale::Full, 100) => 10,
        (Scale::Full, 1_000) => 2,
        (Scale::Full, _) => 1,
    }
}

fn counts(n_objects: usize, scale: Scale) -> Vec<usize> {
    let most = if n_objects == 10 { 9 } else { 20 };
    let every = if n_objects > FULL_OBJECTS { FEWER_COUNTS.to_vec() } else { (1..=20).collect() };
    let counts = scale.pick(vec![2, 5], FEWER_COUNTS.to_vec(), every);
    let many = if n_objects >= 1_000 && scale == Scale::Quick { 5 } else { 1 };
    counts.into_iter().filter(|count| (many..=most).contains(count)).collect()
}

fn effort(n_objects: usize, scale: Scale) -> Effort {
    let most = if n_objects > FULL_OBJECTS { MOST_OF_MANY_OBJECTS } else { 1_600 };
    scale.pick(
        Effort { warmup: 200, first: 100, most: 200, error: 0.05 },
        Effort { warmup: 200, first: 100, most: 200, error: 0.03 },
        Effort { warmup: 300, first: 200, most, error: 0.01 },
    )
}

fn figure(groups: &[Group], scale: Scale) -> Scene {
    let distinct = |of: fn(&Cell) -> f64| {
        let mut values: Vec<f64> = groups.iter().map(|group| of(&group.cell)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let (sizes, sds) = (distinct(|cell| cell.n_objects as f64), distinct(|cell| cell.sd));
    let mut panels = Vec::new();
    for &size in &sizes {
        for &sd in &sds {
            let here: Vec<&Group> =
                groups.iter().filter(|g| g.cell.n_objects as f64 == size && g.cell.sd == sd).collect();
            let mut series = Vec::new();
            for full in here.iter().filter(|group| group.cell.method == Method::Full) {
                series.push(level("full", colour(Method::Full), vec![point(1.0, full.mean(0))]));
            }
            for method in Method::SPARSE {
                series.extend(mse::series(&here, method, |cell| cell.count as f64, quoted));
            }
            panels.push(Panel { title: format!("N = {size}, noise {sd}"), series });
        }
    }
    draw_chart(&Chart {
        title: "Mean squared error of distances against the number of bands or landmarks".into(),
        note: scale.note().into(),
        x: Axis { title: "Bands or landmarks".into(), scale: AxisScale::Linear },
        y: Axis { title: "Mean squared error of distances".into(), scale: AxisScale::Log },
        n_columns: sds.len(),
        panels,
        width_mm: if sds.len() > 1 { 183.0 } else { 89.0 },
    })
}
