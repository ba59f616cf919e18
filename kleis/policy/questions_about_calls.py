"""Questions to the prover about `check_call`: is there a call that one policy allows, or that two judge differently?

See docs/reference/policy.md §10.4.

Invariants
    * A call that is given as an answer has been decided again by the policies themselves.
    * What is proved follows from the definitions: an axiom that a policy declares of its rules is not assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec

from kleis.errors import KleisError
from kleis.evaluator.evaluate import evaluate_with
from kleis.policy.calls import CallDecision, ToolCall, decide_values, unfit
from kleis.policy.policy import CHECK_CALL, FULL, Policy
from kleis.prover.process.broker import Broker
from kleis.prover.process.cancellable_broker import CancellableBroker
from kleis.prover.prover import Prover
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.theory.theory import Theory
from kleis.values import Value

__all__ = ["CallDifference", "CallFinding", "CallQuestions", "compare_calls"]

_BINDERS = tuple(
    tree.Binder(name, tree.NamedType(sort))
    for name, sort in (("who", "Principal"), ("state", "State"), ("call", "McpCall"))
)


class CallFinding(msgspec.Struct, frozen=True):
    """The answer to a question; `who` and `call` are values as the language writes them, where a call was found."""

    outcome: Literal["found", "none", "unknown"]
    who: str = ""
    call: str = ""
    reason: str = ""

    @property
    def witness(self) -> Mapping[str, str]:
        """The call as people read it."""
        return {"who": self.who, "call": self.call}


class CallQuestions:
    """A prover for questions about the calls that policies allow.  Not for several threads at once."""

    def __init__(
        self, theory: Theory, *, broker: Broker | None = None, stop: Callable[[], bool] | None = None
    ) -> None:
        self._prover = Prover(
            theory,
            broker=CancellableBroker(broker) if broker is not None else None,
            cvc5=False,
            assumes=False,
        )
        self._stop = stop
        self.asked = 0

    def __enter__(self) -> CallQuestions:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the prover go."""
        self._prover.close()

    def find(self, condition: tree.Expression) -> CallFinding:
        """A call at which a condition over `who`, `state` and `call` holds."""
        if self._stop is not None and self._stop():
            return CallFinding("unknown", reason="not asked: the time is up")
        self.asked += 1
        claim = tree.Quantifier("forall", _BINDERS, None, tree.Call("logical_not", (condition,)))
        verdict = self._prover.verify(claim)
        if verdict.status == "verified":
            return CallFinding("none")
        if verdict.status == "disproved" and verdict.evidence is not None:
            bound = {each.name: each.value for each in verdict.evidence.bindings}
            return CallFinding("found", who=bound.get("who", 'Principal("", [])'), call=bound.get("call", ""))
        return CallFinding(
            "unknown", reason=verdict.message or f"not decided ({verdict.reason or verdict.status})"
        )

    def denies_every_call(self, scopes: Sequence[str], call: ToolCall) -> bool:
        """Whether it is proved that every call of a tool is denied to whoever has these scopes, whatever its arguments are and
        whoever it is. The arguments of `call` do not count."""
        self.asked += 1
        return self._prover.verify(_denies(scopes, call)).status == "verified"


def _denies(scopes: Sequence[str], call: ToolCall) -> tree.Expression:
    said = call.annotations
    hints = (said.read_only, said.destructive, said.idempotent, said.open_world)
    who = tree.Call("Principal", (tree.Name("name"), tree.ListLiteral(tuple(map(tree.Text, scopes)))))
    called = tree.Call(
        "McpCall",
        (
            tree.Text(call.server), tree.Text(call.tool), tree.Name("arguments"),
            tree.Call("Annotations", tuple(map(tree.Boolean, hints))), tree.Text(call.schema),
        ),
    )  # fmt: skip
    decision = tree.Call(CHECK_CALL, (who, tree.Name("NoState"), called))
    denied = tree.ConstructorPattern("Deny", (tree.WildcardPattern(), tree.WildcardPattern()))
    cases = (
        tree.Case(denied, None, tree.Boolean(True)),
        tree.Case(tree.WildcardPattern(), None, tree.Boolean(False)),
    )
    binders = (
        tree.Binder("name", tree.NamedType("String")),
        tree.Binder("arguments", tree.NamedType("Json")),
    )
    return tree.Quantifier("forall", binders, None, tree.Match(decision, cases))


def allows(rule: str = CHECK_CALL) -> tree.Expression:
    """That a rule allows, over `who`, `state` and `call`."""
    asked = tree.Call(rule, tuple(tree.Name(each.name) for each in _BINDERS))
    return tree.Call("equals", (asked, tree.Name("Allow")))


def decide_again(policy: Policy, found: CallFinding) -> CallDecision | None:
    """What a policy says of the call that was found; None where it cannot be read back."""
    try:
        who, call = (_value(policy, each) for each in (found.who, found.call))
    except KleisError:
        return None
    return decide_values(policy, who, call)


def _value(policy: Policy, text: str) -> Value:
    return evaluate_with(policy.machine(FULL), parse_expression(text), policy.environment, "<witness>")


# ── Two policies ────────────────────────────────────────────────────────────────────────────────────────────


class CallDifference(msgspec.Struct, frozen=True):
    """How two policies differ about calls: one that only the old allows, one that only the new allows, and doubts."""

    only_old: CallFinding | None = None
    only_new: CallFinding | None = None
    doubts: tuple[str, ...] = ()


def compare_calls(
    old: Policy, new: Policy, questions: CallQuestions, first: str, second: str
) -> CallDifference:
    """Compare `check_call` of two policies, called `first` and `second` in the theory of the questions."""
    doubts: list[str] = []
    found: list[CallFinding | None] = []
    fits = [not unfit(each) for each in (old, new)]
    sides = (
        (fits[0], allows(first), fits[1], allows(second), "only the old policy", True),
        (fits[1], allows(second), fits[0], allows(first), "only the new policy", False),
    )
    for judges, this, other_judges, other, side, by_old in sides:
        if not judges:  # it denies every call
            found.append(None)
            continue
        condition = (
            tree.Call("logical_and", (this, tree.Call("logical_not", (other,)))) if other_judges else this
        )
        answer = questions.find(condition)
        if answer.outcome == "found":
            decided = decide_again(old, answer), decide_again(new, answer)
            said = [each is not None and each.allowed for each in decided]
            if said != [by_old, not by_old]:
                answer = CallFinding("unknown", reason=f"the policies agree on {answer.call}")
        if answer.outcome == "unknown":
            doubts.append(f"whether {side} allows a call: {answer.reason}")
        found.append(answer if answer.outcome == "found" else None)
    return CallDifference(found[0], found[1], tuple(doubts))
