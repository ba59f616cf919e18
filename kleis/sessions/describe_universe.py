"""What a session declares, at levels of detail: names, signatures, everything.

See docs/reference/registry.md §12.6.

Invariants
    * An answer has at most about `_MOST` characters of JSON: what does not fit is counted in `left_out`, the session's
      own declarations come first, and each can be asked for by its name.
    * Axioms and functions are Kleis text that parses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from kleis.core import Symbol
from kleis.core.sort_printing import sort_text
from kleis.delaborate.describe_goal import expression_of
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.universe import Universe
from kleis.spelling import nearest
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.printer.program import print_declaration, print_expression, print_type
from kleis.theory.theory import Entry

__all__ = ["Depth", "describe", "describe_name"]

Depth: TypeAlias = Literal["names", "signatures", "full"]

_MOST = 14_000
_KINDS = ("structures", "data_types", "functions")

_Describe: TypeAlias = "Callable[[Any, Depth], dict[str, Any]]"


def describe(universe: Universe, depth: Depth, *, session_file: str) -> dict[str, Any]:
    """The schema of a whole session."""
    entries = {
        "structures": _current(universe, tree.Structure, universe.theory.structures.get),
        "data_types": _current(universe, tree.DataDefinition, universe.theory.data.get),
        "functions": _current(universe, tree.FunctionDefinition, _definition_of(universe)),
    }
    schema: dict[str, Any] = {
        "session": universe.session,
        "session_file": session_file,
        "imports": list(universe.imported.imports),
        "depth": depth,
        "session_history_count": universe.count,
        "stats": _stats(entries),
    }
    left = _MOST
    left_out: dict[str, int] = {}
    listed: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
    # The session's own first: of every kind, then what is imported.
    for own in (True, False):
        for kind in _KINDS:
            for entry in entries[kind]:
                if universe.is_own(entry.file) != own:
                    continue
                shown = _shown(entry, depth)
                left -= len(msgspec.json.encode(shown))
                if left > 0:
                    listed[kind].append(shown)
                else:
                    left_out[kind] = left_out.get(kind, 0) + 1
    schema |= listed
    if left_out:
        schema["left_out"] = left_out
        schema["rest"] = "pass `name` for one of them, or a smaller `depth`"
    if universe.stale:
        schema["warning"] = "what is imported has changed since the items were checked"
    return schema


def describe_name(universe: Universe, name: str, depth: Depth) -> dict[str, Any]:
    """The declarations of one name: a structure with what it inherits, a data type, functions, members."""
    found = universe.theory.lookup(name)
    if not found:
        close = nearest(name, universe.theory.names)
        raise SessionError(
            f"nothing is called {name} in the session {universe.session}",
            code="unknown-name",
            found=name[:80],
            hint=f"did you mean {' or '.join(close)}?"
            if close
            else "describe_schema without a name lists all",
        )
    declarations = []
    for each in found:
        if each.owner:
            node = {"name": each.name, "kind": each.kind, "in": each.owner, "kleis": _member_text(each.node)}
            declarations.append(node)
        else:
            shown = _shown(Entry(each.item, each.file), depth)
            if isinstance(each.item, tree.Structure):
                shown |= _inherited(universe, each.item)
            declarations.append({"kind": each.kind, **shown})
    return {
        "session": universe.session,
        "name": name,
        "depth": depth,
        "declarations": declarations[:50],
        "mentioned_by": sorted(
            {
                str(getattr(entry.declaration, "name", ""))
                for entry in universe.index.get(canonical_name(name), ())
                if getattr(entry.declaration, "name", "") != name
            }
        )[:50],
    }


# ── Entries ──────────────────────────────────────────────────────────────────────────────────────────────────


def _current(universe: Universe, kind: type, lookup: Callable[[str], object]) -> list[Entry]:
    """The entries of one kind that their names stand for: no later declaration took the name."""
    return [
        entry
        for entry in universe.theory.entries
        if isinstance(entry.declaration, kind)
        and lookup(getattr(entry.declaration, "name", "")) is entry.declaration
    ]


def _definition_of(universe: Universe) -> Callable[[str], object]:
    definitions = universe.theory.definitions
    return lambda name: definitions.get(canonical_name(name))


def _stats(entries: dict[str, list[Entry]]) -> dict[str, int]:
    structures = [entry.declaration for entry in entries["structures"]]
    return {
        **{kind: len(entries[kind]) for kind in _KINDS},
        "axioms": sum(_axiom_count(each.members) for each in structures if isinstance(each, tree.Structure)),
    }


def _axiom_count(members: Sequence[tree.StructureMember]) -> int:
    """The number of axioms, those of nested structures included."""
    return sum(
        _axiom_count(each.members) if isinstance(each, tree.NestedStructure) else isinstance(each, tree.Axiom)
        for each in members
    )


# ── One declaration ──────────────────────────────────────────────────────────────────────────────────────────


def _shown(entry: Entry, depth: Depth) -> dict[str, Any]:
    declaration = entry.declaration
    match declaration:
        case tree.Structure():
            return _structure(declaration, depth)
        case tree.DataDefinition():
            return _data(declaration, depth)
        case tree.FunctionDefinition():
            return _function(declaration, depth)
        case _:
            return {"name": getattr(declaration, "name", ""), "kleis": print_declaration(declaration)}


def _structure(node: tree.Structure, depth: Depth) -> dict[str, Any]:
    if depth == "names":
        return {"name": node.name}
    shown: dict[str, Any] = {"name": node.name, "type_params": [_parameter(each) for each in node.parameters]}
    if node.extends is not None:
        shown["extends"] = print_type(node.extends)
    if node.over is not None:
        shown["over"] = print_type(node.over)
    shown["operations"] = [
        {"name": each.name, "type": print_type(each.type)}
        for each in node.members
        if isinstance(each, tree.OperationDeclaration | tree.ElementDeclaration)
    ]
    shown["fields"] = [
        {"name": each.name, "type": print_type(each.type)}
        for each in node.members
        if isinstance(each, tree.Field)
    ]
    axioms = [each for each in node.members if isinstance(each, tree.Axiom)]
    if depth == "signatures":
        shown["axioms"] = [each.name for each in axioms]
        return shown
    shown["axioms"] = [{"name": each.name, "kleis": print_expression(each.proposition)} for each in axioms]
    nested = [each for each in node.members if isinstance(each, tree.NestedStructure)]
    if nested:
        shown["nested"] = [{"name": each.name, "type": print_type(each.type)} for each in nested]
    shown["kleis"] = print_declaration(node)
    return shown


def _data(node: tree.DataDefinition, depth: Depth) -> dict[str, Any]:
    if depth == "names":
        return {"name": node.name}
    shown: dict[str, Any] = {
        "name": node.name,
        "type_params": [_parameter(each) for each in node.parameters],
        "variants": [
            {
                "name": each.name,
                "fields": [_field(field.name, print_type(field.type)) for field in each.fields],
            }
            for each in node.variants
        ],
    }
    if depth == "full":
        shown["kleis"] = print_declaration(node)
    return shown


def _function(node: tree.FunctionDefinition, depth: Depth) -> dict[str, Any]:
    if depth == "names":
        return {"name": node.name}
    shown: dict[str, Any] = {
        "name": node.name,
        "params": [_field(each.name, print_type(each.type) if each.type else "") for each in node.parameters],
    }
    if node.result is not None:
        shown["result"] = print_type(node.result)
    if depth == "full":
        shown["body"] = print_expression(node.body)
        shown["kleis"] = print_declaration(node)
    return shown


def _member_text(node: Any) -> str:
    match node:
        case tree.Axiom():
            return print_expression(node.proposition)
        case tree.OperationDeclaration() | tree.ElementDeclaration() | tree.Field() | tree.NestedStructure():
            return print_type(node.type)
        case tree.FunctionDefinition():
            return print_declaration(node)
        case _:
            return str(getattr(node, "name", ""))


def _inherited(universe: Universe, node: tree.Structure) -> dict[str, Any]:
    """What a structure inherits: operations at its own carriers, axioms in its own names."""
    if node.extends is None and node.over is None:
        return {}
    elaborator = Elaborator(universe.theory)
    prefix = f"{node.name}::"
    try:
        if node.parameters:
            instance = elaborator.arbitrary(node.name)
        else:
            instance = elaborator.globals.section(node.name)
        own = {canonical_name(each.name) for each in node.members}
        symbols = [
            {"name": each.name.rpartition("::")[2], "type": _type_text(each).replace(prefix, "")}
            for each in instance.symbols
            if each.name.rpartition("::")[2] not in own
        ]
        axioms = [
            {
                "name": each.name,
                "kleis": print_expression(expression_of(elaborator.axiom(each).formula)).replace(prefix, ""),
            }
            for each in instance.axioms
            if each.node not in node.members
        ]
    except KleisError as error:
        return {"inherited": {"error": error.message}}
    return {"inherited": {"operations": symbols[:100], "axioms": axioms[:100]}}


def _type_text(symbol: Symbol) -> str:
    """The type of a symbol: ``G × G → G``, with the names of carriers alone."""
    result = sort_text(symbol.codomain)
    return f"{' × '.join(sort_text(each) for each in symbol.domain)} → {result}" if symbol.domain else result


def _parameter(node: tree.TypeParameter) -> str:
    return f"{node.name} : {print_type(node.kind)}" if node.kind is not None else node.name


def _field(name: str | None, written: str) -> str:
    return f"{name} : {written}" if name and written else name or written
