"""Data in and out of runs, over `msgspec.json` of the same text.

Reading is what `run` does to decoded input before it evaluates. A round trip is the request's input decoded, a run of a
compiled tool, and the answer encoded; beside it stands decoding the input and encoding the answer alone.
"""

from __future__ import annotations

import random
import time
from functools import partial
from typing import Any

import msgspec

from benchmarks.timing import alternating
from pif.language.budget import Budget, reserve_stack
from pif.language.decode import decode_term
from pif.language.host import Tool
from pif.language.terms import Json, Term
from pif.run.evaluate import Request, run
from pif.run.plain_input import plain_input

__all__ = ["LIMITS", "measure"]

_FLAT, _RECORDS = 4.0, 8.0
_INTEGERS = "5,000 integers, read / decoded"
_STRINGS = "5,000 words, read / decoded"
_TRUTHS = "5,000 booleans, read / decoded"
_OBJECTS = "2,000 records of three fields, read / decoded"
LIMITS = {_INTEGERS: _FLAT, _STRINGS: _FLAT, _TRUTHS: _FLAT, _OBJECTS: _RECORDS}

_BUDGET = Budget(fuel=1_000_000)
_DRAW = random.Random(27)


def _var(name: str) -> Json:
    return {"var": name}


def _folding(step: Json, start: Json) -> Json:
    return {"lam": "l", "body": {"fold": [{"lam": "p", "body": step}, start, _var("l")]}}


_ITEM, _SO_FAR = {"snd": _var("p")}, {"fst": _var("p")}
_CODES = {
    "sum": _folding({"add": [_SO_FAR, _ITEM]}, 0),
    "scale": _folding({"cons": [{"add": [{"mul": [_ITEM, 3]}, 1]}, _SO_FAR]}, []),
}


class _Tools:
    def __init__(self) -> None:
        self.tools = {name: Tool(name, 1, decode_term(code)) for name, code in _CODES.items()}

    def tool(self, reference: str) -> Tool | None:
        return self.tools.get(reference)

    def nearest(self, name: str) -> str | None:
        return None


def _term() -> Term:
    raise AssertionError("plain data asks for no term")


def _read(data: Json) -> None:
    assert plain_input(data, _term, raw=False) is not None


def _data() -> dict[str, Json]:
    return {
        _INTEGERS: _integers(5_000),
        _STRINGS: [f"word{_DRAW.randrange(10_000)}" for _ in range(5_000)],
        _TRUTHS: [_DRAW.random() < 0.5 for _ in range(5_000)],
        _OBJECTS: [
            {"name": f"n{place}", "age": _DRAW.randrange(90), "is_new": place % 3 == 0}
            for place in range(2_000)
        ],
    }


def _integers(count: int) -> list[int]:
    return [_DRAW.randrange(-500, 500) for _ in range(count)]


def _round_trip(tools: _Tools, tool: str, text: bytes) -> bytes:
    answer = run(Request(tool=tool, input=msgspec.json.decode(text)), tools, _BUDGET)
    assert answer["type"] == "value"
    return msgspec.json.encode(answer)


def _bare(text: bytes, answer: Any) -> bytes:
    msgspec.json.decode(text)
    return msgspec.json.encode(answer)


def measure() -> dict[str, float]:
    """Ratios of reading to decoding, and of round trips to decoding and encoding; then the round trips in µs."""
    reserve_stack(20_000)
    timed = partial(alternating, clock=time.thread_time, seconds=0.5)
    found = {}
    for name, data in _data().items():
        times = timed(
            {"decode": partial(msgspec.json.decode, msgspec.json.encode(data)), "read": partial(_read, data)}
        )
        found[name] = times["read"] / times["decode"]
    tools = _Tools()
    microseconds = {}
    for name, tool, count in (
        ("5,000 integers in", "sum", 5_000),
        ("2,000 integers in and out", "scale", 2_000),
    ):
        text = msgspec.json.encode(_integers(count))
        answer = msgspec.json.decode(_round_trip(tools, tool, text))
        times = timed({"run": partial(_round_trip, tools, tool, text), "bare": partial(_bare, text, answer)})
        found[f"a call with {name} / decoding and encoding"] = times["run"] / times["bare"]
        microseconds[f"a call with {name}, µs"] = times["run"] * 1e6
    return found | microseconds
