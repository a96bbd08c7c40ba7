"""What the structure of a net shows without its states: reductions, the state equation, walks.

| module | what it knows |
|---|---|
| `linear` | conditions on markings as trees of linear inequalities |
| `measure` | how far a marking is from a condition: what guides walks |
| `reductions`, `rules`, `agglomeration`, `draft` | smaller nets, and the way back |
| `equation`, `programme`, `traps` | markings that no firing count can reach, with certificates |
| `ranking` | markings that no run stays in |
| `certificate` | the checker of those certificates: exact, and small |
| `lumping`, `lumped`, `redundancy`, `parts` | nets whose markings are counted by smaller ones |
| `growth` | runs that can be repeated for ever |
"""
