//! The picture of a choice: how far each candidate is behind the best, with standard errors.

use super::{ChoiceRow, rows};
use crate::choose::Choice;
use crate::figures::{Axis, AxisScale, Chart, Look, Panel, Scene, Series, SeriesColour, SeriesPoint, draw_chart};

/// Draws a choice: expected log predictive density beside the best, over the number of dimensions.
pub fn draw_choice(choice: &Choice) -> Scene {
    let rows = rows(choice);
    let mut noises: Vec<Option<String>> = rows.iter().map(|row| row.noise.clone()).collect();
    noises.dedup();
    noises.sort();
    noises.dedup();
    let of_noise = |(number, noise): (usize, &Option<String>)| {
        let point = |row: &ChoiceRow| SeriesPoint { x: row.dims as f64, y: -row.behind, sd: row.behind_se };
        Series {
            name: noise.clone().unwrap_or_else(|| "all candidates".into()),
            colour: SeriesColour::Numbered(number),
            look: Look::Line,
            points: rows.iter().filter(|row| row.noise == *noise).map(point).collect(),
        }
    };
    let mut series: Vec<Series> = noises.iter().enumerate().map(of_noise).collect();
    let taken = rows.iter().filter(|row| row.taken);
    series.push(Series {
        name: "to take".into(),
        colour: SeriesColour::Black,
        look: Look::Hollow,
        points: taken.map(|row| SeriesPoint { x: row.dims as f64, y: -row.behind, sd: f64::NAN }).collect(),
    });
    draw_chart(&Chart {
        title: format!("Choice of dimensions: {}", choice.advice.line),
        note: String::new(),
        x: Axis { title: "Dimensions".into(), scale: AxisScale::Linear },
        y: Axis { title: "Log predictive density, beside the best".into(), scale: AxisScale::Linear },
        n_columns: 1,
        panels: vec![Panel { title: String::new(), series }],
        width_mm: 89.0,
    })
}
