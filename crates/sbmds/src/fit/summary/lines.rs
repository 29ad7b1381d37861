//! The summary in words: one labelled line for each thing a person asks.

use super::titres::TitreSummary;
use super::{Diffusion, Extreme, Interval, StressSummary, Summary};
use crate::diagnostics::name_chains;
use crate::fit::verdicts::map_lines;

/// Below this the sampler explores energies badly (Betancourt 2016).
const LOW_BFMI: f64 = 0.3;

impl Summary {
    /// Label and text of every line, the most asked for first. Equal runs have equal lines: the time is not among them.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![
            ("sigma", interval(&self.sigma)),
            ("map shown", self.map_shown()),
            ("stress", stress(&self.stress)),
            ("log-likelihood", self.log_likelihood()),
            ("largest R-hat", extreme(self.max_rhat.as_ref())),
            ("smallest ESS", extreme(self.min_ess.as_ref())),
            ("data", self.data()),
            ("draws", format!("{} chains x {} after {} of warm-up", self.n_chains, self.n_draws, self.n_warmup)),
            ("sampler", self.sampling()),
        ];
        if let Some(map) = &self.map {
            lines.splice(1..1, map_lines(map));
        }
        if let Some(dimensions) = &self.dimensions {
            lines.insert(1, ("dims used", dimensions.sentence()));
        }
        if let Some(anchor) = &self.anchor {
            lines.insert(1, ("all pairs", anchor.sentence()));
        }
        if let Some(Diffusion { trait_trace, diffusion_rate, branches, tree, .. }) = &self.diffusion {
            lines.insert(1, ("trace(Sigma)", format!("{} ({tree})", interval(trait_trace))));
            lines.insert(2, ("diffusion rate", format!("{} per unit of the tree's time", interval(diffusion_rate))));
            if let Some(branches) = branches {
                let rate = interval(&branches.weighted_diffusion_rate);
                lines.insert(3, ("branch rate", format!("{rate} distance per unit of time, over all branches")));
            }
        }
        if let Some(titres) = &self.titres {
            lines.splice(1..1, titre_lines(titres));
        }
        if !self.bfmi.is_empty() {
            let of_chains: Vec<String> = self.bfmi.iter().map(|bfmi| known_digits(*bfmi)).collect();
            lines.push(("energy BFMI", format!("{} (one per chain; below {LOW_BFMI} is bad)", of_chains.join(", "))));
        }
        if self.unit != 1.0 {
            lines.push(("unit", format!("fitted in units of {}, reported in the input's", digits(self.unit))));
        }
        lines
    }

    /// What the sampler itself noticed, in sentences.
    pub(crate) fn sampler_warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.divergences > 0 {
            warnings.push(format!(
                "{} iterations diverged: the sampler may have missed narrow parts of the posterior. A higher \
                 `target_acceptance` takes smaller steps.",
                self.divergences
            ));
        }
        let low = |(chain, bfmi): (usize, &Option<f64>)| bfmi.filter(|&bfmi| bfmi < LOW_BFMI).map(|bfmi| (chain, bfmi));
        warnings.extend(self.bfmi.iter().enumerate().filter_map(low).map(|(chain, bfmi)| {
            format!("Chain {chain} explores energies badly (BFMI {}, should be above {LOW_BFMI}).", digits(bfmi))
        }));
        warnings
    }

    fn map_shown(&self) -> String {
        let Some(map) = self.shown.maps.first() else { return "mean of the draws".into() };
        let what = match &map.central_draw {
            Some(central) => format!("draw {} of chain {}, a central one", central.draw, central.chain),
            None => "mean of the draws".into(),
        };
        match self.shown.maps.len() {
            1 => what,
            n_modes => format!("{what}; mode 1 of {n_modes} ({})", name_chains(&map.chains)),
        }
    }

    fn log_likelihood(&self) -> String {
        let per_pair = self.log_likelihood.map(|mean| mean / self.n_pairs as f64);
        format!("{} per pair, mean of the draws", known_digits(per_pair))
    }

    fn data(&self) -> String {
        let Self { n_objects, n_pairs, couplings, n_dims, .. } = self;
        format!("{n_objects} objects, {n_pairs} pairs ({couplings}), {}", dimensions(*n_dims))
    }

    fn sampling(&self) -> String {
        let Self { sampler, arithmetic, acceptance, divergences, n_gradients, .. } = self;
        format!(
            "{sampler}, acceptance {}, {divergences} divergences, {n_gradients} gradients in {arithmetic}",
            known_digits(*acceptance)
        )
    }
}

fn interval(Interval { mean, sd, q5, q95, .. }: &Interval) -> String {
    let [mean, sd, q5, q95] = [mean, sd, q5, q95].map(|number| known_digits(*number));
    format!("{mean} +- {sd}, 90% in [{q5}, {q95}]")
}

fn stress(StressSummary { rms, worst, worst_object, .. }: &StressSummary) -> String {
    let object = worst_object.as_deref().unwrap_or("-");
    format!("{} rms; worst {} ({object})", known_digits(*rms), known_digits(*worst))
}

fn extreme(extreme: Option<&Extreme>) -> String {
    extreme.map_or_else(|| "-".into(), |worst| format!("{} ({})", digits(worst.value), worst.quantity))
}

/// "1 dimension", "2 dimensions".
pub(crate) fn dimensions(n_dims: usize) -> String {
    format!("{n_dims} dimension{}", if n_dims == 1 { "" } else { "s" })
}

fn known_digits(number: Option<f64>) -> String {
    number.map_or_else(|| "-".into(), digits)
}

/// What was measured and learned of titres.
fn titre_lines(titres: &TitreSummary) -> Vec<(&'static str, String)> {
    let TitreSummary { n_viruses, n_sera, n_titres, n_limits, mean_absolute_error, learned, .. } = titres;
    let mut lines = vec![(
        "titres",
        format!(
            "{n_titres} ({n_limits} of them limits) of {n_viruses} viruses and {n_sera} sera, mean absolute error {} log2 units",
            digits(*mean_absolute_error)
        ),
    )];
    let named = [
        ("potency_sd", "sd of potencies", "log2 units"),
        ("avidity_sd", "sd of avidities", "log2 units"),
        ("nu", "nu", "degrees of freedom"),
        ("drift", "drift", "units per year"),
        ("virus_variance", "virus variance", "around the drift, or per year along the tree"),
        ("serum_variance", "serum variance", "around the drift"),
    ];
    for (key, label, unit) in named {
        let found = learned.iter().find(|(name, _)| name == key);
        lines.extend(found.map(|(_, values)| (label, format!("{} {unit}", interval(values)))));
    }
    lines
}

/// A number with four significant digits.
pub fn digits(number: f64) -> String {
    if number == 0.0 || (1e-3..1e5).contains(&number.abs()) {
        let before_point = if number == 0.0 { 0 } else { number.abs().log10().floor() as i32 };
        format!("{number:.*}", (3 - before_point).max(0) as usize)
    } else {
        format!("{number:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn four_digits_whatever_the_size() {
        for (number, text) in
            [(0.0, "0.000"), (1.23456, "1.235"), (-12345.6, "-12346"), (0.0012345, "0.001234"), (1e-9, "1.000e-9")]
        {
            assert_eq!(digits(number), text);
        }
    }
}
