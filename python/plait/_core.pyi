"""The native core: compiled programs and the explicit-state search over them.

Ids are small integers that the builder gives out: one space each for cells, expressions,
statements, labels and events. A state is a tuple with the value of every cell, in the order of
their creation.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, final

class ProgramError(Exception):
    """The model went wrong when it was executed.

    `args` are (kind, event, statement, cell): kind is "fixpoint", "settle" or "domain"; event is
    the one whose body holds the statement; cell is the one assigned, for "domain", else None.
    Diagrams of nets know the cell alone.
    """

    args: tuple[Literal["fixpoint", "settle", "domain"], int | None, int | None, int | None]

class StoppedError(Exception):
    """A computation on diagrams used up what it was given, was interrupted, or is beyond them.

    The reason is "timeout", "memory", "interrupted", or a sentence.
    """

    args: tuple[str]

class CheckpointError(Exception):
    """A checkpoint cannot be gone on from; the message says why."""

class TooLargeError(Exception):
    """The program is too large for partial-order reduction; the message says in what."""

@final
class Program:
    """A flat model, built piece by piece and frozen at its first use.

    After `initial`, `successors`, `evaluate` or `explore` only expressions can be added; anything
    else is a RuntimeError. An operand of the wrong sort is a TypeError, an unknown id or operator a
    ValueError, an integer that does not fit in 32 bits an OverflowError.
    """

    def __init__(self) -> None: ...
    def cell(self, name: str, initial: int, low: int, high: int) -> int:
        """A new cell that starts with `initial` and may be assigned `low` to `high`."""
    # --- integers
    def const(self, value: int) -> int:
        """A literal."""
    def load(self, cell: int) -> int:
        """The value of a cell."""
    def load_indexed(self, base: int, size: int, index: int) -> int:
        """The value of cell `base + index`; undefined unless 0 <= index < size."""
    def unary(self, op: str, a: int) -> int:
        """`-a` or `~a`."""
    def binary(self, op: str, a: int, b: int) -> int:
        """`a op b` for + - * / % ** << >> & | ^."""
    def as_int(self, condition: int) -> int:
        """1 when the condition is true, 0 when false, undefined when undefined."""
    # --- conditions
    def truth(self, value: bool) -> int:
        """`true` or `false`."""
    def compare(self, op: str, a: int, b: int) -> int:
        """`a op b` for == != < <= > >=; undefined when a side is."""
    def negate(self, a: int) -> int:
        """Negation."""
    def conjunction(self, operands: Sequence[int]) -> int:
        """Conjunction (of nothing: true)."""
    def disjunction(self, operands: Sequence[int]) -> int:
        """Disjunction (of nothing: false)."""
    def iff(self, a: int, b: int) -> int:
        """Equivalence; undefined when a side is."""
    def enabled(self, events: Sequence[int]) -> int:
        """One of these events has a successor; not allowed inside events."""
    def deadlock(self) -> int:
        """No free event has a successor; not allowed inside events."""
    def fails(self, a: int) -> int:
        """True when `a` is not true, else false: never undefined."""
    # --- statements
    def assign(self, cell: int, value: int) -> int:
        """`cell = value`."""
    def assign_indexed(self, base: int, size: int, index: int, value: int) -> int:
        """`array[index] = value`."""
    def call(self, label: int) -> int:
        """Some event of the label is executed."""
    def choose(self, condition: int, then: Sequence[int], otherwise: Sequence[int]) -> int:
        """`if (condition) { then } else { otherwise }`."""
    def fixpoint(self, body: Sequence[int]) -> int:
        """`fixpoint { body }`."""
    def settle(self, condition: int, label: int) -> int:
        """While the condition holds, the state is replaced by its successors under the label."""
    def abort(self) -> int:
        """No successor."""
    # --- events
    def new_label(self) -> int:
        """A label, which events answer to and statements call; calls must not be recursive."""
    def event(self, name: str, guard: Sequence[int], body: Sequence[int], label: int | None) -> int:
        """An event; without a label it is free: it can be executed by itself."""
    def queue_use(self, event: int, queue: int, sends: bool, cells: Sequence[int]) -> None:
        """The event touches these cells, messages of a queue, only by one send or one receive."""
    def idle(self, event: int) -> None:
        """The event is possible only where no free event without this mark is."""
    def last(self, event: int) -> None:
        """After the event no free event is possible, and all that is asked is known there."""
    def inert(self, event: int) -> None:
        """Nobody can tell whether the event has happened: not by what is asked."""
    # --- use
    def initial(self) -> tuple[int, ...]:
        """The initial state."""
    def successors(self, state: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
        """The distinct pairs of free event and successor, in the order of the events."""
    def evaluate(self, expression: int, state: Sequence[int]) -> int | bool | None:
        """The value of an expression in a state; None when undefined."""

def walk(
    program: Program,
    *,
    goals: Sequence[int],
    measures: Sequence[int | None],
    values: Sequence[int],
    enough: Sequence[int | None],
    plans: Sequence[Sequence[tuple[int, int]] | None] = (),
    growth: bool = False,
    seed: int = 0,
    timeout: float | None = None,
    steps: int | None = None,
    length: int = 1_000_000,
) -> Walks:
    """Random walks from the initial state, until all is found or a limit is met.

    A state is sought where each of the conditions `goals` is true; `measures` has for each an
    integer that is the smaller the nearer it is, or None, and `plans` how often events should occur
    on the way, or None. Of `values` the greatest is sought, up to `enough`. With `growth` a run is
    sought from a state to one that is greater in some cell and smaller in none. A run has at most
    `length` steps, all together at most `steps`.
    """

def linear(
    program: Program,
    automata: Sequence[
        tuple[
            Sequence[int],
            Sequence[Sequence[tuple[Sequence[int], Sequence[int], int, int]]],
            int,
            bool,
        ]
    ],
    answered: Callable[[int, LinearAnswer], None],
    *,
    fair: tuple[int, Sequence[int], Sequence[tuple[int, int]]] | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    max_states: int | None = None,
    progress: Callable[[dict[str, float]], None] | None = None,
    interval: float = 0.1,
    successors: str = "auto",
    ample: str | None = None,
    nested: bool = False,
    build_first: bool = False,
) -> None:
    """Which Büchi automata accept a run of the program; a deadlock repeats for ever.

    An automaton is its conditions, the arcs of each location, how many acceptance sets it has, and
    whether what conditions say of deadlocks matters only where a run ends.
    An arc has the conditions (by their place) that must be true and that must not be, its target,
    and the acceptance sets it belongs to, as bits. It begins in location 0 and reads the state
    where it is. `answered` is called with the place of an automaton and its answer, in their order;
    they share the time equally. With `ample` only some events are executed in a state, chosen from
    persistent sets by that algorithm: for automata that cannot tell a state from its repetition.

    With `fair` only weakly fair runs count: how many movers there are, for each event the bits of
    those who move by it, and pairs of bits and an expression whose change is a move of them.

    With `nested` accepting cycles are found by nested depth-first search, else by components; with
    `build_first` the whole graph of the program is built before its product is searched.
    """

@final
class Backward:
    """Backward search for a marking that covers one of some demands, in as many turns as it takes.

    An event is what it takes, what it puts, and the places that it empties in between. Rows have
    places in ascending order, and numbers above 0.
    """

    def __init__(
        self,
        initial: Sequence[int],
        events: Sequence[
            tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]], Sequence[int]]
        ],
        targets: Sequence[Sequence[tuple[int, int]]],
    ) -> None: ...
    def waiting(self, count: int) -> list[list[tuple[int, int]]]:
        """The demands whose turn is next, about so many."""

    def limit(self, weights: Sequence[tuple[int, int]], most: int) -> None:
        """No reachable marking has more of this sum, by a proof that the caller has."""

    def expand(
        self, count: int, *, timeout: float | None = None, memory: int | None = None
    ) -> tuple[str, list[int]]:
        """Goes on for up to so many demands.

        Gives `covered` with the events that lead to a target, `closed`, `paused`, `too large`, or
        why it was stopped.
        """

    def shown(
        self, *, timeout: float | None = None, memory: int | None = None
    ) -> tuple[bool | None, str | None]:
        """Whether a second look at the minimal demands confirms that no target is covered.

        None, and why, if it takes too long.
        """

    def elements(self) -> list[list[tuple[int, int]]]:
        """The minimal demands."""

    @property
    def figures(self) -> tuple[int, int, int]:
        """How many demands are minimal, were ever met, and were expanded."""

def directed(
    initial: Sequence[int],
    events: Sequence[tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]]],
    goal: Sequence[tuple[bool | None, Sequence[tuple[int, int]], int, Sequence[int]]],
    *,
    timeout: float | None = None,
    memory: int | None = None,
    max_states: int | None = None,
) -> tuple[list[int] | None, str | None, int, int]:
    """Search of a net without inhibitor and reset arcs for a marking that satisfies a goal.

    An event is what it needs of places and by how much it changes them. Of the goal's nodes the
    last is the goal itself; parts come before what they are parts of: an inequality is `(None,
    factors of places, bound, ())`, a junction of all or some parts `(every, (), 0, parts)`.
    Gives the events that lead to the goal, or None; why the search ended before it was complete
    (`goals` when the goal was met), or None; and how many markings were stored and expanded.
    """

def run_walk(
    program: Program,
    automata: Sequence[
        tuple[
            Sequence[int],
            Sequence[Sequence[tuple[Sequence[int], Sequence[int], int, int]]],
            int,
            bool,
        ]
    ],
    answered: Callable[
        [int, list[tuple[int | None, tuple[int, ...]]] | None, int | None],
        None,
    ],
    *,
    seed: int = 0,
    timeout: float | None = None,
    rounds: int = ...,
    progress: Callable[[dict[str, float]], None] | None = None,
    interval: float = 0.1,
) -> str:
    """Walk at random for runs that Büchi automata accept (see `linear`); why it ended.

    `done`, a limit (`timeout`, `interrupted`), or `unable`, where an event is not net-like or every
    automaton has more than 64 locations.
    `answered` is called, as soon as a run is found, with the place of the automaton, the steps of
    the run (None when it is too long), and the place it goes back to: the last one when that is a
    deadlock, None when the steps only begin runs all of which are accepted.
    """

@final
class LinearAnswer:
    """What became of one automaton."""

    @property
    def accepting(self) -> bool | None:
        """Whether a run is accepted; None when the search ended before."""

    @property
    def reason(self) -> str | None:
        """Why it did."""

    @property
    def lasso(self) -> tuple[list[tuple[int | None, tuple[int, ...]]], int] | None:
        """Events and states of an accepted run, and where it goes back to after the last.

        That is the last state itself when it is a deadlock, and else one that equals it.
        """

    @property
    def nodes(self) -> int:
        """Pairs of state and location that were met."""

    @property
    def arcs(self) -> int:
        """Arcs between them that were followed."""

    @property
    def expansions(self) -> int:
        """How often such pairs were expanded: once each, in nested search at most twice."""

    @property
    def letters(self) -> int:
        """Different valuations of the conditions that were met."""

    @property
    def states(self) -> int:
        """States of the program stored so far."""

    @property
    def depth(self) -> int:
        """The longest path of the search."""

    @property
    def reduced(self) -> int:
        """States with only some of their events executed."""

    @property
    def reducible(self) -> bool:
        """Whether reduction was possible: some event cannot change the conditions."""

    @property
    def max_sum(self) -> int:
        """The greatest sum of all cells in a state seen so far."""

    @property
    def undefined(self) -> list[int]:
        """How often each event had no successor because something in it was undefined."""

    @property
    def bytes(self) -> int:
        """Bytes held at the end."""

class Walks:
    """What random walks found; a place is the number of a run and how many of its steps."""

    @property
    def goals(self) -> list[tuple[int, int] | None]:
        """A place where each goal is true."""

    @property
    def values(self) -> list[tuple[int, tuple[int, int]] | None]:
        """The greatest value met of each integer, and its place."""

    @property
    def growth(self) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """Two places of a run, the later greater in some cell and smaller in none."""

    @property
    def steps(self) -> int:
        """Steps made."""

    @property
    def tried(self) -> int:
        """Runs made."""

    @property
    def reason(self) -> str:
        """Why the walks ended: goals, timeout, states (so many steps) or interrupted."""

    def events(self, run: int, position: int) -> list[int]:
        """The events on the way to a place."""

    def trace(self, run: int, position: int) -> list[tuple[int | None, tuple[int, ...]]]:
        """The events on the way to a place, each with the state after it."""

def local(
    program: Program,
    formulas: Sequence[tuple[str, bool, bool, Sequence[int], int | None]],
    roots: Sequence[int],
    *,
    timeout: float | None = None,
    memory: int | None = None,
    max_states: int | None = None,
    progress: Callable[[dict[str, float]], None] | None = None,
    interval: float = 0.1,
) -> LocalGraph:
    """Decide CTL formulas in the initial state, on as few states as that takes.

    `formulas` is a table in which operands come first: a kind, whether all paths are meant, what
    holds of the next state where there is none, the operands, and an expression. Kinds are
    `condition` (the expression), `all`, `any`, `next`, `until` and `weak` (operands: what stays,
    and the goal; the expression is a distance to what decides, or None).
    """

class LocalGraph:
    """What a local search found, and the part of the states that it has seen."""

    @property
    def verdicts(self) -> list[bool | None]:
        """Whether each of the formulas asked holds initially; None where it was not decided."""

    @property
    def reason(self) -> str | None:
        """Why the search ended early: timeout, memory, states or interrupted."""

    @property
    def states(self) -> int:
        """States met."""

    @property
    def visits(self) -> int:
        """Pairs of state and sub-formula looked at, in all searches together."""

    @property
    def bytes(self) -> int:
        """Bytes that states, arcs and labels took."""

    @property
    def max_sum(self) -> int:
        """The greatest sum of all cells in a state of which something was asked."""

    @property
    def undefined(self) -> list[int]:
        """For each event the steps left out because something in them was undefined."""

    def state(self, number: int) -> tuple[int, ...]:
        """A state; the initial one is 0."""

    def successors(self, number: int) -> list[int] | None:
        """The successors of a state; None when it was not expanded."""

    def truth(self, formula: int, number: int) -> bool | None:
        """Whether a formula of the table holds in a state; None where that is not known."""

    def event_between(self, source: int, target: int) -> int | None:
        """The first event that leads from one state to another."""

def explore(
    program: Program,
    *,
    goals: Sequence[int],
    bounds: Sequence[int],
    stop_when_decided: bool,
    timeout: float | None = None,
    memory: int | None = None,
    max_states: int | None = None,
    progress: Callable[[dict[str, float]], None] | None = None,
    interval: float = 0.1,
    depth_first: bool = False,
    persistent: str | None = None,
    sleep: bool = False,
    proviso: bool = False,
    components: bool = False,
    unstored: bool = False,
    conditional: bool = False,
    prefer_stored: bool = False,
    record: bool = False,
    monitors: Sequence[Sequence[Sequence[int]]] | None = None,
    watching: bool = False,
    check: bool = False,
    threads: int = 1,
    alone: int | None = None,
    store: str = "exact",
    fingerprint: int = 64,
    hashes: int = 3,
    bit_bytes: int = 0,
    deepening: bool = False,
    cache: int | None = None,
    checkpoint: Path | None = None,
    checkpoint_interval: float = 60.0,
    resume: bool = False,
    successors: str = "auto",
) -> Exploration:
    """Search of the reachable states, breadth-first unless `depth_first`.

    `goals` are conditions: the first state where each is true is sought; with `stop_when_decided`
    (and no bounds) the search ends when all are found. `bounds` are integers: their least and
    greatest value is sought. `timeout` is in seconds, `memory` bounds the resident size of the
    process in bytes, `max_states` the states stored. Every `interval` seconds `progress` is given
    the figures so far: states, expanded, frontier, arcs, deadlocks, depth, bytes (of the search),
    memory (of the process) and seconds. Ctrl-C ends the search with the reason
    "interrupted"; any other exception of a signal handler or of `progress` is raised.

    `threads` of them search together, with the results of one, once there are `alone` states (by
    default a number that is worth it); only breadth-first without reduction has use for several.
    `successors` are "interpreted", "compiled" to machine code as far as possible, or, with "auto",
    compiled when the search turns out to be long.

    With `deepening` the search is depth-first to ever greater depths, without reduction; with
    `cache` depth-first with room for so many states, 0 for the stack alone.

    `store` is "exact", "tree", "automaton", "hash-compact" (of `fingerprint` bits) or "bitstate"
    (`hashes` bits for each state in an array of `bit_bytes`); the last three are for breadth-first
    search without reduction, and the last two may miss states.

    The search goes to the file `checkpoint` every `checkpoint_interval` seconds; with `resume`
    it goes on from what is there (CheckpointError when it cannot). This is for breadth-first search
    without reduction and with an exact store.

    `persistent` (the name of an algorithm), `sleep` and `proviso` are the parts of a partial-order
    reduction; `monitors` has for each goal a disjunction of conjunctions of conditions, or nothing
    when the goal is only asked of deadlocks. `check` tests the independences that are relied on, in
    every state; one that does not hold ends the search with the reason "dependent". With
    `components` the proviso is asked of strongly connected components, depth-first and without
    sleep sets; `unstored` sleep sets are for depth-first search without persistent sets.
    With `conditional`, sleep sets without the proviso ask what is independent in the state at hand.
    `prefer_stored` chooses among equally small sets one that leads to stored states; `record` keeps
    the graph.
    """

def dependency(program: Program, state: Sequence[int] | None = None) -> dict[str, Any]:
    """How the free events depend on each other.

    `events` are their numbers; the others speak of places in this list: `conflict` and `depend` are
    rows of the relations, `operations` are for each event tuples (cell, values, effect, amount,
    reads), `faulty` may leave a domain. `controls` are cells that are program counters, `active`
    has for each event the processes that move with the local states they leave, `shared` are rows
    of events that use an object in ways that can be dependent. `here` are rows of the events that
    are dependent in the state, if one is given.
    """

@final
class Exploration:
    """What a search found. State numbers count from 0, the initial state, in order of discovery."""

    @property
    def complete(self) -> bool:
        """Whether every reachable state was expanded; if not, counts are lower bounds."""
    @property
    def reason(
        self,
    ) -> (
        Literal["timeout", "memory", "states", "interrupted", "goals", "dependent", "cache"] | None
    ):
        """Why the search is not complete."""
    @property
    def states(self) -> int:
        """How many states were found."""
    @property
    def arcs(self) -> int:
        """How many triples of state, event title and distinct successor."""
    @property
    def deadlocks(self) -> int:
        """How many states without successor."""
    @property
    def depth(self) -> int:
        """The greatest distance of a state from the initial one."""
    @property
    def max_value(self) -> int:
        """The greatest value of any cell in any expanded state (0 without cells)."""
    @property
    def max_sum(self) -> int:
        """The greatest sum of all cells in any expanded state."""
    @property
    def bounds(self) -> list[tuple[int, int] | None]:
        """Least and greatest value of each bounded expression; None where it was never defined."""
    @property
    def goals(self) -> list[int | None]:
        """The first state where each goal is true."""
    @property
    def fired(self) -> list[int]:
        """The arcs of each event; 0 for labelled ones."""
    @property
    def called(self) -> list[bool]:
        """Whether each event was executed by a call of another one."""
    @property
    def undefined(self) -> list[int]:
        """How often something undefined in each event's body left it without successor."""
    @property
    def compiled(self) -> tuple[int, int, float] | None:
        """The straight-line forms of events that were compiled, the bytes of machine code and the
        seconds it took; None when nothing was."""
    @property
    def bits_per_state(self) -> int:
        """The bits that the cells of one packed state take."""
    @property
    def bytes(self) -> int:
        """The bytes that states, index and search tree took at the end."""
    @property
    def stored(self) -> int:
        """States in the cache at the end, in a search with one."""
    @property
    def cleared(self) -> int:
        """States that the cache has forgotten; `states` then counts visits."""
    @property
    def executed(self) -> int:
        """Successors visited, in a search with a cache."""
    @property
    def checkpoints(self) -> int:
        """How many checkpoints were written."""
    @property
    def checkpoint_error(self) -> str | None:
        """Why the last checkpoint could not be written; the search went on."""
    @property
    def omission(self) -> float:
        """The probability that states are missing, at most about; 0 when the store is exact."""
    @property
    def reduced(self) -> int:
        """States of which not all enabled events were executed."""
    @property
    def widened(self) -> bool:
        """The proviso was turned on, because events may be errors of the model."""
    @property
    def matched(self) -> int:
        """Visits of a state that was known already, in a reduced or depth-first search."""
    @property
    def graph(self) -> list[tuple[int, int, int]]:
        """The arcs of the reduced graph, if they were recorded: state, event, successor."""
    @property
    def asleep(self) -> int:
        """Events that were not executed on the first visit of a state because they slept."""
    @property
    def blocked(self) -> int:
        """First visits of states that are no deadlocks where all that was chosen slept."""
    @property
    def tested(self) -> int:
        """Pairs of events that were tested for independence."""
    @property
    def disturbance(self) -> tuple[int, int, int, str] | None:
        """A claimed independence that does not hold: state, two events, what went wrong."""
    def state(self, number: int) -> tuple[int, ...]:
        """The state of that number; IndexError when there is none."""
    def trace(self, number: int) -> list[tuple[int | None, tuple[int, ...]]] | None:
        """A path from the initial state (event None) to that state.

        A shortest one, when the search was breadth-first and without reduction and its store exact.
        None when the store has forgotten the states and there was no time to find them again.
        """

