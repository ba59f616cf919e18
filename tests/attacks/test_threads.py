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
from pif.language.values import Kind
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


@pytest.fixture
def ready_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every unit is the same code, made once: what is left is the work on the dictionary of units."""
    draft = generate.draft_value(
        decode_term({"app": ["helper", 1]}), None, (), Changing(), checks_sizes=False
    )
    code = units.compiled(draft.source)
    monkeypatch.setattr(generate, "draft_function", lambda *given, **more: draft)
    monkeypatch.setattr(units, "compiled", lambda source: code)


KINDS: tuple[Kind, ...] = ("int", "bool", "str", "unit", "any", "record")


def test_compiled_code_is_shared_by_threads(switching: None, ready_code: None) -> None:
    """Units are added, dropped and weighed all the time. Before they were replaced under a lock, one to two of five
    such loops raised `KeyError` (a unit dropped twice) or `RuntimeError` (weighed while it changed)."""
    cache = Cache(limit=20_000)
    programs = [Tool(f"tool{i}", 1, decode_term({"lam": "x", "body": i})) for i in range(2)]

    def work(number: int) -> None:
        tools = Changing()
        for i in range(2_000):
            prepared = cache.prepared(programs[i % 2])
            prepared.unit(KINDS[(i + number) % 6], tools, checks_sizes=False)
            cache.trim()

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(work, number) for number in range(THREADS)]:
            done.result()


def test_units_that_a_thread_looks_at_stay_as_they_are(ready_code: None) -> None:
    """What the loop above meets by chance, without chance: nothing that changes what is kept changes what was read."""
    prepared = Cache().prepared(Tool("tool", 1, decode_term({"lam": "x", "body": 1})))
    tools = Changing()
    changes = 0
    for i in range(40):
        held = prepared.units
        before = dict(held)
        prepared.unit(KINDS[i % 5 if i % 3 else 0], tools, checks_sizes=i % 2 == 0)
        assert dict(held) == before
        changes += prepared.units is not held
    assert changes > 20


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
    monkeypatch.setattr(logging.getLogger(evaluate.__name__), "handlers", [])
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
