//! Rank histograms as a small SVG page: one panel per quantity, with the band in which bars of uniform ranks lie.

use std::fmt::Write;

use super::report::{Calibration, Judgement};
use super::uniformity::central_95;

/// Panels side by side.
const COLUMNS: usize = 3;
const PANEL_WIDTH: f64 = 290.0;
const PANEL_HEIGHT: f64 = 190.0;
/// The drawing area inside a panel.
const PLOT_WIDTH: f64 = 240.0;
const PLOT_HEIGHT: f64 = 110.0;
const MARGIN: f64 = 30.0;
const HEADER: f64 = 64.0;
/// Bars at most; they divide the ranks evenly.
const MOST_BINS: usize = 20;
/// Fewer replicates per bar than this say nothing.
const LEAST_EXPECTED: usize = 5;

/// Ranks counted in bins.
pub(super) struct Histograms<'a> {
    calibration: &'a Calibration,
    n_bins: usize,
    /// Counts of a bar that are within the 95% band.
    band: (usize, usize),
    /// Count at the top of the drawing area.
    top: f64,
}

impl<'a> Histograms<'a> {
    pub(super) fn of(calibration: &'a Calibration) -> Self {
        let n_bins = n_bins(calibration.n_draws + 1, calibration.n_replicates);
        let band = central_95(calibration.n_replicates, 1.0 / n_bins as f64);
        let mut histograms = Self { calibration, n_bins, band, top: 0.0 };
        let highest = (0..calibration.quantities.len()).flat_map(|k| histograms.counts(k)).max().unwrap_or(0);
        histograms.top = 1.1 * highest.max(band.1) as f64;
        histograms
    }

    fn counts(&self, quantity: usize) -> Vec<usize> {
        let ranks_per_bin = (self.calibration.n_draws + 1) / self.n_bins;
        let mut counts = vec![0; self.n_bins];
        for rank in &self.calibration.quantities[quantity].ranks {
            counts[rank / ranks_per_bin] += 1;
        }
        counts
    }

    pub(super) fn svg(&self) -> String {
        let n_panels = self.calibration.quantities.len();
        let width = 2.0 * MARGIN + COLUMNS as f64 * PANEL_WIDTH;
        let height = HEADER + n_panels.div_ceil(COLUMNS) as f64 * PANEL_HEIGHT + 10.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" \
             fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        let title = &self.calibration.title;
        text(&mut svg, (MARGIN, 26.0), "font-size=\"15\" font-weight=\"bold\"", title);
        let subtitle = format!(
            "Ranks of the truth among {} draws. Grey: 95% of the bars lie there if the fits are right; line: the mean.",
            self.calibration.n_draws
        );
        text(&mut svg, (MARGIN, 45.0), "fill=\"#555\"", &subtitle);
        for panel in 0..n_panels {
            let left = MARGIN + (panel % COLUMNS) as f64 * PANEL_WIDTH + 20.0;
            let top = HEADER + (panel / COLUMNS) as f64 * PANEL_HEIGHT + 28.0;
            self.panel(&mut svg, panel, left, top);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn panel(&self, svg: &mut String, quantity: usize, left: f64, top: f64) {
        let ranked = &self.calibration.quantities[quantity];
        let bottom = top + PLOT_HEIGHT;
        let height_of = |count: f64| PLOT_HEIGHT * count / self.top;
        let (low, high) = (self.band.0 as f64, self.band.1 as f64);
        rectangle(svg, (left, bottom - height_of(high)), (PLOT_WIDTH, height_of(high - low)), "#dcdcdc");
        let bar_width = PLOT_WIDTH / self.n_bins as f64;
        for (bin, count) in self.counts(quantity).into_iter().enumerate() {
            let height = height_of(count as f64);
            let x = left + bin as f64 * bar_width + 1.0;
            rectangle(svg, (x, bottom - height), (bar_width - 2.0, height), "#3b6ea5\" fill-opacity=\"0.8");
        }
        let expected = self.calibration.n_replicates as f64 / self.n_bins as f64;
        line(svg, left, bottom - height_of(expected), "#222\" stroke-dasharray=\"4 3");
        line(svg, left, bottom, "#222");
        let colour = match self.calibration.judge(ranked) {
            Judgement::NotUniform => "fill=\"#b3202a\" font-weight=\"bold\"",
            Judgement::Look | Judgement::Uniform => "",
        };
        text(svg, (left, top - 8.0), "font-weight=\"bold\"", &ranked.name);
        let p_value = format!("p = {:.4}", ranked.p_value);
        text(svg, (left + PLOT_WIDTH, top - 8.0), &format!("text-anchor=\"end\" {colour}"), &p_value);
        text(svg, (left, bottom + 15.0), "fill=\"#555\" font-size=\"11\"", "0");
        let last = self.calibration.n_draws.to_string();
        text(svg, (left + PLOT_WIDTH, bottom + 15.0), "fill=\"#555\" font-size=\"11\" text-anchor=\"end\"", &last);
        let count = format!("{expected:.0}");
        let at = (left - 4.0, bottom - height_of(expected) + 4.0);
        text(svg, at, "fill=\"#555\" font-size=\"11\" text-anchor=\"end\"", &count);
    }
}

/// The most bins that divide the ranks evenly and hold enough replicates.
fn n_bins(n_ranks: usize, n_replicates: usize) -> usize {
    let fits = |&bins: &usize| n_ranks.is_multiple_of(bins) && n_replicates >= LEAST_EXPECTED * bins;
    (1..=MOST_BINS).rev().find(fits).unwrap_or(1)
}

fn text(svg: &mut String, (x, y): (f64, f64), attributes: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{words}</text>");
}

fn rectangle(svg: &mut String, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
    _ = writeln!(svg, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>");
}

/// Across the drawing area.
fn line(svg: &mut String, left: f64, y: f64, stroke: &str) {
    let right = left + PLOT_WIDTH;
    _ = writeln!(svg, "<line x1=\"{left:.1}\" x2=\"{right:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"{stroke}\"/>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_divide_the_ranks() {
        assert_eq!(n_bins(100, 200), 20);
        assert_eq!(n_bins(100, 60), 10);
        assert_eq!(n_bins(64, 1_000), 16);
        assert_eq!(n_bins(101, 1_000), 1);
    }
}
