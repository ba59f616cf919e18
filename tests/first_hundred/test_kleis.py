"""The inputs of `kleis_inputs`, at every entrance: the command, MCP and Python give the same reading or the same remedy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kleis.elaborate.question import read_question
from kleis.errors import KleisError
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.prover.verdict_cache import VerdictCache
from kleis.theory.import_search import search_from
from kleis.theory.loader import Loader
from registry.cli.kleis import main
from tests.support.servers.theory_client import TheoryClient
from tests.support.theories.kleis_inputs import COMPUTED, DECIDED, REFUSED, Computed, Decided, Refused


class Entrances:
    """The ways in, over one home, so that each question is decided once and found again at the others."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.server = TheoryClient(home, {}, {})
        self.broker = Broker()
        self._loader = Loader(search_from({}))
        self._provers: dict[tuple[str, ...], Prover] = {}
        self._sessions: dict[tuple[str, ...], str] = {}

    def prover(self, imports: tuple[str, ...]) -> Prover:
        if imports not in self._provers:
            text = "".join(f'import "{each}"\n' for each in imports)
            theory = self._loader.load_text(text, directory=self.home).theory
            cache = VerdictCache(self.home / "verdicts")
            self._provers[imports] = Prover(theory, broker=self.broker, cache=cache)
        return self._provers[imports]

    def mcp(self, text: str, imports: tuple[str, ...]) -> dict[str, Any]:
        if imports not in self._sessions:
            name = f"s{len(self._sessions)}"
            self.server.ask("load_theory", imports=list(imports), session=name)
            self._sessions[imports] = name
        found = self.server.reply("evaluate", expression=text, session=self._sessions[imports])
        answer: dict[str, Any] = found.structured
        return answer

    def close(self) -> None:
        self.server.close()
        self.broker.close()


@pytest.fixture(scope="module")
def entrances(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Entrances]:
    found = Entrances(tmp_path_factory.mktemp("home"))
    yield found
    found.close()


@pytest.fixture(autouse=True)
def _home(entrances: Entrances, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIF_HOME", str(entrances.home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(entrances.home / "cache"))
    monkeypatch.chdir(entrances.home)


def _command(capsys: pytest.CaptureFixture[str], word: str, text: str, imports: tuple[str, ...]) -> Any:
    options = [part for each in imports for part in ("--import", each)]
    capsys.readouterr()
    main([word, "--json", *options, "--", text])
    return json.loads(capsys.readouterr().out)


def _codes(answer: dict[str, Any]) -> tuple[str, ...]:
    """The codes of the warnings, which stand first."""
    assert "warnings" not in answer or next(iter(answer)) == "warnings"
    return tuple(each["code"] for each in answer.get("warnings", ()))


def test_there_are_a_hundred_of_them() -> None:
    texts = [each.text for each in (*DECIDED, *COMPUTED, *REFUSED)]
    assert len(texts) >= 100
    assert len(set(DECIDED)) == len(DECIDED)


@pytest.mark.parametrize("given", DECIDED, ids=lambda each: each.text)
def test_a_claim(entrances: Entrances, capsys: pytest.CaptureFixture[str], given: Decided) -> None:
    verdict = entrances.prover(given.imports).ask(read_question(given.text)).verdict
    assert (verdict.status, tuple(each.code for each in verdict.warnings)) == (given.status, given.warnings)
    command = _command(capsys, "verify", given.text, given.imports)
    assert (command["status"], _codes(command)) == (given.status, given.warnings)
    answer = entrances.mcp(given.text, given.imports)
    if answer["status"] == "value":
        assert answer["result"] == {"verified": "true", "disproved": "false"}[given.status]
    else:
        assert answer["status"] == given.status
    assert _codes(answer) == given.warnings


@pytest.mark.parametrize("given", COMPUTED, ids=lambda each: each.text)
def test_an_expression(entrances: Entrances, capsys: pytest.CaptureFixture[str], given: Computed) -> None:
    command = _command(capsys, "eval", given.text, given.imports)
    answer = entrances.mcp(given.text, given.imports)
    for each in (command, answer):
        assert (each["status"], each["result"], _codes(each)) == ("value", given.value, given.warnings)


@pytest.mark.parametrize("given", REFUSED, ids=lambda each: each.text)
def test_a_refusal(entrances: Entrances, capsys: pytest.CaptureFixture[str], given: Refused) -> None:
    try:
        verdict = entrances.prover(()).ask(read_question(given.text)).verdict
        python = f"{verdict.message} {verdict.advice}" if verdict.status == "error" else verdict.status
    except KleisError as error:
        python = f"{error.message} {error.hint}"
    command = _command(capsys, "verify", given.text, ())
    answer = entrances.mcp(given.text, ())
    assert (command["status"], answer["status"]) == ("error", "error")
    for problem in (command["problem"], answer["problem"]):
        assert problem["line"], problem
        assert given.remedy in f"{problem['message']} {problem.get('hint', '')}"
    assert given.remedy in python
