"""A lemma or an assertion decided, as by `kleis test`, in a way that can be stopped.

Invariants
    * The thread that decides waits for processes; when its broker is stopped, they are killed and it ends.
    * Evaluation of an example runs in such a process too.
    * A verdict is about the texts that the reading was made of.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import msgspec

from kleis.budget import STANDARD_BUDGET
from kleis.editing.outline import Proposition
from kleis.errors import KleisError
from kleis.evaluator.environment import environment_of
from kleis.evaluator.examples import run_example
from kleis.prover.process.broker import Guards
from kleis.prover.process.cancellable_broker import CancellableBroker
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.engine import Answer
from kleis.syntax import tree
from kleis.theory.loader import Loading
from registry.cli.kleis.files.open_assertions import OpenAssertion, ProverPool
from registry.cli.kleis.files.stated_lemmas import StatedLemmas
from registry.cli.kleis.language_server.elaboration import TextVersion
from registry.cli.kleis.shared.patience import Waiting
from registry.cli.terminal.live_line import LiveLine

__all__ = ["PRELOAD", "Outcome", "decide", "evaluate_block"]

PRELOAD = (__name__,)
_JOB = f"{__name__}:evaluate_block"
_GUARDS = Guards(cpu=60, wall=120.0, memory=4096)

Status: TypeAlias = Literal["holds", "fails", "unknown", "error"]


class Outcome(msgspec.Struct, frozen=True):
    """What became of a proposition: `word` is what `kleis test` says (``verified``, ``passed``, …), `detail` why."""

    status: Status
    word: str
    detail: str = ""


_STATUS: dict[str, Status] = {
    "verified": "holds",
    "passed": "holds",
    "disproved": "fails",
    "inconsistent": "fails",
    "failed": "fails",
    "error": "error",
}


def decide(
    version: TextVersion,
    loading: Loading,
    asked: Proposition,
    broker: CancellableBroker,
    seconds: float = math.inf,
) -> Outcome:
    """What is true of a proposition of a text; `loading` is the text loaded."""
    if not loading.ok:
        return Outcome("error", "error", f"the file does not load: {loading.errors[0]}")
    deadline = Deadline(seconds, left=lambda: broker.stopped)
    waiting = Waiting(broker, deadline, LiveLine(str, wanted=False))
    item = loading.main.result.program.items[asked.item]
    try:
        with broker.until(deadline), ProverPool(1, waiting) as pool:
            if isinstance(item, tree.Lemma):
                return _lemma(pool, loading, item)
            return _assertion(pool, broker, version, loading, asked)
    except KleisError as error:
        return Outcome("error", "error", str(error))


def _lemma(pool: ProverPool, loading: Loading, lemma: tree.Lemma) -> Outcome:
    reports = StatedLemmas(pool, loading, until=lemma.line).reports()
    report = next(each for each in reports if each.name == lemma.name and each.line == lemma.line)
    return _outcome(report.status, report.detail)


def _assertion(
    pool: ProverPool,
    broker: CancellableBroker,
    version: TextVersion,
    loading: Loading,
    asked: Proposition,
) -> Outcome:
    example, place = loading.main.result.program.items[asked.item], asked.place
    assert isinstance(example, tree.Example), "an assertion stands in an example"
    _, future = broker.submit(_JOB, (version, asked.item), 0, guards=_GUARDS, preload=PRELOAD)
    answer = future.result()
    results = answer.witness
    if results is None:
        return Outcome("unknown", "unknown", answer.detail or "evaluation was stopped")
    statuses, failure = results
    if place >= len(statuses):
        return Outcome("error", "error", failure or "the example ends before it")
    status, detail = statuses[place]
    if status != "undecided":
        return _outcome(status, detail)
    lemmas = StatedLemmas(pool, loading, until=example.line)
    question = OpenAssertion(
        pool, loading.theory, example, place, loading.main.name, lemmas.before(example.line)
    )
    passed = [before for before in range(place) if statuses[before][0] == "passed"]
    return _outcome(*question.outcome(passed))


def evaluate_block(asked: tuple[TextVersion, int], steps: int) -> Answer:
    """The assertions of an example, by its place, as exact evaluation leaves them, and what ended it early."""
    version, place = asked
    loading = version.loaded()
    example = loading.main.result.program.items[place]
    assert isinstance(example, tree.Example), "only examples are evaluated"
    result = run_example(environment_of(loading.theory), example, STANDARD_BUDGET, file=loading.main.name)
    statuses = tuple((each.status, each.detail) for each in result.assertions)
    return Answer(outcome="silent", witness=(statuses, result.error or ""))


def _outcome(word: str, detail: str) -> Outcome:
    return Outcome(_STATUS.get(word, "unknown"), word, detail.removeprefix(f"{word}: "))
