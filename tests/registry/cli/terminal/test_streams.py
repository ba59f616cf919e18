"""Pipes, terminals, colours, locales, Ctrl-C, and that `--help` loads little."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.files.command_lines import FACTORIAL, SQUARE, Process, command

ENDLESS = '{"fold": [{"lam": "p", "body": 0}, 0, {"range": [0, 400000]}]}'
LOCALES = [
    {},
    {"LC_ALL": "C"},
    {"LC_ALL": "C.UTF-8"},
    {"LC_ALL": "en_US.ISO-8859-1"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "latin-1"},
]


def on_a_terminal(
    words: Sequence[object], environment: dict[str, str], keys: bytes = b"", *, program: str = "pif"
) -> tuple[int, str]:
    """The exit status, and all that a command writes to a terminal that is its standard input, output and error."""
    ours, theirs = pty.openpty()
    line = command(*words, program=program)
    running = subprocess.Popen(line, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, keys)
    written = b""
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:  # Linux's way of saying that the other end is closed
            break
        if not part:
            break
        written += part
    os.close(ours)
    return running.wait(timeout=60), written.decode()


@pytest.fixture
def square(process: Process) -> Process:
    made = process("evolve", SQUARE, "--name", "square", "--description", "Squares — über Zahlen")
    assert made.returncode == 0, made.stderr
    return process


@pytest.mark.parametrize(
    "words",
    [
        ("show", "square"),
        ("run", '{"concat": ["é日", "本"]}'),
        ("run", '{"concat": ["é日", 5]}', "--json"),
        ("run", '{"concat": ["é日", 5]}'),
        ("run", "square", "ü"),
        ("nonsense-é",),
    ],
)
def test_output_is_the_same_in_every_locale(square: Process, words: tuple[str, ...]) -> None:
    """Results, errors and excerpts are the same bytes, and arguments are read the same."""
    done = [square(*words, env=env) for env in LOCALES]

    assert len({(one.returncode, one.stdout, one.stderr) for one in done}) == 1, done
    assert "\\udc" not in done[0].stderr.decode()


def test_debug_tracing_is_the_same_in_every_locale(square: Process) -> None:
    results = {
        square("run", '{"app": ["square", {"length": "é日"}]}', env={**env, "PIF_DEBUG": "1"}).stderr
        for env in LOCALES
    }

    assert len(results) == 1
    assert results.pop().count(b"\n") > 4


def test_names_of_files_in_every_locale(process: Process, tmp_path: Path) -> None:
    (tmp_path / "zahl-é.json").write_text("42")

    for env in LOCALES:
        assert process("run", "@zahl-é.json", env=env).stdout == b"42\n", env


def test_pipes_get_plain_text(square: Process) -> None:
    for words in (
        ("list",),
        ("show", "square"),
        ("run", "square", "true"),
        ("doctor",),
        ("history", "square"),
    ):
        done = square(*words, env={"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "COLUMNS": "20"})
        assert b"\x1b" not in done.stdout + done.stderr
        again = square(*words)
        free = rb"\d+ MB free"  # other processes write to the disk meanwhile
        assert re.sub(free, b"", again.stdout) == re.sub(free, b"", done.stdout)


def test_terminals_get_colour_and_tables(square: Process, environment: dict[str, str]) -> None:
    for words in (
        ("list",),
        ("show", "square"),
        ("run", "square", "true"),
        ("doctor",),
        ("history", "square"),
    ):
        _, shown = on_a_terminal(words, environment)
        assert "\x1b[" in shown, words
    assert "description" in on_a_terminal(("list",), environment)[1]


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_refused(square: Process, environment: dict[str, str], env: dict[str, str]) -> None:
    for words in (("list",), ("show", "square"), ("run", "square", "true")):
        _, shown = on_a_terminal(words, {**environment, **env})
        assert not re.search(r"\x1b\[[0-9;]*3[0-7]", shown), words
        assert "square" in shown


def test_json_is_plain_on_a_terminal_too(square: Process, environment: dict[str, str]) -> None:
    _, shown = on_a_terminal(("run", "square", "7", "--json"), environment)

    assert json.loads(shown)["value"] == 49
    assert "\x1b" not in shown


def test_driving_shows_progress_on_a_terminal_only(process: Process, environment: dict[str, str]) -> None:
    process("evolve", FACTORIAL, "--name", "factorial")
    words = ("run", "factorial", '{"pair": [300, 1]}', "--drive", "1000", "--fuel", "100000")

    _, shown = on_a_terminal(words, environment)

    assert "steps" in shown
    assert process(*words).stderr == b""


def test_forget_asks_on_a_terminal(square: Process, environment: dict[str, str]) -> None:
    status, shown = on_a_terminal(("forget", "square"), environment, b"n\n")
    assert (status, "Nothing was forgotten" in shown) == (1, True)

    status, shown = on_a_terminal(("forget", "square"), environment, b"y\n")
    assert (status, "Forget square (1 version) for good?" in shown) == (0, True)
    assert square("run", "square", "7").returncode == 1


@pytest.mark.parametrize(
    "words", [("list",), ("help",), ("run", "1"), ("doctor", "--json"), ("show", "square", "--json")]
)
def test_a_broken_pipe_ends_quietly(square: Process, words: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = square(*words, stdout=writing)
    finally:
        os.close(writing)

    assert (done.returncode, done.stderr) == (141, b"")


def test_ctrl_c_cancels_a_run(environment: dict[str, str]) -> None:
    """The run is under way as soon as its trace begins; the first interrupt ends it with an answer."""
    running = subprocess.Popen(
        command("run", ENDLESS, "--fuel", "5000000", "--json"), env={**environment, "PIF_DEBUG": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert running.stderr is not None
    assert running.stderr.readline()
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=120)

    assert running.returncode == 130
    assert json.loads(out)["error"]["kind"] == "cancelled"


def test_help_loads_nothing_heavy(environment: dict[str, str]) -> None:
    """`pif --help` imports click and our own commands, and neither the evaluator nor any large library."""
    script = (
        "import sys\nfrom registry.cli.pif import main\nstatus = main(['--help'])\n"
        "heavy = {'mcp', 'rich', 'sqlite3', 'asyncio', 'platformdirs', 'pydantic', 'pif.run.evaluate', 'registry.workspace.workspace'}\n"
        "print(sorted(heavy.intersection(sys.modules)), status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert done.stdout.splitlines()[-1] == "[] 0"


def test_version(process: Process) -> None:
    assert re.fullmatch(rb"pif \d+\.\d+\.\d+\n", process("--version").stdout)
