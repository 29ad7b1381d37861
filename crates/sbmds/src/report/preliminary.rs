//! The page of a run that is still at work: its optimised map, without error bars.

use std::fmt::Write;
use std::path::Path;

use super::html::escape_html;
use crate::files::atomic::{Sync, replace_bytes};
use crate::plain::escaped;
use crate::run::{RunDirectory, RunError};

/// Width and height of the map, and its margin, in pixels.
const SIZE: (f64, f64) = (900.0, 640.0);
const MARGIN: f64 = 30.0;
/// Objects up to which names stand beside dots; beyond, they appear under the pointer.
const MOST_NAMES: usize = 60;

/// An object and where it is on the first two axes.
type Point = (String, f64, f64);

/// Writes the page.
///
/// # Errors
/// If the run has no preliminary map (it is finished, or so small that none was made), or the page cannot be written.
pub fn write_preliminary_html(run: &RunDirectory, path: &Path) -> Result<(), RunError> {
    let points = read(&run.embedding()).ok_or_else(|| RunError::Unfinished(run.path().to_owned()))?;
    let name = run.path().file_name().unwrap_or_default().to_string_lossy();
    replace_bytes(path, Sync::Later, page(&name, &points).as_bytes()).map_err(RunError::io("write", path))
}

/// The map in `embedding.csv`, if it is a preliminary one.
fn read(path: &Path) -> Option<Vec<Point>> {
    let mut table = csv::Reader::from_path(path).ok()?;
    let header = table.headers().ok()?.clone();
    let column = |title: &str| header.iter().position(|name| name == title);
    let (x, y, status) = (column("x1")?, column("x2"), column("status")?);
    let mut points = Vec::new();
    for row in table.records() {
        let row = row.ok()?;
        let number = |column: usize| row.get(column)?.parse::<f64>().ok().filter(|x| x.is_finite());
        if row.get(status) != Some("preliminary") {
            return None;
        }
        points.push((row.get(0)?.to_owned(), number(x)?, y.map_or(Some(0.0), number)?));
    }
    (!points.is_empty()).then_some(points)
}

fn page(name: &str, points: &[Point]) -> String {
    let name = escape_html(&escaped(name));
    format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{name}: preliminary map</title>\n\
         <style>body{{font:15px sans-serif;max-width:{width}px;margin:2em auto;padding:0 1em}}circle{{fill:#3b6ea5}}text{{font-size:12px}}\
         svg{{border:1px solid #ddd;max-width:100%}}</style>\n\
         <h1>{name}: a preliminary map</h1>\n<p>{n} objects where the posterior density is highest, as far as an optimiser finds it. \
         <strong>Without error bars</strong>: the run is not finished. The report takes this page's place when it is.</p>\n{map}\n\
         <p>Distances mean something, directions and the origin do not. The name of an object appears under the pointer.</p></html>\n",
        width = SIZE.0,
        n = points.len(),
        map = map(points)
    )
}

/// The dots on one scale for both axes.
fn map(points: &[Point]) -> String {
    let range = |of: fn(&Point) -> f64| {
        points.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    };
    let (across, up) = (range(|point| point.1), range(|point| point.2));
    let fits = |room: f64, (low, high): (f64, f64)| (room - 2.0 * MARGIN) / (high - low);
    // Points without extent are drawn in the middle.
    let scale = Some(fits(SIZE.0, across).min(fits(SIZE.1, up))).filter(|scale| scale.is_finite()).unwrap_or(0.0);
    let centred = |x: f64, (low, high): (f64, f64)| scale * (x - 0.5 * (low + high));
    let radius = (40.0 / (points.len() as f64).sqrt()).clamp(1.5, 5.0);
    let mut svg = format!("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"map\">", SIZE.0, SIZE.1);
    for (name, x, y) in points {
        let (x, y) = (0.5 * SIZE.0 + centred(*x, across), 0.5 * SIZE.1 - centred(*y, up));
        let name = escape_html(&escaped(name));
        // Writing into memory does not fail.
        let _ = write!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"><title>{name}</title></circle>");
        if points.len() <= MOST_NAMES {
            let _ = write!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{name}</text>", x + radius + 3.0, y + 4.0);
        }
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preliminary_map_is_read_and_any_other_table_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("embedding.csv");
        let written = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read(&path)
        };
        let plane =
            written("name,x1,x2,stress,status\na,1,2,0.1,preliminary\n\"b, c\",-3,4,0.1,preliminary\n").unwrap();
        assert_eq!(plane, [("a".to_owned(), 1.0, 2.0), ("b, c".to_owned(), -3.0, 4.0)]);
        assert_eq!(written("name,x1,stress,status\na,1,0.1,preliminary\n").unwrap(), [("a".to_owned(), 1.0, 0.0)]);
        for other in ["", "name,x1,x2,stress\na,1,2,0.1\n", "name,x1,status\na,NaN,preliminary\n", "name,x1,status\n"] {
            assert_eq!(written(other), None, "{other:?}");
        }
    }

    #[test]
    fn every_object_is_a_dot_within_the_frame_and_names_are_text() {
        let points = [("<b>".to_owned(), 0.0, 0.0), ("x".to_owned(), 1e-9, 2e-9), ("y".to_owned(), -1e-9, 1e-9)];
        let svg = map(&points);
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("&lt;b&gt;") && !svg.contains("<b>"));
        for part in svg.split("cy=\"").skip(1) {
            let y: f64 = part.split('"').next().unwrap().parse().unwrap();
            assert!((MARGIN - 0.1..=SIZE.1 - MARGIN + 0.1).contains(&y), "{y}");
        }
        // One point has no extent.
        assert!(map(&points[..1]).contains("cx=\"450.0\" cy=\"320.0\""));
    }
}
