"""Calls of MCP servers as a policy sees them, and its decisions on them.

See docs/reference/policy.md §10.

Invariants
    * `decide_call` always answers, and only the value ``Allow`` of `check_call` allows.  A rule that is missing, fails, is
      undecided or uses up its budget denies, and so does a policy whose `check_call` is not about this library's types.
    * What is judged is built from the same bytes that are sent: `exact_json` refuses what two parsers read differently.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, TypeAlias, TypedDict

import msgspec

from kleis.budget import Budget
from kleis.errors import BudgetError, EvaluationError
from kleis.evaluator.evaluate import evaluate_with
from kleis.policy.decision import described
from kleis.policy.exact_json import json_value
from kleis.policy.policy import CHECK_CALL, FULL, Policy
from kleis.syntax import tree
from kleis.syntax.printer.program import print_type
from kleis.theory.import_search import packaged_library
from kleis.values import Data, Value, list_of

__all__ = [
    "Annotations",
    "Call",
    "CallDecision",
    "Completion",
    "GetPrompt",
    "Principal",
    "ReadResource",
    "ToolCall",
    "decide_call",
    "decide_values",
    "unfit",
]

_PARAMETERS = ("Principal", "State", "McpCall")
_TYPES = ("Json", "JsonField", "Principal", "State", "Annotations", "McpCall", "Decision")
_CONSTRUCTORS = frozenset(
    {
        "Annotations", "McpCall", "ReadResource", "GetPrompt", "Complete", "Principal", "NoState", "Allow", "Deny", "Ask",
        "JsonNull", "JsonBool", "JsonNumber", "JsonText", "JsonList", "JsonObject", "JsonField",
    }
)  # fmt: skip
"""What stdlib/policies/gateway.kleis declares."""

_FILE = "policies/gateway.kleis"
_LIBRARY = f"stdlib/{_FILE}"

Outcome: TypeAlias = Literal["allow", "deny", "ask"]


class Principal(msgspec.Struct, frozen=True):
    """Who calls."""

    name: str
    scopes: tuple[str, ...] = ()


class Annotations(msgspec.Struct, frozen=True):
    """What a server says of a tool; the defaults are those of MCP."""

    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    open_world: bool = True


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a tool.  `arguments` are data as `exact_json.read_exactly` makes them."""

    server: str
    tool: str
    arguments: Any = None
    annotations: Annotations = Annotations()
    schema: str = ""


class ReadResource(msgspec.Struct, frozen=True, kw_only=True):
    """A resource that is read."""

    server: str
    uri: str


class GetPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt that is asked for."""

    server: str
    prompt: str
    arguments: Any = None


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """Completions of an argument of a prompt or a resource template (`about`)."""

    server: str
    about: str
    argument: str
    value: str


Call: TypeAlias = ToolCall | ReadResource | GetPrompt | Completion


class CallAnswer(TypedDict, total=False):
    """The fields of a decision that clients read."""

    decision: Outcome
    rule: str
    reason: str
    hint: str
    policy_problem: str


class CallDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What a policy says of a call.

    `rule` and `hint` are those of the policy's own answer; of ``ask``, the hint is its question.  `problem` is not empty
    where the policy in effect is not what its file says now.  `exhausted`: the budget stopped the rule.
    """

    outcome: Outcome
    rule: str
    reason: str
    hint: str = ""
    problem: str = ""
    exhausted: bool = False

    @property
    def allowed(self) -> bool:
        """Whether the call may be forwarded."""
        return self.outcome == "allow"

    def as_dict(self) -> CallAnswer:
        """The fields that are not empty, as JSON values."""
        answer: CallAnswer = {"decision": self.outcome, "rule": self.rule, "reason": self.reason}
        if self.hint:
            answer["hint"] = self.hint
        if self.problem:
            answer["policy_problem"] = self.problem
        return answer


def decide_call(policy: Policy, who: Principal, call: Call, *, budget: Budget = FULL) -> CallDecision:
    """The decision of a policy on a call."""
    return decide_values(policy, _principal(who), _call(call), budget=budget)


