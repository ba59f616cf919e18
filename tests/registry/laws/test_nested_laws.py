"""Laws that follow from kept laws of tools, and what must not serve (docs/reference/registry.md §7.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pif.language.terms import identity
from registry.laws.certificates import read_text
from registry.laws.check_laws import LawCheck
from registry.laws.goals import Claim
from registry.laws.law_report import WHERE_DEFINED
from registry.records import KeptLaw
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace
from tests.support.terms.law_tools import TOOLS, function, variable

Json = Any

NESTED = "∀(l : List(ℤ)). isSorted(tool_reverse(tool_reverse(sort(l))))"
TWICE = "∀(l : List(T)). tool_reverse(tool_reverse(l)) = l"
SORTED = "∀(l : List(ℤ)). isSorted(sort(l))"
FALSE = "∀(l : List(ℤ)). isSorted(tool_reverse(l))"
FALSE_NESTED = "∀(l : List(ℤ)). isSorted(tool_reverse(sort(l)))"

_L, _A = variable("l"), variable("acc")
ONTO = function("l", "acc", {"if": {"cond": {"isEmpty": _L}, "then": _A, "else": {
    "app": [{"self": True}, {"tail": _L}, {"cons": [{"head": _L}, _A]}]}}})  # fmt: skip
FLIP = function("l", {"app": ["onto", _L, {"nil": True}]})


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path_factory.mktemp("home")))
    for name, code in (("append", TOOLS["append"]), ("onto", ONTO), ("flip", FLIP)):
        assert made.evolve(Evolve(name, f"The tool {name}", code))["type"] == "tool"
    yield made
    made.close()


def kept(workspace: Workspace, law: str, **more: Any) -> KeptLaw:
    """A law as if it were proved, of the library's tools as they are."""
    tools = {}
    for name in ("std.reverse", "std.sort", "std.insert", "std.isSorted"):
        tool = workspace.tools().tool(name)
        assert tool is not None
        tools[tool.label] = identity(tool.term)
    return KeptLaw(law=law, **{"status": "proved", "tools": tools, **more})


def check_with(workspace: Workspace, laws: Sequence[KeptLaw]) -> LawCheck:
    """A check that is told of these laws, all kept with `reverse`."""
    tools = workspace.tools()
    return LawCheck(
        tools, tools.names, workspace.prover, kept=lambda name: laws if name == "std.reverse" else ()
    )


def serving(workspace: Workspace, claim: str, laws: Sequence[KeptLaw]) -> list[tuple[str, ...]]:
    """The laws that may serve a claim, each after its lemmas."""
    check = check_with(workspace, laws)
    law = check.read(claim)
    assert check._untranslated(law) is None
    assert check._serving is not None
    types = check.prover.types(check._question(Claim(law)).theory, law.expression)
    found = check._serving.of(law, check._reached(law), types)
    return [(*(before.text for before in each.before), each.law.text) for each in found]


# ── What must not be proved ──────────────────────────────────────────────────────────────────────────────────


def test_a_kept_law_is_not_believed(workspace: Workspace) -> None:
    """A store that says a false law is proved: what follows from it is refuted, not proved."""
    check = check_with(workspace, [kept(workspace, FALSE)])
    assert serving(workspace, FALSE_NESTED, [kept(workspace, FALSE)]) == [(FALSE,)]
    report = check.report(FALSE_NESTED)
    assert report.status == "refuted"
    assert check.proved == []


def test_a_false_lemma_proves_nothing_where_no_run_refutes_the_claim(workspace: Workspace) -> None:
    """The prover is given a claim and a false lemma that settles it: it does not take the lemma."""
    check = check_with(workspace, [kept(workspace, FALSE)])
    claim, lemma = (Claim(check._read_as(None, each)) for each in (FALSE_NESTED, FALSE))
    law = check.read(FALSE_NESTED)
    assert check._untranslated(law) is None
    asked = check._question(claim, [lemma])
    assert check.prover.useful(asked.theory, asked.claim, asked.lemmas).settles
    verdict = check._asked(asked).verdict
    assert verdict.status == "unknown"
    assert "not verified" in verdict.message


@pytest.mark.parametrize("status", ["tested", "untested", "claimed"])
def test_a_law_that_is_not_proved_does_not_serve(workspace: Workspace, status: str) -> None:
    assert serving(workspace, NESTED, [kept(workspace, TWICE, status=status)]) == []


