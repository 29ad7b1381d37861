//! Feature vectors, of which only the dissimilarities that are asked for get computed.

use std::marker::PhantomData;

use rayon::prelude::*;

use super::error::{Fault, FilePosition, InputError};
use super::feature_checks::{check_columns, check_row};
use super::metric::{LANES, Metric, Row, Scaling, dissimilarity};
use super::names::Names;
use super::npy::{Array, Number};

/// Objects checked by one thread at a time.
const BLOCK: usize = 1024;

/// N feature vectors and the metric between them.
pub(super) struct Features {
    n_columns: usize,
    metric: Metric,
    values: Values,
    /// One per object for the metrics that compare directions, else empty.
    scalings: Vec<Scaling>,
}

/// The N x P numbers: in memory row by row, or where they lie in their file.
pub(super) enum Values {
    Rows(Vec<f64>),
    Array(Array),
}

/// What is wrong with a feature vector, and in which column if in one.
pub(super) type RowFault = (Option<usize>, Fault);

impl Features {
    /// The features of `n_objects` objects; `Err` holds the first object that cannot be used.
    pub fn new(values: Values, n_objects: usize, n_columns: usize, metric: Metric) -> Result<Self, (usize, RowFault)> {
        let mut features = Self { n_columns, metric, values, scalings: Vec::new() };
        // Outcomes are looked at in order, so that the error does not depend on the number of threads.
        let blocks: Vec<Result<Vec<Scaling>, (usize, RowFault)>> = (0..n_objects.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| features.check_block(block * BLOCK..((block + 1) * BLOCK).min(n_objects)))
            .collect();
        if metric.is_angular() {
            features.scalings.reserve_exact(n_objects);
        }
        for block in blocks {
            features.scalings.extend(block?);
        }
        Ok(features)
    }

    /// From a mapped array.
    pub fn from_array(file: &str, array: Array, names: &Names, metric: Metric) -> Result<Self, InputError> {
        let array = array.into_floats();
        let (n_objects, n_columns) = (array.n_rows(), array.n_columns());
        check_columns(n_columns, metric).map_err(|fault| fault.at(file, FilePosition::File))?;
        Self::new(Values::Array(array), n_objects, n_columns, metric).map_err(|(object, (column, fault))| {
            let position =
                column.map_or(FilePosition::File, |column| FilePosition::Entry(object as u64, column as u64));
            fault.at(file, position).between([names.get(object)])
        })
    }

    /// The dissimilarity of a and b.
    pub fn get(&self, a: usize, b: usize) -> f64 {
        struct Pair<'f>(&'f Features, [usize; 2]);
        impl Visitor for Pair<'_> {
            type Answer = f64;

            #[inline(always)]
            fn visit<R: Row>(self, row: impl Fn(usize) -> R) -> f64 {
                let Self(features, [a, b]) = self;
                dissimilarity(features.metric, features.n_columns, row(a), row(b), features.scale(a, b))
            }
        }
        self.with_rows(Pair(self, [a, b]))
    }

    fn scale(&self, a: usize, b: usize) -> [Scaling; 2] {
        let unscaled = Scaling { centre: 0.0, inverse_norm: 1.0 };
        [a, b].map(|object| self.scalings.get(object).copied().unwrap_or(unscaled))
    }

    fn check_block(&self, objects: std::ops::Range<usize>) -> Result<Vec<Scaling>, (usize, RowFault)> {
        struct Block<'f>(&'f Features, std::ops::Range<usize>);
        impl Visitor for Block<'_> {
            type Answer = Result<Vec<Scaling>, (usize, RowFault)>;

            fn visit<R: Row>(self, row: impl Fn(usize) -> R) -> Self::Answer {
                let Self(features, objects) = self;
                let mut scalings = Vec::new();
                for object in objects {
                    let checked = check_row(row(object), features.n_columns, features.metric);
                    scalings.extend(checked.map_err(|fault| (object, fault))?);
                }
                Ok(scalings)
            }
        }
        self.with_rows(Block(self, objects))
    }

    /// Hands the rows, in the form they are stored, to code that is compiled for each form.
    #[inline(always)]
    fn with_rows<V: Visitor>(&self, visitor: V) -> V::Answer {
        let n_columns = self.n_columns;
        match &self.values {
            Values::Rows(values) => {
                visitor.visit(|object| Contiguous::<InMemory>::new(&values[object * n_columns..][..n_columns]))
            }
            Values::Array(array) => match (array.number(), array.big_endian()) {
                (Number::F32, false) => with_array::<F32, V>(array, array.data().as_chunks().0, visitor),
                (Number::F32, true) => with_array::<F32Big, V>(array, array.data().as_chunks().0, visitor),
                (_, false) => with_array::<F64, V>(array, array.data().as_chunks().0, visitor),
                (_, true) => with_array::<F64Big, V>(array, array.data().as_chunks().0, visitor),
            },
        }
    }
}

