//! Titres: golden values of our own, published data where they are at hand, and what is refused.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Deserialize;

use crate::kit::{Folder, assert_close, assert_rows_close};

/// What `sbmds eval --titers` prints.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Evaluation {
    n_objects: usize,
    n_dims: usize,
    n_pairs: usize,
    n_terms: usize,
    log_likelihood: f64,
    names: Vec<String>,
    gradient: Option<Vec<Vec<f64>>>,
    gradient_sigma: Option<f64>,
    gradient_potencies: Option<Vec<f64>>,
    gradient_avidities: Option<Vec<f64>>,
}

fn eval(folder: &Folder, arguments: &str) -> Evaluation {
    let answer = folder.sbmds(&format!("eval {arguments}"));
    assert_eq!(answer.code, Some(0), "{arguments}: {}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

const LONG: &str =
    "virus,serum,titer\nv1,s1,640\nv1,s1,320\nv1,s2,<40\nv2,s1,>1280\nv2,s2,<10\nv3,s1,22.5\nv3,s2,80\nv3,s2,<20\n";

fn small() -> Folder {
    Folder::new()
        .with("hi.csv", LONG)
        .with("x.csv", "name,x,y\ns1,1,1.5\ns2,-3,-4\nv1,0.5,-1.25\nv2,3.75,2\nv3,-2.5,0.25\n")
        .with("s.csv", "name,value\ns2,9.25\ns1,10.5\n")
        .with("v.csv", "name,value\nv1,9.5\nv2,11.25\nv3,8\n")
}

/// A case with all its derivatives: mpmath 1.3 with 60 digits, derivatives by central differences with step 1e-20.
struct Golden {
    flags: &'static str,
    log_likelihood: f64,
    gradient: [[f64; 2]; 5],
    by_sigma: f64,
    by_potency: [f64; 2],
    by_avidity: Option<[f64; 3]>,
}

const GOLDEN: [Golden; 3] = [
    Golden {
        flags: "--sigma 0.75 --reading exact",
        log_likelihood: -21.725350993970277,
        gradient: [
            [1.1435823115638855, 4.247848717030744],
            [-4.907925566384319, -0.8922962069402075],
            [-3.896413607816112, -1.8781051872774697],
            [8.03420446875427, -1.6449384539244232],
            [-0.3734476061177238, 0.16749113111135608],
        ],
        by_sigma: 37.20059096279122,
        by_potency: [4.886059828695572, -0.03955238200647533],
        by_avidity: None,
    },
    Golden {
        flags: "--sigma 0.75 --reading interval --avidities v.csv",
        log_likelihood: -22.82292175512125,
        gradient: [
            [1.7092025025036466, 6.961472805701618],
            [-4.286057772401801, -0.7737565598367903],
            [-1.111779809014426, -3.0827327402655746],
            [3.8840259666436383, -5.494973198805405],
            [-0.1953908877310578, 2.389989693206152],
        ],
        by_sigma: 37.51058569293968,
        by_potency: [5.098175111068224, 1.0771712979305925],
        by_avidity: Some([3.0022098292875454, 2.17690614361685, 0.9962304360944213]),
    },
    // Up to dozens of standard deviations out: a plain difference of Phi is 0 for most terms.
    Golden {
        flags: "--sigma 0.0625 --reading interval --avidities v.csv",
        log_likelihood: -1896.2265301080238,
        gradient: [
            [148.34467776396718, 815.8957276649953],
            [-565.1355476288749, -102.75191775070452],
            [-76.25621042924422, -493.00104191882815],
            [435.84766333075805, -706.337812244568],
            [57.19941696339383, 486.19504424910536],
        ],
        by_sigma: 60137.64406529363,
        by_potency: [691.7184776740404, 244.77407662499567],
        by_avidity: Some([414.63597944886527, 287.2003411363032, 234.6562337138676]),
    },
];

#[test]
fn golden_values_of_both_readings_and_models() {
    let folder = small();
    for golden in GOLDEN {
        let flags = format!("hi.csv --titers --positions x.csv --potencies s.csv --gradient {}", golden.flags);
        let found = eval(&folder, &flags);
        assert_eq!(found.names, ["v1", "v2", "v3", "s1", "s2"]);
        assert_eq!((found.n_objects, found.n_dims, found.n_pairs, found.n_terms), (5, 2, 6, 8));
        assert_close(found.log_likelihood, golden.log_likelihood, 1e-12);
        let expected: Vec<Vec<f64>> = golden.gradient.iter().map(|row| row.to_vec()).collect();
        assert_rows_close(&found.gradient.unwrap(), &expected, 1e-11);
        assert_close(found.gradient_sigma.unwrap(), golden.by_sigma, 1e-11);
        assert_rows_close(&[found.gradient_potencies.unwrap()], &[golden.by_potency.to_vec()], 1e-11);
        let by_avidity: Vec<Vec<f64>> = found.gradient_avidities.into_iter().collect();
        assert_rows_close(&by_avidity, &golden.by_avidity.iter().map(|row| row.to_vec()).collect::<Vec<_>>(), 1e-11);
    }
}

#[test]
fn a_table_says_what_its_rows_say() {
    let long = "virus,serum,titer\nv1,s1,640\nv1,s2,<40\nv2,s1,>1280\nv2,s2,<10\nv3,s1,22.5\n";
    let folder = small().with("rows.csv", long).with("table.csv", ",s1,s2\nv1,640,<40\nv2,>1280,<10\nv3,22.5,*\n");
    let of = |file: &str| eval(&folder, &format!("{file} --titers --positions x.csv --sigma 1 --reading exact"));
    let (rows, table) = (of("rows.csv"), of("table.csv"));
    assert_eq!(rows.log_likelihood, table.log_likelihood);
    assert_eq!((rows.names, rows.gradient), (table.names, None));
}

#[test]
fn refusals_name_file_line_and_remedy() {
    let folder = small().with("bad.csv", ",s1,s2\nv1,640,0\n").with("few.csv", "name,value\ns1,9\n");
    let refused = |arguments: &str| {
        let answer = folder.sbmds(&format!("eval {arguments}"));
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{arguments}");
        answer.stderr
    };
    let problem = refused("bad.csv --titers --positions x.csv --sigma 1");
    assert!(problem.contains("bad.csv, line 2, column 3 (v1): \"0\" is no titre"), "{problem}");
    let problem = refused("hi.csv --titers --positions x.csv --sigma 1 --potencies few.csv");
    assert!(problem.contains("few.csv: these sera have no value: s2"), "{problem}");
    let problem = refused("hi.csv --titers --positions x.csv --sigma 1 --potencies v.csv");
    assert!(problem.contains("v.csv, line 2: the serum v1 is not in the table"), "{problem}");
    let problem = refused("hi.csv --titers --positions x.csv --sigma -1");
    assert!(problem.contains("the noise must be a number above zero"), "{problem}");
    let problem = refused("hi.csv --positions x.csv --sigma 1 --potencies s.csv");
    assert!(problem.contains("--titers"), "{problem}");
}

/// A file of the published titres, if it is here.
fn shared(file: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("SBMDS_SHARED_DATA").map_or(beside, PathBuf::from).join("titers").join(file);
    if !path.is_file() {
        eprintln!("skipped: {} is not here", path.display());
        return None;
    }
    Some(path)
}

/// Influenza A/H1N1 of Bedford et al. (2014), eLife 3:e01914: log-likelihoods at one of their sampled maps, potencies fixed at the
/// largest titres, sigma 1; computed with 60 digits.
#[test]
fn whole_tables_of_h1n1() {
    let Some(locations) = shared("H1N1_locations.tsv") else { return };
    let text = std::fs::read_to_string(locations).unwrap();
    let mut positions = String::from("name,x,y\n");
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        writeln!(positions, "{},{},{}", cells[2], cells[4], cells[5]).unwrap();
    }
    let folder = Folder::new().with("x.csv", positions);
    for (file, reading, n_terms, log_likelihood, by_sigma) in [
        ("H1N1_HI_data.tsv", "interval", 1_882, -3162.0738067883102, 1115.34415748026),
        ("H1N1_HI_data.tsv", "exact", 1_882, -3230.62207616112, 1458.27223624732),
        ("h1n1_table.csv", "exact", 1_200, -1790.987420335672, 474.811786940607),
    ] {
        let path = shared(file).unwrap();
        let flags = format!("--titers --positions x.csv --sigma 1 --reading {reading} --gradient");
        let found = eval(&folder, &format!("{} {flags}", path.display()));
        assert_eq!((found.n_objects, found.n_pairs, found.n_terms), (192, 1_200, n_terms), "{file}");
        assert_close(found.log_likelihood, log_likelihood, 1e-13);
        assert_close(found.gradient_sigma.unwrap(), by_sigma, 1e-11);
    }
}

/// One case of the golden points.
#[derive(Deserialize)]
struct Case {
    model: String,
    reading: String,
    viruses: Vec<String>,
    sera: Vec<String>,
    measurements: Vec<[String; 3]>,
    parameters: BTreeMap<String, serde_json::Value>,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    log_likelihood: f64,
    gradient: BTreeMap<String, serde_json::Value>,
}

#[test]
fn golden_points_of_the_published_model() {
    let Some(path) = shared("golden_points.json") else { return };
    let cases: Vec<Case> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for case in cases {
        let rows = |field: &BTreeMap<String, serde_json::Value>, name: &str| -> Vec<Vec<f64>> {
            serde_json::from_value(field[name].clone()).unwrap()
        };
        let list = |field: &BTreeMap<String, serde_json::Value>, name: &str| -> Vec<f64> {
            serde_json::from_value(field[name].clone()).unwrap()
        };
        let joined = |names: &[String], values: Vec<Vec<f64>>| -> String {
            let line =
                |(name, row): (&String, Vec<f64>)| row.iter().fold(name.clone(), |line, x| format!("{line},{x}"));
            names.iter().zip(values).map(line).collect::<Vec<_>>().join("\n")
        };
        let given = &case.parameters;
        let (x, y) = (rows(given, "virus_locations"), rows(given, "serum_locations"));
        let header = (0..x[0].len()).fold("name".to_owned(), |line, k| format!("{line},x{k}"));
        let of_level = |name: &str| list(given, name).into_iter().map(|value| vec![value]).collect::<Vec<_>>();
        let folder = Folder::new()
            .with("x.csv", format!("{header}\n{}\n{}\n", joined(&case.viruses, x), joined(&case.sera, y)))
            .with("s.csv", format!("name,value\n{}\n", joined(&case.sera, of_level("serum_potencies"))))
            .with("v.csv", format!("name,value\n{}\n", joined(&case.viruses, of_level("virus_avidities"))))
            .with(
                "hi.csv",
                case.measurements
                    .iter()
                    .fold("virus,serum,titer\n".to_owned(), |text, row| text + &row.join(",") + "\n"),
            );
        let avidities = if case.model == "half-sum" { "--avidities v.csv" } else { "" };
        let phi = &given["phi"];
        let found = eval(
            &folder,
            &format!(
                "hi.csv --titers --positions x.csv --potencies s.csv {avidities} --sigma {phi} --reading {} --gradient",
                case.reading
            ),
        );
        assert_close(found.log_likelihood, case.expected.log_likelihood, 1e-12);
        let by_name: BTreeMap<&String, &Vec<f64>> = found.names.iter().zip(found.gradient.as_ref().unwrap()).collect();
        let expected = &case.expected.gradient;
        for (names, field) in [(&case.viruses, "virus_locations"), (&case.sera, "serum_locations")] {
            for (name, row) in names.iter().zip(rows(expected, field)) {
                assert_rows_close(&[by_name[name].clone()], &[row], 1e-11);
            }
        }
        assert_close(found.gradient_sigma.unwrap(), expected["phi"].as_f64().unwrap(), 1e-11);
        let order = |field: &str, names: &[String], offset: usize, values: &[f64]| {
            let at: BTreeMap<&String, f64> = found.names[offset..].iter().zip(values.iter().copied()).collect();
            for (name, expected) in names.iter().zip(list(expected, field)) {
                assert_close(at[name], expected, 1e-11);
            }
        };
        order("serum_potencies", &case.sera, case.viruses.len(), found.gradient_potencies.as_ref().unwrap());
        if let Some(values) = &found.gradient_avidities {
            order("virus_avidities", &case.viruses, 0, values);
        }
    }
}
