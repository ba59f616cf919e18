"""Why a question stays undecided, in words, and what to try next.

See docs/reference/proving.md §5.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from kleis.core.goal import Goal
from kleis.elaborate.question import read_question
from kleis.prover.engines.solvers.runs import gave_up
from kleis.prover.portfolio import Outcome
from kleis.prover.process.broker import Broker
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.engine import WOULD_FOLLOW
from kleis.prover.protocol.verdict import Attempt, Verdict
from kleis.prover.prover import Prover
from kleis.prover.reasons import undecided, within
from kleis.theory.library_index import axioms_about
from tests.support.terms.goal_builders import literal
from tests.support.theories.small_theories import theory_of

_RAW = re.compile(r"cancell?ed|smt tactic|incomplete \(|\(incomplete|max\. resource|rlimit|UNKNOWN|timeout")
"""What solvers say themselves."""


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as one:
        yield one


def ask(broker: Broker, text: str, program: str = "") -> Verdict:
    return Prover(theory_of(program), broker=broker).ask(read_question(text)).verdict


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x y z : ℤ). x*x*x + y*y*y + z*z*z ≠ 33",
        "∀(x : ℝ). atan(x) < 2",
        "∃(x y : ℕ). x*x = 61*y*y + 1 ∧ y > 0",
    ],
)
def test_unknown_says_why_in_words_and_what_to_try(broker: Broker, claim: str) -> None:
    verdict = ask(broker, claim)
    assert verdict.status == "unknown"
    assert verdict.message
    assert verdict.advice
    said = "\n".join([verdict.message, verdict.advice, *verdict.tried])
    assert not _RAW.search(said), said
    assert len(set(verdict.tried)) == len(verdict.tried)


def test_the_function_of_which_nothing_is_known_is_named(broker: Broker) -> None:
    alone = ask(broker, "∀(x : ℝ). atan(x) < 2")
    assert "solvers only know atan as any function" in alone.message
    assert axioms_about("atan") == ()
    assert "import" not in alone.advice


def test_an_import_that_has_axioms_is_named_until_it_is_there(broker: Broker) -> None:
    (file,) = axioms_about("sin")
    claim = "∀(x : ℝ). sin(x) + atan(x) < 5"
    assert f"import axioms about sin: {file}" in ask(broker, claim).advice
    verdict = ask(broker, claim, f'import "{file}"\n')
    assert verdict.status == "unknown"
    assert "import" not in verdict.advice


def test_no_axioms_no_file() -> None:
    assert axioms_about("nothing_of_this_name") == ()


def test_more_effort_is_offered_up_to_the_most() -> None:
    offered = []
    for effort in (1, 30, 100):
        outcome = Outcome(None, None, (), ("resource",))
        verdict = undecided(Goal(claim=literal(True)), outcome, Verdict(status="unknown"), effort)
        found = re.search(r"--effort (\d+)", verdict.advice)
        offered.append(found[1] if found else None)
    assert offered == ["4", "100", None]


def test_attempts_that_never_began_are_not_told() -> None:
    attempts = (
        Attempt("z3", "silent", "no answer within its steps", 5, 0.1),
        Attempt("z3", "silent", "no answer within its steps", 7, 0.1),
        Attempt("completion", "silent", "the time is up", 0, 0.0),
    )
    outcome = Outcome(None, None, attempts, ("killed", "resource"))
    verdict = undecided(Goal(claim=literal(True)), outcome, Verdict(status="unknown"), 1)
    assert verdict.tried == ("z3: no answer within its steps",)
    assert verdict.attempts == attempts


def test_an_engine_that_failed_is_not_said_to_have_met_a_limit() -> None:
    failed = Attempt("z3", "silent", "the engine failed: ValueError: no", 0, 0.1)
    outcome = Outcome(None, None, (failed,), ("killed",))
    verdict = undecided(Goal(claim=literal(True)), outcome, Verdict(status="unknown"), 1)
    assert verdict.reason == "killed"
    assert verdict.message.startswith("an engine failed, which is a defect worth reporting")
    assert verdict.tried == ("z3: the engine failed: ValueError: no",)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("canceled", "resource"),
        ("max. resource limit exceeded", "resource"),
        ("(incomplete quantifiers)", "incomplete"),
        ("smt tactic failed to show goal to be sat/unsat (incomplete quantifiers)", "incomplete"),
        ("UnknownExplanation.INCOMPLETE", "incomplete"),
        ("UnknownExplanation.RESOURCEOUT", "resource"),
        ("out of memory", "memory"),
    ],
)
def test_what_solvers_say_is_said_in_words(said: str, reason: str) -> None:
    found, words = gave_up(said)
    assert found == reason
    assert not _RAW.search(words)
    assert said not in words


def test_a_deadline_that_is_over_is_the_reason() -> None:
    undecided = Verdict(status="unknown", claim="p", reason="incomplete", message="before")
    late = within(Deadline(0), undecided)
    assert (late.reason, late.message) == ("killed", "stopped after 0 s")
    assert within(Deadline(1_000), undecided) is undecided
    decided = Verdict(status="verified", claim="p")
    assert within(Deadline(0), decided) is decided


def test_a_lemma_from_which_the_claim_follows_is_told() -> None:
    """What an engine proved the claim from, and could not prove, is the first thing to try."""
    detail = f"no induction found, 2 laws of lists proved; {WOULD_FOLLOW}∀(x : ℤ). f(x) = x"
    attempt = Attempt("induction with laws", "silent", detail, 100, 0.1)
    goal = Goal(claim=literal(True))
    found = undecided(goal, Outcome(None, None, (attempt,), ("incomplete",)), Verdict(status="unknown"), 1)
    assert found.advice.startswith("prove ∀(x : ℤ). f(x) = x: the claim follows from it")
