"""Expressions of the subset as terms; calls are in `calls`, comprehensions in `iteration`, statements in `statements`."""

from __future__ import annotations

import ast

from pif.language.terms import Term, literal, make
from pif.python_syntax.calls import Calls
from pif.python_syntax.library import if_, lam, let, pair, var
from pif.python_syntax.overloads import open_operation
from pif.python_syntax.parse_subset import PythonError, refused
from pif.python_syntax.signatures import plain_parameters
from pif.python_syntax.translator import BUILTINS, Names

__all__ = ["Expressions"]

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "div", ast.Mod: "mod",
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], str] = {ast.Lt: "lt", ast.LtE: "lte", ast.Gt: "gt", ast.GtE: "gte"}


_SEARCH = "`in` stops at the first item that is found, and leaves a generator's others unevaluated"


class Expressions(Calls):
    """Translates expressions."""

    def expression(self, node: ast.expr, names: Names) -> Term:
        return self.at(node, self._expression(node, names))

    def _expression(self, node: ast.expr, names: Names) -> Term:
        self.not_kept(node, names)
        match node:
            case ast.Constant():
                return self.constant(node)
            case ast.Name():
                return self.name(node, names)
            case ast.BinOp():
                return self.binary(node, names)
            case ast.UnaryOp():
                return self.unary(node, names)
            case ast.BoolOp():
                op = "and" if isinstance(node.op, ast.And) else "or"
                *first, last = [self.expression(value, names) for value in node.values]
                for value in reversed(first):
                    last = self.at(node, make(op, (value, last)))
                return last
            case ast.Compare():
                return self.comparison(node, names)
            case ast.IfExp():
                return if_(*(self.expression(part, names) for part in (node.test, node.body, node.orelse)))
            case ast.List():
                return make("list", tuple([self.expression(item, names) for item in node.elts]))
            case ast.Tuple():
                if len(node.elts) != 2:
                    raise refused(node, "a tuple has two parts", "Use a dict with string keys for more.")
                return pair(*(self.expression(item, names) for item in node.elts))
            case ast.Dict():
                return self.dictionary(node, names)
            case ast.ListComp():
                return self.listed(node, names)
            case ast.DictComp():
                return self.dict_comprehension(node, names)
            case ast.Subscript():
                return self.subscript(node, names)
            case ast.Call():
                return self.call(node, names)
            case ast.Lambda():
                return self.function(node, names)
            case ast.JoinedStr():
                return self.joined(node, names)
            case ast.Attribute():
                raise self.attribute(node, names)
            case _:
                raise refused(node, f"`{type(node).__name__}` has no meaning here")

    def constant(self, node: ast.Constant) -> Term:
        if node.value is None or isinstance(node.value, bool | int | str):
            return literal(node.value)
        raise refused(
            node,
            f"{node.value!r:.40} is no integer, string, boolean or None",
            "Integers are exact; use them.",
        )

    def name(self, node: ast.Name, names: Names) -> Term:
        if node.id in names:
            return var(node.id)
        if not self.is_free(node.id, names):
            raise self.without_value(node)
        if node.id == self.own or node.id in BUILTINS:
            raise refused(
                node,
                f"`{node.id}` is a function and can only be called here",
                f"Write lambda x: {node.id}(x).",
            )
        hint = f"Is it a tool? Write lambda x: {node.id}(x). Is it a value? Take it as an argument."
        raise refused(node, f"nothing here is called `{node.id}`", hint)

    def attribute(self, node: ast.Attribute, names: Names) -> PythonError:
        """The refusal of an attribute that is not called."""
        tool = self.library_tool(node, names)
        if tool is not None:
            return refused(node, "a tool can only be called here", f"Write lambda x: {tool}(x).")
        return refused(node, "values have no attributes here", 'Write d["name"] for a part of a dict.')

    def binary(self, node: ast.BinOp, names: Names) -> Term:
        left, right = self.expression(node.left, names), self.expression(node.right, names)
        if isinstance(node.op, ast.Add):
            return open_operation("+", left, right)
        if isinstance(node.op, ast.Pow):
            return self.library.power(left, right)
        return make(_OPERATORS[type(node.op)], (left, right))

    def unary(self, node: ast.UnaryOp, names: Names) -> Term:
        operand = self.expression(node.operand, names)
        if isinstance(node.op, ast.Not):
            return make("not", (operand,))
        if isinstance(node.op, ast.UAdd):
            return make("add", (literal(0), operand))
        if operand.op == "literal" and type(operand.value) is int:
            return literal(-operand.value)
        return make("sub", (literal(0), operand))

    def comparison(self, node: ast.Compare, names: Names) -> Term:
        left = self.expression(node.left, names)
        if len(node.ops) == 1:
            right = node.comparators[0]
            if isinstance(node.ops[0], ast.In | ast.NotIn) and self.is_lazy(right, names):
                return self.compared(node, left, node.ops[0], self.items(right, names, generators=_SEARCH))
            return self.compared(node, left, node.ops[0], self.expression(right, names))
        return self.chain(node, left, 0, names)

    def chain(self, node: ast.Compare, left: Term, index: int, names: Names) -> Term:
        """`a < b < c`: each middle part is found once, and only if the comparison before it holds."""
        right = self.expression(node.comparators[index], names)
        if index == len(node.ops) - 1:
            return self.compared(node, left, node.ops[index], right)
        name = self.library.name()
        this = self.compared(node, left, node.ops[index], var(name))
        return let(
            name, right, self.at(node, make("and", (this, self.chain(node, var(name), index + 1, names))))
        )

    def compared(self, node: ast.Compare, left: Term, op: ast.cmpop, right: Term) -> Term:
        match op:
            case ast.Eq():
                return self.at(node, open_operation("==", left, right))
            case ast.NotEq():
                return self.at(node, make("not", (self.at(node, open_operation("==", left, right)),)))
            case ast.In():
                return self.at(node, open_operation("in", left, right))
            case ast.NotIn():
                return self.at(node, make("not", (self.at(node, open_operation("in", left, right)),)))
            case ast.Is() | ast.IsNot():
                if (
                    right.op != "literal"
                    or right.value not in (None, True, False)
                    or type(right.value) is int
                ):
                    raise refused(node, "`is` compares with None only", "Write == for equality.")
                same = make("eq", (left, right))
                return same if isinstance(op, ast.Is) else make("not", (same,))
            case _:
                return self.at(node, make(_COMPARISONS[type(op)], (left, right)))

    def dictionary(self, node: ast.Dict, names: Names) -> Term:
        made: Term | None = None
        plain: dict[str, Term] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            term = self.expression(value, names)
            if key is None:
                if made is not None or plain:
                    raise refused(value, "`**` stands first in a dict", "Write {**d, key: value}.")
                made = term
            elif made is None and isinstance(key, ast.Constant) and type(key.value) is str:
                if key.value in plain:
                    raise refused(key, f"the key {key.value!r:.40} stands twice in a dict", "Write it once.")
                plain[key.value] = term
            else:
                before = made if made is not None else self.record(plain)
                made = self.at(node, make("with", (before, self.expression(key, names), term)))
        return made if made is not None else self.record(plain)

    # Parts.

    def subscript(self, node: ast.Subscript, names: Names) -> Term:
        whole = self.expression(node.value, names)
        at = node.slice
        if not isinstance(at, ast.Slice):
            return open_operation("index", whole, self.expression(at, names))
        if at.step is not None:
            backwards = isinstance(at.step, ast.UnaryOp) and isinstance(at.step.operand, ast.Constant)
            if backwards and ast.unparse(at.step) == "-1" and at.lower is None and at.upper is None:
                return open_operation("turned", whole)
            raise refused(at.step, "a slice has no step but [::-1]", "Use a comprehension over a range.")
        ends = [end for end in (at.lower, at.upper) if end is not None]
        parts = [self.expression(end, names) for end in ends]
        return open_operation("slice", whole, *parts, value=(at.lower is not None, at.upper is not None))

    def function(self, node: ast.Lambda, names: Names) -> Term:
        (name,) = plain_parameters(node.args, node) or ("_",)
        return lam(name, self.expression(node.body, names | {name}))
