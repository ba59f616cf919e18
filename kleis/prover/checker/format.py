"""The certificate as a file, format 2: its fields, read strictly, and its canonical bytes.

See docs/reference/certificates.md §2.  Everything here is data: names, numbers, Kleis text, and terms of the core as
nested lists (`kleis.prover.checker.write_terms`).  Nothing is believed because it stands in a file.

Strict reading
    A file is a certificate only if it is what `to_json` writes of what it says, byte for byte.  That refuses unknown,
    duplicate and reordered fields, other spellings of numbers, blanks and trailing data by one rule.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from kleis.errors import KleisError

__all__ = [
    "VERSION",
    "Ask",
    "Assignment",
    "Case",
    "Certificate",
    "CertificateError",
    "Evaluation",
    "Induction",
    "Instance",
    "Interpretation",
    "Link",
    "Proof",
    "Refutation",
    "RegularLanguages",
    "RewriteSystem",
    "Rewriting",
    "Status",
    "Step",
    "Tables",
    "Witness",
    "from_json",
    "to_json",
]

VERSION: Literal[2] = 2

_LARGEST = 8 * 1024 * 1024
"""Bytes of the largest file that is read."""

_DEEPEST = 200
"""Nesting of brackets in a file."""

Status: TypeAlias = Literal["verified", "inconsistent", "disproved", "consistent"]


class CertificateError(KleisError):
    """A verdict that no certificate can be made of, or a file that is none."""


class _Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a certificate."""


# ── Proofs ───────────────────────────────────────────────────────────────────────────────────────────────────


class Instance(_Data, frozen=True):
    """A hint: a premise ∀ x …, taken at terms, one for each of its variables.

    The terms may mention the claim's outermost ∀ variables.
    """

    of: str
    at: tuple[Any, ...]


class Ask(_Data, frozen=True, tag="ask", tag_field="rule"):
    """A solver refutes the premises named, with instances of them, and the negated claim."""

    given: tuple[str, ...] = ()
    instances: tuple[Instance, ...] = ()


class Evaluation(_Data, frozen=True, tag="evaluation", tag_field="rule"):
    """The claim, computed by the reference semantics, is true.  Nothing is used."""


class RegularLanguages(_Data, frozen=True, tag="regular languages", tag_field="rule"):
    """The claim, decided by automata, is true.  Nothing is used."""


class Case(_Data, frozen=True):
    """The proof of one goal that a scheme leaves."""

    name: str
    proof: Proof


class Induction(_Data, frozen=True, tag="induction", tag_field="rule"):
    """Induction on an outermost ∀ variable of the claim, by a scheme (docs/reference/certificates.md §3.4).

    `by` is 0 for the structural scheme, which may be `deep`; else the number of earlier values that a step may use.
    """

    on: str
    cases: tuple[Case, ...]
    start: int = 0
    by: int = 0
    deep: bool = False


class Link(_Data, frozen=True):
    """One equation of a chain: the terms on the way, and what leads from each to the next.

    `by` names a premise, the negated claim, or an earlier link.
    """

    name: str
    terms: tuple[Any, ...]
    by: tuple[str, ...]


class Refutation(_Data, frozen=True):
    """The links that refute one case of the negated claim; the last one equates truth and falsity."""

    links: tuple[Link, ...]


class Rewriting(_Data, frozen=True, tag="rewriting", tag_field="rule"):
    """Chains of equations: each case of the negated claim leads to a contradiction."""

    given: tuple[str, ...]
    refutations: tuple[Refutation, ...]
    conditional: bool = False


Proof: TypeAlias = Ask | Evaluation | RegularLanguages | Induction | Rewriting


class Step(_Data, frozen=True):
    """One formula and its proof, which may use the axioms, the lemmas and, as ``step 1``, …, the steps before it.

    shows
        A closed formula as a term of the core; nothing in the last step, which shows the claim.
    """

    proof: Proof
    shows: Any = None


# ── Witnesses ────────────────────────────────────────────────────────────────────────────────────────────────


