"""Wrong inputs: each gets its exact located message, status 2, and never a traceback (T19, T20)."""

import os
from pathlib import Path

import pytest
from tests.cli.command import Command

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
        "1:30: error: a condition is needed here, but 'F' is a number",
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
    ("an empty net file", "pnml", "", "1:1: error: not well-formed XML: the file holds no element"),
    ("not XML at all", "pnml", "hello", "1:1: error: not well-formed XML: syntax error"),
    (
        "an entity bomb",
        "pnml",
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>\n<pnml>&b;</pnml>',
        "1:1: error: document type declarations are refused",
    ),
    (
        "an external entity",
        "pnml",
        '<!DOCTYPE x SYSTEM "file:///etc/passwd">\n<pnml/>',
        "1:1: error: document type declarations are refused",
    ),
    (
        "an undeclared entity",
        "pnml",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">\n<place id="p&what;"/>\n</page></net></pnml>\n',
        "2:1: error: not well-formed XML: undefined entity",
    ),
    (
        "a truncated net",
        "pnml",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">\n<place id=',
        "2:1: error: not well-formed XML: the file ends in the middle of a tag, comment or character",
    ),
    (
        "a mismatched tag",
        "pnml",
        "<pnml><net></pnml>",
        "1:14: error: not well-formed XML: mismatched tag",
    ),
    (
        "another root",
        "pnml",
        "<html/>",
        "1:1: error: unexpected element <html> as the document's root",
    ),
    (
        "no net",
        "pnml",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"/>',
        "1:62: error: the file holds no net",
    ),
    (
        "a place without colours in a coloured net",
        "pnml",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet"><page id="g">\n<place id="p"/><transition id="t"/>\n</page></net></pnml>\n',
        "2:1: error: the place 'p' has no <type>",
    ),
    (
        "an unknown net type",
        "pnml",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/mynet"><page id="g">\n<place id="p"/><transition id="t"/>\n</page></net></pnml>\n',
        "1:61: error: unknown type of net 'http://www.pnml.org/version-2009/grammar/mynet'",
    ),
    (
        "an arc to nowhere",
        "pnml",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">\n<place id="p"/><transition id="t"/><arc id="a" source="p" target="q"/>\n</page></net></pnml>\n',
        "2:36: error: this arc names 'q', which is no node of the net",
    ),
    (
        "an arc between places",
        "pnml",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">\n<place id="p"/><transition id="t"/><place id="q"/><arc id="a" source="p" target="q"/>\n</page></net></pnml>\n',
        "2:51: error: this arc leads from the place 'p' to the place 'q'",
    ),
    (
        "a duplicate id",
        "pnml",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">\n<place id="p"/><place id="p"/>\n</page></net></pnml>\n',
        "2:16: error: the id 'p' is used twice; first in line 2",
    ),
    (
        "a negative weight",
        "pnml",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">\n<place id="p"/><transition id="t"/><arc id="a" source="p" target="t"><inscription><text>-1</text></inscription></arc>\n</page></net></pnml>\n',
        "2:89: error: a natural number is needed here, not '-1'",
    ),
    (
        "a fractional weight",
        "pnml",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">\n<place id="p"/><transition id="t"/><arc id="a" source="p" target="t"><inscription><text>1.5</text></inscription></arc>\n</page></net></pnml>\n',
        "2:89: error: a natural number is needed here, not '1.5'",
    ),
    (
        "a huge marking",
        "pnml",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">\n<place id="p"><initialMarking><text>10000000000</text></initialMarking></place>\n</page></net></pnml>\n',
        "2:37: error: the number is greater than 2147483647, the most that is supported",
    ),
    (
        "a marking that is a word",
        "pnml",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">\n<place id="p"><initialMarking><text>many</text></initialMarking></place>\n</page></net></pnml>\n',
        "2:37: error: a natural number is needed here, not 'many'",
    ),
    (
        "a reference to itself",
        "pnml",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">\n<referencePlace id="r" ref="r"/>\n</page></net></pnml>\n',
        "2:1: error: the reference 'r' refers to itself",
    ),
    (
        "UTF-16 declared but not used",
        "pnml",
        '<?xml version="1.0" encoding="UTF-16"?>\n<pnml/>',
        "1:31: error: not well-formed XML: encoding specified in XML declaration is incorrect",
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


def test_the_table_is_long_enough() -> None:
    assert len(ROWS) >= 60


@pytest.mark.parametrize(
    ("language", "text", "message"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_a_wrong_input_is_located(
    plait: Command, tmp_path: Path, language: str, text: str | bytes, message: str
) -> None:
    """covers: I94"""
    file = tmp_path / f"model.{language}"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    result = plait("check", file)
    assert result.status == 2
    assert result.out == ""
    assert result.err.splitlines()[0] == f"{file}:{message}"
    assert "Traceback" not in result.err


def test_a_file_of_no_language_is_read_as_gal_and_its_errors_say_so(
    plait: Command, tmp_path: Path
) -> None:
    file = tmp_path / "model.txt"
    file.write_text("MODULE main\n")
    result = plait("check", file)
    assert result.status == 2
    first, *_, why, known = result.err.splitlines()
    assert first.startswith(f"{file}:1:1: error: ")
    assert why == f"warning: {file} was read as GAL, since its name ends as those of no language do"
    assert ".pnml, .prom, .promela, .sm, .smv, .ta" in known
    file.write_text("gal g { int x; }")
    assert plait("states", file).status == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--timeout", "0"], "0 is not a positive number of seconds"),
        (["--timeout", "-1"], "-1 is not a positive number of seconds"),
        (["--timeout", "1e400"], "1e400 is not a positive number of seconds"),
        (["--timeout", "NaN"], "NaN is not a positive number of seconds"),
        (["--timeout", "soon"], "'soon' is not a number of seconds"),
        (["--timeout", "1_0"], "'1_0' is not a number of seconds"),
        (["--timeout", "\u0663"], "'\u0663' is not a number of seconds"),
        (["--memory", "1"], "1 is less than 1M"),
        (["--memory", "1K"], "1K is less than 1M"),
        (["--memory", "1" + "0" * 30], "is not an amount of memory such as 500M or 2G"),
        (["--memory", "much"], "'much' is not an amount of memory such as 500M or 2G"),
        (["-D", "N"], "'N' is not NAME=VALUE"),
        (["-D", "N=two"], "'two' is not a 32-bit integer"),
        (["-D", "N=99999999999"], "'99999999999' is not a 32-bit integer"),
        (["--engine", "magic"], "invalid choice: 'magic'"),
        (["--colour"], "plait check has no option --colour; did you mean --colours?"),
        (["--tim=3"], "plait check has no option --tim; did you mean --time?"),
        (["--frobnicate"], "plait check has no option --frobnicate (see"),
        (["more", "files"], "plait check has no use for 'more' 'files' (see"),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(
    plait: Command, philosophers: Path, options: list[str], message: str
) -> None:
    result = plait("check", philosophers, *options)
    assert result.status == 2
    assert result.err.startswith("error: ")
    assert result.err.endswith(" (see plait check --help)\n")
    assert result.err.count("\n") == 1
    assert message in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["chek", "m.gal"], "no command 'chek'; did you mean check?"),
        (["m.gal"], "no command 'm.gal'"),
    ],
)
def test_a_wrong_command_is_refused_in_one_line(
    plait: Command, arguments: list[str], message: str
) -> None:
    result = plait(*arguments)
    assert (result.status, result.err) == (2, f"error: {message} (see plait --help)\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-D", "M=3"], "the model has no parameter 'M'"),
        (["-p", "fre"], "the model has no property named 'fre'"),
        (["-f", "AG (nobody == 1)"], "has no variable 'nobody'"),
        (["-f", "AG ("], "expected a formula, found the end of the text"),
        (["-f", ""], "expected"),
        (["-f", 'enabled("takeLef(0)")'], "did you mean 'takeLeft'?"),
        (["-p", "nobody"], "there are: free, neighbours"),
        (["-D", "M=2"], "there are: N"),
        (["-f", "atom: fork[0] == 1"], "an atom only names a condition"),
        (["--properties", "nowhere.prop"], "cannot read nowhere.prop"),
    ],
)
def test_a_wrong_question_is_refused(
    plait: Command, philosophers: Path, options: list[str], message: str
) -> None:
    result = plait("check", philosophers, *options)
    assert result.status == 2
    assert message in result.err
    assert "Traceback" not in result.err


