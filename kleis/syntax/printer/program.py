"""Tree to text: canonical source that parses back to an equal tree.

See docs/reference/kleis.md §9.1.  ``parse(print(tree)) == tree`` for every tree that the parser can build; names must
be writable where they stand (``Name("if")`` and ``Name("and")`` are not).  Parentheses that the grammar could do
without are written where a reader would otherwise have to think: ``(-x)^2``, ``(¬a) = b``.

With ``ascii=True`` every operator has its ASCII spelling and product types are tuples; names, strings and the
operators that have no other spelling (``⊗``) stay as they are.
"""

from __future__ import annotations

from typing import assert_never

from kleis.syntax.printer.expressions import ExpressionPrinter, quote
from kleis.syntax.tree import (
    AliasDefinition,
    Annotation,
    Assertion,
    Axiom,
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
    Program,
    Renaming,
    Statement,
    Structure,
    StructureMember,
    TypeExpression,
    Variant,
    VariantField,
    VerifyImplementation,
)

__all__ = [
    "print_declaration",
    "print_expression",
    "print_pattern",
    "print_program",
    "print_statement",
    "print_type",
]

_LONG = 100
"""Longer data types are broken into lines."""

_ONE_LINERS = (Import, OperationDeclaration, AliasDefinition, FunctionDefinition, Annotation)

_ASSERTIONS = ("assert", "assert_disproved", "assert_unknown", "assert_sat", "assert_inconsistent")

_CONTINUES = ("and", "or", "in")
"""Words that would continue the statement before them."""


def print_program(program: Program, *, ascii: bool = False) -> str:
    """All items, with a blank line between those that are not short and of one kind."""
    printer = _Printer(ascii=ascii)
    parts: list[str] = []
    before: tuple[type, bool] | None = None
    for item in program.items:
        text = printer.declaration(item)
        this = (type(item), isinstance(item, _ONE_LINERS) and "\n" not in text)
        if before is not None:
            parts.append("\n" if before == this and this[1] else "\n\n")
        parts.append(text)
        before = this
    return "".join(parts) + ("\n" if parts else "")


def print_declaration(declaration: Declaration, *, ascii: bool = False) -> str:
    """One top-level item."""
    return _Printer(ascii=ascii).declaration(declaration)


def print_statement(statement: Statement, *, ascii: bool = False) -> str:
    """One statement of an example."""
    return _Printer(ascii=ascii).statement(statement)


def print_expression(expression: Expression, *, ascii: bool = False) -> str:
    """One expression."""
    return _Printer(ascii=ascii).expression(expression)


def print_pattern(pattern: Pattern, *, ascii: bool = False) -> str:
    """One pattern, as in a case."""
    return _Printer(ascii=ascii).pattern(pattern)


def print_type(type_expression: TypeExpression, *, ascii: bool = False) -> str:
    """One type."""
    return _Printer(ascii=ascii).type(type_expression)


def _block(head: str, lines: list[str]) -> str:
    if not lines:
        return f"{head} {{ }}"
    body = "\n".join(lines).replace("\n", "\n    ")
    return f"{head} {{\n    {body}\n}}"


