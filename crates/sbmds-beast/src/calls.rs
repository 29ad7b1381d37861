//! The functions BEAST's class `NativeMDSSingleton` declares, in all generations of its interface.
//!
//! `initialize` is exported by its long names only, with the types of its arguments. The virtual machine looks for the
//! short name first: if there were one, calls of every generation would end there, with arguments shifted.

// Java's names.
#![allow(non_snake_case)]

use std::any::Any;

use jni::errors::ErrorPolicy;
use jni::objects::{JDoubleArray, JObject};
use jni::sys::{jdouble, jint, jlong};
use jni::{Env, EnvUnowned};

use crate::instances::{add, with};
use crate::{CallError, Instance, Shape, Threads};

/// BEAST 1.10.4: dimensions, locations, flags. Returns the number of the instance.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_initialize__IIJ<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    n_dims: jint,
    n_locations: jint,
    flags: jlong,
) -> jint {
    answer(env, |_| initialize_symmetric(n_dims, n_locations, flags, 0))
}

/// BEAST 1.10.5 and X, every location with every other: dimensions, locations, flags, device, threads.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_initialize__IIJII<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    n_dims: jint,
    n_locations: jint,
    flags: jlong,
    _device: jint,
    threads: jint,
) -> jint {
    answer(env, |_| initialize_symmetric(n_dims, n_locations, flags, threads))
}

/// BEAST X, rows with columns: dimensions, rows, columns, flags, device, threads.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_initialize__IIIJII<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    n_dims: jint,
    rows: jint,
    columns: jint,
    flags: jlong,
    _device: jint,
    threads: jint,
) -> jint {
    answer(env, |_| {
        let shape = Shape::Rectangular { rows: count(rows, "rows")?, columns: count(columns, "columns")? };
        initialize(n_dims, shape, flags, threads)
    })
}

/// Locations of all objects (index -1) or of one.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_updateLocations<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    instance: jint,
    index: jint,
    locations: JDoubleArray<'local>,
) {
    answer(env, |env| {
        let values = numbers(env, &locations)?;
        let index = if index == -1 { None } else { Some(count(index, "the index of a location")?) };
        with(instance, |instance| instance.update_locations(index, &values))
    })
}

/// The sum from which BEAST computes the log-likelihood.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_getSumOfIncrements<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    instance: jint,
) -> jdouble {
    answer(env, |_| with(instance, Instance::sum_of_increments))
}

/// Remembers the state.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_storeState<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    instance: jint,
) {
    answer(env, |_| {
        with(instance, |instance| {
            instance.store_state();
            Ok(())
        })
    })
}

/// Goes back to the state remembered.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_restoreState<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    instance: jint,
) {
    answer(env, |_| with(instance, Instance::restore_state))
}

/// Keeps the proposal.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_acceptState<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    instance: jint,
) {
    answer(env, |_| {
        with(instance, |instance| {
            instance.accept_state();
            Ok(())
        })
    })
}

/// Drops what is known of the sum.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_makeDirty<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    instance: jint,
) {
    answer(env, |_| {
        with(instance, |instance| {
            instance.make_dirty();
            Ok(())
        })
    })
}

/// Dissimilarities, row by row, NaN for missing.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_setPairwiseData<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    instance: jint,
    observations: JDoubleArray<'local>,
) {
    answer(env, |env| {
        let values = numbers(env, &observations)?;
        with(instance, |instance| instance.set_pairwise_data(&values))
    })
}

/// The precision of the noise.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_setParameters<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    instance: jint,
    parameters: JDoubleArray<'local>,
) {
    answer(env, |env| {
        let values = numbers(env, &parameters)?;
        with(instance, |instance| instance.set_parameters(&values))
    })
}

/// The dissimilarities in use.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_getPairwiseData<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    instance: jint,
) -> JDoubleArray<'local> {
    answer(env, |env| {
        let values = with(instance, |instance| instance.pairwise_data())?;
        let array = JDoubleArray::new(env, values.len())?;
        array.set_region(env, 0, &values)?;
        Ok(array)
    })
}

