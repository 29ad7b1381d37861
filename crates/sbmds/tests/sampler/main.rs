//! Samplers against what they must draw from: quadrature, joint distributions, other samplers, exact identities.

mod conformance;
mod drift;
mod examples;
mod group_moves;
mod integrator;
mod interruption;
mod joint;
mod kit;
mod measurement;
mod mode_jumps;
mod quadrature;
mod shrinkage;
mod single;
mod terms_quadrature;
mod tree;
