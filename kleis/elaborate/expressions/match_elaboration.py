"""`match` and `let` to tests of constructors and selections of fields.

A case becomes a test of the scrutinee; the names of its pattern become selections, which are defined where the test
holds.  A guard is joined to the test by ∧.  Where no case fits, the term is `Undefined`.  The last case of an
exhaustive match is not tested.  See docs/reference/proving.md §1.3.

Invariants
    * The first case that fits is taken.
    * A name occurs at most once in a pattern.
    * A capitalised name without arguments is a constructor; an unknown one is an error, not a variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Never

from kleis import core
from kleis.core.pattern_coverage import coverage
from kleis.core.sort_printing import sort_text
from kleis.core.terms import list_constructors, tuple_constructor
from kleis.elaborate.expressions.elaboration_context import Context
from kleis.elaborate.scopes.scope import DataConstructor
from kleis.spelling import suggestion
from kleis.syntax import tree

__all__ = ["elaborate_let", "elaborate_match"]

_TUPLES = {"Unit": 0, "Pair": 2, "Tuple3": 3, "Tuple4": 4, "Tuple5": 5}


class _PatternTests:
    """The tests that a pattern makes, and the names it binds."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.tests: list[core.Term] = []
        self.names: dict[str, core.Term] = {}

    def condition(self) -> core.Term | None:
        """The conjunction of the tests; None if there are none."""
        condition: core.Term | None = None
        for test in self.tests:
            condition = test if condition is None else core.Connective("and", (condition, test))
        return condition

    def bind(self, pattern: tree.VariablePattern | tree.AsPattern, value: core.Term) -> None:
        if pattern.name in self.names:
            self.context.reject(
                pattern,
                "repeated-name",
                f"{pattern.name} occurs twice in this pattern",
                found=pattern.name,
                hint="use two names and a guard: if x = y",
            )
        self.names[pattern.name] = value

    def add(self, pattern: tree.Pattern, value: core.Term) -> None:
        """Add the tests and names of a pattern for a value."""
        match pattern:
            case tree.WildcardPattern():
                pass
            case tree.VariablePattern():
                self.bind(pattern, value)
            case tree.AsPattern():
                self.bind(pattern, value)
                self.add(pattern.pattern, value)
            case tree.LiteralPattern():
                self._literal(pattern, value)
            case tree.ListPattern():
                self._list(pattern, value)
            case tree.ConstructorPattern():
                self._construction(pattern, value)

    def _literal(self, pattern: tree.LiteralPattern, value: core.Term) -> None:
        literal = self.context.term(pattern.value)
        sort = self.context.sort(value)
        if sort == core.BOOL and isinstance(literal, core.LiteralTerm) and isinstance(literal.value, bool):
            self.tests.append(value if literal.value else core.Connective("not", (value,)))
            return
        if isinstance(sort, core.SortVariable) and literal.sort not in (core.BOOL, core.STRING):
            self.context.inference.number(sort)
        together = self.context.join(sort, literal.sort)
        if together is None:
            literal = self.context.adapt(literal, sort, pattern)
            together = sort
        left = self.context.adapt(value, together, pattern)
        self.tests.append(core.Equals(left, self.context.adapt(literal, together, pattern)))

    def _list(self, pattern: tree.ListPattern, value: core.Term) -> None:
        nil, cons = list_constructors(self._as_list(pattern, value))
        for item in pattern.items:
            self.tests.append(core.Discrimination(cons, value))
            self.add(item, core.Selection(cons, 0, value))
            value = core.Selection(cons, 1, value)
        self.tests.append(core.Discrimination(nil, value))

    def _as_list(self, pattern: tree.Pattern, value: core.Term) -> core.ListOf:
        context = self.context
        sort = context.sort(value)
        if isinstance(sort, core.SortVariable):
            context.inference.unify(
                sort, core.ListOf(context.unknown(pattern, "element", "the elements of a list"))
            )
            sort = context.sort(value)
        if not isinstance(sort, core.ListOf):
            self._wrong(pattern, "a list", sort)
        return sort

    def _construction(self, pattern: tree.ConstructorPattern, value: core.Term) -> None:
        constructor = self._constructor(pattern, value)
        if constructor is None:
            return
        if len(constructor.fields) != len(pattern.arguments):
            self.context.reject(
                pattern,
                "arity",
                f"{pattern.name} has {len(constructor.fields)} fields, this pattern has {len(pattern.arguments)}",
                found=str(len(pattern.arguments)),
                expected=(str(len(constructor.fields)),),
            )
        if not constructor.alone:
            self.tests.append(core.Discrimination(constructor, value))
        for index, argument in enumerate(pattern.arguments):
            self.add(argument, core.Selection(constructor, index, value))

    def _constructor(self, pattern: tree.ConstructorPattern, value: core.Term) -> core.Constructor | None:
        """The constructor of a pattern at the sort of the value; None for a truth value, whose test is added."""
        context = self.context
        declared = [
            each for each in context.scope.candidates(pattern.name) if isinstance(each, DataConstructor)
        ]
        sort = context.sort(value)
        if declared:
            (found,) = declared[:1]
            return self._declared(pattern, value, found)
        if pattern.name in ("True", "False"):
            test = context.adapt(value, core.BOOL, pattern)
            self.tests.append(test if pattern.name == "True" else core.Connective("not", (test,)))
            return None
        if pattern.name in ("Cons", "Nil"):
            nil, cons = list_constructors(self._as_list(pattern, value))
            return cons if pattern.name == "Cons" else nil
        if pattern.name in _TUPLES:
            if isinstance(sort, core.SortVariable):
                parts = range(_TUPLES[pattern.name])
                items = [context.unknown(pattern, f"part {place}", "a part of a tuple") for place in parts]
                context.inference.unify(sort, core.TupleOf(tuple(items)))
                sort = context.sort(value)
            if not isinstance(sort, core.TupleOf) or len(sort.items) != _TUPLES[pattern.name]:
                self._wrong(pattern, f"a {pattern.name}", sort)
            return tuple_constructor(sort)
        known = [each.name for each in self._siblings(sort)]
        hint = suggestion(pattern.name, known or context.scope.names(), otherwise="declare it in a data type")
        context.reject(
            pattern,
            "unknown-constructor",
            f"there is no constructor {pattern.name}",
            found=pattern.name,
            expected=tuple(known),
            hint=hint,
        )

    def _declared(
        self, pattern: tree.ConstructorPattern, value: core.Term, found: DataConstructor
    ) -> core.Constructor:
        context = self.context
        sort = context.sort(value)
        generic = found.constructor.sort
        assert isinstance(generic, core.DataSort)
        if isinstance(sort, core.SortVariable):
            context.inference.unify(sort, context.definitions.open_sort(context, pattern, found))
            sort = context.sort(value)
        if not isinstance(sort, core.DataSort) or sort.name != generic.name:
            self._wrong(pattern, f"a {generic.name}", sort)
        constructor = context.definitions.constructor_at(found.constructor, sort)
        assert constructor is not None
        return constructor

    def _siblings(self, sort: core.Sort) -> Sequence[core.Constructor]:
        if isinstance(sort, core.DataSort):
            return self.context.definitions.constructors(sort)
        return list_constructors(sort) if isinstance(sort, core.ListOf) else ()

    def _wrong(self, pattern: tree.Pattern, what: str, sort: core.Sort) -> Never:
        self.context.reject(
            pattern,
            "wrong-sort",
            f"this pattern is for {what}; the value matched is of sort {sort_text(sort)}",
            found=what,
            expected=(sort_text(sort),),
        )


