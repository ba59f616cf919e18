"""A goal: the claim of a proposition in the typed core, with everything an engine needs to decide it.

A `Goal` is self-contained: engines read neither theory nor source. See docs/reference/proving.md §1.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from kleis.core.sorts import DataSort, Dimension, ListOf, RecordOf, Sort, TupleOf
from kleis.core.terms import (
    Constructor,
    ConstructorField,
    Definition,
    Symbol,
    Term,
    Variable,
    list_constructors,
    tuple_constructor,
)
from kleis.errors import KleisError
from kleis.problems import Place, Problem

__all__ = [
    "Axiom",
    "DataType",
    "ElaborationError",
    "Goal",
    "Instance",
    "MissingOperation",
    "NameResolution",
    "Obligation",
    "OpenQuestion",
    "ReadingKind",
    "Standing",
    "Termination",
    "constructors_of",
]


class ElaborationError(KleisError):
    """A program or proposition that cannot be elaborated: an unknown or ambiguous name, a wrong sort, …

    `related` are further places that the message is about.
    """

    related: tuple[Place, ...] = ()


class MissingOperation(ElaborationError):
    """A name that some structure with parameters declares, but none in scope: `operation`."""

    operation: str = ""


class Instance(msgspec.Struct, frozen=True):
    """A structure at its arguments: ``Group(G)``.  ``arguments`` are empty for a section without parameters."""

    structure: str
    arguments: tuple[Sort | Dimension, ...]


Standing: TypeAlias = Literal["axiom", "fact", "assumed"]
"""``axiom``: declared.  ``fact``: proved of an implementation.  ``assumed``: an implementation's axiom, not proved."""


class Axiom(msgspec.Struct, frozen=True):
    """A closed formula that is assumed.  `name` is qualified: ``Group(G)::assoc``, or ``Ring(ℤ)::ldist``."""

    name: str
    formula: Term
    standing: Standing
    place: Place


class Obligation(msgspec.Struct, frozen=True):
    """A closed formula that has to be proved before something may be relied on.

    kind
        ``implements``: an axiom or definition of a structure at the types of an implementation.
        ``section``: an axiom that mentions nothing declared, only built-ins.
        ``termination``: a measure that must decrease, or be bounded from below.
    subject
        What it is needed for: ``Monoid(ℤ)``, ``Section::axiom``, or the key of a definition.
    """

    kind: Literal["implements", "section", "termination"]
    name: str
    subject: str
    formula: Term
    place: Place


class Termination(msgspec.Struct, frozen=True):
    """Why a recursive definition terminates.

    kind
        ``structural``: some argument becomes a part of itself in every call.
        ``measure``: the measures decrease lexicographically; `obligations` say so, the prover confirms.
        ``unknown``: no argument was found; `reason` says what was tried.
    condition
        Over the parameters: where termination is shown, which then is where the definition is defined (None:
        everywhere).
    """

    kind: Literal["structural", "measure", "unknown"]
    measures: tuple[Term, ...] = ()
    arguments: tuple[int, ...] = ()
    condition: Term | None = None
    obligations: tuple[Obligation, ...] = ()
    reason: str = ""


class DataType(msgspec.Struct, frozen=True):
    """A data type at its arguments, with all its constructors in order of declaration."""

    sort: DataSort
    constructors: tuple[Constructor, ...]


class OpenQuestion(msgspec.Struct, frozen=True):
    """Why no engine may decide the claim as it stands (`unknown`, before anything is tried).

    reason
        ``termination``: a recursive definition without a termination argument is reached (ground calls may still
        be computed).  ``higher-order``: a part that only a higher-order logic expresses.  ``incomplete``: a
        construct whose exact meaning has no encoding.
    """

    reason: Literal["termination", "higher-order", "incomplete"]
    message: str
    place: Place


ReadingKind: TypeAlias = Literal[
    "free", "constant", "name", "operator", "binder", "coercion", "narrowing", "carrier"
]


class NameResolution(msgspec.Struct, frozen=True):
    """How elaboration resolved a piece of the source.

    kind
        ``free``: a free name and the sort found for it.  ``constant``: a name read as a number.  ``name``, ``operator``: what it resolved to.
        ``coercion``, ``narrowing``: inserted by elaboration.  ``carrier``: a type name read as a carrier.
    """

    kind: ReadingKind
    source: str
    meaning: str
    place: Place


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """A claim with everything it depends on.  The field names are those of ``kleis show --meaning --json``.

    claim
        Closed; free names are bound by an outermost ∀.  None in the question whether the declarations in scope
        have a model.
    free
        The free names, as bound by the claim's outermost ∀ (empty if there are none).
    instances
        The structures in scope, parents included; sections as instances without arguments.
    carriers, symbols
        Every opaque sort and unknown operation that occurs in `claim`, `axioms` or `definitions`, sorted by name.
    axioms
        In order of declaration.
    definitions, terminations
        Every definition reached, callees first, and for each recursive one (by key) why it terminates.
    data
        Every data type reached, by strongly connected component, parts before wholes.
    obligations
        What the claim rests on besides the axioms: termination, implementations, sections.
    unsettled
        Why no engine may decide the claim; empty for one that engines may decide.
    readings
        How elaboration resolved the names, operators and types of the source.
    """

    claim: Term | None
    free: tuple[Variable, ...] = ()
    instances: tuple[Instance, ...] = ()
    carriers: tuple[Sort, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    axioms: tuple[Axiom, ...] = ()
    definitions: tuple[Definition, ...] = ()
    terminations: tuple[tuple[str, Termination], ...] = ()
    data: tuple[tuple[DataType, ...], ...] = ()
    obligations: tuple[Obligation, ...] = ()
    unsettled: tuple[OpenQuestion, ...] = ()
    readings: tuple[NameResolution, ...] = ()
    warnings: tuple[Problem, ...] = ()

    def definition(self, key: str) -> Definition:
        """The definition with this key; KeyError if there is none."""
        for definition in self.definitions:
            if definition.key == key:
                return definition
        raise KeyError(key)

    def constructors(self, sort: DataSort) -> tuple[Constructor, ...]:
        """The constructors of a data type that is reached; KeyError if it is not."""
        for group in self.data:
            for each in group:
                if each.sort == sort:
                    return each.constructors
        raise KeyError(sort)

    def termination(self, key: str) -> Termination | None:
        """Why a definition terminates; None if it is not recursive."""
        return dict(self.terminations).get(key)

    def as_dict(self) -> dict[str, Any]:
        """The goal as JSON values, terms as tagged objects."""
        answer: dict[str, Any] = msgspec.to_builtins(self, enc_hook=str)
        return answer


def constructors_of(goal: Goal, sort: Sort) -> tuple[Constructor, ...]:
    """All constructors of a data type, list, tuple or record sort; none of any other."""
    match sort:
        case DataSort():
            return goal.constructors(sort)
        case ListOf():
            return list_constructors(sort)
        case TupleOf():
            return (tuple_constructor(sort),)
        case RecordOf(fields=fields):
            parts = tuple(ConstructorField(name, each) for name, each in fields)
            return (Constructor("record", parts, sort, alone=True),)
        case _:
            return ()
