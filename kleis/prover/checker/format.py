"""The fields of a certificate, format 2.

See docs/reference/certificates.md §2.  Everything here is data: names, numbers, Kleis text, and terms of the core as
nested lists (`kleis.prover.checker.write_terms`).  Nothing is believed because it stands in a file.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from kleis.errors import KleisError
from kleis.semantics.enclosures import PRECISION

__all__ = [
    "VERSION",
    "Ask",
    "Assignment",
    "Case",
    "Certificate",
    "CertificateError",
    "Clausal",
    "Cut",
    "Derivation",
    "Enclosures",
    "Evaluation",
    "Factor",
    "Ground",
    "Identity",
    "Induction",
    "Inference",
    "Instance",
    "Interpretation",
    "Law",
    "Lemma",
    "Link",
    "Proof",
    "RationalRoots",
    "Refutation",
    "RegularLanguages",
    "Remainders",
    "Rewrite",
    "RewriteSystem",
    "Rewriting",
    "SignChange",
    "Status",
    "Step",
    "Subdivision",
    "Sums",
    "Tables",
    "Witness",
]

VERSION: Literal[2] = 2

Status: TypeAlias = Literal["verified", "inconsistent", "disproved", "consistent"]


class CertificateError(KleisError):
    """A verdict that no certificate can be made of, or a file that is none."""


class _Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a certificate."""


# ── Proofs ───────────────────────────────────────────────────────────────────────────────────────────────────


class Instance(_Data, frozen=True):
    """A hint: a premise ∀ x …, taken at terms for the first of its variables.

    The terms may mention the claim's outermost ∀ variables.
    """

    of: str
    at: tuple[Any, ...]


class Ask(_Data, frozen=True, tag="ask", tag_field="rule"):
    """A solver refutes the premises given, instances of these and others, and the negated claim.

    witnesses
        Terms for the first variables of the ∃ in the claim's conclusion.  They may mention the variables of the claim's
        outermost ∀, and those of the ∃ in its hypotheses, which become outermost ∀ then.
    """

    given: tuple[str, ...] = ()
    instances: tuple[Instance, ...] = ()
    witnesses: tuple[Any, ...] = ()


class Evaluation(_Data, frozen=True, tag="evaluation", tag_field="rule"):
    """The claim, computed by the reference semantics, is true.  Nothing is used."""


class Enclosures(_Data, frozen=True, tag="enclosures", tag_field="rule"):
    """The claim, computed with irrational numbers between rationals, is true.  Nothing is used.

    precision
        The significant binary digits of the bounds.
    """

    precision: int


class Identity(_Data, frozen=True, tag="identity", tag_field="rule"):
    """The sides of equations have equal forms as quotients of polynomials.

    given
        The step that shows what the forms ask for; empty where they ask for nothing.
    """

    given: str = ""


class Law(_Data, frozen=True, tag="law", tag_field="rule"):
    """A law of the built-in functions, by its name in `kleis.builtins.laws`."""

    name: str


class RegularLanguages(_Data, frozen=True, tag="regular languages", tag_field="rule"):
    """The claim, decided by automata, is true.  Nothing is used."""


class Remainders(_Data, frozen=True, tag="remainders", tag_field="rule"):
    """The claim depends on integers by their remainders alone, and is true of all of these.  Nothing is used."""


class RationalRoots(_Data, frozen=True, tag="rational roots", tag_field="rule"):
    """The claim denies that an equation has a rational solution, and none of those that it could have is one."""


class Subdivision(_Data, frozen=True, tag="subdivision", tag_field="rule"):
    """The claim is about all numbers of intervals, and true in each of boxes that make them up.  Nothing is used.

    precision
        The significant binary digits of the bounds.
    """

    precision: int


class SignChange(_Data, frozen=True, tag="sign change", tag_field="rule"):
    """The claim says that an equation has a root; its sides, continuous in between, change their order between two numbers.

    low, high
        These numbers, as they are spelled.
    precision
        The significant binary digits of the bounds.
    """

    low: str
    high: str
    precision: int


class Sums(_Data, frozen=True, tag="sums", tag_field="rule"):
    """The sides of equations of sums agree where a natural number is 0, and grow by the same with it.

    on
        The name of the number, a variable of an outermost ∀.
    given
        The step that shows what the forms ask for; empty where they ask for nothing.
    """

    on: str
    given: str = ""


