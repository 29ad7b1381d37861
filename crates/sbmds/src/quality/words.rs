//! The verdict on a map in sentences.

use super::curvature::Curvature;
use super::verdict::{Finding, MapVerdict};

/// All sentences, the most important first; `n_dims` dimensions were fitted.
pub(super) fn sentences(map: &MapVerdict, curvature: Option<&Curvature>, n_dims: usize) -> String {
    let mut sentences = vec![opening(map, n_dims)];
    if map.found(Finding::Undetermined) {
        sentences.push(undetermined(map));
    }
    if map.found(Finding::NotCarriedOver) {
        sentences.push(not_carried_over(map));
    }
    if let (true, Some(curvature)) = (map.found(Finding::Curved), curvature) {
        sentences.push(curved(curvature, n_dims));
    }
    if map.found(Finding::NarrowIntervals) {
        sentences.push(narrow_intervals(map));
    }
    sentences.join(" ")
}

fn opening(map: &MapVerdict, n_dims: usize) -> String {
    let (explained, stress) = (explained(map.r2), stress(map));
    match map.findings.first() {
        Some(Finding::Saturated) => format!(
            "There are no more pairs than free coordinates on the map: it fits by construction ({stress}), which says nothing \
             about the data."
        ),
        Some(Finding::Equal) => {
            format!("All dissimilarities are equal or nearly so: any map is arbitrary ({stress}).")
        }
        Some(Finding::Similarities) => format!(
            "The map explains little: {explained} of the variance of the dissimilarities ({stress}). Are these similarities? A map \
             of the largest value minus each explains {}. Remedy: turn similarities into dissimilarities, for example so.",
            explained_share(map.reversed_r2)
        ),
        Some(Finding::Little) => format!(
            "The map explains little: {explained} of the variance of the dissimilarities ({stress}){}. They may be mostly noise, or \
             need more dimensions (`dims` {}).",
            beside_noise(map),
            n_dims + 1
        ),
        _ => format!("The map explains {explained} of the variance of the dissimilarities ({stress})."),
    }
}

/// Small maps explain much of anything.
fn beside_noise(map: &MapVerdict) -> &'static str {
    let is_much = map.r2.is_some_and(|r2| r2 >= 1.0 / 3.0);
    if is_much { ", hardly more than a map with as many coordinates explains of pure noise" } else { "" }
}

/// Stress-1, and that of other pairs where it is no finding of its own.
fn stress(map: &MapVerdict) -> String {
    let coupled = format!("Stress-1 {}", short(map.stress1));
    match map.heldout_stress1 {
        Some(other) if !map.found(Finding::NotCarriedOver) => {
            format!("{coupled}; {} over {} pairs that were not coupled", short(Some(other)), map.n_heldout)
        }
        _ => coupled,
    }
}

fn undetermined(map: &MapVerdict) -> String {
    let ratio = map.ellipse_over_map.unwrap_or(f64::NAN);
    format!(
        "A typical 95% ellipse is {ratio:.1} times as large as the map: locations are not determined by these data."
    )
}

fn not_carried_over(map: &MapVerdict) -> String {
    let coverage = map
        .heldout_coverage
        .map(|share| format!(", and {} of them lie in their 95% predictive intervals", percent(share)));
    format!(
        "The couplings do not carry over to other pairs: over {} that were not coupled the map explains {} (Stress-1 {}){}. \
         Remedy: couple more pairs, `couplings` {}; longer chains will not mend it.",
        map.n_heldout,
        explained_share(map.heldout_r2),
        short(map.heldout_stress1),
        coverage.unwrap_or_default(),
        map.more_couplings.as_deref().unwrap_or("full")
    )
}

fn curved(curvature: &Curvature, n_dims: usize) -> String {
    let beside = |residual: f64| if residual > 0.0 { "larger than" } else { "smaller than" };
    format!(
        "The Shepard plot is curved: dissimilarities are {} distances on the map where these are short, and {} them where they are \
         long. More dimensions (`dims` {}) or a transformation of the dissimilarities may fit better.",
        beside(curvature.shortest),
        beside(curvature.longest),
        n_dims + 1
    )
}

fn narrow_intervals(map: &MapVerdict) -> String {
    let shares = [(map.coverage, "coupled"), (map.heldout_coverage, "other")];
    let low = shares.iter().filter_map(|&(share, which)| Some((share?, which))).min_by(|a, b| a.0.total_cmp(&b.0));
    let (share, which) = low.unwrap_or((f64::NAN, "coupled"));
    format!(
        "Only {} of the {which} dissimilarities lie in their 95% predictive intervals: noise has heavier tails than the model's, and \
         error bars are too narrow.",
        percent(share)
    )
}

fn explained(r2: Option<f64>) -> String {
    r2.map_or_else(|| "nothing".into(), percent)
}

fn explained_share(r2: Option<f64>) -> String {
    r2.map_or_else(|| "nothing".into(), |r2| format!("{} of the variance", percent(r2)))
}

/// Whole percents; 100 only if there is nothing else.
fn percent(share: f64) -> String {
    match share {
        _ if share > 0.99 && share < 0.9995 => format!("{:.1}%", 100.0 * share),
        _ if (0.9995..1.0).contains(&share) => "more than 99.9%".into(),
        _ => format!("{:.0}%", 100.0 * share),
    }
}

/// Three decimals, or two digits of what is smaller: 0.218, 0.072, 0.0017.
fn short(number: Option<f64>) -> String {
    match number {
        None => "unknown".into(),
        Some(number) if number >= 0.0995 || number == 0.0 => format!("{number:.3}"),
        Some(number) if number >= 1e-4 => {
            format!("{number:.*}", (1.0 - number.log10().floor()) as usize)
        }
        Some(number) => format!("{number:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_short_as_they_may_be() {
        let shown = [0.218, 0.3999, 0.0723, 0.00171, 0.00995, 3.2e-7, 0.0, 1.25];
        let texts = ["0.218", "0.400", "0.072", "0.0017", "0.0100", "3.2e-7", "0.000", "1.250"];
        for (number, text) in shown.into_iter().zip(texts) {
            assert_eq!(short(Some(number)), text);
        }
        for (share, text) in
            [(0.936, "94%"), (0.9958, "99.6%"), (0.99999, "more than 99.9%"), (1.0, "100%"), (0.0, "0%")]
        {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn a_good_map_is_said_to_be_one() {
        let map = MapVerdict { r2: Some(0.94), stress1: Some(0.0722), ..MapVerdict::default() };
        let text = "The map explains 94% of the variance of the dissimilarities (Stress-1 0.072).";
        assert_eq!(sentences(&map, None, 2), text);
        let sparse = MapVerdict { heldout_stress1: Some(0.08), n_heldout: 10_000, ..map };
        let text = "The map explains 94% of the variance of the dissimilarities (Stress-1 0.072; 0.080 over 10000 pairs that were \
                    not coupled).";
        assert_eq!(sentences(&sparse, None, 2), text);
    }
}
