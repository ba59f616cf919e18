"""What is kept of a law with the version of a tool: what was said of it, and where its certificate is (ADR 015).

Certificates are long, so a record holds only their hashes; the store keeps each once, by its hash.
"""

from __future__ import annotations

import hashlib
from typing import Final, Literal

import msgspec

from pif.language.terms import Json

__all__ = ["IMPORTED", "NO_LAWS", "KeptLaw", "LawStatus", "certificate_hash", "laws_text", "read_laws"]

NO_LAWS: Final = "[]"

IMPORTED: Final = "imported: its certificate was not checked here"
"""The label of laws that came from another home."""

LawStatus = Literal["proved", "tested", "untested"]
"""`proved`: there is a certificate. `tested`: true at `cases` points of the generator's `seed`. `untested`: neither."""


class KeptLaw(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One law of one version.

    `kleis` is the proposition over the Kleis names of tools. `labels` say what a reader must know beside the status.
    `tools` are the tools that it rests on (`name@version`) with the hashes of their code. `lemmas` are laws of the same
    tool that the proof uses. `conditions` are the definitions that say where the tools have values, for a law that is
    proved there. `certificate` is a hash (`certificate_hash`).
    """

    law: str
    status: LawStatus
    kleis: str = ""
    reason: str = ""
    labels: tuple[str, ...] = ()
    cases: int = 0
    seed: int | None = None
    engine: str = ""
    conditions: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    tools: dict[str, str] = {}
    certificate: str = ""

    def as_json(self) -> dict[str, Json]:
        """What an answer says of it."""
        fields: dict[str, Json] = msgspec.to_builtins(self)
        fields.pop("tools", None)
        return fields


_DECODER = msgspec.json.Decoder(tuple[KeptLaw, ...])


def read_laws(text: str) -> tuple[KeptLaw, ...]:
    """The laws that a record holds."""
    return () if text == NO_LAWS else _DECODER.decode(text)


def laws_text(laws: tuple[KeptLaw, ...]) -> str:
    """Laws as a record holds them."""
    return msgspec.json.encode(laws).decode()


def certificate_hash(certificate: str) -> str:
    """What identifies a certificate: the hex SHA-256 of its text."""
    return hashlib.sha256(certificate.encode()).hexdigest()
