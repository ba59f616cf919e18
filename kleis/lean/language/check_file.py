"""Checks the shape of an emitted file: layout, frame, names, arities, exhaustive matches.

The checker knows the emitted subset and nothing else of Lean: no types, no universes beyond their names, no tactics
beyond their words.  A text without problems has the right shape; only a Lean can say more.  See docs/reference/lean.md
§6.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kleis.lean.language import lean_tree as lean
from kleis.lean.language.check_terms import Entry, Environment, TermChecker
from kleis.lean.language.lean_lexer import LeanError, Token
from kleis.lean.language.lean_parser import parse_placed

__all__ = ["LeanProblem", "check_emitted"]


class LeanProblem(msgspec.Struct, frozen=True):
    """A problem, with the line and column (from 1) of the declaration or token."""

    line: int
    column: int
    code: str
    message: str


def check_emitted(text: str) -> tuple[LeanProblem, ...]:
    """The problems with a text as one of the emitted subset, in order of place; none means that it is one."""
    problems = list(_layout(text))
    try:
        placed = parse_placed(text)
    except LeanError as error:
        message = f"{error.message}: {error.found}" if error.found else error.message
        return (*problems, LeanProblem(error.line, error.column, error.code, message))
    problems += _Checker().file(placed)
    return tuple(sorted(problems, key=lambda each: (each.line, each.column)))


def _layout(text: str) -> Iterator[LeanProblem]:
    """UTF-8 without BOM, LF, spaces, a last line that ends."""
    for number, line in enumerate(text.split("\n"), 1):
        for character, what in (
            ("\t", "a tab"),
            ("\r", "a carriage return"),
            ("\ufeff", "a byte order mark"),
        ):
            if character in line:
                yield LeanProblem(number, line.index(character) + 1, "layout", f"{what} stands in the line")
        if line != line.rstrip(" "):
            yield LeanProblem(number, len(line), "layout", "the line ends in spaces")
    if not text.endswith("\n"):
        yield LeanProblem(text.count("\n") + 1, 1, "layout", "the last line does not end")


class _Checker:
    """Checks the commands of one file."""

    def __init__(self) -> None:
        self._environment = Environment()
        self._problems: list[LeanProblem] = []
        self._token: Token | None = None
        self._space = ""

    def file(self, placed: Sequence[tuple[lean.Command, Token]]) -> list[LeanProblem]:
        """All problems."""
        started = closed = False
        for command, token in placed:
            self._token = token
            if closed:
                self._report("frame", "something stands after the end of the namespace")
            match command:
                case lean.Import():
                    if started or self._space:
                        self._report("frame", "imports come first")
                case lean.Namespace(name=name):
                    self._space = name
                case lean.End(name=name):
                    closed = True
                    if name != self._space:
                        self._report("frame", f"end {name} does not close {self._space or 'anything'}")
                case lean.Option() | lean.Doc() | lean.Notation():
                    pass
                case _:
                    if not self._space:
                        self._report("frame", "a declaration stands outside the namespace")
                    self._declaration(command)
            started = started or not isinstance(command, lean.Import)
        if not any(isinstance(each, lean.Option) and each.name == "autoImplicit" for each, _ in placed):
            self._report("frame", "set_option autoImplicit false is missing")
        if self._space and not closed:
            self._report("frame", f"the namespace {self._space} is not closed")
        return self._problems

    def _report(self, code: str, message: str) -> None:
        line, column = (self._token.line, self._token.column) if self._token else (1, 1)
        self._problems.append(LeanProblem(line, column, code, message))

    # ── declarations ─────────────────────────────────────────────────────────────────────────────────────

    def _declaration(self, command: lean.Command) -> None:
        match command:
            case lean.Universes(names=names):
                self._environment.universes |= set(names)
            case lean.Class():
                self._class(command)
            case lean.Inductive():
                self._inductives((command,))
            case lean.Def():
                self._definitions((command,))
            case lean.Mutual(members=members):
                self._inductives([each for each in members if isinstance(each, lean.Inductive)])
                self._definitions([each for each in members if isinstance(each, lean.Def)])
            case lean.Model():
                self._model(command)
            case lean.Theorem():
                self._theorem(command)
            case _:
                pass

    def _enter(self, entry: Entry) -> None:
        if entry.name in self._environment.entries:
            self._report("duplicate", f"{entry.name} is declared twice")
        self._environment.entries[entry.name] = entry

    def _terms(self) -> TermChecker:
        return TermChecker(self._environment, self._report)

    def _bound(self, terms: TermChecker, binders: Sequence[lean.Binder]) -> None:
        """Check the types of binders in order, each before its names are bound."""
        for binder in binders:
            terms.type(binder.type)
            if binder.style == "instance":
                self._instance(binder.type)
            for name in binder.names:
                if name in terms.locals:
                    self._report("duplicate", f"{name} is bound twice")
                terms.bind(name, binder.type)

    def _instance(self, type_: lean.Term) -> None:
        head = type_.function if isinstance(type_, lean.Call) else type_
        if isinstance(head, lean.Name):
            entry = self._environment.entries.get(head.text)
            if head.text != "Nonempty" and (entry is None or entry.kind != "class"):
                self._report("scope", f"{head.text} is no class")

    def _class(self, command: lean.Class) -> None:
        terms = self._terms()
        self._bound(terms, command.parameters)
        fields: dict[str, int] = {}
        for parent in command.parents:
            terms.type(parent)
            fields |= self._inherited(parent)
        for name, arity in fields.items():
            terms.arities[name] = arity
            terms.locals[name] = None
        own = []
        for field in command.fields:
            if field.name in terms.locals:
                self._report("duplicate", f"the field {field.name} of {command.name} is declared twice")
            terms.type(field.type)
            terms.bind(field.name, field.type)
            terms.arities[field.name] = arrows(field.type)
            own.append((field.name, arrows(field.type)))
        names = _names(command.parameters)
        self._enter(Entry(command.name, command.keyword, len(_explicit(command.parameters)), names))
        self._environment.fields[command.name] = {**fields, **dict(own)}
        for name, arity in own:
            count = arity if command.keyword == "class" else 1
            self._enter(Entry(f"{command.name}.{name}", "field", count, names))
        if command.keyword == "structure":
            self._enter(Entry(f"{command.name}.mk", "constructor", len(own), ()))
            self._environment.constructors[command.name] = {f"{command.name}.mk": len(own)}

    def _inherited(self, parent: lean.Term) -> dict[str, int]:
        head = parent.function if isinstance(parent, lean.Call) else parent
        name = head.text if isinstance(head, lean.Name) else ""
        return dict(self._environment.fields.get(name, {}))

    def _inductives(self, members: Sequence[lean.Inductive]) -> None:
        for each in members:
            self._enter(Entry(each.name, "inductive", len(each.parameters), _names(each.parameters)))
        for each in members:
            made: dict[str, int] = {}
            for constructor in each.constructors:
                terms = self._terms()
                self._bound(terms, each.parameters)
                self._bound(terms, constructor.fields)
                terms.type(constructor.result)
                count = len(_explicit(constructor.fields))
                self._enter(Entry(f"{each.name}.{constructor.name}", "constructor", count, ()))
                made[f"{each.name}.{constructor.name}"] = count
            self._environment.constructors[each.name] = made

    def _definitions(self, members: Sequence[lean.Def]) -> None:
        for each in members:
            count = len(_explicit(each.binders)) + arrows(each.type)
            self._enter(Entry(each.name, "def", count, _names(each.binders)))
        for each in members:
            terms = self._terms()
            self._bound(terms, each.binders)
            terms.type(each.type)
            terms.term(each.body)
            for measure in each.measures:
                terms.term(measure)
            recursive = any(member.name in terms.called for member in members)
            if recursive and not each.measures and not terms.matched:
                self._report("recursion", f"{each.name} calls itself without a match or a measure")
            if each.decreasing and not each.measures:
                self._report("recursion", f"{each.name} has decreasing_by without termination_by")

    def _model(self, command: lean.Model) -> None:
        terms = self._terms()
        terms.type(command.type)
        head = command.type.function if isinstance(command.type, lean.Call) else command.type
        wanted = self._environment.fields.get(head.text if isinstance(head, lean.Name) else "", {})
        given = [field.name for field in command.fields]
        for name in [each for each in wanted if each not in given]:
            self._report("model", f"the model {command.name} has no {name}")
        for name in [each for each in given if each not in wanted or given.count(each) > 1]:
            self._report("model", f"{name} is no field of the model {command.name}, or given twice")
        for field in command.fields:
            if field.value is not None:
                terms.term(field.value)
        self._enter(Entry(command.name, "def", 0, ()))

    def _theorem(self, command: lean.Theorem) -> None:
        terms = self._terms()
        self._bound(terms, command.binders)
        terms.type(command.statement)
        terms.tactics(command.proof)
        self._enter(Entry(command.name, "theorem", len(_explicit(command.binders)), _names(command.binders)))


def _explicit(binders: Sequence[lean.Binder]) -> list[str]:
    return [name for binder in binders if binder.style == "explicit" for name in binder.names]


def _names(binders: Sequence[lean.Binder]) -> tuple[str, ...]:
    return tuple(name for binder in binders for name in binder.names)


def arrows(type_: lean.Term) -> int:
    """How many arguments a function of this type takes."""
    count = 0
    while True:
        if isinstance(type_, lean.Infix) and type_.operator == "→":
            count, type_ = count + 1, type_.right
        elif isinstance(type_, lean.Bind) and type_.kind == "∀":
            count, type_ = count + sum(len(each.names) for each in type_.binders), type_.body
        else:
            return count
