"""Searches for literal texts, written as membership in regular languages.

``contains(x, "a")`` is ``matches(x, Σ* a Σ*)``, and so for prefixes and suffixes.  The solver decides any number of
memberships of one text together; of searches it loses its way in two (``contains(x, "sudo ") ∧ ¬contains(x, "sudo")``).

Invariant: what is written otherwise has the same value for every text.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeVar

from kleis.policy.guards import builtin_name
from kleis.syntax import Call, Expression, FunctionDefinition, Name, Node, Text
from kleis.theory import Theory

__all__ = ["in_regular_form", "theory_in_regular_form"]

_N = TypeVar("_N", bound=Node)

_WRITTEN = ("matches", "re_concat", "re_full", "re_literal")
"""The names that memberships are written with."""


def theory_in_regular_form(theory: Theory) -> Theory:
    """The theory with the searches in its definitions written as memberships."""
    own = frozenset((*theory.definitions, *theory.constants))
    rewritten = Theory()
    for entry in theory.entries:
        item = entry.declaration
        if isinstance(item, FunctionDefinition):
            item = in_regular_form(item, own)
        rewritten = rewritten.add(item, file=entry.file)
    return rewritten


def in_regular_form(node: _N, own: Collection[str]) -> _N:
    """The tree with its searches written as memberships; `own` are names that the program gives its own meaning."""
    fields = {field: _field(getattr(node, field), own) for field in node.__struct_fields__}
    rebuilt = type(node)(**fields)
    if isinstance(rebuilt, Call):
        found = _membership(rebuilt, own)
        if found is not None and isinstance(found, type(node)):
            return found
    return rebuilt


def _field(value: Any, own: Collection[str]) -> Any:
    if isinstance(value, tuple):
        return tuple(_field(each, own) for each in value)
    return in_regular_form(value, own) if isinstance(value, Node) else value


def _membership(call: Call, own: Collection[str]) -> Call | None:
    if call.name in own or len(call.arguments) != 2 or not isinstance(call.arguments[1], Text):
        return None
    if any(name in own for name in _WRITTEN):
        return None
    whole, part = call.arguments
    literal: Expression = Call("re_literal", (part,))
    everything: Expression = Name("re_full")
    language: tuple[Expression, ...]
    match builtin_name(call):
        case "contains":
            language = (everything, literal, everything)
        case "hasPrefix":
            language = (literal, everything)
        case "hasSuffix":
            language = (everything, literal)
        case _:
            return None
    return Call("matches", (whole, Call("re_concat", language)))
