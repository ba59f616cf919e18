"""Syntax nodes of declarations, statements and programs, and the result of parsing.  Import them from `kleis.syntax.tree`."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from kleis.errors import ParseError
from kleis.syntax.tree.expressions import (
    NO_SPAN,
    AppliedType,
    Expression,
    Node,
    Parameter,
    Span,
    TypeExpression,
    TypeParameter,
)

__all__ = [
    "MAXIMUM_HEIGHT",
    "MAXIMUM_NESTING",
    "AliasDefinition",
    "Annotation",
    "Assertion",
    "AssertionKind",
    "Axiom",
    "DataDefinition",
    "Declaration",
    "ElementDeclaration",
    "ElementImplementation",
    "Example",
    "ExpressionStatement",
    "Field",
    "FunctionDefinition",
    "ImplementationMember",
    "Implements",
    "Import",
    "Lemma",
    "LemmaWord",
    "LetStatement",
    "Lint",
    "NestedStructure",
    "OperationDeclaration",
    "OperationImplementation",
    "ParseResult",
    "Program",
    "Renaming",
    "Statement",
    "Structure",
    "StructureMember",
    "Variant",
    "VariantField",
    "VerifyImplementation",
]

MAXIMUM_HEIGHT = 1_280
"""The levels of the highest tree: room for a chain of a thousand operands."""

MAXIMUM_NESTING = 2 * MAXIMUM_HEIGHT
"""How many brackets stand inside each other at most.  The printer writes up to two a level."""


# ── Declarations ─────────────────────────────────────────────────────────────────────────────────────────────


class Import(Node, frozen=True):
    """``import "path"``"""

    path: str
    span: Span = NO_SPAN


class Annotation(Node, frozen=True):
    """``@name`` or ``@name(text)``; without effect.

    `text` is what stands between the parentheses, verbatim; None without parentheses.  ``@decreases(…)`` is
    not here but on the `FunctionDefinition` that follows it.
    """

    name: str
    text: str | None = None
    span: Span = NO_SPAN


class OperationDeclaration(Node, frozen=True):
    """``operation name : type``, at top level or in a structure."""

    name: str
    type: TypeExpression
    span: Span = NO_SPAN


class ElementDeclaration(Node, frozen=True):
    """``element name : type`` in a structure."""

    name: str
    type: TypeExpression
    span: Span = NO_SPAN


class Field(Node, frozen=True):
    """``name : type`` in a structure."""

    name: str
    type: TypeExpression
    span: Span = NO_SPAN


class Axiom(Node, frozen=True):
    """``axiom name : proposition``"""

    name: str
    proposition: Expression
    span: Span = NO_SPAN


class FunctionDefinition(Node, frozen=True):
    """``define name(parameters) : result = body``, at top level or in a structure.

    A constant has no parameters; ``define c = e`` and ``define c() = e`` are the same.  `decreases` is the
    termination measure of a preceding ``@decreases(…)``, outermost first when it is lexicographic.
    """

    name: str
    parameters: tuple[Parameter, ...]
    result: TypeExpression | None
    body: Expression
    decreases: tuple[Expression, ...] = ()
    span: Span = NO_SPAN


class Renaming(Node, frozen=True):
    """``old as new`` in a ``with`` clause, both canonical: ``(•) as (+)`` is ``Renaming("•", "plus")``."""

    old: str
    new: str
    span: Span = NO_SPAN


class NestedStructure(Node, frozen=True):
    """``structure name : Structure(A) with (•) as (+) { members }`` inside a structure.

    A nested structure has no definitions among its members.
    """

    name: str
    type: TypeExpression
    renamings: tuple[Renaming, ...] = ()
    members: tuple[StructureMember, ...] = ()
    span: Span = NO_SPAN


StructureMember: TypeAlias = (
    OperationDeclaration | ElementDeclaration | Field | Axiom | FunctionDefinition | NestedStructure
)


class Structure(Node, frozen=True):
    """``structure Name(parameters) extends Parent(A) with e as zero over Field(F) { members }``

    `renamings` belong to `extends`.
    """

    name: str
    parameters: tuple[TypeParameter, ...]
    extends: TypeExpression | None
    renamings: tuple[Renaming, ...]
    over: TypeExpression | None
    members: tuple[StructureMember, ...]
    span: Span = NO_SPAN


class ElementImplementation(Node, frozen=True):
    """``element name = value`` in an `Implements`."""

    name: str
    value: Expression
    span: Span = NO_SPAN


class OperationImplementation(Node, frozen=True):
    """``operation name = builtin_f`` (no parameters, body a `Name`) or ``operation name(x, y) = body``."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Expression
    span: Span = NO_SPAN


