//! Kernel densities of one quantity: of the chains of a run, or of several runs, overlaid.

use plotters::style::RGBColor;

use super::axes::{BELOW, Frame, MARGIN_RIGHT, Rect, range_of, room_left};
use super::chains::{capitalised, chain_entries};
use super::legend;
use super::palette::{BLACK, colour};
use super::scene::{Ink, Point, Scene};
use crate::diagnostics::kernel_density::{bandwidth, density, thinned};
use crate::run::{FinishedRun, RunError, distinct_names};

/// Points of a curve.
const POINTS: usize = 256;
/// Draws that a density is made of.
const MOST_DRAWS: usize = 10_000;

/// A curve to be drawn.
struct Curve {
    name: String,
    draws: Vec<f64>,
    colour: RGBColor,
    width: f64,
}

pub(super) fn draw(runs: &[FinishedRun], quantity: &str, width: f64) -> Result<Scene, RunError> {
    let curves = match runs {
        [run] => of_chains(run, quantity)?,
        runs => of_runs(runs, quantity)?,
    };
    let bandwidths: Vec<f64> = curves.iter().map(|curve| bandwidth(&curve.draws)).collect();
    let ends = curves.iter().zip(&bandwidths).flat_map(|(curve, bandwidth)| {
        let (low, high) = range_of(curve.draws.iter().copied(), 0.0);
        [low - 3.0 * bandwidth, high + 3.0 * bandwidth]
    });
    let x = range_of(ends, 0.0);
    let lines: Vec<Vec<(f64, f64)>> =
        curves.iter().zip(&bandwidths).map(|(c, h)| density(&c.draws, *h, x, POINTS)).collect();
    let highest = lines.iter().flatten().map(|point| point.1).fold(0.0, f64::max);
    let y = (0.0, if highest > 0.0 { 1.06 * highest } else { 1.0 });
    let left = room_left(y, 0.6 * width, true);
    let right = width - MARGIN_RIGHT;
    let names: Vec<String> = runs.iter().map(FinishedRun::name).collect();
    let mut scene = Scene::new(format!("Posterior density of {quantity} in {}", names.join(", ")), width, 0.0);
    let entries: Vec<(String, RGBColor)> = curves.iter().map(|curve| (curve.name.clone(), curve.colour)).collect();
    let top = legend::entries(&mut scene, left, right, 1.0, &entries) + 3.0;
    let rect = Rect { left, top, right, bottom: top + 0.55 * width };
    scene.height = rect.bottom + BELOW;
    let frame = Frame { rect, x, y };
    for (curve, line) in curves.iter().zip(&lines) {
        let points: Vec<Point> = line.iter().map(|&(x, y)| frame.point(x, y)).collect();
        if runs.len() > 1 {
            scene.area(points.clone(), Ink::faint(curve.colour, 0.12));
        }
        scene.line(points, curve.width, Ink::solid(curve.colour));
    }
    frame.draw(&mut scene, &capitalised(quantity, right - left), "Density");
    Ok(scene)
}

/// Thin lines for the chains and a thick one for all of them.
fn of_chains(run: &FinishedRun, quantity: &str) -> Result<Vec<Curve>, RunError> {
    let monitored = run.quantity(quantity)?;
    let chains: Vec<&[f64]> = monitored.chains().iter().collect();
    let named = chain_entries(chains.len()).into_iter().zip(&chains);
    let mut curves: Vec<Curve> =
        named.map(|((name, colour), draws)| Curve { name, draws: shown(draws), colour, width: 0.5 }).collect();
    if chains.len() > 1 {
        curves.push(Curve { name: "All".into(), draws: shown(&chains.concat()), colour: BLACK, width: 1.0 });
    }
    Ok(curves)
}

fn of_runs(runs: &[FinishedRun], quantity: &str) -> Result<Vec<Curve>, RunError> {
    let names = distinct_names(runs);
    let curve = |(index, run): (usize, &FinishedRun)| {
        let pooled: Vec<f64> = run.quantity(quantity)?.chains().iter().flatten().copied().collect();
        Ok(Curve { name: names[index].clone(), draws: shown(&pooled), colour: colour(index), width: 0.8 })
    };
    runs.iter().enumerate().map(curve).collect()
}

fn shown(draws: &[f64]) -> Vec<f64> {
    thinned(draws, MOST_DRAWS).filter(|draw| draw.is_finite()).collect()
}
