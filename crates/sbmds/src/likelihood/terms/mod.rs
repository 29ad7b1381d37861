//! Kernels for terms: measurements that are repeated, weighted, limits or of another noise family (see [`crate::measurement`]).
//!
//! One kernel for each of two standard distributions and four things seen, whatever the dimension: a fraction of what the
//! kernels of pairs take to compile.

mod block;
mod normal;
mod ratio_table;
mod standard;
mod student;

use std::ops::Range;

use rayon::prelude::*;

use self::block::{BLOCK, Gradient, Memory, Point, Terms};
use self::normal::Normal;
use self::ratio_table::RatioTable;
use self::standard::Standard;
pub(crate) use self::student::Nu;
use self::student::Student;
use super::Workspace;
use super::simd::{Double, InstructionSet, Number};

/// What is seen of a measurement; terms are sorted by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Seen {
    /// A number.
    Exact,
    /// That it is less than a limit.
    Below,
    /// That it is more than a limit.
    Above,
    /// That it lies between two.
    Within,
}

impl Seen {
    const ALL: [Self; 4] = [Self::Exact, Self::Below, Self::Above, Self::Within];
}

/// One measurement; numbers and limits are logarithms under log-normal noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) seen: Seen,
    pub(crate) near: u32,
    pub(crate) far: u32,
    /// The number, the limit, or the lower one.
    pub(crate) lower: f64,
    /// The upper limit, if there are two.
    pub(crate) upper: f64,
    pub(crate) weight: f64,
    pub(crate) standard_error: f64,
}

/// How measurements scatter around what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Model {
    /// Student's t instead of the normal distribution.
    pub(crate) student: bool,
    /// Truncated to positive values.
    pub(crate) truncated: bool,
    /// The logarithm of the measurement around the logarithm of the distance.
    pub(crate) logarithmic: bool,
    /// Around the sum of the two objects' levels minus the distance.
    pub(crate) levels: bool,
    /// A known error is the scale, instead of adding to sigma.
    pub(crate) replace_errors: bool,
}

/// Where terms are evaluated.
#[derive(Clone, Copy)]
pub(crate) struct TermPoint<'a> {
    /// Locations, dimension by dimension.
    pub(crate) x: &'a [f64],
    pub(crate) sigma: f64,
    /// Only looked at under Student's t.
    pub(crate) nu: Nu,
    /// What each object adds; empty where distances are measured.
    pub(crate) levels: &'a [f64],
}

/// Where derivatives go; both are overwritten.
pub(crate) struct TermGradient<'a> {
    pub(crate) x: &'a mut [f64],
    pub(crate) levels: &'a mut [f64],
}

/// Sums over terms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TermSums {
    pub(crate) value: f64,
    pub(crate) by_log_sigma: f64,
    pub(crate) by_log_nu: f64,
}

impl std::ops::AddAssign for TermSums {
    fn add_assign(&mut self, other: Self) {
        self.value += other.value;
        self.by_log_sigma += other.by_log_sigma;
        self.by_log_nu += other.by_log_nu;
    }
}

/// The terms, arranged for the kernels: by what is seen, then by objects.
#[derive(Clone, Debug)]
pub(crate) struct TermKernel {
    n_objects: usize,
    n_dims: usize,
    model: Model,
    instruction_set: InstructionSet,
    /// Where the terms of each kind end.
    ends: [usize; 4],
    near: Vec<u32>,
    far: Vec<u32>,
    lower: Vec<f64>,
    /// Of the last kind alone.
    upper: Vec<f64>,
    /// Empty if all are 1.
    weights: Vec<f64>,
    /// Squares; empty if there are none.
    errors: Vec<f64>,
    chunks: Vec<Range<usize>>,
}

/// Terms below which entering the thread pool costs more than it gains.
const SMALLEST_CHUNK: usize = 8_192;
/// Every chunk has a gradient of its own: this many terms per object keep adding them up cheap.
const TERMS_PER_OBJECT: usize = 24;
/// Enough for any machine to balance its load.
const MOST_CHUNKS: usize = 128;

/// Scratch memory of one evaluation.
struct Scratch {
    /// Locations, object by object.
    x: Vec<f64>,
    /// Mills ratio of Student's t, where it is needed.
    table: RatioTable,
    serial: ChunkMemory,
    parallel: Vec<ChunkMemory>,
}

/// What a chunk works with: its block, and its share of the gradient.
struct ChunkMemory {
    block: Box<Memory>,
    x: Vec<f64>,
    levels: Vec<f64>,
    sums: TermSums,
}

