//! Titres from a table to a map: Bedford's ten models as command lines, tables, figures, the report, and what is refused.

use std::collections::BTreeSet;

use crate::kit::Case;

/// Simulated titres of 10 viruses against 5 sera, and a tree with the viruses as tips, one tip more, and comments as BEAST writes them.
fn simulated() -> Case {
    let case = Case::new(3);
    let ended = case.run("simulate --titers --viruses 10 --sera 5 --sd 0.7 --out data");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let rows = case.read("data/titers.csv");
    let viruses: BTreeSet<&str> = rows.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    let mut newick = "'V0/1969':1".to_owned();
    for virus in viruses {
        newick = format!("({newick},'{virus}':2.5):0.7");
    }
    let tree = format!("#NEXUS\nBegin trees;\ntree STATE_1 [&lnP=-1.5,posterior=-2.5] = [&R] {newick};\nEnd;\n");
    case.write("flu.trees", &tree);
    case
}

const SHORT: &str = "--chains 1 --warmup 30 --draws 20 --no-report --progress none --threads 1";

#[test]
fn the_ten_models_of_bedford_are_command_lines() {
    let case = simulated();
    let along = "--dims 2 --drift --tree flu.trees --prune";
    let models = [
        "--dims 1 --potencies fixed --prior-scale 100".to_owned(),
        "--dims 2 --potencies fixed --prior-scale 100".to_owned(),
        "--dims 3 --potencies fixed --prior-scale 100".to_owned(),
        "--dims 4 --potencies fixed --prior-scale 100".to_owned(),
        "--dims 5 --potencies fixed --prior-scale 100".to_owned(),
        "--dims 2 --potencies fixed --drift".to_owned(),
        format!("{along} --potencies fixed"),
        format!("{along} --potencies estimated"),
        format!("{along} --potencies fixed --avidities estimated"),
        format!("{along} --potencies estimated --avidities estimated"),
    ];
    for (number, flags) in (1..).zip(models) {
        let run = format!("model-{number}");
        let ended = case.run(&format!("fit data/titers.csv --titers --reading interval {flags} {SHORT} --out {run}"));
        // 1: so few draws do not converge.
        assert!(matches!(ended.code, Some(0 | 1)), "{flags}: {}", ended.stderr);
        let learned = case.json(&format!("{run}/summary.json"))["titres"]["learned"].clone();
        let names: Vec<&str> = learned.as_array().unwrap().iter().filter_map(|entry| entry[0].as_str()).collect();
        assert_eq!(names.contains(&"drift"), number >= 6, "{flags}: {names:?}");
        let has_avidities = case.read(&format!("{run}/levels.csv")).contains("avidity");
        assert_eq!(has_avidities, number >= 9, "{flags}");
    }
}

#[test]
fn a_changed_tree_of_viruses_is_refused() {
    let case = simulated();
    let fit = format!("fit data/titers.csv --titers --dims 2 --tree flu.trees --prune {SHORT} --out run");
    case.run(&fit).expect_finished();
    let going_on = fit.replace("--draws 20", "--draws 30 --resume");
    let original = case.read("flu.trees");
    case.write("flu.trees", &original.replace(":2.5", ":2.25"));
    case.run(&going_on).expect(2, &["flu.trees has changed", "restore it"]);
    case.write("flu.trees", &original);
    case.run(&going_on).expect_finished();
}

