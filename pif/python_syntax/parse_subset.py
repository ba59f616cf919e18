"""Python text → syntax tree, or the first thing in it that the subset lacks, with line and column.

The text is parsed and never compiled, let alone run. Two gates: a list of the syntax that has a meaning here, where
everything else is refused by name with what to write instead; and RestrictedPython's compiler front with its rules for
names, for whatever a list might have overlooked.
"""

from __future__ import annotations

import ast
import copy
import io
import re
import sys
import tokenize
import warnings
from typing import Any

from pif.language.errors import PifError

__all__ = ["PythonError", "refused", "vetted"]

_LONGEST = 20_000
_DEEPEST = 1_000

_ALLOWED = (
    ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Lambda, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign,
    ast.For, ast.If, ast.Pass, ast.Break, ast.Continue, ast.Expr, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp,
    ast.Dict, ast.ListComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Compare, ast.Call, ast.keyword,
    ast.Constant, ast.Subscript, ast.Name, ast.List, ast.Tuple, ast.Slice, ast.And, ast.Or, ast.Not, ast.Add, ast.Sub,
    ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow, ast.USub, ast.UAdd, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE,
    ast.In, ast.NotIn, ast.Is, ast.IsNot, ast.Load, ast.Store, ast.Attribute, ast.JoinedStr, ast.FormattedValue,
)  # fmt: skip

_INSTEAD: dict[str, tuple[str, str]] = {
    "Import": ("imports", "Call a registered tool by its name instead."),
    "ImportFrom": ("imports", "Call a registered tool by its name instead."),
    "While": ("`while`", "Write a `for` over a range, or let the function call itself."),
    "Try": ("exceptions", "Test first with `if`."),
    "TryStar": ("exceptions", "Test first with `if`."),
    "Raise": ("exceptions", "Return a value that says what is wrong."),
    "Assert": ("`assert`", "Give examples to `evolve`."),
    "ClassDef": ("classes", "Use a dict with string keys."),
    "Global": ("globals", "Pass the value as an argument."),
    "Nonlocal": ("globals", "Pass the value as an argument."),
    "Yield": ("generators", "Build a list."),
    "YieldFrom": ("generators", "Build a list."),
    "Await": ("`await`", "Nothing here waits."),
    "AsyncFunctionDef": ("`async`", "Write a plain `def`."),
    "With": ("`with`", "There is nothing to open."),
    "NamedExpr": ("`:=`", "Assign in a statement of its own."),
    "Set": ("sets", "Use a list, and `in`."),
    "SetComp": ("sets", "Use a list, and `in`."),
    "Starred": ("`*`", "Write xs + ys to join lists."),
    "Match": ("`match`", "Write `if` and `elif`."),
    "Delete": ("`del`", "Build the value without the part."),
    "Div": ("`/`", "Integers only: write // for the quotient rounded down."),
    "MatMult": ("`@`", "Write the sum out."),
}


_RENAME = "Give it another name, which starts with a letter."


class PythonError(PifError):
    """Python that has no meaning here: `line` and `column` count from 1, `source` is the line."""

    def __init__(self, message: str, line: int, column: int, hint: str | None = None) -> None:
        super().__init__("parse_error", f"line {line}, column {column}: {message}", hint=hint)
        self.line = line
        self.column = column
        self.source = ""

    def as_json(self) -> dict[str, object]:
        place = {"line": self.line, "column": self.column}
        return {**super().as_json(), **place, **({"source": self.source} if self.source else {})}


def refused(node: ast.AST, message: str, hint: str | None = None) -> PythonError:
    """The refusal of a part of the tree."""
    return PythonError(message, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1, hint)


