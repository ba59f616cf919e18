"""Compares two policies: is one stricter than the other?  Each difference has an action, decided by both.

For each action there are two questions: is there one that only the old policy allows (then the new one is stricter
there), and one that only the new policy allows (looser)?  ``equal`` needs both answered with no.  See
docs/reference/policy.md §7.3.

Invariants
    * A difference is only reported with an action on which the two policies, asked themselves, differ.
    * ``equal``, ``stricter`` and ``looser`` need a proof of what they exclude; without one the answer is ``unknown``.
    * A rule may also deny because it has no value, or because its `before_` rule has none.  That every rule has a
      value is proved first; where it is not, ``unknown`` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

import msgspec

from kleis.budget import deep
from kleis.builtins.rows.table import builtin_beside, find_builtin
from kleis.errors import LoadError
from kleis.policy.actions import ACTIONS, Action
from kleis.policy.answer_shapes import ComparisonAnswer
from kleis.policy.calls import CallDecision, unfit
from kleis.policy.decision import Decision
from kleis.policy.policy import CHECK_CALL, Policy
from kleis.policy.prover_questions import Finding, Questions
from kleis.policy.questions_about_calls import CallFinding, CallQuestions, compare_calls, decide_again
from kleis.policy.rule_conditions import LEAF_SORTS, conjunction, negation, permits
from kleis.prover.process.broker import Broker
from kleis.syntax import tree
from kleis.syntax.tree.traversal import rebuild, walk
from kleis.theory.theory import Theory

__all__ = ["Combination", "Comparison", "Difference", "Relation", "Row", "combine", "compare"]

Relation = Literal["equal", "stricter", "looser", "incomparable", "unknown"]


class Difference(msgspec.Struct, frozen=True):
    """An action on which the policies differ, and what each says."""

    witness: Mapping[str, Any]
    old: Decision | CallDecision
    new: Decision | CallDecision

    def as_dict(self) -> dict[str, Any]:
        """The difference as JSON values."""
        return {"witness": dict(self.witness), "old": self.old.as_dict(), "new": self.new.as_dict()}


class Row(msgspec.Struct, frozen=True):
    """How the policies compare for one action; `steps` is a difference in the preconditions alone."""

    action: str
    relation: Relation
    stricter: Difference | None = None
    looser: Difference | None = None
    steps: Difference | None = None
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The fields that are not empty, as JSON values."""
        fields: dict[str, Any] = {"action": self.action, "relation": self.relation}
        named = {"stricter": self.stricter, "looser": self.looser, "preconditions": self.steps}
        fields |= {name: each.as_dict() for name, each in named.items() if each is not None}
        if self.reason:
            fields["reason"] = self.reason
        return fields


class Comparison(msgspec.Struct, frozen=True):
    """How the new policy compares with the old one, as a whole and for each action."""

    relation: Relation
    rows: tuple[Row, ...]
    asked: int
    reason: str = ""

    def as_dict(self) -> ComparisonAnswer:
        """The comparison as JSON values."""
        actions = [each.as_dict() for each in self.rows]
        fields: ComparisonAnswer = {"relation": self.relation, "asked": self.asked, "actions": actions}
        if self.reason:
            fields["reason"] = self.reason
        return fields


def compare(
    old: Policy,
    new: Policy,
    *,
    broker: Broker | None = None,
    stop: Callable[[], bool] | None = None,
) -> Comparison:
    """Compare `new` with `old`: stricter means that it allows less."""
    try:
        both = combine(old, new)
    except LoadError as error:
        return Comparison("unknown", (), 0, error.message)
    # A rule nests as deep as a source may, and every walk over one takes several frames a level.
    with deep(), Questions(both.theory, broker=broker, stop=stop) as questions:
        rows = tuple(_Row(old, new, both, action, questions).row() for action in ACTIONS.values())
        calls, asked = _calls(old, new, both, broker, stop)
        rows += calls
        return Comparison(_together(rows), rows, questions.asked + asked)


