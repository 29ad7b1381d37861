//! `sbmds fit --tree`: what is written, repeated, resumed and refused when locations diffuse along a tree.

use std::fmt::Write;

use sbmds::tree::{Tree, TreeChoice};

use crate::kit::{Case, dissimilarity, matrix, read_npy};

const SHORT: &str = "--chains 2 --warmup 60 --draws 40 --no-report";

/// A tree that grows by one tip at a time, tips in another order than the matrix has them; the youngest two are near each other.
fn newick(n_objects: usize) -> String {
    let length = |k: usize| if k < 2 { 0.001 } else { 0.2 + (k as f64 * 0.618_033_988_75).fract() };
    let mut tree = format!("o{}:0.002", n_objects - 1);
    for k in 1..n_objects {
        tree = format!("({tree},o{}:{})", n_objects - 1 - k, length(k));
        if k + 1 < n_objects {
            write!(tree, ":{}", 0.5 * length(3 * k)).unwrap();
        }
    }
    tree + ";\n"
}

/// A matrix of ten objects, and a tree with them.
fn case() -> Case {
    let case = Case::new(10);
    case.write("tree.nwk", &newick(10));
    case
}

/// Sum of the branch lengths in a Newick text.
fn total_length(newick: &str) -> f64 {
    let lengths = newick.split(':').skip(1).map(|rest| rest.split([',', ')', ';']).next().unwrap());
    lengths.map(|length| length.parse::<f64>().unwrap()).sum()
}

#[test]
fn every_sampler_fits_with_a_tree_in_both_forms_and_is_repeatable() {
    let case = case();
    for sampler in ["jhmc", "nuts", "hmc", "mh", "mwg"] {
        for update in ["collapsed", "gibbs"] {
            let settings = format!("--tree tree.nwk --sampler {sampler} --trait-precision-update {update} {SHORT}");
            for (run, threads) in [("a", 1), ("b", 2)] {
                let run = format!("{sampler}-{update}-{run}");
                case.run(&format!("fit matrix.csv --out {run} {settings} --threads {threads}")).expect_finished();
            }
            case.assert_same_results(&format!("{sampler}-{update}-a"), &format!("{sampler}-{update}-b"));
        }
    }
}

#[test]
fn what_is_stored_of_the_diffusion_agrees() {
    let case = case();
    for (scaling, divisor) in [("total-length", total_length(&newick(10))), ("none", 1.0)] {
        let settings = format!("--tree tree.nwk --branch-scaling {scaling} --dims 3 {SHORT}");
        case.run(&format!("fit matrix.csv --out {scaling} {settings}")).expect_finished();
        case.run(&format!("export {scaling} --out {scaling}-npy")).expect(0, &[]);
        let numbers = |file: &str| read_npy(&case.path(&format!("{scaling}-npy/{file}")));
        let ((shape, traces), (_, log_dets)) = (numbers("trace_sigma.npy"), numbers("logdet_sigma.npy"));
        assert_eq!(shape, [2, 40]);
        // log |Sigma| is at most D log(trace / D), as the geometric mean of its eigenvalues is at most their mean.
        assert!(traces.iter().zip(&log_dets).all(|(trace, log_det)| *log_det < 3.0 * (trace / 3.0).ln()));
        let summary = case.summary(scaling);
        let mean = |name: &str| summary["diffusion"][name]["mean"].as_f64().unwrap();
        assert!((mean("trait_trace") - traces.iter().sum::<f64>() / 80.0).abs() < 1e-9 * mean("trait_trace"));
        assert!((mean("diffusion_rate") * divisor - mean("trait_trace")).abs() < 1e-9 * mean("trait_trace"));
        for name in ["trait_trace", "trait_logdet", "trait_covariance", "diffusion_rate"] {
            assert!(case.path(&format!("{scaling}/draws.zarr/posterior/{name}")).exists(), "{name}");
        }
        let diagnostics = case.read(&format!("{scaling}/diagnostics.csv"));
        assert!(diagnostics.contains("\ntrace(Sigma),") && diagnostics.contains("\nlog det(Sigma),"), "{diagnostics}");
        let printed = case.run(&format!("summary {scaling}")).stdout;
        assert!(printed.contains("per unit of the tree's time"), "{printed}");
    }
}

