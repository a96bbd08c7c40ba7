"""Objects with operations: tables against the definition, and what is derived from them."""

import pytest

from plait.reference.objects import (
    ObjectType,
    Operation,
    boolean,
    fifo,
    fifo_table,
    semaphore,
)

CAPACITIES = range(1, 5)
OPERATIONS = ("Send", "Receive", "Length", "Empty", "Full")


def test_only_reads_and_complements_of_a_boolean_do_not_disturb_each_other() -> None:
    """covers: P10"""
    kind = boolean()
    independent = {
        (a, b) for a, b in kind.pairs() if not any(kind.dependent(a, b, v) for v in kind.values)
    }
    assert independent == {("Read", "Read"), ("Compl", "Compl")}


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_the_table_of_a_queue_is_the_definition_length_by_length(capacity: int) -> None:
    """covers: P11, P12

    Receives of equal messages are independent by the definition, which a table of lengths cannot
    say: a cell is right when some queue of that length shows the dependence.
    """
    kind, table = fifo(capacity), fifo_table(capacity)
    assert kind.unsound(table) == []
    for a, b in kind.pairs():
        for length in range(capacity + 1):
            queues = [q for q in kind.values if len(q) == length]
            assert table(a, b, queues[0]) == any(kind.dependent(a, b, q) for q in queues)


def test_an_entry_that_claims_too_much_is_reported() -> None:
    kind, table = fifo(2), fifo_table(2)

    def careless(a: str, b: str, queue: object) -> bool:
        return {a, b} != {"Send", "Receive"} and table(a, b, queue)

    wrong = kind.unsound(careless)
    assert {(a, b) for a, b, _ in wrong} == {("Send", "Receive"), ("Receive", "Send")}
    assert {len(q) for _, _, q in wrong} == {0, 2}


@pytest.mark.parametrize("capacity", range(1, 6))
def test_what_may_interfere_first_with_an_operation_on_a_queue_is_as_in_the_thesis(
    capacity: int,
) -> None:
    """covers: P13 (example 4.29)"""
    kind, table = fifo(capacity, messages=(0,)), fifo_table(capacity)
    for n in range(capacity + 1):
        queue = (0,) * n
        expected = {
            ("Send", "Send"): n < capacity,
            ("Send", "Receive"): n == capacity,
            ("Send", "Length"): n < capacity,
            ("Send", "Empty"): n < capacity,
            ("Send", "Full"): n == capacity - 1,
            ("Receive", "Send"): n == 0,
            ("Receive", "Receive"): n > 0,
            ("Receive", "Length"): n > 0,
            ("Receive", "Empty"): n == 1,
            ("Receive", "Full"): n > 0,
            ("Length", "Send"): n < capacity,
            ("Length", "Receive"): n > 0,
            ("Empty", "Send"): n == 0,
            ("Empty", "Receive"): n > 0,
            ("Full", "Send"): n < capacity,
            ("Full", "Receive"): n == capacity,
        }
        for a, b in kind.pairs():
            found = kind.first_to_interfere(table, a, b, queue)
            assert found == expected.get((a, b), False), (a, b, n)


def test_a_send_and_a_receive_accord_although_they_can_be_dependent() -> None:
    """covers: P13 (trap 1 of the specification: a full queue waits for a receive)"""
    kind, table = fifo(3), fifo_table(3)
    assert kind.can_be_dependent(table, "Send", "Receive")
    assert not kind.do_not_accord(table, "Send", "Receive")
    assert kind.do_not_accord(table, "Send", "Send")
    assert kind.first_to_interfere(table, "Send", "Receive", (0, 0, 0))


@pytest.mark.parametrize("capacity", [2, 3, 4])
def test_the_narrow_table_of_a_queue_is_not_weakly_uniform_and_the_widened_one_is(
    capacity: int,
) -> None:
    """covers: P14"""
    kind = fifo(capacity)
    found = kind.not_weakly_uniform(fifo_table(capacity))
    shown = {(a, b, c, len(q)) for a, b, c, q in found}
    assert ("Full", "Send", "Receive", capacity - 1) in shown
    assert ("Empty", "Receive", "Send", 1) in shown
    assert {frozenset((a, b)) for a, b, _, _ in shown} == {
        frozenset(("Full", "Send")),
        frozenset(("Empty", "Receive")),
    }
    assert kind.not_weakly_uniform(fifo_table(capacity, widened=True)) == []
    assert kind.unsound(fifo_table(capacity, widened=True)) == []


def test_a_new_type_of_object_needs_only_its_operations() -> None:
    """covers: P9"""
    kind = semaphore(3)
    # Two Vs below the end commute, and a V that makes a P possible is dependent with it.
    for n in kind.values:
        assert kind.dependent("V", "V", n) == (n == 2)
        assert kind.dependent("P", "P", n) == (n == 1)
        assert kind.dependent("P", "V", n) == (n in (0, 3))
    assert not kind.do_not_accord(kind.dependent, "P", "V")
    # A bag: unlike in a queue the order of messages does not matter.
    bags = [tuple(sorted(b)) for b in fifo(3).values]
    bag = ObjectType(
        tuple(dict.fromkeys(bags)),
        {
            "Put": Operation(
                lambda m, b: (None, tuple(sorted((*b, m)))) if len(b) < 3 else None, (0, 1)
            ),
            "Count": Operation(lambda m, b: (b.count(m), b), (0, 1)),
        },
    )
    assert not bag.dependent("Put", "Put", (0,))
    assert bag.dependent("Put", "Put", (0, 1))
    assert bag.dependent("Put", "Count", (0,))
    assert bag.unsound(bag.dependent) == []
