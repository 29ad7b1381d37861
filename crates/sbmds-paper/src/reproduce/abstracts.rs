//! Table 4: clusters of embedded abstracts over the posterior, against the number of bands, on the user's embeddings.

use std::path::PathBuf;

use sbmds::cluster::{HdbscanSettings, Truth, cluster_run};
use sbmds::dissimilarity::{Metric, read, read_labels};
use sbmds::figures::{Axis, AxisScale, Chart, Panel, Scene, draw_chart};
use sbmds::run::{FinishedRun, FitConfig, InputConfig, RunConfig, RunError};
use sbmds::sampler::{Sampler, SamplerSettings};

use super::authors::abstracts::{N_ARTICLES, table_4};
use super::convergence::{Mixing, model, remark};
use super::on_files::{config, file_name, hash, how_it_went, left_out, sparse_counts};
use super::page::{exact, ratio, short};
use super::plot::{authors as hollow, colour, ours, point};
use super::{About, Cell, Experiment, Findings, Method, Page, ReproduceError, Row, Scale, Table, Workplace};

/// How the experiment is listed.
pub(super) const ABOUT: About = About {
    name: "abstracts",
    source: "The paper's Table 4",
    summary: "clusters of embedded abstracts over the posterior, by number of bands",
    full: Some(
        "the paper's numbers of bands; its chains of HMC have fewer leapfrog steps than the paper's 20 and are shorter",
    ),
    needs: "--embeddings and --labels",
};

const METHODS: [Method; 2] = [Method::Band, Method::Dispersed];
/// Chains of a fit.
const CHAINS: usize = 2;
/// Draws that are clustered at most, as in the paper.
const CLUSTERED: usize = 200;
/// Seed of the choice of draws.
const SEED: u64 = 1;
const LEAPFROG_STEPS: usize = 12;
const JITTER: f64 = 0.2;

/// The experiment, on embeddings and labels of the user's.
pub struct Abstracts {
    input: InputConfig,
    labels: PathBuf,
    column: String,
    truth: Truth,
    n_objects: usize,
    data: String,
    workplace: Workplace,
}

impl Abstracts {
    /// The experiment on these files; the true classes are in `column` of the labels, or in the first after the name.
    ///
    /// # Errors
    /// If a file cannot be read, or there is no such column.
    pub fn new(
        embeddings: PathBuf,
        labels: PathBuf,
        column: Option<String>,
        workplace: Workplace,
    ) -> Result<Self, ReproduceError> {
        let input = InputConfig { path: embeddings, metric: Some(Metric::Cosine), ..InputConfig::default() };
        let input = input.with_labels(Some(labels.clone()));
        let found = read(&input.path, &input.read_options()).map_err(RunError::from)?;
        let table = read_labels(&labels, found.names()).map_err(RunError::from)?;
        let first = || table.columns.first().map(|column| column.name.clone()).unwrap_or_default();
        let column = column.unwrap_or_else(first);
        let truth = Truth::new(&table, &column)?;
        let data = format!("embeddings {}, labels {}, truth {column:?}", hash(&input.path)?, hash(&labels)?);
        Ok(Self { input, labels, column, truth, n_objects: found.n_objects(), data, workplace })
    }

    fn config(&self, cell: &Cell, scale: Scale) -> FitConfig {
        let (n_warmup, draws) = effort(cell.count, scale);
        let sampler = SamplerSettings {
            sampler: cell.sampler,
            n_warmup,
            leapfrog_steps: LEAPFROG_STEPS,
            jitter: JITTER,
            ..SamplerSettings::default()
        };
        FitConfig {
            sampler,
            run: RunConfig { chains: CHAINS, draws, ..RunConfig::default() },
            ..config(cell, self.input.clone())
        }
    }

