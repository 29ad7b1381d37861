//! Edge lists that say more than one exact number per pair: errors, weights, limits, negative numbers, and what is refused.

use crate::kit::{Folder, assert_close};

/// Distances on the map: 5 from a to b, 1 from a to c, sqrt(18) from b to c.
const MAP: &str = "name,x,y\na,0,0\nb,3,4\nc,0,1\n";
/// Log densities under normal noise with sigma 0.3 (mpmath 1.3 with 30 digits): of 1.2 and 4, the pairs of c, together; of 5.5 from a to b with a
/// scale of 0.3, of 0.5 = sqrt(0.3^2 + 0.4^2), and of 0.4.
const OF_C: f64 = 0.020_765_747_544_088_564;
const OF_SIGMA: f64 = -1.103_854_617_767_625_6;
const WITH_ERROR: f64 = -0.725_791_352_644_727_4;
const ERROR_ALONE: f64 = -0.783_897_801_330_517_7;

/// The log-likelihood of these three lines.
fn evaluated(folder: &Folder, flags: &str) -> f64 {
    let answer = folder.sbmds(&format!("eval {flags} --positions map.csv --sigma 0.3"));
    assert_eq!(answer.code, Some(0), "{flags}: {}", answer.stderr);
    let found: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    found["log_likelihood"].as_f64().unwrap()
}

/// A list of the pair a, b with this cell and further columns, and the pairs of c.
fn list(cell: &str) -> Folder {
    let list = format!("from,to,d\na,b,{cell}\na,c,1.2\nb,c,4\n");
    Folder::new().with("map.csv", MAP).with("list.csv", list)
}

#[test]
fn known_errors_add_to_sigma_or_take_its_place() {
    let folder = Folder::new()
        .with("map.csv", MAP)
        .with("list.csv", "from,to,d,se\na,b,5.5,0.4\na,c,1.2,0\nb,c,4,0\n")
        .with("errors.csv", "from,to,se\nb,c,0\nb,a,0.4\na,c,0\n")
        .with("errors-matrix.csv", ",c,b,a\nc,0,0,0\nb,0,0,0.4\na,0,0.4,0\n");
    for source in ["--error se", "--errors errors.csv", "--errors errors-matrix.csv"] {
        let with = |flags: &str| evaluated(&folder, &format!("list.csv --value d --noise normal {source} {flags}"));
        assert_close(with(""), OF_C + WITH_ERROR, 1e-13);
        assert_close(with("--known-errors replace"), OF_C + ERROR_ALONE, 1e-13);
    }
    assert_close(evaluated(&folder, "list.csv --value d --noise normal"), OF_C + OF_SIGMA, 1e-13);
}

#[test]
fn weights_multiply() {
    let folder = Folder::new()
        .with("map.csv", MAP)
        .with("list.csv", "from,to,d,w\na,b,5.5,2.5\na,c,1.2,1\nb,c,4,1\n")
        .with("weights.csv", "from,to,w\nc,b,1\nb,a,2.5\na,c,1\n")
        .with("without.csv", "from,to,w\nc,b,1\nb,a,0\na,c,1\n");
    for source in ["--weight w", "--weights weights.csv"] {
        let found = evaluated(&folder, &format!("list.csv --value d --noise normal {source}"));
        assert_close(found, OF_C + 2.5 * OF_SIGMA, 1e-13);
    }
    assert_close(evaluated(&folder, "list.csv --value d --noise normal --weights without.csv"), OF_C, 1e-13);
}

/// mpmath 1.3 with 30 digits.
#[test]
fn limits_are_probabilities() {
    for (cell, expected) in
        [("4.8..5.1", -0.972_686_172_016_744_3), ("<4.9", -0.995_763_305_779_230_2), (">5.2", -1.376_373_584_973_070_8)]
    {
        assert_close(evaluated(&list(cell), "list.csv --noise normal"), OF_C + expected, 1e-13);
    }
}

