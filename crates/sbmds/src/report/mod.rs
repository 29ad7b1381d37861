//! A finished run as one self-contained interactive page: its data, and the file.
//!
//! [`ReportData::gather`] collects what the page shows, with memory that does not grow with the number of draws, and
//! [`write_html`] puts it into one file that opens offline in any browser. The data hold no date and no path of the machine:
//! equal runs give equal reports.

mod clusters;
mod data;
mod draw_sample;
mod gather;
mod heat_map;
mod html;
mod kd_tree;
mod neighbours;
mod pack;
mod placed;
mod preliminary;
mod shepard;
mod titres;
mod traces;
mod tree;
mod warnings;

#[cfg(test)]
mod tests;

use std::path::Path;

use crate::error::RunError;
use crate::fit::Fitted;

pub use clusters::{ClusterData, ClusterSection, Corners, OutlineData};
pub use data::{Fit, LabelData, MapData, ModeData, ObjectModesData, ReportData, Section, VerdictData};
pub use draw_sample::DrawSample;
pub use heat_map::HeatMap;
pub use html::write_html;
pub use neighbours::{NO_NEIGHBOUR, Neighbours};
pub use pack::Quantised;
pub use preliminary::write_preliminary_html;
pub use titres::{LevelData, TitreSection, WorstTitre};
pub use traces::{Trace, TraceDiagnosis};
pub use tree::{NodeData, RateData, TreeSection};

impl Fitted {
    /// Writes the fit as one self-contained interactive page.
    ///
    /// # Errors
    /// If the draws cannot be read or the file cannot be written.
    pub fn report(&self, path: &Path) -> Result<(), RunError> {
        write_html(&ReportData::gather(self, None)?, path)
    }
}
