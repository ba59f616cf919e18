"""Structures, sections and implementations in scope: attacks that tests/kleis/elaborate/spec leaves out."""

from __future__ import annotations

import pytest

from kleis.core import DefinitionCall, SymbolCall
from kleis.core.goal import ElaborationError, Goal
from kleis.core.traversal import subterms
from kleis.elaborate.scopes.section_links import names_of_links
from kleis.semantics.ranges import Bounds
from kleis.theory.name_dependencies import NameDependencies
from tests.support.theories.cases import elaborator_of, goal_of, truth_of


def _meaning(program: str, proposition: str) -> Goal:
    return goal_of(elaborator_of(program), proposition)


def _truth(program: str, proposition: str) -> str:
    return truth_of(_meaning(program, proposition), bounds=Bounds(integer=2, natural=3, carrier=2))


def _axioms(meaning: Goal) -> set[str]:
    return {axiom.name.rpartition("::")[2] for axiom in meaning.axioms}


def _structures(meaning: Goal) -> set[str]:
    return {each.structure for each in meaning.instances}


# ── definitions of structures ────────────────────────────────────────────────────────────────────────────────

TWICE = """
structure Step(T) { operation f : T → T  define twice(x : T) : T = f(f(x)) }
structure Both(V) extends Step(V) over Step(F) {
    operation g : V → F
    axiom carried : ∀(v : V). g(twice(v)) = twice(g(v))
}
structure Least(n : Nat, T) { operation size : T → ℕ  define small(x : T) : Bool = size(x) ≤ n }
structure Levels(T) extends Least(2, T) over Least(3, T) { operation other : T → T }
structure Renamed(T) {
    structure left : Step(T) with f as f_left
    structure right : Step(T) with f as f_right
}
"""


def test_a_definition_inherited_at_two_types_is_two_definitions() -> None:
    meaning = _meaning(TWICE, "∀(v : V). g(twice(v)) = twice(g(v))")
    assert meaning.claim is not None
    calls = {each.definition for each in subterms(meaning.claim) if isinstance(each, DefinitionCall)}
    assert len(calls) == 2
    for each in meaning.definitions:
        (parameter,) = each.parameters
        (outer, _inner) = [part for part in subterms(each.body) if isinstance(part, SymbolCall)]
        assert outer.symbol.domain == (parameter.sort,)
    for each in subterms(meaning.claim):
        if isinstance(each, DefinitionCall):
            wanted = meaning.definition(each.definition).parameters[0].sort
            assert each.arguments[0].sort == wanted


def test_a_definition_inherited_under_two_renamings_is_two_definitions() -> None:
    assert _truth(TWICE, "using Renamed (∀(x : T). left::twice(x) = right::twice(x))") == "false"
    assert _truth(TWICE, "using Renamed (∀(x : T). left::twice(x) = f_left(f_left(x)))") == "true"


# ── sections ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_sections_that_declare_the_same_built_in_are_not_linked() -> None:
    program = """
    structure Sound { operation (+) : ℤ × ℤ → ℤ  element a : ℤ  axiom one : a + 1 = 2 }
    structure Absurd { operation (+) : ℤ × ℤ → ℤ  element b : ℤ  axiom never : b ≠ b }
    """
    meaning = _meaning(program, "a = 1")
    assert _axioms(meaning) == {"one"}


@pytest.mark.parametrize(
    ("program", "proposition", "axiom"),
    [
        (
            "type W = Widget\nstructure S { axiom all : ∀(x y : W). x = y }\nstructure T { element v : Widget }",
            "∀(x : Widget). x = v",
            "all",
        ),
        (
            "data Suit = Hearts | Spades\noperation hidden : ℤ → Suit\n"
            "structure S { axiom heart : hidden(0) = Hearts }",
            "∀(s : Suit). s = Spades",
            "heart",
        ),
        (
            "operation f : Widget → ℤ\noperation w : Widget\nstructure S { axiom three : f(w) = 3 }",
            "∀(x : Widget). x = x",
            "three",
        ),
        (
            "structure Base(T) { operation op : T → T  axiom still : ∀(x : T). op(x) = x }\n"
            "structure S extends Base(Item) with op as join { }\n"
            "operation join : Item → Item\nstructure T { element it : Item }",
            "join(it) = it",
            "still",
        ),
        (
            "structure S { element x1 : ℝ  axiom first : asin(x1) = 1 }\n"
            "structure T { element x2 : ℝ  axiom second : arcsin(x2) = 1 }",
            "asin(x1) = 2",
            "second",
        ),
    ],
    ids=["alias", "constructor", "declared type", "renaming", "other spelling of a built-in"],
)
def test_no_link_is_overlooked(program: str, proposition: str, axiom: str) -> None:
    assert axiom in _axioms(_meaning(program, proposition))


