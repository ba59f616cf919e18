"""The names that a section mentions include every name that its elaborated axioms reach."""

from __future__ import annotations

import pytest

from kleis.syntax.parser.parser import parse_program
from kleis.theory.import_search import ImportSearch, packaged_library
from kleis.theory.loader import Loader
from kleis.theory.name_dependencies import NameDependencies
from kleis.theory.theory import Theory

PROGRAM = """
type Crate = Box
type Pair(A) = A × Widget
data Suit = Hearts | Spades
data Chest = Chest(lock : Key)
operation hidden : ℤ → Suit
operation weigh : Gadget → ℤ
operation only_gadget : Gadget
operation chest_of : ℤ → Chest
define heavy(x) = weigh(only_gadget) > x
define indirectly(x) = heavy(x)
structure Half(T) { operation op : T → T  axiom still : ∀(x : T). op(x) = x }
structure Through_alias { axiom a : ∀(c : Crate). c = c }
structure Through_parameters { axiom a : ∀(p : Pair(ℤ)). p = p }
structure Through_constructor { axiom a : ∀(x : ℤ). Spades = Spades }
structure Through_declared_type { axiom a : hidden(0) = hidden(1) }
structure Through_fields { axiom a : match chest_of(0) { Chest(k) => k = k } }
structure Through_definitions { axiom a : indirectly(3) }
structure Through_renaming extends Half(Item) with op as join { }
structure Through_parent extends Through_renaming { }
structure Through_nested { structure inner : Half(Thing) }
structure Through_qualified { axiom a : Half::op(only_gadget) = only_gadget }
structure Through_builtin { axiom a : arcsin(1) = 1 }
structure Unital(M) { operation (⊛) : M × M → M }
implements Unital(ℤ) { operation (⊛)(x, y) = x + weigh(only_gadget) }
structure Through_implementation { axiom a : 1 ⊛ 2 = 3 }
structure Apart { element lonely : Island }
"""


def _mentions(name: str) -> frozenset[str]:
    theory = Theory().include(parse_program(PROGRAM))
    return NameDependencies(theory).of(theory.structures[name])


@pytest.mark.parametrize(
    ("section", "names"),
    [
        ("Through_alias", {"Box"}),
        ("Through_parameters", {"Widget"}),
        ("Through_constructor", {"Suit"}),
        ("Through_declared_type", {"hidden", "Suit"}),
        ("Through_fields", {"Chest", "Key"}),
        ("Through_definitions", {"indirectly", "heavy", "weigh", "only_gadget", "Gadget"}),
        ("Through_renaming", {"op", "join", "Item"}),
        ("Through_parent", {"op", "join", "Item"}),
        ("Through_nested", {"op", "Thing"}),
        ("Through_qualified", {"Half", "op", "Gadget"}),
        ("Through_builtin", {"asin"}),
        ("Through_implementation", {"⊛", "weigh", "Gadget"}),
        ("Apart", {"lonely", "Island"}),
    ],
)
def test_a_section_mentions_what_it_reaches(section: str, names: set[str]) -> None:
    assert names <= _mentions(section)


def test_a_section_does_not_mention_what_others_speak_of() -> None:
    assert not _mentions("Apart") & {"Gadget", "Suit", "Item", "op", "Box"}


def test_circles_end() -> None:
    program = parse_program(
        "define f(x) = g(x)\ndefine g(x) = f(x)\nstructure S { axiom a : f(1) = 1 }\ntype A = B\ntype B = A"
    )
    theory = Theory().include(program)
    assert {"f", "g"} <= NameDependencies(theory).of(theory.structures["S"])


def test_every_section_of_the_library_mentions_its_own_members() -> None:
    loading = Loader(ImportSearch(library=packaged_library())).load_text('import "algebra.kleis"')
    assert loading.ok
    mentions = NameDependencies(loading.theory)
    for structure in loading.theory.structures.values():
        own = {member.name for member in structure.members if not hasattr(member, "proposition")}
        assert {name for name in own if name.isidentifier() and name.islower()} - {
            member.name for member in structure.members if hasattr(member, "members")
        } <= mentions.of(structure)
