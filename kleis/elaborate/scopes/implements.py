"""``implements S(A) { … }``: what is given for the operations of a structure at the types of a model.

Specification: proving.md §1 ("The operations of `implements S(A)` are global symbols at A").

What is given is a definition at the sorts of the operation.  A symbol that an earlier item gave too has that meaning;
what the later one gives has to agree with it.  An operation that is built in at A is the built-in, and what is given
has to agree with that.

Invariants
    * Definitions of different items have different keys.
    * The text of the structure (its axioms, its definitions) speaks at A of what is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from kleis import core
from kleis.builtins.rows.table import find_builtin
from kleis.core.goal import Axiom, ElaborationError, Obligation
from kleis.core.sort_printing import elaboration_error, sort_text
from kleis.core.traversal import subterms
from kleis.definedness.conditions import Definedness
from kleis.elaborate.scopes.scope import Candidate, Template, is_builtin
from kleis.elaborate.scopes.structure_scope import StructureInstance
from kleis.problems import Place, place_of
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name

if TYPE_CHECKING:
    from kleis.elaborate.elaborator import Elaborator
    from kleis.elaborate.scopes.global_scope import GlobalScope

__all__ = ["Implementation", "Implementations", "axioms_of", "obligations_of"]


class Implementation(msgspec.Struct, frozen=True, eq=False):
    """``implements S(A)``: the structure at its arguments, and what is given for its operations.

    given
        By symbol, what defines it at A: what this item gives, or an earlier one gave for the same symbol.
    equal
        Pairs that have to agree: a definition of the structure, or of an earlier item, with what this item gives.
    named
        The meanings at A of the structure's names, for the global scope.
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

    def __init__(self, outer: GlobalScope, sorts: tuple[core.Sort, ...], file: str) -> None:
        self.file = file
        self._outer = outer
        self._sorts = sorts

    def sort(self, written: tree.TypeExpression) -> core.Sort:
        if isinstance(written, tree.NamedType) and written.name.startswith("_"):
            return self._sorts[int(written.name[1:])]
        return self._outer.reader.read(written, {}, file=self.file)

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        return self._outer.candidates(name)

    def names(self) -> tuple[str, ...]:
        return self._outer.names()


