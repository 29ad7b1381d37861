//! The noise of an analysis: the precision of its dissimilarities and the prior of it.

use roxmltree::Node;

use super::document::{Beast, number, shown};

/// What is known of the noise before the data.
pub enum NoisePrior {
    /// 1/sigma^2 ~ Gamma(shape, rate).
    Gamma { shape: f64, rate: f64 },
    /// It is known.
    Fixed { sigma: f64 },
    /// What BEAST has cannot be said.
    Default,
}

impl NoisePrior {
    /// As flags of `sbmds fit`.
    pub fn flags(&self) -> Vec<String> {
        match self {
            Self::Gamma { shape, rate } => {
                vec!["--noise-shape".into(), shape.to_string(), "--noise-rate".into(), rate.to_string()]
            }
            Self::Fixed { sigma } => vec!["--sigma".into(), sigma.to_string()],
            Self::Default => Vec::new(),
        }
    }
}

/// Reads the precision of `likelihood`.
pub fn read<'d>(beast: &Beast<'d>, likelihood: Node<'d, 'd>, notes: &mut Vec<String>) -> Result<NoisePrior, String> {
    let precision = precision(beast, likelihood)
        .ok_or("the likelihood has no <mdsPrecision>. Remedy: add <mdsPrecision> with a parameter")?;
    let is_moved = beast.all(&["operators"]).iter().any(|operators| beast.mentions(*operators, precision));
    if !is_moved {
        let value = number(precision, "value").filter(|value| *value > 0.0);
        let value = value.ok_or("the precision is fixed, but has no value above 0. Remedy: add value=\"...\"")?;
        notes.push(format!("no operator moves the precision: sigma is fixed at 1/sqrt({value})"));
        return Ok(NoisePrior::Fixed { sigma: value.powf(-0.5) });
    }
    match priors(beast, precision).as_slice() {
        [prior] => Ok(of_prior(*prior, notes)),
        found => {
            notes.push(format!("{} priors of the precision: 1/sigma^2 ~ Gamma(1, 1) is used", found.len()));
            Ok(NoisePrior::Default)
        }
    }
}

/// Whether `node` is a prior of the precision, which [`read`] has dealt with.
pub fn is_prior_of_precision<'d>(beast: &Beast<'d>, node: Node<'d, 'd>) -> bool {
    let likelihoods = beast.all(&["multiDimensionalScalingLikelihood"]);
    let precision = likelihoods.first().and_then(|likelihood| precision(beast, *likelihood));
    precision.is_some_and(|precision| priors(beast, precision).contains(&node))
}

fn precision<'d>(beast: &Beast<'d>, likelihood: Node<'d, 'd>) -> Option<Node<'d, 'd>> {
    beast.inside(likelihood, "mdsPrecision")
}

fn priors<'d>(beast: &Beast<'d>, precision: Node<'d, 'd>) -> Vec<Node<'d, 'd>> {
    let holders = beast.all(&["prior"]);
    let densities = holders.into_iter().flat_map(super::document::elements).map(|node| beast.resolve(node));
    densities.filter(|node| beast.mentions(*node, precision)).collect()
}

fn of_prior(prior: Node, notes: &mut Vec<String>) -> NoisePrior {
    let offset = number(prior, "offset").unwrap_or(0.0);
    let positive = |name| number(prior, name).filter(|value: &f64| *value > 0.0);
    let gamma = match prior.tag_name().name() {
        "gammaPrior" => positive("shape").zip(positive("scale")),
        "exponentialPrior" => positive("mean").or(positive("scale")).map(|mean| (1.0, mean)),
        _ => None,
    };
    match gamma {
        Some((shape, scale)) if offset == 0.0 => NoisePrior::Gamma { shape, rate: 1.0 / scale },
        _ => {
            notes.push(format!("{}, the prior of the precision: 1/sigma^2 ~ Gamma(1, 1) is used", shown(prior)));
            NoisePrior::Default
        }
    }
}
