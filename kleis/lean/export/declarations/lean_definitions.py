"""Definitions in Lean, with termination.  See docs/reference/lean.md §4.1.

A definition that gives truth values is of type Bool where Lean can compute it, else of type Prop.  A partial one has a
definedness predicate: ``f_defined`` says where ``f`` has a value; of a partial formula ``f`` says where it is true and
``f_false`` where it is false.

Invariants
    * A recursive definition is written only with a termination argument (`kleis.termination.show_termination`), and is
      total where that argument holds; elsewhere some value stands.
    * A definition takes the classes that its operations need, and the least of each line of parents: so the same
      definition serves a class and all that extend it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from kleis import core
from kleis.core.goal import Termination
from kleis.core.traversal import sorts_of, subterms
from kleis.lean.export.declarations.class_scopes import DefinitionInfo, Scope, Use
from kleis.lean.export.declarations.inductive_types import Data, Emit
from kleis.lean.export.declarations.requirements import Contents, Gathering, carriers_in
from kleis.lean.export.declarations.termination_proofs import measures_of
from kleis.lean.export.terms.conditionals import Decidability
from kleis.lean.export.terms.lean_names import Names
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.export.terms.lean_types import not_expressible
from kleis.lean.export.terms.propositions import TRUE, guarded, merged, negation, simplified
from kleis.lean.language import lean_tree as lean
from kleis.lean.language.lean_lexer import LeanError
from kleis.problems import Place

__all__ = ["Definitions", "Key", "Surroundings"]


class Surroundings(Protocol):
    """What definitions need of the rest of the export."""

    @property
    def names(self) -> Names:
        """The names of the file."""

    @property
    def data(self) -> Data:
        """Its data types."""

    @property
    def emit(self) -> Emit:
        """Takes finished commands."""


class Key(msgspec.Struct, frozen=True):
    """A definition with the classes it takes."""

    definition: core.Definition
    uses: tuple[Use, ...]

    def __hash__(self) -> int:
        return hash((self.definition.key, self.uses))


class Written(msgspec.Struct, frozen=True):
    """A written definition: its command, its definedness predicates by kind, and which carriers must not be empty."""

    command: lean.Def
    predicates: tuple[tuple[str, lean.Term], ...]
    inhabited: frozenset[str]


class Definitions:
    """The definitions of one goal, declared when they are first called.

    `known` is shared by all goals of a file.
    """

    def __init__(
        self,
        around: Surroundings,
        definitions: Sequence[core.Definition],
        terminations: Sequence[tuple[str, Termination]],
        places: dict[str, Place],
        known: dict[Key, DefinitionInfo],
    ) -> None:
        self._around = around
        self.data = around.data
        self._definitions = {each.key: each for each in definitions}
        self._terminations = dict(terminations)
        self._places = places
        self._known = known
        self.gathering = Gathering(self._definitions)
        self.decidability = Decidability(around.data.derives, self._computed)
        self._computing: dict[str, bool] = {}

    # ── what scopes ask ──────────────────────────────────────────────────────────────────────────────────

    def __call__(self, key: str, scope: Scope) -> DefinitionInfo:
        """A definition in the scope of a declaration."""
        definition = self._definitions[key]
        uses = self._uses(definition, scope)
        made = Key(definition, uses)
        if made not in self._known:
            self._declare(definition, uses)
        return self._known[made]

    def is_measured(self, key: str) -> bool:
        """Whether Lean makes a definition recursive by a measure."""
        termination = self._terminations.get(key)
        return termination is not None and (termination.kind == "measure" or len(termination.arguments) > 1)

    def is_computed(self, key: str, *, by_the_kernel: bool) -> bool:
        """Whether Lean unfolds a definition to a value: no choice in it, and no recursion that it leaves folded.

        The kernel unfolds recursion by one measure, not by several.
        """
        if any(info.noncomputable for made, info in self._known.items() if made.definition.key == key):
            return False
        termination = self._terminations.get(key)
        several = termination is not None and len(termination.measures) > 1
        return not several if by_the_kernel else not self.is_measured(key)

    def written_names(self, key: str) -> tuple[str, ...]:
        """What a definition is called in the file, with its definedness predicates; for every choice of classes."""
        infos = [info for made, info in self._known.items() if made.definition.key == key]
        return tuple(name for each in infos for name in (each.name, each.defined, each.false) if name)

    def has_recursive_predicate(self, key: str) -> bool:
        """Whether where a definition has a value is itself said by recursion."""
        definition = self._definitions[key]
        return bool(definition.group) and any(
            info.defined or info.false for made, info in self._known.items() if made.definition.key == key
        )

    def has_predicate_by_cases(self, key: str) -> bool:
        """Whether where a definition has a value is said by cases of its arguments."""
        partial = any(
            info.defined or info.false for made, info in self._known.items() if made.definition.key == key
        )
        return partial and any(
            isinstance(each, core.Discrimination) for each in subterms(self._definitions[key].body)
        )

    def _uses(self, definition: core.Definition, scope: Scope) -> tuple[Use, ...]:
        """The classes whose operations a definition depends on."""
        contents = self.gathering.definition(definition.key)
        if any(symbol in scope.own for symbol in contents.symbols):
            raise not_expressible(f"{definition.name} speaks of operations that are only being declared")
        found = [least for use in scope.uses if (least := use.least(contents.symbols)) is not None]
        return tuple(found)

    def _computed(self, key: str) -> bool:
        """Whether a definition gives a Bool: its body is decided by computing, and defined everywhere."""
        if key not in self._computing:
            definition = self._definitions[key]
            self._computing[key] = True  # of its own calls, unless something else says no
            decided = definition.result == core.BOOL and self.decidability.formula(definition.body)
            self._computing[key] = decided and not self._is_partial(definition)
        return self._computing[key]

    def _is_partial(self, definition: core.Definition) -> bool:
        termination = self._terminations.get(definition.key)
        if termination is not None and termination.condition is not None:
            return True
        contents = self.gathering.definition(definition.key)
        return bool(contents.symbols) or not _looks_total(definition.body, self._definitions, set())

    # ── declarations ─────────────────────────────────────────────────────────────────────────────────────

    def _declare(self, definition: core.Definition, uses: tuple[Use, ...]) -> None:
        """Declare a definition with its group: as total if it is total, else with its definedness predicates."""
        group = [self._definitions[key] for key in definition.group] or [definition]
        for each in group:
            self._check_termination(each)
        infos = {each.key: self._reserve(each, uses) for each in group}
        try:
            self._note(group, uses, infos)
            written = [self._write(each, uses, infos[each.key]) for each in group]
            if definition.group and any(each.predicates for each in written):
                infos = {each.key: self._with_predicate(each, infos[each.key]) for each in group}
                self._note(group, uses, infos)
                written = [self._write(each, uses, infos[each.key]) for each in group]
        except LeanError:
            for each in group:
                self._known.pop(Key(each, uses), None)
            raise
        self._emit(group, uses, written, infos)

    def _note(
        self, group: Sequence[core.Definition], uses: tuple[Use, ...], infos: dict[str, DefinitionInfo]
    ) -> None:
        """Make the members of a recursive group known to each other."""
        for each in group:
            if each.group:
                self._known[Key(each, uses)] = infos[each.key]

    def _emit(
        self,
        group: Sequence[core.Definition],
        uses: tuple[Use, ...],
        written: Sequence[Written],
        infos: dict[str, DefinitionInfo],
    ) -> None:
        place, label = self._places.get(group[0].key), group[0].name
        heads: list[lean.Def] = []
        predicates: list[lean.Def] = []
        for each, part in zip(group, written, strict=True):
            info = infos[each.key]
            if part.predicates and not each.group:
                info = self._with_predicate(each, info)
            heads.append(part.command)
            names = {"defined": info.defined, "false": info.false}
            predicates += [
                self._predicate(part, names[kind], formula, bool(each.group))
                for kind, formula in part.predicates
            ]
            for kind, name in names.items():
                if name and kind not in dict(part.predicates):  # only others of its group are partial
                    everywhere = TRUE if kind == "defined" else negation(part.command.body)
                    predicates.append(self._predicate(part, name, everywhere, bool(each.group)))
            self._known[Key(each, uses)] = msgspec.structs.replace(
                info, inhabited=part.inhabited, noncomputable=part.command.noncomputable
            )
        together = any(infos[each.key].kind == "prop" for each in group) and bool(group[0].group)
        blocks = [[*heads, *predicates]] if together else [heads, *([each] for each in predicates)]
        if predicates and len(group) > 1 and not together:
            blocks = [heads, predicates]
        for block in blocks:
            command: lean.Command = block[0] if len(block) == 1 else lean.Mutual(tuple(block))
            self._around.emit(command, place, label)

    @staticmethod
    def _predicate(part: Written, name: str, formula: lean.Term, recursive: bool) -> lean.Def:
        return lean.Def(
            name=name,
            binders=part.command.binders,
            type=lean.Name("Prop"),
            body=formula,
            abbreviation=not recursive,
            classical=part.command.classical,
            measures=part.command.measures if recursive else (),
            decreasing=part.command.decreasing if recursive else (),
        )

    def _check_termination(self, definition: core.Definition) -> None:
        termination = self._terminations.get(definition.key)
        if definition.group and (termination is None or termination.kind == "unknown"):
            raise not_expressible(
                f"termination of {definition.name} is not shown",
                "write @decreases(measure) before its define",
            )

    def _reserve(self, definition: core.Definition, uses: tuple[Use, ...]) -> DefinitionInfo:
        """Name a definition; what its callers know of it, if it is total."""
        name = self._around.names.declare(definition.name, "definition")
        kind = "value"
        if definition.result == core.BOOL:
            kind = "bool" if self._computed(definition.key) else "prop"
        scope = self._scope(definition, uses)
        mentioned = carriers_in(each.sort for each in definition.parameters)
        known = {*mentioned.carriers, *mentioned.numbers}
        return DefinitionInfo(
            name=name,
            kind=kind,
            parameters=scope.parameters,
            uses=uses,
            determined=all(each.kleis in known for each in scope.parameters),
        )

    def _with_predicate(self, definition: core.Definition, info: DefinitionInfo) -> DefinitionInfo:
        """The same, with the name of the predicate that says where it is defined, or false."""
        kind = "false" if info.kind == "prop" else "defined"
        name = self._around.names.declare(definition.name, kind, stem=f"{info.name}_{kind}")
        if kind == "false":
            return msgspec.structs.replace(info, false=name)
        return msgspec.structs.replace(info, defined=name)

    def _scope(self, definition: core.Definition, uses: tuple[Use, ...]) -> Scope:
        contents = Contents()
        contents.add(self.gathering.definition(definition.key))
        for each in definition.parameters:
            contents.sort(each.sort)
        contents.symbols, contents.definitions = {}, {}
        return Scope(self._around.names, self._around.data, contents, uses, definition=self)

    def _write(self, definition: core.Definition, uses: tuple[Use, ...], info: DefinitionInfo) -> Written:
        """The definition, with its definedness predicates."""
        scope = self._scope(definition, uses)
        termination = self._terminations.get(definition.key)
        terms = Terms(
            scope,
            scope.sorts,
            self._around.data,
            scope.locals,
            self.decidability,
            named_conditions=self.is_measured(definition.key),
        )
        parameters = merged(terms.binder(each) for each in definition.parameters)
        condition = self._condition(terms, termination)
        body, defined, false = self._body(terms, definition, info.kind)
        if condition != TRUE:
            hypothesis = scope.locals.fresh("h")
            if info.kind == "prop":
                false = self._where(hypothesis, condition, negation(body) if false is None else false)
                body = self._where(hypothesis, condition, body)
            else:
                body = lean.If(condition, body, scope.sorts.some(definition.result), hypothesis)
                defined = self._where(hypothesis, condition, defined)
        predicates: list[tuple[str, lean.Term]] = []
        if defined != TRUE:
            predicates.append(("defined", simplified(defined)))
        if false is not None:
            predicates.append(("false", simplified(false)))
        scope.inhabited |= scope.sorts.chosen
        noncomputable = info.kind == "value" and (
            terms.classical or scope.noncomputable or bool(scope.sorts.chosen) or _is_real(definition)
        )
        measures, decreasing = measures_of(terms, definition, termination)
        if measures:
            names = self._recursive_names(definition, uses)
            predicates = [(part, guarded(formula, names)) for part, formula in predicates]
            body = guarded(simplified(body), names) if info.kind == "prop" else body
        command = lean.Def(
            name=info.name,
            binders=(*scope.heads(), *parameters),
            type=scope.sorts.type(definition.result) if info.kind != "prop" else lean.Name("Prop"),
            body=simplified(body) if info.kind == "prop" else body,
            noncomputable=noncomputable,
            classical=terms.classical,
            measures=measures,
            decreasing=decreasing,
        )
        return Written(command, tuple(predicates), frozenset(scope.inhabited))

    def _recursive_names(self, definition: core.Definition, uses: tuple[Use, ...]) -> frozenset[str]:
        """The Lean names of the formulas and predicates of a recursive group."""
        infos = [self._known[Key(self._definitions[key], uses)] for key in definition.group]
        return frozenset(
            name
            for each in infos
            for name in (each.name if each.kind == "prop" else "", each.defined, each.false)
            if name
        )

    @staticmethod
    def _where(hypothesis: str, condition: lean.Term, formula: lean.Term) -> lean.Term:
        """A formula under a condition that its recursive calls can use as a hypothesis."""
        if formula == TRUE:
            return condition
        return lean.Bind("∃", (lean.Binder((hypothesis,), condition),), formula)

    @staticmethod
    def _body(
        terms: Terms, definition: core.Definition, kind: str
    ) -> tuple[lean.Term, lean.Term, lean.Term | None]:
        """The body, where it is defined, and for a partial formula where it is false."""
        if kind == "prop":
            formula = terms.formula(definition.body)
            return formula.true, TRUE, None if formula.total else formula.false
        parameter = _unmatched(definition)
        value = (
            terms.value(definition.body) if parameter is None else terms.opened(definition.body, parameter)
        )
        return value.term, value.defined, None

    @staticmethod
    def _condition(terms: Terms, termination: Termination | None) -> lean.Term:
        if termination is None or termination.condition is None:
            return TRUE
        if not terms.decidability.formula(termination.condition):
            terms.classical = True
        return terms.formula(termination.condition).true


def _unmatched(definition: core.Definition) -> core.Variable | None:
    """A parameter of one constructor whose parts a recursive definition takes without a match; None without one."""
    for each in subterms(definition.body) if definition.group else ():
        match each:
            case core.Selection(constructor=constructor, term=core.Variable() as whole) if constructor.alone:
                if isinstance(whole.sort, core.DataSort) and whole in definition.parameters:
                    return whole
            case _:
                pass
    return None


def _is_real(definition: core.Definition) -> bool:
    sorts: list[core.Sort] = [definition.result, *sorts_of(definition.body)]
    return any(each in (core.REAL, core.COMPLEX) for each in sorts)


def _looks_total(term: core.Term, definitions: dict[str, core.Definition], seen: set[str]) -> bool:
    """Whether nothing partial occurs in a term or in what it calls."""
    for each in subterms(term):
        if isinstance(each, core.Narrowing | core.Undefined):
            return False
        if isinstance(each, core.BuiltinCall) and each.operation.condition is not None:
            return False
        if isinstance(each, core.DefinitionCall) and each.definition not in seen:
            seen.add(each.definition)
            if not _looks_total(definitions[each.definition].body, definitions, seen):
                return False
    return True
