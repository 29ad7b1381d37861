//! What a checkpoint holds, pinned: a change of it must raise the version of the format.
//!
//! The bytes do not describe themselves: read by a program that saves something else they would be taken for other numbers.
//! Bits of mathematical functions differ between systems, so that the pins hold on x86-64 Linux alone.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::sync::Arc;

use super::{Snapshot, Tally};
use crate::coupling::Pairs;
use crate::draws::Buffered;
use crate::draws::checkpoint::FORMAT_VERSION;
use crate::embedding::Moments;
use crate::likelihood::{InstructionSet, Likelihood, Noise, Storage};
use crate::posterior::{Posterior, Priors, Workspace};
use crate::random::{Purpose, stream};
use crate::sampler::{Chain, Sampler, SamplerSettings};

/// Versions with the hash of the checkpoints of all samplers. Where this test fails because something else is saved, raise
/// `FORMAT_VERSION` and add a line; an old line is never changed.
const GOLDEN: [(u32, u64); 3] = [(2, 0x09ca_2657_fefd_536a), (3, 0xb95f_1d8e_75c9_a7d2), (4, 0x08a1_1f73_960b_6878)];

#[test]
fn what_is_saved_changes_only_with_the_version() {
    let (version, hash) = GOLDEN[GOLDEN.len() - 1];
    assert_eq!(version, FORMAT_VERSION, "a line for this version");
    assert!(GOLDEN.is_sorted_by(|a, b| a.0 < b.0 && a.1 != b.1), "another version for another content");
    let found = hash_of_checkpoints();
    assert_eq!(found, hash, "checkpoints hold something else than in version {version}: 0x{found:016x}");
}

/// FNV-1a of the checkpoints that every sampler makes before its first iteration.
fn hash_of_checkpoints() -> u64 {
    let likelihood = Likelihood::new(4, 2, &Pairs::full(4), Noise::Normal, Storage::F64, |a, b| (b - a) as f64);
    let likelihood = likelihood.with_instruction_set(InstructionSet::Portable);
    let posterior = Posterior::new(Arc::new(likelihood), Priors::paper(2));
    let bytes = Sampler::ALL.iter().flat_map(|&sampler| {
        let settings = SamplerSettings { sampler, ..SamplerSettings::default() };
        let mut rng = stream(1, 0, Purpose::Sampling);
        let start = Priors::paper(2).draw(4, 2, &mut rng);
        let chain = Chain::start(&posterior, &settings, start, rng, Workspace::serial());
        let (moments, tally) = (Some(Moments::new(4, 2)), Tally::default());
        let buffered = &Buffered::nothing(3, 5);
        postcard::to_allocvec(&Snapshot { state: chain.state(), buffered, moments: &moments, tally: &tally }).unwrap()
    });
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
