//! The names that Python has for ways of computing on diagrams.

use plait_symbolic::{Always, Encoding, Strategy, Until};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

fn unknown(what: &str, name: &str) -> PyErr {
    PyValueError::new_err(format!("no {what} named '{name}'"))
}

/// How the reachable states are computed.
pub(crate) fn strategy(name: &str) -> PyResult<Strategy> {
    Ok(match name {
        "saturation" => Strategy::Saturation,
        "rounds" => Strategy::Rounds,
        "forwarding" => Strategy::Forwarding,
        "chaining" => Strategy::Chaining { frontier: true },
        "chaining-all" => Strategy::Chaining { frontier: false },
        "bfs" => Strategy::BreadthFirst { frontier: true },
        "bfs-all" => Strategy::BreadthFirst { frontier: false },
        _ => return Err(unknown("strategy", name)),
    })
}

/// How a least fixpoint is.
pub(crate) fn until(name: &str) -> PyResult<Until> {
    Ok(match name {
        "traditional" => Until::Traditional,
        "classified" => Until::Classified,
        "classified-stay" => Until::ClassifiedStay,
        "constrained" => Until::Constrained,
        _ => return Err(unknown("way", name)),
    })
}

/// How a greatest fixpoint is.
pub(crate) fn always(name: &str) -> PyResult<Always> {
    Ok(match name {
        "traditional" => Always::Traditional,
        "cycles" => Always::Cycles,
        _ => return Err(unknown("way", name)),
    })
}

/// How distances are written down.
pub(crate) fn encoding(name: &str, saturation: bool) -> PyResult<Encoding> {
    Ok(match name {
        "edges" => Encoding::Edges { saturation },
        "terminals" => Encoding::Terminals { saturation },
        "layers" => Encoding::Layers,
        _ => return Err(unknown("encoding", name)),
    })
}