    /// What is kept of a run.
    fn numbers(&self, run: &FinishedRun, scale: Scale) -> Result<Vec<f64>, ReproduceError> {
        let settings = HdbscanSettings::new(min_points(scale));
        let clusters = cluster_run(run.reader(), &settings, CLUSTERED, SEED, Some(&self.truth))?.summary;
        let summary = run.summary();
        let log_likelihood = summary.log_likelihood.unwrap_or(f64::NAN) / summary.n_pairs as f64;
        let truth = clusters.truth.as_ref();
        let error = truth.and_then(|truth| truth.error);
        let [mean, low, high] = error.map_or([f64::NAN; 3], |error| [error.mean, error.q2_5, error.q97_5]);
        let by_draws = truth.and_then(|truth| truth.classes_found.iter().max_by_key(|(_, n_draws)| **n_draws));
        let classes = by_draws.map_or(f64::NAN, |(n_classes, _)| *n_classes as f64);
        let rand_index = truth.and_then(|truth| truth.rand_index).map_or(f64::NAN, |rand_index| rand_index.mean);
        let sigma = summary.sigma.mean.unwrap_or(f64::NAN);
        let (mode, noise) = (clusters.mode_clusters as f64, clusters.noise.mean);
        let found = [sigma, log_likelihood, mode, noise, mean, low, high, classes, rand_index];
        Ok(found.into_iter().chain(how_it_went(summary)).collect())
    }
}

impl Experiment for Abstracts {
    fn about(&self) -> About {
        ABOUT
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn data(&self) -> String {
        self.data.clone()
    }

    fn flags(&self) -> String {
        let (embeddings, labels) = (file_name(&self.input.path), file_name(&self.labels));
        format!(" --embeddings {embeddings} --labels {labels} --truth {}", self.column)
    }

    fn cells(&self, scale: Scale) -> Vec<Cell> {
        let models =
            sparse_counts(counts(scale), self.n_objects).flat_map(|count| METHODS.map(|method| (method, count)));
        let cell = |(method, count)| Cell::new(self.n_objects, 0.0, method, count);
        models.map(|model| Cell { sampler: Sampler::Hmc, ..cell(model) }).collect()
    }

    fn left_out(&self, scale: Scale) -> Option<String> {
        left_out(counts(scale), self.n_objects)
    }

    fn measured(&self) -> Vec<String> {
        let fit = ["sigma", "log_likelihood_per_pair"];
        let clusters = ["mode_clusters", "noise", "error", "error_low", "error_high", "classes_found", "rand_index"];
        let how = ["seconds", "min_ess", "max_rhat"];
        fit.into_iter().chain(clusters).chain(how).map(String::from).collect()
    }

    fn run(&self, cell: &Cell, scale: Scale) -> Result<Vec<f64>, ReproduceError> {
        self.workplace.fit(self.config(cell, scale), |run| self.numbers(run, scale))
    }

    fn cost(&self, cell: &Cell) -> f64 {
        let (warmup, draws) = effort(cell.count, Scale::Full);
        (cell.count * (warmup + draws)) as f64
    }

    fn findings(&self, rows: &[Row], scale: Scale) -> Findings {
        let mut table = Table::new(&["method", "count"]);
        table.columns.extend(self.measured());
        table.columns.extend(["authors_clusters", "authors_noise", "authors_error", "error_ratio"].map(String::from));
        let mut comparison = Table::new(&[
            "method",
            "count",
            "clusters, mode",
            "authors",
            "noise, mean",
            "authors",
            "error (95%)",
            "authors",
            "ours / authors",
            "classes found",
            "adjusted Rand",
            "sigma",
            "log-likelihood per pair",
            "seconds",
        ]);
        for row in rows {
            table.rows.push(exact_line(row));
            comparison.rows.push(short_line(row));
        }
        let mut remarks = vec![
            "The authors' numbers are of 9,308 arXiv abstracts embedded in 768 dimensions, of banded couplings and 20 leapfrog steps; these are of the \
             files given, so that theirs are a guide only."
                .to_owned(),
        ];
        let mixing = |row: &Row| Mixing { max_rhat: row.values[11], min_ess: row.values[10], n_chains: CHAINS };
        remarks.extend(remark(rows, mixing));
        let page = Page {
            about: self.paragraphs(scale),
            comparisons: vec![("Ours beside the authors' Table 4 (band):".into(), comparison)],
            remarks,
        };
        Findings { table, figure: self.figure(rows, scale), page }
    }
}

impl Abstracts {
    fn paragraphs(&self, scale: Scale) -> Vec<String> {
        vec![
            format!(
                "{} objects in two dimensions by the cosine distances of their features; HMC with {LEAPFROG_STEPS} leapfrog steps (jitter {JITTER}), {CHAINS} \
                 chains. HDBSCAN with {} neighbours on at most {CLUSTERED} draws, chosen at random.",
                self.n_objects,
                min_points(scale)
            ),
            "The classification error leaves noise out, gives each cluster its most frequent class, and is the mean over clusters of the share of other \
             classes; the interval holds 95% of the draws. Classes found is the most frequent number of classes that are some cluster's. The adjusted Rand \
             index is a mean over draws, noise counted as a cluster. Seconds are those of sampling, summed over chains."
                .into(),
        ]
    }

