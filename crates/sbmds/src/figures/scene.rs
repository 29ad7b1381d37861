//! A picture as a list of marks, in points of print, y downwards: what figures are made of before they become a file.

use plotters::style::RGBColor;

/// Height of the letters of a figure, in points: the least that journals ask for.
pub(super) const TEXT: f64 = 7.0;
/// Width of the lines of axes.
pub(super) const THIN: f64 = 0.5;

/// A point on the sheet.
pub(super) type Point = (f64, f64);

/// How a line or an area looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ink {
    pub colour: RGBColor,
    pub opacity: f64,
}

impl Ink {
    pub fn solid(colour: RGBColor) -> Self {
        Self { colour, opacity: 1.0 }
    }

    pub fn faint(colour: RGBColor, opacity: f64) -> Self {
        Self { colour, opacity }
    }
}

/// Where a text is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// One thing on the sheet.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    Line {
        points: Vec<Point>,
        width: f64,
        ink: Ink,
    },
    Area {
        points: Vec<Point>,
        ink: Ink,
    },
    Dot {
        centre: Point,
        radius: f64,
        ink: Ink,
    },
    /// `at` is on the middle of the letters' height; a turned text reads upwards.
    Text {
        at: Point,
        text: String,
        anchor: Anchor,
        turned: bool,
        ink: Ink,
    },
}

/// A finished drawing, to be written as a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    pub(super) title: String,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) marks: Vec<Mark>,
}

impl Scene {
    /// An empty sheet; `title` says what it shows to those who cannot see it.
    pub(super) fn new(title: impl Into<String>, width: f64, height: f64) -> Self {
        Self { title: title.into(), width, height, marks: Vec::new() }
    }

    pub(super) fn line(&mut self, points: Vec<Point>, width: f64, ink: Ink) {
        self.marks.push(Mark::Line { points, width, ink });
    }

    pub(super) fn area(&mut self, points: Vec<Point>, ink: Ink) {
        self.marks.push(Mark::Area { points, ink });
    }

    pub(super) fn dot(&mut self, centre: Point, radius: f64, ink: Ink) {
        self.marks.push(Mark::Dot { centre, radius, ink });
    }

    pub(super) fn text(&mut self, at: Point, text: impl Into<String>, anchor: Anchor, ink: Ink) {
        self.marks.push(Mark::Text { at, text: text.into(), anchor, turned: false, ink });
    }

    pub(super) fn turned_text(&mut self, at: Point, text: impl Into<String>, ink: Ink) {
        self.marks.push(Mark::Text { at, text: text.into(), anchor: Anchor::Middle, turned: true, ink });
    }
}

/// Width of a text, in points.
pub(super) fn text_width(text: &str) -> f64 {
    TEXT * super::letters::width(text)
}
