"""A sequent as a script: declarations, T of every premise, instances, and ¬T of the claim.

The outermost ∀ of the claim are constants.  An instance of a premise ``∀ x …`` at terms says: where the terms have
values, the body is true of them.  A premise about all functions is used through its instances alone, and so is one that is
not among those asserted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from random import Random

import msgspec

from kleis import core
from kleis.core.traversal import reach, subterms
from kleis.prover.checker.sequent import FALSITY, NotExpressible, RejectedError, Sequent
from kleis.prover.checker.translation.builtins import HELPERS
from kleis.prover.checker.translation.functions import Environment, Named, Restart
from kleis.prover.checker.translation.rationals import check_rationals
from kleis.prover.checker.translation.terms import Terms
from kleis.prover.checker.translation.text import TRUE, both, implication, negation

__all__ = ["Instance", "Script", "assembled", "outermost", "translate"]

_MOST_RESTARTS = 40
_MOST_PARTS = 100_000
_CHARACTERS = 0x30000


class Instance(msgspec.Struct, frozen=True):
    """A premise ``∀ x …`` at terms over the claim's outermost variables, for the first of its variables."""

    of: str
    at: tuple[core.Term, ...]


class Script(msgspec.Struct, frozen=True):
    """A script in both ways of writing recursive functions.  The last assertion is the negated claim, if there is one."""

    recursive: tuple[str, ...]
    equations: tuple[str, ...]
    asserted: tuple[str, ...]

    def text(self, *, equations: bool = False, shuffled: int = 0) -> str:
        """The script; its assertions in an order drawn from a seed, unless that is 0."""
        asserted = list(self.asserted)
        if shuffled:
            Random(shuffled).shuffle(asserted)
        declared = self.equations if equations else self.recursive
        return "\n".join([*declared, *(f"(assert {each})" for each in asserted), "(check-sat)", ""])


def outermost(formula: core.Term) -> tuple[tuple[core.Variable, ...], core.Term]:
    """The variables of the outermost ∀ of a formula, and what is left."""
    variables: list[core.Variable] = []
    while isinstance(formula, core.Quantifier) and formula.kind == "forall":
        variables += formula.variables
        formula = formula.body
    return tuple(variables), formula


def translate(
    sequent: Sequent, instances: Sequence[Instance] = (), asserted: Sequence[str] | None = None
) -> Script:
    """The script of a sequent, unsatisfiable only if the claim follows; `NotExpressible` if it has none.

    `asserted` are the premises that are asserted themselves: all, where it is None.
    """
    whole = tuple(name for name, _ in sequent.premises if asserted is None or name in asserted)
    partial: set[object] = set()
    for _ in range(_MOST_RESTARTS):
        try:
            return _translated(sequent, instances, whole, partial)
        except Restart:
            continue
        except RecursionError:
            raise NotExpressible("terms that are nested too deeply") from None
    raise NotExpressible(f"more than {_MOST_RESTARTS} definitions without a value somewhere")


def _translated(
    sequent: Sequent, instances: Sequence[Instance], whole: Sequence[str], partial: set[object]
) -> Script:
    variables, claim = outermost(sequent.claim)
    used = [
        formula
        for name, formula in sequent.premises
        if name in whole and not _of_functions(name, formula, instances)
    ]
    bodies = [body for each in instances for body in (outermost(sequent.premise(each.of))[1], *each.at)]
    if sum(1 for _ in islice(subterms(*used, *bodies, claim), _MOST_PARTS)) == _MOST_PARTS:
        raise NotExpressible(f"formulas of {_MOST_PARTS} parts and more")
    definitions = {each.key: each for each in sequent.goal.definitions}
    reached = reach([*used, *bodies, claim], definitions).definitions.values()
    check_rationals(sequent.goal, *used, *bodies, claim, *(each.body for each in reached))
    terms = Terms(sequent.goal, partial)
    env: Environment = {}
    for variable in variables:
        sort = variable.sort
        if isinstance(sort, core.FunctionOf):
            env[variable.name] = Named(terms.declare(sort.domain, sort.codomain))
        else:
            env[variable.name] = terms.declare((), sort)
    asserted = [terms.meaning(each, {}, frozenset()).text for each in used]
    asserted += [_instance(terms, sequent, each, env) for each in instances]
    if sequent.claim != FALSITY:
        asserted.append(negation(terms.meaning(claim, env, frozenset()).text))
    return assembled(terms, asserted)


def assembled(terms: Terms, asserted: Sequence[str]) -> Script:
    """The script that asserts formulas of `terms`."""
    _check_characters(terms.characters)
    declared = [tuple(terms.program.lines(equations=each)) for each in (False, True)]
    recursive, equations = ((*_helpers([*each, *asserted]), *each) for each in declared)
    return Script(recursive, equations, tuple(each for each in asserted if each != TRUE))


def _of_functions(name: str, formula: core.Term, instances: Sequence[Instance]) -> bool:
    variables, _ = outermost(formula)
    of_functions = any(isinstance(each.sort, core.FunctionOf) for each in variables)
    return of_functions and any(each.of == name for each in instances)


def _instance(terms: Terms, sequent: Sequent, instance: Instance, env: Environment) -> str:
    variables, body = outermost(sequent.premise(instance.of))
    rest = variables[len(instance.at) :]
    variables = variables[: len(instance.at)]
    body = core.Quantifier("forall", rest, body) if rest else body
    if [each.sort for each in variables] != [each.sort for each in instance.at]:
        raise RejectedError(f"an instance of {instance.of!r} at other terms than it has variables")
    inner: Environment = {}
    needed = []
    for variable, term in zip(variables, instance.at, strict=True):
        if isinstance(variable.sort, core.FunctionOf):
            inner[variable.name] = terms.function(term, env)
            if not isinstance(inner[variable.name], Named) and not _is_total(terms, term, env):
                raise RejectedError(
                    f"an instance of {instance.of!r} at a function that has no value somewhere"
                )
        else:
            (inner[variable.name],), defined = terms.strict((term,), env)
            needed.append(defined)
    return implication(both(*needed), terms.meaning(body, inner, frozenset()).text)


def _is_total(terms: Terms, term: core.Term, env: Environment) -> bool:
    if not isinstance(term, core.Lambda):
        return True
    inner, _, _ = terms.binding(term.variables, env)
    return terms.meaning(term.body, inner, frozenset()).defined == TRUE


def _check_characters(named: Sequence[tuple[str, str]]) -> None:
    """That renaming the characters that solvers lack to ones that the script does not name changes nothing."""
    if any(ord(high) >= _CHARACTERS for _, high in named):
        raise NotExpressible("a character above U+2FFFF: solvers have none")
    free = 0
    for first, last in sorted((ord(low), ord(high)) for low, high in named):
        if first > free:
            return
        free = max(free, last + 1)
    if free >= _CHARACTERS:
        raise NotExpressible("every character that solvers have is named: they have none above U+2FFFF")


def _helpers(lines: Sequence[str]) -> list[str]:
    """The helpers that lines mention, each after those that it mentions."""
    text = "\n".join(lines)
    kept: list[str] = []
    for name, line in reversed(HELPERS):
        if name in text:
            kept.insert(0, line)
            text += line
    return [_COMPLEX, *kept] if "h-complex" in text or "h-pair" in text else kept


_COMPLEX = "(declare-datatypes ((h-complex 0)) (((h-pair (h-re Real) (h-im Real)))))"
