//! Which map a run shows, of which draws it consists, and why.
//!
//! Where chains are in different modes of the posterior the best mode is shown: the one most draws are in, of equals the one
//! with the highest mean log density. Within it the map is the mean of the aligned draws, with every object that has several
//! modes of its own in the heaviest of them. If that map fits worse than a typical draw (draws on a bow average to its chord),
//! a central draw is shown instead. A map is never an average over modes.

pub(crate) mod central;
#[cfg(test)]
mod map_tests;
pub(crate) mod summary;

use rayon::prelude::*;

use self::central::{Central, SampledPairs, central_draw};
use crate::Locations;
use crate::diagnostics::Verdict;
use crate::draws::{DrawReader, Spaced};
use crate::embedding::{
    Alignment, MixedMoments, ModeCentres, Moments, ObjectModes, alignment_to_mean, find_object_modes, principal_axes,
    procrustes,
};
use crate::error::RunError;

/// Draws in which modes of single objects are looked for, and of which one may become the map.
const MOST_DRAWS: usize = 1_000;
/// Fewer say too little about modes that 5% of the draws are in.
const LEAST_DRAWS: usize = 100;
/// Numbers of these draws held in memory: 128 MB.
const MOST_NUMBERS: usize = 16_000_000;

/// A map to show.
#[derive(Clone, Debug)]
pub struct ShownMap {
    /// The chains whose draws it consists of.
    pub chains: Vec<usize>,
    /// The locations ([`Moments::mean`]) and how they vary from draw to draw.
    pub moments: Moments,
    /// The objects that have several modes.
    pub object_modes: Vec<ObjectModes>,
    /// What kind of map it is.
    pub why: Why,
    /// Whether modes of single objects were looked for; not if there are too few draws, or too many numbers for memory.
    pub looked_for_modes: bool,
}

/// What kind of map is shown.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Why {
    /// The mean of the draws fits at least as well as a typical draw.
    Mean,
    /// It does not: this is one of the draws.
    CentralDraw(Central),
    /// No draws were kept: the mean, whose fit could not be compared with theirs.
    MeanWithoutDraws,
}

impl ShownMap {
    /// The locations that are shown.
    pub fn locations(&self) -> &Locations {
        self.moments.mean()
    }

    /// What aligns other draws to this map.
    pub fn alignment(&self) -> Alignment {
        let left_out: Vec<usize> = self.object_modes.iter().map(|modes| modes.object).collect();
        Alignment::without(self.locations().clone(), &left_out)
    }

    /// The map of running moments, without draws.
    pub(crate) fn of_moments(chains: Vec<usize>, moments: Moments) -> Self {
        let (object_modes, why) = (Vec::new(), Why::MeanWithoutDraws);
        Self { chains, moments, object_modes, why, looked_for_modes: false }
    }
}

/// The chains by mode, the best first: most draws, then highest mean log density. One group if the chains do not disagree.
pub(crate) fn chains_by_mode(verdict: &Verdict, n_chains: usize, n_draws: impl Fn(usize) -> usize) -> Vec<Vec<usize>> {
    let Verdict::ChainsDisagree { groups, log_densities, .. } = verdict else {
        return vec![(0..n_chains).collect()];
    };
    let size = |group: &[usize]| group.iter().map(|&chain| n_draws(chain)).sum::<usize>();
    let mut ranked: Vec<(usize, f64, &Vec<usize>)> =
        groups.iter().zip(log_densities).map(|(group, &density)| (size(group), density, group)).collect();
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
    ranked.into_iter().map(|(_, _, group)| group.clone()).collect()
}

