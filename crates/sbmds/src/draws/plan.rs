//! What a store of draws will hold: chains, draws, objects, and the variables with their types and axes.

use super::error::StoreError;
use crate::Locations;
use crate::dissimilarity::Names;

/// The rotation R (D x D) of a stored draw, x = R raw + shift, in the store.
pub(crate) const X_ROTATION: &str = "x_rotation";
/// The shift of a stored draw, in the store: where the origin of the raw draw, which the priors are centred at, has gone.
pub(crate) const X_SHIFT: &str = "x_shift";

/// The type a variable is stored in. Values are always pushed and read as `f64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Dtype {
    /// 64-bit float; draws not yet made are NaN.
    Float,
    /// 64-bit integer; draws not yet made are 0.
    Integer,
    /// Truth value (pushed as 1 or 0); draws not yet made are false.
    Boolean,
}

/// A named axis of a vector or matrix variable. The name `dim` is the axis of the locations' dimensions.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Axis {
    /// Name of the axis, seen by readers of the store.
    pub name: String,
    /// Number of entries.
    pub len: usize,
}

/// A quantity stored once per draw: a scalar, or a small vector or matrix.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Variable {
    /// Name in the store.
    pub name: String,
    /// Stored type.
    pub dtype: Dtype,
    /// Axes after chain and draw; none for a scalar.
    pub axes: Vec<Axis>,
}

impl Variable {
    /// A scalar of the given type.
    pub fn scalar(name: &str, dtype: Dtype) -> Self {
        Self { name: name.into(), dtype, axes: Vec::new() }
    }

    /// A scalar float.
    pub fn float(name: &str) -> Self {
        Self::scalar(name, Dtype::Float)
    }

    /// A scalar integer.
    pub fn integer(name: &str) -> Self {
        Self::scalar(name, Dtype::Integer)
    }

    /// A truth value.
    pub fn boolean(name: &str) -> Self {
        Self::scalar(name, Dtype::Boolean)
    }

    /// The same variable with one more axis.
    pub fn with_axis(mut self, name: &str, len: usize) -> Self {
        self.axes.push(Axis { name: name.into(), len });
        self
    }

    /// Number of values per draw.
    pub fn row_len(&self) -> usize {
        self.axes.iter().map(|axis| axis.len).product()
    }
}

/// Everything that fixes the shape of a store.
#[derive(Clone, Debug)]
pub struct StorePlan<'a> {
    /// Number of chains.
    pub n_chains: usize,
    /// Number of kept draws of each chain; more can be added with [`super::DrawStore::extend_draws`].
    pub n_draws: usize,
    /// The objects, in input order.
    pub names: &'a Names,
    /// Number of dimensions of the map.
    pub n_dims: usize,
    /// Whether the locations themselves are kept (`false`: only the scalars).
    pub keep_x: bool,
    /// The map that the locations are aligned to before they are pushed; `None`: they are pushed as the sampler has them.
    pub reference: Option<&'a Locations>,
    /// Variables of the `posterior` group besides `x`, in the order they are pushed.
    pub variables: Vec<Variable>,
    /// Variables of the `sample_stats` group, in the order they are pushed.
    pub stats: Vec<Variable>,
}

/// Names with a meaning of their own in every group.
const RESERVED: [&str; 5] = ["x", "chain", "draw", "object", "dim"];

/// Bytes of one chunk of locations: large enough that the cost of a file does not show, small enough that the
/// unfinished chunks fit in a checkpoint.
const X_CHUNK_BYTES: usize = 2 << 20;

/// Draws in one chunk of a scalar: 4 kB, one block of most file systems.
const SCALAR_CHUNK_DRAWS: usize = 512;

