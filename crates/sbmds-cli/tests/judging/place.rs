//! `sbmds place`: objects left out of a fit come back to where they were.

use super::folder::Folder;

/// The first `n` objects of a simulated matrix as input, the others as new objects.
fn split(folder: &Folder, n: usize) {
    let table = folder.read("simulated/distances.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let part = |rows: &[Vec<&str>]| rows.iter().map(|row| row[..=n].join(",") + "\n").collect::<String>();
    folder.write("old.csv", part(&rows[..=n]));
    folder.write("new.csv", part(&rows[..1]) + &part(&rows[n + 1..]));
}

#[test]
fn objects_left_out_come_back_to_where_they_were() {
    let folder = Folder::new();
    folder.ok("simulate --objects 30 --noise truncated-normal --sd 0.05 --seed 4 -o simulated");
    split(&folder, 25);
    let fit = "fit old.csv --out run --chains 2 --warmup 200 --draws 150 --seed 1 --progress none";
    assert!(matches!(folder.run(fit).code, Some(0 | 1)));
    let printed = folder.ok("place run new.csv");
    assert!(printed.contains("5 new objects on a map of 25, in 200 draws"), "{printed}");
    assert_eq!(folder.column("run/placed/placed.csv", "n_pairs").values().filter(|n| *n == "25").count(), 5);
    assert_eq!(folder.column("run/placed/embedding.csv", "kind").values().filter(|kind| *kind == "new").count(), 5);
    let page = folder.read("run/placed/report.html");
    assert!(page.contains(r#""levels":["old","new"]"#) && page.contains(r#""n_objects":30"#));
    // The whole map agrees with the truth, new objects as well as old ones.
    let rows = |file: &str| -> Vec<csv::StringRecord> {
        csv::Reader::from_path(folder.path(file)).unwrap().records().map(Result::unwrap).collect()
    };
    let map: String =
        rows("run/placed/embedding.csv").iter().map(|row| format!("{},{},{}\n", &row[0], &row[1], &row[2])).collect();
    folder.write("map.csv", format!("name,x,y\n{map}"));
    let json: serde_json::Value =
        serde_json::from_str(&folder.ok("compare --maps map.csv simulated/truth.csv --json")).unwrap();
    let worst = json[0]["moved"][0]["residual"].as_f64().unwrap();
    assert!(json[0]["n_objects"] == 30 && worst < 0.15, "{json}");
    // Threads do not matter, and the seed does.
    folder.ok("place run new.csv --threads 1 -o again --no-report");
    assert_eq!(folder.read("again/placed.csv"), folder.read("run/placed/placed.csv"));
    folder.ok("place run new.csv --seed 2 -o other --no-report");
    assert_ne!(folder.read("other/placed.csv"), folder.read("run/placed/placed.csv"));
    refusals(&folder);
}

/// Where old distances are sharp, new ones hardly move them: placing and fitting jointly say the same of a new object.
#[test]
fn placing_equals_the_joint_fit_where_the_old_map_is_sharp() {
    let folder = Folder::new();
    folder.ok("simulate --objects 41 --noise truncated-normal --sd 0.05 --seed 6 -o simulated");
    split(&folder, 40);
    // The new object is known by five pairs only.
    let table = folder.read("new.csv");
    let few: Vec<String> = table.lines().map(|line| line.split(',').take(6).collect::<Vec<_>>().join(",")).collect();
    folder.write("new.csv", few.join("\n") + "\n");
    let fit = "fit old.csv --out run --chains 2 --warmup 300 --draws 400 --seed 1 --progress none";
    assert!(matches!(folder.run(fit).code, Some(0 | 1)));
    folder.ok("place run new.csv --draws 800 --no-report");
    let printed = folder.ok("place run new.csv --joint");
    assert!(printed.contains("1 new objects fitted together with 40 old ones"), "{printed}");
    let maps = ["run/placed/embedding.csv", "run/joint/fit/embedding.csv"];
    let new = folder.read("new.csv").lines().nth(1).unwrap().split(',').next().unwrap().to_owned();
    let number = |map: &str, column: &str| folder.column(map, column)[&new].parse::<f64>().unwrap();
    for column in ["ellipse_major", "ellipse_minor"] {
        let [placed, joint] = maps.map(|map| number(map, column));
        // Standard deviations of 800 draws each are known to 4%.
        assert!((placed / joint - 1.0).abs() < 0.25, "{column}: {placed} {joint}");
    }
    for (map, file) in maps.iter().zip(["placed.csv", "joint.csv"]) {
        let (x, y) = (folder.column(map, "x1"), folder.column(map, "x2"));
        let rows: String = x.iter().map(|(name, x)| format!("{name},{x},{}\n", y[name])).collect();
        folder.write(file, format!("name,x,y\n{rows}"));
    }
    let compared: serde_json::Value =
        serde_json::from_str(&folder.ok("compare --maps placed.csv joint.csv --json")).unwrap();
    let moved = compared[0]["moved"].as_array().unwrap().iter().find(|one| one["name"] == *new);
    let residual = moved.map_or(0.0, |one| one["residual"].as_f64().unwrap());
    assert!(residual < 0.3 * number(maps[0], "ellipse_major"), "{residual} {compared}");
    assert_eq!(folder.column("run/joint/labels.csv", "kind")[&new], "new");
    assert!(folder.read("run/joint/fit/report.html").contains("kind"));
    // Again: nothing is sampled.
    let again = folder.run("place run new.csv --joint --no-report");
    assert!(again.code == Some(0) && !again.stderr.contains("fitting"), "{}", again.stderr);
}

fn refusals(folder: &Folder) {
    let header = folder.read("new.csv").lines().next().unwrap().to_owned();
    let columns = header.split(',').count() - 1;
    folder.write("empty.csv", format!("{header}\nx{}\n", ",".repeat(columns)));
    folder.refuses("place run empty.csv -o nothing", &["\"x\" has no dissimilarity"]);
    folder.write("wrong.csv", "name,nobody\nx,1\n");
    folder.refuses("place run wrong.csv -o nothing", &["nobody", "names no object"]);
    folder.refuses("place run absent.csv -o nothing", &["absent.csv"]);
    assert!(!folder.path("nothing").exists());
}