class Case(_Data, frozen=True):
    """The proof of one goal that a scheme leaves."""

    name: str
    proof: Proof


class Induction(_Data, frozen=True, tag="induction", tag_field="rule"):
    """Induction on an outermost ∀ variable of the claim, by a scheme (docs/reference/certificates.md §3.4).

    `by` is 0 for the structural scheme, which may be `deep`; else the number of earlier values that a step may use.
    `size` is the scheme by size, which has neither.
    """

    on: str
    cases: tuple[Case, ...]
    start: int = 0
    by: int = 0
    deep: bool = False
    size: bool = False


class Rewrite(_Data, frozen=True, array_like=True):
    """A part of a term replaced by means of an equation.

    equation
        Its number, from 1; negative where it is used from right to left.
    at
        The position of the part: the numbers of the arguments on the way to it, from 1.
    values
        Terms for the variables that only the new side has, in order of occurrence.
    """

    equation: int
    at: tuple[int, ...] = ()
    values: tuple[Any, ...] = ()


class Link(_Data, frozen=True):
    """An equation between what a term becomes in two ways; or, if it `reflects` an equation ``(s = t) = true``, s = t."""

    start: Any = None
    left: tuple[Rewrite, ...] = ()
    right: tuple[Rewrite, ...] = ()
    reflects: int = 0


class Refutation(_Data, frozen=True):
    """The links that refute one way in which the claim may fail; the last one equates truth and falsity.

    Equations are numbered: those of the premises in order, of the negated claim, of what was made, then the links.
    """

    links: tuple[Link, ...]


class Rewriting(_Data, frozen=True, tag="rewriting", tag_field="rule"):
    """Chains of equations: each way in which the claim may fail leads to a contradiction.

    variables
        The variables of the terms, with the text of their sorts.
    """

    given: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]
    refutations: tuple[Refutation, ...]


class Replacement(_Data, frozen=True, array_like=True, tag="replace"):
    """A part of a literal replaced by means of an equation of another clause, whose other literals are added.

    literal, side
        The literal, from 1, and its side, 1 or 2.
    at
        The position of the part in this side: the numbers of the arguments on the way to it, from 1.
    clause, equation
        The other clause, and the literal of it that is an equation.
    source
        The side of the equation that is replaced by the other one, 1 or 2.
    values
        Terms for the variables of the other clause, in order of occurrence.
    """

    literal: int
    side: int
    at: tuple[int, ...]
    clause: int
    equation: int
    source: int
    values: tuple[Any, ...] = ()


class Cut(_Data, frozen=True, array_like=True, tag="cut"):
    """A literal removed, whose negation is a literal of another clause; the other literals of that one are added."""

    literal: int
    clause: int
    other: int
    values: tuple[Any, ...] = ()


class Factor(_Data, frozen=True, array_like=True, tag="factor"):
    """Of two equations that have a side in common, the first becomes the disequation of the other sides."""

    literal: int
    side: int
    other: int
    its: int


class Inference(_Data, frozen=True):
    """A clause at values of its variables, in order of occurrence, changed by moves.

    Literals keep their numbers until all is done; those that moves add come last.  Then literals that are false, and
    repetitions, are left out.
    """

    of: int
    at: tuple[Any, ...] = ()
    moves: tuple[Replacement | Cut | Factor, ...] = ()


class Derivation(_Data, frozen=True):
    """The inferences that refute one way in which the claim may fail; the last one leaves the empty clause.

    Clauses are numbered from 1: those of the premises in order, those of the negated claim, then what is inferred.
    """

    inferences: tuple[Inference, ...]


class Clausal(_Data, frozen=True, tag="clauses", tag_field="rule"):
    """Inferences from clauses: each way in which the claim may fail leads to the empty clause.

    variables
        The variables of the terms, with the text of their sorts.
    """

    given: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]
    derivations: tuple[Derivation, ...]


Proof: TypeAlias = (
    Ask
    | Evaluation
    | Enclosures
    | Identity
    | Law
    | RationalRoots
    | RegularLanguages
    | Remainders
    | SignChange
    | Subdivision
    | Sums
    | Induction
    | Rewriting
    | Clausal
)


class Step(_Data, frozen=True):
    """One formula and its proof, which may use the axioms, the lemmas and, as ``step 1``, …, the steps before it.

    shows
        A closed formula as a term of the core; nothing in the last step, which shows the claim.
    """

    proof: Proof
    shows: Any = None


