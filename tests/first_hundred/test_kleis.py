"""The inputs of `kleis_inputs`, at every entrance: the command, MCP and Python give the same reading or the same remedy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kleis
from kleis import scripting
from kleis.prover.process.broker import Broker
from kleis.prover.shared_provers import Provers
from kleis.prover.verdict_cache import VerdictCache
from registry.cli.kleis import main
from tests.support.servers.theory_client import TheoryClient
from tests.support.theories.kleis_inputs import COMPUTED, DECIDED, REFUSED, Computed, Decided, Refused


class Entrances:
    """The ways in, over one home, so that each question is decided once and found again at the others."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.server = TheoryClient(home, {}, {})
        self.broker = Broker()
        self.provers = Provers(self.broker, VerdictCache(home / "verdicts"))
        self._sessions: dict[tuple[str, ...], str] = {}

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
    monkeypatch.setattr(scripting, "_provers", lambda: entrances.provers)


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
    try:
        verdict = kleis.verify(given.text, imports=given.imports)
        python = (verdict.status, tuple(each.code for each in verdict.warnings))
    except kleis.KleisError as error:
        python = ("error", _codes({"warnings": error.warnings}))
    assert python == (given.status, given.warnings)
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
    for each in (command, answer, kleis.evaluate(given.text, imports=given.imports)):
        assert (each["status"], each["result"], _codes(each)) == ("value", given.value, given.warnings)


@pytest.mark.parametrize("given", REFUSED, ids=lambda each: each.text)
def test_a_refusal(entrances: Entrances, capsys: pytest.CaptureFixture[str], given: Refused) -> None:
    with pytest.raises(kleis.KleisError) as caught:
        kleis.verify(given.text)
    python = f"{caught.value.message} {caught.value.hint}"
    command = _command(capsys, "verify", given.text, ())
    answer = entrances.mcp(given.text, ())
    assert (command["status"], answer["status"]) == ("error", "error")
    for problem in (command["problem"], answer["problem"]):
        assert problem["line"], problem
        assert given.remedy in f"{problem['message']} {problem.get('hint', '')}"
    assert given.remedy in python
