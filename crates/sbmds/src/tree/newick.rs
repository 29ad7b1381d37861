//! Newick: nested brackets with names, branch lengths and `[&key=value]` annotations.

use std::collections::{HashMap, HashSet};

use super::Annotations;
use super::builder::TreeBuilder;
use super::cursor::Cursor;
use super::error::{Fault, shortened};

/// Names of tips by the token that stands for them in the tree.
pub(super) type Translation = HashMap<String, String>;

/// Reads the tree that starts at `cursor`, with an explicit stack: trees may be deep.
pub(super) fn parse(cursor: Cursor<'_>, translation: &Translation) -> Result<TreeBuilder, Fault> {
    Parser {
        cursor,
        translation,
        tree: TreeBuilder::new(),
        complete: Vec::new(),
        open: Vec::new(),
        tip_names: HashSet::new(),
    }
    .run()
}

/// The trees of a file, found but not yet read.
#[derive(Default)]
pub(super) struct Trees {
    pub statements: Vec<Statement>,
    pub translations: Vec<Translation>,
}

/// One tree of a file.
pub(super) struct Statement {
    pub name: Option<String>,
    /// Where its brackets start.
    pub at: usize,
    /// Which of the translations holds for it.
    pub translation: usize,
}

/// Finds all trees of a plain Newick file.
pub(super) fn trees(mut cursor: Cursor<'_>) -> Result<Trees, Fault> {
    let mut found = Trees { statements: Vec::new(), translations: vec![Translation::new()] };
    loop {
        cursor.skip_comments(|_| ())?;
        if cursor.peek().is_none() {
            return Ok(found);
        }
        found.statements.push(Statement { name: None, at: cursor.at(), translation: 0 });
        cursor.skip_statement()?;
    }
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    translation: &'t Translation,
    tree: TreeBuilder,
    /// Nodes that wait for their parent, those of the innermost bracket last.
    complete: Vec<usize>,
    /// For every open bracket: where in the text, and how many nodes were complete before it.
    open: Vec<(usize, usize)>,
    tip_names: HashSet<String>,
}

