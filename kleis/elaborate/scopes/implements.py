"""Implementations, ``implements S(A) { … }``: what is given for the operations of S at A, and what has to be proved.

What is given is a definition at the sorts of the operation.  An operation that both items have from one structure (S
itself, or what it extends) is one: if an earlier item gives it, it keeps that definition, and the later item has to agree
with it.  Operations of structures that have nothing in common are two, whatever their names and sorts: each keeps what
its own item gives, and one that is not given is a symbol of its own, ``S::op``.  Else the axioms of the one would be
assumed of the other.  An operation that is built in at A is the built-in, and what is given has to agree with that.

The axioms of S, read at A, become obligations; until they are proved they are *assumed*, and every verdict that uses
one says so.  A definition of S that the implementation gives too becomes the obligation that both have a value
together, and then the same one.  See docs/reference/proving.md §2.7.

Invariants
    * Definitions of different items have different keys.
    * The axioms and definitions of the structure, read at A, mention what is given, or a symbol of that structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

import msgspec

from kleis import core
from kleis.builtins.rows.table import find_builtin
from kleis.core.goal import Axiom, ElaborationError, Goal, Instance, Obligation
from kleis.core.sort_printing import elaboration_error, sort_text
from kleis.core.traversal import subterms
from kleis.definedness.conditions import Definedness
from kleis.elaborate.scopes.declared_builtins import conflict_of, is_builtin, signature_of
from kleis.elaborate.scopes.scope import Candidate, Scope, Template
from kleis.elaborate.scopes.structure_scope import NamedAxiom, StructureInstance
from kleis.elaborate.sorts.read_sorts import SortReader
from kleis.problems import Place, Problem, place_of, problem_at
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.printer.program import print_expression

__all__ = ["Elaboration", "Implementation", "Implementations", "axioms_of", "not_given", "obligations_of"]

Instantiate: TypeAlias = Callable[
    [str, tuple[core.Sort | core.Dimension, ...], Mapping[str, core.Sort | core.Dimension] | None, str],
    StructureInstance,
]
"""Reads a structure: its name, its arguments, the types of what it is `over`, and the prefix of its definitions."""


_Family: TypeAlias = tuple[Instance, ...]
"""The structures that declare an operation, at their types, the first that does so first."""


class InstantiatedDefinitions(Protocol):
    """Definitions at the sorts they are called with: `kleis.elaborate.expressions.definitions.Definitions`."""

    @property
    def finished(self) -> Mapping[str, core.Definition]: ...

    def written_parameters(self, template: Template) -> list[core.Sort | None]: ...

    def elaborate_at(self, template: Template, sorts: tuple[core.Sort, ...]) -> str: ...


class Elaboration(Protocol):
    """What obligations need of `kleis.elaborate.elaborator.Elaborator`."""

    @property
    def definitions(self) -> InstantiatedDefinitions: ...

    def axiom(self, named: NamedAxiom) -> Axiom: ...

    def around(self, terms: Sequence[core.Term]) -> Goal: ...


class Implementation(msgspec.Struct, frozen=True, eq=False):
    """``implements S(A)``: the structure at its arguments, and what is given for its operations.

    given
        By symbol, what defines it at A: what this item gives, or an earlier one gave for the same operation.
    missing
        The operations without a definition: symbols of their own.
    equal
        Pairs that have to agree: a definition of the structure, or of an earlier item, with what this item gives.
    named
        The candidates at A for the structure's names, for the global scope.
    """

    node: tree.Implements
    instance: StructureInstance
    given: dict[core.Symbol, Template]
    missing: tuple[core.Symbol, ...]
    equal: tuple[tuple[str, Template, Template], ...]
    named: dict[str, tuple[Candidate, ...]]
    place: Place

    @property
    def label(self) -> str:
        """``Monoid(ℤ)``"""
        return f"{self.node.name}({', '.join(sort_text(each) for each in self.instance.instance.arguments)})"


class _TypedScope:
    """The scope of an implementation's text: the global one, where ``_0``, ``_1`` … are its sorts."""

    def __init__(self, reader: SortReader, outer: Scope, sorts: tuple[core.Sort, ...], file: str) -> None:
        self.file = file
        self._reader = reader
        self._outer = outer
        self._sorts = sorts

    def sort(self, written: tree.TypeExpression) -> core.Sort:
        if isinstance(written, tree.NamedType) and written.name.startswith("_"):
            return self._sorts[int(written.name[1:])]
        return self._reader.read(written, {}, file=self.file)

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        return self._outer.candidates(name)

    def names(self) -> tuple[str, ...]:
        return self._outer.names()


