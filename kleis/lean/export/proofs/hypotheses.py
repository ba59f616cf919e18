"""What a proof may use: the axioms of the classes at hand, and hypotheses of the claim, each with its Lean term."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kleis import core
from kleis.lean.export.declarations.class_scopes import Scope, own_argument
from kleis.lean.export.terms.lean_types import call
from kleis.lean.language import lean_tree as lean

__all__ = ["Assumed", "conjuncts", "conjuncts_of", "named_axioms"]


class Assumed(msgspec.Struct, frozen=True):
    """A formula, and the term that proves it."""

    head: lean.Term
    formula: core.Term


def named_axioms(scope: Scope) -> Iterator[tuple[core.Term, lean.Term]]:
    """The axioms of the classes at hand, in canonical form, each with its name at the types of the declaration."""
    for use in scope.uses:
        if tuple(map(own_argument, use.info.parameters)) != use.arguments:
            continue
        for formula, name in use.info.axioms:
            owner = next((each for each in use.lines() if each.info.name == name.rpartition(".")[0]), None)
            if owner is None:
                continue
            pairs = zip(owner.info.parameters, owner.arguments, strict=True)
            named = [lean.Named(each.lean, scope.argument(argument)) for each, argument in pairs]
            yield formula, call(lean.Name(name), *named)


def conjuncts_of(name: lean.Term, formula: core.Term) -> Iterator[Assumed]:
    """The parts of a hypothesis, taken out of a conjunction by ``And.left`` and ``And.right``."""
    parts = conjuncts(formula)
    rest = name
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        yield Assumed(rest if last else lean.Call(lean.Name("And.left"), (rest,)), part)
        rest = lean.Call(lean.Name("And.right"), (rest,))


def conjuncts(formula: core.Term) -> tuple[core.Term, ...]:
    """The parts of a conjunction, each once, as they are written in Lean."""
    if isinstance(formula, core.Connective) and formula.name == "and":
        return tuple(dict.fromkeys(part for each in formula.arguments for part in conjuncts(each)))
    return (formula,)
