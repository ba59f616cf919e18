"""`--timeout`, `--effort`, the line that says what is tried, and Ctrl-C: `verify`, `consistent`, `explore`, `test`.

See docs/reference/proving.md §6.3.
"""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from registry.cli.kleis.shared.patience import Patience, TimeIsUp
from tests.support.files.command_lines import command, on_a_terminal, plain_environment
from tests.support.theories.small_theories import GROUP

# Whether x³ = x makes multiplication commute is more than a second's work for every engine.
CUBES = """
structure Cubes(R) {
  operation add : R × R → R
  operation mul : R × R → R
  operation neg : R → R
  element zero : R
  axiom a : ∀(x y z : R). add(add(x, y), z) = add(x, add(y, z))
  axiom b : ∀(x y : R). add(x, y) = add(y, x)
  axiom c : ∀(x : R). add(x, zero) = x
  axiom d : ∀(x : R). add(x, neg(x)) = zero
  axiom f : ∀(x y z : R). mul(mul(x, y), z) = mul(x, mul(y, z))
  axiom g : ∀(x y z : R). mul(x, add(y, z)) = add(mul(x, y), mul(x, z))
  axiom h : ∀(x y z : R). mul(add(y, z), x) = add(mul(y, x), mul(z, x))
  axiom k : ∀(x : R). mul(mul(x, x), x) = x
}
"""
COMMUTES = "∀(x y : R). mul(x, y) = mul(y, x)"
ASKED = ("verify", COMMUTES, "--import", "cubes.kleis", "--fresh")


@pytest.fixture(autouse=True)
def _theories(write: Callable[..., None]) -> None:
    example = (
        f'import "cubes.kleis"\nexample "it commutes" {{\n    assert({COMMUTES})\n    assert(1 + 1 = 2)\n}}\n'
    )
    write(cubes=CUBES, group=GROUP, asked=example)


def test_a_question_ends_with_its_time(kleis: Callable[..., Any]) -> None:
    answer = kleis(*ASKED, "--timeout", "0.2", "--json")

    assert answer.status == 3
    assert (answer.json["status"], answer.json["reason"]) == ("unknown", "killed")
    assert answer.json["message"] == "stopped after 0.2 s"
    assert "--timeout" in answer.json["advice"]


def test_no_time_is_no_verdict_and_is_not_remembered(kleis: Callable[..., Any]) -> None:
    assert kleis("verify", "∀(x : ℤ). x + 0 = x", "--timeout", "0.000001").status == 3
    assert kleis("verify", "∀(x : ℤ). x + 0 = x").status == 0


def test_what_is_decided_in_time_is_the_same(kleis: Callable[..., Any]) -> None:
    whole = kleis("verify", "∀(x : G). x • e = x", "--import", "group.kleis", "--fresh")
    timed = kleis("verify", "∀(x : G). x • e = x", "--import", "group.kleis", "--fresh", "--timeout", "300")
    assert (timed.status, timed.out) == (whole.status, whole.out)
    assert whole.status == 0


def test_consistent_ends_with_its_time(kleis: Callable[..., Any]) -> None:
    answer = kleis("consistent", "cubes.kleis", "--timeout", "0.000001", "--fresh", "--json")
    assert (answer.status, answer.json["status"]) == (3, "unknown")
    assert answer.json["parts"][0]["message"] == "stopped after 1e-06 s"


def test_what_a_test_leaves_open_stays_unknown(kleis: Callable[..., Any]) -> None:
    answer = kleis("test", "asked.kleis", "--timeout", "0.000001", "--fresh", "--json")

    (block,) = answer.json["files"][0]["examples"]
    first, second = block["assertions"]
    assert (answer.status, block["error"]) == (0, "unknown")
    assert first["status"] == "unknown"
    assert "stopped after 1e-06 s" in first["detail"]
    assert second["status"] == "passed", "what evaluation decides needs no time of the prover"


def test_explore_shows_what_is_found_in_time(kleis: Callable[..., Any]) -> None:
    answer = kleis("explore", "group.kleis", "Group", "--timeout", "0.000001", "--json")
    assert answer.json["type"] == "error" or not answer.json["complete"]


