"""Induction schemes: which obligations show a claim for all values of one of its variables.

See docs/reference/proving.md §7.10.

    structural      over a data type or lists: one obligation for each constructor, the claim of what it makes, given the
                    claim of its fields of the same sort; `deep`, given also that of their own such fields, for
                    definitions that look at parts of parts
    integer         over ℤ from a number b up: the claim up to b + k, without any hypothesis, and for every n ≥ b the
                    claim of n + k + 1, given those of n, …, n + k; over ℕ with b = 0

The claim of a part is for all values of the other variables.  A hypothesis is an axiom of its obligation, so it is
assumed to be *true*, not merely not false; the parts are new constants.

Invariants
    * No scheme is over a carrier, ℚ, ℝ, ℂ, sets or functions.
    * The goal, the variable and the scheme determine the obligations: they can be written again from these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kleis import core
from kleis.core.build_terms import at_least, integer, total
from kleis.core.goal import Axiom, Goal
from kleis.core.traversal import stripped, substitute
from kleis.problems import Place
from kleis.prover.protocol.engine import Task
from kleis.prover.smt.encode_sorts import Sorts

__all__ = ["HYPOTHESIS", "InductionGoal", "Scheme", "goal_of", "obligations", "schemes"]

HYPOTHESIS = "hypothesis "
"""How the names of induction hypotheses begin; no axiom's name has a blank at that place."""

_HERE = Place(file="<induction>", line=1, column=1)


class InductionGoal(msgspec.Struct, frozen=True):
    """A claim in parts: for all variables the body, under the hypotheses of inductions around it."""

    variables: tuple[core.Variable, ...]
    body: core.Term
    parts: tuple[core.Symbol, ...] = ()
    hypotheses: tuple[core.Term, ...] = ()

    def closed(self) -> core.Term:
        """The claim as one formula."""
        return core.Quantifier("forall", self.variables, self.body) if self.variables else self.body

    def task(self, task: Task) -> Task:
        """The goal as a task of its own, in the theory of another."""
        named = tuple(
            Axiom(f"{HYPOTHESIS}{place}", formula, "axiom", _HERE)
            for place, formula in enumerate(self.hypotheses, 1)
        )
        context = task.goal
        return Task(
            msgspec.structs.replace(
                context,
                claim=self.closed(),
                free=(),
                axioms=(*context.axioms, *named),
                symbols=(*context.symbols, *self.parts),
            ),
            task.lemmas,
        )


class Scheme(msgspec.Struct, frozen=True):
    """An induction on the variable of this name.

    `start` and `steps` are those of an integer scheme (b and k + 1); a structural one has 0 steps, and may be `deep`.
    """

    variable: str
    start: int = 0
    steps: int = 0
    deep: bool = False

    def text(self) -> str:
        """The scheme as proofs name it."""
        if not self.steps:
            return f"induction on {self.variable}" + (" and parts of parts" if self.deep else "")
        return f"induction on {self.variable} from {self.start} by {self.steps}"


def goal_of(claim: core.Term) -> InductionGoal:
    """A claim with all its outermost ∀ in front."""
    variables, hypotheses, rest = stripped(claim)
    for hypothesis in reversed(hypotheses):
        rest = core.Connective("implies", (hypothesis, rest))
    return InductionGoal(variables, rest)


def schemes(goal: InductionGoal, starts: Sequence[int]) -> tuple[Scheme, ...]:
    """The inductions that a goal allows."""
    found: list[Scheme] = []
    for variable in goal.variables:
        if isinstance(variable.sort, core.DataSort | core.ListOf):
            found += [Scheme(variable.name), Scheme(variable.name, deep=True)]
        elif variable.sort == core.NATURAL:
            found += [Scheme(variable.name, 0, 1), Scheme(variable.name, 0, 2)]
        elif variable.sort == core.INTEGER:
            found += [Scheme(variable.name, start, steps) for steps in (1, 2) for start in starts]
    return tuple(found)


def obligations(context: Goal, goal: InductionGoal, scheme: Scheme) -> tuple[tuple[str, InductionGoal], ...]:
    """The goals that a scheme leaves to show, each with its name."""
    variable = next(each for each in goal.variables if each.name == scheme.variable)
    rest = tuple(each for each in goal.variables if each != variable)
    induction = _Induction(goal, variable, rest)
    if scheme.steps:
        return induction.integer(scheme)
    return induction.structural(Sorts(context), deep=scheme.deep)


