"""What each rule of grammar.lark builds: declarations, members and example statements.

See kleis/syntax/parser/build_expressions.py for how the methods are called.
"""

from __future__ import annotations

from typing import NamedTuple

from kleis.syntax.operators import canonical_name
from kleis.syntax.parser.build_expressions import ExpressionBuilder, Refusal, decode
from kleis.syntax.tree import (
    AliasDefinition,
    Annotation,
    AppliedType,
    Assertion,
    Axiom,
    Call,
    ConstructorPattern,
    DataDefinition,
    Declaration,
    ElementDeclaration,
    ElementImplementation,
    Example,
    Expression,
    ExpressionStatement,
    Field,
    FunctionDefinition,
    ImplementationMember,
    Implements,
    Import,
    LetStatement,
    NestedStructure,
    OperationDeclaration,
    OperationImplementation,
    Parameter,
    Pattern,
    Renaming,
    Span,
    Statement,
    Structure,
    StructureMember,
    TypeExpression,
    TypeParameter,
    VariablePattern,
    Variant,
    VariantField,
    VerifyImplementation,
)

__all__ = ["ItemBuilder"]


_BLOCK = 256
"""The most propositions in one ``assert_inconsistent { … }``; kleis/syntax/parser/parser.py counts on 2⁸."""


class Parent(NamedTuple):
    """An ``extends`` clause."""

    type: TypeExpression
    renamings: tuple[Renaming, ...]


