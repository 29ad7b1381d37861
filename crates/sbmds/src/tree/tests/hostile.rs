//! Whatever the text, the reader answers: with a tree that can be used or with an error.

use proptest::prelude::*;

use super::*;

/// Reads the text in every way; what is accepted keeps the promises of [`Tree`].
fn read_in_every_way(text: &str) {
    for index in [None, Some(1), Some(2)] {
        match read(text, index) {
            Ok(tree) => check_usable(tree),
            Err(error) => {
                assert!(error.to_string().starts_with("x.trees") && error.to_string().contains("Remedy: "), "{error}");
            }
        }
    }
}

fn check_usable(tree: Tree) {
    assert!(tree.n_tips() >= 1 && tree.total_length().is_finite());
    for node in 0..tree.n_nodes() {
        assert!(tree.length(node) >= 0.0);
        assert!(tree.children(node).iter().all(|&child| child < node && tree.parent(child) == Some(node)));
        assert_eq!(tree.is_tip(node), tree.tips().contains(&node));
    }
    assert_eq!(Tree::parse(&tree.to_newick()).unwrap().to_newick(), tree.to_newick());
    let first = names(&[tree.tip_name(0)]);
    assert_eq!(tree.match_tips(&first, true).unwrap().tree().n_tips(), 1);
}

/// One change to the text; positions are taken modulo its length.
fn change() -> impl Strategy<Value = (usize, usize, String)> {
    let pieces =
        ["(", ")", "[", "]", ",", ":", ";", "'", "\"", "=", "{", "}", "\n", "&", "1e999", "-", "#NEXUS", "tree", ""];
    let new = prop_oneof![prop::sample::select(pieces.to_vec()).prop_map(str::to_owned), "\\PC{0,3}"];
    (any::<usize>(), 0_usize..6, new)
}

fn apply(text: String, (at, n_removed, new): (usize, usize, String)) -> String {
    let characters: Vec<char> = text.chars().collect();
    let start = at % (characters.len() + 1);
    let end = (start + n_removed).min(characters.len());
    characters[..start].iter().copied().chain(new.chars()).chain(characters[end..].iter().copied()).collect()
}

proptest! {
    #![proptest_config(cases(1024))]

    #[test]
    fn arbitrary_text(text in "\\PC{0,100}") {
        read_in_every_way(&text);
    }

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_in_every_way(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn telling_text(text in "(#NEXUS begin trees;)?(tree x=|translate |end;|[()\\[\\],:;'\"= a-c0-9&{}\n.-]){0,60}") {
        read_in_every_way(&text);
    }

    #[test]
    fn damaged_files(nexus in any::<bool>(), changes in prop::collection::vec(change(), 1..6)) {
        let text = if nexus { BEAST_FILE } else { "((a[&x={1,{2}}]:1,'b''c'[y]:0.5)d:2e-3,e f:0,(g:1):1);\n(h:1,i:2);" };
        read_in_every_way(&changes.into_iter().fold(text.to_owned(), apply));
    }

    #[test]
    fn damaged_random_trees(tree in super::round_trip::trees(), changes in prop::collection::vec(change(), 0..4)) {
        read_in_every_way(&changes.into_iter().fold(tree.to_newick(), apply));
    }
}
