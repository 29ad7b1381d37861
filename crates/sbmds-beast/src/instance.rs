//! One likelihood of BEAST: every call of its native interface, without Java.

use std::f64::consts::TAU;
use std::sync::Arc;

use sbmds::Locations;
use sbmds::beast::BeastFlags;
use sbmds::coupling::Position;
use sbmds::likelihood::Workspace;

use crate::CallError;
use crate::observations::Observations;
use crate::state::State;

/// Which objects have dissimilarities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Every object with every other.
    Symmetric(usize),
    /// Every row with every column; the objects are the rows, then the columns.
    Rectangular {
        /// For instance viruses.
        rows: usize,
        /// For instance sera.
        columns: usize,
    },
}

impl Shape {
    pub(crate) fn n_objects(self) -> usize {
        match self {
            Self::Symmetric(n_objects) => n_objects,
            Self::Rectangular { rows, columns } => rows + columns,
        }
    }

    pub(crate) fn n_columns(self) -> usize {
        match self {
            Self::Symmetric(n_objects) => n_objects,
            Self::Rectangular { columns, .. } => columns,
        }
    }

    /// Numbers in the array of dissimilarities.
    fn n_values(self) -> usize {
        match self {
            Self::Symmetric(n_objects) => n_objects * n_objects,
            Self::Rectangular { rows, columns } => rows * columns,
        }
    }

    /// Pairs that BEAST counts by itself, missing ones included; none if it counts what was measured.
    pub(crate) fn n_counted(self) -> Option<usize> {
        match self {
            Self::Symmetric(n_objects) => Some(n_objects * (n_objects - 1) / 2),
            Self::Rectangular { .. } => None,
        }
    }

    /// Where the dissimilarity of two objects is in BEAST's array; of a symmetric one the upper triangle counts.
    pub(crate) fn index(self, a: usize, b: usize) -> usize {
        self.indices(a, b)[0]
    }

    /// Where it is, and where it is once more.
    pub(crate) fn indices(self, a: usize, b: usize) -> [usize; 2] {
        let (low, high) = (a.min(b), a.max(b));
        match self {
            Self::Symmetric(n_objects) => [low * n_objects + high, high * n_objects + low],
            Self::Rectangular { rows, columns } => [low * columns + high - rows; 2],
        }
    }

    fn words(self) -> String {
        match self {
            Self::Symmetric(n_objects) => format!("{n_objects} x {n_objects}"),
            Self::Rectangular { rows, columns } => format!("{rows} x {columns}"),
        }
    }
}

/// How many threads an evaluation may use, if the flags allow several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// As many as the machine has.
    All,
    /// This many.
    Count(usize),
}

/// Moves of single objects whose effects are added up one by one, as a part of all objects: beyond, a sum over all pairs,
/// whose kernels read memory in order, costs less.
const MOST_MOVES: usize = 16;
/// Moves after which the energy is summed over all pairs again, so that rounding errors cannot pile up. For this many moves
/// the sum costs less than they did.
const MOVES_BETWEEN_SUMS: usize = 4096;

/// A likelihood with the state of a chain, and the state to go back to.
pub struct Instance {
    shape: Shape,
    n_dims: usize,
    flags: BeastFlags,
    current: State,
    stored: Option<State>,
    workspace: Workspace,
    pool: Option<rayon::ThreadPool>,
    gradient: Locations,
}

impl Instance {
    /// A likelihood of locations in `n_dims` dimensions, as the number `flags` says.
    pub fn new(shape: Shape, n_dims: usize, flags: i64, threads: Threads) -> Result<Self, CallError> {
        let flags = BeastFlags::from_number(flags)?;
        check_size(shape, n_dims)?;
        if matches!(shape, Shape::Rectangular { .. }) && flags.couplings.is_some() {
            return Err(CallError::new(
                "rows with columns take no sparse couplings",
                "leave the couplings out: -Dmds.required.flags=1",
            ));
        }
        let workspace = if flags.multicore { Workspace::parallel() } else { Workspace::serial() };
        let pool = if flags.multicore { pool(threads)? } else { None };
        let gradient = Locations::zeros(0, n_dims);
        Ok(Self { shape, n_dims, flags, current: State::new(), stored: None, workspace, pool, gradient })
    }