def test_what_is_no_ordinary_file_is_refused_at_once(plait: Command, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.gal"
    os.mkfifo(pipe)
    sparse = tmp_path / "sparse.gal"
    with sparse.open("wb") as file:
        file.truncate(5 * 2**30)
    loop = tmp_path / "loop.gal"
    loop.symlink_to(loop)
    messages = {
        tmp_path: "it is a folder",
        tmp_path / "missing.gal": "No such file or directory",
        pipe: "it is not an ordinary file",
        Path("/dev/zero"): "it is not an ordinary file",
        sparse: "it is larger than 2 GiB",
        loop: "Too many levels of symbolic links",
    }
    for path, message in messages.items():
        result = plait("check", path)
        assert (result.status, result.out) == (2, "")
        assert result.err == f"error: cannot read {path}: {message}\n"


def test_a_name_that_begins_with_a_dash_can_be_given(
    plait: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-x.gal").write_text("gal g { int x = 0; transition t [x == 0] { x = 1 - x; } }\n")
    assert plait("states", "--", "-x.gal").status == 0


def test_a_hundred_thousand_levels_are_answered(plait: Command, tmp_path: Path) -> None:
    """T20: parentheses, negations, a sum and a conjunction of a hundred thousand parts."""
    n = 100_000
    total = " + ".join(["x"] * n)
    both = " && ".join(["x <= 1"] * n)
    file = tmp_path / "deep.gal"
    file.write_text(
        f"gal g {{ int x = 0; int y = 0;\n"
        f"transition a [{'!' * n}{'(' * n}x == 0{')' * n}] {{ x = 1; }}\n"
        f"transition b [{both}] {{ y = {total}; x = 0; }}\n"
        f"}}\nproperty p [bounds] : y;\n"
    )
    result = plait("check", file, "-q")
    assert result.status == 0
    assert "0..100000" in result.out


def test_two_documents_do_not_go_to_one_stream(plait: Command, philosophers: Path) -> None:
    result = plait("check", philosophers, "--json", "-", "--witness", "-")
    assert (result.status, result.out) == (2, "")
    assert "two documents" in result.err


NAMED = """<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
 <net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
  <place id="p1"><name><text>idle worker</text></name></place>
  <transition id="t1"><name><text>begin</text></name></transition>
  <arc id="a" source="p1" target="t1"/>
 </page></net>
</pnml>
"""


@pytest.mark.parametrize(
    ("formula", "hint"),
    [
        ('"idle worker" > 1', "formulas use ids, and 'idle worker' is the name of 'p1'"),
        ('enabled("begin")', "formulas use ids, and 'begin' is the name of 't1'"),
    ],
)
def test_who_calls_a_node_by_its_name_is_told_its_id(
    plait: Command, tmp_path: Path, formula: str, hint: str
) -> None:
    net = tmp_path / "net.pnml"
    net.write_text(NAMED)
    result = plait("check", net, "-f", formula)
    assert result.status == 2
    assert result.err.splitlines()[-1].strip() == hint


def test_who_pipes_a_model_or_checks_a_program_is_told_what_to_do(
    plait: Command, tmp_path: Path
) -> None:
    piped = plait("check", "-")
    assert piped.status == 2
    assert "there is no reading from a pipe" in piped.err
    program = tmp_path / "sample.sm"
    program.write_text("print(1);")
    checked = plait("check", program)
    assert checked.status == 2
    assert "plait smart runs it" in checked.err


def test_a_name_as_long_as_a_file_is_cut_in_messages(plait: Command, tmp_path: Path) -> None:
    model = tmp_path / "long.gal"
    model.write_text(f"gal g {{ int x; transition t [{'y' * 100_000} == 0] {{ x = 1; }} }}")
    result = plait("check", model)
    assert result.status == 2
    assert "undeclared variable 'yyy" in result.err
    assert len(result.err) < 1_000
