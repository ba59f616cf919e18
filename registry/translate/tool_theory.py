"""Sets of tools as a Kleis theory: which have a definition, and why others have none (docs/reference/registry.md §8).

    theory = ToolTheory(tools)
    theory.add("square")             # a Translated, or raises Untranslatable
    theory.theory                    # kleis.theory.theory.Theory with all definitions added so far

A tool comes with all tools that it calls; if one of these is untranslatable, so is the tool. Definitions are elaborated
once before they are used: a tool whose definition Kleis rejects is untranslatable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_program
from kleis.syntax.printer.program import print_declaration
from kleis.syntax.tree.traversal import children
from kleis.theory.theory import Theory
from pif.analysis.facts import facts_of
from pif.analysis.types.tool_types import Typing, typing_of
from pif.analysis.types.unification import Shape, Type, find
from pif.analysis.work import Unfinished, Work
from pif.language.budget import reserve_stack
from pif.language.host import Tool, Tools
from pif.language.terms import Term
from registry.translate.inline_higher_order import with_tools_inlined
from registry.translate.kleis_names import FunctionNames
from registry.translate.known_folds import is_reversal
from registry.translate.node_types import (
    PARTS,
    KleisTypes,
    NodeTypes,
    Unexpressed,
    fields_of,
    is_large,
    kind_of,
    node_types,
    parameter_types,
)
from registry.translate.symbolic_values import Function, Source, Untranslatable
from registry.translate.translator import Translator

__all__ = [
    "MOST_NESTED",
    "RecordType",
    "ResultType",
    "ToolSignature",
    "ToolTheory",
    "Translated",
    "at_integers",
    "height",
]

_STACK = 12_000
"""Python frames that translation may need."""

_GROUP = 20_000
"""Nodes of a tool and of all that it calls, which are translated together."""

MOST_NESTED = 200
"""Levels of nesting that a definition may have."""


class Translated(msgspec.Struct, frozen=True):
    """A tool in Kleis: its function, its definitions (helpers first), and the labels of the tools that it calls."""

    function: Function
    definitions: tuple[tree.FunctionDefinition, ...]
    needs: tuple[str, ...]

    @property
    def source(self) -> str:
        """The definitions as Kleis text."""
        return "\n".join(print_declaration(each) for each in self.definitions)


class RecordType(msgspec.Struct, frozen=True):
    """The type of a record, for which Kleis has no written type: its fields by name."""

    fields: tuple[tuple[str, ResultType], ...]


ResultType = tree.TypeExpression | RecordType


class ToolSignature(msgspec.Struct, frozen=True):
    """A tool as an operation: the types of the Kleis function's parameters, and of its result.

    `takes` are the types of the parameters in PIF, for an operation that takes more than the tool.
    """

    function: Function
    parameters: tuple[tree.TypeExpression, ...]
    result: ResultType
    takes: tuple[Type | None, ...] = ()


class ToolTheory:
    """The tools of a snapshot in Kleis, translated when they are asked for.

    `base` is a theory that the definitions are added to; names that it declares are not given to tools. `stop` is
    asked while types are inferred and between tools; what is not finished then is untranslatable, and says so.
    """

    def __init__(
        self, tools: Tools, base: Theory | None = None, stop: Callable[[], bool] | None = None
    ) -> None:
        self.tools = tools
        self._stop = stop
        self._typings: dict[str, tuple[Term, Typing]] = {}
        self.names = FunctionNames(base.names if base is not None else ())
        self.theory = base or Theory()
        self.translated: dict[str, Translated] = {}
        self._untranslatable: dict[str, Untranslatable] = {}
        self._functions: dict[str, Function | None] = {}
        self._types: dict[str, NodeTypes] = {}
        self._wholes: dict[str, Tool] = {}

    def add(self, reference: str) -> Translated:
        """Add a tool and all that it calls to the theory. Raises `Untranslatable`."""
        tool = self.tools.tool(reference)
        if tool is None:
            raise Untranslatable("there is no such tool", "", reference)
        return self.of(tool)

    def of(self, tool: Tool) -> Translated:
        """The same for a tool at hand."""
        reserve_stack(_STACK)
        tool = self._whole(tool)
        if tool.label in self._untranslatable:
            raise self._untranslatable[tool.label]
        if tool.label not in self.translated:
            try:
                self._add_group(tool)
            except Untranslatable as error:
                self._untranslatable[tool.label] = error
                raise
        return self.translated[tool.label]

    def _whole(self, tool: Tool) -> Tool:
        """A tool with those that take functions inlined."""
        if tool.label not in self._wholes:
            term = with_tools_inlined(tool.term, self._higher_order)
            inlined = Tool(tool.name, tool.version, term, reference=tool.reference)
            self._wholes[tool.label] = tool if term is tool.term else inlined
        return self._wholes[tool.label]

    def _higher_order(self, name: str) -> Tool | None:
        """The tool of a name, where it takes or gives functions."""
        tool = None if name == "self" else self.tools.tool(name)
        if tool is None:
            return None
        given, result = parameter_types(self.typing(tool).type_, _parameters(tool))
        return tool if any(map(_is_function, (*given, result))) else None

    # ── What a tool is ───────────────────────────────────────────────────────────────────────────────────────

    def typing(self, tool: Tool) -> Typing:
        """The type of a tool, found once for its code as written (or with tools inlined)."""
        known = self._typings.get(tool.label)
        if known is None or known[0] is not tool.term:
            found = typing_of(tool, self.tools, Work(stop=self._stop))
            if found.type_ is not None and is_large(found.type_):
                found = msgspec.structs.replace(
                    found, type_=None, unfinished=f"its type has more than {PARTS:,} parts"
                )
            known = self._typings[tool.label] = (tool.term, found)
        return known[1]

    def types(self, tool: Tool) -> NodeTypes:
        """The types of a tool's parts."""
        if tool.label not in self._types:
            work = Work(stop=self._stop)
            self._types[tool.label] = node_types(tool, self.tools, self.typing, work)
        return self._types[tool.label]

    def function(self, tool: Tool) -> Function | None:
        """The Kleis function of a tool; None for one that takes or gives functions. Raises `Untranslatable`."""
        if tool.label not in self._functions:
            self._functions[tool.label] = self._function(tool)
        return self._functions[tool.label]

    def _function(self, tool: Tool) -> Function | None:
        tool = self._whole(tool)
        types = self.types(tool)
        if types.whole.type_ is None:
            found = types.whole.problems[0] if types.whole.problems else None
            reason = f"it has a type error: {found.message}" if found else types.whole.unfinished
            raise Untranslatable(reason, found.path if found else "", tool.label)
        given, result = parameter_types(types.whole.type_, _parameters(tool))
        if any(map(_is_function, (*given, result))):
            return None
        for type_ in (*given, result):
            _check(type_, tool)
        if types.whole.unknown:
            first = types.whole.unknown[0]
            raise Untranslatable(f"its type is not known: {first.reason}", first.path, tool.label)
        name = self._name(tool)
        if name is None:
            raise Untranslatable("another tool, or a declaration, has its name in Kleis", "", tool.label)
        records = tuple(map(_field_names, given))
        return Function(
            tool.label,
            name,
            len(given),
            records,
            gives_record=_holds_record(result),
            reverses=is_reversal(tool.term),
        )

    def _name(self, tool: Tool) -> str | None:
        """The Kleis name of a tool; None where something else has it."""
        current = self.tools.tool(tool.name)
        is_current = current is not None and current.label == tool.label
        return self.names.tool(tool.label, tool.name, current=is_current)

    # ── Signatures for laws ──────────────────────────────────────────────────────────────────────────────────

    def called(self, tool: Tool) -> Function | None:
        """The function of a tool, also of one that has no definition but could be called in Kleis."""
        try:
            return self.function(tool)
        except Untranslatable:
            pass
        given, result = parameter_types(self.types(tool).whole.type_, _parameters(tool))
        if any(map(_is_function, (*given, result))):
            return None
        name = self._name(tool)
        return (
            None if name is None else Function(tool.label, name, len(given), tuple(map(_field_names, given)))
        )

    def parameters(self, tool: Tool) -> tuple[tree.TypeExpression | None, ...]:
        """The types of the parameters of a tool's function. None for one without a Kleis type, and for all of a tool
        that takes more than these types."""
        types = self._signature_types(tool)[0]
        return (None,) * len(types) if self.types(tool).narrowed else types

    def unexpressed(self, tool: Tool) -> str:
        """Why a law cannot range over everything that a tool takes."""
        if self.types(tool).narrowed:
            return "it compares an argument with values of one type, and takes values of every type"
        function = self.called(tool)
        count = 0 if function is None else function.parameters
        given = parameter_types(self.types(tool).whole.type_, count)[0]
        types = KleisTypes(given)
        for type_ in given:
            try:
                if type_ is not None and fields_of(type_) is None:
                    types.of(type_)
            except Unexpressed as error:
                return str(error)
        return "Kleis has no words for its types"

    def signature(self, tool: Tool) -> ToolSignature | None:
        """A tool as an operation, at ℤ for type variables and at lists for `sized` types; None where a type has no Kleis
        type."""
        function = self.called(tool)
        given, result = self._signature_types(tool, lists=True)
        known = _all_known(given)
        if function is None or result is None or known is None:
            return None
        return _at_integers(ToolSignature(function, known, result))

    def trial_signatures(self, tool: Tool) -> tuple[ToolSignature, ToolSignature] | None:
        """The signatures at which a tool is tried: at integers, and the most general one. Both may take more than the
        tool (`ToolSignature.takes`). None where a type has no Kleis type."""
        function = self.called(tool)
        if function is None:
            return None
        given, result = parameter_types(self.types(tool).whole.type_, function.parameters)
        apart = [
            each
            for type_, fields in zip(given, function.records, strict=True)
            for each in _taken(type_, fields)
        ]
        found: list[ToolSignature] = []
        for types in (KleisTypes(apart, lists=True), KleisTypes(apart, general=True)):
            known = _all_known(map(types.maybe, apart))
            gives = _result_type(types, result)
            if gives is not None and known is not None:
                found.append(ToolSignature(function, known, gives, tuple(apart)))
        return (_at_integers(found[0]), found[-1]) if found else None

    def _signature_types(
        self, tool: Tool, *, lists: bool = False
    ) -> tuple[tuple[tree.TypeExpression | None, ...], ResultType | None]:
        function = self.called(tool)
        if function is None:
            return (), None
        given, result = parameter_types(self.types(tool).whole.type_, function.parameters)
        types, found = KleisTypes(given, lists=lists), list[tree.TypeExpression | None]()
        for type_, fields in zip(given, function.records, strict=True):
            found += map(types.maybe, _taken(type_, fields))
        return tuple(found), _result_type(types, result)

    def needs(self, tool: Tool) -> tuple[str, ...]:
        """The labels of the tools that a tool calls."""
        found = self.translated.get(tool.label)
        if found is not None:
            return found.needs
        called = (self.tools.tool(name) for name in facts_of(tool.term).tools)
        return tuple(each.label for each in called if each is not None)

    # ── Groups ───────────────────────────────────────────────────────────────────────────────────────────────

    def _add_group(self, tool: Tool) -> None:
        """Translate a tool and those it needs, then add all new definitions at once."""
        made: dict[str, Translated] = {}
        waiting = [tool]
        work = Work(_GROUP, self._stop)
        while waiting:
            each = self._whole(waiting.pop())
            if each.label in made or each.label in self.translated:
                continue
            if each.label in self._untranslatable:
                raise self._untranslatable[each.label]
            try:
                work.done(each.term.nodes)
            except Unfinished as error:
                raise Untranslatable(f"with all that it calls: {error.reason}", "", tool.label) from None
            made[each.label], needed = self._translate(each)
            waiting += needed
        definitions = [definition for one in made.values() for definition in one.definitions]
        self.theory = self._checked(definitions, tool)
        self.translated |= made

    def _translate(self, tool: Tool) -> tuple[Translated, list[Tool]]:
        own = self.function(tool)
        if own is None:
            raise Untranslatable("it takes or gives functions", "", tool.label)
        needed: dict[str, Tool] = {}

        def function(other: Tool) -> Function | None:
            found = self.function(other)
            if found is not None:
                needed[other.label] = other
            return found

        translator = Translator(own, Source(tool, self.types(tool)), self.tools, self.names, function)
        definitions = translator.definitions()
        if any(height(definition) > MOST_NESTED for definition in definitions):
            raise Untranslatable(f"its definition nests more than {MOST_NESTED} deep", "", tool.label)
        return Translated(own, definitions, tuple(needed)), list(needed.values())

    def _checked(self, definitions: list[tree.FunctionDefinition], tool: Tool) -> Theory:
        """The theory with more definitions, parsed from their text and elaborated. Raises `Untranslatable`."""
        text = "\n".join(print_declaration(each) for each in definitions)
        try:
            program: tree.Program = parse_program(text, file="<tools>")
        except KleisError as error:
            raise Untranslatable(
                f"Kleis cannot read its definition: {error.message}", "", tool.label
            ) from None
        theory = self.theory.include(program)
        claim = self.reflexivity(tool)
        if claim is not None:
            try:
                Elaborator(theory).proposition(claim, file="<tools>")
            except KleisError as error:
                raise Untranslatable(f"Kleis has no reading of it: {error.message}", "", tool.label) from None
        return theory

    def reflexivity(self, tool: Tool) -> tree.Expression | None:
        """``∀(x0 : …). f(x0, …) = f(x0, …)``, whose goal has the definition of a tool; None where a type has no Kleis
        type."""
        function = self.function(tool)
        known = _all_known(self._signature_types(tool)[0])
        if function is None or known is None:
            return None
        binders = tuple(
            tree.Binder(self.names.beside(f"x{place}", ()), type_) for place, type_ in enumerate(known)
        )
        called = tree.Call(function.name, tuple(tree.Name(each.name) for each in binders))
        claim = tree.Call("equals", (called, called))
        return tree.Quantifier("forall", binders, None, claim) if binders else claim


