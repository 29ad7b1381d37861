//! The data of the page against slow twins, on small runs; and the page against hostile names.

use super::*;
use crate::Locations;
use crate::cluster::{HdbscanSettings, RunClusters, Selection, cluster_run};
use crate::dissimilarity::Labels;
use crate::embedding::procrustes;
use crate::fit::Shepard;
use crate::run::test_run::{CHAINS, DRAWS, N, name, small_run};
use crate::run::{FinishedRun, Keep};

/// Every draw aligned to the mean map, by other means than the report's.
fn aligned(run: &FinishedRun) -> Vec<Locations> {
    let draws =
        (0..run.reader().n_chains()).flat_map(|chain| (0..run.reader().n_complete(chain)).map(move |d| (chain, d)));
    draws
        .map(|(chain, draw)| run.reader().x(chain, draw).unwrap())
        .map(|x| procrustes(&x, &run.embedding().mean).apply(&x))
        .collect()
}

#[test]
fn covariances_are_those_of_the_aligned_draws() {
    let directory = tempfile::tempdir().unwrap();
    let run = small_run(directory.path(), 3, Keep::All);
    let data = ReportData::gather(&run, None).unwrap();
    let draws = aligned(&run);
    let n = draws.len() as f64;
    let found = data.covariance.unwrap();
    for object in 0..N {
        let mut entry = object * 6;
        for row in 0..3 {
            for column in row..3 {
                let mean = |dim| draws.iter().map(|x| x.get(object, dim)).sum::<f64>() / n;
                let product = |x: &Locations| (x.get(object, row) - mean(row)) * (x.get(object, column) - mean(column));
                let direct = draws.iter().map(product).sum::<f64>() / (n - 1.0);
                approx::assert_relative_eq!(found[entry], direct, max_relative = 1e-9, epsilon = 1e-12);
                entry += 1;
            }
        }
        for dim in 0..3 {
            approx::assert_relative_eq!(data.mean[object * 3 + dim], run.embedding().mean.get(object, dim));
        }
    }
    approx::assert_relative_eq!(data.axis_share.iter().sum::<f64>(), 1.0, max_relative = 1e-12);
    assert!(data.axis_share.is_sorted_by(|a, b| a >= b), "{:?}", data.axis_share);
}

#[test]
fn neighbour_probabilities_are_shares_of_draws() {
    let directory = tempfile::tempdir().unwrap();
    let run = small_run(directory.path(), 2, Keep::All);
    let neighbours = ReportData::gather(&run, None).unwrap().neighbours.unwrap();
    assert_eq!((neighbours.k, neighbours.candidates), (5, N - 1));
    let draws = aligned(&run);
    for object in 0..N {
        let (mut nearest, mut among) = ([0.0; N], [0.0; N]);
        for x in &draws {
            let mut others: Vec<usize> = (0..N).filter(|&other| other != object).collect();
            others.sort_by(|&a, &b| x.distance(object, a).total_cmp(&x.distance(object, b)));
            nearest[others[0]] += 1.0 / draws.len() as f64;
            others.iter().take(5).for_each(|&other| among[other] += 1.0 / draws.len() as f64);
        }
        let listed = object * (N - 1)..(object + 1) * (N - 1);
        assert!(neighbours.among[listed.clone()].is_sorted_by(|a, b| a >= b));
        for index in listed.filter(|&index| neighbours.index[index] != u32::MAX) {
            let other = neighbours.index[index] as usize;
            approx::assert_relative_eq!(neighbours.nearest[index], nearest[other], epsilon = 1e-12);
            approx::assert_relative_eq!(neighbours.among[index], among[other], epsilon = 1e-12);
            among[other] = 0.0;
        }
        assert!(among.iter().all(|&left| left == 0.0), "a neighbour is missing");
    }
}

