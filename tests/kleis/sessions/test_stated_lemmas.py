"""Lemmas of sessions: accepted only when they are proved, used by what comes after, gone with what they rest on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kleis.prover.process.deadline import Deadline
from kleis.sessions import Sessions, open_sessions
from kleis.sessions.evaluate_expression import evaluate
from kleis.sessions.submission import Checked, outcome_fields

FACTS = """structure Facts {
    operation f : ℕ → ℕ
    axiom step : ∀(n : ℕ). f(n + 1) = f(n) + n + 1
    axiom at_zero : f(0) = 0
}"""
LEMMAS = [f"lemma at_{n} : f({n}) = {n * (n + 1) // 2}" for n in (20, 40, 60)]


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    made = open_sessions(tmp_path / "home", environment={})
    yield made
    made.close()


def submit(sessions: Sessions, text: str, *, accepted: bool = True) -> Checked:
    checked, _ = sessions.submit("default", text, None, Deadline(60))
    assert (checked.grown is not None) is accepted, checked.problems
    return checked


def ask(sessions: Sessions, claim: str) -> tuple[str, list[str]]:
    answer = evaluate(sessions.universe("default"), claim, sessions.provers, Deadline(60))
    return answer["status"], [each["code"] for each in answer.get("warnings", ())]


def test_lemmas_serve_what_comes_after_them(sessions: Sessions, tmp_path: Path) -> None:
    submit(sessions, FACTS)
    assert ask(sessions, "f(70) = 2485")[0] == "unknown"
    for lemma in LEMMAS:
        checked = submit(sessions, lemma)
        assert checked.item is not None
        assert checked.item.kind == "lemma"
    assert ask(sessions, "f(70) = 2485") == ("verified", [])
    # What is kept on disk is enough for the next process.
    again = open_sessions(tmp_path / "home", environment={})
    assert ask(again, "f(70) = 2485") == ("verified", [])
    again.close()


@pytest.mark.parametrize(
    ("lemma", "status", "word"),
    [
        ("lemma wrong : ∀(x : ℤ). x > 0", "rejected", "is disproved"),
        ("lemma far : f(70) = 2485", "rejected", "is not proved"),
        ("lemma itself : f(70) = 2485 using itself", "rejected", "itself"),
        ("lemma unknown : nothing(3) = 3", "rejected", "nothing"),
        ("lemma twice : 1 = 1\nlemma twice : 1 = 1", "rejected", "already a lemma"),
    ],
)
def test_what_is_not_proved_is_not_accepted(sessions: Sessions, lemma: str, status: str, word: str) -> None:
    submit(sessions, FACTS)
    checked = submit(sessions, lemma, accepted=False)
    fields = outcome_fields(checked, accepted=False)
    assert fields["status"] == status
    assert word in fields["error"]
    assert sessions.universe("default").count == 1


def test_a_name_is_given_once(sessions: Sessions) -> None:
    submit(sessions, "lemma trivial : 1 = 1")
    checked = submit(sessions, "lemma trivial : 2 = 2", accepted=False)
    assert "already a lemma" in checked.problems[0].message


def test_a_definition_that_breaks_a_lemma_is_rejected(sessions: Sessions) -> None:
    submit(sessions, "define twice(n : ℤ) : ℤ = n + n")
    submit(sessions, "lemma even : ∀(n : ℤ). twice(n) = 2 * n")
    checked = submit(sessions, "define twice(n : ℤ) : ℤ = n + n + 1", accepted=False)
    assert checked.status == "rejected"
    submit(sessions, "define twice(n : ℤ) : ℤ = 2 * n")
    assert ask(sessions, "∀(n : ℤ). twice(n) + 0 = 2 * n") == ("verified", [])


def test_a_lemma_still_serves_when_the_theory_grows(sessions: Sessions) -> None:
    submit(sessions, FACTS)
    submit(sessions, LEMMAS[0])
    submit(sessions, "structure More { operation g : ℕ → ℕ  axiom same : ∀(n : ℕ). g(n) = f(n) }")
    assert ask(sessions, "f(20) = 210") == ("verified", [])


def test_a_lemma_whose_verdict_is_gone_serves_nothing_and_says_so(sessions: Sessions) -> None:
    submit(sessions, FACTS)
    submit(sessions, LEMMAS[0])
    for verdict in sessions.places.verdicts.iterdir():
        verdict.unlink()
    status, warnings = ask(sessions, "f(1) = 1")
    assert (status, warnings) == ("verified", ["lemma-unproved"])


def test_sessions_with_lemmas_are_read_and_edited(sessions: Sessions) -> None:
    submit(sessions, FACTS)
    submit(sessions, LEMMAS[0])
    file = Path(sessions.place("default"))
    file.write_text("\n".join(file.read_text("utf-8").splitlines()[1:]), "utf-8")
    items = sessions.universe("default").items()
    assert [(each.kind, each.status) for each in items] == [
        ("structure", "unchecked"),
        ("lemma", "unchecked"),
    ]
