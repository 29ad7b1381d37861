//! The dissimilarities BEAST sends, coupled and arranged for the kernels.

use std::sync::OnceLock;

use sbmds::beast::BeastFlags;
use sbmds::coupling::{Coupling, Couplings, ObjectOrder, Pairs, Position, lay};
use sbmds::dissimilarity::{Dissimilarities, Names};
use sbmds::likelihood::{Likelihood, LogLikelihood, Noise, PartnerLists, Storage};

use crate::{CallError, Shape};

/// What was observed, and which pairs of it enter the likelihood.
pub(crate) struct Observations {
    pub likelihood: Likelihood,
    /// The object at each coupling position, and back.
    pub order: ObjectOrder,
    /// Pairs that BEAST counts but the likelihood does not use.
    pub n_uncounted: usize,
    shape: Shape,
    partners: OnceLock<PartnerLists>,
}

impl Observations {
    /// Couples the dissimilarities `values`, as BEAST sends them: row by row, NaN for missing.
    pub fn new(shape: Shape, n_dims: usize, flags: &BeastFlags, values: &[f64]) -> Result<Self, CallError> {
        check_values(shape, values)?;
        let coupling = match shape {
            Shape::Symmetric(n_objects) => symmetric_coupling(n_objects, n_dims, flags, values)?,
            Shape::Rectangular { rows, columns } => rectangular_coupling(rows, columns, values),
        };
        let noise = if flags.truncated { Noise::TruncatedNormal } else { Noise::Normal };
        let storage = if flags.single_precision { Storage::F32 } else { Storage::F64 };
        let Coupling { couplings, order, pairs } = coupling;
        let value = |a: usize, b: usize| values[shape.index(order[a], order[b])];
        let likelihood = Likelihood::new(shape.n_objects(), n_dims, &pairs, noise, storage, value);
        check_connected(&couplings, &likelihood)?;
        let n_uncounted = shape.n_counted().map_or(0, |counted| counted - likelihood.n_pairs());
        Ok(Self { likelihood, order, n_uncounted, shape, partners: OnceLock::new() })
    }

    /// The partners of every object, made for the first object that moves alone: Hamiltonian chains never need them.
    pub fn partners(&self) -> &PartnerLists {
        self.partners.get_or_init(|| self.likelihood.partner_lists())
    }

    /// Calls back with every pair that enters the likelihood, twice: both its coupling positions, the indices of its
    /// dissimilarity as BEAST sends it, and the dissimilarity.
    pub fn for_each_pair(&self, mut visit: impl FnMut([usize; 2], [usize; 2], f64)) {
        for near in 0..self.order.len() {
            self.likelihood.for_each_partner(Position::new(near), |far, delta| {
                let far = far.index();
                visit([near, far], self.shape.indices(self.order[near], self.order[far]), delta);
                true
            });
        }
    }
}

/// Infinite dissimilarities have no likelihood.
fn check_values(shape: Shape, values: &[f64]) -> Result<(), CallError> {
    let Some(at) = values.iter().position(|value| value.is_infinite()) else { return Ok(()) };
    let (row, column) = (at / shape.n_columns() + 1, at % shape.n_columns() + 1);
    Err(CallError::new(
        format!("setPairwiseData: the dissimilarity in row {row}, column {column} is infinite"),
        "write NA for a pair that was not measured",
    ))
}

/// The same couplings as `sbmds eval` and `sbmds fit` make from a table in this order.
fn symmetric_coupling(
    n_objects: usize,
    n_dims: usize,
    flags: &BeastFlags,
    values: &[f64],
) -> Result<Coupling, CallError> {
    let Some(couplings) = &flags.couplings else {
        return Ok(all_pairs(Pairs::full(n_objects)));
    };
    let data = Dissimilarities::from_fn(Names::numbered(n_objects), |a, b| values[a * n_objects + b]);
    lay(couplings, &data, n_dims, &flags.lay).map_err(|error| CallError::from(error.to_string()))
}

/// Rows with columns; what is missing is not even listed.
fn rectangular_coupling(rows: usize, columns: usize, values: &[f64]) -> Coupling {
    let measured = (0..rows * columns).filter(|&at| !values[at].is_nan());
    let pairs = measured.map(|at| ((at / columns) as u32, (rows + at % columns) as u32)).collect();
    all_pairs(Pairs::graph(rows + columns, pairs).expect("rows before columns, in order"))
}

fn all_pairs(pairs: Pairs) -> Coupling {
    Coupling { couplings: Couplings::Full, order: ObjectOrder::given(pairs.n_objects()), pairs }
}

/// Sparse couplings must join all objects. With all pairs, what is missing is the data's affair, as in BEAST.
fn check_connected(couplings: &Couplings, likelihood: &Likelihood) -> Result<(), CallError> {
    if *couplings == Couplings::Full {
        return Ok(());
    }
    let n_components = likelihood.connections().components.len();
    if n_components == 0 {
        return Ok(());
    }
    Err(CallError::new(
        format!("the coupling graph of {couplings} has {n_components} connected components, because pairs are missing"),
        "ask `sbmds beast-flags` for more bands or landmarks, another --seed, or full",
    ))
}
