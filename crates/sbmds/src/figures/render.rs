//! From a scene to a file: SVG or PDF with the font inside, or PNG at print resolution.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Once;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, FontTransform, register_font};

use super::POINTS_PER_MM;
use super::letters::{self, FONT};
use super::pdf::pdf;
use super::scene::{Anchor, Ink, Mark, Scene, TEXT};
use crate::files::replace;
use crate::plain::escaped;
use crate::run::RunError;

/// The family of the embedded font.
const FAMILY: &str = "Inter";
const WEB_FONT: &[u8] = include_bytes!("font/inter-subset.woff2");

/// Print resolution of a PNG, in dots per inch.
const PNG_DPI: f64 = 300.0;
/// A PNG is drawn this many times as large and then averaged, which smooths its edges.
const OVERSAMPLING: usize = 3;
/// An SVG is drawn on a grid this fine, in dots per inch.
const SVG_DPI: f64 = 1800.0;
const POINTS_PER_INCH: f64 = 72.0;
/// How far, in ems, each backend puts the middle of digits and capitals above the point it is given.
const SVG_RISE: f64 = 0.09;
const PNG_RISE: f64 = 0.24;

/// Writes a scene as the extension of `path` says; the file appears whole or not at all.
///
/// # Errors
/// If the extension is none of svg, pdf and png, or the file cannot be written.
pub fn write(scene: &Scene, path: &Path) -> Result<(), RunError> {
    let drawn = match extension(path).as_str() {
        "svg" => svg(scene).map(String::into_bytes),
        "pdf" => pdf(scene),
        "png" => png(scene),
        _ => {
            let problem = format!("{} ends neither in .svg nor in .pdf nor in .png", path.display());
            return Err(RunError::setting("`out`", problem, "give a file name that ends in .svg, .pdf or .png"));
        }
    };
    let bytes = drawn.map_err(|problem| RunError::io("draw", path)(std::io::Error::other(problem)))?;
    replace(path, &bytes).map_err(RunError::io("write", path))
}

/// What a reader of the file will miss: letters that the font lacks. An SVG keeps them as text, for the fonts of the reader.
pub fn missing_letters(scene: &Scene, path: &Path) -> Option<String> {
    if extension(path) == "svg" { None } else { letters::warning(scene) }
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Makes the embedded font known, once.
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // The font is part of the program and tested to be one.
        let _ = register_font(FAMILY, FontStyle::Normal, FONT);
    });
}

/// What plotters calls the size of a font whose em is `points`.
fn font_size(points: f64) -> f64 {
    1.24 * points
}

/// The scene as SVG.
pub(super) fn svg(scene: &Scene) -> Result<String, String> {
    let scale = SVG_DPI / POINTS_PER_INCH;
    let size = pixels(scene, scale);
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        paint(scene, &area, scale, SVG_RISE, |text| text.into()).map_err(|error| error.to_string())?;
        area.present().map_err(|error| error.to_string())?;
    }
    // Sizes in millimetres, and the font: the same letters everywhere.
    let body = text.split_once(">\n").map_or("", |(_, body)| body);
    let (width, height) = (scene.width / POINTS_PER_MM, scene.height / POINTS_PER_MM);
    let body = body.replace(&format!("font-family=\"{FAMILY}\""), &format!("font-family=\"{FAMILY}, sans-serif\""));
    Ok(format!(
        "<svg width=\"{width:.2}mm\" height=\"{height:.2}mm\" viewBox=\"0 0 {} {}\" xmlns=\"http://www.w3.org/2000/svg\" \
         role=\"img\">\n<title>{}</title>\n<style>@font-face{{font-family:{FAMILY};src:url(data:font/woff2;base64,{})}}\
         </style>\n{body}",
        size.0,
        size.1,
        escaped(&scene.title).replace('&', "&amp;").replace('<', "&lt;"),
        STANDARD.encode(WEB_FONT)
    ))
}

