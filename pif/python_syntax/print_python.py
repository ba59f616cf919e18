"""Terms as Python of the subset: `translate(print_python(t))` runs as `t` does (`tests/properties/test_pif_python.py`).

Operations that Python has no sign for are called by their names: `head(xs)`, `fold(f, start, xs)`; so are tools, by
`tool("name")(x)` where Python keeps the name for itself. Code as data has no Python form.
"""

from __future__ import annotations

import ast
import keyword
from itertools import count

from pif.analysis.facts import literal_tool
from pif.language.errors import PifError
from pif.language.terms import Term
from pif.python_syntax.captures import refuse_captures
from pif.python_syntax.parse_subset import PythonError
from pif.python_syntax.translator import BUILTINS, OTHER_BUILTINS, TOOL

__all__ = ["print_python"]

_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "//", "mod": "%", "eq": "==", "lt": "<", "lte": "<=", "gt": ">",
    "gte": ">=", "and": "and", "or": "or",
}  # fmt: skip
_CALLS = (
    "head",
    "tail",
    "isEmpty",
    "length",
    "fst",
    "snd",
    "fold",
    "concat",
    "chars",
    "join",
    "show",
    "keys",
    "get",
)


def print_python(term: Term, name: str) -> str:
    """A function `name` that says what the term says. Raises `PifError` for what has no Python form."""
    if term.op != "lam":
        raise _formless("a tool that is no function")
    text = _Printer(_usable(name), term).function(term)
    try:
        (function,) = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _formless("a term that nests as deep as this") from None
    assert isinstance(function, ast.FunctionDef)
    try:
        refuse_captures(function)
    except PythonError:
        return _Printer(_usable(name), term, once=True).function(term)
    return text


def _formless(what: str) -> PifError:
    return PifError(
        "parse_error", f"{what} has no Python form", hint="Show the tool without --python: its JSON says all."
    )


def _legal(name: str) -> bool:
    """Whether the subset has this name for variables."""
    plain = (
        name.isascii() and name.isidentifier() and not name.startswith("_") and not keyword.iskeyword(name)
    )
    return plain and name not in BUILTINS and name != "printed" and not name.endswith("__roles__")


def _usable(name: str) -> str:
    """A tool's name as a Python name."""
    made = "".join(each if each.isascii() and each.isalnum() else "_" for each in name).strip("_")
    return made if _legal(made) else "function"


class _Printer:
    """`names`: what each name is called here; those that the subset does not have get others. With `once` no name is
    assigned twice: a lambda of Python would see the later value."""

    def __init__(self, name: str, term: Term, *, once: bool = False) -> None:
        self.name = name
        self.once = once
        self.assigned: set[str] = set()
        found: dict[str, None] = {}
        tools: set[str] = {name}
        stack = [term]
        while stack:
            part = stack.pop()
            if part.op in ("var", "lam", "let"):
                found[part.value] = None
            if (tool := literal_tool(part)) is not None:
                tools.add(tool)
            stack.extend(reversed(part.parts))
        self.names: dict[str, str] = {}
        names = (f"v{number}" for number in count(1))
        self.fresh = (new for new in names if new not in found and new not in tools)
        for each in found:
            self.names[each] = each if _legal(each) and each not in tools else next(self.fresh)

    def function(self, term: Term) -> str:
        parameter = self.names[term.value]
        self.assigned.add(parameter)
        return f"def {self.name}({parameter}):\n{self.block(term.parts[0], 1)}\n"

    # Statements: the value of the function stands last.

    def block(self, term: Term, level: int) -> str:
        margin = "    " * level
        match term.op:
            case "let":
                value = self.text(term.parts[0])
                before = name = self.names[term.value]
                if self.once and name in self.assigned:
                    name = next(self.fresh)
                self.assigned.add(name)
                self.names[term.value] = name
                body = self.block(term.parts[1], level)
                self.names[term.value] = before
                return f"{margin}{name} = {value}\n{body}"
            case "if":
                condition, then, other = term.parts
                first = f"{margin}if {self.text(condition)}:\n{self.block(then, level + 1)}\n"
                return f"{first}{margin}else:\n{self.block(other, level + 1)}"
            case _:
                return f"{margin}return {self.text(term)}"

    # Expressions, in parentheses wherever they are not one piece.

    def text(self, term: Term) -> str:
        match term.op:
            case "literal":
                return repr(term.value)
            case "var":
                return self.names[term.value]
            case "nil":
                return "[]"
            case "list":
                return f"[{', '.join(map(self.text, term.parts))}]"
            case "pair":
                return f"({', '.join(map(self.text, term.parts))})"
            case "record":
                return "{" + ", ".join(f"{key!r}: {self.text(part)}" for key, part in zip(term.value, term.parts, strict=True)) + "}"  # fmt: skip
            case "get" if term.parts[1].op == "literal":
                return f"{self.piece(term.parts[0])}[{self.text(term.parts[1])}]"
            case "with":
                record, key, value = map(self.text, term.parts)
                return f"{{**{record}, {key}: {value}}}"
            case "cons":
                return f"cons({self.text(term.parts[0])}, {self.text(term.parts[1])})"
            case "lam":
                return f"lambda {self.names[term.value]}: {self.text(term.parts[0])}"
            case "let":
                return f"(lambda {self.names[term.value]}: {self.text(term.parts[1])})({self.text(term.parts[0])})"
            case "if":
                condition, then, other = map(self.piece, term.parts)
                return f"{then} if {condition} else {other}"
            case "not":
                return f"not {self.piece(term.parts[0])}"
            case "app":
                return self.call(term)
            case op if op in _SIGNS:
                return f"{self.piece(term.parts[0])} {_SIGNS[op]} {self.piece(term.parts[1])}"
            case "fold" if term.parts[2].op == "range":
                first, start, _ = map(self.text, term.parts)
                return f"fold({first}, {start}, {self.range(term.parts[2])})"
            case "range":
                return f"list({self.range(term)})"
            case op if op in _CALLS:
                return f"{op}({', '.join(map(self.text, term.parts))})"
            case "self":
                return f"lambda x: {self.name}(x)"
            case op:
                raise _formless(f"`{op}`")

    def range(self, term: Term) -> str:
        return f"range({', '.join(map(self.text, term.parts))})"

    def call(self, term: Term) -> str:
        tool = literal_tool(term)
        argument = self.text(term.parts[1])
        if tool is not None:
            plain = tool.isascii() and tool.isidentifier() and not tool.startswith("_")
            taken = keyword.iskeyword(tool) or tool in BUILTINS or tool in OTHER_BUILTINS or tool == self.name
            return f"{tool if plain and not taken else f'{TOOL}({tool!r})'}({argument})"
        if term.parts[0].op == "self":
            return f"{self.name}({argument})"
        return f"{self.piece(term.parts[0])}({argument})"

    def piece(self, term: Term) -> str:
        text = self.text(term)
        whole = (
            term.op in ("var", "nil", "list", "pair", "record", "get", "cons", "app", "with", "range")
            or term.op in _CALLS
        )
        plain = term.op == "literal" and not (type(term.value) is int and term.value < 0)
        return text if whole or plain else f"({text})"
