//! How well each object fits the mean map, and the table of the map that a run writes.

use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::moments::{Ellipse, Moments};
use crate::Locations;
use crate::dissimilarity::Names;

/// How well one object's observed dissimilarities agree with a map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectFit {
    /// Root mean squared residual (observed minus distance in the map) over the object's pairs; NaN without pairs.
    pub stress: f64,
    /// Mean residual, with its sign: above zero, the object is nearer to its partners than observed; NaN without pairs.
    pub mean_residual: f64,
    /// The residual of largest magnitude, with its sign; NaN without pairs.
    pub largest_residual: f64,
    /// The object that residual is with.
    pub partner: Option<usize>,
    /// Number of the object's pairs.
    pub n_pairs: usize,
}

/// The fit of every object in the mean map. `neighbours(i)` lists the coupled objects with their dissimilarities;
/// NaN entries are ignored.
pub fn object_fits(mean: &Locations, neighbours: impl Fn(usize) -> Vec<(usize, f64)>) -> Vec<ObjectFit> {
    (0..mean.n_objects()).map(|object| object_fit(object, mean, &neighbours(object))).collect()
}

fn object_fit(object: usize, mean: &Locations, pairs: &[(usize, f64)]) -> ObjectFit {
    let mut fit = ObjectFit { stress: 0.0, mean_residual: 0.0, largest_residual: 0.0, partner: None, n_pairs: 0 };
    for &(partner, observed) in pairs.iter().filter(|(_, observed)| !observed.is_nan()) {
        let residual = observed - mean.distance(object, partner);
        if fit.partner.is_none() || residual.abs() > fit.largest_residual.abs() {
            (fit.largest_residual, fit.partner) = (residual, Some(partner));
        }
        fit.stress += residual * residual;
        fit.mean_residual += residual;
        fit.n_pairs += 1;
    }
    fit.stress = (fit.stress / fit.n_pairs as f64).sqrt();
    fit.mean_residual /= fit.n_pairs as f64;
    if fit.partner.is_none() { ObjectFit { largest_residual: f64::NAN, ..fit } } else { fit }
}

/// Writes `embedding.csv`: name, mean coordinates, standard deviations, 95% ellipse, stress; one row per object in
/// input order. Numbers read back to the same bits; unknown ones (NaN) are empty.
pub fn write_embedding_csv(
    output: impl Write,
    names: &Names,
    moments: &Moments,
    fits: &[ObjectFit],
) -> Result<(), csv::Error> {
    let n_dims = moments.mean().n_dims();
    let mut writer = csv::Writer::from_writer(output);
    let numbered = |letters: &'static str| (1..=n_dims).map(move |dim| format!("{letters}{dim}"));
    let ellipse = ["ellipse_major", "ellipse_minor", "ellipse_angle_degrees", "stress"].map(String::from);
    let header = std::iter::once("name".to_owned()).chain(numbered("x")).chain(numbered("sd")).chain(ellipse);
    writer.write_record(header)?;
    for (object, name) in names.iter().enumerate() {
        let Ellipse { major, minor, angle_degrees } = moments.ellipse(object);
        let mut numbers = moments.mean().object(object);
        numbers.extend((0..n_dims).map(|dim| moments.sd(object, dim)));
        numbers.extend([major, minor, angle_degrees, fits.get(object).map_or(f64::NAN, |fit| fit.stress)]);
        let fields = numbers.iter().map(|x| if x.is_nan() { String::new() } else { x.to_string() });
        writer.write_record(std::iter::once(name.into_owned()).chain(fields))?;
    }
    writer.flush()?;
    Ok(())
}

/// What `embedding.csv` says of a map: where objects are and how well they fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Embedding {
    /// The mean map.
    pub mean: Locations,
    /// Root mean squared residual of each object; NaN if unknown.
    pub stress: Vec<f64>,
}

/// Reads back what [`write_embedding_csv`] wrote; the error says what is wrong with the file.
pub fn read_embedding_csv(path: &Path, names: &Names, n_dims: usize) -> Result<Embedding, String> {
    let mut reader = csv::Reader::from_path(path).map_err(|error| error.to_string())?;
    let (mut mean, mut stress) = (Locations::zeros(names.len(), n_dims), Vec::with_capacity(names.len()));
    for row in reader.records() {
        let row = row.map_err(|error| error.to_string())?;
        let object = stress.len();
        if object >= names.len() || row.get(0) != Some(names.get(object).as_ref()) {
            return Err(format!("row {} is not of the object that the draws have there", object + 1));
        }
        for dim in 0..n_dims {
            let cell = row.get(1 + dim).and_then(|cell| cell.parse().ok());
            mean.set(object, dim, cell.ok_or_else(|| format!("row {} has no coordinate x{}", object + 1, dim + 1))?);
        }
        stress.push(row.iter().next_back().and_then(|cell| cell.parse().ok()).unwrap_or(f64::NAN));
    }
    if stress.len() == names.len() { Ok(Embedding { mean, stress }) } else { Err("rows are missing".into()) }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    #[test]
    fn fits_name_the_worst_pair() {
        let line = Locations::from_fn(3, 1, |object, _| object as f64);
        let observed = [vec![(1, 1.5), (2, 1.0)], vec![(0, 1.5), (2, f64::NAN)], vec![]];
        let fits = object_fits(&line, |object| observed[object].clone());
        assert_relative_eq!(fits[0].stress, (1.25_f64 / 2.0).sqrt());
        assert_eq!((fits[0].largest_residual, fits[0].partner, fits[0].n_pairs), (-1.0, Some(2), 2));
        assert_eq!((fits[0].mean_residual, fits[1].mean_residual), (-0.25, 0.5));
        assert_eq!((fits[1].stress, fits[1].partner), (0.5, Some(0)));
        assert!(fits[2].stress.is_nan() && fits[2].largest_residual.is_nan() && fits[2].partner.is_none());
    }

    #[test]
    fn the_table_quotes_names_and_leaves_unknown_numbers_empty() {
        let names = Names::given(vec!["A/\"x\", 1968".into(), "b".into()]).unwrap();
        let mut moments = Moments::new(2, 2);
        moments.add(&Locations::from_fn(2, 2, |object, dim| (object * 2 + dim) as f64));
        let mut table = Vec::new();
        let fits = object_fits(moments.mean(), |object| vec![(1 - object, 3.0)]);
        write_embedding_csv(&mut table, &names, &moments, &fits).unwrap();
        let expected = "name,x1,x2,sd1,sd2,ellipse_major,ellipse_minor,ellipse_angle_degrees,stress\n\
            \"A/\"\"x\"\", 1968\",0,1,,,,,,0.1715728752538097\n\
            b,2,3,,,,,,0.1715728752538097\n";
        assert_eq!(String::from_utf8(table.clone()).unwrap(), expected);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &table).unwrap();
        let read = read_embedding_csv(file.path(), &names, 2).unwrap();
        assert_eq!((&read.mean, read.stress[1]), (moments.mean(), fits[1].stress));
        assert!(read_embedding_csv(file.path(), &Names::numbered(2), 2).unwrap_err().contains("row 1"));
    }
}