def test_what_reads_is_interrupted_too() -> None:
    """Where no engine is at work that could be stopped, the limit ends what runs in this process."""

    def read_for_ever() -> None:
        with Patience(0.001).waiting(live=False):
            while True:
                pass

    with pytest.raises(TimeIsUp):
        read_for_ever()


def test_effort_multiplies_every_budget() -> None:
    from kleis.prover.portfolio import ORDER, with_effort

    more = with_effort(ORDER, 3)
    assert [each.steps for each in more] == [3 * each.steps for each in ORDER]
    assert [each.cpu for each in more] == [3 * each.cpu for each in ORDER]


def test_more_effort_decides_what_less_left_open() -> None:
    """The order and the budgets are the whole difference: one engine, which needs more than its budget."""
    from kleis.prover.portfolio import ORDER
    from kleis.prover.prover import Prover
    from kleis.syntax.parser.parser import parse_expression
    from tests.support.theories.small_theories import theory_of

    (entry,) = [each for each in ORDER if each.engine.endswith(":Completion") and not each.late]
    from msgspec import structs

    claim = parse_expression("∀(x y : G). inv(x • y) = inv(y) • inv(x)")
    order = (structs.replace(entry, steps=200),)
    found = []
    for effort in (1, 100):
        with Prover(theory_of(GROUP), order=order, effort=effort) as prover:
            found.append(prover.verify(claim).status)
    assert found == ["unknown", "verified"]


@pytest.mark.parametrize(
    "words", [("--timeout", "0"), ("--timeout", "soon"), ("--effort", "0"), ("--effort", "101")]
)
@pytest.mark.parametrize(
    "asked", [("verify", "1 = 1"), ("consistent", "group.kleis"), ("test", "asked.kleis")]
)
def test_nonsense_is_refused(
    kleis: Callable[..., Any], asked: tuple[str, ...], words: tuple[str, str]
) -> None:
    answer = kleis(*asked, *words)
    assert answer.status == 2
    assert f"Invalid value for '{words[0]}'" in answer.err


# ── On a terminal ────────────────────────────────────────────────────────────────────────────────────────────


def _on_terminals(tmp_path: Path, *words: str, interrupt: bool) -> tuple[int, str]:
    """Run `kleis` with a terminal as all its streams; send Ctrl-C once it says what it tries."""
    pid, ours = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        line = command(*words, program="kleis")
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever runs the tests may ignore it
        # A worker's command line has the paths of its parent, so that it can be told from others.
        os.execve(line[0], line, {**plain_environment(), "TERM": "xterm", "PYTHONPATH": str(tmp_path)})
    shown = b""
    with contextlib.suppress(OSError):  # how a closed terminal ends on Linux
        while piece := os.read(ours, 65536):
            shown += piece
            if interrupt and b"trying" in shown:
                os.write(ours, b"\x03")
                interrupt = False
    _, status = os.waitpid(pid, 0)
    os.close(ours)
    return os.waitstatus_to_exitcode(status), shown.decode()


def test_a_line_says_what_is_tried_and_is_gone_with_the_answer(tmp_path: Path) -> None:
    status, shown = _on_terminals(tmp_path, *ASKED, "--timeout", "2", interrupt=False)

    assert status == 3
    before, _, answer = shown.rpartition("\r\x1b[K")
    assert "trying" in before
    assert "completion (" in before or "finite models (" in before
    assert "unknown" in answer
    assert "unknown" not in before


def test_control_c_says_so_in_one_line(tmp_path: Path) -> None:
    status, shown = _on_terminals(tmp_path, *ASKED, interrupt=True)

    assert status == 130
    assert shown.rpartition("\r\x1b[K")[2].strip() == "interrupted"
    assert "Traceback" not in shown
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    mine = [each for each in left.splitlines() if "prover.process.worker" in each and str(tmp_path) in each]
    assert mine == []


@pytest.mark.parametrize("words", [("--json",), ()])
def test_no_line_elsewhere(process: Callable[..., Any], tmp_path: Path, words: tuple[str, ...]) -> None:
    """Not with --json, and not where standard error is no terminal."""
    answer = process(*ASKED, "--timeout", "1", *words)
    assert answer.err == ""
    if words:
        assert "\x1b" not in _on_terminals(tmp_path, *ASKED, "--timeout", "1", *words, interrupt=False)[1]
    else:
        assert "trying" not in on_a_terminal(*ASKED, "--timeout", "1")[1]
