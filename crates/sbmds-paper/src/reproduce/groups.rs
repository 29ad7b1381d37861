//! Cells that differ only in the data set, summarised: mean and spread between data sets.

use super::{Cell, Row};

/// A setting over all its data sets.
pub(super) struct Group {
    /// The cell of the first data set.
    pub cell: Cell,
    /// The measured numbers, one list per data set.
    values: Vec<Vec<f64>>,
}

/// Rows by setting, in the order in which settings first come.
pub(super) fn grouped(rows: &[Row]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for row in rows {
        let cell = row.cell.repeated(0);
        match groups.iter_mut().find(|group| group.cell == cell) {
            Some(group) => group.values.push(row.values.clone()),
            None => groups.push(Group { cell, values: vec![row.values.clone()] }),
        }
    }
    groups
}

impl Group {
    /// Number of data sets.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The k-th measured number of every data set.
    pub fn of(&self, k: usize) -> Vec<f64> {
        self.values.iter().map(|values| values[k]).collect()
    }

    /// The mean of the k-th measured number.
    pub fn mean(&self, k: usize) -> f64 {
        self.of(k).iter().sum::<f64>() / self.len() as f64
    }

    /// Its standard deviation between data sets; NaN of one.
    pub fn sd(&self, k: usize) -> f64 {
        let mean = self.mean(k);
        let squares = self.of(k).iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        (squares / (self.len() as f64 - 1.0)).sqrt()
    }

    /// How many standard deviations of one data set the authors' number is off ours, the error of our mean included.
    pub fn deviations(&self, k: usize, authors: f64) -> f64 {
        (authors - self.mean(k)) / (self.sd(k) * (1.0 + 1.0 / self.len() as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::Method;

    #[test]
    fn data_sets_of_one_setting_are_summarised() {
        let cell = Cell::new(10, 0.1, Method::Band, 2);
        let other = Cell::new(10, 0.1, Method::Band, 3);
        let row = |cell: &Cell, repeat, value| Row { cell: cell.repeated(repeat), values: vec![0.0, value] };
        let groups = grouped(&[row(&cell, 0, 1.0), row(&other, 0, 9.0), row(&cell, 1, 3.0), row(&cell, 2, 5.0)]);
        assert_eq!((groups.len(), groups[0].len(), groups[1].len()), (2, 3, 1));
        assert_eq!((groups[0].mean(1), groups[0].sd(1)), (3.0, 2.0));
        assert!((groups[0].deviations(1, 5.0) - (3.0_f64 / 4.0).sqrt()).abs() < 1e-12);
    }
}