def decide_values(policy: Policy, who: Value, call: Value, *, budget: Budget = FULL) -> CallDecision:
    """The decision on a call that is a value of `McpCall` already."""
    problem = unfit(policy)
    if problem:
        return _denied(problem)
    environment = policy.environment
    for name, given in zip(_ARGUMENTS, (who, Data("NoState"), call), strict=True):
        environment = environment.bind(name, given)
    machine = policy.machine(budget)
    try:
        value = evaluate_with(machine, _ASKED, environment, "<call>")
    except BudgetError as error:
        return msgspec.structs.replace(_denied(f"{CHECK_CALL} was stopped: {error.message}"), exhausted=True)
    except EvaluationError as error:
        return _denied(f"{CHECK_CALL} has no value here: {error}")
    if machine.approximate:
        return _denied(f"{CHECK_CALL} rests on a comparison of approximate numbers")
    if machine.mixed:
        return _denied(f"{CHECK_CALL} compares {machine.mixed}, which are never equal")
    return _decision(value)


_ARGUMENTS = ("who", "state", "call")
_ASKED = tree.Call(CHECK_CALL, tuple(map(tree.Name, _ARGUMENTS)))


@lru_cache(maxsize=8)
def unfit(policy: Policy) -> str:
    """Why a policy cannot judge calls; empty if it can."""
    definition = policy.definitions.get(CHECK_CALL)
    if definition is None:
        other = policy.declared_otherwise(CHECK_CALL)
        return f"{CHECK_CALL} is no rule: it is {other}" if other else f"the policy has no rule {CHECK_CALL}"
    written = tuple(print_type(each.type) if each.type is not None else "" for each in definition.parameters)
    if len(written) != len(_PARAMETERS) or any(
        each not in ("", wanted) for each, wanted in zip(written, _PARAMETERS, strict=True)
    ):
        wanted = ", ".join(f"{name} : {sort}" for name, sort in zip(_ARGUMENTS, _PARAMETERS, strict=True))
        return f"{CHECK_CALL} has to take ({wanted})"
    strange = [name for name in _TYPES if not _is_the_librarys(policy, name)]
    if strange:
        return f'the type {strange[0]} is not that of import "{_LIBRARY}"'
    hidden = sorted(_CONSTRUCTORS & set(policy.definitions))
    return f"{hidden[0]} is defined again: it has to be the library's constructor" if hidden else ""


def _is_the_librarys(policy: Policy, name: str) -> bool:
    """Whether a type is declared once, by the library: promises are proved about the types that calls really have."""
    files = {each.file for each in policy.theory.lookup(name)}
    library = packaged_library()
    paths = {each.path for each in policy.loading.sources if each.name in files}
    return len(files) == 1 and library is not None and paths == {library / _FILE}


def _denied(reason: str, rule: str = CHECK_CALL) -> CallDecision:
    return CallDecision(outcome="deny", rule=rule, reason=f"DENIED — {reason}")


def _decision(value: Value) -> CallDecision:
    match value:
        case Data(constructor="Allow", fields=()):
            return CallDecision(outcome="allow", rule=CHECK_CALL, reason=f"ALLOWED by {CHECK_CALL}")
        case Data(constructor="Deny", fields=(str() as rule, str() as hint)):
            return CallDecision(outcome="deny", rule=rule, reason=f"DENIED by {rule}", hint=hint)
        case Data(constructor="Ask", fields=(str() as rule, str() as question)):
            return CallDecision(
                outcome="ask", rule=rule, reason=f"{rule} wants a person's consent", hint=question
            )
        case _:
            return _denied(f"the value of {CHECK_CALL} is {described(value)}, which is no decision")


# ── Calls as values ─────────────────────────────────────────────────────────────────────────────────────────


def _principal(who: Principal) -> Data:
    return Data("Principal", (who.name, list_of(who.scopes)))


def _call(call: Call) -> Data:
    match call:
        case ToolCall():
            hints = call.annotations
            annotations = (hints.read_only, hints.destructive, hints.idempotent, hints.open_world)
            arguments = json_value(call.arguments)
            fields = (call.server, call.tool, arguments, Data("Annotations", annotations), call.schema)
            return Data("McpCall", fields)
        case ReadResource():
            return Data("ReadResource", (call.server, call.uri))
        case GetPrompt():
            return Data("GetPrompt", (call.server, call.prompt, json_value(call.arguments)))
        case Completion():
            return Data("Complete", (call.server, call.about, call.argument, call.value))