class _Induction:
    """One goal, one variable."""

    def __init__(self, goal: InductionGoal, variable: core.Variable, rest: tuple[core.Variable, ...]) -> None:
        self._goal = goal
        self._variable = variable
        self._rest = rest

    def _part(self, place: int, sort: core.Sort) -> core.Symbol:
        """A new constant, numbered after those of the inductions around it."""
        return core.Symbol(f"{self._variable.name}#{len(self._goal.parts) + place}", (), sort)

    def _at(self, term: core.Term) -> core.Term:
        """The body at a value of the variable."""
        return substitute(self._goal.body, {self._variable.name: term})

    def _hypothesis(self, term: core.Term) -> core.Term:
        """The claim at a value of the variable, for all others."""
        body = self._at(term)
        return core.Quantifier("forall", self._rest, body) if self._rest else body

    def _obligation(
        self, body: core.Term, parts: Sequence[core.Symbol], hypotheses: Sequence[core.Term]
    ) -> InductionGoal:
        return InductionGoal(
            self._rest, body, (*self._goal.parts, *parts), (*self._goal.hypotheses, *hypotheses)
        )

    def structural(self, sorts: Sorts, *, deep: bool) -> tuple[tuple[str, InductionGoal], ...]:
        """One obligation for every constructor."""
        sort = self._variable.sort
        constructors = sorts.constructors(sort)
        found = []
        for constructor in constructors:
            parts = [self._part(place, field.sort) for place, field in enumerate(constructor.fields)]
            terms = tuple(core.SymbolCall(each, ()) for each in parts)
            smaller = [each for each in terms if each.sort == sort]
            hypotheses = [self._hypothesis(each) for each in smaller]
            if deep:
                hypotheses += [each for part in smaller for each in self._inside(part, constructors)]
            body = self._at(core.Construction(constructor, terms))
            found.append((constructor.name, self._obligation(body, parts, hypotheses)))
        return tuple(found)

    def _inside(self, part: core.Term, constructors: Sequence[core.Constructor]) -> Iterator[core.Term]:
        """The claim of the fields of a part, each where the part has it."""
        for constructor in constructors:
            for index, field in enumerate(constructor.fields):
                if field.sort == self._variable.sort:
                    has_it = core.Discrimination(constructor, part)
                    claim = self._hypothesis(core.Selection(constructor, index, part))
                    yield core.Connective("implies", (has_it, claim))

    def integer(self, scheme: Scheme) -> tuple[tuple[str, InductionGoal], ...]:
        """The lowest values, and the step."""
        if self._variable.sort == core.NATURAL:
            return self._natural(scheme.steps)
        last = integer(scheme.start + scheme.steps - 1)
        below = core.Connective("implies", (at_least(last, self._variable), self._goal.body))
        low = InductionGoal(self._goal.variables, below, self._goal.parts, self._goal.hypotheses)
        part = self._part(0, core.INTEGER)
        number = core.SymbolCall(part, ())
        values = [number, *(total([number, integer(each)]) for each in range(1, scheme.steps + 1))]
        given = [at_least(number, integer(scheme.start)), *map(self._hypothesis, values[:-1])]
        return ("low", low), ("step", self._obligation(self._at(values[-1]), (part,), given))

    def _natural(self, steps: int) -> tuple[tuple[str, InductionGoal], ...]:
        low = [
            (f"{each}", self._obligation(self._at(core.LiteralTerm(each, core.NATURAL)), (), ()))
            for each in range(steps)
        ]
        part = self._part(0, core.NATURAL)
        number = core.SymbolCall(part, ())
        values: list[core.Term] = [number, *(_sum(number, each) for each in range(1, steps + 1))]
        hypotheses = [self._hypothesis(each) for each in values[:-1]]
        return (*low, ("step", self._obligation(self._at(values[-1]), (part,), hypotheses)))


def _sum(number: core.Term, more: int) -> core.Term:
    """A natural number and a literal."""
    parameters = (core.Variable("a", core.NATURAL), core.Variable("b", core.NATURAL))
    return core.BuiltinCall(
        core.Operation("plus", parameters, core.NATURAL), (number, core.LiteralTerm(more, core.NATURAL))
    )
