"""The abstract syntax of Kleis: what the parser builds and everything else reads.

Specification: kleis-language.md §3 (OURS).  Every node is frozen, hashable, acyclic and slotted.

Invariants
    * `span` never takes part in equality or hashing (all spans are equal), so two trees are equal when they
      mean the same program text up to layout: ``parse_expression(print_expression(tree)) == tree``.
    * No tree is higher than `MAXIMUM_NESTING`; the parser refuses deeper text.  Code that recurses over a tree
      may rely on that.
    * Sugar is gone.  Infix, prefix and postfix forms are `Call`s under their canonical name (`a + b` is
      ``Call("plus", (a, b))``; kleis/syntax/operators.py holds the table).  Tuples are calls of `Pair`, `Tuple3`,
      `Tuple4`, `Tuple5`; ``()`` is ``Call("Unit", ())``.  Named arguments of a call are collected into one last
      argument ``record(field("name", value), …)``.  ``Σ(lo, hi, body)`` is ``Call("sum_bounds", (body, lo, hi))``
      (likewise `prod_bounds`, `int_bounds`, `lim`).
    * An operator in parentheses in a declaration, a renaming or an expression has its canonical name too:
      ``operation (+) : …`` declares `plus`; operators without a word keep their symbol (``•``, ``⊗``).
    * A qualified name is ONE string joined with ``::`` (``"Ring::additive::•"``, ``"Monoid::carrier"``);
      `split_name` takes it apart.  ``H.carrier`` in a type is read as ``H::carrier``.

The functions over this syntax (each in its own module, so that importing the tree costs nothing):

    kleis.syntax.parser.parser
        parse_source(text: str, *, file: str = "<text>") -> ParseResult
            Never raises on bad text: `program` holds every item that could be read, `errors` every mistake of
            the file in order of place, `lints` the readings a person may not expect.
        parse_program(text: str, *, file: str = "<text>") -> Program
            The program, or the first `ParseError`, whose `others` are the remaining ones.
        parse_expression(text: str, *, file: str = "<text>") -> Expression
        parse_type(text: str, *, file: str = "<text>") -> TypeExpression
            One expression (a proposition is an expression), one type; else `ParseError`.
    kleis.syntax.printer.program
        print_program(program: Program, *, ascii: bool = False) -> str
        print_declaration(declaration: Declaration, *, ascii: bool = False) -> str
        print_statement(statement: Statement, *, ascii: bool = False) -> str
        print_expression(expression: Expression, *, ascii: bool = False) -> str
        print_pattern(pattern: Pattern, *, ascii: bool = False) -> str
        print_type(type_expression: TypeExpression, *, ascii: bool = False) -> str
            Canonical text that parses back to an equal tree.
    kleis.syntax.printer.formatter
        format_source(text: str, *, ascii: bool = False, file: str = "<text>") -> str
            Layout and spelling only (`kleis fmt`): comments and parentheses stay; raises `ParseError`.
    kleis.syntax.tree.traversal
        children(node: Node) -> Iterator[Node], walk(*roots: Node) -> Iterator[Node]
            Without recursion, in the order of the text.
"""

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

MAXIMUM_NESTING = 256


# ── Members of structures, and definitions (§2.2, §2.5, §2.6) ────────────────────────────────────────────────


class Import(Node, frozen=True):
    """``import "path"``"""

    path: str
    span: Span = NO_SPAN


class Annotation(Node, frozen=True):
    """``@name`` or ``@name(text)``; without effect, kept for whoever wants it.

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


# ── Example blocks (§2.7) ────────────────────────────────────────────────────────────────────────────────────

AssertionKind: TypeAlias = Literal[
    "assert", "assert_disproved", "assert_unknown", "assert_sat", "assert_inconsistent"
]


class LetStatement(Node, frozen=True):
    """``let name : type = value``; at least one of type and value.  Without a value `name` is symbolic."""

    name: str
    type: TypeExpression | None
    value: Expression | None
    span: Span = NO_SPAN


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
    | Example
)


class Program(msgspec.Struct, frozen=True, gc=False):
    """The items of one text, in order.  `file` takes part in equality; compare `items` across files."""

    items: tuple[Declaration, ...]
    file: str = "<text>"


# ── What the parser hands back ───────────────────────────────────────────────────────────────────────────────


class Lint(msgspec.Struct, frozen=True, gc=False):
    """A reading that a person may not expect; never an error.  Lines and columns are 1-based.

    `message` says which reading was taken, `hint` how to write the other one.  `code` is stable.
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
