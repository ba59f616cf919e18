"""What the rules of grammar.lark build for types and patterns; `build_expressions` says how the methods are called."""

from __future__ import annotations

from kleis.syntax import tree
from kleis.syntax.operators import canonical_name

__all__ = ["TreeError", "TypeBuilder", "decode", "qualified", "tuple_name"]

_DIMENSION_FUNCTIONS = {"min", "max", "gcd", "lcm"}
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


class TreeError(Exception):
    """A text that follows the grammar but has no tree.  Raised by the builders, caught by the parser."""

    def __init__(self, code: str, message: str, hint: str, span: tree.Span) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.span = span


def decode(literal: str) -> str:
    """The text that a string literal, with its quotes, stands for; an unknown escape is itself."""
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


def qualified(text: str) -> str:
    """The canonical form of a name: the operators among the parts of ``S::(+)`` by their names."""
    if "::" not in text:
        return text
    return "::".join(canonical_name(part.strip("()")) for part in text.split("::"))


def tuple_name(length: int, span: tree.Span) -> str:
    name = tree.TUPLES.get(length)
    if name is None:
        raise TreeError(
            "tuple-too-long",
            f"a tuple has at most five parts, not {length}",
            "use a list or a data type",
            span,
        )
    return name


class TypeBuilder:
    """Builds types and patterns."""

    # ── Types ────────────────────────────────────────────────────────────────────────────────────────────────

    def named_type(self, span: tree.Span, name: str) -> tree.TypeExpression:
        return tree.NamedType(qualified(name), span)

    def carrier_type(self, span: tree.Span, name: str, _dot: str) -> tree.TypeExpression:
        return tree.NamedType(f"{name}::carrier", span)

    def applied_type(
        self, span: tree.Span, name: str, arguments: tuple[tree.TypeExpression, ...]
    ) -> tree.TypeExpression:
        if name in _DIMENSION_FUNCTIONS:
            return tree.DimensionOperation(name, arguments, span)
        return tree.AppliedType(qualified(name), arguments, span)

    def type_arguments(
        self, span: tree.Span, arguments: list[tree.TypeExpression] | None = None
    ) -> tuple[tree.TypeExpression, ...]:
        return tuple(arguments or ())

    def number_type(self, span: tree.Span, text: str) -> tree.TypeExpression:
        if not text.isdigit():
            raise TreeError("number-in-type", f"a number in a type must be whole, not {text}", "", span)
        if len(text) > 18:
            raise TreeError("number-in-type", "a number in a type has at most 18 digits", "", span)
        return tree.NumberType(int(text), span)

    def unit_type(self, span: tree.Span) -> tree.TypeExpression:
        return tree.NamedType("Unit", span)

    def group_type(self, span: tree.Span, inner: tree.TypeExpression) -> tree.TypeExpression:
        return inner

    def product_type(
        self, span: tree.Span, first: tree.TypeExpression, rest: list[tree.TypeExpression]
    ) -> tree.TypeExpression:
        return tree.ProductType((first, *rest), span)

    def function_type(
        self, span: tree.Span, domain: tree.TypeExpression, _arrow: str, codomain: tree.TypeExpression
    ) -> tree.TypeExpression:
        return tree.FunctionType(domain, codomain, span)

    def for_all_type(
        self,
        span: tree.Span,
        _quantifier: str,
        variables: tuple[tree.TypeParameter, ...],
        body: tree.TypeExpression,
    ) -> tree.TypeExpression:
        return tree.ForAllType(variables, body, span)

    def dimension(
        self, span: tree.Span, left: tree.TypeExpression, operator: str, right: tree.TypeExpression
    ) -> tree.TypeExpression:
        return tree.DimensionOperation(operator, (left, right), span)

    def type_variables(
        self, span: tree.Span, *groups: tuple[tree.TypeParameter, ...] | list[tuple[tree.TypeParameter, ...]]
    ) -> tuple[tree.TypeParameter, ...]:
        variables: tuple[tree.TypeParameter, ...] = ()
        for group in groups:
            variables += tuple(v for part in group for v in part) if isinstance(group, list) else group
        return variables

    def type_variable_group(
        self, span: tree.Span, names: list[str], kind: tree.TypeExpression | None
    ) -> tuple[tree.TypeParameter, ...]:
        return tuple(tree.TypeParameter(name, kind or tree.NamedType("Type", span), span) for name in names)

    def type_parameters(
        self, span: tree.Span, parameters: list[tree.TypeParameter] | None = None
    ) -> tuple[tree.TypeParameter, ...]:
        return tuple(parameters or ())

    def type_parameter(
        self, span: tree.Span, name: str, kind: tree.TypeExpression | None
    ) -> tree.TypeParameter:
        return tree.TypeParameter(name, kind, span)

    # ── Patterns ─────────────────────────────────────────────────────────────────────────────────────────────

    def as_pattern(self, span: tree.Span, pattern: tree.Pattern, name: str) -> tree.Pattern:
        return tree.AsPattern(pattern, name, span)

    def name_pattern(self, span: tree.Span, name: str) -> tree.Pattern:
        if name == "_":
            return tree.WildcardPattern(span)
        if name in ("true", "false"):
            return tree.LiteralPattern(tree.Boolean(name == "true", span), span)
        if name[0].isupper():
            return tree.ConstructorPattern(name, (), span)
        return tree.VariablePattern(name, span)

    def number_pattern(self, span: tree.Span, text: str) -> tree.Pattern:
        return tree.LiteralPattern(tree.Number(text, span), span)

    def text_pattern(self, span: tree.Span, literal: str) -> tree.Pattern:
        return tree.LiteralPattern(tree.Text(decode(literal), span), span)

    def constructor_pattern(
        self, span: tree.Span, name: str, arguments: list[tree.Pattern] | None = None
    ) -> tree.Pattern:
        return tree.ConstructorPattern(name, tuple(arguments or ()), span)

    def unit_pattern(self, span: tree.Span) -> tree.Pattern:
        return tree.ConstructorPattern("Unit", (), span)

    def group_pattern(self, span: tree.Span, inner: tree.Pattern) -> tree.Pattern:
        return inner

    def tuple_pattern(self, span: tree.Span, first: tree.Pattern, rest: list[tree.Pattern]) -> tree.Pattern:
        return tree.ConstructorPattern(tuple_name(1 + len(rest), span), (first, *rest), span)

    def list_pattern(
        self, span: tree.Span, first: tree.Pattern | None, rest: list[tree.Pattern] | None = None
    ) -> tree.Pattern:
        return tree.ListPattern((first, *(rest or ())) if first else (), span)

    def bound_pattern(self, pattern: tree.Pattern) -> tree.Pattern:
        """The pattern of a ``let``, where a bare capitalised name is a variable too."""
        if isinstance(pattern, tree.ConstructorPattern) and pattern.span.end - pattern.span.start == len(
            pattern.name
        ):
            return tree.VariablePattern(pattern.name, pattern.span)
        return pattern
