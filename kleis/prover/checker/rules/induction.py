"""The rule `induction`: the sequents that show a claim for all values of one of its outermost variables.

See docs/reference/certificates.md §3.4.

    structural   over lists or a data type: one sequent for each constructor, the claim of what it makes, given the claim
                 of its fields of the same sort; `deep`: given also that of their own such fields
    natural      over ℕ by k: the claim of 0, …, k - 1, without a hypothesis, and of n + k, given that of n, …, n + k - 1
    integer      over ℤ from b by k: the claim of everything below b + k, without a hypothesis, and for n ≥ b that of n + k,
                 given that of n, …, n + k - 1

The claim of a part is for all values of the other variables.  What is given is *true*, not merely not false.

Invariants
    * If the sequents returned hold, then so does the one that was given.
    * Sort, scheme and claim determine the sequents, their names and their order.
    * Parts, and the total functions that a claim is about, become constants of names that nothing else in sight has.
    * Nothing is shown by induction over a carrier, ℚ, ℝ, ℂ, sets or functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

import msgspec

from kleis import core
from kleis.core.build_terms import at_least, integer, total
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.core.terms import list_constructors
from kleis.core.traversal import apart_from, free_variables, rebuild, stripped, substitute, subterms
from kleis.prover.checker.format import Induction
from kleis.prover.checker.sequent import RejectedError, Sequent

__all__ = ["HYPOTHESIS", "as_function", "functions_named", "obligations", "opened", "subgoals"]

HYPOTHESIS = "hypothesis "
"""How the names of hypotheses begin; numbers follow, from 1, those of inductions around included."""

_FARTHEST = 1_000
"""The largest absolute value at which an induction over the integers may start."""

_MOST = 8
"""The number of earlier values that a step may use."""

_Sequents = tuple[tuple[str, Sequent], ...]
_Variables = tuple[core.Variable, ...]


def subgoals(sequent: Sequent, step: Induction) -> _Sequents:
    """What a step leaves to show, each with the name of its case; `RejectedError` where its cases are others."""
    found = obligations(sequent, step)
    expected = [name for name, _ in found]
    if [each.name for each in step.cases] != expected:
        raise RejectedError(
            f"the cases of an induction on {step.on} are {', '.join(expected)}, in this order"
        )
    return found


def obligations(sequent: Sequent, step: Induction) -> _Sequents:
    """What a step leaves to show, whatever its cases say."""
    if any(free_variables(each) for each in (sequent.claim, *(each for _, each in sequent.premises))):
        raise RejectedError("a formula of the sequent is not closed")
    sequent = _with_functions_named(sequent)
    variables, body = opened(sequent.claim)
    on = next((each for each in variables if each.name == step.on), None)
    if on is None:
        raise RejectedError(f"{step.on!r} is no outermost variable of the claim")
    return _Split(sequent, on, tuple(each for each in variables if each != on), body).by(step)


def opened(claim: core.Term) -> tuple[_Variables, core.Term]:
    """All outermost ∀-variables of a claim, those behind hypotheses included, and the body with the hypotheses.

    ``∀x. A → ∀y. B`` and ``∀x y. A → B`` are true alike: A has no y.
    """
    variables, hypotheses, body = stripped(claim)
    names = {each.name for each in variables}
    if len(names) < len(variables):
        raise RejectedError("a claim that binds a name twice")
    for each in reversed(hypotheses):
        body = core.Connective("implies", (apart_from(each, names), body))
    return variables, body


def _closed(variables: Sequence[core.Variable], body: core.Term) -> core.Term:
    return core.Quantifier("forall", tuple(variables), body) if variables else body


class _Names:
    """Names that a sequent does not have: of constants, and of hypotheses."""

    def __init__(self, sequent: Sequent) -> None:
        formulas = (sequent.claim, *(each for _, each in sequent.premises))
        bodies = (each.body for each in sequent.goal.definitions)
        calls = (each for each in subterms(*formulas, *bodies) if isinstance(each, core.SymbolCall))
        self._taken = {each.name for each in (*sequent.goal.symbols, *sequent.constants)}
        self._taken |= {each.symbol.name for each in calls}
        self._places = count(len(sequent.constants))
        self._premises = {name for name, _ in sequent.premises}

    def constant(self, stem: str, domain: tuple[core.Sort, ...], codomain: core.Sort) -> core.Symbol:
        name = next(each for each in (f"{stem}#{place}" for place in self._places) if each not in self._taken)
        self._taken.add(name)
        return core.Symbol(name, domain, codomain)

    def hypotheses(self, formulas: Sequence[core.Term]) -> tuple[tuple[str, core.Term], ...]:
        numbers = (f"{HYPOTHESIS}{place}" for place in count(1))
        names = (each for each in numbers if each not in self._premises)
        return tuple(zip(names, formulas, strict=False))


def functions_named(sequent: Sequent) -> dict[str, core.Symbol]:
    """The unknown operations that an induction puts for the outermost function variables of the claim."""
    names = _Names(sequent)
    return {
        each.name: names.constant(each.name, each.sort.domain, each.sort.codomain)
        for each in opened(sequent.claim)[0]
        if isinstance(each.sort, core.FunctionOf)
    }


def _with_functions_named(sequent: Sequent) -> Sequent:
    """The sequent with an unknown operation for every outermost function variable of the claim."""
    operations = functions_named(sequent)
    if not operations:
        return sequent
    variables, body = opened(sequent.claim)
    rest = tuple(each for each in variables if each.name not in operations)
    constants = (*sequent.constants, *operations.values())
    claim = _closed(rest, _called(body, operations))
    return msgspec.structs.replace(sequent, claim=claim, constants=constants)


def as_function(operation: core.Symbol) -> core.Term:
    """``λ x . f(x)``, which claims have for an operation that is no call's head."""
    places = tuple(core.Variable(f"{operation.name} {at}", each) for at, each in enumerate(operation.domain))
    return core.Lambda(places, core.SymbolCall(operation, places))


