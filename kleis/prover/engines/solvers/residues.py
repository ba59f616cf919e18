"""The engine `residues`: products of integers, by cases of what their factors leave when divided by a small number.

See docs/reference/proving.md §7.9.

A square leaves 0 or 1 when divided by 3 or 4.  Z3 sees this once it is told to look at the cases: for a modulus that the
claim mentions, every integer variable leaves one of finitely many residues.  These facts are shown first, then used.

Invariants
    * The facts are instances of ``∀(n : ℤ). mod(n, k) = 0 ∨ … ∨ mod(n, k) = k - 1`` and an obligation of their own.
    * Every other formula is the task's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from kleis import core
from kleis.core.traversal import stripped, subterms
from kleis.prover.engines.solvers.runs import run_text, unwritable
from kleis.prover.protocol.engine import Answer, Inexpressible, Task
from kleis.prover.smt.script import Script, encode
from kleis.prover.smt.smtlib_text import application

__all__ = ["RESIDUES", "Residues"]

_GREATEST = 16
"""The largest modulus that is tried."""

_MODULI = 4
"""How many moduli are tried."""

_SHORT = 20_000
"""Steps of the first, short run for a modulus: the right one takes few, a wrong one all there are."""

_INTEGERS = (core.INTEGER, core.NATURAL)


class Residues:
    """The engine.  Its steps are Z3's."""

    name = "residues"

    def applies(self, task: Task) -> bool:
        """To claims about all integers in which unknowns are multiplied, and a number from 2 to 16 is written."""
        claim = task.goal.claim
        if claim is None or task.goal.unsettled:
            return False
        variables, _, _ = stripped(claim)
        if not any(each.sort in _INTEGERS for each in variables):
            return False
        return any(map(_multiplies, subterms(claim))) and bool(_moduli(claim))

    def run(self, task: Task, steps: int) -> Answer:
        """One modulus after the other, without axioms and with them; first a short run for each."""
        try:
            script = encode(task)
        except Inexpressible as error:
            return unwritable(error)
        claim = task.goal.claim
        assert claim is not None
        moduli = _moduli(claim)
        cores = ((), tuple(name for name, _ in script.axioms)) if script.axioms else ((),)
        used = 0
        share = steps // (len(moduli) * len(cores))
        for limit, modulus, axioms in product((min(_SHORT, share), share), moduli, cores):
            facts = _facts(script, modulus)
            text = _written(script, facts, axioms)
            run = run_text(text, min(limit, steps - used))
            used += run.used
            if run.status == "unsat":
                proof = (("residues", _shown(script, facts)), ("claim", text))
                return Answer(
                    outcome="proved", core=axioms, steps=used, detail=f"modulo {modulus}", proof=proof
                )
            if used >= steps:
                break
        detail = f"not by residues modulo {' or '.join(map(str, moduli))}"
        return Answer(outcome="silent", reason="resource", detail=detail, steps=used)


RESIDUES = Residues()


def _multiplies(term: core.Term) -> bool:
    """Whether a term is a product or power of unknowns."""
    if not isinstance(term, core.BuiltinCall) or term.sort not in _INTEGERS:
        return False
    unknown = [not _is_literal(each) for each in term.arguments]
    return all(unknown) if term.operation.name == "times" else term.operation.name == "power" and unknown[0]


def _is_literal(term: core.Term) -> bool:
    return isinstance(term, core.LiteralTerm) or (isinstance(term, core.Coercion) and _is_literal(term.term))


def _moduli(claim: core.Term) -> tuple[int, ...]:
    """The numbers from 2 to 16 that a claim writes: divisors first, in order of occurrence."""
    divisors = [
        each.arguments[1]
        for each in subterms(claim)
        if isinstance(each, core.BuiltinCall) and each.operation.name in ("mod", "div")
    ]
    found = (*(number for each in divisors for number in _numbers(each)), *_numbers(claim))
    return tuple(dict.fromkeys(found))[:_MODULI]


def _numbers(term: core.Term) -> Iterator[int]:
    for each in subterms(term):
        if isinstance(each, core.LiteralTerm) and type(each.value) is int and 2 <= each.value <= _GREATEST:
            yield each.value


def _facts(script: Script, modulus: int) -> list[str]:
    """The facts that every integer variable of the claim leaves one of the residues."""
    names = [each.name for each in script.constants if each.variable.sort in _INTEGERS]
    cases = [[f"(= (mod {name} {modulus}) {residue})" for residue in range(modulus)] for name in names]
    return [application("or", each) for each in cases]


def _shown(script: Script, facts: Sequence[str]) -> str:
    """The script that refutes the negation of the facts."""
    whole = facts[0] if len(facts) == 1 else application("and", facts)
    return "\n".join([*script.declarations, f"(assert (not {whole}))", "(check-sat)", ""])


def _written(script: Script, facts: Sequence[str], kept: Sequence[str]) -> str:
    """The script of the negated claim with facts and axioms."""
    axioms = [formula for name, formula in script.axioms if name in kept]
    asserted = [f"(assert {each})" for each in (*axioms, *facts, script.claim)]
    return "\n".join([*script.declarations, *asserted, "(check-sat)", ""])
