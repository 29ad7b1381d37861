//! Draws of small fits, pinned by hashes: a change of the code that is not meant to change results must keep every bit.
//!
//! Where a change of bits is meant, CHANGELOG says which and why, and the line that this test prints replaces the old one.
//! The pins hold for the portable instruction set on x86-64 Linux: mathematical functions of other systems round differently.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fmt::Write;

use crate::kit::{Case, dissimilarity, files_below, matrix};
use crate::program::Ended;

/// A fit, what is exported of it, and the hash of that.
struct Pin {
    name: &'static str,
    /// Input and flags.
    fit: &'static str,
    export: &'static str,
    hash: u64,
}

/// The draws as the sampler had them.
const fn raw(name: &'static str, fit: &'static str, hash: u64) -> Pin {
    Pin { name, fit, export: "--raw", hash }
}

/// The draws aligned to the map that is shown.
const fn aligned(name: &'static str, fit: &'static str, hash: u64) -> Pin {
    Pin { name, fit, export: "", hash }
}

#[rustfmt::skip]
const PINS: [Pin; 26] = [
    raw("default", "matrix.csv", 0x53ce389319d06653),
    raw("nuts-dispersed", "matrix.csv --sampler nuts --couplings dispersed:4", 0x6c7eb9d63ff26e4b),
    raw("nuts-landmark-3d", "matrix.csv --sampler nuts --couplings landmark:5 -D 3", 0x056be6b65880e03a),
    raw("nuts-graph", "missing.csv --sampler nuts --couplings graph:graph.csv", 0x03a21e5ea69a28ab),
    raw("nuts-normal-6d", "matrix.csv --sampler nuts --noise normal -D 6 --start prior", 0xbbc9e3f072042059),
    raw("nuts-paper", "matrix.csv --sampler nuts --priors paper --start prior", 0x6feacf732dfeaa9d),
    raw("nuts-standardize", "matrix.csv --sampler nuts --priors paper --standardize --couplings band:4", 0x10dd356211fde223),
    raw("nuts-learned-scale", "matrix.csv --sampler nuts --learn-scale --couplings dispersed:4", 0x66defccc27c729c3),
    raw("nuts-tree", "matrix.csv --sampler nuts --tree tree.nwk", 0x9fa58f13a7d4e8ab),
    raw("jhmc", "matrix.csv --sampler jhmc", 0xbb7916f9e2ba8390),
    raw("jhmc-tree", "matrix.csv --sampler jhmc --tree tree.nwk", 0x17ee42cc8a91fd9c),
    raw("hmc", "matrix.csv --sampler hmc --jitter 0.2 --start prior", 0xea4af84122146d85),
    raw("hmc-paper-band", "matrix.csv --sampler hmc --couplings band:4 --priors paper --paper-adaptation", 0xcd1965256c1e9608),
    raw("hmc-tree-gibbs", "matrix.csv --sampler hmc --tree tree.nwk --trait-precision-update gibbs --priors paper", 0x0c0466e5d1f9bd51),
    raw("mh-f32", "matrix.csv --sampler mh --storage f32 --start prior", 0xfb90278374dd0815),
    raw("mh-tree", "matrix.csv --sampler mh --tree tree.nwk --couplings dispersed:4", 0x42f2b35a314a43ed),
    raw("mwg-dispersed", "matrix.csv --sampler mwg --couplings dispersed:4 --start prior", 0xff65118e14e3270d),
    raw("mwg-tree-gibbs", "matrix.csv --sampler mwg --tree tree.nwk --trait-precision-update gibbs", 0xc80fdd7bc50515b9),
    raw("features", "features.csv --features --metric cosine --sampler nuts --start landmark", 0xac0f120aaf6a764a),
    raw("nuts-f32", "matrix.csv --sampler nuts --arithmetic f32", 0xfa69b40e1dea602a),
    raw("anchored", "matrix.csv --couplings anchored:3", 0x7cfd3b2732ae89b0),
    raw("shrinkage-3d", "matrix.csv --shrinkage half-cauchy -D 3", 0x5f497cd6cbdce7c5),
    raw("weights-student-t", "matrix.csv --weights weights.csv --noise student-t", 0xdde4e8097dd8995d),
    raw("titres-drift", "titers.csv --titers --drift --reading interval", 0x4a1fe4029701e86f),
    aligned("aligned", "matrix.csv --sampler nuts", 0x16b6e6afb3dcb928),
    aligned("aligned-tree-3d", "matrix.csv --sampler hmc --tree tree.nwk -D 3", 0xa49227a6675b6a60),
];

