"""Laws parsed: names of tools resolved to their names in Kleis (docs/reference/registry.md §7.1).

A law is one Kleis proposition. A name in it stands for the first of these that fits:

1. a variable that the law binds (`∀(x : ℤ)`, λ, let, match);
2. the tool that the law is about, where its name is written: `x + y` is never a call of a tool `plus`;
3. another tool, where Kleis has no use of its own for the name; `tool_NAME` is tool NAME in any case;
4. a name of Kleis: a built-in, a constructor.

So a tool that is registered later never changes what a law says. `safe(NAME)` alone is the law that the tool has a value
for every input of its type. Named arguments, `area(width = 2, height = 3)`, are the fields of a record.

For a law with an unknown name, `spelling_hint` looks through the tools, which Kleis's own errors do not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

import msgspec

from kleis.errors import KleisError
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree.traversal import rebuild, walk
from pif.language.budget import reserve_stack
from pif.language.host import Tool, Tools
from registry.records import LIBRARY_PREFIX, own_name
from registry.translate.kleis_names import is_free, plain_name
from registry.translate.kleis_syntax import bound_by, call
from registry.translate.symbolic_values import Function

__all__ = ["LAW_LIMIT", "Law", "LawError", "Vocabulary", "read_law", "retyped", "spelling_hint"]

LAW_LIMIT = 4_000
"""Characters that a law may have."""

_STACK = 3_000
"""Python frames that walks over a law may need: the parser limits its nesting."""


class LawError(Exception):
    """A text that is no law: a `message` and a `hint`."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Law(msgspec.Struct, frozen=True):
    """A law as written, as an expression over the Kleis names of tools, and the labels of the tools in it.

    `safe` is True for `safe(…)`.
    """

    text: str
    expression: tree.Expression
    tools: tuple[str, ...]
    safe: bool = False


@dataclass
class Vocabulary:
    """What the names of a law may stand for.

    `subject` is the tool that the law is about, None for a law of no one tool. `find` gives the tool of a name, `names`
    all names of tools, `function` the Kleis function of a tool: it may raise `LawError`. `types` gives the Kleis types
    of a function's parameters, None for one that a law cannot range over; `unexpressed` gives the reason. `mentioned`
    collects the tools that a law mentions, by label.
    """

    subject: Tool | None
    find: Callable[[str], Tool | None]
    names: Callable[[], Iterable[str]]
    function: Callable[[Tool], Function]
    types: Callable[[Tool], tuple[tree.TypeExpression | None, ...]]
    unexpressed: Callable[[Tool], str]
    mentioned: dict[str, Tool] = field(default_factory=dict)

    def tool(self, name: str) -> Tool | None:
        """The tool that a name stands for in a law."""
        subject = self.subject
        if subject is not None and name in (
            subject.name,
            subject.name.removeprefix(LIBRARY_PREFIX),
            own_name(subject.name),
            *_written(subject.name),
        ):
            return subject
        if is_free(name):
            return self.find(name)
        if not name.startswith("tool_"):
            return None
        found = self.find(name[5:])
        if found is not None and name in _written(found.name):
            return found
        return next((self.find(each) for each in sorted(self.names()) if name in _written(each)), None)

    def mention(self, tool: Tool) -> Function:
        """The function of a tool, which the law now mentions."""
        function = self.function(tool)
        self.mentioned[tool.label] = tool
        return function


def read_law(text: str, vocabulary: Vocabulary) -> Law:
    """Parse a law. Raises `LawError` for a text that is none."""
    if len(text) > LAW_LIMIT:
        raise LawError(f"a law has at most {LAW_LIMIT} characters, not {len(text)}")
    reserve_stack(_STACK)
    try:
        parsed = parse_expression(text, file="<law>")
    except KleisError as error:
        where = f" (line {error.line}, column {error.column})" if error.line else ""
        hint = error.hint or "A law is one proposition, such as ∀(x : ℤ). square(x) ≥ 0, and no declaration."
        raise LawError(f"{error.message}{where}", hint) from None
    if any(isinstance(node, tree.Using) for node in walk(parsed)):
        raise LawError(
            "`using` names a structure, and laws of tools have none", "State it of the tools alone."
        )
    vocabulary.mentioned.clear()
    if isinstance(parsed, tree.Call) and parsed.name == "safe" and vocabulary.tool("safe") is None:
        expression, safe = _safe(parsed, vocabulary), True
    else:
        expression, safe = _LawReader(vocabulary, text).read(parsed), False
    return Law(text, expression, tuple(sorted(vocabulary.mentioned)), safe)


