//! Names beside dots, where there is room: no dot and no other name is covered, and outlines are crossed only where nothing else is
//! left.

use super::axes::Rect;
use super::palette::BLACK;
use super::scene::{Anchor, Ink, Point, Scene, TEXT, text_width};

/// More names than this are no map but a text.
const MOST: usize = 400;
/// Longer names would cover the map.
const LONGEST: f64 = 90.0;
/// Between a dot and its name.
const GAP: f64 = 1.2;
/// A name keeps out of its own outline if that is not farther than this from the dot.
const FARTHEST: f64 = 16.0;
/// How often names without room go first to get some.
const ROUNDS: usize = 12;

/// One spot for a name.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spot {
    rect: Rect,
    anchor: Anchor,
    cost: f64,
}

/// Writes the names of dots beside them. `outlines` are those of the dots' ellipses, on the sheet, or none at all.
pub(super) fn beside(
    scene: &mut Scene,
    frame: Rect,
    names: &[String],
    dots: &[Point],
    radius: f64,
    outlines: &[Vec<Point>],
) {
    if names.len() <= MOST {
        write(scene, names, &all_spots(frame, names, dots, radius, outlines));
    }
}

/// The same of those dots alone whose names nobody could take for another's.
pub(super) fn where_clear(
    scene: &mut Scene,
    frame: Rect,
    names: &[String],
    dots: &[Point],
    radius: f64,
    outlines: &[Vec<Point>],
) {
    let mut spots = all_spots(frame, names, dots, radius, outlines);
    for (dot, spots) in spots.iter_mut().enumerate() {
        spots.retain(|spot| mistaken(spot.rect, dot, dots, radius) == 0.0);
    }
    if names.len() <= MOST {
        write(scene, names, &spots);
    }
}

/// The spots of every name.
fn all_spots(frame: Rect, names: &[String], dots: &[Point], radius: f64, outlines: &[Vec<Point>]) -> Vec<Vec<Spot>> {
    let of_dot = |dot: usize| {
        let width = text_width(&names[dot]);
        if width > LONGEST { Vec::new() } else { spots(dot, width, frame, dots, radius, outlines) }
    };
    (0..dots.len()).map(of_dot).collect()
}

/// Writes names where they fit.
fn write(scene: &mut Scene, names: &[String], spots: &[Vec<Spot>]) {
    for (name, spot) in names.iter().zip(arranged(spots)) {
        let Some(Spot { rect, anchor, .. }) = spot else { continue };
        let x = match anchor {
            Anchor::Start => rect.left,
            Anchor::Middle => (rect.left + rect.right) / 2.0,
            Anchor::End => rect.right,
        };
        scene.text((x, (rect.top + rect.bottom) / 2.0), name.as_str(), anchor, Ink::solid(BLACK));
    }
}

/// A spot for as many names as can be: those with the fewest choices first, then again with those first that got none.
fn arranged(spots: &[Vec<Spot>]) -> Vec<Option<Spot>> {
    let mut order: Vec<usize> = (0..spots.len()).filter(|&name| !spots[name].is_empty()).collect();
    order.sort_by_key(|&name| spots[name].len());
    let mut best: Vec<Option<Spot>> = vec![None; spots.len()];
    for _ in 0..ROUNDS {
        let placed = placed(spots, &order);
        let n_placed = |names: &[Option<Spot>]| names.iter().flatten().count();
        if n_placed(&placed) > n_placed(&best) {
            best.clone_from(&placed);
        }
        if order.iter().all(|&name| placed[name].is_some()) {
            break;
        }
        // A stable sort: nobody else changes places.
        order.sort_by_key(|&name| placed[name].is_some());
    }
    best
}

