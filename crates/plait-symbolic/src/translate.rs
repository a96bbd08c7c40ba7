//! Programs as homomorphisms: expressions over cells become expressions over variables, events become
//! compositions of conditions and assignments.
//!
//! A body is a composition in the order of execution; a call is the sum of the events that answer it;
//! a branch is the sum of two restricted bodies, so that an undefined condition takes neither. Events
//! with fixpoints or settling in them mean functions on single states rather than on sets, and are not
//! translated.

use std::collections::HashMap;

use plait_dd::stack::deep;
use plait_program::arithmetic::BinaryOp;
use plait_program::expr::{Node as Form, Pool};

use plait_program::statement::Statement;
use plait_program::{Cell, ExprId, Program};

use crate::hom::{Expr, Hom, Homs, Target, Write};

/// Translates what belongs to one program, with one variable for each cell.
pub(crate) struct Translator<'a> {
    pub program: &'a Program,
    pub pool: &'a Pool,
    /// The variable of each cell.
    pub variables: &'a [u32],
    pub homs: &'a mut Homs,
    /// Added to the numbers of statements, where the homomorphisms of several programs meet.
    pub first_statement: u32,
    expressions: HashMap<ExprId, Expr>,
    events: HashMap<u32, Option<Hom>>,
}

impl<'a> Translator<'a> {
    pub fn new(
        program: &'a Program,
        pool: &'a Pool,
        variables: &'a [u32],
        homs: &'a mut Homs,
    ) -> Translator<'a> {
        Translator {
            program,
            pool,
            variables,
            homs,
            first_statement: 0,
            expressions: HashMap::new(),
            events: HashMap::new(),
        }
    }

    // ----- expressions --------------------------------------------------------------------------

    /// The expression over variables; it must not ask which events are enabled.
    pub fn expression(&mut self, root: ExprId) -> Expr {
        let mut stack = vec![root];
        while let Some(id) = stack.last().copied() {
            if self.expressions.contains_key(&id) {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            let form = self.pool.node(id);
            let summands = self.summands(id);
            let mut need = |a: ExprId| {
                if !self.expressions.contains_key(&a) {
                    stack.push(a);
                }
            };
            if summands.is_empty() {
                form.operands(&mut need);
            } else {
                summands.iter().for_each(|(_, a)| need(*a));
            }
            if stack.len() == waiting {
                let expression = if summands.is_empty() {
                    self.form(form)
                } else {
                    self.sum(&summands)
                };
                self.expressions.insert(id, expression);
                stack.pop();
            }
        }
        self.expressions[&root]
    }

    /// What is added up, and whether with a minus, where a sum is written from left to right; of all
    /// else nothing.
    ///
    /// Added one by one, n summands that come in the wrong order make a new list of up to n each.
    fn summands(&self, root: ExprId) -> Vec<(bool, ExprId)> {
        let (mut found, mut at) = (Vec::new(), root);
        while let Form::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b) = self.pool.node(at)
        {
            found.push((*op == BinaryOp::Subtract, *b));
            at = *a;
            if self.expressions.contains_key(&at) {
                break;
            }
        }
        if !found.is_empty() {
            found.push((false, at));
        }
        found
    }

    fn sum(&mut self, summands: &[(bool, ExprId)]) -> Expr {
        let terms = summands.iter().map(|(negative, id)| {
            let term = self.expressions[id];
            if *negative {
                self.homs.pool.scale(-1, term)
            } else {
                term
            }
        });
        let terms: Vec<Expr> = terms.collect();
        self.homs.pool.sum(&terms)
    }

    /// The expression with some of its parts already known; nothing of it is remembered.
    pub fn residue(&mut self, root: ExprId, known: HashMap<ExprId, Expr>) -> Expr {
        let remembered = std::mem::replace(&mut self.expressions, known);
        let residue = self.expression(root);
        self.expressions = remembered;
        residue
    }

    fn form(&mut self, form: &Form) -> Expr {
        let of = |id: &ExprId| self.expressions[id];
        match form {
            Form::Const(value) => self.homs.pool.constant(*value),
            Form::Load(cell) => self.homs.pool.read(self.variables[*cell as usize]),
            Form::LoadIndexed { base, size, index } => {
                let index = of(index);
                let array = self.array(*base, *size);
                self.homs.pool.element(array, index)
            }
            Form::Unary(op, a) => {
                let a = of(a);
                self.homs.pool.unary(*op, a)
            }
            Form::Binary(op, a, b) => {
                let (a, b) = (of(a), of(b));
                self.homs.pool.binary(*op, a, b)
            }
            Form::AsInteger(a) => {
                let a = of(a);
                self.homs.pool.as_integer(a)
            }
            Form::Truth(value) => self.homs.pool.truth(*value),
            Form::Compare(op, a, b) => {
                let (a, b) = (of(a), of(b));
                self.homs.pool.compare(*op, a, b)
            }
            Form::Not(a) => {
                let a = of(a);
                self.homs.pool.not(a)
            }
            Form::And(list) => {
                let list: Vec<Expr> = list.iter().map(of).collect();
                self.homs.pool.and_all(&list)
            }
            Form::Or(list) => {
                let list: Vec<Expr> = list.iter().map(of).collect();
                self.homs.pool.or_all(&list)
            }
            Form::Iff(a, b) => {
                let (a, b) = (of(a), of(b));
                self.homs.pool.iff(a, b)
            }
            Form::Fails(a) => {
                let a = of(a);
                self.homs.pool.fails(a)
            }
            Form::Enabled(_) | Form::Deadlock => unreachable!("questions about events are sets"),
        }
    }

    fn array(&mut self, base: u32, size: u32) -> crate::hom::Array {
        let cells = base as usize..(base + size) as usize;
        self.homs.pool.array(&self.variables[cells])
    }

    // ----- events -------------------------------------------------------------------------------

    /// The event as a homomorphism; `None` when it means no function on sets.
    pub fn event(&mut self, event: u32) -> Option<Hom> {
        if let Some(known) = self.events.get(&event) {
            return *known;
        }
        let program = self.program;
        let declared = &program.events()[event as usize].decl;
        let hom = deep(|| {
            let guard = self.guard(&declared.guard);
            let mut homs = self.statements(&declared.body)?;
            homs.push(guard);
            Some(self.homs.compose_in_turn(&homs))
        });
        self.events.insert(event, hom);
        hom
    }

    fn guard(&mut self, conjuncts: &[ExprId]) -> Hom {
        let conjuncts: Vec<Expr> = conjuncts.iter().map(|c| self.expression(*c)).collect();
        let condition = self.homs.pool.and_all(&conjuncts);
        self.homs.pred(condition)
    }

    fn body(&mut self, statements: &[u32]) -> Option<Hom> {
        let homs = self.statements(statements)?;
        Some(self.homs.compose_all(&homs))
    }

    /// The statements, the last one first.
    fn statements(&mut self, statements: &[u32]) -> Option<Vec<Hom>> {
        let last_first = statements.iter().rev();
        last_first.map(|id| self.statement(*id)).collect()
    }

    fn statement(&mut self, id: u32) -> Option<Hom> {
        let program = self.program;
        match program.statements().get(id) {
            Statement::Assign { cell, value } => {
                let value = self.expression(*value);
                let target = Target::Variable(self.variables[*cell as usize]);
                let domain = domain(&program.cells()[*cell as usize..][..1]);
                Some(self.assign(id, target, value, domain))
            }
            Statement::AssignIndexed {
                base,
                size,
                index,
                value,
            } => {
                let (index, value) = (self.expression(*index), self.expression(*value));
                let array = self.array(*base, *size);
                let domain = domain(&program.cells()[*base as usize..][..*size as usize]);
                Some(self.assign(id, Target::Element(array, index), value, domain))
            }
            Statement::Choose {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.expression(*condition);
                let opposite = self.homs.pool.not(condition);
                let (yes, no) = (self.homs.pred(condition), self.homs.pred(opposite));
                let then = deep(|| self.body(then))?;
                let otherwise = deep(|| self.body(otherwise))?;
                let branches = [
                    self.homs.compose(then, yes),
                    self.homs.compose(otherwise, no),
                    self.neither(id, condition),
                ];
                Some(self.homs.sum(&branches))
            }
            Statement::Call(label) => {
                let events = program.labelled(*label).iter();
                let homs: Option<Vec<Hom>> = events.map(|e| self.event(*e)).collect();
                Some(self.homs.sum(&homs?))
            }
            Statement::Abort => Some(Hom::ZERO),
            Statement::Fixpoint(_) | Statement::Settle { .. } => None,
        }
    }

    /// Takes no path anywhere, but notes the statement where some path comes to it with a condition
    /// that is undefined: storing an undefined value does just that.
    fn neither(&mut self, id: u32, condition: Expr) -> Hom {
        if self.homs.pool.is_total(condition) {
            return Hom::ZERO;
        }
        let variable = match self.homs.pool.top(condition) {
            // A constant condition, undefined wherever it stands: any variable will do.
            0 => self.variables.iter().copied().max().unwrap_or(1),
            top => top,
        };
        let opposite = self.homs.pool.not(condition);
        let (not_true, not_false) = (
            self.homs.pool.fails(condition),
            self.homs.pool.fails(opposite),
        );
        let undefined = self.homs.pool.and_all(&[not_true, not_false]);
        let bottom = self.homs.pool.bottom();
        let lost = self.assign(id, Target::Variable(variable), bottom, (i32::MIN, i32::MAX));
        let there = self.homs.pred(undefined);
        self.homs.compose(lost, there)
    }

    fn assign(&mut self, id: u32, target: Target, value: Expr, (low, high): (i32, i32)) -> Hom {
        self.homs.assign(Write {
            target,
            value,
            low,
            high,
            statement: self.first_statement + id,
        })
    }
}

