"""Which outcome a finished run has, whatever the service says of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from kleis.lean.acceptance.check_by_lean import LeanCheck
from registry.aristotle.allowed_folders import ProjectFile
from registry.aristotle.job_requests import (
    JobRequest,
    JobRequestError,
    context_names,
    file_job,
    formalize_job,
    prove_job,
)
from registry.aristotle.job_store import Job
from registry.aristotle.judgement import judge
from registry.aristotle.service import Finding, Run, RunStatus

TWO = "theorem a : 1 = 1 := by\n  sorry\n\ntheorem b : 2 = 2 := by\n  sorry\n"
HALF = TWO.replace("sorry", "rfl", 1)
DONE = TWO.replace("sorry", "rfl")
FALSE = TWO + "\ntheorem a_false : ¬ (1 = 1) := by\n  simp\n"
ORDER = JobRequest("real", "", 0.0)
REFUTED = (Finding("a", "refuted", "counterexample", "here"),)


def snippet(**changes: object) -> Job:
    return prove_job(ORDER, TWO, {}, "").noting(**changes).job


def file() -> Job:
    return file_job(ORDER, ProjectFile(Path("/x/A.lean"), "A.lean", TWO, {"A.lean": TWO}, 0)).job


def words(*, prove: bool) -> Job:
    return formalize_job(ORDER, "something", {}, prove=prove).job


@pytest.mark.parametrize(
    ("job", "status", "returned", "findings", "expected", "filled"),
    [
        (snippet(), "complete", DONE, (), "proved", 2),
        (snippet(), "complete", HALF, (), "failed", 1),
        (file(), "complete", HALF, (), "partial", 1),
        (file(), "complete", TWO, (), "failed", 0),
        (file(), "complete", DONE, (), "proved", 2),
        (snippet(), "complete", TWO, REFUTED, "counterexample", 0),
        (snippet(), "complete", FALSE, (), "counterexample", 0),
        (snippet(refutation_counts=False), "complete", FALSE, (), "failed", 0),
        (snippet(), "complete", TWO, (Finding("other", "refuted"),), "failed", 0),
        (snippet(), "complete", TWO, (Finding("a", "proved"),), "failed", 0),
        (snippet(), "out_of_budget", DONE, (), "failed", 2),
        (snippet(), "out_of_budget", TWO, REFUTED, "failed", 0),
        (file(), "out_of_budget", HALF, (), "partial", 1),
        (file(), "complete_with_errors", HALF, (), "partial", 1),
        (file(), "complete_with_errors", TWO, (), "failed", 0),
        (file(), "complete_with_errors", HALF + "axiom x : False\n", (), "failed", 0),
        (snippet(), "complete", None, (), "error", 0),
        (snippet(), "failed", DONE, (), "error", 0),
        (snippet(), "canceled", DONE, (), "failed", 0),
    ],
)
def test_runs(
    job: Job,
    status: RunStatus,
    returned: str | None,
    findings: tuple[Finding, ...],
    expected: str,
    filled: int,
) -> None:
    found = judge(job, TWO, Run(status), returned, findings)
    assert (found.status, found.sorries_filled) == (expected, filled)
    assert found.message


@pytest.mark.parametrize(
    ("returned", "refusal"),
    [
        (DONE.replace("1 = 1", "0 = 0"), "statement-changed"),
        (DONE.replace("theorem b", "theorem c"), "statement-missing"),
        (DONE + "\naxiom x : False\n", "axiom"),
        (TWO.replace("sorry", "native_decide"), "native"),
        ("import Mathlib\n" + DONE, "import"),
        (DONE.replace("rfl", "exact sorryAx _", 1), "axiom"),
        ("instance : Inhabited ℕ := ⟨0⟩\n" + DONE, "redefinition"),
        ('local notation "1" => 0\n' + DONE, None),
        ('macro "rfl" : tactic => `(tactic| skip)\n' + DONE, "macro"),
        ("garbage /- without an end\n" + DONE, "unreadable"),
        ("", "statement-missing"),
    ],
)
def test_what_the_service_calls_proved_and_is_not(returned: str, refusal: str | None) -> None:
    for findings in ((), (Finding("a", "proved"),)):
        found = judge(snippet(), TWO, Run("complete"), returned, findings)
        assert found.status == "failed"
        assert found.refusal
        assert refusal is None or found.refusal == refusal


@pytest.mark.parametrize(
    ("returned", "prove", "expected"),
    [
        ("import Mathlib\n\ntheorem t : 1 = 1 := by\n  sorry\n", False, "formalized"),
        ("import Mathlib\n\ntheorem t : 1 = 1 := by\n  sorry\n", True, "formalized"),
        ("import Mathlib\n\ntheorem t : 1 = 1 := by\n  rfl\n", True, "proved"),
        ("import Mathlib\n\ntheorem t : 1 = 1 := by\n  rfl\n", False, "formalized"),
        ("import Mathlib\nnamespace N\ndef f (n : ℕ) : ℕ := n\nend N\n", False, "formalized"),
        ("", False, "failed"),
        ("-- theorem t : 1 = 1\n", False, "failed"),
        ("axiom t : 1 = 2\n", True, "failed"),
        ("theorem t : 1 = 1 := by native_decide\n", True, "failed"),
        ("theorem t : 1 = 2 := sorryAx _\n", True, "failed"),
        ("instance : LE ℕ := ⟨fun _ _ => True⟩\ntheorem t : 3 ≤ 2 := trivial\n", True, "failed"),
        ('macro "x" : tactic => `(tactic| skip)\ntheorem t : 1 = 1 := by rfl\n', True, "failed"),
        ("set_option autoImplicit true\ntheorem t : 1 = 1 := by rfl\n", True, "failed"),
    ],
)
def test_formalisations(returned: str, prove: bool, expected: str) -> None:
    assert judge(words(prove=prove), "", Run("complete"), returned, ()).status == expected
    assert judge(words(prove=prove), "", Run("out_of_budget"), returned, ()).status == "failed"


def test_a_refutation_says_what_was_not_looked_at() -> None:
    said = judge(snippet(), TWO, Run("complete"), TWO, REFUTED)
    shown = judge(snippet(), TWO, Run("complete"), FALSE, ())
    assert said.unchecked
    assert shown.unchecked
    assert said.unchecked != shown.unchecked
    assert said.counterexample == "here"
    assert shown.code == FALSE


def test_every_status_of_a_run_has_an_outcome() -> None:
    for status in get_args(RunStatus):
        if Run(status).ended:
            assert judge(snippet(), TWO, Run(status), DONE, ()).status in ("proved", "failed", "error")


def test_what_is_not_sent() -> None:
    order = JobRequest("real", "the-key", 0.0)
    for make in (
        lambda: prove_job(order, "x" * 1_000_001, {}, ""),
        lambda: prove_job(order, "-- the-key", {}, ""),
        lambda: prove_job(order, "x", {"C.lean": "the-key"}, ""),
        lambda: prove_job(order, "x", {}, "the-key"),
        lambda: formalize_job(order, "  ", {}, prove=False),
        lambda: formalize_job(order, "x" * 100_001, {}, prove=False),
    ):
        with pytest.raises(JobRequestError) as caught:
            make()
        assert "the-key" not in caught.value.message


def test_context_files_have_names_of_their_own() -> None:
    assert context_names(["a/X.lean", "b/X.lean", "Main.lean", "b\\X.lean", ".lean"]) == [
        "X.lean", "X_1.lean", "Main_1.lean", "X_2.lean", ".lean",
    ]  # fmt: skip


# ── A Lean that is asked ─────────────────────────────────────────────────────────────────────────────────────


CHECKED = LeanCheck(outcome="checked", reason="rests on no axiom", version="Lean 4.28")
REFUSED = LeanCheck(outcome="refused", code="axiom", reason="it rests on oracle", version="Lean 4.28")
UNCHECKED = LeanCheck(outcome="unchecked", reason="lean did not end within 30 s", version="Lean 4.28")


class Asked:
    """A Lean that answers what it is told to, and notes what it was asked."""

    def __init__(self, answer: LeanCheck) -> None:
        self.answer = answer
        self.questions: list[tuple[str, str, tuple[str, ...], bool]] = []

    def __call__(self, ours: str, returned: str, names: Sequence[str], may_have_gaps: bool) -> LeanCheck:
        self.questions.append((ours, returned, tuple(names), may_have_gaps))
        return self.answer


@pytest.mark.parametrize(
    ("answer", "status", "refusal"),
    [(CHECKED, "proved", ""), (REFUSED, "failed", "axiom"), (UNCHECKED, "proved", "")],
)
def test_a_lean_is_asked_of_an_accepted_proof(answer: LeanCheck, status: str, refusal: str) -> None:
    lean = Asked(answer)
    found = judge(snippet(), TWO, Run("complete"), DONE, (), lean)
    assert lean.questions == [(TWO, DONE, ("a", "b"), False)]
    assert (found.status, found.refusal, found.code) == (status, refusal, DONE)
    assert (found.checked == "checked by Lean 4.28: rests on no axiom") == (answer is CHECKED)
    assert bool(found.unchecked) == (answer is UNCHECKED)
    assert answer.reason in " ".join((found.message, *found.unchecked))


@pytest.mark.parametrize(
    ("answer", "status"), [(CHECKED, "counterexample"), (REFUSED, "failed"), (UNCHECKED, "counterexample")]
)
def test_a_lean_is_asked_of_a_refutation(answer: LeanCheck, status: str) -> None:
    lean = Asked(answer)
    found = judge(snippet(), TWO, Run("complete"), FALSE, (), lean)
    assert lean.questions == [(TWO, FALSE, ("a_false",), True)]
    assert found.status == status


def test_a_lean_is_asked_of_a_formalisation_with_its_proof() -> None:
    text = "theorem t : 1 = 1 := by\n  rfl\n"
    lean = Asked(CHECKED)
    assert judge(words(prove=True), "", Run("complete"), text, (), lean).checked
    assert lean.questions == [("", text, ("t",), False)]


@pytest.mark.parametrize("returned", [TWO, HALF, DONE + "axiom x : False\n", ""])
def test_no_lean_is_asked_of_what_is_not_accepted(returned: str) -> None:
    lean = Asked(CHECKED)
    assert judge(snippet(), TWO, Run("complete"), returned, (), lean).status == "failed"
    assert lean.questions == []
