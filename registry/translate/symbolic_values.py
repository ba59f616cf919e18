"""What a part of a tool's code is during translation, and where its bindings go.

PIF and Kleis are both call-by-value: a `let` has no value where what it binds has none. So a binding may move outward
past anything that is evaluated in any case, but not out of a branch of `if` or the body of a function. A `Frame` holds
the bindings of such a place; it becomes `let … in …` around what is computed there.

`Translation` is what the rules for calls, folds and operations need of the translator of a tool, which alone recurs.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol

from kleis.syntax import tree
from pif.analysis.types.unification import Type
from pif.language.errors import Path, longer, pointer
from pif.language.host import Tool, Tools
from pif.language.terms import Term, part_keys
from registry.translate.kleis_syntax import names_in, pair, record
from registry.translate.node_types import KleisTypes, NodeTypes

__all__ = [
    "Called",
    "Closure",
    "Code",
    "Frame",
    "Function",
    "PairOf",
    "Part",
    "Plain",
    "RecordOf",
    "Scope",
    "Source",
    "Translation",
    "Untranslatable",
    "plain",
]


class Untranslatable(Exception):
    """A part of a tool that has no Kleis counterpart: why, and its place (a JSON pointer) in which tool's code."""

    def __init__(self, reason: str, path: str, tool: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path
        self.tool = tool

    def __str__(self) -> str:
        return f"{self.reason} (at {self.path or 'the root'} of {self.tool})"


# ── Code ─────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Source:
    """The tool whose code is translated. `types` is None for a tool inlined into another: its types differ at each use."""

    tool: Tool
    types: NodeTypes | None


@dataclass(frozen=True, slots=True)
class Code:
    """A part of some code: its term, the symbolic values of its free names, its place, and the tool it is from."""

    term: Term
    scope: Scope
    path: Path
    source: Source

    def child(self, number: int) -> Code:
        """One of its parts."""
        steps = part_keys(self.term)[number]
        return Code(self.term.parts[number], self.scope, longer(self.path, steps), self.source)

    @property
    def children(self) -> list[Code]:
        """All of its parts."""
        return [self.child(number) for number in range(len(self.term.parts))]

    def where(self, name: str, part: Part) -> Code:
        """The same with one more name in scope."""
        return replace(self, scope={**self.scope, name: part})

    @property
    def type(self) -> Type | None:
        """Its type, where that is known."""
        return None if self.source.types is None else self.source.types.at(self.path)

    def untranslatable(self, reason: str) -> Untranslatable:
        """The error for this part."""
        return Untranslatable(reason, pointer(self.path), self.source.tool.label)


# ── Symbolic values ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Function:
    """A tool as a Kleis function.

    `parameters` counts those of the tool; a parameter that is a record becomes one parameter for each field. `records`
    gives these fields for each parameter, None for one that is no record. `reverses`: the tool is `reverse` of Kleis.
    """

    label: str
    name: str
    parameters: int
    records: tuple[tuple[str, ...] | None, ...]
    gives_record: bool = False
    reverses: bool = False


@dataclass(frozen=True, slots=True)
class Plain:
    """A Kleis expression."""

    expression: tree.Expression


@dataclass(frozen=True, slots=True)
class PairOf:
    """A pair whose halves are known apart."""

    first: tree.Expression
    second: tree.Expression


@dataclass(frozen=True, slots=True)
class RecordOf:
    """A record whose fields are known apart."""

    fields: Mapping[str, tree.Expression]


@dataclass(frozen=True, slots=True)
class Closure:
    """A lambda: never a value in Kleis, but inlined where it is called."""

    code: Code


@dataclass(frozen=True, slots=True)
class Called:
    """A tool applied to some of its arguments."""

    function: Function
    arguments: tuple[Part, ...] = ()


Part = Plain | PairOf | RecordOf | Closure | Called
Scope = Mapping[str, Part]


def plain(part: Part, code: Code) -> tree.Expression:
    """The expression of a part. Raises `Untranslatable` for a function."""
    match part:
        case Plain(expression=expression):
            return expression
        case PairOf(first=first, second=second):
            return pair(first, second)
        case RecordOf(fields=fields):
            return record(dict(fields))
        case Closure() | Called():
            raise code.untranslatable(
                "a function is a value here; only functions that are called can be put in"
            )


# ── Bindings ─────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class Frame:
    """The bindings of one place, in order, and what is known there: variables that are pairs and non-empty lists."""

    outer: Frame | None = None
    bindings: list[tuple[tree.Pattern, tree.Expression]] = field(default_factory=list)
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)
    lists: dict[str, tuple[str, str]] = field(default_factory=dict)

    def bind(self, name: str, value: tree.Expression) -> tree.Name:
        """Give a value a name."""
        self.bindings.append((tree.VariablePattern(name), value))
        return tree.Name(name)

    def take_apart(self, variable: str, first: str, second: str) -> tuple[str, str]:
        """The names of the halves of a variable that is a pair: those it has already, else the given ones."""
        known = self.pair(variable)
        if known is None:
            pattern = tree.ConstructorPattern(
                "Pair", (tree.VariablePattern(first), tree.VariablePattern(second))
            )
            self.bindings.append((pattern, tree.Name(variable)))
            known = self.pairs[variable] = (first, second)
        return known

    def pair(self, variable: str) -> tuple[str, str] | None:
        """The halves of a variable that is a pair."""
        frame: Frame | None = self
        while frame is not None:
            if variable in frame.pairs:
                return frame.pairs[variable]
            frame = frame.outer
        return None

    def list(self, variable: str) -> tuple[str, str] | None:
        """The head and tail of a variable that is a list and not empty here."""
        frame: Frame | None = self
        while frame is not None:
            if variable in frame.lists:
                return frame.lists[variable]
            frame = frame.outer
        return None

    def around(self, expression: tree.Expression) -> tree.Expression:
        """An expression with the frame's bindings around it."""
        for pattern, value in reversed(self.bindings):
            expression = _let(pattern, value, expression)
        return expression