/// Derivative of the log-likelihood by the locations.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_getLocationGradient<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    instance: jint,
    gradient: JDoubleArray<'local>,
) {
    answer(env, |env| write(env, &gradient, |values| with(instance, |instance| instance.location_gradient(values))))
}

/// Derivative of the log-likelihood by the dissimilarities.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_getObservationGradient<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    instance: jint,
    gradient: JDoubleArray<'local>,
) {
    answer(env, |env| write(env, &gradient, |values| with(instance, |instance| instance.observation_gradient(values))))
}

/// Coordinates per location: as many as there are dimensions, none for padding.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dr_inference_multidimensionalscaling_NativeMDSSingleton_getInternalDimension<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    instance: jint,
) -> jint {
    answer(env, |_| with(instance, |instance| Ok(instance.n_dims() as jint)))
}

fn initialize_symmetric(n_dims: jint, n_locations: jint, flags: jlong, threads: jint) -> Result<jint, CallError> {
    initialize(n_dims, Shape::Symmetric(count(n_locations, "locations")?), flags, threads)
}

fn initialize(n_dims: jint, shape: Shape, flags: jlong, threads: jint) -> Result<jint, CallError> {
    // BEAST passes 0 or less where nobody said how many.
    let threads = usize::try_from(threads).ok().filter(|&count| count > 0).map_or(Threads::All, Threads::Count);
    let instance = Instance::new(shape, count(n_dims, "dimensions")?, flags, threads)?;
    if instance.graphics_asked_for() {
        eprintln!("sbmds: there is no code for graphics processors; this likelihood is computed on the processor.");
    }
    add(instance)
}

fn count(number: jint, what: &str) -> Result<usize, CallError> {
    usize::try_from(number)
        .map_err(|_| CallError::new(format!("{what}: {number} is below zero"), "pass a number of zero or more"))
}

/// The numbers of a Java array.
fn numbers(env: &Env, array: &JDoubleArray) -> Result<Vec<f64>, CallError> {
    let mut values = vec![0.0; array.len(env)?];
    array.get_region(env, 0, &mut values)?;
    Ok(values)
}

/// Lets `fill` write as many numbers as a Java array has, and puts them there if all went well.
fn write(
    env: &Env,
    array: &JDoubleArray,
    fill: impl FnOnce(&mut [f64]) -> Result<(), CallError>,
) -> Result<(), CallError> {
    let mut values = vec![0.0; array.len(env)?];
    fill(&mut values)?;
    Ok(array.set_region(env, 0, &values)?)
}

/// Answers a call. Errors and panics become Java exceptions; nothing unwinds into the virtual machine.
fn answer<'local, T: Default>(
    mut env: EnvUnowned<'local>,
    work: impl FnOnce(&mut Env<'local>) -> Result<T, CallError>,
) -> T {
    env.with_env(work).resolve::<ThrowRuntimeException>()
}

/// Throws `RuntimeException`, with words for BEAST's users.
struct ThrowRuntimeException;

impl<T: Default> ErrorPolicy<T, CallError> for ThrowRuntimeException {
    type Captures<'unowned: 'native, 'native> = ();

    fn on_error<'unowned: 'native, 'native>(
        env: &mut Env<'unowned>,
        _captures: &mut (),
        error: CallError,
    ) -> jni::errors::Result<T> {
        throw(env, format!("sbmds: {error}"))
    }

    fn on_panic<'unowned: 'native, 'native>(
        env: &mut Env<'unowned>,
        _captures: &mut (),
        payload: Box<dyn Any + Send>,
    ) -> jni::errors::Result<T> {
        let literal = payload.downcast_ref::<&str>().map(ToString::to_string);
        let words = literal.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        throw(env, format!("sbmds: a fault in the library: {words}. Remedy: please report it with the XML file"))
    }
}

fn throw<T: Default>(env: &mut Env, message: String) -> jni::errors::Result<T> {
    if !env.exception_check() {
        // It reports the exception it has just thrown, which is meant for Java.
        let _ = env.throw(message);
    }
    Ok(T::default())
}
