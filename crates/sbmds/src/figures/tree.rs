//! The tree drawn over the map: branches from ancestor to descendant, coloured by time.

use super::Options;
use super::axes::{BELOW, Rect, range_of, room_left};
use super::legend;
use super::map::{checked_axes, dot_radius, draw_axes, equal_scales, height_of};
use super::palette::ramp;
use super::scene::{Ink, Point, Scene};
use crate::diagnostics::{quantile_of_sorted, sorted};
use crate::diffusion::NodeMap;
use crate::run::{FinishedRun, RunError};

pub(super) fn draw(run: &FinishedRun, options: &Options, width: f64) -> Result<Scene, RunError> {
    let axes = checked_axes(options.axes, run.reader().n_dims())?;
    let problem = |what: &str| RunError::setting("RUN", format!("{} {what}", run.path().display()), "fit with `tree`");
    let tree = run.tree()?.ok_or_else(|| problem("was fitted without a tree"))?;
    let nodes = NodeMap::of(&run.node_draws(&tree)?)?.ok_or_else(|| problem("kept no locations"))?;
    Ok(on_sheet(&nodes, run, axes, width))
}

fn on_sheet(nodes: &NodeMap, run: &FinishedRun, (first, second): (usize, Option<usize>), width: f64) -> Scene {
    let y = |node| second.map_or(0.0, |second| nodes.mean.get(node, second));
    let points: Vec<Point> = (0..nodes.times.len()).map(|node| (nodes.mean.get(node, first), y(node))).collect();
    let (x, y) = (range_of(points.iter().map(|p| p.0), 0.04), range_of(points.iter().map(|p| p.1), 0.04));
    let (left, right) = (room_left(y, width, true), width - 4.0);
    let n_tips = run.names().len();
    let mut scene = Scene::new(format!("Tree of {} over its map, {n_tips} tips", run.name()), width, 0.0);
    let times = middle_and_end(&nodes.times);
    let top = legend::bar(&mut scene, left, right, 1.0, "Time from the root", times) + 3.0;
    let height = height_of(right - left, x, y);
    scene.height = top + height + BELOW;
    let frame = equal_scales(Rect { left, top, right, bottom: top + height }, x, y);
    draw_axes(&mut scene, &frame, &run.embedding().mean, (first, second));
    let colour = |node: usize| ramp((nodes.times[node] - times.0) / (times.1 - times.0));
    let point = |node: usize| frame.point(points[node].0, points[node].1);
    // Late branches lie over early ones.
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|a, b| nodes.times[*a].total_cmp(&nodes.times[*b]));
    for &node in &order {
        if let Some(parent) = nodes.parents[node] {
            scene.line(vec![point(parent), point(node)], 0.4, Ink::faint(colour(node), 0.7));
        }
    }
    for &node in order.iter().filter(|&&node| nodes.objects[node].is_some()) {
        scene.dot(point(node), 0.8 * dot_radius(n_tips, frame.rect), Ink::solid(colour(node)));
    }
    scene
}

/// From the time that one node in twenty precedes to the latest: a few early nodes would take all colours for themselves.
fn middle_and_end(times: &[f64]) -> (f64, f64) {
    let sorted = sorted(times.to_vec());
    range_of([quantile_of_sorted(&sorted, 0.05), quantile_of_sorted(&sorted, 1.0)], 0.0)
}
