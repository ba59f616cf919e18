"""A sequent as a script: declarations, T of every premise, instances, and ¬T of the claim.

The outermost ∀ of the claim are constants.  An instance of a premise ``∀ x …`` at terms says: where the terms have
values, the body is true of them.  A premise about all functions is used through its instances alone, and so is one that is
not among those asserted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import msgspec

from kleis import core
from kleis.core.traversal import reach, substitute, subterms
from kleis.prover.checker.sequent import FALSITY, NotExpressible, RejectedError, Sequent
from kleis.prover.checker.translation.builtins import CONSTANTS, PRELUDE
from kleis.prover.checker.translation.sorts import check_rationals
from kleis.prover.checker.translation.terms import Environment, Restart, Terms
from kleis.prover.checker.translation.text import TRUE, both, implies, negation

__all__ = ["Instance", "Script", "assembled", "outermost", "translate"]

_MOST_CHARACTERS = 1_000_000
_MOST_PARTS = 100_000


class Instance(msgspec.Struct, frozen=True):
    """A premise ``∀ x …`` at terms over the claim's outermost variables, for the first of its variables."""

    of: str
    at: tuple[core.Term, ...]


class Script(msgspec.Struct, frozen=True):
    """Declarations with what is true of them, and what is asserted: last the negated claim, if there is one.

    `recursion` are the assertions among the declarations that say what recursive functions compute; `approximate` says that
    the script knows nothing of a built-in or a definition, so that a model of it is none of the sequent.
    """

    declared: tuple[str, ...]
    asserted: tuple[str, ...]
    recursion: frozenset[str] = frozenset()
    approximate: bool = False

    def text(self, *, opaque: bool = False) -> str:
        """The script; `opaque`: without what recursive functions compute, so that it asserts less."""
        declared = (each for each in self.declared if not opaque or each not in self.recursion)
        return "\n".join([*declared, *(f"(assert {each})" for each in self.asserted), "(check-sat)", ""])


def outermost(formula: core.Term) -> tuple[tuple[core.Variable, ...], core.Term]:
    """The variables of the outermost ∀ of a formula, and what is left."""
    variables: list[core.Variable] = []
    while isinstance(formula, core.Quantifier) and formula.kind == "forall":
        variables += formula.variables
        formula = formula.body
    return tuple(variables), formula


def _of_all_functions(claim: core.Term) -> core.Term:
    """``¬∃f. φ`` as ``∀f. ¬φ``, which is true where it is: functions have names at the beginning, and no values elsewhere."""
    match claim:
        case core.Connective(
            name="not", arguments=(core.Quantifier(kind="exists", variables=variables, body=body),)
        ) if any(isinstance(each.sort, core.FunctionOf) for each in variables):
            return core.Quantifier("forall", variables, core.Connective("not", (body,)))
    return claim


def translate(
    sequent: Sequent,
    instances: Sequence[Instance] = (),
    asserted: Sequence[str] | None = None,
    *,
    apart: bool = False,
    by_name: frozenset[str] = frozenset(),
) -> Script:
    """The script of a sequent, unsatisfiable only if the claim follows; `NotExpressible` if it has none.

    `asserted` are the premises that are asserted themselves: all, where it is None.  `apart`: values of built-ins that
    the script does not know are constants, each way to write one its own; it then asserts less.  So it does with
    `by_name`, definitions without recursion that are unknown functions.
    """
    whole = [name for name, _ in sequent.premises if asserted is None or name in asserted]
    partial: set[object] = set()  # each restart adds one of the definitions, which are finitely many
    while True:
        try:
            return _translated(sequent, instances, whole, partial, apart=apart, by_name=by_name)
        except Restart:
            continue
        except RecursionError:
            raise NotExpressible("terms that are nested too deeply") from None


def _translated(
    sequent: Sequent,
    instances: Sequence[Instance],
    whole: Sequence[str],
    partial: set[object],
    *,
    apart: bool,
    by_name: frozenset[str],
) -> Script:
    variables, claim = outermost(_of_all_functions(sequent.claim))
    # A function of the outermost ∀ is a symbol that no theory has.
    unknown: dict[str, core.Term] = {
        x.name: core.SymbolCall(core.Symbol(f"\0{x.name}", (), x.sort), ())
        for x in variables
        if isinstance(x.sort, core.FunctionOf)
    }
    taken = [_taken(sequent, each, unknown) for each in instances]
    of_functions = {each.of for each in instances if _is_about_functions(sequent.premise(each.of))}
    used = [sequent.premise(each) for each in whole if each not in of_functions]
    claim = substitute(claim, unknown) if unknown else claim
    bodies = [each for body, at in taken for each in (body, *at)]
    if sum(1 for _ in islice(subterms(*used, *bodies, claim), _MOST_PARTS)) == _MOST_PARTS:
        raise NotExpressible(f"formulas of {_MOST_PARTS} parts and more")
    definitions = {each.key: each for each in sequent.goal.definitions}
    reached = reach([*used, *bodies, claim], definitions).definitions.values()
    check_rationals(sequent.goal, *used, *bodies, claim, *(each.body for each in reached))
    terms = Terms(sequent.goal, partial, apart=apart, by_name=by_name)
    env = {each.name: terms.unknown((), each.sort) for each in variables if each.name not in unknown}
    asserted = [terms.meaning(each, {}, frozenset()).text for each in used]
    asserted += [_instance(terms, body, at, env) for body, at in taken]
    if sequent.claim != FALSITY:
        asserted.append(negation(terms.meaning(claim, env, frozenset()).text))
    return assembled(terms, asserted)


def assembled(terms: Terms, asserted: Sequence[str]) -> Script:
    """The script that asserts formulas of `terms`."""
    # So short a script cannot name all characters that solvers have: those that they lack may be renamed to another.
    if sum(map(len, (*terms.lines, *asserted))) > _MOST_CHARACTERS:
        raise NotExpressible(f"a script of more than {_MOST_CHARACTERS} characters")
    mentioned = "\n".join((*terms.lines, *asserted))
    constants = (declared for name, declared in CONSTANTS.items() if name in mentioned)
    return Script(
        (PRELUDE, *constants, *terms.lines), tuple(asserted), frozenset(terms.recursion), terms.approximate
    )


def _is_about_functions(premise: core.Term) -> bool:
    return any(isinstance(each.sort, core.FunctionOf) for each in outermost(premise)[0])


def _taken(
    sequent: Sequent, instance: Instance, unknown: dict[str, core.Term]
) -> tuple[core.Term, tuple[core.Term, ...]]:
    """The body of a premise with terms in the place of its variables, and these terms."""
    variables, body = outermost(sequent.premise(instance.of))
    taken, rest = variables[: len(instance.at)], variables[len(instance.at) :]
    at = tuple(substitute(each, unknown) for each in instance.at)
    body = core.Quantifier("forall", rest, body) if rest else body
    return substitute(body, {x.name: term for x, term in zip(taken, at, strict=True)}), at


def _instance(terms: Terms, body: core.Term, at: Sequence[core.Term], env: Environment) -> str:
    needed = []
    for each in at:
        if not isinstance(each.sort, core.FunctionOf):
            needed.append(terms.meaning(each, env, frozenset()).defined)
        elif isinstance(each, core.Lambda):
            inner, _, _ = terms.binding(each.variables)
            if terms.meaning(each.body, {**env, **inner}, frozenset()).defined != TRUE:
                raise RejectedError("an instance at a function that has no value somewhere")
    return implies(both(*needed), terms.meaning(body, env, frozenset()).text)
