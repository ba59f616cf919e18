"""`pif repl` as a script and at a pseudo-terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.terminals.pseudo_terminal import PseudoTerminal

WORDS = [sys.executable, "-m", "registry.cli.pif", "repl"]


def script(home: Path, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        WORDS, input=text, capture_output=True, text=True, check=False,
        env={**os.environ, "PIF_HOME": str(home), "PYTHONPATH": os.getcwd()},
    )  # fmt: skip


def test_a_script(tmp_path: Path) -> None:
    done = script(
        tmp_path,
        "1 + 2\n_ * 10\ntotal = [1, 2, 3]\nsum(total)\nstd.gcd 12 18\n"
        "def square(x):\n    return x * x\n\nsquare(7)\nsquare 8\n:type square\n"
        ":evolve square Squares a number\n:list\n:cost square\n:diff std.gcd std.lcm\n:trace square 3\n:names\n",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "3\n30\n[1,2,3]\n6\n6\nsquare : no type\n49\n64\n"
    ) or done.stdout.startswith("3\n30\n[1,2,3]\n6\n6\nsquare : integer → integer\n49\n64\n")
    for said in ("square@1 created", "Squares a number", "std.gcd@1 → std.lcm@1", "total = [1,2,3]"):
        assert said in done.stdout
    assert "apply    square@1/body" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert script(tmp_path, "square 12").stdout == "144\n"
    assert not (tmp_path / "history").exists()


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("", 0, ""),
        (":quit\n1", 0, ""),
        ('{"nosuch": 1}\n', 1, "no operation"),
        (":fuel 10\nsum(range(100))", 1, "out_of_fuel"),
        ("import os", 2, "no Python"),
        (":nonsense", 2, "no command"),
        (":evolve nothing", 2, "nothing here is called"),
        (":fuel lots", 2, "the fuel is a number"),
        (":show nosuch", 1, "unknown_tool"),
    ],
)
def test_the_status_of_a_script(tmp_path: Path, text: str, status: int, said: str) -> None:
    done = script(tmp_path, text)
    assert (done.returncode, said in done.stderr) == (status, True), done


def test_a_tool_that_calls_what_is_no_tool_is_not_kept(tmp_path: Path) -> None:
    done = script(
        tmp_path,
        "def f(x):\n    return x + 1\n\ndef g(x):\n    return f(x) * 2\n\ng(3)\n:evolve g\n:evolve f\n:evolve g\n",
    )
    assert "\n8\n" in done.stdout
    assert "g calls f, no tool yet" in done.stderr
    assert done.stdout.index("f@1 created") < done.stdout.index("g@1 created")
    assert done.returncode == 1


def test_a_session_at_a_terminal(tmp_path: Path) -> None:
    known = {"PIF_HOME": str(tmp_path), "TERM": "xterm-256color", "PYTHONPATH": os.getcwd()}
    with PseudoTerminal(WORDS, known) as typed:
        typed.wait_for("pif>")
        typed.type("def twice(x):\r    return x + x\r\r")
        typed.wait_for("twice :")
        typed.wait_for("pif>")
        typed.type("twice(21)\r")
        typed.wait_for("\n42\n")
        typed.wait_for("pif>")
        typed.type(":fuel 50000000\r")
        typed.wait_for("each run may take")
        typed.wait_for("pif>")
        assert any(interrupted(typed) for _ in range(5)), "each run was over before Ctrl-C"
        typed.wait_for("pif>")
        typed.type("_ + 1\r")
        typed.wait_for("\n43\n")
        typed.close()
        typed.end()
    with PseudoTerminal(WORDS, {**known, "TERM": "dumb"}) as typed:
        typed.wait_for("2 names from the last time")
        typed.wait_for("pif>")
        typed.type("twice(_)\r")
        typed.wait_for("\n86\n")
        typed.type("\x04")
        assert typed.end() == 0


def interrupted(typed: PseudoTerminal) -> bool:
    """Whether Ctrl-C came while a run of a second was under way, and ended it."""
    typed.wait_for_keys()
    typed.type("sum(range(9000000))")
    typed.wait_for("9000000")
    typed.type("\r")
    typed.wait_for_lines()
    typed.interrupt()
    return typed.wait_for_one_of("interrupted", "fuel used").endswith("interrupted")


def test_other_commands_load_no_prompt() -> None:
    code = (
        "import sys; from registry.cli.pif import main; main(['--help'])\n"
        "assert not {'prompt_toolkit', 'pygments', 'kleis.conversation'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
