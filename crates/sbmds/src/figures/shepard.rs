//! Observed dissimilarities against fitted distances, with 95% intervals.

use super::axes::{BELOW, Frame, Rect, range_of, room_left};
use super::palette::{BLACK, GREY, colour};
use super::scene::{Anchor, Ink, Scene, TEXT, THIN};
use crate::fit::Shepard;
use crate::run::{FinishedRun, RunError};

pub(super) fn draw(run: &FinishedRun, width: f64) -> Result<Scene, RunError> {
    let measured = run.measured().map_err(|error| without_input(run, error))?;
    let shepard = Shepard::gather(run, &measured.coupled())?;
    let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let end = largest(&shepard.observed).max(largest(&shepard.high)).max(largest(&shepard.mean));
    let range = (0.0, range_of([0.0, end], 0.03).1);
    let left = room_left(range, width, true);
    let (top, right) = (4.0, width - 4.0);
    let rect = Rect { left, top, right, bottom: top + (right - left) };
    let title = format!("Shepard plot of {}: observed dissimilarity against fitted distance", run.name());
    let mut scene = Scene::new(title, width, rect.bottom + BELOW);
    let frame = Frame { rect, x: range, y: range };
    scene.line(vec![frame.point(range.0, range.0), frame.point(range.1, range.1)], THIN, Ink::solid(GREY));
    draw_pairs(&mut scene, &frame, &shepard);
    frame.draw(&mut scene, "Observed dissimilarity", "Fitted distance");
    if shepard.a.len() < shepard.n_pairs {
        let note = format!("{} of {} pairs", shepard.a.len(), shepard.n_pairs);
        scene.text((left + 5.0, top + TEXT / 2.0 + 1.0), note, Anchor::Start, Ink::solid(BLACK));
    }
    Ok(scene)
}

/// The plot needs what the run was fitted to; whoever moved it learns how to say where it is now.
fn without_input(run: &FinishedRun, error: RunError) -> RunError {
    let path = &run.config().input.path;
    let problem = match &error {
        RunError::Changed(changed) => format!("{} has changed since the run", changed.display()),
        RunError::Io { path, .. } => format!("{} cannot be read any more", path.display()),
        RunError::Input(_) if !path.exists() => format!("{} cannot be read any more", path.display()),
        _ => return error,
    };
    let remedy = format!(
        "put it back, or say where it is now: sbmds fit NEW-PATH --resume --out {} (a run keeps the path of its input, {})",
        run.path().display(),
        path.display()
    );
    RunError::setting("shepard", format!("{problem}, and a Shepard plot needs the observed dissimilarities"), remedy)
}

fn draw_pairs(scene: &mut Scene, frame: &Frame, shepard: &Shepard) {
    let blue = colour(0);
    // Many pairs show best when they are light.
    let opacity = (10.0 / (shepard.a.len() as f64).sqrt()).clamp(0.25, 0.9);
    for pair in 0..shepard.a.len() {
        let (observed, low, high) = (shepard.observed[pair], shepard.low[pair], shepard.high[pair]);
        if low.is_finite() {
            let ends = vec![frame.point(observed, low), frame.point(observed, high)];
            scene.line(ends, 0.35, Ink::faint(blue, opacity * 0.5));
        }
    }
    for pair in 0..shepard.a.len() {
        scene.dot(frame.point(shepard.observed[pair], shepard.mean[pair]), 0.8, Ink::faint(blue, opacity));
    }
}
