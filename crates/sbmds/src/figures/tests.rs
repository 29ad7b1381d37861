//! Figures by their structure: how many marks of which kind, and every text.

use std::collections::BTreeMap;

use super::scene::{Mark, Scene};
use super::*;
use crate::cluster::{HdbscanSettings, Selection, cluster_run};
use crate::dissimilarity::LabelValues;
use crate::run::test_run::{fixed_run, small_run};
use crate::run::{FinishedRun, Keep};

/// Counts of the elements of an SVG, and its texts in order, one per line.
fn structure(svg: &str) -> String {
    let mut counts = BTreeMap::new();
    let mut texts = Vec::new();
    for element in svg.split('<').skip(1).filter(|element| !element.starts_with('/')) {
        let name = element.split([' ', '>', '\n']).next().unwrap();
        *counts.entry(name).or_insert(0) += 1;
        if name == "text" {
            texts.push(element.split_once('>').unwrap().1.trim().to_owned());
        }
    }
    let counts = counts.iter().map(|(name, count)| format!("{name} {count}\n")).collect::<String>();
    format!("{counts}{}\n", texts.join("\n"))
}

fn run() -> (tempfile::TempDir, FinishedRun) {
    let directory = tempfile::tempdir().unwrap();
    let run = fixed_run(directory.path());
    (directory, run)
}

fn svg(kind: Kind, runs: &[FinishedRun], options: &Options) -> String {
    render::svg(&draw(kind, runs, options).unwrap()).unwrap()
}

#[test]
fn every_kind_has_its_marks_and_texts() {
    let (_directory, run) = run();
    let runs = [run];
    let of = |kind: Kind| structure(&svg(kind, &runs, &Options::default()));
    insta::assert_snapshot!("map", of(Kind::Map));
    insta::assert_snapshot!("shepard", of(Kind::Shepard));
    insta::assert_snapshot!("trace", of(Kind::Trace));
    insta::assert_snapshot!("rank", of(Kind::Rank));
    insta::assert_snapshot!("ess", of(Kind::Ess));
    insta::assert_snapshot!("density", of(Kind::Density));
}

#[test]
fn labels_colour_a_map_and_are_explained() {
    let (_directory, run) = run();
    let runs = [run];
    let coloured = |values| {
        let column = LabelColumn { name: "group".into(), values };
        structure(&svg(Kind::Map, &runs, &Options { colour: Some(column), ..Options::default() }))
    };
    let levels = ["x".to_owned(), "y".to_owned()].to_vec();
    let words = coloured(LabelValues::Categorical { levels, codes: vec![0, 0, 1, 1, 1, u16::MAX, 0, 0, 0] });
    assert!(words.contains("\ngroup\nx\ny\nno label\n"), "{words}");
    let many = (0..9).map(|k| format!("level {k}")).collect();
    let many = coloured(LabelValues::Categorical { levels: many, codes: (0..9).collect() });
    assert!(many.contains("level 8") && !many.contains("others"), "{many}");
    let numbers = coloured(LabelValues::Numeric(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.5, f64::NAN]));
    assert!(numbers.contains("\ngroup\n1\n8.5\n"), "{numbers}");
}

#[test]
fn several_runs_are_laid_over_one_another_as_densities_alone() {
    let ((_a, first), (_b, second)) = (run(), run());
    let runs = [first, second];
    let both =
        structure(&svg(Kind::Density, &runs, &Options { quantity: Some("log density".into()), ..Options::default() }));
    // Both directories are called "run": their paths tell them apart.
    assert_eq!(both.matches("…\n").count() + both.matches("/run\n").count(), 2, "{both}");
    assert!(both.contains("Log density"), "{both}");
    for kind in [Kind::Map, Kind::Clusters, Kind::Shepard, Kind::Trace, Kind::Rank, Kind::Ess] {
        let error = draw(kind, &runs, &Options::default()).unwrap_err().to_string();
        assert!(error.contains("this figure shows one run, and 2 were given"), "{error}");
    }
}

#[test]
fn what_cannot_be_drawn_is_refused_with_a_remedy() {
    let (directory, run) = run();
    let runs = [run];
    let refused = |options: Options| draw(Kind::Map, &runs, &options).unwrap_err().to_string();
    let axes = refused(Options { axes: (1, 3), ..Options::default() });
    assert!(axes.contains("axes 1 and 3 of a map with 2 dimensions") && axes.contains("Remedy"), "{axes}");
    assert!(refused(Options { axes: (2, 2), ..Options::default() }).contains("two different numbers"));
    assert!(refused(Options { width_mm: 3.0, ..Options::default() }).contains("`width_mm`"));
    let scene = draw(Kind::Map, &runs, &Options::default()).unwrap();
    let error = write(&scene, &directory.path().join("map.eps")).unwrap_err().to_string();
    assert!(error.contains("ends neither in .svg nor in .pdf nor in .png"), "{error}");
    assert!(
        "pie"
            .parse::<Kind>()
            .unwrap_err()
            .contains("map, antigenic, shepard, trace, rank, ess, density, clusters, groups or tree")
    );
}