class Implementations:
    """The implementations of one theory, in order of declaration.

    `outer` is the global scope, where names in an implementation are looked up.
    """

    def __init__(self, reader: SortReader, outer: Scope, instantiate: Instantiate) -> None:
        self._reader = reader
        self._theory = reader.theory
        self._outer = outer
        self._instantiate = instantiate
        self._all: list[Implementation] | None = None
        self._read: dict[int, Implementation] = {}
        self._labels: dict[str, int] = {}
        self._given_before: dict[core.Symbol, list[tuple[_Family, Template]]] = {}
        self._apart: dict[core.Symbol, _Family] = {}

    def _scalars(
        self, node: tree.Implements, structure: tree.Structure, file: str
    ) -> dict[str, core.Sort | core.Dimension]:
        """The types that ``implements S(A) over T(B)`` gives for the names of S's own ``over``."""
        if node.over is None or structure.over is None:
            # Where the structure is over none, an `over` here changes nothing; the check of names reports it.
            return {}
        given, wanted = node.over, structure.over
        if not (isinstance(given, tree.AppliedType) and isinstance(wanted, tree.AppliedType)) or (
            (given.name, len(given.arguments)) != (wanted.name, len(wanted.arguments))
        ):
            shown = (
                wanted.name if isinstance(wanted, tree.AppliedType | tree.NamedType) else "no other structure"
            )
            message = f"{node.name} is over {shown}"
            raise elaboration_error(given, file, "wrong-over", message, expected=(shown,))
        return {
            inner.name: self._reader.argument(outer, {}, file=file)
            for inner, outer in zip(wanted.arguments, given.arguments, strict=True)
            if isinstance(inner, tree.NamedType) and self._reader.is_opaque(inner.name, {})
        }

    def all(self) -> list[Implementation]:
        """The implementations without errors."""
        if self._all is None:
            self._all = []
            for entry in self._theory.implementation_entries:
                assert isinstance(entry.declaration, tree.Implements)
                try:
                    self._all.append(self._read_once(entry.declaration, entry.file))
                except ElaborationError:
                    continue
        return self._all

    def read(self, node: tree.Implements, file: str) -> Implementation:
        """An implementation as it is elaborated; `ElaborationError` if it is not valid."""
        self.all()  # what an earlier item gives does not depend on which one is asked about first
        return self._read_once(node, file)

    def _read_once(self, node: tree.Implements, file: str) -> Implementation:
        if id(node) not in self._read:
            self._read[id(node)] = self._implementation(node, file)
        return self._read[id(node)]

    def _implementation(self, node: tree.Implements, file: str) -> Implementation:
        structure = self._theory.structures.get(node.name)
        if structure is None:
            raise elaboration_error(
                node, file, "unknown-structure", f"there is no structure {node.name}", found=node.name
            )
        arguments = tuple(self._reader.argument(each, {}, file=file) for each in node.arguments)
        if len(arguments) != len(structure.parameters):
            message = f"{node.name} takes {len(structure.parameters)} types, here it has {len(arguments)}"
            raise elaboration_error(node, file, "type-arity", message, found=str(len(arguments)))
        label = shown = f"{node.name}({', '.join(sort_text(each) for each in arguments)})"
        self._labels[label] = self._labels.get(label, 0) + 1
        if self._labels[label] > 1:
            label = f"{label}#{self._labels[label]}"
        scalars = self._scalars(node, structure, file)
        instance = self._instantiate(node.name, arguments, scalars, f"implements {label} / ")
        self._refuse_conflicts(node, file, shown, instance)
        given: dict[core.Symbol, Template] = {}
        equal: list[tuple[str, Template, Template]] = []
        defined: dict[str, Template] = {}
        for member in node.members:
            if isinstance(member, tree.VerifyImplementation):
                continue
            name = canonical_name(member.name)
            for each in instance.scope.own.get(name, ()):
                symbol = _as_symbol(each)
                template = (
                    self._given(member, symbol, f"implements {label}::{name}", file) if symbol else None
                )
                if template is None or symbol is None:
                    continue
                if is_builtin(name, symbol):
                    equal += self._as_builtin(name, member, template)
                    continue
                if isinstance(each, Template):
                    defined[name] = template
                    equal.append((name, each, template))
                    continue
                family = self._family(instance, symbol.name)
                before = self._before(symbol, family, template)
                given[symbol] = before or template
                self._given_before.setdefault(symbol, []).append((family, given[symbol]))
                if before is not None and before.key != template.key and _text(before) != _text(template):
                    equal.append((name, before, template))
        missing: list[core.Symbol] = []
        standing: dict[core.Symbol, core.Symbol] = {}
        for symbol in instance.symbols:
            if symbol in given or is_builtin(symbol.name, symbol):
                continue
            family = self._family(instance, symbol.name)
            before = self._before(symbol, family)
            if before is not None:
                given[symbol] = before
            else:
                standing[symbol] = self._own_symbol(symbol, family)
                missing.append(standing[symbol])
        self._substitute(instance, {**given, **standing})
        named = {
            name: tuple(
                self._named(each, defined.get(name))
                for each in candidates
                if (symbol := _as_symbol(each)) is None or not is_builtin(name, symbol)
            )
            for name, candidates in instance.scope.own.items()
        }
        place = place_of(node, file)
        return Implementation(node, instance, given, tuple(missing), tuple(equal), named, place)

    def _family(self, instance: StructureInstance, name: str) -> _Family:
        """From which structures, at which types, an instance has the operation of a name: the first declares it.

        A name that renaming made is declared by none: it is the instance's own.
        """
        names = (name, tree.split_name(name)[0])  # what a nested structure holds is declared with that
        found = [
            each
            for each in (*reversed(instance.ancestors), instance.instance)
            if any(
                canonical_name(member.name) in names
                for member in self._theory.structures[each.structure].members
            )
        ]
        return tuple(dict.fromkeys(found)) or (instance.instance,)

    def _before(
        self, symbol: core.Symbol, family: _Family, template: Template | None = None
    ) -> Template | None:
        """What an earlier item gave for the same operation, or gave for another in the same words as `template`."""
        for known, before in self._given_before.get(symbol, ()):
            if not set(known).isdisjoint(family) or (
                template is not None and _text(before) == _text(template)
            ):
                return before
        return None

    def _own_symbol(self, symbol: core.Symbol, family: _Family) -> core.Symbol:
        """The symbol of an operation that nothing defines: no other structure's of this name."""
        first = family[0]
        types = ", ".join(sort_text(each) for each in first.arguments)
        for head in (first.structure, f"{first.structure}({types})"):
            own = msgspec.structs.replace(symbol, name=f"{head}::{symbol.name}")
            if self._apart.setdefault(own, family)[0] == first:
                break
        return own

    @staticmethod
    def _refuse_conflicts(node: tree.Implements, file: str, label: str, instance: StructureInstance) -> None:
        """Raise where the structure has, at these sorts, an operation that is built in there and gives another sort."""
        for name, candidates in instance.scope.own.items():
            for symbol in filter(None, map(_as_symbol, candidates)):
                conflict = conflict_of(name, symbol)
                if conflict is not None:
                    raise elaboration_error(
                        node,
                        file,
                        "built-in-conflict",
                        f"{label} is no model: {conflict.message}",
                        found=conflict.declared,
                        expected=(conflict.built_in,),
                        hint=conflict.hint,
                    )

    def _as_builtin(
        self,
        name: str,
        member: tree.ElementImplementation | tree.OperationImplementation,
        template: Template,
    ) -> list[tuple[str, Template, Template]]:
        """The pair that has to agree where what is given is for a built-in operation; empty if it is the built-in itself."""
        if isinstance(member, tree.OperationImplementation) and isinstance(member.body, tree.Name):
            row = find_builtin(member.body.name)
            if row is None or row == find_builtin(name):
                return []
        parameters = tuple(each.name for each in template.node.parameters)
        body = tree.Call(name, tuple(tree.Name(each, member.span) for each in parameters), member.span)
        node = msgspec.structs.replace(template.node, body=body)
        return [
            (name, msgspec.structs.replace(template, key=f"built-in {template.key}", node=node), template)
        ]

    @staticmethod
    def _named(candidate: Candidate, defined: Template | None) -> Candidate:
        """A candidate as the global scope shows it, where it is one of several."""
        if isinstance(candidate, Template) and not candidate.overload:
            return defined or msgspec.structs.replace(candidate, overload=True)
        return candidate

    @staticmethod
    def _substitute(instance: StructureInstance, given: Mapping[core.Symbol, Candidate]) -> None:
        """Replace symbols by what stands for them, in the scopes of the structure's own text."""
        for scope in instance.scopes:
            for names in (scope.own, scope.nested):
                for name, candidates in names.items():
                    names[name] = [
                        given.get(each, each) if isinstance(each, core.Symbol) else each
                        for each in candidates
                    ]

    def _given(
        self,
        member: tree.ElementImplementation | tree.OperationImplementation,
        symbol: core.Symbol,
        key: str,
        file: str,
    ) -> Template | None:
        """What an implementation gives for a symbol, as a definition at the symbol's sorts."""
        scope = _TypedScope(self._reader, self._outer, (*symbol.domain, symbol.codomain), file)
        result = tree.NamedType(f"_{len(symbol.domain)}")
        body = member.value if isinstance(member, tree.ElementImplementation) else member.body
        names: list[str] = []
        if isinstance(member, tree.OperationImplementation):
            names = [each.name for each in member.parameters]
            while isinstance(body, tree.Lambda) and len(names) < len(symbol.domain):
                names += [each.name for each in body.parameters]
                body = body.body
            if not names and symbol.domain:
                if not isinstance(body, tree.Name):
                    return None
                if body.name.startswith("builtin_") and find_builtin(body.name) is None:
                    return None
                names = [f"x{place}" for place in range(len(symbol.domain))]
                body = tree.Call(body.name, tuple(tree.Name(each, body.span) for each in names), body.span)
        if len(names) != len(symbol.domain):
            message = f"{symbol.name} takes {len(symbol.domain)} arguments, here it has {len(names)}"
            raise elaboration_error(member, file, "arity", message, found=str(len(names)))
        parameters = tuple(
            tree.Parameter(name, tree.NamedType(f"_{place}"), member.span) for place, name in enumerate(names)
        )
        node = tree.FunctionDefinition(member.name, parameters, result, body, (), member.span)
        return Template(key, node, scope, place_of(node, file), overload=True)

    def members(self, structure: str, name: str) -> tuple[Candidate, ...]:
        """The candidates for ``S::name`` from the implementations of S."""
        found = [each.named.get(name, ()) for each in self.all() if each.node.name == structure]
        return tuple(dict.fromkeys(candidate for candidates in found for candidate in candidates))

    def candidates(self, name: str) -> Iterator[Candidate]:
        """The candidates for a name from implementations."""
        known: dict[core.Symbol, set[Instance]] = {}
        for each in self.all():
            family = set(self._family(each.instance, name))
            for candidate in each.named.get(name, ()):
                symbol = _as_symbol(candidate)
                if symbol is None or known.get(symbol, set()).isdisjoint(family):
                    yield candidate
                if symbol is not None:
                    known[symbol] = known.get(symbol, set()) | family