class Lemma(_Data, frozen=True):
    """A proposition of the same theory that is shown first; later proofs use it as ``lemma 1``, …."""

    claim: str
    steps: tuple[Step, ...]


class Ground(_Data, frozen=True):
    """The proof of something that the claim depends on, by its name: a termination condition, an implementation's axiom."""

    name: str
    steps: tuple[Step, ...]


# ── Witnesses ────────────────────────────────────────────────────────────────────────────────────────────────


class Tables(_Data, frozen=True, tag="tables", tag_field="kind"):
    """Finite carriers, a table for every symbol, and an assignment of the claim's outermost ∀.

    A table is the values of a function, in the lexicographic order of its arguments: elements by number, false before
    true.  A constant has one value.  All are named in the goal's order.
    """

    carriers: tuple[tuple[str, int], ...]
    tables: tuple[tuple[str, tuple[int | bool, ...]], ...]
    point: tuple[tuple[str, tuple[int | bool, ...]], ...] = ()


class Assignment(_Data, frozen=True, tag="assignment", tag_field="kind"):
    """Values of the claim's outermost ∀, of constants and of operations, and sizes of carriers.

    Values are written as their sorts say (`kleis.prover.checker.values`).  Variables are named all or none, carriers
    all, and symbols as far as they matter, in the goal's order.

    precision
        The significant binary digits with which irrational numbers are compared.
    """

    variables: tuple[tuple[str, Any], ...] = ()
    symbols: tuple[tuple[str, Any], ...] = ()
    carriers: tuple[tuple[str, int], ...] = ()
    precision: int = PRECISION


class Interpretation(_Data, frozen=True, tag="interpretation", tag_field="kind"):
    """Carriers read as numbers, texts or lists of numbers, symbols as terms over parameters ``x0``, ``x1``, …, and values of the claim's ∀.

    All are named in the goal's order; variables all or none, apart from those that are functions.

    functions
        The claim's ∀ variables that are functions, all or none, as terms over parameters as symbols are.
    undefined
        The claim, which has neither carriers nor symbols, is neither true nor false.
    proof
        That the claim is false there: the steps to its negation, pushed inwards.  Else a solver is asked.
    """

    carriers: tuple[tuple[str, Any], ...] = ()
    symbols: tuple[tuple[str, Any], ...] = ()
    point: tuple[tuple[str, Any], ...] = ()
    functions: tuple[tuple[str, Any], ...] = ()
    undefined: bool = False
    proof: tuple[Step, ...] = ()


class RewriteSystem(_Data, frozen=True, tag="rewriting", tag_field="kind"):
    """A convergent system in which the axioms join and the claim's sides have different normal forms.

    precedence
        The names of all functions, lowest first.
    variables
        The variables of the equations, with the text of their sorts.
    equations
        The sides, and whether the ordering of the precedence makes every instance smaller from left to right.
    normal_forms
        Of the sides of each disequation.
    way
        The way in which the claim fails, from 0.
    """

    precedence: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]
    equations: tuple[tuple[Any, Any, bool], ...]
    normal_forms: tuple[tuple[Any, Any], ...] = ()
    way: int = 0


Witness: TypeAlias = Tables | Assignment | Interpretation | RewriteSystem


# ── The file ─────────────────────────────────────────────────────────────────────────────────────────────────


class Certificate(_Data, frozen=True, kw_only=True):
    """A verdict with what shows it.

    theory
        All declarations in scope, imports written out, as Kleis.
    goal
        The SHA-256 of the canonical bytes of the goal: the claim with everything it depends on.
    part
        The structure, or group of sections, whose declarations it is about; there is no claim then.
    assumed
        Axioms that an implementation declares, that the proof uses and that were not proved of it.
    lemmas, steps
        The proof of ``verified`` (of the claim) and ``inconsistent`` (of falsity).
    grounds
        Proofs of what the claim depends on besides.  What is not listed is asked of a solver as it stands.
    model
        A model of the axioms that the proof uses.
    witness
        What shows ``disproved`` and ``consistent``.
    """

    version: Literal[2] = VERSION
    status: Status
    theory: str
    goal: str
    claim: str = ""
    using: str = ""
    part: str = ""
    assumed: tuple[str, ...] = ()
    lemmas: tuple[Lemma, ...] = ()
    steps: tuple[Step, ...] = ()
    grounds: tuple[Ground, ...] = ()
    model: Witness | None = None
    witness: Witness | None = None
