//! The groups and arrays that make up one store.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::error::StoreError;
use super::plan::{Axis, Dtype, StorePlan, Variable};
use super::reference;
use super::shape;
use super::zarr::{ArraySpec, Content, METADATA, ZarrArray, write_json};

/// Name of the store in the directory of a run.
const STORE: &str = "draws.zarr";
const POSTERIOR: &str = "posterior";
const SAMPLE_STATS: &str = "sample_stats";
const PROGRESS: &str = "progress";
/// The group in which ArviZ looks for what does not change from draw to draw.
pub(super) const CONSTANTS: &str = "constant_data";

/// The group attribute that lists the variables in the order they are pushed.
const VARIABLES: &str = "variables";

/// Entries of a chunk of the draw coordinate.
const DRAW_COORDINATE_CHUNK: u64 = 1024;

/// Which axis of every variable counts the draws.
pub(super) const DRAW_AXIS: usize = 1;

/// The store of the run in `run`.
pub(super) fn store_path(run: &Path) -> PathBuf {
    run.join(STORE)
}

/// A variable with the array that holds it.
#[derive(Debug)]
pub(super) struct Stored {
    pub variable: Variable,
    pub array: Arc<ZarrArray>,
}

/// The arrays of a store.
#[derive(Debug)]
pub(super) struct Tree {
    pub path: PathBuf,
    pub x: Option<Arc<ZarrArray>>,
    pub variables: Vec<Stored>,
    pub stats: Vec<Stored>,
    pub progress: Arc<ZarrArray>,
}

impl Tree {
    /// Writes all metadata and coordinates of an empty store at `path`.
    pub(super) fn create(path: &Path, plan: &StorePlan) -> Result<(), StoreError> {
        fs::create_dir_all(path).map_err(StoreError::io("create", path))?;
        write_group(path, json!({}))?;
        for (group, variables) in [(POSTERIOR, &plan.variables), (SAMPLE_STATS, &plan.stats)] {
            let group = path.join(group);
            fs::create_dir_all(&group).map_err(StoreError::io("create", &group))?;
            let names: Vec<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
            let mut attributes = json!({ VARIABLES: names });
            if group.ends_with(POSTERIOR) && plan.keep_x {
                attributes["x_frame"] = reference::frame(plan).into();
            }
            write_group(&group, attributes)?;
            create_numbers(&group, "chain", plan.n_chains)?;
            create_draw_coordinate(&group, plan.n_draws as u64)?;
            variables.iter().try_for_each(|variable| create_variable(&group, plan, variable))?;
        }
        let posterior = path.join(POSTERIOR);
        create_object_names(&posterior, plan)?;
        create_numbers(&posterior, "dim", plan.n_dims)?;
        if plan.keep_x {
            create_x(&posterior, plan)?;
        }
        if let Some(map) = plan.reference {
            let group = path.join(CONSTANTS);
            fs::create_dir_all(&group).map_err(StoreError::io("create", &group))?;
            write_group(&group, json!({}))?;
            create_object_names(&group, plan)?;
            create_numbers(&group, "dim", plan.n_dims)?;
            reference::create(&group, map)?;
        }
        create_progress(&path.join(PROGRESS), plan.n_chains)
    }

    /// Opens the arrays of the store of `run`.
    pub(super) fn open(run: &Path) -> Result<Self, StoreError> {
        let path = store_path(run);
        if !path.join(METADATA).exists() {
            return Err(StoreError::Missing { path });
        }
        let x = path.join(POSTERIOR).join("x");
        let x = if x.exists() { Some(Arc::new(ZarrArray::open(x)?)) } else { None };
        let variables = open_variables(&path.join(POSTERIOR))?;
        let stats = open_variables(&path.join(SAMPLE_STATS))?;
        let progress = Arc::new(ZarrArray::open(path.join(PROGRESS).join("n_draws"))?);
        let tree = Self { path, x, variables, stats, progress };
        shape::check(&tree)?;
        Ok(tree)
    }

    /// The array of a coordinate of the `posterior` group.
    pub(super) fn coordinate(&self, name: &str) -> Result<ZarrArray, StoreError> {
        ZarrArray::open(self.path.join(POSTERIOR).join(name))
    }

