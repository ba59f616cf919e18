"""`kleis.verify`, `kleis.evaluate` and `kleis.Theory`: the answers of the commands, and errors that are raised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import kleis

GROUPS = """
structure G1(T) {
  operation (•) : T → T → T
  element e : T
  operation inv : T → T
  axiom left_unit : ∀(x : T). e • x = x
  axiom left_inverse : ∀(x : T). inv(x) • x = e
  axiom associativity : ∀(x y z : T). (x • y) • z = x • (y • z)
  axiom superfluous : ∀(x : T). e • (e • x) = x
}
"""


def test_a_claim_is_decided_with_the_warnings_of_its_reading() -> None:
    verdict = kleis.verify("x² ≥ 0")
    assert verdict.status == "verified"
    assert [each.code for each in verdict.warnings] == ["free-names"]
    assert verdict.as_dict()["warnings"][0]["code"] == "free-names"


def test_a_false_claim_has_a_counterexample() -> None:
    verdict = kleis.verify("∀(x : ℤ). x ≠ 42")
    assert verdict.status == "disproved"
    assert verdict.evidence is not None
    assert [(each.name, each.value) for each in verdict.evidence.bindings] == [("x", "42")]


def test_imports_and_lemmas() -> None:
    assert kleis.verify("isPrime(7)", imports=["stdlib/number_theory.kleis"]).status == "verified"
    assert kleis.verify("∀(x : ℤ). x < x + 2", lemmas=["∀(x : ℤ). x < x + 1"]).status == "verified"


def test_an_expression_is_computed() -> None:
    assert kleis.evaluate("1/3 + 1/6") == {"status": "value", "result": "1/2"}
    answer = kleis.evaluate("x + 1")
    assert next(iter(answer)) == "warnings"
    assert answer["symbolic"]


@pytest.mark.parametrize(
    ("ask", "kind", "said"),
    [
        (lambda: kleis.verify("2x = 1"), kleis.ParseError, "write 2 * x"),
        (lambda: kleis.evaluate("2x"), kleis.ParseError, "write 2 * x"),
        (lambda: kleis.verify("isPrime(7)"), kleis.KleisError, 'imports=["stdlib/number_theory.kleis"]'),
        (lambda: kleis.evaluate("isPrime(7)"), kleis.KleisError, 'imports=["stdlib/number_theory.kleis"]'),
        (lambda: kleis.verify("1 = 1", imports=["nowhere.kleis"]), kleis.LoadError, "no file"),
        (lambda: kleis.Theory.load("nowhere.kleis"), kleis.LoadError, "no file"),
        (lambda: kleis.evaluate("1/0"), kleis.EvaluationError, "division by zero"),
    ],
)
def test_what_is_wrong_is_raised(ask: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind) as caught:
        ask()
    assert said in str(caught.value)


def test_an_error_has_the_warnings_of_its_answer() -> None:
    with pytest.raises(kleis.KleisError) as caught:
        kleis.verify("not 1 = 2")
    assert [each["code"] for each in caught.value.warnings] == ["not-binds-tight"]
    assert "applies to the next part" in caught.value.__notes__[0]
    assert caught.value.line == 1


def test_a_theory_of_a_file_answers(tmp_path: Path) -> None:
    file = tmp_path / "groups.kleis"
    file.write_text(GROUPS)
    theory = kleis.Theory.load(file)
    verdict = theory.verify("∀(x : T). inv(x) • (x • e) = e", using="G1(T)")
    assert verdict.status == "verified"
    told = theory.explain("∀(x : T). e • (e • x) = x", using="G1(T)")
    assert told["status"] == "verified"
    assert "superfluous" in " ".join(told["redundant"])
    with pytest.raises(kleis.KleisError):
        theory.explain("nothing(x) = 1")


def test_a_theory_of_the_library_is_found_as_an_import_is() -> None:
    algebra = kleis.Theory.load("stdlib/algebra.kleis")
    assert isinstance(algebra, kleis.Theory)
    assert "Group" in algebra.structures


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "broken.kleis"
    file.write_text("define f(x = 1")
    with pytest.raises(kleis.ParseError):
        kleis.Theory.load(file)


def test_a_theory_that_grows_stays_one_to_ask() -> None:
    grown = kleis.Theory().include(kleis.parse_program("define f(x : ℤ) : ℤ = x + 1"))
    assert grown.verify("f(2) = 3").status == "verified"


def test_time_that_is_over_is_unknown() -> None:
    verdict = kleis.verify("∀(x y z : ℕ). x > 0 ∧ y > 0 ∧ z > 0 → x^7 + y^7 ≠ z^7", timeout=0.0)
    assert verdict.status == "unknown"


def test_models_of_constraints_and_structures() -> None:
    answer = kleis.Theory().models("∃(x y : ℤ). x * y = 12 ∧ x < y", where=["x > 0"], all=True)
    assert (answer["count"], answer["complete"]) == (3, True)
    assert kleis.Theory().models("∃(x : ℤ). 2 * x = 7")["status"] == "none"
    with pytest.raises(kleis.KleisError, match="declared nowhere"):
        kleis.Theory().models("Nothing")
    with pytest.raises(kleis.KleisError, match="every size"):
        kleis.Theory.load("stdlib/algebra.kleis").models("Group", all=True)
    with pytest.raises(ValueError, match="least and greatest"):
        kleis.Theory().models("x > 1", minimise="x", maximise="x")


def test_a_machine_is_checked() -> None:
    theory = kleis.Theory().include(
        kleis.parse_program("define init(x : ℤ) = x = 0\ndefine next(x : ℤ, y : ℤ) = y = x + 2")
    )
    answer = theory.machine(invariants=["mod(x, 2) = 0"], reach=["x = 4"])
    assert answer["status"] == "verified"
    assert [each["state"]["x"] for each in answer["properties"][1]["trace"]] == ["0", "2", "4"]
    with pytest.raises(kleis.KleisError, match="no definition init"):
        kleis.Theory().machine(deadlock=True)
