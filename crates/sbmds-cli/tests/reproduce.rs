//! `sbmds reproduce` at toy size: every experiment from the command to its page.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

#[path = "common/array.rs"]
mod array;

/// The program with these blank-separated arguments and a directory to write to.
fn reproduce(arguments: &str, out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sbmds"));
    command.arg("reproduce").args(arguments.split_whitespace()).arg("--out").arg(out).output().unwrap()
}

/// The columns and rows of a table.
struct Csv {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Csv {
    fn read(path: &Path) -> Self {
        let mut reader = csv::Reader::from_path(path).unwrap();
        let columns = reader.headers().unwrap().iter().map(String::from).collect();
        let rows = reader.records().map(|row| row.unwrap().iter().map(String::from).collect()).collect();
        Self { columns, rows }
    }

    /// The numbers of a column; empty cells are left out.
    fn numbers(&self, column: &str) -> Vec<f64> {
        let index = self.columns.iter().position(|name| name == column).unwrap_or_else(|| panic!("no column {column}"));
        self.rows.iter().filter(|row| !row[index].is_empty()).map(|row| row[index].parse().unwrap()).collect()
    }
}

/// Runs an experiment and checks that everything is there; then that a second run repeats nothing.
fn toy(name: &str) -> Csv {
    toy_on(name, "")
}

/// The same with flags that name files.
fn toy_on(name: &str, files: &str) -> Csv {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("results");
    let output = reproduce(&format!("{name} --toy {files}"), &out);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = fs::read_to_string(out.join(format!("{name}.md"))).unwrap();
    assert!(page.contains("![") && page.contains(&format!("sbmds reproduce {name} --toy")), "{page}");
    assert!(page.contains("| authors |") || page.contains("| method |"), "{page}");
    let svg = fs::read_to_string(out.join(format!("{name}.svg"))).unwrap();
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    let png = fs::read(out.join(format!("{name}.png"))).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 5_000);

    // The last cell is lost, as if the run had been stopped: it alone is run again.
    let cells = out.join(format!("{name}.cells.jsonl"));
    let before = fs::read_to_string(&cells).unwrap();
    let kept = &before[..before.trim_end().rfind('\n').unwrap() + 1];
    fs::write(&cells, kept).unwrap();
    assert!(reproduce(&format!("{name} --toy {files}"), &out).status.success());
    let after = fs::read_to_string(&cells).unwrap();
    assert!(after.starts_with(kept) && after.lines().count() == before.lines().count());

    let refused = reproduce(&format!("{name} --quick {files}"), &out);
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && message.contains("other settings"), "{message}");
    Csv::read(&out.join(format!("{name}.csv")))
}

#[test]
fn tables_are_the_papers() {
    let table = toy("tables");
    let differences = table.numbers("difference");
    // Two tables: 8 likelihoods and 80 components of gradients.
    assert_eq!(differences.len(), 88);
    assert!(differences.iter().all(|difference| difference.abs() < 1e-3));
}

#[test]
fn accuracy_is_better_with_more_bands() {
    let table = toy("accuracy");
    let mse = table.numbers("mse");
    assert_eq!(mse.len(), 7);
    assert!(mse.iter().all(|mse| (0.005..3.0).contains(mse)), "{mse:?}");
    // Rows: full, then 2 and 5 of each method.
    assert!([1, 3].iter().all(|&k| mse[k] > mse[k + 1]) && mse[2] > mse[0], "{mse:?}");
    assert!(table.numbers("median_sigma").iter().all(|sigma| (0.01..3.0).contains(sigma)));
    assert_eq!(table.numbers("authors_mse").len(), 4);
}

#[test]
fn maps_lie_near_the_truth() {
    let table = toy("map");
    let [true_x, mean_x] = ["true_x", "mean_x"].map(|column| table.numbers(column));
    // 30 objects, one noise level, three methods with two counts.
    assert_eq!(true_x.len(), 180);
    let off = true_x.iter().zip(&mean_x).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 180.0;
    assert!(off < 0.5, "{off}");
}

