"""Long texts that would be slow to check naively: each is checked, with the answer that a short text would get.

Each is long enough that work growing with its square would take minutes.
"""

from __future__ import annotations

from collections import Counter

import pytest

from kleis.syntax.parser.parser import parse_program
from kleis.theory.name_check.check_names import check_names
from kleis.theory.theory import Theory

MANY = 8000


def lines(template: str) -> str:
    return "\n".join(template.replace("#+", str(n + 1)).replace("#", str(n)) for n in range(MANY))


TEXTS = {
    "definitions of one name": (lines("define f(x) = f(x, x)"), {"arity": MANY, "redefinition": MANY - 1}),
    "data types of one name": (lines("data D = A#"), {"duplicate-declaration": MANY - 1}),
    "lets": (
        'example "a" {' + lines("let x# = 1 assert(∀(y : ℤ). y = x#)") + "}",
        {},
    ),
    "a chain of structures": (
        lines("structure S#(A) extends S#+(A) { element e# : A }") + f"\nstructure S{MANY}(A) {{ }}",
        {},
    ),
    "a circle of structures": (
        lines("structure S#(A) extends S#+(A) over S0(A) { }")
        + f"\nstructure S{MANY}(A) extends S0(A) {{ }}",
        {"inheritance-cycle": MANY + 1},
    ),
    "implementations of one structure": (
        "structure S(A) { element e : A }\n" + lines("implements S(ℤ) { }"),
        {"missing-implementation": MANY},
    ),
    "a chain of aliases": (lines("type T# = T#+"), {}),
    "a circle of aliases": (lines("type T# = T#+") + f"\ntype T{MANY} = T0", {"alias-cycle": MANY + 1}),
    "constructors": (
        "data D = "
        + " | ".join(f"C{n}(x : ℤ)" for n in range(MANY))
        + "\ndefine f(x) = match x {"
        + " | ".join(f"C{n}(y) => y" for n in range(MANY))
        + "}",
        {},
    ),
    "unknown names": (lines("define f#(x) = unkn#(x)"), {"unknown-function": MANY}),
    "axioms of one name": ("structure S {" + lines("axiom a : true") + "}", {"duplicate-name": MANY - 1}),
}


@pytest.mark.parametrize("name", TEXTS)
def test_long_texts(name: str) -> None:
    text, expected = TEXTS[name]
    program = parse_program(text)
    theory = Theory().include(program)
    found = Counter(each.code for each in (*theory.problems, *check_names(program, theory, {})))
    found.pop("unknown-type", None)
    assert found == expected
