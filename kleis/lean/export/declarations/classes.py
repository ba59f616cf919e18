"""Structures as classes.  See docs/reference/lean.md §4.2.

A structure with parameters is a class over its carriers.  The sections of one connected component are one class over
their opaque sorts.  A built-in without a counterpart in Lean is a class with one operation.  ``extends`` is written where
the parent's operations and axioms, at the child's carriers, are among the child's own, and the parent's types determine
the child's; otherwise everything is written out, which says the same.

Invariants
    * A class has at most one parent, so no two paths lead to one operation.
    * Operations stand before axioms; where an axiom calls a definition that depends on operations, these are a class of
      their own that the class with the axioms extends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from kleis.core import Carrier, Symbol, Term
from kleis.core.goal import Axiom
from kleis.core.traversal import canonical
from kleis.lean.export.declarations.class_scopes import ClassInfo, Owner, Parameter, Scope, Use, own_argument
from kleis.lean.export.declarations.inductive_types import Emit
from kleis.lean.export.declarations.lean_definitions import Definitions
from kleis.lean.export.declarations.requirements import Contents, Gathering
from kleis.lean.export.terms.lean_names import Names
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.export.terms.lean_types import arrow, not_expressible
from kleis.lean.language import lean_tree as lean
from kleis.lean.language.lean_lexer import LeanError
from kleis.problems import Place

__all__ = ["ClassContent", "Classes", "itself"]


Laws: TypeAlias = tuple[tuple[Term, str], ...]
"""Axioms in canonical form, with their full names."""


class ClassContent:
    """The content of a class: its label, operations and axioms, over the carriers that occur in them."""

    def __init__(
        self,
        label: str,
        symbols: Sequence[Symbol],
        axioms: Sequence[Axiom],
        parents: Sequence[tuple[Use, Sequence[Axiom]]] = (),
        place: Place | None = None,
    ) -> None:
        self.label = label
        self.symbols = tuple(dict.fromkeys(symbols))
        self.axioms = tuple(axioms)
        self.place = place
        self.parents = tuple(parents)
        """Classes that might be extended, with their axioms at these carriers; the first that fits is."""


def itself(info: ClassInfo) -> Use:
    """A class at its own parameters."""
    return Use(info, tuple(map(own_argument, info.parameters)), info.symbols)


class Classes:
    """Writes classes."""

    def __init__(self, names: Names, emit: Emit) -> None:
        self._names = names
        self._emit = emit

    def declare(self, content: ClassContent, definitions: Definitions, available: Sequence[Use]) -> ClassInfo:
        """Declare a class; `available` are classes it may require."""
        gathering = definitions.gathering
        parent, inherited, held = self._parent(content)
        own = [each for each in content.symbols if parent is None or each not in parent.symbols]
        axioms = [each for each in content.axioms if canonical(each.formula) not in inherited]
        if own and any(self._calls(gathering, each, own) for each in axioms):
            base = ClassContent(content.label, content.symbols, ())
            written = self._write(base, definitions, available, parent, own, (), (), "_operations")
            parent, own = itself(written), []
        return self._write(content, definitions, available, parent, own, axioms, held, "")

    @staticmethod
    def _calls(gathering: Gathering, axiom: Axiom, own: Sequence[Symbol]) -> bool:
        """Whether an axiom calls a definition that depends on the class's own operations."""
        called = gathering.of((axiom.formula,)).definitions
        return any(symbol in own for key in called for symbol in gathering.definition(key).symbols)

    @staticmethod
    def _parent(content: ClassContent) -> tuple[Use | None, frozenset[Term], Laws]:
        """The class that is extended, its axioms at these carriers, and their names."""
        formulas = {canonical(each.formula) for each in content.axioms}
        carriers = _carriers(content)
        for use, axioms in content.parents:
            theirs = {canonical(each.formula) for each in axioms}
            covered = {each.name for each in use.arguments if isinstance(each, Carrier)}
            fits = set(use.symbols) <= set(content.symbols) and theirs <= formulas and carriers <= covered
            if fits and len(axioms) == len(use.info.axioms):
                named = zip(axioms, use.info.axioms, strict=True)
                laws = tuple((canonical(each.formula), name) for each, (_, name) in named)
                return use, frozenset(theirs), laws
        return None, frozenset(), ()

    def _write(
        self,
        content: ClassContent,
        definitions: Definitions,
        available: Sequence[Use],
        parent: Use | None,
        own: Sequence[Symbol],
        axioms: Sequence[Axiom],
        held: Laws,
        suffix: str,
    ) -> ClassInfo:
        gathered = definitions.gathering.of(each.formula for each in axioms)
        contents = Contents()
        contents.add(gathered)
        for symbol in own:
            contents.symbol(symbol)
        here = {*own, *(parent.symbols if parent else ())}
        requires = _required(gathered, here, available)
        name = self._names.declare(content.label + suffix, "class", stem=content.label + suffix)
        taken = set(parent.info.fields) if parent else set()
        inherited = {symbol: owner.field for symbol, owner in parent.symbols.items()} if parent else {}
        probe = Scope(self._names, definitions.data, contents, requires, definition=definitions)
        types = [each.lean for each in probe.parameters]
        own_fields = {
            each: self._names.declare(each.name, "operation", owner=name, avoid={*taken, *types})
            for each in own
        }
        laws = [
            self._names.declare(
                each.name, "axiom", stem=_short(each.name), owner=name, avoid={*taken, *types}
            )
            for each in axioms
        ]
        fields_here = {*own_fields.values(), *laws, *taken}
        scope = Scope(
            self._names,
            definitions.data,
            contents,
            (*requires, *((parent,) if parent else ())),
            definition=definitions,
            fields={**inherited, **own_fields},
            own=own,
            avoid=fields_here,
        )
        fields, classical = self._fields(scope, definitions, own_fields, axioms, laws)
        scope.inhabited |= scope.sorts.chosen
        binders = (*scope.type_binders(implicit=False), *scope.inhabited_binders(every=False))
        needs = scope.use_binders()[: len(requires)]
        command = lean.Class(
            name=name,
            parameters=(*binders, *needs),
            parents=(scope.class_at(parent),) if parent else (),
            fields=tuple(fields),
            classical=classical,
        )
        self._emit(command, content.place, content.label)
        named = tuple(
            (canonical(each.formula), f"{name}.{law}") for each, law in zip(axioms, laws, strict=True)
        )
        info = self._info(content, name, scope, requires, parent, own_fields, fields_here)
        return msgspec.structs.replace(info, axioms=(*held, *named))

    @staticmethod
    def _info(
        content: ClassContent,
        name: str,
        scope: Scope,
        requires: Sequence[Use],
        parent: Use | None,
        own_fields: dict[Symbol, str],
        fields: set[str],
    ) -> ClassInfo:
        parameters: tuple[Parameter, ...] = scope.parameters
        symbols: dict[Symbol, Owner] = dict(parent.symbols) if parent else {}
        info = ClassInfo(
            name=name,
            label=content.label,
            parameters=parameters,
            symbols=symbols,
            requires=tuple(requires),
            parent=parent,
            fields=frozenset(fields),
            inhabited=frozenset(scope.inhabited),
        )
        arguments = tuple(map(own_argument, parameters))
        for symbol, field in own_fields.items():
            symbols[symbol] = Owner(info, arguments, field)
        return info

    @staticmethod
    def _fields(
        scope: Scope,
        definitions: Definitions,
        own: dict[Symbol, str],
        axioms: Sequence[Axiom],
        laws: Sequence[str],
    ) -> tuple[list[lean.Field], bool]:
        fields, classical = [], False
        for symbol, name in own.items():
            types = [scope.sorts.type(each) for each in symbol.domain]
            fields.append(lean.Field(name, arrow(*types, scope.sorts.result(symbol.codomain))))
        for axiom, name in zip(axioms, laws, strict=True):
            terms = Terms(scope, scope.sorts, definitions.data, scope.locals, definitions.decidability)
            try:
                statement: lean.Term = terms.statement(axiom.formula)
            except LeanError as error:
                raise not_expressible(f"the axiom {axiom.name}: {error.message}", error.hint) from error
            classical = classical or terms.classical
            fields.append(lean.Field(name, statement))
        return fields, classical


def _required(contents: Contents, here: set[Symbol], available: Sequence[Use]) -> tuple[Use, ...]:
    found: list[Use] = []
    for symbol in contents.symbols:
        if symbol in here or any(symbol in use.symbols for use in found):
            continue
        use = next((each for each in available if symbol in each.symbols), None)
        if use is None:
            raise not_expressible(f"{symbol.name} is declared by no class that is at hand")
        found.append(use)
    return tuple(found)


def _carriers(content: ClassContent) -> set[str]:
    found = Contents()
    for symbol in content.symbols:
        found.symbol(symbol)
    return set(found.carriers)


def _short(name: str) -> str:
    """The last part of an axiom's qualified name."""
    return name.rpartition("::")[2]