impl ChunkMemory {
    fn new() -> Self {
        Self { block: Box::new(Memory::new()), x: Vec::new(), levels: Vec::new(), sums: TermSums::default() }
    }

    fn clear(&mut self, n_objects: usize, n_dims: usize, has_levels: bool) {
        self.x.clear();
        self.x.resize(n_objects * n_dims, 0.0);
        self.levels.clear();
        self.levels.resize(if has_levels { n_objects } else { 0 }, 0.0);
    }

    /// Adds the gradient to the whole.
    fn fold(&self, n_dims: usize, gradient: &mut TermGradient<'_>) {
        let n_objects = self.x.len() / n_dims;
        for (dim, sums) in gradient.x.chunks_exact_mut(n_objects).enumerate() {
            sums.iter_mut().zip(self.x.iter().skip(dim).step_by(n_dims)).for_each(|(sum, part)| *sum += part);
        }
        gradient.levels.iter_mut().zip(&self.levels).for_each(|(sum, part)| *sum += part);
    }
}

impl TermKernel {
    /// Arranges terms of `n_objects` objects in `n_dims` dimensions.
    ///
    /// # Panics
    /// If a term names an object that is not there.
    pub(crate) fn new(n_objects: usize, n_dims: usize, model: Model, mut entries: Vec<Entry>) -> Self {
        assert!(entries.iter().all(|entry| (entry.near.max(entry.far) as usize) < n_objects), "every object is there");
        entries.sort_by_key(|entry| (entry.seen, entry.near, entry.far));
        let ends = Seen::ALL.map(|seen| entries.partition_point(|entry| entry.seen <= seen));
        let is_weighted = entries.iter().any(|entry| entry.weight != 1.0);
        let has_errors = entries.iter().any(|entry| entry.standard_error > 0.0);
        let if_needed = |is_needed: bool, of: fn(&Entry) -> f64| {
            if is_needed { entries.iter().map(of).collect() } else { Vec::new() }
        };
        Self {
            n_objects,
            n_dims,
            model,
            instruction_set: InstructionSet::best(),
            ends,
            near: entries.iter().map(|entry| entry.near).collect(),
            far: entries.iter().map(|entry| entry.far).collect(),
            lower: entries.iter().map(|entry| entry.lower).collect(),
            upper: entries[ends[2]..].iter().map(|entry| entry.upper).collect(),
            weights: if_needed(is_weighted, |entry| entry.weight),
            errors: if_needed(has_errors, |entry| entry.standard_error * entry.standard_error),
            chunks: chunks(entries.len(), n_objects),
        }
    }

    /// The same on another instruction set, which the machine must have.
    pub(crate) fn on(mut self, instruction_set: InstructionSet) -> Self {
        assert!(instruction_set.is_available(), "this machine has no {instruction_set}");
        self.instruction_set = instruction_set;
        self
    }

    /// Sums of all terms; the gradient, if it is wanted. Any number of threads gives the same bits.
    pub(crate) fn evaluate(
        &self,
        workspace: &mut Workspace,
        at: TermPoint<'_>,
        mut gradient: Option<TermGradient<'_>>,
    ) -> TermSums {
        let is_parallel = workspace.is_parallel() && self.chunks.len() > 1;
        let scratch = workspace.scratch.get(|| Scratch {
            x: Vec::new(),
            table: RatioTable::empty(),
            serial: ChunkMemory::new(),
            parallel: Vec::new(),
        });
        let Scratch { x, table, serial, parallel } = scratch;
        self.interleave(at.x, x);
        if self.model.student && (self.model.truncated || self.ends[0] < self.lower.len()) {
            table.update(at.nu);
        }
        let student = Student { nu: at.nu, table };
        let point = Point { x: x.as_slice(), n_dims: self.n_dims, sigma: at.sigma, levels: at.levels };
        if let Some(gradient) = &mut gradient {
            gradient.x.fill(0.0);
            gradient.levels.fill(0.0);
        }
        let is_wanted = gradient.is_some();
        let mut sums = TermSums::default();
        let mut add = |memory: &ChunkMemory| {
            sums += memory.sums;
            if let Some(gradient) = &mut gradient {
                memory.fold(self.n_dims, gradient);
            }
        };
        if is_parallel {
            parallel.resize_with(self.chunks.len(), ChunkMemory::new);
            let pairs = parallel.par_iter_mut().zip(&self.chunks).with_max_len(1);
            pairs.for_each(|(memory, chunk)| self.run_chunk(chunk, point, student, memory, is_wanted));
            parallel.iter().for_each(add);
        } else {
            for chunk in &self.chunks {
                self.run_chunk(chunk, point, student, serial, is_wanted);
                add(serial);
            }
        }
        sums
    }

