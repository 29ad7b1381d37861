//! NumPy `.npy` arrays, in memory or, if large, memory-mapped: the header, and single numbers of the data.
//!
//! The header is read here rather than by a crate because it must survive any bytes: sizes that overflow,
//! nesting without end, lengths beyond the file.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

use super::error::{Fault, FilePosition, InputError, shortened};
use super::in_memory::SharedBytes;
use super::text::{Source, empty, unreadable};

/// What every `.npy` file begins with.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// A two-dimensional array of numbers, as it lies in its file.
pub(crate) struct Array {
    bytes: Bytes,
    layout: Layout,
}

/// The bytes of a file, mapped or in memory.
enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
    /// Of somebody else.
    Shared(SharedBytes),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
            Self::Shared(bytes) => (**bytes).as_ref(),
        }
    }
}

/// What the header says.
#[derive(Clone, Copy, Debug)]
struct Layout {
    data_start: usize,
    number: Number,
    big_endian: bool,
    column_major: bool,
    n_rows: usize,
    n_columns: usize,
    is_vector: bool,
}

/// The kinds of numbers an array may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    /// Halves, the 16-bit floats of NumPy.
    F16,
}

impl Number {
    fn n_bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::F16 | Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    fn from_code(code: &str) -> Option<Self> {
        Some(match code {
            "f2" => Self::F16,
            "f4" => Self::F32,
            "f8" => Self::F64,
            "i1" => Self::I8,
            "i2" => Self::I16,
            "i4" => Self::I32,
            "i8" => Self::I64,
            "u1" | "b1" => Self::U8,
            "u2" => Self::U16,
            "u4" => Self::U32,
            "u8" => Self::U64,
            _ => return None,
        })
    }
}

impl Array {
    /// Takes the file whose beginning `source` has read into memory, or maps it if it is too large for that and neither packed
    /// nor a pipe.
    pub(super) fn open(source: Source<'_>) -> Result<Self, InputError> {
        let file = source.file;
        if let Some(fault) = super::looks::binary(&source.head).filter(|_| !source.head.starts_with(MAGIC)) {
            return Err(fault.at(file, FilePosition::File));
        }
        let bytes = match (source.plain_file().filter(|_| !fits_in_memory(source.size)), source.delivered()) {
            (Some(path), _) => {
                Bytes::Mapped(map(path).map_err(|error| unreadable(&error).at(file, FilePosition::File))?)
            }
            (None, Some(bytes)) => Bytes::Shared(bytes),
            (None, None) => Bytes::Owned(source.into_bytes()?),
        };
        Self::new(bytes).map_err(|fault| fault.at(file, FilePosition::File))
    }

    /// An array that this program wrote; the error says what is wrong with it.
    pub fn open_file(path: &Path) -> io::Result<Result<Self, String>> {
        let size = std::fs::metadata(path)?.len();
        let bytes = if fits_in_memory(size) { Bytes::Owned(std::fs::read(path)?) } else { Bytes::Mapped(map(path)?) };
        Ok(Self::new(bytes).map_err(|fault| fault.problem))
    }

    /// Numbers in memory, row by row, in the order of bytes of this machine.
    pub(super) fn shared(bytes: SharedBytes, number: Number, n_rows: usize, n_columns: usize) -> Result<Self, Fault> {
        let n_numbers = (*bytes).as_ref().len() / number.n_bytes();
        if n_rows.checked_mul(n_columns) != Some(n_numbers) {
            let problem = format!("{n_numbers} numbers are not {n_rows} rows of {n_columns}");
            return Err(Fault::new(problem, "give one row per object"));
        }
        let big_endian = cfg!(target_endian = "big");
        let layout =
            Layout { data_start: 0, number, big_endian, column_major: false, n_rows, n_columns, is_vector: false };
        Ok(Self { bytes: Bytes::Shared(bytes), layout })
    }