#[test]
fn draws_keep_every_bit() {
    let case = case();
    let mut changed = String::new();
    for Pin { name, fit, export, hash } in PINS {
        let found = hash_of_draws(&case, name, fit, export);
        if found != hash {
            let kind = if export.is_empty() { "aligned" } else { "raw" };
            writeln!(changed, "    {kind}({name:?}, {fit:?}, 0x{found:016x}),").unwrap();
        }
    }
    assert!(changed.is_empty(), "other draws than pinned:\n{changed}");
}

/// Thirteen objects, with all pairs and with some missing; a graph that leaves out every seventh pair; weights of the pairs;
/// vectors of features; a tree of the objects; titres of viruses against sera, some of them limits.
fn case() -> Case {
    let n_objects = 13;
    let case = Case { directory: tempfile::tempdir().unwrap() };
    // Few digits: another rounding of the rule that makes the data must not look like another fit.
    let rounded = |a: usize, b: usize| (dissimilarity(a, b) * 1e4).round() / 1e4;
    case.write("matrix.csv", &matrix(n_objects, rounded));
    case.write("missing.csv", &matrix(n_objects, |a, b| if (a + b) % 11 == 3 { f64::NAN } else { rounded(a, b) }));
    let pairs = (0..n_objects).flat_map(|b| (0..b).map(move |a| (a, b)));
    let graph: String = pairs.filter(|(a, b)| (a + 2 * b) % 7 != 0).map(|(a, b)| format!("o{a},o{b}\n")).collect();
    case.write("graph.csv", &graph);
    case.write("weights.csv", &matrix(n_objects, |a, b| 1.0 + ((a + b) % 3) as f64));
    case.write("titers.csv", &titers());
    let feature = |n: usize, column: usize| ((n * n + 3 * column * n) % 17) as f64 - 6.0;
    let vector = |n: usize| format!("o{n},{},{},{}\n", feature(n, 0), feature(n, 1), feature(n, 2));
    case.write("features.csv", &("name,u,v,w\n".to_owned() + &(0..n_objects).map(vector).collect::<String>()));
    // A caterpillar: every object branches off the line to the later ones.
    let tree = (1..n_objects).fold("o0:0.75".to_owned(), |tree, n| format!("({tree},o{n}:{}):0.5", 0.25 * n as f64));
    case.write("tree.nwk", &(tree + ";\n"));
    case
}

/// Six viruses against four sera of the same years.
fn titers() -> String {
    let mut table = "virus,virusYear,serum,serumYear,titer\n".to_owned();
    for (virus, serum) in (0..6_i32).flat_map(|virus| (0..4_i32).map(move |serum| (virus, serum))) {
        let log2 = 7 - 2 * (virus - serum).abs() + (virus * serum) % 2;
        let titer = if log2 < 0 { "<10".to_owned() } else { (10 << log2).to_string() };
        writeln!(table, "v{virus},{},s{serum},{},{titer}", 1990 + virus, 1990 + serum).unwrap();
    }
    table
}

fn hash_of_draws(case: &Case, name: &str, fit: &str, export: &str) -> u64 {
    let run =
        |arguments: &str| -> Ended { case.command(arguments).env("SBMDS_SIMD", "portable").output().unwrap().into() };
    // Short chains: bits differ from the first wrong iteration on.
    let length = "--chains 2 --warmup 40 --draws 20 --seed 7 --threads 2 --no-report";
    let arithmetic = if fit.contains("--arithmetic") { "" } else { "--arithmetic f64" };
    let kept = if export == "--raw" { "--raw-draws" } else { "" };
    run(&format!("fit {fit} --out {name} {length} {arithmetic} {kept}")).expect_finished();
    run(&format!("export {name} {export} --out {name}-npy")).expect(0, &[]);
    let mut arrays = files_below(&case.path(&format!("{name}-npy")));
    arrays.retain(|path, _| path.extension().is_some_and(|extension| extension == "npy"));
    assert!(arrays.len() >= 3, "{:?}", arrays.keys());
    fnv1a(arrays.into_values().flatten())
}

/// The FNV-1a hash of 64 bits: short, and enough to notice a difference.
fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