#[test]
fn the_shepard_plot_holds_every_coupled_pair_with_its_distances() {
    let directory = tempfile::tempdir().unwrap();
    let run = small_run(directory.path(), 2, Keep::All);
    let data = ReportData::gather(&run, None).unwrap();
    let shepard = data.shepard.unwrap();
    assert_eq!((shepard.n_pairs, shepard.a.len()), (N * (N - 1) / 2, N * (N - 1) / 2));
    let draws = aligned(&run);
    let text = std::fs::read_to_string(directory.path().join("edges.csv")).unwrap();
    for (pair, line) in text.lines().enumerate() {
        let observed: f64 = line.rsplit(',').next().unwrap().parse().unwrap();
        approx::assert_relative_eq!(shepard.observed[pair], observed, max_relative = 1e-6);
        let (a, b) = (shepard.a[pair] as usize, shepard.b[pair] as usize);
        let mean = draws.iter().map(|x| x.distance(a, b)).sum::<f64>() / draws.len() as f64;
        approx::assert_relative_eq!(shepard.mean[pair], mean, max_relative = 1e-6);
        assert!(shepard.low[pair] <= mean && mean <= shepard.high[pair]);
    }
    assert_eq!(data.fit.partners.unwrap(), [N as u32 - 1; N]);
}

#[test]
fn traces_start_with_sigma_and_ranks_count_every_draw() {
    let directory = tempfile::tempdir().unwrap();
    let run = small_run(directory.path(), 2, Keep::All);
    let data = ReportData::gather(&run, None).unwrap();
    let names: Vec<&str> = data.traces.iter().map(|trace| trace.name.as_str()).collect();
    assert_eq!((names.len(), &names[..2]), (6, &["sigma", "log density"][..]));
    assert!(names[2..].iter().all(|name| name.starts_with("distance of ")));
    for trace in &data.traces {
        assert_eq!((trace.values.len(), trace.thin, trace.ranks.len()), (CHAINS * DRAWS, 1, CHAINS * 20));
        for chain in trace.ranks.chunks(20) {
            assert_eq!(chain.iter().sum::<u32>(), DRAWS as u32);
        }
    }
    assert_eq!((data.n_monitored, data.diagnostics.len()), (2 + 36, 38));
    assert_eq!(data.traces[0].values[..DRAWS], run.reader().scalar("sigma", 0).unwrap());
    assert!(run.quantity("step_size").is_ok() && run.quantity("distance of o2 and o3").is_ok());
    let error = run.quantity("rate").err().unwrap().to_string();
    assert!(error.contains("no quantity \"rate\"") && error.contains("sigma"), "{error}");
}

#[test]
fn runs_without_all_draws_are_reported_as_far_as_they_go() {
    let directory = tempfile::tempdir().unwrap();
    let run = small_run(directory.path(), 2, Keep::Summary);
    let data = ReportData::gather(&run, None).unwrap();
    assert!(data.draws.is_none() && data.neighbours.is_none());
    assert!(data.covariance.unwrap().iter().all(|x| x.is_finite()));
    assert!(data.shepard.unwrap().low.iter().all(|low| low.is_nan()));
    std::fs::remove_dir_all(run.path().join("checkpoints")).unwrap();
    let data = ReportData::gather(&run, None).unwrap();
    assert!(data.covariance.is_none() && data.verdict.warnings.iter().any(|text| text.contains("no ellipses")));

    let thinned = tempfile::tempdir().unwrap();
    let data = ReportData::gather(&small_run(thinned.path(), 2, Keep::Thin(3)), None).unwrap();
    assert_eq!(data.draws.unwrap().count, CHAINS * DRAWS / 3);
}

#[test]
fn an_input_that_changed_or_is_gone_costs_the_shepard_plot_alone() {
    let directory = tempfile::tempdir().unwrap();
    let run = small_run(directory.path(), 2, Keep::All);
    let input = directory.path().join("edges.csv");
    let text = std::fs::read_to_string(&input).unwrap();
    std::fs::write(&input, text.replacen("0", "1", 1)).unwrap();
    let told = |data: &ReportData, what: &str| data.verdict.warnings.iter().any(|text| text.contains(what));
    let data = ReportData::gather(&run, None).unwrap();
    assert!(data.shepard.is_none() && told(&data, "edges.csv has changed since the run"), "{:?}", data.verdict);
    std::fs::remove_file(&input).unwrap();
    let data = ReportData::gather(&run, None).unwrap();
    assert!(data.shepard.is_none() && told(&data, "cannot be read any more"), "{:?}", data.verdict);
    assert!(data.fit.residual.is_none() && data.fit.stress.iter().all(|stress| stress.is_finite()));
    assert!(data.draws.is_some());
}

