//! Runs whose posterior has several modes: which map is shown, what else is offered, and what is said.

use crate::kit::{Case, read_npy};

/// Eight objects in general position, all pairs measured, and one more that was compared with three of them alone, which lie
/// on a line: it fits on either side.
fn two_sided() -> Case {
    let case = Case::new(5);
    let locations: [[f64; 2]; 9] =
        [[0.0, 0.0], [2.0, 0.0], [4.0, 0.0], [1.0, 3.0], [3.5, 2.5], [0.5, -2.5], [3.0, -3.5], [5.5, -1.0], [1.2, 2.0]];
    let mut edges = String::from("from,to,value\n");
    for (a, [x, y]) in locations.iter().enumerate() {
        for (b, [u, v]) in locations.iter().enumerate().skip(a + 1).filter(|(b, _)| *b < 8 || a < 3) {
            // Off by a little, so that the noise is not zero, but not where it would tell the two sides apart.
            let error = if b == 8 { 0.0 } else { 0.1 * (((a * 7 + b * 3) as f64 * 0.618_033_988_75).fract() - 0.5) };
            edges += &format!("\"o, {a}\",\"o, {b}\",{}\n", (x - u).hypot(y - v) + error);
        }
    }
    case.write("edges.csv", &edges);
    case
}

const FIT: &str = "fit edges.csv --format edges --standardize --prior-scale 8 --noise-rate 0.0001";

/// Rows of a table, the first column apart.
fn table(case: &Case, name: &str) -> Vec<(String, Vec<String>)> {
    let text = case.read(name);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let row = |record: csv::StringRecord| (record[0].to_owned(), record.iter().skip(1).map(String::from).collect());
    reader.records().map(|record| row(record.unwrap())).collect()
}

fn locations(case: &Case, name: &str) -> Vec<[f64; 2]> {
    table(case, name).iter().map(|(_, cells)| [0, 1].map(|dim| cells[dim].parse().unwrap())).collect()
}

