//! Which module uses which: only what CONTRIBUTING.md lists, and no module one that comes after it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules in the order in which data flow through them, each with those it may use.
fn allowed() -> Vec<(String, BTreeSet<String>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CONTRIBUTING.md");
    let text = fs::read_to_string(path).unwrap();
    let list = text.split_once("<!-- modules -->").unwrap().1.split_once("<!-- end of modules -->").unwrap().0;
    let lines = list.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(room, uses)| (room.trim().to_owned(), uses.split_whitespace().map(str::to_owned).collect())).collect()
}

/// Every Rust file of the library that is no test.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let is_test = |name: &str| name == "tests" || name.ends_with("tests.rs") || name.starts_with("test_");
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        match path.is_dir() {
            _ if is_test(name) => {}
            true => found.extend(sources(&path)),
            false if name.ends_with(".rs") => found.push(path),
            false => {}
        }
    }
    found
}

/// The modules after `crate::` in the code of a file: not in its comments, and not in the tests at its end.
fn used(code: &str) -> BTreeSet<String> {
    let code = code.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
    let code: String = code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let mut modules = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        let paths = match after.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap_or_default(),
            None => after.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default(),
        };
        let names = paths.split(',').map(|path| path.trim().split("::").next().unwrap_or_default());
        // The one type that has no module's name before it.
        modules.extend(names.map(|name| if name == "Locations" { "locations" } else { name }.to_owned()));
    }
    modules
}

/// What each module uses of the others, with a file that does.
fn found() -> BTreeMap<(String, String), PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut edges = BTreeMap::new();
    for path in sources(&source) {
        let inside = path.strip_prefix(&source).unwrap().to_owned();
        let room = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
        if room == "lib" {
            continue;
        }
        for other in used(&fs::read_to_string(&path).unwrap()).into_iter().filter(|other| *other != room) {
            edges.insert((room.clone(), other), inside.clone());
        }
    }
    edges
}

#[test]
fn modules_use_only_what_is_listed() {
    let allowed = allowed();
    let listed: BTreeMap<_, _> = allowed.iter().cloned().collect();
    let found = found();
    assert!(found.len() > 50, "only {} edges: the files are somewhere else", found.len());
    let unlisted: Vec<String> = found
        .iter()
        .filter(|((room, other), _)| !listed.get(room).is_some_and(|uses| uses.contains(other)))
        .map(|((room, other), file)| format!("{room} uses {other} in {}", file.display()))
        .collect();
    assert!(unlisted.is_empty(), "not in the list of CONTRIBUTING.md:\n{}", unlisted.join("\n"));
    let unused: Vec<String> = allowed
        .iter()
        .flat_map(|(room, uses)| uses.iter().map(move |other| (room.clone(), other.clone())))
        .filter(|edge| !found.contains_key(edge))
        .map(|(room, other)| format!("{room} does not use {other}"))
        .collect();
    assert!(unused.is_empty(), "the list of CONTRIBUTING.md is longer than it need be:\n{}", unused.join("\n"));
}

#[test]
fn no_module_uses_one_that_comes_after_it() {
    let mut before = BTreeSet::new();
    for (room, uses) in allowed() {
        let later: Vec<&String> = uses.difference(&before).collect();
        assert!(later.is_empty(), "{room} stands before {later:?}");
        before.insert(room);
    }
}

#[test]
fn edges_are_seen_wherever_they_are_written() {
    let code = "//! crate::comment\nuse crate::{Locations, tree::Tree};\nfn f() { crate::plain::shown(1); } // crate::other\n\
                #[cfg(test)]\nmod tests {\n    use crate::random::stream;\n}\n";
    assert_eq!(used(code), ["locations", "plain", "tree"].map(String::from).into());
}
