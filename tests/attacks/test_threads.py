"""Threads that share compiled code, and defects below `run`: every run answers."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from pif.compiled import generate, units
from pif.compiled.units import Cache
from pif.language.budget import Budget
from pif.language.decode import decode_term
from pif.language.host import Tool
from pif.run import evaluate
from pif.run.evaluate import Answer, Request, run
from pif.run.stepping import Stepper
from tests.support.terms.tool_dictionary import Dictionary

THREADS = 8


@pytest.fixture
def switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class Changing:
    """Tools of which one is another version at each look, so that units which hold it are dropped."""

    def __init__(self) -> None:
        self.versions = [Tool("helper", i + 1, decode_term({"lam": "x", "body": i})) for i in range(4)]
        self.looks = 0

    def tool(self, reference: str) -> Tool | None:
        self.looks += 1
        return self.versions[self.looks // 3 % 4] if reference == "helper" else None

    def nearest(self, name: str) -> str | None:
        return None


def test_compiled_code_is_shared_by_threads(switching: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Units are added, dropped and weighed all the time; a shared dictionary that changed raised `KeyError` or
    `RuntimeError` here."""
    draft = generate.draft_value(
        decode_term({"app": ["helper", 1]}), None, (), Changing(), checks_sizes=False
    )
    code = units.compiled(draft.source)
    monkeypatch.setattr(generate, "draft_function", lambda *given, **more: draft)
    monkeypatch.setattr(units, "compiled", lambda source: code)
    cache = Cache(limit=20_000)
    kinds = ["int", "bool", "str", "unit", "any", "record"]
    programs = [Tool(f"tool{i}", 1, decode_term({"lam": "x", "body": i})) for i in range(2)]

    def work(number: int) -> None:
        tools = Changing()
        for i in range(2_000):
            prepared = cache.prepared(programs[i % 2])
            prepared.unit(kinds[(i + number) % 6], tools, checks_sizes=False)
            cache.trim()

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(work, number) for number in range(THREADS)]:
            done.result()


def test_runs_in_threads_answer_alike(switching: None) -> None:
    code = {
        "fold": [
            {"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}},
            0,
            {"range": [0, 900]},
        ]
    }
    expected = run(Request(code=code), Dictionary(), Budget())

    def work() -> list[Answer]:
        return [run(Request(code=code), Dictionary(), Budget()) for _ in range(20)]

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(work) for _ in range(THREADS)]:
            assert done.result() == [expected] * 20


@pytest.mark.parametrize(
    "defect", [KeyError("a"), RuntimeError("b"), MemoryError(), RecursionError(), ZeroDivisionError()]
)
def test_a_defect_below_run_is_an_answer(
    defect: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*arguments: object, **more: object) -> None:
        raise defect

    monkeypatch.setattr(Stepper, "step", fails)
    monkeypatch.setattr(evaluate._logger, "handlers", [])
    with caplog.at_level(logging.ERROR):
        found = run(Request(code=1), Dictionary(), Budget())
    assert found["type"] == "error"
    assert found["error"]["kind"] == "internal"
    assert type(defect).__name__ in found["error"]["message"]
    assert caplog.records[-1].exc_info is not None
    assert caplog.records[-1].exc_info[1] is defect


def test_tests_hear_of_defects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere in the tests a defect below `run` fails the test: an answer could pass for an error of the term's."""

    def fails(*arguments: object, **more: object) -> None:
        raise KeyError("a")

    monkeypatch.setattr(Stepper, "step", fails)
    with pytest.raises(AssertionError, match="a run failed by a defect"):
        run(Request(code=1), Dictionary(), Budget())
