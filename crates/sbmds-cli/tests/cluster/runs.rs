//! `sbmds cluster`: from the draws of a fit to clusters, on a mixture whose groups are known.

use std::fs;

use super::array::npy;
use super::folder::Folder;
use super::kit::{N_OBJECTS, distances, group, location};

/// A fit of the distances; 0 and 1 are both ends of a finished run.
fn fitted(keep: &str) -> Folder {
    let folder = Folder::new();
    folder.write("distances.csv", distances());
    let ended = folder
        .run(&format!("fit distances.csv --out run --chains 2 --warmup 60 --draws 30 --seed 3 --progress none {keep}"));
    assert!(matches!(ended.code, Some(0 | 1)), "{}", ended.stderr);
    let rows =
        (0..N_OBJECTS).map(|n| format!("o{n},{}\n", group(n).map_or("".into(), |group| format!("group{group}"))));
    folder.write("labels.csv", format!("name,group\n{}", rows.collect::<String>()));
    folder
}

#[test]
fn a_known_mixture_is_found_with_its_certainty() {
    let folder = fitted("");
    let printed = folder
        .ok("cluster run --min-points 8 --draws 40 --labels labels.csv --truth group --counts --together-above 0.9");
    for part in [
        "40 of 60",
        "clusters           3 in most draws",
        "error",
        "adjusted Rand",
        "consensus          3 clusters (20, 16, 12), 2 noise",
    ] {
        assert!(printed.contains(part), "no {part:?} in {printed}");
    }
    let clusters = folder.column("run/clusters/clusters.csv", "cluster");
    let confidence = folder.column("run/clusters/clusters.csv", "confidence");
    for n in 0..N_OBJECTS {
        let name = format!("o{n}");
        assert_eq!(clusters[&name], group(n).map_or("-1".into(), |group| group.to_string()), "{name}");
        assert!(confidence[&name].parse::<f64>().unwrap() > 0.7, "{name}: {}", confidence[&name]);
    }
    let summary: serde_json::Value = serde_json::from_str(&folder.read("run/clusters/summary.json")).unwrap();
    assert_eq!((&summary["n_draws"], &summary["mode_clusters"]), (&40.into(), &3.into()));
    assert!(summary["truth"]["error"]["mean"].as_f64().unwrap() < 0.02, "{summary}");
    assert_eq!((&summary["truth"]["n_unknown"], &summary["truth"]["n_classes"]), (&2.into(), &3.into()));

    check_draw_table(&folder);
    check_together(&folder);
    check_pictures(&folder);
    check_threads(&folder);
}