def test_a_broken_section_spoils_nothing_that_is_not_linked_to_it() -> None:
    program = """
    structure Whole { operation weight : Item → ℤ  element box : Item  axiom heavy : weight(box) = 9 }
    structure Broken { operation weight : Other → ℤ  element thing : Other  axiom bad : weight(thing) + true = 2 }
    """
    assert _axioms(_meaning(program, "weight(box) = 9")) == {"heavy"}
    with pytest.raises(ElaborationError):
        _meaning(program, "weight(thing) = 9")


SECTIONS = """
data Suit = Hearts | Spades
type Crate = Box
data Chest = Chest(lock : Key)
operation hidden : ℤ → Suit
operation chest_of : ℤ → Chest
define first_chest(x) = chest_of(x)
structure Half(T) { operation op : T → T  axiom still : ∀(x : T). op(x) = x }
structure A { axiom a : ∀(c : Crate). c = c }
structure B { axiom b : hidden(0) = Hearts }
structure C extends Half(Item) with op as join { }
structure D { axiom d : match first_chest(0) { Chest(k) => k = k } }
structure E { axiom e : sin(1) < arcsin(1) }
structure F extends C { structure inner : Half(Key) }
"""


def test_every_link_of_a_section_is_mentioned_by_its_text() -> None:
    elaborator = elaborator_of(SECTIONS)
    mentions = NameDependencies(elaborator.theory)
    for name, structure in elaborator.sections().items():
        links = elaborator.section_links(name)
        assert links
        assert names_of_links(links) <= mentions.of(structure)


def test_later_questions_look_up_the_sections_that_earlier_ones_walked_through() -> None:
    elaborator = elaborator_of(SECTIONS)
    mentions = NameDependencies(elaborator.theory)
    for name in elaborator.sections():
        names = names_of_links(elaborator.section_links(name))
        fresh = NameDependencies(elaborator.theory).sections_with(names)
        for _ in range(3):
            assert mentions.sections_with(names) == fresh
        assert name in [each for _, each in fresh]
        assert fresh == sorted(fresh)


# ── built-ins that are declared ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("declaration", "proposition"),
    [
        ("operation length : List(ℤ) → ℕ", "∀(l : List(ℤ)). length(Cons(1, l)) = length(l) + 1"),
        ("operation length : List(T) → ℕ", "length([1]) = 1"),
        ("operation head : List(T) → T", "head([1]) = 1"),
        ("operation abs : ℤ → ℤ", "abs(-3) = 3"),
        ("operation sin : ℝ → ℝ", "sin(0) = sin(0)"),
        ("operation (∧) : Bool × Bool → Bool", "∀(a b : Bool). a ∧ b → a"),
    ],
)
def test_a_declaration_that_names_a_built_in_is_that_built_in(declaration: str, proposition: str) -> None:
    meaning = _meaning(declaration, proposition)
    assert not meaning.symbols
    inside = f"structure S {{ {declaration} }}"
    if "(T)" not in declaration:
        assert not _meaning(inside, proposition).symbols


# ── implementations ──────────────────────────────────────────────────────────────────────────────────────────

OVER = """
structure Scalars(F) { operation scale : F × F → F }
structure Vectors(V) over Scalars(F) {
    operation act : F × V → V
    axiom mixed : ∀(a b : F, v : V). act(a, act(b, v)) = act(scale(a, b), v)
}
implements Scalars(ℚ) { operation scale(x, y) = x * y }
implements Vectors(ℝ) over Scalars(ℚ) { operation act(a, v) = a * v }
"""


def test_over_of_an_implementation_says_what_the_scalars_are() -> None:
    meaning = _meaning(OVER, "∀(a : ℚ, v : ℝ). act(a, v) = a * v")
    assert any(each.name.endswith("mixed") for each in meaning.obligations)


