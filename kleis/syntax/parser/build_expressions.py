"""What the rules of grammar.lark build: expressions.

A method is named like the rule (or like the alternative's `-> name`) and takes the span of the text and the parts
that the grammar keeps: names and operators as text, lists as lists, absent optional parts as None.
`build_types` has the methods for types and patterns, `build_declarations` adds those for declarations; the parser calls all of them through its tables.
"""

from __future__ import annotations

from typing import Protocol, get_args

from kleis.syntax import tree
from kleis.syntax.operators import CALLED_PREFIX, POSTFIX, canonical_name
from kleis.syntax.parser.build_types import TreeError, TypeBuilder, decode, qualified, tuple_name
from kleis.syntax.superscripts import exponent_of
from kleis.syntax.unique_existence import unique_existence

__all__ = ["ExpressionBuilder", "Lints"]


_BIG_OPERATORS = {
    "Σ": ("sum_bounds", (2, 0, 1)),
    "Π": ("prod_bounds", (2, 0, 1)),
    "∫": ("int_bounds", (2, 0, 1, 3)),
    "lim": ("lim", (2, 0, 1)),
}
_PREFIXES = {
    "-": "negate",
    "¬": "logical_not",
    "not": "logical_not",
    "∇": "gradient",
    "∬": "DoubleIntegral",
    "∭": "TripleIntegral",
    "∮": "LineIntegral",
    "∯": "SurfaceIntegral",
    "Σ": "Sum",
    "Π": "Product",
    "∫": "Integrate",
    "−": "negate",
    "!": "logical_not",
    **CALLED_PREFIX,
}
_INDEXED = {"∑": "sum_bounds", "Σ": "sum_bounds", "∏": "prod_bounds", "Π": "prod_bounds"}
_NUMBER_SETS = frozenset({"ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Bool", "String"})
"""After ``∈`` in a binder these are the types that they name."""
_POSTFIXES = {operator.symbol: operator.name for operator in POSTFIX.values()}
_QUANTIFIERS: dict[str, tree.QuantifierKind] = {
    "∀": "forall",
    "forall": "forall",
    "∃": "exists",
    "exists": "exists",
}


class NamedArgument:
    """``name = value`` between the parentheses of a call; never part of a tree."""

    __slots__ = ("name", "span", "value")

    def __init__(self, name: str, value: tree.Expression, span: tree.Span) -> None:
        self.name = name
        self.value = value
        self.span = span


class NamedArguments(tuple[tree.Expression, ...]):
    """The arguments of a call, the named ones as one record, with all as they were written; never part of a tree."""

    every: tuple[tree.Expression | NamedArgument, ...]

    def __new__(
        cls, arguments: tuple[tree.Expression, ...], every: tuple[tree.Expression | NamedArgument, ...]
    ) -> NamedArguments:
        found = super().__new__(cls, arguments)
        found.every = every
        return found


_OF_TRUTH_VALUES = frozenset(
    (
        "and", "or", "not", "implies", "iff", "equals", "logical_and", "logical_or", "logical_not",
        *get_args(tree.AssertionKind),
    )
)  # fmt: skip
"""What takes no named arguments: ``implies(x = y, p)`` is about an equation."""
_BELOW = {"<": "less_than", "≤": "leq", "<=": "leq"}
"""What bounds a natural number from above."""


class MemberBinder(tree.Binder, frozen=True):
    """``x ∈ S`` or ``x < n`` among binders; never part of a tree: `quantifier` makes a binder and a condition of it."""

    container: tree.Expression = tree.Boolean(True)
    relation: str = "in_set"


def _ranges(binders: tuple[tree.Binder, ...]) -> list[tree.Expression]:
    """The conditions ``x ∈ S`` and ``x < n`` of binders."""
    return [
        tree.Call(each.relation, (tree.Name(each.name, each.span), each.container), each.span)
        for each in binders
        if isinstance(each, MemberBinder)
    ]


