//! From dissimilarities to a first map, and from many sampled maps to one with error bars.

mod classical;
mod graph;
mod krylov;
mod landmark;
mod linear;
mod majorise;
mod moments;
mod pair_lists;
mod pivot;
mod procrustes;
mod start;
mod summary;
mod triangulate;

pub use classical::classical_mds;
pub use graph::graph_start;
pub use landmark::landmark_mds;
pub use moments::{Ellipse, Moments};
pub use procrustes::{
    MeanMap, RigidMotion, generalised_procrustes, principal_axes, procrustes, rms_difference, shift_onto,
};
pub use start::{disperse, prior_draw};
pub use summary::{Embedding, ObjectFit, object_fits, read_embedding_csv, write_embedding_csv};

#[cfg(test)]
pub(crate) mod test_maps;
