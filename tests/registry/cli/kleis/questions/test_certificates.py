"""`kleis verify --certificate`, `kleis consistent --certificates`, `kleis certificate check`: what is written, what a check
says that a verdict rests on, and comparisons with what the reader holds.

See docs/reference/proving.md §12.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from kleis.prover.checker.format import CertificateError
from kleis.prover.checker.strict_reading import from_json, to_json
from tests.support.theories.small_theories import GROUP

Kleis = Callable[..., Any]

RIGHT_IDENTITY = "∀(x : G). x • e = x"
ABELIAN = "∀(x y : G). x • y = y • x"
SINE = "∀(x : ℝ). atan(x) < 2"
CLASH = """
structure Clash {
  element c : ℤ
  axiom one : c = 1
  axiom two : c = 2
}
"""
INFINITE = """
structure Nested(T) {
  operation next : T → T
  element start : T
  axiom injective : ∀(x y : T). next(x) = next(y) ⟹ x = y
  axiom first : ∀(x : T). next(x) ≠ start
}
"""


@pytest.fixture
def unit(kleis: Kleis, write: Callable[..., None]) -> str:
    """The certificate of a proof from axioms."""
    write(group=GROUP)
    kleis("verify", RIGHT_IDENTITY, "--import", "group.kleis", "--certificate", "unit.json")
    return "unit.json"


@pytest.mark.parametrize("proposition", [RIGHT_IDENTITY, ABELIAN, "∀(x : ℝ). x * x ≥ 0", "∀(x : ℤ). x ≠ 42"])
def test_a_certificate_is_written_and_checked(
    kleis: Kleis, write: Callable[..., None], tmp_path: Path, proposition: str
) -> None:
    write(group=GROUP)
    verdict = kleis("verify", proposition, "--import", "group.kleis", "--certificate", "proof.json", "--json")
    assert verdict.json["certificate"] == "proof.json"
    (tmp_path / "group.kleis").unlink()
    answer = kleis("certificate", "check", "proof.json", "--claim", proposition, "--json")
    assert (answer.status, answer.json["ok"], answer.json["status"]) == (0, True, verdict.json["status"])
    assert kleis("certificate", "check", "proof.json").out.startswith(f"valid  {verdict.json['status']}: ")
    assert [each.name for each in tmp_path.glob("proof*")] == ["proof.json"]


def test_a_check_says_what_the_verdict_rests_on(kleis: Kleis, unit: str) -> None:
    found = kleis("certificate", "check", unit, "--json").json
    assert set(found["core"]) == {"Group::assoc", "Group::left_id", "Group::left_inv"}
    assert (found["model"], len(found["goal"]), len(found["theory"])) == ("checked", 64, 64)
    assert {"place": "claim", "by": "rewriting", "steps": 0} in found["leaves"]
    words = kleis("certificate", "check", unit).out
    for said in (
        "valid  verified: using Group",
        "Group::assoc",
        "they have a model, which was checked",
        "claim: rewriting",
        " s\n",
    ):
        assert said in words


def test_axioms_without_a_known_model_are_said_first(kleis: Kleis, write: Callable[..., None]) -> None:
    write(nested=INFINITE)
    claim = "∀(x : T). next(next(x)) = next(next(start)) ∧ next(x) ≠ start ⟹ x = start"
    asked = kleis("verify", claim, "--import", "nested.kleis", "--certificate", "proof.json")
    found = kleis("certificate", "check", "proof.json", "--json").json
    known = found["model"] == "checked"
    first = asked.out.splitlines()[0]
    checked = kleis("certificate", "check", "proof.json").out.splitlines()[0]
    for line in (first, checked):
        assert ("– the axioms used are not known to have a model" in line) is not known
    assert kleis("certificate", "check", "proof.json", "--require-model").status == (0 if known else 1)


def test_what_the_reader_holds_is_compared(kleis: Kleis, write: Callable[..., None], unit: str) -> None:
    """By meaning: the reader's file has other text, and more in it."""
    write(group="// a comment\n" + GROUP + "define twice(n : ℤ) : ℤ = n + n\n")
    for options in (
        ("--theory", "group.kleis"),
        ("--claim", f"using Group {RIGHT_IDENTITY}"),
        ("--claim", RIGHT_IDENTITY, "--theory", "group.kleis"),
    ):
        answer = kleis("certificate", "check", unit, *options)
        assert (answer.status, answer.out.startswith("valid  ")) == (0, True), answer.out