    /// Number of dimensions.
    pub fn n_dims(&self) -> usize {
        self.n_dims
    }

    /// Whether a graphics processor was asked for, which there is not.
    pub fn graphics_asked_for(&self) -> bool {
        self.flags.graphics
    }

    /// Takes the dissimilarities, row by row, NaN for missing. BEAST may send others later.
    pub fn set_pairwise_data(&mut self, values: &[f64]) -> Result<(), CallError> {
        let expected = self.shape.n_values();
        if values.len() != expected {
            let (found, shape) = (values.len(), self.shape.words());
            return Err(wrong_length("setPairwiseData", found, &format!("{shape} = {expected} dissimilarities")));
        }
        let observations = Arc::new(Observations::new(self.shape, self.n_dims, &self.flags, values)?);
        let by_object = self.locations_by_object();
        self.current.locations = observations.order.to_positions(&by_object);
        self.current.observations = Some(observations);
        self.current.forget();
        Ok(())
    }

    /// The map with objects in BEAST's order; at the origin before there is one.
    fn locations_by_object(&self) -> Locations {
        let State { locations, observations, .. } = &self.current;
        match observations {
            _ if locations.n_objects() == 0 => Locations::zeros(self.shape.n_objects(), self.n_dims),
            Some(observations) => observations.order.to_objects(locations),
            None => locations.clone(),
        }
    }

    /// Takes the locations of all objects, or of the object `index` (counted from 0).
    pub fn update_locations(&mut self, index: Option<usize>, values: &[f64]) -> Result<(), CallError> {
        match index {
            None => self.update_all(values),
            Some(index) => self.update_one(index, values),
        }
    }

    fn update_all(&mut self, values: &[f64]) -> Result<(), CallError> {
        let (n_objects, n_dims) = (self.shape.n_objects(), self.n_dims);
        if values.len() != n_objects * n_dims {
            let expected = format!("{n_objects} locations of {n_dims} coordinates");
            return Err(wrong_length("updateLocations", values.len(), &expected));
        }
        let State { locations, observations, .. } = &mut self.current;
        if locations.n_objects() == 0 {
            *locations = Locations::zeros(n_objects, n_dims);
        }
        for dim in 0..n_dims {
            let coordinates = locations.dim_mut(dim);
            for (object, location) in values.chunks_exact(n_dims).enumerate() {
                let position =
                    observations.as_ref().map_or(object, |observations| observations.order.position(object).index());
                coordinates[position] = location[dim];
            }
        }
        self.current.check_locations();
        self.current.forget();
        Ok(())
    }

    fn update_one(&mut self, index: usize, values: &[f64]) -> Result<(), CallError> {
        let n_objects = self.shape.n_objects();
        if index >= n_objects {
            return Err(CallError::new(
                format!("updateLocations: there is no location {index}"),
                format!("count from 0 to {}, or use -1 for all", n_objects - 1),
            ));
        }
        if values.len() != self.n_dims {
            let expected = format!("one location of {} coordinates", self.n_dims);
            return Err(wrong_length("updateLocations", values.len(), &expected));
        }
        if self.current.locations.n_objects() == 0 {
            return Err(CallError::new("updateLocations: one location without the others", "send all with -1 first"));
        }
        let position =
            self.current.observations.as_ref().map_or(index, |observations| observations.order.position(index).index());
        self.current.move_object(position, values);
        Ok(())
    }

