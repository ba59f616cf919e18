"""The arguments of the tools of the group `lean`, one type a tool."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

__all__ = [
    "AristotleStatus",
    "Cancel",
    "CheckFormalize",
    "CheckProof",
    "CheckProveFile",
    "Formalize",
    "ListJobs",
    "Prove",
    "ProveFile",
    "Request",
]

Wait = Annotated[
    bool, Meta(description="Wait up to 45 s for the result; false answers at once with a project_id.")
]
ProjectId = Annotated[str, Meta(description="The project_id of an earlier answer.")]


class Prove(msgspec.Struct, frozen=True):
    """A Lean snippet to complete, or a Kleis proposition to decide."""

    code: Annotated[
        str, Meta(description="Lean text with `sorry` where proofs are wanted; or a Kleis proposition.")
    ]
    context_files: Annotated[
        tuple[str, ...] | None,
        Meta(description="Lean files that go along, inside the server's --root directories."),
    ] = None
    hint: Annotated[str | None, Meta(description="How the proof may go, in words.")] = None
    wait: Wait = True
    language: Literal["lean", "kleis"] = "lean"
    session: Annotated[str, Meta(description="Kleis: the theory session that the proposition is about.")] = (
        msgspec.field(default_factory=lambda: "default")
    )  # a factory's default is not shown
    theory: Annotated[str | None, Meta(description="Kleis: declarations to use instead of a session's.")] = (
        None
    )
    using: Annotated[str | None, Meta(description="Kleis: the structure that the proposition is about.")] = (
        None
    )
    lemmas: Annotated[
        tuple[str, ...], Meta(max_length=50, description="Kleis: propositions to prove first, then use.")
    ] = ()


class CheckProof(msgspec.Struct, frozen=True):
    """A job of `prove` to look at."""

    project_id: ProjectId


class ProveFile(msgspec.Struct, frozen=True):
    """A Lean file to complete."""

    file_path: Annotated[str, Meta(description="The Lean file, inside the server's --root directories.")]
    output_path: Annotated[str | None, Meta(description="Where the result goes; it must not exist.")] = None
    wait: Wait = True


class CheckProveFile(msgspec.Struct, frozen=True):
    """A job of `prove_file` to look at."""

    project_id: ProjectId
    output_path: Annotated[str | None, Meta(description="Where to write instead of the job's own place.")] = (
        None
    )
    save: Annotated[bool, Meta(description="Write the result to disk.")] = False


class Formalize(msgspec.Struct, frozen=True):
    """A description to be stated in Lean."""

    description: Annotated[str, Meta(description="What is to be stated, in words and formulas.")]
    prove: Annotated[bool, Meta(description="Also ask for a proof.")] = False
    context_file: Annotated[
        str | None, Meta(description="A Lean file whose definitions may be used, inside --root.")
    ] = None
    wait: Wait = True


class CheckFormalize(msgspec.Struct, frozen=True):
    """A job of `formalize` to look at."""

    project_id: ProjectId


class Cancel(msgspec.Struct, frozen=True):
    """A job of any kind to stop."""

    project_id: ProjectId


class AristotleStatus(msgspec.Struct, frozen=True):
    """The service, its key and today's projects."""


class ListJobs(msgspec.Struct, frozen=True):
    """The jobs of the home, newest first."""

    offset: Annotated[int, Meta(ge=0)] = 0
    limit: Annotated[int, Meta(ge=1, le=500)] = 50


Request = (
    Prove
    | CheckProof
    | ProveFile
    | CheckProveFile
    | Formalize
    | CheckFormalize
    | Cancel
    | AristotleStatus
    | ListJobs
)
