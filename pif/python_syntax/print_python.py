"""Terms as Python of the subset: `translate(print_python(t))` runs as `t` does (`tests/properties/test_pif_python.py`).

Operations that Python has no sign for are called by their names: `head(xs)`, `fold(f, start, xs)`. Code as data has no
Python form, nor have names that Python keeps for itself.
"""

from __future__ import annotations

import ast
import keyword
from itertools import count

from pif.analysis.facts import literal_tool
from pif.language.errors import PifError
from pif.language.terms import Term
from pif.python_syntax.expressions import BUILTINS

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
    "range",
    "get",
)


def print_python(term: Term, name: str) -> str:
    """A function `name` that says what the term says. Raises `PifError` for what has no Python form."""
    if term.op != "lam":
        raise _formless("a tool that is no function")
    printer = _Printer(_usable(name), term)
    body = printer.block(term.parts[0], 1)
    text = f"def {printer.name}({printer.names[term.value]}):\n{body}\n"
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _formless("a term that nests as deep as this") from None
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
    return made if _legal(made) else "tool"


class _Printer:
    """`names`: what each name is called here; those that the subset does not have get others."""

    def __init__(self, name: str, term: Term) -> None:
        self.name = name
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
        fresh = (f"v{number}" for number in count(1))
        for each in found:
            own = _legal(each) and each not in tools
            self.names[each] = (
                each if own else next(new for new in fresh if new not in found and new not in tools)
            )

    # Statements: the value of the function stands last.

    def block(self, term: Term, level: int) -> str:
        margin = "    " * level
        match term.op:
            case "let":
                name = self.names[term.value]
                return f"{margin}{name} = {self.text(term.parts[0])}\n{self.block(term.parts[1], level)}"
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
            case op if op in _CALLS:
                return f"{op}({', '.join(map(self.text, term.parts))})"
            case "self":
                return f"lambda x: {self.name}(x)"
            case op:
                raise _formless(f"`{op}`")

    def call(self, term: Term) -> str:
        tool = literal_tool(term)
        argument = self.text(term.parts[1])
        if tool is not None:
            if not tool.isascii() or not tool.isidentifier() or tool.startswith("_") or keyword.iskeyword(tool) or tool in BUILTINS or tool == self.name:  # fmt: skip
                raise _formless(f'a call of the tool "{tool[:40]}"')
            return f"{tool}({argument})"
        if term.parts[0].op == "self":
            return f"{self.name}({argument})"
        return f"{self.piece(term.parts[0])}({argument})"

    def piece(self, term: Term) -> str:
        text = self.text(term)
        whole = (
            term.op in ("var", "nil", "list", "pair", "record", "get", "cons", "app", "with")
            or term.op in _CALLS
        )
        plain = term.op == "literal" and not (type(term.value) is int and term.value < 0)
        return text if whole or plain else f"({text})"
