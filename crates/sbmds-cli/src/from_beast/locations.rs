//! The prior of an analysis' locations: diffusion along a tree, or a normal distribution.

use roxmltree::Node;

use super::analysis::TreeSource;
use super::document::{Beast, child, elements, is_true, number, numbers, shown};

/// What is known of the locations before the data.
#[derive(Default)]
pub struct LocationPrior<'d> {
    pub tree: Option<TreeSource>,
    /// Flags of `sbmds fit`.
    pub flags: Vec<String>,
    /// Elements that were read.
    pub used: Vec<Node<'d, 'd>>,
}

/// Prior sample size of the root if the analysis says none.
const ROOT_SAMPLE_SIZE: f64 = 0.001;

/// Reads the prior of the locations of `likelihood`.
pub fn read<'d>(
    beast: &Beast<'d>,
    likelihood: Node<'d, 'd>,
    notes: &mut Vec<String>,
) -> Result<LocationPrior<'d>, String> {
    let locations = beast
        .inside(likelihood, "locations")
        .ok_or("the likelihood has no <locations>. Remedy: add <locations> with a matrixParameter")?;
    match beast.all(&["traitDataLikelihood", "multivariateTraitLikelihood"]).as_slice() {
        [] => Ok(without_tree(beast, locations, notes)),
        [diffusion] => along_tree(beast, *diffusion, notes),
        several => Err(format!(
            "there are {} diffusions along trees, and a fit has one. Remedy: leave one in the file",
            several.len()
        )),
    }
}

/// A normal prior around the origin; it may be given to the whole matrix or to each of its columns.
fn without_tree<'d>(beast: &Beast<'d>, locations: Node<'d, 'd>, notes: &mut Vec<String>) -> LocationPrior<'d> {
    let parts = beast.parts(locations);
    let is_theirs = |prior: &Node<'d, 'd>| elements(*prior).iter().any(|inner| parts.contains(&beast.resolve(*inner)));
    let normal: Vec<_> = beast.all(&["normalPrior"]).into_iter().filter(is_theirs).collect();
    let deviations: Vec<f64> = normal.iter().filter_map(|prior| number(*prior, "stdev")).collect();
    let centred = normal.iter().all(|prior| number(*prior, "mean") == Some(0.0));
    let mut found = LocationPrior::default();
    match deviations.as_slice() {
        [first, others @ ..] if centred && others.iter().all(|other| other == first) => {
            found.flags = vec!["--prior-scale".into(), first.to_string()];
        }
        _ => notes.push(
            "no prior of the locations that is normal around 0: N(0, 1) in the unit of the table is used \
             (--prior-scale S for another)"
                .into(),
        ),
    }
    if centred {
        found.used = normal;
    }
    found
}

fn along_tree<'d>(
    beast: &Beast<'d>,
    diffusion: Node<'d, 'd>,
    notes: &mut Vec<String>,
) -> Result<LocationPrior<'d>, String> {
    let tree = tree(beast, diffusion, notes)?;
    note_precision(beast, diffusion, notes);
    note_rates(beast, diffusion, notes);
    let root = root_sample_size(beast, diffusion, notes);
    let scaling = scaling(diffusion, notes);
    let flags = vec!["--branch-scaling".into(), scaling.into(), "--root-sample-size".into(), root.to_string()];
    Ok(LocationPrior { tree: Some(tree), flags, used: vec![diffusion] })
}

/// The unit of branch lengths.
fn scaling(diffusion: Node, notes: &mut Vec<String>) -> &'static str {
    match (is_true(diffusion, "scaleByTime"), is_true(diffusion, "useTreeLength")) {
        (true, true) => "total-length",
        (true, false) => {
            notes.push(
                "branches are measured by the height of the tree: here by its total length, so that Sigma is larger by \
                 length / height and its prior is relatively narrower; rates per unit of time can be compared"
                    .into(),
            );
            "total-length"
        }
        (false, _) => "none",
    }
}

/// Prior sample size of the root, whose mean is 0 here.
fn root_sample_size<'d>(beast: &Beast<'d>, diffusion: Node<'d, 'd>, notes: &mut Vec<String>) -> f64 {
    let prior = child(diffusion, "conjugateRootPrior");
    let size = prior.and_then(|prior| beast.inside(prior, "priorSampleSize")).and_then(|size| number(size, "value"));
    let mean = prior.and_then(|prior| beast.inside(prior, "meanParameter")).and_then(|mean| numbers(mean, "value"));
    if mean.is_some_and(|mean| mean.iter().any(|&coordinate| coordinate != 0.0)) {
        notes.push("the root's prior mean is not 0: here it is; distances do not say where the map lies".into());
    }
    size.unwrap_or_else(|| {
        notes.push(format!("no conjugateRootPrior with a priorSampleSize: {ROOT_SAMPLE_SIZE} is used"));
        ROOT_SAMPLE_SIZE
    })
}

