//! Why dispersed bands work: the spectrum of the information about the map that band, landmarks and dispersed bands carry.

use sbmds::Locations;
use sbmds::coupling::CHOSEN_BANDS;
use sbmds::dense::{Matrix, symmetric_eigenvalues};
use sbmds::figures::{Axis, AxisScale, Chart, Panel, Scene, SeriesPoint, draw_chart};

use super::data::{half_normal, simulated};
use super::groups::{Group, grouped};
use super::page::{exact, short};
use super::plot::{colour, level, ours, point};
use super::{About, Cell, Experiment, Findings, Method, Page, ReproduceError, Row, Scale, Table};

/// The experiment.
pub(super) struct Spectrum;

/// What is compared.
const METHODS: [Method; 4] = [Method::Band, Method::Landmark, Method::Unchosen, Method::Dispersed];
/// Noise of the simulations.
const NOISE: f64 = 0.2;
/// Fits of half-normal noise end with a sigma of about this many parts of it.
const FITTED: f64 = 0.7;

impl Experiment for Spectrum {
    fn about(&self) -> About {
        About {
            name: "spectrum",
            source: "Not in the paper: why dispersed bands work",
            summary: "condition number of the information matrix and posterior variance against the number of bands",
            full: Some("more of them"),
            needs: "",
        }
    }

    fn cells(&self, scale: Scale) -> Vec<Cell> {
        let sizes = scale.pick(vec![40], vec![100, 400], vec![100, 1_000]);
        let counts: Vec<usize> =
            scale.pick(vec![4, 8], vec![3, 4, 5, 7, 10, 14, 20], vec![3, 4, 5, 7, 10, 14, 20, 30, 40]);
        let mut cells = Vec::new();
        for n_objects in sizes {
            for repeat in 0..scale.pick(1, 2, 5) {
                let sparse = METHODS.into_iter().flat_map(|m| counts.iter().map(move |&count| (m, count)));
                let sparse = sparse.filter(|&(method, count)| method != Method::Unchosen || count <= CHOSEN_BANDS);
                for (method, count) in sparse.chain([(Method::Full, 0)]) {
                    cells.push(Cell::new(n_objects, NOISE, method, count).repeated(repeat));
                }
            }
        }
        cells
    }

    fn measured(&self) -> Vec<String> {
        ["pairs", "condition", "variance", "softest"].map(String::from).to_vec()
    }

    fn run(&self, cell: &Cell, _: Scale) -> Result<Vec<f64>, ReproduceError> {
        let data = simulated(cell, half_normal(cell));
        let precisions = precisions(cell, data.truth());
        let variance = precisions.iter().map(|p| 1.0 / p).sum::<f64>() / precisions.len() as f64;
        let (softest, stiffest) = (precisions[0], precisions[precisions.len() - 1]);
        Ok(vec![cell.pairs().count() as f64, stiffest / softest, variance, softest])
    }

    fn cost(&self, cell: &Cell) -> f64 {
        (cell.n_objects as f64).powi(3)
    }

    fn findings(&self, rows: &[Row], scale: Scale) -> Findings {
        let groups = grouped(rows);
        let mut table = Table::new(&[
            "objects",
            "method",
            "count",
            "data_sets",
            "pairs",
            "condition",
            "condition_sd",
            "variance",
            "variance_sd",
        ]);
        let mut comparison = Table::new(&["N", "method", "count", "condition number", "posterior variance"]);
        for group in &groups {
            let Cell { n_objects, method, count, .. } = &group.cell;
            let settings = [n_objects.to_string(), method.to_string(), count.to_string()];
            let numbers = [group.mean(0), group.mean(1), group.sd(1), group.mean(2), group.sd(2)].map(exact);
            table.rows.push([&settings[..], &[group.len().to_string()], &numbers].concat());
            comparison.rows.push([&settings[..], &[short(group.mean(1)), short(group.mean(2))]].concat());
        }
        let page = Page {
            about: vec![format!(
                "N standard normal locations in two dimensions. The posterior precision of the map near the truth is the Fisher information \
                 of the coupled distances, sum over pairs of u u' / sigma^2 (u: the direction of the pair; sigma = {FITTED} x {NOISE}, where \
                 fits of half-normal noise end), plus that of the prior. The condition number is its largest eigenvalue over its smallest \
                 one, the rigid motions (shifts and rotations, which no distance sees) left out; the posterior variance is the mean \
                 of the inverse eigenvalues (Laplace's approximation). Means over data sets."
            )],
            comparisons: vec![("At equal numbers of bands (and so, nearly, of pairs):".into(), comparison)],
            remarks: vec![
                "The slow modes of a band are large-scale: bending the map over many objects hardly changes the distances of neighbours \
                 in the band. Random diagonals make the graph of pairs an expander, which has no such modes."
                    .into(),
                "Up to ten bands, offsets are chosen: of 64 sets drawn, the one whose graph has the largest spectral gap, which depends on N and \
                 the offsets alone. \"Unchosen\" are the first sets drawn. Choosing costs nothing later and gains a little with three to five \
                 bands; with ten the two are alike."
                    .into(),
                "A sampler without a mass matrix needs about as many leapfrog steps per independent draw as the square root of the condition number."
                    .into(),
            ],
        };
        Findings { table, figure: figure(&groups, scale), page }
    }
}

