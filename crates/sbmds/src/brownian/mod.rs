//! Brownian motion along a tree as the prior of the locations.