/// Root mean squared residual of a map over the measured pairs.
fn stress(case: &Case, map: &[[f64; 2]]) -> f64 {
    let number = |name: &str| name.trim_start_matches("o, ").parse::<usize>().unwrap();
    let squares: Vec<f64> = table(case, "edges.csv")
        .iter()
        .map(|(from, cells)| {
            let ([x, y], [u, v]) = (map[number(from)], map[number(&cells[0])]);
            ((x - u).hypot(y - v) - cells[1].parse::<f64>().unwrap()).powi(2)
        })
        .collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

/// The mean over the draws of some chains of an exported array.
fn mean_of(draws: &[f64], shape: &[usize], chains: &[usize]) -> Vec<[f64; 2]> {
    let (n_draws, n_objects) = (shape[1], shape[2]);
    let mean = |object: usize, dim: usize| {
        let indices = chains.iter().flat_map(|chain| (0..n_draws).map(move |draw| chain * n_draws + draw));
        indices.map(|index| draws[(index * n_objects + object) * 2 + dim]).sum::<f64>()
            / (chains.len() * n_draws) as f64
    };
    (0..n_objects).map(|object| [mean(object, 0), mean(object, 1)]).collect()
}

#[test]
fn an_object_that_has_two_modes_is_shown_in_one_and_both_are_listed() {
    let case = two_sided();
    let ended = case.run(&format!("{FIT} --out run --chains 2 --draws 600"));
    ended.expect_finished();
    assert!(ended.stderr.contains("note: One object has several modes: o, 8."), "{}", ended.stderr);
    assert_eq!(case.summary("run")["shown"]["maps"][0]["multimodal"], serde_json::json!(["o, 8"]));
    let map = locations(&case, "run/embedding.csv");
    assert!(map.len() == 9 && stress(&case, &map) < 0.05, "{}", stress(&case, &map));
    let modes = table(&case, "run/modes.csv");
    assert_eq!(modes.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["o, 8", "o, 8"]);
    let cell = |row: usize, column: usize| modes[row].1[column].as_str();
    assert_eq!([cell(0, 1), cell(1, 1), cell(0, 0), cell(1, 0)], ["1", "2", "1", "1"]);
    let share = |row: usize| cell(row, 2).parse::<f64>().unwrap();
    assert!((share(0) + share(1) - 1.0).abs() < 1e-12 && share(0) >= share(1), "{} {}", share(0), share(1));
    let at = |row: usize| [4, 5].map(|column| cell(row, column).parse::<f64>().unwrap());
    let shown = (0..2).find(|&row| cell(row, 3) == "yes").unwrap();
    // Both modes fit, and the location between them does not.
    let other = {
        let mut map = map.clone();
        map[8] = at(1 - shown);
        map
    };
    let between = {
        let mut map = map.clone();
        map[8] = [0, 1].map(|dim| (map[8][dim] + at(1 - shown)[dim]) / 2.0);
        map
    };
    assert!(stress(&case, &other) < 0.05 && stress(&case, &between) > 0.2, "{}", stress(&case, &between));
    // Its spread is that of one mode: far less than the four units between both.
    let row = &table(&case, "run/embedding.csv")[8].1;
    assert!(row[2].parse::<f64>().unwrap() < 0.5 && row[3].parse::<f64>().unwrap() < 0.5, "{row:?}");
    case.run("plot run map --out map.svg").expect(0, &[]);
    let picture = case.read("map.svg");
    let percent = |share: f64| format!("o, 8 ({:.0}%)", 100.0 * share);
    assert!(picture.contains(&percent(share(0))) && picture.contains(&percent(share(1))), "no shares in the figure");
    let report = case.read("run/report.html");
    assert!(report.contains("\"object_modes\":[{\"object\":8,\"shown\":"), "no modes in the report");
}

#[test]
fn chains_on_different_sides_are_shown_one_by_one_and_never_averaged() {
    let case = two_sided();
    let settings = "--chains 6 --warmup 600 --draws 300 --no-mode-jumps --start prior --seed 3";
    let ended = case.run(&format!("{FIT} --out run {settings}"));
    ended.expect(1, &["Chains disagree", "note: The map shown is mode 1 of", "sbmds plot run map --mode 2"]);
    let summary = case.summary("run");
    let maps = summary["shown"]["maps"].as_array().unwrap();
    assert!(maps.len() > 1);
    let chains = |map: &serde_json::Value| -> Vec<usize> {
        map["chains"].as_array().unwrap().iter().map(|chain| chain.as_u64().unwrap() as usize).collect()
    };
    let mut all: Vec<usize> = maps.iter().flat_map(chains).collect();
    all.sort_unstable();
    assert_eq!(all, [0, 1, 2, 3, 4, 5]);
    let size = |map: &serde_json::Value| (map["n_draws"].as_u64().unwrap(), map["log_density"].as_f64().unwrap());
    assert!(maps.is_sorted_by(|a, b| size(a) >= size(b)), "{maps:?}");
    case.run("export run --out npy").expect(0, &[]);
    let (shape, draws) = read_npy(&case.path("npy/draws.npy"));
    for (number, map) in (1..).zip(maps) {
        let file = if number == 1 { "embedding.csv".into() } else { format!("embedding-mode-{number}.csv") };
        assert_eq!(map["file"], file.as_str());
        let shown = locations(&case, &format!("run/{file}"));
        // What is written of the fit is that of the map in the file, and each map fits as well as its chains.
        let claimed = map["stress"].as_f64().unwrap();
        assert!((stress(&case, &shown) - claimed).abs() < 1e-6 * claimed.max(1e-3), "{claimed}");
        if number == 1 && map.get("central_draw").is_none() && map.get("multimodal").is_none() {
            for (mean, shown) in mean_of(&draws, &shape, &chains(map)).iter().zip(&shown) {
                assert!((0..2).all(|dim| (mean[dim] - shown[dim]).abs() < 1e-6), "{mean:?} {shown:?}");
            }
        }
        case.run(&format!("plot run map --mode {number} --out mode.svg")).expect(0, &[]);
        let of = format!("of mode {number} of {}", maps.len());
        assert!(case.read("mode.svg").contains(&of), "{of}");
    }
    assert!(!case.path(&format!("run/embedding-mode-{}.csv", maps.len() + 1)).exists());
    let better = locations(&case, "run/embedding.csv");
    assert!(stress(&case, &better) < 0.1, "{}", stress(&case, &better));
    case.run("plot run map --mode 9 --out no.svg").expect(2, &["--mode: 9 is asked for", "give a number from 1 to"]);
    assert!(case.run("summary run --no-map").stdout.contains("; mode 1 of "));
    assert!(
        case.read("run/report.html").contains("\"other_maps\":[{\"shown\":\"posterior mean of mode 2")
            || case.read("run/report.html").contains("\"other_maps\":[{\"shown\":\"a central draw of mode 2")
    );
    // Without draws the moments of each chain say as much.
    let ended = case.run(&format!("{FIT} --out kept --keep summary {settings}"));
    ended.expect(1, &["note: The map shown is mode 1 of", "--keep summary", "cannot be told"]);
    assert_eq!(case.summary("kept")["shown"]["maps"].as_array().unwrap().len(), maps.len());
    for (number, map) in (1..).zip(maps).filter(|(_, map)| map.get("central_draw").is_none()) {
        let file = map["file"].as_str().unwrap();
        let (kept, shown) = (locations(&case, &format!("kept/{file}")), locations(&case, &format!("run/{file}")));
        let off = kept.iter().zip(&shown).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max);
        assert!(off < 0.2, "mode {number}: {off}");
    }
    case.run("plot kept map --mode 2 --out kept.svg").expect(0, &[]);
}

#[test]
fn a_mode_that_is_gone_after_more_draws_leaves_no_file() {
    let case = two_sided();
    case.run(&format!("{FIT} --out run --chains 2 --draws 200")).expect_finished();
    assert!(case.path("run/modes.csv").exists());
    // What an earlier end of the run may have left.
    case.write("run/embedding-mode-2.csv", "old");
    case.write("run/embedding-mode-3.csv", "old");
    case.run("fit --resume --out run --draws 300").expect_finished();
    assert!(!case.path("run/embedding-mode-2.csv").exists() && !case.path("run/embedding-mode-3.csv").exists());
}