Arguments = list[tree.Expression | NamedArgument]


class Lints(Protocol):
    """What the builders report while they build.  `kleis.syntax.parser.lints.Linter` is one."""

    def named_argument(self, name: str, span: tree.Span) -> None:
        """An argument was parsed as ``name = value``."""

    def equation(self, span: tree.Span) -> None:
        """An argument ``name = value`` turned out to be an equation."""

    def postfix(self, span: tree.Span) -> None:
        """A postfix mark was parsed."""

    def condition(self, condition: tree.Expression) -> None:
        """The condition of an ``if`` is complete."""

    def proposition(self, span: tree.Span) -> None:
        """An axiom or assertion is complete."""


class ExpressionBuilder(TypeBuilder):
    """Builds expressions too, and reports to the lints."""

    def __init__(self, lints: Lints) -> None:
        self.lints = lints

    # ── Atoms and calls ──────────────────────────────────────────────────────────────────────────────────────

    def number(self, span: tree.Span, text: str) -> tree.Expression:
        return tree.Number(text, span)

    def text(self, span: tree.Span, literal: str) -> tree.Expression:
        return tree.Text(decode(literal), span)

    def name(self, span: tree.Span, name: str) -> tree.Expression:
        if name == "true" or name == "false":
            return tree.Boolean(name == "true", span)
        return tree.Name(qualified(name), span)

    def operator_value(self, span: tree.Span, operator: str) -> tree.Expression:
        return tree.Name(canonical_name(operator), span)

    def unit(self, span: tree.Span) -> tree.Expression:
        return tree.Call("Unit", (), span)

    def group(self, span: tree.Span, inner: tree.Expression) -> tree.Expression:
        return inner

    def tuple_literal(
        self, span: tree.Span, first: tree.Expression, rest: list[tree.Expression]
    ) -> tree.Expression:
        return tree.Call(tuple_name(1 + len(rest), span), (first, *rest), span)

    def list_literal(
        self, span: tree.Span, first: tree.Expression | None, rest: list[tree.Expression] | None = None
    ) -> tree.Expression:
        return tree.ListLiteral((first, *(rest or ())) if first else (), span)

    def empty_set(self, span: tree.Span, _sign: str) -> tree.Expression:
        return tree.Name("empty_set", span)

    def set_literal(
        self,
        span: tree.Span,
        _brace: str,
        first: tree.Expression | None,
        rest: list[tree.Expression] | None = None,
    ) -> tuple[tree.Expression, int]:
        """``{a, b}`` is ``insert(a, singleton(b))``; and the levels that the set adds to those of its elements."""
        if first is None:
            return tree.Name("empty_set", span), 0
        others = [first, *(rest or ())]
        found: tree.Expression = tree.Call("singleton", (others.pop(),), span)
        for each in reversed(others):
            found = tree.Call("insert", (each, found), span)
        return found, 1 + len(others)

    def absolute_value(
        self, span: tree.Span, _left: str, inner: tree.Expression, _right: str
    ) -> tree.Expression:
        return tree.Call("abs", (inner,), span)

    def superscript(self, span: tree.Span, base: tree.Expression, sign: str) -> tree.Expression:
        """``(x + 1)²``, ``3²``, ``x⁻¹``: powers."""
        return tree.Call("power", (base, exponent_of(sign, span)), span)

    def bound(self, span: tree.Span, _sign: str, inner: tree.Expression) -> tree.Expression:
        return inner

    def indexed(
        self,
        span: tree.Span,
        sign: str,
        index: str,
        _equal: str,
        low: tree.Expression,
        high: tree.Expression,
        body: tree.Expression,
    ) -> tree.Expression:
        """``∑_{i=a}^{b} body`` is ``Σ(a, b, λ i . body)``."""
        function = tree.Lambda((tree.Parameter(index, None, span),), body, span)
        return tree.Call(_INDEXED[sign[0]], (function, low, high), span)

    def arguments(
        self, span: tree.Span, first: tree.Expression | NamedArgument, rest: Arguments | None = None
    ) -> tuple[tree.Expression, ...]:
        every = (first, *(rest or ()))
        positional = tuple(argument for argument in every if not isinstance(argument, NamedArgument))
        if len(positional) == len(every):
            return positional
        fields = tuple(
            tree.Call("field", (tree.Text(argument.name, argument.span), argument.value), argument.span)
            for argument in every
            if isinstance(argument, NamedArgument)
        )
        return NamedArguments((*positional, tree.Call("record", fields, span)), every)

    def named_argument(self, span: tree.Span, name: str, value: tree.Expression) -> NamedArgument:
        self.lints.named_argument(name, span)
        return NamedArgument(name, value, span)

    def call(
        self, span: tree.Span, name: str, arguments: tuple[tree.Expression, ...] | None
    ) -> tree.Expression:
        if name in _OF_TRUTH_VALUES and isinstance(arguments, NamedArguments):
            arguments = tuple(map(self._equation, arguments.every))
        return tree.Call(qualified(name), arguments or (), span)

    def _equation(self, argument: tree.Expression | NamedArgument) -> tree.Expression:
        """``a = b`` where no named argument can be meant."""
        if not isinstance(argument, NamedArgument):
            return argument
        self.lints.equation(argument.span)
        return tree.Call("equals", (tree.Name(argument.name, argument.span), argument.value), argument.span)

    def apply(
        self, span: tree.Span, function: tree.Expression, arguments: tuple[tree.Expression, ...] | None
    ) -> tree.Expression:
        if isinstance(function, tree.Name):
            return tree.Call(function.name, arguments or (), span)
        return tree.Apply(function, arguments or (), span)

    def big_call(
        self, span: tree.Span, operator: str, arguments: tuple[tree.Expression, ...] | None
    ) -> tree.Expression:
        name, order = _BIG_OPERATORS[operator]
        parts = arguments or ()
        if len(parts) == len(order):
            parts = tuple(parts[position] for position in order)
        return tree.Call(name, parts, span)

    # ── Operators ────────────────────────────────────────────────────────────────────────────────────────────

    def prefix(self, span: tree.Span, sign: str, operand: tree.Expression) -> tree.Expression:
        return tree.Call(_PREFIXES[sign], (operand,), span)

    def postfix(self, span: tree.Span, operand: tree.Expression, mark: str) -> tree.Expression:
        self.lints.postfix(span)
        return tree.Call(_POSTFIXES[mark], (operand,), span)

    def ascription(
        self, span: tree.Span, expression: tree.Expression, type_: tree.TypeExpression
    ) -> tree.Expression:
        return tree.Ascription(expression, type_, span)

    # ── Forms ────────────────────────────────────────────────────────────────────────────────────────────────

    def quantifier(
        self,
        span: tree.Span,
        quantifier: str,
        binders: tuple[tree.Binder, ...],
        where: tree.Expression | None,
        body: tree.Expression,
    ) -> tree.Expression:
        ranges = _ranges(binders)
        if where is not None:
            ranges.append(where)
        condition = ranges[0] if ranges else None
        for each in ranges[1:]:
            assert condition is not None
            condition = tree.Call("logical_and", (condition, each), span)
        plain = tuple(tree.Binder(each.name, each.type, each.span) for each in binders)
        return tree.Quantifier(_QUANTIFIERS[quantifier], plain, condition, body, span)

    def unique_quantifier(
        self,
        span: tree.Span,
        _quantifier: str,
        binders: tuple[tree.Binder, ...],
        where: tree.Expression | None,
        body: tree.Expression,
    ) -> tree.Expression:
        """``∃!(x : T). p`` is ``∃(x_1 : T). ∀(x : T). p ↔ x = x_1``, with a name that p does not have."""
        ranges = [*_ranges(binders), *([where] if where is not None else [])]
        for part in reversed(ranges):
            body = tree.Call("logical_and", (part, body), span)
        return unique_existence(binders, body, span)

    def member_group(
        self, span: tree.Span, names: list[str], _member: str, container: tree.Expression
    ) -> tuple[tree.Binder, ...]:
        """``x ∈ S``: a type where S is one of numbers, else any sort and the condition ``in_set(x, S)``."""
        if isinstance(container, tree.Name) and container.name in _NUMBER_SETS:
            written = tree.NamedType(container.name, container.span)
            return tuple(tree.Binder(name, written, span) for name in names)
        return tuple(MemberBinder(name, tree.NamedType("_", span), span, container) for name in names)

    def bounded_group(
        self, span: tree.Span, names: list[str], sign: str, bound: tree.Expression
    ) -> tuple[tree.Binder, ...]:
        """``i j < n``: natural numbers with the conditions ``i < n`` and ``j < n``."""
        relation = _BELOW.get(sign)
        if relation is None:
            listed = " ".join(names)
            raise TreeError(
                "bound-below",
                f"only < and ≤ bound {listed} without a type",
                f"write the type and the condition: ({listed} : ℝ) where {names[0]} {sign} …",
                span,
            )
        written = tree.NamedType("ℕ", span)
        return tuple(MemberBinder(name, written, span, bound, relation) for name in names)

    def binders(
        self, span: tree.Span, *groups: tuple[tree.Binder, ...] | list[tuple[tree.Binder, ...]]
    ) -> tuple[tree.Binder, ...]:
        binders: tuple[tree.Binder, ...] = ()
        for group in groups:
            binders += tuple(b for part in group for b in part) if isinstance(group, list) else group
        return binders

    def binder_group(
        self, span: tree.Span, names: list[str], type_: tree.TypeExpression
    ) -> tuple[tree.Binder, ...]:
        return tuple(tree.Binder(name, type_, span) for name in names)

    def conditional(
        self,
        span: tree.Span,
        condition: tree.Expression,
        consequent: tree.Expression,
        alternative: tree.Expression,
    ) -> tree.Expression:
        self.lints.condition(condition)
        return tree.Conditional(condition, consequent, alternative, span)

    def let(
        self,
        span: tree.Span,
        pattern: tree.Pattern,
        type_: tree.TypeExpression | None,
        value: tree.Expression,
        body: tree.Expression,
    ) -> tree.Expression:
        return tree.Let(self.bound_pattern(pattern), type_, value, body, span)

    def lambda_form(
        self,
        span: tree.Span,
        _lambda: str,
        parameters: list[tuple[tree.Parameter, ...]],
        body: tree.Expression,
    ) -> tree.Expression:
        return tree.Lambda(tuple(p for group in parameters for p in group), body, span)

    def plain_parameter(self, span: tree.Span, name: str) -> tuple[tree.Parameter, ...]:
        return (tree.Parameter(name, None, span),)

    def typed_parameters(
        self,
        span: tree.Span,
        first: tuple[tree.Binder, ...],
        rest: list[tuple[tree.Binder, ...]] | None = None,
    ) -> tuple[tree.Parameter, ...]:
        every = (first, *(rest or ()))
        return tuple(tree.Parameter(b.name, b.type, b.span) for group in every for b in group)

    def using(
        self, span: tree.Span, structure: tree.TypeExpression, body: tree.Expression
    ) -> tree.Expression:
        return tree.Using(structure, body, span)

    def match(self, span: tree.Span, scrutinee: tree.Expression, cases: list[tree.Case]) -> tree.Expression:
        return tree.Match(scrutinee, tuple(cases), span)

    def case(
        self, span: tree.Span, pattern: tree.Pattern, guard: tree.Expression | None, body: tree.Expression
    ) -> tree.Case:
        return tree.Case(pattern, guard, body, span)
