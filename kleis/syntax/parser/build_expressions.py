"""What each rule of grammar.lark builds: expressions, patterns and types.

A method is named like the rule (or like the alternative's `-> name`) and gets the span of the text and the parts
that the grammar keeps: names and operators as text, lists as lists, absent optional parts as None.
kleis/syntax/parser/build_declarations.py adds the methods for declarations; the parser calls them through its tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kleis.syntax.operators import POSTFIX, canonical_name
from kleis.syntax.tree import (
    AppliedType,
    Apply,
    Ascription,
    AsPattern,
    Binder,
    Boolean,
    Call,
    Case,
    Conditional,
    ConstructorPattern,
    DimensionOperation,
    Expression,
    ForAllType,
    FunctionType,
    Lambda,
    Let,
    ListLiteral,
    ListPattern,
    LiteralPattern,
    Match,
    Name,
    NamedType,
    Number,
    NumberType,
    Parameter,
    Pattern,
    ProductType,
    Quantifier,
    QuantifierKind,
    Span,
    Text,
    TypeExpression,
    TypeParameter,
    Using,
    VariablePattern,
    WildcardPattern,
)

if TYPE_CHECKING:
    from kleis.syntax.parser.lints import Linter

__all__ = ["DIMENSION_FUNCTIONS", "TUPLES", "ExpressionBuilder", "Refusal"]

TUPLES = {2: "Pair", 3: "Tuple3", 4: "Tuple4", 5: "Tuple5"}
"""The constructor of a tuple by its length."""

DIMENSION_FUNCTIONS = {"min", "max", "gcd", "lcm"}

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
}
_POSTFIXES = {operator.symbol: operator.name for operator in POSTFIX.values()}
_QUANTIFIERS: dict[str, QuantifierKind] = {
    "∀": "forall",
    "forall": "forall",
    "∃": "exists",
    "exists": "exists",
}
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


class Refusal(Exception):
    """A text that follows the grammar but says nothing: raised while building, caught by the parser."""

    def __init__(self, code: str, message: str, hint: str, span: Span) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.span = span


class NamedArgument:
    """``name = value`` between the parentheses of a call; never part of a tree."""

    __slots__ = ("name", "span", "value")

    def __init__(self, name: str, value: Expression, span: Span) -> None:
        self.name = name
        self.value = value
        self.span = span


Arguments = list[Expression | NamedArgument]


def decode(literal: str) -> str:
    """The text that a string literal, with its quotes, stands for (§1.5: an unknown escape is itself)."""
    body = literal[1:-1]
    if "\\" not in body:
        return body
    parts: list[str] = []
    characters = iter(body)
    for character in characters:
        if character == "\\":
            escaped = next(characters)
            character = _ESCAPES.get(escaped, "\\" + escaped)
        parts.append(character)
    return "".join(parts)


def _qualified(text: str) -> str:
    """The canonical form of a name: the operators among the parts of ``S::(+)`` by their names."""
    if "::" not in text:
        return text
    return "::".join(canonical_name(part.strip("()")) for part in text.split("::"))


class ExpressionBuilder:
    """Builds types, patterns and expressions, and tells the linter what it meets."""

    def __init__(self, linter: Linter) -> None:
        self.linter = linter

    # ── Types ────────────────────────────────────────────────────────────────────────────────────────────────

    def named_type(self, span: Span, name: str) -> TypeExpression:
        return NamedType(_qualified(name), span)

    def carrier_type(self, span: Span, name: str, _dot: str) -> TypeExpression:
        return NamedType(f"{name}::carrier", span)

    def applied_type(self, span: Span, name: str, arguments: tuple[TypeExpression, ...]) -> TypeExpression:
        if name in DIMENSION_FUNCTIONS:
            return DimensionOperation(name, arguments, span)
        return AppliedType(_qualified(name), arguments, span)

    def type_arguments(
        self, span: Span, arguments: list[TypeExpression] | None = None
    ) -> tuple[TypeExpression, ...]:
        return tuple(arguments or ())

    def number_type(self, span: Span, text: str) -> TypeExpression:
        if not text.isdigit():
            raise Refusal("number-in-type", f"a number in a type must be whole, not {text}", "", span)
        if len(text) > 18:
            raise Refusal("number-in-type", "a number in a type has at most 18 digits", "", span)
        return NumberType(int(text), span)

    def unit_type(self, span: Span) -> TypeExpression:
        return NamedType("Unit", span)

    def group_type(self, span: Span, inner: TypeExpression) -> TypeExpression:
        return inner

    def product_type(self, span: Span, first: TypeExpression, rest: list[TypeExpression]) -> TypeExpression:
        return ProductType((first, *rest), span)

    def function_type(
        self, span: Span, domain: TypeExpression, _arrow: str, codomain: TypeExpression
    ) -> TypeExpression:
        return FunctionType(domain, codomain, span)

    def for_all_type(
        self, span: Span, _quantifier: str, variables: tuple[TypeParameter, ...], body: TypeExpression
    ) -> TypeExpression:
        return ForAllType(variables, body, span)

    def dimension(
        self, span: Span, left: TypeExpression, operator: str, right: TypeExpression
    ) -> TypeExpression:
        return DimensionOperation(operator, (left, right), span)

    def type_variables(
        self, span: Span, *groups: tuple[TypeParameter, ...] | list[tuple[TypeParameter, ...]]
    ) -> tuple[TypeParameter, ...]:
        variables: tuple[TypeParameter, ...] = ()
        for group in groups:
            variables += tuple(v for part in group for v in part) if isinstance(group, list) else group
        return variables

    def type_variable_group(
        self, span: Span, names: list[str], kind: TypeExpression | None
    ) -> tuple[TypeParameter, ...]:
        return tuple(TypeParameter(name, kind or NamedType("Type", span), span) for name in names)

    def type_parameters(
        self, span: Span, parameters: list[TypeParameter] | None = None
    ) -> tuple[TypeParameter, ...]:
        return tuple(parameters or ())

    def type_parameter(self, span: Span, name: str, kind: TypeExpression | None) -> TypeParameter:
        return TypeParameter(name, kind, span)

    # ── Patterns ─────────────────────────────────────────────────────────────────────────────────────────────

    def as_pattern(self, span: Span, pattern: Pattern, name: str) -> Pattern:
        return AsPattern(pattern, name, span)

    def name_pattern(self, span: Span, name: str) -> Pattern:
        if name == "_":
            return WildcardPattern(span)
        if name in ("true", "false"):
            return LiteralPattern(Boolean(name == "true", span), span)
        if name[0].isupper():
            return ConstructorPattern(name, (), span)
        return VariablePattern(name, span)

    def number_pattern(self, span: Span, text: str) -> Pattern:
        return LiteralPattern(Number(text, span), span)

    def text_pattern(self, span: Span, literal: str) -> Pattern:
        return LiteralPattern(Text(decode(literal), span), span)

    def constructor_pattern(self, span: Span, name: str, arguments: list[Pattern] | None = None) -> Pattern:
        return ConstructorPattern(name, tuple(arguments or ()), span)

    def unit_pattern(self, span: Span) -> Pattern:
        return ConstructorPattern("Unit", (), span)

    def group_pattern(self, span: Span, inner: Pattern) -> Pattern:
        return inner

    def tuple_pattern(self, span: Span, first: Pattern, rest: list[Pattern]) -> Pattern:
        return ConstructorPattern(_tuple_name(1 + len(rest), span), (first, *rest), span)

    def list_pattern(self, span: Span, first: Pattern | None, rest: list[Pattern] | None = None) -> Pattern:
        return ListPattern((first, *(rest or ())) if first else (), span)

    def bound_pattern(self, pattern: Pattern) -> Pattern:
        """The pattern of a ``let``, where a bare capitalised name is a variable too."""
        if isinstance(pattern, ConstructorPattern) and pattern.span.end - pattern.span.start == len(
            pattern.name
        ):
            return VariablePattern(pattern.name, pattern.span)
        return pattern

    # ── Atoms and calls ──────────────────────────────────────────────────────────────────────────────────────

    def number(self, span: Span, text: str) -> Expression:
        return Number(text, span)

    def text(self, span: Span, literal: str) -> Expression:
        return Text(decode(literal), span)

    def name(self, span: Span, name: str) -> Expression:
        if name == "true" or name == "false":
            return Boolean(name == "true", span)
        self.linter.name(name, span)
        return Name(_qualified(name), span)

    def operator_value(self, span: Span, operator: str) -> Expression:
        return Name(canonical_name(operator), span)

    def unit(self, span: Span) -> Expression:
        return Call("Unit", (), span)

    def group(self, span: Span, inner: Expression) -> Expression:
        return inner

    def tuple_literal(self, span: Span, first: Expression, rest: list[Expression]) -> Expression:
        return Call(_tuple_name(1 + len(rest), span), (first, *rest), span)

    def list_literal(
        self, span: Span, first: Expression | None, rest: list[Expression] | None = None
    ) -> Expression:
        return ListLiteral((first, *(rest or ())) if first else (), span)

    def arguments(
        self, span: Span, first: Expression | NamedArgument, rest: Arguments | None = None
    ) -> tuple[Expression, ...]:
        every = (first, *(rest or ()))
        positional = tuple(argument for argument in every if not isinstance(argument, NamedArgument))
        if len(positional) == len(every):
            return positional
        fields = tuple(
            Call("field", (Text(argument.name, argument.span), argument.value), argument.span)
            for argument in every
            if isinstance(argument, NamedArgument)
        )
        return (*positional, Call("record", fields, span))

    def named_argument(self, span: Span, name: str, value: Expression) -> NamedArgument:
        self.linter.named_argument(name, span)
        return NamedArgument(name, value, span)

    def call(self, span: Span, name: str, arguments: tuple[Expression, ...] | None) -> Expression:
        return Call(_qualified(name), arguments or (), span)

    def apply(self, span: Span, function: Expression, arguments: tuple[Expression, ...] | None) -> Expression:
        if isinstance(function, Name):
            return Call(function.name, arguments or (), span)
        return Apply(function, arguments or (), span)

    def big_call(self, span: Span, operator: str, arguments: tuple[Expression, ...] | None) -> Expression:
        name, order = _BIG_OPERATORS[operator]
        parts = arguments or ()
        if len(parts) == len(order):
            parts = tuple(parts[position] for position in order)
        return Call(name, parts, span)

    # ── Operators ────────────────────────────────────────────────────────────────────────────────────────────

    def prefix(self, span: Span, sign: str, operand: Expression) -> Expression:
        return Call(_PREFIXES[sign], (operand,), span)

    def postfix(self, span: Span, operand: Expression, mark: str) -> Expression:
        self.linter.postfix(span)
        return Call(_POSTFIXES[mark], (operand,), span)

    def ascription(self, span: Span, expression: Expression, type_: TypeExpression) -> Expression:
        return Ascription(expression, type_, span)

    # ── Forms ────────────────────────────────────────────────────────────────────────────────────────────────

    def quantifier(
        self,
        span: Span,
        quantifier: str,
        binders: tuple[Binder, ...],
        where: Expression | None,
        body: Expression,
    ) -> Expression:
        return Quantifier(_QUANTIFIERS[quantifier], binders, where, body, span)

    def binders(
        self, span: Span, *groups: tuple[Binder, ...] | list[tuple[Binder, ...]]
    ) -> tuple[Binder, ...]:
        binders: tuple[Binder, ...] = ()
        for group in groups:
            binders += tuple(b for part in group for b in part) if isinstance(group, list) else group
        return binders

    def binder_group(self, span: Span, names: list[str], type_: TypeExpression) -> tuple[Binder, ...]:
        return tuple(Binder(name, type_, span) for name in names)

    def conditional(
        self, span: Span, condition: Expression, consequent: Expression, alternative: Expression
    ) -> Expression:
        self.linter.condition(condition)
        return Conditional(condition, consequent, alternative, span)

    def let(
        self,
        span: Span,
        pattern: Pattern,
        type_: TypeExpression | None,
        value: Expression,
        body: Expression,
    ) -> Expression:
        return Let(self.bound_pattern(pattern), type_, value, body, span)

    def lambda_form(
        self, span: Span, _lambda: str, parameters: list[tuple[Parameter, ...]], body: Expression
    ) -> Expression:
        return Lambda(tuple(p for group in parameters for p in group), body, span)

    def plain_parameter(self, span: Span, name: str) -> tuple[Parameter, ...]:
        return (Parameter(name, None, span),)

    def typed_parameters(
        self, span: Span, first: tuple[Binder, ...], rest: list[tuple[Binder, ...]] | None = None
    ) -> tuple[Parameter, ...]:
        every = (first, *(rest or ()))
        return tuple(Parameter(b.name, b.type, b.span) for group in every for b in group)

    def using(self, span: Span, structure: TypeExpression, body: Expression) -> Expression:
        return Using(structure, body, span)

    def match(self, span: Span, scrutinee: Expression, cases: list[Case]) -> Expression:
        return Match(scrutinee, tuple(cases), span)

    def case(self, span: Span, pattern: Pattern, guard: Expression | None, body: Expression) -> Case:
        return Case(pattern, guard, body, span)


def _tuple_name(length: int, span: Span) -> str:
    name = TUPLES.get(length)
    if name is None:
        raise Refusal(
            "tuple-too-long",
            f"a tuple has at most five parts, not {length}",
            "use a list or a data type",
            span,
        )
    return name
