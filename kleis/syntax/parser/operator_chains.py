"""Flat operator chains to trees, by the table of `kleis.syntax.operators`.

The grammar gives ``a + b * c = d`` as operands and operators in a row; `fold` is the shunting-yard algorithm,
linear in the length of the chain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kleis.syntax import tree
from kleis.syntax.operators import SPELLINGS, Binary
from kleis.syntax.parser.build_expressions import TreeError

__all__ = ["Chain", "Operand", "fold"]


class Operand(NamedTuple):
    """A part of a chain: its tree, the height of the tree, and its first and last token.

    `joined` is the operator that made the tree of parts of the same chain; empty if none did.
    """

    expression: tree.Expression
    height: int
    first: int
    last: int
    joined: str = ""


class Chain:
    """Operands with one operator, and its token, between each two."""

    __slots__ = ("operands", "operators")

    def __init__(self, first: Operand, operator: str, token: int, second: Operand) -> None:
        self.operands = [first, second]
        self.operators = [(operator, token)]

    def extend(self, operator: str, token: int, operand: Operand) -> None:
        """Add one operator and operand at the end."""
        self.operators.append((operator, token))
        self.operands.append(operand)


def fold(
    chain: Chain,
    span: Callable[[int, int], tree.Span],
    notice: Callable[[Binary, int, Operand, Operand], None],
) -> Operand:
    """The tree of a chain.  `notice` is called with each operator, its token and both operands, innermost first."""
    done = [chain.operands[0]]
    waiting: list[tuple[Binary, int]] = []

    def join() -> None:
        operator, token = waiting.pop()
        right = done.pop()
        left = done.pop()
        notice(operator, token, left, right)
        height = 1 + max(left.height, right.height)
        place = span(left.first, right.last)
        if height > tree.MAXIMUM_NESTING:
            raise TreeError(
                "too-deep",
                f"more than {tree.MAXIMUM_NESTING} levels of operators",
                "name a part of the expression with a define of its own",
                span(token, token),
            )
        joined = tree.Call(operator.name, (left.expression, right.expression), place)
        done.append(Operand(joined, height, left.first, right.last, operator.name))

    for (spelling, token), operand in zip(chain.operators, chain.operands[1:], strict=True):
        operator = SPELLINGS[spelling]
        while waiting and _binds_first(waiting[-1][0], operator, span, token):
            join()
        waiting.append((operator, token))
        done.append(operand)
    while waiting:
        join()
    return done[0]


def _binds_first(left: Binary, right: Binary, span: Callable[[int, int], tree.Span], token: int) -> bool:
    """Whether in ``a left b right c`` the part ``a left b`` is one operand."""
    if left.level != right.level:
        return left.level > right.level
    if right.associativity == "none":
        raise TreeError(
            "chained-comparison",
            f"a second comparison `{right.symbol}`: comparisons do not chain",
            "write a < b ∧ b < c, or put one comparison in parentheses",
            span(token, token),
        )
    return right.associativity == "left"
