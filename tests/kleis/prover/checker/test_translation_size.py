"""The size of what is trusted: the naive translation, counted in lines of code."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

import kleis.prover.checker.translation as translation

_LAYOUT = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)


def lines_of_code(text: str) -> int:
    """Lines with something on them that is no comment and no docstring."""
    lines: set[int] = set()
    for each in tokenize.generate_tokens(io.StringIO(text).readline):
        if each.type not in _LAYOUT:
            lines.update(range(each.start[0], each.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def test_the_translation_stays_small() -> None:
    folder = Path(translation.__file__).parent
    assert sum(lines_of_code(each.read_text()) for each in folder.glob("*.py")) <= 800


def test_what_is_counted() -> None:
    assert (
        lines_of_code(
            '"""Text."""\n\n# comment\nx = 1\ndef f():\n    """Text."""\n    return (\n        x\n    )\n'
        )
        == 5
    )
