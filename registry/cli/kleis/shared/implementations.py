"""Whether the implementations of a file are models: their axioms hold for what is given.

Specification: docs/reference/proving.md §2.7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kleis.errors import KleisError
from kleis.problems import Problem, problem_at
from kleis.syntax.tree import Implements

if TYPE_CHECKING:
    from kleis.elaborate.elaborator import Elaborator
    from kleis.prover.protocol.verdict import Verdict
    from kleis.prover.prover import Prover
    from kleis.theory.loader import Loading

__all__ = ["false_implementations", "implementation_parts"]


def false_implementations(loading: Loading) -> tuple[Problem, ...]:
    """Errors of implementations in a file for which an axiom fails, where computing shows it; no solver is asked."""
    items = _items(loading)
    if not items:
        return ()
    from kleis.elaborate.elaborator import Elaborator
    from kleis.prover.portfolio import COMPUTING, ORDER
    from kleis.prover.prover import Prover
    from kleis.sessions.answer_fields import witness_text

    elaborator = Elaborator(loading.theory)
    suspects = [each for each in items if _seems_false(each, loading, elaborator)]
    if not suspects:
        return ()
    order = tuple(each for each in ORDER if each.engine in COMPUTING)
    found: list[Problem] = []
    with Prover(loading.theory, order=order, elaborator=elaborator) as prover:
        for item in suspects:
            _, verdict = _asked(item, loading, prover)
            if verdict.status != "disproved":
                continue
            shown = witness_text(verdict.evidence) if verdict.evidence is not None else ""
            message = verdict.message + (f": {shown}" if shown else "")
            found.append(
                problem_at(
                    item,
                    loading.main.name,
                    message,
                    code="axiom-fails",
                    found=item.name,
                    hint="mend what the implementation gives",
                )
            )
    return tuple(found)


_FEW = 3_000
"""The steps of a first look, in this process."""


def _seems_false(item: Implements, loading: Loading, elaborator: Elaborator) -> bool:
    """Whether a first look at small values finds one where an axiom fails; it is trusted with nothing."""
    from kleis.elaborate.scopes.implements import obligations_of
    from kleis.prover.engines.computation.enumeration import ENUMERATION
    from kleis.prover.protocol.engine import Task

    try:
        implementation = elaborator.globals.read_implementation(item, loading.main.name)
        for each in obligations_of(elaborator, implementation):
            goal = elaborator.formula(each.formula, each.place)
            task = Task(msgspec.structs.replace(goal, axioms=(), obligations=()))
            if ENUMERATION.applies(task) and ENUMERATION.run(task, _FEW).outcome == "refuted":
                return True
    except KleisError:
        return False  # what does not elaborate is reported as that
    return False


def implementation_parts(loading: Loading, prover: Prover) -> tuple[tuple[str, Verdict], ...]:
    """For each implementation of a file whether its axioms hold: ``consistent``, ``disproved`` or ``unknown``."""
    return tuple(_asked(item, loading, prover) for item in _items(loading))


def _items(loading: Loading) -> list[Implements]:
    return [each for each in loading.main.result.program.items if isinstance(each, Implements)]


def _asked(item: Implements, loading: Loading, prover: Prover) -> tuple[str, Verdict]:
    """What the implementation is of, and the verdict on all its axioms: the first that fails, or stays open."""
    from kleis.elaborate.scopes.implements import obligations_of
    from kleis.prover.protocol.verdict import Verdict

    elaborator = prover.elaborator
    try:
        implementation = elaborator.globals.read_implementation(item, loading.main.name)
        obligations = obligations_of(elaborator, implementation)
    except KleisError as error:
        return item.name, Verdict.ill_formed(error)
    open_one: Verdict | None = None
    for each in obligations:
        verdict = prover.holds(each)
        axiom = each.name.rpartition("::")[2]
        if verdict.status in ("disproved", "inconsistent", "error"):
            message = verdict.message or f"{implementation.label} is no model: {axiom} fails"
            return implementation.label, msgspec.structs.replace(verdict, message=message)
        if verdict.status == "unknown" and open_one is None:
            message = verdict.message or f"{axiom} is not proved: it is assumed"
            open_one = msgspec.structs.replace(verdict, message=message)
    return implementation.label, open_one or Verdict(status="consistent")
