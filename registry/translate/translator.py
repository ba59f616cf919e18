"""One tool as Kleis definitions (docs/reference/registry.md §8.3).

A tool is a definition of its name and some helpers: a fold is a helper that recurs over the list, so are `range`,
`chars` and `join`. What decides whether there is a value is written so that Kleis says what PIF does: `and` and `or`
become `if`, since PIF never looks at the right side where the left one decides and never at the right side alone;
`let`, calls and operations are strict in both languages, and so is `match` in what it looks at.

Functions are no values in Kleis. A lambda is put in where it is called, and so is a tool that takes functions. What is
left of functions after that is refused, with its place.

Invariants
    * The definition has a value exactly where the tool's code has one without the limits of runs: no wrong operand, no
      division by zero, no head of an empty list, no missing key, and an end.
    * Every name is bound once in a tool's definitions, so nothing is captured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from kleis.syntax import tree
from pif.analysis.facts import facts_of
from pif.analysis.types.unification import Type
from pif.language.host import Tool, Tools
from registry.translate import applications, operations
from registry.translate import operations as conditions
from registry.translate.kleis_names import FunctionNames, VariableNames
from registry.translate.kleis_syntax import bound_in, constant, is_atom, names_in, pair, record
from registry.translate.node_types import KleisTypes, fields_of, parameter_types
from registry.translate.symbolic_values import (
    Called,
    Closure,
    Code,
    Frame,
    Function,
    PairOf,
    Part,
    Plain,
    RecordOf,
    Source,
)

__all__ = ["Translation", "Translator"]

_NODES = 4_000
"""Nodes of PIF terms read for one definition; what is put in counts each time."""

Translation = tuple[tree.FunctionDefinition, ...]


class Translator:
    """Reads one tool. `function` finds what a tool stands for: a Kleis function, or None for one that has to be put
    in where it is called; it raises `Untranslatable` for a tool that is neither."""

    def __init__(
        self,
        own: Function,
        source: Source,
        tools: Tools,
        names: FunctionNames,
        function: Callable[[Tool], Function | None],
    ) -> None:
        self.own = own
        self.source = source
        self.tools = tools
        self.names = names
        self.function = function
        whole = source.types.own if source.types else None
        self._given, self._result = parameter_types(whole, own.parameters)
        self.types = KleisTypes(self._given)
        self.frame = Frame()
        self.helpers: list[tree.FunctionDefinition] = []
        self.sorts: dict[str, tree.TypeExpression | None] = {}
        self._variables = VariableNames(names, facts_of(source.tool.term).tools)
        self._left = _NODES

    # ── A whole tool ─────────────────────────────────────────────────────────────────────────────────────────

    def translation(self) -> Translation:
        """The helpers and the definition of the tool."""
        code = Code(self.source.tool.term, {}, None, self.source)
        parameters: list[tree.Parameter] = []
        for type_, fields in zip(self._given, self.own.records, strict=True):
            part, more = self._parameter(code.term.value, type_, fields)
            parameters += more
            code = code.where(code.term.value, part).child(0)
        with self.framed() as frame:
            body = frame.around(self.expression(code))
        definition = tree.FunctionDefinition(
            self.own.name, tuple(parameters), self.types.maybe(self._result), body
        )
        return (*self.helpers, definition)

    def _parameter(
        self, name: str, type_: Type | None, fields: tuple[str, ...] | None
    ) -> tuple[Part, list[tree.Parameter]]:
        if fields is None:
            variable = self.variable(name, type_)
            return Plain(tree.Name(variable)), [tree.Parameter(variable, self.sorts[variable])]
        inner = fields_of(type_) or {}
        made = {each: self.variable(each, inner.get(each)) for each in fields}
        parameters = [tree.Parameter(variable, self.sorts[variable]) for variable in made.values()]
        return RecordOf({each: tree.Name(variable) for each, variable in made.items()}), parameters

    def variable(self, wanted: str, type_: Type | None = None) -> str:
        """A new variable of a type."""
        name = self._variables.fresh(wanted)
        self.sorts[name] = self.types.maybe(type_)
        return name

    @contextmanager
    def framed(self, lists: Mapping[str, tuple[str, str]] | None = None) -> Iterator[Frame]:
        """A place whose bindings stay inside; `lists` are variables that are lists and not empty there."""
        outer = self.frame
        self.frame = Frame(outer, lists=dict(lists or {}))
        try:
            yield self.frame
        finally:
            self.frame = outer

    # ── Parts ────────────────────────────────────────────────────────────────────────────────────────────────

    def part(self, code: Code) -> Part:
        """What a part of the code is."""
        self._left -= 1
        if self._left < 0:
            raise code.refuse(f"more than {_NODES} nodes with all that is put in")
        term = code.term
        match term.op:
            case "literal":
                return Plain(constant(term.value))
            case "var":
                if term.value not in code.scope:
                    raise code.refuse(f'"{term.value[:48]}" is bound by nothing')
                return code.scope[term.value]
            case "lam":
                return Closure(code)
            case "let":
                value = self.bound(self.part(code.child(0)), term.value, code.child(0).type)
                return self.part(code.child(1).where(term.value, value))
            case "if":
                return Plain(conditions.branches(self, *code.children))
            case "app" | "self" | "eval":
                return applications.called(self, code)
            case _:
                return operations.operation(self, code)

    def expression(self, code: Code) -> tree.Expression:
        """What a part of the code is, as an expression."""
        return self.plain(self.part(code), code)

    def expressions(self, code: Code) -> list[tree.Expression]:
        """All parts of a node, as expressions."""
        return [self.expression(child) for child in code.children]

    @staticmethod
    def plain(part: Part, code: Code) -> tree.Expression:
        """A part as an expression; functions are none."""
        match part:
            case Plain(expression=expression):
                return expression
            case PairOf(first=first, second=second):
                return pair(first, second)
            case RecordOf(fields=fields):
                return record(dict(fields))
            case Closure() | Called():
                raise code.refuse("a function is a value here; only functions that are called can be put in")

    # ── Binding ──────────────────────────────────────────────────────────────────────────────────────────────

    def atom(self, expression: tree.Expression, wanted: str, type_: Type | None = None) -> tree.Expression:
        """Something that may be written more than once, and has the value of the expression."""
        if is_atom(expression):
            return expression
        return self.frame.bind(self.variable(wanted, type_), expression)

    def bound(self, part: Part, wanted: str, type_: Type | None) -> Part:
        """A part that may be used more than once, or not at all."""
        match part:
            case Plain(expression=expression):
                return Plain(self.atom(expression, wanted, type_))
            case PairOf(first=first, second=second):
                return PairOf(self.atom(first, wanted), self.atom(second, wanted))
            case RecordOf(fields=fields):
                return RecordOf({name: self.atom(value, name) for name, value in fields.items()})
            case Called(function=function, arguments=arguments):
                # Arguments are evaluated here, whether the others ever come or not.
                return Called(function, tuple(self.bound(each, "v", None) for each in arguments))
            case Closure():
                return part

    # ── Helpers ──────────────────────────────────────────────────────────────────────────────────────────────

    def captured(self, body: tree.Expression, own: tuple[str, ...]) -> tuple[str, ...]:
        """The variables that a helper's body uses besides its own, in order of their making."""
        used = names_in(body) - bound_in(body)
        return tuple(name for name in self.sorts if name in used and name not in own)

    def helper(self, suffix: str) -> str:
        """A name for a helper of this tool."""
        return self.names.helper(f"{self.own.name}_{suffix}")

    def define(
        self,
        name: str,
        parameters: tuple[str, ...],
        body: tree.Expression,
        result: Type | None,
        more: Mapping[str, tree.TypeExpression | None] | None = None,
    ) -> None:
        """Add a helper; `more` are sorts of parameters that are no variables of the code."""
        sorts = {**self.sorts, **(more or {})}
        given = tuple(tree.Parameter(each, sorts.get(each)) for each in parameters)
        self.helpers.append(tree.FunctionDefinition(name, given, self.types.maybe(result), body))
