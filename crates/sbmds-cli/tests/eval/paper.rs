//! Table 1 of the paper: log-likelihoods of five objects, from its printed X and Delta (section 2.2).

use crate::kit::{Folder, assert_close};

const DELTA: &str = "name,1,2,3,4,5\n\
                     1,0.00,1.35,2.53,0.99,1.85\n\
                     2,1.35,0.00,1.54,0.76,0.50\n\
                     3,2.53,1.54,0.00,1.54,1.26\n\
                     4,0.99,0.76,1.54,0.00,1.12\n\
                     5,1.85,0.50,1.26,1.12,0.00\n";
const X: &str = "name,x,y\n1,0.59,0.71\n2,-0.11,-0.45\n3,0.61,-1.82\n4,0.63,-0.28\n5,-0.28,-0.92\n";

/// (coupling, log-likelihood, pairs) for sigma^2 = 0.25.
const TABLE_1: [(&str, f64, usize); 8] = [
    ("band:1", -0.885, 4),
    ("band:2", -1.490, 7),
    ("band:3", -1.743, 9),
    ("band:4", -1.969, 10),
    ("landmark:1", -0.875, 4),
    ("landmark:2", -1.311, 7),
    ("landmark:3", -1.756, 9),
    ("landmark:4", -1.969, 10),
];

/// To 2e-3: the table was computed before X and Delta were rounded for print.
#[test]
fn table_1() {
    let folder = Folder::new().with("d.csv", DELTA).with("x.csv", X);
    for (couplings, log_likelihood, n_pairs) in TABLE_1 {
        let arguments = format!("eval d.csv --positions x.csv --sigma 0.5 --order given --couplings {couplings}");
        let answer = folder.sbmds(&arguments);
        // Few bands leave objects with too few partners, of which a warning tells.
        assert_eq!(answer.code, Some(0), "{couplings}");
        let found = answer.evaluation();
        assert!((found.log_likelihood - log_likelihood).abs() < 2e-3, "{couplings}: {found:?}");
        assert_eq!((found.n_objects, found.n_dims, found.n_pairs), (5, 2, n_pairs), "{couplings}");
        assert_eq!(found.gradient, None);
    }
    let full = folder.eval("d.csv --positions x.csv --sigma 0.5 --couplings full").log_likelihood;
    let band = folder.eval("d.csv --positions x.csv --sigma 0.5 --order given --couplings band:4").log_likelihood;
    assert_close(full, band, 1e-14);
}
