//! The log-likelihood of terms, as posteriors and samplers ask for it.

use super::kernel::nu_of_kernels;
use super::levels::LevelGroup;
use super::terms::{Quantity, Terms};
use crate::coupling::Position;
use crate::dissimilarity::Observation;
use crate::likelihood::terms::{TermGradient, TermKernel, TermPoint, TermSums};
use crate::likelihood::{
    InstructionSet, LikelihoodValue, LogLikelihood, MapGradient, MapPoint, OwnParameters, Workspace,
};

/// The degrees of freedom of Student's t.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nu {
    /// Known.
    Fixed(f64),
    /// Learned: nu ~ Gamma(2, rate 0.1), as Juarez and Steel (2010) advise.
    Learned,
}

/// Terms of the objects of a map, with the unknowns they bring: levels of the objects, degrees of freedom.
pub struct TermLikelihood {
    terms: Terms,
    n_dims: usize,
    nu: Nu,
    /// Levels of viruses, then of sera, if titres were measured.
    levels: Vec<LevelGroup>,
    /// For each position the group and the number in it of its level, and how much of it counts.
    level_of: Vec<Option<(usize, usize, f64)>>,
    /// Partners of each position with the dissimilarity that comes nearest to what was measured.
    partners: Vec<Vec<(usize, f64)>>,
    kernel: TermKernel,
}

impl TermLikelihood {
    /// Terms of distances in `n_dims` dimensions.
    pub fn of_distances(terms: Terms, n_dims: usize, nu: Nu) -> Self {
        Self::new(terms, n_dims, nu, Vec::new(), Vec::new())
    }

    /// Terms of titres. `level_of` says for each position which group and which of its levels counts, and how much.
    ///
    /// # Panics
    /// If there are not as many of these as objects, or no dimension.
    pub fn of_titres(
        terms: Terms,
        n_dims: usize,
        nu: Nu,
        levels: Vec<LevelGroup>,
        level_of: Vec<Option<(usize, usize, f64)>>,
    ) -> Self {
        assert_eq!(level_of.len(), terms.n_objects(), "a level for every object, or none");
        Self::new(terms, n_dims, nu, levels, level_of)
    }

    fn new(
        terms: Terms,
        n_dims: usize,
        nu: Nu,
        levels: Vec<LevelGroup>,
        level_of: Vec<Option<(usize, usize, f64)>>,
    ) -> Self {
        assert!(n_dims >= 1, "a map needs at least one dimension");
        let kernel = terms.kernel(n_dims);
        let mut likelihood = Self { terms, n_dims, nu, levels, level_of, partners: Vec::new(), kernel };
        likelihood.partners = likelihood.nearest_dissimilarities();
        likelihood
    }

    /// The same on another instruction set than the fastest.
    ///
    /// # Panics
    /// If this machine does not have it.
    pub fn on(mut self, instruction_set: InstructionSet) -> Self {
        self.kernel = self.kernel.on(instruction_set);
        self
    }

    /// The terms.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Degrees of freedom, if the family has them.
    pub fn nu(&self, own: &[f64]) -> f64 {
        match self.nu {
            Nu::Fixed(nu) => nu,
            Nu::Learned if self.has_unknown_nu() => own[own.len() - 1].exp(),
            Nu::Learned => f64::INFINITY,
        }
    }

    fn has_unknown_nu(&self) -> bool {
        self.nu == Nu::Learned && self.terms.family().has_nu()
    }

    /// What each position adds to a titre.
    pub fn levels(&self, own: &[f64]) -> Vec<f64> {
        let groups: Vec<&[f64]> = self.of_groups(own).map(|(group, unknown)| group.levels(unknown)).collect();
        let level = |of: &Option<(usize, usize, f64)>| of.map_or(0.0, |(group, k, share)| share * groups[group][k]);
        self.level_of.iter().map(level).collect()
    }

