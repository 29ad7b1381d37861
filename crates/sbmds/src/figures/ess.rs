//! Effective sample size against the number of draws: a chain that mixes gains in proportion.

use super::axes::{BELOW, Frame, MARGIN_RIGHT, Rect, room_left};
use super::chains::{capitalised, note};
use super::legend;
use super::palette::{BLACK, GREY, colour};
use super::scene::{Anchor, Ink, Point, Scene, TEXT, THIN};
use crate::diagnostics::{Chains, Diagnosis, Limits, Monitored, ess_bulk, ess_tail, worst_first};
use crate::run::{FinishedRun, RunError};

/// Numbers of draws at which the effective sample size is taken.
const STEPS: usize = 20;

pub(super) fn draw(run: &FinishedRun, quantity: Option<&str>, width: f64) -> Result<Scene, RunError> {
    let monitored = match quantity {
        Some(name) => run.quantity(name)?,
        None => worst(run)?,
    };
    let chains = monitored.chains();
    let wanted = Limits::default().min_ess_per_chain * chains.n_chains() as f64;
    let curves = [curve(&chains, ess_bulk)?, curve(&chains, ess_tail)?];
    let most = curves.iter().flatten().map(|&(_, ess)| ess).fold(wanted, f64::max);
    let (x, y) = ((0.0, chains.n_draws().max(2) as f64), (0.0, 1.08 * most));
    let left = room_left(y, 0.6 * width, true);
    let right = width - MARGIN_RIGHT;
    let title = format!("Effective sample size of {} in {}", monitored.name(), run.name());
    let mut scene = Scene::new(title, width, 0.0);
    let entries = [("Bulk".to_owned(), colour(0)), ("Tail".to_owned(), colour(1))];
    let top = legend::entries(&mut scene, left, right, 1.0, &entries);
    let top = note(&mut scene, left, right, top, &capitalised(monitored.name(), width)) + 4.0;
    let rect = Rect { left, top, right, bottom: top + 0.5 * width };
    scene.height = rect.bottom + BELOW;
    let frame = Frame { rect, x, y };
    draw_limit(&mut scene, &frame, wanted);
    for (index, curve) in curves.iter().enumerate() {
        let points: Vec<Point> = curve.iter().map(|&(n_draws, ess)| frame.point(n_draws, ess)).collect();
        points.iter().for_each(|&point| scene.dot(point, 1.1, Ink::solid(colour(index))));
        scene.line(points, 0.7, Ink::solid(colour(index)));
    }
    frame.draw(&mut scene, "Draws of each chain", "Effective sample size");
    Ok(scene)
}

fn draw_limit(scene: &mut Scene, frame: &Frame, wanted: f64) {
    let (start, end) = (frame.point(frame.x.0, wanted), frame.point(frame.x.1, wanted));
    scene.line(vec![start, end], THIN, Ink::solid(GREY));
    let label = format!("wanted: {wanted:.0}");
    scene.text((end.0 - 1.0, end.1 - TEXT / 2.0 - 1.5), label, Anchor::End, Ink::solid(BLACK));
}

/// The monitored quantity that mixes worst.
fn worst(run: &FinishedRun) -> Result<Monitored, RunError> {
    let mut monitored = run.monitored()?;
    let diagnoses: Vec<Diagnosis> = monitored.iter().map(Diagnosis::new).collect();
    let worst = worst_first(&diagnoses, run.reader().n_chains()).first().copied().unwrap_or(0);
    Ok(monitored.swap_remove(worst))
}

/// Effective sample sizes of the first draws of all chains; where they are unknown there is no point.
fn curve(chains: &Chains, ess: impl Fn(&Chains) -> f64) -> Result<Vec<(f64, f64)>, RunError> {
    let mut curve = Vec::new();
    for step in 1..=STEPS {
        let n_draws = chains.n_draws() * step / STEPS;
        let first: Vec<&[f64]> = chains.iter().map(|draws| &draws[..n_draws]).collect();
        let found = ess(&Chains::new(&first)?);
        if found.is_finite() {
            curve.push((n_draws as f64, found));
        }
    }
    Ok(curve)
}
