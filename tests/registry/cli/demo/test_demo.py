"""`pif demo` runs, and fails if an answer is not the expected one."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from registry.cli.demo import acts
from registry.cli.demo.play import holds
from registry.cli.demo.theory_acts import POLICY
from tests.support.files.command_lines import Process


def test_the_demo_passes(process: Process) -> None:
    done = process("demo")

    assert done.returncode == 0, done.stdout + done.stderr
    shown = done.stdout.decode()
    calls = sum(len(act.calls) for act in (*acts.ACTS, *acts.LATER, POLICY))
    assert f"{calls} of {calls} answers were the expected ones." in shown
    for answer in ("49 ", "81 ", "120 ", "220 ", "42 ", "too_deep", "out_of_fuel", "result_too_large"):
        assert answer in shown
    assert "progress: step 2" in shown


NOTHING_ELSE = "play.LATER = ()\nplay.POLICY = acts.Act('Nothing', ())"
"""One act is enough for what is said about answers; that all of them come is seen above."""


def changed_demo(change: str, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """`pif demo` in a process where something was changed before."""
    script = (
        f"import sys\nfrom registry.cli.demo import acts, play\n{change}\n"
        f"from registry.cli.pif import main\nsys.exit(main(['demo', *{words!r}]))"
    )
    return subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_demo_in_json(environment: dict[str, str]) -> None:
    done = changed_demo(f"play.ACTS = play.ACTS[:1]\n{NOTHING_ELSE}", environment, "--json")
    report = json.loads(done.stdout)

    (act,) = acts.ACTS[:1]
    assert (done.returncode, report["type"], report["calls"]) == (0, "demo", len(act.calls))
    assert report["passed"] == report["calls"] == len(report["steps"]) > 0
    assert all(step["passed"] and step["act"] == act.title for step in report["steps"])


def test_a_wrong_answer_is_noticed(environment: dict[str, str]) -> None:
    call = "acts.Call('run', {'code': {'add': [1, 1]}}, {'type': 'value', 'value': 3})"
    change = f"play.ACTS = (acts.Act('Arithmetic', ({call},)),)\n{NOTHING_ELSE}"
    done = changed_demo(change, environment)

    assert done.returncode == 1
    assert "0 of 1 answers" in done.stdout
    assert 'expected: {"type":"value","value":3}' in done.stdout


@pytest.mark.parametrize("program", ["/nonexistent/python", "/bin/false"])
def test_a_server_that_does_not_start_is_noticed(environment: dict[str, str], program: str) -> None:
    done = changed_demo(f"sys.executable = {program!r}", environment)

    assert done.returncode == 1
    assert f"the server is gone: {program} did not become a server" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("expected", "answer", "same"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": [1, 2]}, {"a": [1, 2, 3]}, False),
        ({"a": {}}, {"a": []}, False),
    ],
)
def test_what_counts_as_expected(expected: object, answer: object, same: bool) -> None:
    assert holds(expected, answer) is same


def test_the_demo_of_the_gateway(process: Process) -> None:
    done = process("demo", "gateway", "--json")

    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["passed"] == report["calls"] == len(report["steps"]) == 12
    said = {each["did"]: "\n".join(each["said"]) for each in report["steps"]}
    assert "is broken by who = " in said["the rule for `write` forgets the scope"]
    assert "⟨U+200B⟩" in said["pif gateway approve --config mcp.json"]
    assert (
        "the line before it is not the one that was written"
        in said["one `deny` is made an `allow`; pif gateway log verify"]
    )
