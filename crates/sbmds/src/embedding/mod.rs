//! From dissimilarities to a first map, and from many sampled maps to one with error bars.

mod classical;
mod krylov;
mod landmark;
mod linear;
mod procrustes;
mod triangulate;

pub use classical::classical_mds;
pub use landmark::{landmark_mds, spread_landmarks};
pub use procrustes::{MeanMap, RigidMotion, generalised_procrustes, principal_axes, procrustes, rms_difference};

#[cfg(test)]
pub(crate) mod test_maps;