    /// Number of draws every array has room for, and the room of the largest: a kill while the store is extended can
    /// leave the two different.
    ///
    /// # Errors
    /// If the arrays differ in another way than [`Tree::enlarge`], which takes them one after the other, can leave them.
    pub(super) fn room(&self) -> Result<(u64, u64), StoreError> {
        let coordinates = self.draw_coordinates()?;
        let rooms: Vec<(&Path, u64)> = coordinates
            .iter()
            .map(|array| (array.directory(), array.shape()[0]))
            .chain(self.drawn_arrays().map(|array| (array.directory(), array.shape()[DRAW_AXIS])))
            .collect();
        let (largest, smallest) = (rooms[0].1, rooms[rooms.len() - 1].1);
        let is_left_by_a_kill = |&&(_, room): &&(&Path, u64)| room == largest || room == smallest;
        match rooms.iter().find(|room| !is_left_by_a_kill(room)).or_else(|| unsorted(&rooms)) {
            Some((path, room)) => {
                let what = format!("it has room for {room} draws, other arrays for {}", largest.max(smallest));
                Err(StoreError::damaged(path)(what))
            }
            None => Ok((smallest, largest)),
        }
    }

    /// The coordinates that count the draws.
    pub(super) fn draw_coordinates(&self) -> Result<Vec<ZarrArray>, StoreError> {
        let open = |group: &str| {
            let draw = ZarrArray::open(self.path.join(group).join("draw"))?;
            shape::has_axes(&draw, 1)?;
            Ok(draw)
        };
        [POSTERIOR, SAMPLE_STATS].into_iter().map(open).collect()
    }

    /// Number of draws of `chain` that are on disk in every array.
    pub(super) fn n_readable(&self, chain: usize) -> Result<usize, StoreError> {
        Ok(self.progress.read_numbers(&[chain as u64])?.first().map_or(0, |&number| number as usize))
    }

    /// Makes room for `n_draws` draws everywhere; what is already large enough stays.
    pub(super) fn enlarge(&self, n_draws: u64) -> Result<(), StoreError> {
        for draw in self.draw_coordinates()? {
            write_draw_numbers(&draw, n_draws)?;
            draw.enlarge(0, n_draws)?;
        }
        self.drawn_arrays()
            .try_for_each(|array| ZarrArray::open(array.directory().to_owned())?.enlarge(DRAW_AXIS, n_draws))
    }

    /// The arrays with draws, in the order in which they are enlarged.
    pub(super) fn drawn_arrays(&self) -> impl Iterator<Item = &ZarrArray> {
        let stored = self.variables.iter().chain(&self.stats).map(|stored| &stored.array);
        self.x.iter().chain(stored).map(Arc::as_ref)
    }
}

