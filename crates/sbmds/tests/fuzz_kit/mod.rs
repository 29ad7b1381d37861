//! A loop that gives hostile files to every reader of the library: small valid files, mutated by a fixed rule.
#![allow(dead_code)] // The test and the example each use their part.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use rand::RngExt;
use rand::rngs::StdRng;
use sbmds::brownian::Precision;
use sbmds::dissimilarity::{
    self, Dissimilarities, Format, Metric, Names, ReadOptions, read_labels, read_points, read_positions,
};
use sbmds::run::FitConfig;
use sbmds::tree::{Tree, TreeChoice};

/// What a round did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub n_executions: usize,
    pub n_accepted: usize,
}

/// A file and the readers it is meant for.
struct Seed {
    name: &'static str,
    content: Vec<u8>,
}

const MATRIX: &str = ",Berlin,London,Madrid,Paris,Rome\nBerlin,0,0.93,1.87,0.88,1.18\nLondon,0.93,0,1.26,0.34,1.43\n\
                      Madrid,1.87,1.26,0,1.05,\nParis,0.88,0.34,1.05,0,1.11\nRome,1.18,1.43,,1.11,0\n";
const PHYLIP: &str = "5\nBerlin\nLondon  0.93\nMadrid  1.87 1.26\nParis   0.88 0.34 1.05\nRome    1.18 1.43 NA 1.11\n";
const EDGES: &str =
    "from,to,value\nBerlin,London,0.93\nBerlin,Madrid,1.87\nLondon,Madrid,1.26\nMadrid,Paris,1.05\nParis,Rome,1.11\n";
const FEATURES: &str =
    "name,length,width\nBerlin,1.0,2.0\nLondon,1.5,1.0\nMadrid,0.0,2.0\nParis,2.0,2.5\nRome,2.0,0.5\n";
const LABELS: &str = "name,country,size,when\nBerlin,DE,3.6,2001-02-03\nLondon,UK,8.9,2001\nMadrid,ES,3.2,NA\nParis,FR,2.1,\nRome,IT,2.8,x\n";
const NEWICK: &str =
    "((Berlin:0.5,London:0.25)[&rate=1.5,x={1,2}]a:0.5,(Madrid:1,(Paris:0.5,'Rome':0.25):0.125)b:0.75):0;\n";
const NEXUS: &str = "#NEXUS\nbegin trees;\n translate\n 1 Berlin,\n 2 London,\n 3 Madrid,\n 4 Paris,\n 5 Rome;\ntree STATE_0 = [&R] \
                     ((1:0.5,2:0.25):0.5,(3:1,(4:0.5,5:0.25):0.125):0.75);\nend;\n";
const PRECISION: &str = "1.0,0.25\n0.25,2.0\n";

fn seeds() -> Vec<Seed> {
    let text = |name, content: &str| Seed { name, content: content.as_bytes().to_vec() };
    let config = toml_of_defaults();
    vec![
        text("matrix.csv", MATRIX),
        text("matrix.phy", PHYLIP),
        text("edges.csv", EDGES),
        Seed { name: "matrix.npy", content: npy(5, 5, |a, b| a.abs_diff(b) as f64) },
        Seed { name: "features.npy", content: npy(5, 3, |row, column| (row * 7 + column * 3) as f64 % 5.0) },
        text("features.csv", FEATURES),
        text("labels.csv", LABELS),
        text("tree.nwk", NEWICK),
        text("trees.nex", NEXUS),
        text("precision.csv", PRECISION),
        text("config.toml", &config),
    ]
}

fn toml_of_defaults() -> String {
    toml::to_string(&FitConfig::default()).expect("settings can be written")
}

fn npy(n_rows: usize, n_columns: usize, number: impl Fn(usize, usize) -> f64) -> Vec<u8> {
    let header =
        format!("{:<117}\n", format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({n_rows}, {n_columns}), }}"));
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend((0..n_rows * n_columns).flat_map(|k| number(k / n_columns, k % n_columns).to_le_bytes()));
    bytes
}

/// Pieces that parsers stumble over.
const PIECES: [&[u8]; 44] = [
    b"",
    b"\"",
    b"'",
    b",",
    b";",
    b"\t",
    b" ",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"NaN",
    b"inf",
    b"-inf",
    b"1e309",
    b"1e308",
    b"1e150",
    b"1e-320",
    b"-0",
    b"-1",
    b"0",
    b"18446744073709551616",
    b"9223372036854775808",
    b"4294967296",
    b"0x10",
    b"(",
    b")",
    b"[",
    b"]",
    b"[&",
    b"{",
    b"}",
    b":",
    b"=",
    b"NA",
    b"--",
    b"\x1b[31m",
    b"\xe2\x80\xae",
    b"#NEXUS",
    b"translate",
    b"(9223372036854775807, 2)",
    b"|O",
    b"Berlin",
];

