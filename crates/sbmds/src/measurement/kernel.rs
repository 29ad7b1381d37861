//! Terms as the kernels take them.

use super::family::Family;
use super::student;
use super::terms::{KnownErrors, Quantity, Terms};
use crate::dissimilarity::{Observation, Term};
use crate::likelihood::terms::{Entry, Model, Nu, Seen, TermKernel};

impl Terms {
    /// The same terms, arranged for the kernels, in `n_dims` dimensions.
    pub(super) fn kernel(&self, n_dims: usize) -> TermKernel {
        let family = self.family();
        let model = Model {
            student: family.has_nu(),
            truncated: matches!(family, Family::TruncatedNormal | Family::TruncatedStudentT),
            logarithmic: family == Family::LogNormal,
            levels: self.quantity() == Quantity::Level,
            replace_errors: self.known_errors() == KnownErrors::Replace,
        };
        let entries = self.terms().iter().filter_map(|term| entry(model, term)).collect();
        TermKernel::new(self.n_objects(), n_dims, model, entries)
    }
}

/// One term; `None` if it says nothing.
fn entry(model: Model, term: &Term) -> Option<Entry> {
    let seen = match (model.truncated || model.logarithmic, term.seen) {
        (true, Observation::Above(limit)) if limit <= 0.0 => return None,
        (true, Observation::Below(limit)) if model.truncated => Observation::Within(0.0, limit),
        (true, Observation::Within(lower, upper)) if lower <= 0.0 && model.logarithmic => Observation::Below(upper),
        (true, Observation::Within(lower, upper)) => Observation::Within(lower.max(0.0), upper),
        (_, seen) => seen,
    };
    let seen = if model.logarithmic { seen.map(f64::ln) } else { seen };
    let (seen, lower, upper) = match seen {
        Observation::Exact(value) => (Seen::Exact, value, value),
        Observation::Below(limit) => (Seen::Below, limit, limit),
        Observation::Above(limit) => (Seen::Above, limit, limit),
        Observation::Within(lower, upper) => (Seen::Within, lower, upper),
    };
    let Term { near, far, weight, standard_error, .. } = *term;
    Some(Entry { seen, near, far, lower, upper, weight, standard_error })
}

/// What the kernels need to know of nu; of none, where the family has none.
pub(super) fn nu_of_kernels(family: Family, nu: f64) -> Nu {
    if !family.has_nu() {
        return Nu { nu, log_constant: 0.0, constant_by_log_nu: 0.0 };
    }
    let (log_constant, constant_by_log_nu) = (student::log_constant(nu), nu * student::constant_by_nu(nu));
    Nu { nu, log_constant, constant_by_log_nu }
}
