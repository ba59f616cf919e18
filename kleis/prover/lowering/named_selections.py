"""Names for the parts that a definition's cases select, where functions in it capture them.

See docs/reference/proving.md §9.2.

    Cons(p, r) => filter(λ y . y < p, r)      is read as      filter(λ y . y < head(l), tail(l))

and what is captured is the list l, whose head is not everywhere.  Behind the test that l is a `Cons` it is, so it gets a
name there, and the function captures a number.

Invariant: a name is put only where a test around it says that the part exists; the body means the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleis import core
from kleis.core.terms import list_constructors
from kleis.core.traversal import rebuild, subterms

__all__ = ["named_selections"]


def named_selections(body: core.Term) -> core.Term:
    """The body of a definition with names for what its functions capture of values whose form is known."""
    if isinstance(body, core.Conditional):
        yes, no = map(named_selections, (body.consequent, body.alternative))
        known = _known(body.condition)
        if known is not None:
            form, holds = known
            yes, no = (_named(yes, form), no) if holds else (yes, _named(no, form))
        return core.Conditional(body.condition, yes, no)
    return rebuild(body, named_selections) if isinstance(body, core.Let) else body


_Form = tuple[core.Constructor, core.Variable]


def _known(condition: core.Term) -> tuple[_Form, bool] | None:
    """The form that a variable has where a condition is true, or where it is false."""
    if not isinstance(condition, core.Discrimination) or not isinstance(condition.term, core.Variable):
        return None
    constructor, variable = condition.constructor, condition.term
    if constructor.fields:
        return (constructor, variable), True
    if isinstance(variable.sort, core.ListOf):
        return (list_constructors(variable.sort)[1], variable), False
    return None


def _named(branch: core.Term, form: _Form) -> core.Term:
    """A branch with a name around it for each part of the variable that a function in it captures."""
    for selection in dict.fromkeys(_captured(branch, form)):
        name = core.Variable(f"{form[1].name} {selection.index}", selection.sort)
        branch = core.Let(name, selection, _replaced(branch, selection, name, within=False))
    return branch


def _captured(branch: core.Term, form: _Form) -> Iterator[core.Selection]:
    constructor, variable = form
    for function in subterms(branch):
        if isinstance(function, core.Lambda) and variable not in function.variables:
            for each in subterms(function.body):
                if (
                    isinstance(each, core.Selection)
                    and each.term == variable
                    and each.constructor.name == constructor.name
                ):
                    yield each


def _replaced(term: core.Term, old: core.Selection, new: core.Variable, *, within: bool) -> core.Term:
    """The term with a name for a part inside of functions; outside of them cases are found by the part itself."""
    if within and term == old:
        return new
    inside = within or isinstance(term, core.Lambda)
    return rebuild(term, lambda part: _replaced(part, old, new, within=inside))
