"""The invariants of kleis/core/terms.py and kleis/core/goal.py, checked of a finished goal.

Terms are well sorted: the sort of every argument is exactly what its place requires.  No binder binds a name that is
bound around it, nothing is free, no sort is left open, and a goal lists everything that it mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kleis.core import (
    BOOL,
    INTEGER,
    Application,
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
    FunctionOf,
    Lambda,
    Let,
    ListOf,
    LiteralTerm,
    MatrixOf,
    Narrowing,
    Numeric,
    Quantifier,
    Selection,
    SetOf,
    Sort,
    SortVariable,
    SymbolCall,
    Term,
    TupleOf,
    Undefined,
    Variable,
)
from kleis.core.goal import Goal
from kleis.core.traversal import free_variables, sorts_of, subterms

__all__ = ["assert_sound"]

_ORDER = "ℕℤℚℝℂ"
_COUNT = {"and": None, "or": None, "not": 1, "implies": 2}


def assert_sound(meaning: Goal) -> None:
    """Everything that must hold of any goal."""
    definitions = {each.key: each for each in meaning.definitions}
    assert len(definitions) == len(meaning.definitions)
    axioms = [each.name for each in meaning.axioms]
    assert len(set(axioms)) == len(axioms), axioms
    closed = [axiom.formula for axiom in meaning.axioms] + [each.formula for each in meaning.obligations]
    if meaning.claim is not None:
        closed.append(meaning.claim)
    for formula in closed:
        assert formula.sort == BOOL
        assert free_variables(formula) == ()
        _bound_once(formula, frozenset())
    for each in meaning.definitions:
        assert set(free_variables(each.body)) <= set(each.parameters), each.key
        assert each.body.sort == each.result, each.key
        _bound_once(each.body, frozenset(parameter.name for parameter in each.parameters))
    bodies = [each.body for each in meaning.definitions]
    for term in subterms(*closed, *bodies):
        _well_sorted(term, {key: each.parameters for key, each in definitions.items()})
        if isinstance(term, DefinitionCall):
            assert term.sort == definitions[term.definition].result
    _listed(meaning, [*closed, *bodies])


def _bound_once(term: Term, outer: frozenset[str]) -> None:
    match term:
        case Quantifier() | Lambda():
            names = [variable.name for variable in term.variables]
            assert len(set(names)) == len(names) > 0, names
            assert not outer.intersection(names), names
            _bound_once(term.body, outer | set(names))
        case Let():
            assert term.variable.name not in outer, term.variable.name
            _bound_once(term.value, outer)
            _bound_once(term.body, outer | {term.variable.name})
        case _:
            for field in term.__struct_fields__:
                value = getattr(term, field)
                for part in value if isinstance(value, tuple) else (value,):
                    if isinstance(part, Term) and field != "variables":
                        _bound_once(part, outer)


def _sorts(terms: Iterable[Term]) -> tuple[Sort, ...]:
    return tuple(each.sort for each in terms)


def _well_sorted(term: Term, parameters: Mapping[str, tuple[Variable, ...]]) -> None:
    match term:
        case Variable() | LiteralTerm() | Undefined():
            fits = True
        case SymbolCall():
            fits = _sorts(term.arguments) == term.symbol.domain
        case BuiltinCall():
            fits = _sorts(term.arguments) == _sorts(term.operation.parameters)
        case DefinitionCall():
            fits = _sorts(term.arguments) == _sorts(parameters[term.definition])
        case Construction():
            fits = _sorts(term.arguments) == tuple(field.sort for field in term.constructor.fields)
        case Discrimination() | Selection():
            fits = term.term.sort == term.constructor.sort
        case Equals():
            fits = term.left.sort == term.right.sort
        case Connective():
            count = _COUNT[term.name]
            fits = set(_sorts(term.arguments)) == {BOOL} and len(term.arguments) >= 1
            fits = fits and (len(term.arguments) == count if count else len(term.arguments) >= 2)
        case Quantifier():
            fits = term.body.sort == BOOL
        case Conditional():
            fits = term.condition.sort == BOOL and term.consequent.sort == term.alternative.sort
        case Let():
            fits = term.variable.sort == term.value.sort
        case Lambda():
            fits = True
        case Application():
            fits = term.function.sort == FunctionOf(_sorts(term.arguments), term.sort)
        case Coercion():
            fits = term.sort != term.term.sort and _widens(term.term.sort, term.sort)
        case Narrowing():
            fits = term.term.sort == INTEGER
    assert fits, term


def _widens(small: Sort, large: Sort) -> bool:
    """Whether a value of one sort is one of the other: along the numbers, elementwise in lists, sets, matrices, tuples, data."""
    match small, large:
        case Numeric(), Numeric():
            return _ORDER.index(small.name) <= _ORDER.index(large.name)
        case (ListOf(), ListOf()) | (SetOf(), SetOf()):
            return _widens(small.element, large.element)
        case MatrixOf(), MatrixOf():
            same = (small.rows, small.columns) == (large.rows, large.columns)
            return same and _widens(small.element, large.element)
        case TupleOf(), TupleOf():
            pairs = zip(small.items, large.items, strict=True)
            return all(_widens(one, other) for one, other in pairs)
        case DataSort(), DataSort():
            pairs = zip(small.arguments, large.arguments, strict=True)
            return small.name == large.name and all(_widens(one, other) for one, other in pairs)
        case _:
            return small == large


def _listed(meaning: Goal, terms: list[Term]) -> None:
    """A goal names every symbol, carrier, definition and data type that occurs; callees come first."""
    symbols = {each.symbol for each in subterms(*terms) if isinstance(each, SymbolCall)}
    assert symbols <= set(meaning.symbols)
    known = {each.sort for group in meaning.data for each in group}
    for sort in {part for term in terms for each in sorts_of(term) for part in _parts(each)}:
        assert not isinstance(sort, SortVariable), sort
        assert not isinstance(sort, Carrier) or sort in meaning.carriers, sort
        assert not isinstance(sort, DataSort) or sort in known, sort
    before: set[str] = set()
    for definition in meaning.definitions:
        called = {each.definition for each in subterms(definition.body) if isinstance(each, DefinitionCall)}
        assert called <= before | {definition.key} | set(definition.group), definition.key
        before.add(definition.key)


def _parts(sort: object) -> Iterable[object]:
    """A sort and the sorts in it."""
    yield sort
    match sort:
        case ListOf() | SetOf() | MatrixOf():
            yield from _parts(sort.element)
        case TupleOf():
            for each in sort.items:
                yield from _parts(each)
        case FunctionOf():
            for each in (*sort.domain, sort.codomain):
                yield from _parts(each)
        case DataSort() | Carrier():
            for argument in sort.arguments:
                yield from _parts(argument)
