//! Table, figure and page of what sparse couplings keep.

use sbmds::figures::{Axis, AxisScale, Chart, Panel, Scene, draw_chart};

use super::super::groups::{Group, grouped};
use super::super::page::{exact, short};
use super::super::plot::{colour, ours, point};
use super::super::{Cell, Findings, Method, Page, Row, Scale, Source, Table};
use super::DISTANCES;

/// Numbers of a row that are in the page's table, and what they are called there.
const SHOWN: [(usize, &str); 9] = [
    (0, "sd ratio"),
    (1, "shift"),
    (2, "Hellinger"),
    (3, "coverage"),
    (4, "sd ratio (check)"),
    (5, "shift (check)"),
    (6, "sigma (check)"),
    (10, "pairs"),
    (11, "seconds"),
];
/// Where a row says whether the check holds, and what the rate of diffusion is beside the full model's.
const HOLDS: usize = 7;
const RATE: usize = 8;

pub(super) fn findings(rows: &[Row], scale: Scale, measured: &[String]) -> Findings {
    let names = SHOWN.map(|(_, name)| name);
    let mut comparison = Table::new(&[&["data", "couplings"][..], &names, &["holds"]].concat());
    let first = ["data", "objects", "dims", "noise", "method", "count"];
    let mut table = Table::new(&first.into_iter().chain(measured.iter().map(String::as_str)).collect::<Vec<_>>());
    let mut rates = Table::new(&["dimensions", "couplings", "mean", "sd"]);
    for Row { cell, values } in rows {
        let known = |value: f64| if value.is_nan() { String::new() } else { short(value) };
        let shown: Vec<String> = SHOWN.iter().map(|&(k, _)| known(values[k])).collect();
        let holds = if values[HOLDS].is_nan() {
            ""
        } else if values[HOLDS] == 1.0 {
            "yes"
        } else {
            "no"
        };
        let (data, couplings) = (named(cell), cell.couplings().to_string());
        comparison.rows.push([&[data.clone(), couplings.clone()][..], &shown, &[holds.to_owned()]].concat());
        let setting = [data, cell.n_objects.to_string(), cell.n_dims.to_string(), cell.sd.to_string()];
        let method = [cell.method.to_string(), cell.count.to_string()];
        table.rows.push([&setting[..], &method, &values.iter().copied().map(exact).collect::<Vec<_>>()].concat());
        if cell.source == Source::Tree {
            rates.rows.push(vec![cell.n_dims.to_string(), couplings, known(values[RATE]), known(values[RATE + 1])]);
        }
    }
    let mut comparisons = vec![("Sparse couplings beside all pairs:".into(), comparison)];
    if !rates.rows.is_empty() {
        comparisons.push(("Rate of diffusion along the tree, as a multiple of that under all pairs:".into(), rates));
    }
    Findings { table, figure: figure(&grouped(rows), scale), page: page(comparisons) }
}

fn named(cell: &Cell) -> String {
    let Cell { n_objects, n_dims, true_dims, sd, .. } = cell;
    match cell.source {
        Source::Simulated if true_dims != n_dims => {
            format!("simulated, N = {n_objects}, noise {sd}, {true_dims} dimensions on a map of {n_dims}")
        }
        Source::Simulated => format!("simulated, N = {n_objects}, noise {sd}"),
        Source::LogNormal => format!("simulated, N = {n_objects}, log-normal noise {sd}"),
        Source::Distances => format!("distances, N = {n_objects}, {n_dims} dimensions"),
        Source::Tree => format!("distances with tree, N = {n_objects}, {n_dims} dimensions"),
        Source::Embeddings => format!("embeddings, N = {n_objects}, cosine, {n_dims} dimensions"),
    }
}

fn page(comparisons: Vec<(String, Table)>) -> Page {
    Page {
        about: vec![
            format!(
                "{DISTANCES} random distances under each coupling are compared with draws under all pairs: the ratio of their standard \
                 deviations (geometric mean), the root mean square shift of their means in standard deviations, the mean Hellinger distance, \
                 and how often 95% intervals hold the true distance. The row `full` is a second fit of all pairs with another seed: what Monte \
                 Carlo error alone gives. \"Check\" is what an anchored fit itself estimates without knowing the full posterior, and \"holds\" \
                 its verdict; \"sigma\" is the shift of sigma in standard deviations. Seconds are of one thread, anchor and check included."
            ),
            "Simulated data: standard normal locations in two dimensions unless said otherwise, half-normal noise, or d + exp(e) with \
             e ~ N(0, noise^2) where it is called log-normal; the paper's priors."
                .into(),
        ],
        comparisons,
        remarks: vec![
            "Half-normal noise is above zero on average, and the model's is not: intervals of all pairs are centred beside the truth, and \
             the narrower they are the less often they hold it. Wide sparse intervals hold it more often for the wrong reason."
                .into(),
        ],
    }
}

fn figure(groups: &[Group], scale: Scale) -> Scene {
    let mut settings: Vec<String> = Vec::new();
    for group in groups {
        let name = named(&group.cell);
        if !settings.contains(&name) {
            settings.push(name);
        }
    }
    let methods = [Method::Band, Method::Landmark, Method::Dispersed, Method::Anchored];
    let panel = |name: &String| {
        let of = |method: Method| {
            let here = groups.iter().filter(|group| named(&group.cell) == *name && group.cell.method == method);
            let points = here.map(|group| point(group.cell.count as f64, group.mean(2))).collect();
            ours(method.name(), colour(method), points)
        };
        let has_points =
            |method: &Method| groups.iter().any(|group| named(&group.cell) == *name && group.cell.method == *method);
        Panel { title: name.clone(), series: methods.iter().copied().filter(has_points).map(of).collect() }
    };
    draw_chart(&Chart {
        title: "Hellinger distance of distances to those under all pairs".into(),
        note: scale.note().into(),
        x: Axis { title: "Bands or landmarks".into(), scale: AxisScale::Log },
        y: Axis { title: "Hellinger distance".into(), scale: AxisScale::FromZero },
        n_columns: settings.len().min(3),
        panels: settings.iter().map(panel).collect(),
        width_mm: 183.0,
    })
}
