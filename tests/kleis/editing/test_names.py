"""Names of a text: which are local, which global, where they are declared; any text has an answer."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.editing.definitions import declared_at, places_of
from kleis.editing.describe import describe
from kleis.editing.occurrences import Document, Occurrence
from kleis.editing.outline import outline, propositions
from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk
from kleis.theory.theory import Theory

ROOT = Path(__file__).parents[3]
PROGRAMS = sorted(
    [*ROOT.glob("stdlib/kleis/*.kleis"), *ROOT.glob("tests/kleis_programs/**/*.kleis")], key=str
)

TEXT = """// A set with one operation.
structure Magma(M) { operation (•) : M × M → M
  element e : M
  axiom left : ∀(x : M). e • x = x
}
structure Group(G) extends Magma(G) { element f : G  axiom right : ∀(x : G). x • e = x }
data Box(T) = Empty | Full(value : T)
define second(x : ℤ, y) : ℤ = let z = x² in match y { Full(x) => x | other if other = z => (λ (q : ℤ) . q + x)(1) }
@decreases(n)
define down(n : ℕ) = if n = 0 then 2ⁿ else down(n - 1)
lemma one : ∃!(x : ℤ). x = 3
lemma two : ∀(x : ℤ). x = x using one
implements Magma(ℤ) { element e = 0  operation (•)(a, b) = a + b  verify left }
example "a" { let w = 3; assert(w = second(w, Full(x = w))); let w = 4; assert(Magma::e = w) }
"""


def named(document: Document, name: str) -> list[Occurrence]:
    return [each for each in document.occurrences if each.name == name]


def nth(document: Document, name: str, number: int) -> Occurrence:
    return named(document, name)[number]


def test_the_text_of_these_tests_parses() -> None:
    assert Document(TEXT).result.errors == ()


@pytest.mark.parametrize(
    ("name", "bound", "used"),
    [
        ("z", "let z", ["= z"]),
        ("q", "(q : ℤ", ["q + x"]),
        ("n", "(n : ℕ", ["n)\n", "n = 0", "ⁿ", "n - 1"]),
        ("other", "| other", ["other = z"]),
    ],
)
def test_local_names_reach_their_uses(name: str, bound: str, used: list[str]) -> None:
    document = Document(TEXT)
    (start,) = {each.local for each in named(document, name)}
    assert start == TEXT.index(bound) + bound.index(name)
    uses = [each.start for each in named(document, name) if not each.declares]
    assert uses == [TEXT.index(part) + (part.index(name) if name in part else 0) for part in used]


def test_the_innermost_binding_counts() -> None:
    document = Document(TEXT)
    parameter = TEXT.index("x : ℤ, y")
    pattern = TEXT.index("x) => x")
    assert [each.local for each in named(document, "x") if parameter <= each.start < TEXT.index("@")] == [
        parameter,  # itself
        parameter,  # the x of x²
        pattern,
        pattern,
        parameter,  # in the λ
    ]


def test_a_let_of_an_example_reaches_to_the_next() -> None:
    document = Document(TEXT)
    first, second = TEXT.index("w = 3"), TEXT.index("w = 4")
    assert [each.local for each in named(document, "w")] == [first, first, first, first, second, second]


def test_a_label_of_an_argument_is_no_name() -> None:
    document = Document(TEXT)
    assert all(each.start != TEXT.index("x = w)") for each in document.occurrences)


def test_operators_are_names_and_those_of_types_are_not() -> None:
    document = Document('operation (•) : A × A → A\nexample "t" { assert(a • b × c = d) }')
    assert [each.name for each in document.occurrences if not each.name.isalpha()] == ["•", "•"]
    assert [each.name for each in document.occurrences if each.name == "times"] == ["times"]


def test_proofs_are_named_apart() -> None:
    document = Document(TEXT)
    assert {each.space for each in named(document, "left")} == {"proof"}
    assert [each.declares for each in named(document, "left")] == [True, False]
    assert [each.declares for each in named(document, "one")] == [True, False]


def test_members_are_found_from_where_they_are_inherited() -> None:
    document = Document(TEXT)
    theory = Theory().include(document.program)
    for occurrence in named(document, "e"):
        (found,) = declared_at(document, occurrence, [document], theory)
        assert (found.declaration.owner, found.declaration.kind) == ("Magma", "element")


def test_the_nearest_structure_decides() -> None:
    text = (
        "structure A(T) { element e : T }\nstructure B(T) { element e : T  axiom a : e = e }\n"
        'structure C(T) extends B(T) { axiom c : e = e }\nexample "t" { assert(e = e) }\n'
    )
    document = Document(text)
    theory = Theory().include(document.program)
    owners = [
        sorted(each.declaration.owner for each in declared_at(document, occurrence, [document], theory))
        for occurrence in named(document, "e")
    ]
    assert owners == [["A"], ["B"], ["B"], ["B"], ["B"], ["B"], ["A", "B"], ["A", "B"]]


def test_places_of_a_global_name_are_those_of_all_files() -> None:
    one = Document("define f(x) = x\n", "one.kleis")
    other = Document('import "one.kleis"\ndefine g(f) = f\ndefine h(x) = f(x)\n', "other.kleis")
    spots = list(places_of(one, nth(one, "f", 0), [one, other]))
    assert spots == [
        ("one.kleis", 7, 8),
        ("other.kleis", other.text.index("f(x)\n"), other.text.index("(x)\n")),
    ]


def test_a_declaration_is_described_with_the_comment_above() -> None:
    document = Document(TEXT)
    theory = Theory().include(document.program)
    found = nth(document, "Magma", 0)
    (description,) = describe(document, found, declared_at(document, found, [document], theory))
    assert description.code.startswith("structure Magma(M) {")
    assert description.lines == ("structure, <text>:2", "A set with one operation.")
    (local,) = describe(document, nth(document, "q", 1), [])
    assert (local.code, local.lines) == ("q : ℤ", ("parameter",))
    (builtin,) = describe(document, Occurrence(0, 3, "mod"), [])
    assert builtin.code.startswith("mod(")
    assert builtin.lines[0] == "built in"


def test_the_outline_has_members_inside() -> None:
    found = outline(Document(TEXT))
    assert [(each.kind, each.name, [part.name for part in each.inside]) for each in found] == [
        ("structure", "Magma", ["•", "e", "left"]),
        ("structure", "Group", ["f", "right"]),
        ("data type", "Box", ["Empty", "Full"]),
        ("definition", "second", []),
        ("definition", "down", []),
        ("lemma", "one", []),
        ("lemma", "two", []),
        ("implementation", "Magma", []),
        ("example", "a", []),
    ]


def test_keys_of_propositions_change_with_what_they_are_about() -> None:
    before = propositions(Document(TEXT))
    assert [(each.name, each.place) for each in before] == [("one", -1), ("two", -1), ("a", 0), ("a", 1)]

    def keys(text: str) -> list[bool]:
        after = propositions(Document(text))
        return [one.key == other.key for one, other in zip(before, after, strict=True)]

    assert keys(TEXT.replace("{ let w", "{\n  // why\n  let  w")) == [True] * 4
    assert keys(TEXT.replace("let w = 4", "let w = 5")) == [True, True, False, False]
    assert keys(TEXT.replace("element f : G", "element g : G")) == [False] * 4


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_binding_of_a_program_is_found(file: Path) -> None:
    document = Document(file.read_text())
    places = {each.name_start for each in document.scopes}
    # The second variable of ∃! is written nowhere.
    written = [
        node
        for node in walk(*document.program.items)
        if isinstance(node, tree.Binder | tree.Parameter) and node.name in document.tokens.texts
    ]
    assert len(places) >= len({(node.span.start, node.name) for node in written}) * 0.99
    globals_ = [each for each in document.occurrences if each.declares and each.local < 0]
    assert len(globals_) == len(document.declarations)
    starts = [(each.start, each.end) for each in document.occurrences]
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(starts))


_BITS = st.sampled_from(
    ["λ", "∃!", "∀(x : ", "x", "x²", "ⁿ", '"', "/*", "\n", "(", ")", "{", "}", "|", "::", "define ", "structure S(T)",
     "let x = 1 in ", "=", "lemma a : ", " using a", "verify ", "@decreases(", "\ufeff", "😀", "\x00", "\ud800", " "]
)  # fmt: skip


@given(st.lists(_BITS, max_size=30).map("".join))
def test_any_text_has_occurrences_an_outline_and_propositions(text: str) -> None:
    document = Document(text)
    for each in document.occurrences:
        assert 0 <= each.start < each.end <= len(text)
        assert document.at(each.start) is not None
    outline(document)
    propositions(document)
