"""Where local names reach: parameters, bound variables, variables of patterns, the lets of an example.

Invariants
    * The ranges of one name are disjoint or inside one another.
    * A range begins at or after the first token that may mean the name, and the innermost range decides.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kleis.editing.declared_names import name_range
from kleis.syntax import tree
from kleis.syntax.parser.lexer import Tokens
from kleis.syntax.tree.traversal import walk

__all__ = ["LocalScope", "local_scopes"]


class LocalScope(msgspec.Struct, frozen=True):
    """A local name, the place where it is bound, and a range of the text in which it means that."""

    name: str
    name_start: int
    name_end: int
    start: int
    end: int
    node: tree.Node
    """The binder, parameter, type parameter, pattern or statement."""


def local_scopes(program: tree.Program, tokens: Tokens) -> Iterator[LocalScope]:
    """All local names of a program; outer ones before inner ones of the same range."""
    for item in program.items:
        if isinstance(item, tree.Example):
            yield from _statements(item, tokens)
        for node in walk(item):
            yield from _bound(node, tokens)


def _bound(node: tree.Node, tokens: Tokens) -> Iterator[LocalScope]:
    match node:
        case tree.Structure() | tree.DataDefinition() | tree.AliasDefinition():
            for each in node.parameters:
                yield from _scope(each, each.name, tokens, node.span)
        case tree.VariantField(name=str(name)):
            # A label, which nothing in the text refers to: it reaches nowhere.
            nowhere = msgspec.structs.replace(node.span, end=node.span.start)
            yield from _scope(node, name, tokens, nowhere)
        case tree.ForAllType():
            for each in node.variables:
                yield from _scope(each, each.name, tokens, node.span)
        case tree.FunctionDefinition():
            for parameter in node.parameters:
                yield from _scope(parameter, parameter.name, tokens, node.span)
        case tree.OperationImplementation():
            for parameter in node.parameters:
                yield from _scope(parameter, parameter.name, tokens, node.body.span)
        case tree.Lambda():
            for parameter in node.parameters:
                yield from _scope(parameter, parameter.name, tokens, node.body.span)
        case tree.Quantifier():
            reach = [node.body.span] if node.where is None else [node.where.span, node.body.span]
            for binder in node.binders:
                yield from _scope(binder, binder.name, tokens, *reach)
        case tree.Let():
            yield from _pattern(node.pattern, tokens, node.body.span)
        case tree.Case():
            reach = [node.body.span] if node.guard is None else [node.guard.span, node.body.span]
            yield from _pattern(node.pattern, tokens, *reach)
        case _:
            pass


def _pattern(pattern: tree.Pattern, tokens: Tokens, *reach: tree.Span) -> Iterator[LocalScope]:
    for node in walk(pattern):
        if isinstance(node, tree.VariablePattern):
            yield from _scope(node, node.name, tokens, *reach)
        elif isinstance(node, tree.AsPattern):
            yield from _scope(node, node.name, tokens, *reach, last=True)


def _statements(example: tree.Example, tokens: Tokens) -> Iterator[LocalScope]:
    """A let of an example reaches from its end to the end of the block."""
    for each in example.statements:
        if isinstance(each, tree.LetStatement):
            found = name_range(each, each.name, tokens)
            if found is not None:
                yield LocalScope(each.name, *found, each.span.end, example.span.end, each)


def _scope(
    node: tree.Node, name: str, tokens: Tokens, *reach: tree.Span, last: bool = False
) -> Iterator[LocalScope]:
    found = name_range(node, name, tokens, last=last)
    if found is not None:
        for span in reach:
            yield LocalScope(name, *found, span.start, span.end, node)
