//! The median location of every group of objects: countries, say, of the viruses sampled there.

use super::Options;
use super::axes::{BELOW, Rect, range_of, room_left};
use super::map::{Colours, checked_axes, draw_axes, equal_scales, height_of};
use super::names;
use super::scene::{Ink, Point, Scene};
use crate::Locations;
use crate::diagnostics::{quantile_of_sorted, sorted};
use crate::dissimilarity::{LabelColumn, LabelValues, NO_LEVEL};
use crate::run::{FinishedRun, RunError};

pub(super) fn draw(run: &FinishedRun, options: &Options, width: f64) -> Result<Scene, RunError> {
    let (first, second) = checked_axes(options.axes, run.reader().n_dims())?;
    let groups = Groups::of(options.group.as_ref())?;
    let mean = &run.embedding().mean;
    let on_axis = |axis: Option<usize>| axis.map_or(vec![0.0; groups.names.len()], |axis| groups.medians(mean, axis));
    let points: Vec<Point> = on_axis(Some(first)).into_iter().zip(on_axis(second)).collect();
    let colours = Colours::new(options.colour.as_ref(), mean.n_objects());
    let (x, y) = (range_of(points.iter().map(|p| p.0), 0.08), range_of(points.iter().map(|p| p.1), 0.08));
    let (left, right) = (room_left(y, width, true), width - 4.0);
    let title = format!("Medians of {} groups of {} objects of {}", points.len(), mean.n_objects(), run.name());
    let mut scene = Scene::new(title, width, 0.0);
    let top = colours.legend(&mut scene, left, right) + 3.0;
    let height = height_of(right - left, x, y);
    scene.height = top + height + BELOW;
    let frame = equal_scales(Rect { left, top, right, bottom: top + height }, x, y);
    draw_axes(&mut scene, &frame, mean, (first, second));
    let dots: Vec<Point> = points.iter().map(|&(x, y)| frame.point(x, y)).collect();
    // Large groups first: they get their names.
    let mut order: Vec<usize> = (0..dots.len()).collect();
    order.sort_by_key(|&group| std::cmp::Reverse(groups.members[group].len()));
    for &group in &order {
        scene.dot(dots[group], RADIUS, Ink::solid(colours.of(groups.members[group][0])));
    }
    let (named, at): (Vec<String>, Vec<Point>) =
        order.iter().map(|&group| (groups.names[group].clone(), dots[group])).unzip();
    names::beside(&mut scene, frame.rect, &named, &at, RADIUS, &[]);
    Ok(scene)
}

/// Of a dot, in points.
const RADIUS: f64 = 1.6;

/// Groups that have objects.
struct Groups {
    names: Vec<String>,
    members: Vec<Vec<usize>>,
}

impl Groups {
    fn of(column: Option<&LabelColumn>) -> Result<Self, RunError> {
        let remedy = "give a table of labels with `labels`, and with `group` the column that names the groups";
        let Some(LabelColumn { name, values }) = column else {
            return Err(RunError::setting("`group`", "a figure of groups needs to know them", remedy));
        };
        let LabelValues::Categorical { levels, codes } = values else {
            return Err(RunError::setting("`group`", format!("{name} is a column of numbers, not of groups"), remedy));
        };
        let mut members = vec![Vec::new(); levels.len()];
        for (object, &code) in codes.iter().enumerate().filter(|(_, code)| **code != NO_LEVEL) {
            members[usize::from(code)].push(object);
        }
        Ok(Self { names: levels.clone(), members })
    }

    /// The median coordinate of every group.
    fn medians(&self, mean: &Locations, axis: usize) -> Vec<f64> {
        let median = |members: &Vec<usize>| {
            let coordinates = members.iter().map(|&object| mean.get(object, axis)).collect();
            quantile_of_sorted(&sorted(coordinates), 0.5)
        };
        self.members.iter().map(median).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_lie_at_the_medians_of_their_members() {
        let column = |values| LabelColumn { name: "country".into(), values };
        let levels = vec!["Chile".into(), "Peru".into()];
        let codes = vec![1, 0, 1, NO_LEVEL, 1, 0];
        let groups = Groups::of(Some(&column(LabelValues::Categorical { levels, codes }))).unwrap();
        let mean = Locations::from_fn(6, 2, |object, dim| {
            [[5.0, 0.0], [1.0, 2.0], [9.0, 1.0], [7.0, 7.0], [6.0, 8.0], [3.0, 4.0]][object][dim]
        });
        assert_eq!((groups.medians(&mean, 0), groups.medians(&mean, 1)), (vec![2.0, 6.0], vec![3.0, 1.0]));
        assert!(Groups::of(None).err().unwrap().to_string().contains("`group`"));
        let numbers = column(LabelValues::Numeric(vec![1.0; 6]));
        assert!(Groups::of(Some(&numbers)).err().unwrap().to_string().contains("column of numbers"));
    }
}