def _safe(parsed: tree.Call, vocabulary: Vocabulary) -> tree.Expression:
    """``safe(f)`` as ``∀(x : T). f(x) = f(x)``: an equation is true exactly where both sides have values."""
    named = parsed.arguments[0] if len(parsed.arguments) == 1 else None
    tool = vocabulary.tool(named.name) if isinstance(named, tree.Name) else None
    if tool is None:
        raise LawError("`safe` takes the name of one tool", _which_safe(named, vocabulary))
    function = vocabulary.mention(tool)
    types = vocabulary.types(tool)
    if any(each is None for each in types):
        reason = vocabulary.unexpressed(tool)
        raise LawError(f"`safe` cannot speak of all that {tool.name} takes: {reason}")
    binders = tuple(
        tree.Binder(f"x{place}", type_) for place, type_ in enumerate(types, 1) if type_ is not None
    )
    value = tree.Call(function.name, tuple(tree.Name(each.name) for each in binders))
    equation = call("equals", value, value)
    return tree.Quantifier("forall", binders, None, equation) if binders else equation


def _which_safe(named: tree.Expression | None, vocabulary: Vocabulary) -> str:
    """The nearest right spelling of `safe(…)`."""
    found = vocabulary.find(named.name) if isinstance(named, tree.Name | tree.Call) else None
    if found is None:
        return "Write safe(square) for a tool named square."
    if isinstance(named, tree.Call):
        return f"Write safe({plain_name(own_name(found.name))}): the name alone."
    return f"Write safe({plain_name(own_name(found.name))}): {own_name(found.name)} alone is Kleis's own."


def _written(tool: str) -> tuple[str, ...]:
    """How laws may write the name of a tool that is not written as it is; of a team's tool the team's own laws leave the team out."""
    return plain_name(tool), plain_name(own_name(tool))


class _LawReader:
    """One walk over a law, which replaces the names of tools by their names in Kleis."""

    def __init__(self, vocabulary: Vocabulary, text: str) -> None:
        self._vocabulary = vocabulary
        self._text = text

    def read(self, law: tree.Expression) -> tree.Expression:
        """The law over the Kleis names of tools."""
        return cast(tree.Expression, self._node(law, frozenset()))

    def _node(self, node: tree.Node, bound: frozenset[str]) -> tree.Node:
        """A part of the law in which the names `bound` are variables."""
        match node:
            case tree.Name():
                tool = self._tool(node, bound)
                return node if tool is None else self._constant(tool)
            case tree.Call():
                tool = self._tool(node, bound)
                read = rebuild(node, lambda below: self._node(below, bound))
                return read if tool is None else self._call(tool, read.arguments)
            case tree.Let(pattern=pattern, value=value, body=body):
                inner = bound | bound_by(pattern)
                return msgspec.structs.replace(
                    node, value=self._node(value, bound), body=self._node(body, inner)
                )
            case tree.Quantifier(binders=binders):
                bound |= {each.name for each in binders}
            case tree.Lambda(parameters=parameters):
                bound |= {each.name for each in parameters}
            case tree.Case(pattern=pattern):
                bound |= bound_by(pattern)
        return rebuild(node, lambda below: self._node(below, bound))

    def _tool(self, node: tree.Name | tree.Call, bound: frozenset[str]) -> Tool | None:
        """The tool that a name or the function of a call stands for."""
        return self._vocabulary.tool(node.name) if node.name not in bound and self._is_written(node) else None

    def _is_written(self, node: tree.Name | tree.Call) -> bool:
        """Whether the name stands in the text: operators, tuples and named arguments are calls of names nobody wrote."""
        start = node.span.start
        behind = start + len(node.name)
        first = node.arguments[0].span.start if isinstance(node, tree.Call) and node.arguments else behind
        return self._text.startswith(node.name, start) and first >= behind

    def _constant(self, tool: Tool) -> tree.Expression:
        """A tool that is named without arguments."""
        function = self._vocabulary.mention(tool)
        return tree.Name(function.name) if function.parameters else tree.Call(function.name, ())

    def _call(self, tool: Tool, arguments: tuple[tree.Expression, ...]) -> tree.Expression:
        """A call of a tool; a record argument is passed as its fields."""
        function = self._vocabulary.mention(tool)
        if len(arguments) != function.parameters:
            wanted = f"{function.parameters} argument{'s' * (function.parameters != 1)}"
            raise LawError(f"{tool.name} takes {wanted}, and gets {len(arguments)} here")
        given: list[tree.Expression] = []
        for argument, fields in zip(arguments, function.records, strict=True):
            given += [argument] if fields is None else _fields(tool, argument, fields)
        return tree.Call(function.name, tuple(given))


