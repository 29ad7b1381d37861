//! What an analysis of BEAST says that a fit can take over, and what it cannot.

use std::path::PathBuf;

use roxmltree::{Document, Node};

use super::document::{Beast, elements, is_true, shown};
use super::{locations, noise};

/// An analysis as far as it is understood.
pub struct Analysis {
    /// The dissimilarities.
    pub table: PathBuf,
    n_dims: usize,
    truncated: bool,
    noise: noise::NoisePrior,
    /// Where the tree is.
    pub tree: Option<TreeSource>,
    location_flags: Vec<String>,
    /// What is not carried over.
    pub notes: Vec<String>,
}

/// Where a tree is.
pub enum TreeSource {
    /// In the analysis.
    Newick(String),
    /// In a file.
    File(PathBuf),
}

const LIKELIHOOD: &str = "multiDimensionalScalingLikelihood";
/// Elements at the top that are read, or say nothing a fit needs.
const UNDERSTOOD: [&str; 18] = [
    LIKELIHOOD,
    "taxa",
    "newick",
    "treeModel",
    "empiricalTreeDistributionModel",
    "parameter",
    "matrixParameter",
    "fastMatrixParameter",
    "multivariateDiffusionModel",
    "multivariateWishartPrior",
    "traitDataLikelihood",
    "multivariateTraitLikelihood",
    "matrixInverse",
    "traitGradientOnTree",
    "fullyConjugateTreeTipsPotentialDerivative",
    "operators",
    "mcmc",
    "report",
];

impl Analysis {
    /// Reads the text of an XML file.
    pub fn read(text: &str) -> Result<Self, String> {
        // BEAUti's files may name a document type.
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let document = Document::parse_with_options(text, options)
            .map_err(|error| format!("this is no XML: {error}. Remedy: give the file that BEAST runs"))?;
        let beast = Beast::new(&document);
        let likelihood = likelihood(&beast)?;
        let mut notes = Vec::new();
        let noise = noise::read(&beast, likelihood, &mut notes)?;
        let found = locations::read(&beast, likelihood, &mut notes)?;
        let analysis = Self {
            table: table(likelihood)?,
            n_dims: n_dims(likelihood)?,
            truncated: is_true(likelihood, "includeTruncation"),
            noise,
            tree: found.tree,
            location_flags: found.flags,
            notes,
        };
        Ok(analysis.with_remaining_notes(&beast, found.used))
    }

    /// The flags of `sbmds fit`, but for the tree.
    pub fn flags(&self) -> Vec<String> {
        let noise = if self.truncated { "truncated-normal" } else { "normal" };
        let fixed = ["--dims", &self.n_dims.to_string(), "--couplings", "full", "--noise", noise, "--priors", "paper"];
        let mut flags: Vec<String> = fixed.iter().map(ToString::to_string).collect();
        flags.extend(self.noise.flags());
        flags.extend(self.location_flags.iter().cloned());
        flags
    }

    /// Says what nobody has read.
    fn with_remaining_notes(mut self, beast: &Beast, used: Vec<Node>) -> Self {
        let read = |node: Node| UNDERSTOOD.contains(&node.tag_name().name()) || used.contains(&beast.resolve(node));
        let densities =
            beast.all(&["prior", "likelihood"]).into_iter().flat_map(elements).map(|node| beast.resolve(node));
        let mut seen = Vec::new();
        for node in beast.top().into_iter().chain(densities) {
            if !read(node) && !seen.contains(&node) && !noise::is_prior_of_precision(beast, node) {
                seen.push(node);
                self.notes.push(format!("{} is not understood", shown(node)));
            }
        }
        let n_operators = beast.all(&["operators"]).into_iter().flat_map(elements).count();
        let length = beast.all(&["mcmc"]).iter().find_map(|mcmc| mcmc.attribute("chainLength").map(str::to_owned));
        if let Some(length) = length {
            self.notes.push(format!(
                "{n_operators} operators and a chain of {length} states: sbmds has samplers of its own, and by default \
                 draws 4 chains of 1,000 (--until-ess 400 draws until that is enough)"
            ));
        }
        self
    }
}

fn likelihood<'d>(beast: &Beast<'d>) -> Result<Node<'d, 'd>, String> {
    match beast.all(&[LIKELIHOOD]).as_slice() {
        [one] => Ok(*one),
        [] => Err(format!(
            "there is no <{LIKELIHOOD}> in this file. Remedy: give an analysis with one; titre tables \
             (antigenicLikelihood) are not read"
        )),
        several => Err(format!(
            "there are {} of <{LIKELIHOOD}>, and a fit has one map. Remedy: leave one in the file",
            several.len()
        )),
    }
}

fn table(likelihood: Node) -> Result<PathBuf, String> {
    let name = likelihood.attribute("fileName");
    name.map(PathBuf::from).ok_or_else(|| {
        format!("<{LIKELIHOOD}> names no file of dissimilarities. Remedy: add the attribute fileName=\"...\"")
    })
}

fn n_dims(likelihood: Node) -> Result<usize, String> {
    let text = likelihood.attribute("mdsDimension");
    let n_dims = text.and_then(|text| text.trim().parse().ok()).filter(|&n_dims| n_dims > 0);
    n_dims.ok_or_else(|| {
        format!("mdsDimension={:?} is no number of dimensions. Remedy: write 1 or more", text.unwrap_or_default())
    })
}
