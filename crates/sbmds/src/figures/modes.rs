//! The other modes of objects that have several: an ellipse each, joined to the one that is shown.

use super::axes::Frame;
use super::map::{Colours, ellipse_on, outline, reach};
use super::scene::{Ink, Point, Scene};
use crate::embedding::{Ellipse, ObjectModes};

/// All modes that the map does not show.
#[derive(Default)]
pub(super) struct OtherModes {
    modes: Vec<OtherMode>,
    /// Objects that have others, with the share of the mode that is shown.
    shown: Vec<(usize, f64)>,
}

struct OtherMode {
    object: usize,
    centre: (f64, f64),
    ellipse: Ellipse,
    share: f64,
}

impl OtherModes {
    pub fn new(object_modes: &[ObjectModes], (first, second): (usize, Option<usize>)) -> Self {
        let mut others = Self::default();
        for of_object in object_modes {
            others.shown.push((of_object.object, of_object.share(of_object.shown)));
            for (mode, moments) in of_object.modes.iter().enumerate().filter(|(mode, _)| *mode != of_object.shown) {
                let mean = moments.mean();
                others.modes.push(OtherMode {
                    object: of_object.object,
                    centre: (mean.get(0, first), second.map_or(0.0, |second| mean.get(0, second))),
                    ellipse: ellipse_on(&moments.covariance(0), mean.n_dims(), (first, second)),
                    share: of_object.share(mode),
                });
            }
        }
        others
    }

    /// How far they reach, in the units of the map.
    pub fn corners(&self) -> Vec<Point> {
        let ends = |mode: &OtherMode| {
            let ((x, y), (across, up)) = (mode.centre, reach(&mode.ellipse));
            [(x - across, y - up), (x + across, y + up)]
        };
        self.modes.iter().flat_map(ends).collect()
    }

    /// Ellipses and small dots, each with a line to where the object is shown (`points`).
    pub fn draw(&self, scene: &mut Scene, frame: &Frame, radius: f64, points: &[(f64, f64)], colours: &Colours) {
        for mode in &self.modes {
            let (colour, shown) = (colours.of(mode.object), points[mode.object]);
            let (from, to) = (frame.point(shown.0, shown.1), frame.point(mode.centre.0, mode.centre.1));
            scene.line(vec![from, to], 0.25, Ink::faint(colour, 0.5));
            if mode.ellipse.major.is_finite() {
                scene.line(outline(frame, mode.centre, &mode.ellipse), 0.35, Ink::faint(colour, 0.6));
            }
            scene.dot(to, 0.6 * radius, Ink::faint(colour, 0.8));
        }
    }

    /// Names and dots of all objects, with the shares of modes where there are several, and those of the other modes.
    pub fn named(&self, frame: &Frame, mut names: Vec<String>, mut dots: Vec<Point>) -> (Vec<String>, Vec<Point>) {
        let with_share = |name: &str, share: f64| format!("{name} ({:.0}%)", 100.0 * share);
        for mode in &self.modes {
            names.push(with_share(&names[mode.object], mode.share));
            dots.push(frame.point(mode.centre.0, mode.centre.1));
        }
        for &(object, share) in &self.shown {
            names[object] = with_share(&names[object], share);
        }
        (names, dots)
    }
}
