"""The words of Promela, those that are refused, and words of other languages that are tried."""

from __future__ import annotations

from plait.lang.promela.symbols import DOMAINS

VISIBILITY = ("hidden", "show", "local")
PROCTYPE = ("proctype", "D_proctype")
"""The second promises that the process never has a choice; nothing depends on that."""
CONSTANTS = ("true", "false", "skip", "timeout")
REFUSED = {
    "c_code": "embedded C is not supported",
    "c_decl": "embedded C is not supported",
    "c_state": "embedded C is not supported",
    "c_track": "embedded C is not supported",
}
KEYWORDS = frozenset(
    (
        *("active", "init", "typedef", "inline", "if", "fi", "do", "od", "else"),
        *("goto", "break", "atomic", "d_step", "unless", "assert", "printf", "printm", "run"),
        *("for", "select", "ltl", "of", "len", "full", "empty", "nfull", "nempty", "eval"),
        *("unsigned", "xr", "xs", "priority", "provided"),
        *("never", "trace", "notrace", "enabled", "pc_value", "np_", "_last", "_pid", "_nr_pr"),
        *CONSTANTS,
        *PROCTYPE,
        *VISIBILITY,
        *REFUSED,
        *DOMAINS,
    )
)
OF_OTHERS = {
    "while": "a loop is 'do :: condition -> ... :: else -> break od'",
    "wait": "a condition alone waits until it is true",
    "await": "a condition alone waits until it is true",
}
"""What is written here for words of other languages."""
