//! What a fit found, handed to R piece by piece.

use std::path::Path;

use extendr_api::prelude::*;
use sbmds::Locations;
use sbmds::cluster::{HdbscanSettings, Selection, cluster_run};
use sbmds::diagnostics::Diagnosis;
use sbmds::diffusion::write_files;
use sbmds::dissimilarity::read_labels;
use sbmds::draws::Variable;
use sbmds::fit::Fitted;
use sbmds::report::{ReportData, write_html};
use sbmds::run::RunError;

use crate::answer::answer;
use crate::value::robj;

type Answer = std::result::Result<Robj, RunError>;

/// Opens the finished run in a directory, in one of its modes.
#[extendr]
fn fitted_open(directory: &str, mode: i32) -> Robj {
    let opened = Fitted::open_mode(Path::new(directory), mode.max(0) as usize);
    answer(opened.map(|fitted| ExternalPtr::new(fitted).into()))
}

/// The same fit in another of the modes that its chains are in.
#[extendr]
fn fitted_in_mode(fitted: ExternalPtr<Fitted>, mode: i32) -> Robj {
    answer(fitted.in_mode(mode.max(0) as usize).map(|fitted| ExternalPtr::new(fitted).into()))
}

/// Everything but the draws and the data.
#[extendr]
fn fitted_overview(fitted: ExternalPtr<Fitted>) -> Robj {
    answer(overview(&fitted))
}

fn overview(fitted: &Fitted) -> Answer {
    let json = |value: serde_json::Result<serde_json::Value>| value.map_or_else(|_| ().into(), |value| robj(&value));
    let (mode, n_modes) = fitted.mode();
    let moments = fitted.moments()?;
    let (n_objects, n_dims) = (fitted.names().len(), fitted.reader().n_dims());
    let covariance: Vec<f64> = (0..n_objects).flat_map(|object| moments.covariance(object)).collect();
    let reader = fitted.reader();
    let names: Vec<String> = fitted.names().iter().map(|name| name.into_owned()).collect();
    let shown: Vec<i32> = fitted.shown_chains().iter().map(|&chain| chain as i32 + 1).collect();
    Ok(list!(
        summary = json(serde_json::to_value(fitted.summary())),
        settings = json(serde_json::to_value(fitted.config())),
        names = names,
        map = array(fitted.map().mean.as_slice(), &[n_objects, n_dims]),
        stress = fitted.map().stress.clone(),
        covariance = array(&covariance, &[n_dims, n_dims, n_objects]),
        mode = mode as i32,
        n_modes = n_modes as i32,
        what_is_shown = fitted.what_is_shown(),
        shown_chains = shown,
        sentences = fitted.summary().shown.sentences(),
        n_chains = reader.n_chains() as i32,
        n_draws = reader.n_complete_in_all() as i32,
        has_x = reader.has_x(),
        variables = described(reader.variables()),
        stats = described(reader.stats()),
        path = fitted.path().display().to_string()
    )
    .into())
}

/// Names of variables and the lengths of their axes.
fn described<'a>(variables: impl Iterator<Item = &'a Variable>) -> Robj {
    let axes = |variable: &Variable| variable.axes.iter().map(|axis| axis.len as i32).collect::<Vec<_>>();
    let pairs: Vec<(String, Robj)> = variables.map(|variable| (variable.name.clone(), axes(variable).into())).collect();
    List::from_pairs(pairs).into()
}

/// Numbers with dimensions.
fn array(values: &[f64], dims: &[usize]) -> Robj {
    let mut array: Robj = values.to_vec().into();
    let dims: Vec<i32> = dims.iter().map(|&length| length as i32).collect();
    // The dimensions are those of the numbers.
    let _ = array.set_attrib("dim", dims);
    array
}

/// The locations of all draws aligned to the map shown: iteration x chain x object x dimension.
#[extendr]
fn fitted_locations(fitted: ExternalPtr<Fitted>) -> Robj {
    answer(locations(&fitted))
}

fn locations(fitted: &Fitted) -> Answer {
    let reader = fitted.reader();
    let (n_draws, n_chains) = (reader.n_complete_in_all(), reader.n_chains());
    let (n_objects, n_dims) = (reader.names().len(), reader.n_dims());
    let per_coordinate = n_draws * n_chains;
    let mut values = vec![0.0; per_coordinate * n_objects * n_dims];
    reader.for_each_x(|chain, draw, x| {
        if draw < n_draws {
            let aligned: Locations = fitted.alignment().apply(x);
            let first = draw + n_draws * chain;
            // Both are object by object within a dimension.
            let places = values[first..].iter_mut().step_by(per_coordinate);
            places.zip(aligned.as_slice()).for_each(|(place, &coordinate)| *place = coordinate);
        }
    })?;
    Ok(array(&values, &[n_draws, n_chains, n_objects, n_dims]))
}

