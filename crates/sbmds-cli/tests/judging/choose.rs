//! `sbmds choose`: the number of dimensions of simulated data, and going on after an interruption.

use std::collections::BTreeSet;

use sbmds::likelihood::Noise;
use sbmds::predict::PosteriorDraws;
use sbmds::run::FinishedRun;

use super::folder::Folder;

const FLAGS: &str = "--chains 2 --warmup 150 --draws 150 --seed 1";

fn json(printed: &str) -> serde_json::Value {
    serde_json::from_str(printed).unwrap()
}

#[test]
fn two_dimensions_are_found_and_fits_are_not_made_twice() {
    let folder = Folder::new();
    folder.ok("simulate --objects 25 --dims 2 --noise truncated-normal --sd 0.2 --seed 3 -o simulated");
    let command = format!("choose simulated/distances.csv --dims 1-3 {FLAGS} -o chosen");
    let printed = folder.ok(&command);
    assert!(printed.contains("Take 2 dimensions") && printed.contains("MDSIC"), "{printed}");
    assert_eq!(folder.column("chosen/choose.csv", "taken")["2"], "true");
    assert!(folder.read("chosen/choose.svg").contains("Choice of dimensions"));
    // Again: the fits are there, so that nothing is sampled.
    let again = folder.run(&command);
    assert!(!again.stderr.contains("fitting") && again.stdout == printed, "{}", again.stderr);
    folder.refuses(&format!("{command} --priors paper"), &["other settings"]);
}

/// Candidates and folds are fitted side by side: what they say is the same for any number of threads, to the last bit.
#[test]
fn threads_change_no_bit_of_a_choice() {
    let folder = Folder::new();
    folder.ok("simulate --objects 10 --dims 2 --noise truncated-normal --sd 0.2 --seed 3 -o simulated");
    let answer = |threads: usize| {
        let command =
            format!("choose simulated/distances.csv --dims 1-3 --folds 2 {FLAGS} --threads {threads} -o by-{threads}");
        folder.ok(&command);
        let draws = ["dims-1", "dims-3-fold-2"].map(|fit| folder.read(&format!("by-{threads}/{fit}/embedding.csv")));
        (folder.read(&format!("by-{threads}/choose.csv")), draws)
    };
    let one = answer(1);
    assert!(one.0.lines().count() == 4, "{}", one.0);
    assert_eq!(one, answer(2));
    assert_eq!(one, answer(5));
}

#[test]
fn bands_are_grown_until_nothing_moves_and_fits_are_not_made_twice() {
    let folder = Folder::new();
    folder.ok("simulate --objects 40 --dims 2 --noise truncated-normal --sd 0.2 --seed 3 -o simulated");
    let command = format!("choose simulated/distances.csv --bands {FLAGS} -o grown --json");
    let printed = folder.ok(&command);
    let chosen = json(&printed);
    let rows = chosen["rows"].as_array().unwrap();
    let bands: Vec<u64> = rows.iter().map(|row| row["bands"].as_u64().unwrap()).collect();
    assert!(bands.starts_with(&[4, 8]) && *bands.last().unwrap() <= 18, "{chosen}");
    let of = |row: usize, column: &str| rows[row][column].as_f64().unwrap();
    assert!(of(1, "width") < of(0, "width") && of(1, "n_pairs") == 320.0, "{chosen}");
    assert!(chosen["rule"] == 13 && chosen["n_held_out"] == 40, "{chosen}");
    assert!(chosen["advice"].as_str().unwrap().contains("D sqrt(N) says 13"), "{chosen}");
    assert!(folder.read("grown/bands.svg").contains("Enough pairs?"));
    let again = folder.run(&command);
    assert!(!again.stderr.contains("fitting") && again.stdout == printed, "{}", again.stderr);
    // Fits of one's own choice, in the same directory.
    let some = folder.ok(&format!("choose simulated/distances.csv --bands=4,6 {FLAGS} -o grown"));
    assert!(some.contains("bands") && !some.contains("\n  18"), "{some}");
    folder.refuses("choose simulated/distances.csv --bands=19", &["--bands", "at most 18"]);
    folder.refuses("choose simulated/distances.csv --bands --dims 1-3", &["dimensions"]);
    folder.refuses("choose simulated/distances.csv --bands --couplings full", &["--couplings"]);
}

