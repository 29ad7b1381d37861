//! Series and colours of the experiments' charts: each method has one colour everywhere, the authors' marks are hollow.

use sbmds::figures::{Look, Series, SeriesColour, SeriesPoint};

use super::Method;

/// The colour of a method in all figures.
pub(super) fn colour(method: Method) -> SeriesColour {
    match method {
        Method::Full => SeriesColour::Black,
        Method::Band => SeriesColour::Numbered(0),
        Method::Landmark => SeriesColour::Numbered(1),
        Method::Dispersed => SeriesColour::Numbered(2),
        Method::Classical => SeriesColour::Numbered(3),
        Method::Unchosen | Method::Anchored => SeriesColour::Numbered(4),
    }
}

/// Our numbers: dots joined by a line, with bars of one standard deviation where it is known.
pub(super) fn ours(name: impl Into<String>, colour: SeriesColour, points: Vec<SeriesPoint>) -> Series {
    Series { name: name.into(), colour, look: Look::Line, points }
}

/// One number of ours for every x.
pub(super) fn level(name: impl Into<String>, colour: SeriesColour, points: Vec<SeriesPoint>) -> Series {
    Series { name: name.into(), colour, look: Look::Level, points }
}

/// A line of ours without dots.
pub(super) fn curve(name: impl Into<String>, colour: SeriesColour, points: Vec<SeriesPoint>) -> Series {
    Series { name: name.into(), colour, look: Look::Curve, points }
}

/// The authors' numbers.
pub(super) fn authors(colour: SeriesColour, points: Vec<SeriesPoint>) -> Series {
    Series { name: "authors".into(), colour, look: Look::Hollow, points }
}

/// A point without a bar.
pub(super) fn point(x: f64, y: f64) -> SeriesPoint {
    SeriesPoint { x, y, sd: f64::NAN }
}
