"""The problems of the shared data as goals."""

from __future__ import annotations

from typing import Any

from kleis.core.goal import Goal
from kleis.elaborate.elaborator import Elaborator
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.theory.theory import Theory


def goals_of(row: dict[str, Any]) -> tuple[Goal, ...]:
    """The goal of a problem; for a question without structure, one for each component."""
    elaborator = Elaborator(Theory().include(parse_program(row["kleis"], file="program.kleis")))
    if row["proposition"] is not None:
        using = parse_type(f"{row['using']}") if row["using"] else None
        return (elaborator.proposition(parse_expression(row["proposition"]), using=using),)
    return (elaborator.structure(row["using"]),) if row["using"] else elaborator.components()