@final
class PlainNet:
    """A place/transition net as it was read from a file: ordinary and test arcs, NUPN units.

    Reading is strict: None is what comes of a document that is wrong or not known natively.
    """

    @staticmethod
    def load(path: str | Path) -> PlainNet | None:
        """The net in a file."""
    @staticmethod
    def parse(data: bytes) -> PlainNet | None:
        """The net in a document held in memory."""
    @property
    def name(self) -> str:
        """The id of the net, without spaces around it."""
    @property
    def position(self) -> tuple[int, int]:
        """Line and column of the net."""
    @property
    def width(self) -> int:
        """The number of places."""
    def tokens(self) -> tuple[int, ...]:
        """The initial tokens of each place."""
    def place_names(self) -> list[str]:
        """The ids of the places."""
    def place_comments(self) -> list[str | None]:
        """The human names of the places, where they differ from their ids."""
    def place_positions(self) -> list[tuple[int, int]]:
        """Line and column of each place."""
    def event_names(self) -> list[str]:
        """The ids of the transitions."""
    def event_comments(self) -> list[str | None]:
        """The human names of the transitions, where they differ from their ids."""
    def event_positions(self) -> list[tuple[int, int]]:
        """Line and column of each transition."""
    def effects(self) -> list[list[tuple[int, int, int, int, int]]]:
        """Of each event, place by place in the order of the file: the place, how many tokens must
        be there, how many are added, and line and column of the first arc."""
    def rows(
        self,
    ) -> list[tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]]:
        """Of each event the tokens that it takes and those that it puts, ascending by place."""
    def section(
        self,
    ) -> (
        tuple[
            str,
            bool,
            str | None,
            tuple[int, int],
            list[tuple[str, tuple[int, int], list[str], list[str]]],
        ]
        | None
    ):
        """The units as they stand in the file: the root, whether the net is said to be safe, the
        number that is announced, where; of each unit its name, where, places, units."""
    @property
    def has_units(self) -> bool:
        """Whether there are units."""
    @property
    def safe(self) -> bool:
        """Whether the file says of its units that the net is safe."""
    def groups(self) -> tuple[list[int | None], list[int | None]] | None:
        """The unit above each unit, those above first, and the unit of each place."""
    def settled(self) -> tuple[PlainNet, list[int]] | None:
        """The net without impossible events and constant places, and the places that are left.

        None when that is all of it.
        """
    def program(self) -> Program:
        """The net compiled: a cell for each place, an event for each transition."""
    def structure(self) -> Structure:
        """The source of variable orders, with groups as hints: the units, or else by names."""
    def assignment(self, number: int) -> tuple[int, tuple[int, int]] | None:
        """The event of the assignment of that number in the program, and where its arc stands."""

