"""A structure at its arguments with all that it inherits.

A structure shares the names of its parents: same name and same type is one symbol, another type an overload.  A
renaming clause gives a member of the parent another name, in the child and for everyone outside; the parent's own
axioms are read in the parent's scope, where the old name leads to the renamed symbol.

Members of a nested structure are its own (``additive::•``) unless they are renamed, or declared again around it with
the same name and type.  See docs/reference/proving.md §2.4.

Invariants
    * An ancestor that is reached twice with the same symbols is read once.
    * Definitions with equal keys are equal: a key holds the structure, its arguments and the names of its members.
    * Symbols are equal exactly if their names and sorts are; nothing else is compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from kleis import core
from kleis.core.goal import ElaborationError, Instance
from kleis.core.sort_printing import elaboration_error, sort_text, sorts_text
from kleis.elaborate.scopes.scope import Polymorphic, Rejected, Scope, Template
from kleis.elaborate.scopes.structure_scope import NamedAxiom, StructureInstance, StructureScope
from kleis.elaborate.sorts.dimensions import read_dimension
from kleis.elaborate.sorts.read_sorts import SortReader, is_number_parameter
from kleis.problems import Problem, place_of, problem_at
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name

__all__ = ["arbitrary_arguments", "read_structure"]

_MOST_ANCESTORS = 2000
_MOST_NESTED = 30

_Name = Callable[[str, tuple[core.Sort, ...], core.Sort], str]


def arbitrary_arguments(structure: tree.Structure) -> tuple[core.Sort | core.Dimension, ...]:
    """Arguments of which nothing is known: carriers and numbers named after the structure."""
    return tuple(
        core.Dimension((((f"{structure.name}::{each.name}",), 1),))
        if is_number_parameter(each)
        else core.Carrier(f"{structure.name}::{each.name}")
        for each in structure.parameters
    )


def read_structure(
    reader: SortReader,
    structure: tree.Structure,
    arguments: Sequence[core.Sort | core.Dimension],
    *,
    outer: Scope,
    file: str,
    scalars: Mapping[str, core.Sort | core.Dimension] | None = None,
    within: str = "",
) -> StructureInstance:
    """A structure at its arguments.  Raises `ElaborationError` if its inheritance is not valid.

    `scalars` are the types of what it is `over`, where they are known: the F of ``over Field(F)``.  `within` is a prefix
    for the keys of definitions: those of an implementation, whose symbols are given, differ from those of any model.
    """
    instance = Instance(structure.name, tuple(arguments))
    types = {**(scalars or {}), **_types(structure, arguments, file)}
    found = StructureInstance(instance, StructureScope(reader, types, outer, file, structure.name))
    naming = _Naming(lambda name, *_: name, within)
    key = naming.key(structure.name, arguments)
    inheritance = _StructureReader(reader, found, outer)
    inheritance.read(_Ancestor(structure, found.scope, structure.name, key, naming))
    inheritance.disambiguate_axioms()
    return found


def _types(
    structure: tree.Structure, arguments: Sequence[core.Sort | core.Dimension], file: str
) -> dict[str, core.Sort | core.Dimension]:
    if len(structure.parameters) != len(arguments):
        message = f"{structure.name} takes {len(structure.parameters)} types, here it has {len(arguments)}"
        raise elaboration_error(structure, file, "type-arity", message, found=str(len(arguments)))
    pairs = zip(structure.parameters, arguments, strict=True)
    types: dict[str, core.Sort | core.Dimension] = {}
    for parameter, argument in pairs:
        types[parameter.name] = argument
        types[f"{structure.name}::{parameter.name}"] = argument
    return types


def _at(name: str, arguments: Sequence[core.Sort | core.Dimension]) -> str:
    """``Sized(3, ℤ)``"""
    return f"{name}({', '.join(map(sort_text, arguments))})" if arguments else name


class _Naming:
    """The names of an ancestor's members from outside: `renamed` is applied first, then `base`.

    `path` is the key of the nested structure of `base`, empty outside of them.  Ancestors with the same base and the
    same renamings have the same symbols.
    """

    def __init__(self, base: _Name, path: str, renamed: Mapping[str, str] | None = None) -> None:
        self.base = base
        self.path = path
        self.renamed = dict(renamed or {})

    def __call__(self, name: str, domain: tuple[core.Sort, ...], codomain: core.Sort) -> str:
        return self.base(self.renamed.get(name, name), domain, codomain)

    def through(self, renamings: Sequence[tree.Renaming]) -> _Naming:
        """The naming of a parent that is inherited with renamings."""
        if not renamings:
            return self
        composed = {each.old: self.renamed.get(each.new, each.new) for each in renamings}
        return _Naming(self.base, self.path, {**self.renamed, **composed})

    @property
    def identity(self) -> tuple[_Name, frozenset[tuple[str, str]]]:
        """Equal for namings of one structure that give the same names."""
        return self.base, frozenset(self.renamed.items())

    def key(self, structure: str, arguments: Sequence[core.Sort | core.Dimension]) -> str:
        """The key of an ancestor: ``Base(ℤ)``, ``Base(ℤ) with op as join``, ``Pair(ℤ)::left::Base(ℤ)``."""
        shown = ", ".join(f"{old} as {new}" for old, new in sorted(self.renamed.items()))
        return f"{self.path}{_at(structure, arguments)}{f' with {shown}' if shown else ''}"


class _Ancestor:
    """A structure being read: its own scope, the label of its axioms, and the key of its definitions."""

    def __init__(
        self, structure: tree.Structure, scope: StructureScope, label: str, key: str, naming: _Naming
    ) -> None:
        self.structure = structure
        self.scope = scope
        self.label = label
        self.key = key
        self.naming = naming
        self.parents: list[tuple[_Ancestor, Sequence[tree.Renaming]]] | None = None
        self.finished = False


class _StructureReader:
    """Reads a structure with everything it inherits."""

    def __init__(self, reader: SortReader, found: StructureInstance, outer: Scope) -> None:
        self.reader = reader
        self.theory = reader.theory
        self.found = found
        self.outer = outer
        self.seen: set[object] = set()
        self.keys: list[str] = []
        self.path: list[str] = []
        self.depth = 0
        self.ancestors: dict[object, _Ancestor] = {}

    def disambiguate_axioms(self) -> None:
        """Name axioms by their keys where several ancestors have the same name."""
        count = Counter(each.name for each in self.found.axioms)
        for each, key in zip(self.found.axioms, self.keys, strict=True):
            if count[each.name] > 1:
                each.name = key

    def read(self, root: _Ancestor) -> None:
        """Read a structure into its scope: parents first, then its own members, then nested structures.

        Chains of parents may be long, so they are followed without recursion; an ancestor is read once.
        """
        self.depth += 1
        waiting = [root]
        while waiting:
            current = waiting[-1]
            if current.finished:
                waiting.pop()
            elif current.parents is None:
                current.parents = self._start(current)
                waiting += [each for each, _ in reversed(current.parents) if not each.finished]
            else:
                for parent, renamings in current.parents:
                    self._take_over(parent, renamings, current.scope)
                self._members(current)
                current.finished = True
                self.path.pop()
        self.depth -= 1

    def _start(self, current: _Ancestor) -> list[tuple[_Ancestor, Sequence[tree.Renaming]]]:
        """Begin reading an ancestor; its parents."""
        structure, file = current.structure, current.scope.file
        if structure.name in self.path:
            raise _circle(structure, file)
        if self.depth > _MOST_NESTED or len(self.ancestors) > _MOST_ANCESTORS:
            message = f"{self.found.structure} inherits more than can be read"
            hint = "write out what is needed of it"
            raise elaboration_error(structure, file, "inheritance-too-large", message, hint=hint)
        self.path.append(structure.name)
        parents: list[tuple[_Ancestor, Sequence[tree.Renaming]]] = [
            (self._parent(written, renamings, current), renamings)
            for written, renamings in ((structure.extends, structure.renamings), (structure.over, ()))
            if written is not None
        ]
        if any(each.parents is not None and not each.finished for each, _ in parents):
            raise _circle(structure, file)
        return parents

    # ── parents ──────────────────────────────────────────────────────────────────────────────────────────

    def _reference(
        self, written: tree.TypeExpression, scope: StructureScope
    ) -> tuple[tree.Structure, tuple[core.Sort | core.Dimension, ...]]:
        """The structure of a reference, and its arguments read in a scope; unknown names in it become carriers."""
        name = written.name if isinstance(written, tree.NamedType | tree.AppliedType) else ""
        structure = self.theory.structures.get(name)
        if structure is None:
            message = f"there is no structure {name}"
            raise elaboration_error(written, scope.file, "unknown-structure", message, found=name)
        given = written.arguments if isinstance(written, tree.AppliedType) else ()
        if not given and len(structure.parameters) == 1:
            carriers = [
                sort
                for key, sort in scope.types.items()
                if isinstance(sort, core.Carrier) and "::" not in key
            ]
            if len(carriers) == 1:
                return structure, (carriers[0],)
        if len(given) != len(structure.parameters):
            message = f"{name} takes {len(structure.parameters)} types, here it has {len(given)}"
            raise elaboration_error(written, scope.file, "type-arity", message, found=str(len(given)))
        arguments: list[core.Sort | core.Dimension] = []
        for parameter, each in zip(structure.parameters, given, strict=True):
            if is_number_parameter(parameter):
                arguments.append(read_dimension(each, scope.types, file=scope.file))
                continue
            opaque = isinstance(each, tree.NamedType) and self.reader.is_opaque(each.name, scope.types)
            if isinstance(each, tree.NamedType) and opaque and self.found.instance.arguments:
                scope.types[each.name] = core.Carrier(f"{self.found.structure}::{each.name}")
            arguments.append(scope.sort(each))
        return structure, tuple(arguments)

    def _parent(
        self, written: tree.TypeExpression, renamings: Sequence[tree.Renaming], child: _Ancestor
    ) -> _Ancestor:
        structure, arguments = self._reference(written, child.scope)
        naming = child.naming.through(renamings)
        identity = (structure.name, arguments, naming.identity)
        if identity not in self.ancestors:
            scope = self._new_scope(structure, arguments)
            key = naming.key(structure.name, arguments)
            self.ancestors[identity] = _Ancestor(structure, scope, structure.name, key, naming)
        self._note(structure, arguments)
        return self.ancestors[identity]

    def _take_over(
        self, parent: _Ancestor, renamings: Sequence[tree.Renaming], scope: StructureScope
    ) -> None:
        """The members of a parent, by the names they have in the child."""
        self._check_renamings(renamings, parent.scope, parent.structure, scope)
        new = {each.old: each.new for each in renamings}
        for name, candidates in parent.scope.own.items():
            for each in candidates:
                scope.add(new.get(name, name), each)

    def _new_scope(
        self, structure: tree.Structure, arguments: tuple[core.Sort | core.Dimension, ...]
    ) -> StructureScope:
        file = next((each.file for each in self.theory.lookup(structure.name)), self.found.scope.file)
        types = _types(structure, arguments, file)
        scope = StructureScope(self.reader, types, self.outer, file, structure.name)
        self.found.scopes.append(scope)
        return scope

    def _note(self, structure: tree.Structure, arguments: tuple[core.Sort | core.Dimension, ...]) -> None:
        instance = Instance(structure.name, arguments)
        if instance not in self.found.ancestors:
            self.found.ancestors.append(instance)

    def _check_renamings(
        self,
        renamings: Sequence[tree.Renaming],
        above: StructureScope,
        structure: tree.Structure,
        scope: StructureScope,
    ) -> None:
        for each in renamings:
            if each.old not in above.own:
                message = f"{structure.name} has no member {each.old}"
                known = tuple(sorted(above.own))
                raise elaboration_error(
                    each, scope.file, "unknown-member", message, found=each.old, expected=known
                )

    # ── members ──────────────────────────────────────────────────────────────────────────────────────────

    def _members(self, current: _Ancestor) -> None:
        members, scope, label = current.structure.members, current.scope, current.label
        nested = [each for each in members if isinstance(each, tree.NestedStructure)]
        for member in members:
            self._declare(member, scope, label, current.naming)
        for each in nested:
            self._declare_nested(each, scope, f"{label}::{each.name}", current.naming)
        for member in members:
            self._define(member, current)
        for each in nested:
            self._nest(each, current, label)
        self._axioms(members, current, scope, label)

    def _declare(
        self, member: tree.StructureMember, scope: StructureScope, label: str, naming: _Name
    ) -> None:
        if not isinstance(member, tree.OperationDeclaration | tree.ElementDeclaration | tree.Field):
            return
        name = canonical_name(member.name)
        try:
            variables, domain, codomain = self.reader.polymorphic(
                member.type, scope.types, file=scope.file, implicit_variables=False
            )
        except ElaborationError as error:
            self.found.errors.append(error)
            scope.add(
                name, Rejected(f"{label}::{member.name}", str(error.message), place_of(member, scope.file))
            )
            return
        if variables:
            named = naming(name, domain, codomain)
            scope.add(name, Polymorphic(named, variables, domain, codomain, higher=True))
            return
        symbol = core.Symbol(naming(name, domain, codomain), domain, codomain)
        self.found.symbols.setdefault(symbol, place_of(member, scope.file))
        scope.add(name, symbol)

    def _declare_nested(
        self, node: tree.NestedStructure, scope: StructureScope, label: str, naming: _Naming
    ) -> None:
        """The members in the braces of a nested structure: its own, unless declared around it with the same type."""
        inside = StructureScope(self.reader, scope.types, self.outer, scope.file)

        def named(name: str, domain: tuple[core.Sort, ...], codomain: core.Sort) -> str:
            for each in scope.own.get(name, ()):
                if isinstance(each, core.Symbol) and (each.domain, each.codomain) == (domain, codomain):
                    return each.name
            return naming(f"{node.name}::{name}", domain, codomain)

        for member in node.members:
            self._declare(member, inside, label, named)
        for name, candidates in inside.own.items():
            for each in candidates:
                scope.add(f"{node.name}::{name}", each)
                scope.nested.setdefault(name, []).append(each)

    def _define(self, member: tree.StructureMember, current: _Ancestor) -> None:
        if not isinstance(member, tree.FunctionDefinition):
            return
        name, scope = canonical_name(member.name), current.scope
        place = place_of(member, scope.file)
        if current.structure.parameters or scope is not self.found.scope:
            template = Template(f"{current.key}::{name}", member, scope, place)
            scope.own[name] = [template]
        else:
            # Of several global definitions of a name the last one counts, for the sections of the others too.
            if self.theory.definitions.get(name) is not member:
                return
            template = Template(name, member, scope, place)
            scope.own[name] = [template]
        self.found.templates.append((name, template))

    def _axioms(
        self, members: Sequence[tree.StructureMember], current: _Ancestor, scope: StructureScope, label: str
    ) -> None:
        symbols = _symbols(scope)
        types = tuple(sorted((name, str(value)) for name, value in scope.types.items()))
        for member in members:
            if not isinstance(member, tree.Axiom) or (member, types, symbols) in self.seen:
                continue
            self.seen.add((member, types, symbols))
            self.found.axioms.append(NamedAxiom(f"{label}::{member.name}", member, scope))
            self.keys.append(f"{current.key}::{member.name}")

    # ── nested structures ────────────────────────────────────────────────────────────────────────────────

    def _nest(self, node: tree.NestedStructure, outer: _Ancestor, label: str) -> None:
        scope, naming = outer.scope, outer.naming
        structure, arguments = self._reference(node.type, scope)
        new = {each.old: each.new for each in node.renamings}
        inner = self._new_scope(structure, arguments)
        shared: list[str] = []

        def nested(name: str, domain: tuple[core.Sort, ...], codomain: core.Sort) -> str:
            if name in new:
                shared.append(name)
                return naming(new[name], domain, codomain)
            for each in (*scope.own.get(name, ()), *scope.own.get(f"{node.name}::{name}", ())):
                if isinstance(each, core.Symbol) and (each.domain, each.codomain) == (domain, codomain):
                    shared.append(name)
                    return each.name
            return naming(f"{node.name}::{name}", domain, codomain)

        self._note(structure, arguments)
        key, within = f"{outer.key}::{node.name}", f"{label}::{node.name}"
        self.read(_Ancestor(structure, inner, within, key, _Naming(nested, f"{key}::")))
        self._check_renamings(node.renamings, inner, structure, scope)
        if not shared and inner.own:
            self.found.warnings.append(_unrelated(node, structure, scope.file))
        for name, candidates in inner.own.items():
            for each in candidates:
                scope.add(f"{node.name}::{name}", each)
                if name in new:
                    scope.add(new[name], each)
        body = StructureScope(self.reader, scope.types, self.outer, scope.file)
        self.found.scopes.append(body)
        for source in (inner.own, scope.own, scope.nested):
            for name, candidates in source.items():
                for each in candidates:
                    body.add(name, each)
        for member in node.members:
            if isinstance(member, tree.NestedStructure):
                self._nest(member, outer, within)
        self._axioms(node.members, outer, body, within)


def _circle(structure: tree.Structure, file: str) -> ElaborationError:
    message = f"the inheritance of {structure.name} goes round in a circle"
    return elaboration_error(structure, file, "inheritance-cycle", message, found=structure.name)


def _symbols(scope: StructureScope) -> tuple[tuple[str, str], ...]:
    return tuple(
        sorted(
            (name, f"{each.name}/{sorts_text((*each.domain, each.codomain))}")
            for name, candidates in scope.own.items()
            for each in candidates
            if isinstance(each, core.Symbol)
        )
    )


def _unrelated(node: tree.NestedStructure, structure: tree.Structure, file: str) -> Problem:
    return problem_at(
        node,
        file,
        f"the laws of {node.name} speak of operations of its own ({node.name}::…), not of those declared here",
        code="unrelated-nested-structure",
        severity="warning",
        hint=f"rename them: structure {node.name} : {structure.name}(…) with (•) as (+)",
        found=node.name,
    )
