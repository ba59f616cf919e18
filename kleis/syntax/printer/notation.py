"""Forms that have a shorter notation: chains of comparisons, sets by their elements, ∑ and ∏ with bounds.

The parser reads each notation as a form of plain calls; here the form is found again.  Each function gives the parts to be
printed, or None where the notation would be read as something else.

A conjunction of comparisons is a chain only where one end is a number, as in ``0 ≤ x ≤ 5``: ``x ≤ y ∧ y ≤ x`` stays what
it is, though it could be written as a chain too.
"""

from __future__ import annotations

from itertools import pairwise

from kleis.syntax import tree
from kleis.syntax.operators import may_chain
from kleis.syntax.parser.lexer import is_word
from kleis.syntax.tree.traversal import walk

__all__ = ["INDEXED", "chain_parts", "indexed_parts", "set_elements"]

INDEXED = {"sum_bounds": "∑", "prod_bounds": "∏"}

_LARGEST_MIDDLE = 8
"""Nodes of a part between two comparisons: the parser refuses large ones."""


def chain_parts(node: tree.Call) -> tuple[tuple[tree.Expression, ...], tuple[str, ...]] | None:
    """The operands and the comparisons between them of ``a ≤ b < c``."""
    comparisons: list[tree.Call] = []
    rest: tree.Expression = node
    while isinstance(rest, tree.Call) and rest.name == "logical_and" and len(rest.arguments) == 2:
        rest, last = rest.arguments
        if not isinstance(last, tree.Call):
            return None
        comparisons.append(last)
    if not isinstance(rest, tree.Call) or not comparisons:
        return None
    comparisons = [rest, *reversed(comparisons)]
    names = [each.name for each in comparisons]
    if any(len(each.arguments) != 2 for each in comparisons) or not may_chain(names):
        return None
    if any(left.arguments[1] != right.arguments[0] for left, right in pairwise(comparisons)):
        return None
    operands = (comparisons[0].arguments[0], *(each.arguments[1] for each in comparisons))
    if not (_is_number(operands[0]) or _is_number(operands[-1])):
        return None
    if any(sum(1 for _ in walk(each)) > _LARGEST_MIDDLE for each in operands[1:-1]):
        return None
    return operands, tuple(names)


def _is_number(node: tree.Expression) -> bool:
    """Whether a part is a number as it is written, perhaps with a sign or a type."""
    if isinstance(node, tree.Ascription):
        return _is_number(node.expression)
    if isinstance(node, tree.Call) and node.name == "negate":
        return all(map(_is_number, node.arguments))
    return isinstance(node, tree.Number)


def set_elements(node: tree.Call) -> tuple[tree.Expression, ...] | None:
    """The elements of ``{a, b}``."""
    elements: list[tree.Expression] = []
    while node.name == "insert" and len(node.arguments) == 2:
        first, rest = node.arguments
        elements.append(first)
        if not isinstance(rest, tree.Call):
            return None
        node = rest
    if node.name != "singleton" or len(node.arguments) != 1:
        return None
    return (*elements, node.arguments[0])


def indexed_parts(
    node: tree.Call,
) -> tuple[str, tree.Expression, tree.Expression, tree.Expression] | None:
    """The index, the bounds and the body of ``∑_{i=a}^{b} body``."""
    if node.name not in INDEXED or len(node.arguments) != 3:
        return None
    function, low, high = node.arguments
    if not isinstance(function, tree.Lambda) or len(function.parameters) != 1:
        return None
    (parameter,) = function.parameters
    if parameter.type is not None or not is_word(parameter.name):
        return None
    return parameter.name, low, high, function.body
