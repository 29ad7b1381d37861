//! Antigenic maps as cartographers draw them: viruses filled, sera open squares, a grid of twofold dilutions, regions that hold 68%
//! and 95% of the draws, colours for years where nothing else is to be coloured; with a second run, arrows to where it has the same objects.

use super::Options;
use super::axes::{BELOW, Frame, Range, Rect, range_of, room_left};
use super::contour::Density;
use super::map::{Colours, checked_axes, dot_radius, equal_scales, height_of};
use super::names;
use super::palette::{BLACK, GREY};
use super::scene::{Ink, Point, Scene};
use crate::Locations;
use crate::dissimilarity::{LabelColumn, LabelValues};
use crate::embedding::procrustes;
use crate::fit::TitreSummary;
use crate::run::{FinishedRun, RunError};

/// Draws from which regions are made.
const MOST_DRAWS: usize = 300;
/// Objects beyond which regions would hide each other.
const MOST_REGIONS: usize = 400;
/// Objects beyond which a map is crowded: smaller marks, the inner regions alone, and names only where no other object is near.
const CROWDED: usize = 60;
/// How much smaller marks are then.
const SMALLER: f64 = 0.8;

/// Draws the map; `other` is where the arrows go.
pub(super) fn draw(
    run: &FinishedRun,
    other: Option<&FinishedRun>,
    options: &Options,
    width: f64,
) -> Result<Scene, RunError> {
    let Some(titres) = &run.summary().titres else {
        let problem = format!("{} is no map of titres", run.path().display());
        return Err(RunError::setting("KIND", problem, "draw `map`, or fit a table of titres with `titers`"));
    };
    let axes = match checked_axes(options.axes, run.reader().n_dims())? {
        (first, Some(second)) => (first, second),
        _ => return super::line::draw(run, options, width),
    };
    let mean = &run.embedding().mean;
    let points: Vec<Point> = (0..mean.n_objects()).map(|n| (mean.get(n, axes.0), mean.get(n, axes.1))).collect();
    let picture = Picture {
        run,
        n_viruses: titres.n_viruses,
        regions: regions(run, axes)?,
        arrows: other.map_or_else(|| Ok(Vec::new()), |other| arrows(run, other, axes))?,
        points,
    };
    let years = years(titres);
    let colours = Colours::new(options.colour.as_ref().or(years.as_ref()), run.names().len());
    Ok(picture.on_sheet(title(run, titres, other), width, &colours))
}

/// The years as labels, if there are several.
fn years(titres: &TitreSummary) -> Option<LabelColumn> {
    let first = titres.years.iter().flatten().next()?;
    titres.years.iter().flatten().find(|year| *year != first)?;
    let values = titres.years.iter().map(|year| year.unwrap_or(f64::NAN)).collect();
    Some(LabelColumn { name: "Year".into(), values: LabelValues::Numeric(values) })
}

fn title(run: &FinishedRun, titres: &TitreSummary, other: Option<&FinishedRun>) -> String {
    let TitreSummary { n_viruses, n_sera, .. } = titres;
    let arrows = other.map_or_else(String::new, |other| format!(", arrows to {}", other.name()));
    let shares = if n_viruses + n_sera > CROWDED { "68%" } else { "68% and 95%" };
    format!(
        "Antigenic map of {n_viruses} viruses (filled) and {n_sera} sera (squares) of {}, {}; regions hold {shares} of the draws, a \
         square of the grid is a twofold dilution{arrows}",
        run.name(),
        run.what_is_shown()
    )
}

