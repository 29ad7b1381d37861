//! BEAST's XML as a graph: elements that stand for others by their name.

use std::collections::HashMap;

use roxmltree::{Document, Node};

/// An XML document of BEAST.
pub struct Beast<'d> {
    document: &'d Document<'d>,
    by_id: HashMap<&'d str, Node<'d, 'd>>,
}

impl<'d> Beast<'d> {
    pub fn new(document: &'d Document<'d>) -> Self {
        let named = document.descendants().filter_map(|node| Some((node.attribute("id")?, node)));
        Self { document, by_id: named.collect() }
    }

    /// The element that `node` stands for; itself, if it stands for none.
    pub fn resolve(&self, node: Node<'d, 'd>) -> Node<'d, 'd> {
        node.attribute("idref").and_then(|id| self.by_id.get(id).copied()).unwrap_or(node)
    }

    /// All elements with one of these names that are not references.
    pub fn all(&self, names: &[&str]) -> Vec<Node<'d, 'd>> {
        let wanted = |node: &Node| names.contains(&node.tag_name().name()) && !node.has_attribute("idref");
        self.document.descendants().filter(wanted).collect()
    }

    /// Elements directly under the root.
    pub fn top(&self) -> Vec<Node<'d, 'd>> {
        elements(self.document.root_element())
    }

    /// Whether an element inside `node` is `wanted`, or stands for it.
    pub fn mentions(&self, node: Node<'d, 'd>, wanted: Node<'d, 'd>) -> bool {
        node.descendants().skip(1).any(|inner| self.resolve(inner) == wanted)
    }

    /// The parameters that make up `node`: itself, and those inside.
    pub fn parts(&self, node: Node<'d, 'd>) -> Vec<Node<'d, 'd>> {
        node.descendants().filter(Node::is_element).map(|inner| self.resolve(inner)).collect()
    }

    /// What the first child of the child `name` of `node` stands for.
    pub fn inside(&self, node: Node<'d, 'd>, name: &str) -> Option<Node<'d, 'd>> {
        let holder = child(node, name)?;
        elements(holder).first().map(|first| self.resolve(*first))
    }
}

/// Children that are elements.
pub fn elements<'d>(node: Node<'d, 'd>) -> Vec<Node<'d, 'd>> {
    node.children().filter(Node::is_element).collect()
}

/// The child of that name.
pub fn child<'d>(node: Node<'d, 'd>, name: &str) -> Option<Node<'d, 'd>> {
    node.children().find(|child| child.tag_name().name() == name)
}

/// The numbers of an attribute, separated by blanks.
pub fn numbers(node: Node, attribute: &str) -> Option<Vec<f64>> {
    node.attribute(attribute)?.split_whitespace().map(|number| number.parse().ok()).collect()
}

/// The number of an attribute.
pub fn number(node: Node, attribute: &str) -> Option<f64> {
    node.attribute(attribute)?.trim().parse().ok()
}

/// BEAST's `true` and `false`; false if it is not there.
pub fn is_true(node: Node, attribute: &str) -> bool {
    node.attribute(attribute).is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
}

/// `<gammaPrior id="a">`, for messages.
pub fn shown(node: Node) -> String {
    let name = node.tag_name().name();
    match node.attribute("id") {
        Some(id) => format!("<{name} id=\"{id}\">"),
        None => format!("<{name}>"),
    }
}
