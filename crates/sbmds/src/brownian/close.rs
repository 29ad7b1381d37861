//! Tips that the prior holds close together.

use super::BrownianPrior;

/// Two tips, or two estimates of several, that the prior holds close together: after the merge the position `kept` holds their
/// common estimate and `other` their contrast.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CloseMerge {
    /// Position of one of the tips below the surer estimate.
    pub kept: usize,
    /// Position of one of the tips below the other.
    pub other: usize,
    /// Weight of the other estimate in the common one.
    pub share: f64,
    /// Prior variance of a coordinate of the contrast.
    pub variance: f64,
}

impl BrownianPrior {
    /// The merges (eq. 13 to 15), from the tips up, whose contrasts have a variance below `limit` in units of Sigma; of those
    /// above a merge that has not, none. `per_dim` is a diagonal entry of Sigma.
    pub fn close_merges(&self, limit: f64, per_dim: f64) -> Vec<CloseMerge> {
        let mut is_close = vec![true; self.n_objects()];
        let mut merges = Vec::new();
        for (merge, &variance) in self.plan.merges.iter().zip(&self.plan.variances) {
            let (kept, other) = (merge.kept as usize, merge.other as usize);
            if variance < limit && is_close[kept] && is_close[other] {
                let [kept, other] = [kept, other].map(|slot| self.plan.positions[slot] as usize);
                merges.push(CloseMerge { kept, other, share: merge.share, variance: variance * per_dim });
            } else {
                (is_close[kept], is_close[other]) = (false, false);
            }
        }
        merges
    }
}

#[cfg(test)]
mod tests {
    use crate::brownian::{BrownianPrior, BrownianSettings};
    use crate::tree::Tree;

    #[test]
    fn near_identical_tips_merge_and_what_is_above_a_long_branch_does_not() {
        let tree = Tree::parse("(((a:0.001,b:0.001):0.002,c:0.003):1,(d:0.5,e:0.5):0.0001);").unwrap();
        let total = tree.total_length();
        let prior = BrownianPrior::new(&tree, &[4, 2, 0, 1, 3], BrownianSettings::paper(2)).unwrap();
        let merges = prior.close_merges(0.01 / total, 3.0);
        let pairs: Vec<[usize; 2]> = merges.iter().map(|m| [m.kept.min(m.other), m.kept.max(m.other)]).collect();
        // a and b, then their estimate (at the position of either) and c; d and e are far apart.
        assert_eq!(pairs[0], [2, 4]);
        assert!(pairs.len() == 2 && pairs[1][0] == 0 && [2, 4].contains(&pairs[1][1]), "{pairs:?}");
        // Var(a - b) = 2 * 0.001, and of (a + b) / 2 - c: 0.0005 + 0.002 + 0.003.
        for (merge, variance) in merges.iter().zip([0.002, 0.0055]) {
            assert!((merge.variance - 3.0 * variance / total).abs() < 1e-15);
        }
        assert!(prior.close_merges(0.0001 / total, 3.0).is_empty());
    }
}
