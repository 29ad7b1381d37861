//! Axes: ticks at round numbers, a frame of two lines, and from data to points on the sheet.

use super::palette::BLACK;
use super::scene::{Anchor, Ink, Point, Scene, TEXT, THIN, text_width};

/// A rectangle on the sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// Smallest and largest value on an axis.
pub(super) type Range = (f64, f64);

const TICK: f64 = 2.5;
const GAP: f64 = 3.0;
/// Room below the frame for tick labels and the title of the axis.
pub(super) const BELOW: f64 = TICK + GAP + 2.0 * TEXT + GAP + 2.5;
/// Room right of a frame whose last tick may be at its end.
pub(super) const MARGIN_RIGHT: f64 = 11.0;
/// Room below a frame that has no title.
pub(super) const BELOW_UNTITLED: f64 = TICK + GAP + TEXT;

/// A plot's frame: data are drawn inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    pub rect: Rect,
    pub x: Range,
    pub y: Range,
}

impl Frame {
    pub fn point(&self, x: f64, y: f64) -> Point {
        let Rect { left, top, right, bottom } = self.rect;
        let across = (x - self.x.0) / (self.x.1 - self.x.0);
        let up = (y - self.y.0) / (self.y.1 - self.y.0);
        (left + across * (right - left), bottom - up * (bottom - top))
    }

    /// Draws both axes with their ticks; titles that are empty are left out.
    pub fn draw(&self, scene: &mut Scene, x_title: &str, y_title: &str) {
        self.draw_x(scene, x_title);
        self.draw_y(scene, y_title);
    }

    /// Draws the axis below.
    pub fn draw_x(&self, scene: &mut Scene, title: &str) {
        let Rect { left, right, bottom, .. } = self.rect;
        let ink = Ink::solid(BLACK);
        self.draw_x_ticks(scene, &ticks(self.x, ((right - left) / 40.0) as usize));
        if !title.is_empty() {
            let y = bottom + BELOW - TEXT / 2.0 - 2.5;
            scene.text(((left + right) / 2.0, y), title, Anchor::Middle, ink);
        }
    }

    /// Draws the line below with ticks at the given values.
    pub fn draw_x_ticks(&self, scene: &mut Scene, ticks: &[(f64, String)]) {
        let Rect { left, right, bottom, .. } = self.rect;
        let ink = Ink::solid(BLACK);
        scene.line(vec![(left, bottom), (right, bottom)], THIN, ink);
        for (value, label) in ticks {
            let (x, _) = self.point(*value, self.y.0);
            scene.line(vec![(x, bottom), (x, bottom + TICK)], THIN, ink);
            scene.text((x, bottom + TICK + GAP + TEXT / 2.0 - 1.0), label, Anchor::Middle, ink);
        }
    }

    /// Draws the axis on the left.
    pub fn draw_y(&self, scene: &mut Scene, title: &str) {
        let Rect { top, bottom, .. } = self.rect;
        let ink = Ink::solid(BLACK);
        self.draw_y_ticks(scene, &ticks(self.y, ((bottom - top) / 25.0) as usize));
        if !title.is_empty() {
            scene.turned_text((TEXT / 2.0 + 1.5, (top + bottom) / 2.0), title, ink);
        }
    }
}

impl Frame {
    /// Draws the line on the left with ticks at the given values.
    pub fn draw_y_ticks(&self, scene: &mut Scene, ticks: &[(f64, String)]) {
        let Rect { left, top, bottom, .. } = self.rect;
        let ink = Ink::solid(BLACK);
        scene.line(vec![(left, bottom), (left, top)], THIN, ink);
        for (value, label) in ticks {
            let (_, y) = self.point(self.x.0, *value);
            scene.line(vec![(left - TICK, y), (left, y)], THIN, ink);
            scene.text((left - TICK - GAP + 1.0, y), label, Anchor::End, ink);
        }
    }
}