def _calls(
    old: Policy, new: Policy, both: Combination, broker: Broker | None, stop: Callable[[], bool] | None
) -> tuple[tuple[Row, ...], int]:
    """The row about calls of MCP servers, where a policy has a rule for them; and the questions asked."""
    rules = both.first.get(CHECK_CALL), both.second.get(CHECK_CALL)
    if rules == (None, None):
        return (), 0
    if rules[0] == rules[1] and unfit(old) == unfit(new):
        return (Row("call", "equal"),), 0
    names = [each.name if each is not None else CHECK_CALL for each in rules]
    with CallQuestions(both.theory, broker=broker, stop=stop) as questions:
        found = compare_calls(old, new, questions, names[0], names[1])
    stricter, looser = (
        None if each is None else _judged(old, new, each) for each in (found.only_old, found.only_new)
    )
    relation: Relation = "equal"
    if stricter is not None and looser is not None:
        relation = "incomparable"
    elif found.doubts:
        relation = "unknown"
    elif stricter is not None or looser is not None:
        relation = "stricter" if stricter is not None else "looser"
    return (Row("call", relation, stricter, looser, None, "; ".join(found.doubts)),), questions.asked


def _judged(old: Policy, new: Policy, found: CallFinding) -> Difference:
    before, after = decide_again(old, found), decide_again(new, found)
    assert before is not None, "it was decided before"
    assert after is not None, "it was decided before"
    return Difference(found.witness, before, after)


def _together(rows: tuple[Row, ...]) -> Relation:
    found = {row.relation for row in rows} - {"equal"}
    if any(row.stricter for row in rows) and any(row.looser for row in rows):
        return "incomparable"
    if "unknown" in found:
        return "unknown"
    return next(iter(found)) if found else "equal"


_NAMES = ("asked_about", "asked_force")


