//! What objects add to a titre, potencies of sera and avidities of viruses: known, or unknown with a prior.

use super::tails::LOG_SQRT_2PI;

/// What is known of the levels of one kind of objects before their titres are seen.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LevelPrior {
    /// They are known.
    Fixed(Vec<f64>),
    /// Normal with known mean and standard deviation, as in Bedford et al. (2014).
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        sd: f64,
    },
    /// Normal with a standard deviation that is learned: half-normal with scale `SCALE_OF_SD`.
    Hierarchical {
        /// What the mean is, or is expected to be.
        mean: f64,
        /// Whether the mean is learned, too: normal around `mean` with standard deviation `SCALE_OF_MEAN`.
        learn_mean: bool,
    },
}

/// Scale of the half-normal prior of the standard deviation of levels: a factor of four in titres.
pub const SCALE_OF_SD: f64 = 2.0;
/// Standard deviation of the prior of the mean of levels around that of the largest titres: half a twofold dilution. Were it flat, a map
/// would fit better and better as potencies and all distances grow together, until it shows directions alone: the degenerate
/// solution of unfolding.
pub const SCALE_OF_MEAN: f64 = 0.5;

/// The levels of one kind of objects with their prior, and where they are among the unknowns.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelGroup {
    /// What one of them is called: `potency`, `avidity`.
    pub name: &'static str,
    /// Names of the objects.
    pub objects: Vec<String>,
    /// Prior.
    pub prior: LevelPrior,
    /// Where chains start.
    pub start: Vec<f64>,
}

impl LevelGroup {
    /// Number of unknowns: the levels, then the mean and the logarithm of the standard deviation if they are learned.
    pub fn n_unknown(&self) -> usize {
        match self.prior {
            LevelPrior::Fixed(_) => 0,
            LevelPrior::Normal { .. } => self.objects.len(),
            LevelPrior::Hierarchical { learn_mean, .. } => self.objects.len() + 1 + usize::from(learn_mean),
        }
    }

    /// The levels, given the unknowns.
    pub fn levels<'a>(&'a self, unknown: &'a [f64]) -> &'a [f64] {
        match &self.prior {
            LevelPrior::Fixed(levels) => levels,
            _ => &unknown[..self.objects.len()],
        }
    }

    /// Unknowns for a chain to start from.
    pub fn start(&self) -> Vec<f64> {
        let mut start = self.start.clone();
        match self.prior {
            LevelPrior::Fixed(_) => return Vec::new(),
            LevelPrior::Normal { .. } => {}
            LevelPrior::Hierarchical { mean, learn_mean } => {
                start.extend(learn_mean.then_some(mean));
                start.push(0.0);
            }
        }
        start
    }

    /// Names of the unknowns.
    pub fn names(&self) -> Vec<String> {
        let name = self.name;
        let hyper: &[&str] = match self.prior {
            LevelPrior::Fixed(_) => return Vec::new(),
            LevelPrior::Normal { .. } => &[],
            LevelPrior::Hierarchical { learn_mean: true, .. } => &["mean", "sd"],
            LevelPrior::Hierarchical { learn_mean: false, .. } => &["sd"],
        };
        let of_objects = self.objects.iter().map(|object| format!("{name}[{object}]"));
        of_objects.chain(hyper.iter().map(|hyper| format!("{name}_{hyper}"))).collect()
    }

    /// The numbers to report: the standard deviation instead of its logarithm.
    pub fn reported(&self, unknown: &[f64]) -> Vec<f64> {
        let mut reported = unknown.to_vec();
        if let (LevelPrior::Hierarchical { .. }, Some(sd)) = (&self.prior, reported.last_mut()) {
            *sd = sd.exp();
        }
        reported
    }

    /// Log prior density of the unknowns; adds its derivatives.
    pub fn add_log_prior(&self, unknown: &[f64], gradient: &mut [f64]) -> f64 {
        let n = self.objects.len();
        let (mean, sd) = match self.prior {
            LevelPrior::Fixed(_) => return 0.0,
            LevelPrior::Normal { mean, sd } => (mean, sd),
            LevelPrior::Hierarchical { mean, learn_mean } => {
                (if learn_mean { unknown[n] } else { mean }, unknown[unknown.len() - 1].exp())
            }
        };
        let (mut by_mean, mut squares) = (0.0, 0.0);
        for (level, gradient) in unknown[..n].iter().zip(gradient.iter_mut()) {
            let z = (level - mean) / sd;
            *gradient -= z / sd;
            by_mean += z / sd;
            squares += z * z;
        }
        let value = -0.5 * squares - n as f64 * (sd.ln() + LOG_SQRT_2PI);
        let LevelPrior::Hierarchical { mean: expected, learn_mean } = self.prior else { return value };
        let last = unknown.len() - 1;
        // sd ~ half-normal, in the coordinate log sd: the Jacobian adds log sd.
        let relative = sd / SCALE_OF_SD;
        gradient[last] += squares - n as f64 - relative * relative + 1.0;
        let of_sd = std::f64::consts::LN_2 - LOG_SQRT_2PI - SCALE_OF_SD.ln() - 0.5 * relative * relative + sd.ln();
        if !learn_mean {
            return value + of_sd;
        }
        let z = (mean - expected) / SCALE_OF_MEAN;
        gradient[n] += by_mean - z / SCALE_OF_MEAN;
        value + of_sd - 0.5 * z * z - LOG_SQRT_2PI - SCALE_OF_MEAN.ln()
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    #[test]
    fn derivatives_of_all_priors_are_limits_of_differences() {
        for prior in [
            LevelPrior::Normal { mean: 9.5, sd: 1.3 },
            LevelPrior::Hierarchical { mean: 9.0, learn_mean: false },
            LevelPrior::Hierarchical { mean: 9.0, learn_mean: true },
        ] {
            let objects = vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
            let group = LevelGroup { name: "potency", objects, prior, start: vec![9.0, 10.5, 8.2] };
            let at = group.start();
            assert_eq!((at.len(), group.names().len()), (group.n_unknown(), group.n_unknown()));
            let value = |at: &[f64]| group.add_log_prior(at, &mut vec![0.0; at.len()]);
            let mut gradient = vec![0.0; at.len()];
            group.add_log_prior(&at, &mut gradient);
            for k in 0..at.len() {
                let moved = |by: f64| {
                    let mut moved = at.clone();
                    moved[k] += by;
                    value(&moved)
                };
                assert_relative_eq!(
                    gradient[k],
                    (moved(1e-5) - moved(-1e-5)) / 2e-5,
                    max_relative = 1e-7,
                    epsilon = 1e-8
                );
            }
        }
    }
}
