//! A map of one dimension: every object on a row of its own, in order of location, with its 95% interval.

use super::Options;
use super::axes::{BELOW, Frame, Rect, range_of};
use super::map::Colours;
use super::palette::BLACK;
use super::scene::{Anchor, Ink, Scene, TEXT, text_width};
use crate::run::{FinishedRun, RunError};

/// Height of a row with a name.
const ROW: f64 = TEXT + 2.0;
/// Height of the rows together, at most, in widths of the sheet.
const TALLEST: f64 = 1.6;
/// 95% of a normal distribution is within this many standard deviations.
const WITHIN_95: f64 = 1.959_963_984_540_054;
/// Room between an interval and its name.
const GAP: f64 = 2.5;

pub(super) fn draw(run: &FinishedRun, options: &Options, width: f64) -> Result<Scene, RunError> {
    let moments = run.moments()?;
    let mean = run.embedding().mean.dim(0).to_vec();
    let half = |object| known(WITHIN_95 * moments.covariance(object)[0].sqrt());
    let objects = Objects {
        names: run.names().iter().map(Into::into).collect(),
        half: (0..mean.len()).map(half).collect(),
        mean,
    };
    let colours = Colours::new(options.colour.as_ref(), objects.mean.len());
    let title = format!(
        "Map of {} objects of {} on one axis, posterior mean with 95% intervals",
        objects.mean.len(),
        run.name()
    );
    Ok(objects.on_sheet(title, width, &colours))
}

/// One draw has no spread.
fn known(half: f64) -> f64 {
    if half.is_finite() { half } else { 0.0 }
}

struct Objects {
    names: Vec<String>,
    mean: Vec<f64>,
    half: Vec<f64>,
}

impl Objects {
    fn on_sheet(&self, title: String, width: f64, colours: &Colours) -> Scene {
        let n_objects = self.mean.len();
        let ends = self.mean.iter().zip(&self.half).flat_map(|(mean, half)| [mean - half, mean + half]);
        let (left, right) = (4.0, width - 4.0);
        let mut scene = Scene::new(title, width, 0.0);
        let top = colours.legend(&mut scene, left, right) + 3.0;
        let row = ROW.min(TALLEST * width / n_objects as f64);
        let bottom = top + row * n_objects as f64 + 3.0;
        scene.height = bottom + BELOW;
        let frame = Frame { rect: Rect { left, top, right, bottom }, x: range_of(ends, 0.04), y: (0.0, 1.0) };
        frame.draw_x(&mut scene, "Location on the one axis; rows only keep names apart");
        let mut order: Vec<usize> = (0..n_objects).collect();
        order.sort_by(|a, b| self.mean[*b].total_cmp(&self.mean[*a]));
        let rows: Vec<(usize, f64)> =
            order.into_iter().enumerate().map(|(index, object)| (object, top + row * (index as f64 + 0.5))).collect();
        self.draw_rows(&mut scene, &frame, colours, &rows, row);
        self.write_names(&mut scene, &frame, &rows);
        scene
    }

    fn draw_rows(&self, scene: &mut Scene, frame: &Frame, colours: &Colours, rows: &[(usize, f64)], row: f64) {
        let thickness = (0.3 * row).clamp(0.25, 1.4);
        for &(object, y) in rows {
            let (from, to) = self.interval(frame, object);
            scene.line(vec![(from, y), (to, y)], thickness, Ink::faint(colours.of(object), 0.5));
        }
        let radius = (0.35 * row).clamp(0.6, 1.8);
        for &(object, y) in rows {
            let (x, _) = frame.point(self.mean[object], 0.0);
            scene.dot((x, y), radius, Ink::solid(colours.of(object)));
        }
    }

    /// Where rows are low, as many names as do not touch.
    fn write_names(&self, scene: &mut Scene, frame: &Frame, rows: &[(usize, f64)]) {
        let mut last = f64::NEG_INFINITY;
        for &(object, y) in rows {
            if y - last < TEXT {
                continue;
            }
            // Clear of the intervals of all rows that the letters touch.
            let near = rows.iter().filter(|(_, other)| (other - y).abs() < TEXT / 2.0 + 1.0);
            let ends = near.map(|&(object, _)| self.interval(frame, object));
            let (from, to) = ends.fold((f64::MAX, f64::MIN), |all, (from, to)| (all.0.min(from), all.1.max(to)));
            let name = &self.names[object];
            let width = text_width(name) + GAP;
            let (x, anchor) = match () {
                () if to + width <= frame.rect.right => (to + GAP, Anchor::Start),
                () if from - width >= frame.rect.left => (from - GAP, Anchor::End),
                () => continue,
            };
            scene.text((x, y), name.as_str(), anchor, Ink::solid(BLACK));
            last = y;
        }
    }

    fn interval(&self, frame: &Frame, object: usize) -> (f64, f64) {
        let (mean, half) = (self.mean[object], self.half[object]);
        (frame.point(mean - half, 0.0).0, frame.point(mean + half, 0.0).0)
    }
}
