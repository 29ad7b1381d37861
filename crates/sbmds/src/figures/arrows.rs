//! Two maps aligned to one another: an arrow for every object, from the first to the second.

use super::axes::{BELOW, Frame, Rect, range_of, room_left};
use super::legend;
use super::map::{checked_axes, dot_radius, draw_axes, equal_scales, height_of};
use super::names;
use super::palette::{GREY, colour};
use super::scene::{Ink, Point, Scene};
use super::{Options, width_of};
use crate::Locations;
use crate::error::RunError;
use crate::maps::MapComparison;

/// Below this probability an object is said to lie elsewhere, and is drawn in colour.
const CERTAIN: f64 = 0.05;
/// Objects whose names are written: those that moved most.
const MOST_NAMED: usize = 40;
/// Length and half width of the head of an arrow, in points.
const HEAD: (f64, f64) = (3.2, 1.3);

/// Draws a comparison of maps. Arrows of objects that certainly lie elsewhere are coloured; without draws all are.
///
/// # Errors
/// If there are no such axes, or the width is none.
pub fn draw_arrows(comparison: &MapComparison, options: &Options) -> Result<Scene, RunError> {
    let width = width_of(options)?;
    let axes = checked_axes(options.axes, comparison.first.n_dims())?;
    let on_axes = |map: &Locations| -> Vec<Point> {
        let up = |object| axes.1.map_or(0.0, |second| map.get(object, second));
        (0..map.n_objects()).map(|object| (map.get(object, axes.0), up(object))).collect()
    };
    let (from, to) = (on_axes(&comparison.first), on_axes(&comparison.second));
    let ends = || from.iter().chain(&to);
    let (x, y) = (range_of(ends().map(|end| end.0), 0.04), range_of(ends().map(|end| end.1), 0.04));
    let (left, right) = (room_left(y, width, true), width - 4.0);
    let [first, second] = &comparison.titles;
    let title = format!("Maps {first} and {second} aligned to one another: {} objects", from.len());
    let mut scene = Scene::new(title, width, 0.0);
    let entries =
        [(format!("{first}, with an arrow to {second}"), GREY), ("lies elsewhere (p < 0.05)".into(), colour(1))];
    let top = legend::entries(&mut scene, left, right, 1.0, &entries) + 3.0;
    let height = height_of(right - left, x, y);
    scene.height = top + height + BELOW;
    let frame = equal_scales(Rect { left, top, right, bottom: top + height }, x, y);
    draw_axes(&mut scene, &frame, &comparison.first, axes);
    draw_objects(&mut scene, &frame, comparison, &from, &to);
    Ok(scene)
}

fn draw_objects(scene: &mut Scene, frame: &Frame, comparison: &MapComparison, from: &[Point], to: &[Point]) {
    let radius = dot_radius(from.len(), frame.rect);
    let mut order: Vec<usize> = (0..from.len()).collect();
    order.sort_by(|&a, &b| comparison.residuals[b].shown.total_cmp(&comparison.residuals[a].shown));
    for &object in order.iter().rev() {
        let p_same = comparison.residuals[object].p_same;
        let ink = if p_same.is_nan() || p_same < CERTAIN { Ink::solid(colour(1)) } else { Ink::faint(GREY, 0.8) };
        let at = |point: Point| frame.point(point.0, point.1);
        arrow(scene, at(from[object]), at(to[object]), ink);
        scene.dot(at(from[object]), radius, ink);
    }
    order.truncate(MOST_NAMED);
    let named: Vec<String> = order.iter().map(|&object| comparison.names.get(object).into_owned()).collect();
    let dots: Vec<Point> = order.iter().map(|&object| frame.point(from[object].0, from[object].1)).collect();
    names::beside(scene, frame.rect, &named, &dots, radius, &[]);
}

/// A line with a head; one shorter than the head is a line alone.
fn arrow(scene: &mut Scene, from: Point, to: Point, ink: Ink) {
    let (across, up) = (to.0 - from.0, to.1 - from.1);
    let length = across.hypot(up);
    scene.line(vec![from, to], 0.6, ink);
    if length <= HEAD.0 {
        return;
    }
    let (along, side) = ((across / length, up / length), (-up / length, across / length));
    let corner = |sign: f64| {
        (to.0 - HEAD.0 * along.0 + sign * HEAD.1 * side.0, to.1 - HEAD.0 * along.1 + sign * HEAD.1 * side.1)
    };
    scene.area(vec![to, corner(1.0), corner(-1.0)], ink);
}
