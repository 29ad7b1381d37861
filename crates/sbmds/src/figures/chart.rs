//! Small multiples: panels of lines, dots with error bars and hollow marks, on linear or logarithmic axes.

use plotters::style::RGBColor;

use super::POINTS_PER_MM;
use super::axes::{BELOW_UNTITLED, Frame, MARGIN_RIGHT, Range, Rect, log_ticks, range_of, ticks};
use super::legend::{self, Entry};
use super::palette::{BLACK, GREY, colour};
use super::scene::{Anchor, Ink, Point, Scene, TEXT, text_width};

/// The colour of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeriesColour {
    /// Black.
    Black,
    /// One of the palette.
    Numbered(usize),
}

impl SeriesColour {
    fn rgb(self) -> RGBColor {
        match self {
            Self::Black => BLACK,
            Self::Numbered(k) => colour(k),
        }
    }
}

/// How a series looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Look {
    /// Dots joined by a line.
    Line,
    /// A line alone.
    Curve,
    /// A dashed line across.
    Level,
    /// Hollow dots alone.
    Hollow,
}

/// A value with its standard deviation (NaN: none).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesPoint {
    /// Along the horizontal axis.
    pub x: f64,
    /// Along the vertical axis.
    pub y: f64,
    /// Standard deviation of `y`.
    pub sd: f64,
}

/// What is drawn in one colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// As the legend has it.
    pub name: String,
    /// Its colour.
    pub colour: SeriesColour,
    /// How it is drawn.
    pub look: Look,
    /// What is drawn.
    pub points: Vec<SeriesPoint>,
}

/// One of the small charts.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Written above it.
    pub title: String,
    /// What it shows.
    pub series: Vec<Series>,
}

/// How numbers lie along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AxisScale {
    /// Evenly, between the least and the greatest.
    Linear,
    /// Evenly, from zero on.
    FromZero,
    /// By their logarithm.
    Log,
}

/// An axis of all panels.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Written beside it.
    pub title: String,
    /// How numbers lie along it.
    pub scale: AxisScale,
}

/// Panels in rows; those of a row share both axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows, to those who cannot see it.
    pub title: String,
    /// Said above the legend, if anything.
    pub note: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Panels in a row.
    pub n_columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// Width in millimetres.
    pub width_mm: f64,
}

/// Space between panels.
const GUTTER: f64 = 9.0;
/// Room above a panel for its title.
const TITLE: f64 = TEXT + 5.0;
const DOT: f64 = 1.5;
const LINE: f64 = 0.9;

/// Draws the chart.
pub fn draw(chart: &Chart) -> Scene {
    let width = chart.width_mm * POINTS_PER_MM;
    let mut scene = Scene::new(chart.title.clone(), width, 0.0);
    let mut top = 1.0;
    if !chart.note.is_empty() {
        scene.text((3.0, top + TEXT / 2.0 + 1.0), chart.note.clone(), Anchor::Start, Ink::solid(GREY));
        top += TEXT + 4.0;
    }
    top = legend::marks(&mut scene, 3.0, width - 1.0, top, &entries(chart)) + 2.0;
    let rows: Vec<Row> = chart.panels.chunks(chart.n_columns).map(|panels| Row::new(chart, panels)).collect();
    let labels = rows.iter().map(Row::label_width).fold(0.0, f64::max);
    let left = TEXT + 8.0 + labels + 5.0;
    let n_columns = chart.n_columns as f64;
    let panel_width = (width - left - MARGIN_RIGHT - GUTTER * (n_columns - 1.0)) / n_columns;
    let panel_height = (0.72 * panel_width).clamp(60.0, 130.0);
    let first_top = top;
    for row in &rows {
        for (column, panel) in row.panels.iter().enumerate() {
            let left = left + column as f64 * (panel_width + GUTTER);
            let rect = Rect { left, top: top + TITLE, right: left + panel_width, bottom: top + TITLE + panel_height };
            draw_panel(&mut scene, chart, row, panel, rect, column == 0);
        }
        top += TITLE + panel_height + BELOW_UNTITLED + 3.0;
    }
    let ink = Ink::solid(BLACK);
    let middle = (left + width - MARGIN_RIGHT) / 2.0;
    scene.text((middle, top + TEXT / 2.0 + 1.0), chart.x.title.clone(), Anchor::Middle, ink);
    scene.turned_text((TEXT / 2.0 + 1.5, (first_top + top) / 2.0), chart.y.title.clone(), ink);
    scene.height = top + TEXT + 5.0;
    scene
}

/// A row of panels with its axes.
struct Row<'a> {
    panels: &'a [Panel],
    x: Range,
    y: Range,
    x_ticks: Vec<(f64, String)>,
    y_ticks: Vec<(f64, String)>,
}

impl<'a> Row<'a> {
    fn new(chart: &Chart, panels: &'a [Panel]) -> Self {
        let points = || panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
        let ends = |point: &SeriesPoint| {
            let sd = if point.sd.is_finite() { point.sd } else { 0.0 };
            // A bar that reaches zero or below has no end on a logarithmic axis.
            let low =
                if chart.y.scale == AxisScale::Log && point.y - sd <= 0.2 * point.y { point.y } else { point.y - sd };
            [low, point.y + sd]
        };
        // A tick every 35 points of print or so.
        let n_ticks = (chart.width_mm * POINTS_PER_MM / chart.n_columns as f64 / 35.0) as usize;
        let (x, x_ticks) = range_and_ticks(points().map(|point| point.x), chart.x.scale, n_ticks);
        let (y, y_ticks) = range_and_ticks(points().flat_map(ends), chart.y.scale, 5);
        Self { panels, x, y, x_ticks, y_ticks }
    }

