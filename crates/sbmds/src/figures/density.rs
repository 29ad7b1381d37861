//! Kernel densities of one quantity: of the chains of a run, or of several runs laid over one another.

use std::collections::BTreeSet;

use plotters::style::RGBColor;

use super::axes::{BELOW, Frame, MARGIN_RIGHT, Range, Rect, range_of, room_left};
use super::chains::{capitalised, chain_entries};
use super::legend;
use super::palette::{BLACK, colour};
use super::scene::{Ink, Point, Scene};
use crate::run::{FinishedRun, RunError};

/// Points of a curve.
const POINTS: usize = 256;
/// Draws that a density is made of; more change nothing that can be seen.
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
    let lines: Vec<Vec<(f64, f64)>> = curves.iter().zip(&bandwidths).map(|(c, h)| density(&c.draws, *h, x)).collect();
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
        let points: Vec<Point> = line.iter().map(|&(x, y)| frame.place(x, y)).collect();
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
        named.map(|((name, colour), draws)| Curve { name, draws: thinned(draws), colour, width: 0.5 }).collect();
    if chains.len() > 1 {
        curves.push(Curve { name: "All".into(), draws: thinned(&chains.concat()), colour: BLACK, width: 1.0 });
    }
    Ok(curves)
}

fn of_runs(runs: &[FinishedRun], quantity: &str) -> Result<Vec<Curve>, RunError> {
    let names = distinct_names(runs);
    let curve = |(place, run): (usize, &FinishedRun)| {
        let pooled: Vec<f64> = run.quantity(quantity)?.chains().iter().flatten().copied().collect();
        Ok(Curve { name: names[place].clone(), draws: thinned(&pooled), colour: colour(place), width: 0.8 })
    };
    runs.iter().enumerate().map(curve).collect()
}

/// The names of the runs; their paths as given if two have the same name.
fn distinct_names(runs: &[FinishedRun]) -> Vec<String> {
    let names: Vec<String> = runs.iter().map(FinishedRun::name).collect();
    let different: BTreeSet<&String> = names.iter().collect();
    if different.len() == names.len() {
        names
    } else {
        runs.iter().map(|run| run.path().display().to_string()).collect()
    }
}

fn thinned(draws: &[f64]) -> Vec<f64> {
    let step = draws.len().div_ceil(MOST_DRAWS).max(1);
    draws.iter().step_by(step).copied().filter(|draw| draw.is_finite()).collect()
}

/// Silverman's (1986) rule: 0.9 min(sd, IQR / 1.34) n^(-1/5).
fn bandwidth(draws: &[f64]) -> f64 {
    use crate::diagnostics::{quantile_of_sorted, sorted};
    let n = draws.len() as f64;
    let mean = draws.iter().sum::<f64>() / n;
    let sd = (draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / n).sqrt();
    let sorted = sorted(draws.to_vec());
    let quartiles = quantile_of_sorted(&sorted, 0.75) - quantile_of_sorted(&sorted, 0.25);
    let spread = if quartiles > 0.0 { sd.min(quartiles / 1.34) } else { sd };
    // A constant has no density; a narrow peak says so.
    let spread = if spread > 0.0 { spread } else { 1e-3 * mean.abs().max(1e-3) };
    0.9 * spread * n.powf(-0.2)
}

/// The density at evenly spaced places.
fn density(draws: &[f64], bandwidth: f64, range: Range) -> Vec<(f64, f64)> {
    let norm = 1.0 / (draws.len().max(1) as f64 * bandwidth * std::f64::consts::TAU.sqrt());
    let at = |x: f64| draws.iter().map(|draw| (-0.5 * ((x - draw) / bandwidth).powi(2)).exp()).sum::<f64>() * norm;
    let place = |k: usize| range.0 + (range.1 - range.0) * k as f64 / (POINTS - 1) as f64;
    (0..POINTS).map(|k| (place(k), at(place(k)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_density_has_mass_one_and_lies_where_its_draws_do() {
        let draws: Vec<f64> = (0..500).map(|k| ((k as f64 * 0.618).fract() - 0.5) * 2.0 + 7.0).collect();
        let width = bandwidth(&draws);
        let curve = density(&draws, width, (4.0, 10.0));
        let step = 6.0 / (POINTS - 1) as f64;
        let mass: f64 = curve.iter().map(|point| point.1 * step).sum();
        let mean: f64 = curve.iter().map(|point| point.0 * point.1 * step).sum();
        assert!((mass - 1.0).abs() < 1e-3 && (mean - 7.0).abs() < 0.01, "{mass} {mean}");
        assert!(bandwidth(&[2.0; 10]) > 0.0);
    }
}
