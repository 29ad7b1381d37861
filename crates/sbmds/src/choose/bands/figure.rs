//! The picture of grown couplings: held-out error, width and rate over the number of bands.

use super::{BandsChoice, Rung};
use crate::figures::{Axis, AxisScale, Chart, Look, Panel, Scene, Series, SeriesColour, SeriesPoint, draw_chart};

/// Draws what grown couplings say, a panel for each quantity; the number to take is ringed.
pub fn draw_bands(choice: &BandsChoice) -> Scene {
    let no_sd = |value: f64| (value, f64::NAN);
    let mut panels = vec![
        panel(choice, "Held-out error", |rung| Some(no_sd(rung.rmse))),
        panel(choice, "Posterior sd of distances", |rung| Some(no_sd(rung.width))),
    ];
    if choice.rungs.iter().any(|rung| rung.rate.is_some()) {
        panels.push(panel(choice, "Diffusion rate", |rung| rung.rate));
    }
    draw_chart(&Chart {
        title: format!("Enough pairs? {}", choice.advice()),
        note: format!("D sqrt(N) = {} bands", choice.rule()),
        x: Axis { title: "Bands".into(), scale: AxisScale::Log },
        y: Axis { title: String::new(), scale: AxisScale::FromZero },
        n_columns: 1,
        panels,
        width_mm: 89.0,
    })
}

fn panel(choice: &BandsChoice, title: &str, value: impl Fn(&Rung) -> Option<(f64, f64)>) -> Panel {
    let point = |rung: &Rung| value(rung).map(|(y, sd)| SeriesPoint { x: rung.bands as f64, y, sd });
    let taken = choice.settled.and_then(|settled| point(&choice.rungs[settled]));
    Panel {
        title: title.into(),
        series: vec![
            Series {
                name: "fits".into(),
                colour: SeriesColour::Numbered(0),
                look: Look::Line,
                points: choice.rungs.iter().filter_map(point).collect(),
            },
            Series {
                name: "to take".into(),
                colour: SeriesColour::Black,
                look: Look::Hollow,
                points: taken.map(|taken| SeriesPoint { sd: f64::NAN, ..taken }).into_iter().collect(),
            },
        ],
    }
}