/// Room left of a frame of about this height for the labels of `y` and a title.
pub(super) fn room_left(y: Range, height: f64, titled: bool) -> f64 {
    let widest = ticks(y, (height / 25.0) as usize).iter().map(|(_, label)| text_width(label)).fold(0.0, f64::max);
    let title = if titled { TEXT + GAP + 2.0 } else { 1.0 };
    title + widest + GAP + TICK
}

/// Round values within the range, about `wanted` of them, with their labels.
pub(super) fn ticks((low, high): Range, wanted: usize) -> Vec<(f64, String)> {
    let step = round_step((high - low) / wanted.clamp(2, 8) as f64);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|k| k as f64 * step).map(|value| (value, label(value, step))).collect()
}

/// Ticks of a range of decimal logarithms: powers of ten, or 1, 2 and 5 times them if the range is short.
pub(super) fn log_ticks((low, high): Range) -> Vec<(f64, String)> {
    /// Ticks at most.
    const MOST: i32 = 6;
    let (first, last) = ((low - 1e-9).ceil() as i32, (high + 1e-9).floor() as i32);
    let tick = |factor: f64, power: i32| (factor.log10() + f64::from(power), log_label(factor * 10_f64.powi(power)));
    if last - first >= 2 {
        let step = (last - first) / MOST + 1;
        return (first..=last).filter(|power| power % step == 0).map(|power| tick(1.0, power)).collect();
    }
    let all = (first - 1..=last).flat_map(|power| [1.0, 2.0, 5.0].map(|factor| tick(factor, power)));
    all.filter(|(value, _)| (low..=high).contains(value)).collect()
}

/// A power of ten, or a small multiple, without digits that say nothing.
fn log_label(value: f64) -> String {
    if !(1e-4..1e6).contains(&value) {
        return format!("{value:.0e}").replace('-', "\u{2212}");
    }
    let decimals = (-value.log10().floor()).max(0.0) as usize;
    format!("{value:.decimals$}")
}

/// 1, 2 or 5 times a power of ten, not below `step`.
fn round_step(step: f64) -> f64 {
    if !(step.is_finite() && step > 0.0) {
        return 1.0;
    }
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|&round| round >= step * 0.999).unwrap_or(step)
}

/// A tick's value with the digits its step needs, and a true minus sign.
fn label(value: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let text = if decimals > 5 || value.abs() >= 1e6 { format!("{value:e}") } else { format!("{value:.decimals$}") };
    text.replace('-', "\u{2212}")
}

/// The range of finite values, widened by `share` on both sides; (0, 1) of nothing.
pub(super) fn range_of(values: impl IntoIterator<Item = f64>, share: f64) -> Range {
    let finite = values.into_iter().filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    if low > high {
        return (0.0, 1.0);
    }
    // A constant still needs a frame around it.
    let span = if high > low { high - low } else { high.abs().max(1.0) };
    let margin = if high > low { share * span } else { 0.5 * span };
    (low - margin, high + margin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_range() {
        let labels = |range, wanted| ticks(range, wanted).into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        assert_eq!(labels((0.0, 1.0), 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels((-12.0, 9.0), 4), ["−10", "0"]);
        assert_eq!(labels((0.103, 0.109), 3), ["0.104", "0.106", "0.108"]);
        assert_eq!(labels((0.0, 4000.0), 4), ["0", "1000", "2000", "3000", "4000"]);
        let powers = |range| log_ticks(range).into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        assert_eq!(powers((-2.3, 1.2)), ["0.01", "0.1", "1", "10"]);
        assert_eq!(powers((-0.05, 0.8)), ["1", "2", "5"]);
        assert_eq!(powers((-6.1, 0.0)), ["1e−6", "0.0001", "0.01", "1"]);
        // Neither a constant nor nothing at all breaks an axis.
        assert!(!ticks(range_of([3.0, 3.0], 0.1), 4).is_empty() && !ticks(range_of([], 0.1), 4).is_empty());
    }
}