#[test]
fn tables_figures_and_report_of_an_antigenic_map() {
    let case = simulated();
    let ended = case
        .run("fit data/titers.csv --titers --chains 2 --warmup 100 --draws 40 --progress none --threads 1 --out flu");
    assert!(matches!(ended.code, Some(0 | 1)), "{}", ended.stderr);
    let n_lines = |file: &str| case.read(file).lines().count();
    // A virus whose titres are all missing is not in the simulated table.
    let rows = case.read("data/titers.csv");
    let distinct = |column: usize| {
        let names = rows.lines().skip(1).map(|line| line.split(',').nth(column).unwrap());
        names.collect::<BTreeSet<&str>>().len()
    };
    let (n_viruses, n_sera) = (distinct(0), distinct(2));
    assert_eq!(n_lines("flu/titers.csv"), 1 + n_viruses * n_sera, "every cell, measured or not");
    assert_eq!(n_lines("flu/levels.csv"), 1 + n_sera);
    assert_eq!(n_lines("flu/drops.csv"), 1 + n_viruses * (n_viruses - 1) / 2);
    assert!(case.read("flu/report.html").contains("\"kind\":\"titres\""));
    let ended = case.run("plot flu antigenic --out map.svg");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    // Heads of arrows are solid areas, as some marks are; regions are faint.
    let n_solid = |file: &str| case.read(file).matches("<polygon opacity=\"1\"").count();
    // To the same map no arrow is long enough to be seen; to that of other draws some are, one for an object at most.
    let again =
        "--titers --chains 1 --warmup 50 --draws 20 --seed 7 --no-report --progress none --threads 1 --out other";
    assert!(matches!(case.run(&format!("fit data/titers.csv {again}")).code, Some(0 | 1)));
    let heads = |other: &str| {
        let ended = case.run(&format!("plot flu {other} antigenic --out arrows.svg"));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        n_solid("arrows.svg") - n_solid("map.svg")
    };
    assert_eq!(heads("flu"), 0);
    assert!((1..=n_viruses + n_sera).contains(&heads("other")));
    // Long forms with other columns, and the same rows as a table without years.
    let ended = case.run("fit matrix.csv --titers --out wrong");
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    case.write("table.csv", ",s1,s2,s3\nv1,640,<10,*\nv2,80,1280,40\nv3,*,>1280,20\nv4,40,40,80\n");
    let ended = case.run("fit table.csv --out wrong");
    assert!(ended.stderr.contains("add --titers"), "{}", ended.stderr);
    let ended = case.run("fit table.csv --titers --drift --out wrong");
    assert!(ended.code == Some(2) && ended.stderr.contains("have no year"), "{}", ended.stderr);
    let ended = case.run("fit data/titers.csv --titers --tree flu.trees --out wrong");
    assert!(ended.code == Some(2) && ended.stderr.contains("V0/1969"), "{}", ended.stderr);
}

/// A weight of two is the measurement given twice: the same likelihood and gradient.
#[test]
fn weights_and_repeats_of_an_edge_list() {
    let case = Case::new(3);
    let lines = "a,b,1.0\na,c,1.4\nb,c,0.9\na,d,2.0\nb,d,1.7\nc,d,<1.2\n";
    case.write("twice.csv", &format!("from,to,d\n{lines}b,d,1.5\nb,d,1.5\n"));
    let weighted: String = lines.lines().map(|line| format!("{line},1\n")).collect();
    case.write("weighted.csv", &format!("from,to,d,w\n{weighted}b,d,1.5,2\n"));
    case.write("map.csv", "name,x,y\na,0,0\nb,1,0.1\nc,1.2,0.9\nd,1.5,1.6\n");
    let evaluated = |input: &str| {
        let flags = "--noise student-t --nu 4 --positions map.csv --sigma 0.3 --gradient";
        let ended = case.run(&format!("eval {input} {flags}"));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        serde_json::from_str::<serde_json::Value>(&ended.stdout).unwrap()
    };
    let (twice, weighted) = (evaluated("twice.csv --value d"), evaluated("weighted.csv --value d --weight w"));
    let numbers = |found: &serde_json::Value| -> Vec<f64> {
        let gradient = found["gradient"].as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap());
        gradient.chain([&found["log_likelihood"]]).map(|number| number.as_f64().unwrap()).collect()
    };
    for (twice, weighted) in numbers(&twice).iter().zip(numbers(&weighted)) {
        assert!((twice - weighted).abs() < 1e-12 * (1.0 + twice.abs()), "{twice} and {weighted}");
    }
    // Given once, it is another likelihood.
    case.write("once.csv", &format!("from,to,d\n{lines}b,d,1.5\n"));
    assert_ne!(numbers(&evaluated("once.csv --value d")), numbers(&twice));
}
