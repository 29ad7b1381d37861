//! Which numbers of bands are fitted.

use crate::coupling::Effort;
use crate::error::RunError;

/// Numbers of bands, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    bands: Vec<usize>,
    /// Bands beyond which no pair would be left to judge by.
    most: usize,
}

/// The rule of the paper: ceil(D sqrt(N)) bands.
pub(super) fn rule(n_objects: usize, n_dims: usize) -> usize {
    (n_dims as f64 * (n_objects as f64).sqrt()).ceil() as usize
}

impl Ladder {
    /// Of the numbers asked for; else from a quarter of the rule on, doubled, up to what is affordable (but to twice the rule at least) or to all
    /// pairs but those held out: a tenth at most, about `n_held_out`.
    ///
    /// # Errors
    /// If there are too few objects, or a number is beyond what leaves pairs to judge by.
    pub fn new(
        n_objects: usize,
        n_dims: usize,
        asked: Option<&[usize]>,
        n_held_out: usize,
        effort: Effort,
    ) -> Result<Self, RunError> {
        let all = n_objects.saturating_sub(1) / 2;
        let n_out = n_held_out.div_ceil(n_objects.max(1)).min(all / 10).max(1);
        let most = all.saturating_sub(n_out);
        let least = n_dims + 1;
        if most < least {
            let problem = format!("{n_objects} objects have too few pairs to grow couplings from");
            return Err(RunError::setting("`bands`", problem, "use all pairs: `couplings` full"));
        }
        let bands = match asked {
            Some(asked) => asked.to_vec(),
            None => doubled(rule(n_objects, n_dims), least, limit(n_objects, n_dims, most, effort)),
        };
        match bands.iter().find(|&&bands| bands > most) {
            None => Ok(Self { bands, most }),
            Some(bands) => {
                let problem = format!("{bands} bands of {n_objects} objects leave too few pairs to judge by");
                Err(RunError::setting("`bands`", problem, format!("give at most {most}")))
            }
        }
    }

    /// The numbers.
    pub fn bands(&self) -> &[usize] {
        &self.bands
    }

    /// The largest number that leaves enough pairs to judge by.
    pub fn most(&self) -> usize {
        self.most
    }
}

fn limit(n_objects: usize, n_dims: usize, most: usize, effort: Effort) -> usize {
    let affordable = effort.bands(n_objects, n_dims).unwrap_or(most);
    affordable.max(2 * rule(n_objects, n_dims)).min(most)
}

fn doubled(rule: usize, least: usize, limit: usize) -> Vec<usize> {
    let mut bands = vec![rule.div_ceil(4).clamp(least.min(limit), limit)];
    while let Some(&last) = bands.last().filter(|&&last| last < limit) {
        bands.push((2 * last).min(limit));
    }
    // A last step that is hardly one says nothing.
    if let [.., before, last] = bands[..]
        && 4 * last < 5 * before
    {
        bands.remove(bands.len() - 2);
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ladder(n_objects: usize, n_dims: usize) -> Vec<usize> {
        Ladder::new(n_objects, n_dims, None, 2_000, Effort::default()).unwrap().bands
    }

    #[test]
    fn bands_double_from_a_quarter_of_the_rule_to_all_but_a_tenth() {
        assert_eq!(ladder(100, 2), [5, 10, 20, 45]);
        assert_eq!(ladder(20, 2), [3, 6, 8]);
        assert_eq!(ladder(1_000, 3), [24, 48, 96, 192, 384, 497]);
        // 100,000 objects: 2 sqrt(N) = 633, and the affordable number ends it.
        let large = ladder(100_000, 2);
        assert!(large[0] == 159 && *large.last().unwrap() >= 1_266, "{large:?}");
    }

    #[test]
    fn what_leaves_nothing_to_judge_by_is_refused() {
        let asked = |bands: &[usize]| Ladder::new(40, 2, Some(bands), 2_000, Effort::default());
        assert_eq!(asked(&[4, 9]).unwrap().bands(), [4, 9]);
        assert!(asked(&[4, 19]).unwrap_err().to_string().contains("at most 18"));
        assert!(Ladder::new(6, 2, None, 2_000, Effort::default()).is_err());
    }
}
