//! Writing trees: Newick, and NEXUS as FigTree and BEAST's tools read it, with annotations at every node.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Tree;

impl Tree {
    /// The tree as Newick, with the annotations it was read with.
    pub fn to_newick(&self) -> String {
        let mut text = String::new();
        self.write_brackets(&mut text, |text, node| {
            self.label(node).iter().for_each(|label| text.push_str(&quoted(label)));
            let annotations = self.annotations(node).iter();
            let entries =
                annotations.map(|(key, value)| if value.is_empty() { key.clone() } else { format!("{key}={value}") });
            write_annotation(text, &entries.collect::<Vec<_>>().join(","));
        });
        text
    }

    /// Brackets, names and lengths; `describe` writes everything of a node before its length.
    fn write_brackets(&self, text: &mut String, mut describe: impl FnMut(&mut String, usize)) {
        // Nodes to write, the next one last; `true` once the children are written.
        let mut to_do = vec![(self.root(), false)];
        while let Some((node, children_written)) = to_do.pop() {
            if !children_written && !self.is_tip(node) {
                text.push('(');
                to_do.push((node, true));
                to_do.extend(self.children(node).iter().rev().map(|&child| (child, false)));
                continue;
            }
            if children_written {
                text.push(')');
            }
            describe(text, node);
            if let Some(parent) = self.parent(node) {
                let _ = write!(text, ":{:?}", self.length(node));
                if self.children(parent).last() != Some(&node) {
                    text.push(',');
                }
            }
        }
        text.push(';');
    }
}

/// Writes a NEXUS file: the names once, then one tree after another of the same shape, annotated differently.
pub struct NexusWriter<'t, W: Write> {
    tree: &'t Tree,
    /// The number that stands for every tip, by node.
    tokens: Vec<usize>,
    out: W,
}

impl<'t, W: Write> NexusWriter<'t, W> {
    /// Writes the taxa and the translate block.
    pub fn new(mut out: W, tree: &'t Tree) -> io::Result<Self> {
        let names: Vec<String> = (0..tree.n_tips()).map(|tip| quoted(tree.tip_name(tip))).collect();
        writeln!(out, "#NEXUS\n\nBegin taxa;\n\tDimensions ntax={};\n\tTaxlabels", names.len())?;
        names.iter().try_for_each(|name| writeln!(out, "\t\t{name}"))?;
        writeln!(out, "\t\t;\nEnd;\n\nBegin trees;\n\tTranslate")?;
        for (tip, name) in names.iter().enumerate() {
            writeln!(out, "\t\t{} {name}{}", tip + 1, if tip + 1 < names.len() { "," } else { "" })?;
        }
        writeln!(out, "\t\t;")?;
        let mut tokens = vec![0; tree.n_nodes()];
        tree.tips().iter().enumerate().for_each(|(tip, &node)| tokens[node] = tip + 1);
        Ok(Self { tree, tokens, out })
    }

    /// Writes one tree. `about` is noted at the tree itself (`lnP=-1.5`, or nothing); `location` pushes the coordinates of
    /// a node, which become `[&loc={..}]`.
    pub fn tree(&mut self, name: &str, about: &str, mut location: impl FnMut(usize, &mut Vec<f64>)) -> io::Result<()> {
        let mut text = format!("tree {} ", quoted(name));
        write_annotation(&mut text, about);
        text.push_str(if about.is_empty() { "= [&R] " } else { " = [&R] " });
        let mut coordinates = Vec::new();
        self.tree.write_brackets(&mut text, |text, node| {
            if self.tokens[node] > 0 {
                let _ = write!(text, "{}", self.tokens[node]);
            }
            coordinates.clear();
            location(node, &mut coordinates);
            let numbers: Vec<String> = coordinates.iter().map(|coordinate| format!("{coordinate:?}")).collect();
            write_annotation(text, &format!("loc={{{}}}", numbers.join(",")));
        });
        writeln!(self.out, "{text}")
    }

    /// Ends the file and gives back what it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        writeln!(self.out, "End;")?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// `[&text]`, or nothing.
fn write_annotation(text: &mut String, entries: &str) {
    if !entries.is_empty() {
        let _ = write!(text, "[&{entries}]");
    }
}

/// The name, in quotes if it would be read differently without.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./|+@".contains(c);
    if !name.is_empty() && name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "''"))
    }
}
