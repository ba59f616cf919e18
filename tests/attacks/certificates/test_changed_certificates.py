"""True certificates edited towards false claims: none is accepted.

Proofs and witnesses of every engine, and proofs of theories that were edited since. See docs/reference/certificates.md §3.  By hand, as many as wanted: ``python -m
tests.attacks.certificates.test_changed_certificates 100000``; with ``each`` behind the number, so many of every rule.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest

from kleis.prover.checker import solvers
from kleis.prover.checker.format import Certificate
from kleis.prover.checker.kernel import Refusal, judge
from kleis.prover.checker.rules import ask
from kleis.prover.checker.translation.script import Script
from tests.support.provers.changed_certificates import WORLDS, World, attack, attack_on, digest, rules

_STEPS = 20_000
_SHARES = 20


def _quickly(script: Script, solver: solvers.Solver, steps: int) -> solvers.Answer:
    return solvers.run(script, solver, min(steps, _STEPS))


def _outcomes(count: int, seed: int) -> Counter[str]:
    random = Random(seed)
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        outcome, lie = attack(random)
        assert not lie, lie
        outcomes[outcome] += 1
    return outcomes


@pytest.mark.parametrize("share", range(_SHARES))
def test_no_forgery_of_a_false_claim_is_accepted(share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask, "run", _quickly)
    outcomes = _outcomes(2_000 // _SHARES, share)
    assert sum(each for name, each in outcomes.items() if name.endswith("refused")) > 20, outcomes


def _outcomes_on(rule: str, count: int, seed: int) -> Counter[str]:
    random = Random(seed)
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        outcome, lie = attack_on(rule, random)
        assert not lie, lie
        outcomes[outcome] += 1
    return outcomes


@pytest.mark.parametrize("rule", sorted(rules()))
def test_no_forgery_by_a_rule_is_accepted(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask, "run", _quickly)
    outcomes = _outcomes_on(rule, 30, 7)
    assert outcomes[f"{rule}, refused"] > 5, outcomes


def test_the_proofs_that_are_edited_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forgeries are not refused for what they were made of."""
    monkeypatch.setattr(ask, "run", _quickly)
    for world in WORLDS:
        for claim, proof in world.true:
            said = {"status": "verified", "theory": world.theory, "claim": claim, **proof}
            about = tuple(each["claim"] for each in proof.get("lemmas", ()))
            goal = digest(world.theory, claim, about, "verified")
            assert judge(
                msgspec.convert({**said, "version": 2, "goal": goal}, Certificate), ("z3",)
            ).goal.claim


def test_the_witnesses_that_are_edited_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask, "run", _quickly)
    for world in WORLDS:
        for witness in () if world.clash or world.others else world.witnesses:
            assert any(_disproves(world, claim, witness) for claim in world.false), (world.theory, witness)


def _disproves(world: World, claim: str, witness: dict[str, Any]) -> bool:
    goal = digest(world.theory, claim, (), "disproved")
    said = {"version": 2, "status": "disproved", "theory": world.theory, "claim": claim, "goal": goal}
    try:
        return judge(msgspec.convert({**said, "witness": witness}, Certificate), ("z3",)).evidence is not None
    except Refusal:
        return False


if __name__ == "__main__":
    ask.run = _quickly
    if sys.argv[2:3] == ["each"]:
        for name in sorted(rules()):
            print(_outcomes_on(name, int(sys.argv[1]), 1), flush=True)
    else:
        print(_outcomes(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
