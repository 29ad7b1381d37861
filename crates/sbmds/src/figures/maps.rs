//! Many small maps side by side, their objects coloured by one number.

use super::POINTS_PER_MM;
use super::axes::range_of;
use super::legend;
use super::palette::{BLACK, GREY, ramp};
use super::scene::{Anchor, Ink, Scene, TEXT};

/// One of the maps.
#[derive(Clone, Debug, PartialEq)]
pub struct SmallMap {
    /// Written above it.
    pub title: String,
    /// Where the objects are.
    pub points: Vec<(f64, f64)>,
}

/// Maps in rows, on one scale.
pub struct Maps<'a> {
    /// What it shows, to those who cannot see it.
    pub title: &'a str,
    /// Said above the legend, if anything.
    pub note: &'a str,
    /// What the colour means.
    pub colour_name: &'a str,
    /// The number of each object.
    pub colours: &'a [f64],
    /// Maps in a row.
    pub n_columns: usize,
    /// The maps, row by row.
    pub maps: Vec<SmallMap>,
    /// Width in millimetres.
    pub width_mm: f64,
}

const GUTTER: f64 = 4.0;
const TITLE: f64 = TEXT + 4.0;

/// Draws the maps.
pub fn draw(figure: &Maps) -> Scene {
    let width = figure.width_mm * POINTS_PER_MM;
    let mut scene = Scene::new(figure.title, width, 0.0);
    let colours = range_of(figure.colours.iter().copied(), 0.0);
    let mut top = 1.0;
    if !figure.note.is_empty() {
        scene.text((3.0, top + TEXT / 2.0 + 1.0), figure.note, Anchor::Start, Ink::solid(GREY));
        top += TEXT + 4.0;
    }
    top = legend::bar(&mut scene, 3.0, width - 1.0, top, figure.colour_name, colours) + 2.0;
    let n_columns = figure.n_columns as f64;
    let side = (width - 2.0 - GUTTER * (n_columns - 1.0)) / n_columns;
    // Standard normal truths reach to about 3.5.
    let coordinates = figure.maps.iter().flat_map(|map| &map.points).flat_map(|&(x, y)| [x.abs(), y.abs()]);
    let reach = coordinates.fold(0.5, f64::max).min(4.0);
    for (number, map) in figure.maps.iter().enumerate() {
        let left = 1.0 + (number % figure.n_columns) as f64 * (side + GUTTER);
        let above = top + (number / figure.n_columns) as f64 * (side + TITLE + GUTTER);
        scene.text((left + 1.0, above + TEXT / 2.0 + 1.0), map.title.as_str(), Anchor::Start, Ink::solid(BLACK));
        let (left, above) = (left, above + TITLE);
        let corners =
            [(left, above), (left + side, above), (left + side, above + side), (left, above + side), (left, above)];
        scene.line(corners.to_vec(), 0.4, Ink::faint(GREY, 0.8));
        let radius = (14.0 / (map.points.len() as f64).sqrt()).clamp(0.5, 1.4);
        for (&(x, y), &value) in map.points.iter().zip(figure.colours) {
            if x.abs() > reach || y.abs() > reach {
                continue;
            }
            let offset = |value: f64| (value / reach + 1.0) / 2.0 * (side - 4.0) + 2.0;
            let centre = (left + offset(x), above + side - offset(y));
            let share = (value - colours.0) / (colours.1 - colours.0);
            scene.dot(centre, radius, Ink::solid(ramp(share)));
        }
    }
    let n_rows = figure.maps.len().div_ceil(figure.n_columns) as f64;
    scene.height = top + n_rows * (side + TITLE + GUTTER) + 2.0;
    scene
}
