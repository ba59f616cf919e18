"""Declarations and references read from Lean text.  See docs/reference/corpus.md §4.

A declaration's full name comes from the namespaces around it; its span runs to the next command.  A reference is an
identifier in the span that resolves, against the namespaces around it and what is open, to a known declaration.

Not seen, as every answer that rests on this says (`LIMITS`): macros and notation, generated names, dot notation on terms
(``h.symm``), instances found by search, names shadowed by binders.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import msgspec

from kleis.lean.language.lean_lexer import Token, scan

__all__ = ["LIMITS", "LeanDeclaration", "LeanFile", "read_lean", "references"]

LIMITS = (
    "read from the text: no macros, no dot-notation on terms, no generated names, no instance search",
    "a binder that has the name of a declaration counts as a reference to it",
)

KINDS = frozenset(
    ["theorem", "lemma", "def", "abbrev", "structure", "class", "inductive", "instance", "axiom", "opaque"]
)
_MODIFIERS = frozenset(
    ["private", "protected", "noncomputable", "partial", "unsafe", "nonrec", "local", "scoped"]
)
_OTHERS = frozenset(
    ["namespace", "section", "end", "open", "export", "import", "variable", "universe", "set_option", "attribute",
     "mutual", "example", "macro", "syntax", "notation", "infix", "infixl", "infixr", "prefix", "postfix", "elab",
     "initialize", "include", "omit", "deriving", "macro_rules", "elab_rules", "run_cmd"]
)  # fmt: skip
_DEEPEST, _MOST_OPEN = 64, 64

_OPENING = {"(": ")", "[": "]", "{": "}", "⟨": "⟩"}


class LeanDeclaration(msgspec.Struct, frozen=True):
    """A declaration.  `line` and `end_line` are 1-based; `scope` are the namespaces and opens it is read under."""

    name: str
    kind: str
    line: int
    end_line: int
    signature: str
    body_line: int
    has_sorry: bool
    scope: tuple[str, ...]
    identifiers: tuple[str, ...]


class LeanFile(msgspec.Struct, frozen=True):
    """The imports and declarations of a file."""

    imports: tuple[str, ...]
    declarations: tuple[LeanDeclaration, ...]


class _Reader:
    """One pass over the commands of a file."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found = [token for token in scan(text) if token.kind not in ("doc", "end")]
        self.starts = _command_starts(text, self.found)
        self.blocks: list[tuple[str, str, int]] = []
        self.opens: list[str] = []
        self.once: list[str] = []
        self.imports: list[str] = []
        self.declarations: list[LeanDeclaration] = []

    def read(self) -> LeanFile:
        bounds = [*self.starts, len(self.found)]
        for start, end in pairwise(bounds):
            self._command(self.found[start:end])
        return LeanFile(tuple(self.imports), tuple(self.declarations))

    def _command(self, found: Sequence[Token]) -> None:
        place = _after_modifiers(found)
        if place >= len(found):
            return
        word = found[place].text
        names = [token.text for token in found[place + 1 :] if token.kind == "name"]
        match word:
            case "import":
                self.imports += names[:1]
            case "namespace" | "section" | "mutual":
                self.once.clear()
                self.blocks.append((word, names[0] if names and word != "mutual" else "", len(self.opens)))
            case "end":
                self._end()
            case "open":
                opened = [name for name in names if name not in ("in", "hiding", "renaming", "scoped")]
                for_one = names[-1:] == ["in"]
                (self.once if for_one else self.opens).extend(opened)
            case _ if word in KINDS:
                self._declaration(found, place)
                self.once.clear()

    def _end(self) -> None:
        if self.blocks:
            _, _, opens = self.blocks.pop()
            del self.opens[opens:]

    def _namespace(self) -> str:
        blocks = self.blocks[:_DEEPEST]
        return ".".join(name for word, name, _ in blocks if word == "namespace" and name)

    def _declaration(self, found: Sequence[Token], place: int) -> None:
        kind = found[place].text
        named = place + 1 < len(found) and found[place + 1].kind == "name"
        short = found[place + 1].text if named else ""
        prefix = self._namespace()
        if short.startswith("_root_."):
            prefix, short = "", short.removeprefix("_root_.")
        body = _body(found, place + 2)
        inside = found[place + (2 if named else 1) :]
        first = found[place]
        last = found[-1]
        signature = " ".join(self.text[first.offset : found[body - 1].last].split())
        self.declarations.append(
            LeanDeclaration(
                name=".".join(filter(None, (prefix, short))) if named else "",
                kind=kind,
                line=first.line,
                end_line=last.line + last.text.count("\n"),
                signature=signature if len(signature) <= 2_000 else signature[:1_999] + "…",
                body_line=found[body].line if body < len(found) else last.line,
                has_sorry=any(token.kind == "name" and token.text in ("sorry", "admit") for token in inside),
                scope=(*_prefixes(prefix), *dict.fromkeys(self._opened())),
                identifiers=tuple(dict.fromkeys(token.text for token in inside if token.kind == "name")),
            )
        )

    def _opened(self) -> Iterable[str]:
        """The open namespaces, as they are and inside the namespaces around."""
        for name in (*self.once, *self.opens)[:_MOST_OPEN]:
            yield name
            for prefix in _prefixes(self._namespace()):
                yield f"{prefix}.{name}"


