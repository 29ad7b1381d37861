//! From dissimilarities to a first map, and from many sampled maps to one with error bars.

mod alignment;
mod classical;
mod graph;
mod krylov;
mod landmark;
mod majorise;
mod mean_map;
mod mixed_moments;
mod moments;
mod object_modes;
mod pair_lists;
mod pivot;
mod start;
mod summary;
mod triangulate;
mod two_modes;

pub use alignment::Alignment;
pub use classical::classical_mds;
pub use graph::graph_start;
pub use landmark::landmark_mds;
pub use mean_map::{MeanMap, generalised_procrustes};
pub(crate) use mixed_moments::MixedMoments;
pub use mixed_moments::ObjectModes;
pub use moments::{Ellipse, Moments};
pub(crate) use object_modes::alignment_to_mean;
pub use object_modes::{ModeCentres, find_object_modes};
pub use start::{disperse, prior_draw};
pub use summary::{Embedding, ObjectFit, object_fits, read_embedding_csv, write_embedding_csv};

pub use crate::align::{RigidMotion, axis_share, principal_axes, procrustes, rms_difference, shift_onto};

#[cfg(test)]
pub(crate) mod test_maps;
