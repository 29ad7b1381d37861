//! All instances of the process, by the number BEAST knows them by.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::{CallError, Instance};

/// BEAST has no call that ends an instance: they live as long as the process.
static INSTANCES: RwLock<Vec<Arc<Mutex<Instance>>>> = RwLock::new(Vec::new());

/// Keeps an instance and gives it a number.
pub(crate) fn add(instance: Instance) -> Result<i32, CallError> {
    // An instance is never half-made: a panic elsewhere leaves the list whole.
    let mut instances = INSTANCES.write().unwrap_or_else(PoisonError::into_inner);
    let number = i32::try_from(instances.len())
        .map_err(|_| CallError::new("there are more instances than numbers", "restart BEAST"))?;
    instances.push(Arc::new(Mutex::new(instance)));
    Ok(number)
}

/// Does `work` on one instance. BEAST evaluates likelihoods on several threads: each instance has its own lock.
pub(crate) fn with<T>(number: i32, work: impl FnOnce(&mut Instance) -> Result<T, CallError>) -> Result<T, CallError> {
    let instance = find(number)?;
    // After a panic BEAST gets an exception; should it go on, the next full evaluation starts from the locations.
    let mut instance = instance.lock().unwrap_or_else(|poisoned| {
        let mut instance = poisoned.into_inner();
        instance.make_dirty();
        instance
    });
    work(&mut instance)
}

fn find(number: i32) -> Result<Arc<Mutex<Instance>>, CallError> {
    let instances = INSTANCES.read().unwrap_or_else(PoisonError::into_inner);
    let found = usize::try_from(number).ok().and_then(|number| instances.get(number));
    found.cloned().ok_or_else(|| {
        CallError::new(
            format!("there is no instance {number}; {} have been made", instances.len()),
            "use the number that initialize returns",
        )
    })
}
