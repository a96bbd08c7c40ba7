"""Nets as nets: walks, siphons, the state equation, smaller nets with the same answers."""
