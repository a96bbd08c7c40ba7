"""Wrong models: each gets its exact located message, status 2, and never a traceback (T19)."""

from pathlib import Path

import pytest
from tests.cli.command import Command, refuse_located

# What is wrong, the language, the text, and the message after the name of the file.
ROWS: list[tuple[str, str, str | bytes, str]] = [
    (
        "empty file",
        "gal",
        "",
        "1:1: error: expected a type such as 'gal Name { ... }', found the end of the text",
    ),
    (
        "only a comment",
        "gal",
        "// nothing\n",
        "1:1: error: expected a type such as 'gal Name { ... }', found the end of the text",
    ),
    (
        "only spaces",
        "gal",
        "  \n\t\n",
        "1:1: error: expected a type such as 'gal Name { ... }', found the end of the text",
    ),
    (
        "binary",
        "gal",
        bytes(range(256)),
        "1:1: error: unexpected character U+0000; is this a text file?",
    ),
    (
        "a NUL",
        "gal",
        "gal g { int x = 0;\x00 }",
        "1:19: error: unexpected character U+0000; is this a text file?",
    ),
    (
        "no closing brace",
        "gal",
        "gal g { int x = 0;",
        "1:19: error: expected a declaration or '}', found the end of the text",
    ),
    (
        "truncated event",
        "gal",
        "gal g { int x = 0; transition t [x <",
        "1:37: error: expected an expression, found the end of the text",
    ),
    (
        "truncated string",
        "gal",
        'gal g { transition t [true] label "a',
        "1:35: error: this string is not closed on its line",
    ),
    (
        "unterminated comment",
        "gal",
        "gal g { /* int x; }",
        "1:9: error: this comment is not closed",
    ),
    (
        "no semicolon",
        "gal",
        "gal g { int x = 0 transition t [true] { } }",
        "1:19: error: expected ';' after the declaration, found 'transition'",
    ),
    (
        "no guard bracket",
        "gal",
        "gal g { int x; transition t [x < 3 { x = 1; } }",
        "1:36: error: expected ']' or an operator, found '{'",
    ),
    (
        "a stray token",
        "gal",
        "gal g { int x; } }",
        "1:18: error: expected 'gal', 'composite', 'main', 'property' or another declaration, found '}'",
    ),
    (
        "an assignment to a constant",
        "gal",
        "$N = 3;\ngal g { transition t [true] { $N = 4; } }",
        "2:31: error: cannot assign to the parameter '$N'",
    ),
    (
        "an undeclared variable",
        "gal",
        "gal g { int x = 0; array [2] a; transition t [x < 3] { y = 1; } }\n",
        "1:56: error: undeclared variable 'y'",
    ),
    (
        "an undeclared variable in a guard",
        "gal",
        "gal g { transition t [y == 1] { } }",
        "1:23: error: undeclared variable 'y'",
    ),
    (
        "an undeclared parameter",
        "gal",
        "gal g { int x = 0; array [2] a; transition t [x < 3] { x = $k; } }\n",
        "1:60: error: undeclared parameter '$k'",
    ),
    (
        "an undeclared range",
        "gal",
        "gal g { transition t (r $i) [true] { } }",
        "1:25: error: no range named 'r'",
    ),
    (
        "an undeclared type",
        "gal",
        "composite c { p q; }\nmain c;",
        "1:17: error: no type named 'p'",
    ),
    (
        "a duplicate variable",
        "gal",
        "gal g { int x; int x; }",
        "1:20: error: name 'x' is declared twice",
    ),
    (
        "a duplicate event",
        "gal",
        "gal g { transition t [true] { } transition t [true] { } }",
        "1:44: error: event 't' is declared twice",
    ),
    (
        "a duplicate type",
        "gal",
        "gal g { }\ngal g { }\nmain g;",
        "2:5: error: type 'g' is declared twice",
    ),
    (
        "a duplicate property",
        "gal",
        "gal g { int x; }\nproperty p [never] : x == 1;\nproperty p [never] : x == 2;",
        "3:10: error: property 'p' is declared twice",
    ),
    (
        "two types without main",
        "gal",
        "gal g { }\ngal h { }",
        "2:5: error: there are several types and no 'main'",
    ),
    ("an unknown main", "gal", "gal g { }\nmain h;", "2:6: error: no type named 'h'"),
    (
        "an array without index",
        "gal",
        "gal g { int x = 0; array [2] a; transition t [x < 3] { a = 1; } }\n",
        "1:56: error: 'a' is an array; an index is needed",
    ),
    (
        "a scalar with index",
        "gal",
        "gal g { int x = 0; array [2] a; transition t [x < 3] { x[0] = 1; } }\n",
        "1:56: error: 'x' is not an array; it has no index",
    ),
    (
        "an index out of range",
        "gal",
        "gal g { int x = 0; array [2] a; transition t [x < 3] { a[2] = 1; } }\n",
        "1:58: error: the index 2 is out of range for 'a': its cells are 0 .. 1",
    ),
    (
        "too many initial values",
        "gal",
        "gal g { array [2] a = (1, 2, 3); }",
        "1:19: error: 'a' has 2 cells but 3 initial values",
    ),
    (
        "a negative size",
        "gal",
        "gal g { array [-1] a; }",
        "1:16: error: the size of 'a' is -1; it must be in 0 .. 16777216",
    ),
    (
        "a huge array",
        "gal",
        "gal g { array [2000000000] a; }",
        "1:16: error: the size of 'a' is 2000000000; it must be in 0 .. 16777216",
    ),
    (
        "a constant beyond 32 bits",
        "gal",
        "gal g { int x = 0; array [2] a; transition t [x < 3] { x = 2147483648; } }\n",
        "1:60: error: the constant 2147483648 does not fit in 32 bits",
    ),
    (
        "a constant of thirty digits",
        "gal",
        "gal g { int x = 0; array [2] a; transition t [x < 3] { x = 1000000000000000000000000000000; } }\n",
        "1:60: error: the constant 1000000000000000000000000000000 does not fit in 32 bits",
    ),
    (
        "a number where a condition is needed",
        "gal",
        "gal g { int x; transition t [x] { } }",
        "1:30: error: a condition is needed here, but 'x' is a number",
    ),
    (
        "a condition where a number is needed",
        "gal",
        "gal g { int x = 0; array [2] a; transition t [x < 3] { x = x < 3; } }\n",
        "1:60: error: a number is needed here, but this is a condition",
    ),
    (
        "a chain of comparisons",
        "gal",
        "gal g { int x; transition t [0 < x < 3] { } }",
        "1:30: error: comparisons cannot be chained",
    ),
    (
        "a missing operand",
        "gal",
        "gal g { int x = 0; array [2] a; transition t [x < 3] { x = x + ; } }\n",
        "1:64: error: expected an expression, found ';'",
    ),
    (
        "an unbalanced parenthesis",
        "gal",
        "gal g { int x = 0; array [2] a; transition t [x < 3] { x = (x + 1; } }\n",
        "1:66: error: expected an operator or ')', found ';'",
    ),
    (
        "a call that nobody answers",
        "gal",
        'gal g { int x = 0; array [2] a; transition t [x < 3] { self."nobody"; } }\n',
        "1:56: error: type 'g' has no label 'nobody'",
    ),
    (
        "a call with too many arguments",
        "gal",
        'gal g { int x; transition t [true] { self."l"(1); } transition u [true] label "l" { } }',
        "1:38: error: label 'l' of type 'g' takes 0 arguments, not 1",
    ),
    (
        "a call cycle",
        "gal",
        'gal g { transition t [true] label "l" { self."m"; } transition u [true] label "m" { self."l"; } }',
        "1:85: error: circular call of labels: l -> m -> l",
    ),
    (
        "a label with two arities",
        "gal",
        'typedef r = 0..1;\ngal g { transition t (r $i) [true] label "l"($i) { } transition u [true] label "l" { } }',
        "2:65: error: label 'l' has 0 arguments here and 1 in an earlier event",
    ),
    (
        "a type that contains itself",
        "gal",
        "composite c { c d; }\nmain c;",
        "1:17: error: type 'c' contains itself",
    ),
    (
        "a call to an instance that is not there",
        "gal",
        'gal g { transition t [true] label "l" { } }\ncomposite c { g p; synchronization s { q."l"; } }\nmain c;',
        "2:40: error: undeclared instance 'q'",
    ),
    (
        "a call to a label that is not there",
        "gal",
        'gal g { transition t [true] label "l" { } }\ncomposite c { g p; synchronization s { p."m"; } }\nmain c;',
        "2:40: error: type 'g' has no label 'm'",
    ),
    (
        "an instance index out of range",
        "gal",
        'gal g { transition t [true] label "l" { } }\ncomposite c { g[2] p; synchronization s { p[2]."l"; } }\nmain c;',
        "2:45: error: the index 2 is out of range for 'p': its cells are 0 .. 1",
    ),
    (
        "ten to the nine copies of an event",
        "gal",
        "typedef r = 0..999;\ngal g { int x; transition t (r $i, r $j, r $k) [x == $i + $j + $k] { } }",
        "2:27: error: the parameters of 't' give 1000000000 copies; the limit is 1000000",
    ),
    (
        "the discontinued list",
        "gal",
        "gal g { list q = (1, 2); }",
        "1:9: error: the list type of early GAL is not supported",
    ),
    (
        "an unknown property kind",
        "gal",
        "gal g { int x; }\nproperty p [maybe] : x == 1;",
        "2:13: error: expected a kind of property (reachable, invariant, never, deadlock, bounds, ctl, ltl, atom), found 'maybe'",
    ),
    (
        "a property of an unknown variable",
        "gal",
        "gal g { int x; }\nproperty p [never] : y == 1;",
        "2:22: error: type 'g' has no variable 'y'",
    ),
    (
        "an assignment in a guard",
        "gal",
        "gal g { int x; transition t [x = 0] { } }",
        "1:32: error: a condition cannot assign",
    ),
    (
        "an assignment in a guard of DVE",
        "dve",
        "int x; process P { state a; init a; trans a -> a { guard x = 0; }; } system async;",
        "1:60: error: a condition cannot assign",
    ),
    (
        "an assignment in a guard of a timed automaton",
        "xta",
        "int x; process P() { state a; init a; trans a -> a { guard x = 0; }; } system P;",
        "1:62: error: a condition cannot assign",
    ),
    (
        "a temporal operator in a guard",
        "gal",
        "gal g { int x; transition t [F (x == 1)] { } }",
        "1:30: error: 'F' is a temporal operator, and a condition here speaks of one state only",
    ),
    (
        "a temporal operator between conditions",
        "gal",
        "gal g { int x; transition t [(x == 1 U x == 2)] { } }",
        "1:38: error: 'U' is a temporal operator, and a condition here speaks of one state only",
    ),
    (
        "a temporal operator behind a condition",
        "gal",
        "gal g { int x; transition t [x == 1 && [] x == 2] { } }",
        "1:40: error: '[]' is a temporal operator, and a condition here speaks of one state only",
    ),
    (
        "a word of formulas in a guard",
        "gal",
        "gal g { int x; transition t [x == 1 and x == 2] { } }",
        "1:37: error: 'and' is for formulas",
    ),
    (
        "a variable called as a temporal operator is",
        "gal",
        "gal g { int F; transition t [F and F == 2] { } }",
        "1:32: error: 'and' is for formulas",
    ),
    (
        "a path quantifier missing in CTL",
        "gal",
        "gal g { int x; }\nproperty p [ctl] : G (x == 1);",
        "2:20: error: 'G' has no path quantifier; CTL needs A or E directly before it",
    ),
    (
        "a path quantifier in LTL",
        "gal",
        "gal g { int x; }\nproperty p [ltl] : (AG (x == 1));",
        "2:21: error: 'A' quantifies over paths; an LTL formula has none",
    ),
    (
        "an import by an absolute path",
        "gal",
        'import "/etc/passwd";\ngal g { }',
        "1:8: error: only files in this folder or below it can be imported",
    ),
    (
        "a letter that is not ASCII",
        "gal",
        "gal g { int é = 0; }",
        "1:13: error: unexpected character 'é' (U+00E9)",
    ),
    (
        "an event of an unknown name",
        "gal",
        'gal g { int x; }\nproperty p [never] : enabled("t");',
        "2:22: error: no event named 't'",
    ),
    (
        "a fixpoint that never settles",
        "gal",
        "gal g { int x = 0; transition t [x < 2] { fixpoint { x = 1 - x; } } }",
        "1:43: error: event t: the fixpoint never settles",
    ),
    (
        "a cycle of transient states",
        "gal",
        "gal g { int x = 0; transition t [x == 0] { x = 1; } transition u [x == 1] { x = 2; } transition v [x == 2] { x = 1; }\nTRANSIENT = x >= 1; }",
        "2:13: error: event t leads into a cycle of transient states",
    ),
    (
        "a transient initial state",
        "gal",
        "gal g { int x = 0; transition t [true] { x = 1; }\nTRANSIENT = x == 0; }",
        "2:13: error: the initial state of 'g' is transient",
    ),
    (
        "a hundred thousand open parentheses",
        "gal",
        "gal g { int x; transition t [true] { x = " + "(" * 100_000 + "; } }",
        "1:100042: error: expected an expression, found ';'",
    ),
    (
        "blocks nested too deep",
        "gal",
        "gal g { transition t [true] { " + "fixpoint { " * 300 + "} " * 300 + "} }",
        "1:2229: error: blocks are nested deeper than 200 levels",
    ),
]


@pytest.mark.parametrize(
    ("language", "text", "message"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_a_wrong_model_is_located(
    plait: Command, tmp_path: Path, language: str, text: str | bytes, message: str
) -> None:
    """covers: I94"""
    refuse_located(plait, tmp_path / f"model.{language}", text, message)