@final
class Structure:
    """A model without semantics: which cells events touch; the source of variable orders.

    `events` are pairs (tests, writes): cells that are looked at, and cells that change with the
    constant that is added to them, or None. `groups` are hints, a pair (parents, members): the
    parent of each group (parents come first) and the innermost group of each cell; None is the
    whole. What does not fit together is a ValueError.
    """

    def __init__(
        self,
        cells: int,
        events: Sequence[tuple[Sequence[int], Sequence[tuple[int, int | None]]]],
        groups: tuple[Sequence[int | None], Sequence[int | None]] | None = None,
    ) -> None: ...
    def orders(
        self,
        levels: Sequence[Sequence[int]] | None = None,
        initial: Sequence[int] | None = None,
        limit: int | None = None,
        *,
        quick: bool = False,
        timeout: float | None = None,
    ) -> list[tuple[str, list[int], list[tuple[str, float]], list[str]]]:
        """Orders as (name, permutation of the levels, figures, other names), best ranked first.

        With `quick` less work goes into the orders of a large structure. After `timeout` seconds
        what was made is ranked; the declared order is always there.

        Positions in the permutation count from the bottom of the diagram. `levels` are the cells of
        each level (each cell by itself when not given); `initial` are the first values of the
        cells, which let state machines be found as further groups. Figures: small is good.
        """
    def levels(
        self, together: Sequence[Sequence[int]] | None, initial: Sequence[int], largest: int
    ) -> tuple[tuple[int, ...], ...]:
        """The cells as levels, in declared order: those of each of the disjoint sets `together`, at
        most so many in one level, all others by themselves. None stands for the machines."""
    def machines(self, initial: Sequence[int]) -> list[list[int]]:
        """Disjoint sets of cells that hold one token together, found greedily."""
    def spans(
        self, levels: Sequence[Sequence[int]]
    ) -> tuple[list[tuple[int, int] | None], int, int]:
        """(Bot, Top) of each event, the sum of Top - Bot, the sum of Top; levels count from 1."""

