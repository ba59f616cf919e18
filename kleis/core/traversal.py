"""Core terms walked, substituted, renamed and compared, and what a term reaches.

Terms are as deep as the source they come from, which the parser bounds, so plain recursion is safe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any, get_args

import msgspec

from kleis.core.sort_operations import map_sort
from kleis.core.sorts import Carrier, DataSort, Sort
from kleis.core.terms import (
    BuiltinCall,
    Connective,
    Definition,
    DefinitionCall,
    Discrimination,
    Lambda,
    Let,
    LiteralTerm,
    Operation,
    Quantifier,
    Selection,
    Symbol,
    SymbolCall,
    Term,
    Variable,
)

__all__ = [
    "Reached",
    "apart_from",
    "bound_by",
    "canonical",
    "free_variables",
    "opened",
    "parts",
    "reach",
    "rebuild",
    "sorts_of",
    "stripped",
    "substitute",
    "subterms",
]


_BELOW = ("condition", "consequent", "alternative", "function", "left", "right", "term", "value", "body")
"""The fields of terms that hold one term.  `arguments` holds several; bound variables are no parts."""


def _fields_below(kind: type[Any]) -> tuple[str, ...]:
    return () if kind is LiteralTerm else tuple(each for each in kind.__struct_fields__ if each in _BELOW)


def _getter(kind: type[Any]) -> Callable[[Any], tuple[Term, ...]]:
    """What reads the terms directly below a term of one kind: asking each field what it is takes ten times as long."""
    fields = _fields_below(kind)
    if "arguments" in kind.__struct_fields__:
        (first,) = fields or ("",)
        return (lambda term: (getattr(term, first), *term.arguments)) if first else attrgetter("arguments")
    if len(fields) == 1:
        only = attrgetter(fields[0])
        return lambda term: (only(term),)
    return attrgetter(*fields) if fields else lambda term: ()


_FIELDS = {each: _fields_below(each) for each in get_args(Term)}
_arguments: Callable[[Term], tuple[Term, ...]] = attrgetter("arguments")
_WITH_ARGUMENTS = frozenset(each for each in get_args(Term) if "arguments" in each.__struct_fields__)
_PARTS = {each: _getter(each) for each in get_args(Term)}


def parts(term: Term) -> tuple[Term, ...]:
    """The terms directly below a term, in order."""
    return _PARTS[type(term)](term)


def subterms(*terms: Term) -> Iterator[Term]:
    """The terms and everything below them, each before what is below it."""
    waiting = list(reversed(terms))
    while waiting:
        term = waiting.pop()
        yield term
        waiting.extend(reversed(_PARTS[type(term)](term)))


def rebuild(term: Term, change: Callable[[Term], Term]) -> Term:
    """The term with `change` applied to the terms directly below it; the same object if none changed."""
    changes: dict[str, object] = {}
    kind = type(term)
    for field in _FIELDS[kind]:
        value = getattr(term, field)
        replacement = change(value)
        if replacement is not value:
            changes[field] = replacement
    if kind in _WITH_ARGUMENTS:
        arguments = _arguments(term)
        replaced = tuple([change(each) for each in arguments])
        if any(new is not old for new, old in zip(replaced, arguments, strict=True)):
            changes["arguments"] = replaced
    return msgspec.structs.replace(term, **changes) if changes else term


def sorts_of(term: Term) -> Iterator[Sort]:
    """The sorts of a term, of everything below it and of its bound variables."""
    for each in subterms(term):
        yield each.sort
        if isinstance(each, Quantifier | Lambda):
            yield from (variable.sort for variable in each.variables)


def bound_by(term: Term) -> tuple[Variable, ...]:
    """The variables that a term binds in its body."""
    if type(term) is Quantifier or type(term) is Lambda:
        return term.variables
    return (term.variable,) if type(term) is Let else ()


def free_variables(term: Term) -> tuple[Variable, ...]:
    """The variables free in a term, in order of occurrence."""
    found: dict[Variable, None] = {}

    def visit(each: Term, bound: frozenset[str]) -> None:
        if isinstance(each, Variable):
            if each.name not in bound:
                found.setdefault(each)
        elif isinstance(each, Let):
            visit(each.value, bound)
            visit(each.body, bound | {each.variable.name})
        else:
            inner = bound | {variable.name for variable in bound_by(each)}
            for part in parts(each):
                visit(part, inner)

    visit(term, frozenset())
    return tuple(found)


def is_closed(term: Term) -> bool:
    """Whether a term is made of literals and built-ins alone, so that its sort does not depend on anything declared."""
    return not any(isinstance(each, Variable | SymbolCall | DefinitionCall) for each in subterms(term))


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """The term with free variables replaced by terms, bound variables renamed where they would capture."""
    taken = {variable.name for value in values.values() for variable in free_variables(value)}
    taken |= {each.name for each in subterms(term) if isinstance(each, Variable)}
    return _renamed(term, dict(values), _Fresh(taken | set(values)))


def canonical(term: Term) -> Term:
    """The term with its bound variables renamed by order of binding: equal for terms equal up to renaming."""
    taken = {variable.name for variable in free_variables(term)}
    return _renamed(term, {}, _Fresh(taken, stem="v"))


def apart_from(term: Term, names: set[str]) -> Term:
    """The term with bound variables of these names renamed."""
    taken = {each.name for each in subterms(term) if isinstance(each, Variable)} | names
    return _renamed(term, {}, _Fresh(taken, avoided=frozenset(names)))


class _Fresh:
    """New names for bound variables: their own where they are free to be used, or numbered ones."""

    def __init__(self, taken: set[str], stem: str = "", avoided: frozenset[str] = frozenset()) -> None:
        self._taken = taken
        self._avoided = avoided
        self._stem = stem
        self._count = 0

    def __call__(self, variable: Variable, outer: Mapping[str, Term]) -> Variable:
        free = variable.name not in self._avoided and not self._stem
        if free and variable.name not in outer and variable.name not in self._taken_by(outer):
            return variable
        while True:
            self._count += 1
            name = f"{self._stem or variable.name}{self._count}"
            if name not in self._taken:
                self._taken.add(name)
                return Variable(name, variable.sort)

    @staticmethod
    def _taken_by(outer: Mapping[str, Term]) -> set[str]:
        return {each.name for value in outer.values() for each in free_variables(value)}


def _renamed(term: Term, values: dict[str, Term], fresh: _Fresh) -> Term:
    if isinstance(term, Variable):
        return values.get(term.name, term)
    if isinstance(term, Let):
        value = _renamed(term.value, values, fresh)
        (variable,), inner = _rebound((term.variable,), values, fresh)
        return Let(variable, value, _renamed(term.body, inner, fresh))
    if isinstance(term, Quantifier | Lambda):
        variables, inner = _rebound(term.variables, values, fresh)
        body = _renamed(term.body, inner, fresh)
        if isinstance(term, Lambda):
            return Lambda(variables, body)
        return Quantifier(term.kind, variables, body)
    return rebuild(term, lambda part: _renamed(part, values, fresh))


def _rebound(
    variables: tuple[Variable, ...], values: dict[str, Term], fresh: _Fresh
) -> tuple[tuple[Variable, ...], dict[str, Term]]:
    inner = dict(values)
    renamed = []
    for variable in variables:
        new = fresh(variable, values)
        renamed.append(new)
        if new.name == variable.name:
            inner.pop(variable.name, None)
        else:
            inner[variable.name] = new
    return tuple(renamed), inner


# A claim without its outermost ∀: the variables are constants then, and a counterexample is an assignment of them.


def stripped(claim: Term) -> tuple[tuple[Variable, ...], tuple[Term, ...], Term]:
    """The outermost ∀-variables of a claim, hypotheses passed on the way, and what is left.

    ``∀x. A → ∀y. B`` has variables x and y, the hypothesis A and the rest B.
    """
    variables: list[Variable] = []
    hypotheses: list[Term] = []
    while True:
        if isinstance(claim, Quantifier) and claim.kind == "forall":
            variables += claim.variables
            claim = claim.body
        elif (
            isinstance(claim, Connective)
            and claim.name == "implies"
            and isinstance(claim.arguments[1], Quantifier)
            and claim.arguments[1].kind == "forall"
        ):
            hypotheses.append(claim.arguments[0])
            claim = claim.arguments[1]
        else:
            return tuple(variables), tuple(hypotheses), claim


def opened(claim: Term | None) -> tuple[tuple[Variable, ...], Term] | None:
    """The variables of the outermost ∃ and what it says of them; None for another claim."""
    variables: list[Variable] = []
    while isinstance(claim, Quantifier) and claim.kind == "exists":
        variables += claim.variables
        claim = claim.body
    return (tuple(variables), claim) if variables and claim is not None else None


# What terms depend on, directly or through definitions.


class Reached(msgspec.Struct):
    """What was found, each in order of its first occurrence.

    symbols
        Unknown operations and elements.
    sorts
        All sorts, those they are made of included: carriers and data types among them.
    definitions
        Called ones before their callers.
    operations
        Built-ins that solvers only approximate.
    """

    symbols: dict[Symbol, None] = msgspec.field(default_factory=dict)
    sorts: dict[Sort, None] = msgspec.field(default_factory=dict)
    definitions: dict[str, Definition] = msgspec.field(default_factory=dict)
    operations: dict[Operation, None] = msgspec.field(default_factory=dict)

    @property
    def carriers(self) -> tuple[Carrier, ...]:
        """The opaque sorts."""
        return tuple(sort for sort in self.sorts if isinstance(sort, Carrier))

    @property
    def data(self) -> tuple[DataSort, ...]:
        """The data types."""
        return tuple(sort for sort in self.sorts if isinstance(sort, DataSort))


def reach(
    terms: Iterable[Term], finished: Mapping[str, Definition], *, into: Reached | None = None
) -> Reached:
    """What terms depend on.  `finished` has the definitions by key; `into` is what was reached before."""
    found = into if into is not None else Reached()
    unfolded: set[str] = set(found.definitions)
    for term in terms:
        _visit(term, finished, found, unfolded)
    return found


def _visit(term: Term, finished: Mapping[str, Definition], found: Reached, unfolded: set[str]) -> None:
    for each in subterms(term):
        for sort in _sorts_here(each):
            _note_sort(sort, found)
        match each:
            case SymbolCall(symbol=symbol):
                found.symbols.setdefault(symbol)
                for sort in (*symbol.domain, symbol.codomain):
                    _note_sort(sort, found)
            case BuiltinCall(operation=operation):
                if operation.incomplete:
                    found.operations.setdefault(operation)
            case DefinitionCall(definition=key) if key not in unfolded:
                unfolded.add(key)
                definition = finished[key]
                for variable in definition.parameters:
                    _note_sort(variable.sort, found)
                _visit(definition.body, finished, found, unfolded)
                found.definitions[key] = definition


def _sorts_here(term: Term) -> Iterable[Sort]:
    """The sorts in a node itself, without those of the terms below it."""
    yield term.sort
    if isinstance(term, Discrimination | Selection):
        yield term.constructor.sort
    yield from (variable.sort for variable in bound_by(term))


def _note_sort(sort: Sort, found: Reached) -> None:
    if sort in found.sorts:
        return

    def visit(inner: Sort) -> Sort:
        _note_sort(inner, found)
        return inner

    map_sort(sort, visit)
    found.sorts.setdefault(sort)