@pytest.mark.parametrize(
    ("change", "claim", "said"),
    [
        (("left_id", "left_unit"), "", "axiom Group::left_id: only certified"),
        (("e • x = x", "x • e = x"), "", "axiom Group::left_id: another meaning"),
        (("inv(x) • x = e", "inv(x) • x = e\n  axiom more : e = e"), "", "axiom Group::more: only given"),
        (("", ""), "∀(x : G). e • x = x", "the claim: certified using Group ∀(x : G). x • e = x; given"),
        (("", ""), "∀(x : G). nothing(x) = x", "what was given cannot be read"),
        (("axiom assoc :", "axiom assoc"), "", "what was given cannot be read"),
    ],
)
def test_what_differs_is_said(
    kleis: Kleis, write: Callable[..., None], unit: str, change: tuple[str, str], claim: str, said: str
) -> None:
    write(held=GROUP.replace(*change) if change[0] else GROUP)
    answer = kleis("certificate", "check", unit, "--theory", "held.kleis", "--claim", claim)
    assert answer.status == 1
    assert answer.out.startswith("not what was asked for")
    assert f"differs       {said}" in answer.out
    found = kleis("certificate", "check", unit, "--theory", "held.kleis", "--claim", claim, "--json").json
    assert (found["ok"], any(each.startswith(said) for each in found["differences"])) == (False, True)


def test_parts_have_certificates(kleis: Kleis, write: Callable[..., None], tmp_path: Path) -> None:
    write(group=GROUP, clash=CLASH)
    for name, status in (("group", "consistent"), ("clash", "inconsistent")):
        kleis("consistent", f"{name}.kleis", "--certificates", name)
        (file,) = map(str, (tmp_path / name).iterdir())
        answer = kleis("certificate", "check", file, "--theory", f"{name}.kleis", "--json")
        assert (answer.status, answer.json["status"]) == (0, status)
        refused = kleis("certificate", "check", file, "--claim", "1 = 1")
        assert (refused.status, "has no claim" in refused.out) == (1, True)
        assert kleis("certificate", "check", file, "--theory", "missing.kleis").status == 1


def test_a_forged_certificate_is_refused_at_the_step_that_lies(
    kleis: Kleis, unit: str, tmp_path: Path
) -> None:
    given = from_json((tmp_path / unit).read_bytes())
    forged = to_json(given).replace(b"x \xe2\x80\xa2 e = x", b"x \xe2\x80\xa2 e = e")
    (tmp_path / "forged.json").write_bytes(forged)
    answer = kleis("certificate", "check", "forged.json")
    assert (answer.status, answer.out.splitlines()[0]) == (1, "not valid  forged.json")
    assert "refused       goal: " in answer.out
    found = kleis("certificate", "check", "forged.json", "--json").json
    assert (found["ok"], found["refused"][0]) == (False, "goal")


@pytest.mark.parametrize("text", ["[]", "", "{}", '{"version":2}', "\x00"])
def test_what_is_no_certificate(kleis: Kleis, tmp_path: Path, text: str) -> None:
    (tmp_path / "no.json").write_text(text)
    answer = kleis("certificate", "check", "no.json", "--json")
    assert (answer.status, answer.json["ok"], answer.json["refused"][0]) == (1, False, "file")
    assert kleis("certificate", "check", "missing.json").status == 2


def test_a_certificate_of_format_1_says_what_to_do(kleis: Kleis, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text(json.dumps({"version": 1, "status": "verified", "claim": "1 = 2"}))
    answer = kleis("certificate", "check", "old.json")
    assert (answer.status, "this is a certificate of format 1" in answer.out) == (1, True)


def test_both_solvers_have_to_refute_every_leaf(kleis: Kleis) -> None:
    kleis("verify", "∀(x : ℝ). x * x ≥ 0", "--certificate", "proof.json")
    answer = kleis("certificate", "check", "proof.json", "--with", "both", "--json")
    if find_spec("cvc5") is None:
        assert (answer.status, answer.json["refused"]) == (1, ["solvers", "cvc5 is not installed"])
    else:
        assert answer.status == (0 if answer.json["ok"] else 1)
        assert all("z3" in each["by"] and "cvc5" in each["by"] for each in answer.json.get("leaves", []))


def test_what_decides_nothing_has_no_certificate(kleis: Kleis, tmp_path: Path) -> None:
    assert kleis("verify", SINE, "--certificate", "proof.json").status == 3
    assert not (tmp_path / "proof.json").exists()


def test_a_verdict_without_a_certificate_stays_and_says_why(
    kleis: Kleis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: Any, **__: Any) -> None:
        raise CertificateError("no certificate: leaf claim: z3 does not refute it", code="certificate-none")

    monkeypatch.setattr("kleis.prover.certificates.build.build", none)
    answer = kleis("verify", "∀(x : ℝ). x * x ≥ 0", "--certificate", "proof.json")
    assert (answer.status, answer.out.startswith("verified")) == (0, True)
    assert "certificate   none (leaf claim: z3 does not refute it)" in answer.out
    assert not (tmp_path / "proof.json").exists()
