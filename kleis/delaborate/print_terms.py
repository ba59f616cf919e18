"""Core terms as expressions of Kleis that elaborate to the same terms.

Every coercion and narrowing is an ascription, every bound variable has its type, every symbol its spelling
(`printed_names`).  What elaboration made of a `match` is printed as a `match` (`print_matches`).

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

from kleis import core
from kleis.builtins.rows.table import CONSTANT_NAMES
from kleis.core.traversal import free_variables, subterms
from kleis.delaborate.print_matches import Arm, Shape, cases_of, let_shape, pattern_of, selecting, testing
from kleis.delaborate.print_types import has_numeral, numeral, type_of, writable
from kleis.delaborate.printed_names import Names, variable_name
from kleis.syntax import tree
from kleis.syntax.printer.notation import INDEXED

__all__ = ["TermPrinter"]


class _Scope(msgspec.Struct, frozen=True):
    """The printed names of the variables bound around a term, and of the parts of values that a pattern names."""

    variables: Mapping[str, str]
    parts: Mapping[core.Term, str]

    def taken(self) -> set[str]:
        """The names in use."""
        return {*self.variables.values(), *self.parts.values()}


_CONNECTIVES = {"and": "logical_and", "or": "logical_or", "implies": "implies"}


class TermPrinter:
    """Makes expressions of the terms of one goal."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._called: frozenset[str] = frozenset()
        self._writes_signs = True

    def expression(self, term: core.Term, variables: Iterable[core.Variable] = ()) -> tree.Expression:
        """A term as an expression; `variables`, and those free in it, keep their names."""
        self._called = frozenset(self._calls(term))
        self._writes_signs = not any(map(_hides_place, subterms(term)))
        variables = (*variables, *free_variables(term))
        return self._term(term, _Scope({variable.name: variable.name for variable in variables}, {}))

    def type(self, sort: core.Sort) -> tree.TypeExpression:
        """A sort as a type."""
        return type_of(sort, self._names.carriers)

    # ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────

    def _term(self, term: core.Term, scope: _Scope) -> tree.Expression:
        match term:
            case core.Variable(name=name):
                return tree.Name(scope.variables.get(name, name))
            case core.LiteralTerm(value=value):
                return _literal(value)
            case core.SymbolCall() | core.DefinitionCall() | core.BuiltinCall():
                return self._call(term, scope)
            case core.Construction():
                return self._construction(term, scope)
            case core.Equals(left=left, right=right):
                return tree.Call(_equality(left, right), (self._term(left, scope), self._term(right, scope)))
            case core.Connective():
                return self._connective(term, scope)
            case core.Quantifier() | core.Lambda() | core.Let():
                return self._binding(term, scope)
            case core.Conditional():
                return self._conditional(term, scope)
            case core.Application(function=core.Variable(name=name), arguments=arguments):
                return tree.Call(scope.variables.get(name, name), self._terms(arguments, scope))
            case core.Application(function=function, arguments=arguments):
                return self._applied(function, self._terms(arguments, scope), scope)
            case core.Coercion(term=inner, sort=sort):
                return self._ascribed(self._term(inner, scope), sort)
            case core.Narrowing(term=inner, sort=sort):
                return self._ascribed(self._term(inner, scope), sort)
            case core.Discrimination(constructor=constructor, term=inner):
                return testing(constructor, self._term(inner, scope))
            case core.Selection() if term in scope.parts:
                return tree.Name(scope.parts[term])
            case core.Selection(constructor=constructor, index=index, term=inner):
                return selecting(constructor, index, self._term(inner, scope))
            case core.Undefined(sort=sort):
                return tree.Call(
                    "head", (tree.Ascription(tree.ListLiteral(()), self.type(core.ListOf(sort))),)
                )
            case _:
                assert_never(term)

    def _terms(self, terms: Iterable[core.Term], scope: _Scope) -> tuple[tree.Expression, ...]:
        return tuple([self._term(each, scope) for each in terms])

    def _ascribed(self, expression: tree.Expression, sort: core.Sort) -> tree.Expression:
        return tree.Ascription(expression, self.type(sort)) if writable(sort) else expression

    def _connective(self, term: core.Connective, scope: _Scope) -> tree.Expression:
        if term.name == "not":
            (inner,) = term.arguments
            if isinstance(inner, core.Equals) and _equality(inner.left, inner.right) == "equals":
                return tree.Call("neq", self._terms((inner.left, inner.right), scope))
            return tree.Call("logical_not", self._terms((inner,), scope))
        first, *rest = self._terms(term.arguments, scope)
        for each in rest:
            first = tree.Call(_CONNECTIVES[term.name], (first, each))
        return first

    # ── Calls and constructions ──────────────────────────────────────────────────────────────────────────────

    def _call(
        self, term: core.SymbolCall | core.DefinitionCall | core.BuiltinCall, scope: _Scope
    ) -> tree.Expression:
        name, arguments = self._callee(term), self._terms(term.arguments, scope)
        if isinstance(term, core.BuiltinCall) and name in INDEXED:
            arguments = _without_type(arguments)
        if arguments:
            return tree.Call(name, arguments)
        if isinstance(term, core.BuiltinCall) and self._writes_signs and (sign := self._names.constant(name)):
            return tree.Name(sign)
        constant = not isinstance(term, core.BuiltinCall) or name in CONSTANT_NAMES
        value: tree.Expression = tree.Name(name) if constant else tree.Call(name, ())
        open_sort = isinstance(term.sort, core.DataSort) and term.sort.arguments
        if open_sort or not isinstance(term, core.SymbolCall):
            return self._ascribed(value, term.sort) if _has_parts(term.sort) else value
        return self._ascribed(value, term.sort) if self._names.ambiguous(term.symbol) else value

    def _callee(self, term: core.SymbolCall | core.DefinitionCall | core.BuiltinCall) -> str:
        match term:
            case core.SymbolCall(symbol=symbol):
                return self._names.symbol(symbol)
            case core.DefinitionCall(definition=definition):
                return self._names.definition(definition)
            case core.BuiltinCall(operation=operation):
                return operation.name
            case _:
                assert_never(term)

    def _calls(self, term: core.Term) -> Iterable[str]:
        """The names that no variable of the term may have."""
        for each in subterms(term):
            if isinstance(each, core.SymbolCall | core.DefinitionCall | core.BuiltinCall):
                yield self._callee(each)
            elif isinstance(each, core.Construction):
                yield each.constructor.name

    def _applied(
        self, function: core.Term, arguments: tuple[tree.Expression, ...], scope: _Scope
    ) -> tree.Expression:
        if isinstance(function, core.SymbolCall | core.DefinitionCall) and not function.arguments:
            return tree.Call(self._callee(function), arguments)
        return tree.Apply(self._term(function, scope), arguments)

    def _construction(self, term: core.Construction, scope: _Scope) -> tree.Expression:
        constructor, arguments = term.constructor, term.arguments
        if isinstance(constructor.sort, core.ListOf):
            return self._list(term, scope)
        if isinstance(constructor.sort, core.RecordOf):
            values = self._terms(arguments, scope)
            labels = [name for name, _ in constructor.sort.fields]
            fields = [
                tree.Call("field", (tree.Text(name), value))
                for name, value in zip(labels, values, strict=True)
            ]
            return tree.Call("record", tuple(fields))
        if not isinstance(constructor.sort, core.DataSort):
            return tree.Call(constructor.name, self._terms(arguments, scope))
        value: tree.Expression = tree.Name(constructor.name)
        if arguments:
            value = tree.Call(constructor.name, self._terms(arguments, scope))
        if self._names.leaves_open(constructor.name, constructor.sort):
            return self._ascribed(value, constructor.sort)
        return value

    def _list(self, term: core.Construction, scope: _Scope) -> tree.Expression:
        items: list[tree.Expression] = []
        rest: core.Term = term
        while isinstance(rest, core.Construction) and rest.constructor.name == "Cons":
            items.append(self._term(rest.arguments[0], scope))
            rest = rest.arguments[1]
        if isinstance(rest, core.Construction) and rest.constructor.name == "Nil":
            return (
                tree.ListLiteral(tuple(items)) if items else self._ascribed(tree.ListLiteral(()), term.sort)
            )
        answer = self._term(rest, scope)
        for item in reversed(items):
            answer = tree.Call("Cons", (item, answer))
        return answer

    # ── Binders ──────────────────────────────────────────────────────────────────────────────────────────────

    def _named(self, variables: Iterable[core.Variable], scope: _Scope) -> tuple[list[str], _Scope]:
        """The printed names of variables, and the scope below them."""
        inner = dict(scope.variables)
        called: list[str] = []
        for variable in variables:
            name = variable_name(variable.name, {*scope.taken(), *called, *self._called})
            called.append(name)
            inner[variable.name] = name
        return called, _Scope(inner, scope.parts)

    def _binding(self, term: core.Quantifier | core.Lambda | core.Let, scope: _Scope) -> tree.Expression:
        match term:
            case core.Quantifier(kind=kind, variables=variables, body=body):
                called, inner = self._named(variables, scope)
                binders = tuple(
                    tree.Binder(name, self.type(variable.sort))
                    for name, variable in zip(called, variables, strict=True)
                )
                return tree.Quantifier(kind, binders, None, self._term(body, inner))
            case core.Lambda(variables=variables, body=body):
                called, inner = self._named(variables, scope)
                parameters = tuple(
                    tree.Parameter(name, self._annotation(variable.sort))
                    for name, variable in zip(called, variables, strict=True)
                )
                return tree.Lambda(parameters, self._term(body, inner))
            case core.Let():
                return self._let(term, scope)
            case _:
                assert_never(term)

    def _let(self, term: core.Let, scope: _Scope) -> tree.Expression:
        value, annotation = self._term(term.value, scope), self._annotation(term.variable.sort)
        shape = None
        if not (isinstance(term.body, core.Conditional) and cases_of(term.body, scope.parts.keys())):
            shape = let_shape(term, scope.parts.keys())
        if shape is not None:
            pattern, inner = self._taken_apart(shape, scope)
            return tree.Let(pattern, annotation, value, self._term(term.body, inner))
        (name,), inner = self._named((term.variable,), scope)
        return tree.Let(tree.VariablePattern(name), annotation, value, self._term(term.body, inner))

    def _annotation(self, sort: core.Sort) -> tree.TypeExpression | None:
        return self.type(sort) if writable(sort) else None

    # ── Cases ────────────────────────────────────────────────────────────────────────────────────────────────

    def _conditional(self, term: core.Conditional, scope: _Scope) -> tree.Expression:
        found = cases_of(term, scope.parts.keys())
        if found is None:
            consequent, alternative = self._terms((term.consequent, term.alternative), scope)
            return tree.Conditional(self._term(term.condition, scope), consequent, alternative)
        cases = [self._case(arm, scope) for arm in found.arms]
        covered = self._names.covers(cases, found.scrutinee.sort)
        if found.partial and covered and isinstance(term.alternative, core.Conditional):
            # Printed as one `match` the cases would cover the value, and the last test would not be made.
            cases = [
                cases[0],
                tree.Case(tree.WildcardPattern(), None, self._conditional(term.alternative, scope)),
            ]
        elif not found.partial and not covered:
            cases[-1] = tree.Case(tree.WildcardPattern(), None, self._term(found.arms[-1].body, scope))
        return tree.Match(self._term(found.scrutinee, scope), tuple(cases))

    def _case(self, arm: Arm, scope: _Scope) -> tree.Case:
        pattern, inner = self._taken_apart(arm.shape, scope)
        guard = self._term(arm.guard, inner) if arm.guard is not None else None
        return tree.Case(pattern, guard, self._term(arm.body, inner))

    def _taken_apart(self, shape: Shape, scope: _Scope) -> tuple[tree.Pattern, _Scope]:
        """The pattern of a shape, and the scope of its names."""
        taken = {*scope.taken(), *self._called}
        names: dict[core.Term, str] = {}
        for place in shape.names():
            names[place.value] = variable_name(_pattern_name(place.value), taken)
            taken.add(names[place.value])
        return pattern_of(shape, names), _Scope(scope.variables, {**scope.parts, **names})


