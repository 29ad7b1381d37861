//! The prior against the dense formula, finite differences, known moments and BEAST.

mod ancestors;
mod beast;
mod centre;
mod collapsed;
mod density;
mod fixture;
mod kit;
mod reading;
mod whitening;
mod wishart;
mod zero_lengths;