#[test]
fn mismatched_dimensions_cost_accuracy() {
    let table = toy("dimension-mismatch");
    let (dims, mse) = (table.numbers("true_dims"), table.numbers("mse"));
    assert_eq!(mse.len(), 10);
    let mean_of = |wanted: f64| dims.iter().zip(&mse).filter(|(d, _)| **d == wanted).map(|(_, m)| m).sum::<f64>() / 5.0;
    assert!(mean_of(4.0) > 2.0 * mean_of(2.0), "{mse:?}");
}

#[test]
fn heavy_tails_cost_accuracy() {
    let mse = toy("heavy-tails").numbers("mse");
    assert_eq!(mse.len(), 7);
    assert!(mse.iter().all(|mse| (0.2..5.0).contains(mse)), "{mse:?}");
}

#[test]
fn raw_speed_is_measured() {
    let table = toy("raw-speed");
    assert!(["likelihood_seconds", "gradient_seconds"].iter().all(|c| table.numbers(c).iter().all(|s| *s > 0.0)));
    let pairs = table.numbers("pairs");
    assert_eq!(pairs.last(), Some(&(200.0 * 199.0 / 2.0)));
}

#[test]
fn efficiency_is_measured() {
    let table = toy("efficiency");
    let (ess, seconds, logs) = (table.numbers("min_ess"), table.numbers("seconds"), table.numbers("log_efficiency"));
    assert_eq!(ess.len(), 12);
    for ((ess, seconds), log) in ess.iter().zip(&seconds).zip(&logs) {
        assert!((log - (3600.0 * ess / seconds).ln()).abs() < 1e-3 && log.is_finite());
    }
}

#[test]
fn sparse_posteriors_differ_from_full_ones_more_than_chains_do() {
    let found = toy("band-rule").numbers("hellinger");
    // Full against itself, band, dispersed.
    assert!(found.len() == 3 && found.iter().all(|h| (0.0..1.0).contains(h)), "{found:?}");
    assert!(found[0] < found[1] && found[0] < found[2], "{found:?}");
}

#[test]
fn dispersed_bands_are_better_conditioned() {
    let condition = toy("spectrum").numbers("condition");
    // Band 4 and 8, landmark 4 and 8, dispersed with unchosen offsets and dispersed 4 and 8, full.
    assert!(condition.len() == 9 && condition[6] < condition[0] && condition[8] < condition[6], "{condition:?}");
}

/// Twelve objects scattered by a fixed rule, in a square of so wide a side, and a tree that grows by one tip at a time.
fn flu(directory: &Path, width: f64) -> String {
    let location = |n: usize| [0.618_033_988_75, 0.414_213_562_37].map(|step| width * (n as f64 * step).fract());
    let names = (0..12).map(|n| format!("o{n}"));
    let mut matrix = format!(",{}\n", names.collect::<Vec<_>>().join(","));
    for a in 0..12 {
        let [x, y] = location(a);
        let distances = (0..12).map(|b| (x - location(b)[0]).hypot(y - location(b)[1]).to_string());
        matrix += &format!("o{a},{}\n", distances.collect::<Vec<_>>().join(","));
    }
    let tree = (1..12).fold("o0:1".to_owned(), |tree, k| format!("({tree},o{k}:0.{}):0.5", k % 9 + 1));
    let (distances, newick) = (directory.join("matrix.csv"), directory.join("tree.nwk"));
    fs::write(&distances, matrix).unwrap();
    fs::write(&newick, tree + ";\n").unwrap();
    format!("--distances {} --tree {}", distances.display(), newick.display())
}

