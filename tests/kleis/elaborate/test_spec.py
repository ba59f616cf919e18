"""Elaboration and definedness sentence by sentence: the cases of tests/kleis/elaborate/spec against the elaborator."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleis.errors import KleisError
from tests.support.theories.cases import Case, Judge, cases_of, elaborator_of, goal_of

CASES = cases_of(Path(__file__).parent / "spec")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}: {case.name}")
def test_a_sentence(case: Case) -> None:
    elaborator = elaborator_of(case.program)
    judge = Judge(case, elaborator)
    if case.data.get("check"):
        judge.problems()
        return
    try:
        if "structure" in case.data:
            meaning = elaborator.structure(case.data["structure"])
        else:
            meaning = goal_of(elaborator, case.data["proposition"], case.data.get("using"))
    except KleisError as error:
        judge.refusal(error)
    else:
        judge.meaning(meaning)


def test_cases_have_names_of_their_own_and_say_what_they_test() -> None:
    names = [(case.file, case.name) for case in CASES]
    assert len(set(names)) == len(names) >= 300
    assert all(case.data["sentence"] for case in CASES)
