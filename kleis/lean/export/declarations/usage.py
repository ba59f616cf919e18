"""Which classes a declaration takes.  See docs/reference/lean.md §4.2.

A proposition is about some structures at some types and about the sections it is linked to.  Each of them is a class
that was declared once for the file; where these classes together say exactly what is assumed, they are taken.  Where
they do not (unions, renamed parents at concrete types), one class with every assumption is written for
the proposition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from kleis import core
from kleis.core.goal import Axiom, Goal, Instance
from kleis.core.traversal import canonical
from kleis.elaborate.elaborator import Elaborator
from kleis.elaborate.scopes.declared_builtins import is_builtin
from kleis.elaborate.scopes.structure_scope import StructureInstance
from kleis.errors import KleisError
from kleis.lean.export.declarations.class_scopes import Argument, ClassInfo, Owner, Use
from kleis.lean.export.declarations.classes import ClassContent, Classes, itself
from kleis.lean.export.declarations.lean_definitions import Definitions
from kleis.lean.export.declarations.requirements import Contents
from kleis.lean.export.terms.lean_names import Names
from kleis.lean.language.lean_lexer import LeanError
from kleis.problems import place_of
from kleis.theory.theory import Theory

__all__ = ["Available"]


class Writer(Protocol):
    """The parts of the export that are needed."""

    theory: Theory
    elaborator: Elaborator
    classes: Classes
    names: Names

    def definitions_of(self, goal: Goal) -> Definitions:
        """The definitions of a goal."""


class Available:
    """The classes of a file: declared when they are first asked for."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._structures: dict[str, ClassInfo | LeanError] = {}
        self._sections: dict[str, ClassInfo | LeanError | None] = {}

    # ── classes ──────────────────────────────────────────────────────────────────────────────────────────

    def structure(self, name: str) -> ClassInfo | None:
        """The class of a structure; of one without parameters, that of its component.

        None if the component has neither operations nor axioms.
        """
        elaborator = self._writer.elaborator
        if not self._writer.theory.structures[name].parameters:
            return self._section(name)
        if name not in self._structures:
            try:
                self._structures[name] = self._declared(
                    elaborator.structure(name), elaborator.arbitrary(name)
                )
            except LeanError as error:
                self._structures[name] = error
        return _found(self._structures[name])

    def _declared(self, goal: Goal, instance: StructureInstance) -> ClassInfo:
        """The class of a structure, from its goal at arbitrary carriers."""
        formulas = self._formulas(instance)
        axioms = [each for each in goal.axioms if each.formula in formulas]
        definitions = self._writer.definitions_of(goal)
        linked = self._linked(goal)
        symbols = self._own(definitions, instance, axioms, linked)
        node = self._writer.theory.structures[instance.structure]
        place = place_of(node, self._writer.theory.lookup(instance.structure)[0].file)
        parents = [found for each in instance.ancestors if (found := self._ancestor(each)) is not None]
        content = ClassContent(instance.structure, symbols, axioms, parents, place)
        return self._writer.classes.declare(content, definitions, linked)

    def _own(
        self,
        definitions: Definitions,
        instance: StructureInstance,
        axioms: Sequence[Axiom],
        linked: Sequence[Use],
    ) -> list[core.Symbol]:
        """Declared operations, and those that only axioms mention and no other class has."""
        elsewhere = {symbol for use in linked for symbol in use.symbols}
        mentioned = definitions.gathering.of(each.formula for each in axioms).symbols
        return [*_symbols(instance), *(each for each in mentioned if each not in elsewhere)]

    def _linked(self, goal: Goal) -> list[Use]:
        """The classes of the sections that a structure's axioms are linked to."""
        found: list[Use] = []
        for each in goal.instances:
            if not self._writer.theory.structures[each.structure].parameters:
                info = self._section(each.structure)
                if info is not None and itself(info) not in found:
                    found.append(itself(info))
        return found

    def _ancestor(self, instance: Instance) -> tuple[Use, Sequence[Axiom]] | None:
        """A parent as a class that may be extended, with its axioms there."""
        try:
            use = self.use(instance)
        except KleisError:
            return None
        return None if use is None else (use, self._axioms(self._instance(instance)))

    def _section(self, name: str) -> ClassInfo | None:
        if name not in self._sections:
            self._declare_components()
        found = self._sections.get(name)
        return None if found is None else _found(found)

    def _declare_components(self) -> None:
        for goal in self._writer.elaborator.components():
            labels = [each.structure for each in goal.instances]
            try:
                info: ClassInfo | LeanError | None = self._component(goal, labels)
            except LeanError as error:
                info = error
            self._sections |= dict.fromkeys(labels, info)

    def _component(self, goal: Goal, labels: Sequence[str]) -> ClassInfo | None:
        """The class of linked sections; None where they declare nothing that needs one."""
        definitions = self._writer.definitions_of(goal)
        symbols: list[core.Symbol] = []
        for name in labels:
            symbols += _symbols(self._writer.elaborator.globals.section(name))
        symbols += [each for each in goal.symbols if each not in symbols]
        if not symbols and not goal.axioms:
            return None
        label = labels[0] if len(labels) == 1 else "_and_".join(labels[:3])
        node = self._writer.theory.structures[labels[0]]
        place = place_of(node, self._writer.theory.lookup(labels[0])[0].file)
        content = ClassContent(label, symbols, goal.axioms, (), place)
        return self._writer.classes.declare(content, definitions, ())

    # ── uses ─────────────────────────────────────────────────────────────────────────────────────────────

    def use(self, instance: Instance) -> Use | None:
        """A structure at types, as a class; None if its class cannot be taken there."""
        info = self.structure(instance.structure)
        if info is None:
            return None
        arbitrary = self._writer.elaborator.arbitrary(instance.structure) if instance.arguments else None
        if arbitrary is None or arbitrary.instance == instance:
            return itself(info)
        if len(instance.arguments) != len(info.parameters):
            return None
        here = self._instance(instance)
        old, new = _symbols(arbitrary), _symbols(here)
        arguments = self._arguments(info, arbitrary.instance, instance)
        if len(old) != len(new) or len(set(new)) != len(new) or arguments is None:
            return None
        renamed = dict(zip(old, new, strict=True))
        chosen = {p.kleis: a for p, a in zip(info.parameters, arguments, strict=True)}
        symbols: dict[core.Symbol, Owner] = {}
        for symbol, owner in info.symbols.items():
            if symbol not in renamed:
                return None
            moved = [_moved(each, chosen) for each in owner.arguments]
            if any(each is None for each in moved):
                return None
            symbols[renamed[symbol]] = Owner(
                owner.info, tuple(e for e in moved if e is not None), owner.field
            )
        return Use(info, arguments, symbols)

    @staticmethod
    def _arguments(info: ClassInfo, own: Instance, here: Instance) -> tuple[Argument, ...] | None:
        """The arguments of an instance, in the order of the class's parameters."""
        chosen: dict[str, core.Sort | core.Dimension] = {}
        for parameter, argument in zip(own.arguments, here.arguments, strict=True):
            if isinstance(parameter, core.Carrier):
                chosen[parameter.name] = argument
            elif isinstance(parameter, core.Dimension) and len(parameter.terms) == 1:
                chosen["".join(parameter.terms[0][0])] = argument
        if not all(each.kleis in chosen and each.kind != "family" for each in info.parameters):
            return None
        return tuple(chosen[each.kleis] for each in info.parameters)

    def cover(self, goal: Goal, definitions: Definitions) -> tuple[Use, ...]:
        """The classes that a proposition takes."""
        terms = [each.formula for each in goal.axioms]
        if goal.claim is not None:
            terms.append(goal.claim)
        gathered = definitions.gathering.of(terms)
        return self._of_instances(goal, gathered) or self._flat(goal, definitions, gathered)

    def _of_instances(self, goal: Goal, gathered: Contents) -> tuple[Use, ...] | None:
        """The classes of the assumed structures, if together they say exactly what is assumed; else None."""
        left = {canonical(each.formula) for each in goal.axioms}
        all_axioms = frozenset(left)
        symbols: set[core.Symbol] = set()
        uses: dict[Use, None] = {}
        for instance in goal.instances:
            theirs = {canonical(each.formula) for each in self._axioms(self._instance(instance))} & all_axioms
            try:
                use = self.use(instance)
            except KleisError:
                return None
            if use is None or (theirs <= all_axioms - left and set(use.symbols) <= symbols):
                left -= theirs
                continue
            for each in (*use.info.requires, use):
                uses.setdefault(each)
                symbols |= set(each.symbols)
            left -= theirs
        complete = not left and all(each in symbols for each in gathered.symbols)
        if not complete or not _disjoint(uses):
            return None
        return tuple(uses) if uses or not gathered.symbols else None

    def _flat(self, goal: Goal, definitions: Definitions, gathered: Contents) -> tuple[Use, ...]:
        """One class with everything that is assumed."""
        own = tuple(gathered.symbols)
        if not own and not goal.axioms:
            return ()
        structures = [each.structure for each in goal.instances]
        content = ClassContent("Theory_" + "_".join(structures[:2]), own, goal.axioms)
        return (itself(self._writer.classes.declare(content, definitions, ())),)

    # ── what the elaborator knows ────────────────────────────────────────────────────────────────────────

    def _instance(self, instance: Instance) -> StructureInstance:
        elaborator = self._writer.elaborator
        if not instance.arguments:
            return elaborator.globals.section(instance.structure)
        arbitrary = elaborator.arbitrary(instance.structure)
        if arbitrary.instance == instance:
            return arbitrary
        return elaborator.globals.instance(instance.structure, instance.arguments)

    def _axioms(self, instance: StructureInstance) -> list[Axiom]:
        return [self._writer.elaborator.axiom(each) for each in instance.axioms]

    def _formulas(self, instance: StructureInstance) -> set[core.Term]:
        return {each.formula for each in self._axioms(instance)}


def _symbols(instance: StructureInstance) -> list[core.Symbol]:
    return [each for each in instance.symbols if not is_builtin(each.name, each)]


def _moved(argument: Argument, chosen: dict[str, Argument]) -> Argument | None:
    match argument:
        case core.Carrier(name=name, arguments=()):
            return chosen.get(name)
        case core.Dimension(terms=((atoms, 1),)) if len(atoms) == 1:
            return chosen.get(atoms[0])
        case _:
            return None


def _found(entry: ClassInfo | LeanError) -> ClassInfo:
    if isinstance(entry, LeanError):
        raise entry
    return entry


def _disjoint(uses: Iterable[Use]) -> bool:
    """Whether no symbol has two classes."""
    symbols = [symbol for use in uses for symbol in use.symbols]
    return len(set(symbols)) == len(symbols)