/// The density of every object's draws on two axes; none where there are too many objects or no draws.
fn regions(run: &FinishedRun, axes: (usize, usize)) -> Result<Vec<Option<Density>>, RunError> {
    let n_objects = run.names().len();
    if n_objects > MOST_REGIONS || !run.reader().has_x() {
        return Ok(Vec::new());
    }
    let total: usize = run.shown_chains().iter().map(|&chain| run.reader().n_complete(chain)).sum();
    let spaced = crate::draws::Spaced::new(total, MOST_DRAWS);
    let mut of_object: Vec<Vec<Point>> = vec![Vec::new(); n_objects];
    let mut index = 0;
    for &chain in run.shown_chains() {
        for draw in 0..run.reader().n_complete(chain) {
            if spaced.contains(index) {
                let x = run.aligned(chain, draw)?;
                let point = |n: usize| (x.get(n, axes.0), x.get(n, axes.1));
                of_object.iter_mut().enumerate().for_each(|(n, points)| points.push(point(n)));
            }
            index += 1;
        }
    }
    Ok(of_object.iter().map(|points| Density::of(points)).collect())
}

/// Where another map has the objects that both have, laid onto this one.
fn arrows(run: &FinishedRun, other: &FinishedRun, axes: (usize, usize)) -> Result<Vec<(Point, Point)>, RunError> {
    let (here, there) = (&run.embedding().mean, &other.embedding().mean);
    let shared: Vec<(usize, usize)> =
        run.names().iter().enumerate().filter_map(|(n, name)| Some((n, other.names().find(&name)?))).collect();
    if here.n_dims() != there.n_dims() || shared.len() <= here.n_dims() {
        let problem = format!("{} and {} share too few objects or dimensions", run.name(), other.name());
        return Err(RunError::setting("RUN", problem, "give two maps of the same strains and sera"));
    }
    let of = |map: &Locations, pick: fn(&(usize, usize)) -> usize| {
        Locations::from_fn(shared.len(), here.n_dims(), |k, dim| map.get(pick(&shared[k]), dim))
    };
    let (from, to) = (of(here, |pair| pair.0), of(there, |pair| pair.1));
    let laid = procrustes(&to, &from).apply(&to);
    let point = |map: &Locations, k: usize| (map.get(k, axes.0), map.get(k, axes.1));
    Ok((0..shared.len()).map(|k| (point(&from, k), point(&laid, k))).collect())
}

/// Where everything is, in twofold dilutions.
struct Picture<'a> {
    run: &'a FinishedRun,
    n_viruses: usize,
    points: Vec<Point>,
    regions: Vec<Option<Density>>,
    arrows: Vec<(Point, Point)>,
}

