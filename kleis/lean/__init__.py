"""Lean files of Kleis theories, their checker, and the rules for proofs that come back.

Specification: lean-and-corpus.md §5, §6; docs/adr/018-lean-export.md.

    Meaning ──classes, data, definitions, terms──▶ tree ──printer──▶ text ──parser, check──▶ problems
                                                                       │
                        a returned file ──commands──▶ acceptance ◀─────┘

    tree, printer, lexing, parser, check        the emitted subset: trees, text, and whether a text is of it
    reserved, names                             names: one in Lean for every one in Kleis
    sorts, encoders, operations…, terms,
    propositions, joining                       the core's sorts and terms, with where they are defined
    splitting, decidability                     tests as matches; what Lean decides by computing
    contents, scopes, data, definitions,
    classes, usage                              declarations, in the order that Lean needs
    proofs, instances, refutations              what can be proved or refuted without searching in Lean
    sources, assembly, files, export            a theory or a proposition as a file with its tables
    vocabulary, commands, acceptance            any Lean text by its tokens; whether a proof is accepted

Nothing here runs Lean: a file that passes `check_emitted` has the right shape, and nobody has elaborated it.
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