    /// Takes the precision, one over the variance of the noise.
    pub fn set_parameters(&mut self, values: &[f64]) -> Result<(), CallError> {
        let &[precision] = values else {
            return Err(wrong_length("setParameters", values.len(), "one precision"));
        };
        // Without truncation the energy is the precision times what is kept.
        if self.flags.truncated && precision != self.current.precision {
            self.current.forget();
        }
        self.current.precision = precision;
        Ok(())
    }

    /// The S with which BEAST computes the log-likelihood, 1/2 (ln tau - ln 2 pi) Nobs - S. It is infinite, so that BEAST
    /// rejects, where there is no density.
    pub fn sum_of_increments(&mut self) -> Result<f64, CallError> {
        let observations = self.observations("getSumOfIncrements")?;
        if !self.current.is_proper() {
            self.current.forget();
            return Ok(f64::INFINITY);
        }
        let energy = self.energy(&observations);
        self.current.energy = Some(energy).filter(|energy| energy.is_finite());
        if energy.is_nan() {
            return Ok(f64::INFINITY);
        }
        let precision = self.current.precision;
        let sum = if self.flags.truncated { energy } else { precision * energy };
        // BEAST counts pairs that are missing or not coupled: what it adds for them is taken off here.
        Ok(sum + observations.n_uncounted as f64 * 0.5 * (precision.ln() - TAU.ln()))
    }

    /// The energy of the current map, by the cheapest way; with truncation at the current precision, else at precision 1.
    fn energy(&mut self, observations: &Observations) -> f64 {
        let sigma = if self.flags.truncated { self.sigma() } else { 1.0 };
        let Self { current, workspace, pool, shape, .. } = self;
        let n_moves = current.moves.len();
        let few = n_moves <= (shape.n_objects() / MOST_MOVES).max(1);
        match current.energy {
            Some(energy) if n_moves == 0 => energy,
            Some(mut energy) if few && current.n_added + n_moves <= MOVES_BETWEEN_SUMS => {
                let (likelihood, partners) = (&observations.likelihood, observations.partners());
                current.replay(|locations, position, to| {
                    let position = Position::new(position);
                    energy -= likelihood.change_when_moved_among(partners, workspace, locations, sigma, position, to);
                });
                current.n_added += n_moves;
                energy
            }
            _ => {
                current.moves.clear();
                current.n_added = 0;
                let locations = current.locations.as_slice();
                inside(pool, || observations.likelihood.energy_at(workspace, locations, sigma))
            }
        }
    }

    fn sigma(&self) -> f64 {
        1.0 / self.current.precision.sqrt()
    }

    /// Writes the derivative of the log-likelihood by all locations, as BEAST lays them out.
    pub fn location_gradient(&mut self, values: &mut [f64]) -> Result<(), CallError> {
        let (n_objects, n_dims) = (self.shape.n_objects(), self.n_dims);
        if values.len() != n_objects * n_dims {
            let expected = format!("{n_objects} locations of {n_dims} coordinates");
            return Err(wrong_length("getLocationGradient", values.len(), &expected));
        }
        let observations = self.observations("getLocationGradient")?;
        if !self.current.is_proper() {
            values.fill(f64::NAN);
            return Ok(());
        }
        let sigma = self.sigma();
        let Self { current, workspace, pool, gradient, .. } = self;
        if gradient.n_objects() == 0 {
            *gradient = Locations::zeros(n_objects, n_dims);
        }
        inside(pool, || observations.likelihood.gradient(workspace, &current.locations, sigma, gradient));
        for (&object, position) in observations.order.iter().zip(0..) {
            for dim in 0..n_dims {
                values[object * n_dims + dim] = gradient.get(position, dim);
            }
        }
        Ok(())
    }

