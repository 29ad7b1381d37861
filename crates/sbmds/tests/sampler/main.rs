//! Samplers against what they must draw from: quadrature, joint distributions, other samplers, exact identities.

mod conformance;
mod examples;
mod integrator;
mod joint;
mod kit;
mod measurement;
mod mode_jumps;
mod quadrature;
mod shrinkage;
mod single;
mod tree;
