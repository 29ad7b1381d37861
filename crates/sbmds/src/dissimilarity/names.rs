//! The names of the objects, in input order: everything is joined by name, never by position.

use std::borrow::Cow;

/// Object names in input order.
///
/// Inputs without names (a bare `.npy`) get the row number, counted from 0 as NumPy does; those names are
/// made on demand, so that a million unnamed objects cost no memory.
#[derive(Clone, Debug)]
pub struct Names(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Numbered(usize),
    Given(List),
}

/// Given names in one piece of text: 12 bytes per name beside its letters.
#[derive(Clone, Debug)]
struct List {
    text: String,
    /// Where each name ends in `text`; it starts where the one before it ends.
    ends: Vec<usize>,
    /// Positions of the names in alphabetical order, to find them by.
    sorted: Vec<u32>,
}

/// A name that was given twice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "objects {earlier} and {later} (counted from 0) are both called {name:?}. Remedy: give every object a name of its own"
)]
pub struct DuplicateName {
    /// The name.
    pub name: String,
    /// The first object of that name, counted from 0.
    pub earlier: usize,
    /// The second.
    pub later: usize,
}

impl List {
    fn new(names: &[impl AsRef<str>]) -> Self {
        let mut list = Self {
            text: String::new(),
            ends: Vec::with_capacity(names.len()),
            sorted: (0..).take(names.len()).collect(),
        };
        for name in names {
            list.text.push_str(name.as_ref());
            list.ends.push(list.text.len());
        }
        let mut sorted = std::mem::take(&mut list.sorted);
        // Stable, so that equal names stay in input order.
        sorted.sort_by(|&a, &b| list.get(a as usize).cmp(list.get(b as usize)));
        list.sorted = sorted;
        list
    }

    fn get(&self, object: usize) -> &str {
        let start = if object == 0 { 0 } else { self.ends[object - 1] };
        &self.text[start..self.ends[object]]
    }

    fn find(&self, name: &str) -> Option<usize> {
        let found = self.sorted.binary_search_by(|&object| self.get(object as usize).cmp(name)).ok()?;
        Some(self.sorted[found] as usize)
    }

    /// The duplicate that is met first when reading in input order.
    fn first_duplicate(&self) -> Option<DuplicateName> {
        let twice = self.sorted.windows(2).filter(|two| self.get(two[0] as usize) == self.get(two[1] as usize));
        let first = twice.min_by_key(|two| two[1])?;
        let [earlier, later] = [first[0] as usize, first[1] as usize];
        Some(DuplicateName { name: self.get(later).to_owned(), earlier, later })
    }
}

impl Names {
    /// Names `0`, `1`, ... for `n_objects` objects that came without any.
    pub fn numbered(n_objects: usize) -> Self {
        Self(Kind::Numbered(n_objects))
    }

    /// The given names.
    ///
    /// # Errors
    /// The first name that is given twice.
    pub fn given(names: Vec<String>) -> Result<Self, DuplicateName> {
        Self::unique(&names)
    }

    /// The same of anything that can be read as text.
    pub(super) fn unique(names: &[impl AsRef<str>]) -> Result<Self, DuplicateName> {
        let list = List::new(names);
        match list.first_duplicate() {
            Some(duplicate) => Err(duplicate),
            None => Ok(Self(Kind::Given(list))),
        }
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kind::Numbered(n_objects) => *n_objects,
            Kind::Given(list) => list.ends.len(),
        }
    }

    /// Whether the names are the numbers 0, 1, 2, ..., as inputs without names get them.
    pub fn is_numbered(&self) -> bool {
        match &self.0 {
            Kind::Numbered(_) => true,
            Kind::Given(list) => (0..list.ends.len()).all(|object| list.get(object) == object.to_string()),
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
            Kind::Given(list) => Cow::Borrowed(list.get(object)),
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
            Kind::Given(list) => list.find(name),
        }
    }

    /// All names in input order.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|object| self.get(object))
    }
}

impl<S: AsRef<str>> TryFrom<&[S]> for Names {
    type Error = DuplicateName;

    fn try_from(names: &[S]) -> Result<Self, DuplicateName> {
        Self::unique(names)
    }
}

impl<S: AsRef<str>, const N: usize> TryFrom<&[S; N]> for Names {
    type Error = DuplicateName;

    fn try_from(names: &[S; N]) -> Result<Self, DuplicateName> {
        Self::unique(names)
    }
}

impl<S: AsRef<str>, const N: usize> TryFrom<[S; N]> for Names {
    type Error = DuplicateName;

    fn try_from(names: [S; N]) -> Result<Self, DuplicateName> {
        Self::unique(&names)
    }
}

impl<S: AsRef<str>> TryFrom<&Vec<S>> for Names {
    type Error = DuplicateName;

    fn try_from(names: &Vec<S>) -> Result<Self, DuplicateName> {
        Self::unique(names)
    }
}

impl<S: AsRef<str>> TryFrom<Vec<S>> for Names {
    type Error = DuplicateName;

    fn try_from(names: Vec<S>) -> Result<Self, DuplicateName> {
        Self::unique(&names)
    }
}

impl From<&Names> for Names {
    fn from(names: &Names) -> Self {
        names.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::{DuplicateName, Names};

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
        let twice = Names::given(vec!["x".into(), "y".into(), "x".into()]).unwrap_err();
        assert_eq!(twice, DuplicateName { name: "x".into(), earlier: 0, later: 2 });
        assert!(twice.to_string().starts_with("objects 0 and 2 (counted from 0) are both called \"x\""), "{twice}");
    }

    #[test]
    fn names_are_made_of_whatever_holds_strings() {
        let owned: Vec<String> = ["a", "b"].map(String::from).to_vec();
        let made = [
            Names::try_from(["a", "b"]),
            Names::try_from(&["a", "b"]),
            Names::try_from(&["a", "b"][..]),
            Names::try_from(&owned),
            Names::try_from(owned.clone()),
        ];
        for names in made {
            assert_eq!(names.unwrap().iter().collect::<Vec<_>>(), ["a", "b"]);
        }
        assert_eq!(Names::try_from(["a", "a"]).unwrap_err().later, 1);
    }
}