class Implementations:
    """The implementations of one theory, in order of declaration."""

    def __init__(self, scope: GlobalScope) -> None:
        self._globals = scope
        self._all: list[Implementation] | None = None
        self._read: dict[int, Implementation] = {}
        self._labels: dict[str, int] = {}
        self._given_before: dict[core.Symbol, Template] = {}

    def _scalars(
        self, node: tree.Implements, structure: tree.Structure, file: str
    ) -> dict[str, core.Sort | core.Dimension]:
        """The types that ``implements S(A) over T(B)`` gives for the names of S's own ``over``."""
        if node.over is None or structure.over is None:
            # Where the structure is over none, what is said of one changes nothing; the check of names says so.
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
            inner.name: self._globals.reader.argument(outer, {}, file=file)
            for inner, outer in zip(wanted.arguments, given.arguments, strict=True)
            if isinstance(inner, tree.NamedType) and self._globals.reader.is_opaque(inner.name, {})
        }

    def all(self) -> list[Implementation]:
        """The implementations that make sense."""
        if self._all is None:
            self._all = []
            for entry in self._globals.theory.implementation_entries:
                assert isinstance(entry.declaration, tree.Implements)
                try:
                    self._all.append(self.read(entry.declaration, entry.file))
                except ElaborationError:
                    continue
        return self._all

    def read(self, node: tree.Implements, file: str) -> Implementation:
        """``implements S(A)`` read; `ElaborationError` if it makes no sense."""
        if id(node) not in self._read:
            self._read[id(node)] = self._implementation(node, file)
        return self._read[id(node)]

    def _implementation(self, node: tree.Implements, file: str) -> Implementation:
        structure = self._globals.theory.structures.get(node.name)
        if structure is None:
            raise elaboration_error(
                node, file, "unknown-structure", f"there is no structure {node.name}", found=node.name
            )
        arguments = tuple(self._globals.reader.argument(each, {}, file=file) for each in node.arguments)
        if len(arguments) != len(structure.parameters):
            message = f"{node.name} takes {len(structure.parameters)} types, here it has {len(arguments)}"
            raise elaboration_error(node, file, "type-arity", message, found=str(len(arguments)))
        label = f"{node.name}({', '.join(sort_text(each) for each in arguments)})"
        self._labels[label] = self._labels.get(label, 0) + 1
        if self._labels[label] > 1:
            label = f"{label}#{self._labels[label]}"
        scalars = self._scalars(node, structure, file)
        instance = self._globals.instance(node.name, arguments, scalars, within=f"implements {label} / ")
        given: dict[core.Symbol, Template] = {}
        equal: list[tuple[str, Template, Template]] = []
        defined: dict[str, Template] = {}
        for member in node.members:
            if isinstance(member, tree.VerifyImplementation):
                continue
            name = canonical_name(member.name)
            for each in instance.frame.own.get(name, ()):
                symbol = each if isinstance(each, core.Symbol) else self._signature(each)
                template = (
                    self._given(member, symbol, f"implements {label}::{name}", file) if symbol else None
                )
                if template is None or symbol is None:
                    continue
                if is_builtin(name, symbol):
                    equal += self._as_builtin(name, member, symbol, template)
                    continue
                if isinstance(each, Template):
                    defined[name] = template
                    equal.append((name, each, template))
                elif symbol in self._given_before and self._given_before[symbol].key != template.key:
                    given[symbol] = self._given_before[symbol]
                    equal.append((name, given[symbol], template))
                else:
                    given[symbol] = self._given_before.setdefault(symbol, template)
        for symbol in instance.symbols:
            if symbol not in given and symbol in self._given_before:
                given[symbol] = self._given_before[symbol]
        missing = [
            symbol
            for symbol in instance.symbols
            if symbol not in given and not is_builtin(symbol.name, symbol)
        ]
        self._put_in(instance, given)
        named = {
            name: tuple(
                self._named(each, defined.get(name))
                for each in candidates
                if not self._is_builtin(name, each)
            )
            for name, candidates in instance.frame.own.items()
        }
        place = place_of(node, file)
        return Implementation(node, instance, given, tuple(missing), tuple(equal), named, place)

    def _as_builtin(
        self,
        name: str,
        member: tree.ElementImplementation | tree.OperationImplementation,
        symbol: core.Symbol,
        template: Template,
    ) -> list[tuple[str, Template, Template]]:
        """What is given for an operation that is built in has to be what is built in."""
        if isinstance(member, tree.OperationImplementation) and isinstance(member.body, tree.Name):
            row = find_builtin(member.body.name)
            if row is None or row == find_builtin(name):
                return []
        parameters = tuple(each.name for each in template.node.parameters)
        body = tree.Call(name, tuple(tree.Name(each, member.span) for each in parameters), member.span)
        node = msgspec.structs.replace(template.node, body=body)
        del symbol
        return [
            (name, msgspec.structs.replace(template, key=f"built-in {template.key}", node=node), template)
        ]

    @staticmethod
    def _signature(candidate: Candidate) -> core.Symbol | None:
        """A definition of a structure as a symbol of its written sorts; None if they are not all written."""
        if not isinstance(candidate, Template) or candidate.node.result is None:
            return None
        written = [each.type for each in candidate.node.parameters]
        types = [each for each in written if each is not None]
        if len(types) < len(written):
            return None
        domain = tuple(candidate.scope.sort(each) for each in types)
        return core.Symbol(candidate.node.name, domain, candidate.scope.sort(candidate.node.result))

    def _is_builtin(self, name: str, candidate: Candidate) -> bool:
        """Whether what a name means at A is what is built in there."""
        symbol = candidate if isinstance(candidate, core.Symbol) else self._signature(candidate)
        return symbol is not None and is_builtin(name, symbol)

    @staticmethod
    def _named(candidate: Candidate, defined: Template | None) -> Candidate:
        """A meaning of a name for the global scope, where it is one of several."""
        if isinstance(candidate, Template) and not candidate.overload:
            return defined or msgspec.structs.replace(candidate, overload=True)
        return candidate

    @staticmethod
    def _put_in(instance: StructureInstance, given: dict[core.Symbol, Template]) -> None:
        """Let the structure's own text speak of what is given."""
        for frame in instance.frames:
            for names in (frame.own, frame.nested):
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
        scope = _TypedScope(self._globals, (*symbol.domain, symbol.codomain), file)
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
        """What ``S::name`` means by the implementations of S."""
        found = [each.named.get(name, ()) for each in self.all() if each.node.name == structure]
        return tuple(dict.fromkeys(candidate for candidates in found for candidate in candidates))

    def candidates(self, name: str) -> Iterator[Candidate]:
        """What a name means by implementations."""
        known: set[core.Symbol] = set()
        for each in self.all():
            for candidate in each.named.get(name, ()):
                symbol = candidate if isinstance(candidate, core.Symbol) else self._signature(candidate)
                if symbol is None or symbol not in known:
                    yield candidate
                known |= {symbol} if symbol is not None else set()


# ``implements S(A)``: the axioms of S at A, and what has to be proved for them to hold.
#
# Specification: proving.md §1 ("implements S(T)").
#
# The operations given are definitions at the types of the implementation; the axioms of the structure, which speak of
# them there, are obligations.  Until they are proved they are in force as *assumed*, and every verdict that uses one
# says so.  A definition of the structure that the implementation gives too becomes the obligation that both have a
# value together, and then the same.


def axioms_of(elaborator: Elaborator, implementation: Implementation) -> list[Axiom]:
    """The axioms of the structure at the types of an implementation, of the operations it gives."""
    found = []
    for named in implementation.instance.axioms:
        axiom = elaborator.axiom(named)
        name = f"{implementation.label}::{named.name.partition('::')[2]}"
        found.append(Axiom(name, axiom.formula, "assumed", implementation.place))
    return found


def obligations_of(elaborator: Elaborator, implementation: Implementation) -> list[Obligation]:
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


def _same(elaborator: Elaborator, first: Template, second: Template) -> core.Term:
    """Both definitions have a value together, and then the same."""
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
    elaborator: Elaborator, template: Template, variables: tuple[core.Variable, ...]
) -> tuple[core.Term, tuple[core.Variable, ...]]:
    """A definition at variables of its sorts."""
    definitions = elaborator.definitions
    sorts = tuple(sort for sort in definitions.written_parameters(template) if sort is not None)
    if not variables:
        names = [each.name for each in template.node.parameters]
        variables = tuple(core.Variable(name, sort) for name, sort in zip(names, sorts, strict=True))

    key = definitions.read_at(template, sorts)
    return core.DefinitionCall(key, variables, definitions.finished[key].result), variables