@final
class StateSet:
    """A set of states of one `Symbolic`; true when it is not empty."""

    def __bool__(self) -> bool: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Symbolic:
    """A program in decision diagrams. Only one thread computes with it at a time.

    Computations raise `StoppedError` when a limit is met and `ProgramError` when the model goes
    wrong; the diagrams stay usable.
    """

    def __init__(
        self, program: Program, levels: Sequence[Sequence[int]], *, pregenerated: bool = False
    ) -> None:
        """`levels` are the cells of each level of the diagrams, bottom first.

        `pregenerated`: the local states of a level are found before the search, each level alone.
        """
    def limit(
        self,
        *,
        timeout: float | None = None,
        memory: int | None = None,
        strict: int | None = None,
        progress: Callable[[dict[str, float]], None] | None = None,
        interval: float = 0.1,
    ) -> None:
        """The limits of what follows: seconds, resident bytes of the process.

        With `strict` garbage is collected after each so many new nodes.
        """
    def explore(self, strategy: str = "saturation") -> None:
        """Compute the reachable states, unless they are known."""
    def reach(self, strategy: str = "saturation") -> StateSet:
        """The reachable states; the strategy matters only for the first call."""
    def deadlocks(self) -> StateSet:
        """The reachable states without successor."""
    def count_deadlocks(self) -> int:
        """How many of the reachable states have no successor."""
    def arcs(self) -> int:
        """How many triples of a reachable state, an event title and a distinct successor."""
    def weigh(self, weights: Sequence[Sequence[int]]) -> int | None:
        """The sum over the reachable states of the product of the weights of their values.

        Tables are by cell, then by value from 0; None for a program that is no net.
        """
    def greatest(self, figures: Sequence[Sequence[int | None]]) -> int | None:
        """The greatest sum, over the reachable states, of the figures of their values.

        Tables are by cell, then by value from 0; states with a value that has none do not count.
        """
    def count(self, states: StateSet | None = None) -> int:
        """How many states a set has, or how many are reachable."""
    def select(self, program: Program, states: StateSet, condition: int) -> StateSet:
        """The states of a set where a condition of the program is true."""
    def extrema(
        self, program: Program, states: StateSet, expression: int
    ) -> tuple[int, int] | None:
        """Least and greatest value of an integer where it is defined; None where it never is."""
    def cell_bounds(self, states: StateSet | None = None) -> list[tuple[int, int]]:
        """Least and greatest value of each cell in a set that is not empty, or as reachable."""
    def max_value(self) -> int | None:
        """The greatest value that a cell has in a reachable state; None without cells."""
    def sum_bounds(self, states: StateSet | None = None) -> tuple[int, int] | None:
        """Least and greatest sum of all cells in a set (None: it is empty), or as reachable."""
    def initial(self) -> StateSet:
        """The initial state alone."""
    def predecessors(self, states: StateSet) -> StateSet:
        """The reachable states with a successor in a set of reachable states."""
    def successors(self, states: StateSet) -> StateSet:
        """The states with a predecessor in a set of reachable states."""
    def eventually(
        self,
        stay: StateSet,
        goal: StateSet,
        *,
        way: Literal["traditional", "classified", "classified-stay", "constrained"] = "constrained",
        forward: bool = False,
        decide: bool = False,
    ) -> StateSet:
        """E [stay U goal]: the goal, and the states of `stay` with a path inside it to the goal.

        With `forward` paths begin at the goal. With `decide` it ends as soon as the initial state
        is found, and is right about that state alone.
        """
    def invariantly(
        self,
        stay: StateSet,
        goal: StateSet,
        *,
        way: Literal["traditional", "cycles"] = "traditional",
        maximal: bool = True,
        decide: bool = False,
    ) -> StateSet:
        """E [stay W goal]: also the states with a path that never leaves `stay`.

        If paths are `maximal`, one that ends in a deadlock is such a path; if not, only an infinite
        one is. With `decide` it ends as soon as the initial state is out, or in, and is right about
        that state alone.
        """
    def with_endless_past(self, states: StateSet) -> StateSet:
        """The states of a set to which an endless path inside it leads."""
    @property
    def fixpoint_rounds(self) -> int:
        """The rounds of the last `eventually` or `invariantly`."""
    def classified(self, stay: StateSet, goal: StateSet) -> tuple[int, int, int]:
        """How many events are dead, safe and unsafe on the way back to the goal inside `stay`."""
    def image(self, states: StateSet, events: Sequence[int]) -> StateSet:
        """The states that one of the events leads to from a set.

        The set need not be one of reachable states, and they need not be known.
        """
    def enabled(self, states: StateSet, events: Sequence[int]) -> StateSet:
        """The states of any set in which one of the events has a successor."""
    def path_inside(
        self, inside: StateSet, goal: StateSet
    ) -> list[tuple[int | None, tuple[int, ...]]] | None:
        """A shortest path from the initial state to the goal inside any set."""
    def step_back(
        self, states: StateSet, state: Sequence[int]
    ) -> tuple[int, tuple[int, ...]] | None:
        """The event of a step to a state from any set, and the state it comes from, if one does."""
    def union(self, a: StateSet, b: StateSet) -> StateSet:
        """The states of one set or the other."""
    def intersection(self, a: StateSet, b: StateSet) -> StateSet:
        """The states of both sets."""
    def difference(self, a: StateSet, b: StateSet) -> StateSet:
        """The states of the first set that are not in the second."""
    def holds_initially(self, states: StateSet) -> bool:
        """Whether the initial state is in a set."""
    def trace(self, targets: StateSet) -> list[tuple[int | None, tuple[int, ...]]] | None:
        """A shortest path from the initial state (event None) to the set; None if there is none."""
    def successor_pairs(self) -> int:
        """How many pairs of a reachable state and a successor there are, by whatever events."""
    def traces(
        self, targets: StateSet, limit: int
    ) -> list[list[tuple[int | None, tuple[int, ...]]]]:
        """Shortest paths as `trace` finds one, no two of them the same, at most so many."""
    def distances(
        self,
        encoding: Literal["edges", "terminals", "layers"] = "edges",
        *,
        saturation: bool = True,
        histogram: bool = True,
    ) -> dict[str, Any] | None:
        """The distances of all states of a net from the initial one; None for other programs.

        `greatest`, the `histogram` if asked (states at each distance), `final_nodes` and
        `created_nodes`.
        Values stand on edges (EV+), in terminals (ADD), or there is a set for each distance.
        """
    def trace_by_distance(
        self, targets: StateSet
    ) -> list[tuple[int | None, tuple[int, ...]]] | None:
        """As `trace`, from the distance function; None also for programs that are not nets."""
    def path(
        self, state: Sequence[int], stay: StateSet, goal: StateSet, *, moved: bool = False
    ) -> list[tuple[int | None, tuple[int, ...]]] | None:
        """A shortest path from a reachable state to the goal, in `stay` until there.

        With `moved` it has at least one step.
        """
    def single(self, state: Sequence[int]) -> StateSet:
        """The set of one state."""
    def contains(self, states: StateSet, state: Sequence[int]) -> bool:
        """Whether a state is in a set."""
    def pick(self, states: StateSet, limit: int) -> list[tuple[int, ...]]:
        """Some states of a set, at most so many."""
    def size(self, states: StateSet | None = None) -> int:
        """The nodes of the diagram of a set, or of the reachable states."""
    def statistics(self) -> dict[str, int]:
        """Sizes and counts so far: nodes, peak_nodes, collections, cache_hits, bytes, rounds."""
    @property
    def is_net(self) -> bool:
        """Whether the reachable states are computed as those of a net."""
    def undefined(self) -> list[int]:
        """The statements that were undefined in some reachable state."""

