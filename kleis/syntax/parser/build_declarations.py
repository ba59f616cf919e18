"""What the rules of grammar.lark build: declarations, members and example statements.

`build_expressions` says how the methods are called.
"""

from __future__ import annotations

from typing import NamedTuple, get_args

from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.parser.build_expressions import ExpressionBuilder
from kleis.syntax.parser.build_types import TreeError, decode

__all__ = ["ItemBuilder"]


_BLOCK = 256
"""The most propositions in one ``assert_inconsistent { … }``: 2⁸, because `parser._MORE_LEVELS` allows their conjunction
8 levels."""
_ASSERTION_KINDS: dict[str, tree.AssertionKind] = {kind: kind for kind in get_args(tree.AssertionKind)}


class Parent(NamedTuple):
    """An ``extends`` clause."""

    type: tree.TypeExpression
    renamings: tuple[tree.Renaming, ...]


class ItemBuilder(ExpressionBuilder):
    """Builds everything that is no expression, and the expressions inside."""

    def program(self, span: tree.Span, items: list[tree.Declaration] | None = None) -> list[tree.Declaration]:
        return items or []

    def annotation(self, span: tree.Span, name: str, text: str | None) -> tree.Declaration:
        return tree.Annotation(name, text[1:-1] if text is not None else None, span)

    def import_path(self, span: tree.Span, literal: str) -> tree.Declaration:
        return tree.Import(decode(literal), span)

    def operator_name(self, span: tree.Span, operator: str) -> str:
        return canonical_name(operator)

    # ── Structures and their models ──────────────────────────────────────────────────────────────────────────

    def structure(
        self,
        span: tree.Span,
        name: str,
        parameters: tuple[tree.TypeParameter, ...] | None,
        parent: Parent | None,
        over: tree.TypeExpression | None,
        members: list[tree.StructureMember] | None = None,
    ) -> tree.Declaration:
        extends = parent.type if parent else None
        renamings = parent.renamings if parent else ()
        return tree.Structure(name, parameters or (), extends, renamings, over, tuple(members or ()), span)

    def extends(
        self, span: tree.Span, parent: tree.TypeExpression, renamings: tuple[tree.Renaming, ...] | None
    ) -> Parent:
        return Parent(parent, renamings or ())

    def renamings(
        self, span: tree.Span, first: tree.Renaming, rest: list[tree.Renaming] | None = None
    ) -> tuple[tree.Renaming, ...]:
        return (first, *(rest or ()))

    def renaming(self, span: tree.Span, old: str, new: str) -> tree.Renaming:
        return tree.Renaming(old, new, span)

    def operation(self, span: tree.Span, name: str, type_: tree.TypeExpression) -> tree.OperationDeclaration:
        return tree.OperationDeclaration(name, type_, span)

    def element(self, span: tree.Span, name: str, type_: tree.TypeExpression) -> tree.StructureMember:
        return tree.ElementDeclaration(name, type_, span)

    def axiom(self, span: tree.Span, name: str, proposition: tree.Expression) -> tree.StructureMember:
        self.lints.proposition(span)
        return tree.Axiom(name, proposition, span)

    def field(self, span: tree.Span, name: str, type_: tree.TypeExpression) -> tree.StructureMember:
        return tree.Field(name, type_, span)

    def nested(
        self,
        span: tree.Span,
        name: str,
        type_: tree.TypeExpression,
        renamings: tuple[tree.Renaming, ...] | None,
        members: tuple[tree.StructureMember, ...] | None,
    ) -> tree.StructureMember:
        return tree.NestedStructure(name, type_, renamings or (), members or (), span)

    def nested_members(
        self, span: tree.Span, members: list[tree.StructureMember] | None = None
    ) -> tuple[tree.StructureMember, ...]:
        return tuple(members or ())

    def implements(
        self,
        span: tree.Span,
        name: str,
        arguments: tuple[tree.TypeExpression, ...],
        over: tree.TypeExpression | None,
        where: tuple[tree.AppliedType, ...] | None,
        members: list[tree.ImplementationMember] | None = None,
    ) -> tree.Declaration:
        return tree.Implements(name, arguments, over, where or (), tuple(members or ()), span)

    def constraints(
        self, span: tree.Span, first: tree.AppliedType, rest: list[tree.AppliedType] | None = None
    ) -> tuple[tree.AppliedType, ...]:
        return (first, *(rest or ()))

    def constraint(
        self, span: tree.Span, name: str, arguments: tuple[tree.TypeExpression, ...]
    ) -> tree.AppliedType:
        return tree.AppliedType(name, arguments, span)

    def element_implementation(
        self, span: tree.Span, name: str, value: tree.Expression
    ) -> tree.ImplementationMember:
        return tree.ElementImplementation(name, value, span)

    def operation_implementation(
        self, span: tree.Span, name: str, parameters: tuple[tree.Parameter, ...] | None, body: tree.Expression
    ) -> tree.ImplementationMember:
        return tree.OperationImplementation(name, parameters or (), body, span)

    def verify_implementation(self, span: tree.Span, name: str) -> tree.ImplementationMember:
        return tree.VerifyImplementation(name, span)

    # ── Data, functions, aliases ─────────────────────────────────────────────────────────────────────────────

    def data(
        self,
        span: tree.Span,
        name: str,
        parameters: tuple[tree.TypeParameter, ...] | None,
        first: tree.Variant,
        rest: list[tree.Variant] | None = None,
    ) -> tree.Declaration:
        return tree.DataDefinition(name, parameters or (), (first, *(rest or ())), span)

    def variant(
        self, span: tree.Span, name: str, fields: tuple[tree.VariantField, ...] | None
    ) -> tree.Variant:
        return tree.Variant(name, fields or (), span)

    def variant_fields(
        self, span: tree.Span, fields: list[tree.VariantField] | None = None
    ) -> tuple[tree.VariantField, ...]:
        return tuple(fields or ())

    def plain_field(self, span: tree.Span, type_: tree.TypeExpression) -> tree.VariantField:
        return tree.VariantField(None, type_, span)

    def named_field(self, span: tree.Span, name: str, type_: tree.TypeExpression) -> tree.VariantField:
        return tree.VariantField(name, type_, span)

    def definition(
        self,
        span: tree.Span,
        measure: tuple[tree.Expression, ...] | None,
        name: str,
        parameters: tuple[tree.Parameter, ...] | None,
        result: tree.TypeExpression | None,
        body: tree.Expression,
    ) -> tree.FunctionDefinition:
        return tree.FunctionDefinition(name, parameters or (), result, body, measure or (), span)

    def measure(
        self, span: tree.Span, first: tree.Expression, rest: list[tree.Expression] | None = None
    ) -> tuple[tree.Expression, ...]:
        return (first, *(rest or ()))

    def parameters(
        self, span: tree.Span, first: tree.Parameter | None, rest: list[tree.Parameter] | None = None
    ) -> tuple[tree.Parameter, ...]:
        return (first, *(rest or ())) if first else ()

    def parameter(self, span: tree.Span, name: str, type_: tree.TypeExpression | None) -> tree.Parameter:
        return tree.Parameter(name, type_, span)

    def alias(
        self,
        span: tree.Span,
        name: str,
        parameters: tuple[tree.TypeParameter, ...] | None,
        type_: tree.TypeExpression,
    ) -> tree.Declaration:
        return tree.AliasDefinition(name, parameters or (), type_, span)

    def lemma(
        self,
        span: tree.Span,
        word: tree.LemmaWord,
        name: str,
        proposition: tree.Expression,
        using: tuple[str, ...] | None,
    ) -> tree.Declaration:
        self.lints.proposition(span)
        return tree.Lemma(word, name, proposition, using, span)

    def grounds(self, span: tree.Span, first: str, rest: list[str] | None = None) -> tuple[str, ...]:
        return (first, *(rest or ()))

    # ── Examples ─────────────────────────────────────────────────────────────────────────────────────────────

    def example(
        self, span: tree.Span, literal: str, statements: list[tree.Statement | None] | None = None
    ) -> tree.Declaration:
        written = [statement for statement in statements or () if statement is not None]
        opened: list[tree.Statement] = []
        for statement in written:
            if _awaits_claim(opened) and isinstance(statement, tree.ExpressionStatement):
                opened[-1] = tree.Assertion("assert", statement.expression, statement.span)
            else:
                opened += _opened(statement)
        return tree.Example(decode(literal), tuple(opened), span)

    def let_statement(
        self,
        span: tree.Span,
        pattern: tree.Pattern,
        type_: tree.TypeExpression | None,
        value: tree.Expression | None,
    ) -> tree.Statement:
        if isinstance(pattern, tree.ConstructorPattern):
            pattern = self.bound_pattern(pattern)
        if not isinstance(pattern, tree.VariablePattern):
            raise TreeError(
                "let-pattern",
                "a `let` statement binds one name",
                "take the value apart with `match`, or with `let (a, b) = … in …`",
                pattern.span,
            )
        if type_ is None and value is None:
            raise TreeError(
                "empty-let",
                f"`let {pattern.name}` has neither a type nor a value",
                f"write `let {pattern.name} = value`, or `let {pattern.name} : type` for any value of a type",
                span,
            )
        return tree.LetStatement(pattern.name, type_, value, span)

    def assertion(self, span: tree.Span, proposition: tree.Expression) -> tree.Statement:
        self.lints.proposition(span)
        return tree.Assertion("assert", proposition, span)

    def assert_disproved(self, span: tree.Span, proposition: tree.Expression) -> tree.Statement:
        self.lints.proposition(span)
        return tree.Assertion("assert_disproved", proposition, span)

    def assert_unknown(self, span: tree.Span, proposition: tree.Expression) -> tree.Statement:
        self.lints.proposition(span)
        return tree.Assertion("assert_unknown", proposition, span)

    def assert_sat(self, span: tree.Span, proposition: tree.Expression) -> tree.Statement:
        self.lints.proposition(span)
        return tree.Assertion("assert_sat", proposition, span)

    def assert_inconsistent(
        self, span: tree.Span, proposition: tree.Expression | None = None
    ) -> tree.Statement:
        self.lints.proposition(span)
        return tree.Assertion("assert_inconsistent", proposition, span)

    def assert_inconsistent_block(
        self, span: tree.Span, propositions: list[tree.Expression] | None = None
    ) -> tree.Statement:
        parts = list(propositions or ())
        if len(parts) > _BLOCK:
            raise TreeError("block-too-long", f"more than {_BLOCK} propositions in one block", "", span)
        while len(parts) > 1:  # pairwise, so that the conjunction is as shallow as it can be
            pairs = zip(parts[::2], parts[1::2], strict=False)
            odd = parts[-1:] if len(parts) % 2 else []
            parts = [tree.Call("logical_and", pair, span) for pair in pairs] + odd
        self.lints.proposition(span)
        return tree.Assertion("assert_inconsistent", parts[0] if parts else None, span)

    def proposition(self, span: tree.Span, expression: tree.Expression) -> tree.Expression:
        return expression

    def expression_statement(self, span: tree.Span, expression: tree.Expression) -> tree.Statement:
        return tree.ExpressionStatement(expression, span)

    def nothing(self, span: tree.Span) -> None:
        return None


