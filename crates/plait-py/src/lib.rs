//! Python bindings of the native core: the module `plait._core`. No algorithms live here.
//!
//! Arguments are checked before anything is computed, and every error is a Python exception of an
//! ordinary kind: `TypeError` for a wrong sort, `ValueError` for other nonsense, `ProgramError` for
//! an error of the model. Should a computation panic all the same, that becomes a `RuntimeError`,
//! never PyO3's `PanicException`, which `except Exception` would let through.

mod cover;
mod dependency;
mod diagrams;
mod directed;
mod explore;
mod functions;
mod inductive;
mod linear;
mod local;
mod net;
mod order;
mod program;
mod stops;
mod symbolic;
mod walk;
mod ways;

use pyo3::prelude::*;

/// The native core of Plait.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<program::Program>()?;
    module.add_class::<explore::Exploration>()?;
    module.add_class::<order::Structure>()?;
    module.add_class::<net::PlainNet>()?;
    module.add_function(wrap_pyfunction!(explore::explore, module)?)?;
    module.add_function(wrap_pyfunction!(walk::walk, module)?)?;
    module.add_class::<walk::Walks>()?;
    module.add_function(wrap_pyfunction!(directed::directed, module)?)?;
    module.add_class::<cover::Backward>()?;
    module.add_function(wrap_pyfunction!(linear::linear, module)?)?;
    module.add_function(wrap_pyfunction!(linear::run_walk, module)?)?;
    module.add_class::<linear::LinearAnswer>()?;
    module.add_function(wrap_pyfunction!(local::local, module)?)?;
    module.add_class::<local::LocalGraph>()?;
    module.add_class::<diagrams::Diagrams>()?;
    module.add_class::<diagrams::Diagram>()?;
    module.add_class::<functions::Functions>()?;
    module.add_class::<functions::Function>()?;
    module.add_class::<symbolic::Symbolic>()?;
    module.add_class::<symbolic::StateSet>()?;
    module.add(
        "StoppedError",
        module.py().get_type::<stops::StoppedError>(),
    )?;
    module.add_function(wrap_pyfunction!(dependency::dependency, module)?)?;
    module.add(
        "CheckpointError",
        module.py().get_type::<explore::CheckpointError>(),
    )?;
    module.add(
        "TooLargeError",
        module.py().get_type::<explore::TooLargeError>(),
    )?;
    module.add(
        "ProgramError",
        module.py().get_type::<program::ProgramError>(),
    )?;
    Ok(())
}