def _let(pattern: tree.Pattern, value: tree.Expression, body: tree.Expression) -> tree.Expression:
    used = names_in(body)
    if isinstance(pattern, tree.ConstructorPattern):
        parts = tuple(
            each if isinstance(each, tree.VariablePattern) and each.name in used else tree.WildcardPattern()
            for each in pattern.arguments
        )
        if not any(isinstance(each, tree.VariablePattern) for each in parts):
            return body  # the variable has a value, and a pair can always be taken apart
        return tree.Let(tree.ConstructorPattern(pattern.name, parts), None, value, body)
    if (
        isinstance(body, tree.Name)
        and isinstance(pattern, tree.VariablePattern)
        and body.name == pattern.name
    ):
        return value
    return tree.Let(pattern, None, value, body)


# ── The translator ───────────────────────────────────────────────────────────────────────────────────────────


class Translation(Protocol):
    """The translation of one tool, as the rules for calls, folds and operations use it.

    `own` is the tool that is translated, `frame` the innermost place of bindings.
    """

    own: Function
    tools: Tools
    types: KleisTypes
    frame: Frame

    def function(self, tool: Tool) -> Function | None:
        """The Kleis function of another tool; None for one that has to be inlined."""

    def part(self, code: Code) -> Part:
        """The symbolic value of a part of the code."""

    def expression(self, code: Code) -> tree.Expression:
        """The same as an expression."""

    def expressions(self, code: Code) -> list[tree.Expression]:
        """The expressions of all parts of a node."""

    def variable(self, wanted: str, type_: Type | None = None) -> str:
        """A fresh variable of a type."""

    def atom(self, expression: tree.Expression, wanted: str, type_: Type | None = None) -> tree.Expression:
        """An expression that may be written more than once and has the same value: a variable is bound if needed."""

    def bound(self, part: Part, wanted: str, type_: Type | None) -> Part:
        """A part that may be used more than once, or not at all; it is evaluated here in any case."""

    def framed(self, lists: Mapping[str, tuple[str, str]] | None = None) -> AbstractContextManager[Frame]:
        """A place whose bindings stay inside; `lists` are variables that are non-empty lists there."""

    def captured(self, body: tree.Expression, own: tuple[str, ...]) -> tuple[str, ...]:
        """The variables besides `own` that a helper's body uses, in the order in which they were made."""

    def helper(self, suffix: str) -> str:
        """A fresh name for a helper of this tool."""

    def define(
        self,
        name: str,
        parameters: tuple[str, ...],
        body: tree.Expression,
        result: Type | None,
        more: Mapping[str, tree.TypeExpression | None] | None = None,
    ) -> None:
        """Add the definition of a helper; `more` are sorts of parameters that are no variables of the code."""
