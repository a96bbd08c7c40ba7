//! Diagrams as pictures, in Graphviz's language.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::manager::Manager;
use crate::measure::Reach;
use crate::node::{Kind, Node};

impl Manager {
    /// The diagram as a Graphviz digraph. Edges with the same child are drawn as one; the label of an
    /// edge of a set-labelled node is a box that points, dotted, to its own diagram.
    pub fn dot(&self, set: Node, name_of: impl Fn(u32) -> String) -> String {
        let mut text = String::from("digraph {\n  0 [shape=box];\n  1 [shape=box];\n");
        // Writing to a string cannot fail.
        for node in self.bottom_up(set, Reach::ChildrenAndLabels).iter().rev() {
            let number = node.0;
            let name = name_of(self.variable(*node)).replace('\\', "\\\\");
            let _ = writeln!(
                text,
                "  {number} [label=\"{}\"];",
                name.replace('"', "\\\"")
            );
            if self.kind(*node) == Kind::Set {
                for (position, edge) in self.edges(*node).iter().enumerate() {
                    let label = format!("{number}.{position}");
                    let _ = writeln!(text, "  \"{label}\" [shape=box, label=\"\"];");
                    let _ = writeln!(text, "  {number} -> \"{label}\" -> {};", edge.child.0);
                    let inside = edge.label_set().0;
                    let _ = writeln!(text, "  \"{label}\" -> {inside} [style=dotted];");
                }
                continue;
            }
            let mut labels: BTreeMap<Node, Vec<String>> = BTreeMap::new();
            for edge in self.edges(*node) {
                let values = labels.entry(edge.child).or_default();
                values.push(edge.value().to_string());
            }
            for (child, values) in labels {
                let values = values.join(", ");
                let _ = writeln!(text, "  {number} -> {} [label=\"{values}\"];", child.0);
            }
        }
        text.push_str("}\n");
        text
    }
}