/// A stored variable: entries within a draw (row by row) x iteration x chain.
#[extendr]
fn fitted_variable(fitted: ExternalPtr<Fitted>, name: &str, is_stat: bool) -> Robj {
    let reader = fitted.reader();
    let n_draws = reader.n_complete_in_all();
    let read = |chain| if is_stat { reader.stat(name, chain) } else { reader.scalar(name, chain) };
    let all = (0..reader.n_chains()).map(read).collect::<std::result::Result<Vec<_>, _>>();
    answer(all.map(|all| {
        let variable = reader.variables().chain(reader.stats()).find(|variable| variable.name == name);
        let row_len = variable.map_or(1, Variable::row_len);
        let values: Vec<f64> = all.iter().flat_map(|chain| &chain[..row_len * n_draws]).copied().collect();
        array(&values, &[row_len, n_draws, reader.n_chains()])
    }))
}

/// R-hat, effective sample sizes and quantiles of everything that the verdict looks at.
#[extendr]
fn fitted_diagnostics(fitted: ExternalPtr<Fitted>) -> Robj {
    answer(fitted.monitored().map(|monitored| {
        let all: Vec<Diagnosis> = monitored.iter().map(Diagnosis::new).collect();
        let column = |of: fn(&Diagnosis) -> f64| all.iter().map(of).collect::<Vec<f64>>();
        list!(
            variable = all.iter().map(|one| one.name.clone()).collect::<Vec<_>>(),
            mean = column(|one| one.mean),
            sd = column(|one| one.sd),
            q5 = column(|one| one.q5),
            median = column(|one| one.median),
            q95 = column(|one| one.q95),
            rhat = column(|one| one.rhat),
            ess_bulk = column(|one| one.ess_bulk),
            ess_tail = column(|one| one.ess_tail),
            mcse_mean = column(|one| one.mcse_mean)
        )
        .into()
    }))
}

/// The dissimilarity of a coupled pair. The likelihood has it in another unit, from which it comes back with another last digit.
fn as_measured(measured: f64, coupled: f64) -> f64 {
    if measured.is_nan() { coupled } else { measured }
}

/// The dissimilarities in the order of a `dist`; NA where there is none, and with `coupled` where the pair is not in the likelihood.
#[extendr]
fn fitted_data(fitted: ExternalPtr<Fitted>, coupled: bool) -> Robj {
    answer(fitted.measured().map(|measured| {
        let data = measured.data();
        let n = data.n_objects();
        let known = |value: f64| if value.is_nan() { Rfloat::na() } else { Rfloat::from(value) };
        if !coupled {
            let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
            return pairs.map(|(a, b)| known(data.get(a, b))).collect::<Doubles>().into();
        }
        let pairs = measured.coupled();
        let mut values = Vec::with_capacity(n * n.saturating_sub(1) / 2);
        for a in 0..n {
            let mut row = vec![Rfloat::na(); n - a - 1];
            let later = pairs.partners(a).into_iter().filter(|&(b, _)| b > a);
            later.for_each(|(b, value)| row[b - a - 1] = known(as_measured(data.get(a, b), value)));
            values.append(&mut row);
        }
        Doubles::from_values(values).into()
    }))
}

/// Coupled pairs with their dissimilarities, the objects counted from 1, in the order of a `dist`: all, or `most` evenly spaced ones. No
/// array of N (N - 1) / 2 numbers is made.
#[extendr]
fn fitted_pairs(fitted: ExternalPtr<Fitted>, most: i32) -> Robj {
    answer(fitted.measured().map(|measured| {
        let coupled = measured.coupled();
        let (most, n_pairs) = (most.max(1) as usize, coupled.n_pairs().max(1));
        let (mut a, mut b, mut dissimilarity) = (Vec::new(), Vec::new(), Vec::new());
        let mut n_seen = 0;
        for object in 0..measured.data().n_objects() {
            let mut later = coupled.partners(object);
            later.retain(|&(other, value)| other > object && !value.is_nan());
            later.sort_unstable_by_key(|&(other, _)| other);
            for (other, value) in later {
                // The k-th is taken where k most / n passes a whole number.
                let is_taken = n_pairs <= most || (n_seen + 1) * most / n_pairs > n_seen * most / n_pairs;
                n_seen += 1;
                if is_taken {
                    a.push(object as i32 + 1);
                    b.push(other as i32 + 1);
                    dissimilarity.push(as_measured(measured.data().get(object, other), value));
                }
            }
        }
        list!(a = a, b = b, dissimilarity = dissimilarity).into()
    }))
}