/// The precision of the diffusion has a Wishart(D, I) prior here.
fn note_precision<'d>(beast: &Beast<'d>, diffusion: Node<'d, 'd>, notes: &mut Vec<String>) {
    let mut priors = beast.all(&["multivariateWishartPrior"]);
    let model = elements(diffusion).into_iter().map(|inner| beast.resolve(inner));
    let model = model.into_iter().find(|inner| inner.tag_name().name() == "multivariateDiffusionModel");
    let matrix = model.and_then(|model| beast.inside(model, "precisionMatrix"));
    priors.retain(|prior| matrix.is_some_and(|matrix| beast.mentions(*prior, matrix)));
    let is_ours = |prior: &Node<'d, 'd>| {
        let columns = beast.inside(*prior, "scaleMatrix").map(elements).unwrap_or_default();
        let identity = columns.iter().enumerate().all(|(column, parameter)| {
            numbers(*parameter, "value").is_some_and(|values| {
                values.iter().enumerate().all(|(row, &value)| value == if row == column { 1.0 } else { 0.0 })
            })
        });
        identity && number(*prior, "df") == Some(columns.len() as f64)
    };
    if priors.len() != 1 || !priors.iter().all(is_ours) {
        notes.push("the prior of the diffusion's precision: here it is Wishart(D, I)".into());
    }
}

/// Every branch diffuses at the same rate here.
fn note_rates<'d>(beast: &Beast<'d>, diffusion: Node<'d, 'd>, notes: &mut Vec<String>) {
    for inner in elements(diffusion).into_iter().map(|inner| beast.resolve(inner)) {
        let name = inner.tag_name().name();
        if name.contains("BranchRates") || name.contains("Clock") || name.contains("driftModels") {
            notes.push(format!("{}: here all branches diffuse at one rate, without drift", shown(inner)));
        }
    }
}

fn tree<'d>(beast: &Beast<'d>, diffusion: Node<'d, 'd>, notes: &mut Vec<String>) -> Result<TreeSource, String> {
    let inner: Vec<_> = elements(diffusion).into_iter().map(|inner| beast.resolve(inner)).collect();
    let named = |name: &str| inner.iter().find(|node| node.tag_name().name() == name).copied();
    if let Some(empirical) = named("empiricalTreeDistributionModel") {
        let name =
            empirical.attribute("fileName").ok_or("the tree distribution names no file. Remedy: add fileName")?;
        notes.push(format!("BEAST takes the tree from all of {name}: here its last one is used (--tree-index)"));
        return Ok(TreeSource::File(name.into()));
    }
    let model = named("treeModel").ok_or("the diffusion has no <treeModel>. Remedy: name the tree it runs along")?;
    note_moving_tree(beast, model, notes);
    let newick = elements(model).into_iter().map(|inner| beast.resolve(inner));
    let newick = newick.into_iter().find(|inner| inner.tag_name().name() == "newick").ok_or(
        "the treeModel does not begin at a <newick> tree, and only those are read. Remedy: let BEAST sample trees, then \
         call `sbmds fit TABLE --tree FILE.trees`",
    )?;
    if ["rescaleHeight", "rescaleLength"].iter().any(|name| newick.has_attribute(*name)) {
        notes.push(format!("{} is rescaled by BEAST: here its branch lengths are as written", shown(newick)));
    }
    let text: String = newick.children().filter_map(|inner| inner.is_text().then(|| inner.text())?).collect();
    Ok(TreeSource::Newick(text.split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// Operators that change a tree name its model, or parameters of it.
fn note_moving_tree<'d>(beast: &Beast<'d>, model: Node<'d, 'd>, notes: &mut Vec<String>) {
    let parts = beast.parts(model);
    let heights = parts.iter().filter(|part| part.has_attribute("id") && part.tag_name().name() == "parameter");
    let parameters: Vec<_> = heights.filter(|part| inside_heights(**part)).copied().chain([model]).collect();
    let operators = beast.all(&["operators"]);
    if operators.iter().any(|all| parameters.iter().any(|part| beast.mentions(*all, *part))) {
        notes.push(
            "BEAST samples the tree: here the tree in the file is kept; fit trees of BEAST's posterior with --tree \
             FILE.trees --tree-index I and compare"
                .into(),
        );
    }
}

/// Whether a parameter of a tree model holds heights, not traits.
fn inside_heights(parameter: Node) -> bool {
    parameter.ancestors().any(|above| ["rootHeight", "nodeHeights"].contains(&above.tag_name().name()))
}