    /// Error and share of noise against bands.
    fn figure(&self, rows: &[Row], scale: Scale) -> Scene {
        let panel = |title: &str, value: &dyn Fn(&Row) -> f64, quoted: &dyn Fn(usize) -> Option<f64>| {
            let of = |method: Method| rows.iter().filter(move |row| row.cell.method == method);
            let at = |row: &Row, y: f64| point(row.cell.count as f64, y);
            let series = METHODS.map(|m| ours(m.name(), colour(m), of(m).map(|row| at(row, value(row))).collect()));
            let theirs: Vec<_> = of(Method::Band).filter_map(|row| Some(at(row, quoted(row.cell.count)?))).collect();
            let theirs = (!theirs.is_empty()).then(|| hollow(colour(Method::Band), theirs));
            Panel { title: title.into(), series: series.into_iter().chain(theirs).collect() }
        };
        let n_objects = self.n_objects as f64;
        let error = panel("Classification error", &|row| row.values[4], &|count| Some(table_4(count)?.error[0]));
        let noise = |row: &Row| row.values[3] / n_objects;
        let noise = panel("Share of noise", &noise, &|count| Some(table_4(count)?.noise / N_ARTICLES));
        draw_chart(&Chart {
            title: "Classification error and share of noise against the number of bands".into(),
            note: scale.note().into(),
            x: Axis { title: "Bands".into(), scale: AxisScale::Log },
            y: Axis { title: String::new(), scale: AxisScale::FromZero },
            n_columns: 1,
            panels: vec![error, noise],
            width_mm: 89.0,
        })
    }
}

/// Numbers of bands.
fn counts(scale: Scale) -> &'static [usize] {
    scale.pick(&[10], &[50, 100], &[50, 100, 500, 1_000, 2_000])
}

/// Neighbours of HDBSCAN: the paper's, or few for few objects.
fn min_points(scale: Scale) -> usize {
    scale.pick(8, 40, 40)
}

/// (warm-up, draws): fewer where a draw costs much, as docs/clustering.md documents.
fn effort(count: usize, scale: Scale) -> (usize, usize) {
    match scale {
        Scale::Toy => (60, 40),
        _ if count >= 1_000 => (60, 60),
        _ => (250, 250),
    }
}

fn exact_line(row: &Row) -> Vec<String> {
    // The authors have no dispersed bands; their band is what both stand beside.
    let theirs = table_4(row.cell.count);
    let quoted = [theirs.map(|t| t.mode_clusters as f64), theirs.map(|t| t.noise), theirs.map(|t| t.error[0])];
    let numbers = row.values.iter().copied().map(exact);
    let quoted = quoted.map(|number| number.map_or(String::new(), exact));
    let ratio = ratio(row.values[4], theirs.map(|t| t.error[0]));
    model(row).into_iter().chain(numbers).chain(quoted).chain([ratio]).collect()
}

fn short_line(row: &Row) -> Vec<String> {
    let theirs = table_4(row.cell.count);
    let error = |[mean, low, high]: [f64; 3]| format!("{mean:.3} ({low:.3}, {high:.3})");
    let values = &row.values;
    let known = |number: f64, text: String| if number.is_finite() { text } else { String::new() };
    let numbers = [
        format!("{:.0}", values[2]),
        theirs.map_or(String::new(), |t| t.mode_clusters.to_string()),
        format!("{:.0}", values[3]),
        theirs.map_or(String::new(), |t| format!("{:.0}", t.noise)),
        known(values[4], error([values[4], values[5], values[6]])),
        theirs.map_or(String::new(), |t| error(t.error)),
        known(values[4], ratio(values[4], theirs.map(|t| t.error[0]))),
        known(values[7], format!("{:.0}", values[7])),
        short(values[8]),
        known(values[0], format!("{:.4}", values[0])),
        format!("{:.4}", values[1]),
        short(values[9]),
    ];
    model(row).into_iter().chain(numbers).collect()
}
