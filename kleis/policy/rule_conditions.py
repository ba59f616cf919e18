"""The body of a rule taken apart: its conditions with what leads to each, and the truth value it comes to.

Invariants
    * `permits` is true exactly where the value of the body allows, provided that every leaf is read as what it is;
      which of the three readings of a computed leaf is meant, its sort decides (`READINGS`).
    * No name is captured: a helper is only opened where no local name hides one that it mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

import msgspec

from kleis.builtins.rows.table import find_builtin
from kleis.policy.decision import ALLOWING_TEXTS, allows
from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk
from kleis.values import Data, Symbol

__all__ = [
    "READINGS",
    "Condition",
    "Reading",
    "builtin_name",
    "conditions",
    "conjunction",
    "disjuncts",
    "negation",
    "permits",
]

Reading = Literal["text", "truth", "number"]
READINGS: tuple[Reading, ...] = ("text", "truth", "number")
"""What a computed leaf may be: a text among the allowing ones, a truth value, a number that is 1."""

_WORDS = ("allow", "allowed", "deny", "denied")
"""Names that are read as themselves where nothing is called so."""

_OPENED = 4
"""Helpers within helpers that are opened."""

Definitions = Mapping[str, tree.FunctionDefinition]
Constructors = Mapping[str, str]
"""The names of constructors, with what each is called in its policy."""

Wrap = Callable[[tree.Expression], tree.Expression]


class Condition(msgspec.Struct, frozen=True):
    """A condition of a rule: `after` are the conditions that lead to it, each with whether it holds there.

    `denies` says that what follows where it is true denies, whatever else is asked.  All are closed over the local
    names of the rule, so that only its parameters are free.
    """

    test: tree.Expression
    after: tuple[tuple[tree.Expression, bool], ...]
    denies: bool
    line: int

    @property
    def reached(self) -> tree.Expression:
        """That the condition is asked at all."""
        return conjunction([test if holds else negation(test) for test, holds in self.after])


def conditions(
    rule: tree.FunctionDefinition, definitions: Definitions, constructors: Constructors
) -> tuple[Condition, ...]:
    """The conditions of a rule in the order they are asked, those of helpers it ends in included."""
    walker = _Walker(definitions, constructors)
    local = frozenset(each.name for each in rule.parameters)
    return tuple(walker.conditions(rule.body, (), lambda inner: inner, local, (rule.name,)))


def permits(
    rule: tree.FunctionDefinition, definitions: Definitions, constructors: Constructors, reading: Reading
) -> tree.Expression:
    """The body of a rule as a truth value: whether what it comes to allows."""
    walker = _Walker(definitions, constructors)
    local = frozenset(each.name for each in rule.parameters)
    return walker.truth(rule.body, reading, local, (rule.name,))


class _Walker:
    def __init__(self, definitions: Definitions, constructors: Constructors) -> None:
        self._definitions = definitions
        self._constructors = constructors

    def conditions(
        self,
        body: tree.Expression,
        after: tuple[tuple[tree.Expression, bool], ...],
        wrap: Wrap,
        local: frozenset[str],
        opened: tuple[str, ...],
    ) -> Iterator[Condition]:
        match self._seen_through(body, local, opened):
            case tree.Conditional(condition=test, consequent=yes, alternative=no), inside, names:
                wrapped = wrap(test)
                denies = self._denies(yes, inside, names)
                yield Condition(wrapped, after, denies, test.span.line or body.span.line)
                yield from self.conditions(yes, (*after, (wrapped, True)), wrap, inside, names)
                yield from self.conditions(no, (*after, (wrapped, False)), wrap, inside, names)
            case tree.Let() as let, inside, names:

                def deeper(inner: tree.Expression) -> tree.Expression:
                    return wrap(tree.Let(let.pattern, let.type, let.value, inner))

                bound = inside | frozenset(_bound(let))
                yield from self.conditions(let.body, after, deeper, bound, names)

    def _denies(self, body: tree.Expression, local: frozenset[str], opened: tuple[str, ...]) -> bool:
        """Whether every leaf is a literal that does not allow."""
        match self._seen_through(body, local, opened):
            case tree.Conditional(consequent=yes, alternative=no), inside, names:
                return self._denies(yes, inside, names) and self._denies(no, inside, names)
            case tree.Let(body=inner) as let, inside, names:
                return self._denies(inner, inside | frozenset(_bound(let)), names)
            case leaf, inside, _:
                return self._literal(leaf, inside) is False

    def truth(
        self, body: tree.Expression, reading: Reading, local: frozenset[str], opened: tuple[str, ...]
    ) -> tree.Expression:
        match self._seen_through(body, local, opened):
            case tree.Conditional(condition=test, consequent=yes, alternative=no), inside, names:
                return tree.Conditional(
                    test, self.truth(yes, reading, inside, names), self.truth(no, reading, inside, names)
                )
            case tree.Let() as let, inside, names:
                bound = inside | frozenset(_bound(let))
                return tree.Let(let.pattern, let.type, let.value, self.truth(let.body, reading, bound, names))
            case tree.Match(scrutinee=scrutinee, cases=cases), inside, names:
                return tree.Match(
                    scrutinee, tuple(self._case(each, reading, inside, names) for each in cases)
                )
            case leaf, inside, _:
                known = self._literal(leaf, inside)
                return tree.Boolean(known) if known is not None else _read(leaf, reading)

    def _case(
        self, case: tree.Case, reading: Reading, local: frozenset[str], opened: tuple[str, ...]
    ) -> tree.Case:
        bound = local | {
            str(getattr(node, "name", "")) for node in walk(case.pattern) if hasattr(node, "name")
        }
        return tree.Case(case.pattern, case.guard, self.truth(case.body, reading, bound, opened))

    def _literal(self, leaf: tree.Expression, local: frozenset[str]) -> bool | None:
        """Whether a leaf that is written out allows; None for one that is computed."""
        match leaf:
            case tree.Text(value=value):
                return allows(value)
            case tree.Boolean(value=truth):
                return truth
            case tree.Number(text=text):
                return text == "1"
            case tree.Name(name=name) if name in self._constructors and name not in local:
                return allows(Data(self._constructors[name]))
            case tree.Name(name=name) if name not in local and name not in self._definitions:
                return allows(Symbol(name)) if name.lower() in _WORDS else None
            case _:
                return None

    def _seen_through(
        self, body: tree.Expression, local: frozenset[str], opened: tuple[str, ...]
    ) -> tuple[tree.Expression, frozenset[str], tuple[str, ...]]:
        """The body, or that of the helper it calls, with its parameters bound."""
        if not isinstance(body, tree.Call | tree.Name) or body.name in local or body.name in opened:
            return body, local, opened
        helper = self._definitions.get(body.name)
        given = body.arguments if isinstance(body, tree.Call) else ()
        if helper is None or len(helper.parameters) != len(given) or len(opened) > _OPENED:
            return body, local, opened
        parameters = frozenset(each.name for each in helper.parameters)
        mentioned = {node.name for node in walk(helper.body) if isinstance(node, tree.Name | tree.Call)}
        fresh = [f"given_{len(opened)}_{place}" for place in range(len(given))]
        if (mentioned - parameters) & local or set(fresh) & (local | mentioned):
            return body, local, opened
        inner: tree.Expression = helper.body
        for parameter, name in reversed(list(zip(helper.parameters, fresh, strict=True))):
            inner = tree.Let(tree.VariablePattern(parameter.name), parameter.type, tree.Name(name), inner)
        for name, argument in reversed(list(zip(fresh, given, strict=True))):
            inner = tree.Let(tree.VariablePattern(name), None, argument, inner)
        return inner, local, (*opened, body.name)


def _bound(let: tree.Let) -> Iterator[str]:
    for node in walk(let.pattern):
        name = getattr(node, "name", None)
        if isinstance(name, str):
            yield name


def _read(leaf: tree.Expression, reading: Reading) -> tree.Expression:
    match reading:
        case "text":
            return tree.Call("matches", (leaf, _ALLOWING))
        case "truth":
            return leaf
        case "number":
            return tree.Call("equals", (leaf, tree.Number("1")))


def _in_any_case(word: str) -> tree.Expression:
    letters = tuple(
        tree.Call(
            "re_union",
            (
                tree.Call("re_literal", (tree.Text(each),)),
                tree.Call("re_literal", (tree.Text(each.upper()),)),
            ),
        )
        for each in word
    )
    return tree.Call("re_concat", letters)


_ALLOWING = tree.Call("re_union", tuple(_in_any_case(word) for word in ALLOWING_TEXTS))


# ── Small formulas ───────────────────────────────────────────────────────────────────────────────────────────


def negation(test: tree.Expression) -> tree.Expression:
    """That something does not hold."""
    return tree.Call("logical_not", (test,))


def conjunction(tests: list[tree.Expression]) -> tree.Expression:
    """That all hold."""
    if not tests:
        return tree.Boolean(True)
    result = tests[-1]
    for test in reversed(tests[:-1]):
        result = tree.Call("logical_and", (test, result))
    return result


def disjuncts(test: tree.Expression) -> tuple[tree.Expression, ...]:
    """The parts of a condition of which one suffices, in order, each closed over the names bound around it."""
    match test:
        case tree.Call(arguments=(left, right)) if builtin_name(test) == "logical_or":
            return (*disjuncts(left), *disjuncts(right))
        case tree.Let(pattern=pattern, type=given, value=value, body=body):
            return tuple(tree.Let(pattern, given, value, each) for each in disjuncts(body))
        case _:
            return (test,)


def builtin_name(call: tree.Call) -> str:
    """The name in the table of builtins of what a call calls; empty for anything else."""
    row = find_builtin(call.name)
    return row.name if row is not None else ""
