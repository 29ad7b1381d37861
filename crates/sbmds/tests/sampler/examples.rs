//! The examples that extend the library from outside: their own checks against quadrature must hold.

#[path = "../../examples/own_prior.rs"]
mod own_prior;
#[path = "../../examples/own_sampler.rs"]
mod own_sampler;

#[test]
fn a_prior_of_ones_own_is_sampled_as_quadrature_says() {
    own_prior::main();
}

#[test]
fn a_sampler_of_ones_own_finds_what_quadrature_says() {
    own_sampler::main();
}