#[test]
fn superfluous_dimensions_vanish_in_one_fit() {
    let folder = Folder::new();
    folder.ok("simulate --objects 40 --dims 2 --noise truncated-normal --sd 0.1 --seed 5 -o simulated");
    let flags = "--chains 2 --warmup 400 --draws 1500 --seed 1 --progress none";
    let fit = format!("fit simulated/distances.csv --dims 4 --shrinkage half-cauchy {flags} --out run");
    // What is identified has converged: the verdict does not look at the density of what has vanished.
    assert_eq!(folder.run(&fit).code, Some(0));
    assert!(!folder.read("run/diagnostics.csv").contains("log density"));
    assert!(folder.read("run/diagnostics.csv").contains("dimensions used"));
    let summary = json(&folder.read("run/summary.json"));
    let used = &summary["dimensions"];
    assert!(used["mode"] == 2 && used["probabilities"][2].as_f64().unwrap() > 0.9, "{used}");
    let sd = |axis: usize| used["axis_sd"][axis]["mean"].as_f64().unwrap();
    assert!(sd(1) > 0.5 && sd(2) < used["noise_sd"].as_f64().unwrap(), "{used}");
    assert!(folder.run("summary run").stdout.contains("dims used      2 ("));
    for (flags, word) in [("--learn-scale", "--learn-scale"), ("--sampler mh", "--sampler")] {
        let fit = format!("fit simulated/distances.csv --shrinkage half-cauchy {flags} --out no");
        folder.refuses(&fit, &["--shrinkage", word]);
    }
}

#[test]
fn noise_families_are_compared_and_folds_are_exact() {
    let folder = Folder::new();
    folder.ok("simulate --objects 12 --dims 1 --noise truncated-normal --sd 0.1 --seed 3 -o simulated");
    let printed =
        folder.ok(&format!("choose simulated/distances.csv -D 1,2 --noise normal,truncated-normal {FLAGS} --json"));
    let chosen = json(&printed);
    assert_eq!(chosen["rows"].as_array().unwrap().len(), 4, "{chosen}");
    let folds = json(&folder.ok(&format!("choose simulated/distances.csv -D 1-2 --folds 4 {FLAGS} -o folds --json")));
    assert_eq!(folds["rows"][0]["taken"], true, "{folds}");
    assert_eq!(folds["rows"][0]["n_pairs"], 66);
    // Exact folds and weights answer about the same.
    let elpd = |chosen: &serde_json::Value, row: usize| chosen["rows"][row]["elpd"].as_f64().unwrap();
    assert!((elpd(&folds, 0) - elpd(&chosen, 1)).abs() < 6.0, "{folds} {chosen}");
    folder.refuses("choose simulated/distances.csv --folds 1", &["--folds 1"]);
    folder.refuses("choose simulated/distances.csv --dims 0", &["1-6"]);
}

/// The names and numbers of a matrix with names.
fn matrix(text: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let names = rows[0][1..].iter().map(|&name| name.to_owned()).collect();
    (names, rows[1..].iter().map(|row| row[1..].iter().map(|cell| cell.parse().unwrap()).collect()).collect())
}

/// elpd and squared errors of some pairs by the draws of a run: the mean density, and the mean of what is expected, over all draws.
fn by_hand(run: &std::path::Path, pairs: &[(usize, usize, f64)]) -> (f64, f64) {
    let draws = PosteriorDraws::of(&FinishedRun::open(run).unwrap(), usize::MAX).unwrap();
    let (mut elpd, mut squares) = (0.0, 0.0);
    for &(a, b, delta) in pairs {
        let of = |f: &dyn Fn(f64, f64) -> f64| {
            draws.iter().map(|(map, sigma)| f(map.distance(a, b), sigma)).sum::<f64>() / draws.len() as f64
        };
        elpd += of(&|distance, sigma| Noise::TruncatedNormal.log_density(delta, distance, sigma).exp()).ln();
        squares += (delta - of(&|distance, sigma| Noise::TruncatedNormal.mean(distance, sigma))).powi(2);
    }
    (elpd, squares)
}

/// What `choose --folds` says of pairs held out is what the draws of its fits say by hand, to which these pairs are unknown. Every pair is
/// held out once, and the same ones for all candidates.
#[test]
fn folds_are_scored_as_by_hand() {
    let folder = Folder::new();
    folder.ok("simulate --objects 9 --dims 1 --noise truncated-normal --sd 0.2 --seed 6 -o simulated");
    let (names, values) = matrix(&folder.read("simulated/distances.csv"));
    let printed = folder.ok(&format!("choose simulated/distances.csv -D 1,2 --folds 3 {FLAGS} -o chosen --json"));
    let chosen = json(&printed);
    for (row, n_dims) in [1, 2].into_iter().enumerate() {
        let (mut elpd, mut squares, mut n_out) = (0.0, 0.0, 0);
        for fold in 1..=3 {
            let list = folder.read(&format!("chosen/dims-{n_dims}-fold-{fold}.csv"));
            assert_eq!(list, folder.read(&format!("chosen/dims-1-fold-{fold}.csv")));
            let kept: BTreeSet<(&str, &str)> = list.lines().skip(1).map(|line| line.split_once(',').unwrap()).collect();
            let is_kept = |a: usize, b: usize| kept.contains(&(names[a].as_str(), names[b].as_str()));
            let all = (0..9).flat_map(|a| (a + 1..9).map(move |b| (a, b)));
            let out: Vec<(usize, usize, f64)> =
                all.filter(|&(a, b)| !is_kept(a, b)).map(|(a, b)| (a, b, values[a][b])).collect();
            let run = format!("chosen/dims-{n_dims}-fold-{fold}");
            let summary = json(&folder.read(&format!("{run}/summary.json")));
            assert_eq!(summary["n_pairs"], kept.len(), "what is held out does not enter the likelihood");
            let (of_fold, squares_of_fold) = by_hand(&folder.path(&run), &out);
            (elpd, squares, n_out) = (elpd + of_fold, squares + squares_of_fold, n_out + out.len());
        }
        let said = |column: &str| chosen["rows"][row][column].as_f64().unwrap();
        assert_eq!((n_out, said("n_pairs")), (36, 36.0), "every pair once");
        let close = |found: f64, expected: f64| (found - expected).abs() < 1e-9 * expected.abs();
        assert!(close(said("elpd"), elpd), "{} for {elpd}", said("elpd"));
        assert!(close(said("rmse"), (squares / 36.0).sqrt()), "{} for {}", said("rmse"), (squares / 36.0).sqrt());
    }
}

