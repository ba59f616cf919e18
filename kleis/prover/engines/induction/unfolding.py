"""Definitions unfolded on terms, as far as the constructors in the arguments determine the case.

``len(isort(Cons(h, t)))`` becomes ``len(insort(h, isort(t)))``: a call is replaced by the case of its definition that its
arguments match.  Soundness does not depend on this: `speculation` makes candidates of it, which are proved before use.
"""

from __future__ import annotations

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import bound_by, parts, rebuild, substitute
from kleis.prover.lowering.match_equations import Case, cases, simplified
from kleis.prover.smt.encode_sorts import Sorts

__all__ = ["Unfolding", "matches"]

_MOST = 200
"""The number of calls that are replaced at most."""


class Unfolding:
    """Unfolds the definitions of one goal."""

    def __init__(self, goal: Goal) -> None:
        sorts = Sorts(goal)
        self._cases = {each.key: _proper(each, cases(each, sorts.constructors)) for each in goal.definitions}
        self._left = _MOST

    def of(self, term: core.Term) -> core.Term:
        """The term unfolded, innermost calls first."""
        self._left = _MOST
        return self._unfolded(term)

    def _unfolded(self, term: core.Term) -> core.Term:
        term = simplified(rebuild(term, self._unfolded))
        if isinstance(term, core.DefinitionCall) and self._left > 0:
            for case in self._cases.get(term.definition, ()):
                found: dict[str, core.Term] = {}
                if _fits(case.arguments, term.arguments, found):
                    self._left -= 1
                    return self._unfolded(substitute(case.body, found))
        return term


def _proper(definition: core.Definition, all_cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """The cases that may be used: all of a definition that is not recursive, otherwise those with a constructor."""
    if not definition.group:
        return all_cases
    return tuple(each for each in all_cases if any(isinstance(a, core.Construction) for a in each.arguments))


def _fits(patterns: tuple[core.Term, ...], terms: tuple[core.Term, ...], found: dict[str, core.Term]) -> bool:
    """Whether terms match patterns; `found` gets the values of the patterns' variables."""
    for pattern, term in zip(patterns, terms, strict=True):
        match pattern:
            case core.Variable(name=name):
                found[name] = term
            case core.Construction(constructor=constructor, arguments=inner):
                if not isinstance(term, core.Construction) or term.constructor.name != constructor.name:
                    return False
                if not _fits(inner, term.arguments, found):
                    return False
            case _:
                return False
    return True


def matches(pattern: core.Term, term: core.Term, names: frozenset[str], found: dict[str, core.Term]) -> bool:
    """Whether a term matches a pattern in the variables of these names; `found` gets their values."""
    if isinstance(pattern, core.Variable) and pattern.name in names:
        return found.setdefault(pattern.name, term) == term and pattern.sort == term.sort
    if type(pattern) is not type(term) or bound_by(pattern):
        return pattern == term
    inner, outer = list(parts(pattern)), list(parts(term))
    if len(inner) != len(outer) or not inner:
        return pattern == term
    holes = iter(inner)
    if rebuild(term, lambda _: next(holes)) != pattern:
        return False
    return all(matches(a, b, names, found) for a, b in zip(inner, outer, strict=True))
