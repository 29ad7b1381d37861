//! Scratch memory of a type that only its user knows.

use std::any::Any;

/// Memory that is made when first needed and kept; another type takes its room.
#[derive(Default)]
pub struct Scratch(Option<Box<dyn Any + Send>>);

impl Scratch {
    /// The memory as it was left, or what `make` makes if there is none of this type.
    ///
    /// # Panics
    /// Never: what was just made has the right type.
    pub fn get<T: Any + Send>(&mut self, make: impl FnOnce() -> T) -> &mut T {
        if !self.0.as_ref().is_some_and(|kept| kept.is::<T>()) {
            self.0 = Some(Box::new(make()));
        }
        self.0.as_mut().and_then(|kept| kept.downcast_mut()).expect("memory of this type was just made")
    }
}
