//! Landmarks far from one another.

/// Up to `n_landmarks` objects far from one another: each next one is the farthest from those chosen
/// (farthest-first traversal), from the first object on. Unknown dissimilarities count as no evidence.
pub fn spread_landmarks(
    n_objects: usize,
    n_landmarks: usize,
    dissimilarity: impl Fn(usize, usize) -> f64,
) -> Vec<usize> {
    let mut nearest = vec![f64::NAN; n_objects];
    let mut chosen = vec![false; n_objects];
    let mut landmarks = Vec::new();
    while landmarks.len() < n_landmarks.min(n_objects) {
        // Ties, and objects nothing is known about, go to the lowest index.
        let distance = |object: usize| if nearest[object].is_nan() { 0.0 } else { nearest[object] };
        let free = (0..n_objects).filter(|&object| !chosen[object]);
        let Some(next) = free.reduce(|best, object| if distance(object) > distance(best) { object } else { best })
        else {
            break;
        };
        chosen[next] = true;
        landmarks.push(next);
        for object in (0..n_objects).filter(|&object| object != next) {
            // f64::min ignores NaN on either side.
            nearest[object] = nearest[object].min(dissimilarity(next, object));
        }
    }
    landmarks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn landmarks_spread_out_and_avoid_the_unknown() {
        // Objects on a line; object 9 is known to nobody.
        let line = |i: usize, j: usize| if i.max(j) == 9 { f64::NAN } else { (i as f64 - j as f64).abs() };
        assert_eq!(spread_landmarks(10, 3, line), [0, 8, 4]);
        assert_eq!(spread_landmarks(10, 20, line).len(), 10);
    }
}