@final
class Diagram:
    """A set of sequences of one `Diagrams`; true when it is not empty. Equal sets are equal."""

    def __bool__(self) -> bool: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Diagrams:
    """Sets of sequences and homomorphisms on them; see `plait.dd`, which wraps it.

    Homomorphisms are numbers: 0 maps everything to the empty set, 1 is the identity. Computations
    raise `StoppedError` when a limit is met; the diagrams stay usable.
    """

    def __init__(self) -> None: ...
    def limit(
        self,
        *,
        timeout: float | None = None,
        memory: int | None = None,
        strict: int | None = None,
        progress: Callable[[dict[str, float]], None] | None = None,
        interval: float = 0.1,
    ) -> None:
        """The limits of what follows; see `Symbolic.limit`."""
    def empty(self) -> Diagram:
        """The empty set."""
    def unit(self) -> Diagram:
        """The set of the empty sequence."""
    def integer_node(self, number: int, edges: Sequence[tuple[int, Diagram]]) -> Diagram:
        """The sequences that begin with one of these values of a variable."""
    def set_node(self, number: int, edges: Sequence[tuple[Diagram, Diagram]]) -> Diagram:
        """The sequences that begin with an element of one of these sets."""
    def union(self, a: Diagram, b: Diagram) -> Diagram:
        """What is in one of two sets."""
    def intersection(self, a: Diagram, b: Diagram) -> Diagram:
        """What is in both of two sets."""
    def difference(self, a: Diagram, b: Diagram) -> Diagram:
        """What is in the first of two sets only."""
    def is_subset(self, a: Diagram, b: Diagram) -> bool:
        """Whether all of the first set is in the second."""
    def count(self, set: Diagram) -> int:
        """How many sequences a set has."""
    def log10_count(self, set: Diagram) -> tuple[float, int] | None:
        """The decimal logarithm of the count, as mantissa and power of ten; None if it is empty."""
    def count_modulo(self, set: Diagram, modulus: int) -> int:
        """The count modulo a number from 1 to 2^63 - 1; exact for sets of any size."""
    def integer_bounds(self, set: Diagram) -> tuple[int, int] | None:
        """The least and greatest integer of all sequences, at every level of hierarchy."""
    def size(self, set: Diagram) -> dict[str, int]:
        """Nodes by kind, edges, and the longest path."""
    def pick(self, set: Diagram, limit: int) -> list[tuple[Any, ...]]:
        """Some sequences, at most so many."""
    def dot(self, set: Diagram, names: Sequence[tuple[int, str]]) -> str:
        """The diagram for Graphviz."""
    def compare(self, number: int, op: str, constant: int) -> int:
        """Keeps the sequences in which a comparison with a constant holds."""
    def compare_variables(self, x: int, op: str, y: int) -> int:
        """Keeps the sequences in which a comparison of two variables holds."""
    def increment(self, number: int, amount: int) -> int:
        """Adds a constant."""
    def store(self, number: int, value: int) -> int:
        """Stores a constant."""
    def local(self, h: int, number: int) -> int:
        """Maps the value of a set-labelled variable."""
    def meet(self, set: Diagram) -> int:
        """Keeps the sequences of a set."""
    def inductive(self, object: Any) -> int:
        """A homomorphism defined by an object of Python; see `plait.dd.Inductive`."""
    def sum(self, terms: Sequence[int]) -> int:
        """The union of the images."""
    def compose(self, terms: Sequence[int]) -> int:
        """One after the other, the last one first."""
    def fixpoint(self, h: int) -> int:
        """Applied until nothing changes."""
    def negate(self, selector: int) -> int:
        """Keeps what a selector drops; `ValueError` for what is no selector."""
    def is_selector(self, h: int) -> bool:
        """Whether the image is known to be a subset of the argument."""
    def events(
        self, program: Program, variables: Sequence[int], first_statement: int
    ) -> list[tuple[int, int | None]]:
        """All events of a program: what each does, and the selector of where it does nothing.

        `variables` holds the variable of each cell; `first_statement` is added to the numbers of
        statements in errors and in `undefined`.
        """
    def apply(self, h: int, set: Diagram, *, rounds: bool = False) -> Diagram:
        """The image of a set; with `rounds` fixpoints are found by saturation in rounds."""
    def statistics(self) -> dict[str, int]:
        """Sizes and counts so far."""
    def undefined(self) -> list[int]:
        """The statements that were undefined on some path."""

