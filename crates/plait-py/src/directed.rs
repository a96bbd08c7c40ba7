//! The function `directed`.

use std::time::Instant;

use plait_explicit::{DirectedEvent, DirectedGoal, DirectedNet, DirectedOptions, GoalNode, NoNet};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

use crate::explore::{seconds, size};
use crate::program::guarded;
use crate::walk::Signals;

type Row = Vec<(u32, i32)>;
/// Of an inequality the factors and the bound; of a junction whether all parts count, and these.
type Node = (Option<bool>, Vec<(u32, i64)>, i64, Vec<u32>);
/// The events that lead to the goal, why the search ended early, markings stored and expanded.
type Told = (Option<Vec<u32>>, Option<&'static str>, u64, u64);

/// Search of a plain net for one goal.
#[pyfunction]
#[pyo3(signature = (initial, events, goal, *, timeout=None, memory=None, max_states=None))]
pub(crate) fn directed(
    py: Python<'_>,
    initial: Vec<i32>,
    events: Vec<(Row, Row)>,
    goal: Vec<Node>,
    timeout: Option<f64>,
    memory: Option<Bound<'_, PyAny>>,
    max_states: Option<Bound<'_, PyAny>>,
) -> PyResult<Told> {
    let options = DirectedOptions {
        timeout: match timeout {
            Some(value) => seconds(value, "timeout")?,
            None => None,
        },
        memory: size(memory)?,
        states: size(max_states)?,
    };
    let event = |(pre, change)| DirectedEvent { pre, change };
    let node = |(every, coefficients, bound, parts): Node| match every {
        None => GoalNode::Atom(coefficients, bound),
        Some(every) => GoalNode::Junction(every, parts),
    };
    let refuse = |refusal: NoNet| PyValueError::new_err(refusal.to_string());
    let net = DirectedNet::new(initial, events.into_iter().map(event).collect()).map_err(refuse)?;
    let goal = DirectedGoal::new(&net, goal.into_iter().map(node).collect()).map_err(refuse)?;
    let mut observer = Signals {
        asked: Instant::now(),
        error: None,
    };
    let found =
        py.detach(|| guarded(|| plait_explicit::directed(&net, goal, &options, &mut observer)))?;
    if let Some(error) = observer.error {
        if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
            return Err(error);
        }
    }
    let reason = found.reason.map(|reason| reason.name());
    Ok((found.found, reason, found.states, found.expanded))
}
