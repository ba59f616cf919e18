"""The syntax tree: what the parser builds and everything else reads.

- `expressions`: types, patterns and expressions
- `declarations`: declarations, statements and programs; what the parser returns
- `traversal`: walking a tree, and rebuilding it level by level

Import the nodes from here.  Every node is frozen, hashable, acyclic and slotted; see docs/reference/kleis.md §3.

Invariants
    * `span` takes no part in equality or hashing (all spans are equal), so two trees are equal when they are the same
      program text up to layout: ``parse_expression(print_expression(tree)) == tree``.
    * No tree is higher than `MAXIMUM_NESTING`; the parser rejects deeper text.  Code that recurses over a tree may
      rely on that.
    * Sugar is gone.  Infix, prefix and postfix forms are `Call`s under their canonical name (`a + b` is
      ``Call("plus", (a, b))``, by the table of `kleis.syntax.operators`).  Tuples are calls of `Pair`, `Tuple3`,
      `Tuple4`, `Tuple5`; ``()`` is ``Call("Unit", ())``.  Named arguments of a call are collected into one last
      argument ``record(field("name", value), …)``.  ``Σ(lo, hi, body)`` is ``Call("sum_bounds", (body, lo, hi))``
      (likewise `prod_bounds`, `int_bounds`, `lim`).
    * An operator in parentheses in a declaration, a renaming or an expression has its canonical name too:
      ``operation (+) : …`` declares `plus`; operators without a word keep their symbol (``•``, ``⊗``).
    * A qualified name is ONE string joined with ``::`` (``"Ring::additive::•"``, ``"Monoid::carrier"``);
      `split_name` takes it apart.  ``H.carrier`` in a type is parsed as ``H::carrier``.

Class names are printed by ``kleis show --tree`` and stored by the parse cache.  `kleis.syntax` says what a new node
touches.
"""

from __future__ import annotations

from kleis.syntax.tree.declarations import (
    MAXIMUM_NESTING,
    AliasDefinition,
    Annotation,
    Assertion,
    AssertionKind,
    Axiom,
    DataDefinition,
    Declaration,
    ElementDeclaration,
    ElementImplementation,
    Example,
    ExpressionStatement,
    Field,
    FunctionDefinition,
    ImplementationMember,
    Implements,
    Import,
    LetStatement,
    Lint,
    NestedStructure,
    OperationDeclaration,
    OperationImplementation,
    ParseResult,
    Program,
    Renaming,
    Statement,
    Structure,
    StructureMember,
    Variant,
    VariantField,
    VerifyImplementation,
)
from kleis.syntax.tree.expressions import (
    NO_SPAN,
    TUPLES,
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
    Node,
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
    split_name,
)

__all__ = [
    "MAXIMUM_NESTING",
    "NO_SPAN",
    "TUPLES",
    "AliasDefinition",
    "Annotation",
    "AppliedType",
    "Apply",
    "AsPattern",
    "Ascription",
    "Assertion",
    "AssertionKind",
    "Axiom",
    "Binder",
    "Boolean",
    "Call",
    "Case",
    "Conditional",
    "ConstructorPattern",
    "DataDefinition",
    "Declaration",
    "DimensionOperation",
    "ElementDeclaration",
    "ElementImplementation",
    "Example",
    "Expression",
    "ExpressionStatement",
    "Field",
    "ForAllType",
    "FunctionDefinition",
    "FunctionType",
    "ImplementationMember",
    "Implements",
    "Import",
    "Lambda",
    "Let",
    "LetStatement",
    "Lint",
    "ListLiteral",
    "ListPattern",
    "LiteralPattern",
    "Match",
    "Name",
    "NamedType",
    "NestedStructure",
    "Node",
    "Number",
    "NumberType",
    "OperationDeclaration",
    "OperationImplementation",
    "Parameter",
    "ParseResult",
    "Pattern",
    "ProductType",
    "Program",
    "Quantifier",
    "QuantifierKind",
    "Renaming",
    "Span",
    "Statement",
    "Structure",
    "StructureMember",
    "Text",
    "TypeExpression",
    "TypeParameter",
    "Using",
    "VariablePattern",
    "Variant",
    "VariantField",
    "VerifyImplementation",
    "WildcardPattern",
    "split_name",
]
