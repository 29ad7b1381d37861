//! Variation of information between a partition and the draws', kept up to date while objects move.

use super::draw_labels::DrawLabels;

/// n log2 n for all n up to the number of objects, and its increments.
pub(super) struct Entropies {
    /// n log2 n.
    terms: Vec<f64>,
    /// (n + 1) log2 (n + 1) - n log2 n.
    steps: Vec<f64>,
}

impl Entropies {
    pub fn new(n_objects: usize) -> Self {
        let term = |n: usize| if n == 0 { 0.0 } else { n as f64 * (n as f64).log2() };
        let terms: Vec<f64> = (0..=n_objects + 1).map(term).collect();
        let steps = terms.windows(2).map(|two| two[1] - two[0]).collect();
        Self { terms, steps }
    }

    fn sum(&self, counts: &[u32]) -> f64 {
        counts.iter().map(|&count| self.terms[count as usize]).sum()
    }
}

/// A partition and how its clusters overlap with those of every draw. Noise (-1) is objects alone, here and in draws.
pub(super) struct Candidate<'a> {
    draws: &'a DrawLabels,
    entropies: &'a Entropies,
    pub labels: Vec<i32>,
    sizes: Vec<u32>,
    /// For each draw: objects in cluster l of the draw and k of this, at [l * K + k].
    overlaps: Vec<Vec<u32>>,
}

impl<'a> Candidate<'a> {
    pub fn new(draws: &'a DrawLabels, entropies: &'a Entropies, labels: Vec<i32>) -> Self {
        let n_clusters = labels.iter().map(|&label| (label + 1).max(0) as usize).max().unwrap_or(0);
        let mut sizes = vec![0; n_clusters];
        labels.iter().filter(|&&label| label >= 0).for_each(|&label| sizes[label as usize] += 1);
        let overlap = |draw: usize| {
            let mut counts = vec![0; draws.n_clusters(draw) * n_clusters];
            for (&theirs, &own) in draws.draw(draw).iter().zip(&labels) {
                if theirs >= 0 && own >= 0 {
                    counts[theirs as usize * n_clusters + own as usize] += 1;
                }
            }
            counts
        };
        let overlaps = (0..draws.n_draws()).map(overlap).collect();
        Self { draws, entropies, labels, sizes, overlaps }
    }

    /// The expected variation of information in bits (docs/clustering.md, eq. 11). Objects alone add n log2 n = 0.
    pub fn expected_variation(&self) -> f64 {
        let own = self.entropies.sum(&self.sizes);
        let mut theirs = 0.0;
        for (draw, overlap) in self.overlaps.iter().enumerate() {
            let mut sizes = vec![0; self.draws.n_clusters(draw)];
            self.draws.draw(draw).iter().filter(|&&label| label >= 0).for_each(|&label| sizes[label as usize] += 1);
            theirs += self.entropies.sum(&sizes) - 2.0 * self.entropies.sum(overlap);
        }
        (own + theirs / self.draws.n_draws() as f64) / self.labels.len() as f64
    }

    /// Moves every object once to where the expected variation is smallest; returns how many changed their cluster.
    pub fn sweep(&mut self) -> usize {
        (0..self.labels.len()).filter(|&object| self.settle(object)).count()
    }

    /// Moves an object to the cluster, or to no cluster, with the smallest expected variation; whether it changed.
    fn settle(&mut self, object: usize) -> bool {
        let before = self.labels[object];
        self.remove(object);
        let costs = self.costs(object);
        let cost = |label: i32| if label < 0 { 0.0 } else { costs[label as usize] };
        let mut best = before;
        for label in -1..costs.len() as i32 {
            // Rounding is no reason to move.
            if cost(label) < cost(best) - 1e-9 && (label < 0 || self.sizes[label as usize] > 0) {
                best = label;
            }
        }
        self.add(object, best);
        best != before
    }

    /// N times what the expected variation gains when the object joins each cluster; alone it gains nothing.
    fn costs(&self, object: usize) -> Vec<f64> {
        let (steps, n_clusters) = (&self.entropies.steps, self.sizes.len());
        let mut shared = vec![0.0; n_clusters];
        for (draw, overlap) in self.overlaps.iter().enumerate() {
            let theirs = self.draws.draw(draw)[object];
            if theirs >= 0 {
                let overlap = &overlap[theirs as usize * n_clusters..][..n_clusters];
                shared.iter_mut().zip(overlap).for_each(|(sum, &count)| *sum += steps[count as usize]);
            }
        }
        let n_draws = self.draws.n_draws() as f64;
        self.sizes.iter().zip(shared).map(|(&size, shared)| steps[size as usize] - 2.0 * shared / n_draws).collect()
    }

    fn remove(&mut self, object: usize) {
        self.count(object, u32::wrapping_sub);
        self.labels[object] = -1;
    }

    fn add(&mut self, object: usize, label: i32) {
        self.labels[object] = label;
        self.count(object, u32::wrapping_add);
    }

    /// Counts the object in or out of its cluster.
    fn count(&mut self, object: usize, change: impl Fn(u32, u32) -> u32) {
        let own = self.labels[object];
        if own < 0 {
            return;
        }
        let n_clusters = self.sizes.len();
        self.sizes[own as usize] = change(self.sizes[own as usize], 1);
        for (draw, overlap) in self.overlaps.iter_mut().enumerate() {
            let theirs = self.draws.draw(draw)[object];
            if theirs >= 0 {
                let count = &mut overlap[theirs as usize * n_clusters + own as usize];
                *count = change(*count, 1);
            }
        }
    }

    /// Mean probability of each object to share a cluster with the other members of its own; of noise, to be noise.
    pub fn confidence(&self) -> Vec<f64> {
        let n_draws = self.draws.n_draws() as f64;
        let confidence = |object: usize| {
            let own = self.labels[object];
            if own < 0 {
                return self.draws.n_noise(object) as f64 / n_draws;
            }
            let n_others = self.sizes[own as usize] - 1;
            self.n_meetings(object) as f64 / (n_draws * f64::from(n_others))
        };
        (0..self.labels.len()).map(confidence).collect()
    }

    /// How often, over all draws, the object shares a cluster with another member of its own.
    fn n_meetings(&self, object: usize) -> u64 {
        let own = self.labels[object] as usize;
        let met = |(draw, overlap): (usize, &Vec<u32>)| match self.draws.draw(draw)[object] {
            theirs if theirs < 0 => 0,
            theirs => u64::from(overlap[theirs as usize * self.sizes.len() + own] - 1),
        };
        self.overlaps.iter().enumerate().map(met).sum()
    }
}
