"""Sort inference for what has no written sort: free names, unannotated λ-parameters, empty lists.

An expression (a claim, an axiom, a body) is elaborated in passes.  A sort that is not known is a `SortVariable`;
during a pass, places where it is used bind it, or bound it from above (its values are used as ℤ) or below (values of ℚ
go into it).  After the pass what was learnt is fixed and the next pass begins, until nothing is unknown: the last
pass sees only known sorts and gives the term.  See docs/reference/proving.md §2.

Invariants
    * Only upward coercions count as fitting, and ℤ → ℕ, which costs a definedness condition.
    * What is fixed does not depend on the order of operands: binding is symmetric, bounds are joined.
    * Each pass fixes at least one sort or ends the inference, so there are at most as many passes as unknowns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from kleis import core
from kleis.core.sort_operations import paired_parts, rank, sort_parts, variables_of, with_parts
from kleis.problems import Spanned

__all__ = ["FREE", "Cost", "Inference", "Unknown"]

Cost: TypeAlias = tuple[int, int, int]

FREE: Cost = (0, 0, 0)


class Unknown(msgspec.Struct):
    """A sort to be inferred, with what is known of it.

    `what` describes it in messages.  `bottom` marks the result of a recursive call before anything is known of it; no
    type is asked for it.  `number` says that it is a numeric sort, between `lower` and `upper`.
    """

    node: Spanned
    what: str
    bottom: bool = False
    number: bool = False
    upper: core.Numeric | None = None
    lower: core.Numeric | None = None


class Inference:
    """One pass: the sorts fixed by the passes before, and what this one infers."""

    def __init__(self, fixed: Mapping[str, core.Sort]) -> None:
        self.fixed = fixed
        self.unknowns: dict[str, Unknown] = {}
        self.waiting = False
        """Whether a call could not be decided in this pass."""
        self._bound: dict[str, core.Sort] = {}

    def fresh(self, key: str, node: Spanned, what: str, *, bottom: bool = False) -> core.Sort:
        """The sort known under a key from an earlier pass, or a variable for it."""
        if key in self.fixed:
            return self.fixed[key]
        self.unknowns.setdefault(key, Unknown(node, what, bottom=bottom))
        return core.SortVariable(key)

    def resolve(self, sort: core.Sort) -> core.Sort:
        """The sort as far as it is known."""
        if isinstance(sort, core.SortVariable):
            bound = self._bound.get(sort.name)
            return sort if bound is None else self.resolve(bound)
        inner = sort_parts(sort)
        if not inner:
            return sort
        return with_parts(sort, [self.resolve(each) for each in inner])

    def known(self, sort: core.Sort) -> bool:
        """Whether nothing in a sort is unknown."""
        return not variables_of(self.resolve(sort))

    def is_bottom(self, sort: core.Sort) -> bool:
        """Whether a sort is the unknown result of a recursive call."""
        sort = self.resolve(sort)
        return isinstance(sort, core.SortVariable) and self._facts(sort).bottom

    # ── learning ─────────────────────────────────────────────────────────────────────────────────────────

    def unify(self, a: core.Sort, b: core.Sort) -> bool:
        """Make two sorts equal if they can be."""
        a, b = self.resolve(a), self.resolve(b)
        if a == b:
            return True
        if isinstance(a, core.SortVariable) or isinstance(b, core.SortVariable):
            return self._bind(a, b)
        pieces = paired_parts(a, b)
        return pieces is not None and all(self.unify(x, y) for x, y in pieces)

    def _bind(self, a: core.Sort, b: core.Sort) -> bool:
        if not isinstance(a, core.SortVariable):
            a, b = b, a
        assert isinstance(a, core.SortVariable)
        if a.name in variables_of(b):
            return False
        mine = self._facts(a)
        if isinstance(b, core.SortVariable):
            theirs = self._facts(b)
            theirs.number = theirs.number or mine.number
            self._narrow(theirs, mine.upper)
            self._widen(theirs, mine.lower)
        elif mine.number and not isinstance(b, core.Numeric):
            return False
        self._bound[a.name] = b
        return True

    def _facts(self, variable: core.SortVariable) -> Unknown:
        return self.unknowns[variable.name]

    def number(self, sort: core.Sort) -> None:
        """Record that values of the sort are numbers."""
        sort = self.resolve(sort)
        if isinstance(sort, core.SortVariable):
            self._facts(sort).number = True

    def used_as(self, sort: core.Sort, wanted: core.Numeric) -> None:
        """Record that values of the sort are used as numbers of `wanted`."""
        sort = self.resolve(sort)
        if isinstance(sort, core.SortVariable):
            facts = self._facts(sort)
            facts.number = True
            self._narrow(facts, wanted)

    def filled_with(self, sort: core.Sort, given: core.Numeric) -> None:
        """Record that numbers of `given` are values of the sort."""
        sort = self.resolve(sort)
        if isinstance(sort, core.SortVariable):
            facts = self._facts(sort)
            facts.number = True
            self._widen(facts, given)

    @staticmethod
    def _narrow(facts: Unknown, upper: core.Numeric | None) -> None:
        if upper is not None and (facts.upper is None or rank(upper) < rank(facts.upper)):
            facts.upper = upper

    @staticmethod
    def _widen(facts: Unknown, lower: core.Numeric | None) -> None:
        if lower is not None and (facts.lower is None or rank(lower) > rank(facts.lower)):
            facts.lower = lower

    @staticmethod
    def pieces(pattern: core.Sort, sort: core.Sort) -> list[tuple[core.Sort, core.Sort]] | None:
        """The components of two sorts of one shape side by side; None for sorts of different shapes."""
        return paired_parts(pattern, sort)

    # ── fitting ──────────────────────────────────────────────────────────────────────────────────────────

    def cost(self, given: core.Sort, wanted: core.Sort) -> Cost | None:
        """What it costs to use a value of one sort as another; None if it cannot be.  Changes nothing."""
        given, wanted = self.resolve(given), self.resolve(wanted)
        if given == wanted:
            return FREE
        if isinstance(given, core.SortVariable):
            return None if self._facts(given).number and not _may_be_number(wanted) else FREE
        if isinstance(wanted, core.SortVariable):
            facts = self.unknowns.get(wanted.name)
            return None if facts is not None and facts.number and not _may_be_number(given) else FREE
        if isinstance(given, core.Numeric) and isinstance(wanted, core.Numeric):
            steps = rank(wanted) - rank(given)
            if steps > 0:
                return (0, 1, steps)
            return (1, 0, 0) if (given.name, wanted.name) == ("ℤ", "ℕ") else None
        return self._cost_inside(given, wanted)

    def _cost_inside(self, given: core.Sort, wanted: core.Sort) -> Cost | None:
        pieces = paired_parts(given, wanted)
        if pieces is None:
            return None
        contravariant = len(pieces) - 1 if isinstance(given, core.FunctionOf) else 0
        conditions, coerced, steps = 0, 0, 0
        for place, (a, b) in enumerate(pieces):
            inside = self.cost(b, a) if place < contravariant else self.cost(a, b)
            if inside is None or inside[0]:
                return None
            conditions, coerced, steps = conditions + inside[0], coerced + inside[1], steps + inside[2]
        return (conditions, min(coerced, 1), steps)

    # ── the end of a pass ────────────────────────────────────────────────────────────────────────────────

    def learnt(self) -> dict[str, core.Sort]:
        """What this pass fixes: bound sorts; else upper bounds; else lower bounds; else ℝ for numbers without bounds.

        Empty if nothing more can be inferred.
        """
        bound = {
            name: self.resolve(core.SortVariable(name))
            for name in self.unknowns
            if self.known(core.SortVariable(name)) and not self.unknowns[name].bottom
        }
        if bound:
            return bound
        open_names = [
            name for name, facts in self.unknowns.items() if name not in self._bound and not facts.bottom
        ]
        for choose in (_from_upper, _from_lower, _any_number):
            found = {name: choose(self.unknowns[name]) for name in open_names}
            chosen = {name: sort for name, sort in found.items() if sort is not None}
            if chosen:
                return chosen
        return {}

    def unsolved(self) -> Unknown | None:
        """An unknown sort that was not inferred; None if all were."""
        for name, facts in self.unknowns.items():
            if not self.known(core.SortVariable(name)) and not facts.bottom:
                return facts
        return None


def _may_be_number(sort: core.Sort) -> bool:
    return isinstance(sort, core.Numeric | core.SortVariable)


def _from_upper(facts: Unknown) -> core.Sort | None:
    return facts.upper


def _from_lower(facts: Unknown) -> core.Sort | None:
    return facts.lower


def _any_number(facts: Unknown) -> core.Sort | None:
    return core.Numeric("ℝ") if facts.number else None