def test_an_implementation_without_one_of_its_operations_gives_the_others() -> None:
    program = """
    structure Pairing(M) { operation join : M × M → M  operation away : M → M }
    implements Pairing(ℤ) { operation join(x, y) = x + y }
    """
    assert _truth(program, "∀(x : ℤ). join(x, 1) = x + 1") == "true"
    assert _truth(program, "∀(x : ℤ). away(x) = x") == "false"


# ── carriers and resolution ──────────────────────────────────────────────────────────────────────────────────

MAPS = """
structure Maps(P, Q) { operation image : P → Q }
structure Scalars(F) { operation scale : F × F → F }
structure Vectors(V) over Scalars(F) { operation act : F × V → V }
"""


def test_one_name_may_stand_for_two_parameters() -> None:
    assert _truth(MAPS, "∀(x : T). image(image(x)) = x") == "false"


def test_names_may_stand_for_the_parameters_of_over() -> None:
    assert _structures(_meaning(MAPS, "∀(a : K, v : W). act(a, v) = v")) == {"Vectors", "Scalars"}


def test_a_name_of_a_structure_before_a_global_one_of_another_sort() -> None:
    program = """
    define unit = 2
    structure Marked(M) {
        operation (•) : M × M → M
        element unit : M
        axiom left : ∀(x : M). unit • x = x
    }
    """
    for proposition in ("∀(x : M). unit = x → x • x = x", "∀(x : M). x = unit → x • x = x"):
        assert _truth(program, proposition) == "true"
    assert _truth(program, "unit = 2") == "true"


def test_inheritance_that_meets_again_and_again_is_read_once() -> None:
    lines = ["structure S0(T) { operation f : T → T  axiom still : ∀(x : T). f(x) = x }"]
    lines += [
        f"structure S{k}(T) extends S{k - 1}(T) over S{k - 1}(T) {{ operation g{k} : T → T }}"
        for k in range(1, 41)
    ]
    meaning = _meaning("\n".join(lines), "using S40 (∀(x : T). g40(f(x)) = g40(x))")
    assert len(meaning.instances) == 41
    assert _axioms(meaning) == {"still"}


def test_a_long_chain_of_parents_is_no_circle() -> None:
    lines = ["structure S0(T) { operation f : T → T }"]
    lines += [f"structure S{k}(T) extends S{k - 1}(T) {{ }}" for k in range(1, 301)]
    assert len(_meaning("\n".join(lines), "using S300 (∀(x : T). f(x) = x)").instances) == 301


def test_a_circle_of_parents_is_refused_where_it_matters() -> None:
    program = "structure X(T) extends Y(T) { operation a : T → T }\nstructure Y(T) extends X(T) { }"
    with pytest.raises(ElaborationError) as caught:
        _meaning(program, "∀(x : T). a(x) = x")
    assert caught.value.code == "inheritance-cycle"
    assert _truth(program, "1 = 1") == "true"


def test_a_number_of_a_structure_is_a_term() -> None:
    program = """
    structure Sized(n : Nat, T) { operation size : T → ℕ  axiom bounded : ∀(x : T). size(x) ≤ n }
    """
    assert _truth(program, "using Sized(3, ℤ) (∀(x : ℤ). size(x) ≤ 3)") == "true"
    assert _truth(program, "using Sized (∀(x : T). size(x) ≤ n ∧ n ≥ 0)") == "true"


def test_the_second_declaration_of_a_data_type_is_refused_with_its_constructors() -> None:
    program = "data D = First | Last\ndata D = Other"
    with pytest.raises(ElaborationError):
        _meaning(program, "Other = Other")


def test_an_applied_name_that_is_declared_nowhere_is_told() -> None:
    meaning = _meaning("operation area : Vec(3) → ℝ", "∀(v : Vex(3)). v = v")
    assert any("Vex" in each.message and "Vec" in each.hint for each in meaning.warnings)


@pytest.mark.parametrize("size", ["n", "n + 1"])
def test_a_type_whose_size_is_a_bound_variable_is_refused(size: str) -> None:
    """As a carrier it would never be empty, and Fin(0) is."""
    with pytest.raises(ElaborationError) as refused:
        _meaning("", f"∀(n : ℕ). ∃(x : Fin({size})). x = x")
    assert refused.value.code == "dependent-type"
    assert "i < n" in refused.value.hint


def test_an_opaque_sort_of_a_data_type_is_declared() -> None:
    assert not _meaning("data Box = Box(Widget)", "∀(w : Widget). Box(w) = Box(w)").warnings
