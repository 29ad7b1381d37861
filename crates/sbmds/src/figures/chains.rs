//! How the chains of one quantity moved: their trace, and histograms of their pooled ranks.

use super::axes::{BELOW, BELOW_UNTITLED, Frame, MARGIN_RIGHT, Rect, range_of, room_left};
use super::legend;
use super::palette::{BLACK, GREY, colour};
use super::scene::{Anchor, Ink, Scene, TEXT, THIN, text_width};
use crate::diagnostics::{Diagnosis, Monitored, RANK_BINS, rank_histogram};
use crate::run::{FinishedRun, RunError, digits};

/// Points of a line on paper; more cannot be seen.
const MOST_POINTS: usize = 2_000;

/// "chain 1" and its colour for every chain.
pub(super) fn chain_entries(n_chains: usize) -> Vec<(String, plotters::style::RGBColor)> {
    (0..n_chains).map(|chain| (format!("Chain {chain}"), colour(chain))).collect()
}

pub(super) fn trace(run: &FinishedRun, quantity: &str, width: f64) -> Result<Scene, RunError> {
    let monitored = run.quantity(quantity)?;
    let chains = monitored.chains();
    let y = range_of(chains.iter().flatten().copied(), 0.04);
    let left = room_left(y, 0.45 * width, true);
    let right = width - MARGIN_RIGHT;
    let mut scene = Scene::new(format!("Trace of {quantity} in {}", run.name()), width, 0.0);
    let top = legend::entries(&mut scene, left, right, 1.0, &chain_entries(chains.n_chains())) + 1.0;
    let top = note(&mut scene, left, right, top, &diagnosis(&monitored)) + 2.0;
    let rect = Rect { left, top, right, bottom: top + 0.45 * width };
    scene.height = rect.bottom + BELOW;
    let frame = Frame { rect, x: (0.0, chains.n_draws().max(2) as f64), y };
    let step = chains.n_draws().div_ceil(MOST_POINTS).max(1);
    for (chain, draws) in chains.iter().enumerate() {
        let points = draws.iter().enumerate().step_by(step).filter(|(_, draw)| draw.is_finite());
        let points = points.map(|(index, &draw)| frame.point(index as f64, draw)).collect();
        scene.line(points, 0.35, Ink::faint(colour(chain), 0.75));
    }
    frame.draw(&mut scene, "Draw", &capitalised(quantity, rect.bottom - rect.top));
    Ok(scene)
}

pub(super) fn ranks(run: &FinishedRun, quantity: &str, width: f64) -> Result<Scene, RunError> {
    let monitored = run.quantity(quantity)?;
    let chains = monitored.chains();
    let counts = rank_histogram(&chains, RANK_BINS);
    let expected = chains.n_draws() as f64 / RANK_BINS as f64;
    let most = f64::from(counts.iter().flatten().copied().max().unwrap_or(1));
    let y = (0.0, 1.08 * most.max(1.5 * expected));
    // Two columns, as many rows as it takes.
    let n_columns = if counts.len() == 1 { 1 } else { 2 };
    let n_rows = counts.len().div_ceil(n_columns);
    let height = 0.26 * width;
    let (left, gap) = (room_left(y, height, true), 2.0 * MARGIN_RIGHT);
    let panel = (width - left - MARGIN_RIGHT - gap * (n_columns - 1) as f64) / n_columns as f64;
    let mut scene = Scene::new(format!("Ranks of {quantity} by chain in {}", run.name()), width, 0.0);
    let text = format!("{}: {}", capitalised(quantity, width), diagnosis(&monitored));
    let top = note(&mut scene, left, width - 4.0, 1.0, &text) + 4.0;
    let row_height = height + BELOW_UNTITLED + TEXT + 4.0;
    let x = (0.0, (chains.n_draws() * chains.n_chains()) as f64);
    for (chain, counts) in counts.iter().enumerate() {
        let (row, column) = (chain / n_columns, chain % n_columns);
        let start = left + column as f64 * (panel + gap);
        let above = top + row as f64 * row_height + TEXT;
        let rect = Rect { left: start, top: above, right: start + panel, bottom: above + height };
        let frame = Frame { rect, x, y };
        scene.text((start + 2.0, above - TEXT / 2.0), format!("Chain {chain}"), Anchor::Start, Ink::solid(BLACK));
        draw_histogram(&mut scene, &frame, counts, expected, chain);
        frame.draw_x(&mut scene, if row + 1 == n_rows { "Rank among all draws" } else { "" });
        if column == 0 {
            frame.draw_y(&mut scene, if n_rows == 1 { "Draws" } else { "" });
        }
    }
    let bottom = top + n_rows as f64 * row_height;
    if n_rows > 1 {
        scene.turned_text((TEXT / 2.0 + 1.5, (top + bottom - BELOW_UNTITLED) / 2.0), "Draws", Ink::solid(BLACK));
    }
    scene.height = bottom - BELOW_UNTITLED - 4.0 + BELOW;
    Ok(scene)
}

/// Bars of one chain, with the line at which all would end if the chain were like the others.
fn draw_histogram(scene: &mut Scene, frame: &Frame, counts: &[u32], expected: f64, chain: usize) {
    let bin = frame.x.1 / counts.len() as f64;
    for (index, &count) in counts.iter().enumerate() {
        let (start, end) = (bin * (index as f64 + 0.06), bin * (index as f64 + 0.94));
        let corners = [(start, 0.0), (start, f64::from(count)), (end, f64::from(count)), (end, 0.0)];
        scene.area(corners.map(|(x, y)| frame.point(x, y)).to_vec(), Ink::faint(colour(chain), 0.85));
    }
    scene.line(vec![frame.point(0.0, expected), frame.point(frame.x.1, expected)], THIN, Ink::solid(GREY));
}

/// R-hat and effective sample sizes in a line.
pub(super) fn diagnosis(monitored: &Monitored) -> String {
    let diagnosis = Diagnosis::new(monitored);
    let whole = |number: f64| if number.is_nan() { "–".into() } else { format!("{number:.0}") };
    let rhat = if diagnosis.rhat.is_nan() { "–".into() } else { digits(diagnosis.rhat) };
    format!("R-hat {rhat}, ESS bulk {}, tail {}", whole(diagnosis.ess_bulk), whole(diagnosis.ess_tail))
}

/// One line of text above a plot; returns where it ends.
pub(super) fn note(scene: &mut Scene, left: f64, right: f64, top: f64, text: &str) -> f64 {
    let text = legend::shortened(text, right - left);
    scene.text((left, top + TEXT / 2.0 + 1.0), text, Anchor::Start, Ink::solid(BLACK));
    top + TEXT + 2.0
}

/// A quantity as the title of an axis of this length.
pub(super) fn capitalised(quantity: &str, length: f64) -> String {
    let mut letters = quantity.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let title = match quantity {
        // Greek has its own letters.
        "sigma" => "σ".to_owned(),
        "diffusion-rate" | "diffusion_rate" => "Diffusion rate, trace(Σ) / T".to_owned(),
        _ => first + letters.as_str(),
    };
    if text_width(&title) <= length { title } else { legend::shortened(&title, length) }
}