def _command_starts(text: str, found: Sequence[Token]) -> list[int]:
    """Where commands begin: at a command's word, modifier or attribute that is first on its line, outside brackets.

    Comments do not count, so what follows one that ends on the line may be first on it.
    """
    starts: list[int] = []
    closing: list[str] = []
    word = -1  # where the last command's own word stands: up to there it is still beginning
    for place, token in enumerate(found):
        is_attribute = token.text == "@" and place + 1 < len(found) and found[place + 1].text == "["
        is_word = token.kind == "name" and token.text in KINDS | _MODIFIERS | _OTHERS
        before = found[place - 1].offset if place else 0
        first = place == 0 or "\n" in text[before : token.offset]
        begins = first and (is_attribute or is_word) and not closing and place > word
        if begins and not (starts and token.text == "deriving"):
            starts.append(place)
            word = _after_modifiers(found, place)
        if token.kind != "symbol":
            continue
        if token.text in _OPENING:
            closing.append(_OPENING[token.text])
        elif closing and token.text == closing[-1]:
            closing.pop()
    return starts


def _after_modifiers(found: Sequence[Token], place: int = 0) -> int:
    """Where the command's own word stands, behind attributes and modifiers."""
    while place < len(found):
        if found[place].text == "@" and place + 1 < len(found) and found[place + 1].text == "[":
            place = _closed(found, place + 1)
        elif found[place].kind == "name" and found[place].text in _MODIFIERS:
            place += 1
        else:
            return place
    return place


def _closed(found: Sequence[Token], place: int) -> int:
    """The place after the bracket that closes the one at `place`."""
    depth = 0
    while place < len(found):
        depth += {"[": 1, "]": -1}.get(found[place].text, 0)
        place += 1
        if depth == 0:
            break
    return place


def _body(found: Sequence[Token], place: int) -> int:
    """Where the signature ends: at ``:=``, ``where`` or ``|`` outside of brackets."""
    depth = 0
    place = min(place, len(found))
    while place < len(found):
        value = found[place].text
        if found[place].kind == "symbol":
            depth += 1 if value in _OPENING else -1 if value in _OPENING.values() else 0
        if depth <= 0 and value in (":=", "where", "|"):
            return place
        place += 1
    return place


def _prefixes(name: str) -> tuple[str, ...]:
    """``A.B.C``, ``A.B``, ``A``."""
    parts = name.split(".") if name else []
    return tuple(".".join(parts[:count]) for count in range(len(parts), 0, -1))


def read_lean(text: str) -> LeanFile:
    """The imports and declarations of a Lean file.  Never raises."""
    return _Reader(text).read()


def references(declaration: LeanDeclaration, known: Mapping[str, object]) -> tuple[str, ...]:
    """The known declarations that a declaration's text names, in order, itself left out."""
    found: dict[str, None] = {}
    for identifier in declaration.identifiers:
        for name in (*(f"{scope}.{identifier}" for scope in declaration.scope), identifier):
            if name in known:
                if name != declaration.name:
                    found[name] = None
                break
    return tuple(found)
