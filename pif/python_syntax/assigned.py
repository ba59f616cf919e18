"""Which names parts of a function assign, and which names an expression finds outside itself."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

__all__ = ["assigned", "assigned_names", "bound_anywhere", "comprehension_parts", "free_names"]

Names = frozenset[str]

_COMPREHENSIONS = (ast.ListComp, ast.DictComp, ast.GeneratorExp)


def assigned(statements: Iterable[ast.stmt]) -> Names:
    """The names that statements may assign."""
    return frozenset(
        node.id
        for statement in statements
        for node in _outside_expressions(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def assigned_names(targets: Iterable[ast.expr]) -> Names:
    """The names in targets of assignments."""
    return frozenset(part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))


def bound_anywhere(function: ast.FunctionDef | ast.Lambda) -> Names:
    """All names that anything in a function binds, its own with them."""
    found = {function.name} if isinstance(function, ast.FunctionDef) else set()
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return frozenset(found)


def free_names(node: ast.AST) -> Names:
    """The names that an expression reads and does not bind itself."""
    match node:
        case ast.Name():
            return frozenset({node.id})
        case ast.Lambda():
            return free_names(node.body) - {each.arg for each in node.args.args}
        case ast.ListComp() | ast.DictComp() | ast.GeneratorExp():
            first = node.generators[0].iter
            inside = frozenset[str]().union(
                *(free_names(part) for part in comprehension_parts(node) if part is not first)
            )
            own = assigned_names(each.target for each in node.generators)
            return free_names(first) | (inside - own)
        case _:
            return frozenset[str]().union(*(free_names(part) for part in ast.iter_child_nodes(node)))


def comprehension_parts(node: ast.ListComp | ast.DictComp | ast.GeneratorExp) -> list[ast.expr]:
    """The expressions of a comprehension: what it goes over, its conditions, what it collects."""
    values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return [
        *(part for each in node.generators for part in (each.iter, *each.ifs)),
        *values,
    ]


def _outside_expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement, but for those inside comprehensions and lambdas, which have names of their own."""
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (*_COMPREHENSIONS, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))
