//! A scene as PDF: one page, vectors, and the letters of the embedded font.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, LineCapStyle, LineJoinStyle, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use plotters::style::RGBColor;
use ttf_parser::GlyphId;

use super::letters;
use super::scene::{Anchor, Ink, Mark, Point, Scene, TEXT};

const FONT_NAME: Name<'static> = Name(b"Inter");
/// Glyphs are numbered as in the font itself.
const SYSTEM: SystemInfo<'static> = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// Where each object of the file is.
struct Refs {
    catalog: Ref,
    pages: Ref,
    page: Ref,
    content: Ref,
    info: Ref,
    font: Ref,
    glyphs: Ref,
    descriptor: Ref,
    outlines: Ref,
    unicode: Ref,
}

impl Refs {
    fn new() -> Self {
        let [catalog, pages, page, content, info, font, glyphs, descriptor, outlines, unicode] =
            std::array::from_fn(|k| Ref::new(k as i32 + 1));
        Self { catalog, pages, page, content, info, font, glyphs, descriptor, outlines, unicode }
    }
}

/// The file; equal scenes give equal bytes.
pub(super) fn pdf(scene: &Scene) -> Result<Vec<u8>, String> {
    let refs = Refs::new();
    let mut file = Pdf::new();
    file.catalog(refs.catalog).pages(refs.pages).viewer_preferences().display_doc_title(true);
    file.pages(refs.pages).kids([refs.page]).count(1);
    file.document_info(refs.info).title(TextStr(&scene.title)).creator(TextStr("sbmds"));
    let sheet = Sheet::draw(scene);
    write_page(&mut file, &refs, scene, &sheet.opacities);
    let content = deflated(&sheet.content.finish())?;
    file.stream(refs.content, &content).filter(Filter::FlateDecode);
    write_font(&mut file, &refs, &sheet.letters)?;
    Ok(file.finish())
}

fn write_page(file: &mut Pdf, refs: &Refs, scene: &Scene, opacities: &BTreeMap<u16, String>) {
    let mut page = file.page(refs.page);
    page.media_box(Rect::new(0.0, 0.0, scene.width as f32, scene.height as f32)).parent(refs.pages);
    page.contents(refs.content);
    let mut resources = page.resources();
    resources.fonts().pair(FONT_NAME, refs.font);
    let mut states = resources.ext_g_states();
    for (per_mille, name) in opacities {
        let opacity = f32::from(*per_mille) / 1000.0;
        states
            .insert(Name(name.as_bytes()))
            .start::<pdf_writer::writers::ExtGraphicsState>()
            .stroking_alpha(opacity)
            .non_stroking_alpha(opacity);
    }
}

fn deflated(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(|error| error.to_string())
}

/// Embeds the font, with the widths of the letters in use and what they mean, so that texts can be found and copied.
fn write_font(file: &mut Pdf, refs: &Refs, used: &BTreeSet<char>) -> Result<(), String> {
    file.type0_font(refs.font)
        .base_font(FONT_NAME)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(refs.glyphs)
        .to_unicode(refs.unicode);
    let mut unicode = UnicodeCmap::new(Name(b"Custom"), SYSTEM);
    let letters: BTreeMap<u16, char> = used.iter().filter_map(|&c| Some((letters::glyph(c)?.0, c))).collect();
    let mut glyphs = file.cid_font(refs.glyphs);
    glyphs.subtype(CidFontType::Type0).base_font(FONT_NAME).system_info(SYSTEM).font_descriptor(refs.descriptor);
    let mut widths = glyphs.widths();
    for (&glyph, &letter) in &letters {
        widths.same(glyph, glyph, 1000.0 * letters::advance(GlyphId(glyph)) as f32);
        unicode.pair(glyph, letter);
    }
    widths.finish();
    glyphs.finish();
    let measures = letters::measures();
    let [left, bottom, right, top] = measures.bounds.map(|bound| bound as f32);
    file.font_descriptor(refs.descriptor)
        .name(FONT_NAME)
        .flags(FontFlags::NON_SYMBOLIC)
        .bbox(Rect::new(left, bottom, right, top))
        .italic_angle(0.0)
        .ascent(measures.ascent as f32)
        .descent(measures.descent as f32)
        .cap_height(measures.capitals as f32)
        // The width of upright stems, which viewers use only where they cannot read the font.
        .stem_v(80.0)
        .font_file3(refs.outlines);
    let outlines = deflated(letters::outlines().ok_or("the built-in font has no outlines")?)?;
    let mut stream = file.stream(refs.outlines, &outlines);
    stream.pair(Name(b"Subtype"), Name(b"CIDFontType0C"));
    stream.filter(Filter::FlateDecode);
    stream.finish();
    file.cmap(refs.unicode, &unicode.finish());
    Ok(())
}

