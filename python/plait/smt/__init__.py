"""Models as formulas: the transition relation for a solver of bit-vectors, and what to ask of it.

`terms` translates expressions, `paths` executes events symbolically, `relation` puts them together
and `unrolling` copies the result along a run. `search` asks for runs to a goal, deeper and deeper;
`induction` shows that there is none, and `certificate` checks that again. `linear` asks for runs
that violate an LTL formula: `lasso` writes the formula along a run, `scheduled` the run with the
events that a `schedule` allows at each depth. The solver is Z3, which is imported only here; the
engines (`plait.engines.bounded`, `bounded_linear`) do all of it in a process of their own.
"""
