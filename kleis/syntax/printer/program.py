"""Tree to text: canonical source that parses back to an equal tree.

See docs/reference/kleis.md §9.1.  ``parse(print(tree)) == tree`` for every tree that the parser can build; names must
be writable where they stand (``Name("if")`` and ``Name("and")`` are not).  Parentheses that the grammar could do
without are written where a reader would otherwise have to think: ``(-x)^2``, ``(¬a) = b``.

With ``ascii=True`` every operator has its ASCII spelling and product types are tuples; names, strings and the
operators that have no other spelling (``⊗``) stay as they are.
"""

from __future__ import annotations

from typing import assert_never

from kleis.budget import deep
from kleis.syntax import tree
from kleis.syntax.printer.expressions import ExpressionPrinter, quote

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

_ONE_LINERS = (
    tree.Import,
    tree.OperationDeclaration,
    tree.AliasDefinition,
    tree.FunctionDefinition,
    tree.Lemma,
    tree.Annotation,
)

_ASSERTIONS = ("assert", "assert_disproved", "assert_unknown", "assert_sat", "assert_inconsistent")

_CONTINUES = ("and", "or", "in")
"""Words that would continue the statement before them."""


@deep()
def print_program(program: tree.Program, *, ascii: bool = False) -> str:
    """All items, with blank lines between them unless both are one-liners of one kind."""
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


@deep()
def print_declaration(declaration: tree.Declaration, *, ascii: bool = False) -> str:
    """One top-level item."""
    return _Printer(ascii=ascii).declaration(declaration)


@deep()
def print_statement(statement: tree.Statement, *, ascii: bool = False) -> str:
    """One statement of an example."""
    return _Printer(ascii=ascii).statement(statement)


@deep()
def print_expression(expression: tree.Expression, *, ascii: bool = False) -> str:
    """One expression."""
    return _Printer(ascii=ascii).expression(expression)


@deep()
def print_pattern(pattern: tree.Pattern, *, ascii: bool = False) -> str:
    """One pattern, as in a case."""
    return _Printer(ascii=ascii).pattern(pattern)


@deep()
def print_type(type_expression: tree.TypeExpression, *, ascii: bool = False) -> str:
    """One type."""
    return _Printer(ascii=ascii).type(type_expression)


def _block(head: str, lines: list[str]) -> str:
    if not lines:
        return f"{head} {{ }}"
    body = "\n".join(lines).replace("\n", "\n    ")
    return f"{head} {{\n    {body}\n}}"


