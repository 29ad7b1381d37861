//! Malformed trees by error message: the position, what was expected, what to do.

use super::*;

#[track_caller]
fn refused(text: &str, position: &str, problem: &str) {
    let message = read(text, None).unwrap_err().to_string();
    let start = format!("x.trees{position}: ");
    assert!(message.starts_with(&start), "{text}: {message} does not start with {start}");
    assert!(message.contains(problem) && message.contains("Remedy: "), "{text}: no {problem:?} in {message}");
}

#[test]
fn malformed_newick() {
    refused("(a:1,b);", ", line 1, column 7", "this branch has no length");
    refused("((a:1,b:1)c,d:1);", ", line 1, column 12", "this branch has no length");
    refused("(a:1,b:-0.5);", ", line 1, column 8", "-0.5 is negative");
    refused("(a:1,\nb:x);", ", line 2, column 3", "expected a branch length, found \"x\"");
    refused("(a:1,b:);", ", line 1, column 8", "expected a branch length, found ')'");
    refused("(a:1,b:nan);", ", line 1, column 8", "found \"nan\"");
    refused("(a:1,b:inf);", ", line 1, column 8", "found \"inf\"");
    refused("(a:1,b:1e999);", ", line 1, column 8", "found \"1e999\"");
    refused("(a:1,b:1", ", line 1, column 1", "this '(' is not closed before the end of the file");
    refused("((a:1,b:1):1;", ", line 1, column 1", "this '(' is not closed before ';'");
    refused("(a:1,b:1));", ", line 1, column 10", "')' without a '('");
    refused("(a:1,b:1),c:1;", ", line 1, column 10", "',' outside of all brackets");
    refused("(a:1,:2);", ", line 1, column 6", "expected the name of a tip or '(', found ':'");
    refused("(a:1,);", ", line 1, column 6", "found ')'");
    refused("();", ", line 1, column 2", "found ')'");
    refused("a;", ", line 1, column 1", "expected '('");
    refused("(a:1,b(c):1);", ", line 1, column 7", "expected ',' or ')', found '('");
    refused("(a:1,'b' c:1);", ", line 1, column 10", "found 'c'");
    refused("(ä:1,b:1 1);", ", line 1, column 10", "found '1'");
    refused("(a:1,b:1,a:2);", ", line 1, column 10", "two tips called a");
    refused("(a:1,'b:1);", ", line 1, column 6", "quoted name has no end");
    refused("(a:1,b[&x={1:1);", ", line 1, column 7", "annotation has no end");
    refused("(a:1e308,b:1e308);", ", line 1, column 18", "sum to infinity");
}

#[test]
fn malformed_nexus() {
    let trees = |inside: &str| format!("#NEXUS\nbegin trees;\n{inside}\nend;\n");
    refused(&trees("translate 1 a, 2;\ntree x = (1:1,2:1);"), ", line 3, column 16", "a token and the name");
    refused(&trees("translate 1 a, 1 b;"), ", line 3, column 16", "stands for two names");
    refused(&trees("translate 1 a\n2 b;"), ", line 4, column 1", "expected ',' or ';', found '2'");
    refused(&trees("tree (a:1,b:1);"), ", line 3, column 6", "expected the tree's name and '='");
    refused(&trees("translate 1 a, 2 a;\ntree x = (1:1,2:1);"), ", line 4, column 15", "two tips called a");
    refused(&trees(""), "", "there is no tree in this file");
    refused("#NEXUS\nbegin data;\nmatrix a ACGT;\nend;\n", "", "there is no tree in this file");
}

#[test]
fn files_without_the_wanted_tree() {
    refused("", "", "there is no tree in this file");
    refused(" \n[only a comment]\n", "", "there is no tree in this file");
    for index in [0, 3] {
        let message = read(BEAST_FILE, Some(index)).unwrap_err().to_string();
        assert_eq!(message, format!("x.trees: there is no tree {index}; the file has 2. Remedy: choose from 1 to 2."));
    }
}

#[test]
fn unreadable_files() {
    let folder = tempfile::tempdir().unwrap();
    let read = |path: &std::path::Path| Tree::read(path, TreeChoice::Last).unwrap_err().to_string();
    assert!(read(&folder.path().join("nowhere")).contains("there is no such file. Remedy: "));
    assert!(read(folder.path()).contains("this is a directory, not a file"));
    let latin = folder.path().join("latin1");
    std::fs::write(&latin, b"(a:1,\xe9:1);").unwrap();
    assert!(read(&latin).contains("not UTF-8 (byte 5 of the file)"));
}

#[test]
fn tips_and_objects_left_over_are_listed() {
    let many: Vec<String> = (0..14).map(|tip| format!("extra{tip}:1")).collect();
    let text = format!("(a:1,b:1,{});", many.join(","));
    let error = |names: &[&str], prune| {
        read(&text, None).unwrap().match_tips(&super::names(names), prune).unwrap_err().to_string()
    };
    let message = error(&["a", "b"], false);
    assert!(message.starts_with("x.trees: 14 tips are not among the objects: extra0, extra1, "), "{message}");
    assert!(message.contains("extra9 and 4 more. Remedy: drop extra tips with `prune`"), "{message}");
    let message = error(&["a", "b", "c"], true);
    assert!(message.starts_with("x.trees: 1 object is not in the tree: c. Remedy: "), "{message}");
    assert!(!message.contains("extra"), "{message}");
    let message = error(&["a", "c", "d"], false);
    assert!(message.contains("2 objects are not in the tree: c, d. 15 tips are not among the objects: b, extra0"));
}