    fn new(bytes: Bytes) -> Result<Self, Fault> {
        let layout = Layout::parse(&bytes)?;
        Ok(Self { bytes, layout })
    }

    pub fn n_rows(&self) -> usize {
        self.layout.n_rows
    }

    pub fn n_columns(&self) -> usize {
        self.layout.n_columns
    }

    pub(super) fn number(&self) -> Number {
        self.layout.number
    }

    pub fn big_endian(&self) -> bool {
        self.layout.big_endian
    }

    /// Whether columns, not rows, lie in one piece (NumPy's `fortran_order`).
    pub fn column_major(&self) -> bool {
        self.layout.column_major
    }

    /// The bytes of the numbers, without the header.
    pub fn data(&self) -> &[u8] {
        &self.bytes[self.layout.data_start..]
    }

    /// The number in `row` and `column`.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let Layout { column_major, n_rows, n_columns, .. } = self.layout;
        self.number_at(if column_major { column * n_rows + row } else { row * n_columns + column })
    }

    fn number_at(&self, index: usize) -> f64 {
        macro_rules! widened {
            ($number:ty) => {{
                let raw = self.data().as_chunks::<{ size_of::<$number>() }>().0[index];
                (if self.layout.big_endian { <$number>::from_be_bytes(raw) } else { <$number>::from_le_bytes(raw) })
                    as f64
            }};
        }
        match self.layout.number {
            Number::F32 => widened!(f32),
            Number::F64 => widened!(f64),
            Number::I8 => widened!(i8),
            Number::I16 => widened!(i16),
            Number::I32 => widened!(i32),
            Number::I64 => widened!(i64),
            Number::U8 => widened!(u8),
            Number::U16 => widened!(u16),
            Number::U32 => widened!(u32),
            Number::U64 => widened!(u64),
            Number::F16 => {
                let raw = self.data().as_chunks::<2>().0[index];
                let bits = if self.layout.big_endian { u16::from_be_bytes(raw) } else { u16::from_le_bytes(raw) };
                half_to_f64(bits)
            }
        }
    }

    /// The same numbers as 32- or 64-bit floats, whichever holds them exactly (64-bit whole numbers are rounded); arrays of
    /// such floats stay where they lie, others come into memory.
    pub fn into_floats(self) -> Self {
        let number = match self.layout.number {
            Number::F32 | Number::F64 => return self,
            Number::F16 | Number::I8 | Number::U8 | Number::I16 | Number::U16 => Number::F32,
            Number::I32 | Number::U32 | Number::I64 | Number::U64 => Number::F64,
        };
        let numbers = (0..self.n_rows() * self.n_columns()).map(|index| self.number_at(index));
        let bytes = match number {
            Number::F32 => numbers.flat_map(|number| (number as f32).to_le_bytes()).collect(),
            _ => numbers.flat_map(f64::to_le_bytes).collect(),
        };
        Self { bytes: Bytes::Owned(bytes), layout: Layout { data_start: 0, number, big_endian: false, ..self.layout } }
    }

    /// Whether the array has one dimension, of which each number makes a row.
    pub fn is_vector(&self) -> bool {
        self.layout.is_vector
    }
}

/// The value of a half: sign, 5 bits of exponent, 10 bits of fraction (IEEE 754).
fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2_f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
    }
}

/// Bytes of the largest file that is read as a whole.
const LARGEST_READ: u64 = 1 << 30;

/// Whether a file is to be read as a whole. That is safe whatever happens to the file meanwhile; a mapped file that somebody
/// cuts short ends the program with SIGBUS, so that only what is too large for memory is mapped.
fn fits_in_memory(size: u64) -> bool {
    size <= LARGEST_READ && crate::machine::available_memory().is_none_or(|available| size <= available / 2)
}

fn map(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: the map is only ever read, byte by byte, so any content is valid. Someone who cuts the file short while
    // it is in use can stop the program (as with every mapped file) but not make it read foreign memory.
    unsafe { Mmap::map(&file) }
}

