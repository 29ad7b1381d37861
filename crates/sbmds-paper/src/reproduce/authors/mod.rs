//! The authors' numbers, quoted one by one with their source.

pub(super) mod abstracts;
pub(super) mod accuracy;
pub(super) mod band_rule;
pub(super) mod dimension_mismatch;
pub(super) mod efficiency;
pub(super) mod heavy_tails;
pub(super) mod influenza;
pub(super) mod raw_speed;
