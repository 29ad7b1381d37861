//! Smallest effective sample sizes and the seconds they took: the numbers behind Figure 8.
//!
//! Source: the authors' results for the paper, `efficiency.csv`; 10 bands or landmarks, true sigma 0.2.

use sbmds::sampler::Sampler;

use crate::reproduce::Method;
use crate::reproduce::measures::log_efficiency;

/// (min ESS, seconds) at N = 20, 40, 80, 160, 320.
type Line = (Sampler, Method, [(f64, f64); 5]);

const LINES: [Line; 6] = [
    (
        Sampler::Hmc,
        Method::Full,
        [(2004.2, 329.84), (646.15, 754.24), (634.67, 2555.4), (309.14, 10191.0), (180.25, 42078.0)],
    ),
    (
        Sampler::Hmc,
        Method::Band,
        [(1699.9, 293.08), (1810.3, 429.03), (1591.3, 735.55), (1231.9, 1414.5), (1281.2, 2818.7)],
    ),
    (
        Sampler::Hmc,
        Method::Landmark,
        [(886.81, 297.43), (1008.0, 459.67), (746.39, 790.82), (202.28, 1501.8), (690.71, 2922.8)],
    ),
    (
        Sampler::Mh,
        Method::Full,
        [(3605.0, 230.78), (1247.5, 299.01), (614.4, 540.54), (306.9, 1531.7), (104.12, 5758.2)],
    ),
    (
        Sampler::Mh,
        Method::Band,
        [(4291.6, 460.88), (1011.0, 505.87), (110.36, 780.77), (187.02, 20864.0), (109.83, 128320.0)],
    ),
    (
        Sampler::Mh,
        Method::Landmark,
        [(2718.3, 460.01), (804.21, 515.76), (334.24, 788.27), (4215.9, 22201.0), (7171.2, 132980.0)],
    ),
];

/// The authors' log efficiency, if there is one.
pub(in crate::reproduce) fn efficiency(sampler: Sampler, method: Method, n_objects: usize) -> Option<f64> {
    let column = [20, 40, 80, 160, 320].iter().position(|&n| n == n_objects)?;
    let line = LINES.iter().find(|line| line.0 == sampler && line.1 == method)?;
    let (min_ess, seconds) = line.2[column];
    Some(log_efficiency(min_ess, seconds))
}
