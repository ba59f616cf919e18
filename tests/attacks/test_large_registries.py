"""Homes of very many tools, and tools with very many users: work that grows with what is asked, answers of a size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pif.analysis.work import Work
from pif.language.decode import decode_term
from pif.language.terms import Json, identity, term_text
from registry.records import NO_EXAMPLES, ToolRecord, nearest_name
from registry.store.protocol import Lineage
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.tools.code_and_examples import Example
from registry.workspace.dependants import users_of
from registry.workspace.requests import Analyze, Evolve, List, Rollback
from registry.workspace.workspace import Workspace

TOOLS = 6_000
CHAIN = 1_500


def code_of(number: int) -> Json:
    """Of tool 0 nothing; of the next ones a call of the one before; of the rest a call of nothing."""
    if 0 < number <= CHAIN:
        return {"lam": "x", "body": {"app": [f"t{number - 1}", {"var": "x"}]}}
    return {"lam": "x", "body": {"add": [{"var": "x"}, number]}}


def lineage(number: int) -> Lineage:
    term = decode_term(code_of(number))
    examples = '[{"input":1,"output":1}]' if number == 0 else NO_EXAMPLES
    record = ToolRecord(
        f"t{number}", 1, f"adds {number}", term_text(term), identity(term), (), "2026-01-01T00:00:00.000Z", examples
    )  # fmt: skip
    return Lineage(record.name, 1, (record,))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A home of many tools, taken in at once."""
    store = SqliteStore(tmp_path_factory.mktemp("large"))
    store.adopt([lineage(number) for number in range(TOOLS)])
    workspace = Workspace(store)
    yield workspace
    workspace.close()


class Counting(SqliteStore):
    """A store that counts the walks over all code."""

    walks = 0

    def _holding(self, *texts: str) -> tuple[str, ...]:
        self.walks += 1
        return super()._holding(*texts)


def test_users_through_users_take_few_walks_over_all_code(tmp_path: Path) -> None:
    """Each user was once looked for by a walk of its own: 3,000 of them in 100,000 tools took ten minutes."""
    store = Counting(tmp_path)
    store.adopt([lineage(number) for number in range(200)])
    workspace = Workspace(store)
    found = users_of(["t0"], store, workspace.tools())
    assert [user.record.name for user in found.found] == sorted(f"t{number}" for number in range(1, 200))
    assert store.walks <= 5
    assert found.unfinished is None
    workspace.close()


def test_one_walk_finds_what_many_found(large: Workspace) -> None:
    together = large.store.namings(lambda many: None)
    for number in (0, 1, CHAIN - 1, CHAIN, TOOLS - 1):
        assert tuple(together.get(f"t{number}", ())) == large.store.naming(f"t{number}")


def test_an_answer_has_the_first_thousand_users(large: Workspace) -> None:
    answer = large.users("t0")
    assert len(answer["users"]) == 1_000
    assert answer["unfinished"] == [f"users: the first 1000 of {CHAIN}"]
    told = large.analyze(Analyze("t0", aspects=["users"]))
    assert (told["users"], told["unfinished"]) == (answer["users"], answer["unfinished"])


def test_the_search_for_users_has_a_budget_and_a_stop_flag(large: Workspace) -> None:
    tools = large.tools()
    some = users_of(["t0"], large.store, tools, Work(10_000))
    assert 0 < len(some.found) < CHAIN
    assert some.unfinished == "not finished within the budget"
    stopped = users_of(["t0"], large.store, tools, Work(stop=lambda: True))
    assert stopped.unfinished == "stopped before it was finished"
    assert not stopped.found


def test_a_tool_with_too_many_users_to_check_is_changed_by_force_only(
    large: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("registry.workspace.dependants.USERS_STEPS", 10_000)
    request = Evolve("t0", "adds 0", {"lam": "x", "body": {"var": "x"}}, dry_run=True)
    refused = large.evolve(request)
    assert refused["error"]["kind"] == "too_busy"
    assert "force" in refused["error"]["hint"]
    forced = large.evolve(
        Evolve("t0", "adds 0", {"lam": "x", "body": {"var": "x"}}, dry_run=True, force=True)
    )
    assert forced["outcome"] == "new_version"
    assert any(
        warning["message"].startswith("not checked: the tools that use t0") for warning in forced["warnings"]
    )


def test_examples_of_users_that_need_too_much_are_passed_over_by_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message offered it; the same error came again."""
    workspace = Workspace(SqliteStore(tmp_path))
    workspace.evolve(Evolve("base", "d", {"lam": "x", "body": {"var": "x"}}))
    loop = {"fold": [{"lam": "p", "body": {"fst": {"var": "p"}}}, 0, {"range": [0, 3_000]}]}
    uses = {"lam": "x", "body": {"add": [{"app": ["base", {"var": "x"}]}, loop]}}
    evolved = workspace.evolve(Evolve("user", "d", uses, examples=[Example(input=1, output=1)]))
    assert evolved["outcome"] == "created"
    monkeypatch.setattr("registry.workspace.dependants.CHECK_FUEL", 100)
    change = {"lam": "x", "body": {"add": [{"var": "x"}, 0]}}
    assert workspace.evolve(Evolve("base", "d", change))["error"]["kind"] == "too_busy"
    assert workspace.evolve(Evolve("base", "d", change, force=True))["outcome"] == "new_version"
    assert workspace.rollback(Rollback("base", 1))["error"]["kind"] == "too_busy"
    assert workspace.rollback(Rollback("base", 1, force=True))["outcome"] == "rolled_back"
    workspace.close()


def test_hints_find_the_likeliest_of_very_many_names() -> None:
    """Of names that all start alike the first few hundred were compared, whatever was asked."""
    names = [f"tool{number:06d}" for number in range(20_000)]
    assert nearest_name("tool012345x", names) == "tool012345"
    assert nearest_name("tol012345", names) == "tool012345"
    assert nearest_name("x" * 48, names) is None


def test_a_hint_costs_about_the_same_each_time(large: Workspace) -> None:
    """The names of a snapshot are read once."""
    tools = large.tools()
    assert tools.nearest(f"t{TOOLS - 1}x") == f"t{TOOLS - 1}"
    assert large.tools().snapshot.names() is tools.snapshot.names()


def test_a_page_is_a_page(large: Workspace) -> None:
    answer = large.list(List(limit=1_000), types=False)
    assert (len(answer["tools"]), answer["total"]) == (1_000, TOOLS)
    assert len(large.list(List("adds", offset=TOOLS - 3), types=False)["tools"]) == 3
    assert large.list(List("nothing like it"))["total"] == 0