def axioms_of(elaborator: Elaboration, implementation: Implementation) -> list[Axiom]:
    """The axioms of the structure at the types of an implementation, of the operations it gives."""
    found = []
    for named in implementation.instance.axioms:
        axiom = elaborator.axiom(named)
        name = f"{implementation.label}::{named.name.partition('::')[2]}"
        found.append(Axiom(name, axiom.formula, "assumed", implementation.place))
    return found


def obligations_of(elaborator: Elaboration, implementation: Implementation) -> list[Obligation]:
    """What has to be proved of an implementation: axioms that mention nothing missing, and equal definitions."""
    missing = set(implementation.missing)
    place, label = implementation.place, implementation.label
    found = [
        Obligation("implements", axiom.name, label, axiom.formula, place)
        for axiom in axioms_of(elaborator, implementation)
        if not any(
            isinstance(each, core.SymbolCall) and each.symbol in missing for each in subterms(axiom.formula)
        )
    ]
    for name, first, second in implementation.equal:
        formula = _same(elaborator, first, second)
        found.append(Obligation("implements", f"{label}::{name}", label, formula, place))
    return found


def _same(elaborator: Elaboration, first: Template, second: Template) -> core.Term:
    """That two definitions have values at the same arguments, and then the same one."""
    left, variables = _call(elaborator, first, ())
    right, _ = _call(elaborator, second, variables)
    definedness = Definedness(elaborator.around((left, right)))
    formula: core.Term = core.Equals(left, right)
    sides = [_defined(definedness, each) for each in (left, right)]
    if any(each != _ALWAYS for each in sides):
        both = core.Connective("implies", (core.Connective("and", (sides[0], sides[1])), formula))
        formula = core.Connective("and", (core.Equals(sides[0], sides[1]), both))
    return core.Quantifier("forall", variables, formula) if variables else formula


