//! Running moments of a map some of whose objects have several modes: each of their modes by itself.

use super::moments::Moments;
use super::object_modes::ModeCentres;
use crate::Locations;
use crate::align::RigidMotion;

/// Mean and covariance of every object, and of every mode of those that have several.
#[derive(Clone, Debug)]
pub(crate) struct MixedMoments {
    all: Moments,
    modes: Vec<(ModeCentres, Vec<Moments>)>,
}

impl MixedMoments {
    /// No draws yet.
    pub fn new(n_objects: usize, n_dims: usize, centres: Vec<ModeCentres>) -> Self {
        let empty = |modes: ModeCentres| {
            let moments = vec![Moments::new(1, n_dims); modes.centres.len()];
            (modes, moments)
        };
        Self { all: Moments::new(n_objects, n_dims), modes: centres.into_iter().map(empty).collect() }
    }

    /// Adds one draw, already aligned; an object with several modes is counted in the nearest.
    pub fn add(&mut self, draw: &Locations) {
        self.all.add(draw);
        for (centres, moments) in &mut self.modes {
            let at = draw.object(centres.object);
            let alone = Locations::from_fn(1, at.len(), |_, dim| at[dim]);
            moments[centres.nearest(&at)].add(&alone);
        }
    }

    /// The same of draws moved rigidly.
    pub fn moved(&self, motion: &RigidMotion) -> Self {
        let moved = |(centres, moments): &(ModeCentres, Vec<Moments>)| {
            let moments: Vec<Moments> = moments.iter().map(|mode| mode.moved(motion)).collect();
            let centres = ModeCentres { centres: means(&moments), ..centres.clone() };
            (centres, moments)
        };
        Self { all: self.all.moved(motion), modes: self.modes.iter().map(moved).collect() }
    }

    /// The moments in which every object is in one mode: the heaviest, or the one nearest to its location in `seen_from`, whose
    /// locations then take the place of the means.
    pub fn shown(&self, seen_from: Option<&Locations>) -> Moments {
        let mut shown = seen_from.map_or_else(|| self.all.clone(), |centre| self.all.about(centre));
        for modes in self.modes(seen_from) {
            let mode = &modes.modes[modes.shown];
            match seen_from {
                None => shown.replace_object(modes.object, mode),
                Some(map) => shown.replace_object(modes.object, &mode.about(&map.reordered(&[modes.object]))),
            }
        }
        shown
    }

    /// The objects with several modes; `seen_from` as above.
    pub fn modes(&self, seen_from: Option<&Locations>) -> Vec<ObjectModes> {
        let of_object = |(centres, moments): &(ModeCentres, Vec<Moments>)| {
            // The order of the centres is that of a sample of the draws; all draws have the last word.
            let mut order: Vec<usize> = (0..moments.len()).collect();
            order.sort_by_key(|&mode| std::cmp::Reverse(moments[mode].n_draws()));
            let shown = seen_from.map(|map| centres.nearest(&map.object(centres.object)));
            ObjectModes {
                object: centres.object,
                shown: shown.and_then(|shown| order.iter().position(|&mode| mode == shown)).unwrap_or(0),
                modes: order.into_iter().map(|mode| moments[mode].clone()).collect(),
            }
        };
        self.modes.iter().map(of_object).collect()
    }
}

fn means(moments: &[Moments]) -> Vec<Vec<f64>> {
    moments.iter().map(|mode| mode.mean().object(0)).collect()
}

/// The modes of one object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectModes {
    /// The object.
    pub object: usize,
    /// Mean and covariance of each mode (as of a map of one object), the heaviest first.
    pub modes: Vec<Moments>,
    /// The mode that is part of the map shown.
    pub shown: usize,
}

impl ObjectModes {
    /// The share of the draws that are in a mode.
    pub fn share(&self, mode: usize) -> f64 {
        let all: u64 = self.modes.iter().map(Moments::n_draws).sum();
        self.modes[mode].n_draws() as f64 / all as f64
    }

    /// Where the modes are.
    pub fn centres(&self) -> ModeCentres {
        ModeCentres { object: self.object, centres: means(&self.modes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::principal_axes;

    /// Object 1 is at (10, 0) in three of four draws and at (-10, 0) in the others.
    fn mixed() -> MixedMoments {
        let centres = ModeCentres { object: 1, centres: vec![vec![9.0, 0.0], vec![-9.0, 0.0]] };
        let mut moments = MixedMoments::new(2, 2, vec![centres]);
        for k in 0..40 {
            let (side, error) = (if k % 4 == 0 { -10.0 } else { 10.0 }, (k as f64).sin());
            moments.add(&Locations::from_fn(2, 2, |object, dim| match (object, dim) {
                (1, 0) => side + 0.1 * error,
                _ => 0.1 * error,
            }));
        }
        moments
    }

    #[test]
    fn an_object_is_shown_in_its_heavier_mode_with_the_spread_of_that_mode() {
        let (mixed, shown) = (mixed(), mixed().shown(None));
        let modes = &mixed.modes(None)[0];
        assert_eq!((modes.share(0), modes.share(1), modes.shown), (0.75, 0.25, 0));
        assert!((shown.mean().get(1, 0) - 10.0).abs() < 0.1 && shown.sd(1, 0) < 0.2, "{}", shown.sd(1, 0));
        assert!(mixed.all.sd(1, 0) > 5.0, "all draws together are wide");
        approx::assert_relative_eq!(shown.sd(1, 0), modes.modes[0].sd(0, 0), max_relative = 1e-12);
    }

    #[test]
    fn seen_from_a_draw_the_mode_of_that_draw_is_shown() {
        let mixed = mixed();
        let map = Locations::from_fn(2, 2, |object, dim| if (object, dim) == (1, 0) { -10.2 } else { 0.0 });
        let shown = mixed.shown(Some(&map));
        assert_eq!((shown.mean(), mixed.modes(Some(&map))[0].shown), (&map, 1));
        assert!(shown.sd(1, 0) > 0.19 && shown.sd(1, 0) < 0.3, "{}", shown.sd(1, 0));
    }

    #[test]
    fn moved_draws_have_moved_modes() {
        let mixed = mixed();
        let motion =
            principal_axes(&Locations::from_fn(3, 2, |object, dim| (object * object + 5 * dim * object) as f64));
        let moved = mixed.moved(&motion);
        let (there, back) = (moved.modes(None)[0].centres(), mixed.modes(None)[0].centres());
        for (centre, expected) in there.centres.iter().zip(&back.centres) {
            let expected = motion.apply(&Locations::from_fn(1, 2, |_, dim| expected[dim]));
            assert!(centre.iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }
}
