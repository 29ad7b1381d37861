//! Clusters on the map: objects by consensus cluster, fainter where less certain, and the outlines of five draws.

use plotters::style::RGBColor;

use super::Options;
use super::axes::{BELOW, Frame, Rect, range_of, room_left};
use super::legend;
use super::map::{checked_axes, dot_radius, draw_axes, equal_scales, height_of};
use super::palette::{COLOURS, GREY, colour};
use super::scene::{Ink, Point, Scene};
use crate::cluster::{Axes, Outline, SavedClusters, outlines};
use crate::run::{FinishedRun, RunError};

/// Opacity of an object without any confidence.
const FAINTEST: f64 = 0.12;
/// Height of an outline on a map of one dimension, as a share of its length.
const STRIP: f64 = 0.04;

pub(super) fn draw(run: &FinishedRun, options: &Options, width: f64) -> Result<Scene, RunError> {
    let axes = checked_axes(options.axes, run.reader().n_dims())?;
    let saved = read(run)?;
    let (_, outlines) = outlines(run, &saved, &[axes])?;
    Ok(Picture::new(run, &saved, axes, outlines).on_sheet(run, axes, width))
}

fn read(run: &FinishedRun) -> Result<SavedClusters, RunError> {
    let problem = match SavedClusters::read(&run.clusters(), run.names()) {
        Ok(Some(saved)) => return Ok(saved),
        Ok(None) => format!("{} has no clusters yet", run.path().display()),
        Err(error) => error.to_string(),
    };
    Err(RunError::setting("RUN", problem, "run sbmds cluster RUN --min-points M first"))
}

/// Where everything is, in the units of the map, and how it looks.
struct Picture {
    points: Vec<Point>,
    inks: Vec<Ink>,
    outlines: Vec<(Vec<Point>, RGBColor)>,
    legend: Vec<(String, RGBColor)>,
}

impl Picture {
    fn new(run: &FinishedRun, saved: &SavedClusters, (first, second): Axes, outlines: Vec<Outline>) -> Self {
        let mean = &run.embedding().mean;
        let y = |object| second.map_or(0.0, |second| mean.get(object, second));
        let points: Vec<Point> = (0..mean.n_objects()).map(|object| (mean.get(object, first), y(object))).collect();
        let (left, right) = range_of(points.iter().map(|point| point.0), 0.0);
        let half = if second.is_none() { STRIP * (right - left) } else { 0.0 };
        let closed = |outline: Outline| {
            let corners = outline.corners.into_iter().next().unwrap_or_default();
            (ring(corners, half), of_cluster(outline.cluster))
        };
        let ink = |(&cluster, &confidence): (&i32, &f64)| {
            Ink::faint(of_cluster(cluster), FAINTEST + (1.0 - FAINTEST) * confidence.clamp(0.0, 1.0))
        };
        Self {
            points,
            inks: saved.consensus.iter().zip(&saved.confidence).map(ink).collect(),
            outlines: outlines.into_iter().map(closed).collect(),
            legend: legend_of(saved),
        }
    }

    fn on_sheet(&self, run: &FinishedRun, axes: Axes, width: f64) -> Scene {
        let all = || self.points.iter().chain(self.outlines.iter().flat_map(|(corners, _)| corners));
        let (x, y) = (range_of(all().map(|point| point.0), 0.04), range_of(all().map(|point| point.1), 0.04));
        let (left, right) = (room_left(y, width, true), width - 4.0);
        let title = format!("Clusters of {} objects of {}, with outlines of five draws", self.points.len(), run.name());
        let mut scene = Scene::new(title, width, 0.0);
        let top = legend::entries(&mut scene, left, right, 1.0, &self.legend) + 3.0;
        let height = height_of(right - left, x, y);
        scene.height = top + height + BELOW;
        let frame = equal_scales(Rect { left, top, right, bottom: top + height }, x, y);
        draw_axes(&mut scene, &frame, &run.embedding().mean, axes);
        self.draw_objects(&mut scene, &frame);
        scene
    }

    fn draw_objects(&self, scene: &mut Scene, frame: &Frame) {
        let radius = dot_radius(self.points.len(), frame.rect);
        for (&(x, y), &ink) in self.points.iter().zip(&self.inks) {
            scene.dot(frame.point(x, y), radius, ink);
        }
        for (corners, colour) in &self.outlines {
            scene.line(corners.iter().map(|&(x, y)| frame.point(x, y)).collect(), 0.6, Ink::faint(*colour, 0.9));
        }
    }
}

/// A closed way along the corners; an interval becomes a flat box.
fn ring(corners: Vec<Point>, half: f64) -> Vec<Point> {
    let mut ring = match corners[..] {
        [(low, _), .., (high, _)] if half > 0.0 => vec![(low, -half), (high, -half), (high, half), (low, half)],
        _ => corners,
    };
    ring.extend(ring.first().copied());
    ring
}

/// The colour of a consensus cluster; noise and those beyond the palette are grey.
fn of_cluster(cluster: i32) -> RGBColor {
    usize::try_from(cluster).ok().filter(|&cluster| cluster < COLOURS.len()).map_or(GREY, colour)
}

fn legend_of(saved: &SavedClusters) -> Vec<(String, RGBColor)> {
    let sizes = &saved.summary.consensus.sizes;
    let entry = |(cluster, size): (usize, &usize)| (format!("cluster {cluster} ({size})"), of_cluster(cluster as i32));
    let mut entries: Vec<(String, RGBColor)> = sizes.iter().enumerate().take(COLOURS.len()).map(entry).collect();
    let n_noise = saved.summary.consensus.n_noise;
    let n_others: usize = sizes.iter().skip(COLOURS.len()).sum();
    match (n_noise, n_others) {
        (0, 0) => {}
        (_, 0) => entries.push((format!("noise ({n_noise})"), GREY)),
        _ => entries.push((format!("others and noise ({})", n_others + n_noise), GREY)),
    }
    entries
}
