"""The laws of the library: proved, with certificates beside the tools that hold when they are checked from nothing.

`make certificates` proves all of them anew and writes the files; here a few are, and must come to what is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from registry.laws.check_laws import check_laws
from registry.laws.law_prover import LawProver
from registry.laws.prove_library import proved_tools
from registry.laws.requests import tools_with_laws
from registry.records import certificate_hash
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.tools.library import CERTIFICATES, ProvedTool, directory_of_the_library
from registry.workspace.requests import List
from registry.workspace.workspace import Workspace
from tests.support.terms.hosted_evaluator import library_tools

TOOLS = library_tools()
LAWS = {name: entry.laws for name, entry in TOOLS.library.entries.items() if entry.laws}
FILES = {path.stem: path for path in (directory_of_the_library() / CERTIFICATES).glob("*.json")}

PROVED_ANEW = ("clamp", "factorial", "insert", "isSorted", "sign", "some")
"""By Z3 alone and by induction, over integers, lists and options."""

AGAIN = "make certificates"


@pytest.fixture(scope="module")
def prover() -> Iterator[LawProver]:
    with LawProver() as made:
        yield made


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path_factory.mktemp("home")))
    yield made
    made.close()


def written(name: str) -> ProvedTool:
    assert name in FILES, AGAIN
    return msgspec.json.decode(FILES[name].read_bytes(), type=ProvedTool)


def test_there_are_enough_of_them() -> None:
    assert sum(map(len, LAWS.values())) >= 80
    assert len(LAWS) >= 35


def test_there_is_a_file_for_each_tool_with_laws_and_no_other() -> None:
    assert set(FILES) == set(LAWS), AGAIN
    assert len({name.casefold() for name in FILES}) == len(FILES), "two files are one where case is ignored"


@pytest.mark.parametrize("name", LAWS)
def test_files_are_of_the_library_as_it_is(name: str) -> None:
    """Every law is there with its one certificate, of the code that its tools have now, as the maker writes it."""
    file = written(name)
    assert file.tool == f"std.{name}"
    assert tuple(law.law for law in file.laws) == LAWS[name], AGAIN
    assert all(law.status == "proved" and law.tools for law in file.laws)
    record = TOOLS.find(f"std.{name}")
    assert record is not None
    assert TOOLS.laws(record) == file.laws, AGAIN
    assert [law.certificate for law in file.laws] == list(file.certificates)
    for hash_ in file.certificates:
        assert certificate_hash(file.certificate(hash_) or "") == hash_
    assert FILES[name].read_bytes() == file.as_file()


@pytest.mark.parametrize("name", LAWS)
def test_certificates_hold_from_nothing(name: str, workspace: Workspace) -> None:
    """As a user checks them: everything is read, translated, parsed, encoded and solved again."""
    answer: Any = workspace.check_laws(f"std.{name}")
    assert answer["type"] == "laws", answer
    assert [law["law"] for law in answer["laws"]] == list(LAWS[name])
    for law in answer["laws"]:
        assert (law["status"], law["ok"]) == ("proved", True), (AGAIN, law)
        assert {"tools", "law", "lemmas", "status", "proof"} <= {
            finding["what"] for finding in law["findings"]
        }
    assert answer["ok"] is True


def test_proved_anew_they_come_to_what_is_written(prover: LawProver) -> None:
    """Byte for byte: no certificate names a solver."""
    made = list(proved_tools(TOOLS.library, prover, PROVED_ANEW))
    assert [file.tool for file in made] == [f"std.{name}" for name in PROVED_ANEW]
    for file in made:
        assert file.as_file() == written(file.tool.removeprefix("std.")).as_file(), AGAIN


def test_a_wrong_law_is_not_proved(prover: LawProver) -> None:
    (report,) = check_laws("std.smaller", ["∀(a b : ℤ). smaller(a, b) = a"], TOOLS, TOOLS.names, prover)
    assert report.status == "refuted"
    assert report.counterexample is not None


def test_show_and_list_say_that_they_are_proved(workspace: Workspace) -> None:
    shown: Any = workspace.show("sort")
    assert [law["law"] for law in shown["laws"]] == list(LAWS["sort"])
    assert {law["status"] for law in shown["laws"]} == {"proved"}
    assert not any("stale" in law for law in shown["laws"])
    assert set(tools_with_laws(workspace.tools(), library=True)) == {f"std.{name}" for name in LAWS}
    assert tools_with_laws(workspace.tools(), library=False) == []
    listed: Any = workspace.list(List(library=True, limit=1_000))
    told = {tool["name"]: tool["laws"] for tool in listed["tools"] if "laws" in tool}
    assert set(told) == {f"std.{name}" for name in LAWS}
    assert all(law["status"] == "proved" for laws in told.values() for law in laws)
