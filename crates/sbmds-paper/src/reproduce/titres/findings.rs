//! The table, figure and page of held-out titres.

use sbmds::figures::{Axis, AxisScale, Chart, Panel, Scene, SeriesColour, SeriesPoint, draw_chart};

use super::HeldOut;
use super::model::MODELS;
use crate::reproduce::page::{exact, short};
use crate::reproduce::plot::{authors, ours, point};
use crate::reproduce::{Findings, Page, Row, Scale, Table};

/// The rows of one model, held out in one way.
struct Group<'a> {
    number: usize,
    kind: HeldOut,
    rows: Vec<&'a Row>,
}

impl Group<'_> {
    /// Mean over seeds, and the standard deviation between them.
    fn moments(&self, value: usize) -> (f64, f64) {
        let values: Vec<f64> = self.rows.iter().map(|row| row.values[value]).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, variance.sqrt())
    }

    fn largest(&self, value: usize) -> f64 {
        self.rows.iter().map(|row| row.values[value]).fold(f64::NAN, f64::max)
    }
}

fn groups(rows: &[Row]) -> Vec<Group<'_>> {
    let numbers = (1..=MODELS.len()).flat_map(|number| HeldOut::ALL.map(|kind| (number, kind)));
    let group = |(number, kind)| {
        let is_of = |row: &&Row| row.cell.count == number && row.cell.held_out == Some(kind);
        Group { number, kind, rows: rows.iter().filter(is_of).collect() }
    };
    numbers.map(group).filter(|group| !group.rows.is_empty()).collect()
}

/// Where each number is among those measured.
const ERROR: usize = 0;
const OF_MU: usize = 1;
const WITH_LIMITS: usize = 2;
const MAX_RHAT: usize = 8;

/// Everything; `counts` are the numbers of rows and of limits among them.
pub(super) fn findings(rows: &[Row], scale: Scale, counts: (usize, usize)) -> Findings {
    let groups = groups(rows);
    let mut table = Table::new(&[
        "model",
        "held_out",
        "seeds",
        "published",
        "error",
        "sd",
        "error_of_mu",
        "error_with_limits",
        "max_rhat",
    ]);
    for group in &groups {
        let (error, sd) = group.moments(ERROR);
        let numbers = [error, sd, group.moments(OF_MU).0, group.moments(WITH_LIMITS).0, group.largest(MAX_RHAT)];
        let first = [group.number.to_string(), group.kind.name().into(), group.rows.len().to_string()];
        let published = exact(MODELS[group.number - 1].published);
        table.rows.push(first.into_iter().chain([published]).chain(numbers.map(exact)).collect());
    }
    Findings { table, figure: figure(&groups, scale), page: page(&groups, scale, counts) }
}

fn page(groups: &[Group<'_>], scale: Scale, (n_rows, n_limits): (usize, usize)) -> Page {
    let mut compared =
        Table::new(&["model", "what it has", "published", "rows (with <)", "pairs (with <)", "largest R-hat"]);
    for (number, model) in MODELS.iter().enumerate() {
        let of = |kind| groups.iter().find(|group| (group.number, group.kind) == (number + 1, kind));
        let shown = |kind| of(kind).map_or(String::new(), with_limits);
        let rhat =
            HeldOut::ALL.into_iter().filter_map(of).map(|group| group.largest(MAX_RHAT)).fold(f64::NAN, f64::max);
        if rhat.is_nan() {
            continue;
        }
        compared.rows.push(vec![
            (number + 1).to_string(),
            model.description(),
            format!("{:.2}", model.published),
            shown(HeldOut::Rows),
            shown(HeldOut::Pairs),
            short(rhat),
        ]);
    }
    let n_seeds = groups.iter().map(|group| group.rows.len()).max().unwrap_or(0);
    let (chains, n_warmup, draws) = super::effort(scale);
    Page {
        about: vec![
            format!(
                "{n_rows} titres, {n_limits} of them limits; a tenth is held out at random, {n_seeds} times: rows (others of the same virus and serum may \
                 stay), or pairs of virus and serum with all their rows, which is harder. Each fit: {chains} chains of {n_warmup} iterations of \
                 warm-up and {draws} draws."
            ),
            "The error is the mean absolute difference of measured log2 titres and the posterior mean of mu - 1/2, the titre as it would be \
             written; the standard deviation between seeds follows. In brackets limits count, too: 0 where mu keeps the limit, else its distance \
             from it. Which rows were held out, and how `<` was scored, is not published."
                .into(),
        ],
        comparisons: vec![("Ours beside the published:".into(), compared)],
        remarks: Vec::new(),
    }
}

/// Error, its standard deviation between seeds, and in brackets the error with limits.
fn with_limits(group: &Group<'_>) -> String {
    let (error, sd) = group.moments(ERROR);
    let spread = if sd.is_nan() { String::new() } else { format!(" +- {sd:.2}") };
    format!("{error:.2}{spread} ({:.2})", group.moments(WITH_LIMITS).0)
}

fn figure(groups: &[Group<'_>], scale: Scale) -> Scene {
    let series = |(number, kind): (usize, HeldOut)| {
        let here = groups.iter().filter(|group| group.kind == kind);
        let dots = here.map(|group| {
            let (y, sd) = group.moments(ERROR);
            SeriesPoint { x: group.number as f64, y, sd }
        });
        ours(kind.name(), SeriesColour::Numbered(number), dots.collect())
    };
    let published = (1..).zip(&MODELS).map(|(number, model)| point(f64::from(number), model.published)).collect();
    let series = HeldOut::ALL.into_iter().enumerate().map(series);
    draw_chart(&Chart {
        title: "Mean absolute error of held-out log2 titres".into(),
        note: scale.note().into(),
        x: Axis { title: "Model of Bedford et al. (2014)".into(), scale: AxisScale::Linear },
        y: Axis { title: "Mean absolute error (log2)".into(), scale: AxisScale::FromZero },
        n_columns: 1,
        panels: vec![Panel {
            title: String::new(),
            series: series.chain([authors(SeriesColour::Black, published)]).collect(),
        }],
        width_mm: 120.0,
    })
}