    fn interleave(&self, x: &[f64], interleaved: &mut Vec<f64>) {
        interleaved.resize(x.len(), 0.0);
        for (dim, x) in x.chunks_exact(self.n_objects).enumerate() {
            interleaved.iter_mut().skip(dim).step_by(self.n_dims).zip(x).for_each(|(to, &x)| *to = x);
        }
    }

    fn run_chunk(
        &self,
        chunk: &Range<usize>,
        at: Point<'_>,
        student: Student<'_>,
        memory: &mut ChunkMemory,
        is_wanted: bool,
    ) {
        if is_wanted {
            memory.clear(self.n_objects, self.n_dims, !at.levels.is_empty());
        }
        let run = Run { kernel: self, chunk, at, student, memory, is_wanted };
        #[cfg(target_arch = "x86_64")]
        {
            if let (InstructionSet::Avx512, Some(s)) = (self.instruction_set, f64::avx512()) {
                // SAFETY: detected on this machine.
                return unsafe { run_avx512(s, run) };
            }
            if let (InstructionSet::Avx2, Some(s)) = (self.instruction_set, f64::avx2()) {
                // SAFETY: detected on this machine.
                return unsafe { run_avx2(s, run) };
            }
        }
        run.on(f64::portable());
    }

    /// The terms of some hundred numbers, all of one kind, from `start` on.
    fn block(&self, start: usize, end: usize) -> Terms<'_> {
        let seen = Seen::ALL[self.ends.partition_point(|&end| end <= start)];
        let end = end.min(self.ends[seen as usize]).min(start + BLOCK);
        let if_there = |values: &'_ [f64]| if values.is_empty() { 0..0 } else { start..end };
        let of_limits = if seen == Seen::Within { start - self.ends[2]..end - self.ends[2] } else { 0..0 };
        Terms {
            seen,
            near: &self.near[start..end],
            far: &self.far[start..end],
            lower: &self.lower[start..end],
            upper: &self.upper[of_limits],
            weights: &self.weights[if_there(&self.weights)],
            errors: &self.errors[if_there(&self.errors)],
        }
    }
}

/// Ranges of terms, fixed by the problem alone.
fn chunks(n_terms: usize, n_objects: usize) -> Vec<Range<usize>> {
    let n_chunks = (n_terms / SMALLEST_CHUNK.max(TERMS_PER_OBJECT * n_objects)).clamp(1, MOST_CHUNKS);
    let start = |chunk: usize| {
        let start = chunk * n_terms / n_chunks;
        if chunk == n_chunks { n_terms } else { start - start % BLOCK }
    };
    (0..n_chunks).map(|chunk| start(chunk)..start(chunk + 1)).collect()
}

/// One chunk to run.
struct Run<'a> {
    kernel: &'a TermKernel,
    chunk: &'a Range<usize>,
    at: Point<'a>,
    student: Student<'a>,
    memory: &'a mut ChunkMemory,
    is_wanted: bool,
}

impl Run<'_> {
    #[inline(always)]
    fn on<S: Double>(self, s: S) {
        if self.kernel.model.student {
            let student = self.student;
            self.with(s, student);
        } else {
            self.with(s, Normal);
        }
    }

    #[inline(always)]
    fn with<S: Double, F: Standard<S>>(self, s: S, standard: F) {
        let Self { kernel, chunk, at, memory, is_wanted, .. } = self;
        let ChunkMemory { block, x, levels, sums } = memory;
        *sums = TermSums::default();
        let mut gradient = Gradient { x, levels };
        let mut start = chunk.start;
        while start < chunk.end {
            let terms = kernel.block(start, chunk.end);
            start += terms.near.len();
            let gradient = is_wanted.then_some(&mut gradient);
            *sums += block.run(s, (standard, kernel.model), &terms, at, gradient);
        }
    }
}

/// # Safety
/// The machine has the named features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn run_avx512<S: Double>(s: S, run: Run<'_>) {
    run.on(s);
}

/// # Safety
/// The machine has the named features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2<S: Double>(s: S, run: Run<'_>) {
    run.on(s);
}
