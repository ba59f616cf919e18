"""`kleis show --meaning`: how a proposition was interpreted, as text that parses again and as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kleis.syntax.parser.parser import parse_expression

KEYS = {
    "proposition", "operations", "using", "free", "instances", "carriers", "symbols", "axioms", "definitions", "data",
    "readings", "conditions", "obligations", "unsettled", "warnings",
}  # fmt: skip

MONOID = """
structure Monoid(M) {
    operation (•) : M → M → M
    element e : M
    axiom left : ∀(x : M). e • x = x
}
structure Weights {
    operation weight : ℤ → ℝ
    axiom positive : ∀(n : ℤ). weight(n) > 0
}
data Option(T) = None | Some(value : T)
define twice(x) = x + x
define total(l : List(ℤ)) : ℤ = match l { [] => 0 | Cons(h, t) => h + total(t) }
define endless(n : ℤ) : ℤ = endless(n + 1)
"""


def sections(text: str) -> dict[str, list[str]]:
    """The lines of each section."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        name = line[:13].strip() or name
        found.setdefault(name, []).append(line[13:])
    return found


def test_coercions_operators_and_free_names(kleis: Callable[..., Any]) -> None:
    answer = kleis("show", "--meaning", "∀(n : ℕ). n + x > 0.5")
    assert answer.status == 0
    assert answer.err == ""
    shown = sections(answer.out)
    assert shown["proposition"] == ["∀(x : ℝ, n : ℕ). (n : ℝ) + x > (0.5 : ℝ)"]
    assert shown["free names"] == ["x : ℝ"]
    assert shown["operations"] == ["operation (>) : ℝ → ℝ → Bool", "operation (+) : ℝ → ℝ → ℝ"]
    assert "conditions" not in shown


def test_what_is_printed_is_read_as_the_same(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(monoid=MONOID)
    for text in (
        "∀(x : M). x • e = x",
        "∀(n : ℕ, o : Option(ℕ)). twice(n) > r → match o { None => true | Some(v) if v > 3 => v = 4 | Some(w) => w ≤ 3 }",
        "∀(l : List(ℤ)). total(l) = sum(l) → ∃(m : ℕ) where m ≠ 0. weight(m) = 1",
    ):
        first = kleis("show", "--import", "monoid.kleis", "--meaning", text, "--json").json
        again = kleis("show", "--import", "monoid.kleis", "--meaning", first["proposition"], "--json").json
        assert again["proposition"] == first["proposition"]
        for key in ("using", "instances", "axioms", "definitions", "symbols", "conditions", "obligations"):
            assert again[key] == first[key]


def test_structures_in_force(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(monoid=MONOID)
    answer = kleis("show", "--import", "monoid.kleis", "--meaning", "∀(x : M). x • e = x", "--json")
    assert answer.status == 0
    shown = answer.json
    assert set(shown) == KEYS
    assert shown["using"] == "Monoid"
    assert shown["proposition"] == "using Monoid ∀(x : M). x • e = x"
    assert [(each["name"], each["standing"], each["certain"]) for each in shown["axioms"]] == [
        ("Monoid::left", "axiom", True)
    ]
    assert shown["symbols"] == ["operation e : M", "operation (•) : M → M → M"]


def test_using_from_the_command_line(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(two="structure A(S) { element e : S }\nstructure B(S) { element e : S }")
    unclear = kleis("show", "--import", "two.kleis", "--meaning", "∀(x : S). x = e")
    assert unclear.status == 1
    assert "A" in unclear.err
    assert "B" in unclear.err
    answer = kleis("show", "--import", "two.kleis", "--using", "B", "--meaning", "∀(x : S). x = e")
    assert sections(answer.out)["proposition"] == ["using B ∀(x : S). x = e"]


def test_conditions_of_definedness(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    shown = kleis("show", "--meaning", "∀(x : ℝ). x = 0 ∨ x / x = 1", "--json").json
    assert [(each["kind"], each["certain"]) for each in shown["conditions"]] == [("operation", True)]
    shown = kleis("show", "--meaning", "∀(x y : ℝ). x / y = y / x", "--json").json
    assert [each["certain"] for each in shown["conditions"]] == [False, False]
    for each in shown["conditions"]:
        parse_expression(each["proposition"])
    write(monoid=MONOID)
    shown = kleis("show", "--import", "monoid.kleis", "--meaning", "endless(0) = 1", "--json").json
    assert [(each["kind"], each["proposition"]) for each in shown["conditions"]] == [("termination", "")]
    assert [each["reason"] for each in shown["unsettled"]] == ["termination"]


def test_definitions_and_why_they_end(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(monoid=MONOID)
    answer = kleis("show", "--import", "monoid.kleis", "--meaning", "∀(l : List(ℤ)). total(l) = 0")
    lines = sections(answer.out)["definitions"]
    assert lines[0].startswith("define total(l : List(ℤ)) : ℤ = match l {")
    assert lines[-1].strip().startswith("terminates: structural")


def test_standard_input_and_ascii(process: Callable[..., Any]) -> None:
    answer = process("show", "--ascii", "--meaning", "-", text="∀(n : ℤ). n ≥ 1 ∨ n ≠ 1\n")
    assert answer.status == 0
    assert sections(answer.out)["proposition"] == ["forall (n : ℤ). n >= (1 : ℤ) or n != (1 : ℤ)"]


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("∀(x : ℝ. x = x", "unexpected-token", 8),
        ("1 + lenght([1]) = 2", "unknown-name", 5),
        ("∀(n : ℕ). n = true", "ill-sorted", 11),
    ],
)
def test_errors_point_at_their_place(kleis: Callable[..., Any], text: str, code: str, column: int) -> None:
    answer = kleis("show", "--meaning", text)
    assert answer.status == 1
    assert answer.out == ""
    assert f"<proposition>:1:{column}: " in answer.err
    assert f"\n  {text}\n" in answer.err
    assert "^" in answer.err
    refused = kleis("show", "--meaning", text, "--json")
    assert refused.status == 1
    assert refused.json["error"]["code"] == code
    assert refused.json["error"]["column"] == column


def test_errors_of_imported_files(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(bad="define f( = 1", wrong="define f(x : ℤ) : Bool = x + 1\n")
    broken = kleis("show", "--import", "bad.kleis", "--meaning", "f(1)")
    assert broken.status == 1
    assert "bad.kleis" in broken.err
    wrong = kleis("show", "--import", "wrong.kleis", "--meaning", "f(1)")
    assert wrong.status == 1
    assert "wrong.kleis:1:" in wrong.err
    assert "define f(x : ℤ) : Bool = x + 1" in wrong.err
    missing = kleis("show", "--import", "missing.kleis", "--meaning", "1 = 1")
    assert missing.status == 1
    assert "missing.kleis" in missing.err


def test_mistakes_in_the_command(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(monoid=MONOID)
    for arguments in (
        ("show",),
        ("show", "monoid.kleis", "--meaning", "1 = 1"),
        ("show", "monoid.kleis", "--using", "S"),
        ("show", "--meaning", "1 = 1", "--tree"),
    ):
        assert kleis(*arguments).status == 2
    assert kleis("show", "monoid.kleis").status == 0