/// The marks as drawing commands. A PDF counts upwards from the lower edge of the page.
struct Sheet {
    content: Content,
    height: f64,
    /// Names of the opacities in use, by thousandths.
    opacities: BTreeMap<u16, String>,
    letters: BTreeSet<char>,
}

impl Sheet {
    fn draw(scene: &Scene) -> Self {
        let mut sheet = Self {
            content: Content::new(),
            height: scene.height,
            opacities: BTreeMap::new(),
            letters: BTreeSet::new(),
        };
        sheet.content.set_line_join(LineJoinStyle::RoundJoin).set_line_cap(LineCapStyle::ButtCap);
        for mark in &scene.marks {
            sheet.mark(mark);
        }
        sheet
    }

    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::Line { points, width, ink } => {
                self.ink(ink);
                self.path(points);
                self.content.set_line_width(*width as f32).stroke();
            }
            Mark::Area { points, ink } => {
                self.ink(ink);
                self.path(points);
                self.content.fill_nonzero();
            }
            Mark::Dot { centre, radius, ink } => {
                self.ink(ink);
                self.circle(*centre, *radius);
                self.content.fill_nonzero();
            }
            Mark::Text { at, text, anchor, turned, ink } => {
                self.ink(ink);
                self.text(*at, &letters::drawable(text), *anchor, *turned);
            }
        }
    }

    fn ink(&mut self, Ink { colour: RGBColor(red, green, blue), opacity }: &Ink) {
        let [red, green, blue] = [*red, *green, *blue].map(|channel| f32::from(channel) / 255.0);
        self.content.set_stroke_rgb(red, green, blue).set_fill_rgb(red, green, blue);
        let per_mille = (1000.0 * opacity.clamp(0.0, 1.0)).round() as u16;
        let name = self.opacities.entry(per_mille).or_insert_with(|| format!("O{per_mille}"));
        self.content.set_parameters(Name(name.as_bytes()));
    }

    fn point(&self, (x, y): Point) -> (f32, f32) {
        (x as f32, (self.height - y) as f32)
    }

    fn path(&mut self, points: &[Point]) {
        for (k, &point) in points.iter().enumerate() {
            let (x, y) = self.point(point);
            if k == 0 {
                self.content.move_to(x, y)
            } else {
                self.content.line_to(x, y)
            };
        }
    }

    /// Four curves, each a quarter; the handles have the usual length 4/3 tan(pi/8).
    fn circle(&mut self, centre: Point, radius: f64) {
        let (x, y) = self.point(centre);
        let (r, h) = (radius as f32, (radius * 4.0 / 3.0 * (std::f64::consts::PI / 8.0).tan()) as f32);
        self.content.move_to(x + r, y);
        self.content.cubic_to(x + r, y + h, x + h, y + r, x, y + r);
        self.content.cubic_to(x - h, y + r, x - r, y + h, x - r, y);
        self.content.cubic_to(x - r, y - h, x - h, y - r, x, y - r);
        self.content.cubic_to(x + h, y - r, x + r, y - h, x + r, y);
    }

    /// `at` is on the middle of the capitals' height.
    fn text(&mut self, at: Point, text: &str, anchor: Anchor, turned: bool) {
        self.letters.extend(text.chars());
        let glyphs = text.chars().filter_map(letters::glyph);
        let (bytes, width) = glyphs.fold((Vec::new(), 0.0), |(mut bytes, width), glyph| {
            bytes.extend(glyph.0.to_be_bytes());
            (bytes, width + TEXT * letters::advance(glyph))
        });
        let back = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let sink = TEXT * letters::measures().capitals / 2000.0;
        let (x, y) = self.point(if turned { (at.0 + sink, at.1 + back) } else { (at.0 - back, at.1 + sink) });
        let direction = if turned { [0.0, 1.0, -1.0, 0.0] } else { [1.0, 0.0, 0.0, 1.0] };
        let [a, b, c, d] = direction;
        self.content.begin_text().set_font(FONT_NAME, TEXT as f32).set_text_matrix([a, b, c, d, x, y]);
        self.content.show(Str(&bytes)).end_text();
    }
}
