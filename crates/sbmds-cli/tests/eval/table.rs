//! Made-up dissimilarities and locations, written in every format, and what the plain loop says of them.

use sbmds::Locations;
use sbmds::coupling::{self, Coupling, Couplings, LayOptions, Order};
use sbmds::dissimilarity::{Dissimilarities, Names};
use sbmds::likelihood::{Noise, reference};

use crate::array::npy;
use crate::kit::Folder;

/// N objects with names, locations in D dimensions, and dissimilarities; NaN is missing.
pub struct Table {
    pub names: Vec<String>,
    pub x: Vec<Vec<f64>>,
    pub deltas: Vec<Vec<f64>>,
}

impl Table {
    /// Neither the locations nor the dissimilarities have any symmetry that could hide a mix-up.
    pub fn new(n_objects: usize, n_dims: usize) -> Self {
        let x: Vec<Vec<f64>> = (0..n_objects)
            .map(|n| (0..n_dims).map(|d| 2.0 * (1.7 * n as f64 + 2.3 * d as f64 + 0.4).sin()).collect())
            .collect();
        let delta = |a: usize, b: usize| {
            let squares = x[a].iter().zip(&x[b]).map(|(x, y)| (x - y) * (x - y));
            let (low, high) = (a.min(b), a.max(b));
            squares.sum::<f64>().sqrt() * (1.0 + 0.3 * ((7 * low + 3 * high) as f64).sin())
        };
        let deltas = (0..n_objects).map(|a| (0..n_objects).map(|b| delta(a, b)).collect()).collect();
        Self { names: (0..n_objects).map(|n| format!("object/{n}")).collect(), x, deltas }
    }

    pub fn without(mut self, pairs: &[(usize, usize)]) -> Self {
        for &(a, b) in pairs {
            (self.deltas[a][b], self.deltas[b][a]) = (f64::NAN, f64::NAN);
        }
        self
    }

    pub fn n_objects(&self) -> usize {
        self.names.len()
    }

    /// `d.csv` and `x.csv`.
    pub fn folder(&self) -> Folder {
        let in_order: Vec<usize> = (0..self.n_objects()).collect();
        Folder::new().with("d.csv", self.matrix(",", "")).with("x.csv", self.positions(&in_order))
    }

    /// A labelled matrix.
    pub fn matrix(&self, delimiter: &str, corner: &str) -> String {
        let mut text = format!("{corner}{delimiter}{}\n", self.names.join(delimiter));
        for (name, row) in self.names.iter().zip(&self.deltas) {
            text += &format!("{name}{delimiter}{}\n", row.iter().map(written).collect::<Vec<_>>().join(delimiter));
        }
        text
    }

    /// PHYLIP; `n_values` in row k.
    pub fn phylip(&self, n_values: impl Fn(usize) -> usize) -> String {
        let mut text = format!("{}\n", self.n_objects());
        for (k, row) in self.deltas.iter().enumerate() {
            let values: Vec<_> = row[..n_values(k)].iter().map(written).collect();
            text += &format!("{:<10} {}\n", self.names[k], values.join(" "));
        }
        text
    }

    pub fn npy(&self) -> Vec<u8> {
        npy(&self.deltas)
    }

    pub fn edges(&self, pairs: &[(usize, usize)]) -> String {
        let line =
            |&(a, b): &(usize, usize)| format!("{},{},{}\n", self.names[a], self.names[b], written(&self.deltas[a][b]));
        pairs.iter().map(line).collect()
    }

    /// Locations with a header, rows in the given order.
    pub fn positions(&self, order: &[usize]) -> String {
        let header: String = (0..self.x[0].len()).map(|dim| format!(",x{dim}")).collect();
        let row = |&object: &usize| {
            let coordinates: String = self.x[object].iter().map(|value| format!(",{value}")).collect();
            format!("{}{coordinates}\n", self.names[object])
        };
        format!("name{header}\n{}", order.iter().map(row).collect::<String>())
    }

    pub fn all_pairs(&self) -> Vec<(usize, usize)> {
        (0..self.n_objects()).flat_map(|b| (0..b).map(move |a| (a, b))).collect()
    }

    pub fn locations(&self) -> Locations {
        Locations::from_fn(self.n_objects(), self.x[0].len(), |object, dim| self.x[object][dim])
    }

    /// Log-likelihood and gradient of the pairs that are not missing, by the double loop.
    pub fn plain(&self, pairs: &[(usize, usize)], noise: Noise, sigma: f64) -> (f64, Vec<Vec<f64>>) {
        let x = self.locations();
        let mut gradient = Locations::zeros(x.n_objects(), x.n_dims());
        let measured = pairs.iter().map(|&(a, b)| (a, b, self.deltas[a][b])).filter(|(_, _, delta)| !delta.is_nan());
        let value = reference::log_likelihood_and_gradient(measured, noise, &x, sigma, &mut gradient);
        (value, (0..x.n_objects()).map(|object| gradient.object(object)).collect())
    }

    /// The same objects as the library sees them.
    pub fn dissimilarities(&self) -> Dissimilarities {
        Dissimilarities::from_fn(Names::given(self.names.clone()).unwrap(), |a, b| self.deltas[a][b])
    }

    /// The pairs (input order) that the library couples in shuffled order.
    pub fn shuffled_pairs(&self, couplings: &str, seed: u64) -> Vec<(usize, usize)> {
        let couplings: Couplings = couplings.parse().unwrap();
        let options = LayOptions { order: Order::Shuffle, seed, ..Default::default() };
        let Coupling { order, pairs, .. } =
            coupling::lay(&couplings, &self.dissimilarities(), self.x[0].len(), &options).unwrap();
        let coupled = self.all_pairs().into_iter().filter(|&(a, b)| pairs.contains(a, b));
        coupled.map(|(a, b)| (order[a], order[b])).collect()
    }
}

/// All digits; nothing but NA for a missing value.
fn written(value: &f64) -> String {
    if value.is_nan() { "NA".to_owned() } else { value.to_string() }
}
