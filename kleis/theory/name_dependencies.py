"""The names that a section depends on: a sound answer from its text alone.

A proposition uses the axioms of every section that a chain of links leads to; see docs/reference/proving.md §2.5.
Elaborating a thousand sections for one proposition would be slow, so only those are elaborated that mention a name of
what the proposition reaches.  A section must therefore mention every name that its axioms reach once they are
elaborated: an alias mentions what it stands for, a constructor its data type and that the types of its fields, an
operation the types it is declared at, a definition what its body mentions, an operation of an implementation what is
given for it, another spelling of a built-in the built-in.

Invariants
    * The answer contains the last part of every name that `kleis.core.traversal` finds in the section's axioms.
    * It may contain more: then a section is elaborated that turns out not to be linked.
    * A name is expanded once, and without recursion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from kleis.builtins.rows.table import find_builtin
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.tree.traversal import walk
from kleis.theory.theory import Declared, Theory

__all__ = ["NameDependencies", "Texts", "names_used"]

_UNNAMED = (tree.Axiom, tree.Lemma, tree.NestedStructure, tree.Structure)
"""Nodes whose own names are not names of values or types."""


Texts: TypeAlias = "dict[int, tuple[tree.Node, frozenset[str]]]"
"""The names in nodes, by identity of the node: theories that grew out of one another share nodes."""

_MOST_TEXTS = 50_000

_SCANS = 4
"""So often all sections are walked through: to turn their names round costs as much, and most commands ask one question."""


class NameDependencies:
    """The names that the sections of one theory depend on, computed on first use.

    `texts` caches the names in nodes between theories; this theory's nodes are added to it.
    """

    def __init__(self, theory: Theory, texts: Texts | None = None) -> None:
        self._theory = theory
        self._texts: Texts = {} if texts is None else texts
        self._sections: dict[str, frozenset[str]] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._given: dict[str, list[tree.Implements]] | None = None
        self._order: tuple[tree.Structure, ...] | None = None
        self._mentioning: dict[str, list[int]] | None = None
        self._scans = 0

    def sections_with(self, names: Iterable[str]) -> list[tuple[int, str]]:
        """The sections that may reach one of some names, in order of declaration: each with its place in that order.

        The first questions walk through all sections; the later ones look up those that they get.
        """
        sections = self._walked()
        if self._mentioning is None:
            self._scans += 1
            if self._scans <= _SCANS:
                wanted = frozenset(names)
                return [(place, each.name) for place, each in enumerate(sections) if self.of(each) & wanted]
            mentioning: dict[str, list[int]] = {}
            for place, each in enumerate(sections):
                for name in self.of(each):
                    mentioning.setdefault(name, []).append(place)
            self._mentioning = mentioning  # whole: other threads may be reading
        places = {place for name in names for place in self._mentioning.get(name, ())}
        return [(place, sections[place].name) for place in sorted(places)]

    def _walked(self) -> tuple[tree.Structure, ...]:
        if self._order is None:
            self._order = tuple(self._theory.summary.sections)
        return self._order

    def of(self, structure: tree.Structure) -> frozenset[str]:
        """All names that a section may reach, directly or through what they stand for."""
        known = self._sections.get(structure.name)
        if known is None:
            known = self._sections[structure.name] = self._reached(self._text(structure))
        return known

    def _text(self, node: tree.Node) -> frozenset[str]:
        known = self._texts.get(id(node))
        if known is None:
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            known = self._texts[id(node)] = (node, frozenset(names_used(node)))
        return known[1]

    def _reached(self, names: Iterable[str]) -> frozenset[str]:
        found = set(names)
        waiting = list(found)
        while waiting:
            name = waiting.pop()
            if name not in self._names:
                self._names[name] = frozenset(self._behind(name))
            fresh = self._names[name] - found
            found |= fresh
            waiting += fresh
        return frozenset(found)

    def _behind(self, name: str) -> Iterator[str]:
        """The names that one name leads to."""
        row = find_builtin(name)
        if row is not None:
            yield row.name
        for declared in self._theory.lookup(name):
            if declared.kind == "constructor":
                yield declared.owner
            elif _is_global(declared):
                yield from self._text(declared.node)
        for implementation in self._implementations().get(name, ()):
            yield from self._text(implementation)

    def _implementations(self) -> dict[str, list[tree.Implements]]:
        """The implementations by the names that they give."""
        if self._given is None:
            self._given = {}
            for each in self._theory.implementations:
                for member in each.members:
                    self._given.setdefault(canonical_name(member.name), []).append(each)
        return self._given


def _is_global(declared: Declared) -> bool:
    """Whether a name leads to a declaration wherever it stands.

    A structure with parameters does as a whole, where it is named; its members do not by their own names.
    """
    node, item = declared.node, declared.item
    if isinstance(node, tree.AliasDefinition | tree.DataDefinition | tree.Structure):
        return True
    return not (isinstance(item, tree.Structure) and item.parameters)


def names_used(node: tree.Node) -> Iterator[str]:
    """The names in a text: those used, and those of the members it declares."""
    for each in walk(node):
        if isinstance(each, tree.Renaming):
            yield each.new
        elif isinstance(
            each, tree.Name | tree.Call | tree.ConstructorPattern | tree.NamedType | tree.AppliedType
        ):
            yield from _parts(each.name)
        elif not isinstance(each, _UNNAMED) and isinstance(name := getattr(each, "name", None), str):
            yield canonical_name(name)


def _parts(name: str) -> Iterator[str]:
    """The structure a qualified name begins with, and its last part."""
    first, *rest = tree.split_name(name)
    yield canonical_name(first)
    if rest:
        yield canonical_name(rest[-1])
