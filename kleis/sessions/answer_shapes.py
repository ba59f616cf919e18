"""The fields of the answers of sessions. They are built as these types, and the schemas of answers are made from them.

What the fields mean is specified in docs/reference/registry.md §12.5. A field of a server's own (the session that was
asked about, whether it was kept) is in the type of the answer that has it.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, Required, TypeAlias, TypedDict

from kleis.prover.protocol.verdict import Status
from kleis.sessions.files.shared_theories import Saved

__all__ = [
    "CertifiedAnswer",
    "ComparisonAnswer",
    "EvaluationAnswer",
    "ExplainedAnswer",
    "FailedAnswer",
    "LoadedAnswer",
    "MachineAnswer",
    "ModelsAnswer",
    "NotLoadedAnswer",
    "OutcomeFields",
    "Pulled",
    "SavedAnswer",
    "SchemaAnswer",
    "SessionAnswer",
    "SessionsAnswer",
    "SubmissionAnswer",
    "SubmissionStatus",
    "UndoneAnswer",
    "ValueAnswer",
    "VerdictAnswer",
    "WarningFields",
]

Fields = dict[str, Any]


class WarningFields(TypedDict, total=False):
    """What stands before an answer: a list of `{code, message, hint}`."""

    warnings: list[Fields]


SubmissionStatus: TypeAlias = Literal["consistent", "inconsistent", "unknown", "rejected"]
"""What the stage verify found of declarations, or that they did not come so far."""


class FailedAnswer(WarningFields):
    """An expression or a submission with an error, or a computation without a value."""

    status: Literal["error"]
    error: str
    problem: Fields
    accepted: NotRequired[bool]


class ValueAnswer(WarningFields):
    """A computation with a value."""

    status: Literal["value"]
    result: str
    approximate: NotRequired[bool]
    data: NotRequired[Fields]
    symbolic: NotRequired[bool]
    output: NotRequired[list[str]]


class VerdictAnswer(WarningFields, total=False):
    """A verdict on a proposition."""

    status: Required[Status]
    verified: bool
    witness: str | None
    witness_bindings: list[Fields]
    claim: str
    counterexample: Fields
    clash: list[str]
    axioms_used: list[str]
    axioms: str
    method: str
    reason: str
    message: str
    tried: list[str]
    hint: str
    assumed: list[str]
    lemmas: list[str]
    theory: str
    problem: Fields
    explanation: Fields
    reading: list[str]


class ModelsAnswer(WarningFields, total=False):
    """Models that were asked for: what was found, whether there are others, and the value that was to be best."""

    type: Required[Literal["models"]]
    status: Required[Literal["found", "none", "unknown", "error"]]
    about: str
    count: int
    complete: bool
    differ_in: list[str]
    optimum: str
    proved: bool
    models: list[Fields]
    clash: list[str]
    reason: str
    message: str
    hint: str
    problem: Fields


class MachineAnswer(WarningFields, total=False):
    """What is true of a state machine: each property with its proof, its trace, or the step that breaks its proof."""

    type: Required[Literal["machine"]]
    status: Required[Literal["verified", "disproved", "unknown", "error"]]
    variables: list[str]
    properties: list[Fields]
    message: str
    hint: str
    problem: Fields


EvaluationAnswer: TypeAlias = ValueAnswer | VerdictAnswer | FailedAnswer


class ExplainedAnswer(VerdictAnswer, total=False):
    """A verdict, and what each axiom in force has to do with it."""

    axioms_in_force: list[Fields]
    redundant: list[str]
    independent: list[str]
    needed: list[str]


class CertifiedAnswer(VerdictAnswer, total=False):
    """A verdict, whether its certificate was accepted by the checker, and its size and hash or why there is none."""

    certified: Required[bool]
    certificate: str


class ComparisonAnswer(WarningFields):
    """Which propositions hold in which sessions."""

    status: Literal["compared"]
    sessions: list[str]
    propositions: list[Fields]
    differ: list[str]


class OutcomeFields(WarningFields):
    """What became of a submission or of imports."""

    status: SubmissionStatus
    accepted: bool
    stage: str
    structures_added: list[str]
    functions_added: list[str]
    data_types_added: list[str]
    axioms_verified: list[str]
    error: NotRequired[str]
    hint: NotRequired[str]
    clash: NotRequired[list[str]]


class SubmissionAnswer(OutcomeFields, total=False):
    """What became of a submission. `kept` is false for a trial; else the session and its number of submissions."""

    problems: list[Fields]
    model: Fields
    counterexample: Fields
    witness: str
    parts: list[Fields]
    session: str
    count: int
    kept: bool


Pulled = TypedDict("Pulled", {"name": str, "origin": str, "key": str, "from": str, "at": str})
"""Where a saved theory came from: its name here and there, the key that signed it, the place, the moment (UTC)."""


class LoadedAnswer(WarningFields):
    """A session begun anew with imports."""

    status: SubmissionStatus
    session: str
    imports: list[str]
    count: int
    declarations: int
    functions: int
    saved: NotRequired[list[Saved]]
    pulled: NotRequired[list[Pulled]]


class NotLoadedAnswer(OutcomeFields):
    """Imports that clash or do not elaborate: the session is as it was."""


class SavedAnswer(WarningFields):
    """A session saved as a theory."""

    status: Literal["saved"]
    path: str
    name: str
    session: str


class UndoneAnswer(TypedDict):
    """The last submission dropped."""

    status: Literal["undone"]
    session: str
    count: int
    undone: Fields


class SessionAnswer(WarningFields):
    """The submissions of a session, in order."""

    session: str
    imports: list[str]
    count: int
    items: list[Fields]
    warning: NotRequired[str]
    next_offset: NotRequired[int]


class SessionsAnswer(TypedDict):
    """All sessions."""

    count: int
    sessions: list[Fields]
    next_offset: NotRequired[int]


class SchemaAnswer(TypedDict):
    """What is declared."""

    schema: Fields
