//! Whether a cloud of draws falls into two clearly separate parts.

use crate::Locations;
use crate::dense::{Matrix, symmetric_eigen};

/// Each part holds at least this share of the draws: rarer visits are the tail of one mode as well.
const LEAST_SHARE: f64 = 0.05;
/// And this many draws: fewer say nothing about their spread.
const LEAST_DRAWS: usize = 10;
/// The means are this many standard deviations (of one part, along the line between the means) apart. Cut in two, one normal
/// distribution reaches 2.7, a uniform one 3.5 and a ring 4.1; two normal ones reach their true distance.
const LEAST_SEPARATION: f64 = 4.5;
/// The middle third between the means holds at most this share of the draws: 21% of one normal distribution cut in two, 17%
/// of a uniform one, 13% of a ring; 5% of two normal ones 5 standard deviations apart, 2% at 6.
const MOST_BETWEEN: f64 = 0.05;
/// Steps of two means at most; they settle in a few.
const STEPS: usize = 20;

/// The draws of one object, point by point.
pub(super) struct Points {
    values: Vec<f64>,
    n_dims: usize,
}

/// A cloud in two parts.
pub(super) struct Split {
    /// The points of each.
    pub parts: [Vec<usize>; 2],
    /// Distance of their means.
    pub gap: f64,
    /// The same in standard deviations of a part.
    separation: f64,
}

impl Points {
    pub fn of_object(object: usize, draws: &[Locations]) -> Self {
        let n_dims = draws.first().map_or(0, Locations::n_dims);
        Self { values: draws.iter().flat_map(|draw| draw.object(object)).collect(), n_dims }
    }

    pub fn len(&self) -> usize {
        self.values.len() / self.n_dims.max(1)
    }

    fn get(&self, point: usize) -> &[f64] {
        &self.values[point * self.n_dims..(point + 1) * self.n_dims]
    }

    /// The mean of some of the points.
    pub fn mean(&self, group: &[usize]) -> Vec<f64> {
        let mut mean = vec![0.0; self.n_dims];
        for &point in group {
            mean.iter_mut().zip(self.get(point)).for_each(|(sum, x)| *sum += x / group.len() as f64);
        }
        mean
    }

    /// The principal axes of some of the points.
    fn axes(&self, group: &[usize]) -> Vec<Vec<f64>> {
        let mean = self.mean(group);
        let scatter = Matrix::from_fn(self.n_dims, self.n_dims, |row, column| {
            group.iter().map(|&p| (self.get(p)[row] - mean[row]) * (self.get(p)[column] - mean[column])).sum::<f64>()
        });
        let vectors = symmetric_eigen(&scatter).vectors;
        (0..self.n_dims).map(|axis| (0..self.n_dims).map(|row| vectors[(row, axis)]).collect()).collect()
    }

    fn along(&self, point: usize, axis: &[f64]) -> f64 {
        self.get(point).iter().zip(axis).map(|(x, a)| x * a).sum()
    }
}

/// The two parts of a group of points, if they are clearly separate: the best of those found along the principal axes.
pub(super) fn separate(points: &Points, group: &[usize]) -> Option<Split> {
    if group.len() < 2 * LEAST_DRAWS {
        return None;
    }
    let along = |axis: Vec<f64>| judge(points, settle(points, group, cut(points, group, &axis)?));
    let found = points.axes(group).into_iter().filter_map(along);
    found.max_by(|a, b| a.separation.total_cmp(&b.separation))
}

