//! Lines that begin with `#`: comments, unless they are a row or a header of the table.

use super::table::Delimiter;
use super::text::BYTE_ORDER_MARK;

/// Tells comments among the lines of a table by the number of cells that a line of the table has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comments {
    delimiter: Delimiter,
    n_cells: usize,
}

impl Comments {
    /// Whether a line below the first of the table is a comment: `#` and a blank, and not a row of somebody called `#`.
    pub fn contain(&self, line: &str) -> bool {
        is_marked(line.trim_start()) && self.n_cells(line) != self.n_cells
    }

    fn n_cells(&self, line: &str) -> usize {
        self.delimiter.split(line).map_while(Result::ok).count()
    }

    /// The rule for a text that begins with `head`, and how many bytes and lines of comments stand above its table.
    pub fn above(head: &[u8]) -> (Option<Self>, usize, u64) {
        let mut start = if head.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        let mut marked = Vec::new();
        for (n_lines, line) in (0..).zip(head[start..].split_inclusive(|&byte| byte == b'\n')) {
            let text = String::from_utf8_lossy(line);
            let text = text.trim();
            if !text.is_empty() && !text.starts_with('#') {
                return Self::below(&head[start..], start, n_lines, marked);
            }
            if !text.is_empty() {
                marked.push((start, n_lines, text.to_owned()));
            }
            start += line.len();
        }
        (None, 0, 0)
    }

    /// The same, once the first line that does not begin with `#` is found. The line above it may be the header.
    fn below(
        table: &[u8],
        start: usize,
        n_lines: u64,
        mut marked: Vec<(usize, u64, String)>,
    ) -> (Option<Self>, usize, u64) {
        let delimiter = Delimiter::detect(table);
        let first = super::table::first_lines(table).next().map(String::from_utf8_lossy).unwrap_or_default();
        let rule = Self { delimiter, n_cells: delimiter.split(&first).map_while(Result::ok).count() };
        let Some((header_start, header_line, header)) = marked.pop() else { return (Some(rule), 0, 0) };
        let n_cells = rule.n_cells(&header);
        let is_header = !is_marked(&header) && n_cells > 1 && (n_cells == rule.n_cells || n_cells + 1 == rule.n_cells);
        match (is_header, marked.is_empty()) {
            (false, _) => (Some(rule), start, n_lines),
            (true, false) => (Some(rule), header_start, header_line),
            (true, true) => (Some(rule), 0, 0),
        }
    }
}

/// Whether a line begins as people begin comments: `# text`, `## text` or `#` alone.
fn is_marked(line: &str) -> bool {
    line.strip_prefix('#').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '#', '!']))
}

#[cfg(test)]
mod tests {
    use super::Comments;

    #[test]
    fn comments_stand_above_the_table_and_headers_belong_to_it() {
        for (text, n_bytes, n_lines) in [
            (&b"# made by hand\n#\n\n,a,b,c\na,0,1,2\n"[..], 18, 3),
            (b"#query\ta\tb\na\t0\t1\n", 0, 0),
            (b"# mash\n#query\ta\tb\na\t0\t1\n", 7, 1),
            (b"#1,#2,0.5\n#1,#3,1\n", 0, 0),
            (b"# from to weight\na b 1\n", 17, 1),
            (b"#note\n3\na\nb 1\n", 6, 1),
            (b"a,b,1\n", 0, 0),
            (b"", 0, 0),
        ] {
            let (_, bytes, lines) = Comments::above(text);
            assert_eq!((bytes, lines), (n_bytes, n_lines), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn a_row_called_hash_is_no_comment() {
        let (rule, ..) = Comments::above(b"x # b\n# 0 1\nb 1 0\n");
        let rule = rule.unwrap();
        assert!(!rule.contain("# 0 1") && rule.contain("# that was all of it") && !rule.contain("#1 2"));
    }
}
