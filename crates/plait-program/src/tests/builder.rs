//! What the builder accepts and refuses.

use super::*;

#[test]
fn the_builder_refuses_what_makes_no_sense() {
    let mut b = Builder::new();
    let cell = b.cell("x", 0, 0, 3).unwrap();
    let x = b.load(cell).unwrap();
    let t = b.truth(true).unwrap();
    let deadlock = b.deadlock().unwrap();
    assert_eq!(
        b.cell("y", 4, 0, 3),
        Err(BuildError::Initial("y".to_owned(), 4, 0, 3))
    );
    assert_eq!(
        b.cell("y", 0, 3, 0),
        Err(BuildError::Initial("y".to_owned(), 0, 3, 0))
    );
    assert_eq!(b.load(1), Err(BuildError::Unknown("cell", 1)));
    assert_eq!(b.load_indexed(0, 2, x), Err(BuildError::Array(0, 2)));
    assert_eq!(
        b.load_indexed(u32::MAX, u32::MAX, x),
        Err(BuildError::Array(4_294_967_295, 8_589_934_590))
    );
    assert_eq!(
        b.binary("+", x, t),
        Err(BuildError::Sort(t.0, Sort::Integer))
    );
    assert_eq!(
        b.conjunction(&[t, x]),
        Err(BuildError::Sort(x.0, Sort::Condition))
    );
    assert_eq!(
        b.binary("&&", x, x),
        Err(BuildError::Operator("&&".to_owned()))
    );
    assert_eq!(
        b.negate(ExprId(99)),
        Err(BuildError::Unknown("expression", 99))
    );
    assert_eq!(b.enabled(&[0]), Err(BuildError::Unknown("event", 0)));
    assert_eq!(b.call(0), Err(BuildError::Unknown("label", 0)));
    assert_eq!(b.fixpoint(&[7]), Err(BuildError::Unknown("statement", 7)));
    assert_eq!(
        b.event("e", &[deadlock], &[], None),
        Err(BuildError::AsksEvents(deadlock.0))
    );
    assert_eq!(
        b.event("e", &[], &[], Some(0)),
        Err(BuildError::Unknown("label", 0))
    );
}

#[test]
fn equal_expressions_have_equal_ids_and_constants_are_folded() {
    let mut b = Builder::new();
    let (two, three) = (b.constant(2).unwrap(), b.constant(3).unwrap());
    assert_eq!(b.constant(2), Ok(two));
    let sum = b.binary("+", two, three).unwrap();
    assert_eq!(b.constant(5), Ok(sum));
    let zero = b.constant(0).unwrap();
    let undefined = b.binary("/", two, zero).unwrap();
    assert_eq!(
        Code::compile(b.pool(), undefined).integer(&[], &mut Scratch::default()),
        None
    );
}

#[test]
fn a_label_that_calls_itself_is_refused_also_through_others() {
    let mut b = Builder::new();
    let (p, q) = (b.label().unwrap(), b.label().unwrap());
    let call_q = b.call(q).unwrap();
    let t = b.truth(true).unwrap();
    let nested = b.choose(t, &[call_q], &[]).unwrap();
    b.event("p", &[], &[nested], Some(p)).unwrap();
    assert!(b.freeze().is_ok());
    let settle = b.settle(t, p).unwrap();
    b.event("q", &[], &[settle], Some(q)).unwrap();
    assert!(matches!(b.freeze(), Err(BuildError::Recursive(_))));
}

#[test]
fn statements_nested_too_deep_are_refused() {
    let mut b = Builder::new();
    let t = b.truth(true).unwrap();
    let mut inner = b.abort().unwrap();
    let outcome = (0..2000).try_for_each(|_| {
        inner = b.choose(t, &[inner], &[])?;
        Ok(())
    });
    assert_eq!(outcome, Err(BuildError::TooDeep(1000)));
    b.event("e", &[], &[inner], None).unwrap();
    let program = b.freeze().unwrap();
    assert_eq!(successors(&program, &[]), Ok(BTreeSet::new()));
}
