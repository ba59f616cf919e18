"""Proofs of certificates as TSTP derivations, for other provers and their tools.

See docs/reference/certificates.md §7.  Written are the proofs by clauses and by rewriting: the clauses or equations that the
checker reads, then every inference with the clause that it makes, its rule and its parents.  All of it is typed
first-order form (TFF); truth values of equational proofs are a type of their own.  What is written was checked first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.prover.checker.format import (
    Certificate,
    CertificateError,
    Clausal,
    Cut,
    Derivation,
    Factor,
    Inference,
    Proof,
    Refutation,
    Replacement,
    Rewriting,
)
from kleis.prover.checker.kernel import judge
from kleis.prover.checker.rules.clausal import Inferences
from kleis.prover.checker.rules.clause_forms import ClausalProblem, Clause, variables_of
from kleis.prover.checker.rules.equation_terms import FALSE, TRUE, Signature, Term, functions_in
from kleis.prover.checker.rules.forms import Literal
from kleis.prover.checker.rules.rewriting import Chains, Work
from kleis.prover.checker.rules.unit_equations import CLAIM, LOGIC, Problem
from kleis.prover.checker.sequent import Sequent
from kleis.prover.checker.solvers import Solver

__all__ = ["tstp"]

_HEADING = "% Written by kleis certificate export --format tstp.  Typed first-order form."


def tstp(certificate: Certificate, solvers: Sequence[Solver] = ("z3",)) -> str:
    """The derivations of a certificate, after it is checked.

    Raises `CertificateError` where it does not show what it says, or has no proof by clauses or rewriting.
    """
    proofs: list[tuple[str, Sequent, Proof]] = []
    judge(certificate, solvers, lambda place, sequent, proof: proofs.append((place, sequent, proof)))
    lines: list[str] = []
    number = 0
    for place, sequent, proof in proofs:
        if not isinstance(proof, Clausal | Rewriting):
            continue
        for way in range(len(proof.derivations if isinstance(proof, Clausal) else proof.refutations)):
            number += 1
            lines.append(f"% {place}, refutation {way + 1}".replace("\n", " "))
            lines += _Written(f"d{number}", sequent, proof, way).lines()
    if not lines:
        raise CertificateError(
            "no proof in this certificate is by clauses or by rewriting: solvers, computations and witnesses have no derivation",
            code="certificate-no-derivation",
            hint="kleis export --tptp FILE -p P writes the question itself for other provers",
        )
    return "\n".join((_HEADING, *lines)) + "\n"


class _Line(NamedTuple):
    """A formula of the file: its name, clause, role, and where it comes from."""

    name: str
    clause: Clause
    role: str
    source: str


class _Written:
    """One refutation; `prefix` begins the names of all that is its own."""

    def __init__(self, prefix: str, sequent: Sequent, proof: Clausal | Rewriting, way: int) -> None:
        self._prefix = prefix
        self._given = sequent.with_premises(proof.given)
        self._proof = proof
        self._way = way
        self._names: dict[str, str] = {}
        self._types: dict[core.Sort, str] = {}
        self._signature = Signature()
        self._equational = isinstance(proof, Rewriting)

    def lines(self) -> Iterator[str]:
        """Types, leaves and inferences."""
        if isinstance(self._proof, Clausal):
            steps = list(self._clausal(self._proof, self._proof.derivations[self._way]))
        else:
            steps = list(self._rewriting(self._proof, self._proof.refutations[self._way]))
        terms = [side for step in steps for each in step.clause for side in (each.left, each.right)]
        written = [self._line(each) for each in steps]
        sorts = dict.fromkeys((*(self._signature.sort(each) for each in terms), *self._sorts_in(terms)))
        for sort in sorts:
            if sort != core.BOOL or self._equational:
                yield f"tff({self._type(sort)}_type, type, {self._type(sort)}: $tType)."
        for name in functions_in(*terms):
            if self._equational or name != "true":
                yield f"tff({self._name(name)}_type, type, {self._name(name)}: {self._declared(name)})."
        yield from written

    def _sorts_in(self, terms: Sequence[Term]) -> Iterator[core.Sort]:
        for name in functions_in(*terms):
            yield from (*self._signature[name].domain, self._signature[name].codomain)

    # ── Clauses and inferences ───────────────────────────────────────────────────────────────────────────────

    def _clausal(self, proof: Clausal, derivation: Derivation) -> Iterator[_Line]:
        """Names, clauses and annotations, in order."""
        problem = ClausalProblem(self._given)
        self._signature = problem.signature
        leaves = problem.clauses(self._way)
        made = Inferences(problem.signature, proof.variables, leaves, Work())
        made.refuted(derivation)
        used = {number for each in derivation.inferences for number in _parents(each)}
        for number, (source, clause) in enumerate(leaves, 1):
            if number in used or not derivation.inferences:
                yield self._leaf(number, clause, source)
        for number, inference in enumerate(derivation.inferences, len(leaves) + 1):
            yield self._inferred(number, made.clauses[number - 1], _rule(inference), _parents(inference))

    def _rewriting(self, proof: Rewriting, refutation: Refutation) -> Iterator[_Line]:
        problem = Problem(self._given)
        units = problem.units(self._way).units
        self._signature = problem.signature
        made = Chains(problem.signature, proof.variables, units, Work())
        made.refuted(refutation)
        parents = [
            (link.reflects,)
            if link.reflects
            else tuple(abs(each.equation) for each in (*link.left, *link.right))
            for link in refutation.links
        ]
        used = {number for each in parents for number in each}
        for number, unit in enumerate(units, 1):
            if number in used:
                yield self._leaf(number, (Literal(True, unit.left, unit.right),), unit.source)
        for number, (link, above) in enumerate(zip(refutation.links, parents, strict=True), len(units) + 1):
            clause = (Literal(True, *made.equations[number - 1]),)
            if link.reflects:
                meaning = self._meaning(number, made.equations[number - 1])
                yield meaning
                yield self._inferred(number, clause, "reflection", above, meaning.name)
            else:
                yield self._inferred(number, clause, "rewriting", above)
        apart = _Line(f"{self._prefix}_apart", (Literal(False, TRUE, FALSE),), "axiom", _source("logic"))
        yield apart
        last = len(units) + len(refutation.links)
        yield self._inferred(last + 1, (), "contradiction", (last,), apart.name)

    def _meaning(self, number: int, equation: tuple[Term, Term]) -> _Line:
        """The axiom that two values are equal where a made function says so."""
        sort = self._signature.sort(equation[0])
        one, other = core.Variable("x", sort), core.Variable("y", sort)
        says: Term = (f"= {sort_text(sort)}", one, other)
        clause = (Literal(False, says, TRUE), Literal(True, one, other))
        return _Line(f"{self._prefix}_equality{number}", clause, "axiom", _source("logic"))

    def _leaf(self, number: int, clause: Clause, source: int) -> _Line:
        if source in (CLAIM, LOGIC):
            role, name = ("negated_conjecture", "claim") if source == CLAIM else ("axiom", "logic")
        else:
            role, name = "axiom", self._given.premises[source][0]
        return _Line(f"{self._prefix}_c{number}", clause, role, _source(name))

    def _inferred(self, number: int, clause: Clause, rule: str, parents: Sequence[int], *more: str) -> _Line:
        names = dict.fromkeys((*(f"{self._prefix}_c{each}" for each in parents), *more))
        source = f"inference({rule}, [status(thm)], [{', '.join(names)}])"
        return _Line(f"{self._prefix}_c{number}", clause, "plain", source)

    # ── Text ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _line(self, line: _Line) -> str:
        clause = line.clause
        variables = variables_of(clause)
        words = {each: f"X{place}" for place, each in enumerate(variables)}
        body = " | ".join(self._literal(each, words) for each in clause) or "$false"
        if variables:
            bound = ", ".join(f"{words[each]}: {self._type(each.sort)}" for each in variables)
            body = f"! [{bound}] : ({body})"
        return f"tff({line.name}, {line.role}, {body}, {line.source})."

    def _literal(self, literal: Literal, words: Mapping[core.Variable, str]) -> str:
        left = self._term(literal.left, words)
        if not self._equational and literal.right == TRUE:
            return left if literal.positive else f"~ {left}"
        right = self._term(literal.right, words)
        return f"{left} {'=' if literal.positive else '!='} {right}"

    def _term(self, term: Term, words: Mapping[core.Variable, str]) -> str:
        if isinstance(term, core.Variable):
            return words[term]
        name = self._name(term[0])
        arguments = ", ".join(self._term(each, words) for each in term[1:])
        return f"{name}({arguments})" if arguments else name

    def _name(self, name: str) -> str:
        return self._names.setdefault(name, f"{self._prefix}_{len(self._names) + 1}_{_letters(name)}")

    def _type(self, sort: core.Sort) -> str:
        if sort == core.BOOL and not self._equational:
            return "$o"
        return self._types.setdefault(
            sort, f"{self._prefix}_t{len(self._types) + 1}_{_letters(sort_text(sort))}"
        )

    def _declared(self, name: str) -> str:
        function = self._signature[name]
        domain = " * ".join(map(self._type, function.domain))
        if len(function.domain) > 1:
            domain = f"({domain})"
        return f"{domain} > {self._type(function.codomain)}" if domain else self._type(function.codomain)


def _letters(text: str) -> str:
    """A text in the letters of TPTP's names."""
    return re.sub(r"[^A-Za-z0-9_]", lambda found: f"_u{ord(found.group()):x}", text)


def _source(name: str) -> str:
    """The source of a leaf; TPTP's quoted words are plain ASCII."""
    return f"file(certificate, '{_letters(name)}')"


def _parents(inference: Inference) -> tuple[int, ...]:
    moves = (each.clause for each in inference.moves if not isinstance(each, Factor))
    return (inference.of, *moves)


def _rule(inference: Inference) -> str:
    """The name of an inference: of its first move."""
    kinds: dict[Any, str] = {Replacement: "superposition", Cut: "resolution", Factor: "equality_factoring"}
    return kinds[type(inference.moves[0])] if inference.moves else "equality_resolution"