#[test]
fn a_map_has_equal_scales_and_stays_on_its_sheet() {
    for n_dims in [2, 3] {
        let directory = tempfile::tempdir().unwrap();
        let run = small_run(directory.path(), n_dims, Keep::Summary);
        let mean = run.embedding().mean.clone();
        let axes = if n_dims == 3 { (3, 1) } else { (1, 2) };
        let scene = draw(Kind::Map, &[run], &Options { axes, ..Options::default() }).unwrap();
        let dots = dots(&scene);
        assert_eq!(dots.len(), mean.n_objects());
        assert!(dots.iter().all(|&(x, y)| (0.0..scene.width).contains(&x) && (0.0..scene.height).contains(&y)));
        let (a, b) = (dots[0], dots[5]);
        let drawn = (a.0 - b.0).hypot(a.1 - b.1);
        let y = |object| mean.get(object, axes.1 - 1);
        let true_distance = (mean.get(0, axes.0 - 1) - mean.get(5, axes.0 - 1)).hypot(y(0) - y(5));
        let (c, d) = (dots[2], dots[7]);
        let other = (mean.get(2, axes.0 - 1) - mean.get(7, axes.0 - 1)).hypot(y(2) - y(7));
        approx::assert_relative_eq!(drawn / true_distance, (c.0 - d.0).hypot(c.1 - d.1) / other, max_relative = 1e-9);
    }
}

fn dots(scene: &Scene) -> Vec<(f64, f64)> {
    let centre = |mark: &Mark| if let Mark::Dot { centre, .. } = mark { Some(*centre) } else { None };
    scene.marks.iter().filter_map(centre).collect()
}

#[test]
fn files_are_as_wide_as_asked_and_carry_their_font() {
    let (directory, run) = run();
    let scene = draw(Kind::Map, &[run], &Options { width_mm: 120.0, ..Options::default() }).unwrap();
    let svg = render::svg(&scene).unwrap();
    assert!(svg.starts_with("<svg width=\"120.00mm\"") && svg.contains("@font-face") && svg.contains("woff2;base64,"));
    // A hostile name is text and nothing else.
    assert!(svg.contains("&lt;/script&gt;&lt;b&gt;") && !svg.contains("<b>"));
    let path = directory.path().join("map.png");
    write(&scene, &path).unwrap();
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    // 120 mm at 300 dots per inch.
    assert_eq!(reader.info().width, 1417);
    let dims = reader.info().pixel_dims.unwrap();
    assert_eq!((dims.xppu, dims.unit), (11_811, png::Unit::Meter));
    let mut pixels = vec![0; reader.output_buffer_size()];
    reader.next_frame(&mut pixels).unwrap();
    let dark = pixels.chunks(3).filter(|pixel| pixel.iter().all(|&channel| channel < 128)).count();
    assert!(dark > 500, "only {dark} dark pixels: no letters");
}

#[test]
fn clusters_are_drawn_with_outlines_and_counted_in_the_legend() {
    let (_directory, run) = run();
    let runs = [run];
    let refused = draw(Kind::Clusters, &runs, &Options::default()).unwrap_err().to_string();
    assert!(refused.contains("has no clusters yet") && refused.contains("sbmds cluster"), "{refused}");
    let settings = HdbscanSettings { min_cluster_size: 2, min_samples: 2, selection: Selection::Leaf };
    let clusters = cluster_run(runs[0].reader(), &settings, 1000, 1, None).unwrap();
    clusters.write(&runs[0].clusters(), Default::default()).unwrap();
    let scene = draw(Kind::Clusters, &runs, &Options::default()).unwrap();
    let texts = structure(&render::svg(&scene).unwrap());
    for (cluster, size) in clusters.summary.consensus.sizes.iter().enumerate() {
        assert!(texts.contains(&format!("\ncluster {cluster} ({size})\n")), "{texts}");
    }
    // Every object once, and one dot for each entry of the legend.
    let n_entries = texts.matches("cluster ").count() + texts.matches("noise").count();
    assert_eq!(dots(&scene).len(), runs[0].names().len() + n_entries);
    let is_closed =
        |mark: &&Mark| matches!(mark, Mark::Line { points, .. } if points.len() > 2 && points.first() == points.last());
    assert!(scene.marks.iter().filter(is_closed).count() >= 5, "five draws have at least one cluster each");
    let opacities =
        scene.marks.iter().filter_map(|mark| if let Mark::Dot { ink, .. } = mark { Some(ink.opacity) } else { None });
    assert!(opacities.into_iter().any(|opacity| opacity < 1.0), "the unsure are fainter");
}

