//! The posterior mean map with 95% ellipses, coloured by a label.

use plotters::style::RGBColor;

use super::Options;
use super::axes::{BELOW, Frame, Range, Rect, range_of, room_left};
use super::legend;
use super::line;
use super::modes::OtherModes;
use super::names;
use super::palette::{COLOURS, GREY, colour, ramp};
use super::scene::{Ink, Point, Scene};
use crate::Locations;
use crate::dissimilarity::{LabelColumn, LabelValues, NO_LEVEL};
use crate::embedding::{Ellipse, Moments, axis_share};
use crate::run::{FinishedRun, RunError};

/// Above this many objects their ellipses would be an unreadable blot.
const MOST_ELLIPSES: usize = 1_000;

pub(super) fn draw(run: &FinishedRun, options: &Options, width: f64) -> Result<Scene, RunError> {
    let axes = checked_axes(options.axes, run.reader().n_dims())?;
    if axes.1.is_none() {
        return line::draw(run, options, width);
    }
    let (moments, object_modes) = run.moments_and_modes()?;
    let other_modes = OtherModes::new(&object_modes, axes);
    let picture = Picture { other_modes, ..Picture::new(run, &moments, axes) };
    let colours = Colours::new(options.colour.as_ref(), run.names().len());
    let what = run.what_is_shown();
    let title = format!("Map of {} objects of {}, {what} with 95% ellipses", run.names().len(), run.name());
    Ok(picture.on_sheet(title, width, &colours, run))
}

/// Axes from 0, the second `None` on a map of one dimension.
pub(super) fn checked_axes((first, second): (usize, usize), n_dims: usize) -> Result<(usize, Option<usize>), RunError> {
    if n_dims == 1 && first == 1 {
        return Ok((0, None));
    }
    if (1..=n_dims).contains(&first) && (1..=n_dims).contains(&second) && first != second {
        return Ok((first - 1, Some(second - 1)));
    }
    let problem = format!("axes {first} and {second} of a map with {n_dims} dimensions");
    Err(RunError::setting("`axes`", problem, format!("give two different numbers from 1 to {n_dims}, such as 1,2")))
}

/// Where everything is, in the units of the map.
struct Picture {
    points: Vec<(f64, f64)>,
    ellipses: Vec<Ellipse>,
    titles: (String, String),
    other_modes: OtherModes,
}

impl Picture {
    fn new(run: &FinishedRun, moments: &Moments, (first, second): (usize, Option<usize>)) -> Self {
        let mean = &run.embedding().mean;
        let n_dims = mean.n_dims();
        let y = |object| second.map_or(0.0, |second| mean.get(object, second));
        let ellipse = |object| ellipse_on(&moments.covariance(object), n_dims, (first, second));
        let n_objects = mean.n_objects();
        let n_ellipses = if n_objects <= MOST_ELLIPSES { n_objects } else { 0 };
        Self {
            points: (0..n_objects).map(|object| (mean.get(object, first), y(object))).collect(),
            ellipses: (0..n_ellipses).map(ellipse).collect(),
            titles: axis_titles(mean, (first, second)),
            other_modes: OtherModes::default(),
        }
    }

    /// The ranges of all points and ellipses across and up.
    fn ranges(&self) -> (Range, Range) {
        let reach = |object: usize| self.ellipses.get(object).map_or((0.0, 0.0), reach);
        let ends = |object: usize, &(x, y): &(f64, f64)| {
            let (across, up) = reach(object);
            [(x - across, y - up), (x + across, y + up)]
        };
        let corners: Vec<Point> =
            self.points.iter().enumerate().flat_map(|(object, point)| ends(object, point)).collect();
        let corners = [corners, self.other_modes.corners()].concat();
        (range_of(corners.iter().map(|corner| corner.0), 0.04), range_of(corners.iter().map(|corner| corner.1), 0.04))
    }

    fn on_sheet(&self, title: String, width: f64, colours: &Colours, run: &FinishedRun) -> Scene {
        let (x, y) = self.ranges();
        let left = room_left(y, width, true);
        let right = width - 4.0;
        let mut scene = Scene::new(title, width, 0.0);
        let top = colours.legend(&mut scene, left, right) + 3.0;
        let across = right - left;
        let height = height_of(across, x, y);
        scene.height = top + height + BELOW;
        let rect = Rect { left, top, right, bottom: top + height };
        let frame = equal_scales(rect, x, y);
        frame.draw(&mut scene, &self.titles.0, &self.titles.1);
        self.draw_objects(&mut scene, &frame, colours, run);
        scene
    }

