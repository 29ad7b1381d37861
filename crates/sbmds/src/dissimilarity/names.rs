//! The names of the objects, in input order: everything is joined by name, never by position.

use std::borrow::Cow;
use std::collections::HashMap;

/// Object names in input order.
///
/// Inputs without names (a bare `.npy`) get the row number, counted from 0 as NumPy does; those names are
/// made on demand, so that a million unnamed objects cost no memory.
#[derive(Clone, Debug)]
pub struct Names(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Numbered(usize),
    Given { names: Vec<String>, index: HashMap<String, usize> },
}

impl Names {
    /// Names `0`, `1`, ... for `n_objects` objects that came without any.
    pub fn numbered(n_objects: usize) -> Self {
        Self(Kind::Numbered(n_objects))
    }

    /// The given names; `Err` holds the positions of the first duplicate (earlier, later).
    pub fn given(names: Vec<String>) -> Result<Self, (usize, usize)> {
        let mut index = HashMap::with_capacity(names.len());
        for (position, name) in names.iter().enumerate() {
            if let Some(earlier) = index.insert(name.clone(), position) {
                return Err((earlier, position));
            }
        }
        Ok(Self(Kind::Given { names, index }))
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kind::Numbered(n_objects) => *n_objects,
            Kind::Given { names, .. } => names.len(),
        }
    }

    /// Whether there is no object at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of object `object` (input order).
    ///
    /// # Panics
    /// If `object` is not below [`Names::len`].
    pub fn get(&self, object: usize) -> Cow<'_, str> {
        assert!(object < self.len(), "object {object} of {}", self.len());
        match &self.0 {
            Kind::Numbered(_) => Cow::Owned(object.to_string()),
            Kind::Given { names, .. } => Cow::Borrowed(&names[object]),
        }
    }

    /// The position of the object called `name`.
    pub fn find(&self, name: &str) -> Option<usize> {
        match &self.0 {
            Kind::Numbered(n_objects) => {
                let object: usize = name.parse().ok()?;
                // "007" and "+7" are not the name "7".
                (object < *n_objects && object.to_string() == name).then_some(object)
            }
            Kind::Given { index, .. } => index.get(name).copied(),
        }
    }

    /// All names in input order.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|object| self.get(object))
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn numbered_names_are_row_numbers() {
        let names = Names::numbered(12);
        assert_eq!(names.get(11), "11");
        assert_eq!(names.find("11"), Some(11));
        for wrong in ["12", "007", "+7", "-1", "", "a"] {
            assert_eq!(names.find(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn given_names_are_found_and_duplicates_reported() {
        let names = Names::given(vec!["b".into(), "a".into()]).unwrap();
        assert_eq!(names.find("a"), Some(1));
        assert_eq!(names.iter().collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(Names::given(vec!["x".into(), "y".into(), "x".into()]).unwrap_err(), (0, 2));
    }
}
