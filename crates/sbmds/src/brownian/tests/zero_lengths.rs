//! Branches of length zero, exact where that is possible and lengthened where it is not.

use super::super::*;
use super::kit::{Dense, assert_close};

const X: [f64; 8] = [0.3, -1.0, 2.0, 0.5, 1.0, 0.25, -0.75, 3.0];

fn prior(text: &str) -> BrownianPrior {
    let tree = Tree::parse(text).unwrap();
    let in_order: Vec<usize> = (0..tree.n_tips()).collect();
    BrownianPrior::new(&tree, &in_order, BrownianSettings::paper(2)).unwrap()
}

fn log_density(prior: &BrownianPrior, x: &[f64]) -> f64 {
    prior.log_density(&mut prior.workspace(), x, &Precision::identity(2))
}

#[test]
fn zero_length_inner_branches_are_polytomies() {
    let polytomy = prior("(a:1,b:2,c:3,d:0.5);");
    for text in ["((a:1,b:2):0,(c:3,d:0.5):0);", "(((a:1,b:2):0,c:3):0,d:0.5);", "((((a:1):0):0,b:2,c:3):0,d:0.5);"] {
        let binary = prior(text);
        assert!(binary.coincident_tips().is_none());
        assert_close(binary.log_det(), polytomy.log_det(), 1e-13);
        assert_close(log_density(&binary, &X), log_density(&polytomy, &X), 1e-13);
    }
}

#[test]
fn a_tip_on_a_zero_length_branch_is_its_parent() {
    // With a at the node: b, and c below the root, move away from where a is.
    let found = prior("((a:0,b:1):1,c:2,d:1);");
    assert!(found.coincident_tips().is_none());
    let tree = Tree::parse("((a:0,b:1):1,c:2,d:1);").unwrap();
    let dense = Dense::new(&tree, &[0, 1, 2, 3], &BrownianSettings::paper(2));
    let centred = crate::dense::Matrix::from_fn(4, 2, |object, dim| X[dim * 4 + object]);
    assert_close(log_density(&found, &X), dense.log_density(&centred, &Precision::identity(2)), 1e-9);
    let mut ancestors = vec![0.0; 4];
    found.ancestral_means(&mut found.workspace(), &X, &mut ancestors);
    assert_eq!((ancestors[0], ancestors[2]), (X[0], X[4]), "the node above a is where a is");
}

#[test]
fn tips_at_distance_zero_get_short_branches_and_are_named() {
    for (text, names) in [
        ("((a:0,b:0):1,c:2,d:1);", "a, b"),
        ("((a:0,(b:0,x:1):0):1,c:2);", "a, b"),
        ("(a:0,(b:0,c:0):1,d:0);", "a, b, c, d"),
        ("((a:0,b:0,c:0):1,d:0);", "a, b, c"),
    ] {
        let found = prior(text);
        let warning = found.coincident_tips().unwrap();
        assert_eq!(warning.names().join(", "), names);
        assert!(warning.to_string().contains("1e-9 of the mean branch length: a, b"), "{warning}");
        let mut gradient = vec![0.0; 8];
        let mut workspace = found.workspace();
        for x in [X, [1.0; 8]] {
            let value = found.log_density_and_gradient(&mut workspace, &x, &Precision::identity(2), &mut gradient);
            assert!(value.is_finite() && gradient.iter().all(|derivative| derivative.is_finite()), "{text}");
        }
    }
}

#[test]
fn lengthened_branches_have_the_documented_length() {
    let coincident = prior("((a:0,b:0):1,c:2,d:1);");
    // Five branches of total length 4.
    let length = COINCIDENT_TIP_LENGTH * 0.8;
    let explicit = prior(&format!("((a:{length:e},b:{length:e}):1,c:2,d:1);"));
    assert!(explicit.coincident_tips().is_none());
    assert_close(coincident.log_det(), explicit.log_det(), 1e-8);
    assert_close(log_density(&coincident, &[1.0; 8]), log_density(&explicit, &[1.0; 8]), 1e-8);
}

#[test]
fn tiny_lengths_count() {
    let tiny = prior("((a:1e-20,b:1e-20):1,c:2,d:1);");
    assert!(tiny.coincident_tips().is_none());
    assert!(prior("((a:1e-200,b:1e-200):1,c:2,d:1);").coincident_tips().is_some());
    assert!(log_density(&tiny, &[1.0; 8]).is_finite());
    // a and b differ by 1e-20/4 * 2 in variance: log |V| is that much smaller than with branches of length 1.
    let long = prior("((a:1e-10,b:1e-10):1,c:2,d:1);");
    assert_close(long.log_det() - tiny.log_det(), 1e10_f64.ln(), 1e-8);
}