def _is_stable(term: core.Term) -> bool:
    """Whether a term is cheap to write again: a variable, or parts of one."""
    while isinstance(term, core.Selection):
        term = term.term
    return isinstance(term, core.Variable)


def elaborate_match(context: Context, node: tree.Match, expected: core.Sort | None) -> core.Term:
    """A `match` as a chain of conditionals."""
    scrutinee = context.term(node.scrutinee)
    if _is_stable(scrutinee):
        return _cases(context, node, scrutinee, expected)
    variable = context.variable("m", context.sort(scrutinee))
    with context.bound({variable.name: variable}):
        body = _cases(context, node, variable, expected)
    return core.Let(variable, scrutinee, body)


def _cases(context: Context, node: tree.Match, scrutinee: core.Term, expected: core.Sort | None) -> core.Term:
    conditions: list[core.Term | None] = []
    bodies: list[core.Term] = []
    for case in node.cases:
        matched = _PatternTests(context)
        matched.add(case.pattern, scrutinee)
        condition = matched.condition()
        with context.bound(matched.names):
            if case.guard is not None:
                guard = context.formula(case.guard)
                condition = guard if condition is None else core.Connective("and", (condition, guard))
            bodies.append(context.term(case.body, expected))
        conditions.append(condition)
    bodies = context.joined(bodies, [case.body for case in node.cases], "match")
    uncovered = _uncovered(context, node, scrutinee)
    if uncovered is None and node.cases[-1].guard is None:
        conditions[-1] = None
    term: core.Term = core.Undefined(
        context.sort(bodies[0]), f"no case of match covers {uncovered or 'the value'}"
    )
    if uncovered is not None:
        context.definitions.note_uncovered(context, node, uncovered)
    for condition, body in zip(reversed(conditions), reversed(bodies), strict=True):
        term = body if condition is None else core.Conditional(condition, body, term)
    return term


def _uncovered(context: Context, node: tree.Match, scrutinee: core.Term) -> str | None:
    """A pattern that no case covers; None if there is none."""
    sort = context.sort(scrutinee)
    if not context.inference.known(sort):
        return "anything"
    found = coverage(node.cases, sort, context.definitions.constructors)
    for index in found.unreachable:
        context.definitions.note_unreachable(context, node.cases[index])
    return found.uncovered


def elaborate_let(context: Context, node: tree.Let, expected: core.Sort | None) -> core.Term:
    """``let pattern = value in body``: undefined where the pattern does not fit."""
    written = context.written(node.type) if node.type is not None else None
    value = context.term(node.value, written) if written is None else context.checked(node.value, written)
    if isinstance(node.pattern, tree.VariablePattern):
        variable = context.variable(node.pattern.name, context.sort(value))
        with context.bound({node.pattern.name: variable}):
            return core.Let(variable, value, context.term(node.body, expected))
    variable = context.variable("m", context.sort(value))
    with context.bound({variable.name: variable}):
        matched = _PatternTests(context)
        matched.add(node.pattern, variable)
        condition = matched.condition()
        with context.bound(matched.names):
            body = context.term(node.body, expected)
        case = tree.Case(node.pattern, None, node.body)
        fits = context.inference.known(context.sort(value)) and (
            coverage((case,), context.sort(value), context.definitions.constructors).uncovered is None
        )
        if condition is not None and not fits:
            body = core.Conditional(
                condition, body, core.Undefined(context.sort(body), "the pattern of let does not fit")
            )
    return core.Let(variable, value, body)
