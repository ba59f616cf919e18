"""Methods of strings and dicts, f-strings, and tools of the library called by their names.

A method is translated where it can be given Python's meaning for every value: to an operation, or to a tool of the
library that does the same. Every other is refused, with what to write or to call instead. `upper` and `lower` are among
those: Python's change the letters of all scripts, the library's those from a to z.
"""

from __future__ import annotations

import ast

from pif.analysis.types.unification import Origin, Shape, Type, TypeVariable
from pif.language.terms import Term, literal, make
from pif.python_syntax.iteration import Iteration
from pif.python_syntax.library import app, if_, var
from pif.python_syntax.overloads import open_operation
from pif.python_syntax.parse_subset import PythonError, refused
from pif.python_syntax.translator import Names

__all__ = ["CHANGES", "Methods"]

_HERE = Origin(None)
_TEXT = Shape("string", (), _HERE)
_TEXTS = Shape("list", (_TEXT,), _HERE)

_KNOWN = frozenset({
    "get", "join", "split", "strip", "lstrip", "rstrip", "startswith", "endswith", "replace", "items", "keys", "values",
})  # fmt: skip

_INSTEAD = {
    "append": "Write xs = xs + [x].",
    "extend": "Write xs = xs + ys.",
    "insert": "Write xs = xs[:i] + [x] + xs[i:].",
    "pop": "Write x = xs[-1] and xs = xs[:-1]; of a dict {k: v for k, v in d.items() if k != key}.",
    "remove": "Write a comprehension with the items that stay.",
    "sort": "Write xs = sorted(xs).",
    "reverse": "Write xs = xs[::-1].",
    "copy": "Nothing here changes a value: use it as it is.",
    "update": "Write {**d, key: value}.",
    "setdefault": "Write {**d, key: d.get(key, value)}.",
    "upper": "Call std.upperCase(s), which changes the letters a to z; Python's changes those of all scripts.",
    "lower": "Call std.lowerCase(s), which changes the letters A to Z; Python's changes those of all scripts.",
    "count": "Call std.countText(part)(s); of a list write sum(1 for x in xs if x == y).",
    "find": "Write part in s, or std.splitText(part)(s) for what stands before and after.",
    "index": "Write a loop over enumerate(xs).",
    "splitlines": "Call std.lines(s).",
    "isdigit": "Write all(std.isDigit(c) for c in s), for the digits 0 to 9.",
    "isalpha": "Write all(std.isLetter(c) for c in s), for the letters a to z.",
    "isspace": 'Write s.strip() == "".',
    "zfill": 'Call std.padLeft(n)("0")(s).',
    "rjust": 'Call std.padLeft(n)(" ")(s).',
    "ljust": 'Call std.padRight(n)(" ")(s).',
    "format": 'Write an f-string: f"{x} and {y}".',
}
"""What to write instead of methods that are often meant."""

CHANGES = frozenset({
    "append", "extend", "insert", "pop", "remove", "sort", "reverse", "update", "setdefault",
})  # fmt: skip
"""Methods that change a value in Python, and stand as statements."""


