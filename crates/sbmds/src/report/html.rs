//! The page: one template, filled with style, scripts and data.

use std::path::Path;

use super::data::ReportData;
use crate::files::replace;
use crate::run::RunError;

const TEMPLATE: &str = include_str!("page/page.html");

const STYLE: &str = include_str!("page/style.css");

/// Files of the page with their names.
macro_rules! files {
    ($($name:literal),* $(,)?) => { &[$(($name, include_str!(concat!("page/", $name)))),*] };
}

/// The scripts, in the order of `page/files.txt`.
const SCRIPTS: &[(&str, &str)] = files![
    "data.js",
    "colours.js",
    "camera.js",
    "points.js",
    "scene.js",
    "modes.js",
    "map.js",
    "interact.js",
    "objects.js",
    "tables.js",
    "charts.js",
    "grid.js",
    "space.js",
    "clusters.js",
    "heat_map.js",
    "tree.js",
    "titres.js",
    "quality.js",
    "main.js",
];

/// Writes the report as one file that needs no other; the file appears whole or not at all.
///
/// # Errors
/// If the file cannot be written.
pub fn write_html(data: &ReportData, path: &Path) -> Result<(), RunError> {
    let json = serde_json::to_string(data)
        .map_err(|error| RunError::Damaged { path: path.to_owned(), what: error.to_string() })?;
    replace(path, assemble(&data.title, &json).as_bytes()).map_err(RunError::io("write", path))
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
            "style" => page.push_str(&format!("<style>\n{STYLE}</style>\n")),
            "script" => push_scripts(&mut page),
            _ => {}
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

fn push_scripts(page: &mut String) {
    for (_, script) in SCRIPTS {
        page.push_str(&format!("<script>\n{script}</script>\n"));
    }
}

pub(super) fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::SCRIPTS;

    #[test]
    fn scripts_are_those_the_browser_tests_load() {
        let names: Vec<&str> = SCRIPTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, include_str!("page/files.txt").lines().collect::<Vec<_>>());
    }
}
