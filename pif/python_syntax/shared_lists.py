"""`xs += ys` where Python would change a list that something else holds too.

A list has one name, its owner, from where it is made: by a written list, a comprehension, `+`, a slice, `sorted` or
`list`. It is shared from where its name stands as a value: assigned to another name, put in a list, a tuple or a dict,
given to a function, kept by a lambda. To add to it then, or while a loop goes over it, or to a list that came from
outside, changes in Python what others hold, and has no meaning here. What is of no list is not changed by `+=`: whether
it is one is known when the types are (`overloads`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pif.python_syntax.assigned import assigned_names, bound_anywhere, comprehension_parts

__all__ = ["shared_changes"]

Names = frozenset[str]
_NONE: Names = frozenset()

_READERS = frozenset({
    "len", "sum", "min", "max", "any", "all", "sorted", "list", "str", "enumerate", "zip", "reversed", "join", "head",
    "tail", "isEmpty", "length", "show", "chars",
})  # fmt: skip
"""Functions whose value is not their argument, nor holds it."""

_MAKERS = frozenset({"sorted", "list", "chars", "keys", "tail"})
"""Functions that make a list."""

_TEXT_METHODS = frozenset({
    "join", "split", "strip", "lstrip", "rstrip", "startswith", "endswith", "replace",
})  # fmt: skip
"""Methods whose value is not what they are given, nor holds it."""

_GOING = frozenset({"enumerate", "zip", "reversed", "map", "filter"})
"""Functions whose value goes over their arguments as they then are."""


def shared_changes(function: ast.FunctionDef | ast.Lambda) -> dict[int, str]:
    """Why the `+=` of each of these nodes, by their ids, has no meaning for a list."""
    if isinstance(function, ast.Lambda):
        return {}
    walk = _Owners(bound_anywhere(function))
    walk.block(function.body, _NONE, _NONE)
    return walk.found


class _Owners:
    """What has been found is why; `owners` are the names whose list no other has, None where nothing goes on."""

    def __init__(self, hidden: Names) -> None:
        self.hidden = hidden
        self.found: dict[int, str] = {}
        self.jumps: list[list[Names]] = []

    def block(self, statements: Sequence[ast.stmt], owners: Names | None, going: Names) -> Names | None:
        for statement in statements:
            if owners is None:
                return None
            owners = self.statement(statement, owners, going)
        return owners

    def statement(self, statement: ast.stmt, owners: Names, going: Names) -> Names | None:
        match statement:
            case ast.Assign(targets=[target], value=value):
                return self.assign(target, value, owners)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                return self.assign(target, value, owners)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                if name in going:
                    self.found[id(statement)] = f"`{name} += …` while a loop goes over `{name}`"
                elif name not in owners:
                    self.found[id(statement)] = (
                        f"`{name} += …` changes in Python the list itself, which `{name}` may share"
                    )
                return owners - self.read(value)
            case ast.If():
                then = self.block(statement.body, owners, going)
                other = self.block(statement.orelse, owners, going)
                return then if other is None else other if then is None else then & other
            case ast.For():
                return self.loop(statement, owners, going)
            case ast.Break() | ast.Continue():
                if self.jumps:
                    self.jumps[-1].append(owners)
                return None
            case ast.Return():
                return None
        return owners

    def loop(self, node: ast.For, owners: Names, going: Names) -> Names:
        """The owners after a loop: those that are so before it and after each of its rounds."""
        owners = owners - self.read(node.iter) - assigned_names([node.target])
        while True:
            self.jumps.append([])
            end = self.block(node.body, owners, going | self.gone_over(node.iter))
            ends = self.jumps.pop() + ([] if end is None else [end])
            after = owners.intersection(*ends)
            after -= assigned_names([node.target])
            if after == owners:
                return owners
            owners = after

    def assign(self, target: ast.expr, value: ast.expr, owners: Names) -> Names:
        match target, value:
            case ast.Name(id=name), _:
                owners = owners - self.held(value)
                return owners | {name} if self.makes(value) else owners - {name}
            case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
                owners = owners - self.held(value) - assigned_names(names)
                made = [
                    each.id
                    for each, part in zip(names, values, strict=True)
                    if isinstance(each, ast.Name) and self.makes(part)
                ]
                return owners | {*made}
        return owners - self.held(value) - assigned_names([target])

    # Expressions.

    def makes(self, node: ast.expr) -> bool:
        """Whether the value is a list that nothing else holds."""
        match node:
            case ast.List() | ast.ListComp() | ast.Subscript(slice=ast.Slice()) | ast.BinOp(op=ast.Add()):
                return True
            case ast.IfExp():
                return self.makes(node.body) and self.makes(node.orelse)
            case ast.Call(func=ast.Name(id=name)):
                return name in _MAKERS and name not in self.hidden
            case ast.Call(func=ast.Attribute(attr="split")):
                return True
        return False

    def held(self, node: ast.AST) -> Names:
        """The names whose list the value of an expression may be, or hold."""
        match node:
            case ast.Name():
                return frozenset({node.id})
            case ast.Lambda():
                return frozenset(part.id for part in ast.walk(node.body) if isinstance(part, ast.Name))
            case ast.Constant() | ast.Compare() | ast.BoolOp() | ast.UnaryOp():
                return _NONE
            case ast.IfExp():
                return self.held(node.body) | self.held(node.orelse)
            case ast.BinOp():
                return self.read(node.left) | self.read(node.right)
            case ast.Subscript():
                return self.read(node.value)
            case ast.Call(func=ast.Name(id=name)) if name in _READERS and name not in self.hidden:
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                return _NONE.union(*(self.read(each) for each in given))
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _TEXT_METHODS:
                return _NONE.union(*(self.read(each) for each in (value, *node.args)))
            case ast.ListComp() | ast.DictComp() | ast.GeneratorExp():
                sources = {id(each.iter) for each in node.generators}
                parts = comprehension_parts(node)
                return _NONE.union(
                    *(self.read(part) if id(part) in sources else self.held(part) for part in parts)
                )
        return _NONE.union(*(self.held(part) for part in ast.iter_child_nodes(node)))

    def read(self, node: ast.expr) -> Names:
        """As `held`, where the items of the value are looked at and not the value is kept."""
        return _NONE if isinstance(node, ast.Name) else self.held(node)

    def gone_over(self, node: ast.expr) -> Names:
        """The names whose list a loop goes over as it then is."""
        match node:
            case ast.Name():
                return frozenset({node.id})
            case ast.IfExp():
                return self.gone_over(node.body) | self.gone_over(node.orelse)
            case ast.Call(func=ast.Name(id=name), args=given) if name in _GOING and name not in self.hidden:
                return _NONE.union(*(self.gone_over(each) for each in given))
        return _NONE
