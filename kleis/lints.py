"""Lints."""

from __future__ import annotations

from kleis.chains import Operand
from kleis.lexing import Tokens
from kleis.operators import Binary
from kleis.syntax import Declaration, Lint

__all__ = ["Linter"]


class Linter:
    """Collects."""

    def __init__(self, tokens: Tokens, file: str) -> None:
        self.tokens = tokens
        self.file = file

    def keep_finished(self) -> None:
        """x"""

    def drop_unfinished(self, start: int) -> None:
        """x"""

    def operator(self, operator: Binary, token: int, left: Operand, right: Operand) -> None:
        """x"""

    def finish(self, items: tuple[Declaration, ...]) -> tuple[Lint, ...]:
        """x"""
        return ()
