"""Lean 4 files of Kleis theories, their checker, and the rules for proofs that come back.

    core.Goal ──export──▶ tree ──lean_printer──▶ text ──lean_parser, check_file──▶ problems
                                                  │
                      a returned file ──commands──▶ accept

- `lean_file`: an exported file: its text, and tables that lead from it back to Kleis
- `lean_program`: a Lean on the PATH, run on one text as a child with limits
- `language/`: the emitted subset: trees, text, and whether a text is of it
- `acceptance/`: whether a returned file proves what was asked
- `export/`: a theory or a proposition as a Lean file

What to call first: `export_lean`, `check_emitted`, `accept`.  A file that passes `check_emitted` has the right shape, and
no Lean has elaborated it: only `lean_program` runs one, for `kleis export --check` and `check_by_lean`.

A change of what is emitted usually touches `export`, `language` (printer, parser and checker agree) and `accept`, which
compares returned files with it.  See docs/reference/lean.md, docs/adr/018-lean-export.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kleis.lean.acceptance.accept import Acceptance, accept, count_sorries, has_refutation, theorem_names
    from kleis.lean.export.export import export_lean
    from kleis.lean.language.check_file import LeanProblem, check_emitted
    from kleis.lean.language.lean_lexer import LeanError
    from kleis.lean.lean_file import LeanFile, LineEntry, NameEntry, Omission, TheoremEntry

__all__ = [
    "Acceptance",
    "LeanError",
    "LeanFile",
    "LeanProblem",
    "LineEntry",
    "NameEntry",
    "Omission",
    "TheoremEntry",
    "accept",
    "check_emitted",
    "count_sorries",
    "export_lean",
    "has_refutation",
    "theorem_names",
]

_HOMES = {
    "acceptance.accept": ("Acceptance", "accept", "count_sorries", "has_refutation", "theorem_names"),
    "language.check_file": ("LeanProblem", "check_emitted"),
    "export.export": ("export_lean",),
    "lean_file": ("LeanFile", "LineEntry", "NameEntry", "Omission", "TheoremEntry"),
    "language.lean_lexer": ("LeanError",),
}


def __getattr__(name: str) -> object:
    """A public name, from the module where it lives."""
    for module, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f"kleis.lean.{module}"), name)
    raise AttributeError(f"module kleis.lean has no attribute {name}")
