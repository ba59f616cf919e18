"""Tracing to stderr (docs/reference/pif.md §8): a run in a process of its own, under several switches and locales."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import json, sys
from tests.support.terms.tool_dictionary import answer
from pif.language.budget import Budget

request = json.loads(sys.argv[1])
found = answer(request["code"], request.get("input"), tools=request.get("tools", {}), trace=request.get("trace", 0),
               budget=Budget(fuel=request.get("fuel", 10_000)))
sys.stdout.write(json.dumps(found))
"""
SWITCHES = ("PIF_DEBUG", "MCP_DEBUG")
LOCALES: tuple[dict[str, str], ...] = (
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "C.UTF-8"},
    {"LC_ALL": "POSIX", "PYTHONIOENCODING": "latin-1"},
    {"LC_ALL": "de_DE.ISO-8859-1", "PYTHONUTF8": "0"},
)
PROJECT = Path(__file__).resolve().parent.parent.parent
FACTORIAL: Any = {"lam": "n", "body": {"if": {
    "cond": {"lte": [{"var": "n"}, 1]}, "then": 1,
    "else": {"mul": [{"var": "n"}, {"app": [{"self": True}, {"sub": [{"var": "n"}, 1]}]}]},
}}}  # fmt: skip


def ran(request: Any, **environment: str) -> tuple[Any, list[str]]:
    """The answer of a run in a process of its own, and the lines on its stderr."""
    kept = {
        key: value for key, value in os.environ.items()
        if key not in (*SWITCHES, "LANG", "LC_ALL", "LC_CTYPE", "PYTHONIOENCODING", "PYTHONUTF8")
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(request)], cwd=PROJECT, capture_output=True, env={**kept, **environment},
        timeout=120, check=True,
    )  # fmt: skip
    return json.loads(done.stdout), done.stderr.decode("ascii").splitlines()


def test_off_it_writes_nothing() -> None:
    for environment in ({}, {"PIF_DEBUG": "0"}, {"MCP_DEBUG": "false"}, {"PIF_DEBUG": ""}):
        found, lines = ran({"code": {"add": [1, 2]}}, **environment)
        assert (found["value"], lines) == (3, [])


@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("on", ["1", "true", "TRUE"])
def test_either_switch_turns_it_on(switch: str, on: str) -> None:
    found, lines = ran({"code": {"add": [1, {"var": "x"}]}}, **{switch: on})
    assert found["error"]["kind"] == "unbound_variable"
    assert [line.split()[:2] for line in lines] == [
        ["step", "code"],
        ["step", "code/add/0"],
        ["step", "code/add/1"],
    ]


def test_it_changes_nothing_but_stderr() -> None:
    request = {"code": "fact", "input": 5, "tools": {"fact": FACTORIAL}}
    silent, _ = ran(request)
    loud, lines = ran(request, PIF_DEBUG="1")
    assert loud == silent
    assert silent["value"] == 120
    assert len(lines) > 50


def test_a_line_tells_term_names_fuel_and_place() -> None:
    tools = {"fact": FACTORIAL}
    _, lines = ran({"code": "fact", "input": 5, "tools": tools, "fuel": 1_000}, PIF_DEBUG="1")
    assert lines[0].startswith("closure  fact@1 fuel=1000 [] {")
    assert lines[1] == "step     code/input fuel=995 [] 5"
    applied = [line for line in lines if line.startswith("apply ")]
    assert len(applied) == 5
    assert all(" fact@1/body fuel=" in line and " [n] " in line for line in applied)
    looked_up = [line for line in lines if line.startswith("tool ")]
    assert len(looked_up) == 4
    left = [int(line.split("fuel=")[1].split()[0]) for line in lines]
    assert left == sorted(left, reverse=True)


def test_every_kind_of_event() -> None:
    code = {"lam": "x", "body": {"app": [
        {"eval": {"quote": {"lam": "y", "body": {"eval": {"quote": {"var": "y"}}}}}},
        {"app": ["fact", {"length": {"show": {"code_of": "fact"}}}]},
    ]}}  # fmt: skip
    request = {"code": "t", "tools": {"fact": {"lam": "n", "body": 1}, "t": code}}
    _, lines = ran(request, PIF_DEBUG="1")
    kinds = [line.split()[0] for line in lines]
    assert {"closure", "apply", "quote", "eval", "tool", "step"} == set(kinds)
    depths = [line.rpartition("eval_depth=")[2] for line in lines if line.startswith("eval ")]
    assert depths == ["1", "1"]


def test_a_continue_is_an_event() -> None:
    request = {"code": "t", "tools": {"t": {"lam": "x", "body": {"continue": {"input": {"var": "x"}}}}}}
    found, lines = ran(request, PIF_DEBUG="1")
    assert found["type"] == "continuation"
    assert [line.split()[0] for line in lines] == ["closure", "step", "apply", "continue", "step"]


def test_it_is_the_same_in_every_locale() -> None:
    request = {"code": {"let": {"größe": "日本😀"}, "in": {"concat": [{"var": "größe"}, "é\u2028\r\n"]}}}
    results = [ran(request, PIF_DEBUG="1", **locale) for locale in LOCALES]
    assert all(result == results[0] for result in results)
    _, lines = results[0]
    assert len(lines) == 5
    assert "[gr\\xf6\\xdfe]" in lines[2]


def test_an_event_is_one_line_whatever_the_names() -> None:
    request = {"code": {"let": {"a\nb\x00\x1b[31m": {"record": {"k\r\n": 1}}}, "in": 2}}
    _, lines = ran(request, PIF_DEBUG="1")
    assert len(lines) == 4
    assert not any(ord(character) < 32 or ord(character) == 127 for line in lines for character in line)
    assert "[a\\x0ab\\x00\\x1b[31m]" in lines[3]


def test_stderr_and_the_ring_at_once() -> None:
    found, lines = ran({"code": {"add": [1, 2]}, "trace": 2}, PIF_DEBUG="1")
    assert [event["path"] for event in found["trace"]] == ["/add/0", "/add/1"]
    assert len(lines) == 3


def test_a_large_term_in_a_loop_is_shown_short() -> None:
    """What is shown of a term is made once: a step must not cost the size of what is in its branches."""
    loop = {"fold": [
        {"lam": "p", "body": {"if": {"cond": True, "then": 0, "else": "x" * 100_000}}}, 0, {"range": [0, 200]},
    ]}  # fmt: skip
    found, lines = ran({"code": loop, "fuel": 10_000}, PIF_DEBUG="1")
    assert found["value"] == 0
    assert len(lines) > 600
    assert max(map(len, lines)) < 400
