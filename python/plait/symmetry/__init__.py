"""Symmetries of a model, and its quotient by them.

Parts that have no names but their numbers may be renumbered without changing what can happen.
States that differ only in that are an *orbit*, and one of each is enough to look at
(Colange, Kordon, Thierry-Mieg, Baarir: "State space analysis using symmetries on decision
diagrams", ACSD 2012; Clarke, Enders, Filkorn, Jha: "Exploiting symmetry in temporal logic
model checking", 1996).

| module | what it knows |
|---|---|
| `group` | permutations of cells that renumber references; canonical states; orbits |
| `digest` | what becomes of events and conditions under a permutation: whether it is a symmetry |
| `find` | which permutations to try, from the numbers in the names of cells |
| `quotient` | the model whose events end in canonical states |
| `tuning` | what may be chosen |
| `runs` | a run of the quotient as one of the model |

`plait.engines.symmetric` answers questions on the quotient.
"""
