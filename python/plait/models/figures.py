"""The small nets of the figures and the appendix of Structural Model Checking (2003).

They are the golden examples of the algorithms: a run, a matrix or a diagram of each is printed.
"""

from __future__ import annotations

from plait.model.arithmetic import INT_MAX
from plait.model.builder import Elementary, system
from plait.model.net_builder import NetBuilder
from plait.model.types import Model
from plait.models.arguments import check_size, check_variant
from plait.models.decomposition import by_levels
from plait.models.questions import no_deadlock

VARIANTS = ("flat", "composite")
LEAST, MOST = 0, INT_MAX


def three_places(n: int = 2, variant: str = "flat") -> Model:
    """Three places and n tokens: t: q -> p, u: p -> q, v: q -> r (figures 2.1 and 2.2).

    Six states and nine arcs for two tokens.
    """
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    net = NetBuilder("three_places")
    p, q, r = net.places("{}", p=n, q=0, r=0)
    net.event("t", [q], [p])
    net.event("u", [p], [q])
    net.event("v", [q], [r])
    for place in (r, q, p):
        net.level(f"of_{place.name}", [place])
    return _closed(net, variant)


def two_places(n: int = 1, variant: str = "flat") -> Model:
    """Two places that exchange n tokens (figure 4.1a).

    With one place a level each level alone could gain tokens for ever: local state spaces cannot
    be generated beforehand, and have n + 1 states when they are generated on the fly.
    """
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    net = NetBuilder("two_places")
    a, b = net.places("{}", a=n, b=0)
    net.event("there", [a], [b])
    net.event("back", [b], [a])
    for place in (b, a):
        net.level(f"of_{place.name}", [place])
    return _closed(net, variant)


def producer_consumer(n: int = 1, variant: str = "flat") -> Model:
    """A producer, a consumer and a buffer of one (figures 3.3 to 3.5, 4.3 to 4.5).

    a: p -> q + r, inhibited by r; b: q -> p; c: r + s -> t; d: t -> s, with n tokens on p and on s.
    Three levels: {p} above {q, r} above {s, t}. For n = 1 eight states and twelve arcs, and a run
    of saturation that is printed step by step.
    """
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    net = NetBuilder("producer_consumer")
    p, q, r, s, t = net.places("{}", p=n, q=0, r=0, s=n, t=0)
    net.event("a", [p], [q, r], below=[r])
    net.event("b", [q], [p])
    net.event("c", [r, s], [t])
    net.event("d", [t], [s])
    net.level("consumer", [s, t])
    net.level("buffer", [q, r])
    net.level("producer", [p])
    return _closed(net, variant)


def fork_join(n: int = 1, variant: str = "flat") -> Model:
    """The sample net of appendix A: n tokens that fork and join.

    a: p5 -> p4 + p2, c: p4 -> p3, b: p3 -> p4, d: p2 -> p1, e: p1 + p3 -> p5; 5, 14, 30, 55 states
    for n = 1 to 4. One place a level.
    """
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    net = NetBuilder("fork_join")
    p5, p4, p3, p2, p1 = net.places("{}", p5=n, p4=0, p3=0, p2=0, p1=0)
    net.event("a", [p5], [p4, p2])
    net.event("b", [p3], [p4])
    net.event("c", [p4], [p3])
    net.event("d", [p2], [p1])
    net.event("e", [p1, p3], [p5])
    for place in (p1, p2, p3, p4, p5):
        net.level(f"of_{place.name}", [place])
    return _closed(net, variant)


def swap(variant: str = "flat") -> Model:
    """Two bits that are exchanged when they differ (figure 3.6).

    With one bit a level this one event is not consistent: what it writes to one level depends on
    the other. Two states, (0, 1) and (1, 0).
    """
    check_variant(variant, ("flat",))
    pair = Elementary("swap")
    x1, x2 = pair.variable("x1", 0, domain=(0, 1)), pair.variable("x2", 1, domain=(0, 1))
    pair.event("exchange", when=x1 != x2, do=[x1.set(1 - x1), x2.set(1 - x2)])
    return system(pair, properties=[no_deadlock()])


def _closed(net: NetBuilder, variant: str) -> Model:
    asked = [no_deadlock()]
    return net.model(asked) if variant == "flat" else by_levels(net.net(), asked)
