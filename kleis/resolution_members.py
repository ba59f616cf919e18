"""What a structure has: its own members, those of its parents, and those that a renaming brings in.

Specification: proving.md §1 ("Structures with parameters"); kleis-language.md §6.3 (OURS: renaming).  Members of a
nested structure are reached as ``S::nested::x``; renamed ones are members of the outer structure too.

Invariant: terminates on any theory, also where structures extend one another in a circle.
"""

from __future__ import annotations

from collections.abc import Mapping

from kleis.operators import canonical_name
from kleis.syntax import (
    AppliedType,
    ElementDeclaration,
    Field,
    NamedType,
    NestedStructure,
    OperationDeclaration,
    Renaming,
    Structure,
    StructureMember,
    TypeExpression,
)
from kleis.theory import Theory

__all__ = ["ancestry", "head_name", "members_at", "members_of", "needed", "parents"]

_MOST_VISITS = 5000
"""Parents by way of different renamings are different; so many ways are followed, then no more."""


def head_name(expression: TypeExpression | None) -> str | None:
    """The name a structure reference begins with: ``Ring`` of ``Ring(ℤ)``; None if it is no such reference."""
    return expression.name if isinstance(expression, NamedType | AppliedType) else None


def parents(structure: Structure) -> tuple[tuple[str, tuple[Renaming, ...]], ...]:
    """The structures whose members a structure shares, with the renamings in between."""
    extended, base = head_name(structure.extends), head_name(structure.over)
    found: list[tuple[str, tuple[Renaming, ...]]] = []
    if extended is not None:
        found.append((extended, structure.renamings))
    if base is not None:
        found.append((base, ()))
    return tuple(found)


def ancestry(theory: Theory, name: str) -> tuple[str, ...]:
    """The declared structures that `name` inherits from, nearest first, without itself unless in a circle."""
    found: dict[str, None] = {}
    pending = [name]
    for each in pending:
        structure = theory.structures.get(each)
        for parent, _ in parents(structure) if structure is not None else ():
            if parent not in found and parent in theory.structures:
                found[parent] = None
                pending.append(parent)
    return tuple(found)


def members_of(theory: Theory, name: str) -> Mapping[str, StructureMember]:
    """The members of a structure by the name they have in it, inherited and renamed ones included.

    Its own members come before inherited ones of the same name.  Empty for an unknown structure.
    """
    found: dict[str, StructureMember] = {}
    pending: list[tuple[str, dict[str, str]]] = [(name, {})]
    seen: set[tuple[str, frozenset[tuple[str, str]]]] = set()
    for each, names in pending:
        structure = theory.structures.get(each)
        visit = (each, frozenset(names.items()))
        if structure is None or visit in seen or len(seen) == _MOST_VISITS:
            continue
        seen.add(visit)
        for member in structure.members:
            key = canonical_name(member.name)
            found.setdefault(names.get(key, key), member)
            if isinstance(member, NestedStructure):
                for renaming, source in _brought_in(theory, member):
                    found.setdefault(names.get(renaming.new, renaming.new), source)
        for parent, renamings in parents(structure):
            step = {renaming.old: renaming.new for renaming in renamings}
            above = {old: names.get(new, new) for old, new in step.items()}
            above.update({old: new for old, new in names.items() if old not in step})
            pending.append((parent, above))
    return found


def members_at(theory: Theory, path: tuple[str, ...]) -> Mapping[str, StructureMember] | None:
    """The members at a path: ``("Ring",)``, ``("Ring", "additive")``.  None if the path leads nowhere."""
    if path[0] not in theory.structures:
        return None
    here = members_of(theory, path[0])
    for step in path[1:]:
        nested = here.get(step)
        if not isinstance(nested, NestedStructure):
            return None
        here = _nested_members(theory, nested)
    return here


def _nested_members(theory: Theory, nested: NestedStructure) -> dict[str, StructureMember]:
    found: dict[str, StructureMember] = {canonical_name(each.name): each for each in nested.members}
    renamed = {renaming.old: renaming.new for renaming in nested.renamings}
    for name, member in members_of(theory, head_name(nested.type) or "").items():
        found.setdefault(name, member)
        if name in renamed:
            found.setdefault(renamed[name], member)
    return found


def _brought_in(theory: Theory, nested: NestedStructure) -> list[tuple[Renaming, StructureMember]]:
    if not nested.renamings:
        return []
    source = _first_members(theory, head_name(nested.type) or "")
    return [(each, source[each.old]) for each in nested.renamings if each.old in source]


def _first_members(theory: Theory, name: str) -> Mapping[str, StructureMember]:
    """The members of a structure and its parents by their first names, without what nested ones bring in.

    Enough for a renaming, and unlike `members_of` it never looks into nested structures, so it cannot go round.
    """
    found: dict[str, StructureMember] = {}
    for each in (name, *ancestry(theory, name)):
        structure = theory.structures.get(each)
        for member in structure.members if structure is not None else ():
            found.setdefault(canonical_name(member.name), member)
            if isinstance(member, NestedStructure):
                for renaming in member.renamings:
                    found.setdefault(renaming.new, member)
        for renaming in structure.renamings if structure is not None else ():
            if renaming.old in found:
                found.setdefault(renaming.new, found[renaming.old])
    return found


def needed(members: Mapping[str, StructureMember]) -> tuple[str, ...]:
    """The names that an implementation has to give: not axioms, definitions or nested structures."""
    return tuple(
        name
        for name, member in members.items()
        if isinstance(member, OperationDeclaration | ElementDeclaration | Field)
    )
