//! `sbmds predict`: of measured, missing and listed pairs.

use super::folder::Folder;

/// A fit of simulated distances, every seventh of them missing, with one gross error between o1 and o2.
fn fitted() -> Folder {
    let folder = Folder::new();
    folder.ok("simulate --objects 16 --noise truncated-normal --sd 0.05 --seed 5 -o simulated");
    let table = folder.read("simulated/distances.csv");
    let mut lines = table.lines();
    let mut text = format!("{}\n", lines.next().unwrap());
    for (row, line) in lines.enumerate() {
        let cells: Vec<String> = line.split(',').map(String::from).collect();
        let cell = |(column, cell): (usize, &String)| match (row, column) {
            (_, 0) => cell.clone(),
            (row, column) if row != column - 1 && (row + column - 1) % 7 == 0 => String::new(),
            (1, 3) | (2, 2) => "9".into(),
            _ => cell.clone(),
        };
        text += &format!("{}\n", cells.iter().enumerate().map(cell).collect::<Vec<_>>().join(","));
    }
    folder.write("distances.csv", text);
    let ended = folder.run("fit distances.csv --out run --chains 2 --warmup 200 --draws 200 --seed 3 --progress none");
    assert!(matches!(ended.code, Some(0 | 1)), "{}", ended.stderr);
    folder
}

fn rows(folder: &Folder, file: &str) -> Vec<csv::StringRecord> {
    csv::Reader::from_path(folder.path(file)).unwrap().records().map(Result::unwrap).collect()
}

#[test]
fn measured_missing_and_listed_pairs_are_predicted() {
    let folder = fitted();
    let printed = folder.ok("predict run");
    assert!(printed.contains("lie in their 95% intervals") && printed.contains("predict.csv"), "{printed}");
    let measured = rows(&folder, "run/predict.csv");
    let missing = (0..16).flat_map(|a| (a + 1..16).map(move |b| a + b)).filter(|sum| sum % 7 == 0).count();
    assert_eq!(measured.len(), 120 - missing);
    // The gross error comes first among what surprises.
    let summary: serde_json::Value = serde_json::from_str(&folder.ok("predict run --json --worst 1")).unwrap();
    assert_eq!(summary["surprises"][0]["observed"], 9.0, "{summary}");
    assert_eq!(summary["coupled"]["n_pairs"], measured.len());

    folder.ok("predict run --missing -o missing.csv");
    let unmeasured = rows(&folder, "missing.csv");
    assert_eq!(unmeasured.len(), missing);
    for row in &unmeasured {
        let number = |column: usize| row[column].parse::<f64>().unwrap();
        assert!(row[2].is_empty() && &row[3] == "false" && row[9].is_empty() && row[10].is_empty(), "{row:?}");
        assert!(number(7) < number(5) && number(5) < number(8) && number(6) > 0.0, "{row:?}");
    }

    // A list, in its own order, one of its pairs with a dissimilarity of its own.
    let (first, last) = (&unmeasured[0], &measured[0]);
    folder.write(
        "pairs.csv",
        format!("a,b,value\n{},{},\n{},{},0.5\n", first.get(1).unwrap(), &first[0], &last[0], &last[1]),
    );
    folder.ok("predict run pairs.csv -o listed.csv");
    let listed = rows(&folder, "listed.csv");
    assert_eq!((listed.len(), &listed[0][0], &listed[1][2]), (2, &first[1], "0.5"));
    assert_eq!(listed[0].iter().skip(4).collect::<Vec<_>>(), first.iter().skip(4).collect::<Vec<_>>());
    // The input may be gone.
    std::fs::remove_file(folder.path("distances.csv")).unwrap();
    folder.ok("predict run pairs.csv -o listed.csv");
    folder.refuses("predict run", &["distances.csv"]);
}

#[test]
fn what_cannot_be_predicted_is_refused() {
    let folder = fitted();
    folder.write("pairs.csv", "nobody,else\n");
    folder.refuses("predict run pairs.csv", &["nobody", "line 1"]);
    folder.refuses("predict run --level 1", &["--level 1", "between 0 and 1"]);
    folder.refuses("predict run --draws 0", &["--draws 0"]);
    folder.refuses("predict run --missing --coupled", &["--coupled"]);
    assert!(!folder.path("run/predict.csv").exists());
}
