//! Matrices written in every format the readers know, for round trips and as a start for mutations.

/// A symmetric matrix with names; NaN where a pair is missing.
#[derive(Clone, Debug)]
pub struct Table {
    pub names: Vec<String>,
    pub values: Vec<Vec<f64>>,
}

impl Table {
    pub fn new(names: Vec<String>, dissimilarity: impl Fn(usize, usize) -> f64) -> Self {
        let n = names.len();
        let entry = |a: usize, b: usize| if a == b { 0.0 } else { dissimilarity(a.min(b), a.max(b)) };
        Self { names, values: (0..n).map(|a| (0..n).map(|b| entry(a, b)).collect()).collect() }
    }

    pub fn example() -> Self {
        let names = ["A/Texas/21", "A/Ohio/3", "B", "C"].map(String::from).to_vec();
        Self::new(names, |a, b| if (a, b) == (1, 2) { f64::NAN } else { (10 * a + b) as f64 / 8.0 })
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The entries chosen by `keep`; NaN in place of the others.
    pub fn only(&self, keep: impl Fn(usize, usize) -> bool) -> Self {
        let entry = |a: usize, b: usize| if keep(a, b) { self.values[a][b] } else { f64::NAN };
        let values = (0..self.len()).map(|a| (0..self.len()).map(|b| entry(a, b)).collect()).collect();
        Self { names: self.names.clone(), values }
    }

    /// Rows and columns, of which `keep` chooses the cells that are written.
    fn rows(&self, keep: impl Fn(usize, usize) -> bool, missing: &str) -> Vec<Vec<String>> {
        let cell = |value: &f64| if value.is_nan() { missing.to_owned() } else { value.to_string() };
        self.only(keep).values.iter().map(|row| row.iter().map(cell).collect()).collect()
    }

    /// A labelled matrix; rows in the given order.
    pub fn delimited(&self, delimiter: &str, corner: &str, order: &[usize], keep: fn(usize, usize) -> bool) -> Vec<u8> {
        let rows = self.rows(keep, "");
        let quoted: Vec<String> = self.names.iter().map(|name| quote(name)).collect();
        let mut text = format!("{corner}{delimiter}{}\n", quoted.join(delimiter));
        for &row in order {
            text += &format!("{}{delimiter}{}\n", quoted[row], rows[row].join(delimiter));
        }
        text.into_bytes()
    }

    /// As R's `write.table` does it: blanks, quoted names, no cell above the row names.
    pub fn like_r(&self) -> Vec<u8> {
        let rows = self.rows(|_, _| true, "NA");
        let quoted: Vec<String> = self.names.iter().map(|name| format!("\"{name}\"")).collect();
        let mut text = quoted.join(" ") + "\n";
        for (name, row) in quoted.iter().zip(rows) {
            text += &format!("{name} {}\n", row.join(" "));
        }
        text.into_bytes()
    }

    /// PHYLIP with `width` characters for the name, at most `per_line` values on a line, `n_values` in row k.
    pub fn phylip(&self, width: usize, per_line: usize, n_values: impl Fn(usize) -> usize) -> Vec<u8> {
        let mut text = format!("   {}\n", self.len());
        for (k, row) in self.rows(|_, _| true, "-").iter().enumerate() {
            let values = &row[..n_values(k)];
            let lines: Vec<String> = values.chunks(per_line).map(|line| line.join(" ")).collect();
            text += &format!("{:width$}{}\n", self.names[k], lines.join("\n  "));
        }
        text.into_bytes()
    }

    /// All pairs, the missing ones as NA; every other pair the other way round.
    pub fn edges(&self, header: &str) -> Vec<u8> {
        let mut text = header.to_owned();
        for b in 0..self.len() {
            for a in 0..b {
                let value = match self.values[a][b] {
                    value if value.is_nan() => "NA".to_owned(),
                    value => value.to_string(),
                };
                let (first, second) = if (a + b) % 2 == 0 && a > 0 { (b, a) } else { (a, b) };
                text += &format!("{},{},{value}\n", quote(&self.names[first]), quote(&self.names[second]));
            }
        }
        text.into_bytes()
    }

    /// The numbers as a `.npy` array.
    pub fn npy(&self, code: &str, column_major: bool) -> Vec<u8> {
        npy(code, column_major, &self.values)
    }
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Rows of numbers as a `.npy` array of type `code` (as in NumPy: `<f4`, `>f8`, `|u1`, ...).
pub fn npy(code: &str, column_major: bool, rows: &[Vec<f64>]) -> Vec<u8> {
    let n_columns = rows.first().map_or(0, Vec::len);
    let order = if column_major { "True" } else { "False" };
    let shape = format!("({}, {n_columns})", rows.len());
    let mut bytes = npy_header(&format!("{{'descr': '{code}', 'fortran_order': {order}, 'shape': {shape}, }}"));
    let number = |row: usize, column: usize| encode(code, rows[row][column]);
    if column_major {
        bytes.extend((0..n_columns).flat_map(|column| (0..rows.len()).flat_map(move |row| number(row, column))));
    } else {
        bytes.extend((0..rows.len()).flat_map(|row| (0..n_columns).flat_map(move |column| number(row, column))));
    }
    bytes
}

/// The part of a `.npy` file before the numbers, version 1.0.
pub fn npy_header(dictionary: &str) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let text = format!("{dictionary:<117}\n");
    bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

fn encode(code: &str, value: f64) -> Vec<u8> {
    match code {
        "<f4" => (value as f32).to_le_bytes().to_vec(),
        ">f4" => (value as f32).to_be_bytes().to_vec(),
        "<f8" => value.to_le_bytes().to_vec(),
        ">f8" => value.to_be_bytes().to_vec(),
        "|i1" => (value as i8).to_le_bytes().to_vec(),
        "|u1" | "|b1" => vec![value as u8],
        "<f2" => half(value).to_le_bytes().to_vec(),
        ">f2" => half(value).to_be_bytes().to_vec(),
        "<i2" => (value as i16).to_le_bytes().to_vec(),
        ">u2" => (value as u16).to_be_bytes().to_vec(),
        "<i4" => (value as i32).to_le_bytes().to_vec(),
        ">u4" => (value as u32).to_be_bytes().to_vec(),
        ">i8" => (value as i64).to_be_bytes().to_vec(),
        "<u8" => (value as u64).to_le_bytes().to_vec(),
        _ => unreachable!("{code}"),
    }
}

/// A number of at most 11 bits as a 16-bit float; whatever is not finite as NaN.
fn half(value: f64) -> u16 {
    if !value.is_finite() {
        return 0x7e00;
    }
    if value == 0.0 {
        return 0;
    }
    let exponent = value.log2().floor();
    let fraction = (value / exponent.exp2() - 1.0) * 1024.0;
    ((exponent as i32 + 15) as u16) << 10 | fraction as u16
}

/// A vector as a `.npy` array of one dimension.
pub fn npy_vector(code: &str, values: &[f64]) -> Vec<u8> {
    let shape = values.len();
    let mut bytes = npy_header(&format!("{{'descr': '{code}', 'fortran_order': False, 'shape': ({shape},), }}"));
    bytes.extend(values.iter().flat_map(|&value| encode(code, value)));
    bytes
}

/// The same content, packed by gzip.
pub fn gzip(content: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(content).unwrap();
    packer.finish().unwrap()
}
