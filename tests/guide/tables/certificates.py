"""The tables of docs/reference/certificates.md."""

from __future__ import annotations

from collections.abc import Callable

from tests.guide.tables import ROOT, markdown

__all__ = ["KERNEL", "TABLES", "about", "lines_of"]

KERNEL = ("sequent", "strict_reading", "kernel")
"""The modules of the kernel, in kleis/prover/checker."""

_CHECKER = "kleis/prover/checker"
_BASE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("the kernel", tuple(f"{_CHECKER}/{each}.py" for each in KERNEL)),
    ("the fields of a file, and terms and values read from data",
     tuple(f"{_CHECKER}/{each}.py" for each in ("format", "read_terms", "write_terms", "values"))),
    ("the rules of proofs and witnesses", (f"{_CHECKER}/rules", f"{_CHECKER}/check_model.py")),
    ("the naive translation, and solvers asked", (f"{_CHECKER}/reductions", f"{_CHECKER}/translation", f"{_CHECKER}/solvers.py")),
    ("the reference semantics, and definedness", ("kleis/semantics", "kleis/definedness")),
    ("the built-ins' rows and their values", ("kleis/builtins", "kleis/values")),
    ("parser and theory", ("kleis/syntax", "kleis/theory")),
    ("the elaborator, with the core", ("kleis/elaborate", "kleis/core")),
    ("termination", ("kleis/termination",)),
)  # fmt: skip


def lines_of(*places: str) -> int:
    """The lines of files, and of all files below folders, comments and docstrings included."""
    files = [
        file
        for place in places
        for file in ((ROOT / place).rglob("*.py") if (ROOT / place).is_dir() else [ROOT / place])
    ]
    return sum(len(file.read_text().splitlines()) for file in files)


def about(lines: int) -> str:
    """A number of lines to two digits: a page need not change with every line of code."""
    return f"{round(lines, 2 - len(str(lines))):,}"


def trusted() -> str:
    """What a check trusts, with its size."""
    rows = (
        (what, ", ".join(f"`{each}`" for each in places), about(lines_of(*places))) for what, places in _BASE
    )
    return markdown(("what", "where", "lines, about"), rows)


TABLES: dict[str, Callable[[], str]] = {"certificates-trusted": trusted}
