"""Random ground terms of the core over every built-in of the table, with what the reference semantics makes of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

from kleis.budget import Budget
from kleis.builtins.row import Argument, Signature
from kleis.builtins.rows.matrices import MATRICES
from kleis.core import (
    BOOL,
    COMPLEX,
    INTEGER,
    NATURAL,
    RATIONAL,
    REAL,
    REGEX,
    STRING,
    Application,
    BitVec,
    BuiltinCall,
    Coercion,
    Conditional,
    Connective,
    Construction,
    Discrimination,
    Equals,
    FunctionOf,
    Lambda,
    Let,
    ListOf,
    LiteralTerm,
    MatrixOf,
    Narrowing,
    Numeric,
    Operation,
    RecordOf,
    Selection,
    SetOf,
    Sort,
    Term,
    TupleOf,
    Undefined,
    Variable,
)
from kleis.core.goal import Goal
from kleis.core.terms import Constructor, ConstructorField, construct_list, construct_tuple, list_constructors
from kleis.elaborate.elaborator import Elaborator
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds, Outcome
from kleis.semantics.reference import Account
from kleis.semantics.truth import FALSE, TRUE, UNDEFINED, Truth
from kleis.theory.theory import Theory
from kleis.values import BitVector, Data, ListValue, Value
from tests.support.terms.signature_calls import ANY, TYPED, ground_signatures, values_of
from tests.support.terms.values_as_terms import builtin_call, term_of

__all__ = ["NOTHING", "Maker", "facts_of", "operations", "outcome_of"]

NOTHING = Goal(claim=None)
SORTS: tuple[Sort, ...] = (
    BOOL,
    NATURAL,
    INTEGER,
    RATIONAL,
    REAL,
    COMPLEX,
    STRING,
    BitVec(4),
    ListOf(INTEGER),
    ListOf(NATURAL),
    ListOf(ListOf(NATURAL)),
    ListOf(STRING),
    SetOf(INTEGER),
    SetOf(BOOL),
    TupleOf((INTEGER, STRING)),
    RecordOf((("x", INTEGER), ("y", STRING))),
)
_WIDER = {INTEGER: (NATURAL,), RATIONAL: (INTEGER, NATURAL), REAL: (RATIONAL, INTEGER), COMPLEX: (REAL,)}

_Row = tuple[Operation, tuple[Argument, ...]]


def outcome_of(term: Term) -> Outcome:
    """The outcome of a ground term."""
    account = Account(Budget(steps=200_000, depth=150, size=20_000))
    return evaluator_of(NOTHING, Model({}, {}), Bounds(), "one-sided", account).outcome(term, {})


@cache
def _rows() -> dict[Sort, tuple[_Row, ...]]:
    """The operations by the sort of their result."""
    definitions = Elaborator(Theory()).definitions
    found: dict[Sort, list[_Row]] = {}
    for row in TYPED:
        for signature, arguments in ground_signatures(row):
            if _is_ground(signature, arguments):
                operation = definitions.operation(signature, signature.parameters, signature.result)
                found.setdefault(signature.result, []).append((operation, arguments))
    return {sort: tuple(rows) for sort, rows in found.items()}


def _is_ground(signature: Signature, arguments: tuple[Argument, ...]) -> bool:
    """Whether there are no matrices in a signature, written ones included."""
    sorts = (*signature.parameters, signature.result)
    written = any(each.shape is not None for each in arguments) or signature.row in MATRICES
    return not written and not any(isinstance(each, MatrixOf) for each in sorts)


@cache
def _rows_of(names: frozenset[str]) -> dict[Sort, tuple[_Row, ...]]:
    named = {sort: tuple(row for row in rows if row[0].name in names) for sort, rows in _rows().items()}
    return {sort: rows for sort, rows in named.items() if rows}


def operations() -> tuple[_Row, ...]:
    """Every operation that terms are made of, with what is known of the arguments of its call."""
    return tuple(each for rows in _rows().values() for each in rows)


class Maker:
    """Terms drawn from a seed, of all operations or of those that are named."""

    def __init__(self, seed: int, names: frozenset[str] | None = None) -> None:
        self.random = Random(seed)
        self._rows = _rows() if names is None else _rows_of(names)
        self._count = 0

    def term(self, depth: int = 3) -> Term:
        """A ground term of a sort that many operations have."""
        sort = self.random.choice((*SORTS, *self._rows))
        if sort == REGEX or isinstance(sort, FunctionOf):
            sort = BOOL
        return self.of(sort, depth, {})

    def call(self, row: _Row) -> Term:
        """A call of an operation at values; of a regular expression, whether it matches a text."""
        made = self._call(row, 1, {})
        if made.sort != REGEX:
            return made
        text = LiteralTerm(self.random.choice(("", "a", "b", "ab", "ba", "abab", "z", "é", "aa")), STRING)
        return builtin_call("matches", BOOL, text, made)

    def of(self, sort: Sort, depth: int, scope: dict[str, Sort]) -> Term:
        """A term of a sort over some variables."""
        if isinstance(sort, FunctionOf):
            return self._function(sort, depth, scope)
        here = [name for name, each in scope.items() if each == sort]
        if here and self.random.random() < 0.4:
            return Variable(self.random.choice(here), sort)
        forms: list[Callable[[], Term]] = [lambda: self._value(sort)]
        if depth > 0:
            rows = self._rows.get(sort, ())
            forms += [lambda: self._call(self.random.choice(rows), depth, scope)] * (6 if rows else 0)
            forms += [lambda: self._form(sort, depth, scope)] * 3
        return self.random.choice(forms)()

    def _value(self, sort: Sort) -> Term:
        if isinstance(sort, BitVec):
            return term_of(BitVector(sort.width, self.random.randrange(1 << min(sort.width, 8))), sort)
        if isinstance(sort, RecordOf):
            made = record_constructor(sort)
            return Construction(made, tuple(self._value(each) for _, each in sort.fields))
        if isinstance(sort, TupleOf):
            return construct_tuple([self._value(each) for each in sort.items], sort.items)
        if isinstance(sort, ListOf):
            items = [self._value(sort.element) for _ in range(self.random.randrange(4))]
            return construct_list(items, sort.element)
        if sort == REGEX:
            return self._call(self.random.choice(_rows()[REGEX]), 1, {})
        return term_of(self.random.choice(values_of(sort, ANY, self.random)), sort)

    def _call(self, row: _Row, depth: int, scope: dict[str, Sort]) -> Term:
        operation, arguments = row
        given = []
        for parameter, argument in zip(operation.parameters, arguments, strict=True):
            if argument.literal is not None:
                given.append(term_of(argument.literal, parameter.sort))
            elif operation.name == "re_range" or (
                operation.name.startswith("re_") and parameter.sort == STRING
            ):
                given.append(LiteralTerm(self.random.choice("abz"), STRING))
            elif operation.name == "re_loop" and parameter.sort == INTEGER:
                given.append(LiteralTerm(self.random.randrange(3), INTEGER))
            elif operation.name == "power" and parameter is operation.parameters[1]:
                given.append(
                    term_of(self.random.choice(values_of(parameter.sort, ANY, self.random)), parameter.sort)
                )
            else:
                given.append(self.of(parameter.sort, depth - 1, scope))
        return BuiltinCall(operation, tuple(given))

    def _function(self, sort: FunctionOf, depth: int, scope: dict[str, Sort]) -> Term:
        variables = tuple(self._fresh(each) for each in sort.domain)
        inner = {**scope, **{each.name: each.sort for each in variables}}
        return Lambda(variables, self.of(sort.codomain, depth - 1, inner))

    def _form(self, sort: Sort, depth: int, scope: dict[str, Sort]) -> Term:
        """A term that is no call of a built-in."""
        inner = depth - 1
        choice = self.random.randrange(8)
        if sort == BOOL and choice < 5:
            return self._formula(inner, scope)
        if sort == NATURAL and choice < 3:
            return Narrowing(self.of(INTEGER, inner, scope))
        if isinstance(sort, Numeric) and sort in _WIDER and choice < 3:
            return Coercion(self.of(self.random.choice(_WIDER[sort]), inner, scope), sort)
        if sort == ListOf(INTEGER) and choice < 2:
            return Coercion(self.of(ListOf(NATURAL), inner, scope), sort)
        if isinstance(sort, ListOf) and choice < 5:
            parts = (self.of(sort.element, inner, scope), self.of(sort, inner, scope))
            return Construction(list_constructors(sort)[1], parts)
        if choice < 5:
            parts = (self.of(BOOL, inner, scope), self.of(sort, inner, scope))
            return Conditional(*parts, self.of(sort, inner, scope))
        if choice == 5:
            over = ListOf(sort) if sort in (INTEGER, NATURAL, STRING) else None
            if over is not None:
                return Selection(list_constructors(over)[1], 0, self.of(over, inner, scope))
        variable = self._fresh(self.random.choice(SORTS))
        value = self.of(variable.sort, inner, scope)
        body = self.of(sort, inner, {**scope, variable.name: variable.sort})
        if choice == 6:
            return Application(Lambda((variable,), body), (value,), sort)
        return Let(variable, value, body) if self.random.random() < 0.9 else Undefined(sort, "for once")

    def _formula(self, depth: int, scope: dict[str, Sort]) -> Term:
        choice = self.random.randrange(4)
        if choice == 0:
            sort = self.random.choice(SORTS)
            return Equals(self.of(sort, depth, scope), self.of(sort, depth, scope))
        if choice == 1:
            over = ListOf(self.random.choice((INTEGER, STRING)))
            made = self.random.choice(list_constructors(over))
            return Discrimination(made, self.of(over, depth, scope))
        name = self.random.choice(("and", "or", "implies", "not"))
        count = 1 if name == "not" else 2
        return Connective(name, tuple(self.of(BOOL, depth, scope) for _ in range(count)))

    def _fresh(self, sort: Sort) -> Variable:
        self._count += 1
        return Variable(f"n{self._count}", sort)


def record_constructor(sort: RecordOf) -> Constructor:
    """The constructor of a sort of records."""
    fields = tuple(ConstructorField(name, each) for name, each in sort.fields)
    return Constructor("record", fields, sort, alone=True)


# ── What the reference says ──────────────────────────────────────────────────────────────────────────────────


def facts_of(term: Term) -> list[tuple[Term, bool]]:
    """Formulas about a ground term with whether T of each holds; none where the reference does not say."""
    outcome = outcome_of(term)
    if outcome is UNDEFINED:
        same = Equals(term, term)
        return [(same, False), (Connective("not", (same,)), False)]
    if isinstance(outcome, Truth):
        if outcome not in (TRUE, FALSE):
            return []
        return [(term, outcome is TRUE), (Connective("not", (term,)), outcome is FALSE)]
    return [(Equals(term, value_term(outcome, term.sort)), True)]


def value_term(value: Value, sort: Sort) -> Term:
    """A term that denotes a value; of records and of what holds them too."""
    match sort:
        case RecordOf(fields=fields):
            assert isinstance(value, Data)
            parts = [each.fields[1] for each in value.fields if isinstance(each, Data)]
            terms = (value_term(part, each) for part, (_, each) in zip(parts, fields, strict=True))
            return Construction(record_constructor(sort), tuple(terms))
        case ListOf(element=element):
            assert isinstance(value, ListValue)
            return construct_list([value_term(each, element) for each in value], element)
        case TupleOf(items=items):
            assert isinstance(value, Data)
            pairs = zip(value.fields, items, strict=True)
            return construct_tuple([value_term(each, item) for each, item in pairs], items)
        case _:
            return term_of(value, sort)