    /// Writes the derivative of the log-likelihood by all dissimilarities: 0 for pairs that are not used, and the same number
    /// for (a, b) and (b, a), because they are one dissimilarity.
    pub fn observation_gradient(&mut self, values: &mut [f64]) -> Result<(), CallError> {
        let expected = self.shape.n_values();
        if values.len() != expected {
            let (found, shape) = (values.len(), self.shape.words());
            return Err(wrong_length("getObservationGradient", found, &format!("{shape} = {expected} derivatives")));
        }
        let observations = self.observations("getObservationGradient")?;
        let State { locations, precision, .. } = &self.current;
        values.fill(0.0);
        observations.for_each_pair(|[near, far], indices, delta| {
            let derivative = precision * (locations.distance(near, far) - delta);
            indices.into_iter().for_each(|index| values[index] = derivative);
        });
        Ok(())
    }

    /// The dissimilarities that are used; NaN for the others, 0 between an object and itself.
    pub fn pairwise_data(&self) -> Result<Vec<f64>, CallError> {
        let observations = self.observations("getPairwiseData")?;
        let mut values = vec![f64::NAN; self.shape.n_values()];
        if let Shape::Symmetric(n_objects) = self.shape {
            values.iter_mut().step_by(n_objects + 1).for_each(|diagonal| *diagonal = 0.0);
        }
        observations.for_each_pair(|_, indices, delta| indices.into_iter().for_each(|index| values[index] = delta));
        Ok(values)
    }

    /// Remembers the current state.
    pub fn store_state(&mut self) {
        self.stored.get_or_insert_with(State::new).copy_from(&self.current);
    }

    /// Goes back to the state that was stored last, dissimilarities included: BEAST X does not send them again.
    pub fn restore_state(&mut self) -> Result<(), CallError> {
        let stored = self.stored.as_ref();
        let stored =
            stored.ok_or_else(|| CallError::new("restoreState: no state is stored", "call storeState first"))?;
        self.current.copy_from(stored);
        Ok(())
    }

    /// Nothing to do: a proposal is kept until it is restored.
    pub fn accept_state(&mut self) {}

    /// The next sum is over all pairs.
    pub fn make_dirty(&mut self) {
        self.current.forget();
    }

    fn observations(&self, call: &str) -> Result<Arc<Observations>, CallError> {
        let missing = || CallError::new(format!("{call}: there are no dissimilarities"), "call setPairwiseData first");
        self.current.observations.clone().ok_or_else(missing)
    }
}

/// Does `work` with the threads of the pool, if there is one.
fn inside<T: Send>(pool: &Option<rayon::ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

fn pool(threads: Threads) -> Result<Option<rayon::ThreadPool>, CallError> {
    let Threads::Count(count) = threads else { return Ok(None) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
    let problem = |error| CallError::new(format!("{count} threads cannot be started: {error}"), "ask for fewer");
    pool.map(Some).map_err(problem)
}

/// Java arrays must hold what BEAST sends.
fn check_size(shape: Shape, n_dims: usize) -> Result<(), CallError> {
    let enough = match shape {
        Shape::Symmetric(n_objects) => n_objects >= 2,
        Shape::Rectangular { rows, columns } => rows >= 1 && columns >= 1,
    };
    if n_dims == 0 || !enough {
        return Err(CallError::new(
            format!("initialize: {} objects in {n_dims} dimensions are no map", shape.words()),
            "use one dimension or more and two objects or more",
        ));
    }
    let fits = |count: Option<usize>| count.is_some_and(|count| count <= i32::MAX as usize);
    let n_values = match shape {
        Shape::Symmetric(n_objects) => n_objects.checked_mul(n_objects),
        Shape::Rectangular { rows, columns } => rows.checked_mul(columns),
    };
    if fits(n_values) && fits(shape.n_objects().checked_mul(n_dims)) {
        return Ok(());
    }
    Err(CallError::new(
        format!("initialize: {} objects in {n_dims} dimensions do not fit into a Java array", shape.words()),
        "use `sbmds fit`, which needs no table of all pairs",
    ))
}

fn wrong_length(call: &str, found: usize, expected: &str) -> CallError {
    CallError::new(format!("{call}: the array has {found} numbers"), format!("pass {expected}"))
}
