//! The page: one template, filled with style, scripts and data.

use std::path::Path;

use super::data::ReportData;
use crate::draws::atomic::{Sync, replace_bytes};
use crate::run::RunError;

const TEMPLATE: &str = include_str!("page/page.html");

/// What goes where in the template: for each marker `<!--sbmds:NAME-->` the files, in order.
const PARTS: [(&str, &[&str]); 3] = [("style", &[]), ("vendor", &[]), ("script", &[])];

/// Writes the report as one file that needs no other; the file appears whole or not at all.
///
/// # Errors
/// If the file cannot be written.
pub fn write_html(data: &ReportData, path: &Path) -> Result<(), RunError> {
    let json = serde_json::to_string(data)
        .map_err(|error| RunError::Damaged { path: path.to_owned(), what: error.to_string() })?;
    replace_bytes(path, Sync::Later, assemble(&data.title, &json).as_bytes()).map_err(RunError::io("write", path))
}

/// The template with every marker replaced; text that is filled in is not looked at again.
fn assemble(title: &str, json: &str) -> String {
    let mut page = String::with_capacity(TEMPLATE.len() + json.len() + json.len() / 8);
    let mut rest = TEMPLATE;
    while let Some((before, marked)) = rest.split_once("<!--sbmds:") {
        page.push_str(before);
        let (name, after) = marked.split_once("-->").unwrap_or((marked, ""));
        match name {
            "title" => page.push_str(&escape_html(title)),
            "data" => push_data(&mut page, json),
            _ => push_files(&mut page, name),
        }
        rest = after;
    }
    page.push_str(rest);
    page
}

/// In JSON `<` occurs in strings alone, where it may be spelled so that no name can end the script.
fn push_data(page: &mut String, json: &str) {
    page.push_str("<script id=\"sbmds-data\" type=\"application/json\">");
    page.push_str(&json.replace('<', "\\u003c"));
    page.push_str("</script>");
}

fn push_files(page: &mut String, name: &str) {
    let tag = if name == "style" { "style" } else { "script" };
    for (_, files) in PARTS.iter().filter(|(part, _)| *part == name) {
        for file in *files {
            page.push_str(&format!("<{tag}>\n{file}</{tag}>\n"));
        }
    }
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
