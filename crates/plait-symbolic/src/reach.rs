//! The reachable states of a program: those of a net by its relation, all others by homomorphisms.

use plait_dd::{Edge, Manager, Node, Root, Stop};

use crate::encoded::{Encoded, Halt};
use crate::hom::{self, Hom, Homs};
use crate::relation::Strategy;

impl Encoded {
    /// Computes the reachable states, unless they are known; those of a net by level.
    pub fn explore(&mut self, strategy: Strategy) -> Result<(), Halt> {
        let Some(net) = &mut self.net else {
            if self.reached.is_none() {
                let (states, rounds) = self.reach_by_homs(strategy)?;
                self.rounds = rounds;
                self.reached = Some(states);
            }
            return Ok(());
        };
        if net.states().is_none() {
            self.rounds = match net.reach(&mut self.dd, strategy) {
                Ok(rounds) => rounds,
                Err(Stop::Fault) => return Err(Halt::Domain(net.fault(), None)),
                Err(stop) => return Err(Halt::Stop(stop)),
            };
        }
        Ok(())
    }

    /// The reachable states by cell, computed unless they are known.
    pub fn reach(&mut self, strategy: Strategy) -> Result<&Root, Halt> {
        self.explore(strategy)?;
        self.reachable()?;
        self.reached.as_ref().ok_or(Halt::Stop(Stop::Cancelled))
    }

    /// The reachable states by cell, which [`Encoded::explore`] must have computed.
    pub(crate) fn reachable(&mut self) -> Result<Node, Halt> {
        if self.reached.is_none() {
            if let Some(net) = &self.net {
                self.reached = net.by_cell(&mut self.dd)?;
            }
        }
        let reached = self.reached.as_ref().map(Root::node);
        reached.ok_or(Halt::Stop(Stop::Cancelled))
    }

    pub(crate) fn initial(&mut self) -> Result<Root, Halt> {
        let mut by_variable = vec![0; self.variables.len() + 1];
        let values = match &self.net {
            Some(net) => net.initial().to_vec(),
            None => self.program().initial(),
        };
        for (variable, value) in self.variables.iter().zip(values) {
            by_variable[*variable as usize] = value;
        }
        let mut node = Node::ONE;
        for (variable, value) in by_variable.into_iter().enumerate().skip(1) {
            let edge = Edge::integer(value, node);
            node = self.dd.integer_node(variable as u32, &[edge])?;
        }
        Ok(self.dd.root(node))
    }

    fn reach_by_homs(&mut self, strategy: Strategy) -> Result<(Root, usize), Halt> {
        let initial = self.initial()?;
        let homs: Vec<Hom> = self.events().iter().map(|e| e.hom).collect();
        let (states, rounds) = match strategy {
            Strategy::Saturation | Strategy::Rounds | Strategy::Forwarding => {
                let mut with_id = homs;
                with_id.push(Hom::ID);
                let sum = self.homs.sum(&with_id);
                let closure = self.homs.fixpoint(sum);
                // What finds the states is what answers questions about them, too.
                self.homs.close_in_rounds(strategy == Strategy::Rounds);
                let states = self.homs.apply(&mut self.dd, closure, initial.node())?;
                (self.dd.root(states), 1)
            }
            Strategy::BreadthFirst { frontier } => {
                let next = self.homs.sum(&homs);
                self.sweep(initial, frontier, |homs, dd, set| homs.apply(dd, next, set))?
            }
            Strategy::Chaining { frontier } => {
                self.sweep(initial, frontier, |engine, dd, set| {
                    let mut all = dd.root(set);
                    for hom in &homs {
                        let image = engine.apply(dd, *hom, all.node())?;
                        let sum = dd.union(all.node(), image)?;
                        all = dd.root(sum);
                    }
                    Ok(all.node())
                })?
            }
        };
        Ok((states, rounds))
    }

    /// Rounds of a step on all states or on the new ones, until nothing is new.
    fn sweep(
        &mut self,
        initial: Root,
        frontier: bool,
        step: impl Fn(&mut Homs, &mut Manager, Node) -> Result<Node, hom::Halt>,
    ) -> Result<(Root, usize), Halt> {
        let mut all = initial.clone();
        let mut last = initial;
        for rounds in 0.. {
            let image = step(&mut self.homs, &mut self.dd, last.node())?;
            let image = self.dd.root(image);
            let sum = self.dd.union(all.node(), image.node())?;
            let sum = self.dd.root(sum);
            if sum.node() == all.node() {
                return Ok((all, rounds));
            }
            last = if frontier {
                let new = self.dd.difference(image.node(), all.node())?;
                self.dd.root(new)
            } else {
                sum.clone()
            };
            all = sum;
        }
        unreachable!("the loop has no end of its own")
    }
}
