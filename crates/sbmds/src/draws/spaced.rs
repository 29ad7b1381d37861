//! Evenly spaced draws: a bounded sample of any number of them.

/// `count` of `total` indices, evenly spaced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spaced {
    pub total: usize,
    pub count: usize,
}

impl Spaced {
    /// At most `most` of `total` indices.
    pub fn new(total: usize, most: usize) -> Self {
        Self { total, count: total.min(most) }
    }

    /// Whether `index` is one of them.
    pub fn contains(self, index: usize) -> bool {
        // The running share of the count reaches the next whole number here.
        (index + 1) * self.count / self.total.max(1) > index * self.count / self.total.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::Spaced;

    #[test]
    fn as_many_as_asked_for_and_evenly() {
        for (total, most) in [(0, 5), (1, 5), (7, 7), (1000, 7), (1000, 999), (10, 3)] {
            let spaced = Spaced::new(total, most);
            let indices: Vec<usize> = (0..total).filter(|&index| spaced.contains(index)).collect();
            assert_eq!(indices.len(), total.min(most), "{total} {most}");
            let gaps: Vec<usize> = indices.windows(2).map(|two| two[1] - two[0]).collect();
            let (least, most) = (gaps.iter().min().unwrap_or(&0), gaps.iter().max().unwrap_or(&0));
            assert!(most - least <= 1, "{gaps:?}");
        }
    }
}
