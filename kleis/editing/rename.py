"""A name replaced wherever it means the same, or the reason why that would change what something means.

Not trusted with its own reasoning: each changed text is read again, and must be the old one with the one name replaced.
Every token is of the same kind, every name means what it meant, every tree is the same.

Invariant: what is answered changes no meaning; where that cannot be told, the answer is a refusal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from kleis.builtins.rows.table import builtin_arities
from kleis.editing.definitions import DeclaredAt
from kleis.editing.occurrences import Document, Occurrence
from kleis.errors import KleisError
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.parser.lexer import is_word
from kleis.syntax.superscripts import SUPERSCRIPTS
from kleis.theory.name_check.known_names import Known
from kleis.theory.theory import Theory

__all__ = ["Renaming", "Replacement", "check_renameable", "renamed", "replaced"]


class Replacement(msgspec.Struct, frozen=True):
    """Code points `start` ≤ i < `end` of a text, and what to write there."""

    start: int
    end: int
    text: str


class Renaming(msgspec.Struct, frozen=True):
    """What is renamed: an occurrence in `document`, and for a global name its declarations and the files that see it.

    `theories` are those of `files`, in the same order; a file is seen by what imports it.
    """

    document: Document
    occurrence: Occurrence
    declared: Sequence[DeclaredAt] = ()
    files: Sequence[Document] = ()
    theories: Sequence[Theory] = ()

    @property
    def is_carrier(self) -> bool:
        """Whether a parameter of a structure is renamed: elsewhere its name stands for the carrier of any model."""
        local = self.document.local_at(self.occurrence) if self.occurrence.local >= 0 else None
        return (
            local is not None
            and isinstance(local.node, tree.TypeParameter)
            and any(
                each.span.start <= local.start < each.span.end
                for each in self.document.program.items
                if isinstance(each, tree.Structure)
            )
        )


def check_renameable(asked: Renaming, *, may_change: Iterable[str]) -> None:
    """Raise `KleisError` (code ``rename``) for what cannot be renamed at all; `may_change` are the files that may be written."""
    occurrence = asked.occurrence
    name = occurrence.name
    if not occurrence.written or not is_word(asked.document.text[occurrence.start : occurrence.end]):
        raise _refusal(f"{name} is an operator, or written as an exponent", "choose a name")
    if occurrence.local >= 0:
        return
    if not asked.declared:
        if occurrence.space == "term" and name in builtin_arities():
            raise _refusal(f"{name} is built in", "declare a definition of another name that calls it")
        raise _refusal(f"nothing declares {name}", "declare it, or bind it, first")
    if occurrence.space == "term" and _is_built_in(name):
        raise _refusal(
            f"{name} is built in too, and the arguments decide which is meant", "rename it by hand"
        )
    allowed = frozenset(may_change)
    for each in asked.declared:
        if each.document.file not in allowed:
            raise _refusal(f"{name} is declared in {each.document.file}", "that file is not of this project")
    owners = {(each.declaration.owner, each.document.file) for each in asked.declared}
    kinds = {each.declaration.kind for each in asked.declared}
    if len(owners) > 1 and not kinds <= {"data type", "constructor"}:
        places = ", ".join(sorted({owner or file for owner, file in owners}))
        raise _refusal(
            f"{name} has declarations in several places ({places}), and sorts decide which is meant",
            "rename them one by one, by hand",
        )


def renamed(asked: Renaming, new: str) -> Mapping[str, tuple[Replacement, ...]]:
    """The replacements in each file, by its name. Raises `KleisError` (code ``rename``) where a meaning would change."""
    if not is_word(new):
        raise _refusal(f"{new!r} is no name", "a name has letters, digits and _, and begins with no digit")
    old = asked.occurrence.name
    if asked.occurrence.local >= 0:
        files: Sequence[Document] = (asked.document,)
        if asked.is_carrier:
            _check_carrier(asked, new)
    else:
        files = asked.files
        for file, theory in zip(asked.files, asked.theories, strict=True):
            _check_free(asked, file, theory, new)
    changes: dict[str, tuple[Replacement, ...]] = {}
    for file in files:
        places = [each for each in file.occurrences if _is_same(asked, file, each)]
        if not places:
            continue
        if file.result.errors:
            raise _refusal(
                f"{file.file} mentions {old} and does not parse", f"mend it first: {file.result.errors[0]}"
            )
        unwritten = next((each for each in places if not each.written), None)
        if unwritten is not None:
            line = file.text.count("\n", 0, unwritten.start) + 1
            raise _refusal(f"line {line} of {file.file} has {old} as an exponent, ⁿ", f"write ^{old} there")
        found = tuple(Replacement(each.start, each.end, new) for each in places)
        _check_same(file, Document(replaced(file.text, found), file.file), asked, new)
        changes[file.file] = found
    return changes


def replaced(text: str, changes: Sequence[Replacement]) -> str:
    """The text with replacements, given in order of place."""
    parts: list[str] = []
    place = 0
    for each in changes:
        parts += [text[place : each.start], each.text]
        place = each.end
    return "".join([*parts, text[place:]])


def _is_built_in(name: str) -> bool:
    known = Known(Theory(), builtin_arities())
    return known.is_value(name) or known.is_type(name)


def _is_same(asked: Renaming, file: Document, each: Occurrence) -> bool:
    wanted = asked.occurrence
    if wanted.local >= 0:
        return each.local == wanted.local
    return each.local < 0 and each.name == wanted.name and each.space == wanted.space


def _check_free(asked: Renaming, file: Document, theory: Theory, new: str) -> None:
    """Refuse a name that means something already where the renamed one is seen."""
    space = asked.occurrence.space
    proofs = frozenset({"axiom"})
    for each in theory.lookup(new):
        if (each.kind in proofs) == (space == "proof"):
            raise _refusal(f"{new} is declared already, at {each.place}", "choose another name")
    if space == "proof":
        taken = next((each for each in theory.lemmas if getattr(each.declaration, "name", "") == new), None)
        if taken is not None:
            raise _refusal(f"{new} is stated already, in {taken.file}", "choose another name")
        return
    known = Known(theory, builtin_arities())
    if known.is_value(new) or known.is_type(new):
        raise _refusal(f"{new} has a meaning already", "choose another name")
    used = next((each for each in file.occurrences if each.name == new and each.local < 0), None)
    if used is not None:
        line = file.text.count("\n", 0, used.start) + 1
        raise _refusal(
            f"line {line} of {file.file} has {new} as a name that nothing declares; it would then mean this",
            "choose another name",
        )


def _check_carrier(asked: Renaming, new: str) -> None:
    """Refuse where either name of a parameter of a structure is used outside of structures."""
    for file in (asked.document, *(each for each in asked.files if each.file != asked.document.file)):
        for each in file.occurrences:
            if each.local < 0 and each.space == "term" and each.name in (asked.occurrence.name, new):
                line = file.text.count("\n", 0, each.start) + 1
                raise _refusal(
                    f"line {line} of {file.file} has {each.name}, which stands there for the carrier of any model",
                    "choose another name, or bind it there",
                )


def _check_same(before: Document, after: Document, asked: Renaming, new: str) -> None:
    """Refuse where the text read again is not the old one with the name replaced."""
    changes = _Names(asked, new)
    same = (
        not after.result.errors
        and before.tokens.kinds == after.tokens.kinds
        and len(before.occurrences) == len(after.occurrences)
    )
    if same:
        moved = {a.start: b.start for a, b in zip(before.occurrences, after.occurrences, strict=True)}
        for one, other in zip(before.occurrences, after.occurrences, strict=True):
            name = new if _is_same(asked, before, one) else one.name
            if name != other.name or moved.get(one.local, -1) != other.local:
                line = before.text.count("\n", 0, one.start) + 1
                raise _refusal(
                    f"{new} would mean something else in line {line} of {before.file}, or hide it",
                    "choose another name",
                )
        same = changes.equal(before.program, after.program)
    if not same:
        raise _refusal(
            f"{before.file} would be read differently with {new} for {changes.old}", "choose another name"
        )


class _Names:
    """Whether two trees are the same but for names: those that were replaced, or parts of them."""

    def __init__(self, asked: Renaming, new: str) -> None:
        self.old = asked.occurrence.name
        self.new = new

    def equal(self, first: tree.Program, second: tree.Program) -> bool:
        """Whether the trees agree; which occurrences were replaced is checked apart."""
        waiting: list[tuple[object, object]] = [(first.items, second.items)]
        while waiting:
            one, other = waiting.pop()
            if type(one) is not type(other):
                return False
            if isinstance(one, tuple) and isinstance(other, tuple):
                if len(one) != len(other):
                    return False
                waiting += zip(one, other, strict=True)
            elif isinstance(one, tree.Node):
                fields = one.__struct_fields__
                waiting += [(getattr(one, each), getattr(other, each)) for each in fields if each != "span"]
            elif one != other and not self._same_name(one, other):
                return False
        return True

    def _same_name(self, one: object, other: object) -> bool:
        if not isinstance(one, str) or not isinstance(other, str):
            return False
        return [self._replaced(each) for each in one.split("::")] == other.split("::") or (
            # The name that ∃! adds is chosen so that it does not occur.
            one.rpartition("_")[0].startswith(self.old) and other.rpartition("_")[0].startswith(self.new)
        )

    def _replaced(self, part: str) -> str:
        base = part.rstrip(SUPERSCRIPTS)
        if canonical_name(part) == self.old:
            return self.new
        return self.new + part[len(base) :] if base == self.old else part


def _refusal(message: str, hint: str) -> KleisError:
    return KleisError(message, code="rename", hint=hint)