def test_a_law_of_another_version_does_not_serve(workspace: Workspace) -> None:
    law = kept(workspace, TWICE)
    old = {
        label: "0" * 64 if label.startswith("std.reverse") else hash_ for label, hash_ in law.tools.items()
    }
    assert serving(workspace, NESTED, [msgspec.structs.replace(law, tools=old)]) == []
    assert serving(workspace, NESTED, [msgspec.structs.replace(law, tools={"gone@1": "0" * 64})]) == []
    assert serving(workspace, NESTED, [msgspec.structs.replace(law, tools={})]) == []


def test_a_law_where_tools_have_values_does_not_serve_as_if_it_held_everywhere(workspace: Workspace) -> None:
    assert serving(workspace, NESTED, [kept(workspace, TWICE, labels=(WHERE_DEFINED,))]) == []


def test_the_claim_is_none_of_its_lemmas(workspace: Workspace) -> None:
    assert serving(workspace, NESTED, [kept(workspace, NESTED)]) == []
    at_integers = TWICE.replace("T", "ℤ")
    assert (at_integers,) not in serving(workspace, at_integers, [kept(workspace, TWICE)])


def test_a_law_whose_proof_rests_on_the_claim_does_not_serve(workspace: Workspace) -> None:
    """`first` was proved from `second`, and that from the claim, which is now asked again."""
    first, second = "∀(l : List(ℤ)). length(tool_reverse(l)) = length(l)", SORTED
    laws = [kept(workspace, first, lemmas=(second,)), kept(workspace, second, lemmas=(NESTED,))]
    known = serving(workspace, NESTED, [*laws, kept(workspace, NESTED)])
    assert known == []
    assert serving(workspace, NESTED, laws) == []  # a lemma that is not there
    round_ = [kept(workspace, first, lemmas=(second,)), kept(workspace, second, lemmas=(first,))]
    assert serving(workspace, NESTED, round_) == []


# ── What serves ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_law_about_lists_of_anything_serves_at_the_types_of_the_claim(workspace: Workspace) -> None:
    assert ("∀(l : List(ℤ)). tool_reverse(tool_reverse(l)) = l",) in serving(
        workspace, NESTED, [kept(workspace, TWICE)]
    )


def test_lemmas_of_a_law_come_before_it(workspace: Workspace) -> None:
    laws = [kept(workspace, SORTED, lemmas=(TWICE,)), kept(workspace, TWICE)]
    twice = "∀(l : List(ℤ)). tool_reverse(tool_reverse(l)) = l"
    assert (twice, SORTED) in serving(workspace, NESTED, laws)


def test_a_nested_law_is_proved_with_a_certificate_of_its_own(tmp_path: Path) -> None:
    workspace = Workspace(SqliteStore(tmp_path / "home"))
    try:
        code = function("l", {"app": ["std.sort", _L]})
        made = workspace.evolve(Evolve("order", "Sorted", code, laws=[NESTED]))
        (law,) = made["laws"]
        assert law["status"] == "proved", law
        assert set(law["lemmas"]) == {SORTED, "∀(l : List(ℤ)). tool_reverse(tool_reverse(l)) = l"}
        assert workspace.check_laws("order")["ok"]
        record = workspace.record("order")
        (text,) = [workspace.store.certificate(each.certificate) for each in workspace.tools().laws(record)]
        assert text is not None
        assert len(read_text(text).lemmas) == 2
    finally:
        workspace.close()


def test_a_law_found_on_the_way_serves_the_next(workspace: Workspace) -> None:
    """The proof that `flip` undoes itself finds a law of its accumulator, which the next law of `flip` is given."""
    tools = workspace.tools()
    check = LawCheck(tools, tools.names, workspace.prover, kept=tools.kept_laws)
    assert check.report("∀(l : List(ℤ)). flip(flip(l)) = l").status == "proved"
    found = [each.law.text for each in check.auxiliary]
    assert any("onto(onto(" in each for each in found)
    later = check.read("∀(k l : List(ℤ)). length(flip(flip(tool_append(k, l)))) = length(k) + length(l)")
    assert check._untranslated(later) is None
    assert [each.law.text for each in check._auxiliary_of(Claim(later))] == found
    other = check.read("∀(a : List(ℤ)). tool_append(a, []) = a")
    assert check._untranslated(other) is None
    assert check._auxiliary_of(Claim(other)) == []