_SET_FORMS = frozenset({"singleton", "insert", "in_set"})


def _hides_place(term: core.Term) -> bool:
    """Whether e or τ stands in a term where nothing says that its place is one of real numbers.

    As a bare letter it would be read as a free name there.
    """
    match term:
        case core.Equals(left=left, right=right):
            beside: tuple[core.Term, ...] = (left, right)
        case core.Construction(arguments=arguments):
            beside = arguments
        case core.BuiltinCall(operation=core.Operation(name=name), arguments=arguments) if name in _SET_FORMS:
            beside = arguments
        case _:
            return False
    letters = [each for each in beside if _is_letter(each)]
    known = any(each.sort == core.REAL and not _is_letter(each) for each in beside)
    return bool(letters) and not known


def _is_letter(term: core.Term) -> bool:
    return isinstance(term, core.BuiltinCall) and term.operation.name in ("e", "tau") and not term.arguments


def _without_type(arguments: tuple[tree.Expression, ...]) -> tuple[tree.Expression, ...]:
    """The arguments of ∑ or ∏, whose index and bounds need no types: they are integers."""
    function, *written = arguments
    bounds = [each.expression if isinstance(each, tree.Ascription) else each for each in written]
    if not isinstance(function, tree.Lambda) or len(function.parameters) != 1:
        return arguments
    (index,) = function.parameters
    return (tree.Lambda((tree.Parameter(index.name, None),), function.body), *bounds)