_ALWAYS = core.LiteralTerm(True, core.BOOL)


def _defined(definedness: Definedness, term: core.Term) -> core.Term:
    """Where a term has a value, as a formula."""
    formula: core.Term = _ALWAYS
    for need in definedness.needs(term):
        condition = need.proposition
        if condition is not None and not definedness.discharged(need):
            formula = condition if formula == _ALWAYS else core.Connective("and", (formula, condition))
    return formula


def _call(
    elaborator: Elaboration, template: Template, variables: tuple[core.Variable, ...]
) -> tuple[core.Term, tuple[core.Variable, ...]]:
    """A definition at variables of its sorts."""
    definitions = elaborator.definitions
    sorts = tuple(sort for sort in definitions.written_parameters(template) if sort is not None)
    if not variables:
        names = [each.name for each in template.node.parameters]
        variables = tuple(core.Variable(name, sort) for name, sort in zip(names, sorts, strict=True))

    key = definitions.elaborate_at(template, sorts)
    return core.DefinitionCall(key, variables, definitions.finished[key].result), variables


def _text(template: Template) -> str:
    """What an item gives, in words that are the same for the same parameters and body."""
    node = template.node
    return f"{', '.join(each.name for each in node.parameters)} . {print_expression(node.body)}"


def _as_symbol(candidate: Candidate) -> core.Symbol | None:
    """An operation of a structure, declared or defined, as a symbol; None if its sorts are not all written."""
    if isinstance(candidate, Template):
        return signature_of(candidate)
    return candidate if isinstance(candidate, core.Symbol) else None


def not_given(implementation: Implementation) -> Problem:
    """The warning that an implementation leaves operations out."""
    names = ", ".join(symbol.name.rpartition("::")[2] for symbol in implementation.missing)
    return problem_at(
        implementation.node,
        implementation.place.file,
        f"{implementation.label} is not given {names}: nothing is known of it but the axioms, which are assumed",
        code="missing-implementation",
        severity="warning",
        found=names,
        hint="give it: operation name(…) = …",
    )