/// Eigenvalues of the posterior precision without rigid motions, increasing.
fn precisions(cell: &Cell, truth: &Locations) -> Vec<f64> {
    let (n, n_dims) = (cell.n_objects, truth.n_dims());
    let weight = 1.0 / (FITTED * cell.sd).powi(2);
    let pairs = cell.pairs();
    let mut information = Matrix::zeros(n * n_dims, n * n_dims);
    for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).filter(|&(a, b)| pairs.contains(a, b)) {
        let distance = truth.distance(a, b);
        for i in 0..n_dims {
            for j in 0..n_dims {
                let along = |dim: usize| (truth.get(a, dim) - truth.get(b, dim)) / distance;
                let entry = weight * along(i) * along(j);
                information[(i * n + a, j * n + a)] += entry;
                information[(i * n + b, j * n + b)] += entry;
                information[(i * n + a, j * n + b)] -= entry;
                information[(i * n + b, j * n + a)] -= entry;
            }
        }
    }
    let eigenvalues = symmetric_eigenvalues(&information).unwrap_or_default();
    // The prior N(0, I) adds 1 to each.
    eigenvalues.iter().skip(n_dims * (n_dims + 1) / 2).map(|value| value.max(0.0) + 1.0).collect()
}

fn figure(groups: &[Group], scale: Scale) -> Scene {
    let mut sizes: Vec<usize> = groups.iter().map(|group| group.cell.n_objects).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let panel = |(k, title): (usize, &str), size: usize| {
        let of = |method: Method| groups.iter().filter(move |g| g.cell.n_objects == size && g.cell.method == method);
        let mut series: Vec<_> = of(Method::Full)
            .map(|group| level("full", colour(Method::Full), vec![point(5.0, group.mean(k))]))
            .collect();
        for method in METHODS {
            let points = of(method).map(|g| SeriesPoint { x: g.cell.count as f64, y: g.mean(k), sd: g.sd(k) });
            series.push(ours(method.name(), colour(method), points.collect()));
        }
        Panel { title: format!("{title}, N = {size}"), series }
    };
    let rows = [(1, "Condition number"), (2, "Posterior variance")];
    let panels = rows.into_iter().flat_map(|row| sizes.iter().map(move |&size| panel(row, size))).collect();
    draw_chart(&Chart {
        title: "Condition number and posterior variance against the number of bands or landmarks".into(),
        note: scale.note().into(),
        x: Axis { title: "Bands or landmarks".into(), scale: AxisScale::Log },
        y: Axis { title: String::new(), scale: AxisScale::Log },
        n_columns: sizes.len(),
        panels,
        width_mm: if sizes.len() > 1 { 183.0 } else { 89.0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_has_three_stiff_directions_besides_rigid_motions() {
        // Equilateral, all pairs: 3 distances inform 3 non-rigid directions. The information is that of three springs of
        // stiffness w: breathing 3 w, two shears 1.5 w.
        let truth =
            Locations::from_fn(3, 2, |object, dim| [[0.0, 0.0], [1.0, 0.0], [0.5, 0.75_f64.sqrt()]][object][dim]);
        let cell = Cell::new(3, 1.0 / FITTED, Method::Full, 0);
        let found = precisions(&cell, &truth);
        let expected = [2.5, 2.5, 4.0];
        assert!(found.len() == 3 && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
    }
}
