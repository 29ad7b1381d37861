//! Regions that hold a share of an object's draws, as the contours of their density: bananas, and two modes as two.

use std::collections::HashMap;

use super::scene::Point;

/// Points of the grid along each axis.
const GRID: usize = 44;
/// How far the grid reaches beyond the draws, in bandwidths.
const REACH: f64 = 3.0;

/// A density on a grid.
pub(super) struct Density {
    values: Vec<f64>,
    origin: Point,
    step: Point,
}

impl Density {
    /// A kernel density of points, with Scott's bandwidths; `None` if they do not spread on both axes.
    pub fn of(points: &[Point]) -> Option<Self> {
        let n = points.len() as f64;
        let spread = |along: fn(&Point) -> f64| {
            let mean = points.iter().map(along).sum::<f64>() / n;
            (points.iter().map(|point| (along(point) - mean).powi(2)).sum::<f64>() / n).sqrt()
        };
        let width = n.powf(-1.0 / 6.0);
        let bandwidth = (spread(|point| point.0) * width, spread(|point| point.1) * width);
        if !(bandwidth.0 > 0.0 && bandwidth.1 > 0.0) {
            return None;
        }
        let (x, step_x) = axis(points.iter().map(|point| point.0), bandwidth.0);
        let (y, step_y) = axis(points.iter().map(|point| point.1), bandwidth.1);
        let kernel = |grid: &[f64], at: f64, width: f64| -> Vec<f64> {
            grid.iter().map(|grid| (-0.5 * ((grid - at) / width).powi(2)).exp()).collect()
        };
        let mut values = vec![0.0; GRID * GRID];
        for point in points {
            let (across, up) = (kernel(&x, point.0, bandwidth.0), kernel(&y, point.1, bandwidth.1));
            for (row, up) in values.chunks_exact_mut(GRID).zip(up) {
                row.iter_mut().zip(&across).for_each(|(value, across)| *value += up * across);
            }
        }
        // Contours close within the grid.
        for k in 0..GRID {
            for edge in [k, (GRID - 1) * GRID + k, k * GRID, k * GRID + GRID - 1] {
                values[edge] = 0.0;
            }
        }
        Some(Self { values, origin: (x[0], y[0]), step: (step_x, step_y) })
    }

    /// The density above which this share of the mass lies.
    fn level(&self, share: f64) -> f64 {
        let mut sorted = self.values.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let wanted = share * sorted.iter().sum::<f64>();
        let mut sum = 0.0;
        sorted
            .into_iter()
            .find(|value| {
                sum += value;
                sum >= wanted
            })
            .unwrap_or(0.0)
    }

    /// Closed lines around the region that holds this share, in the units of the points.
    pub fn contours(&self, share: f64) -> Vec<Vec<Point>> {
        let level = self.level(share);
        let mut next: HashMap<Edge, Edge> = HashMap::new();
        for row in 0..GRID - 1 {
            for column in 0..GRID - 1 {
                next.extend(self.crossings(column, row, level));
            }
        }
        let mut lines = Vec::new();
        while let Some(&first) = next.keys().min() {
            let (mut line, mut edge) = (vec![self.crossing(first, level)], first);
            while let Some(to) = next.remove(&edge) {
                line.push(self.crossing(to, level));
                edge = to;
            }
            lines.push(line);
        }
        lines
    }

    fn at(&self, column: usize, row: usize) -> f64 {
        self.values[row * GRID + column]
    }

    /// Pieces of the contour in one cell, from edge to edge, with the region on their left.
    fn crossings(&self, column: usize, row: usize, level: f64) -> Vec<(Edge, Edge)> {
        let is_inside = |column, row| usize::from(self.at(column, row) > level);
        let corners = is_inside(column, row)
            + 2 * is_inside(column + 1, row)
            + 4 * is_inside(column + 1, row + 1)
            + 8 * is_inside(column, row + 1);
        let below = Edge { row, column, is_upward: false };
        let above = Edge { row: row + 1, ..below };
        let left = Edge { is_upward: true, ..below };
        let right = Edge { column: column + 1, ..left };
        match corners {
            1 => vec![(below, left)],
            2 => vec![(right, below)],
            3 => vec![(right, left)],
            4 => vec![(above, right)],
            5 => vec![(below, left), (above, right)],
            6 => vec![(above, below)],
            7 => vec![(above, left)],
            8 => vec![(left, above)],
            9 => vec![(below, above)],
            10 => vec![(right, below), (left, above)],
            11 => vec![(right, above)],
            12 => vec![(left, right)],
            13 => vec![(below, right)],
            14 => vec![(left, below)],
            _ => Vec::new(),
        }
    }

    /// Where the contour crosses an edge.
    fn crossing(&self, edge: Edge, level: f64) -> Point {
        let Edge { row, column, is_upward } = edge;
        let from = self.at(column, row);
        let to = if is_upward { self.at(column, row + 1) } else { self.at(column + 1, row) };
        let part = if to == from { 0.5 } else { (level - from) / (to - from) };
        let (x, y) = if is_upward { (0.0, part) } else { (part, 0.0) };
        (self.origin.0 + (column as f64 + x) * self.step.0, self.origin.1 + (row as f64 + y) * self.step.1)
    }
}

/// An edge of the grid, from a point to its right or upper neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Edge {
    row: usize,
    column: usize,
    is_upward: bool,
}

/// The grid along one axis, and its step.
fn axis(values: impl Iterator<Item = f64>, bandwidth: f64) -> (Vec<f64>, f64) {
    let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
    let (from, to) = (least - REACH * bandwidth, most + REACH * bandwidth);
    let step = (to - from) / (GRID - 1) as f64;
    ((0..GRID).map(|k| from + k as f64 * step).collect(), step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A normal cloud on a lattice of quantiles, so that nothing is left to chance.
    fn cloud(centre: Point) -> Vec<Point> {
        let turn = |k: usize| std::f64::consts::TAU * k as f64 * 0.618_034;
        let radius = |k: usize| (-2.0 * (1.0 - (k as f64 + 0.5) / 400.0).ln()).sqrt();
        (0..400).map(|k| (centre.0 + radius(k) * turn(k).cos(), centre.1 + 0.5 * radius(k) * turn(k).sin())).collect()
    }

    fn area(line: &[Point]) -> f64 {
        0.5 * line.windows(2).map(|ends| ends[0].0 * ends[1].1 - ends[1].0 * ends[0].1).sum::<f64>()
    }

    #[test]
    fn a_normal_cloud_has_one_ellipse_of_the_right_size() {
        let lines = Density::of(&cloud((3.0, -1.0))).unwrap().contours(0.95);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        // pi times 5.99 times the two standard deviations, which the kernel widens by some 13% in variance.
        let expected = std::f64::consts::PI * 5.99 * 0.5;
        assert!((area(&lines[0]) / expected - 1.13).abs() < 0.08, "{} {expected}", area(&lines[0]));
    }

    #[test]
    fn two_modes_are_two_regions() {
        let both = [cloud((0.0, 0.0)), cloud((12.0, 4.0))].concat();
        let density = Density::of(&both).unwrap();
        assert_eq!(density.contours(0.68).len(), 2);
        assert!(Density::of(&[(1.0, 1.0); 5]).is_none());
    }
}
