"""Random policies of calls with random promises, against direct evaluation: no kept promise fails at a call, every witness does.

`python -m tests.attacks.test_random_policies_of_calls N [SEED]` tries as many by hand and counts what the prover said.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kleis.errors import KleisError
from kleis.evaluator.evaluate import evaluate_with
from kleis.policy.calls import Annotations, Principal, ToolCall, _call, _principal
from kleis.policy.exact_json import read_exactly
from kleis.policy.policy import FULL, Policy, load_policy
from kleis.policy.promises import Promise, prove_promises
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.values import Data, Value

CALLS = 400
"""Calls at which a kept promise is tried."""

LANGUAGES = [
    'below("/srv")',
    're_literal("x")',
    're_union(re_literal("a"), re_literal("A"))',
    're_star(re_literal("ab"))',
    're_complement(re_literal(""))',
    're_concat(re_literal("/srv"), re_star(re_allchar))',
    're_intersect(re_star(re_range("a", "z")), re_complement(re_literal("root")))',
]
TEXTS = ["", "x", "a", "A", "ab", "abab", "aba", "/srv", "/srv/a", "/srv/../etc", "/srv/.", "/srvx", "/srv/%2e", "root",
         "roots", "é", "\u0130", "\n", "x\n", "\U0001f600", "/srv/a\u200bb"]  # fmt: skip
NUMBERS = ["0", "-0", "1", "1.0", "1.5", "7", "9007199254740992", "1e3", "0.1"]
NAMES = ["p", "q", "P", "", "p.q"]
SERVERS, TOOLS, SCOPES = ["a", "b", ""], ["t", "u", "T"], ["admin", "read"]


def condition(chance: Random, levels: int) -> str:
    """A condition on `who` and `call`."""
    if levels and chance.random() < 0.55:
        one, other = condition(chance, levels - 1), condition(chance, levels - 1)
        return chance.choice([f"({one} ∧ {other})", f"({one} ∨ {other})", f"(¬{one})", f"({one} → {other})"])
    name = _text(chance.choice(NAMES))
    return chance.choice(
        [
            f"(server_of(call) = {_text(chance.choice(SERVERS))})",
            f"(tool_of(call) = {_text(chance.choice(TOOLS))})",
            "is_tool_call(call)",
            f"has_scope(who, {_text(chance.choice(SCOPES))})",
            f"is_text_of(argument(call, {name}), {chance.choice(LANGUAGES)})",
            f"is_list_of(argument(call, {name}), {chance.choice(LANGUAGES)})",
            f"is_given(arguments_of(call), {name})",
            f"only_fields(arguments_of(call), [{name}])",
            f"(argument(call, {name}) = JsonNumber({chance.choice(['0', '1', '7', '3/2'])}))",
            f"(argument(call, {name}) = JsonText({_text(chance.choice(TEXTS[:9]))}))",
            f"(match argument(call, {name}) {{ JsonNumber(n) => n * n ≥ n | JsonBool(b) => b | _ => false }})",
            "(match call { McpCall(_, _, _, Annotations(r, _, _, _), _) => r | _ => false })",
            '(match tool_of(call) { "t" => true | "u" => has_scope(who, "admin") | _ => false })',
        ]
    )


def policy_text(chance: Random) -> str:
    """A policy with one promise, which says something of what it allows, or anything at all."""
    rule = 'Deny("last", "")'
    for number in range(chance.randint(1, 4)):
        then = chance.choice(["Allow", "Allow", f'Deny("r{number}", "")', 'Ask("a", "")'])
        rule = f"if {condition(chance, 1)} then {then} else ({rule})"
    wanted = condition(chance, 1)
    claim = chance.choice(
        [
            f"allowed(check_call(who, state, call)) → {wanted}",
            f"{wanted} → ¬allowed(check_call(who, state, call))",
        ]
    )
    return (
        'import "stdlib/policies/gateway.kleis"\n'
        f"define check_call(who : Principal, state : State, call : McpCall) : Decision = {rule}\n"
        f"define promised(who : Principal, state : State, call : McpCall) : Bool = {claim}\n"
        f"promise it : ∀(who : Principal)(state : State)(call : McpCall). {claim}\n"
    )


def _text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def json_text(chance: Random, levels: int) -> str:
    """Arguments as a client writes them."""
    kinds = ["text", "number", "word", *(["list", "object"] if levels else [])]
    match chance.choice(kinds):
        case "text":
            return json.dumps(chance.choice(TEXTS))
        case "number":
            return chance.choice(NUMBERS)
        case "list":
            return "[" + ",".join(json_text(chance, levels - 1) for _ in range(chance.randint(0, 3))) + "]"
        case "object":
            names = chance.sample(NAMES, chance.randint(0, 3))
            return (
                "{" + ",".join(f"{json.dumps(each)}:{json_text(chance, levels - 1)}" for each in names) + "}"
            )
        case _:
            return chance.choice(["true", "false", "null"])


def random_call(chance: Random) -> tuple[Value, Value]:
    """Who calls, and a call, as values of the policy's types."""
    who = Principal(chance.choice(["ann", ""]), tuple(chance.sample(SCOPES, chance.randint(0, 2))))
    names = chance.sample(NAMES, chance.randint(0, 3))
    fields = ",".join(f"{json.dumps(each)}:{json_text(chance, 1)}" for each in names)
    hints = Annotations(*[chance.random() < 0.5 for _ in range(4)])
    call = ToolCall(
        server=chance.choice(SERVERS), tool=chance.choice(TOOLS), arguments=read_exactly("{" + fields + "}"), annotations=hints,
    )  # fmt: skip
    return _principal(who), _call(call)