class ItemBuilder(ExpressionBuilder):
    """Builds everything that is no expression, and the expressions inside."""

    def program(self, span: Span, items: list[Declaration] | None = None) -> list[Declaration]:
        return items or []

    def annotation(self, span: Span, name: str, text: str | None) -> Declaration:
        return Annotation(name, text[1:-1] if text is not None else None, span)

    def import_path(self, span: Span, literal: str) -> Declaration:
        return Import(decode(literal), span)

    def operator_name(self, span: Span, operator: str) -> str:
        return canonical_name(operator)

    # ── Structures and their models ──────────────────────────────────────────────────────────────────────────

    def structure(
        self,
        span: Span,
        name: str,
        parameters: tuple[TypeParameter, ...] | None,
        parent: Parent | None,
        over: TypeExpression | None,
        members: list[StructureMember] | None = None,
    ) -> Declaration:
        extends = parent.type if parent else None
        renamings = parent.renamings if parent else ()
        return Structure(name, parameters or (), extends, renamings, over, tuple(members or ()), span)

    def extends(self, span: Span, parent: TypeExpression, renamings: tuple[Renaming, ...] | None) -> Parent:
        return Parent(parent, renamings or ())

    def renamings(
        self, span: Span, first: Renaming, rest: list[Renaming] | None = None
    ) -> tuple[Renaming, ...]:
        return (first, *(rest or ()))

    def renaming(self, span: Span, old: str, new: str) -> Renaming:
        return Renaming(old, new, span)

    def operation(self, span: Span, name: str, type_: TypeExpression) -> OperationDeclaration:
        return OperationDeclaration(name, type_, span)

    def element(self, span: Span, name: str, type_: TypeExpression) -> StructureMember:
        return ElementDeclaration(name, type_, span)

    def axiom(self, span: Span, name: str, proposition: Expression) -> StructureMember:
        self.linter.proposition(span)
        return Axiom(name, proposition, span)

    def field(self, span: Span, name: str, type_: TypeExpression) -> StructureMember:
        return Field(name, type_, span)

    def nested(
        self,
        span: Span,
        name: str,
        type_: TypeExpression,
        renamings: tuple[Renaming, ...] | None,
        members: tuple[StructureMember, ...] | None,
    ) -> StructureMember:
        return NestedStructure(name, type_, renamings or (), members or (), span)

    def nested_members(
        self, span: Span, members: list[StructureMember] | None = None
    ) -> tuple[StructureMember, ...]:
        return tuple(members or ())

    def implements(
        self,
        span: Span,
        name: str,
        arguments: tuple[TypeExpression, ...],
        over: TypeExpression | None,
        where: tuple[AppliedType, ...] | None,
        members: list[ImplementationMember] | None = None,
    ) -> Declaration:
        return Implements(name, arguments, over, where or (), tuple(members or ()), span)

    def constraints(
        self, span: Span, first: AppliedType, rest: list[AppliedType] | None = None
    ) -> tuple[AppliedType, ...]:
        return (first, *(rest or ()))

    def constraint(self, span: Span, name: str, arguments: tuple[TypeExpression, ...]) -> AppliedType:
        return AppliedType(name, arguments, span)

    def element_implementation(self, span: Span, name: str, value: Expression) -> ImplementationMember:
        return ElementImplementation(name, value, span)

    def operation_implementation(
        self, span: Span, name: str, parameters: tuple[Parameter, ...] | None, body: Expression
    ) -> ImplementationMember:
        return OperationImplementation(name, parameters or (), body, span)

    def verify_implementation(self, span: Span, name: str) -> ImplementationMember:
        return VerifyImplementation(name, span)

    # ── Data, functions, aliases ─────────────────────────────────────────────────────────────────────────────

    def data(
        self,
        span: Span,
        name: str,
        parameters: tuple[TypeParameter, ...] | None,
        first: Variant,
        rest: list[Variant] | None = None,
    ) -> Declaration:
        return DataDefinition(name, parameters or (), (first, *(rest or ())), span)

    def variant(self, span: Span, name: str, fields: tuple[VariantField, ...] | None) -> Variant:
        return Variant(name, fields or (), span)

    def variant_fields(
        self, span: Span, fields: list[VariantField] | None = None
    ) -> tuple[VariantField, ...]:
        return tuple(fields or ())

    def plain_field(self, span: Span, type_: TypeExpression) -> VariantField:
        return VariantField(None, type_, span)

    def named_field(self, span: Span, name: str, type_: TypeExpression) -> VariantField:
        return VariantField(name, type_, span)

    def definition(
        self,
        span: Span,
        measure: tuple[Expression, ...] | None,
        name: str,
        parameters: tuple[Parameter, ...] | None,
        result: TypeExpression | None,
        body: Expression,
    ) -> FunctionDefinition:
        return FunctionDefinition(name, parameters or (), result, body, measure or (), span)

    def measure(
        self, span: Span, first: Expression, rest: list[Expression] | None = None
    ) -> tuple[Expression, ...]:
        return (first, *(rest or ()))

    def parameters(
        self, span: Span, first: Parameter | None, rest: list[Parameter] | None = None
    ) -> tuple[Parameter, ...]:
        return (first, *(rest or ())) if first else ()

    def parameter(self, span: Span, name: str, type_: TypeExpression | None) -> Parameter:
        return Parameter(name, type_, span)

    def alias(
        self,
        span: Span,
        name: str,
        parameters: tuple[TypeParameter, ...] | None,
        type_: TypeExpression,
    ) -> Declaration:
        return AliasDefinition(name, parameters or (), type_, span)

    # ── Examples ─────────────────────────────────────────────────────────────────────────────────────────────

    def example(
        self, span: Span, literal: str, statements: list[Statement | None] | None = None
    ) -> Declaration:
        written = tuple(statement for statement in statements or () if statement is not None)
        return Example(decode(literal), written, span)

    def let_statement(
        self,
        span: Span,
        pattern: Pattern,
        type_: TypeExpression | None,
        value: Expression | None,
    ) -> Statement:
        if isinstance(pattern, ConstructorPattern):
            pattern = self.bound_pattern(pattern)
        if not isinstance(pattern, VariablePattern):
            raise Refusal(
                "let-pattern",
                "a `let` statement binds one name",
                "take the value apart with `match`, or with `let (a, b) = … in …`",
                pattern.span,
            )
        if type_ is None and value is None:
            raise Refusal(
                "empty-let",
                f"`let {pattern.name}` has neither a type nor a value",
                f"write `let {pattern.name} = value`, or `let {pattern.name} : type` for any value of a type",
                span,
            )
        return LetStatement(pattern.name, type_, value, span)

    def assertion(self, span: Span, proposition: Expression) -> Statement:
        self.linter.proposition(span)
        return Assertion("assert", proposition, span)

    def assert_disproved(self, span: Span, proposition: Expression) -> Statement:
        self.linter.proposition(span)
        return Assertion("assert_disproved", proposition, span)

    def assert_unknown(self, span: Span, proposition: Expression) -> Statement:
        self.linter.proposition(span)
        return Assertion("assert_unknown", proposition, span)

    def assert_sat(self, span: Span, proposition: Expression) -> Statement:
        self.linter.proposition(span)
        return Assertion("assert_sat", proposition, span)

    def assert_inconsistent(self, span: Span, proposition: Expression | None = None) -> Statement:
        self.linter.proposition(span)
        return Assertion("assert_inconsistent", proposition, span)

    def assert_inconsistent_block(
        self, span: Span, propositions: list[Expression] | None = None
    ) -> Statement:
        parts = list(propositions or ())
        if len(parts) > _BLOCK:
            raise Refusal("block-too-long", f"more than {_BLOCK} propositions in one block", "", span)
        while len(parts) > 1:  # pairwise, so that the conjunction is as shallow as it can be
            pairs = zip(parts[::2], parts[1::2], strict=False)
            odd = parts[-1:] if len(parts) % 2 else []
            parts = [Call("logical_and", pair, span) for pair in pairs] + odd
        self.linter.proposition(span)
        return Assertion("assert_inconsistent", parts[0] if parts else None, span)

    def proposition(self, span: Span, expression: Expression) -> Expression:
        return expression

    def expression_statement(self, span: Span, expression: Expression) -> Statement:
        return ExpressionStatement(expression, span)

    def nothing(self, span: Span) -> None:
        return None
