"""Decision diagrams: counts, traces, CTL and LTL on sets of states, orders of levels."""