/// Each in turn takes the cheapest spot that is still free.
fn placed(spots: &[Vec<Spot>], order: &[usize]) -> Vec<Option<Spot>> {
    let mut placed: Vec<Option<Spot>> = vec![None; spots.len()];
    let mut taken: Vec<Rect> = Vec::new();
    for &name in order {
        let free = |spot: &&Spot| !taken.iter().any(|other| overlap(spot.rect, *other));
        placed[name] = spots[name].iter().find(free).copied();
        taken.extend(placed[name].map(|spot| spot.rect));
    }
    placed
}

/// The spots of a name that cover no dot and stay within the frame, the best first.
fn spots(dot: usize, width: f64, frame: Rect, dots: &[Point], radius: f64, outlines: &[Vec<Point>]) -> Vec<Spot> {
    let covers_a_dot = |rect: Rect| dots.iter().any(|&(x, y)| overlap(rect, around((x, y), radius)));
    let mut spots = around_dot(dots[dot], width, radius);
    spots.extend(outlines.get(dot).and_then(|own| beyond(dots[dot], width, radius, own)).into_iter().flatten());
    spots.retain(|spot| inside(spot.rect, frame) && !covers_a_dot(spot.rect));
    for spot in &mut spots {
        spot.cost += crossings(spot.rect, outlines) + mistaken(spot.rect, dot, dots, radius);
    }
    spots.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    spots
}

/// What outlines across a name cost, by their points in it; more than a dozen make it no worse.
fn crossings(rect: Rect, outlines: &[Vec<Point>]) -> f64 {
    let n_points: usize =
        outlines.iter().map(|outline| outline.iter().filter(|point| within(rect, point)).count()).sum();
    (0.35 * n_points as f64).min(4.0)
}

/// Another dot close to a name could be taken for its own.
fn mistaken(Rect { left, top, right, bottom }: Rect, own: usize, dots: &[Point], radius: f64) -> f64 {
    let near = radius + 2.0 * GAP;
    let close = Rect { left: left - near, top: top - near, right: right + near, bottom: bottom + near };
    let others = dots.iter().enumerate().filter(|(dot, _)| *dot != own);
    0.8 * others.filter(|(_, point)| within(close, point)).count() as f64
}

/// Right, left, above, below, and between these.
fn around_dot((x, y): Point, width: f64, radius: f64) -> Vec<Spot> {
    let (gap, half) = (radius + GAP, TEXT / 2.0);
    // From a dot to a corner of the name.
    let slant = 0.7 * radius + 0.4;
    let (up, down) = (y - gap - half, y + gap + half);
    let (higher, lower) = (y - slant - half, y + slant + half);
    let spots = [
        (Anchor::Start, x + gap, y),
        (Anchor::End, x - gap, y),
        (Anchor::Middle, x, up),
        (Anchor::Middle, x, down),
        (Anchor::Start, x + slant, higher),
        (Anchor::End, x - slant, higher),
        (Anchor::Start, x + slant, lower),
        (Anchor::End, x - slant, lower),
    ];
    let ranked = spots.into_iter().enumerate();
    ranked.map(|(rank, (anchor, x, y))| spot(anchor, (x, y), width, 0.25 * rank as f64)).collect()
}

/// Right, left, above and below the dot's own outline, if that is near.
fn beyond((x, y): Point, width: f64, radius: f64, own: &[Point]) -> Option<Vec<Spot>> {
    let reach =
        |of: fn(&Point) -> f64, centre: f64| own.iter().map(|point| (of(point) - centre).abs()).fold(0.0, f64::max);
    let (across, up) = (reach(|point| point.0, x), reach(|point| point.1, y));
    if !(across.max(up) <= FARTHEST && across.min(up) > radius) {
        return None;
    }
    let half = TEXT / 2.0;
    // The farther, the less plain whose name it is.
    let cost = |distance: f64, rank: f64| 0.1 + 0.12 * (distance - radius) + 0.25 * rank;
    Some(vec![
        spot(Anchor::Start, (x + across + GAP, y), width, cost(across, 0.0)),
        spot(Anchor::End, (x - across - GAP, y), width, cost(across, 1.0)),
        spot(Anchor::Middle, (x, y - up - GAP - half), width, cost(up, 2.0)),
        spot(Anchor::Middle, (x, y + up + GAP + half), width, cost(up, 3.0)),
    ])
}

