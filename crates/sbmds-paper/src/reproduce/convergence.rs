//! Which cells of whole fits have not converged, as a page says it.

use sbmds::diagnostics::Limits;

use super::Row;

/// How well the chains of a cell mix.
pub(super) struct Mixing {
    /// The largest R-hat.
    pub max_rhat: f64,
    /// The smallest effective sample size.
    pub min_ess: f64,
    /// Chains.
    pub n_chains: usize,
}

/// Method and count of a cell.
pub(super) fn model(row: &Row) -> [String; 2] {
    let count = row.cell.count;
    [row.cell.method.to_string(), if count > 0 { count.to_string() } else { String::new() }]
}

/// A sentence that names the cells whose numbers are rough, if there are any.
pub(super) fn remark(rows: &[Row], mixing: impl Fn(&Row) -> Mixing) -> Option<String> {
    let limits = Limits::default();
    let doubt = |row: &Row| {
        let Mixing { max_rhat, min_ess, n_chains } = mixing(row);
        let is_converged = max_rhat < limits.max_rhat && min_ess >= limits.min_ess_per_chain * n_chains as f64;
        let model = model(row).join(" ");
        (!is_converged).then(|| format!("{} (R-hat up to {max_rhat:.3}, ESS down to {min_ess:.0})", model.trim_end()))
    };
    let doubts: Vec<String> = rows.iter().filter_map(doubt).collect();
    let (rhat, ess) = (limits.max_rhat, limits.min_ess_per_chain);
    (!doubts.is_empty()).then(|| {
        format!(
            "Not converged (something monitored has an R-hat of {rhat} or more, or an effective sample size below {ess} per chain), so that the \
             numbers are rough: {}.",
            doubts.join("; ")
        )
    })
}