class Functions:
    """Functions from sequences to numbers; see `plait.edge_valued`, which wraps it."""

    def __init__(self) -> None: ...
    def terminal(self, value: int) -> Function:
        """The number, for the empty sequence."""
    def node(self, variable: int, edges: Sequence[tuple[int, Function]]) -> Function | None:
        """The function of the sequences that begin with one of these labels."""
    def plus(self, f: Function, amount: int) -> Function:
        """The function plus a number."""
    def minimum(self, f: Function | None, g: Function | None) -> Function | None:
        """The lesser of two functions, sequence by sequence."""
    def maximum(self, f: Function | None, g: Function | None) -> Function | None:
        """The greater of two functions, sequence by sequence; finite where both are."""
    def value(self, f: Function, labels: Sequence[int]) -> int | None:
        """The value of a sequence; None where it is infinite."""
    def size(self, f: Function) -> int:
        """How many nodes a function has, terminals not counted."""
    def histogram(self, f: Function) -> tuple[int, list[int]]:
        """The least value, and how many sequences have it and each that is greater."""
    def nearest(self, f: Function) -> list[int]:
        """A sequence with the least value."""

class Function:
    """A function of one `Functions`; equal functions are equal objects."""

    @property
    def least(self) -> int:
        """The least value."""
    @property
    def greatest(self) -> int:
        """The greatest finite value."""
