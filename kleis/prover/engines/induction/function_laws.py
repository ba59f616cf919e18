"""Laws about functions, taken at the functions that a claim passes on.

An induction on ``filter(p, reverse(l)) = reverse(filter(p, l))`` puts an unknown operation for p, and lowering writes a
definition of its own for `filter` at it.  The law ``∀f x y. filter(f, append(x, y)) = append(filter(f, x), filter(f, y))``
says nothing of that definition until it is taken at the operation.

Soundness does not depend on this: an instance follows from what it is of.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product, takewhile

import msgspec

from kleis import core
from kleis.core.traversal import canonical, free_variables, substitute, subterms
from kleis.prover.checker.format import Instance
from kleis.prover.checker.rules.open_claims import HYPOTHESIS
from kleis.prover.checker.sequent import Sequent
from kleis.prover.checker.write_terms import term_data

__all__ = ["at_functions", "taken"]

_MOST = 4
"""Instances of one law."""


def taken(given: core.Term, *values: core.Term) -> core.Term:
    """A formula for all values of its first variables, at some of them."""
    assert isinstance(given, core.Quantifier), "a formula for all values"
    names = (each.name for each in given.variables)
    body = substitute(given.body, dict(zip(names, values, strict=False)))
    rest = given.variables[len(values) :]
    return core.Quantifier("forall", rest, body) if rest else body


def at_functions(sequent: Sequent) -> tuple[Sequent, tuple[tuple[str, Instance], ...]]:
    """The sequent with instances for the laws that begin with functions, where its claim passes such functions on; the names
    of the instances, and what each is.  Hypotheses are left as they are."""
    functions = _functions(sequent.claim)
    if not functions:
        return sequent, ()
    premises: list[tuple[str, core.Term]] = []
    instances: list[tuple[str, Instance]] = []
    for name, formula in sequent.premises:
        ways = () if name.startswith(HYPOTHESIS) else tuple(_ways(formula, functions))
        for place, values in enumerate(ways, 1):
            instances.append((f"{name} at {place}", Instance(name, tuple(map(term_data, values)))))
            premises.append((f"{name} at {place}", taken(formula, *values)))
        if not ways:
            premises.append((name, formula))
    return msgspec.structs.replace(sequent, premises=tuple(premises)), tuple(instances)


def _functions(claim: core.Term) -> tuple[core.Lambda, ...]:
    """The functions in a claim that depend on none of its variables."""
    found = (each for each in subterms(claim) if isinstance(each, core.Lambda) and not free_variables(each))
    closed = (canonical(each) for each in found)
    return tuple(dict.fromkeys(each for each in closed if isinstance(each, core.Lambda)))


def _ways(formula: core.Term, functions: tuple[core.Lambda, ...]) -> Iterator[tuple[core.Lambda, ...]]:
    """Values for the functions that a formula begins with: none where it begins with none, or the claim has none of a sort."""
    if not isinstance(formula, core.Quantifier) or formula.kind != "forall":
        return iter(())
    first = [*takewhile(lambda each: isinstance(each.sort, core.FunctionOf), formula.variables)]
    if not first:
        return iter(())
    choices = ([each for each in functions if each.sort == variable.sort] for variable in first)
    return islice(product(*choices), _MOST)
