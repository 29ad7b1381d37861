//! What a row of features must be for each metric, and what is wrong with one that is not.

use super::error::Fault;
use super::features::RowFault;
use super::metric::{Metric, Row, Scaling};

/// Values beyond this would overflow when squared and summed.
const LARGEST: f64 = 1e150;

/// The scaling of a row, if the metric needs one.
pub(super) fn check_row<R: Row>(row: R, n_columns: usize, metric: Metric) -> Result<Option<Scaling>, RowFault> {
    for column in 0..n_columns {
        check_value(row.get(column)).map_err(|fault| (Some(column), fault))?;
    }
    let values = || (0..n_columns).map(|column| row.get(column));
    match metric {
        Metric::Euclidean | Metric::SqEuclidean | Metric::Manhattan | Metric::Hamming => Ok(None),
        Metric::BrayCurtis => check_amounts(values).map(|()| None),
        Metric::Jaccard => check_presence(values).map(|()| None),
        Metric::Haversine => check_latitude_longitude([row.get(0), row.get(1)]).map(|()| None),
        Metric::Cosine => scaling(0.0, values).map(Some).ok_or_else(|| (None, no_direction())),
        Metric::Correlation => {
            let is_constant = values().all(|value| value == row.get(0));
            let centre = values().sum::<f64>() / n_columns as f64;
            let scaling = if is_constant { None } else { scaling(centre, values) };
            scaling.map(Some).ok_or_else(|| (None, no_variation()))
        }
    }
}

/// One over the length of the centred row, which is computed in units of its largest value so that nothing underflows.
fn scaling<I: Iterator<Item = f64>>(centre: f64, values: impl Fn() -> I) -> Option<Scaling> {
    let largest = values().map(|value| (value - centre).abs()).fold(0.0, f64::max);
    let norm = largest * values().map(|value| ((value - centre) / largest).powi(2)).sum::<f64>().sqrt();
    let inverse_norm = 1.0 / norm;
    (norm > 0.0 && inverse_norm.is_finite()).then_some(Scaling { centre, inverse_norm })
}

fn check_value(value: f64) -> Result<(), Fault> {
    if value.is_nan() {
        return Err(Fault::new("there is no value; features must be complete", "fill the gap or leave the object out"));
    }
    // Infinite values are large as well.
    if value.abs() > LARGEST {
        return Err(Fault::new(
            format!("{value} is too large for a feature; distances would overflow"),
            "correct the value or rescale the feature",
        ));
    }
    Ok(())
}

/// The fault of features without any column, or with another number of them than the metric compares.
pub(super) fn check_columns(n_columns: usize, metric: Metric) -> Result<(), Fault> {
    if n_columns == 0 {
        return Err(Fault::new("the objects have no features", "give at least one number per object"));
    }
    if metric == Metric::Haversine && n_columns != 2 {
        let problem = format!("metric haversine compares 2 columns, latitude and longitude; there are {n_columns}");
        return Err(Fault::new(problem, "give the latitude and then the longitude of every object, in degrees"));
    }
    Ok(())
}

/// Amounts are zero or more, and not all zero: Bray-Curtis of two empty rows is 0 / 0.
fn check_amounts<I: Iterator<Item = f64>>(values: impl Fn() -> I) -> Result<(), RowFault> {
    if let Some((column, value)) = values().enumerate().find(|(_, value)| *value < 0.0) {
        let problem = format!("{value} is negative; metric braycurtis compares amounts, which are zero or more");
        return Err((Some(column), Fault::new(problem, "correct the value, or choose metric manhattan or euclidean")));
    }
    if values().all(|value| value == 0.0) {
        let problem = "all features are zero; metric braycurtis cannot compare two such objects";
        return Err((None, Fault::new(problem, "leave the object out or choose metric manhattan")));
    }
    Ok(())
}

fn check_presence<I: Iterator<Item = f64>>(values: impl Fn() -> I) -> Result<(), RowFault> {
    let Some((column, value)) = values().enumerate().find(|(_, value)| *value != 0.0 && *value != 1.0) else {
        return Ok(());
    };
    let problem = format!("{value} is neither 0 nor 1; metric jaccard compares presence and absence");
    let remedy = "write 1 for every amount above 0, or choose metric braycurtis, which compares amounts";
    Err((Some(column), Fault::new(problem, remedy)))
}

/// Latitude and longitude in degrees; longitudes may count from -180 to 180 or from 0 to 360.
fn check_latitude_longitude([latitude, longitude]: [f64; 2]) -> Result<(), RowFault> {
    let (column, problem) = if latitude.abs() > 90.0 {
        (0, format!("{latitude} is no latitude; it must lie between -90 and 90 degrees"))
    } else if !(-180.0..=360.0).contains(&longitude) {
        (1, format!("{longitude} is no longitude; it must lie between -180 and 360 degrees"))
    } else {
        return Ok(());
    };
    Err((Some(column), Fault::new(problem, "give latitude first, then longitude, both in degrees")))
}

fn no_direction() -> Fault {
    Fault::new(
        "all features are zero; such an object has no direction for metric cosine",
        "leave the object out or choose metric euclidean",
    )
}

fn no_variation() -> Fault {
    Fault::new(
        "all features are equal; such an object has no correlation with others",
        "leave the object out or choose metric euclidean",
    )
}
