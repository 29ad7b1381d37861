//! `sbmds bench` through the built binary: that it runs and says what it should, never how fast.

use std::process::{Command, Output};

use serde_json::Value;

fn bench(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sbmds")).arg("bench").args(arguments.split_whitespace()).output().unwrap()
}

fn json(arguments: &str) -> Value {
    let output = bench(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn is_positive(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number > 0.0 && number.is_finite())
}

#[test]
fn kernels_report_every_timing() {
    let report = json("kernels --objects 320 --couplings band:10 --dims 2 --seconds 0.05 --json");
    let machine = &report["machine"];
    assert!(["avx512", "avx2", "portable"].contains(&machine["instruction_set"].as_str().unwrap()));
    let threads = machine["threads"].as_u64().unwrap();
    assert!(threads >= 1 && machine["cores"].as_u64().unwrap() >= 1);

    let configurations = report["configurations"].as_array().unwrap();
    assert_eq!(configurations.len(), 1);
    let configuration = &configurations[0];
    assert_eq!(configuration["n_objects"], 320);
    assert_eq!(configuration["n_dims"], 2);
    assert_eq!(configuration["couplings"], "band:10");
    assert_eq!(configuration["n_pairs"], 3_145);
    let timings = configuration["timings"].as_array().unwrap();
    let thread_counts = if threads > 1 { vec![1, threads] } else { vec![1] };
    // In both arithmetics.
    assert_eq!(timings.len(), 2 * 3 * thread_counts.len());
    for quantity in ["gradient", "likelihood", "fused"] {
        for &threads in &thread_counts {
            let is_this = |timing: &&Value| timing["quantity"] == quantity && timing["threads"] == threads;
            let timing = timings.iter().find(is_this).unwrap();
            assert!(["ns_per_pair", "plain_ns_per_pair", "ratio"].iter().all(|field| is_positive(&timing[field])));
        }
    }
}

#[test]
fn kernels_compare_couplings_of_one_size_and_say_what_is_left_out() {
    let couplings = "band:5,band:300,dispersed:5,graph:5,landmark:5,full";
    let arguments = format!("--objects 200,400 --couplings {couplings} --dims 1 --seconds 0 --max-pairs 50000");
    let report = json(&format!("kernels {arguments} --json"));
    let pairs: Vec<_> = report["configurations"].as_array().unwrap().iter().map(|c| c["n_pairs"].as_u64()).collect();
    // 200 objects: band:300 is full. 400 objects: band:300 and full have more than 50,000 pairs.
    let expected = [985, 1_000, 985, 985, 19_900, 1_985, 2_000, 1_985, 1_985].map(Some);
    assert_eq!(pairs, expected);
    let skipped: Vec<_> = report["skipped"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    assert_eq!(skipped.len(), 3);
    assert!(skipped[0].contains("band:300 of 200 objects: that is full"));
    assert!(skipped[1].contains("--max-pairs 74850") && skipped[2].contains("--max-pairs 79800"), "{skipped:?}");
    let compared: Vec<_> = report["comparisons"].as_array().unwrap().iter().map(|c| c["what"].as_str()).collect();
    let (of_arithmetics, compared): (Vec<_>, Vec<_>) =
        compared.into_iter().partition(|what| what.is_some_and(|what| what.contains("f64 / f32")));
    assert_eq!(of_arithmetics.len(), expected.len());
    let of_one_size = [Some("dispersed:5 / band:5, 1 thread"), Some("graph:5 / band:5, 1 thread")];
    assert_eq!(compared, [of_one_size, of_one_size].concat());

    let table = String::from_utf8(bench(&format!("kernels {arguments}")).stdout).unwrap();
    for part in
        ["objects  couplings", "landmark:5", "likelihood", "fused", "Gradients against each other", "left out: "]
    {
        assert!(table.contains(part), "{part}: {table}");
    }
}

#[test]
fn memory_reports_pairs_and_builds() {
    let report = json("memory --objects 2000 --couplings dispersed:12 --dims 3 --columns 5 --json");
    assert_eq!((&report["n_objects"], &report["n_dims"]), (&Value::from(2_000), &Value::from(3)));
    assert_eq!((&report["n_pairs"], &report["feature_bytes"]), (&Value::from(24_000), &Value::from(40_000)));
    let built: Vec<_> = report["builds"].as_array().unwrap().iter().map(|build| build["n_pairs"].as_u64()).collect();
    assert_eq!(built, [Some(24_000), Some(12_000), Some(6_000)]);
    if cfg!(target_os = "linux") {
        assert_eq!(report["bytes"]["budget"], 12 * 24_000 + 200 * 2_000);
        assert!(report["bytes"]["peak_building"].is_u64());
    }
}

#[test]
fn nonsense_is_refused() {
    for (arguments, part) in [
        ("kernels --objects 2", "--objects 2"),
        ("kernels --dims 0", "--dims 0"),
        ("kernels --seconds nan", "--seconds"),
        ("kernels --couplings auto", "auto"),
        ("kernels --couplings graph:edges.csv", "graph:B"),
        ("memory --objects 1", "3 objects"),
    ] {
        let output = bench(arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments}");
        assert!(message.contains(part), "{arguments}: {message}");
    }
}

#[test]
fn clusters_report_a_ratio() {
    let report = json("clusters --objects 200,300 --dims 2,3 --min-points 10 --rounds 1 --json");
    let timings = report.as_array().unwrap();
    let sizes: Vec<_> =
        timings.iter().map(|timing| (timing["n_objects"].as_u64(), timing["n_dims"].as_u64())).collect();
    assert_eq!(sizes, [(200, 2), (200, 3), (300, 2), (300, 3)].map(|(n, dims)| (Some(n), Some(dims))));
    assert!(timings.iter().all(|timing| is_positive(&timing["ratio"]) && timing["n_clusters"].is_u64()));
    let table = String::from_utf8(bench("clusters --objects 200 --min-points 10 --rounds 1").stdout).unwrap();
    assert!(table.contains("plain ms") && table.lines().count() == 2, "{table}");
    assert_eq!(bench("clusters --objects 20 --min-points 40").status.code(), Some(2));
}