impl StorePlan<'_> {
    /// Bytes that one draw of one chain takes.
    pub fn bytes_per_draw(&self) -> u64 {
        let of_locations = if self.keep_x { self.names.len() * self.n_dims } else { 0 };
        let of_variables: usize = self.variables.iter().chain(&self.stats).map(Variable::row_len).sum();
        ((of_locations + of_variables) * size_of::<f64>()) as u64
    }

    /// Draws in one chunk of locations.
    pub(super) fn x_chunk_draws(&self) -> usize {
        let bytes_per_draw = self.names.len() * self.n_dims * size_of::<f64>();
        (X_CHUNK_BYTES / bytes_per_draw).clamp(1, self.n_draws)
    }

    /// Draws in one chunk of every other variable.
    pub(super) fn scalar_chunk_draws(&self) -> usize {
        SCALAR_CHUNK_DRAWS.min(self.n_draws)
    }

    /// Refuses what cannot be stored or what Python readers could not open.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        for (what, count) in
            [("chain", self.n_chains), ("draw", self.n_draws), ("object", self.names.len()), ("dimension", self.n_dims)]
        {
            if count == 0 {
                return Err(StoreError::Plan(format!("there is not a single {what}")));
            }
        }
        self.check_group(&self.variables)?;
        self.check_group(&self.stats)
    }

    fn check_group(&self, variables: &[Variable]) -> Result<(), StoreError> {
        for (index, variable) in variables.iter().enumerate() {
            let name = &variable.name;
            if RESERVED.contains(&name.as_str()) || !is_identifier(name) {
                return Err(StoreError::Plan(format!("{name:?} cannot name a variable")));
            }
            if variables[..index].iter().any(|earlier| earlier.name == *name) {
                return Err(StoreError::Plan(format!("two variables are called {name:?}")));
            }
            for (index, axis) in variable.axes.iter().enumerate() {
                if variable.axes[..index].iter().any(|earlier| earlier.name == axis.name) {
                    return Err(StoreError::Plan(format!("{name:?} has two axes called {:?}", axis.name)));
                }
                self.check_axis(axis, variables)?;
            }
        }
        Ok(())
    }

    /// Within a group, one axis name has one length: readers refuse the whole group otherwise.
    fn check_axis(&self, axis: &Axis, variables: &[Variable]) -> Result<(), StoreError> {
        let known = match axis.name.as_str() {
            "dim" => Some(self.n_dims),
            "object" => Some(self.names.len()),
            _ => variables.iter().flat_map(|v| &v.axes).find(|other| other.name == axis.name).map(|other| other.len),
        };
        let misnamed = ["x", "chain", "draw"].contains(&axis.name.as_str())
            || !is_identifier(&axis.name)
            || variables.iter().any(|variable| variable.name == axis.name);
        if misnamed || axis.len == 0 || known != Some(axis.len) {
            return Err(StoreError::Plan(format!("axis {:?} cannot have length {}", axis.name, axis.len)));
        }
        Ok(())
    }
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(names: &Names, variables: Vec<Variable>) -> StorePlan<'_> {
        StorePlan {
            n_chains: 2,
            n_draws: 100,
            names,
            n_dims: 2,
            keep_x: true,
            reference: None,
            variables,
            stats: Vec::new(),
        }
    }

    #[test]
    fn chunks_are_about_two_megabytes_and_never_empty() {
        for (n_objects, n_draws, expected) in [(10_000, 1_000, 13), (1_000_000, 1_000, 1), (10, 100, 100)] {
            let names = Names::numbered(n_objects);
            let plan = StorePlan { n_draws, ..plan(&names, Vec::new()) };
            assert_eq!(plan.x_chunk_draws(), expected, "{n_objects} objects");
        }
    }

    #[test]
    fn unreadable_plans_are_refused() {
        let names = Names::numbered(3);
        let refused = [
            vec![Variable::float("x")],
            vec![Variable::float("a"), Variable::float("a")],
            vec![Variable::float("a/b")],
            vec![Variable::float("a").with_axis("dim", 3)],
            vec![Variable::float("a").with_axis("draw", 100)],
            vec![Variable::float("a").with_axis("k", 2), Variable::float("b").with_axis("k", 3)],
            vec![Variable::float("a").with_axis("a", 2)],
            vec![Variable::float("a").with_axis("dim", 2).with_axis("dim", 2)],
        ];
        for variables in refused {
            assert!(plan(&names, variables.clone()).check().is_err(), "{variables:?}");
        }
        let good = vec![Variable::float("sigma"), Variable::float("lambda").with_axis("dim", 2)];
        assert!(plan(&names, good).check().is_ok());
        assert!(plan(&Names::numbered(0), Vec::new()).check().is_err());
    }
}
