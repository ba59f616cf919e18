"""What becomes of a law, and what of it is kept with the version of a tool (ADR 015)."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pif.language.terms import Json

__all__ = ["ABOUT", "LATE", "WHERE_DEFINED", "LawReport", "LawStatus", "kept", "summary"]

LawStatus = Literal["proved", "tested", "untested", "refuted", "error"]
"""`proved`: there is a certificate. `tested`: true at `cases` points. `untested`: neither, and `reason` says why.
`refuted`: the `counterexample` was run. `error`: the text is no law."""

ABOUT = "about the calculus without its fuel, depth and size limits"

LATE = "not decided within "
"""How the label of a law begins that was cut by a time limit. It is asked again."""

WHERE_DEFINED = "where the tools have values"
"""The label of a law that is proved under the premise that the tools in it have values."""


class LawReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """One law, and what became of it.

    `kleis` is the proposition that was asked, over the Kleis names of tools. `labels` say what a reader must know
    beside the status: vacuous, not about the tool, no value somewhere, what could not be translated. `tools` are the
    tools that it rests on with the hashes of their code. `lemmas` are laws that its proof uses. `conditions` are the
    definitions that say where its tools have values, for a law that is proved there.
    """

    law: str
    status: LawStatus
    kleis: str = ""
    reason: str = ""
    hint: str = ""
    labels: tuple[str, ...] = ()
    cases: int = 0
    seed: int | None = None
    without_value: int = 0
    engine: str = ""
    conditions: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    counterexample: dict[str, Json] | None = None
    tools: dict[str, str] = {}
    certificate: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Json]:
        """What an answer says of it; the certificate itself is long and stays in the store."""
        fields: dict[str, Json] = msgspec.to_builtins(self)
        fields.pop("tools", None)
        if fields.pop("certificate", None) is not None:
            fields["certified"] = True
            fields["about"] = ABOUT
        return fields


def kept(reports: tuple[LawReport, ...]) -> str:
    """The text that a store keeps."""
    return msgspec.json.encode(reports).decode()


def summary(reports: tuple[LawReport, ...]) -> dict[str, int]:
    """How many laws have each status."""
    found: dict[str, int] = {}
    for each in reports:
        found[each.status] = found.get(each.status, 0) + 1
    return found
