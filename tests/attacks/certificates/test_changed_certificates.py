"""True certificates edited towards false claims: none is accepted.

Proofs and witnesses of every engine, and proofs of theories that were edited since. See docs/reference/certificates.md §3.  By hand, as many as wanted: ``python -m
tests.attacks.certificates.test_changed_certificates 100000``; with ``each`` behind the number, so many of every rule, with
``forms`` of every kind of form.  A seed may follow.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import msgspec
import pytest

from kleis.prover.checker import solvers
from kleis.prover.checker.format import Certificate
from kleis.prover.checker.kernel import Refusal, judge
from kleis.prover.checker.rules import ask
from kleis.prover.checker.translation.script import Script
from tests.support.provers.changed_certificates import (
    FORM_WORLDS,
    WORLDS,
    World,
    attack,
    attack_on,
    digest,
    rules,
)

_STEPS = 20_000
_SHARES = 20


def _quickly(script: Script, solver: solvers.Solver, steps: int) -> solvers.Answer:
    return solvers.run(script, solver, min(steps, _STEPS))


def _outcomes(count: int, seed: int, one: Callable[[Random], tuple[str, str]] = attack) -> Counter[str]:
    """What became of so many forgeries; an assertion where one tells a lie."""
    random = Random(seed)
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        outcome, lie = one(random)
        assert not lie, lie
        outcomes[outcome] += 1
    return outcomes


@pytest.mark.parametrize("share", range(_SHARES))
def test_no_forgery_of_a_false_claim_is_accepted(share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask, "run", _quickly)
    outcomes = _outcomes(2_000 // _SHARES, share)
    assert sum(each for name, each in outcomes.items() if name.endswith("refused")) > 20, outcomes


def _on_rule(rule: str) -> Callable[[Random], tuple[str, str]]:
    return partial(attack_on, rule)


def _in_forms(name: str) -> Callable[[Random], tuple[str, str]]:
    return partial(attack, worlds=(FORM_WORLDS[name],))


@pytest.mark.parametrize("rule", sorted(rules()))
def test_no_forgery_by_a_rule_is_accepted(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask, "run", _quickly)
    outcomes = _outcomes(30, 7, _on_rule(rule))
    assert outcomes[f"{rule}, refused"] > 5, outcomes


@pytest.mark.parametrize("name", FORM_WORLDS)
def test_no_forgery_about_a_form_is_accepted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask, "run", _quickly)
    outcomes = _outcomes(40, 7, _in_forms(name))
    assert sum(each for kind, each in outcomes.items() if kind.endswith("refused")) > 10, outcomes


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


def main(count: int, kind: str = "", seed: int = 1) -> None:
    """So many forgeries: of all kinds, of ``each`` rule, or of each of the ``forms``."""
    ask.run = _quickly
    kinds: dict[str, Callable[[Random], tuple[str, str]]] = {"all": attack}
    if kind == "each":
        kinds = {name: _on_rule(name) for name in sorted(rules())}
    elif kind == "forms":
        kinds = {name: _in_forms(name) for name in FORM_WORLDS}
    for name, one in kinds.items():
        print(name, dict(_outcomes(count, seed, one)), flush=True)


if __name__ == "__main__":
    words = sys.argv[1:]
    numbers = [int(each) for each in words if each.isdigit()]
    main(numbers[0], next((each for each in words if not each.isdigit()), ""), *numbers[1:])