class Methods(Iteration):
    """Translates calls of methods, and f-strings."""

    def library_tool(self, node: ast.expr, names: Names) -> str | None:
        """The name of a tool of the library in `std.NAME`, where nothing here is called `std`."""
        match node:
            case ast.Attribute(value=ast.Name(id="std"), attr=name) if self.is_free("std", names):
                return f"std.{name}"
        return None

    def method(self, node: ast.Call, names: Names) -> Term:
        """The value of a call `value.name(…)`."""
        called = node.func
        assert isinstance(called, ast.Attribute)
        if self.is_view(node, names):
            raise refused(
                node, f"`.{called.attr}()` is no list", f"Write sorted(d.{called.attr}()), or go through it."
            )
        if node.keywords:
            raise refused(node, f"`.{called.attr}` takes no named arguments here")
        match called.attr, len(node.args):
            case "get", 2:
                return self.got(node, called, names)
            case "join", 1:
                separator = self.text(called.value, names)
                (source,) = node.args
                items = (
                    self.items(source, names) if self.is_lazy(source, names) else self.list_of(source, names)
                )
                return self.typed(make("join", (separator, self.typed(items, _TEXTS))), _TEXT)
            case (("split" | "strip" | "lstrip" | "rstrip"), 0):
                text = self.text(called.value, names)
                if called.attr == "split":
                    return self.typed(self.library.words(text), _TEXTS)
                return self.typed(self.library.stripped(text, None, called.attr), _TEXT)
            case (("split" | "strip" | "lstrip" | "rstrip" | "startswith" | "endswith"), 1):
                return self.of_two(
                    called.attr, *(self.text(each, names) for each in (called.value, *node.args))
                )
            case "replace", 2:
                return self.replaced(*(self.text(each, names) for each in (called.value, *node.args)))
        raise self.no_method(node, called)

    def no_method(self, node: ast.AST, called: ast.Attribute) -> PythonError:
        """The refusal of a method, or of its arguments."""
        if called.attr in _KNOWN:
            hint = (
                'Those that are: d.get(key, default), ",".join(xs), s.split(sep), s.strip(), s.replace(a, b).'
            )
            return refused(node, f"`.{called.attr}` with these arguments is not part of the subset", hint)
        hint = _INSTEAD.get(called.attr, "Call a tool of the library: `pif list --library` shows them.")
        return refused(node, f"the method `.{called.attr}` is not part of the subset", hint)

    # Parts.

    def typed(self, term: Term, type_: Type) -> Term:
        return open_operation("typed", term, value=type_)

    def text(self, node: ast.expr, names: Names) -> Term:
        """The term of an expression that must be a string."""
        return self.at(node, self.typed(self.expression(node, names), _TEXT))

    def list_of(self, node: ast.expr, names: Names) -> Term:
        """What a call goes through: a list, or the characters of a string."""
        return self.at(node, open_operation("iter", self.expression(node, names), value=False))

    def of_two(self, name: str, text: Term, other: Term) -> Term:
        match name:
            case "startswith":
                return self.typed(app(literal("std.startsWith"), other, text), Shape("boolean", (), _HERE))
            case "endswith":
                return self.typed(app(literal("std.endsWith"), other, text), Shape("boolean", (), _HERE))
            case "split":
                return self.typed(self.library.parted(text, other), _TEXTS)
            case _:
                return self.typed(self.library.stripped(text, other, name), _TEXT)

    def replaced(self, text: Term, old: Term, new: Term) -> Term:
        return self.typed(self.library.replaced(text, old, new), _TEXT)

    def got(self, node: ast.Call, called: ast.Attribute, names: Names) -> Term:
        """`d.get(key, default)`: all three are evaluated."""
        record = self.typed(
            self.expression(called.value, names), Shape("record", (TypeVariable("row", 1),), _HERE)
        )
        key, default = (self.expression(each, names) for each in node.args)
        parts = [self.library.name() for _ in range(3)]
        whole, wanted, other = (var(each) for each in parts)
        found = if_(
            self.library.contains(make("keys", (whole,)), wanted),
            self.at(node, open_operation("index", whole, wanted)),
            other,
        )
        for name, value in zip(reversed(parts), (default, self.typed(key, _TEXT), record), strict=True):
            found = make("let", (value, found), name)
        return found

    def joined(self, node: ast.JoinedStr, names: Names) -> Term:
        """An f-string: its texts, and the texts of its values."""
        parts: list[Term] = []
        for each in node.values:
            if isinstance(each, ast.Constant):
                parts.append(literal(str(each.value)))
                continue
            assert isinstance(each, ast.FormattedValue)
            if each.conversion != -1 or each.format_spec is not None:
                raise refused(
                    node, "an f-string here has no formats and no conversions",
                    'Write {x}; std.padLeft(n)("0")(str(x)) for a width.',
                )  # fmt: skip
            parts.append(self.at(node, open_operation("str", self.expression(each.value, names))))
        if not parts:
            return literal("")
        return parts[0] if len(parts) == 1 else make("join", (literal(""), make("list", tuple(parts))))