/// The table after its comments: names of the columns, and rows of numbers.
fn log_table(text: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let header = lines.next().unwrap().split('\t').map(String::from).collect();
    let rows = lines.map(|line| line.split('\t').map(|cell| cell.parse().unwrap()).collect());
    (header, rows.collect())
}

/// BEAST's branch statistics from the locations noted at a tree's nodes, as its manual defines them.
fn branch_statistics(tree: &Tree) -> [f64; 4] {
    let locations = |node| tree.annotated_numbers(node, "loc").unwrap();
    let branches: Vec<(f64, f64)> = (0..tree.n_nodes())
        .filter_map(|node| {
            let (from, to) = (locations(tree.parent(node)?), locations(node));
            let square: f64 = from.iter().zip(&to).map(|(a, b)| (a - b).powi(2)).sum();
            Some((square.sqrt(), tree.length(node)))
        })
        .collect();
    let sum = |of: fn(&(f64, f64)) -> f64| branches.iter().map(of).sum::<f64>();
    let (n_branches, time) = (branches.len() as f64, sum(|branch| branch.1));
    [
        sum(|(way, time)| way / time) / n_branches,
        sum(|branch| branch.0) / time,
        sum(|(way, time)| way * way / (4.0 * time)) / n_branches,
        sum(|branch| branch.0 * branch.0 / 4.0) / time,
    ]
}

/// What Tracer and FigTree read: every draw in the log, every node of the trees with a location, and both agree.
#[test]
fn files_for_beasts_tools_agree_with_the_draws() {
    let case = case();
    case.run(&format!("fit matrix.csv --out run --tree tree.nwk --dims 3 --thin 2 {SHORT}")).expect_finished();
    case.run("export run --out npy").expect(0, &[]);
    case.run("export run --out beast --format beast --trees 7").expect(0, &[]);
    assert_eq!(case.read("run/posterior.log"), case.read("beast/posterior.log"));
    let (header, rows) = log_table(&case.read("run/posterior.log"));
    let column = |name: &str| header.iter().position(|column| column == name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(column("state"), 0);
    let (_, traces) = read_npy(&case.path("npy/trace_sigma.npy"));
    assert_eq!(rows.len(), traces.len());
    for (row, trace) in rows.iter().zip(&traces) {
        assert_eq!((row.len(), row[column("trait.trace")]), (header.len(), *trace));
        let diagonal: f64 = (1..=3).map(|dim| row[column(&format!("trait.covariance{dim}{dim}"))]).sum();
        assert!((diagonal - trace).abs() < 1e-9 * trace);
    }
    for (file, n_trees) in [("run", rows.len()), ("beast", 7)] {
        let path = case.path(&format!("{file}/posterior.trees"));
        for index in 1..=n_trees {
            let tree = Tree::read(&path, TreeChoice::Index(index)).unwrap();
            assert_eq!((tree.n_tips(), tree.source().n_trees), (10, n_trees));
            let name = tree.source().name.clone().unwrap();
            let row = rows.iter().find(|row| name == format!("STATE_{}", row[0])).unwrap();
            let logged = ["avDiffusionRate", "wavDiffusionRate", "avDiffusionCoefficient", "wavDiffusionCoefficient"]
                .map(|name| row[column(&format!("loc.{name}"))]);
            for (noted, logged) in branch_statistics(&tree).iter().zip(logged) {
                assert!((noted - logged).abs() < 1e-3 * logged, "{noted} and {logged}");
            }
        }
    }
    let summary = case.summary("run");
    let mean = summary["diffusion"]["branches"]["weighted_diffusion_rate"]["mean"].as_f64().unwrap();
    let logged = rows.iter().map(|row| row[column("loc.wavDiffusionRate")]).sum::<f64>() / rows.len() as f64;
    assert!((mean - logged).abs() < 1e-9 * mean);
}

/// The ancestors' table: a row for each, who is who by two tips, and indices between those of the tips.
#[test]
fn ancestors_are_named_by_their_tips_and_lie_among_them() {
    let case = case();
    // Draws enough that the mean of a node that little is known of lies among the tips.
    case.run("fit matrix.csv --out run --tree tree.nwk --chains 2 --warmup 400 --draws 500 --no-report")
        .expect_finished();
    let table = case.read("run/ancestors.csv");
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(table.lines().next(), Some("node,parent,tips,tip_a,tip_b,time_from_root,x1,x2,sd1,sd2"));
    assert_eq!(rows.len(), 9);
    // The tree grows by one tip at a time, the last of the objects first.
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(row[2..5], [(index + 2).to_string(), "o9".into(), format!("o{}", 8 - index)]);
    }
    let root = rows.last().unwrap();
    assert_eq!((root[1], root[5]), ("", "0"));
    let tips = case.read("run/embedding.csv");
    let coordinates = |table: &str, column: usize| -> Vec<f64> {
        table.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect()
    };
    for (of_ancestors, of_tips) in [(6, 1), (7, 2)] {
        let range = coordinates(&tips, of_tips);
        let (low, high) = range.iter().fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(*x), high.max(*x)));
        assert!(coordinates(&table, of_ancestors).iter().all(|x| (low..high).contains(x)), "{table}");
    }
    // Nothing is said of nodes where no locations are kept.
    case.run(&format!("fit matrix.csv --out kept --keep summary --tree tree.nwk {SHORT}")).expect_finished();
    assert!(case.path("kept/posterior.log").exists() && !case.path("kept/posterior.trees").exists());
    case.run("fit matrix.csv --out plain --chains 2 --warmup 20 --draws 10 --no-report").expect_finished();
    case.run("export plain --out beast --format beast").expect(2, &["without a tree", "--tree"]);
}

