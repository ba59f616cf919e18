"""Files for other provers: the SMT-LIB of the solvers, and TPTP that says the same."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from kleis.core import Quantifier, Term, Variable
from kleis.core.goal import Goal
from kleis.core.traversal import subterms
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.problem_files import ExportError, smtlib, tptp
from kleis.prover.protocol.engine import Task
from kleis.prover.smt.script import encode
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from tests.support.provers.solving import _check
from tests.support.theories.algebra import G
from tests.support.theories.random_theories import equations, formulas

PROGRAM = """
structure Order(P) {
  operation below : P × P → Bool
  axiom same : ∀(x : P). below(x, x)
}
structure Shelf { operation weight : ℕ → ℕ  axiom grows : ∀(n : ℕ). weight(n) < weight(n + 1) }
define half(x : ℚ) : ℚ = x / 2
define down(n : ℤ) : ℤ = if n ≤ 0 then 0 else down(n - 1)
"""


def meaning(proposition: str) -> Goal:
    return Elaborator(Theory().include(parse_program(PROGRAM))).proposition(parse_expression(proposition))


def test_smtlib_is_what_solvers_are_asked() -> None:
    asked = meaning("∀(x : P). below(x, x)")
    found = smtlib(asked)
    assert found.text == encode(Task(asked)).text()
    assert _check([found.text], 100_000) == "unsat"


def test_one_sort_is_written_without_types() -> None:
    text = tptp(meaning("∀(x : P). below(x, x)")).text
    assert text.count("fof(") == 2
    assert "tff" not in text
    assert "fof(claim, conjecture, ! [X_x] : (s_below(X_x,X_x)))." in text


def test_natural_numbers_are_guarded() -> None:
    text = tptp(meaning("∀(n : ℕ). weight(n) ≥ 0")).text
    assert "tff(s_weight_type, type, s_weight: $int > $int)." in text
    assert re.search(r"s_weight_natural, axiom, ! \[X_a0: \$int\] : \(\(\$greatereq\(X_a0,0\)\) =>", text)
    assert "tff(claim, conjecture, ! [X_n: $int] : (($greatereq(X_n,0)) => " in text


def test_what_is_claimed_is_that_it_is_defined_too() -> None:
    text = tptp(meaning("∀(x : ℚ). x / x = 1")).text
    assert "(~ (X_x = 0/1)) & ($quotient(X_x,X_x) = 1/1)" in text


def test_definitions_that_are_not_recursive_are_written_out() -> None:
    assert "$quotient(X_x,2/1)" in tptp(meaning("∀(x : ℚ). half(x) = x")).text


@pytest.mark.parametrize(
    ("proposition", "reason"),
    [
        ("∀(n : ℤ). down(n) = 0", "recursive definition down"),
        ("length([1]) = 1", "list"),
        ('concat("a", "b") = "ab"', "no first-order form"),
        ("∀(p : Bool). p ∨ ¬p", "truth values"),
        ("∀(x : ℝ). sin(x) ≤ 1", "built-in sin"),
    ],
)
def test_what_is_not_first_order_is_refused(proposition: str, reason: str) -> None:
    with pytest.raises(ExportError, match=reason) as refusal:
        tptp(meaning(proposition))
    assert refusal.value.code == "not-expressible"


# ── TPTP and SMT-LIB say the same ────────────────────────────────────────────────────────────────────────────


class _Reader:
    """Reads an FOF formula into SMT-LIB, and collects what it mentions."""

    def __init__(self) -> None:
        self.functions: dict[str, tuple[int, str]] = {}
        self.tokens: list[str] = []

    def formula(self, text: str) -> str:
        self.tokens = re.findall(r"<=>|=>|[()\[\],:!?~&|=]|[$\w]+", text)
        found = self._formula()
        assert not self.tokens
        return found

    def _take(self, *expected: str) -> str:
        token = self.tokens.pop(0)
        assert not expected or token in expected, (token, expected)
        return token

    def _formula(self) -> str:
        parts = [self._unit()]
        operator = ""
        while self.tokens and self.tokens[0] in ("&", "|", "=>", "<=>"):
            operator = self._take()
            parts.append(self._unit())
        words = {"&": "and", "|": "or", "=>": "=>", "<=>": "=", "": ""}
        return f"({words[operator]} {' '.join(parts)})" if operator else parts[0]

    def _unit(self) -> str:
        if self.tokens[0] == "~":
            self._take()
            return f"(not {self._unit()})"
        if self.tokens[0] in ("!", "?"):
            word = "forall" if self._take() == "!" else "exists"
            self._take("[")
            names = [self._take()]
            while self._take(",", "]") == ",":
                names.append(self._take())
            self._take(":")
            return f"({word} ({' '.join(f'({each} G)' for each in names)}) {self._unit()})"
        if self.tokens[0] == "(":
            self._take()
            inner = self._formula()
            self._take(")")
            return inner
        return self._atom()

    def _atom(self) -> str:
        left, name, count = self._term()
        if self.tokens and self.tokens[0] == "=":
            self._take()
            if name:
                self.functions.setdefault(name, (count, "G"))
            right, other, number = self._term()
            if other:
                self.functions.setdefault(other, (number, "G"))
            return f"(= {left} {right})"
        if name:
            self.functions[name] = (count, "Bool")
        return left

    def _term(self) -> tuple[str, str, int]:
        head = self._take()
        if head in ("$true", "$false"):
            return head[1:], "", 0
        if head[0].isupper():
            return head, "", 0
        given = []
        if self.tokens and self.tokens[0] == "(":
            self._take()
            while True:
                text, name, count = self._term()
                if name:
                    self.functions.setdefault(name, (count, "G"))
                given.append(text)
                if self._take(",", ")") == ")":
                    break
        return (f"({head} {' '.join(given)})" if given else head), head, len(given)


def _read(text: str) -> str:
    reader = _Reader()
    asserted = []
    for role, formula in re.findall(r"^fof\([^,]+, (\w+), (.*)\)\.$", text, re.MULTILINE):
        read = reader.formula(formula)
        asserted.append(f"(assert (not {read}))" if role == "conjecture" else f"(assert {read})")
    declared = [
        f"(declare-fun {name} ({' '.join(['G'] * count)}) {result})"
        for name, (count, result) in reader.functions.items()
    ]
    return "\n".join(["(declare-sort G 0)", *declared, *asserted, "(check-sat)"])


def _one_sorted(claim: Term) -> bool:
    """Whether truth values stand nowhere but as formulas, and there are no terms with `if`."""
    for each in subterms(claim):
        if isinstance(each, Quantifier) and any(variable.sort != G for variable in each.variables):
            return False
        if isinstance(each, Variable) and each.sort != G:
            return False
    return True


@given(formulas() | equations())
def test_tptp_says_what_smtlib_says(claim: Term) -> None:
    symbols = dict.fromkeys(each.symbol for each in subterms(claim) if hasattr(each, "symbol"))
    asked = Goal(claim=claim, carriers=(G,), symbols=tuple(symbols))
    try:
        text = tptp(asked).text
    except ExportError as error:
        assert error.code == "not-expressible"
        return
    assert _one_sorted(claim)
    if "fof(" not in text:
        return
    ours = _check([smtlib(asked).text], 200_000)
    theirs = _check([_read(text)], 200_000)
    assert ours == theirs or "unknown" in (ours, theirs)