/// Code that works on rows in any form.
trait Visitor {
    type Answer;
    fn visit<R: Row>(self, row: impl Fn(usize) -> R) -> Self::Answer;
}

#[inline(always)]
fn with_array<S: Stored, V: Visitor>(array: &Array, numbers: &[S::Raw], visitor: V) -> V::Answer {
    let (n_rows, n_columns) = (array.n_rows(), array.n_columns());
    if array.column_major() {
        visitor.visit(|object| Strided::<S> { numbers, first: object, stride: n_rows })
    } else {
        visitor.visit(|object| Contiguous::<S>::new(&numbers[object * n_columns..][..n_columns]))
    }
}

/// A number as it is stored, and its value.
trait Stored {
    type Raw: Copy;
    fn widen(raw: Self::Raw) -> f64;
}

macro_rules! stored {
    ($($name:ident: $raw:ty, $widen:expr, $what:literal;)+) => {$(
        #[doc = $what]
        enum $name {}

        impl Stored for $name {
            type Raw = $raw;

            #[inline(always)]
            fn widen(raw: $raw) -> f64 {
                ($widen)(raw)
            }
        }
    )+};
}

stored! {
    InMemory: f64, |raw| raw, "Numbers in memory.";
    F32: [u8; 4], |raw| f64::from(f32::from_le_bytes(raw)), "Little-endian f32 in a file.";
    F64: [u8; 8], f64::from_le_bytes, "Little-endian f64 in a file.";
    F32Big: [u8; 4], |raw| f64::from(f32::from_be_bytes(raw)), "Big-endian f32 in a file.";
    F64Big: [u8; 8], f64::from_be_bytes, "Big-endian f64 in a file.";
}

/// A row in one piece.
struct Contiguous<'f, S: Stored> {
    numbers: &'f [S::Raw],
    stored: PhantomData<S>,
}

impl<'f, S: Stored> Contiguous<'f, S> {
    #[inline(always)]
    fn new(numbers: &'f [S::Raw]) -> Self {
        Self { numbers, stored: PhantomData }
    }
}

impl<S: Stored> Clone for Contiguous<'_, S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Stored> Copy for Contiguous<'_, S> {}

impl<S: Stored> Row for Contiguous<'_, S> {
    #[inline(always)]
    fn get(self, column: usize) -> f64 {
        S::widen(self.numbers[column])
    }

    /// Whole blocks without a bounds check inside: what the compiler turns into vector instructions.
    #[inline(always)]
    fn add_blocks(self, other: Self, _n_columns: usize, term: impl Fn(f64, f64) -> f64) -> [f64; LANES] {
        let mut lanes = [0.0; LANES];
        let (blocks, others) = (self.numbers.as_chunks::<LANES>().0, other.numbers.as_chunks::<LANES>().0);
        for (x, y) in blocks.iter().zip(others) {
            for lane in 0..LANES {
                lanes[lane] += term(S::widen(x[lane]), S::widen(y[lane]));
            }
        }
        lanes
    }
}

/// A row of an array stored column by column.
struct Strided<'f, S: Stored> {
    numbers: &'f [S::Raw],
    first: usize,
    stride: usize,
}

impl<S: Stored> Clone for Strided<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Stored> Copy for Strided<'_, S> {}

impl<S: Stored> Row for Strided<'_, S> {
    #[inline(always)]
    fn get(self, column: usize) -> f64 {
        S::widen(self.numbers[self.first + column * self.stride])
    }
}