_PROMISED = tree.Call("promised", (tree.Name("who"), tree.Name("state"), tree.Name("call")))


def holds(policy: Policy, who: Value, call: Value) -> bool:
    environment = policy.environment
    for name, given in (("who", who), ("state", Data("NoState")), ("call", call)):
        environment = environment.bind(name, given)
    value = evaluate_with(policy.machine(FULL), _PROMISED, environment, "<call>")
    assert isinstance(value, bool)
    return value


def _value(policy: Policy, text: str) -> Value:
    return evaluate_with(policy.machine(FULL), parse_expression(text), policy.environment, "<witness>")


def tried(seed: int) -> str:
    """What the prover said of the promise of a random policy. Raises AssertionError where that is not so."""
    chance = Random(seed)
    text = policy_text(chance)
    policy = load_policy(Path("random.kleis"), text=text)
    (promise,) = prove_promises(policy)
    return judged(chance, policy, promise, f"seed {seed}:\n{text}")


def judged(chance: Random, policy: Policy, promise: Promise, about: str) -> str:
    if promise.state == "kept":
        for _ in range(CALLS):
            who, call = random_call(chance)
            assert holds(policy, who, call), f"kept, and fails at {who} {call}; {about}"
    if promise.state == "broken":
        witness = dict(promise.witness)
        assert witness, f"{promise.detail}; {about}"
        values: list[Any] = [_value(policy, witness[name]) for name in ("who", "call")]
        assert not holds(policy, *values), f"broken by {witness}, where it holds; {about}"
    return promise.state


@pytest.mark.parametrize("seed", range(12))
def test_no_promise_is_kept_that_fails_and_every_witness_breaks_it(seed: int) -> None:
    assert tried(seed) in ("kept", "broken", "open")


def test_the_attack_would_find_a_promise_that_is_kept_wrongly() -> None:
    text = (
        'import "stdlib/policies/gateway.kleis"\n'
        "define check_call(who : Principal, state : State, call : McpCall) : Decision = Allow\n"
        'define promised(who : Principal, state : State, call : McpCall) : Bool = has_scope(who, "admin")\n'
    )
    policy = load_policy(Path("random.kleis"), text=text)
    with pytest.raises(AssertionError, match="kept, and fails"):
        judged(Random(0), policy, Promise(name="it", state="kept", file="", line=1), "")


def main() -> None:
    number, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
    said: Counter[str] = Counter()
    for each in range(seed, seed + number):
        try:
            said[tried(each)] += 1
        except KleisError as error:
            said[f"refused: {error}"[:70]] += 1
        if sum(said.values()) % 50 == 0:
            print(dict(said), flush=True)
    print(dict(said))


if __name__ == "__main__":
    main()
