//! Text fit to be shown: no control characters, no endless names.

/// Characters of a name that a message shows.
const LONGEST_NAME: usize = 60;
/// Characters of a line that a message shows.
const LONGEST_LINE: usize = 2_000;

/// Whether a character may do more than stand there: move the cursor, colour the terminal, turn the direction of text.
fn is_unruly(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        // No characters in XML, whatever they are elsewhere.
        || matches!(character, '\u{fffe}' | '\u{ffff}')
}

/// The text with every unruly character spelled out, such as `\u{1b}`.
pub fn escaped(text: &str) -> String {
    if !text.contains(is_unruly) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unruly(character) { shown.extend(character.escape_default()) } else { shown.push(character) }
    }
    shown
}

/// A name as messages and tables show it: escaped, and cut after 60 characters.
pub fn shown(name: &str) -> String {
    cut(name, LONGEST_NAME, "...")
}

/// A message of one or more lines as a terminal may have it: escaped but for the line breaks, and no line endless.
pub fn message(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| cut(line, LONGEST_LINE, " ... (cut)")).collect();
    lines.join("\n")
}

fn cut(text: &str, longest: usize, mark: &str) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => escaped(&text[..end]) + mark,
        None => escaped(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_unruly_is_left_and_letters_stay() {
        assert_eq!(escaped("Zürich e\u{301} 東京 \"a\" b\\c"), "Zürich e\u{301} 東京 \"a\" b\\c");
        assert_eq!(escaped("a\u{1b}[31mb\0c\u{9b}d\u{202e}e"), "a\\u{1b}[31mb\\u{0}c\\u{9b}d\\u{202e}e");
        assert_eq!(escaped("tab\there"), "tab\\there");
    }

    #[test]
    fn long_names_and_lines_are_cut() {
        assert_eq!(shown(&"ä".repeat(61)), "ä".repeat(60) + "...");
        assert_eq!(shown(&"ä".repeat(60)), "ä".repeat(60));
        let flood = format!("short\n{}\u{7}", "x".repeat(100_000));
        assert_eq!(message(&flood), format!("short\n{} ... (cut)", "x".repeat(2_000)));
    }
}