def vetted(source: str) -> tuple[str | None, ast.FunctionDef | ast.Lambda]:
    """The one function of a text, and the name by which it calls itself. Raises `PythonError`."""
    if len(source) > _LONGEST:
        raise PythonError(f"the text has more than {_LONGEST} characters", 1, 1)
    tree = _parsed(source)
    _plain_names(source)
    _place_in_texts(tree)
    _count_characters(tree, source)
    _not_too_deep(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _has_surrogates(node.value):
            raise refused(node, "a string holds half a character (a surrogate)", "Write the whole character.")
        if not isinstance(node, _ALLOWED):
            name = type(node).__name__
            what, hint = _INSTEAD.get(name, (f"`{name}`", "See the guide for what the subset holds."))
            place = node if hasattr(node, "lineno") else _around(tree, node)
            raise refused(
                place,
                f"{what} are not part of the subset"
                if what[0] != "`"
                else f"{what} is not part of the subset",
                hint,
            )
    function = _only_function(tree)
    _restricted(tree)
    return function


def _parsed(source: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        raise PythonError(f"this is not Python: {error.msg}", error.lineno or 1, error.offset or 1) from None
    except (ValueError, RecursionError, MemoryError):
        raise PythonError("this is not Python, or nests too deep", 1, 1) from None


def _plain_names(source: str) -> None:
    """Names in ASCII only: Python takes look-alikes for the same name."""
    if source.isascii():
        return
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NAME and not token.string.isascii():
                line, column = token.start
                raise PythonError(
                    "names are written in ASCII", line, column + 1, "Other letters may stand in strings."
                )
    except (tokenize.TokenError, IndentationError):
        raise PythonError("this is not Python", 1, 1) from None


def _place_in_texts(tree: ast.Module) -> None:
    """Before Python 3.12 the places of the parts of an f-string may lie outside it: they get its own."""
    if sys.version_info >= (3, 12):
        return
    for text in [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]:
        for part in ast.walk(text):
            if hasattr(part, "lineno"):
                ast.copy_location(part, text)


def _around(tree: ast.AST, wanted: ast.AST) -> ast.AST:
    """The node with a place that an operator belongs to."""
    for node in ast.walk(tree):
        if any(child is wanted for child in ast.iter_child_nodes(node)):
            return node
    return tree


def _not_too_deep(tree: ast.Module) -> None:
    """What follows takes time with the depth of the tree, and a term may nest far less."""
    stack: list[tuple[ast.AST, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > _DEEPEST:
            raise refused(node, "the function nests too deep", "Name parts of it, or make them tools.")
        stack.extend((child, depth + 1) for child in ast.iter_child_nodes(node))


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= each <= "\udfff" for each in text)


def _count_characters(tree: ast.Module, source: str) -> None:
    """Let columns count characters, where the parser counts bytes."""
    if source.isascii():
        return
    lines = [line.encode() for line in re.split("\r\n|\r|\n", source)]
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt | ast.arg | ast.keyword) and node.lineno <= len(lines):
            before = lines[node.lineno - 1][: node.col_offset]
            node.col_offset = len(before.decode(errors="replace"))


def _only_function(tree: ast.Module) -> tuple[str | None, ast.FunctionDef | ast.Lambda]:
    match tree.body:
        case [ast.FunctionDef() as function]:
            if function.decorator_list:
                raise refused(function.decorator_list[0], "decorators are not part of the subset")
            return function.name, function
        case [ast.Expr(value=ast.Lambda() as function)]:
            return None, function
        case [ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as function)]:
            return name, function
        case []:
            raise PythonError("there is no function", 1, 1, "Write def name(x): return …, or lambda x: …")
        case [_, second, *_] if isinstance(tree.body[0], ast.FunctionDef):
            raise refused(
                second, "one function and nothing beside it", "Evolve each as a tool; tools call each other."
            )
        case [first, *_]:
            raise refused(first, "one function is wanted", "Write def name(x): return …, or lambda x: …")
    raise PythonError("there is no function", 1, 1)


class _WithoutAnnotations(ast.NodeTransformer):
    """Annotated assignments have a meaning here; RestrictedPython refuses them all."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        value = node.value or ast.Constant(value=None)
        return ast.fix_missing_locations(ast.copy_location(ast.Assign([node.target], value), node))


def _restricted(tree: ast.Module) -> None:
    """RestrictedPython's own rules, on a copy of the tree."""
    from RestrictedPython.transformer import RestrictingNodeTransformer

    errors: list[str] = []

    class Refusing(RestrictingNodeTransformer):
        """Its errors are ours, and have the column too."""

        def error(self, node: ast.AST, info: str) -> None:
            raise refused(node, info, _RENAME)

    found: list[str] = []
    used: dict[str, Any] = {}
    Refusing(errors, found, used).visit(_WithoutAnnotations().visit(copy.deepcopy(tree)))