#[test]
fn a_map_of_one_dimension_has_a_row_and_an_interval_for_every_object_and_no_axis_upwards() {
    let directory = tempfile::tempdir().unwrap();
    let run = small_run(directory.path(), 1, Keep::All);
    let (mean, moments) = (run.embedding().mean.clone(), run.moments().unwrap());
    let names: Vec<String> = run.names().iter().map(Into::into).collect();
    let scene = draw(Kind::Map, &[run], &Options::default()).unwrap();
    insta::assert_snapshot!("line", structure(&render::svg(&scene).unwrap()));
    let dots = dots(&scene);
    assert_eq!(dots.len(), names.len());
    assert!(
        dots.windows(2).all(|pair| pair[0].1 < pair[1].1 && pair[0].0 >= pair[1].0),
        "in order of location, each on a row"
    );
    let texts: Vec<&String> = scene
        .marks
        .iter()
        .filter_map(|mark| if let Mark::Text { text, .. } = mark { Some(text) } else { None })
        .collect();
    assert!(names.iter().all(|name| texts.contains(&name)), "every name is there");
    assert!(texts.iter().any(|text| text.contains("rows only keep names apart")));
    // Intervals are 1.96 standard deviations to both sides, in the units of the axis.
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|a, b| mean.get(*b, 0).total_cmp(&mean.get(*a, 0)));
    let span = |a: usize, b: usize| (dots[a].0 - dots[b].0) / (mean.get(order[a], 0) - mean.get(order[b], 0));
    let points_per_unit = span(0, names.len() - 1);
    let interval = |(x, y): (f64, f64)| {
        scene.marks.iter().find_map(|mark| match mark {
            Mark::Line { points, .. } if points[0].1 == y && points[1].1 == y => {
                Some((x - points[0].0, points[1].0 - x))
            }
            _ => None,
        })
    };
    for (index, &object) in order.iter().enumerate() {
        let (left, right) = interval(dots[index]).unwrap();
        let half = 1.959_964 * moments.covariance(object)[0].sqrt() * points_per_unit;
        approx::assert_relative_eq!(left, half, max_relative = 1e-5);
        approx::assert_relative_eq!(right, half, max_relative = 1e-5);
    }
}

#[test]
fn a_pdf_holds_every_text_as_text_in_its_own_font() {
    let (_directory, run) = run();
    let names: Vec<String> = run.names().iter().map(Into::into).collect();
    let scene = draw(Kind::Map, &[run], &Options { width_mm: 120.0, ..Options::default() }).unwrap();
    let bytes = pdf::pdf(&scene).unwrap();
    assert_eq!(bytes, pdf::pdf(&scene).unwrap(), "equal scenes, equal files");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(text.starts_with("%PDF-1.") && text.trim_end().ends_with("%%EOF"));
    for part in ["/CIDFontType0C", "/FontFile3", "/ToUnicode", "/Identity-H", "begincmap"] {
        assert!(text.contains(part), "no {part}");
    }
    // 120 mm.
    assert!(text.contains("/MediaBox [0 0 340.1"), "{}", &text[..600]);
    let content = inflated(&bytes, b"/Filter /FlateDecode");
    let drawn = |text: &str| -> String {
        text.chars()
            .filter_map(letters::glyph)
            .flat_map(|glyph| glyph.0.to_be_bytes())
            .map(|byte| format!("{byte:02X}"))
            .collect()
    };
    let shown = content.to_uppercase();
    let found = names.iter().filter(|name| shown.contains(&drawn(name))).count();
    assert!(found + 1 >= names.len(), "only {found} of {} names", names.len());
    assert_eq!(content.matches(" c\n").count(), 4 * dots(&scene).len(), "four curves to a dot");
}

/// The first compressed stream of a PDF, its strings as digits.
fn inflated(bytes: &[u8], before: &[u8]) -> String {
    use std::io::Read;
    let find =
        |what: &[u8], from: usize| from + bytes[from..].windows(what.len()).position(|part| part == what).unwrap();
    let start = find(b"stream\n", find(before, 0)) + 7;
    let mut content = Vec::new();
    flate2::read::ZlibDecoder::new(&bytes[start..]).read_to_end(&mut content).unwrap();
    String::from_utf8_lossy(&content).into_owned()
}
