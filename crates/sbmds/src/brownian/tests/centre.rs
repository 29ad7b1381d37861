//! Moving the whole map: distances and inner contrasts stay, and the root's contrast is drawn from its prior.

use super::kit::{Case, rng};

#[test]
fn only_the_roots_contrast_is_drawn_anew() {
    for case in Case::several() {
        let (n_objects, n_dims) = (case.prior.n_objects(), case.prior.n_dims());
        let (mut workspace, mut rng) = (case.prior.workspace(), rng(3));
        let mut before = vec![0.0; case.x.len()];
        case.prior.to_whitened(&mut workspace, &case.x, &mut before);
        let (mut x, mut after) = (case.x.clone(), before.clone());
        let mut square = 0.0;
        const N_DRAWS: usize = 400;
        for _ in 0..N_DRAWS {
            case.prior.draw_centre(&mut workspace, &mut x, &case.precision, &mut rng);
            case.prior.to_whitened(&mut workspace, &x, &mut after);
            for dim in 0..n_dims {
                for row in 0..n_objects - 1 {
                    let (a, b) = (before[dim * n_objects + row], after[dim * n_objects + row]);
                    assert!((a - b).abs() < 1e-8 * (1.0 + a.abs()), "{a} {b}");
                }
            }
            // z' P z of the root's row is chi-squared with D degrees of freedom.
            let root = |dim: usize| after[dim * n_objects + n_objects - 1];
            let entries = (0..n_dims * n_dims).map(|at| (at / n_dims, at % n_dims));
            let form = entries.map(|(a, b)| root(a) * case.precision.as_slice()[a * n_dims + b] * root(b)).sum::<f64>();
            square += form / N_DRAWS as f64;
        }
        // Five standard errors.
        let error = 5.0 * (2.0 * n_dims as f64 / N_DRAWS as f64).sqrt();
        assert!((square - n_dims as f64).abs() < error, "{square} for {n_dims} dimensions");
    }
}
