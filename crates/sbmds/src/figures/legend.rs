//! Legends above a plot: coloured names in rows, or a bar of colours between two numbers.

use plotters::style::RGBColor;

use super::palette::{BLACK, GREY, ramp};
use super::scene::{Anchor, Ink, Scene, TEXT, text_width};
use crate::run::digits;

const ROW: f64 = TEXT + 3.0;
const SWATCH: f64 = 5.0;
const SPACE: f64 = 9.0;

/// The mark beside a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Filled,
    Hollow,
    Dashed,
}

/// Draws the entries in rows from the left, and returns where what follows may start.
pub(super) fn entries(scene: &mut Scene, left: f64, right: f64, top: f64, entries: &[(String, RGBColor)]) -> f64 {
    let filled: Vec<_> = entries.iter().map(|(name, colour)| (name.clone(), Entry::Filled, *colour)).collect();
    marks(scene, left, right, top, &filled)
}

/// The same under a title.
pub(super) fn titled(
    scene: &mut Scene,
    left: f64,
    right: f64,
    top: f64,
    title: &str,
    entries: &[(String, RGBColor)],
) -> f64 {
    if entries.is_empty() {
        return top;
    }
    let title = shortened(title, right - left);
    scene.text((left, top + ROW / 2.0), title.as_str(), Anchor::Start, Ink::solid(GREY));
    // Beside its entries if they need one row, else above them.
    let needed: f64 = entries.iter().map(|(name, _)| SWATCH + 3.0 + text_width(name) + SPACE).sum();
    let after = left + text_width(&title) + SPACE;
    if after + needed - SPACE <= right {
        self::entries(scene, after, right, top, entries)
    } else {
        self::entries(scene, left, right, top + ROW, entries)
    }
}

/// The same with marks of several kinds.
pub(super) fn marks(scene: &mut Scene, left: f64, right: f64, top: f64, entries: &[(String, Entry, RGBColor)]) -> f64 {
    if entries.is_empty() {
        return top;
    }
    let (mut x, mut y) = (left, top + ROW / 2.0);
    for (name, entry, colour) in entries {
        let name = shortened(name, right - left - SWATCH - 3.0);
        let width = SWATCH + 3.0 + text_width(&name);
        if x > left && x + width > right {
            (x, y) = (left, y + ROW);
        }
        swatch(scene, (x, y), *entry, *colour);
        scene.text((x + SWATCH + 3.0, y), name, Anchor::Start, Ink::solid(BLACK));
        x += width + SPACE;
    }
    y + ROW / 2.0 + 2.0
}

fn swatch(scene: &mut Scene, (x, y): (f64, f64), entry: Entry, colour: RGBColor) {
    let (centre, ink) = ((x + SWATCH / 2.0, y), Ink::solid(colour));
    match entry {
        Entry::Filled => scene.dot(centre, SWATCH / 2.0 - 0.3, ink),
        Entry::Hollow => {
            scene.dot(centre, SWATCH / 2.0 - 0.3, ink);
            scene.dot(centre, SWATCH / 2.0 - 1.1, Ink::solid(RGBColor(255, 255, 255)));
        }
        Entry::Dashed => {
            scene.line(vec![(x - 1.0, y), (x + 1.5, y)], 1.0, ink);
            scene.line(vec![(x + 3.0, y), (x + 5.5, y)], 1.0, ink);
        }
    }
}

/// A name cut so that it fits.
pub(super) fn shortened(name: &str, width: f64) -> String {
    if text_width(name) <= width {
        return name.to_owned();
    }
    let mut letters: Vec<char> = name.chars().collect();
    loop {
        letters.pop();
        let short = format!("{}…", letters.iter().collect::<String>().trim_end());
        if letters.is_empty() || text_width(&short) <= width {
            return short;
        }
    }
}

/// Draws the name of a column, and its colours between the smallest and the largest number.
pub(super) fn bar(scene: &mut Scene, left: f64, right: f64, top: f64, name: &str, range: (f64, f64)) -> f64 {
    const STEPS: usize = 32;
    const BAR: f64 = 60.0;
    let y = top + ROW / 2.0;
    let ink = Ink::solid(BLACK);
    let (low, high) = (brief(range.0), brief(range.1));
    let room = right - left - BAR - text_width(&low) - text_width(&high) - 3.0 * SPACE;
    let name = shortened(name, room);
    scene.text((left, y), name.as_str(), Anchor::Start, ink);
    let mut x = left + text_width(&name) + SPACE;
    scene.text((x, y), low.as_str(), Anchor::Start, ink);
    x += text_width(&low) + 3.0;
    for step in 0..STEPS {
        let (start, end) = (x + BAR * step as f64 / STEPS as f64, x + BAR * (step + 1) as f64 / STEPS as f64);
        let (up, down) = (y - SWATCH / 2.0, y + SWATCH / 2.0);
        let colour = ramp((step as f64 + 0.5) / STEPS as f64);
        scene.area(vec![(start, up), (end, up), (end, down), (start, down)], Ink::solid(colour));
    }
    scene.text((x + BAR + 3.0, y), high.as_str(), Anchor::Start, ink);
    top + ROW + 2.0
}

/// A number with up to four digits and no zeros at its end.
fn brief(number: f64) -> String {
    let text = digits(number);
    let text = if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::brief;

    #[test]
    fn numbers_of_a_legend_are_brief() {
        assert_eq!([1990.0, 0.0, -0.25, 100.0, 1e-9].map(brief), ["1990", "0", "−0.25", "100", "1.000e−9"]);
    }
}
