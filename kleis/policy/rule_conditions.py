"""The body of a rule as formulas: its conditions with the path to each, and whether its value allows.

Invariants
    * `permits` is true exactly where the value of the body allows, provided that every computed leaf has the sort it
      is taken for (`LEAF_SORTS`).
    * No name is captured: a helper is only unfolded where no local name hides one that it mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

import msgspec

from kleis.builtins.rows.table import find_builtin
from kleis.policy.decision import ALLOWING_TEXTS, allows
from kleis.syntax import tree
from kleis.syntax.printer.program import print_expression, print_pattern
from kleis.syntax.tree.traversal import walk
from kleis.values import Data, Symbol

__all__ = [
    "LEAF_SORTS",
    "Branch",
    "Condition",
    "LeafSort",
    "branches",
    "builtin_name",
    "conditions",
    "conjunction",
    "disjuncts",
    "negation",
    "permits",
]

LeafSort = Literal["text", "truth", "number"]
LEAF_SORTS: tuple[LeafSort, ...] = ("text", "truth", "number")
"""The sorts of a computed leaf; it allows if it is an allowing text, true, or 1."""

_DECIDING_NAMES = ("allow", "allowed", "deny", "denied")
"""Names that are values of their own where nothing declares them."""

_MOST_UNFOLDED = 4
"""Helpers are unfolded within helpers up to so deep."""

Definitions = Mapping[str, tree.FunctionDefinition]
Constructors = Mapping[str, str]
"""The names of constructors, with the name of each in its policy."""

Wrap = Callable[[tree.Expression], tree.Expression]


class Condition(msgspec.Struct, frozen=True):
    """A condition of a rule: `after` are the conditions on the path to it, each with whether it holds there.

    `denies` says that the rule denies wherever it is true.  Local names are bound by `let` around each, so that only the
    parameters of the rule are free.
    """

    test: tree.Expression
    after: tuple[tuple[tree.Expression, bool], ...]
    denies: bool
    line: int

    @property
    def reached(self) -> tree.Expression:
        """That the condition is evaluated."""
        return conjunction([test if holds else negation(test) for test, holds in self.after])


def conditions(
    rule: tree.FunctionDefinition, definitions: Definitions, constructors: Constructors
) -> tuple[Condition, ...]:
    """The conditions of a rule in the order they are asked, those of helpers it ends in included."""
    walker = _Walker(definitions, constructors)
    local = frozenset(each.name for each in rule.parameters)
    return tuple(walker.conditions(rule.body, (), lambda inner: inner, local, (rule.name,)))


class Branch(msgspec.Struct, frozen=True):
    """A branch of a rule: `reached` holds where the rule comes to it, over what the rule was given.

    `place`: the branches around it and itself, each by its line, its number there and how it is written; `is_rest`: it is what is left when
    no other holds (`else`, `_`).
    """

    reached: tree.Expression
    place: tuple[tuple[int, int, str], ...]
    is_rest: bool


def branches(
    call: tree.Call, definitions: Definitions, constructors: Constructors, most: int
) -> tuple[Branch, ...]:
    """The branches that a call of a rule may end in, those of helpers included, outer ones first; at most so many."""
    walker = _Walker(definitions, constructors)
    return tuple(islice(walker.branches(call, lambda inner: inner, frozenset(), (), ()), most))


def permits(
    rule: tree.FunctionDefinition, definitions: Definitions, constructors: Constructors, leaf_sort: LeafSort
) -> tree.Expression:
    """The body of a rule as a formula: whether its value allows."""
    walker = _Walker(definitions, constructors)
    local = frozenset(each.name for each in rule.parameters)
    return walker.truth(rule.body, leaf_sort, local, (rule.name,))


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
        unfolded: tuple[str, ...],
    ) -> Iterator[Condition]:
        match self._unfold(body, local, unfolded):
            case tree.Conditional(condition=test, consequent=yes, alternative=no), inside, names:
                wrapped = wrap(test)
                denies = self._denies(yes, inside, names)
                yield Condition(wrapped, after, denies, test.span.line or body.span.line)
                yield from self.conditions(yes, (*after, (wrapped, True)), wrap, inside, names)
                yield from self.conditions(no, (*after, (wrapped, False)), wrap, inside, names)
            case tree.Let() as let, inside, names:

                def deeper(inner: tree.Expression) -> tree.Expression:
                    return wrap(tree.Let(let.pattern, let.type, let.value, inner))

                bound = inside | frozenset(_names_in(let.pattern))
                yield from self.conditions(let.body, after, deeper, bound, names)

    def branches(
        self,
        body: tree.Expression,
        wrap: Wrap,
        local: frozenset[str],
        unfolded: tuple[str, ...],
        place: tuple[tuple[int, int, str], ...],
    ) -> Iterator[Branch]:
        body, local, unfolded = self._unfold(body, local, unfolded)
        inner: list[tuple[tree.Expression, Wrap, frozenset[str], str, int, bool]] = []
        match body:
            case tree.Let() as let:

                def bound(inside: tree.Expression) -> tree.Expression:
                    return wrap(tree.Let(let.pattern, let.type, let.value, inside))

                names = local | frozenset(_names_in(let.pattern))
                yield from self.branches(let.body, bound, names, unfolded, place)
            case tree.Conditional(condition=test, consequent=yes, alternative=no):
                shown = print_expression(test)
                line = test.span.line or body.span.line
                inner = [
                    (yes, _if(wrap, test, holds=True), local, shown, line, False),
                    (no, _if(wrap, test, holds=False), local, f"¬({shown})", line, True),
                ]
            case tree.Match(scrutinee=scrutinee, cases=cases):
                for number, each in enumerate(cases):
                    names = local | frozenset(_names_in(each.pattern))
                    is_rest = isinstance(each.pattern, tree.WildcardPattern | tree.VariablePattern)
                    line = each.span.line or body.span.line
                    shown = f"{print_expression(scrutinee)} is {print_pattern(each.pattern)}"
                    inner.append(
                        (each.body, _case(wrap, scrutinee, cases, number), names, shown, line, is_rest)
                    )
        for number, (each_body, into, names, shown, line, is_rest) in enumerate(inner):
            here = (*place, (line, number, shown))
            yield Branch(into(tree.Boolean(True)), here, is_rest)
            yield from self.branches(each_body, into, names, unfolded, here)

    def _denies(self, body: tree.Expression, local: frozenset[str], unfolded: tuple[str, ...]) -> bool:
        """Whether every leaf is a literal that does not allow."""
        match self._unfold(body, local, unfolded):
            case tree.Conditional(consequent=yes, alternative=no), inside, names:
                return self._denies(yes, inside, names) and self._denies(no, inside, names)
            case tree.Let(body=inner) as let, inside, names:
                return self._denies(inner, inside | frozenset(_names_in(let.pattern)), names)
            case leaf, inside, _:
                return self._literal(leaf, inside) is False

    def truth(
        self, body: tree.Expression, leaf_sort: LeafSort, local: frozenset[str], unfolded: tuple[str, ...]
    ) -> tree.Expression:
        match self._unfold(body, local, unfolded):
            case tree.Conditional(condition=test, consequent=yes, alternative=no), inside, names:
                return tree.Conditional(
                    test, self.truth(yes, leaf_sort, inside, names), self.truth(no, leaf_sort, inside, names)
                )
            case tree.Let() as let, inside, names:
                bound = inside | frozenset(_names_in(let.pattern))
                return tree.Let(
                    let.pattern, let.type, let.value, self.truth(let.body, leaf_sort, bound, names)
                )
            case tree.Match(scrutinee=scrutinee, cases=cases), inside, names:
                return tree.Match(
                    scrutinee, tuple(self._case(each, leaf_sort, inside, names) for each in cases)
                )
            case leaf, inside, _:
                known = self._literal(leaf, inside)
                return tree.Boolean(known) if known is not None else _leaf_allows(leaf, leaf_sort)

    def _case(
        self, case: tree.Case, leaf_sort: LeafSort, local: frozenset[str], unfolded: tuple[str, ...]
    ) -> tree.Case:
        bound = local | frozenset(_names_in(case.pattern))
        return tree.Case(case.pattern, case.guard, self.truth(case.body, leaf_sort, bound, unfolded))

    def _literal(self, leaf: tree.Expression, local: frozenset[str]) -> bool | None:
        """Whether a literal leaf allows; None for one that is computed."""
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
                return allows(Symbol(name)) if name.lower() in _DECIDING_NAMES else None
            case _:
                return None

    def _unfold(
        self, body: tree.Expression, local: frozenset[str], unfolded: tuple[str, ...]
    ) -> tuple[tree.Expression, frozenset[str], tuple[str, ...]]:
        """The body, or that of the helper it calls, with its parameters bound."""
        if not isinstance(body, tree.Call | tree.Name) or body.name in local or body.name in unfolded:
            return body, local, unfolded
        helper = self._definitions.get(body.name)
        given = body.arguments if isinstance(body, tree.Call) else ()
        if helper is None or len(helper.parameters) != len(given) or len(unfolded) > _MOST_UNFOLDED:
            return body, local, unfolded
        parameters = frozenset(each.name for each in helper.parameters)
        mentioned = {node.name for node in walk(helper.body) if isinstance(node, tree.Name | tree.Call)}
        fresh = [f"given_{len(unfolded)}_{place}" for place in range(len(given))]
        if (mentioned - parameters) & local or set(fresh) & (local | mentioned):
            return body, local, unfolded
        inner: tree.Expression = helper.body
        for parameter, name in reversed(list(zip(helper.parameters, fresh, strict=True))):
            inner = tree.Let(tree.VariablePattern(parameter.name), parameter.type, tree.Name(name), inner)
        for name, argument in reversed(list(zip(fresh, given, strict=True))):
            inner = tree.Let(tree.VariablePattern(name), None, argument, inner)
        return inner, local, (*unfolded, body.name)


def _if(wrap: Wrap, test: tree.Expression, *, holds: bool) -> Wrap:
    never = tree.Boolean(False)

    def inside(inner: tree.Expression) -> tree.Expression:
        return wrap(tree.Conditional(test, inner, never) if holds else tree.Conditional(test, never, inner))

    return inside


def _case(wrap: Wrap, scrutinee: tree.Expression, cases: Sequence[tree.Case], number: int) -> Wrap:
    never = tree.Boolean(False)
    before = tuple(tree.Case(each.pattern, each.guard, never) for each in cases[:number])
    after = (tree.Case(tree.WildcardPattern(), None, never),)

    def inside(inner: tree.Expression) -> tree.Expression:
        this = tree.Case(cases[number].pattern, cases[number].guard, inner)
        return wrap(tree.Match(scrutinee, (*before, this, *after)))

    return inside


def _names_in(pattern: tree.Pattern) -> Iterator[str]:
    for node in walk(pattern):
        name = getattr(node, "name", None)
        if isinstance(name, str):
            yield name


def _leaf_allows(leaf: tree.Expression, leaf_sort: LeafSort) -> tree.Expression:
    match leaf_sort:
        case "text":
            return tree.Call("matches", (leaf, _ALLOWING))
        case "truth":
            return leaf
        case "number":
            return tree.Call("equals", (leaf, tree.Number("1")))


def _in_any_case(word: str) -> tree.Expression:
    characters = tuple(
        tree.Call(
            "re_union",
            (
                tree.Call("re_literal", (tree.Text(each),)),
                tree.Call("re_literal", (tree.Text(each.upper()),)),
            ),
        )
        for each in word
    )
    return tree.Call("re_concat", characters)


_ALLOWING = tree.Call("re_union", tuple(_in_any_case(word) for word in ALLOWING_TEXTS))


# ── Small formulas ───────────────────────────────────────────────────────────────────────────────────────────


def negation(test: tree.Expression) -> tree.Expression:
    """That a condition does not hold."""
    return tree.Call("logical_not", (test,))


def conjunction(tests: list[tree.Expression]) -> tree.Expression:
    """That all conditions hold."""
    if not tests:
        return tree.Boolean(True)
    result = tests[-1]
    for test in reversed(tests[:-1]):
        result = tree.Call("logical_and", (test, result))
    return result


def disjuncts(test: tree.Expression) -> tuple[tree.Expression, ...]:
    """The disjuncts of a condition, in order, each with the `let` around it."""
    match test:
        case tree.Call(arguments=(left, right)) if builtin_name(test) == "logical_or":
            return (*disjuncts(left), *disjuncts(right))
        case tree.Let(pattern=pattern, type=given, value=value, body=body):
            return tuple(tree.Let(pattern, given, value, each) for each in disjuncts(body))
        case _:
            return (test,)


def builtin_name(call: tree.Call) -> str:
    """The name of the built-in that a call calls; empty for any other call."""
    row = find_builtin(call.name)
    return row.name if row is not None else ""