class _Printer(ExpressionPrinter):
    """Writes declarations and statements."""

    def declaration(self, tree: Declaration) -> str:
        match tree:
            case Import():
                return f"import {quote(tree.path)}"
            case Annotation():
                return f"@{tree.name}" if tree.text is None else f"@{tree.name}({tree.text})"
            case Structure():
                return self._structure(tree)
            case Implements():
                return self._implements(tree)
            case DataDefinition():
                return self._data(tree)
            case OperationDeclaration() | FunctionDefinition():
                return self.member(tree)
            case AliasDefinition():
                return f"type {tree.name}{self.parameters(tree.parameters)} = {self.type(tree.type)}"
            case Example():
                return self._example(tree)
            case _:
                assert_never(tree)

    # ── Structures and their models ──────────────────────────────────────────────────────────────────────────

    def _structure(self, tree: Structure) -> str:
        head = f"structure {tree.name}{self.parameters(tree.parameters)}"
        if tree.extends is not None:
            head += f" extends {self.type(tree.extends)}{self._renamings(tree.renamings)}"
        if tree.over is not None:
            head += f" over {self.type(tree.over)}"
        return _block(head, [self.member(member) for member in tree.members])

    def _renamings(self, renamings: tuple[Renaming, ...]) -> str:
        pairs = [f"{self.operator_name(r.old)} as {self.operator_name(r.new)}" for r in renamings]
        return f" with {', '.join(pairs)}" if pairs else ""

    def member(self, tree: StructureMember) -> str:
        """A member of a structure; operations and definitions stand at top level too."""
        match tree:
            case OperationDeclaration():
                return f"operation {self.operator_name(tree.name)} : {self.type(tree.type)}"
            case ElementDeclaration():
                return f"element {tree.name} : {self.type(tree.type)}"
            case Field():
                return f"{tree.name} : {self.type(tree.type)}"
            case Axiom():
                return f"axiom {tree.name} : {self.expression(tree.proposition)}"
            case FunctionDefinition():
                return self._definition(tree)
            case NestedStructure():
                head = f"structure {tree.name} : {self.type(tree.type)}{self._renamings(tree.renamings)}"
                return _block(head, [self.member(m) for m in tree.members]) if tree.members else head
            case _:
                assert_never(tree)

    def _definition(self, tree: FunctionDefinition) -> str:
        measure = ", ".join(self.expression(part) for part in tree.decreases)
        head = f"@decreases({measure})\n" if measure else ""
        head += f"define {self.operator_name(tree.name)}{self._parameters(tree.parameters)}"
        head += f" : {self.type(tree.result)}" if tree.result is not None else ""
        return self._equation(head, tree.body)

    def _parameters(self, parameters: tuple[Parameter, ...]) -> str:
        return "(" + ", ".join(self.parameter(p) for p in parameters) + ")" if parameters else ""

    def _equation(self, head: str, body: Expression) -> str:
        text = self.expression(body)
        if "\n" in text and not text.startswith(("match ", "[")):
            return f"{head} =\n    " + text.replace("\n", "\n    ")
        return f"{head} = {text}"

    def _implements(self, tree: Implements) -> str:
        head = f"implements {tree.name}({', '.join(self.type(a) for a in tree.arguments)})"
        if tree.over is not None:
            head += f" over {self.type(tree.over)}"
        if tree.where:
            head += f" where {', '.join(self.type(constraint) for constraint in tree.where)}"
        return _block(head, [self._implementation(member) for member in tree.members])

    def _implementation(self, tree: ImplementationMember) -> str:
        match tree:
            case ElementImplementation():
                return self._equation(f"element {tree.name}", tree.value)
            case OperationImplementation():
                name = self.operator_name(tree.name)
                return self._equation(f"operation {name}{self._parameters(tree.parameters)}", tree.body)
            case VerifyImplementation():
                return f"verify {tree.name}"
            case _:
                assert_never(tree)

    # ── Data and examples ────────────────────────────────────────────────────────────────────────────────────

    def _data(self, tree: DataDefinition) -> str:
        head = f"data {tree.name}{self.parameters(tree.parameters)} ="
        variants = [self._variant(variant) for variant in tree.variants]
        line = f"{head} {' | '.join(variants)}"
        return line if len(line) <= _LONG else f"{head}\n    " + "\n    | ".join(variants)

    def _variant(self, tree: Variant) -> str:
        if not tree.fields:
            return tree.name
        return f"{tree.name}({', '.join(self._field(field) for field in tree.fields)})"

    def _field(self, tree: VariantField) -> str:
        return self.type(tree.type) if tree.name is None else f"{tree.name} : {self.type(tree.type)}"

    def _example(self, tree: Example) -> str:
        lines: list[str] = []
        for statement in tree.statements:
            text = self.statement(statement)
            if lines and _would_continue(text):
                lines[-1] += ";"
            lines.append(text)
        return _block(f"example {quote(tree.name)}", lines)

    def statement(self, tree: Statement) -> str:
        match tree:
            case LetStatement():
                annotation = f" : {self.type(tree.type)}" if tree.type is not None else ""
                if tree.value is None:
                    return f"let {tree.name}{annotation}"
                return self._equation(f"let {tree.name}{annotation}", tree.value)
            case Assertion():
                if tree.proposition is None:
                    return tree.kind
                return f"{tree.kind}({self.expression(tree.proposition)})"
            case ExpressionStatement():
                text = self.expression(tree.expression)
                return f"({text})" if text.startswith(_ASSERTIONS) else text
            case _:
                assert_never(tree)


def _would_continue(text: str) -> bool:
    """Whether a statement's text would be read as part of the statement before it."""
    return text.startswith(("(", "-")) or any(
        text.startswith(word) and not text[len(word) : len(word) + 1].isalnum() for word in _CONTINUES
    )
