"""Models as formulas: the transition relation for a solver of bit-vectors, and what to ask of it.

`terms` translates expressions, `paths` executes events symbolically, `relation` puts them together
and `unrolling` copies the result along a run. `search` asks for runs to a goal, deeper and deeper;
`induction` shows that there is none, and `certificate` checks that again. The solver is Z3, which
is imported only here; the engine (`plait.engines.bounded`) does all of it in a process of its own.
"""
