"""Theory: immutable, incremental, duplicates reported with both places, operators by canonical name."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.syntax.parser.parser import parse_program
from kleis.syntax.tree import (
    Call,
    FunctionDefinition,
    Name,
    OperationDeclaration,
    Parameter,
    Program,
    Structure,
)
from kleis.theory.import_search import search_from
from kleis.theory.loader import Loader
from kleis.theory.name_check.structure_members import Members
from kleis.theory.theory import Theory

EVERYTHING = """
import "elsewhere.kleis"
@library("x")
structure Semigroup(S) {
  operation (•) : S × S → S
  axiom associativity : ∀(x y z : S). (x • y) • z = x • (y • z)
}
structure Monoid(M) extends Semigroup(M) {
  element e : M
  axiom left_identity : ∀(x : M). e • x = x
}
structure Ring(R) {
  structure additive : Monoid(R) with (•) as (+), e as zero { operation (+) : R × R → R }
  operation (×) : R × R → R
  define double(x) = x + x
}
structure Physics {
  element c : ℝ
  operation energy : ℝ → ℝ
  define rest(m) = m * c^2
  axiom positive : c > 0
}
implements Monoid(ℤ) { operation (•)(x, y) = x + y  element e = 0 }
implements Monoid(ℝ) { operation (•)(x, y) = x * y  element e = 1 }
data Lamp = On | Off(level : ℤ)
data Lamp = Bright
data Other = On | Dim
type Pairs(T) = T × T
type Lamp = ℤ
operation (+) : ℝ × ℝ → ℝ
define f(x) = x + 1
define f(x) = x + 2
define (-)(x, y) = x
define rest = 3
example "one" { assert(f(1) = 3) }
example "two" { assert(f(2) = 4) }
"""

ITEMS = parse_program(EVERYTHING, file="all.kleis").items


@given(st.lists(st.integers(0, len(ITEMS)), max_size=6))
def test_any_split_gives_the_same_theory(cuts: list[int]) -> None:
    whole = Theory().extend(ITEMS, file="all.kleis")
    bounds = [0, *sorted(cuts), len(ITEMS)]
    grown = Theory()
    for start, end in itertools.pairwise(bounds):
        grown = grown.extend(ITEMS[start:end], file="all.kleis")
    assert grown == whole
    assert hash(grown) == hash(whole)
    assert grown.problems == whole.problems
    for name in ("definitions", "data", "aliases", "structures", "constants", "constructors"):
        assert dict(getattr(grown, name)) == dict(getattr(whole, name)), name
    assert {name: grown.lookup(name) for name in grown.names} == {
        name: whole.lookup(name) for name in whole.names
    }


@given(st.integers(0, len(ITEMS)), st.integers(0, len(ITEMS) - 1))
def test_adding_leaves_the_theory_as_it_was(size: int, added: int) -> None:
    theory = Theory().extend(ITEMS[:size], file="all.kleis")
    before = (theory.entries, theory.problems, dict(theory.definitions), dict(theory.data), set(theory.names))
    theory.add(ITEMS[added], file="all.kleis")
    after = (theory.entries, theory.problems, dict(theory.definitions), dict(theory.data), set(theory.names))
    assert before == after


def test_a_theory_cannot_be_changed() -> None:
    theory = Theory()
    with pytest.raises(AttributeError, match="never changes"):
        theory.definitions = {}
    with pytest.raises(TypeError):
        theory.definitions["f"] = 1


def test_the_thousandth_declaration_shares_what_the_others_built() -> None:
    theory = Theory()
    for index in range(1000):
        item = FunctionDefinition(f"f{index}", (Parameter("x"),), None, Name("x"))
        theory = theory.add(item)
    grown = theory.add(FunctionDefinition("last", (), None, Name("x")))
    shared = [name for name in theory.definitions if grown.definitions[name] is theory.definitions[name]]
    assert len(shared) == 1000
    assert grown.definitions is not theory.definitions
    assert grown.data is theory.data
    assert grown.structures is theory.structures
    assert grown.constructors is theory.constructors


def theory_of(text: str) -> Theory:
    return Theory().include(parse_program(text, file="t.kleis"))


def problems_of(text: str) -> list[tuple[str, str, int, list[int]]]:
    return [
        (each.severity, each.code, each.line, [place.line for place in each.related])
        for each in theory_of(text).problems
    ]


@pytest.mark.parametrize("spelling", ["plus", "+"])
def test_operators_go_by_symbol_and_by_canonical_name(spelling: str) -> None:
    theory = theory_of("operation (+) : V × V → V\nstructure S(A) { operation plus : A × A → A }")
    assert [each.qualified for each in theory.operations(spelling)] == ["plus", "S::plus"]


@pytest.mark.parametrize("symbol", ["×", "*", "·"])
def test_a_hand_built_declaration_with_a_symbol_is_found_by_its_canonical_name(symbol: str) -> None:
    declared = OperationDeclaration(symbol, theory_of("operation f : A → A").constants["f"])
    theory = Theory().add(declared)
    assert theory.operations("times")[0].node is declared
    assert "times" in theory.constants


def test_what_each_name_stands_for() -> None:
    theory = Theory().extend(ITEMS, file="all.kleis")
    assert {(each.kind, each.qualified) for each in theory.lookup("Lamp")} == {("data type", "Lamp")}
    assert {each.qualified for each in theory.lookup("plus")} == {"plus", "Ring::additive::plus"}
    assert [each.owner for each in theory.lookup("On")] == ["Lamp"]
    assert theory.lookup("Physics::c")[0].kind == "element"
    assert [each.name for each in theory.axioms()] == ["associativity", "left_identity", "positive"]
    assert theory.axioms("positive")[0].place.file == "all.kleis"
    assert [entry.declaration.name for entry in theory.examples] == ["one", "two"]
    assert [each.name for each in theory.implementations] == ["Monoid", "Monoid"]
    assert theory.lookup("nothing") == ()


def test_definitions_of_structures_without_parameters_are_global_and_others_are_not() -> None:
    theory = theory_of(
        "structure P { element c : ℝ define twice(x) = x }\nstructure Q(A) { define only(x) = x }"
    )
    assert set(theory.definitions) == {"twice"}
    assert set(theory.constants) == {"c"}
    assert theory.lookup("Q::only")[0].kind == "definition"


def test_the_last_definition_is_in_force_and_both_places_are_named() -> None:
    text = "define f(x) = 1\n\ndefine f(x) = 2"
    assert problems_of(text) == [("warning", "redefinition", 3, [1])]
    body = theory_of(text).definitions["f"].body
    assert body == parse_program("define f(x) = 2").items[0].body


def test_a_definition_in_a_structure_without_parameters_clashes_with_a_global_one() -> None:
    assert problems_of("define f(x) = 1\nstructure P { define f(x) = 2 }") == [
        ("warning", "redefinition", 2, [1])
    ]
    assert problems_of("define f(x) = 1\nstructure P(A) { define f(x) = 2 }") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("data D = A\nstructure D { }", [("error", "duplicate-declaration", 2, [1])]),
        ("structure S { }\nstructure S { element x : ℝ }", [("error", "duplicate-declaration", 2, [1])]),
        ("type T = ℝ\ndata T = A", [("error", "duplicate-declaration", 2, [1])]),
        ("data D = A\ndata D = A", [("warning", "declared-again", 2, [1])]),
        ("data D = A\ndata E = A", [("error", "duplicate-constructor", 2, [1])]),
        ("operation f : A → A\noperation f : B → B", []),
        ("structure S(A) { element e : A }\nstructure T(A) { element e : A }", []),
        ("operation f : ℝ → ℝ\ndefine f(x) = x", []),
    ],
)
def test_clashes(text: str, expected: list[tuple[str, str, int, list[int]]]) -> None:
    assert problems_of(text) == expected


def test_a_refused_declaration_is_kept_but_answers_for_nothing() -> None:
    theory = theory_of("data D = A\ndata D = B | C")
    assert len(theory) == 2
    assert [variant.name for variant in theory.data["D"].variants] == ["A"]
    assert set(theory.constructors) == {"A", "B", "C"}


def test_files_are_known_for_definitions() -> None:
    theory = Theory().include(Program((FunctionDefinition("f", (), None, Call("g", ())),), "one.kleis"))
    assert theory.file_of("f") == "one.kleis"
    assert theory.file_of("unknown") == "<text>"


def test_the_summary_of_declarations_is_what_a_walk_through_them_gives() -> None:
    text = """
    structure Base(B) { operation op : B × B → B }
    structure Named(N, F) over Field(F) { element e : N }
    structure Heir extends Base(ℤ) { element u : ℤ }
    structure Nest { structure inner : Base(ℤ) { element z : ℤ } }
    structure Alone { element k : ℤ }
    structure Renamed(R) extends Base(R) with op as join { element w : R }
    structure Base(C) { element refused : C }
    operation shown : Opaque → t → ℤ
    operation mapped : ∀(b : Type). b → Other(b)
    data Cell(T) = cell(value : T, mark : Mark)
    data Cell(T) = refused(Refused)
    data Base = alsoRefused
    data Alpha = alpha
    structure Held { operation inside : Inner → Inner  axiom all : ∀(x : Unlisted). x = x }
    """
    theory = theory_of(text)
    structures = list(theory.structures.values())
    assert [each.name for each in theory.summary.structures] == [
        "Base", "Named", "Heir", "Nest", "Alone", "Renamed", "Held",
    ]  # fmt: skip
    assert {*theory.summary.structures} == {*structures}
    assert [each.name for each in theory.summary.sections] == ["Heir", "Nest", "Alone", "Held"]
    assert [*theory.summary.data] == ["Cell", "Alpha"]
    assert {*theory.summary.types} == {"ℤ", "Opaque", "Other", "Type", "Mark", "Refused", "Inner"}
    assert set(theory.summary.carriers) == {each.name for item in structures for each in item.parameters}
    assert "C" not in theory.summary.carriers
    assert [each.name for each in theory.summary.heirs] == ["Heir", "Nest"]
    assert set(theory.summary.renamed) == {"join"}
    assert set(theory_of("").summary.renamed) == set()


@pytest.fixture
def library_theory() -> Theory:
    search = search_from({})
    assert search.library is not None
    loading = Loader(search).load(search.library / "prelude.kleis")
    assert loading.ok
    return loading.theory


def test_the_owners_of_a_member_are_those_that_a_walk_finds(library_theory: Theory) -> None:
    text = """
    structure Base(B) { operation (∘) : B × B → B  axiom same : ∀(b : B). b ∘ b = b }
    structure Other(O) { operation (∘) : O → O  element e : O }
    structure Section { element e : ℤ }
    structure Heir(H) extends Base(H) with (∘) as join { element e : H }
    structure Nest(X) { structure inner : Other(X) with e as unit { element z : X } }
    structure Other(Q) { element refused : Q }
    """
    for theory in (theory_of(text), library_theory):
        members = Members(theory)
        tables = {
            name: members.of(name) or {}
            for name, structure in theory.structures.items()
            if structure.parameters
        }
        for member in {name for table in tables.values() for name in table} | {"refused", "none"}:
            found = [
                each for each in theory.summary.possible_owners(member) if member in (members.of(each) or ())
            ]
            ordered = [
                entry.declaration.name
                for entry in theory.entries
                if isinstance(entry.declaration, Structure)
                and member in tables.get(entry.declaration.name, ())
            ]
            assert found == [*dict.fromkeys(ordered)], member
