//! Homomorphisms defined in Python, by induction on the node (ITS specification, 2.2).
//!
//! The object says what makes it itself (`name`, `parameters`), which variables it does not skip
//! (`variables`), whether it only selects (`selector`), what it makes of the empty sequence (`end`), and,
//! in `at(variable, value)`, what of an edge: pairs of a new value and of what to apply below, a list of
//! numbers of homomorphisms and of such objects, the last applied first. What Python raises there ends
//! the computation and is raised again by it.

use std::sync::Arc;

use plait_dd::{Manager, Node, Stop};
use plait_symbolic::hom::{Halt, Hom, Homs, Inductive, Label};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::diagrams::variable;
use crate::stops::Raised;

/// An object of Python that defines a homomorphism.
#[derive(Debug)]
pub(crate) struct Defined {
    object: Py<PyAny>,
    name: (String, Vec<i64>),
    /// The variables that it does not skip, ascending.
    variables: Vec<u32>,
    selector: bool,
    end: bool,
    raised: Raised,
}

impl Defined {
    /// Reads what the object says of itself, for variables less than `below`. Of an object that is
    /// applied below a variable only the variables there are left, and what they are is part of its name.
    pub fn new(object: &Bound<'_, PyAny>, raised: &Raised, below: u32) -> PyResult<Defined> {
        let mut variables: Vec<u32> = object.getattr("variables")?.extract()?;
        if variables.is_empty() {
            let message = "a homomorphism that skips all variables is the identity";
            return Err(PyValueError::new_err(message));
        }
        for number in &variables {
            variable(*number)?;
        }
        variables.retain(|v| *v < below);
        variables.sort_unstable();
        variables.dedup();
        let name: String = object.getattr("name")?.extract()?;
        Ok(Defined {
            name: (
                format!("{name} {variables:?}"),
                object.getattr("parameters")?.extract()?,
            ),
            variables,
            selector: object.getattr("selector")?.extract()?,
            end: object.getattr("end")?.extract()?,
            object: object.clone().unbind(),
            raised: Arc::clone(raised),
        })
    }

    /// The homomorphism; where no variable is left, what is made of the end.
    pub fn hom(self, homs: &mut Homs) -> Hom {
        match (self.variables.is_empty(), self.end) {
            (false, _) => homs.user(Arc::new(self)),
            (true, true) => Hom::ID,
            (true, false) => Hom::ZERO,
        }
    }

    /// What the object makes of an edge.
    fn expand(
        &self,
        py: Python<'_>,
        homs: &mut Homs,
        variable: u32,
        value: i32,
    ) -> PyResult<Vec<(Label, Hom)>> {
        let object = self.object.bind(py);
        let found = object.call_method1("at", (variable, value))?;
        let found: Vec<(i32, Vec<Bound<'_, PyAny>>)> = found.extract()?;
        let mut pairs = Vec::with_capacity(found.len());
        for (value, parts) in found {
            let mut list = Vec::with_capacity(parts.len());
            for part in parts {
                list.push(self.below(homs, &part, variable)?);
            }
            pairs.push((Label::Integer(value), homs.compose_all(&list)));
        }
        Ok(pairs)
    }

    /// A homomorphism by its number, or one that is defined by an object too.
    fn below(&self, homs: &mut Homs, part: &Bound<'_, PyAny>, above: u32) -> PyResult<Hom> {
        if let Ok(number) = part.extract::<u32>() {
            let unknown = || PyValueError::new_err(format!("no homomorphism {number}"));
            return homs.numbered(number).ok_or_else(unknown);
        }
        Ok(Defined::new(part, &self.raised, above)?.hom(homs))
    }
}

impl Inductive for Defined {
    fn name(&self) -> (String, Vec<i64>) {
        self.name.clone()
    }

    fn top(&self) -> u32 {
        self.variables.last().copied().unwrap_or(0)
    }

    fn support(&self) -> Option<Vec<u32>> {
        Some(self.variables.clone())
    }

    fn is_selector(&self) -> bool {
        self.selector
    }

    fn at_end(&self) -> Node {
        if self.end {
            Node::ONE
        } else {
            Node::ZERO
        }
    }

    fn at(
        &self,
        homs: &mut Homs,
        _dd: &mut Manager,
        variable: u32,
        label: Label,
    ) -> Result<Vec<(Label, Hom)>, Halt> {
        let Label::Integer(value) = label else {
            // Python is asked about integers; a set-labelled variable is mapped by `local`.
            return Err(Stop::Incompatible.into());
        };
        let found = Python::attach(|py| self.expand(py, homs, variable, value));
        found.map_err(|error| {
            if let Ok(mut slot) = self.raised.lock() {
                *slot = Some(error);
            }
            Halt::Stop(Stop::Cancelled)
        })
    }
}
