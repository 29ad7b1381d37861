//! Phylogenies: Newick and NEXUS as BEAST writes them, joined to the objects by name.

mod builder;
mod cursor;
mod error;
mod matching;
mod newick;
mod nexus;
mod write;

#[cfg(test)]
mod tests;

use std::path::Path;

pub use builder::TreeBuilder;
pub use error::TreeError;
pub use matching::MatchedTree;
pub use write::NexusWriter;

pub(crate) use error::listed;

use cursor::Cursor;

/// What is noted at a node: `[&key=value,...]`, in the order of the file, values as they stand.
pub type Annotations = Vec<(String, String)>;

/// A rooted tree with branch lengths, in flat arrays: children come before their parents, the root comes last.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    parents: Vec<Option<usize>>,
    /// The children of node k are `children[child_starts[k]..child_starts[k + 1]]`.
    child_starts: Vec<usize>,
    children: Vec<usize>,
    lengths: Vec<f64>,
    labels: Vec<Option<String>>,
    annotations: Vec<Annotations>,
    /// The node of every tip, in the order of the file.
    tips: Vec<usize>,
    source: Source,
}

/// Where a tree came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file, as its path was given.
    pub file: String,
    /// The tree's own name, in NEXUS.
    pub name: Option<String>,
    /// Which of the file's trees it is, counted from 1.
    pub index: usize,
    /// How many trees the file has.
    pub n_trees: usize,
}

impl std::fmt::Display for Source {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "tree {} of {} in {}", self.index, self.n_trees, self.file)?;
        self.name.iter().try_for_each(|name| write!(out, " ({})", error::shortened(name)))
    }
}

/// Which tree of a file to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeChoice {
    /// The only one, or else the last.
    #[default]
    Last,
    /// By number, counted from 1.
    Index(usize),
}

impl From<Option<usize>> for TreeChoice {
    fn from(index: Option<usize>) -> Self {
        index.map_or(Self::Last, Self::Index)
    }
}

impl Tree {
    /// Reads a tree from a Newick or NEXUS file.
    pub fn read(path: &Path, choice: TreeChoice) -> Result<Self, TreeError> {
        let file = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| unreadable(&file, &error))?;
        let text = String::from_utf8(bytes).map_err(|error| TreeError::Unreadable {
            file: file.clone(),
            problem: format!("the text is not UTF-8 (byte {} of the file)", error.utf8_error().valid_up_to()),
            remedy: "save the file as UTF-8, for example with: iconv -f LATIN1 -t UTF-8".into(),
        })?;
        Self::parse_file(&file, &text, choice)
    }

    /// Reads the only (or last) tree of a text.
    ///
    /// ```
    /// let tree = sbmds::Tree::parse("((a:1,b:1):0.5,c:2);")?;
    /// assert_eq!((tree.n_tips(), tree.total_length()), (3, 4.5));
    /// # Ok::<(), sbmds::tree::TreeError>(())
    /// ```
    ///
    /// # Errors
    /// If there is no tree in it, or one that cannot be read.
    pub fn parse(text: &str) -> Result<Self, TreeError> {
        Self::parse_file("tree", text, TreeChoice::Last)
    }

    /// Reads a tree from the text of `file`.
    fn parse_file(file: &str, text: &str, choice: TreeChoice) -> Result<Self, TreeError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let faulty = |fault: error::Fault| fault.in_file(file, text);
        let cursor = Cursor::new(text);
        let find = if nexus::is_nexus(text) { nexus::trees } else { newick::trees };
        let mut trees = find(cursor.clone()).map_err(faulty)?;
        let n_trees = trees.statements.len();
        let chosen = chosen(file, choice, n_trees)?;
        let statement = trees.statements.swap_remove(chosen);
        let translation = &trees.translations[statement.translation];
        let builder = newick::parse(cursor.moved_to(statement.at), translation).map_err(faulty)?;
        let source = Source { file: file.to_owned(), name: statement.name, index: chosen + 1, n_trees };
        Ok(builder.finish_from(source))
    }

    /// Number of nodes, tips included.
    pub fn n_nodes(&self) -> usize {
        self.parents.len()
    }

    /// Number of tips.
    pub fn n_tips(&self) -> usize {
        self.tips.len()
    }

    /// The root: the last node.
    pub fn root(&self) -> usize {
        self.n_nodes() - 1
    }

    /// The parent of a node; the root has none.
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.parents[node]
    }

    /// The children of a node, all of them numbered below it; tips have none.
    pub fn children(&self, node: usize) -> &[usize] {
        &self.children[self.child_starts[node]..self.child_starts[node + 1]]
    }

    /// Whether a node is a tip.
    pub fn is_tip(&self, node: usize) -> bool {
        self.children(node).is_empty()
    }

    /// Length of the branch that leads to a node; 0 for the root.
    pub fn length(&self, node: usize) -> f64 {
        self.lengths[node]
    }

    /// Sum of all branch lengths, T.
    pub fn total_length(&self) -> f64 {
        self.lengths.iter().sum()
    }

    /// The node of every tip, in the order of the file.
    pub fn tips(&self) -> &[usize] {
        &self.tips
    }

    /// The name of tip `tip` (a position in [`Tree::tips`]).
    pub fn tip_name(&self, tip: usize) -> &str {
        self.label(self.tips[tip]).unwrap_or_default()
    }

    /// The inner nodes, children before parents, the root last.
    pub fn inner_nodes(&self) -> impl Iterator<Item = usize> {
        (0..self.n_nodes()).filter(|&node| !self.is_tip(node))
    }

    /// Number of inner nodes.
    pub fn n_inner(&self) -> usize {
        self.n_nodes() - self.n_tips()
    }

    /// A tip's name, or the label of an inner node.
    pub fn label(&self, node: usize) -> Option<&str> {
        self.labels[node].as_deref()
    }

    /// What is noted at a node.
    pub fn annotations(&self, node: usize) -> &[(String, String)] {
        &self.annotations[node]
    }

    /// The numbers of the annotation `key={1,2,...}` (or `key=1`) at a node.
    pub fn annotated_numbers(&self, node: usize, key: &str) -> Option<Vec<f64>> {
        let (_, value) = self.annotations(node).iter().find(|(found, _)| found == key)?;
        let inside = value.strip_prefix('{').and_then(|value| value.strip_suffix('}')).unwrap_or(value);
        inside.split(',').map(|number| number.trim().parse().ok()).collect()
    }

    /// Where the tree came from.
    pub fn source(&self) -> &Source {
        &self.source
    }
}

/// The position of the chosen tree.
fn chosen(file: &str, choice: TreeChoice, n_trees: usize) -> Result<usize, TreeError> {
    match choice {
        _ if n_trees == 0 => Err(TreeError::NoTree { file: file.to_owned() }),
        TreeChoice::Last => Ok(n_trees - 1),
        TreeChoice::Index(index) if (1..=n_trees).contains(&index) => Ok(index - 1),
        TreeChoice::Index(index) => Err(TreeError::NoSuchTree { file: file.to_owned(), index, n_trees }),
    }
}

fn unreadable(file: &str, error: &std::io::Error) -> TreeError {
    let (problem, remedy) = match error.kind() {
        std::io::ErrorKind::NotFound => ("there is no such file".into(), "check the path and its spelling"),
        std::io::ErrorKind::IsADirectory => ("this is a directory, not a file".into(), "give the path of a file in it"),
        _ => (format!("the file cannot be read: {error}"), "check the file and your permission to read it"),
    };
    TreeError::Unreadable { file: file.to_owned(), problem, remedy: remedy.into() }
}
