"""Nearly true claims against every engine that decides without axioms: no verdict is against values at points.

The engines and the rules that they rest on run in this process; what they say is held against a second semantics
(tests/support/claims), which shares no code with theirs.  By hand, as many as wanted: ``python -m
tests.attacks.test_nearly_true_claims 100000 [SEED [SHARE]]``, where one claim in SHARE is given to solvers too.
"""

from __future__ import annotations

import sys
from collections import Counter
from fractions import Fraction
from random import Random

import pytest

from kleis import core
from kleis.errors import KleisError
from kleis.prover.checker.rules.identities import asked_for
from kleis.prover.checker.sequent import RejectedError
from kleis.prover.protocol.engine import Answer, Engine, Task, load_engine
from kleis.prover.protocol.witness import Witness
from tests.support.claims.nearly_true import nearly_true
from tests.support.claims.point_values import UNCLEAR, Point, Truths
from tests.support.claims.points import disagreement, opened
from tests.support.provers.claims import evidence_of, task

_ENGINES = "kleis.prover.engines"
_COMPUTING: tuple[tuple[str, int], ...] = (
    (f"{_ENGINES}.computation.evaluation:EVALUATION", 4_000),
    (f"{_ENGINES}.computation.enumeration:ENUMERATION", 1_500),
    (f"{_ENGINES}.computation.remainders:REMAINDERS", 60_000),
    (f"{_ENGINES}.computation.rational_roots:RATIONAL_ROOTS", 20_000),
    (f"{_ENGINES}.regular.engine:REGULAR", 20_000),
    (f"{_ENGINES}.computation.intervals:INTERVALS", 15_000),
)
_SOLVING: tuple[tuple[str, int], ...] = (
    (f"{_ENGINES}.laws.engine:IDENTITIES", 100_000),
    (f"{_ENGINES}.laws.engine:SUMS", 60_000),
    (f"{_ENGINES}.laws.engine:LAWS", 60_000),
    (f"{_ENGINES}.solvers.script_engines:DIRECT", 100_000),
    (f"{_ENGINES}.solvers.residues:RESIDUES", 60_000),
    (f"{_ENGINES}.induction.engine:INDUCTION", 60_000),
    (f"{_ENGINES}.denials.engine:DENIALS", 400_000),
)
_POINTS = 30
_SHARES = 4
_CLAIMS = 60


def against(given: Task, name: str, answer: Answer, random: Random) -> str:
    """What is wrong with an answer of an engine; empty if nothing is found."""
    claim = given.goal.claim
    assert claim is not None
    if answer.outcome == "proved":
        at = disagreement(given.goal, claim, random, _POINTS)
        return "" if at is None else f"{name} proved what is not true at {at}"
    if answer.outcome == "refuted" and _at_witness(given, claim, answer) == frozenset({True}):
        # What an engine finds counts after its check only.
        return f"{name} refuted what is true" if evidence_of(given, answer.witness) is not None else ""
    return ""


def _at_witness(given: Task, claim: core.Term, answer: Answer) -> Truths:
    """What a claim comes to where an engine says that it is not true."""
    variables, body = opened(claim)
    if not variables:
        return Point(given.goal).truth(claim, {})
    found = answer.witness.assignment if isinstance(answer.witness, Witness) else {}
    at = {key: _plain(each) for key, each in found.items()}
    if any(at.get(each.name) is None for each in variables):
        return UNCLEAR
    return Point(given.goal).truth(body, at)


def _plain(value: object) -> object:
    """A value of a witness as one of the second semantics; None where it is of another kind."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | Fraction):
        return Fraction(value)
    return None


def identity_against(given: Task, random: Random) -> str:
    """What is wrong with the rule `identity` alone: a point where what it asks for is true, and the claim is not."""
    claim = given.goal.claim
    assert claim is not None
    try:
        asked, _ = asked_for(given.goal, claim, 20_000)
    except RejectedError:
        return ""
    at = disagreement(given.goal, claim, random, _POINTS, asked)
    return "" if at is None else f"identity: not true at {at}"


def outcomes(count: int, seed: int, share: int = 40) -> Counter[str]:
    """What became of so many claims; an assertion where an answer is wrong."""
    random = Random(seed)
    found: Counter[str] = Counter()
    computing = [(load_engine(address), steps) for address, steps in _COMPUTING]
    solving = [(load_engine(address), steps) for address, steps in _SOLVING]
    for place in range(count):
        text = nearly_true(random)
        try:
            given = task("", text)
        except KleisError:
            found["no claim"] += 1
            continue
        found["claims"] += 1
        wrong = identity_against(given, random)
        assert not wrong, (text, wrong)
        for engine, steps in [*computing, *(solving if place % share == 0 else ())]:
            answer = _answer(engine, given, steps)
            found[f"{engine.name} {answer.outcome}"] += 1
            wrong = against(given, engine.name, answer, random)
            assert not wrong, (text, wrong)
    return found


def _answer(engine: Engine, given: Task, steps: int) -> Answer:
    if given.goal.claim is None or not engine.applies(given):
        return Answer(outcome="silent")
    return engine.run(given, steps)


@pytest.mark.parametrize("seed", range(_SHARES))
def test_no_engine_contradicts_values_at_points(seed: int) -> None:
    found = outcomes(_CLAIMS, seed)
    assert found["claims"] > _CLAIMS / 2
    assert sum(each for name, each in found.items() if name.endswith((" proved", " refuted"))) > 10, found


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    for at in range(0, given[0], 500):
        print(
            at,
            dict(
                outcomes(
                    min(500, given[0] - at), at + (given[1] if len(given) > 1 else 1) * 1_000_003, *given[2:]
                )
            ),
            flush=True,
        )
