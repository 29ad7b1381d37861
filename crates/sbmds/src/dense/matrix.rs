//! A matrix of numbers, column by column.

use std::ops::{Index, IndexMut};

use crate::numeric::{add_scaled, dot};

/// A dense matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    n_rows: usize,
    n_columns: usize,
    /// Column after column.
    values: Vec<f64>,
}

impl Matrix {
    /// All entries zero.
    pub fn zeros(n_rows: usize, n_columns: usize) -> Self {
        Self { n_rows, n_columns, values: vec![0.0; n_rows * n_columns] }
    }

    /// Ones on the diagonal, zeros elsewhere.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |row, column| f64::from(u8::from(row == column)))
    }

    /// From the entry in each row and column.
    pub fn from_fn(n_rows: usize, n_columns: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let indices = (0..n_columns).flat_map(|column| (0..n_rows).map(move |row| (row, column)));
        Self { n_rows, n_columns, values: indices.map(|(row, column)| entry(row, column)).collect() }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// One column.
    pub fn column(&self, column: usize) -> &[f64] {
        &self.values[column * self.n_rows..][..self.n_rows]
    }

    /// One column, to be changed.
    pub fn column_mut(&mut self, column: usize) -> &mut [f64] {
        &mut self.values[column * self.n_rows..][..self.n_rows]
    }

    /// Two different columns, to be changed together; `first` is left of `second`.
    pub(super) fn two_columns_mut(&mut self, first: usize, second: usize) -> (&mut [f64], &mut [f64]) {
        let (left, right) = self.values.split_at_mut(second * self.n_rows);
        (&mut left[first * self.n_rows..][..self.n_rows], &mut right[..self.n_rows])
    }

    /// All entries, column by column.
    pub fn as_slice(&self) -> &[f64] {
        &self.values
    }

    /// Rows as columns.
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.n_columns, self.n_rows, |row, column| self[(column, row)])
    }

    /// The first columns.
    pub fn first_columns(&self, n_columns: usize) -> Self {
        let values = self.values[..n_columns * self.n_rows].to_vec();
        Self { n_rows: self.n_rows, n_columns, values }
    }

    /// A B.
    pub fn times(&self, right: &Self) -> Self {
        assert_eq!(self.n_columns, right.n_rows, "as many columns as the other has rows");
        let mut product = Self::zeros(self.n_rows, right.n_columns);
        for column in 0..right.n_columns {
            for (k, &factor) in right.column(column).iter().enumerate() {
                add_scaled(product.column_mut(column), factor, self.column(k));
            }
        }
        product
    }

    /// A' B.
    pub fn transposed_times(&self, right: &Self) -> Self {
        assert_eq!(self.n_rows, right.n_rows, "as many rows as the other");
        Self::from_fn(self.n_columns, right.n_columns, |row, column| dot(self.column(row), right.column(column)))
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.column(column)[row]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.column_mut(column)[row]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_definition() {
        let a = Matrix::from_fn(3, 2, |row, column| (row * 2 + column) as f64);
        let b = Matrix::from_fn(2, 4, |row, column| 1.0 + row as f64 - column as f64);
        let entry = |row: usize, column: usize| (0..2).map(|k| a[(row, k)] * b[(k, column)]).sum();
        let expected = Matrix::from_fn(3, 4, entry);
        assert_eq!(a.times(&b), expected);
        assert_eq!(a.transposed().transposed_times(&b), expected);
        assert_eq!(a.first_columns(1).as_slice(), [0.0, 2.0, 4.0]);
        assert_eq!(Matrix::identity(3).times(&a), a);
    }
}