def _fields(tool: Tool, argument: tree.Expression, fields: tuple[str, ...]) -> list[tree.Expression]:
    """The fields of a record, in the order of the function's parameters."""
    if not (isinstance(argument, tree.Call) and argument.name == "record"):
        return [call("get_field", argument, tree.Text(name)) for name in fields]
    given: dict[str, tree.Expression] = {}
    for each in argument.arguments:
        if isinstance(each, tree.Call) and each.name == "field" and isinstance(each.arguments[0], tree.Text):
            given[each.arguments[0].value] = each.arguments[1]
    if set(given) != set(fields):
        wanted, found = ", ".join(fields), ", ".join(sorted(given)) or "none"
        raise LawError(f"{tool.name} takes a record with the fields {wanted}; found {found}")
    return [given[name] for name in fields]


def retyped(expression: tree.Expression, types: Mapping[str, tree.TypeExpression]) -> tree.Expression:
    """An expression with other types for type names wherever types are written."""
    reserve_stack(_STACK)

    def changed(node: tree.Node) -> tree.Node:
        if isinstance(node, tree.NamedType):
            return types.get(node.name, node)
        return rebuild(node, changed)

    return rebuild(expression, changed)


# ── Hints ────────────────────────────────────────────────────────────────────────────────────────────────────

_PREFIX = "tool_"
_DOTTED = re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


def spelling_hint(
    law: str, reason: str, tools: Tools, names: Callable[[], Iterable[str]], otherwise: str
) -> str:
    """The hint for a text that is no law, where Kleis gave `reason`: the nearest spelling of an unknown tool, as laws
    write it (`tool_reverse`); `otherwise` where no name is wrong."""
    try:
        parsed = parse_expression(law, file="<law>")
    except KleisError:
        known = next(filter(None, map(tools.tool, _DOTTED.findall(law))), None)
        return otherwise if known is None else _short_name(known, tools)
    is_safe = isinstance(parsed, tree.Call) and parsed.name == "safe"
    for name in _free_names(parsed):
        if not (is_safe or re.search(rf"\b{re.escape(name)}\b", reason)) or _is_tool(name, tools, names):
            continue
        short = name.removeprefix(_PREFIX)
        near = min((each for each in names() if each.endswith(f".{short}")), default=tools.nearest(short))
        if near is None:
            return f"There is no tool {name}; `list` shows the tools there are."
        said = f"There is no tool {name}; did you mean {plain_name(own_name(near))}?"
        return f"{said} Of Kleis's own: {otherwise}" if otherwise.startswith("did you mean") else said
    return otherwise


def _short_name(known: Tool, tools: Tools) -> str:
    """The hint for a tool that is named as elsewhere, with dots."""
    short = known.name.removeprefix(LIBRARY_PREFIX)
    meant = tools.tool(short)
    if meant is not None and meant.name == known.name:
        return f"In a law {known.name} is called {plain_name(known.name)}."
    return f"A law cannot name {known.name} here: the tool {short} of this home stands in front of it."


def _free_names(parsed: tree.Expression) -> Iterator[str]:
    """The names that a law does not bind and Kleis does not use, in order."""
    nodes = list(walk(parsed))
    bound = {
        each.name for each in nodes if isinstance(each, tree.Binder | tree.VariablePattern | tree.AsPattern)
    }
    for each in nodes:
        if not isinstance(each, tree.Name | tree.Call) or each.name in bound:
            continue
        if is_free(each.name) or each.name.startswith(_PREFIX):
            yield each.name


def _is_tool(name: str, tools: Tools, names: Callable[[], Iterable[str]]) -> bool:
    if is_free(name):
        return tools.tool(name) is not None
    return any(name in _written(each) for each in names())
