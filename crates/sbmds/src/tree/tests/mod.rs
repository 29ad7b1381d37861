//! The reader, the matching and the writers against round trips, hostile bytes and every error message.

mod errors;
mod formats;
mod hostile;
mod pruning;
mod round_trip;

use proptest::test_runner::{Config, RngSeed};

use super::{Tree, TreeChoice, TreeError};
use crate::dissimilarity::Names;

/// The same cases in every run.
fn cases(n_cases: u32) -> Config {
    Config { cases: n_cases, rng_seed: RngSeed::Fixed(20_260_215), failure_persistence: None, ..Config::default() }
}

fn names(names: &[&str]) -> Names {
    Names::given(names.iter().map(|name| name.to_string()).collect()).unwrap()
}

fn tip_names(tree: &Tree) -> Vec<&str> {
    (0..tree.n_tips()).map(|tip| tree.tip_name(tip)).collect()
}

/// Reads tree `index` of `text`.
fn read(text: &str, index: Option<usize>) -> Result<Tree, TreeError> {
    Tree::parse_file("x.trees", text, TreeChoice::from(index))
}

/// A file as BEAST writes it, with everything that may occur in one.
const BEAST_FILE: &str = "#NEXUS\n\n[a comment; with 'all sorts [of] (things]\nBegin taxa;\n\tDimensions ntax=3;\n\tTaxlabels\n\
    \t\tA/Cote d'Ivoire/1\n\t\t'It''s'\n\t\tx_y\n\t\t;\nEnd;\n\nBegin trees;\n\tTranslate\n\t\t1 A/Cote d'Ivoire/1,\n\
    \t\t2 'It''s',\n\t\t3 x_y\n\t\t;\n\
    tree STATE_0 [&lnP=-1.5,precision={1,2}] = [&R] ((1[&loc={1.5,-2}]:1,2[&loc={0,1e-3}]:2E-1)[&loc={1,1},set={{1,2},{3}}]:0,3:[&rate=0.5]3);\n\
    tree STATE_10 [&lnP=-1] = [&R] ((1:1,3:1)0.97[&loc={9,9}]:1,2:2)[&loc={4,5}]:7;\nEND;\n";
