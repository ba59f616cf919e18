"""Questions about a policy to the prover: is there an action for which a condition holds?

A question is ``∀(parameters). ¬condition``.  Refuted, it gives an action; proved, there is none.  See
docs/reference/policy.md §7.

Invariants
    * The answer to a question is an action that a caller can give to the policy again; nothing more is assumed of it.
    * An axiom that the policy declares is not assumed: what it says of a rule nobody has proved.
    * A question that is not decided within its budget, or after the time is up, is `unknown` and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from types import TracebackType
from typing import Literal, TypeVar

import msgspec

from kleis.errors import KleisError
from kleis.policy.actions import Action
from kleis.policy.rule_conditions import builtin_name, conjunction, negation
from kleis.prover.portfolio import ORDER
from kleis.prover.process.broker import Broker
from kleis.prover.process.cancellable_broker import CancellableBroker
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree.traversal import rebuild
from kleis.theory.theory import Theory

__all__ = ["Finding", "Questions", "forced", "in_regular_form", "theory_in_regular_form"]

_ENGINES = (
    "kleis.prover.engines.regular.engine:REGULAR",
    "kleis.prover.engines.computation.enumeration:ENUMERATION",
    "kleis.prover.engines.solvers.script_engines:DIRECT",
)

_ORDER = tuple(next(each for each in ORDER if each.engine == name) for name in _ENGINES)


class Finding(msgspec.Struct, frozen=True):
    """The answer to a question.  `arguments` are those of an action, in the order of its parameters."""

    outcome: Literal["found", "none", "unknown"]
    arguments: tuple[str | int, ...] = ()
    reason: str = ""


class Questions:
    """A prover for the questions about one theory.  Not for several threads at once.

    `stop` is asked before each question: once it says so, every answer is `unknown`.
    """

    def __init__(
        self, theory: Theory, *, broker: Broker | None = None, stop: Callable[[], bool] | None = None
    ) -> None:
        self.theory = theory
        self._own = frozenset((*theory.definitions, *theory.constants))
        self._shared = broker or Broker()
        self._owns_broker = broker is None
        # Searches in patterns are pure, and most take less time than a process does to begin.
        self._broker = CancellableBroker(self._shared, near=_ORDER[0].engine)
        self._prover = self._prover_of(theory)
        self._stop = stop
        self.asked = 0

    def __enter__(self) -> Questions:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._owns_broker:
            self._shared.close()

    def _prover_of(self, theory: Theory) -> Prover:
        return Prover(theory, broker=self._broker, order=_ORDER, cvc5=False, beside=False, assumes=False)

    @cached_property
    def _regular(self) -> Prover:
        """A prover of the same definitions with their searches written as memberships."""
        return self._prover_of(theory_in_regular_form(self.theory))

    @property
    def stopped(self) -> bool:
        """Whether the time is up."""
        return self._stop is not None and self._stop()

    def first_elaborated(
        self, names: Sequence[str], action: Action, conditions: Iterable[tree.Expression]
    ) -> tuple[tree.Expression | None, str]:
        """The first of some conditions over the parameters that can be elaborated; if none can, why the first cannot."""
        reasons: list[str] = []
        for condition in conditions:
            try:
                self._prover.elaborator.proposition(_proposition(names, action, condition))
            except KleisError as error:
                reasons.append(error.message)
            else:
                return condition, ""
        return None, reasons[0]

    def find(self, names: Sequence[str], action: Action, condition: tree.Expression) -> Finding:
        """An action for which the condition, over these names of the parameters, holds.

        One of printable characters if there is one.
        """
        found = self._ask(names, action, condition)
        if found.outcome != "found" or all(
            str(each).isascii() and str(each).isprintable() for each in found.arguments
        ):
            return found
        plain = [
            tree.Call("isAscii", (tree.Name(name),))
            for name, parameter in zip(names, action.parameters, strict=True)
            if parameter != "force"
        ]
        better = self._ask(names, action, conjunction([condition, *plain]))
        return better if better.outcome == "found" else found

    def _ask(self, names: Sequence[str], action: Action, condition: tree.Expression) -> Finding:
        if self.stopped:
            return Finding("unknown", reason="not asked: the time is up")
        self.asked += 1
        proposition = _proposition(names, action, condition)
        try:
            verdict = self._prover.verify(proposition)
            if verdict.status == "unknown" and not self.stopped:
                verdict = self._regular.verify(in_regular_form(proposition, self._own))
        except RecursionError:
            return Finding("unknown", reason="the rule is nested too deeply")
        match verdict.status:
            case "verified":
                return Finding("none")
            case "disproved":
                return _action_of(verdict, names, action)
            case "error":
                return Finding("unknown", reason=verdict.message)
            case "inconsistent":
                return Finding("unknown", reason=f"the declarations clash: {', '.join(verdict.core)}")
            case _:
                return Finding("unknown", reason=verdict.message or f"not decided ({verdict.reason})")


def _proposition(names: Sequence[str], action: Action, condition: tree.Expression) -> tree.Expression:
    binders = tuple(
        tree.Binder(name, tree.NamedType("ℤ" if parameter == "force" else "String"))
        for name, parameter in zip(names, action.parameters, strict=True)
    )
    bounds = [
        forced(name) for name, parameter in zip(names, action.parameters, strict=True) if parameter == "force"
    ]
    return tree.Quantifier("forall", binders, None, negation(conjunction([*bounds, condition])))


def forced(name: str) -> tree.Expression:
    """That a name is one of the two values that `force` has."""
    return tree.Call(
        "logical_or", tuple(tree.Call("equals", (tree.Name(name), tree.Number(each))) for each in "01")
    )


def _action_of(verdict: Verdict, names: Sequence[str], action: Action) -> Finding:
    """The action of a refutation."""
    bound: Mapping[str, str] = (
        {each.name: each.value for each in verdict.evidence.bindings} if verdict.evidence is not None else {}
    )
    arguments: list[str | int] = []
    for name, parameter in zip(names, action.parameters, strict=True):
        match parse_expression(bound[name]) if name in bound else None:
            case tree.Text(value=value) if parameter != "force":
                arguments.append(value)
            case tree.Number(text=text) if parameter == "force":
                arguments.append(int(text))
            case None:
                arguments.append(0 if parameter == "force" else "")
            case _:
                return Finding("unknown", reason=f"a refutation with {name} = {bound[name]}")
    return Finding("found", tuple(arguments))


# ── Regular form ─────────────────────────────────────────────────────────────────────────────────────────────

_N = TypeVar("_N", bound=tree.Node)

_REGULAR_OPERATIONS = ("matches", "re_concat", "re_full", "re_literal")


def theory_in_regular_form(theory: Theory) -> Theory:
    """The theory with its definitions in regular form."""
    own = frozenset((*theory.definitions, *theory.constants))
    rewritten = Theory()
    for entry in theory.entries:
        item = entry.declaration
        if isinstance(item, tree.FunctionDefinition):
            item = in_regular_form(item, own)
        rewritten = rewritten.add(item, file=entry.file)
    return rewritten


def in_regular_form(node: _N, own: Collection[str]) -> _N:
    """The tree with searches for literal texts as memberships in regular languages; it has the same value for every text.

    ``contains(x, "a")`` becomes ``matches(x, Σ* a Σ*)``, and so for prefixes and suffixes.  The solver decides any number
    of memberships of one text together; two searches in it may be too many for it
    (``contains(x, "sudo ") ∧ ¬contains(x, "sudo")``).  `own` are names that the program declares itself.
    """
    rebuilt = rebuild(node, lambda part: in_regular_form(part, own))
    if isinstance(rebuilt, tree.Call):
        found = _membership(rebuilt, own)
        if found is not None and isinstance(found, type(node)):
            return found
    return rebuilt


def _membership(call: tree.Call, own: Collection[str]) -> tree.Call | None:
    if call.name in own or len(call.arguments) != 2 or not isinstance(call.arguments[1], tree.Text):
        return None
    if any(name in own for name in _REGULAR_OPERATIONS):
        return None
    whole, part = call.arguments
    literal: tree.Expression = tree.Call("re_literal", (part,))
    everything: tree.Expression = tree.Name("re_full")
    language: tuple[tree.Expression, ...]
    match builtin_name(call):
        case "contains":
            language = (everything, literal, everything)
        case "hasPrefix":
            language = (literal, everything)
        case "hasSuffix":
            language = (everything, literal)
        case _:
            return None
    return tree.Call("matches", (whole, tree.Call("re_concat", language)))