/// Writes the report; `labels` is a table of labels, or empty.
#[extendr]
fn fitted_report(fitted: ExternalPtr<Fitted>, path: &str, labels: &str) -> Robj {
    answer(report(&fitted, Path::new(path), labels))
}

fn report(fitted: &Fitted, path: &Path, labels: &str) -> Answer {
    let labels = (!labels.is_empty()).then(|| read_labels(Path::new(labels), fitted.names())).transpose()?;
    write_html(&ReportData::gather(fitted, labels.as_ref())?, path)?;
    Ok(().into())
}

/// The tree of a fit: the parent of every node (counted from 1, 0 for the root, children first), branch lengths and names of tips.
#[extendr]
fn fitted_tree(fitted: ExternalPtr<Fitted>) -> Robj {
    answer(fitted.tree().map(|tree| {
        let Some(tree) = &tree else { return ().into() };
        let tree = tree.tree();
        let nodes = 0..tree.n_nodes();
        let label = |node: usize| tree.label(node).filter(|_| tree.is_tip(node)).unwrap_or_default().to_owned();
        list!(
            parent =
                nodes.clone().map(|node| tree.parent(node).map_or(0, |parent| parent as i32 + 1)).collect::<Vec<i32>>(),
            length = nodes.clone().map(|node| tree.length(node)).collect::<Vec<f64>>(),
            label = nodes.clone().map(label).collect::<Vec<String>>(),
            is_tip = nodes.map(|node| tree.is_tip(node)).collect::<Vec<bool>>()
        )
        .into()
    }))
}

/// Writes `ancestors.csv`, `posterior.trees` and `posterior.log` of a fit along a tree to a directory; whether there is a tree.
#[extendr]
fn fitted_ancestors(fitted: ExternalPtr<Fitted>, directory: &str) -> Robj {
    answer(ancestors(&fitted, Path::new(directory)))
}

fn ancestors(fitted: &Fitted, directory: &Path) -> Answer {
    let Some(tree) = fitted.tree()? else { return Ok(false.into()) };
    let iterations_per_draw = fitted.config().run.iterations_per_draw();
    write_files(directory, &fitted.node_draws(&tree)?, 1, iterations_per_draw)?;
    Ok(true.into())
}

/// Clusters of the draws and the partition that says best what they say; clusters are numbered from 1, noise is 0.
#[extendr]
fn fitted_cluster(
    fitted: ExternalPtr<Fitted>,
    min_points: i32,
    min_samples: i32,
    selection: &str,
    draws: i32,
    seed: f64,
) -> Robj {
    let count = |number: i32| number.max(0) as usize;
    let clustered = selection.parse::<Selection>().map_err(|error| error.to_string()).and_then(|selection| {
        let (min_cluster_size, min_samples) = (count(min_points), count(min_samples));
        let settings = HdbscanSettings { min_cluster_size, min_samples, selection };
        cluster_run(fitted.reader(), &settings, count(draws), seed as u64, None).map_err(|error| error.to_string())
    });
    answer(clustered.map(|clusters| {
        let labels = &clusters.draws.labels;
        let n_draws = labels.n_draws();
        let noise = |object| labels.n_noise(object) as f64 / n_draws.max(1) as f64;
        let by_draw: Vec<i32> =
            (0..n_draws).flat_map(|draw| labels.draw(draw).iter().map(|&label| label + 1)).collect();
        list!(
            cluster = clusters.consensus.labels.iter().map(|&label| label + 1).collect::<Vec<i32>>(),
            confidence = clusters.consensus.confidence.clone(),
            membership = clusters.draws.membership.clone(),
            noise = (0..clusters.names.len()).map(noise).collect::<Vec<f64>>(),
            by_draw = by_draw,
            n_draws = n_draws as i32,
            summary = serde_json::to_value(&clusters.summary).map_or_else(|_| ().into(), |value| robj(&value))
        )
        .into()
    }))
}

extendr_module! {
    mod fitted;
    fn fitted_open;
    fn fitted_in_mode;
    fn fitted_overview;
    fn fitted_locations;
    fn fitted_variable;
    fn fitted_diagnostics;
    fn fitted_data;
    fn fitted_pairs;
    fn fitted_report;
    fn fitted_tree;
    fn fitted_ancestors;
    fn fitted_cluster;
}
