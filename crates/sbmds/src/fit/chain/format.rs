//! What a checkpoint holds, pinned: a change of it must raise the version of the format.
//!
//! The bytes do not describe themselves: read by a program that saves something else they would be taken for other numbers.
//! Bits of mathematical functions differ between systems, so that the pins hold on x86-64 Linux alone.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::sync::Arc;

use super::record::SinceLast;
use super::{SavedChain, Tally};
use crate::Locations;
use crate::brownian::Precision;
use crate::coupling::Pairs;
use crate::draws::Buffered;
use crate::draws::checkpoint::FORMAT_VERSION;
use crate::embedding::Moments;
use crate::likelihood::{Arithmetic, InstructionSet, Likelihood, Noise, Storage};
use crate::posterior::{Posterior, Priors, Spread, Workspace};
use crate::random::{Purpose, stream};
use crate::sampler::{Chain, Sampler, SamplerSettings, StepInfo};

/// Versions with the hash of the checkpoints of all samplers. Where this test fails because something else is saved, raise
/// `FORMAT_VERSION` and add a line; an old line is never changed.
const GOLDEN: [(u32, u64); 4] =
    [(2, 0x09ca_2657_fefd_536a), (3, 0xb95f_1d8e_75c9_a7d2), (4, 0x08a1_1f73_960b_6878), (5, 0xe2ec_0381_3f7b_1aff)];

#[test]
fn what_is_saved_changes_only_with_the_version() {
    let (version, hash) = GOLDEN[GOLDEN.len() - 1];
    assert_eq!(version, FORMAT_VERSION, "a line for this version");
    assert!(GOLDEN.is_sorted_by(|a, b| a.0 < b.0 && a.1 != b.1), "another version for another content");
    let found = hash_of_checkpoints();
    assert_eq!(found, hash, "checkpoints hold something else than in version {version}: 0x{found:016x}");
}

/// The same of chains that have everything a chain may have; begun with version 4.
const GOLDEN_FILLED: [(u32, u64); 2] = [(4, 0x0f7a_4952_f240_9dbe), (5, 0x7627_137c_20de_3015)];

#[test]
fn what_chains_at_work_save_changes_only_with_the_version() {
    let (version, hash) = GOLDEN_FILLED[GOLDEN_FILLED.len() - 1];
    assert_eq!(version, FORMAT_VERSION, "a line for this version");
    let found = fnv1a(filled().flat_map(|saved| written(&saved)));
    assert_eq!(found, hash, "checkpoints hold something else than in version {version}: 0x{found:016x}");
}

#[test]
fn what_is_saved_is_read_again() {
    for saved in filled() {
        let bytes = written(&saved);
        let read: SavedChain = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(written(&read), bytes);
        assert_eq!((read.n_draws(), read.arithmetic()), (7, Arithmetic::F32));
    }
}

/// FNV-1a of the checkpoints that every sampler makes before its first iteration.
fn hash_of_checkpoints() -> u64 {
    fnv1a(fresh().flat_map(|saved| written(&saved)))
}

/// Chains of all samplers before their first iteration.
fn fresh() -> impl Iterator<Item = SavedChain> {
    let likelihood = Likelihood::new(4, 2, &Pairs::full(4), Noise::Normal, Storage::F64, |a, b| (b - a) as f64);
    let likelihood = likelihood.with_instruction_set(InstructionSet::Portable);
    let posterior = Posterior::new(Arc::new(likelihood), Priors::paper(2));
    Sampler::ALL.iter().map(move |&sampler| {
        let settings = SamplerSettings { sampler, ..SamplerSettings::default() };
        let mut rng = stream(1, 0, Purpose::Sampling);
        let start = Priors::paper(2).draw(4, 2, &mut rng);
        let state = Chain::start(&posterior, &settings, start, rng, Workspace::serial()).state().clone();
        let (moments, tally) = (Some(Moments::new(4, 2)), Tally::default());
        SavedChain { state, buffered: Buffered::nothing(3, 5), moments, tally }
    })
}

/// The same with all that fills while a chain works, and every kind of spread. The numbers are given, and not what some iterations
/// come to: those would depend on the mathematical functions of the system.
fn filled() -> impl Iterator<Item = SavedChain> {
    let spreads = [
        Spread::Scales(vec![1.5, 0.5]),
        Spread::Precision(Precision::identity(2)),
        Spread::Collapsed(Precision::identity(2)),
        Spread::Own(vec![2.0]),
    ];
    fresh().zip(spreads.into_iter().cycle()).map(|(saved, spread)| {
        let mut moments = Moments::new(4, 2);
        for draw in 0..3 {
            moments.add(&Locations::from_fn(4, 2, |object, dim| (object + 2 * dim + draw) as f64));
        }
        let mut since_last = SinceLast::default();
        since_last.add(&StepInfo { acceptance: 0.5, n_gradients: 3, tree_depth: 2, ..StepInfo::default() });
        SavedChain {
            state: saved.state.filled(spread),
            buffered: Buffered::filled(3, 7, vec![vec![0.5, 1.5], Vec::new()]),
            moments: Some(moments),
            tally: Tally { gradients: 12, divergences: 1, acceptance: 0.75, seconds: 2.5, since_last, ..saved.tally },
        }
    })
}

fn written(saved: &SavedChain) -> Vec<u8> {
    postcard::to_allocvec(&saved.moved(&saved.buffered)).unwrap()
}

/// The hash of 64 bits.
fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
