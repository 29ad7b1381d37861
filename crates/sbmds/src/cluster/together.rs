//! Co-clustering: in how many draws two objects share a cluster, for all pairs, without ever holding all pairs.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::draw_labels::DrawLabels;
use super::error::ClusterError;
use crate::dissimilarity::Names;
use crate::files::atomic::{Sync, replace_file};
use crate::files::{NpyNumber, write_npy};

/// Objects whose pairs are counted at once.
const BLOCK: usize = 128;

/// In how many draws `object` shares a cluster with each later object.
pub(super) fn counts_with_later(labels: &DrawLabels, object: usize) -> Vec<u32> {
    let mut counts = vec![0; labels.n_objects() - object - 1];
    for draw in labels.iter().filter(|draw| draw[object] >= 0) {
        let own = draw[object];
        for (count, &other) in counts.iter_mut().zip(&draw[object + 1..]) {
            *count += u32::from(other == own);
        }
    }
    counts
}

/// A few objects at a time, so that memory does not grow with the number of pairs.
fn blocks(n_objects: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n_objects).step_by(BLOCK).map(move |start| start..(start + BLOCK).min(n_objects))
}

/// The counts of every object of a block with all later ones.
fn counts_of_block(labels: &DrawLabels, objects: Range<usize>) -> Vec<Vec<u32>> {
    objects.into_par_iter().map(|object| counts_with_later(labels, object)).collect()
}

/// Writes the counts of all pairs (a, b), a < b, row by row (the condensed form of SciPy's `squareform`): one byte each
/// for up to 255 draws, else two, else four.
pub(super) fn write_counts(labels: &DrawLabels, path: &Path) -> Result<(), ClusterError> {
    replace_file(path, Sync::Later, |file| match labels.n_draws() {
        0..=0xff => write_as::<u8>(labels, file, |count| count as u8),
        0x100..=0xffff => write_as::<u16>(labels, file, |count| count as u16),
        _ => write_as::<u32>(labels, file, |count| count),
    })
    .map_err(ClusterError::io("write", path))
}

fn write_as<T: NpyNumber>(labels: &DrawLabels, file: impl Write, narrow: impl Fn(u32) -> T) -> io::Result<()> {
    let n = labels.n_objects();
    let counts = blocks(n).flat_map(|block| counts_of_block(labels, block)).flatten();
    write_npy(file, &[n * n.saturating_sub(1) / 2], counts.map(|count| Ok(narrow(count))))
}

/// Writes the pairs that share a cluster with at least this probability as `name,name,probability`; returns how many.
pub(super) fn write_pairs_above(
    labels: &DrawLabels,
    names: &Names,
    probability: f64,
    path: &Path,
) -> Result<usize, ClusterError> {
    let n_draws = labels.n_draws() as f64;
    let mut n_pairs = 0;
    replace_file(path, Sync::Later, |file| {
        let mut table = csv::Writer::from_writer(file);
        table.write_record(["name", "other", "probability"])?;
        for (object, counts) in
            blocks(labels.n_objects()).flat_map(|block| block.clone().zip(counts_of_block(labels, block)))
        {
            for (later, &count) in counts.iter().enumerate() {
                let share = f64::from(count) / n_draws;
                if share >= probability {
                    let other = names.get(object + 1 + later);
                    table.write_record([&*names.get(object), &*other, &share.to_string()])?;
                    n_pairs += 1;
                }
            }
        }
        table.flush()
    })
    .map_err(ClusterError::io("write", path))?;
    Ok(n_pairs)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::dissimilarity::NpyArray;
    use crate::random::{Purpose, stream};

    fn random_labels(n_draws: usize, n_objects: usize) -> DrawLabels {
        let mut rng = stream(1, 0, Purpose::Simulation);
        let draws: Vec<Vec<i32>> =
            (0..n_draws).map(|_| (0..n_objects).map(|_| rng.random_range(-1..3)).collect()).collect();
        DrawLabels::from_draws(n_objects, draws.iter().map(Vec::as_slice))
    }

    /// The same, pair by pair.
    fn naive(labels: &DrawLabels) -> Vec<usize> {
        let n = labels.n_objects();
        (0..n).flat_map(|a| (a + 1..n).map(move |b| labels.n_together(a, b))).collect()
    }

    #[test]
    fn counts_are_those_of_a_naive_count_in_the_smallest_type() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("together.npy");
        // More objects than a block.
        for (n_draws, n_objects, width) in [(20, 150, 1), (300, 20, 2), (1, 1, 1)] {
            let labels = random_labels(n_draws, n_objects);
            write_counts(&labels, &path).unwrap();
            let array = NpyArray::open_file(&path).unwrap().unwrap();
            assert_eq!(array.data().len(), width * array.n_rows());
            let found: Vec<usize> = (0..array.n_rows()).map(|pair| array.get(pair, 0) as usize).collect();
            assert_eq!(found, naive(&labels));
        }
    }

    #[test]
    fn noise_is_never_together() {
        let labels = DrawLabels::from_draws(3, [&[-1, -1, 0][..], &[0, 0, 1], &[2, 2, 2]]);
        assert_eq!(naive(&labels), [2, 1, 1]);
        assert_eq!(counts_with_later(&labels, 0), [2, 1]);
    }

    #[test]
    fn only_pairs_above_the_threshold_are_listed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("together.csv");
        let labels = DrawLabels::from_draws(3, [&[-1, -1, 0][..], &[0, 0, 1], &[2, 2, 2], &[1, 1, 0]]);
        let names = Names::given(["a", "b, c", "d"].map(String::from).to_vec()).unwrap();
        assert_eq!(write_pairs_above(&labels, &names, 0.75, &path).unwrap(), 1);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "name,other,probability\na,\"b, c\",0.75\n");
        assert_eq!(write_pairs_above(&labels, &names, 0.0, &path).unwrap(), 3);
    }
}
