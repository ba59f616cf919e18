"""`kleis test` and `kleis verify` with files that state lemmas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FACTS = """
structure Facts {
    operation f : ℕ → ℕ
    axiom step : ∀(n : ℕ). f(n + 1) = f(n) + n + 1
    axiom at_zero : f(0) = 0
}
"""


def test_lemmas_are_reported_in_the_order_of_the_text(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(main=FACTS + "lemma three : f(3) = 6\ntheorem four : f(4) = 10 using three\nlemma wrong : 1 = 2\n")
    answer = kleis("test", "--json", "main.kleis")
    assert answer.status == 1
    (file,) = answer.json["files"]
    assert list(file) == ["file", "parse", "examples", "lemmas"]
    assert [list(each) for each in file["lemmas"]] == [["word", "name", "line", "status", "detail"]] * 3
    assert [(each["word"], each["name"], each["line"], each["status"]) for each in file["lemmas"]] == [
        ("lemma", "three", 7, "verified"),
        ("theorem", "four", 8, "verified"),
        ("lemma", "wrong", 9, "disproved"),
    ]


def test_a_lemma_that_is_not_proved_fails_its_file(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(main=FACTS + "lemma far : f(90) = 4095\n")
    answer = kleis("test", "main.kleis")
    assert answer.status == 1
    assert "failed main.kleis: lemma far" in answer.out
    assert "0 passed, 1 failed" in answer.out


def test_without_the_prover_lemmas_are_open(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main=FACTS + "lemma three : f(3) = 6\n")
    answer = kleis("test", "--exact", "main.kleis")
    assert answer.status == 0
    assert "1 not decided without the prover" in answer.out


def test_examples_use_the_lemmas_before_them(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    far = 'example "{}" {{ assert(f(70) = 2485) }}\n'
    lemmas = "".join(f"lemma at_{n} : f({n}) = {n * (n + 1) // 2}\n" for n in (20, 40, 60))
    write(main=FACTS + far.format("before") + lemmas + far.format("after"))
    (file,) = kleis("test", "--json", "main.kleis").json["files"]
    assert [each["status"] for each in file["lemmas"]] == ["verified"] * 3
    assert [(each["name"], each["passed"]) for each in file["examples"]] == [
        ("before", False),
        ("after", True),
    ]


def test_an_assertion_serves_the_later_ones_of_its_example(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    chain = "".join(f"assert(f({n}) = {n * (n + 1) // 2})\n" for n in (20, 40, 60))
    write(main=FACTS + f'example "chain" {{\n{chain}}}\nexample "alone" {{ assert(f(60) = 1830) }}\n')
    (file,) = kleis("test", "--json", "main.kleis").json["files"]
    assert [(each["name"], each["passed"]) for each in file["examples"]] == [
        ("chain", True),
        ("alone", False),
    ]


APPROXIMATE = """
structure Facts {
    operation g : ℝ → ℝ
    axiom there : ∀(x : ℝ). x = 0.8414709848078965 → g(x) = 1
}
example "tolerance" {
  assert(sin(1) = 0.8414709848078965)
  assert(g(sin(1)) = 1)
}
"""


def test_what_holds_within_a_tolerance_serves_nothing(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(main=APPROXIMATE)
    (file,) = kleis("test", "--json", "main.kleis").json["files"]
    first, second = file["examples"][0]["assertions"]
    assert (first["status"], first["detail"]) == ("passed", "(to 1e-9)")
    assert second["status"] == "unknown"


LETS = """
structure Facts { operation g : ℤ → ℤ  axiom given : g(5) = 1 }
example "lets" {
  let n = 5
  assert(g(n) = 1)
  let n = 6
  assert(g(n) = 1)
}
"""


def test_an_assertion_under_a_let_is_about_its_value(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(main=LETS)
    (file,) = kleis("test", "--json", "main.kleis").json["files"]
    assert [each["status"] for each in file["examples"][0]["assertions"]] == ["passed", "failed"]


def test_imported_lemmas_serve_once_they_are_proved(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    lemmas = "".join(f"lemma at_{n} : f({n}) = {n * (n + 1) // 2}\n" for n in (20, 40, 60))
    write(facts=FACTS + lemmas, main='import "facts.kleis"\n')
    claim = ("verify", "--json", "f(70) = 2485", "--import", "main.kleis")
    before = kleis(*claim)
    assert before.json["status"] == "unknown"
    (warning, *_) = before.json["warnings"]
    assert warning["code"] == "lemma-unproved"
    assert "at_20, at_40, at_60 of facts.kleis do not serve" in warning["message"]
    assert kleis("test", "facts.kleis").status == 0
    after = kleis(*claim)
    assert after.json["status"] == "verified"
    assert "warnings" not in after.json
    assert "lemma at_60" in after.json["core"]
    assert after.json["lemmas"] == ["at_60 : f(60) = 1830"]
    fresh = kleis(*claim, "--fresh")
    assert (fresh.json["status"], fresh.json["warnings"][0]["code"]) == ("unknown", "lemma-unproved")


def test_a_certificate_has_the_lemmas_of_files_with_their_proofs(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(main=FACTS + "lemma at_20 : f(20) = 210\nlemma at_40 : f(40) = 820 using at_20\n")
    assert kleis("test", "main.kleis").status == 0
    answer = kleis("verify", "f(60) = 1830", "--import", "main.kleis", "--certificate", "c.json")
    assert answer.status == 0, answer.out
    checked = kleis("certificate", "check", "c.json", "--json")
    assert checked.json["status"] == "verified"
    assert {each.rpartition("::")[2] for each in checked.json["core"]} == {"step", "at_zero"}


def test_check_reports_what_is_wrong_with_lemmas(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    text = "lemma a : nothing(3) = 3\nlemma b : 1 + true = 2\nlemma c : 1 = 1 using at_zero\nlemma d : 1 = 1 using e\nlemma e : 1 = 1\nlemma e : 2 = 2\n"
    write(main=FACTS + text)
    (file,) = kleis("check", "--json", "main.kleis").json["files"]
    found = [(each["line"], each["code"]) for each in file["problems"] if each["severity"] == "error"]
    assert found[0] == (7, "unknown-name")
    assert [line for line, _ in found] == [7, 8, 9, 10, 12]
    assert [code for _, code in found[2:]] == ["unknown-lemma", "unknown-lemma", "duplicate-lemma"]
