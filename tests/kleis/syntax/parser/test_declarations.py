"""How declarations and example blocks are parsed (docs/reference/kleis.md §2), and the extensions."""

from __future__ import annotations

import msgspec
import pytest

from kleis.syntax.parser.parser import parse_expression, parse_program, parse_source, parse_type
from kleis.syntax.printer.program import print_declaration, print_program, print_statement
from kleis.syntax.tree import (
    AliasDefinition,
    Annotation,
    Assertion,
    Axiom,
    DataDefinition,
    Declaration,
    ElementDeclaration,
    Example,
    ExpressionStatement,
    Field,
    FunctionDefinition,
    Implements,
    Import,
    LetStatement,
    NamedType,
    NestedStructure,
    OperationDeclaration,
    OperationImplementation,
    Parameter,
    Program,
    Renaming,
    Statement,
    Structure,
    TypeParameter,
    VariantField,
)


def item(text: str) -> Declaration:
    [only] = parse_program(text).items
    return only


def statements(text: str) -> tuple[Statement, ...]:
    block = item(f'example "x" {{ {text} }}')
    assert isinstance(block, Example)
    return block.statements


def test_structure() -> None:
    tree = item(
        "structure Ring(R, n : Nat m) extends Monoid(R) with (•) as (+), e as zero over Field(F) {\n"
        "operation (×) : R × R → R element one : R w : R axiom a : one × one = one "
        "structure additive : Group(R) with (•) as (+) { element zero : R } structure other : T "
        "define (-)(x, y) = x + negate(y) }"
    )
    assert isinstance(tree, Structure)
    assert tree.parameters == (TypeParameter("R"), TypeParameter("n", NamedType("Nat")), TypeParameter("m"))
    assert tree.extends == parse_type("Monoid(R)")
    assert tree.renamings == (Renaming("•", "plus"), Renaming("e", "zero"))
    assert tree.over == parse_type("Field(F)")
    operation, element, field, axiom, additive, other, define = tree.members
    assert operation == OperationDeclaration("times", parse_type("R × R → R"))
    assert element == ElementDeclaration("one", NamedType("R"))
    assert field == Field("w", NamedType("R"))
    assert isinstance(axiom, Axiom)
    assert isinstance(additive, NestedStructure)
    assert additive.renamings == (Renaming("•", "plus"),)
    assert other == NestedStructure("other", NamedType("T"))
    assert isinstance(define, FunctionDefinition)
    assert define.name == "minus"


def test_fields_may_be_called_like_words_with_a_meaning_elsewhere() -> None:
    tree = item("structure S { axiom a : p\n data : T\n type : U\n with : V\n over : W }")
    assert isinstance(tree, Structure)
    assert [member.name for member in tree.members[1:]] == ["data", "type", "with", "over"]


def test_a_declaration_at_the_start_of_a_line_is_never_an_expression() -> None:
    result = parse_source("structure S {\n  axiom a : x =\n  axiom b : y\n}")
    assert [(error.line, error.found) for error in result.errors] == [(3, "axiom")]


def test_implements() -> None:
    tree = item(
        "implements Field(ℝ) over Ring(ℝ) where A(ℝ), B(ℂ) { element zero = 0 operation (+) = builtin_add "
        "operation inv(x : ℝ) = 1 / x operation g = x + 1 verify assoc }"
    )
    assert isinstance(tree, Implements)
    assert [constraint.name for constraint in tree.where] == ["A", "B"]
    assert [type(member).__name__ for member in tree.members] == [
        "ElementImplementation",
        "OperationImplementation",
        "OperationImplementation",
        "OperationImplementation",
        "VerifyImplementation",
    ]
    assert tree.members[1] == OperationImplementation("plus", (), parse_expression("builtin_add"))


def test_data() -> None:
    tree = item("data Tree(T) = Leaf | Node(left : Tree(T), T, right : Tree(T)) | red")
    assert isinstance(tree, DataDefinition)
    assert tree.variants[1].fields[1] == VariantField(None, NamedType("T"))
    assert [variant.name for variant in tree.variants] == ["Leaf", "Node", "red"]


def test_definitions() -> None:
    assert item("define c = 1") == item("define c() = 1")
    tree = item("@decreases(n, m)\ndefine f(n : ℕ, m) : ℕ = n")
    assert isinstance(tree, FunctionDefinition)
    assert tree.parameters == (Parameter("n", NamedType("ℕ")), Parameter("m"))
    assert tree.result == NamedType("ℕ")
    assert tree.decreases == (parse_expression("n"), parse_expression("m"))
    assert isinstance(item("define then = 3"), FunctionDefinition)