#[test]
fn influenza_compares_sparse_rates_with_the_full_one() {
    let data = tempfile::tempdir().unwrap();
    let table = toy_on("influenza", &flu(data.path(), 3.0));
    let methods: Vec<&str> = table.rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(methods, ["band", "landmark", "dispersed", "full"]);
    let [mean, sd] = ["rate_mean", "rate_sd"].map(|column| table.numbers(column));
    assert!(mean.iter().zip(&sd).all(|(mean, sd)| (0.05..50.0).contains(mean) && *sd > 0.0 && sd < mean), "{mean:?}");
    let [ess, seconds, speed_up] = ["ess", "seconds", "speed_up"].map(|column| table.numbers(column));
    let efficiency = |k: usize| ess[k] / seconds[k];
    assert_eq!(speed_up.len(), 3);
    assert!((0..3).all(|k| (efficiency(k) / efficiency(3) / speed_up[k] - 1.0).abs() < 1e-4), "{speed_up:?}");
    let hellinger = table.numbers("hellinger");
    assert!(hellinger.len() == 3 && hellinger.iter().all(|h| *h > 0.0 && *h < 0.9), "{hellinger:?}");
    assert!(table.numbers("max_rhat").iter().all(|rhat| (0.9..5.0).contains(rhat)));
    assert!(table.numbers("min_ess").iter().zip(&ess).all(|(min, ess)| *min > 0.0 && *ess > 0.0));
}

#[test]
fn influenza_keeps_to_the_files_it_began_with() {
    let data = tempfile::tempdir().unwrap();
    let out = data.path().join("results");
    let files = flu(data.path(), 3.0);
    assert!(reproduce(&format!("influenza --toy {files}"), &out).status.success());
    let page = fs::read_to_string(out.join("influenza.md")).unwrap();
    assert!(
        page.contains("--toy --distances matrix.csv --tree tree.nwk\n") && page.contains("Not converged"),
        "{page}"
    );
    assert!(!out.join("run-in-work").exists());

    flu(data.path(), 4.0);
    let refusal = |arguments: &str| {
        let output = reproduce(&format!("influenza --toy {arguments}"), &out);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refusal(&files).contains("other settings"));
    let message = refusal("");
    assert!(message.contains("Remedy: give --distances and --tree"), "{message}");
    let message = refusal(&files.replace("matrix.csv", "missing.csv"));
    assert!(message.contains("missing.csv"), "{message}");
    fs::write(data.path().join("tree.nwk"), "(o0:1,o1:1);\n").unwrap();
    let message = refusal(&files);
    assert!(message.contains("o2") && message.contains("Remedy"), "{message}");
}

/// Sixty vectors around three directions of space, as a table and as an array, with their class; `turn` makes other vectors.
fn mixture(directory: &Path, turn: f64) -> String {
    let mut table = "name,f1,f2,f3\n".to_owned();
    let mut classes = "name,subject\n".to_owned();
    let mut rows = Vec::new();
    for n in 0..60 {
        let scatter = |step: f64| 0.4 * ((n as f64 * step + turn).fract() - 0.5);
        let steps = [0.618_033_988_75, 0.414_213_562_37, 0.732_050_807_57];
        let features: Vec<f64> = (0..3).map(|k| f64::from(u8::from(n % 3 == k)) + scatter(steps[k])).collect();
        table += &format!("a{n},{}\n", features.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
        rows.push(features);
        classes += &format!("a{n},s{}\n", n % 3);
    }
    let (embeddings, labels) = (directory.join("embeddings.csv"), directory.join("labels.csv"));
    fs::write(&embeddings, table).unwrap();
    fs::write(directory.join("embeddings.npy"), array::npy(&rows)).unwrap();
    fs::write(&labels, classes).unwrap();
    format!("--embeddings {} --labels {}", embeddings.display(), labels.display())
}

#[test]
fn abstracts_are_clustered_by_their_subjects() {
    let data = tempfile::tempdir().unwrap();
    let table = toy_on("abstracts", &mixture(data.path(), 0.0));
    assert_eq!(table.rows.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), ["band", "dispersed"]);
    let numbers = |column: &str| table.numbers(column);
    assert!(numbers("sigma").iter().all(|sigma| (0.005..1.0).contains(sigma)), "{:?}", numbers("sigma"));
    assert!(numbers("log_likelihood_per_pair").iter().all(|value| value.abs() < 10.0));
    assert!(numbers("noise").iter().all(|noise| (0.0..=60.0).contains(noise)));
    assert!(numbers("seconds").iter().all(|seconds| *seconds > 0.0));
    // Three directions, far apart: most draws of the dispersed model have them as clusters.
    let (clusters, found) = (numbers("mode_clusters"), numbers("classes_found"));
    assert_eq!((clusters[1], found[1]), (3.0, 3.0), "{clusters:?}, {found:?}");
    let [error, low, high] = ["error", "error_low", "error_high"].map(numbers);
    assert!(low[1] <= error[1] && error[1] <= high[1] && error[1] < 0.3, "{error:?}");
    assert!(numbers("rand_index")[1] > 0.4, "{:?}", numbers("rand_index"));
}

