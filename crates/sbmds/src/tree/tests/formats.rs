//! What files may look like.

use super::super::TreeBuilder;
use super::*;

#[test]
fn a_beast_file_has_names_lengths_and_annotations() {
    let tree = read(BEAST_FILE, Some(1)).unwrap();
    assert_eq!(tip_names(&tree), ["A/Cote d'Ivoire/1", "It's", "x_y"]);
    assert_eq!((tree.n_nodes(), tree.n_inner(), tree.root()), (5, 2, 4));
    let lengths: Vec<f64> = (0..5).map(|node| tree.length(node)).collect();
    assert_eq!(lengths, [1.0, 0.2, 0.0, 3.0, 0.0]);
    assert_eq!(tree.children(4), [2, 3]);
    assert_eq!((tree.parent(0), tree.parent(3), tree.parent(4)), (Some(2), Some(4), None));
    assert_eq!(tree.annotated_numbers(0, "loc"), Some(vec![1.5, -2.0]));
    assert_eq!(tree.annotations(2)[1], ("set".into(), "{{1,2},{3}}".into()));
    assert_eq!(tree.annotated_numbers(3, "rate"), Some(vec![0.5]));
    assert_eq!(tree.annotated_numbers(3, "loc"), None);
    assert_eq!(tree.inner_nodes().collect::<Vec<_>>(), [2, 4]);
}

#[test]
fn the_last_tree_is_read_unless_another_is_chosen() {
    let last = read(BEAST_FILE, None).unwrap();
    assert_eq!(last.source().to_string(), "tree 2 of 2 in x.trees (STATE_10)");
    assert_eq!(last, read(BEAST_FILE, Some(2)).unwrap());
    assert_eq!((last.total_length(), last.length(last.root())), (5.0, 0.0), "the root's own length is ignored");
    assert_eq!(last.label(2), Some("0.97"));
    assert_eq!(last.annotated_numbers(last.root(), "loc"), Some(vec![4.0, 5.0]));
    let plain = "(a:1,b:2);\n[second](c:1,'d;(':2)x;\n";
    assert_eq!(read(plain, Some(1)).unwrap().source().to_string(), "tree 1 of 2 in x.trees");
    assert_eq!(tip_names(&read(plain, None).unwrap()), ["c", "d;("]);
}

#[test]
fn the_same_tree_in_other_clothes() {
    let expected = Tree::parse("((a:1,b_b c:0.5):0.25,'d''d':2e-3,e:0);").unwrap();
    let same = [
        "\u{feff}((a:1,b_b c:0.5):0.25,'d''d':2e-3,e:0);",
        "(\r\n (a:1 , b_b c:5E-1) :2.5e-1,\r\n 'd''d':.002,\r\n e:-0.0\r\n)\r\n;\r\n",
        "[x](([&c]a[y]:[z]1,b_b c :0.5[w[nested]]):0.25,\"d'd\":2e-3,e:0)",
        "#nexus begin trees; tree a=((a:1,b_b c:0.5):0.25,'d''d':2e-3,e:0); end;",
        "#NEXUS\r\nBEGIN TREES;\r\n TRANSLATE 1 a, 2 b_b c, '3 3' 'd''d' ;\r\n UTREE * 'my; tree' = [&U] ((1:1,2:0.5):0.25,'3 3':2e-3,e:0);\r\nENDBLOCK;",
    ];
    for text in same {
        let tree = Tree::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(tip_names(&tree), tip_names(&expected), "{text}");
        assert_eq!((tree.parents, tree.children, tree.lengths), {
            let tree = expected.clone();
            (tree.parents, tree.children, tree.lengths)
        });
    }
}

#[test]
fn every_trees_block_has_its_own_translation() {
    let text = "#NEXUS\nbegin trees;translate 1 a,2 b;tree x=(1:1,2:1);end;begin other;tree y=(1:1);end;\
        begin trees;translate 1 c,2 d;tree z=(1:1,2:1);end;";
    assert_eq!(tip_names(&read(text, Some(1)).unwrap()), ["a", "b"]);
    assert_eq!(tip_names(&read(text, None).unwrap()), ["c", "d"]);
    assert_eq!(read(text, None).unwrap().source().n_trees, 2);
}

/// A tree in which every inner node has one tip and one inner child: as deep as it has tips.
fn caterpillar(n_tips: usize) -> Tree {
    let mut builder = TreeBuilder::new();
    let mut spine = builder.tip("t0", 1.0);
    for tip in 1..n_tips {
        let tip = builder.tip(format!("t{tip}"), 0.5);
        spine = builder.parent(&[spine, tip], 1.0);
    }
    builder.finish()
}

#[test]
fn deep_trees_do_not_overflow_the_stack() {
    let tree = caterpillar(100_000);
    let read = Tree::parse(&tree.to_newick()).unwrap();
    assert_eq!((read.n_tips(), read.n_nodes(), read.children[..].len()), (100_000, 199_999, 199_998));
    assert_eq!(read.to_newick(), tree.to_newick());
    let every_other: Vec<String> = (0..50_000).map(|tip| format!("t{}", 2 * tip)).collect();
    let matched = read.match_tips(&Names::given(every_other).unwrap(), true).unwrap();
    assert_eq!(matched.tree().n_nodes(), 99_999);
    assert!(Tree::parse(&"(".repeat(1_000_000)).is_err());
}
