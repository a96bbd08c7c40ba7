"""Options about engines: which one is asked, and how it goes about it."""

from __future__ import annotations

from collections.abc import Callable

from plait.cli import values
from plait.cli.status import HOLDS, VIOLATED
from plait.engines import ENGINES
from plait.engines.explicit.method import (
    CYCLES,
    INTERVAL,
    MOST_THREADS,
    SPECIAL,
    STORES,
    SUCCESSORS,
    Method,
)
from plait.engines.explicit.reduction import (
    ORDERS,
    PERSISTENT,
    PRESETS,
    PROVISOS,
    RELATIONS,
    SLEEP_SETS,
    TIES,
    Reduction,
)
from plait.engines.symbolic.orders import Merge
from plait.engines.symbolic.tuning import (
    ALWAYS_WAYS,
    AUTO,
    CTL_WAYS,
    LOCALS,
    LTL_WAYS,
    PARTIAL,
    STRATEGIES,
    PartialTuning,
    Tuning,
)
from plait.errors import error
from plait.hints import TYPE_CHECKING
from plait.model.grouping import Grouping
from plait.symmetry.tuning import SYMMETRIES, SymmetryTuning

if TYPE_CHECKING:
    import argparse

    from plait.engines.explicit.checkpoint import Checkpoint


def add_engine(parser: argparse.ArgumentParser) -> None:
    """`--engine`."""
    parser.add_argument(
        "--engine", choices=ENGINES, default="auto", help="which engine answers (default: auto)"
    )


def add_reduction(parser: argparse.ArgumentParser, default: str) -> None:
    """Which interleavings the explicit engine leaves out."""
    group = parser.add_argument_group("partial-order reduction")
    group.add_argument(
        "--reduction",
        type=str.lower,  # the thesis writes PS+SLEEP
        choices=PRESETS,
        metavar="PRESET",
        help=f"what to leave out: %(choices)s (default: {default})",
    )
    group.add_argument(
        "--persistent",
        choices=PERSISTENT,
        metavar="ALGORITHM",
        default="guards",
        help="the algorithm for persistent sets: %(choices)s (default: guards)",
    )
    group.add_argument(
        "--proviso",
        choices=PROVISOS,
        default="auto",
        help="the rule against postponing an event for ever (default: auto, by the search order)",
    )
    group.add_argument(
        "--sleep-sets",
        choices=SLEEP_SETS,
        default="stored",
        help="store sleep sets with states, or only pass them on to successors (default: stored)",
    )
    group.add_argument(
        "--dependency",
        choices=RELATIONS,
        default="constant",
        help="which events stay asleep: those independent in all states (constant), or those"
        " independent in the present state, as executing them shows (default: constant)",
    )
    group.add_argument(
        "--ties",
        choices=TIES,
        default="small",
        help="which of several smallest persistent sets to take: the one that brings in the fewest"
        " events, or one that leads to stored states (default: small)",
    )
    group.add_argument(
        "--check-independence",
        action="store_true",
        help="test in every state that events are as independent as claimed, and stop if not",
    )


def reduction(arguments: argparse.Namespace) -> Reduction | None:
    """The reduction asked for; None when it is left to us."""
    order = arguments.search if arguments.search in ORDERS else None
    check = arguments.check_independence
    found = Reduction(
        arguments.reduction or "none",
        arguments.persistent,
        order,
        check,
        arguments.proviso,
        arguments.sleep_sets,
        arguments.ties,
        arguments.dependency,
    )
    return None if arguments.reduction is None and found == Reduction() else found


def add_symmetry(parser: argparse.ArgumentParser) -> None:
    """`--symmetry`, `--reference`."""
    group = parser.add_argument_group("symmetry")
    group.add_argument(
        "--symmetry",
        choices=SYMMETRIES,
        help="explore one state of each orbit; use all symmetries of numbered parts (auto), only"
        " those that allow any order (scalar), or only rotations (circular)",
    )
    group.add_argument(
        "--reference",
        metavar="VARIABLE",
        action="append",
        default=[],
        help="with --symmetry: a variable that holds numbers of parts; may be repeated (default:"
        " found automatically)",
    )


def symmetry(arguments: argparse.Namespace) -> SymmetryTuning | None:
    """The symmetries asked for; None without any."""
    if arguments.symmetry is None:
        if arguments.reference:
            raise error("--reference is for --symmetry")
        return None
    if reduction(arguments) is not None or arguments.checkpoint is not None:
        raise error("a quotient by symmetries is searched without --reduction and --checkpoint")
    return SymmetryTuning(arguments.symmetry, tuple(arguments.reference))


