//! Sequences one by one: enumeration, picking, membership.
//!
//! The iterator keeps a stack of choices. Inside a label it walks the label's diagram with a note of
//! where to go on afterwards; notes form a tree that shrinks with the stack.

use crate::manager::Manager;
use crate::node::{Kind, Node};

/// One variable of a sequence with its value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// The variable.
    pub variable: u32,
    /// What it holds.
    pub value: Value,
}

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// An integer.
    Integer(i32),
    /// A sequence of the component.
    Component(Vec<Step>),
}

#[derive(Clone, Copy)]
enum Token {
    Integer(u32, i32),
    Begin(u32),
    End,
}

/// Where to go on after the end of a label.
#[derive(Clone, Copy)]
struct Note {
    child: Node,
    outer: usize,
}

struct Choice {
    node: Node,
    next: usize,
    /// The note in force at the node, and the lengths to go back to.
    note: usize,
    notes: usize,
    tokens: usize,
}

/// The sequences of a set; see [`Manager::states`].
pub struct States<'a> {
    manager: &'a Manager,
    choices: Vec<Choice>,
    notes: Vec<Note>,
    tokens: Vec<Token>,
    /// A lone empty sequence is still to be given.
    empty: bool,
}

const NO_NOTE: usize = usize::MAX;

impl Manager {
    /// The sequences of a set, in the order of its edges; use `take` for a limit.
    pub fn states(&self, set: Node) -> States<'_> {
        let mut states = States {
            manager: self,
            choices: Vec::new(),
            notes: Vec::new(),
            tokens: Vec::new(),
            empty: set == Node::ONE,
        };
        if !set.is_terminal() {
            states.choose(set, NO_NOTE);
        }
        states
    }

    /// Some sequence of a set, if it has one.
    pub fn pick(&self, set: Node) -> Option<Vec<Step>> {
        self.states(set).next()
    }

    /// Whether the sequence of integers is in a set without components.
    pub fn contains(&self, set: Node, values: &[i32]) -> bool {
        let end = values.iter().try_fold(set, |node, value| {
            if self.kind(node) != Kind::Integer {
                return None;
            }
            let edges = self.edges(node);
            let place = edges.binary_search_by_key(value, |e| e.value()).ok()?;
            Some(edges[place].child)
        });
        end == Some(Node::ONE)
    }
}

impl States<'_> {
    fn choose(&mut self, node: Node, note: usize) {
        self.choices.push(Choice {
            node,
            next: 0,
            note,
            notes: self.notes.len(),
            tokens: self.tokens.len(),
        });
    }

    /// Takes the next edge of the last choice; false if there is none left anywhere.
    fn advance(&mut self) -> bool {
        while let Some(choice) = self.choices.last_mut() {
            let manager = self.manager;
            self.notes.truncate(choice.notes);
            self.tokens.truncate(choice.tokens);
            if choice.next == manager.len(choice.node) {
                self.choices.pop();
                continue;
            }
            let edge = manager.edge(choice.node, choice.next);
            choice.next += 1;
            let (mut note, variable) = (choice.note, manager.variable(choice.node));
            let mut node = edge.child;
            if manager.kind(choice.node) == Kind::Set {
                self.tokens.push(Token::Begin(variable));
                let (child, outer) = (edge.child, note);
                self.notes.push(Note { child, outer });
                note = self.notes.len() - 1;
                node = edge.label_set();
            } else {
                self.tokens.push(Token::Integer(variable, edge.value()));
            }
            while node == Node::ONE && note != NO_NOTE {
                self.tokens.push(Token::End);
                Note {
                    child: node,
                    outer: note,
                } = self.notes[note];
            }
            if node == Node::ONE {
                return true;
            }
            self.choose(node, note);
        }
        false
    }

    fn sequence(&self) -> Vec<Step> {
        let mut levels: Vec<(u32, Vec<Step>)> = vec![(0, Vec::new())];
        let add = |levels: &mut Vec<(u32, Vec<Step>)>, variable, value| {
            let (_, steps) = levels.last_mut().expect("begins and ends match");
            steps.push(Step { variable, value });
        };
        for token in &self.tokens {
            match *token {
                Token::Integer(variable, value) => {
                    add(&mut levels, variable, Value::Integer(value));
                }
                Token::Begin(variable) => levels.push((variable, Vec::new())),
                Token::End => {
                    let (variable, steps) = levels.pop().expect("begins and ends match");
                    add(&mut levels, variable, Value::Component(steps));
                }
            }
        }
        levels.pop().map(|(_, steps)| steps).unwrap_or_default()
    }
}

impl Iterator for States<'_> {
    type Item = Vec<Step>;

    fn next(&mut self) -> Option<Vec<Step>> {
        if std::mem::take(&mut self.empty) {
            return Some(Vec::new());
        }
        self.advance().then(|| self.sequence())
    }
}