/// Seven objects have six pairs each: with six dimensions none can be spared. With up to four, all candidates are judged by the same pairs.
#[test]
fn folds_that_hold_nothing_out_are_refused() {
    let folder = Folder::new();
    folder.ok("simulate --objects 7 --dims 1 --noise truncated-normal --sd 0.2 --seed 3 -o simulated");
    let few = "--chains 1 --warmup 30 --draws 30 --seed 1";
    let command =
        |dims: &str| format!("choose simulated/distances.csv --dims {dims} --folds 3 {few} -o by-{dims} --json");
    folder
        .refuses(&command("1-6"), &["--folds", "0 of 21 pairs can be held out in 3 folds", "keeps 7 pairs", "Remedy"]);
    let chosen = json(&folder.ok(&command("1-4")));
    let rows = chosen["rows"].as_array().unwrap();
    let n_pairs: BTreeSet<u64> = rows.iter().map(|row| row["n_pairs"].as_u64().unwrap()).collect();
    assert!(rows.len() == 4 && n_pairs.len() == 1 && *n_pairs.first().unwrap() >= 3, "{chosen}");
}

/// An edge list with heavy tails, a limit, a repeat and weights: all families are judged by what was measured, as it was measured.
#[test]
fn families_of_terms_are_compared() {
    let folder = Folder::new();
    folder.ok("simulate --objects 14 --dims 1 --noise truncated-normal --sd 0.05 --seed 8 -o simulated");
    let (names, values) = matrix(&folder.read("simulated/distances.csv"));
    let mut list = "from,to,d,w\n".to_owned();
    for a in 0..14 {
        for b in a + 1..14 {
            // Every eleventh pair is far off: no normal distribution has such tails.
            let gross = if (5 * a + b) % 11 == 0 { 2.0 } else { 0.0 };
            list += &format!("{},{},{},1\n", names[a], names[b], values[a][b] + gross);
        }
    }
    folder.write("list.csv", &list);
    let choose = |input: &str, flags: &str, out: &str| {
        let ended = folder.run(&format!("choose {input} --value d -D 1 {flags} {FLAGS} --json -o {out}"));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        json(&ended.stdout)
    };
    let found =
        choose("list.csv", "--noise normal,truncated-normal,student-t,truncated-student-t,log-normal", "families");
    let elpd = |name: &str| {
        let rows = found["rows"].as_array().unwrap();
        rows.iter().find(|row| row["noise"] == name).unwrap()["elpd"].as_f64().unwrap()
    };
    assert!(elpd("student-t") > elpd("normal") + 20.0, "{found}");
    assert!(elpd("truncated-student-t") > elpd("truncated-normal") + 20.0, "{found}");
    assert!(found["advice"].as_str().unwrap().contains("student-t noise"), "{found}");
    // Pairs that were measured twice are left out whole, and limits are scored, too; these have no error to be counted.
    let pair = format!("{},{},", names[0], names[1]);
    let line = list.lines().find(|line| line.starts_with(&pair)).unwrap().to_owned();
    folder.write("twice.csv", format!("{list}{line}\n"));
    let limit = format!("{pair}<9,1");
    folder.write("limit.csv", list.replace(&line, &limit));
    let [twice, limit] = ["twice.csv", "limit.csv"].map(|input| choose(input, "--weight w", &input.replace('.', "-")));
    assert!(twice["rows"][0]["n_pairs"] == 91 && limit["rows"][0]["n_pairs"] == 91, "pairs are left out whole");
    assert!(limit["rows"][0]["rmse"].as_f64().unwrap() > 0.1, "{limit}");
}
