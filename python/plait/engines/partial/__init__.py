"""Diagrams with partial-order reduction: partial exploration along processes."""
