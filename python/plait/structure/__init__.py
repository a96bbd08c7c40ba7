"""What the structure of a net tells without its states: reductions, the state equation, walks.

| module | what it knows |
|---|---|
| `linear` | conditions on markings as trees of linear inequalities |
| `reductions`, `rules`, `agglomeration` | smaller nets that keep an answer, and the way back |
| `equation`, `programme` | markings that no firing count can reach, with certificates |
| `certificate` | the checker of those certificates: exact, and small |
"""