def add_method(parser: argparse.ArgumentParser) -> None:
    """How the explicit engine searches."""
    group = parser.add_argument_group("explicit engine")
    group.add_argument(
        "--search",
        choices=(*ORDERS, *SPECIAL[1:]),
        help="breadth-first, depth-first, iterative deepening, or random walks",
    )
    add_threads(group)
    group.add_argument(
        "--store",
        choices=STORES,
        default="exact",
        help="how states are stored; hash-compact and bitstate may miss states (default: exact)",
    )
    group.add_argument(
        "--fingerprint",
        metavar="BITS",
        type=values.count(8, 64),
        default=64,
        help="with --store hash-compact: bits of a fingerprint (default: 64)",
    )
    group.add_argument(
        "--hashes",
        metavar="K",
        type=values.count(1, 32),
        default=3,
        help="with --store bitstate: bits set for each state (default: 3)",
    )
    group.add_argument(
        "--successors",
        choices=SUCCESSORS,
        default="auto",
        help="interpret events, or compile them to machine code (default: auto, which compiles"
        " them when the search becomes long)",
    )
    group.add_argument(
        "--cache",
        metavar="N",
        type=values.count(0, 2**31),
        help="search depth-first with room for N states; others are forgotten and visited again"
        " (0: keep only the stack)",
    )
    group.add_argument(
        "--seed",
        metavar="S",
        type=values.count(0, 2**63),
        default=0,
        help="the seed of --search walk (default: 0)",
    )
    group.add_argument(
        "--checkpoint",
        metavar="DIR",
        help="save the search in this folder from time to time, for plait resume DIR",
    )
    group.add_argument(
        "--checkpoint-interval",
        metavar="S",
        type=values.seconds,
        default=INTERVAL,
        help=f"seconds between checkpoints (default: {INTERVAL:.0f})",
    )


def add_product(parser: argparse.ArgumentParser) -> None:
    """How LTL searches the product with an automaton."""
    group = parser.add_argument_group("LTL")
    group.add_argument(
        "--cycles",
        choices=CYCLES,
        default="components",
        help="how accepting cycles are found: by strongly connected components, or by nested "
        "depth-first search (default: components)",
    )
    group.add_argument(
        "--build-first",
        action="store_true",
        help="build the whole state space before searching its product with the automaton",
    )
    group.add_argument(
        "--repeated",
        action="store_true",
        help="answer LTL as a reachability question (is a saved state reached again?), with any "
        "engine; with --engine bounded, this can prove a formula by induction",
    )


def add_threads(parser: argparse._ActionsContainer) -> None:
    """`--threads`."""
    parser.add_argument(
        "--threads",
        metavar="N",
        type=values.count(1, MOST_THREADS),
        help="threads of a search that has many states (default: 1); with 1 given, all engines also"
        " share one process",
    )


def method(arguments: argparse.Namespace) -> Method:
    """The choices of `add_method`."""
    return Method(
        threads=arguments.threads,
        store=arguments.store,
        fingerprint=arguments.fingerprint,
        hashes=arguments.hashes,
        all_memory=arguments.memory is not None,
        checkpoint=_checkpoint(arguments),
        successors=arguments.successors,
        search=arguments.search if arguments.search in SPECIAL else "plain",
        seed=arguments.seed,
        cache=arguments.cache,
        cycles=getattr(arguments, "cycles", "components"),
        build_first=getattr(arguments, "build_first", False),
    )


def _checkpoint(arguments: argparse.Namespace) -> Checkpoint | None:
    if arguments.checkpoint is None:
        return None
    from pathlib import Path

    from plait.engines.explicit.checkpoint import Checkpoint  # few runs write one

    resume = getattr(arguments, "resume", False)
    return Checkpoint(Path(arguments.checkpoint), arguments.checkpoint_interval, resume)


def with_checkpoint(arguments: argparse.Namespace, work: Callable[[], int]) -> int:
    """Run a command that may write checkpoints; what it finished needs none any more."""
    checkpoint = _checkpoint(arguments)
    if checkpoint is None:
        return work()
    with checkpoint.held(arguments.command_line):
        status = work()
        if status in (HOLDS, VIOLATED):
            checkpoint.clear()
        return status


def add_bounded(parser: argparse.ArgumentParser) -> None:
    """`--depth` and `--together`."""
    group = add_depth(parser)
    group.add_argument(
        "--together",
        action="store_true",
        help="with --engine bounded: let independent events happen in one step, which makes runs "
        "shorter; for reachable states, invariants and deadlocks; proves nothing",
    )