def _result_type(types: KleisTypes, type_: Type | None) -> ResultType | None:
    """The type of a tool's result, a record by its fields; None where a type has no Kleis type."""
    fields = fields_of(type_)
    if fields is None:
        return types.maybe(type_)
    found = {name: _result_type(types, inner) for name, inner in sorted(fields.items())}
    known = tuple((name, inner) for name, inner in found.items() if inner is not None)
    return RecordType(known) if known and len(known) == len(found) else None


def _all_known(types: Iterable[tree.TypeExpression | None]) -> tuple[tree.TypeExpression, ...] | None:
    """The types, if all are known."""
    found = tuple(types)
    known = tuple(each for each in found if each is not None)
    return known if len(known) == len(found) else None


def _taken(type_: Type | None, fields: tuple[str, ...] | None) -> list[Type | None]:
    """The types of the Kleis parameters for one parameter of a tool: those of its fields, for a record."""
    inner = {} if fields is None else fields_of(type_) or {}
    return [type_] if fields is None else [inner.get(each) for each in fields]


def _at_integers(signature: ToolSignature) -> ToolSignature:
    parameters = tuple(map(at_integers, signature.parameters))
    return msgspec.structs.replace(
        signature, parameters=parameters, result=_result_at_integers(signature.result)
    )


