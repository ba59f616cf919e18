"""`kleis check` reports what elaboration finds: sorts, kinds, dimensions, definedness, termination, ambiguity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from kleis.prover.portfolio import LOOK


def problems(kleis: Callable[..., Any], write: Callable[..., None], text: str) -> list[dict[str, Any]]:
    write(main=text)
    (file,) = kleis("check", "--json", "main.kleis").json["files"]
    assert file["parse"] == "ok"
    found: list[dict[str, Any]] = file["problems"]
    return found


GOOD = """
structure Monoid(M) {
    operation (•) : M → M → M
    element e : M
    axiom left : ∀(x : M). e • x = x
}
structure Ordered(S) extends Monoid(S) { operation (⊕) : S → S → Bool }
data Tree(T) = Leaf | Node(left : Tree(T), item : T, right : Tree(T))
define nodes(t) = match t { Leaf => 0 | Node(l, _, r) => nodes(l) + 1 + nodes(r) }
define half(x : ℝ) : ℝ = x / 2
define safe(x : ℝ) : ℝ = if x = 0 then 0 else 1 / x
"""


def test_a_good_program_has_no_problems(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    assert problems(kleis, write, GOOD) == []


ERRORS = {
    "wrong sort": ("structure S { axiom a : ∀(x : ℤ). x }", 1),
    "boolean and number": ("structure S { axiom a : ∀(x : ℤ). x = true }", 1),
    "downward": ("define f(x : ℝ) : ℤ = x", 1),
    "built-in arithmetic on a carrier": ("structure S(A) { axiom a : ∀(x y : A). x + y = y + x }", 1),
    "kind": ("data Box(T) = B(T)\nstructure S { element b : Box }", 2),
    "negative data": ("data D = F(D → Bool)", 1),
    "data without a base case": ("data D = F(D)", 1),
    "ambiguous": (
        "structure A { operation f : ℤ → ℝ → Bool }\nstructure B { operation f : ℝ → ℤ → Bool }\n"
        "structure C { axiom c : f(1, 2) }",
        3,
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(kleis: Callable[..., Any], write: Callable[..., None], name: str) -> None:
    text, line = ERRORS[name]
    errors = [each for each in problems(kleis, write, text) if each["severity"] == "error"]
    assert [each["line"] for each in errors] == [line]
    assert errors[0]["column"] > 0
    assert errors[0]["message"]
    assert kleis("check", "main.kleis").status == 1


WARNINGS = {
    "definedness": ("structure S { operation f : ℝ → ℝ  axiom a : ∀(x : ℝ). f(x) = 1 / x }", 1),
    "termination": ("define f(n : ℤ) : ℤ = f(n + 1)", 1),
    "uncovered case": ("define f(l : List(ℤ)) : ℤ = match l { Cons(h, _) => h }", 1),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_warnings_do_not_fail(kleis: Callable[..., Any], write: Callable[..., None], name: str) -> None:
    text, line = WARNINGS[name]
    found = problems(kleis, write, text)
    own = [each for each in found if each["code"] != "clash"]  # what is nowhere defined is nowhere true
    assert [(each["severity"], each["line"]) for each in own] == [("warning", line)]
    assert kleis("check", "main.kleis").status == 0


def test_an_axiom_that_is_defined_gets_no_warning(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    text = """structure S {
    operation f : ℝ → ℝ
    axiom guarded : ∀(x : ℝ). x ≠ 0 → f(x) = 1 / x
    axiom other_order : ∀(x : ℝ). f(x) = 1 / x ∨ x = 0
    operation h : ℝ → ℝ
    axiom where_ : ∀(x : ℝ) where x > 2. h(x) = 1 / (x - 1)
    operation g : ℝ → ℝ
    axiom literal : ∀(x : ℝ). g(x) = x / 2
}"""
    assert problems(kleis, write, text) == []


def test_one_error_for_one_place(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    found = problems(kleis, write, "define f(x : ℤ) : ℤ = lenght(x)\ndefine g(x : ℤ) : ℤ = f(x)")
    assert [(each["code"], each["line"]) for each in found if each["severity"] == "error"][:1] == [
        ("unknown-function", 1)
    ]
    places = [(each["line"], each["column"]) for each in found if each["severity"] == "error"]
    assert len(places) == len(set(places))


def test_problems_are_in_order_of_place(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    text = "define f(x : ℝ) : ℤ = x\ndefine g(x) = lenght(x)\ndefine h(n : ℤ) : Bool = n\n"
    found = problems(kleis, write, text)
    assert [each["line"] for each in found] == [1, 2, 3]


def test_imported_files_speak_for_themselves(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(lib="define wrong(x : ℝ) : ℤ = x\n")
    assert problems(kleis, write, 'import "lib.kleis"\ndefine fine(x : ℤ) : ℤ = x + 1\n') == []


def test_syntax_only_asks_for_no_meaning(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main="define f(x : ℝ) : ℤ = x\n")
    assert kleis("check", "--syntax-only", "main.kleis").status == 0
    assert kleis("check", "main.kleis").status == 1


CLASH = """structure Bad {
    operation f : ℤ → ℤ
    axiom other : ∀(x : ℤ). f(x) ≠ 7
    axiom up : ∀(x : ℤ). f(x) > x
    axiom down : ∀(x : ℤ). f(x) < x
}
structure Abstract(T) {
    operation h : T → T
    axiom idle : ∀(x : T). h(h(x)) = h(x)
    axiom fixed : ∀(x : T). h(x) = x
    axiom moved : ∀(x : T). h(x) ≠ x
}
structure Good { element g : ℤ  axiom positive : g > 0 }
example "all else" { assert(g > 0 - 1) }
"""


def test_axioms_that_clash_are_a_warning_with_names_and_places(
    kleis: Callable[..., Any], write: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With as much time as it takes; no more names than are needed."""
    monkeypatch.setattr("registry.cli.kleis.shared.clashes._LEAST", 600.0)
    monkeypatch.setattr(
        "kleis.prover.portfolio.LOOK", tuple(msgspec.structs.replace(each, cpu=60) for each in LOOK)
    )
    found = problems(kleis, write, CLASH)
    assert [(each["code"], each["severity"], each["line"]) for each in found] == [
        ("clash", "warning", 4),
        ("clash", "warning", 10),
    ]
    assert [each["found"] for each in found] == ["Bad::up, Bad::down", "Abstract::fixed, Abstract::moved"]
    assert [[place["line"] for place in each["related"]] for each in found] == [[5], [11]]
    tested = kleis("test", "--json", "main.kleis").json["files"][0]
    assert [each["passed"] for each in tested["examples"]] == [True]
    assert [each["code"] for each in tested["warnings"]] == ["clash", "clash"]


def test_a_look_without_time_says_nothing(
    kleis: Callable[..., Any], write: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("registry.cli.kleis.shared.clashes._LEAST", -1e9)
    monkeypatch.setattr("time.monotonic", lambda: 0.0)
    assert problems(kleis, write, CLASH) == []
    assert kleis("check", "main.kleis").status == 0
