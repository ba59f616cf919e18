"""Commands as a file, with its tables.  See docs/reference/lean.md §1, §2."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis.lean.acceptance.accept import count_sorries
from kleis.lean.export.core_lean import imports
from kleis.lean.export.declarations.inductive_types import UNIVERSES
from kleis.lean.export.terms.lean_names import Names
from kleis.lean.export.terms.lean_prelude import used_definitions
from kleis.lean.language import lean_tree as lean
from kleis.lean.language.lean_printer import is_next, print_command
from kleis.lean.lean_file import LeanFile, LineEntry, NameEntry, Omission, TheoremEntry
from kleis.problems import Place

__all__ = ["Block", "assembled", "prelude"]

_REMARK = (
    "Written by kleis export --lean.  No Lean has checked this file: its shape was checked, nothing else.\n"
    "A statement says that its claim is true and defined in every model of the theory."
)


class Block(msgspec.Struct, frozen=True):
    """A command with the place it comes from and its Kleis name."""

    command: lean.Command
    place: Place | None
    kleis: str


def prelude(namespace: str, commands: Sequence[lean.Command]) -> list[lean.Command]:
    """What stands before these declarations."""
    before = imports(commands)
    imported = [each for each in before if isinstance(each, lean.Import)]
    notations = [each for each in before if isinstance(each, lean.Notation)]
    return [
        *imported,
        lean.Option("autoImplicit", "false"),
        lean.Doc(_REMARK),
        *notations,
        lean.Namespace(namespace),
        lean.Universes(UNIVERSES),
    ]


def assembled(
    names: Names,
    blocks: Sequence[Block],
    *,
    theorems: Sequence[TheoremEntry],
    omitted: Sequence[Omission],
) -> LeanFile:
    """The text of the commands in the frame of a file, with its tables."""
    lines: list[str] = []
    entries: list[LineEntry] = []
    needed = [Block(each, None, "built-ins") for each in used_definitions(each.command for each in blocks)]
    for command in prelude(names.namespace, [each.command for each in (*needed, *blocks)]):
        _append(lines, command)
    for block in (*needed, *blocks):
        start = _append(lines, block.command)
        for name, kind in _declared(block.command):
            full = f"{names.namespace}.{name}"
            entries.append(LineEntry(start, len(lines), full, kind, block.place))
    _append(lines, lean.End(names.namespace))
    text = "\n".join(lines) + "\n"
    return LeanFile(
        text=text,
        names=_kept(names, entries),
        lines=tuple(entries),
        sorries=count_sorries(text),
        theorems=tuple(theorems),
        omitted=tuple(omitted),
    )


def _append(lines: list[str], command: lean.Command) -> int:
    """Add a command as the printer writes files; the line where it begins."""
    if lines and not is_next(lines[-1], command):
        lines.append("")
    start = len(lines) + 1
    for line in print_command(command):
        lines += line.split("\n")
    return start


def _declared(command: lean.Command) -> list[tuple[str, str]]:
    match command:
        case lean.Class(name=name, keyword=keyword):
            return [(name, keyword)]
        case lean.Inductive(name=name):
            return [(name, "inductive")]
        case lean.Def(name=name) | lean.Model(name=name):
            return [(name, "def")]
        case lean.Theorem(name=name):
            return [(name, "theorem")]
        case lean.Mutual(members=members):
            return [found for each in members for found in _declared(each)]
        case _:
            return []


def _kept(names: Names, entries: Sequence[LineEntry]) -> tuple[NameEntry, ...]:
    """The names of what is in the file: a declaration that was left out had some too."""
    declared = {each.name for each in entries}
    return tuple(
        each for each in names.entries if each.lean in declared or each.lean.rpartition(".")[0] in declared
    )
