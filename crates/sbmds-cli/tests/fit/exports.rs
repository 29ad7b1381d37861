//! What is exported: draws aligned to the map, raw on request, and tables that R reads.

use crate::kit::{Case, dissimilarity, files_below, matrix, read_npy};

const SHORT: &str = "--chains 2 --warmup 300 --draws 120 --no-report";

fn embedding(case: &Case, run: &str, n_dims: usize) -> Vec<f64> {
    let text = case.read(&format!("{run}/embedding.csv"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.records().map(|record| record.unwrap());
    rows.flat_map(|row| (1..=n_dims).map(move |k| row[k].parse().unwrap()).collect::<Vec<f64>>()).collect()
}

/// The mean of all maps of an array (chains, draws, objects, dims).
fn mean_map(shape: &[usize], draws: &[f64]) -> Vec<f64> {
    let (size, n_maps) = (shape[2] * shape[3], (shape[0] * shape[1]) as f64);
    (0..size).map(|k| draws.iter().skip(k).step_by(size).sum::<f64>() / n_maps).collect()
}

fn largest_gap(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Distances between the objects of every map.
fn distances(shape: &[usize], draws: &[f64]) -> Vec<f64> {
    let (n, n_dims) = (shape[2], shape[3]);
    let of_map = |map: &[f64]| -> Vec<f64> {
        let distance = |a: usize, b: usize| {
            (0..n_dims).map(|dim| (map[a * n_dims + dim] - map[b * n_dims + dim]).powi(2)).sum::<f64>().sqrt()
        };
        (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).map(|(a, b)| distance(a, b)).collect()
    };
    draws.chunks_exact(n * n_dims).flat_map(of_map).collect()
}

#[test]
fn exported_draws_average_to_the_map_and_raw_ones_do_not() {
    let case = Case::new(12);
    for (run, settings) in [("aligned", ""), ("raw", "--raw-draws")] {
        case.run(&format!("fit matrix.csv --out {run} --dims 3 {settings} {SHORT}")).expect_finished();
        case.run(&format!("export {run} --out {run}-npy")).expect(0, &[]);
        case.run(&format!("export {run} --raw --out {run}-raw")).expect(0, &[]);
    }
    let draws = |directory: &str| read_npy(&case.path(directory).join("draws.npy"));
    let (shape, aligned) = draws("aligned-npy");
    let map = embedding(&case, "aligned", 3);
    assert!(case.summary("aligned")["shown"]["maps"][0].get("central_draw").is_none(), "the case is a plain one");
    assert!(
        largest_gap(&mean_map(&shape, &aligned), &map) < 1e-6,
        "{}",
        largest_gap(&mean_map(&shape, &aligned), &map)
    );
    let (_, raw) = draws("aligned-raw");
    assert!(largest_gap(&mean_map(&shape, &raw), &map) > 0.1, "raw draws are anyhow");
    assert!(largest_gap(&distances(&shape, &aligned), &distances(&shape, &raw)) < 1e-9);
    // How they are stored changes neither the sampler nor what is exported.
    assert!(largest_gap(&draws("raw-raw").1, &raw) < 1e-9);
    assert!(largest_gap(&draws("raw-npy").1, &aligned) < 1e-6);
    for file in ["sigma.npy", "log_likelihood.npy"] {
        let [a, b] = ["aligned-npy", "raw-raw"].map(|directory| read_npy(&case.path(directory).join(file)).1);
        assert_eq!(a, b, "{file}");
    }
    assert_eq!(case.read("aligned/diagnostics.csv"), case.read("raw/diagnostics.csv"));
}

#[test]
fn the_store_says_in_which_frame_its_draws_are() {
    let case = Case::new(12);
    case.run(&format!("fit matrix.csv --out aligned {SHORT}")).expect_finished();
    case.run(&format!("fit matrix.csv --out raw --raw-draws {SHORT}")).expect_finished();
    let frame =
        |run: &str| case.json(&format!("{run}/draws.zarr/posterior/zarr.json"))["attributes"]["x_frame"].clone();
    assert!(frame("aligned").as_str().unwrap().starts_with("aligned: each draw was rotated"), "{}", frame("aligned"));
    assert!(frame("raw").as_str().unwrap().starts_with("raw: as the sampler had it"), "{}", frame("raw"));
    assert!(case.path("aligned/draws.zarr/constant_data/reference").exists());
    assert!(!case.path("raw/draws.zarr/constant_data").exists());
    // A new run with the same settings, with any number of threads, aligns to the same bits.
    case.run(&format!("fit matrix.csv --out again --threads 1 {SHORT}")).expect_finished();
    let reference = |run: &str| files_below(&case.path(&format!("{run}/draws.zarr/constant_data")));
    assert_eq!(reference("aligned"), reference("again"));
    // Chains that start from draws of the prior are aligned, too.
    case.run(&format!("fit matrix.csv --out prior --start prior {SHORT}")).expect_finished();
    assert_eq!(reference("prior"), reference("aligned"));
}

#[test]
fn tables_hold_the_same_numbers_with_names_quoted() {
    let case = Case::new(12);
    let text = matrix(12, dissimilarity).replace("o3", "\"o, \"\"3\"\"\"");
    case.write("matrix.csv", &text);
    case.run(&format!("fit matrix.csv --out run --keep thin:4 --learn-scale {SHORT}")).expect_finished();
    let ended = case.run("export run --format csv --out csv");
    ended.expect(0, &[]);
    assert!(ended.stdout.contains("draws.csv") && ended.stdout.contains("scalars.csv"));
    case.run("export run --out npy").expect(0, &[]);
    let (shape, draws) = read_npy(&case.path("npy/draws.npy"));
    let text = case.read("csv/draws.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.headers().unwrap(), vec!["chain", "draw", "object", "x1", "x2"]);
    let rows: Vec<csv::StringRecord> = reader.records().map(|record| record.unwrap()).collect();
    assert_eq!((rows.len() * 2, &rows[3][2], shape), (draws.len(), "o, \"3\"", vec![2, 30, 12, 2]));
    for (index, row) in rows.iter().enumerate() {
        let (chain, draw) = (index / (30 * 12), index / 12 % 30);
        assert_eq!((&row[0], &row[1]), (&*chain.to_string(), &*draw.to_string()));
        assert_eq!([3, 4].map(|k| row[k].parse::<f64>().unwrap()), [draws[2 * index], draws[2 * index + 1]]);
    }
    let text = case.read("csv/scalars.csv");
    assert!(text.starts_with("chain,draw,sigma,log_likelihood,lambda1,lambda2\n0,0,"), "{text}");
    let sigma = read_npy(&case.path("npy/sigma.npy")).1;
    let column =
        |k: usize| text.lines().skip(1).map(move |line| line.split(',').nth(k).unwrap().parse::<f64>().unwrap());
    assert_eq!(column(2).collect::<Vec<_>>(), sigma);
    assert_eq!(column(3).collect::<Vec<_>>(), read_npy(&case.path("npy/log_likelihood.npy")).1);
}

#[test]
fn runs_without_locations_export_what_they_have_as_tables() {
    let case = Case::new(10);
    case.run(&format!("fit matrix.csv --out run --keep summary {SHORT}")).expect_finished();
    case.run("export run --format csv --out csv").expect(0, &[]);
    assert!(!case.path("csv/draws.csv").exists() && case.path("csv/scalars.csv").exists());
    assert!(!case.path("run/draws.zarr/constant_data").exists());
}

#[test]
fn a_run_that_is_not_finished_exports_draws_aligned_to_each_other() {
    let case = Case::new(12);
    for (run, settings) in [("aligned", ""), ("raw", "--raw-draws")] {
        case.run(&format!("fit matrix.csv --out {run} {settings} {SHORT}")).expect_finished();
        case.run(&format!("export {run} --out whole")).expect(0, &[]);
        std::fs::remove_file(case.path(&format!("{run}/summary.json"))).unwrap();
        case.run(&format!("export {run} --out part"))
            .expect(0, &["is not finished", "there is no map to align them to"]);
        let [(shape, whole), (_, part)] = ["whole", "part"].map(|out| read_npy(&case.path(out).join("draws.npy")));
        assert!(largest_gap(&distances(&shape, &whole), &distances(&shape, &part)) < 1e-9);
        // The mean keeps its size: draws that lie anyhow average to a heap.
        let size = |map: Vec<f64>| map.iter().map(|x| x * x).sum::<f64>().sqrt();
        let share = size(mean_map(&shape, &part)) / size(mean_map(&shape, &whole));
        assert!((0.9..1.1).contains(&share), "{run}: {share}");
    }
}
