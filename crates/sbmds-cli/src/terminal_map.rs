//! A map drawn with characters: dots where objects are, names where there is room.

use unicode_width::UnicodeWidthChar;

/// Draws `points` (name, x, y) on a grid of `columns` x `rows` characters, y upwards.
///
/// A character cell is about twice as high as wide; the scale is the same in both directions. Names are written beside
/// their dots in the order given, as long as they cover nothing; a wide character takes two cells.
pub fn draw(points: &[(String, f64, f64)], columns: usize, rows: usize) -> String {
    let mut grid = vec![vec![BLANK.to_owned(); columns]; rows];
    let scale = Scale::fit(points, columns, rows);
    let cells: Vec<(usize, usize)> = points.iter().map(|(_, x, y)| scale.cell(*x, *y)).collect();
    for &(row, column) in &cells {
        grid[row][column] = DOT.to_owned();
    }
    for ((name, _, _), &(row, column)) in points.iter().zip(&cells) {
        write_beside(&mut grid[row], column, &in_cells(name));
    }
    let lines: Vec<String> = grid.iter().map(|row| row.concat().trim_end().to_string()).collect();
    lines.join("\n") + "\n"
}

const DOT: &str = "•";
const BLANK: &str = " ";

/// A name as the cells it fills: the second cell of a wide character is empty text, marks without a width join the letter
/// before them, and control characters become question marks.
fn in_cells(name: &str) -> Vec<String> {
    let mut cells: Vec<String> = Vec::new();
    for letter in name.chars() {
        match (letter.width(), cells.len()) {
            (Some(0), 0) => {}
            (Some(0), last) => cells[last - 1].push(letter),
            (Some(1), _) => cells.push(letter.into()),
            (Some(_), _) => cells.extend([letter.into(), String::new()]),
            (None, _) => cells.push("?".into()),
        }
    }
    cells
}

/// From coordinates to cells.
struct Scale {
    left: f64,
    top: f64,
    /// Columns per unit.
    density: f64,
    columns: usize,
    rows: usize,
}

impl Scale {
    fn fit(points: &[(String, f64, f64)], columns: usize, rows: usize) -> Self {
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
        };
        let (left, right) = range(&mut points.iter().map(|point| point.1));
        let (bottom, top) = range(&mut points.iter().map(|point| point.2));
        // A name hangs to the right of the rightmost dot.
        let across = (columns.saturating_sub(12).max(1)) as f64 / (right - left).max(f64::MIN_POSITIVE);
        let up = 2.0 * (rows.saturating_sub(1).max(1)) as f64 / (top - bottom).max(f64::MIN_POSITIVE);
        Self { left, top, density: across.min(up), columns, rows }
    }

    fn cell(&self, x: f64, y: f64) -> (usize, usize) {
        let column = ((x - self.left) * self.density).round() as usize;
        let row = (0.5 * (self.top - y) * self.density).round() as usize;
        (row.min(self.rows - 1), column.min(self.columns - 1))
    }
}

/// Writes the cells of a name right of `column`, else left of it, if nothing is covered and a blank stays around it.
fn write_beside(row: &mut [String], column: usize, name: &[String]) {
    let length = name.len();
    let is_blank = |cell: &String| cell == BLANK;
    let fits = |start: usize| {
        let end = start + length;
        end <= row.len() && row[start..end].iter().all(is_blank) && row.get(end).is_none_or(is_blank)
    };
    let right = column + 1;
    let left = column.checked_sub(length);
    let free_before = |start: usize| start == 0 || is_blank(&row[start - 1]);
    let start = if fits(right) {
        Some(right)
    } else {
        left.filter(|&start| row[start..column].iter().all(is_blank) && free_before(start))
    };
    if let Some(start) = start {
        row[start..start + length].clone_from_slice(name);
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::draw;

    fn point(name: &str, x: f64, y: f64) -> (String, f64, f64) {
        (name.to_string(), x, y)
    }

    #[test]
    fn points_keep_their_direction_and_names_cover_nothing() {
        let points =
            [point("north", 0.0, 1.0), point("south", 0.0, -1.0), point("east", 1.0, 0.0), point("west", -1.0, 0.0)];
        let map = draw(&points, 40, 11);
        let lines: Vec<&str> = map.lines().collect();
        assert!(lines[0].contains("•north") && lines[10].contains("•south"), "{map}");
        assert!(lines[5].contains("•west") && lines[5].contains("•east"), "{map}");
        assert!(lines[5].find("west") < lines[5].find("east"), "{map}");
        // The same point twice: one dot, and only one name has room on its right.
        let map = draw(&[point("a", 0.0, 0.0), point("b", 0.0, 0.0), point("c", 1.0, 0.0)], 40, 5);
        assert_eq!(map.matches('•').count(), 2, "{map}");
    }

    #[test]
    fn wide_letters_marks_and_control_characters_leave_dots_in_their_columns() {
        let plain = draw(&[point("abcd", 0.0, 0.0), point("end", 1.0, 0.0)], 40, 1);
        let wide = draw(&[point("東京", 0.0, 0.0), point("end", 1.0, 0.0)], 40, 1);
        let column = |map: &str| map.rsplit_once('•').unwrap().0.width();
        assert!(wide.contains("•東京 "), "{wide}");
        assert_eq!(column(&wide), column(&plain), "{wide}{plain}");
        let marked = draw(&[point("e\u{301}\u{200d}f\n", 0.0, 0.0), point("end", 1.0, 0.0)], 40, 1);
        assert_eq!(marked.lines().count(), 1, "{marked}");
        assert!(marked.contains("e\u{301}\u{200d}f?"), "{marked}");
        assert_eq!(column(&marked), column(&plain), "{marked}");
        // Wider than the whole map: the dot alone.
        assert_eq!(draw(&[point(&"東".repeat(40), 0.0, 0.0)], 40, 1), "•\n");
    }
}
