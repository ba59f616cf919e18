"""No module of the library has axioms that clash: every structure has a model, found or given by an implementation."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from kleis.elaborate.elaborator import Elaborator
from kleis.prover.engines.computation.enumeration import ENUMERATION
from kleis.prover.protocol.engine import Task
from kleis.prover.prover import Prover
from kleis.syntax.tree import Axiom, Structure
from kleis.theory.import_search import search_from
from kleis.theory.loader import Loader, Loading
from registry.cli.kleis.shared.implementations import implementation_parts
from tests.kleis_programs.test_programs import HERE, ROOT

LIBRARY = ROOT / "stdlib" / "kleis"
FOUND = [
    "algebra", "calculus", "category_theory", "cosmology", "fluid_dynamics", "machines", "maxwell", "minimal_prelude",
    "prelude", "solid_mechanics", "tensors", "theories/pot_ghost_activity_theorem",
]  # fmt: skip
COMPUTED = [
    "bigops", "bitvector", "combinatorics", "complex", "lists", "math_functions", "matrices", "number_theory", "rational",
    "text",
]  # fmt: skip
"""Modules whose structures state laws of built-in operations, and of definitions."""
INSTANCES = {
    "lists": [("structure ListLaws(Element)", "structure ListLaws"), ("Element", "ℤ")],
    "matrices": [
        ("(m : Nat, n : Nat)", ""), ("(n : Nat)", ""), ("Matrix(n, n, ℝ)", "Matrix(2, 2, ℤ)"),
        ("Matrix(m, n, ℝ)", "Matrix(2, 3, ℤ)"),
    ],
}  # fmt: skip
"""What the structures that have parameters are asked about, as changes of the text."""

GIVEN = {
    LIBRARY / "sets.kleis": {"SetTheory"},
    LIBRARY / "quantum.kleis": {"InnerProduct", "Observable", "TimeEvolution"},
    HERE / "structures" / "de_sitter.kleis": {"DeSitterSpacetime"},
    HERE / "structures" / "anti_de_sitter.kleis": {"AntiDeSitterSpacetime"},
    HERE / "structures" / "only_form.kleis": {"ElectromagneticForm", "SymplecticForm"},
    HERE / "structures" / "zero_space.kleis": {
        "NormedOperator",
        "SpectralTheorem",
        "TraceClass",
        "UnboundedSelfAdjoint",
    },
}
"""Files that give models, and the structures of which no engine finds one."""


def loaded(path: Path) -> Loading:
    loading = Loader(search_from(os.environ)).load(str(path))
    assert loading.ok
    return loading


@pytest.mark.parametrize("module", FOUND)
def test_every_structure_has_a_model(module: str) -> None:
    loading = loaded(LIBRARY / f"{module}.kleis")
    items = loading.main.result.program.items
    own = {each.name for each in items if isinstance(each, Structure) and each.parameters}
    with Prover(loading.theory) as prover:
        found = {
            name: prover.consistent(name)[0][1].status for name in sorted(own.difference(*GIVEN.values()))
        }
    assert set(found.values()) == {"consistent"}, found


@pytest.mark.parametrize("path", GIVEN, ids=lambda path: path.stem)
def test_models_that_are_given_are_models(path: Path) -> None:
    loading = loaded(path)
    with Prover(loading.theory) as prover:
        shown = {
            label.split("(")[0]: verdict.status for label, verdict in implementation_parts(loading, prover)
        }
    assert shown == dict.fromkeys(GIVEN[path], "consistent")


@pytest.mark.parametrize("module", COMPUTED)
def test_laws_of_what_is_built_in_have_no_small_counterexample(module: str) -> None:
    """Such laws have one model, what the evaluator computes; so they clash only where one of them is false there."""
    outcomes = {name: ENUMERATION.run(law, 3_000).outcome for name, law in computed_laws(module).items()}
    assert outcomes
    assert "refuted" not in outcomes.values(), outcomes


@pytest.mark.parametrize(
    ("module", "part", "other"),
    [
        ("lists", "append(reverse(l), reverse(k))", "append(reverse(k), reverse(l))"),
        ("rational", "floor(x) ≤ x ∧ x < floor(x) + 1", "floor(x) < x"),
        ("rational", "x ≠ 0 ⟹ x * reciprocal(x) = 1", "x ≠ 0 ⟹ reciprocal(x) = x"),
        ("combinatorics", "= binomial(n, n - k)", "= binomial(n, k + 1)"),
        ("number_theory", "gcd(a, b) * lcm(a, b) = abs(a * b)", "gcd(a, b) * lcm(a, b) = a * b"),
    ],
)
def test_a_false_law_has_one(module: str, part: str, other: str) -> None:
    laws = computed_laws(module, (part, other))
    assert "refuted" in {ENUMERATION.run(law, 20_000).outcome for law in laws.values()}


def computed_laws(module: str, *changes: tuple[str, str]) -> dict[str, Task]:
    """The laws of a module's structures, at the types of INSTANCES, with parts of its text exchanged.

    No law is assumed of another one.
    """
    text = (LIBRARY / f"{module}.kleis").read_text(encoding="utf-8")
    for part, other in (*INSTANCES.get(module, ()), *changes):
        assert part in text
        text = text.replace(part, other)
    loading = Loader(search_from(os.environ)).load_text(text)
    assert loading.ok
    elaborator = Elaborator(loading.theory)
    return {
        f"{each.name}::{law.name}": Task(
            msgspec.structs.replace(elaborator.proposition(law.proposition), axioms=())
        )
        for each in loading.main.result.program.items
        if isinstance(each, Structure) and not each.parameters
        for law in each.members
        if isinstance(law, Axiom)
    }