def _opened(statement: tree.Statement) -> list[tree.Statement]:
    """``let x = e in s`` as a statement: the binding lasts to the end of the block, and s is the next statement.

    In parentheses it is an expression, whose binding ends with it.
    """
    found: list[tree.Statement] = []
    while isinstance(statement, tree.ExpressionStatement):
        if statement.span.start != statement.expression.span.start:
            break
        match statement.expression:
            case tree.Let(
                pattern=tree.VariablePattern(name=name), type=type_, value=value, body=body, span=span
            ):
                found.append(tree.LetStatement(name, type_, value, span, to_the_end=True))
                statement = _as_statement(body)
                if body.span.end != span.end:  # the body stands in parentheses
                    break
            case _:
                break
    return [*found, statement]


def _awaits_claim(statements: list[tree.Statement]) -> bool:
    """Whether the statements end with ``let x = e in verify``: what it verifies was read as a statement of its own."""
    match statements:
        case [*_, tree.LetStatement(to_the_end=True), tree.ExpressionStatement(tree.Name("verify"))]:
            return True
        case _:
            return False


def _as_statement(expression: tree.Expression) -> tree.Statement:
    """What follows the `in` of a `let`, where the grammar reads an expression."""
    match expression:
        case tree.Call(name="verify", arguments=(proposition,), span=span):
            return tree.Assertion("assert", proposition, span)
        case tree.Call(name=name, arguments=(proposition,), span=span) if name in _ASSERTION_KINDS:
            return tree.Assertion(_ASSERTION_KINDS[name], proposition, span)
        case _:
            return tree.ExpressionStatement(expression, expression.span)
