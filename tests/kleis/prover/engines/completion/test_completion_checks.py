"""The checks of completion's proofs and rewrite systems: right ones pass, all others are rejected."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import msgspec
import pytest

from kleis.prover.engines.completion.check_proof import check_chain, check_rewriting
from kleis.prover.engines.completion.engine import Completion
from kleis.prover.protocol.engine import Answer, Task
from tests.support.theories.algebra import (
    LEFT_GROUP,
    MONOID,
    G,
    H,
    Operation,
    a,
    b,
    e,
    either,
    eq,
    every,
    m,
    some,
    task,
)

BUDGET = 150_000


def run(asked: Task, steps: int = BUDGET) -> Answer:
    return Completion().run(asked, steps)


@pytest.fixture(scope="module")
def proof() -> tuple[Task, Answer]:
    asked = task(LEFT_GROUP, every(lambda x, y: eq(eq(m(x, y), e), eq(m(y, x), e))))
    return asked, run(asked)


def with_proof(answer: Answer, proof: list[tuple[str, str]]) -> Answer:
    return msgspec.structs.replace(answer, proof=tuple(proof))


def test_every_step_of_a_chain_is_needed(proof: tuple[Task, Answer]) -> None:
    asked, answer = proof
    assert check_chain(asked, answer)
    steps = list(answer.proof)
    for index in range(len(steps)):
        assert not check_chain(asked, with_proof(answer, steps[:index] + steps[index + 1 :]))


def test_every_axiom_of_the_core_is_needed(proof: tuple[Task, Answer]) -> None:
    asked, answer = proof
    for name in answer.core:
        fewer = tuple(each for each in answer.core if each != name)
        assert not check_chain(asked, msgspec.structs.replace(answer, core=fewer))


def test_a_changed_term_in_a_chain_is_noticed(proof: tuple[Task, Answer]) -> None:
    asked, answer = proof
    steps = list(answer.proof)
    name, text = steps[-1]
    step = json.loads(text)
    for index in range(len(step["terms"])):
        changed = deepcopy(step)
        changed["terms"][index] = ["e"]
        assert not check_chain(asked, with_proof(answer, [*steps[:-1], (name, json.dumps(changed))]))


def test_a_chain_may_not_use_what_it_proves_or_what_comes_later(proof: tuple[Task, Answer]) -> None:
    asked, answer = proof
    prefix = answer.proof[-1][0].rpartition("step ")[0]
    circular = {"terms": [["true"], ["false"]], "by": [f"{prefix}step 1"]}
    steps = [each for each in answer.proof if not each[0].startswith(prefix)]
    assert not check_chain(asked, with_proof(answer, [*steps, (f"{prefix}step 1", json.dumps(circular))]))
    assert not check_chain(asked, with_proof(answer, list(reversed(answer.proof))))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"terms": [], "by": []}',
        '{"terms": [["true"], ["false"]], "by": ["assoc"]}',
        '{"terms": [["true"], ["false"]], "by": ["¬ claim"]}',
        '{"terms": [["true"], ["false"]], "by": ["reflection of left_id"]}',
        '{"terms": [["m", ["e"]], ["e"]], "by": ["left_id"]}',
        '{"terms": [["nothing"], ["e"]], "by": ["left_id"]}',
    ],
)
def test_rubbish_is_no_chain(proof: tuple[Task, Answer], text: str) -> None:
    asked, answer = proof
    rubbish = [("branch 1, step 1", text), ("branch 2, step 1", text)]
    assert not check_chain(asked, with_proof(answer, rubbish))


def test_a_proof_that_uses_the_claim_does_not_show_an_inconsistency(proof: tuple[Task, Answer]) -> None:
    asked, answer = proof
    first = [each for each in answer.proof if each[0].startswith("branch 1,")]
    bold = msgspec.structs.replace(with_proof(answer, first), outcome="inconsistent")
    assert not check_chain(asked, bold)
    assert not check_chain(asked, with_proof(answer, first))


def test_a_constant_of_a_sort_without_constants_may_be_used() -> None:
    one, other = Operation("one", (G,), H), Operation("other", (G,), H)
    c = Operation("c", (), H)()
    axioms = {
        "equal": every(lambda x, y: eq(one(x), other(y))),
        "constant": every(lambda x: eq(one(x), c)),
        "clause": either(eq(a, b), eq(b, e)),
    }
    asked = task(axioms, some(lambda x: eq(other(x), c)))
    answer = run(asked)
    assert answer.outcome == "proved"
    assert check_chain(asked, answer)


def test_the_proof_of_another_claim_is_refused(proof: tuple[Task, Answer]) -> None:
    asked, answer = proof
    other = Task(msgspec.structs.replace(asked.goal, claim=every(lambda x, y: eq(eq(m(x, y), e), eq(x, e)))))
    assert not check_chain(other, answer)


@pytest.fixture(scope="module")
def system() -> tuple[Task, dict[str, Any]]:
    asked = task({**MONOID, "ab": eq(m(a, b), e)}, eq(m(b, a), e))
    return asked, run(asked).witness


def test_every_equation_of_a_system_is_needed(system: tuple[Task, dict[str, Any]]) -> None:
    asked, witness = system
    assert check_rewriting(asked, witness)
    for index in range(len(witness["equations"])):
        changed = deepcopy(witness)
        del changed["equations"][index]
        assert not check_rewriting(asked, changed)


def _other_normal_form(witness: dict[str, Any]) -> None:
    witness["normal_forms"][0][0] = ["a"]


def _no_normal_forms(witness: dict[str, Any]) -> None:
    witness["normal_forms"] = []


def _other_branch(witness: dict[str, Any]) -> None:
    witness["branch"] = 1


def _no_branch(witness: dict[str, Any]) -> None:
    witness["branch"] = None


def _turned_precedence(witness: dict[str, Any]) -> None:
    witness["precedence"].reverse()


def _short_precedence(witness: dict[str, Any]) -> None:
    witness["precedence"].pop()


def _claimed_orientation(witness: dict[str, Any]) -> None:
    for each in witness["equations"]:
        each["left"], each["right"] = each["right"], each["left"]


def _ill_sorted(witness: dict[str, Any]) -> None:
    witness["equations"].append({"left": ["m", ["a"], ["true"]], "right": ["a"], "oriented": True})


def _true_is_false(witness: dict[str, Any]) -> None:
    witness["equations"].append({"left": ["false"], "right": ["true"], "oriented": True})


@pytest.mark.parametrize(
    "change",
    [
        _other_normal_form,
        _no_normal_forms,
        _other_branch,
        _no_branch,
        _turned_precedence,
        _short_precedence,
        _claimed_orientation,
        _ill_sorted,
        _true_is_false,
    ],
)
def test_a_changed_system_is_refused(system: tuple[Task, dict[str, Any]], change: Any) -> None:
    asked, witness = system
    changed = deepcopy(witness)
    change(changed)
    assert not check_rewriting(asked, changed)


@pytest.mark.parametrize("witness", [None, 1, [], {}, {"branch": 0}, {"branch": True, "precedence": []}])
def test_rubbish_is_no_system(system: tuple[Task, dict[str, Any]], witness: Any) -> None:
    assert not check_rewriting(system[0], witness)


def test_a_system_says_nothing_where_axioms_are_dropped(system: tuple[Task, dict[str, Any]]) -> None:
    asked, witness = system
    clause = every(lambda x: either(eq(x, a), eq(x, b), eq(x, e)))
    more = task({**{each.name: each.formula for each in asked.goal.axioms}, "few": clause}, asked.goal.claim)
    assert not check_rewriting(more, witness)


def test_a_system_that_is_not_confluent_is_refused() -> None:
    axioms = {"one": every(lambda x: eq(m(x, e), x)), "two": every(lambda x: eq(m(x, e), e))}
    asked = task(axioms, eq(a, b))
    names = ["true", "false", "e", "a", "b", "m", "= G"]
    rules = [
        {"left": ["m", "x : G", ["e"]], "right": "x : G", "oriented": True},
        {"left": ["m", "x : G", ["e"]], "right": ["e"], "oriented": True},
        {"left": ["= G", "x : G", "x : G"], "right": ["true"], "oriented": True},
    ]
    witness = {"branch": 0, "precedence": names, "equations": rules, "normal_forms": [[["a"], ["b"]]]}
    assert not check_rewriting(asked, witness)
    assert run(asked).outcome == "proved"