    /// The groups with their parts of the unknowns.
    fn of_groups<'a>(&'a self, own: &'a [f64]) -> impl Iterator<Item = (&'a LevelGroup, &'a [f64])> {
        self.levels.iter().scan(own, |rest, group| {
            let (unknown, after) = rest.split_at(group.n_unknown());
            *rest = after;
            Some((group, unknown))
        })
    }

    /// The derivatives by what each position adds, as derivatives by the unknowns.
    fn gather_levels(&self, by_level: &[f64], own: &mut [f64]) {
        let starts: Vec<usize> = self
            .levels
            .iter()
            .scan(0, |start, group| {
                *start += group.n_unknown();
                Some(*start - group.n_unknown())
            })
            .collect();
        for (of, by_level) in self.level_of.iter().zip(by_level) {
            if let Some((group, k, share)) = *of
                && self.levels[group].n_unknown() > 0
            {
                own[starts[group] + k] += share * by_level;
            }
        }
    }

    /// For every pair the mean of its measurements, by their weights, as a dissimilarity, from both its ends: what first maps are made of.
    fn nearest_dissimilarities(&self) -> Vec<Vec<(usize, f64)>> {
        let start = self.start();
        let levels = self.levels(&start);
        let mut partners = vec![Vec::new(); self.terms.n_objects()];
        for repeats in self.terms.terms().chunk_by(|a, b| (a.near, a.far) == (b.near, b.far)) {
            let (near, far) = (repeats[0].near as usize, repeats[0].far as usize);
            let dissimilarity = |seen: Observation| match self.terms.quantity() {
                Quantity::Distance => seen.representative(),
                Quantity::Level => levels[near] + levels[far] - seen.representative(),
            };
            let total: f64 = repeats.iter().map(|term| term.weight).sum();
            let mean = repeats.iter().map(|term| term.weight * dissimilarity(term.seen)).sum::<f64>() / total;
            partners[near].push((far, mean.max(0.0)));
            partners[far].push((near, mean.max(0.0)));
        }
        partners
    }

    /// Sums of all terms; derivatives by locations and by what each position adds, if they are wanted.
    fn sums(&self, workspace: &mut Workspace, at: MapPoint, gradient: Option<TermGradient<'_>>) -> TermSums {
        let levels = if self.level_of.is_empty() { Vec::new() } else { self.levels(at.own) };
        let nu = nu_of_kernels(self.terms.family(), self.nu(at.own));
        self.kernel.evaluate(workspace, TermPoint { x: at.x, sigma: at.sigma, nu, levels: &levels }, gradient)
    }
}

impl LogLikelihood for TermLikelihood {
    fn n_objects(&self) -> usize {
        self.terms.n_objects()
    }

    fn n_dims(&self) -> usize {
        self.n_dims
    }

    fn n_pairs(&self) -> usize {
        self.terms.len()
    }

    fn n_densities(&self) -> f64 {
        self.terms.terms().iter().filter(|term| term.seen.exact().is_some()).map(|term| term.weight).sum()
    }

    fn value(&self, workspace: &mut Workspace, at: MapPoint) -> f64 {
        self.sums(workspace, at, None).value
    }

    fn both(&self, workspace: &mut Workspace, at: MapPoint, gradient: MapGradient) -> LikelihoodValue {
        let mut by_level = vec![0.0; self.level_of.len()];
        let derivatives = TermGradient { x: gradient.x, levels: &mut by_level };
        let sums = self.sums(workspace, at, Some(derivatives));
        gradient.own.fill(0.0);
        self.gather_levels(&by_level, gradient.own);
        if let (true, Some(last)) = (self.has_unknown_nu(), gradient.own.last_mut()) {
            *last = sums.by_log_nu;
        }
        LikelihoodValue { log_likelihood: sums.value, by_log_sigma: sums.by_log_sigma }
    }

    fn visit_partners(&self, position: Position, visit: &mut dyn FnMut(Position, f64) -> bool) {
        for &(partner, dissimilarity) in &self.partners[position.index()] {
            if !visit(Position::new(partner), dissimilarity) {
                return;
            }
        }
    }

    fn own(&self) -> Option<&dyn OwnParameters> {
        let has_own = self.has_unknown_nu() || self.levels.iter().any(|group| group.n_unknown() > 0);
        has_own.then_some(self)
    }
}

/// Where nu starts: tails heavier than the normal's, but a finite variance.
const FIRST_NU: f64 = 5.0;

impl OwnParameters for TermLikelihood {
    fn count(&self) -> usize {
        self.levels.iter().map(LevelGroup::n_unknown).sum::<usize>() + usize::from(self.has_unknown_nu())
    }

    fn names(&self) -> Vec<String> {
        let nu = self.has_unknown_nu().then(|| "nu".to_owned());
        self.levels.iter().flat_map(LevelGroup::names).chain(nu).collect()
    }

    fn start(&self) -> Vec<f64> {
        let nu = self.has_unknown_nu().then(|| FIRST_NU.ln());
        self.levels.iter().flat_map(LevelGroup::start).chain(nu).collect()
    }

    fn add_log_prior(&self, own: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        let mut start = 0;
        for (group, unknown) in self.of_groups(own) {
            value += group.add_log_prior(unknown, &mut gradient[start..start + unknown.len()]);
            start += unknown.len();
        }
        if self.has_unknown_nu() {
            // Gamma(2, 0.1) in the coordinate log nu: 2 log nu - nu / 10 + 2 log(1/10).
            let nu = own[start].exp();
            gradient[start] += 2.0 - 0.1 * nu;
            value += 2.0 * own[start] - 0.1 * nu + 2.0 * 0.1_f64.ln();
        }
        value
    }

    fn reported(&self, own: &[f64]) -> Vec<f64> {
        let levels = self.of_groups(own).flat_map(|(group, unknown)| group.reported(unknown));
        levels.chain(self.has_unknown_nu().then(|| self.nu(own))).collect()
    }
}
