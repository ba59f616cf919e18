"""What a program declares, and where each name is written.

The span of a node is that of the whole declaration; editors want the name in it, which is found among the tokens.

Invariant: a name that is not written in the text (the second variable of ``∃!``) is not listed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.parser.lexer import Tokens

__all__ = ["Declaration", "DeclaredKind", "declarations_in", "name_range"]

DeclaredKind: TypeAlias = Literal[
    "structure", "data type", "constructor", "type alias", "definition", "operation", "element", "field", "axiom",
    "lemma", "theorem", "promise", "nested structure", "renamed member",
]  # fmt: skip

_PROOF: frozenset[DeclaredKind] = frozenset({"axiom", "lemma", "theorem", "promise"})

_KINDS: dict[type, DeclaredKind] = {
    tree.Structure: "structure",
    tree.DataDefinition: "data type",
    tree.AliasDefinition: "type alias",
    tree.FunctionDefinition: "definition",
    tree.OperationDeclaration: "operation",
    tree.ElementDeclaration: "element",
    tree.Field: "field",
    tree.Axiom: "axiom",
    tree.NestedStructure: "nested structure",
}

_WORDS = {
    tree.Structure: "STRUCTURE",
    tree.DataDefinition: "DATA",
    tree.AliasDefinition: "TYPE",
    tree.FunctionDefinition: "DEFINE",
    tree.OperationDeclaration: "OPERATION",
    tree.ElementDeclaration: "ELEMENT",
    tree.Axiom: "AXIOM",
    tree.NestedStructure: "STRUCTURE",
    tree.LetStatement: "LET",
    tree.ElementImplementation: "ELEMENT",
    tree.OperationImplementation: "OPERATION",
    tree.VerifyImplementation: "VERIFY",
    tree.Implements: "IMPLEMENTS",
}
"""The word after which a node's name stands; before it there may be an annotation."""


class Declaration(msgspec.Struct, frozen=True):
    """A declared name.

    name
        Canonical: ``operation (+)`` declares ``plus``.
    owner
        ``Group`` for a member, ``Ring::additive`` for one of a nested structure, the data type for a constructor.
    start, end
        The name in the text, in code points.
    """

    name: str
    kind: DeclaredKind
    owner: str
    start: int
    end: int
    node: tree.Node

    @property
    def space(self) -> str:
        """``proof`` for what proofs are named by, ``term`` for all else: the two do not meet."""
        return "proof" if self.kind in _PROOF else "term"

    @property
    def span(self) -> tree.Span:
        """The whole declaration."""
        span: tree.Span = getattr(self.node, "span", tree.NO_SPAN)
        return span


def declarations_in(program: tree.Program, tokens: Tokens) -> Iterator[Declaration]:
    """The names that a program declares globally, members of structures included, in order of the text."""
    for item in program.items:
        match item:
            case tree.Structure():
                yield from _one(item, item.name, _KINDS[type(item)], "", tokens)
                yield from _renamings(item.renamings, item.name, tokens)
                yield from _members(item.members, item.name, tokens)
            case tree.DataDefinition():
                yield from _one(item, item.name, "data type", "", tokens)
                for variant in item.variants:
                    yield from _one(variant, variant.name, "constructor", item.name, tokens)
            case tree.AliasDefinition() | tree.FunctionDefinition() | tree.OperationDeclaration():
                yield from _one(item, item.name, _KINDS[type(item)], "", tokens)
            case tree.Lemma():
                yield from _one(item, item.name, item.word, "", tokens)
            case _:
                pass


def _members(members: tuple[tree.StructureMember, ...], owner: str, tokens: Tokens) -> Iterator[Declaration]:
    for member in members:
        yield from _one(member, member.name, _KINDS[type(member)], owner, tokens)
        if isinstance(member, tree.NestedStructure):
            yield from _renamings(member.renamings, f"{owner}::{member.name}", tokens)
            yield from _members(member.members, f"{owner}::{member.name}", tokens)


def _renamings(renamings: tuple[tree.Renaming, ...], owner: str, tokens: Tokens) -> Iterator[Declaration]:
    for each in renamings:
        found = name_range(each, each.new, tokens, last=True)
        if found is not None:
            yield Declaration(canonical_name(each.new), "renamed member", owner, *found, each)


def _one(node: tree.Node, name: str, kind: DeclaredKind, owner: str, tokens: Tokens) -> Iterator[Declaration]:
    found = name_range(node, name, tokens)
    if found is not None:
        yield Declaration(canonical_name(name), kind, owner, *found, node)


def name_range(node: tree.Node, name: str, tokens: Tokens, *, last: bool = False) -> tuple[int, int] | None:
    """Where a node's name is written: the first place in its span (or the `last`), after the word that begins it."""
    span: tree.Span = getattr(node, "span", tree.NO_SPAN)
    index = bisect_left(tokens.starts, span.start)
    word = "" if last else (node.word.upper() if isinstance(node, tree.Lemma) else _WORDS.get(type(node), ""))
    wanted = canonical_name(name)
    found: tuple[int, int] | None = None
    while index < len(tokens) and tokens.starts[index] < span.end:
        text = tokens.texts[index]
        if word:
            if tokens.kinds[index] == word:
                word = ""
        elif text == name or canonical_name(text) == wanted:
            found = tokens.starts[index], tokens.end(index)
            if not last:
                return found
        index += 1
    return found
