//! `sbmds from-beast`: the fit that comes closest to an analysis written for BEAST.

mod analysis;
mod document;
mod locations;
mod noise;

use std::path::{Path, PathBuf};

use clap::Args;
use sbmds::tree::Tree;

use crate::failure::Failure;
use analysis::{Analysis, TreeSource};

/// Flags of `sbmds from-beast`.
#[derive(Args)]
pub struct FromBeast {
    /// BEAST's file, with a multiDimensionalScalingLikelihood
    xml: PathBuf,
    /// Run the fit, instead of printing its command line
    #[arg(long)]
    run: bool,
    /// Where to write the tree, if the file holds one [default: the file's name with `-tree.nwk`]
    #[arg(long, value_name = "FILE")]
    tree_out: Option<PathBuf>,
    /// More flags for `sbmds fit`, after `--`
    #[arg(last = true, value_name = "FLAGS")]
    more: Vec<String>,
}

impl FromBeast {
    pub fn run(&self) -> Result<(), Failure> {
        let analysis = self.read()?;
        let tree = self.tree_file(&analysis)?;
        let mut words = vec!["sbmds".to_owned(), "fit".to_owned(), self.table(&analysis).display().to_string()];
        words.extend(analysis.flags());
        if let Some(path) = &tree {
            words.extend(["--tree".to_owned(), path.display().to_string()]);
        }
        words.extend(self.more.iter().cloned());
        report(&self.xml, &analysis);
        if self.run {
            eprintln!("{}", command_line(&words));
            return crate::execute(&words);
        }
        println!("{}", command_line(&words));
        Ok(())
    }

    fn read(&self) -> Result<Analysis, Failure> {
        let problem = |error: &dyn std::fmt::Display| Failure::bad_input(format!("{}: {error}", self.xml.display()));
        let text = std::fs::read_to_string(&self.xml)
            .map_err(|error| problem(&format!("{error}. Remedy: give a BEAST XML file that can be read")))?;
        Analysis::read(&text).map_err(|error| problem(&error))
    }

    /// BEAST looks for files from where it is started, which usually is where its file is.
    fn beside_xml(&self, name: &Path) -> PathBuf {
        let beside = self.xml.parent().map_or_else(|| name.to_owned(), |directory| directory.join(name));
        if beside.exists() { beside } else { name.to_owned() }
    }

    fn table(&self, analysis: &Analysis) -> PathBuf {
        self.beside_xml(&analysis.table)
    }

    /// The file of the tree, which is written if the analysis holds the tree itself.
    fn tree_file(&self, analysis: &Analysis) -> Result<Option<PathBuf>, Failure> {
        match &analysis.tree {
            None => Ok(None),
            Some(TreeSource::File(name)) => Ok(Some(self.beside_xml(name))),
            Some(TreeSource::Newick(newick)) => {
                let stem = self.xml.file_stem().unwrap_or_default().to_string_lossy();
                let path = self.tree_out.clone().unwrap_or_else(|| PathBuf::from(format!("{stem}-tree.nwk")));
                write_tree(&path, newick)?;
                Ok(Some(path))
            }
        }
    }
}

/// Writes a tree that can be read; an older one that differs stays.
fn write_tree(path: &Path, newick: &str) -> Result<(), Failure> {
    Tree::parse(newick).map_err(|error| Failure::bad_input(format!("the tree in the XML file: {error}")))?;
    let shown = path.display();
    let text = format!("{newick}\n");
    if path.exists() {
        return match std::fs::read_to_string(path) {
            Ok(older) if older == text => Ok(()),
            _ => Err(Failure::bad_input(format!(
                "{shown} exists and holds something else. Remedy: remove it, or name another file with --tree-out"
            ))),
        };
    }
    let problem = |error| Failure::bad_input(format!("{shown}: {error}. Remedy: name another file with --tree-out"));
    std::fs::write(path, text).map_err(problem)
}

/// Says on stderr what is not carried over.
fn report(xml: &Path, analysis: &Analysis) {
    if analysis.notes.is_empty() {
        return;
    }
    eprintln!("{}: what the fit does not take over, or does otherwise:", xml.display());
    analysis.notes.iter().for_each(|note| eprintln!("- {note}"));
}

/// The words as they can be typed.
fn command_line(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    let quote = |word: &String| match word {
        word if !word.is_empty() && word.chars().all(plain) => word.clone(),
        word => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_blanks_are_quoted() {
        let words = ["sbmds", "fit", "my table.txt", "it's", ""].map(str::to_owned);
        assert_eq!(command_line(&words), r"sbmds fit 'my table.txt' 'it'\''s' ''");
    }
}
