//! The letters of the built-in font: which there are, how wide they are, and what is said of the others.

use std::borrow::Cow;
use std::sync::LazyLock;

use ttf_parser::{Face, GlyphId, Tag};

use super::scene::{Mark, Scene};

/// The font in full.
pub(super) const FONT: &[u8] = include_bytes!("font/inter-subset.otf");

/// The font is part of the program, and a test opens it.
static FACE: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::parse(FONT, 0).ok());

/// Stands for a letter that the font lacks.
const STAND_IN: char = '?';
/// Width in ems of letters that the font lacks: of scripts such as Chinese, and of others.
const WIDE: f64 = 1.0;
const NARROW: f64 = 0.6;
/// Where scripts with wide letters begin.
const FIRST_WIDE: char = '\u{1100}';

/// The glyph of a letter, if there is one.
pub(super) fn glyph(letter: char) -> Option<GlyphId> {
    FACE.as_ref()?.glyph_index(letter)
}

/// Width of a glyph, in ems.
pub(super) fn advance(glyph: GlyphId) -> f64 {
    FACE.as_ref().map_or(NARROW, |face| in_ems(face, face.glyph_hor_advance(glyph).unwrap_or(0).into()))
}

/// Width of a text, in ems; letters that the font lacks are guessed, for readers whose own fonts draw them.
pub(super) fn width(text: &str) -> f64 {
    let guess = |letter: char| if letter >= FIRST_WIDE { WIDE } else { NARROW };
    text.chars().map(|letter| glyph(letter).map_or_else(|| guess(letter), advance)).sum()
}

/// Measures that a PDF states of its font, in thousandths of an em.
pub(super) struct Measures {
    pub ascent: f64,
    pub descent: f64,
    pub capitals: f64,
    /// Left, bottom, right, top of all letters.
    pub bounds: [f64; 4],
}

pub(super) fn measures() -> Measures {
    let Some(face) = FACE.as_ref() else {
        return Measures { ascent: 970.0, descent: -240.0, capitals: 727.0, bounds: [0.0, -240.0, 1000.0, 970.0] };
    };
    let per_mille = |length: i16| 1000.0 * in_ems(face, length.into());
    let bounds = face.global_bounding_box();
    Measures {
        ascent: per_mille(face.ascender()),
        descent: per_mille(face.descender()),
        capitals: face.capital_height().map_or(727.0, per_mille),
        bounds: [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(per_mille),
    }
}

/// The outlines of all glyphs, as a PDF takes them (Compact Font Format).
pub(super) fn outlines() -> Option<&'static [u8]> {
    FACE.as_ref()?.raw_face().table(Tag::from_bytes(b"CFF "))
}

fn in_ems(face: &Face, length: f64) -> f64 {
    length / f64::from(face.units_per_em())
}

fn is_missing(letter: char) -> bool {
    glyph(letter).is_none()
}

/// The text with a question mark for every letter that the font lacks.
pub(super) fn drawable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_missing) {
        return text.into();
    }
    text.chars().map(|letter| if is_missing(letter) { STAND_IN } else { letter }).collect::<String>().into()
}

/// What to say of texts that hold letters the font lacks; `None` if all can be drawn.
pub(super) fn warning(scene: &Scene) -> Option<String> {
    const SHOWN: usize = 3;
    let text = |mark: &'_ Mark| if let Mark::Text { text, .. } = mark { Some(text.clone()) } else { None };
    let lacking: Vec<String> = scene.marks.iter().filter_map(text).filter(|text| text.contains(is_missing)).collect();
    let more = lacking.len().saturating_sub(SHOWN);
    let shown = lacking.iter().take(SHOWN).map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ");
    let names = match (lacking.len(), more) {
        (0, _) => return None,
        (1, _) => format!("a name ({shown})"),
        (n, 0) => format!("{n} names ({shown})"),
        (n, _) => format!("{n} names ({shown} and {more} more)"),
    };
    Some(format!(
        "the built-in font lacks letters of {names} and a question mark stands for each. Remedy: write an .svg, which the fonts of \
         the reader's machine complete"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_letters_it_promises_and_no_others() {
        assert!("Zürich, Łódź, Αθήνα, Москва 0–9 …×?".replace('×', "").chars().all(|letter| !is_missing(letter)));
        assert_eq!(drawable("東京 Tokyo"), "?? Tokyo");
        assert!(matches!(drawable("Paris"), Cow::Borrowed("Paris")));
        // Ten digits of one width: figures stay in line.
        assert!((width("0000000000") - 10.0 * width("0")).abs() < 1e-12 && width("0") > 0.4);
        assert!(width("東京") == 2.0 && outlines().is_some());
    }
}
