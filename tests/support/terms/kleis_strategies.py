"""Hypothesis strategies for Kleis: trees that the parser can build, random tokens, and broken programs."""

from __future__ import annotations

from hypothesis import strategies as st

from kleis.syntax.operators import BINARY, POSTFIX, PREFIX
from kleis.syntax.tree import (
    AliasDefinition,
    Annotation,
    AppliedType,
    Apply,
    Ascription,
    AsPattern,
    Assertion,
    Axiom,
    Binder,
    Boolean,
    Call,
    Case,
    Conditional,
    ConstructorPattern,
    DataDefinition,
    DimensionOperation,
    ElementDeclaration,
    ElementImplementation,
    Example,
    Expression,
    ExpressionStatement,
    Field,
    ForAllType,
    FunctionDefinition,
    FunctionType,
    Implements,
    Import,
    Lambda,
    Let,
    LetStatement,
    ListLiteral,
    ListPattern,
    LiteralPattern,
    Match,
    Name,
    NamedType,
    NestedStructure,
    Number,
    NumberType,
    OperationDeclaration,
    OperationImplementation,
    Parameter,
    Pattern,
    ProductType,
    Program,
    Quantifier,
    Renaming,
    Structure,
    Text,
    TypeExpression,
    TypeParameter,
    Using,
    VariablePattern,
    Variant,
    VariantField,
    VerifyImplementation,
    WildcardPattern,
)

PLAIN = ["x", "y", "f", "g2", "α", "Δx", "x₁", "_tmp", "ℝ", "x²", "carrier", "builtin_add", "lim", "λ₁"]
CONTEXTUAL = [
    "in",
    "then",
    "else",
    "where",
    "as",
    "data",
    "type",
    "over",
    "with",
    "using",
    "and",
    "or",
    "element",
]
"""Words with a meaning somewhere that are names elsewhere."""

plain_names = st.sampled_from(["x", "y", "f", "g2", "α", "Δx", "x₁", "_tmp", "carrier", "data", "type"])
names = st.sampled_from(PLAIN + CONTEXTUAL)
upper_names = st.sampled_from(["None", "Some", "Cons", "Δ", "Big_1"])
operator_names = st.sampled_from([*sorted(BINARY), "logical_not"])
declared_names = plain_names | operator_names
value_names = (
    names | upper_names | operator_names | st.sampled_from(["S::op", "Ring::additive::•", "S::plus"])
)


def many(elements: st.SearchStrategy, low: int = 0, high: int = 3) -> st.SearchStrategy:
    return st.lists(elements, min_size=low, max_size=high).map(tuple)


# ── Types ────────────────────────────────────────────────────────────────────────────────────────────────────

type_names = st.sampled_from(["T", "ℝ", "Matrix", "n", "data", "H::carrier"])

type_leaves = st.builds(NamedType, type_names) | st.builds(NumberType, st.integers(0, 99))


def _types(inner: st.SearchStrategy, arguments: st.SearchStrategy) -> st.SearchStrategy:
    variables = many(st.builds(TypeParameter, plain_names, type_leaves), 1, 2)
    return (
        st.builds(AppliedType, type_names, many(arguments))
        | st.builds(FunctionType, inner, inner)
        | st.builds(ProductType, many(inner, 2))
        | st.builds(ForAllType, variables, inner)
        | st.builds(DimensionOperation, st.sampled_from(["min", "max", "gcd", "lcm"]), many(arguments))
    )


def _arguments(inner: st.SearchStrategy) -> st.SearchStrategy:
    pair = st.tuples(inner, inner)
    return _types(inner, inner) | st.builds(DimensionOperation, st.sampled_from("+-*/^"), pair)


type_arguments: st.SearchStrategy[TypeExpression] = st.recursive(type_leaves, _arguments, max_leaves=4)
types: st.SearchStrategy[TypeExpression] = st.recursive(
    type_leaves, lambda inner: _types(inner, type_arguments), max_leaves=5
)
type_parameters = many(st.builds(TypeParameter, plain_names, st.none() | types), 0, 2)

# ── Patterns and expressions ─────────────────────────────────────────────────────────────────────────────────

numbers = st.builds(Number, st.from_regex(r"\A(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?\Z"))
texts = st.builds(
    Text, st.text(st.characters(codec="utf-8"), max_size=8) | st.sampled_from(['"', "\\", "\n\t\\n"])
)
booleans = st.builds(Boolean, st.booleans())
literals = numbers | texts | booleans
variable_patterns = st.builds(VariablePattern, names.filter(lambda name: not name[0].isupper()))


def _patterns(inner: st.SearchStrategy) -> st.SearchStrategy:
    constructors = upper_names | st.sampled_from(["Pair", "Tuple3", "Unit", "red"])
    return (
        st.builds(ConstructorPattern, constructors, many(inner))
        | st.builds(ListPattern, many(inner))
        | st.builds(AsPattern, inner, names)
    )


