"""Every name and operator of a text, and what it means: something local, or a global name.

The tokens are gone through, not the tree: ``a + b`` and a name in an import clause are tokens alike, and what the parser
adds to the tree (the second variable of ``∃!``) is no place in the text.  Which of several declarations a global name
means is asked in `definitions`.

Invariants
    * Linear in the text.
    * Occurrences are in order of the text and do not overlap.
    * Where the text does not parse, names are global: an item that was not read binds nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

import msgspec

from kleis.editing.declared_names import Declaration, declarations_in, name_range
from kleis.editing.local_scopes import LocalScope, local_scopes
from kleis.editing.words import VALUES, words
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.parser.lexer import VOID, Tokens, is_word
from kleis.syntax.parser.parser import parse_with_tokens
from kleis.syntax.superscripts import SUPERSCRIPTS
from kleis.syntax.tree.traversal import walk

__all__ = ["Document", "Occurrence"]

_NAMES = frozenset({"NAME", "QUALIFIED"})

_NO_OPERATORS = frozenset({VOID, "ARGUMENT_NAME", "EQUAL", "CASE_ARROW", "COLON"})
"""Kinds of tokens that are no operator, or that are also punctuation: the ``=`` of a definition."""


class Occurrence(msgspec.Struct, frozen=True):
    """A name or operator, code points `start` ≤ i < `end`.

    name
        Canonical: ``+`` is ``plus``.
    local
        Where the local name that it means is bound; -1 where it means a global one.
    space
        ``proof`` where an axiom or lemma is named, ``term`` elsewhere.
    owner
        What stands before it in a qualified name: ``Ring::additive`` of ``Ring::additive::e``.
    declares
        Whether it is bound or declared here.
    written
        Whether the name can be read off the text: not so the n of ``2ⁿ``.
    """

    start: int
    end: int
    name: str
    local: int = -1
    space: str = "term"
    owner: str = ""
    declares: bool = False
    written: bool = True


class Document:
    """A text as an editor has it: any text at all, parsed once."""

    def __init__(self, text: str, file: str = "<text>") -> None:
        self.text = text
        self.file = file
        self.result, self.tokens = parse_with_tokens(text, file=file)

    @property
    def program(self) -> tree.Program:
        """The items that could be read."""
        return self.result.program

    @cached_property
    def declarations(self) -> tuple[Declaration, ...]:
        """What is declared globally, in order of the text."""
        return tuple(declarations_in(self.program, self.tokens))

    @cached_property
    def scopes(self) -> tuple[LocalScope, ...]:
        """The local names."""
        return tuple(local_scopes(self.program, self.tokens))

    @cached_property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """All names and operators, in order of the text."""
        return tuple(_occurrences(self))

    @cached_property
    def names(self) -> frozenset[str]:
        """The canonical names that occur."""
        return frozenset(each.name for each in self.occurrences)

    def at(self, place: int) -> Occurrence | None:
        """The name at a code point, or ending there."""
        index = bisect_right(self.occurrences, place, key=lambda each: each.start) - 1
        if index < 0:
            return None
        found = self.occurrences[index]
        if found.start == place > 0 and index > 0 and not is_word(self.text[found.start : found.end]):
            before = self.occurrences[index - 1]
            if before.end == place:
                return before
        return found if place <= found.end else None

    def item_at(self, place: int) -> tree.Declaration | None:
        """The top-level item around a code point."""
        items = self.program.items
        index = bisect_right(items, place, key=lambda each: each.span.start) - 1
        return items[index] if index >= 0 and place <= items[index].span.end else None

    def local_at(self, occurrence: Occurrence) -> LocalScope | None:
        """Where the local name of an occurrence is bound."""
        return next((each for each in self.scopes if each.name_start == occurrence.local), None)


def _occurrences(document: Document) -> Iterator[Occurrence]:
    tokens = document.tokens
    declared = {each.start: each for each in document.declarations}
    bound = {each.name_start: each for each in document.scopes}
    proofs = _proof_names(document)
    locals_ = _Locals(document.scopes)
    operators = words().operators | words().word_operators
    types = _TypeRanges(document)
    for index in range(len(tokens)):
        start, text, kind = tokens.starts[index], tokens.texts[index], tokens.kinds[index]
        if start in declared:
            own = declared[start]
            yield Occurrence(start, own.end, own.name, space=own.space, owner=own.owner, declares=True)
        elif start in bound:
            yield Occurrence(start, tokens.end(index), text, local=start, declares=True)
        elif kind in _NAMES or (kind not in _NO_OPERATORS and text in operators and not types.around(start)):
            if index and tokens.kinds[index - 1] == "AT":
                continue
            if kind == "QUALIFIED":
                yield from _qualified(start, text, locals_)
            elif start in proofs:
                yield Occurrence(start, tokens.end(index), text, space="proof")
            elif text not in VALUES:
                yield from _plain(start, text, locals_)
        elif kind == "SUPERSCRIPT" and "ⁿ" in text:
            end = tokens.end(index)
            yield Occurrence(end - 1, end, "n", locals_.at("n", start), written=False)


def _plain(start: int, text: str, locals_: _Locals) -> Iterator[Occurrence]:
    end = start + len(text)
    local = locals_.at(text, start)
    base = text.rstrip(SUPERSCRIPTS)
    if local < 0 and base and base != text and is_word(base) and not locals_.declared(text):
        yield Occurrence(start, start + len(base), base, locals_.at(base, start))
        if text.endswith("ⁿ"):
            yield Occurrence(end - 1, end, "n", locals_.at("n", start), written=False)
        return
    yield Occurrence(start, end, text if local >= 0 else canonical_name(text), local)


def _qualified(start: int, text: str, locals_: _Locals) -> Iterator[Occurrence]:
    """The parts of ``Ring::additive::(•)``; what comes before each part is its owner."""
    owner = ""
    place = start
    for part in text.split("::"):
        name = part.removeprefix("(").removesuffix(")") if part != "()" else part
        left = place + (name != part)
        local = -1 if owner else locals_.at(name, start)
        yield Occurrence(left, left + len(name), canonical_name(name), local, owner=owner)
        owner = f"{owner}::{name}" if owner else name
        place += len(part) + 2


def _proof_names(document: Document) -> set[int]:
    """Where ``verify`` and ``using`` name axioms and lemmas."""
    tokens = document.tokens
    found: set[int] = set()
    for item in document.program.items:
        if isinstance(item, tree.Implements):
            for member in item.members:
                if isinstance(member, tree.VerifyImplementation):
                    place = name_range(member, member.name, tokens)
                    found |= {place[0]} if place is not None else set()
        elif isinstance(item, tree.Lemma) and item.using:
            found |= {_last_named(item, name, tokens) for name in item.using} - {-1}
    return found


def _last_named(lemma: tree.Lemma, name: str, tokens: Tokens) -> int:
    """Where a lemma names another one: at the end, behind its proposition."""
    index = bisect_right(tokens.starts, lemma.span.end - 1) - 1
    while index >= 0 and tokens.starts[index] >= lemma.span.start and tokens.kinds[index] != "USING":
        if tokens.texts[index] == name:
            return tokens.starts[index]
        index -= 1
    return -1


class _TypeRanges:
    """Whether a place, asked about in order of the text, is inside of a type: there ``×`` and ``→`` are no operations."""

    def __init__(self, document: Document) -> None:
        spans = (
            node.span
            for node in walk(*document.program.items)
            if isinstance(node, tree.FunctionType | tree.ProductType | tree.DimensionOperation)
        )
        self._coming = sorted(((each.start, each.end) for each in spans), reverse=True)
        self._end = 0

    def around(self, place: int) -> bool:
        """Whether a type with operators is around the place."""
        while self._coming and self._coming[-1][0] <= place:
            self._end = max(self._end, self._coming.pop()[1])
        return place < self._end


class _Locals:
    """What a name means locally at places that are asked about in order of the text."""

    def __init__(self, scopes: tuple[LocalScope, ...]) -> None:
        self._coming: dict[str, list[LocalScope]] = defaultdict(list)
        self._open: dict[str, list[LocalScope]] = defaultdict(list)
        for each in sorted(scopes, key=lambda each: (each.start, -each.end), reverse=True):
            self._coming[each.name].append(each)

    def declared(self, name: str) -> bool:
        """Whether the name is local anywhere."""
        return name in self._coming or name in self._open

    def at(self, name: str, place: int) -> int:
        """Where the local name is bound that a name means at a place; -1 if it means none."""
        coming = self._coming.get(name)
        if coming is None:
            return -1
        around = self._open[name]
        while coming and coming[-1].start <= place:
            around.append(coming.pop())
        while around and around[-1].end <= place:
            around.pop()
        return around[-1].name_start if around else -1
