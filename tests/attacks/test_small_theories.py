"""Theories of one carrier made at random: what completion and superposition prove holds in every small model.

By hand, as many as wanted: ``python -m tests.attacks.test_small_theories 100000 [SEED]``.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

import pytest

from kleis.prover.engines.completion.engine import Completion, WeighingCompletion
from kleis.prover.engines.models.finite_models import FiniteModels
from kleis.prover.engines.superposition.engine import Superposition
from kleis.prover.protocol.engine import Engine
from tests.support.claims.small_models import countermodel, formula, program
from tests.support.provers.claims import evidence_of, task

_ENGINES: tuple[tuple[Engine, int], ...] = (
    (Completion(), 1_500),
    (WeighingCompletion(), 1_500),
    (Superposition(), 1_500),
    (FiniteModels(), 20_000),
)


def outcomes(count: int, seed: int) -> Counter[str]:
    """What became of so many claims; an assertion where an answer is wrong."""
    random = Random(seed)
    found: Counter[str] = Counter()
    for _ in range(count):
        axioms = [formula(random) for _ in range(random.choice((1, 2, 2, 3, 4)))]
        claim = formula(random)
        given = task(program(axioms), f"using Small(S) {claim.kleis}")
        against = countermodel(axioms, claim, random)
        answers = set()
        for engine, steps in _ENGINES:
            if not engine.applies(given):
                continue
            answer = engine.run(given, steps)
            found[f"{engine.name} {answer.outcome}"] += 1
            where = (program(axioms), claim.kleis, engine.name, against)
            if answer.outcome == "proved":
                assert against is None, where
            if answer.outcome == "inconsistent":
                assert countermodel(axioms, None, random) is None, where
            if answer.outcome == "refuted" and evidence_of(given, answer.witness) is None:
                continue
            answers.add(answer.outcome)
        assert not {"proved", "refuted"} <= answers, (program(axioms), claim.kleis)
    return found


@pytest.mark.parametrize("seed", range(2))
def test_what_is_proved_holds_in_small_models(seed: int) -> None:
    found = outcomes(30, seed)
    assert sum(each for name, each in found.items() if name.endswith(" proved")) > 3, found
    assert found["finite models refuted"] > 3, found


if __name__ == "__main__":
    for place in range(0, int(sys.argv[1]), 200):
        print(
            place,
            dict(
                outcomes(
                    min(200, int(sys.argv[1]) - place), place + int((sys.argv[2:] or ["1"])[0]) * 1_000_003
                )
            ),
            flush=True,
        )
