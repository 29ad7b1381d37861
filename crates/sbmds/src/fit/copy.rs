//! A fit in memory as bytes, all but its data, and a fit of them again.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::fitted::Fitted;
use super::home::{InMemory, LazyMeasured, ModeParts};
use super::problem::tree::RunTree;
use super::summary::Summary;
use crate::Locations;
use crate::dissimilarity::{Dissimilarities, Names};
use crate::draws::{Draw, DrawReader, MemoryStore, StorePlan, Variable};
use crate::embedding::Moments;
use crate::error::RunError;
use crate::settings::FitConfig;
use crate::tree::Tree;

/// Bytes of other versions are not read: what they mean may have changed.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Everything of a fit but its data.
#[derive(Serialize, Deserialize)]
struct Copied {
    /// As text, which a run has them in too.
    config: String,
    summary: String,
    draws: CopiedDraws,
    maps: Vec<ModeParts>,
    /// Newick.
    tree: Option<String>,
    moments: Vec<Option<Moments>>,
}

/// Its draws.
#[derive(Serialize, Deserialize)]
struct CopiedDraws {
    /// None: numbers.
    names: Option<Vec<String>>,
    n_objects: usize,
    n_dims: usize,
    n_planned: usize,
    keep_x: bool,
    reference: Option<Locations>,
    variables: Vec<Variable>,
    stats: Vec<Variable>,
    chains: Vec<CopiedChain>,
}

/// The draws of a chain.
#[derive(Serialize, Deserialize)]
struct CopiedChain {
    n_draws: usize,
    x: Vec<Locations>,
    /// A column for every variable, then for every statistic.
    columns: Vec<Vec<f64>>,
}

impl Fitted {
    /// A fit in memory as bytes, all but its data.
    ///
    /// # Errors
    /// If the fit is in a directory: that is opened again.
    pub fn to_bytes(&self) -> Result<Vec<u8>, RunError> {
        let Some(home) = self.in_memory() else {
            let problem = "this fit is in a directory";
            return Err(RunError::setting("fit", problem, "open the directory again"));
        };
        let text = |value: serde_json::Result<String>| value.map_err(|error| damaged(&error));
        let copied = Copied {
            config: text(serde_json::to_string(self.config()))?,
            summary: text(serde_json::to_string(self.summary()))?,
            draws: CopiedDraws::of(self.reader())?,
            maps: home.maps.clone(),
            tree: home.tree.as_ref().map(|tree| tree.tree().to_newick()),
            moments: home.moments.clone(),
        };
        postcard::to_allocvec(&(VERSION, copied)).map_err(|error| damaged(&error))
    }

    /// The fit that [`Fitted::to_bytes`] made bytes of; `data` gives its data when they are asked for.
    ///
    /// # Errors
    /// If the bytes are not those of a fit of this version.
    pub fn from_bytes(
        bytes: &[u8],
        data: impl Fn(&FitConfig) -> Result<Dissimilarities, RunError> + Send + Sync + 'static,
    ) -> Result<Self, RunError> {
        let (version, rest): (String, _) = postcard::take_from_bytes(bytes).map_err(|error| damaged(&error))?;
        if version != VERSION {
            let problem = format!("this copy of a fit was made by sbmds {version}, and this is {VERSION}");
            return Err(RunError::setting("fit", problem, "open it with the version that made it, or fit with `out`"));
        }
        let copied: Copied = postcard::from_bytes(rest).map_err(|error| damaged(&error))?;
        let config: FitConfig = serde_json::from_str(&copied.config).map_err(|error| damaged(&error))?;
        let summary: Summary = serde_json::from_str(&copied.summary).map_err(|error| damaged(&error))?;
        let reader = copied.draws.reader()?;
        let tree = copied.tree.as_deref().zip(config.tree.clone());
        let again =
            |(newick, config)| Ok::<_, RunError>(Arc::new(RunTree::of(Tree::parse(newick)?, config, reader.names())?));
        let tree = tree.map(again).transpose()?;
        let names = reader.names().clone();
        let measured = LazyMeasured::to_be_read(move |config| same(data(config)?, &names));
        let home = InMemory { maps: copied.maps, tree, measured, moments: copied.moments };
        Self::new(config, summary, reader, Box::new(home), 1)
    }
}

/// The data, if they are of the same objects.
fn same(data: Dissimilarities, names: &Names) -> Result<Dissimilarities, RunError> {
    if data.names().iter().eq(names.iter()) {
        return Ok(data);
    }
    let problem = "the data have other objects than those that were fitted";
    Err(RunError::setting("data", problem, "give them as they were, or fit again"))
}

fn damaged(error: &dyn std::fmt::Display) -> RunError {
    RunError::Damaged { path: "copy of a fit".into(), what: error.to_string() }
}

impl CopiedDraws {
    fn of(reader: &DrawReader) -> Result<Self, RunError> {
        let names = reader.names();
        Ok(Self {
            names: (!names.is_numbered()).then(|| names.iter().map(|name| name.into_owned()).collect()),
            n_objects: names.len(),
            n_dims: reader.n_dims(),
            n_planned: reader.n_draws(),
            keep_x: reader.has_x(),
            reference: reader.reference()?,
            variables: reader.variables().cloned().collect(),
            stats: reader.stats().cloned().collect(),
            chains: (0..reader.n_chains()).map(|chain| CopiedChain::of(reader, chain)).collect::<Result<_, _>>()?,
        })
    }

