"""Overlaps: axioms that are taken where the conditions of two of them hold together.

Specification: proving.md §3; provers.md §3 ("Cheap remedy for the policy case").

    ∀(c : String). hasPrefix(c, "git") → allow(c)        ∀(c : String). contains(c, "--force") → deny(c)

No axiom names a text to which both apply, and solvers do not look for one.  Whether there is such a text is a question
without quantifiers or unknown operations, which they answer at once; at that text the axioms are then taken.

Invariant: a point is only a place to look.  The proof is that of an instantiation: each axiom implies its instances, and
these have no model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, islice
from typing import Any

from kleis.core import STRING, BitVec, Connective, Numeric, Quantifier, Term
from kleis.prover.engines.solvers.instantiation import InstanceSearch, Instantiation
from kleis.prover.engines.solvers.runs import library, run_solver
from kleis.prover.protocol.engine import Task

__all__ = ["OVERLAPS"]

_PAIRS = 45
"""So many pairs of conditions of one sort are tried."""

_STEPS = 30_000
"""Z3's steps for one pair."""


class Overlaps(Instantiation):
    """The engine.  Its steps are Z3's."""

    def __init__(self) -> None:
        super().__init__(1)
        self.name = "overlaps"

    def applies(self, task: Task) -> bool:
        """Where at least two axioms say something of texts, numbers or words that fulfil a condition."""
        if task.meaning.unsettled:
            return False
        return sum(_is_conditional(each.formula) for each in task.meaning.axioms) > 1

    def points(self, search: InstanceSearch) -> Mapping[str, Sequence[Any]]:
        """Values at which two conditions hold together."""
        conditions: dict[str, list[tuple[Any, Any]]] = {}
        for _, quantifier in search.universal():
            if quantifier.num_vars() == 1:
                variable = library().Const("?point", quantifier.var_sort(0))
                for each in _conditions(quantifier, variable):
                    conditions.setdefault(variable.sort().sexpr(), []).append((variable, each))
        return {sort: _points(found) for sort, found in conditions.items()}


OVERLAPS = Overlaps()


def _is_conditional(formula: Term) -> bool:
    """Whether an axiom is ∀ over one variable of an infinite built-in sort, with a condition."""
    if not isinstance(formula, Quantifier) or formula.kind != "forall" or len(formula.variables) != 1:
        return False
    conditional = isinstance(formula.body, Connective) and formula.body.name == "implies"
    sort = formula.variables[0].sort
    return conditional and (sort == STRING or isinstance(sort, Numeric | BitVec))


def _conditions(quantifier: Any, variable: Any) -> list[Any]:
    """The left side of a universal implication at a variable, if it speaks of nothing unknown."""
    z3 = library()
    body = z3.substitute_vars(quantifier.body(), variable)
    if not z3.is_implies(body):
        return []
    condition = body.children()[0]
    return [condition] if _is_known(condition, variable) else []


def _is_known(formula: Any, variable: Any) -> bool:
    """Whether a formula is of built-in operations and the variable alone."""
    z3 = library()
    waiting = [formula]
    while waiting:
        each = waiting.pop()
        if not z3.is_app(each):
            return False
        if each.decl().kind() == z3.Z3_OP_UNINTERPRETED and not each.eq(variable):
            return False
        waiting += each.children()
    return True


def _points(conditions: Sequence[tuple[Any, Any]]) -> list[Any]:
    """Values at which two of the conditions hold, or one alone."""
    z3 = library()
    found: dict[str, Any] = {}
    pairs = [*combinations(conditions, 2), *((each,) for each in conditions)]
    for pair in islice(pairs, _PAIRS):
        variable = pair[0][0]
        solver = z3.Solver(ctx=variable.ctx)
        for _, condition in pair:
            solver.add(condition)
        run = run_solver(solver, _STEPS)
        if run.status == "sat":
            value = run.model.eval(variable, model_completion=True)
            if not z3.is_algebraic_value(value):  # scripts have no name for a root
                found.setdefault(value.sexpr(), value)
    return list(found.values())
