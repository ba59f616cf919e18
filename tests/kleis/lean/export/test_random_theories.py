"""Random theories: exported files pass the checker, names are injective, statements are true exactly where Kleis says
so.
"""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kleis.core import BOOL, Carrier, Symbol, Term
from kleis.core.goal import Axiom, Goal
from kleis.core.traversal import subterms
from kleis.lean import check_emitted
from kleis.lean.export.export import export_goal, export_lean
from kleis.lean.export.terms.lean_names import Names
from kleis.lean.language.lean_parser import parse_file
from kleis.lean.language.lean_tree import Theorem
from kleis.problems import Place
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds, Element, Function
from kleis.semantics.truth import TRUE
from kleis.syntax.parser.parser import parse_program
from kleis.theory.theory import Theory
from tests.support.terms.lean_statements import holds
from tests.support.theories.algebra import G
from tests.support.theories.random_theories import equations, formulas

NOWHERE = Place("<test>", 1, 1)


def goal_of(claim: Term, axioms: tuple[Term, ...] = ()) -> Goal:
    terms = (claim, *axioms)
    symbols = dict.fromkeys(
        each.symbol for term in terms for each in subterms(term) if hasattr(each, "symbol")
    )
    named = tuple(Axiom(f"T::law{place}", each, "axiom", NOWHERE) for place, each in enumerate(axioms))
    return Goal(claim=claim, carriers=(G,), symbols=tuple(symbols), axioms=named)


@given(formulas(), st.lists(st.one_of(formulas(), equations()), max_size=2))
def test_every_file_passes_the_checker(claim: Term, axioms: list[Term]) -> None:
    file = export_goal(goal_of(claim, tuple(axioms)))
    assert check_emitted(file.text) == ()
    assert len({each.lean for each in file.names}) == len(file.names)


def _tables(symbols: tuple[Symbol, ...], size: int, seed: int) -> dict[Symbol, dict[tuple[Any, ...], Any]]:
    """Random tables: the values of carriers are numbers."""
    random = Random(seed)

    def values(sort: object) -> tuple[Any, ...]:
        return (False, True) if sort == BOOL else tuple(range(size))

    return {
        symbol: {
            given: random.choice(values(symbol.codomain)) for given in product(*map(values, symbol.domain))
        }
        for symbol in symbols
    }


@given(formulas(), st.integers(1, 3), st.integers(0, 10_000))
def test_a_statement_holds_in_a_model_exactly_if_kleis_says_so(claim: Term, size: int, seed: int) -> None:
    meaning = goal_of(claim)
    tables = _tables(meaning.symbols, size, seed)

    functions = {
        symbol: Function(symbol.name, symbol.domain, _interpreted(table), total=True)
        for symbol, table in tables.items()
    }
    evaluator = evaluator_of(meaning, Model({G: size}, functions), Bounds(carrier=size), "relativised")
    expected = evaluator.truth(claim) is TRUE
    file = export_goal(meaning)
    theorem = next(each for each in parse_file(file.text) if isinstance(each, Theorem))
    model: dict[str, Any] = {}
    for symbol, table in tables.items():
        lean = next(
            each.lean for each in file.names if each.kleis == symbol.name and each.kind == "operation"
        )
        short = lean.removeprefix("Spec.Theory.")
        model[short] = table[()] if not symbol.domain else _looked_up(table)
    assert bool(holds(theorem.statement, model, size)) == expected


def _interpreted(table: dict[tuple[Any, ...], Any]) -> Any:
    """A table over numbers as a function of elements."""

    def apply(*given: Any) -> Any:
        found = table[tuple(each.index if isinstance(each, Element) else each for each in given)]
        return found if isinstance(found, bool) else Element(G.name, found)

    return apply


def _looked_up(rows: dict[tuple[Any, ...], Any]) -> Any:
    return lambda *given: rows[given]


# ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────

KLEIS_NAMES = st.one_of(
    st.text(alphabet="ab_'1•⊗+∘ :λΣπ«»end", min_size=1, max_size=5),
    st.sampled_from(
        ["end", "theorem", "rec", "mk", "True", "x_2", "x", "x_", "ℕ", "lemma", "_", "a::b", "a b"]
    ),
)


@given(st.lists(st.tuples(KLEIS_NAMES, st.sampled_from(["", "C", "D"])), max_size=12))
def test_names_are_injective(asked: list[tuple[str, str]]) -> None:
    names = Names("Spec.T")
    given_out = [(owner, names.declare(name, "test", owner=owner)) for name, owner in asked]
    assert len(set(given_out)) == len(asked)
    assert len({each.lean for each in names.entries}) == len(asked)
    for _, name in given_out:
        text = f"theorem {name} :\n    True := by\n  sorry\n"
        assert isinstance(parse_file(text)[0], Theorem)


@given(
    st.lists(st.sampled_from(["•", "⊗", "op", "rec", "in_", "lemma"]), min_size=1, max_size=4, unique=True)
)
def test_operations_with_strange_names_are_exported(operations: list[str]) -> None:
    symbols = [each for each in operations if not each.isascii()]
    lines = [f"operation ({each}) : A × A → A" for each in symbols]
    lines += [f"operation {each} : A × A → A" for each in operations if each in ("op", "rec", "in_", "lemma")]
    file = export_lean(Theory().include(parse_program(f"structure S(A) {{ {'  '.join(lines)} }}")))
    assert check_emitted(file.text) == ()
    assert sum(each.kind == "operation" for each in file.names) == len(lines)


def test_the_carrier_is_the_one_of_the_generators() -> None:
    assert isinstance(G, Carrier)
