//! A map drawn with characters: dots where objects are, names where there is room.

/// Draws `points` (name, x, y) on a grid of `columns` x `rows` characters, y upwards.
///
/// A character cell is about twice as high as wide; the scale is the same in both directions. Names are written beside
/// their dots in the order given, as long as they cover nothing.
pub fn draw(points: &[(String, f64, f64)], columns: usize, rows: usize) -> String {
    let mut grid = vec![vec![' '; columns]; rows];
    let scale = Scale::fit(points, columns, rows);
    let cells: Vec<(usize, usize)> = points.iter().map(|(_, x, y)| scale.cell(*x, *y)).collect();
    for &(row, column) in &cells {
        grid[row][column] = DOT;
    }
    for ((name, _, _), &(row, column)) in points.iter().zip(&cells) {
        write_beside(&mut grid[row], column, name);
    }
    let lines: Vec<String> = grid.iter().map(|row| row.iter().collect::<String>().trim_end().to_string()).collect();
    lines.join("\n") + "\n"
}

const DOT: char = '•';

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

/// Writes `name` right of `column`, else left of it, if nothing is covered and a blank stays around it.
fn write_beside(row: &mut [char], column: usize, name: &str) {
    let length = name.chars().count();
    let fits = |start: usize| {
        let end = start + length;
        end <= row.len()
            && row[start..end].iter().all(|&cell| cell == ' ')
            && row.get(end).is_none_or(|&cell| cell == ' ')
    };
    let right = column + 1;
    let left = column.checked_sub(length);
    let free_before = |start: usize| start == 0 || row[start - 1] == ' ';
    let start = if fits(right) {
        Some(right)
    } else {
        left.filter(|&start| row[start..column].iter().all(|&cell| cell == ' ') && free_before(start))
    };
    if let Some(start) = start {
        for (cell, letter) in row[start..].iter_mut().zip(name.chars()) {
            *cell = letter;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::draw;

    #[test]
    fn places_keep_their_direction_and_names_cover_nothing() {
        let point = |name: &str, x: f64, y: f64| (name.to_string(), x, y);
        let points =
            [point("north", 0.0, 1.0), point("south", 0.0, -1.0), point("east", 1.0, 0.0), point("west", -1.0, 0.0)];
        let map = draw(&points, 40, 11);
        let lines: Vec<&str> = map.lines().collect();
        assert!(lines[0].contains("•north") && lines[10].contains("•south"), "{map}");
        assert!(lines[5].contains("•west") && lines[5].contains("•east"), "{map}");
        assert!(lines[5].find("west") < lines[5].find("east"), "{map}");
        // The same place twice: one dot, and only one name has room on its right.
        let map = draw(&[point("a", 0.0, 0.0), point("b", 0.0, 0.0), point("c", 1.0, 0.0)], 40, 5);
        assert_eq!(map.matches('•').count(), 2, "{map}");
    }
}