class Tables(_Data, frozen=True, tag="tables", tag_field="kind"):
    """Finite carriers, a table for every symbol, and an assignment of the claim's outermost ∀."""

    carriers: tuple[tuple[str, int], ...]
    tables: tuple[tuple[str, tuple[tuple[int | bool, ...], ...]], ...]
    point: tuple[tuple[str, tuple[tuple[int | bool, ...], ...]], ...] = ()


class Assignment(_Data, frozen=True, tag="assignment", tag_field="kind"):
    """Values of the claim's outermost ∀, of constants and of operations, and sizes of carriers."""

    variables: tuple[tuple[str, Any], ...] = ()
    symbols: tuple[tuple[str, Any], ...] = ()
    carriers: tuple[tuple[str, int], ...] = ()


class Interpretation(_Data, frozen=True, tag="interpretation", tag_field="kind"):
    """Carriers read as sets of numbers, symbols as terms over parameters ``x0``, ``x1``, …, and values of the claim's ∀."""

    carriers: tuple[tuple[str, Any], ...] = ()
    symbols: tuple[tuple[str, Any], ...] = ()
    point: tuple[tuple[str, Any], ...] = ()


class RewriteSystem(_Data, frozen=True, tag="rewriting", tag_field="kind"):
    """A convergent system in which the axioms join and the claim's sides have different normal forms."""

    precedence: tuple[str, ...]
    equations: tuple[tuple[Any, Any, bool], ...]
    normal_forms: tuple[tuple[Any, Any], ...] = ()
    branch: int | None = None
    conditional: bool = False


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
    steps
        The proof of ``verified`` (of the claim) and ``inconsistent`` (of falsity).
    grounds
        Proofs of what the claim depends on besides: termination conditions and axioms of implementations, by name.
        What is not listed is asked of a solver as it stands.
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
    steps: tuple[Step, ...] = ()
    grounds: tuple[Step, ...] = ()
    model: Witness | None = None
    witness: Witness | None = None


class _Versioned(msgspec.Struct):
    version: int = 1


def to_json(certificate: Certificate) -> bytes:
    """The canonical bytes of a certificate."""
    fields = {"version": VERSION, **msgspec.to_builtins(certificate)}
    return msgspec.json.encode(fields) + b"\n"


def from_json(data: bytes, *, file: str = "<text>") -> Certificate:
    """The certificate in a file; `CertificateError` if it is none, of another version, or not canonical."""
    if len(data) > _LARGEST:
        raise _unreadable(f"it has {len(data)} bytes, and at most {_LARGEST} are read", file)
    if _nests_deeper(data, _DEEPEST):
        raise _unreadable(f"its brackets nest deeper than {_DEEPEST}", file)
    try:
        version = msgspec.json.decode(data, type=_Versioned).version
    except (msgspec.DecodeError, RecursionError) as error:
        raise _unreadable(str(error), file) from None
    if version != VERSION:
        raise CertificateError(
            f"this is a certificate of format {version}; this checker reads format {VERSION}",
            code="certificate-version",
            file=file,
            hint="ask for the verdict again: `kleis verify … --certificate FILE`, or `pif certificate renew`",
        )
    try:
        certificate = msgspec.json.decode(data, type=Certificate)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _unreadable(str(error), file) from None
    if to_json(certificate) != data:
        raise _unreadable("it is not written the one way that certificates are written", file)
    return certificate


def _unreadable(why: str, file: str) -> CertificateError:
    return CertificateError(f"this is no certificate: {why}", code="certificate-unreadable", file=file)


def _nests_deeper(data: bytes, limit: int) -> bool:
    """Whether brackets outside of strings nest deeper than a limit: decoders recurse on C's stack."""
    depth = 0
    quoted = escaped = False
    for byte in data:
        if quoted:
            quoted = escaped or byte != 0x22
            escaped = not escaped and byte == 0x5C
        elif byte == 0x22:
            quoted = True
        elif byte in b"[{":
            depth += 1
            if depth > limit:
                return True
        elif byte in b"]}":
            depth -= 1
    return False