class _Printer(ExpressionPrinter):
    """Writes declarations and statements."""

    def declaration(self, node: tree.Declaration) -> str:
        match node:
            case tree.Import():
                return f"import {quote(node.path)}"
            case tree.Annotation():
                return f"@{node.name}" if node.text is None else f"@{node.name}({node.text})"
            case tree.Structure():
                return self._structure(node)
            case tree.Implements():
                return self._implements(node)
            case tree.DataDefinition():
                return self._data(node)
            case tree.OperationDeclaration() | tree.FunctionDefinition():
                return self.member(node)
            case tree.AliasDefinition():
                return f"type {node.name}{self.parameters(node.parameters)} = {self.type(node.type)}"
            case tree.Lemma():
                using = f" using {', '.join(node.using)}" if node.using is not None else ""
                return f"{node.word} {node.name} : {self.expression(node.proposition)}{using}"
            case tree.Example():
                return self._example(node)
            case _:
                assert_never(node)

    # ── Structures and their models ──────────────────────────────────────────────────────────────────────────

    def _structure(self, node: tree.Structure) -> str:
        head = f"structure {node.name}{self.parameters(node.parameters)}"
        if node.extends is not None:
            head += f" extends {self.type(node.extends)}{self._renamings(node.renamings)}"
        if node.over is not None:
            head += f" over {self.type(node.over)}"
        return _block(head, [self.member(member) for member in node.members])

    def _renamings(self, renamings: tuple[tree.Renaming, ...]) -> str:
        pairs = [f"{self.operator_name(r.old)} as {self.operator_name(r.new)}" for r in renamings]
        return f" with {', '.join(pairs)}" if pairs else ""

    def member(self, node: tree.StructureMember) -> str:
        """A member of a structure; operations and definitions stand at top level too."""
        match node:
            case tree.OperationDeclaration():
                return f"operation {self.operator_name(node.name)} : {self.type(node.type)}"
            case tree.ElementDeclaration():
                return f"element {node.name} : {self.type(node.type)}"
            case tree.Field():
                return f"{node.name} : {self.type(node.type)}"
            case tree.Axiom():
                return f"axiom {node.name} : {self.expression(node.proposition)}"
            case tree.FunctionDefinition():
                return self._definition(node)
            case tree.NestedStructure():
                head = f"structure {node.name} : {self.type(node.type)}{self._renamings(node.renamings)}"
                return _block(head, [self.member(m) for m in node.members]) if node.members else head
            case _:
                assert_never(node)

    def _definition(self, node: tree.FunctionDefinition) -> str:
        measure = ", ".join(self.expression(part) for part in node.decreases)
        head = f"@decreases({measure})\n" if measure else ""
        head += f"define {self.operator_name(node.name)}{self._parameters(node.parameters)}"
        head += f" : {self.type(node.result)}" if node.result is not None else ""
        return self._equation(head, node.body)

    def _parameters(self, parameters: tuple[tree.Parameter, ...]) -> str:
        return "(" + ", ".join(self.parameter(p) for p in parameters) + ")" if parameters else ""

    def _equation(self, head: str, body: tree.Expression) -> str:
        text = self.expression(body)
        if "\n" in text and not text.startswith(("match ", "[")):
            return f"{head} =\n    " + text.replace("\n", "\n    ")
        return f"{head} = {text}"

    def _implements(self, node: tree.Implements) -> str:
        head = f"implements {node.name}({', '.join(self.type(a) for a in node.arguments)})"
        if node.over is not None:
            head += f" over {self.type(node.over)}"
        if node.where:
            head += f" where {', '.join(self.type(constraint) for constraint in node.where)}"
        return _block(head, [self._implementation(member) for member in node.members])

    def _implementation(self, node: tree.ImplementationMember) -> str:
        match node:
            case tree.ElementImplementation():
                return self._equation(f"element {node.name}", node.value)
            case tree.OperationImplementation():
                name = self.operator_name(node.name)
                return self._equation(f"operation {name}{self._parameters(node.parameters)}", node.body)
            case tree.VerifyImplementation():
                return f"verify {node.name}"
            case _:
                assert_never(node)

    # ── Data and examples ────────────────────────────────────────────────────────────────────────────────────

    def _data(self, node: tree.DataDefinition) -> str:
        head = f"data {node.name}{self.parameters(node.parameters)} ="
        variants = [self._variant(variant) for variant in node.variants]
        line = f"{head} {' | '.join(variants)}"
        return line if len(line) <= _LONG else f"{head}\n    " + "\n    | ".join(variants)

    def _variant(self, node: tree.Variant) -> str:
        if not node.fields:
            return node.name
        return f"{node.name}({', '.join(self._field(field) for field in node.fields)})"

    def _field(self, node: tree.VariantField) -> str:
        return self.type(node.type) if node.name is None else f"{node.name} : {self.type(node.type)}"

    def _example(self, node: tree.Example) -> str:
        lines: list[str] = []
        for statement in node.statements:
            text = self.statement(statement)
            if lines and not lines[-1].endswith(" in") and _would_continue(text):
                lines[-1] += ";"
            lines.append(text)
        return _block(f"example {quote(node.name)}", lines)

    def statement(self, node: tree.Statement) -> str:
        match node:
            case tree.LetStatement():
                annotation = f" : {self.type(node.type)}" if node.type is not None else ""
                if node.value is None:
                    return f"let {node.name}{annotation}"
                text = self._equation(f"let {node.name}{annotation}", node.value)
                return f"{text} in" if node.to_the_end else text
            case tree.Assertion():
                if node.proposition is None:
                    return node.kind
                return f"{node.kind}({self.expression(node.proposition)})"
            case tree.ExpressionStatement():
                text = self.expression(node.expression)
                return f"({text})" if text.startswith(("let ", *_ASSERTIONS)) else text
            case _:
                assert_never(node)


def _would_continue(text: str) -> bool:
    """Whether a statement's text would be parsed as part of the statement before it."""
    return text.startswith(("(", "-")) or any(
        text.startswith(word) and not text[len(word) : len(word) + 1].isalnum() for word in _CONTINUES
    )
