"""One tool as Kleis definitions (docs/reference/registry.md §8.3).

A tool becomes a definition of its name, with helpers for folds, `range`, `chars` and `join`. `and` and `or` become `if`
unless their left side certainly has a value, since PIF looks at the right side only if the left one does not decide.
`let`, calls and operations are strict in both languages, and so is `match` in its scrutinee.

Functions are no values in Kleis. A lambda is inlined where it is called, and so is a tool that takes functions; any
other use of a function is `Untranslatable`, with its place.

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
from registry.translate.kleis_names import FunctionNames, VariableNames
from registry.translate.kleis_syntax import bound_in, constant, is_atom, names_in
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
    plain,
)

__all__ = ["Translator"]

_NODES = 4_000
"""Nodes of PIF terms read for one definition; inlined code counts at each use."""


class Translator:
    """Translates one tool (a `Translation`).

    `function` finds the Kleis function of another tool, None for a tool that has to be inlined; it raises
    `Untranslatable` for a tool that is neither.
    """

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
        whole = source.types.own if source.types else None
        self._given, self._result = parameter_types(whole, own.parameters)
        self.types = KleisTypes(self._given)
        self.frame = Frame()
        self._function = function
        self._helpers: list[tree.FunctionDefinition] = []
        self._sorts: dict[str, tree.TypeExpression | None] = {}
        self._variables = VariableNames(names, facts_of(source.tool.term).tools)
        self._left = _NODES

    # ── A whole tool ─────────────────────────────────────────────────────────────────────────────────────────

    def definitions(self) -> tuple[tree.FunctionDefinition, ...]:
        """The helpers and the definition of the tool."""
        code = Code(self.source.tool.term, {}, None, self.source)
        parameters: list[tree.Parameter] = []
        for type_, fields in zip(self._given, self.own.records, strict=True):
            part, more = self._parameter(code.term.value, type_, fields)
            parameters += more
            code = code.where(code.term.value, part).child(0)
        with self.framed() as frame:
            body = frame.around(self.expression(code))
        result = self.types.maybe(self._result)
        definition = tree.FunctionDefinition(self.own.name, tuple(parameters), result, body)
        return (*self._helpers, definition)

    def _parameter(
        self, name: str, type_: Type | None, fields: tuple[str, ...] | None
    ) -> tuple[Part, list[tree.Parameter]]:
        if fields is None:
            variable = self.variable(name, type_)
            return Plain(tree.Name(variable)), [tree.Parameter(variable, self._sorts[variable])]
        inner = fields_of(type_) or {}
        made = {each: self.variable(each, inner.get(each)) for each in fields}
        parameters = [tree.Parameter(variable, self._sorts[variable]) for variable in made.values()]
        return RecordOf({each: tree.Name(variable) for each, variable in made.items()}), parameters

    def function(self, tool: Tool) -> Function | None:
        return self._function(tool)

    # ── Parts ────────────────────────────────────────────────────────────────────────────────────────────────

    def part(self, code: Code) -> Part:
        self._left -= 1
        if self._left < 0:
            raise code.untranslatable(f"more than {_NODES} nodes with all that is put in")
        term = code.term
        match term.op:
            case "literal":
                return Plain(constant(term.value))
            case "var":
                if term.value not in code.scope:
                    raise code.untranslatable(f'"{term.value[:48]}" is bound by nothing')
                return code.scope[term.value]
            case "lam":
                return Closure(code)
            case "let":
                value = self.bound(self.part(code.child(0)), term.value, code.child(0).type)
                return self.part(code.child(1).where(term.value, value))
            case "if":
                return Plain(operations.conditional(self, *code.children))
            case "app" | "self" | "eval":
                return applications.called(self, code)
            case _:
                return operations.operation(self, code)

    def expression(self, code: Code) -> tree.Expression:
        return plain(self.part(code), code)

    def expressions(self, code: Code) -> list[tree.Expression]:
        return [self.expression(child) for child in code.children]

    # ── Bindings ─────────────────────────────────────────────────────────────────────────────────────────────

    def variable(self, wanted: str, type_: Type | None = None) -> str:
        name = self._variables.fresh(wanted)
        self._sorts[name] = self.types.maybe(type_)
        return name

    def atom(self, expression: tree.Expression, wanted: str, type_: Type | None = None) -> tree.Expression:
        if is_atom(expression):
            return expression
        return self.frame.bind(self.variable(wanted, type_), expression)

    def bound(self, part: Part, wanted: str, type_: Type | None) -> Part:
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

    @contextmanager
    def framed(self, lists: Mapping[str, tuple[str, str]] | None = None) -> Iterator[Frame]:
        outer = self.frame
        self.frame = Frame(outer, lists=dict(lists or {}))
        try:
            yield self.frame
        finally:
            self.frame = outer

    # ── Helpers ──────────────────────────────────────────────────────────────────────────────────────────────

    def captured(self, body: tree.Expression, own: tuple[str, ...]) -> tuple[str, ...]:
        used = names_in(body) - bound_in(body)
        return tuple(name for name in self._sorts if name in used and name not in own)

    def helper(self, suffix: str) -> str:
        return self.names.helper(f"{self.own.name}_{suffix}")

    def define(
        self,
        name: str,
        parameters: tuple[str, ...],
        body: tree.Expression,
        result: Type | None,
        more: Mapping[str, tree.TypeExpression | None] | None = None,
    ) -> None:
        sorts = {**self._sorts, **(more or {})}
        given = tuple(tree.Parameter(each, sorts.get(each)) for each in parameters)
        self._helpers.append(tree.FunctionDefinition(name, given, self.types.maybe(result), body))
