"""How many reachable states the models of the library have: closed forms of their size.

They are those of the specifications' oracles, found from the invariants of the nets and confirmed
by search and by every printed figure of the dissertation. The randomised leader election has none;
the published counts stand for it.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import comb

LEADER = {2: 61, 3: 849, 4: 11_555, 5: 150_879, 6: 1_893_334, 7: 23_921_277}
"""The states of the leader election by the number of processes."""


def lucas(k: int) -> int:
    """The Lucas number L(k): L(0) = 2, L(1) = 1, L(k) = L(k-1) + L(k-2)."""
    low, high, sign = 2, 1, 1
    for bit in bin(k)[2:]:
        # From L(i), L(i+1) and (-1)^i to L(2i), L(2i+1), and with a bit set one further.
        even, odd, after = low * low - 2 * sign, low * high - sign, high * high + 2 * sign
        low, high, sign = (odd, after, -1) if bit == "1" else (even, odd, 1)
    return low


def philosophers(n: int) -> int:
    """L(3n)."""
    return lucas(3 * n)


def doubled_philosophers(n: int) -> int:
    """L(3 * 2^n); its digits alone grow like 2^n, see the other two forms."""
    return lucas(3 * 2**n)


def doubled_philosophers_modulo(n: int, modulus: int) -> int:
    """L(3 * 2^n) modulo a number, for sizes whose count fits nowhere: L(2i) = L(i)^2 - 2 (-1)^i."""
    if n == 0:
        return 4 % modulus
    value = 18 % modulus
    for _ in range(n - 1):
        value = (value * value - 2) % modulus
    return value


def doubled_philosophers_log10(n: int) -> Decimal:
    """The decimal logarithm of L(3 * 2^n) for n >= 6, to 30 digits behind the point or better.

    L(k) is the power phi^k of the golden ratio up to a term that is smaller than 10^-40 of it.
    """
    with localcontext() as context:
        context.prec = 40 + len(str(2**n))
        phi = (1 + Decimal(5).sqrt()) / 2
        return phi.log10() * (3 << n)


def contest_philosophers(n: int) -> int:
    """3^n: each fork is free, or held by one of its two neighbours."""
    return int(3**n)


def slotted_ring(n: int) -> int:
    """The sum over h of C(n, h)^2 4^h 2^(n-h)."""
    return sum(comb(n, h) ** 2 * 4**h * 2 ** (n - h) for h in range(n + 1))


def round_robin(n: int) -> int | None:
    """9 n 2^(n-2), from three processes on."""
    return 9 * n << n - 2 if n > 2 else None


def fms(n: int) -> int:
    """Of J parts of the first two kinds joined, and n - J of each on their own."""
    own = ((_spread(n - j, 3, 4), _spread(n - j, 1, 4), _spread(j, 2, 2)) for j in range(n + 1))
    return comb(n + 2, 2) * sum(first * second * joined for first, second, joined in own)


def _spread(n: int, machines: int, rest: int) -> int:
    """The ways to have m <= `machines` of n parts in machines, the others in `rest` + 1 places."""
    return sum(comb(n - m + rest, rest) for m in range(min(machines, n) + 1))


def kanban(n: int) -> int:
    """C(n+3, 3)^2 times the sum over k <= n of C(k+2, 2)^2."""
    return comb(n + 3, 3) ** 2 * sum(comb(k + 2, 2) ** 2 for k in range(n + 1))


def voters(n: int) -> int:
    """2^n."""
    return int(2**n)


def leader(n: int) -> int | None:
    """Published for 2 to 7 processes."""
    return LEADER.get(n)


def fork_join(n: int) -> int:
    """The sum of the first n + 1 squares: 1, 5, 14, 30, 55, ..."""
    return (n + 1) * (n + 2) * (2 * n + 3) // 6


def three_places(n: int) -> int:
    """C(n+2, 2): the ways to put n tokens on three places."""
    return comb(n + 2, 2)


def producer_consumer(n: int) -> int:
    """2 (n+1)^2: the producer, the buffer and the consumer are independent."""
    return 2 * (n + 1) ** 2


def producers_consumers(n: int) -> int:
    """7 * 81^n + 12 * 18^n + 24 * 9^n + 20 * 2^n + 20."""
    return int(7 * 81**n + 12 * 18**n + 24 * 9**n + 20 * 2**n + 20)


def two_places(n: int) -> int:
    """n + 1: how many of the n tokens are on the first place."""
    return n + 1
