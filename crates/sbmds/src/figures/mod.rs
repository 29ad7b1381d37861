//! Figures for papers: a finished run as a map, a Shepard plot, traces, ranks, effective sample sizes,
//! densities, clusters, groups or the tree it diffused along.
//!
//! [`draw`] makes a [`Scene`] of lines, dots and texts in points of print, and [`write()`] puts it into an SVG or a PDF (which carry
//! their font) or a PNG (300 dots per inch) by the extension of the file. Text is 7 points high at the width that is asked for; colours
//! are those of Okabe and Ito (2008), which colour-blind people tell apart.

mod antigenic;
mod arrows;
mod axes;
mod chains;
mod chart;
mod clusters;
mod contour;
mod density;
mod ess;
mod groups;
mod legend;
mod letters;
mod line;
mod map;
mod maps;
mod modes;
mod names;
mod palette;
mod pdf;
mod render;
mod scene;
mod shepard;
#[cfg(test)]
mod tests;
mod tree;

use std::str::FromStr;

pub use arrows::draw_arrows;
pub use chart::{Axis, AxisScale, Chart, Look, Panel, Series, SeriesColour, SeriesPoint, draw as draw_chart};
pub use maps::{Maps, SmallMap, draw as draw_maps};
pub use render::{missing_letters, write};
pub use scene::Scene;

use crate::dissimilarity::LabelColumn;
use crate::run::{FinishedRun, RunError};

/// What a figure shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The map shown, with 95% ellipses; objects that have several modes with one for each.
    Map,
    /// Observed dissimilarities against fitted distances.
    Shepard,
    /// Draws of a quantity, chain by chain, as they came.
    Trace,
    /// Histograms of the pooled ranks of each chain.
    Rank,
    /// Effective sample size against the number of draws.
    Ess,
    /// Kernel densities, of chains or of runs.
    Density,
    /// Mean locations by consensus cluster, with the outlines of the clusters of five draws.
    Clusters,
    /// The median location of every group of objects.
    Groups,
    /// Viruses, sera and the regions of their draws on a grid of twofold dilutions; with a second run, arrows to its map.
    Antigenic,
    /// The tree of a fit along one, drawn over the map: where ancestors were, and when.
    Tree,
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Ok(match word {
            "map" => Self::Map,
            "shepard" => Self::Shepard,
            "trace" => Self::Trace,
            "rank" => Self::Rank,
            "ess" => Self::Ess,
            "density" => Self::Density,
            "clusters" => Self::Clusters,
            "groups" => Self::Groups,
            "antigenic" => Self::Antigenic,
            "tree" => Self::Tree,
            _ => {
                return Err(format!(
                    "{word:?} is no figure. Remedy: end with map, antigenic, shepard, trace, rank, ess, density, clusters, groups or tree, as in \
                     `sbmds plot RUN map --out map.svg`"
                ));
            }
        })
    }
}

/// How a figure is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The quantity of a trace, of ranks, effective sample sizes and densities; for the effective sample size the default is
    /// the quantity that mixes worst, else sigma.
    pub quantity: Option<String>,
    /// The labels that colour a map.
    pub colour: Option<LabelColumn>,
    /// The labels that make groups of the objects.
    pub group: Option<LabelColumn>,
    /// The axes of a map, counted from 1.
    pub axes: (usize, usize),
    /// Width in millimetres.
    pub width_mm: f64,
}

impl Default for Options {
    /// 89 mm: one column of most journals.
    fn default() -> Self {
        Self { quantity: None, colour: None, group: None, axes: (1, 2), width_mm: 89.0 }
    }
}

/// Widths that paper has, in millimetres.
const WIDTHS_MM: std::ops::RangeInclusive<f64> = 40.0..=1000.0;
/// Points of print per millimetre.
const POINTS_PER_MM: f64 = 72.0 / 25.4;

/// Draws a figure of one run, or of several if it is a density.
///
/// # Errors
/// If there are several runs and the figure shows one, there is no such quantity or axis, or the run cannot be read.
pub fn draw(kind: Kind, runs: &[FinishedRun], options: &Options) -> Result<Scene, RunError> {
    let width = width_of(options)?;
    let quantity = options.quantity.as_deref();
    match (kind, runs) {
        (Kind::Density, runs) => density::draw(runs, quantity.unwrap_or("sigma"), width),
        (Kind::Clusters, [run]) => clusters::draw(run, options, width),
        (Kind::Groups, [run]) => groups::draw(run, options, width),
        (Kind::Tree, [run]) => tree::draw(run, options, width),
        (Kind::Antigenic, [run]) => antigenic::draw(run, None, options, width),
        (Kind::Antigenic, [run, other]) => antigenic::draw(run, Some(other), options, width),
        (Kind::Map, [run]) if run.summary().titres.is_some() => antigenic::draw(run, None, options, width),
        (Kind::Map, [run]) => map::draw(run, options, width),
        (Kind::Shepard, [run]) => shepard::draw(run, width),
        (Kind::Trace, [run]) => chains::trace(run, quantity.unwrap_or("sigma"), width),
        (Kind::Rank, [run]) => chains::ranks(run, quantity.unwrap_or("sigma"), width),
        (Kind::Ess, [run]) => ess::draw(run, quantity, width),
        _ => {
            let problem = format!("this figure shows one run, and {} were given", runs.len());
            Err(RunError::setting("RUN", problem, "give one run, or overlay several with density"))
        }
    }
}

/// Width in points of print.
fn width_of(options: &Options) -> Result<f64, RunError> {
    if !WIDTHS_MM.contains(&options.width_mm) {
        let problem = format!("{} mm is no width for a figure", options.width_mm);
        return Err(RunError::setting("`width_mm`", problem, "give 40 to 1000; one column of most journals is 89"));
    }
    Ok(options.width_mm * POINTS_PER_MM)
}
