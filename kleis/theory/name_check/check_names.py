"""The check of a program's names: are they known, and used with as many arguments as they take?

See docs/reference/kleis.md §5.5.

Invariants
    * Nothing here decides what a program means: it reports names that can mean nothing, and meanings that a reader
      may not expect.  A program without errors here may still be rejected by elaboration.
    * Only the items of the given program are walked; the theory says what is known.  Order of declaration does
      not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TypeAlias

from rpds import HashTrieSet

from kleis.budget import deep
from kleis.builtins.rows.numeric_table import find_numeric
from kleis.builtins.rows.table import find_builtin
from kleis.problems import Problem, Spanned
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.theory.name_check.known_names import Arity, Known, Report
from kleis.theory.name_check.structure_members import circular, head_name, needed
from kleis.theory.name_check.uses import ExpressionNames, TypeNames
from kleis.theory.theory import Theory

__all__ = ["check_names"]

_Scope: TypeAlias = "HashTrieSet[str]"
_NOTHING: _Scope = HashTrieSet()

_MOST_ANCESTORS = 100
"""Implementations of so many ancestors are considered."""


@deep()
def check_names(program: tree.Program, theory: Theory, builtins: Mapping[str, Arity]) -> tuple[Problem, ...]:
    """The problems with the names of a program, in order of place.

    `theory` holds the program and its imports; `builtins` gives the least and greatest number of arguments of
    each builtin by name, None for no greatest.
    """
    check = _Check(theory, builtins, program.file)
    for item in program.items:
        check.item(item)
    return check.report.problems()


class _Check:
    """One check of one program."""

    def __init__(self, theory: Theory, builtins: Mapping[str, Arity], file: str) -> None:
        self.theory = theory
        self.known = Known(theory, builtins)
        self.report = Report(file)
        self.types = TypeNames(self.known, self.report)
        self.expressions = ExpressionNames(self.known, self.report)
        self.given = _Given(self.known)
        self.circular_aliases: frozenset[str] | None = None
        self.example_names: set[str] = set()

    def item(self, item: object) -> None:
        match item:
            case tree.Import() | tree.Annotation():
                pass
            case tree.FunctionDefinition():
                self._definition(item, _NOTHING)
            case tree.OperationDeclaration():
                self._not_reserved(item.name, item)
                self.types.check(item.type, _NOTHING)
            case tree.AliasDefinition():
                self._alias(item)
            case tree.DataDefinition():
                self._data(item)
            case tree.Structure():
                self._structure(item)
            case tree.Implements():
                self._implements(item)
            case tree.Lemma():
                self._lemma(item)
            case tree.Example():
                self._example(item)

    # ── definitions and types ────────────────────────────────────────────────────────────────────────────

    def _definition(self, item: tree.FunctionDefinition, scope: _Scope, *, is_global: bool = True) -> None:
        self._distinct("parameter", [(each.name, each) for each in item.parameters])
        self._not_reserved(item.name, item)
        for each in item.parameters:
            self._not_reserved(each.name, each)
        for parameter in item.parameters:
            self.types.check(parameter.type, scope)
        self.types.check(item.result, scope)
        inner = scope.update(each.name for each in item.parameters)
        for measure in item.decreases:
            self.expressions.check(measure, inner, "definition")
        self.expressions.check(item.body, inner, "definition")
        name = canonical_name(item.name)
        if is_global and name in self.known.builtins and find_numeric(name) is None:
            count = len(item.parameters)
            row = find_builtin(name) if count else None
            others = row is not None and (row.least, row.most) != (count, count)
            place = f"calls with {count} argument{'s' * (count != 1)}" if others else "its place everywhere"
            self.report.warn(
                item,
                "shadows-builtin",
                f"{item.name} is a builtin; this definition takes {place}",
                hint="rename it if the builtin is meant elsewhere",
            )

    def _not_reserved(self, name: str, node: Spanned) -> None:
        if name in ("true", "false"):
            message = f"{name} is a truth value in every expression: what is declared here is never meant"
            self.report.error(node, "reserved-name", message, hint="choose another name", found=name)

    def _alias(self, item: tree.AliasDefinition) -> None:
        scope = self._parameters(item.parameters, _NOTHING)
        self.types.check(item.type, scope)
        if self.circular_aliases is None:
            targets = {name: {head_name(each.type) or ""} for name, each in self.theory.aliases.items()}
            self.circular_aliases = circular(targets)
        if item.name in self.circular_aliases and self.theory.aliases.get(item.name) is item:
            message = f"the alias {item.name} stands for itself"
            self.report.error(item, "alias-cycle", message, hint="name a type that is no alias of it")

    def _data(self, item: tree.DataDefinition) -> None:
        scope = self._parameters(item.parameters, _NOTHING)
        self._distinct("constructor", [(each.name, each) for each in item.variants])
        for variant in item.variants:
            self._distinct("field", [(each.name, each) for each in variant.fields if each.name is not None])
            for field in variant.fields:
                self.types.check(field.type, scope)

    def _parameters(self, parameters: tuple[tree.TypeParameter, ...], scope: _Scope) -> _Scope:
        self._distinct("type parameter", [(each.name, each) for each in parameters])
        for parameter in parameters:
            self.types.check(parameter.kind, scope)
        return scope.update(each.name for each in parameters)

    def _distinct(self, what: str, names: Iterable[tuple[str, Spanned]]) -> None:
        seen: set[str] = set()
        for name, node in names:
            if name in seen and name != "_":
                message = f"there are two {what}s called {name} here"
                self.report.error(node, "duplicate-name", message, hint="rename one of the two", found=name)
            seen.add(name)

    # ── structures ───────────────────────────────────────────────────────────────────────────────────────

    def _structure(self, item: tree.Structure) -> None:
        scope = self._parameters(item.parameters, _NOTHING)
        if self.types.structure(item.extends, scope, "extends"):
            self._renamings(item.renamings, head_name(item.extends) or "")
        self.types.structure(item.over, scope, "over")
        scope = scope.update(self._over_parameters(item))
        if item.name in self.known.members.circular:
            message = f"the inheritance of {item.name} goes round in a circle"
            self.report.error(item, "inheritance-cycle", message, hint="cut the circle of extends and over")
        self._members(item.members, scope, is_global=not item.parameters)

    def _over_parameters(self, item: tree.Structure) -> set[str]:
        """The type names in the arguments of parents: the F of ``over Field(F)``."""
        found: set[str] = set()
        for each in (item.extends, item.over):
            for argument in getattr(each, "arguments", ()):
                name = head_name(argument)
                if name is not None:
                    found.add(name)
        return found

    def _members(self, members: tuple[tree.StructureMember, ...], scope: _Scope, *, is_global: bool) -> None:
        axioms = [(member.name, member) for member in members if isinstance(member, tree.Axiom)]
        self._distinct("axiom", axioms)
        for member in members:
            match member:
                case tree.OperationDeclaration() | tree.ElementDeclaration() | tree.Field():
                    self.types.check(member.type, scope)
                case tree.Axiom():
                    self.expressions.check(member.proposition, scope, "proposition")
                case tree.FunctionDefinition():
                    self._definition(member, scope, is_global=is_global)
                case tree.NestedStructure():
                    if self.types.structure(member.type, scope, "a nested structure"):
                        self._renamings(member.renamings, head_name(member.type) or "")
                    self._members(member.members, scope, is_global=is_global)

    def _renamings(self, renamings: tuple[tree.Renaming, ...], structure: str) -> None:
        if not renamings:
            return
        members = self.known.members.of(structure)
        self._distinct("renamed member", [(each.new, each) for each in renamings])
        for each in renamings:
            if members is not None and each.old not in members:
                self._unknown_member(each, each.old, structure, members)

    def _unknown_member(
        self, node: Spanned, name: str, structure: str, members: Mapping[str, tree.StructureMember]
    ) -> None:
        otherwise = f"it has {', '.join(islice(members, 12))}" if members else "it has no members"
        hint = self.report.nearest(f"member of {structure}", name, members.keys, otherwise)
        message = f"{structure} has no member {name}"
        self.report.error(node, "unknown-member", message, hint=hint, found=name)

    # ── implementations ──────────────────────────────────────────────────────────────────────────────────

    def _implements(self, item: tree.Implements) -> None:
        for argument in item.arguments:
            self.types.check(argument, _NOTHING)
        for constraint in item.where:
            self.types.structure(constraint, _NOTHING, "where")
        self.types.structure(item.over, _NOTHING, "over")
        structure = self.theory.structures.get(item.name)
        if structure is None:
            hint = self.report.nearest("structure", item.name, self.known.structure_names)
            message = f"there is no structure {item.name} to implement"
            self.report.error(
                item, "unknown-structure", message, hint=hint or "declare or import it", found=item.name
            )
        elif len(structure.parameters) != len(item.arguments):
            message = (
                f"{item.name} takes {len(structure.parameters)} types, here it has {len(item.arguments)}"
            )
            self.report.error(item, "type-arity", message, found=item.name)
        members = self.known.members.of(item.name) if structure is not None else None
        for member in item.members:
            self._implementation(member, item, members)
        if members is not None:
            self._missing(item, members)

    def _implementation(
        self,
        member: tree.ElementImplementation | tree.OperationImplementation | tree.VerifyImplementation,
        item: tree.Implements,
        members: Mapping[str, tree.StructureMember] | None,
    ) -> None:
        name = canonical_name(member.name)
        if members is not None and name not in members:
            self._unknown_member(member, name, item.name, members)
        elif (
            members is not None
            and isinstance(members[name], tree.Axiom | tree.NestedStructure)
            and not isinstance(member, tree.VerifyImplementation)
        ):
            message = f"{member.name} of {item.name} is no operation or element, so it cannot be given"
            self.report.error(member, "not-an-operation", message, found=member.name)
        match member:
            case tree.ElementImplementation():
                self.expressions.check(member.value, _NOTHING, "definition")
            case tree.OperationImplementation():
                self._distinct("parameter", [(each.name, each) for each in member.parameters])
                scope = _NOTHING.update(each.name for each in member.parameters)
                self._body(member, scope)
            case tree.VerifyImplementation():
                if members is not None and name in members and not isinstance(members[name], tree.Axiom):
                    message = f"{member.name} is no axiom of {item.name}"
                    self.report.error(member, "not-an-axiom", message, found=member.name)

    def _body(self, member: tree.OperationImplementation, scope: _Scope) -> None:
        body = member.body
        if (
            isinstance(body, tree.Name)
            and body.name.startswith("builtin_")
            and not self.known.is_value(body.name)
        ):
            message = f"there is no builtin {body.name}; {member.name} means nothing in particular here"
            builtins = self.known.builtins
            hint = self.report.nearest(
                "builtin", body.name, builtins.keys, "name a builtin or write the body"
            )
            self.report.warn(body, "unknown-builtin", message, hint=hint, found=body.name)
        else:
            self.expressions.check(body, scope, "definition")

    def _missing(self, item: tree.Implements, members: Mapping[str, tree.StructureMember]) -> None:
        """Report the operations that no implementation at these types gives; builtins need none."""
        given = self.given.at(item)
        absent = (
            name
            for name in needed(members)
            if name not in given and name not in self.known.builtins and name not in self.theory.definitions
        )
        names = list(islice(absent, 12))
        if names:
            self.report.warn(
                item,
                "missing-implementation",
                f"{item.name} also has {', '.join(names)}, not given here",
                hint="what is not given means nothing in particular at these types",
            )

    # ── lemmas ───────────────────────────────────────────────────────────────────────────────────────────

    def _lemma(self, item: tree.Lemma) -> None:
        self.expressions.check(item.proposition, _NOTHING, "question")
        stated = [each.declaration for each in self.theory.lemmas]
        if item not in stated:  # its name is taken, which the theory reports
            return
        earlier = {each.name for each in stated[: stated.index(item)] if isinstance(each, tree.Lemma)}
        for name in item.using or ():
            if name not in earlier:
                self.report.error(
                    item,
                    "unknown-lemma",
                    f"{item.word} {item.name} uses {name}, which no earlier lemma is called",
                    hint=self._no_lemma(name, earlier),
                    found=name,
                )

    def _no_lemma(self, name: str, earlier: set[str]) -> str:
        if self.theory.axioms(name):
            return f"{name} is an axiom: axioms are always in force, leave it out"
        if any(
            each.declaration.name == name
            for each in self.theory.lemmas
            if isinstance(each.declaration, tree.Lemma)
        ):
            return f"state {name} before it: what is proved later serves nothing earlier"
        return self.report.nearest(
            "lemma", name, lambda: earlier, "state it before: lemma name : proposition"
        )

    # ── examples ─────────────────────────────────────────────────────────────────────────────────────────

    def _example(self, item: tree.Example) -> None:
        if item.name in self.example_names:
            self.report.warn(
                item,
                "duplicate-example",
                f'there is another example "{item.name}" above',
                hint="give examples different names, so that --example can choose one",
            )
        self.example_names.add(item.name)
        scope: _Scope = _NOTHING
        for statement in item.statements:
            match statement:
                case tree.LetStatement():
                    self.types.check(statement.type, scope)
                    if statement.value is not None:
                        self.expressions.check(statement.value, scope, "proposition")
                    if statement.to_the_end:
                        self._binds_to_the_end(statement, scope)
                    scope = scope.insert(statement.name)
                case tree.Assertion():
                    if statement.proposition is not None:
                        self.expressions.check(statement.proposition, scope, "proposition")
                case tree.ExpressionStatement(expression=tree.Name(name=name)) if not (
                    name in scope or self.known.is_value(name)
                ):
                    self.report.error(
                        statement.expression,
                        "unknown-statement",
                        f"{name} begins no statement, and nothing declares it",
                        hint="to check a proposition write assert(…) or verify …; separate statements by ;",
                        found=name,
                    )
                case tree.ExpressionStatement():
                    self.expressions.check(statement.expression, scope, "proposition")

    def _binds_to_the_end(self, statement: tree.LetStatement, scope: _Scope) -> None:
        """Warn of a ``let … in`` that hides a name from the statements after the next."""
        name = statement.name
        if name in scope or self.known.is_value(name):
            self.report.warn(
                statement,
                "let-in-statement",
                f"from here to the end of the block {name} is this one, not the one declared before",
                hint=f"use another name, or put the whole expression into parentheses: (let {name} = … in …)",
                found=name,
            )


class _Given:
    """The names that the implementations of a theory give, by structure and types."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._names: dict[tuple[tree.TypeExpression, ...], dict[str, set[str]]] = {}
        self._found: dict[tuple[str, tuple[tree.TypeExpression, ...]], set[str]] = {}
        for each in known.theory.implementations:
            structures = self._names.setdefault(each.arguments, {})
            names = structures.setdefault(each.name, set())
            names.update(canonical_name(member.name) for member in each.members)

    def at(self, item: tree.Implements) -> set[str]:
        """The names given for a structure at its types, there or for its ancestors."""
        key = (item.name, item.arguments)
        if key not in self._found:
            structures = self._names[item.arguments]
            family = {item.name, *islice(self._known.members.ancestors(item.name), _MOST_ANCESTORS)}
            found: set[str] = set()
            for name in family & structures.keys():
                found |= structures[name]
            self._found[key] = found
        return self._found[key]