class _Row:
    """The comparison for one action."""

    def __init__(
        self, old: Policy, new: Policy, both: Combination, action: Action, questions: Questions
    ) -> None:
        self._old = old
        self._new = new
        self._both = both
        self._action = action
        self._questions = questions
        self._names = _NAMES[: len(action.parameters)]
        self._doubts: list[str] = []

    def row(self) -> Row:
        if self._same():
            return Row(self._action.name, "equal")
        first = self._permits(self._old, self._both.first)
        second = self._permits(self._new, self._both.second)
        if first is None or second is None:
            return Row(self._action.name, "unknown", reason="; ".join(self._doubts))
        stricter = self._difference(conjunction([first, negation(second)]), old=True)
        looser = self._difference(conjunction([second, negation(first)]), old=False)
        steps = self._steps() if stricter is None and looser is None else None
        relation: Relation = "equal"
        if stricter is not None and looser is not None:
            relation = "incomparable"
        elif self._doubts:
            relation = "unknown"
        elif stricter is not None or looser is not None:
            relation = "stricter" if stricter is not None else "looser"
        return Row(self._action.name, relation, stricter, looser, steps, "; ".join(self._doubts))

    def _same(self) -> bool:
        """Whether the rules are the same text, with all they mention."""
        action = self._action
        rules = [
            (self._both.first.get(name), self._both.second.get(name))
            for name in (action.check, action.before)
        ]
        names = (action.check, action.before)
        if any(
            bool(self._old.declared_otherwise(each)) != bool(self._new.declared_otherwise(each))
            for each in names
        ):
            return False
        defaults = rules[0] != (None, None) or self._old.default == self._new.default
        return defaults and all(left == right for left, right in rules)

    def _permits(
        self, policy: Policy, definitions: Mapping[str, tree.FunctionDefinition]
    ) -> tree.Expression | None:
        """That the policy allows, over the names of the question; None, with a doubt, where there is no such formula."""
        rule = definitions.get(self._action.check)
        before = definitions.get(self._action.before)
        if any(policy.declared_otherwise(each) for each in (self._action.check, self._action.before)):
            return tree.Boolean(False)
        if before is not None and not self._has_value(before, "before"):
            return None
        if rule is None:
            return tree.Boolean(policy.default == "allow")
        if len(rule.parameters) != len(self._names):
            return tree.Boolean(False)
        definitions, constructors = self._both.theory.definitions, self._both.constructors
        bodies = (self._over(rule, permits(rule, definitions, constructors, each)) for each in LEAF_SORTS)
        body, reason = self._questions.first_elaborated(self._names, self._action, bodies)
        if body is None:
            self._doubts.append(f"{rule.name} has no meaning for the prover: {reason}")
            return None
        return body if self._has_value(rule, "check") else None

    def _has_value(self, rule: tree.FunctionDefinition, kind: str) -> bool:
        """Whether it is proved that a rule has a value for every action."""
        if len(rule.parameters) != len(self._names):
            return kind == "check"
        value = tree.Call(rule.name, tuple(tree.Name(name) for name in self._names))
        found = self._questions.find(self._names, self._action, negation(tree.Call("equals", (value, value))))
        if found.outcome != "none":
            self._doubts.append(f"whether {rule.name} has a value for every action is not known")
        return found.outcome == "none"

    def _over(self, rule: tree.FunctionDefinition, body: tree.Expression) -> tree.Expression:
        """A body over the names of the question."""
        for parameter, name in zip(reversed(rule.parameters), reversed(self._names), strict=True):
            body = tree.Let(tree.VariablePattern(parameter.name), parameter.type, tree.Name(name), body)
        return body

    def _difference(self, condition: tree.Expression, *, old: bool) -> Difference | None:
        """An action that only the old policy allows, or only the new one."""
        found = self._questions.find(self._names, self._action, condition)
        if found.outcome == "none":
            return None
        if found.outcome == "found":
            difference = self._decided(found)
            if difference.old.allowed is old and difference.new.allowed is not old:
                return difference
            found = Finding("unknown", reason=f"the policies agree on {dict(difference.witness)}")
        side = "only the old policy" if old else "only the new policy"
        self._doubts.append(f"whether {side} allows something: {found.reason}")
        return None

    def _steps(self) -> Difference | None:
        """An action for which the policies, otherwise alike, name different steps."""
        left, right = self._both.first.get(self._action.before), self._both.second.get(self._action.before)
        if left == right:
            return None
        values = [
            tree.Call(each.name, tuple(tree.Name(name) for name in self._names))
            for each in (left, right)
            if each is not None
        ]
        if len(values) == 1:
            condition: tree.Expression = tree.Boolean(True)
        else:
            condition = tree.Call("neq", (values[0], values[1]))
        found = self._questions.find(self._names, self._action, condition)
        if found.outcome != "found":
            return None
        old, new = self._both_decide(found)
        if old.preconditions == new.preconditions:
            return None
        return Difference(self._action.request(found.arguments), old, new)

    def _decided(self, found: Finding) -> Difference:
        return Difference(self._action.request(found.arguments), *self._both_decide(found))

    def _both_decide(self, found: Finding) -> tuple[Decision, Decision]:
        old = self._old.decide_read(self._action, found.arguments)
        return old, self._new.decide_read(self._action, found.arguments)


# ── Two policies in one theory ───────────────────────────────────────────────────────────────────────────────

_NAMED = (
    tree.Name,
    tree.Call,
    tree.NamedType,
    tree.ConstructorPattern,
    tree.VariablePattern,
    tree.AsPattern,
    tree.Binder,
    tree.Parameter,
    tree.FunctionDefinition,
    tree.DataDefinition,
    tree.Variant,
)

_N = TypeVar("_N", bound=tree.Node)


class Combination(msgspec.Struct, frozen=True):
    """A theory of both policies, with the definitions of each under the names it gave them."""

    theory: Theory
    first: Mapping[str, tree.FunctionDefinition]
    second: Mapping[str, tree.FunctionDefinition]
    constructors: Mapping[str, str]
    """All constructors, with the name of each in its policy."""


def combine(first: Policy, second: Policy) -> Combination:
    """Both policies in one theory, so that one question can be about both.

    Whatever the second policy declares otherwise than the first gets a new name there, everywhere it is mentioned, so
    that every definition of the second policy computes what it did.  What both declare alike (the library, mostly) is
    shared.  Raises `LoadError` where they differ in more than definitions and data types.
    """
    with deep():
        kept, names = _kept(first.theory, second.theory)
    theory = first.theory.extend(kept, file="<second policy>")
    definitions = {name: theory.definitions[names.get(name, name)] for name in second.theory.definitions}
    constructors = {name: name for name in first.theory.constructors}
    constructors |= {names.get(name, name): name for name in second.theory.constructors}
    return Combination(theory, first.theory.definitions, definitions, constructors)


