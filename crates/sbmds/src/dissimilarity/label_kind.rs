//! Whether numbers in a column of labels are classes or amounts: by a rule, or as the user says.

use super::labels::{LabelColumn, LabelValues, Labels, NO_LEVEL};

/// Class numbers are small: 0 to 9, 1 to 5, -1 for noise.
const SMALLEST: f64 = -1.0;
const LARGEST_FIRST: f64 = 1.0;
const LARGEST: f64 = 20.0;
/// Classes have members: on average at least this many.
const MEMBERS: usize = 2;

impl Labels {
    /// The same columns with numbers taken as classes (`categorical`) or as amounts (`numeric`) in those named.
    ///
    /// # Errors
    /// If there is no such column, or one of `numeric` holds words; the message says what to do.
    pub fn with_kinds(mut self, categorical: &[String], numeric: &[String]) -> Result<Self, String> {
        for name in categorical {
            let column = self.named("`categorical`", name)?;
            if let LabelValues::Numeric(values) = &column.values {
                column.values = classes(values).ok_or_else(|| {
                    format!("`categorical`: column {name} has more than 65,534 different numbers. Remedy: leave it as numbers")
                })?;
            }
        }
        for name in numeric {
            let column = self.named("`numeric`", name)?;
            column.values = amounts(&column.values)
                .ok_or_else(|| format!("`numeric`: column {name} holds words. Remedy: leave it out"))?;
        }
        Ok(self)
    }

    fn named(&mut self, flag: &str, name: &str) -> Result<&mut LabelColumn, String> {
        let known = self.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
        let unknown = format!("{flag}: the table of labels has no column {name:?}. Remedy: give one of {known}");
        self.columns.iter_mut().find(|column| column.name == name).ok_or(unknown)
    }
}

/// Numbers as they are, or as classes if they look like class numbers: few small whole numbers from -1, 0 or 1 on, each of several
/// objects. Years, ages and measurements are not.
pub(super) fn recognised(values: Vec<f64>) -> LabelValues {
    if are_class_numbers(&values)
        && let Some(classes) = classes(&values)
    {
        return classes;
    }
    LabelValues::Numeric(values)
}

fn are_class_numbers(values: &[f64]) -> bool {
    let known = || values.iter().copied().filter(|value| !value.is_nan());
    let (least, most) = known().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
    let are_small = (SMALLEST..=LARGEST_FIRST).contains(&least) && most <= LARGEST;
    let n_distinct = distinct(values).len();
    are_small && known().all(|value| value.fract() == 0.0) && n_distinct > 1 && known().count() >= MEMBERS * n_distinct
}

fn distinct(values: &[f64]) -> Vec<f64> {
    // Zero has no sign here.
    let mut distinct: Vec<f64> = values.iter().filter(|value| !value.is_nan()).map(|value| value + 0.0).collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    distinct
}

/// A class for every number, in their order; `None` if there are too many.
fn classes(values: &[f64]) -> Option<LabelValues> {
    let distinct = distinct(values);
    if distinct.len() >= usize::from(NO_LEVEL) {
        return None;
    }
    let code =
        |value: &f64| distinct.binary_search_by(|other| other.total_cmp(&(value + 0.0))).map_or(NO_LEVEL, |k| k as u16);
    Some(LabelValues::Categorical {
        codes: values.iter().map(code).collect(),
        levels: distinct.iter().map(f64::to_string).collect(),
    })
}

fn amounts(values: &LabelValues) -> Option<LabelValues> {
    let LabelValues::Categorical { levels, codes } = values else { return Some(values.clone()) };
    let numbers: Vec<f64> = levels.iter().map(|level| level.parse().ok()).collect::<Option<_>>()?;
    let number = |&code: &u16| numbers.get(usize::from(code)).copied().unwrap_or(f64::NAN);
    Some(LabelValues::Numeric(codes.iter().map(number).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: LabelValues) -> Labels {
        Labels { columns: vec![LabelColumn { name: "digit".into(), values }], ..Labels::default() }
    }

    #[test]
    fn class_numbers_are_classes_and_amounts_are_not() {
        let repeated = |numbers: &[f64]| numbers.iter().chain(numbers).copied().collect::<Vec<f64>>();
        let is_class = |numbers: &[f64]| matches!(recognised(repeated(numbers)), LabelValues::Categorical { .. });
        assert!(is_class(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]), "digits");
        assert!(is_class(&[1.0, 2.0, 4.0, 5.0]) && is_class(&[-1.0, 0.0, 1.0, f64::NAN]), "ranks, clusters with noise");
        assert!(!is_class(&[1999.0, 2000.0, 2001.0]) && !is_class(&[18.0, 19.0, 20.0]), "years, ages");
        assert!(
            !is_class(&[0.0, 0.5, 1.0]) && !is_class(&[0.0, 40.0]) && !is_class(&[3.0, 3.0]),
            "measurements, a constant"
        );
        assert!(!are_class_numbers(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), "every object its own number");
        assert!(!are_class_numbers(&[f64::NAN; 4]) && !are_class_numbers(&[]));
    }

    #[test]
    fn classes_are_in_the_order_of_their_numbers() {
        let LabelValues::Categorical { levels, codes } = classes(&[10.0, 2.0, -0.0, f64::NAN, 0.0, 2.5]).unwrap()
        else {
            panic!()
        };
        assert_eq!(levels, ["0", "2", "2.5", "10"]);
        assert_eq!(codes, [3, 1, 0, NO_LEVEL, 0, 2]);
    }

    #[test]
    fn the_user_has_the_last_word() {
        let years = LabelValues::Numeric(vec![1999.0, 2000.0, f64::NAN, 1999.0]);
        let as_classes = column(years.clone()).with_kinds(&["digit".into()], &[]).unwrap();
        assert!(
            matches!(&as_classes.columns[0].values, LabelValues::Categorical { levels, .. } if levels[0] == "1999")
        );
        let back = as_classes.with_kinds(&[], &["digit".into()]).unwrap();
        let (LabelValues::Numeric(back), LabelValues::Numeric(years)) = (&back.columns[0].values, &years) else {
            panic!()
        };
        assert!(back.iter().zip(years).all(|(a, b)| a.to_bits() == b.to_bits()));
        let unknown = column(years_of_words()).with_kinds(&["age".into()], &[]).unwrap_err();
        assert!(unknown.contains("no column \"age\"") && unknown.contains("Remedy: give one of digit"), "{unknown}");
        let words = column(years_of_words()).with_kinds(&[], &["digit".into()]).unwrap_err();
        assert!(words.contains("`numeric`: column digit holds words"), "{words}");
    }

    fn years_of_words() -> LabelValues {
        LabelValues::Categorical { levels: vec!["early".into()], codes: vec![0] }
    }
}
