//! What is written is read back the same.

use proptest::prelude::*;

use super::super::{NexusWriter, TreeBuilder};
use super::*;

/// Trees of any shape: nodes are joined at random, two to four at a time, sometimes a single one.
pub(super) fn trees() -> impl Strategy<Value = Tree> {
    let name = prop_oneof!["[A-Za-z0-9/_.-]{1,12}", "[ -~]{0,6}", "\\PC{1,4}", "'?[()\\[\\]:;,'\" =\n]{1,3}"];
    let length = prop_oneof![Just(0.0), 0.0..10.0, Just(1e-300), Just(5e-324), Just(1.5e300)];
    let tips = prop::collection::btree_map(name, length.clone(), 2..30);
    (tips, prop::collection::vec((any::<usize>(), 1_usize..5, length), 60)).prop_map(|(tips, joins)| {
        let mut builder = TreeBuilder::new();
        let mut roots: Vec<usize> = tips.into_iter().map(|(name, length)| builder.tip(name, length)).collect();
        for (first, n_children, length) in joins {
            let first = first % roots.len();
            let last = (first + n_children).min(roots.len());
            let node = builder.parent(&roots[first..last], length);
            roots.splice(first..last, [node]);
        }
        builder.parent(&roots, 0.0);
        builder.finish()
    })
}

/// Parent-first description of a tree that does not depend on how its nodes are numbered.
fn shape(tree: &Tree) -> Vec<(usize, u64, Option<&str>)> {
    let mut found = Vec::new();
    let mut to_do = vec![tree.root()];
    while let Some(node) = to_do.pop() {
        found.push((tree.children(node).len(), tree.length(node).to_bits(), tree.label(node)));
        to_do.extend(tree.children(node));
    }
    found
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn newick(tree in trees()) {
        let read = Tree::parse(&tree.to_newick()).unwrap();
        prop_assert_eq!(shape(&read), shape(&tree));
        prop_assert_eq!(read.to_newick(), tree.to_newick());
    }

    #[test]
    fn nexus(tree in trees(), name in "[ -~]{1,8}", scale in -1e9..1e9) {
        let location = |node: usize, out: &mut Vec<f64>| out.extend([node as f64 * scale, 1.0 / scale]);
        let mut writer = NexusWriter::new(Vec::new(), &tree).unwrap();
        writer.tree("first", "", |_, out| out.push(0.0)).unwrap();
        writer.tree(&name, "lnP=-1.5,precision={1,2}", location).unwrap();
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        let read = Tree::parse(&text).unwrap();
        prop_assert_eq!(shape(&read), shape(&tree));
        prop_assert_eq!(read.source().name.as_deref(), Some(name.as_str()));
        prop_assert_eq!(read.source().n_trees, 2);
        // Every node keeps its own location: written from what was read, the tree is the same in everything.
        let mut writer = NexusWriter::new(Vec::new(), &read).unwrap();
        writer.tree("first", "", |_, out| out.push(0.0)).unwrap();
        writer.tree(&name, "", |node, out| out.extend(read.annotated_numbers(node, "loc").unwrap())).unwrap();
        let again = Tree::parse(&String::from_utf8(writer.finish().unwrap()).unwrap()).unwrap();
        prop_assert_eq!(again, read);
    }
}

#[test]
fn annotations_survive() {
    let text = "((a[&loc={1,-2.5}]:1.0,b[&!name=\"x,y\",flag]:2.0)q[&set={{1,2},{3}}]:0.5,c:1e-7);";
    assert_eq!(Tree::parse(text).unwrap().to_newick(), text);
}
