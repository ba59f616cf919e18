"""How both commands end and what they write to: full disks, closed streams, one pipe for both streams, interrupts."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from registry.cli.terminal.process import run_program
from tests.support.files.command_lines import SQUARE, command

FULL = "/dev/full"
SUM = ("run", '{"add": [1, 2]}')
Shell = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def shell(environment: dict[str, str], tmp_path: Path) -> Shell:
    """Run a command with redirections that a shell makes: `shell("run", "1", redirected=">&-")`."""

    def run(
        *arguments: str, redirected: str, program: str = "pif", input: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        line = f"{shlex.join(command(*arguments, program=program))} {redirected}"
        return subprocess.run(
            ["sh", "-c", line], env=environment, cwd=tmp_path, input=input, capture_output=True, timeout=60,
            check=False,
        )  # fmt: skip

    return run


def test_what_is_said_first_stands_first_in_one_pipe(shell: Shell) -> None:
    """A warning comes before the answer it is about, though standard output waits and standard error does not."""
    done = shell("evolve", '{"app": ["nowhere", 1]}', "--name", "t", "--description", "", redirected="2>&1")
    lines = done.stdout.decode().splitlines()

    assert done.returncode == 0, done.stdout
    assert lines[0].startswith("warning: ")
    assert lines[2].startswith("t@1 created")


def test_a_usage_error_comes_behind_what_was_printed(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a.kleis").write_text('example "first" { assert(1 = 1) }')
    done = shell("test", "a.kleis", "--example", "other", redirected="2>&1", program="kleis")

    lines = done.stdout.decode().splitlines()
    assert done.returncode == 2
    assert lines[0].startswith("none a.kleis")
    assert lines[-1].startswith("Error: no example")


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("pif", SUM),
        ("pif", ("list", "--json")),
        ("pif", ("help",)),
        ("pif", ("--help",)),
        ("kleis", ("eval", "1+1")),
        ("kleis", ("--version",)),
    ],
)
@pytest.mark.parametrize("unbuffered", [False, True])
def test_output_that_cannot_be_written(
    shell: Shell,
    environment: dict[str, str],
    program: str,
    words: tuple[str, ...],
    unbuffered: bool,
) -> None:
    if unbuffered:
        environment["PYTHONUNBUFFERED"] = "1"
    done = shell(*words, redirected=f"> {FULL}", program=program)

    assert done.returncode == 1
    assert done.stderr.decode().startswith(f"{program}: ")
    assert done.stderr.endswith(b"No space left on device\n")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("redirected", [f"2> {FULL}", f"> {FULL} 2>&1", f"> {FULL} 2>&-"])
@pytest.mark.parametrize("words", [("run", "nothing-here"), ("--nonsense",)])
def test_complaints_that_cannot_be_written(shell: Shell, redirected: str, words: tuple[str, ...]) -> None:
    done = shell(*words, redirected=redirected)

    assert (done.returncode in (1, 2), done.stdout, done.stderr) == (True, b"", b"")


@pytest.mark.parametrize(
    ("program", "words", "redirected", "status", "out"),
    [
        ("pif", SUM, ">&-", 0, b""),
        ("pif", SUM, "2>&-", 0, b"3\n"),
        ("pif", SUM, "<&-", 0, b"3\n"),
        ("pif", SUM, "<&- >&- 2>&-", 0, b""),
        ("pif", ("run", "nothing-here"), "2>&-", 1, b""),
        ("pif", ("--nonsense",), "2>&- >&-", 2, b""),
        ("kleis", ("eval", "1+1"), ">&-", 0, b""),
        ("kleis", ("eval", "1+1"), "2>&-", 0, b"2\n"),
        ("kleis", ("check", "-"), "<&-", 0, b"ok -\n"),
    ],
)
def test_closed_streams(
    shell: Shell, program: str, words: tuple[str, ...], redirected: str, status: int, out: bytes
) -> None:
    done = shell(*words, redirected=redirected, program=program)

    assert (done.returncode, done.stdout, done.stderr) == (status, out, b"")


def test_closed_standard_input_is_an_empty_text(shell: Shell) -> None:
    done = shell("run", "-", redirected="<&-")

    assert done.returncode == 1
    assert b"standard input is not JSON" in done.stderr


def test_no_file_of_ours_takes_a_closed_descriptor(shell: Shell, tmp_path: Path) -> None:
    """The store is opened while the three descriptors are the null device, and not one of our files."""
    made = shell("evolve", SQUARE, "--name", "square", "--description", "", redirected="<&- >&- 2>&-")

    assert made.returncode == 0
    assert shell("run", "square", "7", redirected="").stdout == b"49\n"


@pytest.mark.parametrize("redirected", ["<&-", ">&-", "<&- >&-"])
def test_a_server_needs_standard_input_and_output(shell: Shell, redirected: str) -> None:
    done = shell("serve", redirected=redirected)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"pif serve: standard input and output must be open\n"


def test_a_server_needs_no_standard_error(shell: Shell) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}  # fmt: skip
    done = shell("serve", redirected="2>&-", input=json.dumps(hello).encode() + b"\n")

    assert done.returncode == 0
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "pif"


@pytest.mark.parametrize("program", ["pif", "kleis"])
@pytest.mark.parametrize(
    "library", ["click", "typing", "registry.cli.terminal.characters", "registry.cli.terminal.commands"]
)
def test_an_interrupt_while_libraries_are_imported(
    environment: dict[str, str], program: str, library: str
) -> None:
    """As if Ctrl-C were pressed in the first instant: an end without a traceback."""
    script = (
        "import sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {library!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        f"from registry.cli.{program} import main\nsys.exit(main(['--nonsense']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, timeout=60, check=False
    )

    said = b"" if library == "typing" else b"interrupted\n"  # so early there is nothing to say it with
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", said)


@pytest.mark.parametrize("program", ["pif", "kleis"])
def test_a_reader_of_help_that_is_gone(environment: dict[str, str], program: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command("--help", program=program), env=environment, stdout=writing, stderr=subprocess.PIPE,
            timeout=60, check=False,
        )  # fmt: skip
    finally:
        os.close(writing)

    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("program", ["pif", "kleis"])
def test_nothing_asked_for(shell: Shell, program: str) -> None:
    """The help alone, on standard error: nothing was asked, so nothing is answered."""
    done = shell(redirected="", program=program)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == shell("--help", redirected="", program=program).stdout
    assert b"Error" not in done.stderr


def test_a_misspelt_command_of_kleis(shell: Shell) -> None:
    assert b"Did you mean 'check'?" in shell("chekc", redirected="", program="kleis").stderr


def test_a_file_that_fails_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def load() -> click.Command:
        return click.Command((tmp_path / "missing").read_text())

    assert run_program("pif", load, []) == 1
    assert capsys.readouterr().err == f"pif: {tmp_path / 'missing'}: No such file or directory\n"


def test_a_shell_is_told_how_a_word_goes_on(shell: Shell, environment: dict[str, str]) -> None:
    environment.update({"_PIF_COMPLETE": "bash_complete", "COMP_WORDS": "pif evo", "COMP_CWORD": "1"})

    assert b"evolve" in shell(redirected="").stdout


def test_a_process_ends_after_its_threads_and_exit_handlers(environment: dict[str, str]) -> None:
    """Its end is abrupt, but nothing that was to be done before it is left out; nothing of the interpreter's end is done."""
    script = """
import atexit, sys, threading, time, click
from registry.cli.terminal.process import run_process

class Kept:
    def __del__(self):
        print("freed")

@click.command()
def work():
    atexit.register(print, "handler", end="")
    threading.Thread(target=lambda: (time.sleep(0.1), print("thread"))).start()
    print("command")
    return 7

kept = Kept()
sys.exit(run_process("work", lambda: work, []))
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.stdout, done.stderr, done.returncode) == ("command\nthread\nhandler", "", 7)