impl Parser<'_> {
    fn run(mut self) -> Result<TreeBuilder, Fault> {
        loop {
            self.start_of_node()?;
            while self.cursor.take(b')') {
                self.close()?;
            }
            if !self.cursor.take(b',') {
                break;
            }
            if self.open.is_empty() {
                let remedy = "put brackets around the whole tree: (A:1,B:1);";
                return Err(Fault::new(self.cursor.at() - 1, "',' outside of all brackets", remedy));
            }
        }
        self.end()
    }

    /// Opening brackets down to the next tip, and that tip.
    fn start_of_node(&mut self) -> Result<(), Fault> {
        self.cursor.skip_comments(|_| ())?;
        while self.cursor.peek() == Some(b'(') {
            self.open.push((self.cursor.at(), self.complete.len()));
            self.cursor.take(b'(');
            self.cursor.skip_comments(|_| ())?;
        }
        let start = self.cursor.at();
        let Some(token) = self.cursor.name()? else {
            let problem = format!("expected the name of a tip or '(', found {}", self.cursor.next_shown());
            return Err(Fault::new(start, problem, "every tip needs a name: (A:1,B:1);"));
        };
        let name = self.translation.get(&token).cloned().unwrap_or(token);
        if !self.tip_names.insert(name.clone()) {
            let problem = format!("there are two tips called {}", shortened(&name));
            return Err(Fault::new(start, problem, "give every tip a name of its own"));
        }
        if self.open.is_empty() {
            return Err(Fault::new(start, "expected '('", "a tree of several tips starts with a bracket: (A:1,B:1);"));
        }
        let tip = self.tree.tip(name, 0.0);
        self.rest_of_node(tip)
    }

    /// The end of a bracket: its node, with what is said about it.
    fn close(&mut self) -> Result<(), Fault> {
        let Some((_, first)) = self.open.pop() else {
            let problem = "')' without a '(' before it";
            return Err(Fault::new(self.cursor.at() - 1, problem, "balance the brackets"));
        };
        let node = self.tree.parent(&self.complete[first..], 0.0);
        self.complete.truncate(first);
        self.rest_of_node(node)
    }

    /// Annotations, an inner node's label, and the branch length.
    fn rest_of_node(&mut self, node: usize) -> Result<(), Fault> {
        let mut annotations = Annotations::new();
        let mut note = |comment: &str| annotate(&mut annotations, comment);
        self.cursor.skip_comments(&mut note)?;
        if self.tree.is_inner(node) {
            let label = self.cursor.name()?;
            self.tree.label(node, label);
            self.cursor.skip_comments(&mut note)?;
        }
        let position = self.cursor.at();
        let has_length = self.cursor.take(b':');
        if has_length {
            self.cursor.skip_comments(&mut note)?;
            let length = self.length()?;
            *self.tree.length_mut(node) = length;
            self.cursor.skip_comments(&mut note)?;
        }
        if !matches!(self.cursor.peek(), None | Some(b',' | b')' | b';')) {
            let problem = format!("expected ',' or ')', found {}", self.cursor.next_shown());
            return Err(Fault::new(self.cursor.at(), problem, "names with brackets, commas or colons need quotes"));
        }
        if !has_length && !self.open.is_empty() {
            let problem = "this branch has no length";
            return Err(Fault::new(position, problem, "give every branch a length: name:0.5"));
        }
        self.tree.annotate(node, annotations);
        self.complete.push(node);
        Ok(())
    }

    fn length(&mut self) -> Result<f64, Fault> {
        let start = self.cursor.at();
        let text = self.cursor.until(b"()[]:;, \t\r\n");
        let Some(length) = text.parse::<f64>().ok().filter(|length| length.is_finite()) else {
            let problem = match text {
                "" => format!("expected a branch length, found {}", self.cursor.next_shown()),
                _ => format!("expected a branch length, found \"{}\"", shortened(text)),
            };
            return Err(Fault::new(start, problem, "write lengths as 0.5 or 5e-1"));
        };
        // What leads to the root is ignored, whatever it is.
        if length < 0.0 && !self.open.is_empty() {
            let problem = format!("the branch length {text} is negative");
            let remedy = "use a tree whose nodes are older than their children (a sampled tree rather than averaged node heights)";
            return Err(Fault::new(start, problem, remedy));
        }
        Ok(length.abs())
    }

    fn end(self) -> Result<TreeBuilder, Fault> {
        if let Some(&(bracket, _)) = self.open.last() {
            let problem = format!("this '(' is not closed before {}", self.cursor.next_shown());
            return Err(Fault::new(bracket, problem, "balance the brackets; the file may be cut off"));
        }
        if !self.tree.length_below_root().is_finite() {
            return Err(Fault::new(self.cursor.at(), "the branch lengths sum to infinity", "use larger units of time"));
        }
        Ok(self.tree)
    }
}

/// Adds the entries of a comment `&key=value,key={..},flag`; other comments say nothing to a program.
pub(super) fn annotate(annotations: &mut Annotations, comment: &str) {
    // A second '&' is the New Hampshire X format, which has other rules.
    let Some(entries) = comment.strip_prefix('&').filter(|entries| !entries.starts_with('&')) else { return };
    let (mut depth, mut quoted, mut start) = (0_i64, false, 0);
    for (at, byte) in entries.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => depth -= 1,
            b',' if !quoted && depth <= 0 => {
                annotate_one(annotations, &entries[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    annotate_one(annotations, &entries[start..]);
}

fn annotate_one(annotations: &mut Annotations, entry: &str) {
    let (key, value) = entry.split_once('=').unwrap_or((entry, ""));
    if !key.trim().is_empty() {
        annotations.push((key.trim().to_owned(), value.trim().to_owned()));
    }
}