def _result_at_integers(type_: ResultType) -> ResultType:
    if isinstance(type_, RecordType):
        return RecordType(tuple((name, _result_at_integers(inner)) for name, inner in type_.fields))
    return at_integers(type_)


def at_integers(type_: tree.TypeExpression) -> tree.TypeExpression:
    """A type with ℤ for its type variables."""
    match type_:
        case tree.NamedType(name=name) if len(name) == 1 and name.isascii():
            return tree.NamedType("ℤ")
        case tree.AppliedType(name=name, arguments=arguments):
            return tree.AppliedType(name, tuple(map(at_integers, arguments)))
        case tree.ProductType(items=items):
            return tree.ProductType(tuple(map(at_integers, items)))
        case _:
            return type_


def _parameters(tool: Tool) -> int:
    """How many lambdas a tool's code begins with: its parameters."""
    count, term = 0, tool.term
    while term.op == "lam":
        count, term = count + 1, term.parts[0]
    return count


def _holds_record(type_: Type | None) -> bool:
    """Whether a type contains records."""
    waiting = [] if type_ is None else [find(type_)]
    while waiting:
        shape = waiting.pop()
        if isinstance(shape, Shape):
            if shape.name == "record":
                return True
            waiting += map(find, shape.parts)
    return False


def _is_function(type_: Type | None) -> bool:
    return kind_of(type_) == "function"


def _field_names(type_: Type | None) -> tuple[str, ...] | None:
    fields = fields_of(type_)
    return None if fields is None else tuple(sorted(fields))


def _check(type_: Type | None, tool: Tool) -> None:
    """Raise `Untranslatable` for a type that has no counterpart in Kleis."""
    found = None if type_ is None else find(type_)
    if not isinstance(found, Shape):
        return
    if found.name == "record":
        fields = fields_of(found)
        if fields is None:
            raise Untranslatable("it has a record whose fields are not all known to be there", "", tool.label)
        for inner in fields.values():
            _check(inner, tool)
    elif found.name in ("list", "pair"):
        for part in found.parts:
            _check(part, tool)
    else:
        try:
            KleisTypes().of(found)
        except Unexpressed as error:
            raise Untranslatable(str(error), "", tool.label) from None


def height(definition: tree.FunctionDefinition) -> int:
    """The height of a tree, without recursion."""
    level: list[tree.Node] = [definition]
    levels = 0
    while level:
        level, levels = [below for each in level for below in children(each)], levels + 1
    return levels