patterns: st.SearchStrategy[Pattern] = st.recursive(
    variable_patterns | st.builds(WildcardPattern) | st.builds(LiteralPattern, literals),
    _patterns,
    max_leaves=5,
)
bound_patterns = patterns | st.builds(VariablePattern, upper_names)
binders = many(st.builds(Binder, names, types), 1, 3)
lambda_parameters = many(st.builds(Parameter, names, st.none() | types), 1, 2)
parameters = many(st.builds(Parameter, names, st.none() | types), 0, 2)


def _record(fields: list[tuple[str, Expression]]) -> Expression:
    return Call("record", tuple(Call("field", (Text(name), value)) for name, value in fields))


def _expressions(inner: st.SearchStrategy) -> st.SearchStrategy:
    pairs = st.tuples(inner, inner)
    single = st.tuples(inner)
    sign_names = st.sampled_from(sorted(PREFIX) + sorted(POSTFIX))
    records = st.lists(st.tuples(st.sampled_from(["color", "data", "and"]), inner), max_size=2).map(_record)
    special = st.sampled_from(
        ["sum_bounds", "int_bounds", "lim", "Pair", "Tuple3", "Unit", "field", "record"]
    )
    cases = many(st.builds(Case, patterns, st.none() | inner, inner), 1, 3)
    functions = inner.filter(lambda tree: not isinstance(tree, Name))
    structures = st.builds(NamedType, type_names) | st.builds(AppliedType, type_names, many(type_arguments))
    return st.one_of(
        st.builds(Call, st.sampled_from(sorted(BINARY)), pairs),
        st.builds(Call, st.sampled_from(sorted(BINARY)), pairs),
        st.builds(Call, sign_names, single),
        st.builds(Call, value_names, many(inner)),
        st.builds(
            Call, value_names, st.builds(lambda first, last: (*first, last), many(inner, 0, 1), records)
        ),
        st.builds(Call, special, many(inner, 0, 4)),
        st.builds(Apply, functions, many(inner)),
        st.builds(ListLiteral, many(inner)),
        st.builds(Quantifier, st.sampled_from(["forall", "exists"]), binders, st.none() | inner, inner),
        st.builds(Conditional, inner, inner, inner),
        st.builds(Let, bound_patterns, st.none() | types, inner, inner),
        st.builds(Lambda, lambda_parameters, inner),
        st.builds(Match, inner, cases),
        st.builds(Ascription, inner, types),
        st.builds(Using, structures, inner),
    )


expressions: st.SearchStrategy[Expression] = st.recursive(
    literals | st.builds(Name, value_names.filter(lambda name: name not in ("and", "or"))),
    _expressions,
    max_leaves=10,
)

# ── Declarations ─────────────────────────────────────────────────────────────────────────────────────────────

renamings = many(st.builds(Renaming, declared_names, declared_names), 0, 2)
operations = st.builds(OperationDeclaration, declared_names, types)
definitions = st.builds(
    FunctionDefinition, declared_names, parameters, st.none() | types, expressions, many(expressions, 0, 2)
)
_leaf_members = (
    operations
    | st.builds(ElementDeclaration, plain_names, types)
    | st.builds(Field, plain_names, types)
    | st.builds(Axiom, plain_names, expressions)
)
_nested_members = st.recursive(
    _leaf_members,
    lambda inner: st.builds(NestedStructure, plain_names, types, renamings, many(inner)),
    max_leaves=4,
)
members = _nested_members | definitions
structures = st.builds(
    lambda name, params, extends, renamings, over, members: Structure(
        name, params, extends, renamings if extends is not None else (), over, members
    ),
    upper_names, type_parameters, st.none() | types, renamings, st.none() | types, many(members),
)  # fmt: skip
implementation_members = (
    st.builds(ElementImplementation, plain_names, expressions)
    | st.builds(OperationImplementation, declared_names, parameters, expressions)
    | st.builds(VerifyImplementation, plain_names)
)
implementations = st.builds(
    Implements,
    upper_names,
    many(type_arguments),
    st.none() | types,
    many(st.builds(AppliedType, upper_names, many(type_arguments)), 0, 2),
    many(implementation_members),
)
variants = st.builds(
    Variant, upper_names | plain_names, many(st.builds(VariantField, st.none() | plain_names, types))
)
statements = (
    st.builds(LetStatement, names | upper_names, types, st.none())
    | st.builds(LetStatement, names | upper_names, st.none() | types, expressions)
    | st.builds(
        Assertion,
        st.sampled_from(["assert", "assert_disproved", "assert_unknown", "assert_sat"]),
        expressions,
    )
    | st.builds(Assertion, st.just("assert_inconsistent"), st.none() | expressions)
    | st.builds(ExpressionStatement, expressions)
)
strings = st.text(st.characters(codec="utf-8"), max_size=6)
annotation_texts = st.none() | st.sampled_from(["", '"1.0"', "a (b) ∈ 'c", '") (", x'])
declarations = st.one_of(
    st.builds(Import, strings),
    st.builds(Annotation, plain_names, annotation_texts),
    structures,
    implementations,
    st.builds(DataDefinition, upper_names, type_parameters, many(variants, 1, 3)),
    operations,
    definitions,
    st.builds(AliasDefinition, upper_names, type_parameters, types),
    st.builds(Example, strings, many(statements, 0, 4)),
)
programs = st.builds(Program, many(declarations, 0, 4))
