"""Verdicts: the one type in which every question about a theory is answered.

See docs/reference/proving.md §5.1.  No two of the six statuses look alike anywhere; a failure is never a result.

==================  ===========================================================================================
``verified``        a proof; `core` are the axioms it used, `consistency` says whether they have a model
``disproved``       evidence that was checked, in `evidence`
``consistent``      evidence that was checked: a model of the declarations
``inconsistent``    `core` are axioms that clash, by name
``unknown``         `reason` says why, `tried` what was searched, `advice` what to do
``error``           the question is ill-formed: `problem`
==================  ===========================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from kleis.errors import KleisError
from kleis.problems import AnswerWarning

__all__ = [
    "Attempt",
    "Binding",
    "Evidence",
    "EvidenceKind",
    "Reason",
    "Status",
    "Table",
    "Verdict",
]

Status: TypeAlias = Literal["verified", "disproved", "consistent", "inconsistent", "unknown", "error"]

Reason: TypeAlias = Literal[
    "resource", "incomplete", "higher-order", "termination", "killed", "memory", "contradiction"
]
"""Why a verdict is `unknown`: budgets used up, no encoding that says it exactly, a time or memory limit that stopped an
engine, or two solvers that contradict each other (the verdict is withdrawn)."""

EvidenceKind: TypeAlias = Literal["assignment", "tables", "interpretation", "rewriting"]


class Binding(msgspec.Struct, frozen=True):
    """A name with a value, both as Kleis text: ``x = 42``, ``f(a) = Cons(1, Nil)``."""

    name: str
    sort: str
    value: str


class Table(msgspec.Struct, frozen=True):
    """An operation over finite carriers, as a table: `rows` are arguments with the value last.

    ``•`` over {g0, g1}: columns ("G", "G", "G"), rows (("g0", "g0", "g0"), …).
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What shows that a claim fails or that a theory has a model, checked before it is shown.

    kind
        ``assignment``: values of the claim's variables and constants, evaluated by our evaluator.
        ``tables``: finite carriers with operation tables; every axiom and the claim enumerated.
        ``interpretation``: carriers read as numbers, texts or lists, symbols as terms; every axiom proved under it.
        ``rewriting``: a convergent rewrite system in which the claim's normal forms differ.
    undefined
        The claim is not false but undefined at the assignment shown.
    parts
        What the parts of the claim come to there, from the inside out, each as text with its value.
    """

    kind: EvidenceKind
    undefined: bool = False
    bindings: tuple[Binding, ...] = ()
    carriers: tuple[tuple[str, tuple[str, ...]], ...] = ()
    tables: tuple[Table, ...] = ()
    interpretation: tuple[tuple[str, str], ...] = ()
    rules: tuple[str, ...] = ()
    normal_forms: tuple[str, ...] = ()
    parts: tuple[tuple[str, str], ...] = ()


class Attempt(msgspec.Struct, frozen=True):
    """What one engine did: `outcome` is ``proved``, ``refuted``, ``model``, ``inconsistent`` or ``silent``."""

    engine: str
    outcome: str
    detail: str
    steps: int
    seconds: float


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a question.

    core
        The axioms used (`verified`) or clashing (`inconsistent`), by qualified name; `minimal` says whether none
        can be left out.
    consistency
        Whether the axioms a proof used have a model that was checked: ``model`` or ``unknown``.
    witness
        A checked value of a verified claim that begins with ∃; `message` says where none is known.
    theory
        ``inconsistent`` if some component of the file is known to be.
    lemmas, assumed
        Lemmas that were proved first and used; implementations whose axioms are assumed and were used.
    unused
        Axioms in scope that could not take part, with the reason.
    engine, solvers
        Who decided, with versions.
    attempts
        What every engine did, in the published order.
    proof
        The proof in words, a line each, where it was asked for.
    """

    warnings: tuple[AnswerWarning, ...] = ()
    status: Status
    claim: str = ""
    reason: Reason | None = None
    message: str = ""
    tried: tuple[str, ...] = ()
    advice: str = ""
    engine: str = ""
    core: tuple[str, ...] = ()
    minimal: bool = False
    consistency: Literal["model", "unknown", ""] = ""
    model: Evidence | None = None
    evidence: Evidence | None = None
    witness: Evidence | None = None
    theory: Literal["", "inconsistent"] = ""
    lemmas: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    unused: tuple[tuple[str, str], ...] = ()
    obligations: tuple[str, ...] = ()
    solvers: tuple[tuple[str, str], ...] = ()
    attempts: tuple[Attempt, ...] = ()
    steps: int = 0
    proof: tuple[str, ...] = ()
    certificate: str = ""
    cached: bool = False
    problem: dict[str, Any] | None = None

    @property
    def definite(self) -> bool:
        """Whether the question was decided."""
        return self.status in ("verified", "disproved", "consistent", "inconsistent")

    @classmethod
    def ill_formed(cls, error: KleisError) -> Verdict:
        """The verdict on a question that is none."""
        return cls(status="error", message=error.message, advice=error.hint, problem=error.as_dict())

    @classmethod
    def too_deep(cls, file: str) -> Verdict:
        """The verdict where Python itself has no room for the levels of a question, as some versions of 3.12 have not."""
        message = "the proposition is nested more deeply than this Python can follow"
        hint = "name parts of it with let or define, or use another version of Python"
        return cls.ill_formed(KleisError(message, code="nesting", file=file, hint=hint))

    def resting_on(self, lemmas: Sequence[Verdict]) -> Verdict:
        """The verdict with what its lemmas assume, and with whether their axioms have a model."""
        used = [each for place, each in enumerate(lemmas, 1) if f"lemma {place}" in self.core]
        if self.status != "verified" or not used:
            return self
        assumed = dict.fromkeys((*self.assumed, *(name for each in used for name in each.assumed)))
        known = self.consistency == "model" and all(each.consistency == "model" for each in used)
        return msgspec.structs.replace(
            self, assumed=tuple(assumed), consistency="model" if known else "unknown"
        )

    def as_dict(self) -> dict[str, Any]:
        """The fields that say something, as JSON values."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        return {
            name: value
            for name, value in fields.items()
            if value not in (None, "", [], ()) or name == "status"
        }