def _kept(first: Theory, second: Theory) -> tuple[list[tree.Declaration], Mapping[str, str]]:
    """What the second theory declares otherwise, renamed, and the new names."""
    changed = _changed(first, second)
    _check_builtins(first, second)
    prefix = _prefix(first, second)
    names = {name: prefix + name for name in changed}
    kept: list[tree.Declaration] = []
    known = {entry.declaration for entry in first.entries}
    for entry in second.entries:
        item = entry.declaration
        match item:
            case tree.FunctionDefinition() | tree.DataDefinition():
                if _declares(item) & changed:
                    kept.append(_renamed(item, names, second))
            case _ if item in known or type(item).__name__ in ("Import", "Annotation", "Example", "Lemma"):
                continue
            case _:
                raise LoadError(
                    "the policies declare different structures or operations, and cannot be compared",
                    code="not-comparable",
                    hint="compare policies that differ in definitions and data types only",
                )
    return kept, names


def _check_builtins(first: Theory, second: Theory) -> None:
    """`LoadError` where a definition of the first theory would take the place of a built-in that the second uses."""
    hiding = {name for name in first.definitions if name not in second.definitions and find_builtin(name)}
    used = {
        node.name
        for item in (*second.definitions.values(), *second.data.values())
        for node in walk(item)
        if isinstance(node, tree.Name | tree.Call)
    }
    hidden = sorted(hiding & used)
    if hidden:
        raise LoadError(
            f"one policy defines {hidden[0]}, which is a built-in for the other",
            code="not-comparable",
            hint="give the definition a name of its own",
        )


def _declares(item: tree.FunctionDefinition | tree.DataDefinition) -> frozenset[str]:
    if isinstance(item, tree.FunctionDefinition):
        return frozenset({item.name})
    return frozenset({item.name, *(each.name for each in item.variants)})


def _changed(first: Theory, second: Theory) -> frozenset[str]:
    """The names that the second theory declares otherwise, and what of it mentions them."""
    mentions: dict[str, frozenset[str]] = {}
    changed: set[str] = set()
    declared: list[tuple[frozenset[str], tree.Node, tree.Node | None]] = [
        (frozenset({name}), item, first.definitions.get(name)) for name, item in second.definitions.items()
    ]
    declared += [(_declares(item), item, first.data.get(name)) for name, item in second.data.items()]
    for names, item, other in declared:
        found = frozenset(str(getattr(node, "name", "")) for node in walk(item) if isinstance(node, _NAMED))
        for name in names:
            mentions[name] = found
        if item != other:
            changed |= names
    while True:
        more = {name for name, found in mentions.items() if name not in changed and found & changed}
        if not more:
            return frozenset(changed)
        changed |= more


def _prefix(*theories: Theory) -> str:
    """A beginning that no name in either theory has."""
    taken = [
        str(getattr(node, "name", ""))
        for theory in theories
        for entry in theory.entries
        for node in walk(entry.declaration)
    ]
    prefix = "other_"
    while any(name.startswith(prefix) for name in taken):
        prefix += "other_"
    return prefix


def _renamed(node: _N, names: Mapping[str, str], second: Theory) -> _N:
    """The tree with every name replaced, binders included; calls of built-ins beside definitions keep theirs."""
    rebuilt = rebuild(node, lambda part: _renamed(part, names, second))
    if isinstance(rebuilt, _NAMED) and rebuilt.name in names and not _calls_builtin(rebuilt, second):
        return msgspec.structs.replace(rebuilt, name=names[rebuilt.name])
    return rebuilt


def _calls_builtin(node: tree.Node, theory: Theory) -> bool:
    """Whether a node calls a built-in beside the definition of its name."""
    definition = theory.definitions.get(node.name) if isinstance(node, tree.Call) else None
    if definition is None or not isinstance(node, tree.Call):
        return False
    return builtin_beside(node.name, len(definition.parameters), len(node.arguments)) is not None
