"""No module of the library has axioms that clash: every structure has a model, found or given by an implementation."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kleis.prover.prover import Prover
from kleis.syntax.tree import Structure
from kleis.theory.import_search import search_from
from kleis.theory.loader import Loader, Loading
from registry.cli.kleis.shared.implementations import implementation_parts
from tests.kleis_programs.test_programs import HERE, ROOT

LIBRARY = ROOT / "stdlib" / "kleis"
FOUND = ["calculus", "category_theory", "cosmology", "fluid_dynamics", "maxwell", "solid_mechanics"]
GIVEN = {
    LIBRARY / "quantum.kleis": {"InnerProduct", "Observable", "TimeEvolution"},
    HERE / "structures" / "de_sitter.kleis": {"DeSitterSpacetime"},
    HERE / "structures" / "anti_de_sitter.kleis": {"AntiDeSitterSpacetime"},
    HERE / "structures" / "only_form.kleis": {
        "WedgeProduct",
        "ExteriorDerivative",
        "CartanCalculus",
        "HodgeStar",
        "ElectromagneticForm",
        "SymplecticForm",
    },
    HERE / "structures" / "zero_space.kleis": {
        "InnerProductSpace",
        "BoundedOperator",
        "NormedOperator",
        "CompactOperator",
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