def _called(term: core.Term, operations: dict[str, core.Symbol]) -> core.Term:
    """The term with calls of operations for applications of variables, and functions elsewhere."""

    def change(each: core.Term) -> core.Term:
        if isinstance(each, core.Application) and isinstance(each.function, core.Variable):
            symbol = operations.get(each.function.name)
            if symbol is not None:
                return core.SymbolCall(symbol, tuple(map(change, each.arguments)))
        if isinstance(each, core.Variable) and each.name in operations:
            return as_function(operations[each.name])
        return rebuild(each, change)

    return change(apart_from(term, set(operations)))


class _Split:
    """One sequent, the variable of the induction, and the other ones."""

    def __init__(self, sequent: Sequent, on: core.Variable, rest: _Variables, body: core.Term) -> None:
        self._sequent = sequent
        self._on = on
        self._rest = rest
        self._body = body
        self._names = _Names(sequent)

    def by(self, step: Induction) -> _Sequents:
        """The sequents of the scheme that a step names; it has to be one for the variable's sort."""
        sort = self._on.sort
        if isinstance(sort, core.DataSort | core.ListOf) and step.by == 0 and step.start == 0:
            return self._structural(_constructors(self._sequent.goal, sort), deep=step.deep)
        if 1 <= step.by <= _MOST and abs(step.start) <= _FARTHEST and not step.deep:
            if sort == core.NATURAL and step.start == 0:
                return self._natural(step.by)
            if sort == core.INTEGER:
                return self._integer(step.start, step.by)
        raise RejectedError(
            f"no induction over {sort_text(sort)} is from {step.start} by {step.by}, {step.deep=}"
        )

    def _of(self, term: core.Term) -> core.Term:
        """The claim of a value of the variable, for all others."""
        return _closed(self._rest, substitute(self._body, {self._on.name: term}))

    def _left(
        self, claim: core.Term, parts: Sequence[core.Symbol] = (), hypotheses: Sequence[core.Term] = ()
    ) -> Sequent:
        premises = (*self._sequent.premises, *self._names.hypotheses(hypotheses))
        constants = (*self._sequent.constants, *parts)
        return msgspec.structs.replace(self._sequent, premises=premises, claim=claim, constants=constants)

    def _structural(self, constructors: Sequence[core.Constructor], *, deep: bool) -> _Sequents:
        sort = self._on.sort
        found = []
        for constructor in constructors:
            names = _Names(self._sequent)
            parts = [names.constant(self._on.name, (), field.sort) for field in constructor.fields]
            terms = tuple(core.SymbolCall(each, ()) for each in parts)
            smaller = [each for each in terms if each.sort == sort]
            hypotheses = [self._of(each) for each in smaller]
            if deep:
                hypotheses += [each for part in smaller for each in self._inside(part, constructors)]
            claim = self._of(core.Construction(constructor, terms))
            found.append((constructor.name, self._left(claim, parts, hypotheses)))
        return tuple(found)

    def _inside(self, part: core.Term, constructors: Sequence[core.Constructor]) -> Iterator[core.Term]:
        """The claim of the fields of a part, each where the part has it."""
        for constructor in constructors:
            for index, field in enumerate(constructor.fields):
                if field.sort == self._on.sort:
                    claim = self._of(core.Selection(constructor, index, part))
                    yield core.Connective("implies", (core.Discrimination(constructor, part), claim))

    def _natural(self, steps: int) -> _Sequents:
        low = (core.LiteralTerm(each, core.NATURAL) for each in range(steps))
        part = self._names.constant(self._on.name, (), core.NATURAL)
        number = core.SymbolCall(part, ())
        values: list[core.Term] = [number, *(_sum(number, each) for each in range(1, steps + 1))]
        given = [self._of(each) for each in values[:-1]]
        cases = ((f"{each.value}", self._left(self._of(each))) for each in low)
        return (*cases, ("step", self._left(self._of(values[-1]), (part,), given)))

    def _integer(self, start: int, steps: int) -> _Sequents:
        below = core.Connective("implies", (at_least(integer(start + steps - 1), self._on), self._body))
        part = self._names.constant(self._on.name, (), core.INTEGER)
        number = core.SymbolCall(part, ())
        values = [number, *(total([number, integer(each)]) for each in range(1, steps + 1))]
        given = [at_least(number, integer(start)), *(self._of(each) for each in values[:-1])]
        low = self._left(_closed(opened(self._sequent.claim)[0], below))
        return ("low", low), ("step", self._left(self._of(values[-1]), (part,), given))


def _constructors(goal: Goal, sort: core.DataSort | core.ListOf) -> tuple[core.Constructor, ...]:
    """The constructors of a sort, one of which makes a value of others alone: there are smallest values."""
    try:
        found = list_constructors(sort) if isinstance(sort, core.ListOf) else goal.constructors(sort)
    except KeyError:
        raise RejectedError(f"the goal has no data type {sort_text(sort)}") from None
    if all(any(field.sort == sort for field in each.fields) for each in found):
        raise RejectedError(f"{sort_text(sort)} has no smallest values")
    return found


def _sum(number: core.Term, more: int) -> core.Term:
    """A natural number and a literal."""
    parameters = tuple(core.Variable(each, core.NATURAL) for each in "ab")
    arguments = (number, core.LiteralTerm(more, core.NATURAL))
    return core.BuiltinCall(core.Operation("plus", parameters, core.NATURAL), arguments)