/// Rates side by side, and the figures that show the tree and of groups of its tips.
#[test]
fn rates_are_compared_and_drawn() {
    let case = case();
    for (run, seed) in [("a", 1), ("b", 2)] {
        let settings = "--chains 2 --warmup 300 --draws 300 --no-report";
        case.run(&format!("fit matrix.csv --out {run} --tree tree.nwk --seed {seed} {settings}")).expect_finished();
    }
    let printed = case.run("compare a b --quantity diffusion-rate --out rates.svg --json");
    printed.expect(0, &["densities: rates.svg"]);
    let comparison: serde_json::Value = serde_json::from_str(&printed.stdout).unwrap();
    for (index, run) in ["a", "b"].into_iter().enumerate() {
        let mean = case.summary(run)["diffusion"]["diffusion_rate"]["mean"].as_f64().unwrap();
        assert!((comparison["runs"][index]["mean"].as_f64().unwrap() - mean).abs() < 1e-9 * mean);
    }
    let pair = &comparison["pairs"][0];
    // The same posterior, 600 draws of each.
    assert!((0.0..0.4).contains(&pair["hellinger"].as_f64().unwrap()), "{pair}");
    assert!((0.2..0.8).contains(&pair["probability_greater"].as_f64().unwrap()), "{pair}");
    let table = case.run("compare a b --quantity diffusion-rate --out rates.png").stdout;
    assert!(table.contains("Hellinger") && table.contains("P(A > B)") && table.contains("97.5%"), "{table}");
    assert!(case.path("rates.svg").exists() && case.path("rates.png").exists());
    let countries: String = (0..10).map(|object| format!("o{object},{}\n", ["Chile", "Peru"][object % 2])).collect();
    case.write("countries.csv", &format!("name,country\n{countries}"));
    case.run("plot a groups --labels countries.csv --group country --out groups.svg").expect(0, &[]);
    assert!(case.read("groups.svg").contains("Chile") && case.read("groups.svg").contains("Peru"));
    case.run("plot a tree --out tree.svg").expect(0, &[]);
    assert!(case.read("tree.svg").contains("Time from the root"));
}

