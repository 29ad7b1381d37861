//! Which columns of the long form hold what.

use super::Titers;
use crate::dissimilarity::error::{Fault, listed};

/// Indices of the columns that are read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Columns {
    pub virus: usize,
    pub serum: usize,
    pub titer: usize,
    pub virus_year: Option<usize>,
    pub serum_year: Option<usize>,
    /// Names of the two columns that are the objects.
    names: [String; 2],
}

/// A strain is the object on the map (isolates of one strain are spelled in several ways); a serum is one animal's.
const VIRUS: [&str; 5] = ["virusstrain", "virus", "antigen", "strain", "virusisolate"];
const SERUM: [&str; 4] = ["serumisolate", "serum", "antiserum", "serumstrain"];
const TITER: [&str; 3] = ["titer", "titre", "hititer"];

impl Columns {
    /// Told from the header: `None` if no column is one of titres, so that the file is a table.
    pub fn find(header: &[String]) -> Result<Option<Self>, Fault> {
        let plain = |name: &String| name.to_lowercase().replace(['_', ' ', '-', '.'], "");
        let named: Vec<String> = header.iter().map(plain).collect();
        let find = |words: &[&str]| words.iter().find_map(|word| named.iter().position(|name| name == word));
        let (virus, serum, titer) = (find(&VIRUS), find(&SERUM), find(&TITER));
        match (virus, serum, titer) {
            (Some(virus), Some(serum), Some(titer)) => Ok(Some(Self {
                virus,
                serum,
                titer,
                virus_year: find(&["virusyear"]),
                serum_year: find(&["serumyear"]),
                names: [header[virus].clone(), header[serum].clone()],
            })),
            (_, _, None) => Ok(None),
            (virus, _, _) => {
                let missing =
                    if virus.is_none() { "virus (virus, virusStrain)" } else { "serum (serum, serumIsolate)" };
                let problem = format!(
                    "there is a column of titres, but none that names the {missing}; there are: {}",
                    listed(header)
                );
                Err(Fault::new(problem, "name the columns virus, serum, titer, or as BEAST does"))
            }
        }
    }

    /// What the user should know about which columns became objects.
    pub fn note(&self, file: &str, titers: &Titers) -> Option<String> {
        let is_plain = self.names.iter().zip(["virus", "serum"]).all(|(name, plain)| name.eq_ignore_ascii_case(plain));
        let [virus, serum] = &self.names;
        (!is_plain).then(|| {
            let (n_viruses, n_sera) = (titers.n_viruses(), titers.n_sera());
            format!("{file}: the objects are the {n_viruses} viruses of column {virus} and the {n_sera} sera of column {serum}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(header: &str) -> Result<Option<Columns>, Fault> {
        Columns::find(&header.split(',').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn strains_and_single_sera_are_the_objects() {
        let columns =
            find("virusIsolate,virusStrain,virusYear,serumIsolate,serumStrain,serumYear,titer").unwrap().unwrap();
        assert_eq!((columns.virus, columns.serum, columns.titer), (1, 3, 6));
        assert_eq!((columns.virus_year, columns.serum_year), (Some(2), Some(5)));
        let columns = find("source,Titre,serum,virus").unwrap().unwrap();
        assert_eq!((columns.virus, columns.serum, columns.titer), (3, 2, 1));
    }

    #[test]
    fn a_table_has_no_column_of_titres() {
        assert_eq!(find(",A/1,A/2"), Ok(None));
        assert!(find("virus,titer").unwrap_err().problem.contains("serum"));
    }
}
