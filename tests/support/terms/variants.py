"""Variants of programs and propositions: bound variables renamed, symbols renamed, parts mutated.

`essence` is the part of a goal that all variants have in common: no places, no order of declarations, variables by
their position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

from kleis.builtins.rows.table import find_builtin
from kleis.core import Lambda as CoreLambda
from kleis.core import Term
from kleis.core.goal import Goal
from kleis.core.traversal import canonical
from kleis.syntax.tree import (
    AsPattern,
    Binder,
    Call,
    Case,
    DataDefinition,
    ElementDeclaration,
    Field,
    FunctionDefinition,
    Lambda,
    Let,
    Name,
    NestedStructure,
    Node,
    OperationDeclaration,
    Parameter,
    Program,
    Quantifier,
    Structure,
    TypeParameter,
    VariablePattern,
    Variant,
    split_name,
)
from kleis.syntax.tree.traversal import walk

__all__ = [
    "declared_names",
    "essence",
    "places",
    "replaced_at",
    "with_fresh_variables",
    "with_renamed_symbols",
]

Names: TypeAlias = Mapping[str, str]


def essence(meaning: Goal) -> dict[str, Any]:
    """A goal without places and order."""
    return {
        "claim": meaning.claim and canonical(meaning.claim),
        "free": [each.sort for each in meaning.free],
        "instances": set(meaning.instances),
        "carriers": set(meaning.carriers),
        "symbols": set(meaning.symbols),
        "axioms": {(each.name, canonical(each.formula), each.standing) for each in meaning.axioms},
        "definitions": {
            (each.key, each.result, _closed(each.parameters, each.body)) for each in meaning.definitions
        },
        "terminations": {
            (key, each.kind, each.arguments, _closed(meaning.definition(key).parameters, each.condition))
            for key, each in meaning.terminations
        },
        "data": {each for group in meaning.data for each in group},
        "obligations": {
            (each.kind, each.name, each.subject, canonical(each.formula)) for each in meaning.obligations
        },
        "unsettled": {each.reason for each in meaning.unsettled},
    }


def _closed(parameters: tuple[Any, ...], body: Term | None) -> Term | None:
    if body is None or not parameters:
        return body
    return canonical(CoreLambda(parameters, body))


# ── Other names for bound variables ──────────────────────────────────────────────────────────────────────────


def with_fresh_variables(node: Node, fresh: Callable[[str], str]) -> Any:
    """The node with every variable it binds called otherwise; `fresh` must not give names that are in use."""
    return _Variables(fresh).change(node, {})


class _Variables:
    def __init__(self, fresh: Callable[[str], str]) -> None:
        self._fresh = fresh

    def change(self, node: Any, names: Names) -> Any:
        match node:
            case Name():
                return msgspec.structs.replace(node, name=names.get(node.name, node.name))
            case Call():
                arguments = tuple(self.change(each, names) for each in node.arguments)
                return msgspec.structs.replace(
                    node, name=names.get(node.name, node.name), arguments=arguments
                )
            case Quantifier():
                inner = self._bind(names, (binder.name for binder in node.binders))
                return self._parts(node, inner)
            case Lambda() | FunctionDefinition():
                inner = self._bind(names, (parameter.name for parameter in node.parameters))
                return self._parts(node, inner)
            case Let():
                inner = self._bind(names, _pattern_names(node.pattern))
                pattern, body = self.change(node.pattern, inner), self.change(node.body, inner)
                return msgspec.structs.replace(
                    node, pattern=pattern, value=self.change(node.value, names), body=body
                )
            case Case():
                return self._parts(node, self._bind(names, _pattern_names(node.pattern)))
            case Binder() | Parameter() | VariablePattern():
                return msgspec.structs.replace(node, name=names.get(node.name, node.name))
            case AsPattern():
                return msgspec.structs.replace(
                    node, pattern=self.change(node.pattern, names), name=names[node.name]
                )
            case _:
                return self._parts(node, names)

    def _parts(self, node: Any, names: Names) -> Any:
        return _rebuilt(node, lambda part: self.change(part, names))

    def _bind(self, names: Names, bound: Iterator[str]) -> Names:
        return {**names, **{name: self._fresh(name) for name in bound}}


def _pattern_names(pattern: Node) -> Iterator[str]:
    return (each.name for each in walk(pattern) if isinstance(each, VariablePattern | AsPattern))


def _rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    changes = {}
    for field in node.__struct_fields__:
        value = getattr(node, field)
        if isinstance(value, Node):
            changes[field] = change(value)
        elif isinstance(value, tuple) and any(isinstance(each, Node) for each in value):
            changes[field] = tuple(change(each) for each in value)
    return msgspec.structs.replace(node, **changes) if changes else node


# ── Other names for symbols ──────────────────────────────────────────────────────────────────────────────────

_DECLARING = (
    DataDefinition,
    ElementDeclaration,
    Field,
    FunctionDefinition,
    NestedStructure,
    OperationDeclaration,
    Structure,
    TypeParameter,
    Variant,
)


def declared_names(program: Program) -> frozenset[str]:
    """What a program declares in words of its own; no operators, and no names of built-ins."""
    names = {each.name for each in walk(*program.items) if isinstance(each, _DECLARING)}
    names |= {each.new for each in walk(*program.items) if hasattr(each, "new")}
    return frozenset(name for name in names if name.isidentifier() and find_builtin(name) is None)


def with_renamed_symbols(node: Any, names: frozenset[str], suffix: str) -> Any:
    """The node with all those names called otherwise, wherever they stand, alone or within a qualified name."""

    def renamed(text: str) -> str:
        return "::".join(part + suffix if part in names else part for part in split_name(text))

    def change(each: Any) -> Any:
        each = _rebuilt(each, change)
        words = {
            field: renamed(getattr(each, field)) for field in ("name", "old", "new") if _names(each, field)
        }
        return msgspec.structs.replace(each, **words) if words else each

    return change(node)


def _names(node: Node, field: str) -> bool:
    return isinstance(getattr(node, field, None), str)


# ── Places in an expression ──────────────────────────────────────────────────────────────────────────────────


def places(node: Node, wanted: Callable[[Any], bool]) -> list[tuple[Any, ...]]:
    """The paths to the nodes below that are wanted; a path is fields and positions."""
    found = []
    waiting: list[tuple[Node, tuple[Any, ...]]] = [(node, ())]
    while waiting:
        each, path = waiting.pop()
        if wanted(each):
            found.append(path)
        for field in each.__struct_fields__:
            value = getattr(each, field)
            if isinstance(value, Node):
                waiting.append((value, (*path, field)))
            elif isinstance(value, tuple):
                parts = [
                    (part, (*path, field, at)) for at, part in enumerate(value) if isinstance(part, Node)
                ]
                waiting.extend(parts)
    return sorted(found, key=repr)


def replaced_at(node: Any, path: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    """The node with what stands at a path changed."""
    if not path:
        return change(node)
    field, *rest = path
    value = getattr(node, field)
    if isinstance(value, tuple):
        at, *deeper = rest
        value = (*value[:at], replaced_at(value[at], tuple(deeper), change), *value[at + 1 :])
    else:
        value = replaced_at(value, tuple(rest), change)
    return msgspec.structs.replace(node, **{field: value})