impl Layout {
    fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        if bytes.is_empty() {
            return Err(empty());
        }
        let (header, data_start) = header(bytes).ok_or_else(|| corrupt("it does not begin with a .npy header"))?;
        let (number, big_endian) = parse_number_type(header)?;
        let column_major = match field(header, "fortran_order") {
            Some(value) if value.starts_with("True") => true,
            Some(value) if value.starts_with("False") => false,
            _ => return Err(corrupt("its header has no valid 'fortran_order'")),
        };
        let (n_rows, n_columns, is_vector) = parse_shape(header)?;
        let layout = Self { data_start, number, big_endian, column_major, n_rows, n_columns, is_vector };
        layout.check_size(bytes.len() - data_start)?;
        Ok(layout)
    }

    fn check_size(&self, n_given: usize) -> Result<(), Fault> {
        let n_numbers = self.n_rows as u128 * self.n_columns as u128;
        let n_promised = n_numbers.saturating_mul(self.number.n_bytes() as u128);
        if n_promised == n_given as u128 {
            return Ok(());
        }
        let found = if n_promised > n_given as u128 { "truncated" } else { "longer than its header says" };
        Err(corrupt(&format!(
            "it is {found}: {} x {} numbers take {n_promised} bytes, the file holds {n_given}",
            self.n_rows, self.n_columns
        )))
    }
}

/// The text of the header and where the data begin.
fn header(bytes: &[u8]) -> Option<(&str, usize)> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (length, start): (usize, usize) = match *rest {
        [1, _, a, b, ..] => (u16::from_le_bytes([a, b]) as usize, 10),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([a, b, c, d]) as usize, 12),
        _ => return None,
    };
    let text = bytes.get(start..start.checked_add(length)?)?;
    Some((std::str::from_utf8(text).ok()?, start + length))
}

/// What follows `'key':` in a header, which is a flat Python dictionary.
fn field<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let start = header.find(&format!("'{key}'"))? + key.len() + 2;
    Some(header[start..].trim_start().strip_prefix(':')?.trim_start())
}

fn parse_number_type(header: &str) -> Result<(Number, bool), Fault> {
    let value = field(header, "descr").ok_or_else(|| corrupt("its header has no 'descr'"))?;
    // Records have a list here.
    let code = value.strip_prefix('\'').and_then(|rest| rest.split('\'').next()).unwrap_or("records");
    let big_endian = code.starts_with('>');
    match Number::from_code(code.trim_start_matches(['<', '>', '|', '='])) {
        Some(number) => Ok((number, big_endian)),
        None => Err(Fault::new(
            format!("the array holds \"{}\", not real numbers of a common size", shortened(code)),
            "save it as numbers, for example with: np.save(file, array.astype(\"float64\"))",
        )),
    }
}

/// Rows, columns, and whether there is one dimension only.
fn parse_shape(header: &str) -> Result<(usize, usize, bool), Fault> {
    let broken = || corrupt("its header has no valid 'shape'");
    let value = field(header, "shape").and_then(|value| value.strip_prefix('(')).ok_or_else(broken)?;
    let (value, _) = value.split_once(')').ok_or_else(broken)?;
    let lengths = value.split(',').map(str::trim).filter(|length| !length.is_empty());
    let lengths: Vec<usize> = lengths.map(|length| length.parse().map_err(|_| broken())).collect::<Result<_, _>>()?;
    match lengths[..] {
        [n_rows, n_columns] => Ok((n_rows, n_columns, false)),
        [n_rows] => Ok((n_rows, 1, true)),
        _ => Err(Fault::new(
            format!("the array has shape ({}), not one or two dimensions", shortened(value)),
            "save a two-dimensional array, objects x objects or objects x values, or a condensed vector",
        )),
    }
}

fn corrupt(what: &str) -> Fault {
    Fault::new(format!("this is not a whole .npy array: {what}"), "write the file again with np.save(file, array)")
}