#[test]
fn a_resumed_fit_with_a_tree_is_one_never_stopped() {
    let case = case();
    for update in ["collapsed", "gibbs"] {
        let settings = format!("--tree tree.nwk --trait-precision-update {update} --no-report --chains 2 --warmup 60");
        case.run(&format!("fit matrix.csv --out {update} --draws 30 {settings}")).expect_finished();
        case.run(&format!("fit --resume --out {update} --draws 80 --no-report")).expect_finished();
        case.run(&format!("fit matrix.csv --out {update}-long --draws 80 {settings}")).expect_finished();
        assert_eq!(case.summary(update), case.summary(&format!("{update}-long")));
        let table = |run: &str, name: &str| case.read(&format!("{run}/{name}"));
        for name in ["embedding.csv", "diagnostics.csv", "posterior.log", "posterior.trees", "ancestors.csv"] {
            assert_eq!(table(update, name), table(&format!("{update}-long"), name));
        }
    }
    // The same tree is no change.
    case.run("fit --resume --out gibbs --tree tree.nwk --no-report").expect_finished();
    case.write("tree.nwk", &newick(10).replace("0.002", "0.003"));
    case.run("fit --resume --out gibbs --draws 90").expect(2, &["tree.nwk has changed", "restore it"]);
}

#[test]
fn a_unit_of_its_own_changes_sigma_by_its_square() {
    let case = Case::new(12);
    // A power of two, so that not a bit is rounded differently.
    case.write("large.csv", &matrix(12, |a, b| 1024.0 * dissimilarity(a, b)));
    case.write("tree.nwk", &newick(12));
    for (input, run) in [("matrix.csv", "small"), ("large.csv", "large")] {
        let ended = case.run(&format!("fit {input} --tree tree.nwk --standardize --out {run} {SHORT}"));
        ended.expect_finished();
        assert!(!ended.stderr.contains("warning: the dissimilarities"), "{}", ended.stderr);
        case.run(&format!("export {run} --out {run}-npy")).expect(0, &[]);
    }
    let numbers = |run: &str, file: &str| read_npy(&case.path(&format!("{run}-npy/{file}"))).1;
    let (small, large) = (numbers("small", "trace_sigma.npy"), numbers("large", "trace_sigma.npy"));
    assert!(small.iter().zip(&large).all(|(small, large)| 1024.0 * 1024.0 * small == *large));
    let (small, large) = (numbers("small", "logdet_sigma.npy"), numbers("large", "logdet_sigma.npy"));
    let shift = 4.0 * 1024_f64.ln();
    assert!(small.iter().zip(&large).all(|(small, large)| (small + shift - large).abs() < 1e-9));
}

