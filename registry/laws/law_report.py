"""The outcome of a law (docs/reference/registry.md §7.3)."""

from __future__ import annotations

from typing import Literal

import msgspec

from pif.language.host import Tools
from pif.language.terms import Json, identity

__all__ = ["ABOUT", "LATE", "NO_MODEL", "WHERE_DEFINED", "LawReport", "LawStatus", "has_changed", "late"]

LawStatus = Literal["proved", "tested", "untested", "claimed", "refuted", "error"]
"""`proved`: there is a certificate, checked here. `tested`: true at `cases` assignments. `untested`: neither, and `reason`
says why. `claimed`: somebody else says that it is proved, and that was not checked here. `refuted`: the `counterexample`
was run. `error`: the text is no law."""

ABOUT = "about the calculus without its fuel, depth and size limits"

LATE = "not decided within "
"""How the label begins of a law that a time limit left open. Such a law is asked again."""

NO_MODEL = "the axioms used are not known to have a model"
"""The label of a law whose proof uses axioms that may clash."""

WHERE_DEFINED = "where the tools have values"
"""The label of a law that is proved behind the definedness predicates of its tools."""


def late(seconds: float) -> str:
    """The label of a law that a limit of so many seconds left open: to three digits, and whole milliseconds."""
    return f"{LATE}{float(f'{round(seconds, 3):.3g}'):g} s"


def has_changed(label: str, hash_: str, tools: Tools) -> bool:
    """Whether the tool `name@version` has other code now than that of a hash, or is gone."""
    now = tools.tool(label.partition("@")[0])
    return now is None or identity(now.term) != hash_


class LawReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """One law, and its status with the evidence.

    `kleis` is the proposition that was asked, over the Kleis names of tools. `labels` qualify the status: vacuous, not
    about the tool, undefined somewhere, not translated. `tools` are the tools that it rests on, with the hashes of their
    code. `lemmas` are laws that its proof uses. `conditions` are the definedness predicates, for a law proved behind them.
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
    certificate: str = ""

    def as_json(self) -> dict[str, Json]:
        """The fields of an answer; the certificate's text is long and stays in the store."""
        fields: dict[str, Json] = msgspec.to_builtins(self)
        fields.pop("tools", None)
        if fields.pop("certificate", ""):
            fields["certified"] = True
            fields["about"] = ABOUT
        return fields
