"""The names of the engines for reachable states, without importing any of them."""

EXPLICIT = "explicit"
SYMBOLIC = "symbolic"
BOUNDED = "bounded"
LOCAL = "local"
WALKS = "walk"