#[test]
fn trees_that_do_not_fit_are_refused_and_coincident_tips_named() {
    let case = case();
    let all = newick(10);
    case.write("more.nwk", &format!("({}:1,stranger:1);", all.trim_end_matches(";\n")));
    case.write("less.nwk", &newick(9));
    case.write("twins.nwk", &all.replace(":0.001", ":0").replace(":0.002", ":0"));
    case.write("flat.nwk", "(o0:0,o1:0,o2:0,o3:0,o4:0,o5:0,o6:0,o7:0,o8:0,o9:0);");
    let cases: &[(&str, &[&str])] = &[
        ("--tree more.nwk", &["more.nwk: 1 tip is not among the objects: stranger", "--prune"]),
        ("--tree less.nwk", &["less.nwk: 1 object is not in the tree: o9"]),
        ("--tree flat.nwk", &["flat.nwk: all branches have length zero", "Remedy"]),
        ("--tree nowhere.nwk", &["nowhere.nwk"]),
        ("--tree tree.nwk --tree-index 2", &["there is no tree 2; the file has 1"]),
        ("--tree tree.nwk --tree-index 0", &["--tree-index", "counted from 1"]),
        ("--tree tree.nwk --root-sample-size 0", &["sample size of the root is 0"]),
        ("--tree tree.nwk --learn-scale", &["--learn-scale", "diffusion", "Remedy"]),
        ("--tree tree.nwk --prior-scale 2", &["--prior-scale", "diffusion", "Remedy"]),
        ("--prune", &["--tree"]),
        ("--trait-precision-update gibbs", &["--tree"]),
    ];
    for (flags, parts) in cases {
        case.run(&format!("fit matrix.csv --out run {flags} {SHORT}")).expect(2, parts);
        assert!(!case.path("run").exists(), "{flags}: nothing is written");
    }
    case.run(&format!("fit matrix.csv --out pruned --tree more.nwk --prune {SHORT}")).expect_finished();
    let ended = case.run(&format!("fit matrix.csv --out twins --tree twins.nwk {SHORT}"));
    ended.expect_finished();
    assert!(ended.stderr.contains("warning: 2 tips are at distance zero"), "{}", ended.stderr);
    let warnings = case.summary("twins")["warnings"].to_string();
    assert!(warnings.contains("o8") && warnings.contains("o9"), "{warnings}");
}

/// Alignment changes neither the sampler nor what is said of Sigma and of the ancestors. A strong prior of the root ties it to
/// the origin, which moves with the draws.
#[test]
fn aligned_and_raw_draws_say_the_same_of_the_tree() {
    let case = case();
    let settings = "--tree tree.nwk --root-sample-size 20 --chains 2 --warmup 300 --draws 400 --no-report";
    case.run(&format!("fit matrix.csv --out aligned {settings}")).expect_finished();
    case.run(&format!("fit matrix.csv --out raw --raw-draws {settings}")).expect_finished();
    let [(header, aligned), (_, raw)] =
        ["aligned", "raw"].map(|run| log_table(&case.read(&format!("{run}/posterior.log"))));
    let column = |name: &str| header.iter().position(|column| column == name).unwrap_or_else(|| panic!("{name}"));
    let [c11, c12, c22] = ["11", "12", "22"].map(|entry| column(&format!("trait.covariance{entry}")));
    let mut turned = 0;
    for (a, r) in aligned.iter().zip(&raw) {
        for name in ["posterior", "sigma", "trait.trace", "trait.logDet"] {
            assert_eq!(a[column(name)], r[column(name)], "{name}");
        }
        let (trace, det) = (|row: &[f64]| row[c11] + row[c22], |row: &[f64]| row[c11] * row[c22] - row[c12].powi(2));
        assert!(
            (trace(a) - trace(r)).abs() < 1e-9 * trace(r)
                && (det(a) - det(r)).abs() < 1e-9 * det(r).abs().max(trace(r))
        );
        turned += usize::from((a[c12] - r[c12]).abs() > 1e-6);
    }
    assert!(turned > 100, "Sigma turns with the locations");
    let rows = |run: &str| -> Vec<Vec<f64>> {
        let text = case.read(&format!("{run}/ancestors.csv"));
        text.lines().skip(1).map(|line| line.split(',').skip(6).map(|cell| cell.parse().unwrap()).collect()).collect()
    };
    let mut furthest: f64 = 0.0;
    for (a, r) in rows("aligned").iter().zip(&rows("raw")) {
        for dim in 0..2 {
            // 800 draws with noise of their own in each run: a difference of means of 0.05 sd, six times of it in 20 numbers never.
            assert!((a[dim] - r[dim]).abs() < 0.3 * r[2 + dim], "{a:?} {r:?}");
            furthest = furthest.max((a[dim] - r[dim]).abs());
        }
    }
    assert!(furthest > 0.0);
}
