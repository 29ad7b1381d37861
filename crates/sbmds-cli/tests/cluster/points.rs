//! `sbmds hdbscan`: points to labels.

use super::array::npy;
use super::folder::Folder;
use super::kit::{N_OBJECTS, group, location, points};

#[test]
fn known_groups_are_found_in_any_order_of_rows() {
    let folder = Folder::new();
    let rows: Vec<usize> = (0..N_OBJECTS).collect();
    folder.write("points.csv", points(&rows));
    folder.write("reversed.csv", points(&rows.iter().rev().copied().collect::<Vec<_>>()));
    folder.ok("hdbscan points.csv --min-cluster-size 8 --out labels.csv");
    folder.ok("hdbscan reversed.csv --min-cluster-size 8 --out other.csv");
    let labels = folder.column("labels.csv", "label");
    assert_eq!(labels, folder.column("other.csv", "label"));
    assert_eq!(folder.column("labels.csv", "probability"), folder.column("other.csv", "probability"));
    for n in 0..N_OBJECTS {
        // Groups are numbered by size, as they were made.
        let expected = group(n).map_or("-1".to_owned(), |group| group.to_string());
        assert_eq!(labels[&format!("o{n}")], expected, "o{n}");
    }
    let number = |text: &String| text.parse::<f64>().unwrap();
    let scores = folder.column("labels.csv", "outlier_score");
    assert!(number(&scores["o48"]) > 0.9 && scores.values().map(number).all(|score| (0.0..=1.0).contains(&score)));
    assert!(folder.read("labels.csv").starts_with("name,label,probability,outlier_score\no0,0,"));
}

#[test]
fn an_array_is_named_by_its_rows_and_settings_count() {
    let folder = Folder::new();
    let rows: Vec<Vec<f64>> = (0..N_OBJECTS).map(|object| location(object).to_vec()).collect();
    folder.write("points.npy", npy(&rows));
    let printed = folder.ok("hdbscan points.npy --min-cluster-size 8");
    assert_eq!(printed.lines().count(), N_OBJECTS + 1);
    assert!(printed.contains("\n3,0,") && printed.contains("\n49,-1,0,"));
    // No two groups have 17 objects, and one alone is no answer.
    let none = folder.run("hdbscan points.npy --min-cluster-size 17");
    assert!(none.stderr.contains("0 clusters, 50 noise"), "{}", none.stderr);
    let one_more = folder.run("hdbscan points.npy --min-cluster-size 4 --min-samples 2 --selection leaf");
    assert!(!one_more.stderr.contains(" 3 clusters"), "{}", one_more.stderr);
}

#[test]
fn what_cannot_be_used_is_named() {
    let folder = Folder::new();
    folder.write("gap.csv", "name,x,y\na,1,2\nb,,3\n");
    folder.write("word.csv", "name,x,y\na,1,2\nb,one,3\n");
    folder.write("twice.csv", "name,x\na,1\na,2\n");
    folder.write("few.csv", "name,x\na,1\nb,2\nc,3\nd,4\n");
    folder.write("huge.csv", "name,x\na,1\nb,1e200\nc,3\n");
    folder.write("header.csv", "name,x\n");
    folder.refuses("hdbscan gap.csv --min-cluster-size 2", &["gap.csv, line 3, column 2 (b)", "missing", "Remedy"]);
    folder.refuses("hdbscan word.csv --min-cluster-size 2", &["word.csv, line 3, column 2 (b)", "\"one\""]);
    folder.refuses("hdbscan twice.csv --min-cluster-size 2", &["twice.csv, line 3", "given twice"]);
    folder.refuses("hdbscan huge.csv --min-cluster-size 2", &["huge.csv, line 3, column 2 (b)", "too large"]);
    folder.refuses("hdbscan header.csv --min-cluster-size 2", &["header.csv", "no points"]);
    folder.refuses("hdbscan none.csv --min-cluster-size 2", &["none.csv", "no such file"]);
    folder.refuses("hdbscan few.csv --min-cluster-size 1", &["at least 2"]);
    folder.refuses("hdbscan few.csv --min-cluster-size 2 --min-samples 0", &["at least 1"]);
    folder.refuses("hdbscan few.csv --min-cluster-size 2 --min-samples 5", &["few.csv", "5 samples", "4 objects"]);
    folder.refuses("hdbscan few.csv --min-cluster-size 2 --selection best", &["eom", "leaf"]);
    folder.refuses("hdbscan few.csv --min-cluster-size 2 --out none/labels.csv", &["none/labels.csv", "--out"]);
    // Fewer points than a cluster needs are noise, not an error.
    assert!(folder.ok("hdbscan few.csv --min-cluster-size 5").contains("\nd,-1,0,0\n"));
}