    fn label_width(&self) -> f64 {
        self.y_ticks.iter().map(|(_, label)| text_width(label)).fold(0.0, f64::max)
    }
}

/// The range of an axis (of logarithms, if it is logarithmic), and where its ticks are.
fn range_and_ticks(values: impl Iterator<Item = f64>, scale: AxisScale, wanted: usize) -> (Range, Vec<(f64, String)>) {
    match scale {
        AxisScale::Log => {
            let range = range_of(values.filter(|&value| value > 0.0).map(f64::log10), 0.05);
            (range, log_ticks(range))
        }
        AxisScale::Linear => {
            let range = range_of(values, 0.05);
            (range, ticks(range, wanted))
        }
        AxisScale::FromZero => {
            let (_, high) = range_of(values, 0.05);
            ((0.0, high), ticks((0.0, high), wanted))
        }
    }
}

fn on_axis(value: f64, scale: AxisScale) -> f64 {
    if scale == AxisScale::Log { value.log10() } else { value }
}

fn draw_panel(scene: &mut Scene, chart: &Chart, row: &Row, panel: &Panel, rect: Rect, is_first: bool) {
    let frame = Frame { rect, x: row.x, y: row.y };
    let title = legend::shortened(&panel.title, rect.right - rect.left);
    scene.text((rect.left + 2.0, rect.top - TEXT / 2.0 - 2.0), title, Anchor::Start, Ink::solid(BLACK));
    for (value, _) in &row.y_ticks {
        let (_, y) = frame.point(row.x.0, *value);
        scene.line(vec![(rect.left, y), (rect.right, y)], 0.3, Ink::faint(GREY, 0.35));
    }
    frame.draw_x_ticks(scene, &row.x_ticks);
    frame.draw_y_ticks(scene, if is_first { &row.y_ticks } else { &[] });
    for series in &panel.series {
        draw_series(scene, chart, &frame, series);
    }
}

fn draw_series(scene: &mut Scene, chart: &Chart, frame: &Frame, series: &Series) {
    let point = |x: f64, y: f64| frame.point(on_axis(x, chart.x.scale), on_axis(y, chart.y.scale));
    let colour = series.colour.rgb();
    let ink = Ink::solid(colour);
    let is_shown = |point: &&SeriesPoint| point.y.is_finite() && (chart.y.scale != AxisScale::Log || point.y > 0.0);
    let shown: Vec<&SeriesPoint> = series.points.iter().filter(is_shown).collect();
    let points: Vec<Point> = shown.iter().map(|shown| point(shown.x, shown.y)).collect();
    match series.look {
        Look::Level => points.iter().for_each(|&(_, y)| dashed(scene, frame.rect, y, ink)),
        Look::Hollow => points.iter().for_each(|&centre| ring(scene, centre, DOT + 0.3, colour)),
        Look::Curve => scene.line(points, LINE, ink),
        Look::Line => {
            for (estimate, &(x, _)) in shown.iter().zip(&points).filter(|(estimate, _)| estimate.sd > 0.0) {
                let at = |y: f64| {
                    if chart.y.scale == AxisScale::Log && y <= 0.0 { f64::INFINITY } else { point(estimate.x, y).1 }
                };
                let (low, high) = (at(estimate.y - estimate.sd).min(frame.rect.bottom), at(estimate.y + estimate.sd));
                scene.line(vec![(x, low), (x, high.max(frame.rect.top))], 0.6, Ink::faint(colour, 0.7));
            }
            scene.line(points.clone(), LINE, ink);
            points.iter().for_each(|&centre| scene.dot(centre, DOT, ink));
        }
    }
}

fn dashed(scene: &mut Scene, rect: Rect, y: f64, ink: Ink) {
    const DASH: f64 = 3.0;
    let mut x = rect.left;
    while x < rect.right {
        scene.line(vec![(x, y), ((x + DASH).min(rect.right), y)], LINE, ink);
        x += 2.0 * DASH;
    }
}

/// A hollow dot.
fn ring(scene: &mut Scene, centre: Point, radius: f64, colour: RGBColor) {
    scene.dot(centre, radius, Ink::solid(colour));
    scene.dot(centre, radius - 0.7, Ink::solid(RGBColor(255, 255, 255)));
}

/// Each name once; the authors' marks, of whatever colour, in grey.
fn entries(chart: &Chart) -> Vec<(String, Entry, RGBColor)> {
    let mut entries: Vec<(String, Entry, RGBColor)> = Vec::new();
    for series in chart.panels.iter().flat_map(|panel| &panel.series) {
        let (entry, colour) = match series.look {
            Look::Line | Look::Curve => (Entry::Filled, series.colour.rgb()),
            Look::Level => (Entry::Dashed, series.colour.rgb()),
            Look::Hollow => (Entry::Hollow, GREY),
        };
        if !entries.iter().any(|(name, kind, _)| *name == series.name && *kind == entry) {
            entries.push((series.name.clone(), entry, colour));
        }
    }
    // The authors' marks come last.
    entries.sort_by_key(|(_, entry, _)| *entry == Entry::Hollow);
    entries
}
