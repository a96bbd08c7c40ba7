"""States one by one: searches, reduction, products with automata, local model checking."""
