"""Flat operator chains to trees, by the table of `kleis.syntax.operators`.

The grammar gives ``a + b * c = d`` as operands and operators in a row; `fold` is the shunting-yard algorithm,
linear in the length of the chain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from kleis.syntax import tree
from kleis.syntax.operators import SPELLINGS, Binary, may_chain
from kleis.syntax.parser.build_types import TreeError

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


_CHAINED = Binary("logical_and", 5, "left", "∧", "and")
"""Joins the comparisons of ``a ≤ b < c``; it stands among them, not among the conjunctions that are written."""

_HIGHEST_MIDDLE = 12
"""The height of a part that may stand twice: chains in the middle of chains would double at every level."""

_MULTIPLICATIVE = 7
_SUMS = ("sum_bounds", "prod_bounds")


def fold(
    chain: Chain,
    span: Callable[[int, int], tree.Span],
    notice: Callable[[Binary, int, Operand, Operand], None],
    takes_product: Callable[[Operand], bool] = lambda operand: False,
) -> Operand:
    """The tree of a chain.

    `notice` is called with each operator, its token and both operands, innermost first. `takes_product` says whether an
    operand is a sum ∑ without parentheses, whose body goes on over products and powers.
    """
    _extend_sums(chain, span, notice, takes_product)
    done = [chain.operands[0]]
    waiting: list[tuple[Binary, int]] = []
    compared: list[str] = []

    def join() -> None:
        operator, token = waiting.pop()
        right = done.pop()
        left = done.pop()
        if operator is not _CHAINED:
            notice(operator, token, left, right)
        height = 1 + max(left.height, right.height)
        place = span(left.first, right.last)
        if height > tree.MAXIMUM_HEIGHT:
            raise TreeError(
                "too-deep",
                f"more than {tree.MAXIMUM_HEIGHT} levels of operators",
                "name a part of the expression with a define of its own",
                span(token, token),
            )
        joined = tree.Call(operator.name, (left.expression, right.expression), place)
        done.append(Operand(joined, height, left.first, right.last, operator.name))

    for (spelling, token), operand in zip(chain.operators, chain.operands[1:], strict=True):
        operator = SPELLINGS[spelling]
        while waiting and _binds_first(waiting[-1][0], operator):
            join()
        if waiting and waiting[-1][0].associativity == "none" and waiting[-1][0].level == operator.level:
            compared.append(operator.name)
            middle = _middle(done[-1], compared, operator, span, token)
            join()
            if waiting and waiting[-1][0] is _CHAINED:
                join()
            waiting.append((_CHAINED, token))
            done.append(middle)
        elif operator.associativity == "none":
            compared = [operator.name]
        waiting.append((operator, token))
        done.append(operand)
    while waiting:
        join()
    return done[0]


def _binds_first(left: Binary, right: Binary) -> bool:
    """Whether in ``a left b right c`` the part ``a left b`` is one operand."""
    return left.level > right.level or (left.level == right.level and right.associativity == "left")


def _middle(
    operand: Operand,
    compared: Sequence[str],
    operator: Binary,
    span: Callable[[int, int], tree.Span],
    token: int,
) -> Operand:
    """The part between two comparisons, which both are about; `TreeError` where they are no chain."""
    if not may_chain(compared):
        raise TreeError(
            "chained-comparison",
            f"a second comparison `{operator.symbol}`: only =, < and ≤, or =, > and ≥ go on in a chain",
            "write a ≠ b ∧ b ≠ c, or put one comparison in parentheses",
            span(token, token),
        )
    if operand.height > _HIGHEST_MIDDLE:
        raise TreeError(
            "chained-comparison",
            "the part between two comparisons is too large to stand in both",
            "name it: let m = … in a ≤ m ∧ m ≤ b",
            span(operand.first, operand.last),
        )
    return operand


def _extend_sums(
    chain: Chain,
    span: Callable[[int, int], tree.Span],
    notice: Callable[[Binary, int, Operand, Operand], None],
    takes_product: Callable[[Operand], bool],
) -> None:
    """Move the products and powers after a sum ∑ without parentheses into its body, the last sum first."""
    for place in range(len(chain.operands) - 2, -1, -1):
        operand = chain.operands[place]
        if not takes_product(operand):
            continue
        end = place
        while end < len(chain.operators) and SPELLINGS[chain.operators[end][0]].level >= _MULTIPLICATIVE:
            end += 1
        if end == place:
            continue
        head, innermost = _innermost(operand.expression)
        inner = Chain(
            Operand(innermost.body, operand.height, operand.first, operand.last),
            *chain.operators[place],
            chain.operands[place + 1],
        )
        for (sign, token), each in zip(
            chain.operators[place + 1 : end], chain.operands[place + 2 : end + 1], strict=True
        ):
            inner.extend(sign, token, each)
        body = fold(inner, span, notice)
        last = chain.operands[end].last
        whole = head(body.expression)
        chain.operands[place : end + 1] = [Operand(whole, body.height + 2, operand.first, last)]
        del chain.operators[place:end]


def _innermost(
    expression: tree.Expression,
) -> tuple[Callable[[tree.Expression], tree.Expression], tree.Lambda]:
    """The function under the last of ∑ ∑ … body, and what makes the sums again around another body."""
    assert isinstance(expression, tree.Call)
    function = expression.arguments[0]
    assert isinstance(function, tree.Lambda)

    def around(body: tree.Expression) -> tree.Expression:
        inner = msgspec.structs.replace(function, body=body)
        return msgspec.structs.replace(expression, arguments=(inner, *expression.arguments[1:]))

    body = function.body
    if isinstance(body, tree.Call) and body.name in _SUMS and body.span.end == expression.span.end:
        inner_around, inner_function = _innermost(body)
        return lambda new: around(
            inner_around(new)
        ), inner_function  # without parentheses, so the last sum goes on

    return around, function