#[test]
fn malformed_limits_are_refused() {
    for (cell, problem) in [
        ("<", "\"<\" has no limit. Remedy: write <0.4, >2 or 0.2..0.4"),
        (">", "\">\" has no limit"),
        ("0.2..", "\"0.2..\" has no limit"),
        ("<x", "\"x\" is not a number"),
        (
            "0.4..0.2",
            "\"0.4..0.2\" is no interval: its lower end is not below its upper end. Remedy: write it as 0.2..0.4",
        ),
        ("1..1", "\"1..1\" is no interval"),
        ("<-1", "-1 is negative"),
    ] {
        let answer = list(cell).sbmds("eval list.csv --positions map.csv --sigma 0.3");
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{cell}");
        let message = format!("list.csv, line 2, column 3 (a to b): {problem}");
        assert!(answer.stderr.contains(&message), "{cell}: {}", answer.stderr);
        // The first line of a list without titles is not taken for titles.
        let untitled = format!("a,b,{cell}\na,c,1.2\nb,c,4\n");
        let folder = Folder::new().with("map.csv", MAP).with("list.csv", untitled);
        let answer = folder.sbmds("eval list.csv --positions map.csv --sigma 0.3");
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{cell}: {}", answer.stderr);
    }
}

#[test]
fn an_error_that_is_not_given_is_not_known() {
    let evaluated = |q: &str| {
        let folder = Folder::new()
            .with("map.csv", MAP)
            .with("list.csv", format!("from,to,d,q\na,b,5.5,{q}\na,c,1.2,0.1\nb,c,4,0.2\n"));
        let answer = folder.sbmds("eval list.csv --value d --error q --positions map.csv --sigma 0.3");
        assert_eq!(answer.code, Some(0), "{}", answer.stderr);
        answer.stdout
    };
    assert_eq!(evaluated(""), evaluated("0"));
}

#[test]
fn weights_and_errors_that_cannot_be_are_refused() {
    for value in ["-1", "inf", "x"] {
        let folder = Folder::new()
            .with("map.csv", MAP)
            .with("list.csv", format!("from,to,d,q\na,b,5.5,{value}\na,c,1.2,1\nb,c,4,1\n"));
        for (flag, what) in [("--weight q", "weight"), ("--error q", "standard error")] {
            let answer = folder.sbmds(&format!("eval list.csv --value d {flag} --positions map.csv --sigma 0.3"));
            let problem = match value {
                "x" => "\"x\" is not a number".to_owned(),
                _ => format!("\"{value}\" is no {what}. Remedy: give every line a {what} of zero or more"),
            };
            assert_eq!(answer.code, Some(2), "{value}");
            assert!(answer.stderr.contains(&format!("list.csv, line 2, column 4: {problem}")), "{}", answer.stderr);
        }
    }
    let folder = list("5.5").with("weights.csv", "from,to,w\na,b,5\na,c,1.2\n");
    let answer = folder.sbmds("eval list.csv --weights weights.csv --positions map.csv --sigma 0.3");
    assert!(
        answer.stderr.contains("weights.csv (b to c): a pair that was measured has no weight"),
        "{}",
        answer.stderr
    );
}

#[test]
fn negative_numbers_and_zeros_are_for_families_that_have_them() {
    // log n(-5.5 / 0.3) - log 0.3.
    let expected = -167.770_521_284_434_3;
    assert_close(evaluated(&list("-0.5"), "list.csv --noise normal"), OF_C + expected, 1e-13);
    assert!(evaluated(&list("-0.5"), "list.csv --noise student-t --nu 4") > -40.0);
    for noise in ["truncated-normal", "truncated-student-t --nu 4", "log-normal"] {
        let answer = list("-0.5").sbmds(&format!("eval list.csv --noise {noise} --positions map.csv --sigma 0.3"));
        assert_eq!(answer.code, Some(2), "{noise}");
        assert!(answer.stderr.contains("-0.5 is negative; dissimilarities must be zero or more"), "{}", answer.stderr);
    }
    let answer = list("0").sbmds("eval list.csv --noise log-normal --positions map.csv --sigma 0.3");
    assert_eq!(answer.code, Some(2));
    for words in ["0 is no possible measurement under log-normal noise", "give them a limit in an edge list (<0.01"] {
        assert!(answer.stderr.contains(words), "{}", answer.stderr);
    }
    assert!(evaluated(&list("<0.01"), "list.csv --noise log-normal") < 0.0);
}
