//! What the tests of the draw store share: a small plan, draws that are a function of chain and index, directory contents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sbmds::Locations;
use sbmds::dissimilarity::Names;
use sbmds::draws::{ChainWriter, Draw, DrawStore, StoreError, StorePlan, Variable};

pub const N_CHAINS: usize = 2;
pub const N_DIMS: usize = 2;

/// Names with everything a string can bring.
pub fn names(n_objects: usize) -> Names {
    let unusual = ["Zürich", "", "a, \"b\"", "東京", "A/Brisbane/10/2007"];
    let name = |k: usize| unusual.get(k).map_or_else(|| format!("object {k}"), |name| name.to_string());
    Names::given((0..n_objects).map(name).collect()).unwrap()
}

/// A new directory, in memory where that is possible: the tests with many checkpoints would mostly wait for syncs.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub fn plan(names: &Names, n_draws: usize) -> StorePlan<'_> {
    StorePlan {
        n_chains: N_CHAINS,
        n_draws,
        names,
        n_dims: N_DIMS,
        keep_x: true,
        reference: None,
        variables: vec![Variable::float("sigma"), Variable::float("lambda").with_axis("dim", N_DIMS)],
        stats: vec![
            Variable::float("lp"),
            Variable::float("log_likelihood"),
            Variable::boolean("diverging"),
            Variable::integer("n_gradients"),
        ],
    }
}

pub fn x(n_objects: usize, chain: usize, draw: usize) -> Locations {
    Locations::from_fn(n_objects, N_DIMS, |object, dim| {
        (1.0 + object as f64).sqrt() * (dim as f64 + 0.3) - (draw as f64) / 7.0 + 1e3 * chain as f64
    })
}

pub fn scalars(chain: usize, draw: usize) -> [f64; 3] {
    let sigma = 0.1 + draw as f64 / 3.0 + chain as f64;
    [sigma, -sigma, 1.0 / sigma]
}

pub fn stats(chain: usize, draw: usize) -> [f64; 4] {
    [-(draw as f64) / 9.0, f64::NEG_INFINITY, f64::from((draw + chain).is_multiple_of(3)), (1 + draw * 20) as f64]
}

pub fn push(writer: &mut ChainWriter, n_objects: usize) -> Result<(), StoreError> {
    let (chain, draw) = (writer.chain(), writer.n_draws());
    let (x, scalars, stats) = (x(n_objects, chain, draw), scalars(chain, draw), stats(chain, draw));
    writer.push(&Draw { x: &x, scalars: &scalars, stats: &stats })
}

/// A store with chunks of `chunk` draws and room for `n_draws`: chunks are never larger than the first plan.
pub fn create(run: &Path, names: &Names, chunk: usize, n_draws: usize) -> DrawStore {
    let mut store = DrawStore::create(run, &plan(names, chunk)).unwrap();
    store.extend_draws(n_draws).unwrap();
    store
}

/// Every file below `directory` with its bytes.
pub fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                let name = path.strip_prefix(directory).unwrap().to_owned();
                files.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// Compares two directories without printing megabytes.
pub fn assert_same_files(left: &Path, right: &Path) {
    let (left, right) = (contents(left), contents(right));
    assert_eq!(left.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>());
    for (name, bytes) in &left {
        assert!(*bytes == right[name], "{} differs", name.display());
    }
}

/// Shape and numbers of a `.npy` file of 64-bit floats, last axis fastest.
pub fn read_npy(path: &Path) -> (Vec<usize>, Vec<f64>) {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let data = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..data]).unwrap();
    assert!(data % 64 == 0 && header.starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': ("), "{header}");
    let shape = header.split(['(', ')']).nth(1).unwrap();
    let shape = shape.split(',').filter_map(|length| length.trim().parse().ok()).collect();
    (shape, bytes[data..].as_chunks().0.iter().map(|&eight| f64::from_le_bytes(eight)).collect())
}
