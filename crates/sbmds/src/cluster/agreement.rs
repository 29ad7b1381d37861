//! How far two partitions of the same objects agree.

use std::collections::BTreeMap;

/// How often each combination of labels occurs.
fn contingency<A: Ord + Copy, B: Ord + Copy>(a: &[A], b: &[B]) -> BTreeMap<(A, B), u64> {
    let mut counts = BTreeMap::new();
    for (&a, &b) in a.iter().zip(b) {
        *counts.entry((a, b)).or_insert(0) += 1;
    }
    counts
}

/// Pairs within groups of these sizes.
fn n_pairs(sizes: impl Iterator<Item = u64>) -> f64 {
    sizes.map(|size| size as f64 * (size as f64 - 1.0) / 2.0).sum()
}

/// The adjusted Rand index (Hubert and Arabie 1985): 1 for equal partitions, about 0 for independent ones.
///
/// All objects with one label form one group, noise (-1) too, as in scikit-learn's `adjusted_rand_score`.
pub fn adjusted_rand_index<A: Ord + Copy, B: Ord + Copy>(a: &[A], b: &[B]) -> f64 {
    let both = contingency(a, b);
    let (mut of_a, mut of_b) = (BTreeMap::new(), BTreeMap::new());
    for (&(a, b), &count) in &both {
        *of_a.entry(a).or_insert(0) += count;
        *of_b.entry(b).or_insert(0) += count;
    }
    let [both, of_a, of_b] = [n_pairs(both.into_values()), n_pairs(of_a.into_values()), n_pairs(of_b.into_values())];
    let all = n_pairs(std::iter::once(a.len() as u64));
    let expected = if all > 0.0 { of_a * of_b / all } else { 0.0 };
    let most = (of_a + of_b) / 2.0;
    // Both partitions are all alone or all together: they are equal.
    if most == expected { 1.0 } else { (both - expected) / (most - expected) }
}

#[cfg(test)]
mod tests {
    use super::adjusted_rand_index;

    #[test]
    fn values_of_scikit_learn() {
        // sklearn.metrics.adjusted_rand_score, version 1.9.1.
        for (a, b, expected) in [
            (vec![0, 0, 1, 1], vec![1, 1, 0, 0], 1.0),
            (vec![0, 0, 1, 2], vec![0, 0, 1, 1], 0.571_428_571_428_571_4),
            (vec![0, 0, 0, 0], vec![0, 1, 2, 3], 0.0),
            (vec![-1, -1, 0, 0, 0, 1, 1], vec![0, 0, 0, 1, 1, 1, 2], 0.140_350_877_192_982_45),
            (vec![0, 1, 2], vec![2, 1, 0], 1.0),
            (vec![], vec![], 1.0),
        ] {
            assert!((adjusted_rand_index(&a, &b) - expected).abs() < 1e-15, "{a:?} {b:?}");
        }
    }
}