#[test]
fn the_page_needs_no_network_knows_no_path_and_survives_its_names() {
    let directory = tempfile::tempdir().unwrap();
    let run = small_run(directory.path(), 2, Keep::All);
    let labels = Labels { without: vec![name(0)], ..Labels::default() };
    let data = ReportData::gather(&run, Some(&labels)).unwrap();
    let told = data.verdict.warnings.iter().any(|text| text.contains("has no row in the table of labels"));
    assert!(told, "{:?}", data.verdict);
    let path = directory.path().join("report.html");
    write_html(&data, &path).unwrap();
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(!page.contains(&*directory.path().to_string_lossy()), "a path of this machine");
    assert!(!page.contains("</script><b>") && page.contains(r"\u003c/script>\u003cb>"));
    for loading in ["src=\"", "src='", "url(http", "@import", "href=\"http", "importScripts", "fetch(", "<!--sbmds:"] {
        assert!(!page.contains(loading), "{loading}");
    }
    // What the browser will parse is what was written.
    let json = page.split_once("type=\"application/json\">").unwrap().1.split_once("</script>").unwrap().0;
    let parsed: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(parsed["names"][0], "</script><b>");
    assert_eq!((&parsed["format"], &parsed["n_objects"]), (&1.into(), &N.into()));
    write_html(&ReportData::gather(&run, Some(&labels)).unwrap(), &path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), page, "the same run gives the same report");
}

#[test]
fn a_thousand_objects_stay_below_four_megabytes() {
    let directory = tempfile::tempdir().unwrap();
    let mut data = ReportData::gather(&small_run(directory.path(), 2, Keep::All), None).unwrap();
    let (n, wave) = (1000, |k: usize| (k as f64).sin());
    data.n_objects = n;
    data.names = (0..n).map(|object| format!("A/Some rather long place/{object}/2009 (H1N1)")).collect();
    data.mean = (0..2 * n).map(wave).collect();
    data.covariance = Some((0..3 * n).map(wave).collect());
    let draws = draw_sample::choose(4000, n, 2, 1).count;
    let numbers: Vec<f32> = (0..draws * 2 * n).map(|k| wave(k) as f32).collect();
    data.draws = Some(DrawSample { count: draws, x: Quantised::new(&numbers, 2) });
    let (index, shares) = ((0..10 * n as u32).collect(), (0..10 * n).map(wave).collect::<Vec<_>>());
    data.neighbours = Some(Neighbours { k: 5, index, nearest: shares.clone(), among: shares, candidates: 10 });
    let (pairs, numbers) = ((0..2000).collect::<Vec<u32>>(), (0..2000).map(wave).collect::<Vec<_>>());
    let [observed, mean, low, high] = [(); 4].map(|()| numbers.clone());
    data.shepard = Some(Shepard { a: pairs.clone(), b: pairs, observed, mean, low, high, n_pairs: 499_500 });
    data.fit = Fit { stress: vec![0.5; n], residual: Some(vec![0.5; n]), partners: Some(vec![999; n]) };
    let path = directory.path().join("report.html");
    write_html(&data, &path).unwrap();
    let size = std::fs::metadata(&path).unwrap().len();
    assert!((1_000_000..4_000_000).contains(&size), "{size} bytes");
}

/// Clusters of two or more objects of all draws, written where the report looks for them.
fn clustered(run: &FinishedRun) -> RunClusters {
    let settings = HdbscanSettings { min_cluster_size: 2, min_samples: 2, selection: Selection::Leaf };
    let clusters = cluster_run(run.reader(), &settings, 1000, 1, None).unwrap();
    clusters.write(&run.clusters(), Default::default()).unwrap();
    clusters
}