    fn draw_objects(&self, scene: &mut Scene, frame: &Frame, colours: &Colours, run: &FinishedRun) {
        let known = |ellipse: &Ellipse| ellipse.major.is_finite();
        let outline = |(&centre, ellipse): (&Point, &Ellipse)| {
            if known(ellipse) { outline(frame, centre, ellipse) } else { Vec::new() }
        };
        let outlines: Vec<Vec<Point>> = self.points.iter().zip(&self.ellipses).map(outline).collect();
        // Many ellipses would hide the dots.
        let opacity = (6.0 / (outlines.len() as f64).sqrt()).clamp(0.2, 0.6);
        for (object, outline) in outlines.iter().enumerate().filter(|(_, outline)| !outline.is_empty()) {
            scene.line(outline.clone(), 0.35, Ink::faint(colours.of(object), opacity));
        }
        let radius = dot_radius(self.points.len(), frame.rect);
        self.other_modes.draw(scene, frame, radius, &self.points, colours);
        let dots: Vec<Point> = self.points.iter().map(|&(x, y)| frame.point(x, y)).collect();
        for (object, &dot) in dots.iter().enumerate() {
            scene.dot(dot, radius, Ink::solid(colours.of(object)));
        }
        let names: Vec<String> = run.names().iter().map(Into::into).collect();
        let (names, dots) = self.other_modes.named(frame, names, dots);
        names::beside(scene, frame.rect, &names, &dots, radius, &outlines);
    }
}

/// The 95% ellipse of a location on two axes.
pub(super) fn ellipse_on(covariance: &[f64], n_dims: usize, (first, second): (usize, Option<usize>)) -> Ellipse {
    let entry = |row: usize, column: Option<usize>| column.map_or(0.0, |column| covariance[row * n_dims + column]);
    let yy = second.map_or(0.0, |second| entry(second, Some(second)));
    Ellipse::of_covariance(entry(first, Some(first)), entry(first, second), yy)
}

/// What axes are called.
pub(super) fn axis_titles(mean: &Locations, (first, second): (usize, Option<usize>)) -> (String, String) {
    let share = axis_share(mean);
    let title = |axis: usize| format!("Axis {} ({:.0}% of the variance)", axis + 1, 100.0 * share[axis]);
    if second.is_none() {
        return ("Location on the one axis; height means nothing".into(), String::new());
    }
    (title(first), second.map(title).unwrap_or_default())
}

/// The height of a map that is so wide: as its ranges are, within what a page bears.
pub(super) fn height_of(across: f64, x: Range, y: Range) -> f64 {
    (across * (y.1 - y.0) / (x.1 - x.0)).clamp(0.35 * across, 1.3 * across)
}

/// Small dots for many objects, larger ones where there is room: each a few hundredths of the space between objects.
pub(super) fn dot_radius(n_objects: usize, Rect { left, top, right, bottom }: Rect) -> f64 {
    let space = ((right - left) * (bottom - top) / n_objects as f64).sqrt();
    (0.055 * space).clamp(0.7, 1.8)
}

/// Draws the axes of a map; one of one dimension has none upwards.
pub(super) fn draw_axes(scene: &mut Scene, frame: &Frame, mean: &Locations, axes: (usize, Option<usize>)) {
    let (across, up) = axis_titles(mean, axes);
    match axes.1 {
        Some(_) => frame.draw(scene, &across, &up),
        None => frame.draw_x(scene, &across),
    }
}

/// The frame with ranges widened so that one unit is as long across as up.
pub(super) fn equal_scales(rect: Rect, x: Range, y: Range) -> Frame {
    let (across, up) = (rect.right - rect.left, rect.bottom - rect.top);
    let unit = ((x.1 - x.0) / across).max((y.1 - y.0) / up);
    let widened = |range: Range, length: f64| {
        let middle = (range.0 + range.1) / 2.0;
        (middle - unit * length / 2.0, middle + unit * length / 2.0)
    };
    Frame { rect, x: widened(x, across), y: widened(y, up) }
}

/// How far an ellipse reaches across and up; one that is not known reaches nowhere.
pub(super) fn reach(ellipse: &Ellipse) -> (f64, f64) {
    if !ellipse.major.is_finite() {
        return (0.0, 0.0);
    }
    let (sin, cos) = ellipse.angle_degrees.to_radians().sin_cos();
    ((ellipse.major * cos).hypot(ellipse.minor * sin), (ellipse.major * sin).hypot(ellipse.minor * cos))
}

/// Points along an ellipse, on the sheet.
pub(super) fn outline(frame: &Frame, centre: (f64, f64), ellipse: &Ellipse) -> Vec<Point> {
    const CORNERS: usize = 40;
    let (sin, cos) = ellipse.angle_degrees.to_radians().sin_cos();
    let corner = |k: usize| {
        let turn = std::f64::consts::TAU * k as f64 / CORNERS as f64;
        let (along, across) = (ellipse.major * turn.cos(), ellipse.minor * turn.sin());
        frame.point(centre.0 + along * cos - across * sin, centre.1 + along * sin + across * cos)
    };
    (0..=CORNERS).map(corner).collect()
}

/// The colour of every object, and what it means.
pub(super) struct Colours {
    of_object: Vec<RGBColor>,
    meaning: Meaning,
}

enum Meaning {
    None,
    Levels { name: String, entries: Vec<(String, RGBColor)> },
    Numbers { name: String, range: (f64, f64) },
}

