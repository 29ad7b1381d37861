//! Arrays as NumPy saves them (format 1.0), written number by number.

use std::io::{self, Write};

/// A type of numbers that NumPy knows.
pub(crate) trait NpyNumber {
    /// NumPy's name of it.
    const CODE: &'static str;

    /// Writes the number, least significant byte first.
    fn write(self, to: &mut impl Write) -> io::Result<()>;
}

macro_rules! npy_numbers {
    ($($number:ty: $code:literal),*) => {
        $(impl NpyNumber for $number {
            const CODE: &'static str = $code;

            fn write(self, to: &mut impl Write) -> io::Result<()> {
                to.write_all(&self.to_le_bytes())
            }
        })*
    };
}

npy_numbers!(f64: "<f8", i16: "<i2", i32: "<i4", u8: "|u1", u16: "<u2", u32: "<u4");

/// Header and data begin at multiples of this many bytes.
const ALIGNMENT: usize = 64;

/// Writes numbers as an array of that shape, the last axis running fastest.
///
/// # Errors
/// If they cannot be written, or are more or fewer than the shape has room for.
pub(crate) fn write_npy<T: NpyNumber>(
    mut to: impl Write,
    shape: &[usize],
    numbers: impl IntoIterator<Item = io::Result<T>>,
) -> io::Result<()> {
    to.write_all(&header(T::CODE, shape))?;
    let mut n_numbers = 0;
    for number in numbers {
        number?.write(&mut to)?;
        n_numbers += 1;
    }
    if n_numbers != shape.iter().product::<usize>() {
        return Err(io::Error::other(format!("{n_numbers} numbers for an array of shape {shape:?}")));
    }
    to.flush()
}

fn header(code: &str, shape: &[usize]) -> Vec<u8> {
    let lengths: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let mut text = format!("{{'descr': '{code}', 'fortran_order': False, 'shape': ({lengths}), }}");
    let n_before = b"\x93NUMPY\x01\x00".len() + size_of::<u16>();
    // Blanks up to the line feed that ends the header.
    let n_blanks = (n_before + text.len() + 1).next_multiple_of(ALIGNMENT) - (n_before + text.len() + 1);
    text.push_str(&" ".repeat(n_blanks));
    text.push('\n');
    let length = u16::try_from(text.len()).expect("a shape of a few axes").to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_a_header_of_whole_blocks_and_its_numbers() {
        let mut bytes = Vec::new();
        write_npy(&mut bytes, &[2, 3], (0..6_u16).map(Ok)).unwrap();
        let text = "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3, ), }";
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        assert_eq!(std::str::from_utf8(&bytes[10..127]).unwrap().trim_end_matches(' '), text);
        assert_eq!((bytes[127], &bytes[128..]), (b'\n', &[0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0][..]));
        assert!(write_npy(&mut bytes, &[7], (0..6_u16).map(Ok)).is_err(), "one number is missing");
        assert!(write_npy(&mut bytes, &[1], [Err::<f64, _>(io::Error::other("the disk"))]).is_err());
    }
}