impl Picture<'_> {
    fn on_sheet(&self, title: String, width: f64, colours: &Colours) -> Scene {
        let outer: Vec<Vec<Vec<Point>>> = self.outlines(if self.is_crowded() { 0.68 } else { 0.95 });
        let corners = || {
            self.points.iter().chain(outer.iter().flatten().flatten()).chain(self.arrows.iter().map(|arrow| &arrow.1))
        };
        let x: Range = range_of(corners().map(|point| point.0), 0.03);
        let y: Range = range_of(corners().map(|point| point.1), 0.03);
        let (left, right) = (room_left(y, width, true), width - 4.0);
        let mut scene = Scene::new(title, width, 0.0);
        let top = colours.legend(&mut scene, left, right) + 3.0;
        let height = height_of(right - left, x, y);
        scene.height = top + height + BELOW;
        let frame = equal_scales(Rect { left, top, right, bottom: top + height }, x, y);
        grid(&mut scene, &frame);
        frame.draw(&mut scene, "Axis 1 (a square is a twofold dilution)", "Axis 2");
        let outlines = self.draw_regions(&mut scene, &frame, colours, &outer);
        self.draw_arrows(&mut scene, &frame);
        self.draw_objects(&mut scene, &frame, colours, &outlines);
        scene
    }

    fn is_crowded(&self) -> bool {
        self.points.len() > CROWDED
    }

    /// Closed lines around the region of every object.
    fn outlines(&self, share: f64) -> Vec<Vec<Vec<Point>>> {
        self.regions
            .iter()
            .map(|region| region.as_ref().map_or_else(Vec::new, |region| region.contours(share)))
            .collect()
    }

    /// Draws both regions of every object; returns the outer ones on the sheet, for names to keep clear of.
    fn draw_regions(
        &self,
        scene: &mut Scene,
        frame: &Frame,
        colours: &Colours,
        outer: &[Vec<Vec<Point>>],
    ) -> Vec<Vec<Point>> {
        let on_sheet = |line: &Vec<Point>| line.iter().map(|&(x, y)| frame.point(x, y)).collect::<Vec<Point>>();
        // Many regions lie on each other: they grow fainter, and so do their lines.
        let opacity = (2.0 / (outer.len().max(1) as f64).sqrt()).clamp(0.05, 0.35);
        for (object, lines) in self.outlines(0.68).iter().enumerate() {
            let colour = self.colour(object, colours);
            lines.iter().for_each(|line| scene.area(on_sheet(line), Ink::faint(colour, 0.5 * opacity)));
        }
        if self.is_crowded() {
            return Vec::new();
        }
        for (object, lines) in outer.iter().enumerate() {
            let colour = self.colour(object, colours);
            lines.iter().for_each(|line| scene.line(on_sheet(line), 0.3, Ink::faint(colour, opacity + 0.1)));
        }
        outer.iter().map(|lines| lines.first().map_or_else(Vec::new, on_sheet)).collect()
    }

    /// Sera are grey unless labels colour them.
    fn colour(&self, object: usize, colours: &Colours) -> plotters::style::RGBColor {
        if object >= self.n_viruses && colours.says_nothing() { GREY } else { colours.of(object) }
    }

    fn draw_arrows(&self, scene: &mut Scene, frame: &Frame) {
        for &(from, to) in &self.arrows {
            let (from, to) = (frame.point(from.0, from.1), frame.point(to.0, to.1));
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let length = dx.hypot(dy);
            if length < 1.0 {
                continue;
            }
            let ink = Ink::solid(BLACK);
            scene.line(vec![from, to], 0.5, ink);
            let (ux, uy) = (dx / length * 3.0, dy / length * 3.0);
            let barb = |side: f64| (to.0 - ux - side * 0.5 * uy, to.1 - uy + side * 0.5 * ux);
            scene.area(vec![to, barb(1.0), barb(-1.0)], ink);
        }
    }

    fn draw_objects(&self, scene: &mut Scene, frame: &Frame, colours: &Colours, outlines: &[Vec<Point>]) {
        let radius = dot_radius(self.points.len(), frame.rect) * if self.is_crowded() { SMALLER } else { 1.0 };
        let dots: Vec<Point> = self.points.iter().map(|&(x, y)| frame.point(x, y)).collect();
        for (object, &(x, y)) in dots.iter().enumerate() {
            let ink = Ink::solid(self.colour(object, colours));
            if object < self.n_viruses {
                scene.dot((x, y), radius, ink);
            } else {
                let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
                scene.line(square.iter().map(|(dx, dy)| (x + radius * dx, y + radius * dy)).collect(), 0.6, ink);
            }
        }
        let names: Vec<String> = self.run.names().iter().map(Into::into).collect();
        let beside = if self.is_crowded() { names::where_clear } else { names::beside };
        beside(scene, frame.rect, &names, &dots, radius, outlines);
    }
}

/// A line for every twofold dilution.
fn grid(scene: &mut Scene, frame: &Frame) {
    let ink = Ink::faint(GREY, 0.35);
    let whole = |range: Range| (range.0.ceil() as i64..=range.1.floor() as i64).map(|k| k as f64);
    for x in whole(frame.x) {
        scene.line(vec![frame.point(x, frame.y.0), frame.point(x, frame.y.1)], 0.25, ink);
    }
    for y in whole(frame.y) {
        scene.line(vec![frame.point(frame.x.0, y), frame.point(frame.x.1, y)], 0.25, ink);
    }
}