fn mutated(rng: &mut StdRng, mut bytes: Vec<u8>, seeds: &[Seed]) -> Vec<u8> {
    for _ in 0..rng.random_range(1..6) {
        let at = rng.random_range(0..=bytes.len());
        let end = (at + rng.random_range(1..40)).min(bytes.len());
        match rng.random_range(0..9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
            1 if at < bytes.len() => bytes[at] = rng.random(),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let part = bytes[at..end].repeat([1, 2, 5, 300][rng.random_range(0..4)]);
                bytes.splice(at..at, part);
            }
            5 => drop(bytes.splice(at..at, PIECES[rng.random_range(0..PIECES.len())].iter().copied())),
            6 => drop(bytes.splice(at..end, PIECES[rng.random_range(0..PIECES.len())].iter().copied())),
            7 => {
                let other = &seeds[rng.random_range(0..seeds.len())].content;
                bytes.truncate(at);
                bytes.extend(&other[rng.random_range(0..other.len())..]);
            }
            _ => replace_number(rng, &mut bytes),
        }
    }
    bytes.truncate(200_000);
    bytes
}

/// Puts another number in the place of one.
fn replace_number(rng: &mut StdRng, bytes: &mut Vec<u8>) {
    let is_digit = |&byte: &u8| byte.is_ascii_digit() || byte == b'.';
    let starts: Vec<usize> =
        (0..bytes.len()).filter(|&k| is_digit(&bytes[k]) && (k == 0 || !is_digit(&bytes[k - 1]))).collect();
    if starts.is_empty() {
        return;
    }
    let start = starts[rng.random_range(0..starts.len())];
    let end = start + bytes[start..].iter().take_while(|byte| is_digit(byte)).count();
    bytes.splice(start..end, PIECES[rng.random_range(12..26)].iter().copied());
}

/// The loop, with its directory for files.
pub struct Fuzz {
    seeds: Vec<Seed>,
    names: Names,
    directory: PathBuf,
    rng: StdRng,
}

impl Fuzz {
    /// Files are written to `directory`; the same seed makes the same files.
    pub fn new(directory: &Path, rng: StdRng) -> Self {
        let names = ["Berlin", "London", "Madrid", "Paris", "Rome"].map(String::from).to_vec();
        let names = Names::given(names).expect("five names");
        Self { seeds: seeds(), names, directory: directory.to_owned(), rng }
    }

    /// Makes one hostile file and gives it to every reader that may get such a file.
    ///
    /// # Panics
    /// If a reader panics or accepts what it must not; the file stays where the message says.
    pub fn once(&mut self, counts: &mut Counts) {
        let seed = &self.seeds[self.rng.random_range(0..self.seeds.len())];
        let content = mutated(&mut self.rng, seed.content.clone(), &self.seeds);
        let path = self.directory.join(seed.name);
        fs::write(&path, &content).expect("the directory for files can be written");
        let metric = [Metric::Euclidean, Metric::SqEuclidean, Metric::Manhattan, Metric::Cosine, Metric::Correlation]
            [self.rng.random_range(0..5)];
        let format = [Format::Auto, Format::Auto, Format::Matrix, Format::Phylip, Format::Npy, Format::Edges]
            [self.rng.random_range(0..6)];
        let survived = catch_unwind(AssertUnwindSafe(|| self.read(&path, seed.name, format, metric)));
        match survived {
            Ok(n_accepted) => {
                counts.n_executions += 1;
                counts.n_accepted += n_accepted;
            }
            Err(_) => {
                let kept = self.directory.join(format!("failed-{}-{}", counts.n_executions, seed.name));
                fs::write(&kept, &content).expect("the directory for files can be written");
                panic!("{} ends a reader (format {format}, metric {metric})", kept.display());
            }
        }
    }

    /// Gives the file to its readers; returns how many took it.
    fn read(&self, path: &Path, name: &str, format: Format, metric: Metric) -> usize {
        let features = name.starts_with("features").then_some(metric);
        let mut n_accepted = 0;
        if name.ends_with(".toml") {
            let text = fs::read_to_string(path).unwrap_or_default();
            return usize::from(toml::from_str::<FitConfig>(&text).is_ok_and(|config| config.check().is_ok()));
        }
        let options = ReadOptions { format, features, ..ReadOptions::default() };
        if let Ok(data) = dissimilarity::read(path, &options) {
            check(&data, features.is_some());
            n_accepted += 1;
        }
        n_accepted += usize::from(read_positions(path, &self.names).is_ok_and(|x| all_finite(x.as_slice())));
        n_accepted += usize::from(read_points(path).is_ok_and(|(_, x)| all_finite(x.as_slice())));
        n_accepted += usize::from(read_labels(path, &self.names).is_ok());
        n_accepted += usize::from(dissimilarity::read_edges(path, &self.names).is_ok());
        n_accepted += usize::from(Precision::read(path, 2).is_ok());
        if let Ok(tree) = Tree::read(path, TreeChoice::Last) {
            n_accepted += usize::from(tree.match_tips(&self.names, true).is_ok());
        }
        n_accepted
    }
}

fn all_finite(numbers: &[f64]) -> bool {
    assert!(numbers.iter().all(|number| number.abs() <= 1e150), "a coordinate beyond 1e150");
    true
}

/// Every value is finite, not negative, and the same in both directions.
fn check(data: &Dissimilarities, is_computed: bool) {
    let n_objects = data.n_objects().min(12);
    for a in 0..n_objects {
        for b in 0..n_objects {
            let value = data.get(a, b);
            assert!(value.is_nan() || value >= 0.0 && value.is_finite(), "{value}");
            assert!(is_computed || value.is_nan() || value <= 1e150, "{value}");
            assert_eq!(value.to_bits(), data.get(b, a).to_bits(), "not symmetric");
        }
    }
}
