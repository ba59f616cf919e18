"""The last look at source that `source_grammar` does not know: a RestrictedPython policy that allows what the generator
writes and nothing else.

The generator is the fence: user text never becomes source. The policy holds that fence up against slips of ours:

- names are letters and a number, so that none can begin with an underscore or be a Python built-in's;
- no attribute, no import, no class, no exception handling, no comprehension, no lambda, no decorator, no annotation;
- subscripts are of a name, by a number that stands there, or of a record's dictionary, by a name; and only read;
- constants are numbers of at most ten digits, True, False and None; never text;
- calls are of a name, with positional arguments.

`__builtins__` is empty where the code runs (`runtime`), so what a name can mean is listed there.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

from RestrictedPython.transformer import RestrictingNodeTransformer

from pif.compiled.source import FIELDS, is_name

__all__ = ["Refused", "checked_code"]

_PLAIN = (
    ast.Module, ast.FunctionDef, ast.Return, ast.If, ast.IfExp, ast.While, ast.For, ast.Continue, ast.Break, ast.Pass, ast.Expr,
    ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.UnaryOp, ast.Not, ast.USub,
    ast.BoolOp, ast.And, ast.Or, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot,
    ast.Assign, ast.Tuple,
)  # fmt: skip
"""Syntax that is let through; what must hold of some of it besides is tested by a method of its own."""

_LARGEST = 10**10


class Refused(Exception):
    """Generated source that the policy does not allow: a defect of the generator, never a user's doing."""


class _Policy(RestrictingNodeTransformer):
    """Every node must be of a kind in `_PLAIN` or have a method here; nothing is rewritten.

    A loop of its own visits them: the library's recursion takes three times as long, which a first run waits for."""

    def visit(self, node: ast.AST) -> ast.AST:
        stack = [node]
        while stack:
            found = stack.pop()
            kind = type(found)
            method = _TESTS.get(kind)
            if method is not None:
                method(self, found)
            elif kind not in _PLAIN_SET:
                self.not_allowed(found)
                continue
            for name in _PARTS[kind]:
                part = getattr(found, name)
                if isinstance(part, ast.AST):
                    stack.append(part)
                elif type(part) is list:
                    stack += part
        return node

    def name(self, node: ast.AST, name: str) -> None:
        if not is_name(name):
            self.error(node, f'"{name}" is no generated name')

    def test_name(self, node: ast.Name) -> None:
        self.name(node, node.id)

    def test_constant(self, node: ast.Constant) -> None:
        value = node.value
        if not (value is None or type(value) is bool or (type(value) is int and value < _LARGEST)):
            self.error(node, "a constant that is no small number")

    def test_call(self, node: ast.Call) -> None:
        if type(node.func) is not ast.Name or node.keywords:
            self.error(node, "a call of something else than a name, or by keyword")

    def test_subscript(self, node: ast.Subscript) -> None:
        index = node.slice
        of = node.value.id if type(node.value) is ast.Name else ""
        is_number = type(index) is ast.Constant and type(index.value) is int
        is_field = type(index) is ast.Name and of[len(FIELDS) :].isdigit() and of.startswith(FIELDS)
        if not of or not (is_number or is_field):
            self.error(node, "a subscript that is not name[number], nor a field of a record")
        if type(node.ctx) is not ast.Load:
            self.error(node, "an assignment to a subscript")

    def test_function(self, node: ast.FunctionDef) -> None:
        self.name(node, node.name)
        if node.decorator_list or node.returns or node.type_comment or getattr(node, "type_params", None):
            self.error(node, "a function with more than a name, parameters and a body")

    def test_arguments(self, node: ast.arguments) -> None:
        if (
            node.posonlyargs
            or node.kwonlyargs
            or node.vararg
            or node.kwarg
            or node.defaults
            or node.kw_defaults
        ):
            self.error(node, "parameters of another kind than plain ones")

    def test_argument(self, node: ast.arg) -> None:
        self.name(node, node.arg)
        if node.annotation or node.type_comment:
            self.error(node, "a parameter with an annotation")

    def test_global(self, node: ast.Global) -> None:
        for name in node.names:
            self.name(node, name)

    def test_assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            parts = target.elts if type(target) is ast.Tuple else [target]
            if not all(type(part) is ast.Name for part in parts):
                self.error(node, "an assignment to something else than names")

    def test_list(self, node: ast.List) -> None:
        if node.elts or type(node.ctx) is not ast.Load:
            self.error(node, "a list that holds something")

    def test_for(self, node: ast.For) -> None:
        if type(node.target) is not ast.Name or node.type_comment:
            self.error(node, "a loop over more than one name")


_PLAIN_SET = frozenset(_PLAIN)
_TESTS: dict[type[ast.AST], Any] = {
    ast.Name: _Policy.test_name,
    ast.Constant: _Policy.test_constant,
    ast.Call: _Policy.test_call,
    ast.Subscript: _Policy.test_subscript,
    ast.FunctionDef: _Policy.test_function,
    ast.arguments: _Policy.test_arguments,
    ast.arg: _Policy.test_argument,
    ast.Global: _Policy.test_global,
    ast.Assign: _Policy.test_assign,
    ast.For: _Policy.test_for,
    ast.List: _Policy.test_list,
}

_OTHER = frozenset(("ctx", "id", "names", "name", "kind", "type_comment", "arg", "annotation"))
"""Fields without nodes of their own: texts, what a test has found to be missing, and whether a name is read or assigned,
which follows from where it stands; `del` is no syntax that is let through."""

_KINDS: tuple[type[ast.AST], ...] = (*_PLAIN, *_TESTS)
_PARTS = {
    kind: tuple(name for name in kind._fields if name not in _OTHER and kind is not ast.Constant)
    for kind in _KINDS
}
"""The fields of each kind of node that hold others."""


def checked_code(source: str) -> CodeType:
    """The code of generated source. Raises `Refused`, and `SyntaxError` where CPython finds it too nested."""
    tree = ast.parse(source, "<pif>", "exec")
    policy = _Policy()
    policy.visit(tree)
    if policy.errors:
        raise Refused("; ".join(policy.errors[:3]))
    return compile(tree, "<pif>", "exec", dont_inherit=True)
