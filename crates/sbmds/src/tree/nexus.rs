//! NEXUS: the translate block and the tree statements of its trees blocks; other blocks are skipped.

use super::cursor::Cursor;
use super::error::Fault;
use super::newick::{Statement, Translation, Trees};

/// Whether the text is NEXUS at all.
pub(super) fn is_nexus(text: &str) -> bool {
    text.trim_start().as_bytes().get(..6).is_some_and(|start| start.eq_ignore_ascii_case(b"#NEXUS"))
}

/// Finds all trees.
pub(super) fn trees(mut cursor: Cursor<'_>) -> Result<Trees, Fault> {
    let mut found = Trees::default();
    let mut in_trees = false;
    cursor.skip_blanks();
    cursor.until(b" \t\r\n[");
    loop {
        cursor.skip_comments(|_| ())?;
        if cursor.peek().is_none() {
            return Ok(found);
        }
        let command = cursor.until(b" \t\r\n[;").to_ascii_lowercase();
        cursor.skip_comments(|_| ())?;
        match command.as_str() {
            "begin" => {
                in_trees = cursor.until(b" \t\r\n[;").eq_ignore_ascii_case("trees");
                found.translations.extend(in_trees.then(Translation::new));
            }
            "end" | "endblock" => in_trees = false,
            "translate" if in_trees => {
                let translation = found.translations.last_mut().expect("the block's");
                translate(&mut cursor, translation)?;
            }
            "tree" | "utree" if in_trees => {
                found.statements.push(statement(&mut cursor, found.translations.len() - 1)?)
            }
            _ => {}
        }
        cursor.skip_statement()?;
    }
}

/// `token name, token name`: up to the semicolon.
fn translate(cursor: &mut Cursor<'_>, translation: &mut Translation) -> Result<(), Fault> {
    const REMEDY: &str = "write the translate block as: translate 1 A, 2 B;";
    loop {
        cursor.skip_comments(|_| ())?;
        if matches!(cursor.peek(), None | Some(b';')) {
            return Ok(());
        }
        let start = cursor.at();
        let token = cursor.name_before(b" \t\r\n[,;")?;
        cursor.skip_comments(|_| ())?;
        let name = cursor.name_before(b"\r\n[,;")?;
        cursor.skip_comments(|_| ())?;
        let (Some(token), Some(name)) = (token, name) else {
            return Err(Fault::new(start, "expected a token and the name it stands for", REMEDY));
        };
        if !cursor.take(b',') && cursor.peek() != Some(b';') {
            let problem = format!("expected ',' or ';', found {}", cursor.next_shown());
            return Err(Fault::new(cursor.at(), problem, REMEDY));
        }
        if translation.insert(token, name).is_some() {
            return Err(Fault::new(start, "this token stands for two names", "give every name a token of its own"));
        }
    }
}

/// `* NAME [&lnP=..] = [&R]`: up to the brackets.
fn statement(cursor: &mut Cursor<'_>, translation: usize) -> Result<Statement, Fault> {
    let start = cursor.at();
    if cursor.take(b'*') {
        cursor.skip_blanks();
    }
    let name = cursor.name_before(b" \t\r\n[=;(")?;
    cursor.skip_comments(|_| ())?;
    let (Some(name), true) = (name, cursor.take(b'=')) else {
        let problem = format!("expected the tree's name and '=', found {}", cursor.next_shown());
        return Err(Fault::new(start, problem, "write trees as: tree NAME = [&R] (A:1,B:1);"));
    };
    cursor.skip_comments(|_| ())?;
    Ok(Statement { name: Some(name), at: cursor.at(), translation })
}
