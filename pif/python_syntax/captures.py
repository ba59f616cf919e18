"""Lambdas that Python reads otherwise: those that see a name's later value.

A lambda of Python looks its outer names up when it is called; a term's function keeps the values it was made with. The
two differ where a name is assigned again after the lambda was made: by a later statement, by the loop it stands in, by
the comprehension it stands in. There it is refused. A lambda that is called on the spot and not kept (`key=` of
`sorted`, the function of `map`, `filter` and `fold`, `(lambda x: …)(y)`) sees the same in both.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pif.python_syntax.assigned import (
    assigned,
    assigned_names,
    bound_anywhere,
    comprehension_parts,
    free_names,
)
from pif.python_syntax.parse_subset import PythonError, refused

__all__ = ["refuse_captures"]

Names = frozenset[str]
_NONE: Names = frozenset()


def refuse_captures(function: ast.FunctionDef | ast.Lambda) -> None:
    """Raise `PythonError` for a lambda that may see a value which its names have only later."""
    walk = _Captures(bound_anywhere(function))
    if isinstance(function, ast.Lambda):
        walk.expression(function.body, _NONE, _NONE)
    else:
        walk.block(function.body, _NONE)


class _Captures:
    """`later`: the names assigned after what is looked at; `loops`: those of comprehensions around it; `hidden`: names
    that are not, or not everywhere, the functions of Python that they usually are."""

    def __init__(self, hidden: Names) -> None:
        self.hidden = hidden

    def block(self, statements: Sequence[ast.stmt], later: Names) -> None:
        for index in reversed(range(len(statements))):
            self.statement(statements[index], later)
            later |= assigned([statements[index]])

    def statement(self, statement: ast.stmt, later: Names) -> None:
        after = later | assigned([statement])
        match statement:
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign() if statement.value is not None:
                self.expression(statement.value, after, _NONE)
            case ast.Return() if statement.value is not None:
                self.expression(statement.value, _NONE, _NONE)  # nothing is assigned after it
            case ast.If():
                self.expression(statement.test, after, _NONE)
                self.block(statement.body, later)
                self.block(statement.orelse, later)
            case ast.For():
                self.expression(statement.iter, after, _NONE)
                self.block(statement.body, after)

    def expression(self, node: ast.AST, later: Names, loops: Names, *, on_the_spot: bool = False) -> None:
        match node:
            case ast.Lambda():
                if not on_the_spot:
                    self.keeps(node, later, loops)
                own = frozenset(each.arg for each in node.args.args)
                self.expression(node.body, later - own, loops - own)
            case ast.ListComp() | ast.DictComp() | ast.GeneratorExp():
                own = assigned_names(each.target for each in node.generators)
                parts = comprehension_parts(node)
                self.expression(parts[0], later, loops)
                for part in parts[1:]:
                    self.expression(part, later - own, loops | own)
            case ast.Call():
                called = {id(part) for part in self.called_on_the_spot(node)}
                for each in (node.func, *node.args, *(keyword.value for keyword in node.keywords)):
                    self.expression(each, later, loops, on_the_spot=id(each) in called)
            case _:
                for child in ast.iter_child_nodes(node):
                    self.expression(child, later, loops)

    def called_on_the_spot(self, node: ast.Call) -> list[ast.expr]:
        """What is called, and not kept, by evaluating a call."""
        match node.func:
            case ast.Name(id="sorted") if "sorted" not in self.hidden:
                return [keyword.value for keyword in node.keywords]
            case ast.Name(id="map" | "filter" | "fold" as name) if name not in self.hidden:
                return node.args[:1]
        return [node.func]

    @staticmethod
    def keeps(node: ast.Lambda, later: Names, loops: Names) -> None:
        free = free_names(node)
        for name in sorted(free & (later | loops)):
            raise _seen_later(
                node, name, "goes on to its next value" if name in loops else "is assigned again"
            )


def _seen_later(node: ast.Lambda, name: str, how: str) -> PythonError:
    parameter = node.args.args[0].arg if node.args.args else "x"
    return refused(
        node,
        f"`{name}` {how} after this lambda is made, and a lambda of Python would then see the later value",
        f"Give it the present value: (lambda {name}: lambda {parameter}: …)({name}).",
    )
