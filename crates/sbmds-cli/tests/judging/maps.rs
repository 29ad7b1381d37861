//! `sbmds compare --maps`: a run against a run, and against a table of another program.

use super::folder::Folder;

fn fitted(folder: &Folder, run: &str, seed: u32) {
    let flags = "--chains 2 --warmup 200 --draws 150 --no-report --progress none";
    let ended = folder.run(&format!("fit simulated/distances.csv --out {run} --seed {seed} {flags}"));
    assert!(matches!(ended.code, Some(0 | 1)), "{}", ended.stderr);
}

#[test]
fn two_fits_of_the_same_data_agree_and_a_table_is_scaled() {
    let folder = Folder::new();
    folder.ok("simulate --objects 14 --noise truncated-normal --sd 0.1 --seed 2 -o simulated");
    fitted(&folder, "a", 1);
    fitted(&folder, "b", 2);
    let printed = folder.ok("compare --maps a b -o arrows.svg --table moved.csv");
    assert!(printed.contains("b laid onto a: 14 objects in both") && printed.contains("lie elsewhere"), "{printed}");
    assert_eq!(folder.column("moved.csv", "p_same").len(), 14);
    assert!(folder.read("arrows.svg").contains("aligned to one another"));

    // The true locations, a thousand times as large and without one object.
    let truth = folder.read("simulated/truth.csv");
    let scaled = |line: &str| {
        let (name, numbers) = line.split_once(',').unwrap();
        let numbers: Vec<String> =
            numbers.split(',').map(|number| (1e3 * number.parse::<f64>().unwrap()).to_string()).collect();
        format!("{name},{}\n", numbers.join(","))
    };
    let rows: String = truth.lines().skip(2).map(scaled).collect();
    folder.write("other.csv", format!("{}\n{rows}", truth.lines().next().unwrap()));
    let json: serde_json::Value = serde_json::from_str(&folder.ok("compare --maps a other.csv --json")).unwrap();
    assert_eq!((&json[0]["n_objects"], &json[0]["unmatched"][0]), (&13.into(), &1.into()));
    assert!((json[0]["scale"].as_f64().unwrap() - 1e-3).abs() < 1e-4, "{json}");
    assert!(json[0]["correlation"].as_f64().unwrap() > 0.98, "{json}");
    folder.ok("compare --maps a b other.csv");
    folder.refuses("compare --maps a b other.csv -o x.svg", &["two maps"]);
    folder.refuses("compare a b --table x.csv", &["--maps"]);
    folder.refuses("compare --maps a nowhere", &["nowhere"]);
}