fn spot(anchor: Anchor, (x, y): Point, width: f64, cost: f64) -> Spot {
    let left = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width / 2.0,
        Anchor::End => x - width,
    };
    let half = TEXT / 2.0;
    Spot { rect: Rect { left, right: left + width, top: y - half, bottom: y + half }, anchor, cost }
}

fn within(rect: Rect, &(x, y): &Point) -> bool {
    (rect.left..=rect.right).contains(&x) && (rect.top..=rect.bottom).contains(&y)
}

fn around((x, y): Point, radius: f64) -> Rect {
    Rect { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }
}

fn inside(inner: Rect, outer: Rect) -> bool {
    inner.left > outer.left && inner.right < outer.right && inner.top > outer.top && inner.bottom < outer.bottom
}

fn overlap(a: Rect, b: Rect) -> bool {
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::scene::Mark;

    const FRAME: Rect = Rect { left: 0.0, top: 0.0, right: 100.0, bottom: 100.0 };

    fn named(names: &[&str], dots: &[Point], outlines: &[Vec<Point>]) -> Vec<(String, Point)> {
        let mut scene = Scene::new("", 100.0, 100.0);
        let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
        beside(&mut scene, FRAME, &names, dots, 1.5, outlines);
        let text = |mark: Mark| if let Mark::Text { at, text, .. } = mark { (text, at) } else { panic!() };
        scene.marks.into_iter().map(text).collect()
    }

    #[test]
    fn a_name_in_a_corner_finds_the_side_that_is_free() {
        // Right and left end outside the frame, above and below a neighbour is in the way; beside the corner there is room.
        let dots = [(97.0, 96.0), (80.0, 90.0)];
        let found = named(&["Gibraltar", "Cadiz"], &dots, &[]);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    /// Two dots so near each other that a name between them could be either's have none; the third has.
    #[test]
    fn crowded_dots_have_names_only_where_nobody_can_mistake_them() {
        let mut scene = Scene::new("", 100.0, 100.0);
        let dots = [(20.0, 30.0), (20.5, 30.5), (20.0, 80.0)];
        where_clear(&mut scene, FRAME, &["A", "B", "C"].map(String::from), &dots, 1.5, &[]);
        let text = |mark: &Mark| if let Mark::Text { text, .. } = mark { text.clone() } else { panic!() };
        assert_eq!(scene.marks.iter().map(text).collect::<Vec<_>>(), ["C"]);
    }

    #[test]
    fn a_name_keeps_out_of_its_own_ellipse() {
        let circle = |reach: f64| -> Vec<Point> {
            (0..40)
                .map(|k| (k as f64 * 0.157).sin_cos())
                .map(|(sin, cos)| (50.0 + reach * cos, 50.0 + reach * sin))
                .collect()
        };
        let at = |outlines: &[Vec<Point>]| named(&["Rome"], &[(50.0, 50.0)], outlines)[0].1;
        assert!((at(&[]).0 - 52.7).abs() < 1e-9, "close by, without one");
        assert!((at(&[circle(6.0)]).0 - 57.2).abs() < 0.1, "right of it");
        assert!((at(&[circle(60.0)]).0 - 52.7).abs() < 1e-9, "inside one that is far");
    }

    #[test]
    fn names_make_room_for_one_another() {
        // In input order "middle" would take the right side of its dot and leave "left" without any.
        let dots = [(30.0, 50.0), (50.0, 50.0), (30.0, 41.0), (30.0, 59.0), (52.0, 41.0), (52.0, 59.0)];
        let names = ["a name", "b name", "c name", "d name", "e name", "f name"];
        assert_eq!(named(&names, &dots, &[]).len(), 6);
    }
}
