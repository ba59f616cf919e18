"""The operators of Kleis: THE table of spellings, canonical names, precedence and associativity.

See docs/reference/kleis.md §1.6.  The parser folds flat operator chains by this table and the printer places
parentheses by it, so that `parse(print(tree)) == tree`.  The grammar (grammar.lark) lists the same spellings as
terminals; a test holds the two together.

From loosest to tightest: ↔, →, ∨, ∧, comparisons, additive and custom operators, multiplicative, ^.
Postfix marks bind tighter than any of these and prefix signs apply to one primary only, so that ``-x^2`` is
``(-x)^2`` and ``-x!`` is ``(-x)!`` (existing programs rely on it; a lint reports it).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

__all__ = [
    "BINARY",
    "CALLED_INFIX",
    "CALLED_PREFIX",
    "CUSTOM_OPERATORS",
    "POSTFIX",
    "PREFIX",
    "SPELLINGS",
    "Binary",
    "Unary",
    "canonical_name",
    "may_chain",
]


class Binary(NamedTuple):
    """A binary operator.  A higher `level` binds tighter; `none` allows no chain without parentheses."""

    name: str
    level: int
    associativity: Literal["left", "right", "none"]
    symbol: str
    ascii: str
    aliases: tuple[str, ...] = ()


class Unary(NamedTuple):
    """A prefix or postfix operator; without an `ascii` spelling it prints as a call there."""

    name: str
    symbol: str
    ascii: str | None
    aliases: tuple[str, ...] = ()


CUSTOM_OPERATORS = "•∘∗⋆⊗⊕⊙⊛⊘⊚⊝⊞⊟⊠⊡⨀⨁⨂⨃⨄⊓⊔⊎⊍∪∩⋃⋂△▽"
"""The operators without a fixed meaning: their canonical name is the symbol, their level that of ``+``."""

_ADDITIVE = 6

_OPERATORS = (
    Binary("iff", 1, "left", "⟺", "<->", ("↔", "⇔", "<=>")),
    Binary("implies", 2, "right", "⟹", "->", ("→", "⇒", "==>")),
    Binary("logical_or", 3, "left", "∨", "or", ("||",)),
    Binary("logical_and", 4, "left", "∧", "and", ("&&",)),
    Binary("equals", 5, "none", "=", "=", ("==",)),
    Binary("neq", 5, "none", "≠", "!="),
    Binary("less_than", 5, "none", "<", "<"),
    Binary("greater_than", 5, "none", ">", ">"),
    Binary("leq", 5, "none", "≤", "<="),
    Binary("geq", 5, "none", "≥", ">="),
    Binary("plus", _ADDITIVE, "left", "+", "+"),
    Binary("minus", _ADDITIVE, "left", "-", "-", ("−",)),
    *(Binary(symbol, _ADDITIVE, "left", symbol, symbol) for symbol in CUSTOM_OPERATORS),
    Binary("times", 7, "left", "*", "*", ("×", "·")),
    Binary("divide", 7, "left", "/", "/", ("÷",)),
    Binary("power", 8, "right", "^", "^"),
)

BINARY: dict[str, Binary] = {operator.name: operator for operator in _OPERATORS}
"""Binary operators by canonical name."""

CALLED_INFIX: tuple[Binary, ...] = (
    Binary("mod", 7, "left", "%", "%"),
    Binary("in_set", 5, "none", "∈", "∈"),
)
"""Spellings of calls that may stand between their two arguments; ``mod(a, b)`` prints as a call."""

CALLED_PREFIX: dict[str, str] = {"√": "sqrt"}
"""Signs of calls that may stand before their argument; in ASCII they print as calls: ``sqrt(x)``."""

_ORDERS = (
    frozenset({"less_than", "leq", "equals"}),
    frozenset({"greater_than", "geq", "equals"}),
)


def may_chain(names: Sequence[str]) -> bool:
    """Whether ``a ≤ b < c`` may stand for a conjunction: all comparisons point one way.

    >>> may_chain(["leq", "less_than"]), may_chain(["less_than", "greater_than"]), may_chain(["neq", "neq"])
    (True, False, False)
    """
    return any(order.issuperset(names) for order in _ORDERS)


SPELLINGS: dict[str, Binary] = {
    spelling: operator
    for operator in (*_OPERATORS, *CALLED_INFIX)
    for spelling in (operator.symbol, operator.ascii, *operator.aliases)
}
"""Binary operators by every accepted spelling."""

PREFIX: dict[str, Unary] = {
    operator.name: operator
    for operator in (
        Unary("negate", "-", "-"),
        Unary("logical_not", "¬", "not", ("not",)),
        Unary("gradient", "∇", None),
        Unary("Sum", "Σ", None),
        Unary("Product", "Π", None),
        Unary("Integrate", "∫", None),
        Unary("DoubleIntegral", "∬", None),
        Unary("TripleIntegral", "∭", None),
        Unary("LineIntegral", "∮", None),
        Unary("SurfaceIntegral", "∯", None),
    )
}
"""Prefix operators by canonical name."""

POSTFIX: dict[str, Unary] = {
    operator.name: operator
    for operator in (
        Unary("factorial", "!", "!"),
        Unary("transpose", "ᵀ", None),
        Unary("dagger", "†", None),
    )
}
"""Postfix operators by canonical name."""

_PREFIX_NAMES = {"¬": "logical_not", "not": "logical_not", "!": "logical_not"}


def canonical_name(spelling: str) -> str:
    """The name that an operator's spelling stands for; any other text is its own name.

    >>> canonical_name("×"), canonical_name("¬"), canonical_name("⊗"), canonical_name("plus")
    ('times', 'logical_not', '⊗', 'plus')
    """
    operator = SPELLINGS.get(spelling)
    return operator.name if operator else _PREFIX_NAMES.get(spelling, spelling)