def add_depth(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """`--depth`; the group that it is in."""
    group = parser.add_argument_group("bounded engine")
    group.add_argument(
        "--depth",
        metavar="K",
        type=values.count(0, 2**31),
        help="the greatest length of runs (default: no limit but the time)",
    )
    return group


def add_tuning(parser: argparse.ArgumentParser, *, formulas: bool = True) -> None:
    """How the symbolic engine works; none of it changes an answer."""
    group = parser.add_argument_group("symbolic engine")
    group.add_argument(
        "--strategy",
        choices=(AUTO, *STRATEGIES, PARTIAL),
        metavar="NAME",
        default=AUTO,
        help="how the reachable states are found: %(choices)s; partial finds only as many as the "
        "question needs (default: auto, saturation and rounds in turns)",
    )
    group.add_argument(
        "--order",
        metavar="NAME",
        default="auto",
        help="the variable order: auto, a name that plait order lists, or file:PATH with an order "
        "that it wrote, or with groups of names in JSON (default: auto)",
    )
    group.add_argument(
        "--hierarchy",
        metavar="NAME",
        type=values.hierarchy,
        default="auto",
        help="flat diagrams, with cells that share a level by none, machines or units (NUPN); or "
        "the hierarchy of the model, with sets as declared or in groups (blocks:K, recursive:K, "
        "shallow:K); or the hierarchy in file:PATH (default: auto)",
    )
    group.add_argument(
        "--locals",
        choices=LOCALS,
        default="on-the-fly",
        help="when the local states of a level are found (default: on-the-fly)",
    )
    group.add_argument(
        "--gc",
        metavar="POLICY",
        type=values.policy,
        default="lazy",
        help="when garbage is collected: lazy, or strict:N, after every N nodes (default: lazy)",
    )
    _add_partial(parser, formulas)
    if not formulas:
        parser.set_defaults(ctl="auto", eg="traditional", ltl="backward")
        return
    group.add_argument(
        "--ctl",
        choices=(*CTL_WAYS, "local"),
        default="auto",
        help="how CTL is computed: on diagrams backward one step at a time, backward by "
        "saturation, or forward as far as the formula allows; or local, on as few explicit states "
        "as decide it (default: auto, local and forward in turns)",
    )
    group.add_argument(
        "--eg",
        choices=ALWAYS_WAYS,
        default="traditional",
        help="how EG is computed on diagrams: by removing states without a successor inside, or by "
        "looking for cycles (default: traditional)",
    )
    group.add_argument(
        "--ltl",
        choices=LTL_WAYS,
        metavar="NAME",
        default="backward",
        help="how --engine symbolic computes LTL: backward by components of the automaton; by a "
        "forward hull (el, owcty); on a graph of sets of states (slap, slap-fst, slap-fsa, bcz); "
        "for formulas without X, on an observation graph (sog, sop) or with a testing automaton "
        "(tgta); or with a tableau, forward or backward (tableau, tableau-backward), as always "
        "with --strategy partial (default: backward)",
    )


def _add_partial(parser: argparse.ArgumentParser, formulas: bool) -> None:
    """What `--strategy partial` may be told."""
    group = parser.add_argument_group("symbolic and bounded engine with --strategy partial")
    group.add_argument(
        "--variant",
        type=int,
        choices=(1, 2, 3),
        default=1,
        help="which states a process expands alone: all where it can move (1), those not visited "
        "before (2), those not expanded by all events before (3) (default: 1)",
    )
    group.add_argument(
        "--safe",
        choices=("local", "exact"),
        default="local",
        help="which events may go first: those on variables of their own process (local), or all "
        "with which nothing can interfere meanwhile (exact) (default: local)",
    )
    group.add_argument(
        "--assume-linear",
        action="store_true",
        help="do not check that at most one such event is enabled at a time, which CTL needs",
    )
    if formulas:
        parser.set_defaults(keep=None)
        group.add_argument(
            "--ahead",
            metavar="N",
            type=values.count(0, 2**16),
            default=8,
            help="with --engine bounded: how many safe events in a row each process does before "
            "one step of all (default: 8)",
        )
        return
    parser.set_defaults(ahead=8)
    group.add_argument(
        "--keep",
        choices=("ctl", "ltl", "deadlocks"),
        default="ctl",
        help="which questions the states found must decide (default: ctl, without X)",
    )


def tuning(arguments: argparse.Namespace) -> Tuning:
    """The choices of `add_tuning`."""
    chosen: Merge | Grouping | values.PartsFile = arguments.hierarchy
    return Tuning(
        strategy=arguments.strategy,
        order=arguments.order,
        merge="auto" if isinstance(chosen, Grouping | values.PartsFile) else chosen,
        grouping=chosen if isinstance(chosen, Grouping) else None,
        parts=chosen.path if isinstance(chosen, values.PartsFile) else None,
        locals=arguments.locals,
        strict=arguments.gc,
        ctl=arguments.ctl,
        always=arguments.eg,
        ltl=arguments.ltl,
        partial=PartialTuning(
            arguments.variant,
            arguments.keep,
            arguments.safe,
            arguments.assume_linear,
            arguments.ahead,
        ),
    )