def test_annotations() -> None:
    items = parse_program('@version("1.0")\n@library\n@x(∈ ; (a)) define f = 1').items
    assert items[:3] == (Annotation("version", '"1.0"'), Annotation("library"), Annotation("x", "∈ ; (a)"))
    assert len(items) == 4


def test_aliases_imports_operations() -> None:
    assert item("type V(n : Nat) = Vector(n, ℝ)") == AliasDefinition(
        "V", (TypeParameter("n", NamedType("Nat")),), parse_type("Vector(n, ℝ)")
    )
    assert item('import "a/b.kleis"') == Import("a/b.kleis")
    assert item("operation (⊗) : A → A") == OperationDeclaration("⊗", parse_type("A → A"))


def test_statements() -> None:
    assert statements("let x = 1; let y : ℝ let z : ℝ = 2;; x + y; assert(x = 1);") == (
        LetStatement("x", None, parse_expression("1")),
        LetStatement("y", NamedType("ℝ"), None),
        LetStatement("z", NamedType("ℝ"), parse_expression("2")),
        ExpressionStatement(parse_expression("x + y")),
        Assertion("assert", parse_expression("(x = 1)")),
    )


def test_let_in_as_a_statement() -> None:
    one, two = parse_expression("1"), parse_expression("2")
    bound = LetStatement("x", None, one, to_the_end=True), LetStatement("y", None, two, to_the_end=True)
    assert statements("let x = 1 in let y = 2 in assert(x = y) out(x)") == (
        *bound,
        Assertion("assert", parse_expression("x = y")),
        ExpressionStatement(parse_expression("out(x)")),
    )
    inside = "(let x = 1 in x + 1)"
    assert statements(inside) == (ExpressionStatement(parse_expression(inside)),)
    assert statements("let x = let y = 1 in y let z = 2") == (
        LetStatement("x", None, parse_expression("let y = 1 in y")),
        LetStatement("z", None, parse_expression("2")),
    )


def test_expected_failures() -> None:
    p, both = parse_expression("p"), parse_expression("p ∧ q")
    assert statements(
        "assert_disproved(p) assert_unknown(p) assert_sat(p) assert_inconsistent(p) assert_inconsistent "
        "assert_inconsistent() assert_inconsistent { p; q } assert_inconsistent { }"
    ) == (
        Assertion("assert_disproved", p),
        Assertion("assert_unknown", p),
        Assertion("assert_sat", p),
        Assertion("assert_inconsistent", p),
        Assertion("assert_inconsistent", None),
        Assertion("assert_inconsistent", None),
        Assertion("assert_inconsistent", both),
        Assertion("assert_inconsistent", None),
    )


def test_a_parenthesis_on_a_new_line_starts_a_statement_after_a_call() -> None:
    assert len(statements("f(x)\n(y)")) == 2
    assert len(statements("f(x)(y)")) == 1
    assert len(statements("f\n(x)")) == 1
    assert len(statements("f;\n(x)")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "structure S {\n    w : A\n    element e : A\n    operation (+) : A × A → A\n}",
        "define (⊗)(x, y) = x",
        "define k = 5",
        "data P = P(x : ℝ, y : ℝ)",
        'example "a \\"b\\"" {\n    let x = 1;\n    (x, 2)\n}',
        "@decreases(n)\ndefine r(n) = r(n - 1)",
    ],
)
def test_printed_as_written(text: str) -> None:
    assert print_declaration(item(text)) == text


def test_printed_statements() -> None:
    assert print_statement(statements("assert_inconsistent { p q }")[0]) == "assert_inconsistent(p ∧ q)"


def test_items_print_apart() -> None:
    text = 'import "a"\nimport "b"\n\noperation f : A\noperation g : A\n\nstructure S { }\n\ndefine k = 1\n'
    assert print_program(parse_program(text)) == text


def test_trees_survive_a_binary_cache() -> None:
    """The loader stores trees as MessagePack; tags and types must suffice to read them back, places included."""
    program = parse_program(
        "structure S(T) { axiom a : ∀(x : T). f(x) = match x { A => 1 } }\ndata D = A(Vec(n + 1))"
    )
    stored = msgspec.msgpack.encode(program)
    back = msgspec.msgpack.decode(stored, type=Program)
    assert back == program
    assert msgspec.msgpack.encode(back) == stored