def _literal(value: bool | int | Fraction | str) -> tree.Expression:
    match value:
        case bool():
            return tree.Boolean(value)
        case str():
            return tree.Text(value)
        case _ if value < 0:
            return tree.Call("negate", (_literal(-value),))
        case _ if has_numeral(value):
            return tree.Number(numeral(value))
        case _:
            return tree.Call(
                "divide", (tree.Number(str(value.numerator)), tree.Number(str(value.denominator)))
            )


def _has_parts(sort: core.Sort) -> bool:
    """Whether a sort is made of others, so that a constant of it may be polymorphic."""
    return not isinstance(sort, core.Basic | core.Numeric) and not (
        isinstance(sort, core.Carrier | core.DataSort) and not sort.arguments
    )


def _pattern_name(place: core.Term) -> str:
    """The name for a part of a value: that of its field, in lower case."""
    if not isinstance(place, core.Selection):
        return "x"
    name = place.constructor.fields[place.index].name
    return name.lower() if not name.startswith("_") else "x"


def _equality(left: core.Term, right: core.Term) -> str:
    """How an equality is written: ⟺ between propositions, and = where a truth value is written out."""
    if left.sort != core.BOOL or any(isinstance(each, core.LiteralTerm) for each in (left, right)):
        return "equals"
    return "iff"
