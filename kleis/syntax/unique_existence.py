"""``∃!(x : T). p`` as the form it stands for: ``∃(x_1 : T). ∀(x : T). p ↔ x = x_1``.

The parser makes that form and the printer finds it again, so both keep to one rule for the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk

__all__ = ["unique_existence", "unique_parts"]


def unique_existence(
    binders: Sequence[tree.Binder], body: tree.Expression, span: tree.Span
) -> tree.Quantifier:
    """That there is exactly one choice for the binders of which the body is true."""
    ones = [
        tree.Binder(name, each.type, span)
        for each, name in zip(binders, _second_names([each.name for each in binders], body), strict=True)
    ]
    same: tree.Expression | None = None
    for each, one in zip(binders, ones, strict=True):
        equal = tree.Call("equals", (tree.Name(each.name, span), tree.Name(one.name, span)), span)
        same = equal if same is None else tree.Call("logical_and", (same, equal), span)
    assert same is not None, "a quantifier binds something"
    plain = tuple(tree.Binder(each.name, each.type, each.span) for each in binders)
    only = tree.Quantifier("forall", plain, None, tree.Call("iff", (body, same), span), span)
    return tree.Quantifier("exists", tuple(ones), None, only, span)


def unique_parts(node: tree.Quantifier) -> tuple[tuple[tree.Binder, ...], tree.Expression] | None:
    """The binders and the body of ∃!, where a quantifier is just what that stands for; else None."""
    only = node.body
    if node.kind != "exists" or node.where is not None or not isinstance(only, tree.Quantifier):
        return None
    if only.kind != "forall" or only.where is not None or len(only.binders) != len(node.binders):
        return None
    if not isinstance(only.body, tree.Call) or only.body.name != "iff":
        return None
    body = only.body.arguments[0]
    if unique_existence(only.binders, body, node.span) != node:
        return None
    return only.binders, body


def _second_names(names: Sequence[str], body: tree.Expression) -> Iterator[str]:
    """For each name another one, ``x_1``, that neither the body nor a binder has."""
    taken = {*names, *_names(body)}
    for each in names:
        name, count = f"{each}_1", 1
        while name in taken:
            count += 1
            name = f"{each}_{count}"
        taken.add(name)
        yield name


def _names(expression: tree.Expression) -> Iterable[str]:
    """The names in an expression, bound and unbound."""
    for each in walk(expression):
        match each:
            case tree.Name(name=name) | tree.Call(name=name) | tree.Binder(name=name):
                yield name
            case tree.Parameter(name=name) | tree.VariablePattern(name=name) | tree.AsPattern(name=name):
                yield name
            case _:
                pass
