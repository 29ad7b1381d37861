//! Names beside dots, where there is room and nothing is covered.

use super::axes::Rect;
use super::palette::BLACK;
use super::scene::{Anchor, Ink, Point, Scene, TEXT, text_width};

/// More names than this are no map but a text.
const MOST: usize = 400;
/// Longer names would cover the map.
const LONGEST: f64 = 90.0;

/// Writes the names of dots beside them, in the order given, as long as they cover neither a dot nor another name.
pub(super) fn beside(scene: &mut Scene, frame: Rect, names: &[String], dots: &[Point], radius: f64) {
    if names.len() > MOST {
        return;
    }
    let around = |&(x, y): &Point| Rect { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius };
    let mut taken: Vec<Rect> = dots.iter().map(around).collect();
    for (name, &dot) in names.iter().zip(dots) {
        let width = text_width(name);
        if width > LONGEST {
            continue;
        }
        let free =
            |(_, rect): &(Anchor, Rect)| inside(*rect, frame) && !taken.iter().any(|other| overlap(*rect, *other));
        if let Some((anchor, rect)) = choices(dot, width, radius).into_iter().find(free) {
            let x = match anchor {
                Anchor::Start => rect.left,
                Anchor::Middle => (rect.left + rect.right) / 2.0,
                Anchor::End => rect.right,
            };
            scene.text((x, (rect.top + rect.bottom) / 2.0), name.as_str(), anchor, Ink::solid(BLACK));
            taken.push(rect);
        }
    }
}

/// Right, left, above and below the dot.
fn choices((x, y): Point, width: f64, radius: f64) -> [(Anchor, Rect); 4] {
    let gap = radius + 1.2;
    let half = TEXT * 0.5;
    let beside = |left: f64| Rect { left, right: left + width, top: y - half, bottom: y + half };
    let over =
        |middle: f64| Rect { left: x - width / 2.0, right: x + width / 2.0, top: middle - half, bottom: middle + half };
    [
        (Anchor::Start, beside(x + gap)),
        (Anchor::End, beside(x - gap - width)),
        (Anchor::Middle, over(y - gap - half)),
        (Anchor::Middle, over(y + gap + half)),
    ]
}

fn inside(inner: Rect, outer: Rect) -> bool {
    inner.left > outer.left && inner.right < outer.right && inner.top > outer.top && inner.bottom < outer.bottom
}

fn overlap(a: Rect, b: Rect) -> bool {
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}