fn section(run: &FinishedRun) -> ClusterSection {
    match ReportData::gather(run, None).unwrap().sections.as_slice() {
        [Section::Clusters(section)] => (**section).clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn clusters_are_shown_as_they_were_found() {
    for n_dims in [1, 2, 3] {
        let directory = tempfile::tempdir().unwrap();
        let run = small_run(directory.path(), n_dims, Keep::All);
        assert!(ReportData::gather(&run, None).unwrap().sections.is_empty());
        let clusters = clustered(&run);
        let section = section(&run);
        assert_eq!(section.summary, clusters.summary);
        let code = |&label: &i32| if label < 0 { u16::MAX } else { label as u16 };
        assert_eq!(section.codes, clusters.consensus.labels.iter().map(code).collect::<Vec<_>>());
        assert_eq!(section.confidence, clusters.consensus.confidence);
        let sizes: Vec<usize> = section.clusters.iter().map(|cluster| cluster.size).collect();
        let consensus = &clusters.summary.consensus;
        assert_eq!((&sizes, section.noise.size), (&consensus.sizes, consensus.n_noise));
        assert_eq!(section.axes.len(), [1, 1, 3][n_dims - 1]);
        check_outlines(&run, &clusters, &section);
    }
}

/// The corners of an outline are locations of members in the draw, and every member lies within it.
fn check_outlines(run: &FinishedRun, clusters: &RunClusters, section: &ClusterSection) {
    let draws = aligned(run);
    assert_eq!(section.draws.len(), 5);
    let number_of = |(chain, draw): (usize, usize)| chain * DRAWS + draw;
    let mut outlines = section.outlines.iter();
    for (index, &draw) in section.draws.iter().enumerate() {
        let (x, labels) = (&draws[number_of(draw)], clusters.draws.labels.draw(number_of(draw)));
        for cluster in 0..clusters.draws.labels.n_clusters(number_of(draw)) {
            let outline = outlines.next().unwrap();
            assert_eq!((outline.draw, outline.corners.len()), (index, section.axes.len()));
            for (&(first, second), Corners(flat)) in section.axes.iter().zip(&outline.corners) {
                let up = |object| if first == second { 0.0 } else { x.get(object, second) };
                let members = (0..N).filter(|&object| labels[object] == cluster as i32);
                let members: Vec<(f64, f64)> = members.map(|object| (x.get(object, first), up(object))).collect();
                let corners: Vec<(f64, f64)> = flat.chunks(2).map(|two| (two[0], two[1])).collect();
                assert!(corners.iter().all(|corner| members.contains(corner)), "{corners:?} {members:?}");
                for k in 0..corners.len() {
                    let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
                    let left = |c: (f64, f64)| (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
                    assert!(members.iter().all(|&member| left(member) >= -1e-12));
                }
            }
        }
    }
    assert!(outlines.next().is_none());
}

#[test]
fn clusters_that_cannot_be_read_cost_their_section_alone() {
    let directory = tempfile::tempdir().unwrap();
    let run = small_run(directory.path(), 2, Keep::All);
    clustered(&run);
    let table = std::fs::read_to_string(run.clusters().join("clusters.csv")).unwrap();
    let cut = table.lines().take(4).collect::<Vec<_>>().join("\n");
    for (file, content) in [
        ("clusters.csv", cut.as_str()),
        ("clusters.csv", "name\n"),
        ("draws.csv", "chain,draw\n0,0\n"),
        ("labels.npy", "nonsense"),
        ("summary.json", "{}"),
    ] {
        clustered(&run);
        std::fs::write(run.clusters().join(file), content).unwrap();
        let data = ReportData::gather(&run, None).unwrap();
        let warning = data.verdict.warnings.last().unwrap();
        assert!(data.sections.is_empty() && warning.starts_with("The clusters cannot be shown: "), "{file}: {warning}");
        assert!(!warning.contains(&*directory.path().to_string_lossy()), "{warning}");
    }
}