#[test]
fn an_array_of_abstracts_is_named_by_its_labels() {
    let data = tempfile::tempdir().unwrap();
    let files = mixture(data.path(), 0.0);
    let [table, array] = [toy_on("abstracts", &files), toy_on("abstracts", &files.replace(".csv --l", ".npy --l"))];
    for column in ["sigma", "log_likelihood_per_pair", "mode_clusters", "rand_index"] {
        assert_eq!(table.numbers(column), array.numbers(column), "{column}");
    }
}

#[test]
fn abstracts_keep_to_the_files_they_began_with() {
    let data = tempfile::tempdir().unwrap();
    let out = data.path().join("results");
    let files = mixture(data.path(), 0.0);
    assert!(reproduce(&format!("abstracts --toy {files} --truth subject"), &out).status.success());
    let refusal = |arguments: &str| {
        let output = reproduce(&format!("abstracts --toy {arguments}"), &out);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refusal("").contains("Remedy: give --embeddings and --labels"));
    assert!(refusal(&format!("{files} --truth colour")).contains("subject"));
    mixture(data.path(), 0.1);
    assert!(refusal(&files).contains("other settings"));
}

#[test]
fn counts_that_are_too_many_for_the_objects_are_named() {
    let data = tempfile::tempdir().unwrap();
    let out = data.path().join("results");
    let output = reproduce(&format!("influenza --quick {}", flu(data.path(), 3.0)), &out);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = fs::read_to_string(out.join("influenza.md")).unwrap();
    let sentence = "Left out: 50 bands. There are 12 objects only";
    assert!(page.contains(sentence) && String::from_utf8_lossy(&output.stderr).contains(sentence), "{page}");
    assert!(page.contains("`--full` has the paper's dimensions") && page.contains("of NUTS (the paper: HMC"), "{page}");
}

#[test]
fn missing_files_are_named_before_anything_is_written() {
    let data = tempfile::tempdir().unwrap();
    let out = data.path().join("results");
    for (name, files) in [("abstracts", mixture(data.path(), 0.0)), ("influenza", flu(data.path(), 3.0))] {
        for file in files.split_whitespace().filter(|word| !word.starts_with("--")) {
            for missing in ["nope.npy", "nope.csv"] {
                let refused = reproduce(&format!("{name} --toy {}", files.replace(file, missing)), &out);
                let message = String::from_utf8(refused.stderr).unwrap();
                assert_eq!(refused.status.code(), Some(2), "{message}");
                let expected = format!("error: {missing}: there is no such file. Remedy: check the path");
                assert!(message.starts_with(&expected) && !message.contains("directory"), "{message}");
                assert!(!out.exists());
            }
        }
    }
}

#[test]
fn names_are_listed_and_unknown_ones_refused() {
    let out = tempfile::tempdir().unwrap();
    let list = Command::new(env!("CARGO_BIN_EXE_sbmds")).args(["reproduce", "--list"]).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    for name in
        ["tables", "accuracy", "map", "dimension-mismatch", "heavy-tails", "raw-speed", "efficiency", "band-rule"]
    {
        assert!(list.lines().any(|line| line.starts_with(&format!("{name} "))), "{list}");
    }
    for needed in ["(needs --distances and --tree)", "(needs --embeddings and --labels)"] {
        assert!(list.contains(needed), "{list}");
    }
    let refused = reproduce("figure-1", out.path());
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("Remedy: give one of tables, accuracy"));
}