class VerifyImplementation(Node, frozen=True):
    """``verify axiom_name`` in an `Implements`."""

    name: str
    span: Span = NO_SPAN


ImplementationMember: TypeAlias = ElementImplementation | OperationImplementation | VerifyImplementation


class Implements(Node, frozen=True):
    """``implements Name(arguments) over Field(ℝ) where Other(ℝ), … { members }``"""

    name: str
    arguments: tuple[TypeExpression, ...]
    over: TypeExpression | None
    where: tuple[AppliedType, ...]
    members: tuple[ImplementationMember, ...]
    span: Span = NO_SPAN


class VariantField(Node, frozen=True):
    """A field of a constructor, with its name if written."""

    name: str | None
    type: TypeExpression
    span: Span = NO_SPAN


class Variant(Node, frozen=True):
    """One constructor of a data type."""

    name: str
    fields: tuple[VariantField, ...] = ()
    span: Span = NO_SPAN


class DataDefinition(Node, frozen=True):
    """``data Name(parameters) = Variant | Variant(field : type)``"""

    name: str
    parameters: tuple[TypeParameter, ...]
    variants: tuple[Variant, ...]
    span: Span = NO_SPAN


class AliasDefinition(Node, frozen=True):
    """``type Name(parameters) = type``."""

    name: str
    parameters: tuple[TypeParameter, ...]
    type: TypeExpression
    span: Span = NO_SPAN


LemmaWord: TypeAlias = Literal["lemma", "theorem", "promise"]


class Lemma(Node, frozen=True):
    """``lemma name : proposition using a, b``, or the same with ``theorem``: what is proved, and then used.

    `using` are the earlier lemmas that the proof may use; None where they are not named, and all may serve.
    """

    word: LemmaWord
    name: str
    proposition: Expression
    using: tuple[str, ...] | None = None
    span: Span = NO_SPAN


# ── Example blocks ──────────────────────────────────────────────────────────────────────────────────────────

AssertionKind: TypeAlias = Literal[
    "assert", "assert_disproved", "assert_unknown", "assert_sat", "assert_inconsistent"
]


class LetStatement(Node, frozen=True):
    """``let name : type = value``; at least one of type and value.  Without a value `name` is symbolic.

    `to_the_end`: it was written ``let … in``, which as a statement binds to the end of the block all the same.
    """

    name: str
    type: TypeExpression | None
    value: Expression | None
    span: Span = NO_SPAN
    to_the_end: bool = False


class Assertion(Node, frozen=True):
    """``assert(p)``, ``assert_sat(p)`` (some model has it), and the expected failures ``assert_disproved(p)``,
    ``assert_unknown(p)``, ``assert_inconsistent(p)``.

    Only `assert_inconsistent` may stand without a proposition (``assert_inconsistent`` or
    ``assert_inconsistent()``: the declarations themselves clash; `proposition` is None) or with a block
    (``assert_inconsistent { p; q }``: the propositions clash together; `proposition` is their conjunction).
    """

    kind: AssertionKind
    proposition: Expression | None
    span: Span = NO_SPAN


class ExpressionStatement(Node, frozen=True):
    """An expression evaluated for its effect (``out(…)``)."""

    expression: Expression
    span: Span = NO_SPAN


Statement: TypeAlias = LetStatement | Assertion | ExpressionStatement


class Example(Node, frozen=True):
    """``example "name" { statements }``"""

    name: str
    statements: tuple[Statement, ...]
    span: Span = NO_SPAN


Declaration: TypeAlias = (
    Import
    | Annotation
    | Structure
    | Implements
    | DataDefinition
    | OperationDeclaration
    | FunctionDefinition
    | AliasDefinition
    | Lemma
    | Example
)


class Program(msgspec.Struct, frozen=True, gc=False):
    """The items of one text, in order.  `file` takes part in equality; compare `items` across files."""

    items: tuple[Declaration, ...]
    file: str = "<text>"


# ── What the parser returns ─────────────────────────────────────────────────────────────────────────────────


class Lint(msgspec.Struct, frozen=True, gc=False):
    """A parse that a reader may not expect; never an error.  Lines and columns are 1-based.

    `message` says how the text was parsed, `hint` how to write the other meaning.  `code` is stable.
    """

    code: str
    message: str
    hint: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON values, with ``"severity": "warning"``."""
        return {"severity": "warning", **msgspec.structs.asdict(self)}


class ParseResult(msgspec.Struct, frozen=True):
    """What `parse_source` found: the items that could be read, and all errors and lints in order of place."""

    program: Program
    errors: tuple[ParseError, ...]
    lints: tuple[Lint, ...]

    @property
    def ok(self) -> bool:
        """Whether the whole text was read."""
        return not self.errors