impl Colours {
    pub(super) fn new(column: Option<&LabelColumn>, n_objects: usize) -> Self {
        match column.map(|column| (&column.name, &column.values)) {
            None => Self { of_object: vec![colour(0); n_objects], meaning: Meaning::None },
            Some((name, LabelValues::Categorical { levels, codes })) => Self::of_levels(name, levels, codes),
            Some((name, LabelValues::Numeric(values))) => Self::of_numbers(name, values),
        }
    }

    pub(super) fn of(&self, object: usize) -> RGBColor {
        self.of_object[object]
    }

    /// Whether all objects have one colour.
    pub(super) fn says_nothing(&self) -> bool {
        matches!(self.meaning, Meaning::None)
    }

    /// The most frequent levels get a colour each.
    fn of_levels(name: &str, levels: &[String], codes: &[u16]) -> Self {
        let mut counts = vec![0; levels.len()];
        codes.iter().filter(|&&code| code != NO_LEVEL).for_each(|&code| counts[usize::from(code)] += 1);
        let mut frequent: Vec<usize> = (0..levels.len()).collect();
        frequent.sort_by_key(|&level| std::cmp::Reverse(counts[level]));
        frequent.truncate(if levels.len() > COLOURS.len() { COLOURS.len() - 1 } else { COLOURS.len() });
        frequent.sort_unstable();
        let colour_of = |code: u16| frequent.iter().position(|&level| level == usize::from(code)).map_or(GREY, colour);
        let mut entries: Vec<(String, RGBColor)> =
            frequent.iter().map(|&level| (levels[level].clone(), colour_of(level as u16))).collect();
        let of_object: Vec<RGBColor> = codes.iter().map(|&code| colour_of(code)).collect();
        let n_others = levels.len() - frequent.len();
        if of_object.contains(&GREY) {
            let others = if n_others > 0 { format!("{n_others} others or none") } else { "no label".into() };
            entries.push((others, GREY));
        }
        Self { of_object, meaning: Meaning::Levels { name: name.into(), entries } }
    }

    fn of_numbers(name: &str, values: &[f64]) -> Self {
        let range = range_of(values.iter().copied(), 0.0);
        let share = |value: f64| (value - range.0) / (range.1 - range.0);
        let of_object = values.iter().map(|&value| if value.is_nan() { GREY } else { ramp(share(value)) }).collect();
        Self { of_object, meaning: Meaning::Numbers { name: name.into(), range } }
    }

    /// Draws the legend at the top of the sheet and returns where it ends.
    pub(super) fn legend(&self, scene: &mut Scene, left: f64, right: f64) -> f64 {
        match &self.meaning {
            Meaning::None => 0.0,
            Meaning::Levels { name, entries } => legend::titled(scene, left, right, 1.0, name, entries),
            Meaning::Numbers { name, range } => legend::bar(scene, left, right, 1.0, name, *range),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_maps_keep_one_unit_as_long_across_as_up() {
        let rect = Rect { left: 20.0, top: 5.0, right: 220.0, bottom: 105.0 };
        for (x, y) in [((0.0, 1.0), (-5.0, 5.0)), ((-30.0, 30.0), (0.0, 1.0))] {
            let frame = equal_scales(rect, x, y);
            let (origin, across, up) = (frame.point(0.0, 0.0), frame.point(1.0, 0.0), frame.point(0.0, 1.0));
            approx::assert_relative_eq!(across.0 - origin.0, origin.1 - up.1, max_relative = 1e-12);
            assert!(frame.x.0 <= x.0 && frame.x.1 >= x.1 && frame.y.0 <= y.0 && frame.y.1 >= y.1);
        }
    }

    #[test]
    fn the_rarest_of_many_levels_share_grey() {
        let levels: Vec<String> = (0..14).map(|level| format!("level {level}")).collect();
        // Two objects of each level but the last.
        let codes = (0..13).chain(0..14).collect();
        let column = LabelColumn { name: "clade".into(), values: LabelValues::Categorical { levels, codes } };
        let colours = Colours::new(Some(&column), 27);
        let Meaning::Levels { name, entries } = &colours.meaning else { panic!() };
        assert_eq!((name.as_str(), entries.len()), ("clade", COLOURS.len()));
        assert_eq!(entries[11], ("3 others or none".into(), GREY));
        assert!(colours.of(26) == GREY && colours.of(0) == colours.of(13) && colours.of(0) != GREY);
    }

    #[test]
    fn dots_grow_with_the_sheet_and_shrink_with_their_number() {
        let sheet = |width: f64| Rect { left: 0.0, top: 0.0, right: width, bottom: width };
        let (column, page) = (sheet(225.0), sheet(480.0));
        assert!(dot_radius(300, page) > 1.4 && dot_radius(300, column) < 0.8);
        assert_eq!((dot_radius(10, column), dot_radius(100_000, column)), (1.8, 0.7));
    }
}