/// The values that may be stored in any of the cells, which have one domain.
fn domain(cells: &[Cell]) -> (i32, i32) {
    cells
        .first()
        .map_or((i32::MIN, i32::MAX), |c| (c.low, c.high))
}

#[cfg(test)]
mod tests {
    use plait_program::Builder;

    use super::*;

    /// `((5 op first) op second) op ...` over so many cells.
    fn written(builder: &mut Builder, cells: u32, op: &str) -> ExprId {
        let mut sum = builder.constant(5).unwrap();
        for cell in 0..cells {
            let load = builder.load(cell).unwrap();
            sum = builder.binary(op, sum, load).unwrap();
        }
        sum
    }

    fn cells(count: u32) -> Builder {
        let mut builder = Builder::new();
        for _ in 0..count {
            builder.cell("x", 0, 0, 9).unwrap();
        }
        builder
    }

    #[test]
    fn a_long_sum_is_translated_without_a_list_for_each_summand() {
        let count = 2000;
        for order in [false, true] {
            let mut builder = cells(count);
            let sum = written(&mut builder, count, "+");
            let program = builder.freeze().unwrap();
            let mut variables: Vec<u32> = (1..=count).collect();
            if order {
                variables.reverse();
            }
            let mut homs = Homs::new();
            let mut translator = Translator::new(&program, builder.pool(), &variables, &mut homs);
            translator.expression(sum);
            assert!(homs.pool.len() < 16 * count as usize, "{}", homs.pool.len());
        }
    }

    #[test]
    fn a_sum_has_its_value_whichever_part_is_translated_first() {
        for op in ["+", "-"] {
            let mut builder = cells(6);
            let part = written(&mut builder, 3, op);
            let whole = written(&mut builder, 6, op);
            let twice = builder.binary("-", whole, whole).unwrap();
            let program = builder.freeze().unwrap();
            let variables = [4, 2, 6, 1, 5, 3];
            for roots in [[part, whole, twice], [twice, whole, part]] {
                let mut homs = Homs::new();
                let mut translator =
                    Translator::new(&program, builder.pool(), &variables, &mut homs);
                let found = roots.map(|root| translator.expression(root));
                let values = found.map(|e| {
                    let put = |e, (i, v): (usize, &u32)| homs.pool.substitute(e, *v, i as i32 + 1);
                    let value = variables.iter().enumerate().fold(e, put);
                    homs.pool.constant_value(value).unwrap().unwrap()
                });
                let (few, all) = if op == "+" { (11, 26) } else { (-1, -16) };
                let right = roots.map(|root| match root {
                    root if root == part => few,
                    root if root == whole => all,
                    _ => 0,
                });
                assert_eq!(values, right);
            }
        }
    }
}
