"""What is asked about models, and what is answered."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from kleis.problems import AnswerWarning
from kleis.prover.protocol.verdict import Evidence, Reason

__all__ = ["ISOMORPHISM", "MOST_MODELS", "Goodness", "Models", "Wanted"]

MOST_MODELS = 10_000
"""How many models one answer may have."""

ISOMORPHISM = "isomorphism"
"""What models of one structure differ by that are tables: a renaming of elements makes no other model."""

Goodness: TypeAlias = Literal["", "least", "greatest"]


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which models are asked for.

    about
        The name of a structure, with parameters or without; or constraints, with free names or under ∃.
    where
        Further constraints, over what is in scope there.
    size
        The number of elements of every carrier; None for the smallest that will do.
    skip, count
        How many models are left out, and how many are shown at most.
    apart
        The names in which models have to differ; empty for all of them.
    goodness, objective
        Whether the objective shall be small or large; empty where any model will do.
    """

    about: str
    where: tuple[str, ...] = ()
    size: int | None = None
    skip: int = 0
    count: int = 1
    apart: tuple[str, ...] = ()
    goodness: Goodness = ""
    objective: str = ""


class Models(msgspec.Struct, frozen=True, kw_only=True):
    """The answer.

    status
        ``found``; ``none`` where it is proved that there is none; ``unknown``, with a reason; ``error``.
    models
        Each was evaluated exactly.
    complete
        It is proved that there are no others but those left out, up to what `apart` names.
    apart
        What the models differ in: ``isomorphism``, or names; empty where only one was looked for.
    optimum
        The value of the objective; `proved` says whether it is proved that none is better.
    core
        The axioms that clash, where there is none because of them.
    """

    status: Literal["found", "none", "unknown", "error"]
    about: str = ""
    models: tuple[Evidence, ...] = ()
    complete: bool = False
    apart: tuple[str, ...] = ()
    optimum: str = ""
    proved: bool = False
    reason: Reason | None = None
    message: str = ""
    advice: str = ""
    core: tuple[str, ...] = ()
    warnings: tuple[AnswerWarning, ...] = ()
    problem: dict[str, Any] | None = None
