//! Matching by name and dropping extra tips.

use super::*;

fn matched(text: &str, objects: &[&str]) -> super::super::MatchedTree {
    Tree::parse(text).unwrap().match_tips(&names(objects), true).unwrap()
}

#[test]
fn tips_are_joined_by_name() {
    let found = matched("((c:1,a:2):3,b:4);", &["a", "b", "c"]);
    assert_eq!(found.objects(), [2, 0, 1]);
    // Object 1 (b) is at position 0, object 2 (c) at position 1, object 0 (a) at position 2.
    assert_eq!(found.tip_positions(&[1, 2, 0]), [1, 2, 0]);
    assert!(found.dropped().is_empty());
}

#[test]
fn only_children_are_joined_with_their_branch() {
    let cases = [
        ("((a:1,x:2)p[&k=1]:3,b:4);", "(a:4.0,b:4.0);"),
        ("(((a[&k=2]:1,x:2):3,y:9):5,b:4);", "(a[&k=2]:9.0,b:4.0);"),
        ("((x:1,y:2):3,(a:4,b:5):6);", "(a:4.0,b:5.0);"),
        ("((a:1,x:2,b:3):3,y:1);", "(a:1.0,b:3.0);"),
        // A node that had a single child already keeps it.
        ("(((a:1):2,b:1):1,x:2);", "((a:1.0):2.0,b:1.0);"),
    ];
    for (text, expected) in cases {
        let found = matched(text, &["b", "a"]);
        assert_eq!(found.tree().to_newick(), expected, "{text}");
        assert_eq!(found.objects(), [1, 0]);
        assert!(found.dropped().contains(&"x".to_owned()));
    }
}

#[test]
fn distances_between_kept_tips_do_not_change() {
    let text = "((((a:1,x:2):3,(b:4,y:5):6):7,c:8):9,(z:1,d:2):3);";
    let depth = |tree: &Tree, name: &str| {
        let tip = (0..tree.n_tips()).find(|&tip| tree.tip_name(tip) == name).unwrap();
        std::iter::successors(Some(tree.tips()[tip]), |&node| tree.parent(node))
            .map(|node| tree.length(node))
            .sum::<f64>()
    };
    let whole = Tree::parse(text).unwrap();
    let found = matched(text, &["a", "b", "c", "d"]);
    for name in ["a", "b", "c", "d"] {
        assert_eq!(depth(found.tree(), name), depth(&whole, name));
    }
    assert_eq!(found.tree().n_nodes(), 7);
}
