"""Two policies in one theory, so that one question can speak of both.

Whatever the second policy declares otherwise than the first gets another name there, everywhere it is mentioned.  What
both declare alike (the library, mostly) is shared.

Invariant: renaming is uniform and the new names are new, so every definition of the second policy computes what it did.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from kleis.errors import LoadError
from kleis.policy.policy import Policy
from kleis.syntax.tree import (
    AsPattern,
    Binder,
    Call,
    ConstructorPattern,
    DataDefinition,
    Declaration,
    FunctionDefinition,
    Name,
    NamedType,
    Node,
    Parameter,
    VariablePattern,
    Variant,
)
from kleis.syntax.tree.traversal import walk
from kleis.theory.theory import Theory

__all__ = ["Combination", "combine"]

_NAMED = (
    Name,
    Call,
    NamedType,
    ConstructorPattern,
    VariablePattern,
    AsPattern,
    Binder,
    Parameter,
    FunctionDefinition,
    DataDefinition,
    Variant,
)

_N = TypeVar("_N", bound=Node)


class Combination(msgspec.Struct, frozen=True):
    """A theory of both policies, with the definitions of each under the names it gave them."""

    theory: Theory
    first: Mapping[str, FunctionDefinition]
    second: Mapping[str, FunctionDefinition]
    constructors: Mapping[str, str]
    """All constructors, with what each is called in its policy."""


def combine(first: Policy, second: Policy) -> Combination:
    """Both policies in one theory.  Raises `LoadError` where they cannot be told apart by renaming."""
    changed = _changed(first.theory, second.theory)
    prefix = _prefix(first.theory, second.theory)
    names = {name: prefix + name for name in changed}
    kept: list[Declaration] = []
    known = {entry.declaration for entry in first.theory.entries}
    for entry in second.theory.entries:
        item = entry.declaration
        match item:
            case FunctionDefinition() | DataDefinition():
                if _declares(item) & changed:
                    kept.append(_renamed(item, names))
            case _ if item in known or type(item).__name__ in ("Import", "Annotation", "Example"):
                continue
            case _:
                raise LoadError(
                    "the policies declare different structures or operations, and cannot be compared",
                    code="not-comparable",
                    hint="compare policies that differ in definitions and data types only",
                )
    theory = first.theory.extend(kept, file="<second policy>")
    definitions = {name: theory.definitions[names.get(name, name)] for name in second.theory.definitions}
    constructors = {name: name for name in first.theory.constructors}
    constructors |= {names.get(name, name): name for name in second.theory.constructors}
    return Combination(theory, first.theory.definitions, definitions, constructors)


def _declares(item: FunctionDefinition | DataDefinition) -> frozenset[str]:
    if isinstance(item, FunctionDefinition):
        return frozenset({item.name})
    return frozenset({item.name, *(each.name for each in item.variants)})


def _changed(first: Theory, second: Theory) -> frozenset[str]:
    """The names that the second theory declares otherwise, and what of it mentions them."""
    mentions: dict[str, frozenset[str]] = {}
    changed: set[str] = set()
    declared: list[tuple[frozenset[str], Node, Node | None]] = [
        (frozenset({name}), item, first.definitions.get(name)) for name, item in second.definitions.items()
    ]
    declared += [(_declares(item), item, first.data.get(name)) for name, item in second.data.items()]
    for names, item, other in declared:
        found = frozenset(str(getattr(node, "name", "")) for node in walk(item) if isinstance(node, _NAMED))
        for name in names:
            mentions[name] = found
        if item != other:
            changed |= names
    while True:
        more = {name for name, found in mentions.items() if name not in changed and found & changed}
        if not more:
            return frozenset(changed)
        changed |= more


def _prefix(*theories: Theory) -> str:
    """A beginning that no name in either theory has."""
    taken = [
        str(getattr(node, "name", ""))
        for theory in theories
        for entry in theory.entries
        for node in walk(entry.declaration)
    ]
    prefix = "other_"
    while any(name.startswith(prefix) for name in taken):
        prefix += "other_"
    return prefix


def _renamed(node: _N, names: Mapping[str, str]) -> _N:
    """The tree with every name replaced, binders included."""
    fields: dict[str, Any] = {field: _field(getattr(node, field), names) for field in node.__struct_fields__}
    if isinstance(node, _NAMED) and node.name in names:
        fields["name"] = names[node.name]
    return type(node)(**fields)


def _field(value: Any, names: Mapping[str, str]) -> Any:
    """A field of a node with the names in it replaced."""
    if isinstance(value, tuple):
        return tuple(_field(each, names) for each in value)
    return _renamed(value, names) if isinstance(value, Node) else value