    fn reader(&self) -> Result<DrawReader, RunError> {
        let names = match &self.names {
            Some(names) => Names::given(names.clone()).map_err(|_| damaged(&"two objects have one name"))?,
            None => Names::numbered(self.n_objects),
        };
        let store = MemoryStore::new(&StorePlan {
            n_chains: self.chains.len(),
            n_draws: self.n_planned,
            names: &names,
            n_dims: self.n_dims,
            keep_x: self.keep_x,
            reference: self.reference.as_ref(),
            variables: self.variables.clone(),
            stats: self.stats.clone(),
        })?;
        for (number, chain) in self.chains.iter().enumerate() {
            chain.push_to(&store, number, self)?;
        }
        Ok(store.reader())
    }
}

impl CopiedChain {
    fn of(reader: &DrawReader, chain: usize) -> Result<Self, RunError> {
        let n_draws = reader.n_complete(chain);
        let x = (0..if reader.has_x() { n_draws } else { 0 })
            .map(|draw| reader.x(chain, draw))
            .collect::<Result<_, _>>()?;
        let variables = reader.variables().map(|variable| reader.scalar(&variable.name, chain));
        let stats = reader.stats().map(|stat| reader.stat(&stat.name, chain));
        Ok(Self { n_draws, x, columns: variables.chain(stats).collect::<Result<_, _>>()? })
    }

    fn push_to(&self, store: &MemoryStore, number: usize, of: &CopiedDraws) -> Result<(), RunError> {
        let widths: Vec<usize> = of.variables.iter().chain(&of.stats).map(Variable::row_len).collect();
        let are_whole = self.columns.iter().zip(&widths).all(|(column, width)| column.len() == width * self.n_draws);
        let has_all_x = self.x.len() == if of.keep_x { self.n_draws } else { 0 };
        let fits = |x: &Locations| (x.n_objects(), x.n_dims()) == (of.n_objects, of.n_dims);
        if self.columns.len() != widths.len() || !are_whole || !has_all_x || !self.x.iter().all(fits) {
            return Err(damaged(&"draws are missing"));
        }
        let nowhere = Locations::zeros(0, 0);
        for draw in 0..self.n_draws {
            let row = |(column, &width): (&Vec<f64>, &usize)| column[draw * width..(draw + 1) * width].to_vec();
            let rows: Vec<Vec<f64>> = self.columns.iter().zip(&widths).map(row).collect();
            let (scalars, stats) = rows.split_at(of.variables.len());
            let x = self.x.get(draw).unwrap_or(&nowhere);
            store.push(number, &Draw { x, scalars: &scalars.concat(), stats: &stats.concat() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::Fit;
    use crate::settings::Keep;

    fn data() -> Dissimilarities {
        let names = Names::given("abcdef".chars().map(String::from).collect()).unwrap();
        Dissimilarities::from_fn(names, |a, b| (b as f64 - a as f64) + 0.1 * ((a * b) % 3) as f64)
    }

    fn fitted(change: impl FnOnce(&mut FitConfig)) -> Fitted {
        Fit::of(&data()).chains(2).warmup(50).draws(30).with(change).run().unwrap()
    }

    #[test]
    fn a_copy_says_what_the_fit_says() {
        for keep in [Keep::All, Keep::Summary] {
            let fit = fitted(|config| config.run.keep = keep);
            let copy = Fitted::from_bytes(&fit.to_bytes().unwrap(), |_| Ok(data())).unwrap();
            assert_eq!((copy.config(), copy.summary()), (fit.config(), fit.summary()));
            assert_eq!(copy.map(), fit.map());
            assert_eq!(copy.moments().unwrap(), fit.moments().unwrap());
            let sigmas = |fit: &Fitted| -> Vec<f64> {
                fit.quantity("sigma").unwrap().chains().iter().flatten().copied().collect()
            };
            assert_eq!(sigmas(&copy), sigmas(&fit));
            let pairs = |fit: &Fitted| fit.measured().unwrap().coupled().partners(2);
            assert_eq!(pairs(&copy), pairs(&fit));
            if keep == Keep::All {
                assert_eq!(copy.aligned(1, 29).unwrap(), fit.aligned(1, 29).unwrap());
            }
        }
    }

    #[test]
    fn what_is_no_copy_is_refused() {
        let bytes = fitted(|_| ()).to_bytes().unwrap();
        let read = |bytes: &[u8]| Fitted::from_bytes(bytes, |_| Ok(data())).err().map(|error| error.to_string());
        assert_eq!(read(&bytes), None);
        assert!(read(&bytes[..bytes.len() / 2]).is_some() && read(&[]).is_some());
        let mut other = bytes.clone();
        other[1] = b'9';
        assert!(read(&other).unwrap().contains("was made by sbmds 9"));
        let others = Dissimilarities::from_fn(Names::numbered(6), |a, b| (b - a) as f64);
        let copy = Fitted::from_bytes(&bytes, move |_| Ok(others.clone())).unwrap();
        assert!(copy.measured().err().unwrap().to_string().contains("other objects"));
    }
}