/// The report shows the clusters from now on, and so does a figure.
fn check_pictures(folder: &Folder) {
    let page = folder.read("run/report.html");
    assert!(page.contains(r#""kind":"clusters""#) && page.contains(r#""name":"group""#));
    folder.ok("plot run clusters --out clusters.svg");
    let svg = folder.read("clusters.svg");
    for text in ["cluster 0 (20)", "cluster 2 (12)", "noise (2)"] {
        assert!(svg.contains(text), "no {text}");
    }
}

#[test]
fn an_array_takes_its_names_and_classes_from_the_labels_of_the_fit() {
    let folder = Folder::new();
    let rows: Vec<Vec<f64>> = (0..N_OBJECTS).map(|object| location(object).to_vec()).collect();
    folder.write("points.npy", npy(&rows));
    let labels = (0..N_OBJECTS).map(|n| format!("o{n},group{},\"a, title\"\n", group(n).unwrap_or(9)));
    folder.write("labels.csv", format!("name,group,title\n{}", labels.collect::<String>()));
    let fit = "fit points.npy --features --chains 1 --warmup 60 --draws 20 --seed 3 --progress none --out run";
    let ended = folder.run(&format!("{fit} --labels labels.csv"));
    assert!(matches!(ended.code, Some(0 | 1)), "{}", ended.stderr);
    assert!(folder.read("run/report.html").contains(r#""name":"group""#));
    assert_eq!(folder.column("run/embedding.csv", "name").len(), N_OBJECTS);
    let printed = folder.ok("cluster run --min-points 8 --truth group");
    assert!(printed.contains("classes found"), "{printed}");
    let page = folder.read("run/report.html");
    assert!(page.contains(r#""kind":"clusters""#) && page.contains(r#""name":"group""#));
    assert!(!page.contains(&*folder.path("").to_string_lossy()), "a path of this machine");
    folder.refuses("fit points.npy --features --labels nowhere.csv --out other", &["nowhere.csv"]);
    folder.write("short.csv", "name,group\no1,a\n");
    folder.refuses("fit points.npy --features --labels short.csv --out other", &["short.csv", "50 rows"]);
    assert!(!folder.path("other").exists());
}

/// Every draw once, in order.
fn check_draw_table(folder: &Folder) {
    let mut reader = csv::Reader::from_path(folder.path("run/clusters/draws.csv")).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let ids: Vec<(usize, usize)> = rows.iter().map(|row| (row[0].parse().unwrap(), row[1].parse().unwrap())).collect();
    assert_eq!(ids.len(), 40);
    assert!(ids.is_sorted_by(|a, b| a < b) && ids.iter().all(|&(chain, draw)| chain < 2 && draw < 30));
    assert!(ids.iter().any(|id| id.0 == 0) && ids.iter().any(|id| id.0 == 1));
    let errors: Vec<f64> = rows.iter().map(|row| row[4].parse().unwrap()).collect();
    assert!(errors.iter().sum::<f64>() / 40.0 < 0.02);
}

/// One question at a time, the list of pairs and the counts of all pairs agree with the labels.
fn check_together(folder: &Folder) {
    let labels = fs::read(folder.path("run/clusters/labels.npy")).unwrap();
    let counts = fs::read(folder.path("run/clusters/together.npy")).unwrap();
    let labels: Vec<i16> = labels[labels.len() - 40 * N_OBJECTS * 2..]
        .chunks_exact(2)
        .map(|two| i16::from_le_bytes([two[0], two[1]]))
        .collect();
    let counts = &counts[counts.len() - N_OBJECTS * (N_OBJECTS - 1) / 2..];
    let together = |a: usize, b: usize| {
        (0..40)
            .filter(|draw| {
                labels[draw * N_OBJECTS + a] >= 0 && labels[draw * N_OBJECTS + a] == labels[draw * N_OBJECTS + b]
            })
            .count()
    };
    let pairs: Vec<(usize, usize)> = (0..N_OBJECTS).flat_map(|a| (a + 1..N_OBJECTS).map(move |b| (a, b))).collect();
    assert_eq!(
        counts.iter().map(|&count| usize::from(count)).collect::<Vec<_>>(),
        pairs.iter().map(|&(a, b)| together(a, b)).collect::<Vec<_>>()
    );
    let n_listed = folder.read("run/clusters/together.csv").lines().count() - 1;
    assert_eq!(n_listed, pairs.iter().filter(|&&(a, b)| together(a, b) >= 36).count());
    for (a, b) in [(0, 3), (0, 1), (48, 49), (5, 5)] {
        let expected = format!("o{a} and o{b} share a cluster in {} of 40 draws", together(a, b));
        assert!(folder.ok(&format!("cluster run --together o{a} o{b}")).contains(&expected), "{expected}");
    }
}

/// The same bytes for any number of threads, other draws for another seed, and nothing stale.
fn check_threads(folder: &Folder) {
    for threads in [1, 3] {
        folder.ok(&format!(
            "cluster run --min-points 8 --draws 40 --labels labels.csv --truth group --threads {threads} --out again"
        ));
        for file in ["clusters.csv", "draws.csv", "labels.npy", "summary.json"] {
            let [first, again] =
                ["run/clusters", "again"].map(|directory| fs::read(folder.path(directory).join(file)).unwrap());
            assert!(first == again, "{file} with {threads} threads");
        }
    }
    let ids = |directory: &str| folder.read(&format!("{directory}/draws.csv"));
    folder.ok("cluster run --min-points 8 --draws 40 --seed 2 --out again");
    assert_ne!(ids("again"), ids("run/clusters"));
    // More draws than there are: all of them, and the pairs of the first clustering are gone.
    assert!(folder.ok("cluster run --min-points 8 --draws 1000").contains("60 of 60"));
    assert!(!folder.path("run/clusters/together.csv").exists() && !folder.path("run/clusters/together.npy").exists());
}

#[test]
fn what_cannot_be_clustered_is_named_with_a_remedy() {
    let folder = fitted("--keep summary");
    folder.refuses("cluster run --min-points 8", &["draws.zarr", "--keep summary", "--keep all"]);
    folder.refuses("cluster none --min-points 8", &["none", "no run"]);
    folder.refuses("cluster run --together o1 o2", &["labels.npy", "cluster the run first"]);
    folder.refuses("cluster run --together o1 o99", &["o99", "embedding.csv"]);
    folder.refuses("cluster run --min-points 8 --draws 0", &["--draws 0"]);
    folder.refuses("cluster run --min-points 8 --together-above 2", &["--together-above 2"]);
    folder.refuses("cluster run --min-points 8 --truth group", &["--truth", "--labels"]);
    folder.refuses("cluster run --min-points 8 --labels labels.csv --truth colour", &["labels.csv", "colour", "group"]);
    folder.write("empty.csv", "name,group\no1,\n");
    folder.refuses("cluster run --min-points 8 --labels empty.csv --truth group", &["empty.csv", "empty for all"]);
}

#[test]
fn too_few_objects_for_a_cluster_are_noise_and_the_settings_are_checked() {
    let folder = fitted("");
    let printed = folder.ok("cluster run --min-points 60 --draws 5");
    assert!(printed.contains("0 in most draws") && printed.contains("smaller --min-points"), "{printed}");
    folder.refuses("cluster run --min-points 1", &["--min-points", "at least 2"]);
    folder.refuses("cluster run --min-points 8 --min-samples 51", &["--min-samples", "51 samples", "50 objects"]);
    folder.write("run/clusters/labels.npy", "nonsense");
    folder.refuses("cluster run --together o1 o2", &["labels.npy"]);
    folder.refuses("cluster run --min-points 8 --out distances.csv", &["distances.csv", "--out"]);
}
