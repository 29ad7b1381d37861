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

/// All pairs of 12 simulated objects as a list; `more` lines are added.
fn list_of(folder: &Folder, more: &str) {
    folder.ok("simulate --objects 12 --noise truncated-normal --sd 0.05 --seed 5 -o simulated");
    let table = folder.read("simulated/distances.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let mut list = "from,to,d,se\n".to_owned();
    for a in 1..13 {
        (a + 1..13).for_each(|b| list += &format!("{},{},{},0\n", rows[a][0], rows[b][0], rows[a][b]));
    }
    folder.write("list.csv", list + more);
}

fn fit(folder: &Folder, flags: &str) {
    let fit = format!("fit {flags} --chains 2 --warmup 100 --draws 100 --seed 3 --progress none --no-report");
    let ended = folder.run(&fit);
    assert!(matches!(ended.code, Some(0 | 1)), "{}", ended.stderr);
}

/// With sigma and nu known, the noise is: sd sigma sqrt(nu / (nu - 2)), and 95% of it within 2.776 sigma; exp(sigma^2 / 2) times the distance.
#[test]
fn predictions_have_the_noise_of_the_fit() {
    let folder = Folder::new();
    list_of(&folder, "");
    fit(&folder, "list.csv --value d --noise student-t --nu 4 --sigma 0.1 --out student");
    folder.ok("predict student");
    for row in rows(&folder, "student/predict.csv") {
        let number = |column: usize| row[column].parse::<f64>().unwrap();
        let (distance, mean, sd, width) = (number(4), number(5), number(6), number(8) - number(7));
        assert!((mean - distance).abs() < 1e-12 && sd > 0.1 * 2_f64.sqrt() && width > 2.0 * 2.776 * 0.1, "{row:?}");
        // Distances of so few pairs are themselves known to some 0.08.
        assert!(sd < 0.2 && width < 0.75, "{row:?}");
    }
    fit(&folder, "list.csv --value d --noise log-normal --sigma 0.2 --out log");
    folder.ok("predict log");
    for row in rows(&folder, "log/predict.csv") {
        let number = |column: usize| row[column].parse::<f64>().unwrap();
        assert!((number(5) / number(4) - 0.02_f64.exp()).abs() < 1e-9 && number(7) > 0.0, "{row:?}");
    }
}

#[test]
fn every_measurement_is_predicted_as_it_was_made() {
    let folder = Folder::new();
    list_of(&folder, "p,o1,<99,0\np,o2,1.5,0.5\np,o2,1.25,0.25\np,o3,1.5,0\n");
    let first = folder.read("simulated/distances.csv").lines().next().unwrap().split(',').nth(1).unwrap().to_owned();
    let list = folder.read("list.csv");
    let name =
        |k: usize| folder.read("simulated/distances.csv").lines().nth(k).unwrap().split(',').next().unwrap().to_owned();
    let list = list
        .replace("p,o1,", &format!("p,{first},"))
        .replace("p,o2,", &format!("p,{},", name(2)))
        .replace("p,o3,", &format!("p,{},", name(3)));
    folder.write("list.csv", list);
    fit(&folder, "list.csv --value d --error se --out run");
    let printed = folder.ok("predict run");
    assert!(printed.contains("1 limits, whose probability is 1.00 on average"), "{printed}");
    let of_p: Vec<csv::StringRecord> =
        rows(&folder, "run/predict.csv").into_iter().filter(|row| &row[0] == "p" || &row[1] == "p").collect();
    let observed: Vec<&str> = of_p.iter().map(|row| &row[2]).collect();
    assert_eq!(observed, ["<99", "1.5", "1.25", "1.5"], "{of_p:?}");
    let number = |row: usize, column: usize| of_p[row][column].parse::<f64>().unwrap();
    assert!(number(0, 9) > 0.999 && of_p[0][10].is_empty(), "the probability of the limit: {of_p:?}");
    assert!(number(1, 6) > 0.5 && number(2, 6) > 0.25 && number(2, 6) < number(1, 6), "known errors widen: {of_p:?}");
    // A list asks for what was measured once; which of two measurements it means nobody knows.
    folder.write("pairs.csv", format!("p,{first}\np,{}\np,{}\n", name(2), name(3)));
    folder.ok("predict run pairs.csv -o listed.csv");
    let listed = rows(&folder, "listed.csv");
    assert_eq!(listed.iter().map(|row| &row[2]).collect::<Vec<_>>(), ["<99", "", "1.5"], "{listed:?}");
    // New objects are placed by plain numbers; to be fitted jointly, all measurements would have to be there.
    folder.write("new.csv", format!("name,{first},{},{}\nq,0.5,1,1\n", name(2), name(3)));
    folder.ok("place run new.csv --draws 20 --no-report");
    folder.refuses("place run new.csv --joint", &["--joint", "more of a pair than one exact number"]);
}

#[test]
fn titres_are_no_dissimilarities_to_predict() {
    let folder = Folder::new();
    folder.ok("simulate --titers --viruses 8 --sera 5 --sd 0.5 --out flu-data");
    fit(&folder, "flu-data/titers.csv --titers --out flu");
    let words = ["was fitted to titres, which are no dissimilarities of pairs", "titers.csv"];
    folder.refuses("predict flu", &words);
    let header = folder.read("flu/embedding.csv").lines().nth(1).unwrap().split(',').next().unwrap().to_owned();
    folder.write("new.csv", format!("name,{header}\nq,1\n"));
    folder.refuses("place flu new.csv", &words);
    folder.refuses("place flu new.csv --joint", &words);
}
