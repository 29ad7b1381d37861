//! Which map is shown, as `summary.json` holds it and as the terminal and the report say it.

use serde::{Deserialize, Serialize};

use super::{ShownMap, Why};
use crate::diagnostics::name_chains;
use crate::dissimilarity::Names;
use crate::fit::summary::known;
use crate::fit::summary::lines::digits;

/// Which map is shown, and what others there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShownSummary {
    /// The map that is shown, then one for every other mode that chains are in. Empty in runs of older versions.
    pub maps: Vec<MapSummary>,
    /// What could not be told, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// One of the maps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapSummary {
    /// Its number, from 1: the mode it is of.
    pub mode: usize,
    /// Its table.
    pub file: String,
    /// The chains whose draws it consists of.
    pub chains: Vec<usize>,
    /// How many draws these are.
    pub n_draws: usize,
    /// Mean log density of these draws.
    pub log_density: Option<f64>,
    /// Root mean squared residual over the coupled pairs, in input units.
    pub stress: Option<f64>,
    /// The draw that is shown because the mean of the draws fits worse than they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub central_draw: Option<CentralDraw>,
    /// The objects that have several modes of their own, listed in `modes.csv`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub multimodal: Vec<String>,
}

/// A draw that is shown, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CentralDraw {
    /// Its chain, from 0.
    pub chain: usize,
    /// Its number in the chain, from 0.
    pub draw: usize,
    /// Root mean squared residual of the mean of the draws.
    pub mean_stress: f64,
    /// The median of that of the draws.
    pub typical_stress: f64,
}

/// The table of the map of a mode: `embedding.csv`, `embedding-mode-2.csv`, ...
pub(crate) fn embedding_file(mode: usize) -> String {
    if mode == 1 { "embedding.csv".into() } else { format!("embedding-mode-{mode}.csv") }
}

impl MapSummary {
    pub(crate) fn of(
        mode: usize,
        map: &ShownMap,
        file: String,
        names: &Names,
        (log_density, stress): (f64, f64),
    ) -> Self {
        let central_draw = match &map.why {
            Why::CentralDraw(central) => Some(CentralDraw {
                chain: central.chain,
                draw: central.draw,
                mean_stress: central.mean_stress,
                typical_stress: central.typical_stress,
            }),
            Why::Mean | Why::MeanWithoutDraws => None,
        };
        Self {
            mode,
            file,
            chains: map.chains.clone(),
            n_draws: map.moments.n_draws() as usize,
            log_density: known(log_density),
            stress: known(stress),
            central_draw,
            multimodal: map.object_modes.iter().map(|modes| names.get(modes.object).into_owned()).collect(),
        }
    }

    /// "mode 2, chains 0 and 3".
    pub fn label(&self) -> String {
        format!("mode {}, {}", self.mode, name_chains(&self.chains))
    }
}

/// Names in a sentence at most.
const MOST_NAMES: usize = 5;

impl ShownSummary {
    /// What a reader must know of the map shown, in sentences; nothing if it is the mean of all draws.
    pub fn sentences(&self) -> Vec<String> {
        let Some((shown, others)) = self.maps.split_first() else { return Vec::new() };
        let mut sentences = Vec::new();
        if !others.is_empty() {
            sentences.push(of_modes(shown, others));
        }
        if let Some(central) = &shown.central_draw {
            let CentralDraw { chain, draw, mean_stress, typical_stress } = central;
            sentences.push(format!(
                "The mean of the draws fits worse than a typical draw (stress {} against {}): the map shown is one of the \
                 draws, the one nearest to all others (chain {chain}, draw {draw}).",
                digits(*mean_stress),
                digits(*typical_stress)
            ));
        }
        if !shown.multimodal.is_empty() {
            sentences.push(of_objects(&shown.multimodal, shown.central_draw.is_some()));
        }
        sentences.extend(self.unknown.iter().cloned());
        sentences
    }
}

fn of_modes(shown: &MapSummary, others: &[MapSummary]) -> String {
    let listed: Vec<String> = others.iter().map(|map| format!("{} ({})", map.file, name_chains(&map.chains))).collect();
    format!(
        "The map shown is mode 1 of {}: {}, {} of {} draws. The other {}: {}; `sbmds plot RUN map --mode 2` draws the next one.",
        others.len() + 1,
        name_chains(&shown.chains),
        shown.n_draws,
        shown.n_draws + others.iter().map(|map| map.n_draws).sum::<usize>(),
        if others.len() == 1 { "is in" } else { "ones are in" },
        listed.join(", ")
    )
}

fn of_objects(names: &[String], is_draw: bool) -> String {
    let (n, listed) = (names.len(), names.iter().take(MOST_NAMES).cloned().collect::<Vec<_>>().join(", "));
    let more = if n > MOST_NAMES { format!(" and {} more", n - MOST_NAMES) } else { String::new() };
    let (has, it) = if n == 1 { ("One object has", "it") } else { ("Several objects have", "each") };
    let which = if is_draw { "the one it has in that draw" } else { "the heaviest" };
    format!(
        "{has} several modes: {listed}{more}. The map shows {it} in {which}, with the spread of that mode; all modes with \
         their shares are in modes.csv."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(mode: usize, chains: &[usize], n_draws: usize) -> MapSummary {
        MapSummary {
            mode,
            file: if mode == 1 { "embedding.csv".into() } else { format!("embedding-mode-{mode}.csv") },
            chains: chains.to_vec(),
            n_draws,
            log_density: Some(-1.0),
            stress: Some(0.1),
            central_draw: None,
            multimodal: Vec::new(),
        }
    }

    #[test]
    fn a_plain_mean_needs_no_words() {
        assert!(ShownSummary { maps: vec![map(1, &[0, 1], 200)], unknown: vec![] }.sentences().is_empty());
        assert!(ShownSummary::default().sentences().is_empty());
    }

    #[test]
    fn modes_draws_and_objects_are_named() {
        let mut shown = ShownSummary { maps: vec![map(1, &[0, 1, 3], 300), map(2, &[2], 100)], unknown: vec![] };
        assert_eq!(
            shown.sentences(),
            [
                "The map shown is mode 1 of 2: chains 0, 1 and 3, 300 of 400 draws. The other is in: embedding-mode-2.csv \
              (chain 2); `sbmds plot RUN map --mode 2` draws the next one."
            ]
        );
        shown.maps.truncate(1);
        shown.maps[0].multimodal = (0..7).map(|k| format!("o{k}")).collect();
        let central = CentralDraw { chain: 2, draw: 17, mean_stress: 0.218, typical_stress: 0.213 };
        shown.maps[0].central_draw = Some(central);
        let [central, objects] = &shown.sentences()[..] else { panic!("{:?}", shown.sentences()) };
        assert!(central.contains("stress 0.2180 against 0.2130") && central.contains("chain 2, draw 17"), "{central}");
        assert!(
            objects.contains("o0, o1, o2, o3, o4 and 2 more. The map shows each in the one it has in that draw"),
            "{objects}"
        );
    }
}