/// The map of the draws of some chains. `pairs` say how well a map fits. A map that is one of several is aligned to the `first`
/// of them, so that they can be compared; else it lies on its principal axes.
///
/// # Errors
/// If the store is damaged.
pub(crate) fn shown_map(
    reader: &DrawReader,
    chains: Vec<usize>,
    pairs: &SampledPairs,
    first: Option<&Locations>,
) -> Result<ShownMap, RunError> {
    let sample = Sample::read(reader, &chains)?;
    let looked_for_modes = sample.draws.len() >= LEAST_DRAWS;
    let left_out = if looked_for_modes { find_object_modes(&sample.draws) } else { Vec::new() };
    let all = |visit: &mut dyn FnMut(&Locations)| reader.for_each_x_of(&chains, |_, _, x| visit(x));
    let Some(alignment) = alignment_to_mean(all, &left_out)? else {
        let empty = Moments::new(reader.names().len(), reader.n_dims());
        return Ok(ShownMap::of_moments(chains, empty));
    };
    let sample = sample.aligned(&alignment);
    let centres = left_out.iter().filter_map(|&object| ModeCentres::of(object, &sample.draws)).collect();
    let mixed = mixed_moments(reader, &chains, &alignment, centres)?;
    let mean = mixed.shown(None);
    let to_frame = |map: &Locations| first.map_or_else(|| principal_axes(map), |first| procrustes(map, first));
    let Some(central) = central_draw(&sample, pairs, mean.mean(), &mixed.modes(None)) else {
        let mixed = mixed.moved(&to_frame(mean.mean()));
        let (moments, object_modes) = (mixed.shown(None), mixed.modes(None));
        return Ok(ShownMap { chains, moments, object_modes, why: Why::Mean, looked_for_modes });
    };
    let draw = &sample.draws[central.index];
    let map = to_frame(draw).apply(draw);
    let alignment = Alignment::without(map.clone(), &left_out);
    // Where the modes are, seen from the draw.
    let centres = mixed.moved(&alignment.motion(mean.mean())).modes(None).iter().map(ObjectModes::centres).collect();
    let mixed = mixed_moments(reader, &chains, &alignment, centres)?;
    let (moments, object_modes) = (mixed.shown(Some(&map)), mixed.modes(Some(&map)));
    Ok(ShownMap { chains, moments, object_modes, why: Why::CentralDraw(central), looked_for_modes })
}

fn mixed_moments(
    reader: &DrawReader,
    chains: &[usize],
    alignment: &Alignment,
    centres: Vec<ModeCentres>,
) -> Result<MixedMoments, RunError> {
    let mut mixed = MixedMoments::new(reader.names().len(), reader.n_dims(), centres);
    reader.for_each_x_of(chains, |_, _, x| mixed.add(&alignment.apply(x)))?;
    Ok(mixed)
}

/// Evenly spaced draws of some chains, with chain and number of each.
pub(crate) struct Sample {
    pub draws: Vec<Locations>,
    pub ids: Vec<(usize, usize)>,
}

impl Sample {
    fn read(reader: &DrawReader, chains: &[usize]) -> Result<Self, RunError> {
        let size = reader.names().len() * reader.n_dims();
        let total = chains.iter().map(|&chain| reader.n_complete(chain)).sum();
        let chosen = Spaced::new(total, (MOST_NUMBERS / size.max(1)).clamp(1, MOST_DRAWS));
        let all = chains.iter().flat_map(|&chain| (0..reader.n_complete(chain)).map(move |draw| (chain, draw)));
        let ids: Vec<(usize, usize)> =
            all.enumerate().filter(|(index, _)| chosen.contains(*index)).map(|(_, draw)| draw).collect();
        let draws = ids.iter().map(|&(chain, draw)| reader.x(chain, draw)).collect::<Result<_, _>>()?;
        Ok(Self { draws, ids })
    }

    fn aligned(self, alignment: &Alignment) -> Self {
        Self { draws: self.draws.par_iter().map(|draw| alignment.apply(draw)).collect(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disagreeing(groups: &[&[usize]], log_densities: &[f64]) -> Verdict {
        Verdict::ChainsDisagree {
            groups: groups.iter().map(|group| group.to_vec()).collect(),
            log_densities: log_densities.to_vec(),
            log_density_gap: 1.0,
            quantity: "sigma".into(),
        }
    }

    #[test]
    fn the_best_mode_has_most_draws_and_of_equals_the_highest_density() {
        let by_mode = |verdict: &Verdict| chains_by_mode(verdict, 4, |_| 100);
        // The verdict has the highest density first.
        let verdict = disagreeing(&[&[2], &[0, 1, 3]], &[-5.0, -9.0]);
        assert_eq!(by_mode(&verdict), [vec![0, 1, 3], vec![2]]);
        let verdict = disagreeing(&[&[1, 3], &[0, 2]], &[-5.0, -9.0]);
        assert_eq!(by_mode(&verdict), [vec![1, 3], vec![0, 2]]);
        let verdict = Verdict::NotFinite { quantity: "sigma".into(), chain: 0, draw: 0 };
        assert_eq!(by_mode(&verdict), [vec![0, 1, 2, 3]]);
    }
}
