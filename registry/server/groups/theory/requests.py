"""The arguments of the tools of the group `theory`, one type a tool; that of `explore` is in `registry.explore`.

An empty text means that an argument was left out. Descriptions and defaults are what clients see.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from kleis.sessions.describe_universe import Depth

__all__ = [
    "JOB_WITHIN",
    "LONGEST",
    "STANDARD",
    "CheckJob",
    "Compare",
    "DescribeSchema",
    "Evaluate",
    "Explain",
    "FindModels",
    "ListSession",
    "LoadTheory",
    "SaveTheory",
    "Submit",
    "Timeout",
    "Undo",
    "Wait",
]

STANDARD = 30_000
"""Milliseconds that a question may take where nothing else is said."""

LONGEST = 45_000
"""Milliseconds that any call may take: clients give up at 50 or 60 seconds."""

Timeout = Annotated[int, Meta(ge=1, le=LONGEST)]

Effort = Annotated[int, Meta(ge=1, le=100, description="search N times as much")]
"""By how much the budgets of engines are multiplied."""


JOB_WITHIN = 600.0
"""Seconds that a job may take."""

Wait = Annotated[bool, Meta(description="false: answer at once with a job")]


class Evaluate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An expression to compute, or a proposition to decide."""

    expression: Annotated[str, Meta(description="Kleis, e.g. ∀(x y : G). x • y = y • x")]
    session: str = "default"
    using: Annotated[str, Meta(description="the structure it is about, where several fit")] = ""
    timeout_ms: Timeout = STANDARD
    effort: Effort = msgspec.field(default_factory=lambda: 1)  # a factory's default is not shown
    explain: Annotated[bool, Meta(description="tell how it was decided")] = False
    wait: Wait = True


class CheckJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A job to look at, or to stop; all of them without one."""

    project_id: str = ""
    cancel: Annotated[bool, Meta(description="stop it")] = False


class DescribeSchema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is declared; without `depth`, names of all, and all of what `name` names."""

    session: str = "default"
    name: Annotated[str, Meta(description="of a structure, data type, function, operation or axiom")] = ""
    depth: Depth | None = None


class Submit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Declarations for a session."""

    kleis: str
    session: str = "default"


class ListSession(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was submitted to a session."""

    session: str = "default"
    offset: Annotated[int, Meta(ge=0)] = msgspec.field(default_factory=int)  # a factory's 0 is not shown


class LoadTheory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A session begun anew with imports."""

    imports: Annotated[tuple[str, ...], Meta(description='e.g. ["stdlib/prelude"]')]
    session: str = "default"


class SaveTheory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A session saved as a theory."""

    name: Annotated[str, Meta(description="NAME or team/TEAM/NAME")]
    session: str = "default"
    overwrite: Annotated[bool, Meta(description="replace a saved one")] = False


class Undo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last submission dropped."""

    session: str = "default"


class Compare(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Propositions to decide in several sessions."""

    propositions: Annotated[tuple[str, ...], Meta(min_length=1, max_length=50, description="Kleis")]
    sessions: Annotated[tuple[str, ...], Meta(min_length=1, max_length=20, description="names of sessions")]
    timeout_ms: Timeout = LONGEST


class Explain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A proposition to decide, with the axioms that its proof needs."""

    expression: Annotated[str, Meta(description="a proposition")]
    session: str = "default"
    using: Annotated[str, Meta(description="the structure it is about")] = ""
    timeout_ms: Timeout = LONGEST
    effort: Effort = msgspec.field(default_factory=lambda: 1)  # a factory's default is not shown


class Certify(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A proposition to decide, with a certificate that is checked."""

    expression: Annotated[str, Meta(description="a proposition")]
    session: str = "default"
    using: Annotated[str, Meta(description="the structure it is about")] = ""
    timeout_ms: Timeout = LONGEST


class CheckMachine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The state machine of a session, and what is asked of it."""

    session: str = "default"
    invariants: Annotated[
        tuple[str, ...], Meta(max_length=50, description="hold in every reachable state")
    ] = ()
    reach: Annotated[tuple[str, ...], Meta(max_length=50, description="hold in some reachable state")] = ()
    variants: Annotated[
        tuple[str, ...], Meta(max_length=50, description="integers that every step makes smaller")
    ] = ()
    deadlock: Annotated[bool, Meta(description="every reachable state has a next one")] = False
    depth: Annotated[int, Meta(ge=0, le=100, description="steps of the runs that are searched")] = 12
    induction: Annotated[int, Meta(ge=1, le=20, description="states of a proof by induction")] = 4
    init: str = "init"
    next: str = "next"
    state: Annotated[str, Meta(description="its type, where several machines are implemented")] = ""
    timeout_ms: Timeout = STANDARD
    effort: Effort = msgspec.field(default_factory=lambda: 1)  # a factory's default is not shown
    wait: Wait = True


class FindModels(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A structure or constraints, and which models of it are wanted."""

    about: Annotated[str, Meta(description="a structure, or constraints: ∃(x y : ℤ). x * y = 12 ∧ x < y")]
    session: str = "default"
    where: Annotated[tuple[str, ...], Meta(max_length=50, description="only models in which these hold")] = ()
    size: Annotated[int, Meta(ge=1, le=12, description="elements of every carrier")] | None = None
    skip: Annotated[int, Meta(ge=0, le=9_999, description="models left out")] = msgspec.field(
        default_factory=int
    )
    all: Annotated[bool, Meta(description="all of them; of structures, up to isomorphism")] = False
    enumerate: Annotated[tuple[str, ...], Meta(description="all that differ in these names")] = ()
    limit: Annotated[int, Meta(ge=1, le=1_000)] = 100
    minimise: Annotated[str, Meta(description="a term to be least")] = ""
    maximise: Annotated[str, Meta(description="a term to be greatest")] = ""
    timeout_ms: Timeout = STANDARD
    effort: Effort = msgspec.field(default_factory=lambda: 1)  # a factory's default is not shown
    wait: Wait = True