/// The cut across an axis that leaves the least variance within its two sides (two means on a line, exactly).
fn cut(points: &Points, group: &[usize], axis: &[f64]) -> Option<[Vec<usize>; 2]> {
    let mut order: Vec<(f64, usize)> = group.iter().map(|&point| (points.along(point, axis), point)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (n, centre) = (order.len(), order.iter().map(|entry| entry.0).sum::<f64>() / order.len() as f64);
    let (mut sum, mut best) = (0.0, (0.0, 0));
    for (index, (value, _)) in order.iter().enumerate().take(n - 1) {
        sum += value - centre;
        let n_left = (index + 1) as f64;
        // Between-sides variance, up to a constant: both sides' sums about the common mean are equal and opposite.
        let between = sum * sum / (n_left * (n as f64 - n_left));
        if between > best.0 {
            best = (between, index + 1);
        }
    }
    let side = |range: std::ops::Range<usize>| order[range].iter().map(|entry| entry.1).collect();
    (best.1 > 0).then(|| [side(0..best.1), side(best.1..n)])
}

/// Two means from there: every point joins the nearer mean, until none changes sides.
fn settle(points: &Points, group: &[usize], mut parts: [Vec<usize>; 2]) -> [Vec<usize>; 2] {
    for _ in 0..STEPS {
        let means = [points.mean(&parts[0]), points.mean(&parts[1])];
        let squared =
            |point: usize, mean: &[f64]| points.get(point).iter().zip(mean).map(|(x, m)| (x - m).powi(2)).sum::<f64>();
        let (first, second): (Vec<usize>, Vec<usize>) =
            group.iter().partition(|&&point| squared(point, &means[0]) <= squared(point, &means[1]));
        let next = [first, second];
        if next[0].is_empty() || next[1].is_empty() || next == parts {
            break;
        }
        parts = next;
    }
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}

/// The split, if its parts are separate.
fn judge(points: &Points, parts: [Vec<usize>; 2]) -> Option<Split> {
    let n: usize = parts.iter().map(Vec::len).sum();
    let least = LEAST_DRAWS.max((LEAST_SHARE * points.len() as f64).ceil() as usize);
    if parts.iter().any(|part| part.len() < least) {
        return None;
    }
    let means = [points.mean(&parts[0]), points.mean(&parts[1])];
    let difference: Vec<f64> = means[1].iter().zip(&means[0]).map(|(b, a)| b - a).collect();
    let gap = difference.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !(gap > 0.0 && gap.is_finite()) {
        return None;
    }
    let axis: Vec<f64> = difference.iter().map(|x| x / gap).collect();
    let [low, high] = [&means[0], &means[1]].map(|mean| mean.iter().zip(&axis).map(|(m, a)| m * a).sum::<f64>());
    let variance = |part: &[usize], centre: f64| {
        part.iter().map(|&p| (points.along(p, &axis) - centre).powi(2)).sum::<f64>() / part.len() as f64
    };
    let within = (0.5 * (variance(&parts[0], low) + variance(&parts[1], high))).sqrt();
    let is_between = |&&point: &&usize| {
        let share = (points.along(point, &axis) - low) / gap;
        (1.0 / 3.0..2.0 / 3.0).contains(&share)
    };
    let between = parts.iter().flatten().filter(is_between).count() as f64 / n as f64;
    let separation = gap / within;
    (separation >= LEAST_SEPARATION && between <= MOST_BETWEEN).then_some(Split { parts, gap, separation })
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::StandardNormal;

    use super::*;
    use crate::random::{Purpose, stream};

    fn cloud(n: usize, mut point: impl FnMut(usize, &mut dyn FnMut() -> f64) -> [f64; 2]) -> Points {
        let mut rng = stream(1, 0, Purpose::Start);
        let mut normal = || rng.sample::<f64, _>(StandardNormal);
        Points { values: (0..n).flat_map(|k| point(k, &mut normal)).collect(), n_dims: 2 }
    }

    fn gap(points: &Points) -> Option<f64> {
        separate(points, &(0..points.len()).collect::<Vec<_>>()).map(|split| split.gap)
    }

    #[test]
    fn one_mode_of_any_shape_stays_one() {
        let turn = |k: usize| (k as f64 * 0.618_033_988_75).fract() * std::f64::consts::TAU;
        let shapes = [
            ("normal", cloud(1000, |_, normal| [3.0 * normal(), normal()])),
            ("uniform", cloud(1000, |k, normal| [10.0 * (k as f64 * 0.618_033_988_75).fract(), normal()])),
            ("ring", cloud(1000, |k, normal| [10.0 * turn(k).cos() + normal(), 10.0 * turn(k).sin() + normal()])),
            ("half a ring", cloud(1000, |k, _| [(turn(k) / 2.0).cos(), (turn(k) / 2.0).sin()])),
            ("heavy tails", cloud(1000, |_, normal| [normal() / normal().abs().sqrt(), normal()])),
            ("a few outliers", cloud(1000, |k, normal| [if k % 50 == 0 { 30.0 } else { 0.0 } + normal(), normal()])),
            ("one location", cloud(1000, |_, _| [1.0, 2.0])),
        ];
        for (name, points) in shapes {
            assert!(gap(&points).is_none(), "{name}: {:?}", gap(&points));
        }
    }

    #[test]
    fn two_modes_are_found_whatever_their_share_and_direction() {
        for (every, expected) in [(2, true), (4, true), (10, true), (40, false)] {
            let points = cloud(1000, |k, normal| [if k % every == 0 { 7.0 } else { 0.0 } + normal(), normal()]);
            assert_eq!(gap(&points).is_some_and(|gap| (gap - 7.0).abs() < 0.4), expected, "one in {every}");
        }
        // Across the longer axis of both.
        let across = cloud(1000, |k, normal| [5.0 * normal(), if k % 2 == 0 { 7.0 } else { 0.0 } + normal()]);
        assert!(gap(&across).is_some_and(|gap| (gap - 7.0).abs() < 1.0), "{:?}", gap(&across));
        let near = cloud(1000, |k, normal| [if k % 2 == 0 { 3.0 } else { 0.0 } + normal(), normal()]);
        assert!(gap(&near).is_none(), "they overlap");
    }
}
