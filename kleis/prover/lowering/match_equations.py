"""A definition by `match` as equations, one for every way its arguments can be constructed.

See docs/reference/proving.md §8.6.

``app(x, y)`` becomes ``app(Nil, y) = y`` and ``app(Cons(h, t), y) = Cons(h, app(t, y))``.  Selections disappear: what is
still partial in an equation is partial indeed.

Invariants
    * The cases exclude one another and are exhaustive: every argument is made by some constructor.
    * A part is dropped only where it has a value, so an equation's body is defined exactly where the definition's is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from kleis import core
from kleis.core.traversal import rebuild, substitute, subterms

__all__ = ["Case", "cases", "simplified"]

_MOST = 64
"""A definition of more cases is one equation."""


class Case(msgspec.Struct, frozen=True):
    """An equation: the definition at `arguments`, terms over `variables`, is the body."""

    arguments: tuple[core.Term, ...]
    variables: tuple[core.Variable, ...]
    body: core.Term


def cases(
    definition: core.Definition, constructors: Callable[[core.Sort], tuple[core.Constructor, ...]]
) -> tuple[Case, ...]:
    """The cases of a definition."""
    whole = Case(tuple(definition.parameters), definition.parameters, definition.body)
    found: list[Case] = []
    for case in _split(msgspec.structs.replace(whole, body=simplified(whole.body)), constructors):
        found.append(case)
        if len(found) > _MOST:
            return (whole,)
    return tuple(found)


def _split(case: Case, constructors: Callable[[core.Sort], tuple[core.Constructor, ...]]) -> Iterator[Case]:
    tested = _tested(case)
    if tested is None:
        yield case
        return
    for constructor in constructors(tested.sort):
        fields = tuple(
            core.Variable(f"{tested.name}.{place}", field.sort)
            for place, field in enumerate(constructor.fields)
        )
        made = {tested.name: core.Construction(constructor, fields)}
        variables = [each for each in case.variables if each != tested]
        inner = Case(
            tuple(substitute(each, made) for each in case.arguments),
            (*variables, *fields),
            simplified(substitute(case.body, made)),
        )
        yield from _split(inner, constructors)


def _tested(case: Case) -> core.Variable | None:
    """The first variable whose constructor the body tests."""
    for each in subterms(case.body):
        if isinstance(each, core.Conditional):
            for part in subterms(each.condition):
                if isinstance(part, core.Discrimination) and part.term in case.variables:
                    assert isinstance(part.term, core.Variable)
                    return part.term
    return None


def simplified(term: core.Term) -> core.Term:
    """The term with tests and selections of constructor terms computed."""
    if isinstance(term, core.Let) and _certain(term.value):
        return simplified(substitute(term.body, {term.variable.name: term.value}))
    term = rebuild(term, simplified)
    match term:
        case core.Selection(constructor=constructor, index=index, term=core.Construction() as made):
            if constructor.name == made.constructor.name and _certain(made):
                return made.arguments[index]
        case core.Discrimination(constructor=constructor, term=core.Construction() as made):
            if _certain(made):
                return core.LiteralTerm(constructor.name == made.constructor.name, core.BOOL)
        case core.Let(variable=variable, value=value, body=body) if _certain(value):
            return simplified(substitute(body, {variable.name: value}))
        case core.Conditional(condition=core.LiteralTerm(value=holds), consequent=yes, alternative=no):
            return yes if holds else no
        case core.Connective():
            return _connected(term)
        case _:
            return term
    return term


def _certain(term: core.Term) -> bool:
    """Whether a term is built of variables, constants, literals and constructors alone, and so has a value."""
    if isinstance(term, core.Construction):
        return all(map(_certain, term.arguments))
    if isinstance(term, core.SymbolCall):
        return not term.arguments
    return isinstance(term, core.Variable | core.LiteralTerm)


def _connected(term: core.Connective) -> core.Term:
    """A connective without constant operands."""
    if term.name == "not":
        (inner,) = term.arguments
        return core.LiteralTerm(not inner.value, core.BOOL) if isinstance(inner, core.LiteralTerm) else term
    if term.name == "implies":
        return term
    decisive = term.name == "or"
    known = [each.value for each in term.arguments if isinstance(each, core.LiteralTerm)]
    if decisive in known:
        return core.LiteralTerm(decisive, core.BOOL)
    rest = tuple(each for each in term.arguments if not isinstance(each, core.LiteralTerm))
    if not rest:
        return core.LiteralTerm(not decisive, core.BOOL)
    return rest[0] if len(rest) == 1 else core.Connective(term.name, rest)