/// The first array that has more room than one before it.
fn unsorted<'a>(rooms: &'a [(&'a Path, u64)]) -> Option<&'a (&'a Path, u64)> {
    rooms.windows(2).find(|pair| pair[0].1 < pair[1].1).map(|pair| &pair[1])
}

fn write_group(directory: &Path, attributes: Value) -> Result<(), StoreError> {
    let mut group = json!({ "zarr_format": 3, "node_type": "group", "attributes": {
        "created_by": "sbmds",
        "version": env!("CARGO_PKG_VERSION"),
        "inference_library": "sbmds",
        "inference_library_version": env!("CARGO_PKG_VERSION"),
    }});
    if let (Value::Object(all), Value::Object(own)) = (&mut group["attributes"], attributes) {
        all.extend(own);
    }
    write_json(&directory.join(METADATA), &group)
}

/// A coordinate that counts 0, 1, ...
fn create_numbers(group: &Path, name: &str, len: usize) -> Result<(), StoreError> {
    let content = Content::Number(Dtype::Integer);
    let spec = ArraySpec { shape: vec![len as u64], chunk: vec![len as u64], axes: vec![name], content };
    let numbers: Vec<i64> = (0..len as i64).collect();
    ZarrArray::create(group.join(name), spec)?.write_chunk(&[0], &numbers)?;
    Ok(())
}

fn create_draw_coordinate(group: &Path, n_draws: u64) -> Result<(), StoreError> {
    let content = Content::Number(Dtype::Integer);
    let spec = ArraySpec { shape: vec![n_draws], chunk: vec![DRAW_COORDINATE_CHUNK], axes: vec!["draw"], content };
    write_draw_numbers(&ZarrArray::create(group.join("draw"), spec)?, n_draws)
}

/// Counts on to the end of the last chunk, beyond the shape, so that extending never has to change a chunk.
fn write_draw_numbers(draw: &ZarrArray, n_draws: u64) -> Result<(), StoreError> {
    let len = draw.chunk_len(0) as u64;
    for chunk in 0..n_draws.div_ceil(len) {
        let numbers: Vec<i64> = (chunk * len..(chunk + 1) * len).map(|number| number as i64).collect();
        draw.write_chunk(&[chunk], &numbers)?;
    }
    Ok(())
}

fn create_object_names(group: &Path, plan: &StorePlan) -> Result<(), StoreError> {
    let names: Vec<String> = plan.names.iter().map(|name| name.into_owned()).collect();
    let len = names.len() as u64;
    let spec = ArraySpec { shape: vec![len], chunk: vec![len], axes: vec!["object"], content: Content::Text };
    ZarrArray::create(group.join("object"), spec)?.write_chunk(&[0], &names)?;
    Ok(())
}

fn create_variable(group: &Path, plan: &StorePlan, variable: &Variable) -> Result<(), StoreError> {
    let mut shape = vec![plan.n_chains as u64, plan.n_draws as u64];
    let mut chunk = vec![1, plan.scalar_chunk_draws() as u64];
    let mut axes = vec!["chain", "draw"];
    for axis in &variable.axes {
        shape.push(axis.len as u64);
        chunk.push(axis.len as u64);
        axes.push(&axis.name);
    }
    let spec = ArraySpec { shape, chunk, axes, content: Content::Number(variable.dtype) };
    ZarrArray::create(group.join(&variable.name), spec).map(drop)
}

fn create_x(group: &Path, plan: &StorePlan) -> Result<(), StoreError> {
    let (n_objects, n_dims) = (plan.names.len() as u64, plan.n_dims as u64);
    let spec = ArraySpec {
        shape: vec![plan.n_chains as u64, plan.n_draws as u64, n_objects, n_dims],
        chunk: vec![1, plan.x_chunk_draws() as u64, n_objects, n_dims],
        axes: vec!["chain", "draw", "object", "dim"],
        content: Content::Number(Dtype::Float),
    };
    ZarrArray::create(group.join("x"), spec).map(drop)
}

fn create_progress(group: &Path, n_chains: usize) -> Result<(), StoreError> {
    fs::create_dir_all(group).map_err(StoreError::io("create", group))?;
    write_group(group, json!({}))?;
    let spec = ArraySpec {
        shape: vec![n_chains as u64],
        chunk: vec![1],
        axes: vec!["chain"],
        content: Content::Number(Dtype::Integer),
    };
    let progress = ZarrArray::create(group.join("n_draws"), spec)?;
    (0..n_chains as u64).try_for_each(|chain| progress.write_chunk(&[chain], &[0_i64]).map(drop))
}

fn open_variables(group: &Path) -> Result<Vec<Stored>, StoreError> {
    let path = group.join(METADATA);
    let json = fs::read(&path).map_err(StoreError::io("read", &path))?;
    let metadata: Value = serde_json::from_slice(&json).map_err(StoreError::damaged(&path))?;
    let names: Vec<String> =
        serde_json::from_value(metadata["attributes"][VARIABLES].clone()).map_err(StoreError::damaged(&path))?;
    names.into_iter().map(|name| open_variable(group, name)).collect()
}

fn open_variable(group: &Path, name: String) -> Result<Stored, StoreError> {
    let array = ZarrArray::open(group.join(&name))?;
    if array.shape().len() <= DRAW_AXIS {
        return Err(StoreError::damaged(array.directory())("no axis for the draws"));
    }
    let axes = (DRAW_AXIS + 1..array.shape().len())
        .map(|axis| Axis { name: array.axis_name(axis).into(), len: array.shape()[axis] as usize })
        .collect();
    let variable = Variable { name, dtype: array.dtype()?, axes };
    Ok(Stored { variable, array: Arc::new(array) })
}
