"""What a part of a tool's code is while it is translated, and where its bindings go (ADR 015).

PIF is call-by-value and so is Kleis: a `let` has no value where what it binds has none. So a binding may move outward
past anything that is evaluated whatever happens, but not out of a branch of `if` or the body of a function. A `Frame`
holds the bindings of such a place; it becomes `let … in …` around what is computed there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kleis.syntax import tree
from pif.analysis.types.unification import Type
from pif.language.errors import Path, longer, pointer
from pif.language.host import Tool
from pif.language.terms import Term, part_keys
from registry.translate.kleis_syntax import names_in
from registry.translate.node_types import NodeTypes

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
    "Untranslatable",
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


@dataclass(frozen=True, slots=True)
class Source:
    """The code that is being read: a tool's, with the types of its parts where they hold as they stand."""

    tool: Tool
    types: NodeTypes | None


@dataclass(frozen=True, slots=True)
class Code:
    """A part of some code: its term, what its names stand for, its place and whose code it is."""

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
        """The same where one more name stands for something."""
        return replace(self, scope={**self.scope, name: part})

    @property
    def type(self) -> Type | None:
        """Its type, where that is known."""
        return None if self.source.types is None else self.source.types.at(self.path)

    def refuse(self, reason: str) -> Untranslatable:
        """The refusal of this part."""
        return Untranslatable(reason, pointer(self.path), self.source.tool.label)


@dataclass(frozen=True, slots=True)
class Function:
    """A tool as a Kleis function. `records` gives for each parameter the fields it was taken apart into, if it was.

    `reverses` marks a tool that is the reverse of Kleis. `parameters` counts those of PIF; a parameter that is a record becomes one for each field.
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
    """A function of the code: it is never a value in Kleis, but put in where it is called."""

    code: Code


@dataclass(frozen=True, slots=True)
class Called:
    """A tool with some of its arguments."""

    function: Function
    arguments: tuple[Part, ...] = ()


Part = Plain | PairOf | RecordOf | Closure | Called
Scope = Mapping[str, Part]


@dataclass(slots=True)
class Frame:
    """The bindings of one place, in order, and what they have shown: variables that are pairs and non-empty lists."""

    outer: Frame | None = None
    bindings: list[tuple[tree.Pattern, tree.Expression]] = field(default_factory=list)
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)
    lists: dict[str, tuple[str, str]] = field(default_factory=dict)

    def bind(self, name: str, value: tree.Expression) -> tree.Name:
        """Give a value a name."""
        self.bindings.append((tree.VariablePattern(name), value))
        return tree.Name(name)

    def take_apart(self, variable: str, first: str, second: str) -> tuple[str, str]:
        """Give names to the halves of a variable that is a pair; those it has, where it has some."""
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