/// The scene as PNG.
fn png(scene: &Scene) -> Result<Vec<u8>, String> {
    let (width, height) = pixels(scene, PNG_DPI / POINTS_PER_INCH);
    let fine = OVERSAMPLING as u32;
    let mut pixels = vec![255; (3 * width * fine * height * fine) as usize];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, (width * fine, height * fine)).into_drawing_area();
        let scale = PNG_DPI / POINTS_PER_INCH * f64::from(fine);
        paint(scene, &area, scale, PNG_RISE, letters::drawable).map_err(|error| error.to_string())?;
        area.present().map_err(|error| error.to_string())?;
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let per_metre = (PNG_DPI / 0.0254).round() as u32;
    encoder.set_pixel_dims(Some(png::PixelDimensions { xppu: per_metre, yppu: per_metre, unit: png::Unit::Meter }));
    let averaged = averaged(&pixels, width as usize, height as usize);
    let mut writer = encoder.write_header().map_err(|error| error.to_string())?;
    writer.write_image_data(&averaged).and_then(|()| writer.finish()).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// The mean of every block of pixels.
fn averaged(fine: &[u8], width: usize, height: usize) -> Vec<u8> {
    const BLOCK: u32 = (OVERSAMPLING * OVERSAMPLING) as u32;
    let mut coarse = Vec::with_capacity(3 * width * height);
    for row in 0..height {
        for column in 0..width {
            for channel in 0..3 {
                let mut sum = 0;
                for y in row * OVERSAMPLING..(row + 1) * OVERSAMPLING {
                    for x in column * OVERSAMPLING..(column + 1) * OVERSAMPLING {
                        sum += u32::from(fine[3 * (y * width * OVERSAMPLING + x) + channel]);
                    }
                }
                coarse.push(((sum + BLOCK / 2) / BLOCK) as u8);
            }
        }
    }
    coarse
}

fn pixels(scene: &Scene, scale: f64) -> (u32, u32) {
    ((scene.width * scale).round() as u32, (scene.height * scale).round() as u32)
}

/// Draws every mark, `scale` dots to the point; texts are lowered by `rise` ems and made `drawable`.
fn paint<DB: DrawingBackend>(
    scene: &Scene,
    area: &DrawingArea<DB, Shift>,
    scale: f64,
    rise: f64,
    drawable: fn(&str) -> Cow<'_, str>,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    register();
    area.fill(&WHITE)?;
    let dots = |(x, y): (f64, f64)| ((x * scale).round() as i32, (y * scale).round() as i32);
    let all = |points: &[(f64, f64)]| points.iter().copied().map(dots).collect::<Vec<_>>();
    let mixed = |ink: &Ink| ink.colour.mix(ink.opacity);
    for mark in &scene.marks {
        match mark {
            Mark::Line { points, width, ink } => {
                let style = mixed(ink).stroke_width((width * scale).round().max(1.0) as u32);
                area.draw(&PathElement::new(all(points), style))?;
            }
            Mark::Area { points, ink } => area.draw(&Polygon::new(all(points), mixed(ink).filled()))?,
            Mark::Dot { centre, radius, ink } => {
                area.draw(&Circle::new(dots(*centre), (radius * scale).round() as i32, mixed(ink).filled()))?;
            }
            Mark::Text { at, text, anchor, turned, ink } => {
                let across = match anchor {
                    Anchor::Start => HPos::Left,
                    Anchor::Middle => HPos::Center,
                    Anchor::End => HPos::Right,
                };
                let transform = if *turned { FontTransform::Rotate270 } else { FontTransform::None };
                let font = (FAMILY, font_size(TEXT * scale)).into_font().transform(transform);
                let style = font.color(&mixed(ink)).pos(Pos::new(across, VPos::Center));
                // The top of a turned text is on its left.
                let lowered = if *turned { (at.0 + rise * TEXT, at.1) } else { (at.0, at.1 + rise * TEXT) };
                area.draw(&Text::new(escaped(&drawable(text)), dots(lowered), style))?;
            }
        }
    }
    Ok(())
}
