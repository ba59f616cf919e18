"""Sorts in SMT-LIB: names, constructors, and which have values in the script that are none of the sort.

    ℕ, ℤ                          Int, with a guard ``x ≥ 0`` for ℕ
    ℚ, ℝ                          Real (`check_rationals` says where)
    ℂ, lists, tuples, records, data  data types
    sets                          arrays to Bool, false of what is no element of the sort
    carriers                      sorts of their own

A list of ℕ is a list of ℤ with a guard, so that the coercion of the one to the other is the same value.
"""

from __future__ import annotations

from itertools import count

from kleis import core
from kleis.core.goal import Goal
from kleis.core.sort_operations import map_sort, sort_parts
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import bound_by, subterms
from kleis.prover.checker.reductions.specialise import constructed
from kleis.prover.checker.sequent import NotExpressible
from kleis.prover.checker.translation.text import TRUE

__all__ = ["Sorts", "check_rationals", "erased"]

_PLAIN = {"Bool": "Bool", "String": "String", "ℤ": "Int", "ℝ": "Real", "ℂ": "h-complex"}
_LARGER: dict[core.Sort, core.Sort] = {core.NATURAL: core.INTEGER, core.RATIONAL: core.REAL}


def erased(sort: core.Sort) -> core.Sort:
    """The sort with ℤ for ℕ and ℝ for ℚ, also inside built-in sorts."""
    if isinstance(sort, core.ListOf | core.SetOf | core.TupleOf | core.RecordOf | core.FunctionOf):
        return map_sort(sort, erased)
    return _LARGER.get(sort, sort)


def _inside(sort: core.Sort, goal: Goal) -> dict[core.Sort, None]:
    """The sorts that values of a sort are made of, itself included."""
    found: dict[core.Sort, None] = {}
    waiting = [sort]
    while waiting:
        each = waiting.pop()
        if each in found or isinstance(each, core.Carrier):
            continue
        found[each] = None
        made = constructed(each, goal)
        waiting += [field.sort for c in made for field in c.fields] if made else sort_parts(each)
    return found


class Sorts:
    """The sorts of one script, declared as they are first named; and the names of everything in it."""

    def __init__(self, goal: Goal) -> None:
        self.goal = goal
        self.lines: list[str] = []
        self._names: dict[core.Sort, str] = {}
        self._constructors: dict[tuple[core.Sort, str], tuple[str, tuple[str, ...]]] = {}
        self._numbers = count(1)

    def fresh(self, prefix: str) -> str:
        """A name that nothing else has."""
        return f"{prefix}{next(self._numbers)}"

    def name(self, sort: core.Sort) -> str:
        """The sort in the script."""
        sort = erased(sort)
        match sort:
            case core.Basic(name=name) | core.Numeric(name=name) if name in _PLAIN:
                return _PLAIN[name]
            case core.BitVec(width=width):
                return f"(_ BitVec {width})"
            case core.SetOf(element=element):
                return f"(Array {self.name(element)} Bool)"
        if sort not in self._names:
            if isinstance(sort, core.Carrier):
                self._names[sort] = self.fresh("s")
                self.lines.append(f"(declare-sort {self._names[sort]} 0)")
            elif constructed(sort, self.goal):
                self._declare(sort)
            else:
                raise NotExpressible(f"values of the sort {sort_text(sort)}")
        return self._names[sort]

    def constructor(self, constructor: core.Constructor) -> tuple[str, tuple[str, ...]]:
        """The names of a constructor and of its selectors in the script."""
        self.name(constructor.sort)
        return self._constructors[erased(constructor.sort), constructor.name]

    def test(self, constructor: core.Constructor, text: str) -> str:
        """Whether a value was made by a constructor."""
        return TRUE if constructor.alone else f"((_ is {self.constructor(constructor)[0]}) {text})"

    def is_guarded(self, sort: core.Sort) -> bool:
        """Whether there are values in the script that are none of the sort."""
        return core.NATURAL in _inside(sort, self.goal)

    def _declare(self, sort: core.Sort) -> None:
        """Declare a data type together with all data types that it is made of."""
        below = dict.fromkeys(map(erased, _inside(sort, self.goal)))
        group = [each for each in below if each not in self._names and constructed(each, self.goal)]
        for each in group:
            self._names[each] = self.fresh("d")
        bodies = []
        for each in group:
            made = []
            for constructor in constructed(each, self.goal):
                name = self.fresh("k")
                fields = [(self.fresh("g"), self.name(field.sort)) for field in constructor.fields]
                self._constructors[each, constructor.name] = name, tuple(field for field, _ in fields)
                made.append(f"({' '.join((name, *(f'({field} {inner})' for field, inner in fields)))})")
            bodies.append(f"({' '.join(made)})")
        heads = " ".join(f"({self._names[each]} 0)" for each in group)
        self.lines.append(f"(declare-datatypes ({heads}) ({' '.join(bodies)}))")


# Where the reals of solvers may stand for ℚ.
#
# What has no quantifier over ℚ inside has the same value in both: unknowns of ℚ that are bound by the outermost ∀ of the
# claim, or are symbols, have rational values in an interpretation that refutes the claim, and reals have those too.
# A quantifier over ℚ inside is accepted where its body compares sums of rational numbers and nothing else: the reals are an
# elementary extension of the rationals there.  Sets of rational numbers have no words: their complement is another.

_SUMS = frozenset(["plus", "minus", "negate", "less_than", "leq", "greater_than", "geq"])
_PURE = core.Variable | core.Equals | core.Connective | core.Quantifier | core.Coercion


def check_rationals(goal: Goal, *formulas: core.Term) -> None:
    """`NotExpressible` where a quantifier, equation or set of these formulas tells ℚ from the reals.

    The claim is given without its outermost ∀.
    """
    for term in subterms(*formulas):
        bound = [each.sort for each in bound_by(term)]
        for each in (term.sort, *bound):
            if isinstance(each, core.SetOf) and core.RATIONAL in _inside(each, goal):
                raise NotExpressible("sets of rational numbers: solvers have reals only")
        if isinstance(term, core.Equals) and isinstance(term.left.sort, core.FunctionOf):
            bound += term.left.sort.domain
        elif not isinstance(term, core.Quantifier):
            continue
        if any(core.RATIONAL in _inside(each, goal) for each in bound) and not _is_of_sums(term):
            raise NotExpressible("a quantifier over ℚ that is not linear: solvers have reals only")


def _is_of_sums(formula: core.Term) -> bool:
    return all(isinstance(each, core.LiteralTerm) or _is_of_a_sum(each) for each in subterms(formula))


def _is_of_a_sum(term: core.Term) -> bool:
    sorts = {term.sort, *(each.sort for each in bound_by(term))}
    is_known = isinstance(term, _PURE) or (
        isinstance(term, core.BuiltinCall) and term.operation.name in _SUMS
    )
    return is_known and sorts <= {core.RATIONAL, core.BOOL}
