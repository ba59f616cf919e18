"""`kleis repl` at a pseudo-terminal and as a script: what is typed, pasted and interrupted, and what is left of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.terminals.pseudo_terminal import PseudoTerminal

LONG = "∀(x y z n : ℕ). (n > 2 ∧ x > 0 ∧ y > 0) ⟹ x^n + y^n ≠ z^n"
WORDS = [sys.executable, "-m", "registry.cli.kleis", "repl"]


def terminal(home: Path, *words: str, columns: int = 80, **environment: str) -> PseudoTerminal:
    known = {"PIF_HOME": str(home), "TERM": "xterm-256color", "PYTHONPATH": os.getcwd(), **environment}
    return PseudoTerminal([*WORDS, *words], known, columns=columns)


def script(home: Path, text: str | bytes, *words: str) -> subprocess.CompletedProcess[str]:
    given = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run(
        [*WORDS, *words], input=given, capture_output=True, check=False,
        env={**os.environ, "PIF_HOME": str(home), "PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


# ── typed ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_session_at_a_terminal(tmp_path: Path) -> None:
    with terminal(tmp_path) as typed:
        typed.wait_for("nothing declared yet")
        typed.wait_for("kleis>")
        typed.type("1/3 + 1/6\r")
        typed.wait_for("\n1/2\n")

        # Abbreviations become symbols while they are typed.
        typed.type("\\forall(x : \\R ). x\\^2 \\ge 0\r")
        typed.wait_for("∀(x : ℝ ). x² ≥ 0")
        typed.wait_for("verified")

        # Enter goes on where something is open, and says how to end.
        typed.type("define double(x : \\Z ) : \\Z  =\r")
        typed.wait_for("empty line ends it")
        typed.type("x + x\r")
        typed.wait_for("consistent  double")

        # Tab completes a name that is in scope, with its type.
        typed.type("doub\t")
        typed.wait_for("double(x : ℤ) : ℤ")
        typed.type("(21)\r")
        typed.wait_for("\n42\n")

        # What is pasted is one text, of several statements.
        typed.paste("structure Heap(H) {\n  operation (⊙) : H × H → H\n}\n\ndouble(2)\n:type double")
        typed.type("\r")
        typed.wait_for("consistent  Heap")
        typed.wait_for("\n4\n")
        typed.wait_for("double(x : ℤ) : ℤ\n")

        # Ctrl-C stops the question and not the session.
        typed.type(f"{LONG}\r")
        typed.wait_for("trying")
        typed.interrupt()
        typed.wait_for("interrupted; nothing was kept of it")
        typed.type("double(3)\r")
        typed.wait_for("\n6\n")
        typed.wait_for("kleis>")

        # Ctrl-C at the prompt drops the line, Ctrl-D ends.
        typed.type("half a line")
        typed.wait_for("half a line")
        typed.interrupt()
        typed.wait_for("^D or :quit ends")
        typed.wait_for("kleis>")
        typed.type("\x04")
        assert typed.end() == 0

    kept = tmp_path / "history" / "kleis"
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    entries = [json.loads(line) for line in kept.read_text().splitlines()]
    assert entries[:2] == ["1/3 + 1/6", "∀(x : ℝ ). x² ≥ 0"]
    assert "half a line" not in entries


def test_nothing_is_lost_when_the_terminal_closes(tmp_path: Path) -> None:
    with terminal(tmp_path) as typed:
        typed.wait_for("kleis>")
        typed.type("define kept(x : ℤ) : ℤ = x\r")
        typed.wait_for("consistent  kept")
        typed.type(f"{LONG}\r")
        typed.wait_for("trying")
        typed.close()
        typed.end()
    with terminal(tmp_path, TERM="dumb") as typed:
        typed.wait_for("Session repl: 1 declaration; :reset begins anew")
        typed.wait_for("kleis>")
        typed.type("kept(7)\r")
        typed.wait_for("\n7\n")


def test_a_terminal_with_lines_alone(tmp_path: Path) -> None:
    with terminal(tmp_path, TERM="dumb") as typed:
        typed.wait_for("kleis> ")
        typed.type("structure Heap(H) {\r")
        typed.wait_for("an empty line ends it")
        typed.type("}\r")
        typed.wait_for("consistent  Heap")
        typed.type("(1 +\r")
        typed.wait_for("an empty line ends it")
        typed.type("\r")
        typed.wait_for("expected")
        typed.type(f"{LONG}\r")
        typed.wait_for(LONG)
        typed.wait_for_grandchild()  # nothing is shown here while a prover runs
        typed.interrupt()
        typed.wait_for("interrupted")
        typed.type(":quit\r")
        assert typed.end() == 0
        assert "\x1b" not in typed.raw.decode()


def test_a_window_of_twenty_columns_without_colour(tmp_path: Path) -> None:
    with terminal(tmp_path, columns=20, NO_COLOR="1") as typed:
        typed.wait_for("kleis>")
        typed.type("∀(x : ℤ).\r")
        typed.wait_for("empty")
        typed.type("x > x + 1\r")
        typed.wait_for("disproved")
        typed.wait_for("x = 0")
        typed.type(":model Group\r")
        typed.wait_for("found")
        typed.wait_for("kleis>")
        typed.type("\x04")
        assert typed.end() == 0
        assert not any(code in typed.raw for code in (b"\x1b[31m", b"\x1b[32m", b"\x1b[36m", b"\x1b[1;31m"))


def test_hostile_text_does_not_control_the_terminal(tmp_path: Path) -> None:
    with terminal(tmp_path) as typed:
        typed.wait_for("kleis>")
        typed.paste('"a\x1b]0;owned\x07b\u202ec"')
        typed.type("\r")
        typed.wait_for("\\u001b]0;owned")
        typed.wait_for("kleis>")
        typed.type("\x04")
        assert typed.end() == 0
    assert b"\x1b]0;owned" not in typed.raw


# ── piped ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "status", "printed"),
    [
        ("1 + 1\n", 0, "2\n"),
        ("define f(x : ℤ) : ℤ =\n  x + 1\n\nf(2)\n:quit\nf(3)", 0, "consistent  f\n3\n"),
        ("∀(x : ℤ). x > x\n1 + 1", 1, "2\n"),
        ("foo(\n", 2, ""),
        ("", 0, ""),
        (":nonsense\n2", 2, "2\n"),
        (":timeout 0.2\n" + LONG, 3, "unknown"),
        (b"\xff\xfe", 2, ""),
    ],
)
def test_a_script_has_plain_output_and_a_status(
    tmp_path: Path, text: str | bytes, status: int, printed: str
) -> None:
    done = script(tmp_path, text)
    assert (done.returncode, printed in done.stdout) == (status, True), done
    assert "\x1b" not in done.stdout + done.stderr
    assert "kleis>" not in done.stdout + done.stderr
    assert not (tmp_path / "sessions").exists()
    assert not (tmp_path / "history").exists()


def test_a_script_with_a_session_keeps_it(tmp_path: Path) -> None:
    assert script(tmp_path, "define f(x : ℤ) : ℤ = x + 1\n", "--session", "mine").returncode == 0
    done = script(tmp_path, "f(2)\n", "--session", "mine")
    assert (done.returncode, done.stdout) == (0, "3\n")


def test_files_are_imported_first(tmp_path: Path) -> None:
    (tmp_path / "mine.kleis").write_text("define mine(x : ℤ) : ℤ = x * 10\n")
    done = script(tmp_path, "mine(4)", str(tmp_path / "mine.kleis"))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "40")
    assert script(tmp_path, "1", str(tmp_path / "nosuch.kleis")).returncode == 2


def test_a_session_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    done = script(tmp_path, "1", "--session", "../x")
    assert done.returncode == 2
    assert "plain name" in done.stderr


def test_other_commands_load_no_prompt() -> None:
    code = (
        "import sys; from registry.cli.kleis import main; main(['--help'])\n"
        "assert not {'prompt_toolkit', 'pygments', 'kleis.conversation'} & set(sys.modules), sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
