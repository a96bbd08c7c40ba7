"""The names of the engines that look at reachable states, known before any of them is imported."""

EXPLICIT = "explicit"
SYMBOLIC = "symbolic"
BOUNDED = "bounded"
LOCAL = "local"
WALKS = "walk"
