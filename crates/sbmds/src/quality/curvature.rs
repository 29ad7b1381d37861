//! Whether the Shepard plot is curved: residuals that depend on the fitted distance.

use crate::likelihood::Noise;

/// Groups of equal size by fitted distance: enough for an S, few enough for a dozen objects.
const N_GROUPS: usize = 5;

/// How residuals depend on the fitted distance, over fifths of the pairs from the shortest distances to the longest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curvature {
    /// The part of the sum of squared residuals that the means of the fifths explain: 0 if they are all zero, 1 if nothing else
    /// is left.
    pub share: f64,
    /// Variance of the means against that within the fifths, both by their degrees of freedom: about 1 for straight data.
    pub f_ratio: f64,
    /// Mean residual of the fifth with the shortest distances, in sigmas.
    pub shortest: f64,
    /// Mean residual of the fifth with the longest distances, in sigmas.
    pub longest: f64,
}

impl Curvature {
    /// Of pairs (dissimilarity, distance), where the map has `free_share` free coordinates for each pair. A residual is the dissimilarity
    /// less what the model expects at that distance, which with truncated noise is a little more than the distance where that
    /// is short. `None` with too few pairs to tell.
    pub fn of(pairs: &[(f64, f64)], noise: Noise, sigma: f64, free_share: f64) -> Option<Self> {
        let n_left = pairs.len() as f64 * (1.0 - free_share) - N_GROUPS as f64;
        if n_left < 1.0 {
            return None;
        }
        let mut by_distance: Vec<(f64, f64)> =
            pairs.iter().map(|&(delta, distance)| (distance, delta - noise.mean(distance, sigma))).collect();
        by_distance.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = by_distance.iter().map(|(_, residual)| residual * residual).sum();
        let groups: Vec<(f64, f64)> = (0..N_GROUPS).map(|group| mean_residual(&by_distance, group)).collect();
        let explained: f64 = groups.iter().map(|(mean, count)| count * mean * mean).sum();
        let share = explained / total;
        let f_ratio = (explained / N_GROUPS as f64) / ((total - explained).max(0.0) / n_left);
        let [shortest, longest] = [groups[0].0 / sigma, groups[N_GROUPS - 1].0 / sigma];
        share.is_finite().then_some(Self { share, f_ratio, shortest, longest })
    }
}

/// Mean residual and size of a group.
fn mean_residual(by_distance: &[(f64, f64)], group: usize) -> (f64, f64) {
    let end = |group: usize| group * by_distance.len() / N_GROUPS;
    let members = &by_distance[end(group)..end(group + 1)];
    let count = members.len() as f64;
    (members.iter().map(|(_, residual)| residual).sum::<f64>() / count, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distances 0.5 ... 4.5 with a dissimilarity by `rule` and an error of one in ten by a fixed rule.
    fn curvature(rule: impl Fn(f64) -> f64) -> Curvature {
        let error = |k: usize| 0.35 * ((k as f64 * 0.618_033_988_75).fract() - 0.5);
        let pairs: Vec<(f64, f64)> = (0..400)
            .map(|k| {
                let distance = 0.5 + k as f64 / 100.0;
                (rule(distance) + error(k), distance)
            })
            .collect();
        Curvature::of(&pairs, Noise::Normal, 0.1, 0.05).unwrap()
    }

    #[test]
    fn straight_pairs_have_none_and_curved_ones_say_which_way() {
        let straight = curvature(|distance| distance);
        assert!(straight.share < 0.02 && straight.f_ratio < 2.0, "{straight:?}");
        let saturated = curvature(|distance| 2.0 * distance.sqrt() - 0.8);
        assert!(saturated.share > 0.5 && saturated.f_ratio > 50.0, "{saturated:?}");
        assert!(saturated.longest < -1.0, "{saturated:?}");
        let shifted = curvature(|distance| 1.0 + 0.5 * distance);
        assert!(shifted.shortest > 1.0 && shifted.longest < -1.0, "{shifted:?}");
        assert!(Curvature::of(&[(1.0, 1.0); 12], Noise::Normal, 0.1, 0.75).is_none());
    }

    #[test]
    fn what_truncation_does_at_short_distances_is_no_bend() {
        let sigma = 0.5;
        let pairs: Vec<(f64, f64)> = (0..400)
            .map(|k| {
                let distance = k as f64 / 400.0;
                (Noise::TruncatedNormal.mean(distance, sigma) + if k % 2 == 0 { 0.2 } else { -0.2 }, distance)
            })
            .collect();
        let share = |noise| Curvature::of(&pairs, noise, sigma, 0.05).unwrap().share;
        assert!(share(Noise::TruncatedNormal) < 0.01 && share(Noise::Normal) > 0.3);
    }
}
