//! Arrays as NumPy writes them.

/// Rows of numbers as a `.npy` array of doubles.
pub fn npy(rows: &[Vec<f64>]) -> Vec<u8> {
    let shape = format!("({}, {})", rows.len(), rows[0].len());
    let header = format!("{:<117}\n", format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"));
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(rows.iter().flatten().flat_map(|value| value.to_le_bytes()));
    bytes
}
