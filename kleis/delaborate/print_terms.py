"""Core terms as expressions of Kleis that are read as the same terms again.

Specification: proving.md §1; issue 4 ("elaborating the printed meaning gives the same meaning").

Every coercion and narrowing is an ascription, every bound variable has its type, every symbol its spelling
(kleis/delaborate/printed_names.py).  What `match` became is written as a `match` (kleis/delaborate/print_matches.py).

Invariants
    * Variables keep their names where those can be written and nothing called in the term has that name; else they
      get a digit.
    * A value whose sort nothing in it shows (``[]``, ``None``) is ascribed its type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import assert_never

import msgspec

from kleis.builtins.rows.table import CONSTANT_NAMES
from kleis.core import (
    Application,
    Basic,
    BuiltinCall,
    Carrier,
    Coercion,
    Conditional,
    Connective,
    Construction,
    DataSort,
    DefinitionCall,
    Discrimination,
    Equals,
    Lambda,
    Let,
    ListOf,
    LiteralTerm,
    Narrowing,
    Numeric,
    Quantifier,
    RecordOf,
    Selection,
    Sort,
    SymbolCall,
    Term,
    Undefined,
    Variable,
)
from kleis.core.traversal import free_variables, subterms
from kleis.delaborate.print_matches import Arm, Shape, cases_of, let_shape, pattern_of, selecting, testing
from kleis.delaborate.print_types import has_numeral, numeral, type_of, writable
from kleis.delaborate.printed_names import Names, variable_name
from kleis.syntax.tree import (
    Apply,
    Ascription,
    Binder,
    Boolean,
    Call,
    Case,
    Expression,
    ListLiteral,
    Match,
    Name,
    Number,
    Parameter,
    Pattern,
    Text,
    TypeExpression,
    VariablePattern,
    WildcardPattern,
)
from kleis.syntax.tree import Conditional as IfExpression
from kleis.syntax.tree import Lambda as LambdaExpression
from kleis.syntax.tree import Let as LetExpression
from kleis.syntax.tree import Quantifier as QuantifierExpression

__all__ = ["TermPrinter"]


class _Scope(msgspec.Struct, frozen=True):
    """What the variables around are called, and the parts of values that a pattern names."""

    variables: Mapping[str, str]
    parts: Mapping[Term, str]

    def taken(self) -> set[str]:
        """The names in use."""
        return {*self.variables.values(), *self.parts.values()}


_CONNECTIVES = {"and": "logical_and", "or": "logical_or", "implies": "implies"}


class TermPrinter:
    """Makes expressions of the terms of one meaning."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._called: frozenset[str] = frozenset()

    def expression(self, term: Term, variables: Iterable[Variable] = ()) -> Expression:
        """A term as an expression; `variables`, and those free in it, keep their names."""
        self._called = frozenset(self._calls(term))
        variables = (*variables, *free_variables(term))
        return self._term(term, _Scope({variable.name: variable.name for variable in variables}, {}))

    def type(self, sort: Sort) -> TypeExpression:
        """A sort as a type."""
        return type_of(sort, self._names.carriers)

    # ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────

    def _term(self, term: Term, scope: _Scope) -> Expression:
        match term:
            case Variable(name=name):
                return Name(scope.variables.get(name, name))
            case LiteralTerm(value=value):
                return _literal(value)
            case SymbolCall() | DefinitionCall() | BuiltinCall():
                return self._call(term, scope)
            case Construction():
                return self._construction(term, scope)
            case Equals(left=left, right=right):
                return Call("equals", (self._term(left, scope), self._term(right, scope)))
            case Connective():
                return self._connective(term, scope)
            case Quantifier() | Lambda() | Let():
                return self._binding(term, scope)
            case Conditional():
                return self._conditional(term, scope)
            case Application(function=Variable(name=name), arguments=arguments):
                return Call(scope.variables.get(name, name), self._terms(arguments, scope))
            case Application(function=function, arguments=arguments):
                return self._applied(function, self._terms(arguments, scope), scope)
            case Coercion(term=inner, sort=sort):
                return self._ascribed(self._term(inner, scope), sort)
            case Narrowing(term=inner, sort=sort):
                return self._ascribed(self._term(inner, scope), sort)
            case Discrimination(constructor=constructor, term=inner):
                return testing(constructor, self._term(inner, scope))
            case Selection() if term in scope.parts:
                return Name(scope.parts[term])
            case Selection(constructor=constructor, index=index, term=inner):
                return selecting(constructor, index, self._term(inner, scope))
            case Undefined(sort=sort):
                return Call("head", (Ascription(ListLiteral(()), self.type(ListOf(sort))),))
            case _:
                assert_never(term)

    def _terms(self, terms: Iterable[Term], scope: _Scope) -> tuple[Expression, ...]:
        return tuple([self._term(each, scope) for each in terms])

    def _ascribed(self, expression: Expression, sort: Sort) -> Expression:
        return Ascription(expression, self.type(sort)) if writable(sort) else expression

    def _connective(self, term: Connective, scope: _Scope) -> Expression:
        if term.name == "not":
            (inner,) = term.arguments
            if isinstance(inner, Equals):
                return Call("neq", self._terms((inner.left, inner.right), scope))
            return Call("logical_not", self._terms((inner,), scope))
        first, *rest = self._terms(term.arguments, scope)
        for each in rest:
            first = Call(_CONNECTIVES[term.name], (first, each))
        return first

    # ── Calls and constructions ──────────────────────────────────────────────────────────────────────────────

    def _call(self, term: SymbolCall | DefinitionCall | BuiltinCall, scope: _Scope) -> Expression:
        name, arguments = self._callee(term), self._terms(term.arguments, scope)
        if arguments:
            return Call(name, arguments)
        constant = not isinstance(term, BuiltinCall) or name in CONSTANT_NAMES
        value: Expression = Name(name) if constant else Call(name, ())
        open_sort = isinstance(term.sort, DataSort) and term.sort.arguments
        if open_sort or not isinstance(term, SymbolCall):
            return self._ascribed(value, term.sort) if _has_parts(term.sort) else value
        return self._ascribed(value, term.sort) if self._names.ambiguous(term.symbol) else value

    def _callee(self, term: SymbolCall | DefinitionCall | BuiltinCall) -> str:
        match term:
            case SymbolCall(symbol=symbol):
                return self._names.symbol(symbol)
            case DefinitionCall(definition=definition):
                return self._names.definition(definition)
            case BuiltinCall(operation=operation):
                return operation.name
            case _:
                assert_never(term)

    def _calls(self, term: Term) -> Iterable[str]:
        """The names that no variable of the term may have."""
        for each in subterms(term):
            if isinstance(each, SymbolCall | DefinitionCall | BuiltinCall):
                yield self._callee(each)
            elif isinstance(each, Construction):
                yield each.constructor.name

    def _applied(self, function: Term, arguments: tuple[Expression, ...], scope: _Scope) -> Expression:
        if isinstance(function, SymbolCall | DefinitionCall) and not function.arguments:
            return Call(self._callee(function), arguments)
        return Apply(self._term(function, scope), arguments)

    def _construction(self, term: Construction, scope: _Scope) -> Expression:
        constructor, arguments = term.constructor, term.arguments
        if isinstance(constructor.sort, ListOf):
            return self._list(term, scope)
        if isinstance(constructor.sort, RecordOf):
            values = self._terms(arguments, scope)
            labels = [name for name, _ in constructor.sort.fields]
            fields = [Call("field", (Text(name), value)) for name, value in zip(labels, values, strict=True)]
            return Call("record", tuple(fields))
        if not isinstance(constructor.sort, DataSort):
            return Call(constructor.name, self._terms(arguments, scope))
        value: Expression = Name(constructor.name)
        if arguments:
            value = Call(constructor.name, self._terms(arguments, scope))
        if self._names.leaves_open(constructor.name, constructor.sort):
            return self._ascribed(value, constructor.sort)
        return value

    def _list(self, term: Construction, scope: _Scope) -> Expression:
        items: list[Expression] = []
        rest: Term = term
        while isinstance(rest, Construction) and rest.constructor.name == "Cons":
            items.append(self._term(rest.arguments[0], scope))
            rest = rest.arguments[1]
        if isinstance(rest, Construction) and rest.constructor.name == "Nil":
            return ListLiteral(tuple(items)) if items else self._ascribed(ListLiteral(()), term.sort)
        answer = self._term(rest, scope)
        for item in reversed(items):
            answer = Call("Cons", (item, answer))
        return answer

    # ── Binders ──────────────────────────────────────────────────────────────────────────────────────────────

    def _named(self, variables: Iterable[Variable], scope: _Scope) -> tuple[list[str], _Scope]:
        """What variables are called, and what all are called below them."""
        inner = dict(scope.variables)
        called: list[str] = []
        for variable in variables:
            name = variable_name(variable.name, {*scope.taken(), *called, *self._called})
            called.append(name)
            inner[variable.name] = name
        return called, _Scope(inner, scope.parts)

    def _binding(self, term: Quantifier | Lambda | Let, scope: _Scope) -> Expression:
        match term:
            case Quantifier(kind=kind, variables=variables, body=body):
                called, inner = self._named(variables, scope)
                binders = tuple(
                    Binder(name, self.type(variable.sort))
                    for name, variable in zip(called, variables, strict=True)
                )
                return QuantifierExpression(kind, binders, None, self._term(body, inner))
            case Lambda(variables=variables, body=body):
                called, inner = self._named(variables, scope)
                parameters = tuple(
                    Parameter(name, self._annotation(variable.sort))
                    for name, variable in zip(called, variables, strict=True)
                )
                return LambdaExpression(parameters, self._term(body, inner))
            case Let():
                return self._let(term, scope)
            case _:
                assert_never(term)

    def _let(self, term: Let, scope: _Scope) -> Expression:
        value, annotation = self._term(term.value, scope), self._annotation(term.variable.sort)
        shape = None
        if not (isinstance(term.body, Conditional) and cases_of(term.body, scope.parts.keys())):
            shape = let_shape(term, scope.parts.keys())
        if shape is not None:
            pattern, inner = self._taken_apart(shape, scope)
            return LetExpression(pattern, annotation, value, self._term(term.body, inner))
        (name,), inner = self._named((term.variable,), scope)
        return LetExpression(VariablePattern(name), annotation, value, self._term(term.body, inner))

    def _annotation(self, sort: Sort) -> TypeExpression | None:
        return self.type(sort) if writable(sort) else None

    # ── Cases ────────────────────────────────────────────────────────────────────────────────────────────────

    def _conditional(self, term: Conditional, scope: _Scope) -> Expression:
        found = cases_of(term, scope.parts.keys())
        if found is None:
            consequent, alternative = self._terms((term.consequent, term.alternative), scope)
            return IfExpression(self._term(term.condition, scope), consequent, alternative)
        cases = [self._case(arm, scope) for arm in found.arms]
        covered = self._names.covers(cases, found.scrutinee.sort)
        if found.partial and covered and isinstance(term.alternative, Conditional):
            # Several `match` on one value: together they would cover it, and the last test would not be made.
            cases = [cases[0], Case(WildcardPattern(), None, self._conditional(term.alternative, scope))]
        elif not found.partial and not covered:
            cases[-1] = Case(WildcardPattern(), None, self._term(found.arms[-1].body, scope))
        return Match(self._term(found.scrutinee, scope), tuple(cases))

    def _case(self, arm: Arm, scope: _Scope) -> Case:
        pattern, inner = self._taken_apart(arm.shape, scope)
        guard = self._term(arm.guard, inner) if arm.guard is not None else None
        return Case(pattern, guard, self._term(arm.body, inner))

    def _taken_apart(self, shape: Shape, scope: _Scope) -> tuple[Pattern, _Scope]:
        """A pattern, and what its names stand for."""
        taken = {*scope.taken(), *self._called}
        names: dict[Term, str] = {}
        for place in shape.names():
            names[place.value] = variable_name(_pattern_name(place.value), taken)
            taken.add(names[place.value])
        return pattern_of(shape, names), _Scope(scope.variables, {**scope.parts, **names})


def _literal(value: bool | int | Fraction | str) -> Expression:
    match value:
        case bool():
            return Boolean(value)
        case str():
            return Text(value)
        case _ if value < 0:
            return Call("negate", (_literal(-value),))
        case _ if has_numeral(value):
            return Number(numeral(value))
        case _:
            return Call("divide", (Number(str(value.numerator)), Number(str(value.denominator))))


def _has_parts(sort: Sort) -> bool:
    """Whether a sort is made of others, so that a constant of it may be polymorphic."""
    return not isinstance(sort, Basic | Numeric) and not (
        isinstance(sort, Carrier | DataSort) and not sort.arguments
    )


def _pattern_name(place: Term) -> str:
    """What to call a part of a value: as its field is called, in small letters."""
    if not isinstance(place, Selection):
        return "x"
    name = place.constructor.fields[place.index].name
    return name.lower() if not name.startswith("_") else "x"
