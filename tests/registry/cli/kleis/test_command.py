"""The command itself: exit status, streams, colours, usage, interruption, show and fmt."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from registry.cli.terminal import plain_output
from tests.support.files.command_lines import plain_environment


@pytest.mark.parametrize(
    "arguments",
    [
        ("unknown",),
        ("check",),
        ("check", "--nonsense", "x.kleis"),
        ("check", "missing.kleis"),
        ("test", "empty"),
        ("check", "x.kleis", "--path", "missing"),
        ("eval",),
        ("show", "missing.kleis"),
    ],
)
def test_a_wrong_command_is_status_2_and_says_so_on_standard_error(
    kleis: Callable[..., Any], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "empty").mkdir()
    answer = kleis(*arguments)
    assert answer.status == 2
    assert answer.out == ""
    assert answer.err != ""


def test_a_mistyped_file_name_is_guessed(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(policy="")
    assert "did you mean policy.kleis?" in kleis("check", "polcy.kleis").err


def test_help_and_version(process: Callable[..., Any]) -> None:
    assert process("--version").out.startswith("kleis ")
    answer = process("--help")
    assert answer.status == 0
    for command in ("check", "test", "eval", "fmt", "show"):
        assert command in answer.out


def test_help_imports_no_phase_of_the_language() -> None:
    program = (
        "import sys, registry.cli.kleis as k; status = k.main(['--help']); "
        "print(sorted(m for m in sys.modules if m in ('kleis.syntax.parser.parser', 'lark', 'regex', 'rich', 'rpds', 'mcp')), "
        "status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=plain_environment()
    )
    assert done.stdout.splitlines()[-1] == "[] 0"


def test_an_interruption_is_status_130(kleis: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(names: object) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr("registry.cli.kleis.shared.named_files.expand", interrupt)
    answer = kleis("check", "x.kleis")
    assert (answer.status, answer.out, answer.err) == (130, "", "interrupted\n")


def test_a_reader_that_goes_away_is_no_traceback(write: Callable[..., None]) -> None:
    write(long="\n".join(f"define f{index}(x) = x + {index}" for index in range(20000)))
    command = [sys.executable, "-m", "registry.cli.kleis", "show", "long.kleis"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=plain_environment()
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.parametrize("command", ["check", "test"])
def test_a_file_name_that_is_no_unicode(process: Callable[..., Any], command: str) -> None:
    name = os.fsdecode(b"bad\xff.kleis")
    Path(name).write_text('example "a" { assert(1 = 1) }')
    plain = process(command, name)
    assert plain.status == 0, plain.err
    answer = process(command, "--json", name)
    assert answer.status == 0, answer.err
    assert answer.json["files"][0]["file"] == name


def test_output_is_the_same_in_every_locale(process: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main="define f(x) = x ∧ x")
    answer = process("show", "main.kleis", environment={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (answer.status, answer.out) == (0, "define f(x) = x ∧ x\n")


C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize("environment", [{}, C_LOCALE])
def test_texts_are_read_the_same_in_every_locale(
    process: Callable[..., Any], environment: dict[str, str]
) -> None:
    assert process("eval", '"é∀"', environment=environment).out == '"é∀"\n'
    assert process("eval", "-", text='"é∀"', environment=environment).out == '"é∀"\n'


@pytest.mark.parametrize("text", ["-5", "-5 + 1"])
def test_a_negative_number_is_no_option(kleis: Callable[..., Any], text: str) -> None:
    assert kleis("eval", text).out == kleis("eval", f"({text})").out != ""


def test_a_place_in_a_negative_number(kleis: Callable[..., Any]) -> None:
    assert kleis("eval", "-5 +").err.startswith("<expression>:1:5: ")


def test_standard_input_that_is_no_text(kleis: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for command in (("eval", "-"), ("fmt", "-"), ("show", "-")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 + \xff")))
        answer = kleis(*command)
        assert (answer.status, answer.out) == (1, ""), command
        assert "the byte 0xff is no UTF-8" in answer.err


class Terminal:
    """A stream somebody looks at."""

    def __init__(self, *, watched: bool = True) -> None:
        self.text = ""
        self.watched = watched

    def isatty(self) -> bool:
        return self.watched

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def shown(monkeypatch: pytest.MonkeyPatch, text: str, *, watched: bool, **environment: str) -> str:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = Terminal(watched=watched)
    monkeypatch.setattr(sys, "stdout", stream)
    plain_output.say_row("ok", text, style="good")
    plain_output.say(text, style="good")
    return stream.text


def test_colour_only_on_a_terminal_that_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" in shown(monkeypatch, "text", watched=True)
    assert "\x1b[" not in shown(monkeypatch, "text", watched=False)
    assert "\x1b[" not in shown(monkeypatch, "text", watched=True, NO_COLOR="1")
    assert "\x1b[" not in shown(monkeypatch, "text", watched=True, TERM="dumb")


def test_a_program_cannot_steer_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    attack = "\x1b]0;owned\x07\r\x9b2J"
    assert attack not in shown(monkeypatch, attack, watched=True, NO_COLOR="1")
    assert "\\u001b]0;owned\\u0007\\u000d\\u009b2J" in shown(monkeypatch, attack, watched=True, NO_COLOR="1")
    assert attack in shown(monkeypatch, attack, watched=False)


def test_show_prints_canonical_text(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main="define f(x)=x<=1 and   true")
    assert kleis("show", "main.kleis") == (0, "define f(x) = x ≤ 1 ∧ true\n", "")
    assert kleis("show", "main.kleis", "--ascii").out == "define f(x) = x <= 1 and true\n"


def test_show_tree_gives_every_node_its_place(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main="define f(x) =\n  x + 1")
    assert kleis("show", "main.kleis", "--tree").out.splitlines() == [
        "FunctionDefinition name='f'  @1:1",
        "  parameters[0]: Parameter name='x'  @1:10",
        "  body: Call name='plus'  @2:3",
        "    arguments[0]: Name name='x'  @2:3",
        "    arguments[1]: Number text='1'  @2:7",
    ]


def test_show_prints_what_could_be_read(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main="define f(x) = x\ndefine =\ndefine g(x) = x")
    answer = kleis("show", "main.kleis")
    assert answer.status == 1
    assert answer.out == "define f(x) = x\ndefine g(x) = x\n"
    assert "main.kleis:2:" in answer.err


def test_fmt_in_place_and_check(
    kleis: Callable[..., Any], write: Callable[..., None], tmp_path: Path
) -> None:
    write(main="define f( x ,y ) = x and y // keep me\n\n\n\ndefine g = 1")
    path = tmp_path / "main.kleis"
    path.chmod(0o640)
    before = path.read_text()
    assert kleis("fmt", "--check", "main.kleis")[:2] == (1, "would change main.kleis\n")
    assert path.read_text() == before
    assert kleis("fmt", "main.kleis").status == 0
    after = path.read_text()
    assert "∧" in after
    assert "// keep me" in after
    assert path.stat().st_mode & 0o777 == 0o640
    assert kleis("fmt", "--check", "main.kleis") == (0, "", "")
    assert kleis("fmt", "--ascii", "main.kleis").status == 0
    assert path.read_text().isascii()
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".main")] == []


def test_fmt_leaves_a_broken_file_alone(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main="define f(x =   1")
    answer = kleis("fmt", "main.kleis")
    assert answer.status == 1
    assert "main.kleis:1:" in answer.err
    assert Path("main.kleis").read_text() == "define f(x =   1"


def test_fmt_writes_through_a_link(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(real="define f(x) = x and x\n")
    Path("link.kleis").symlink_to("real.kleis")
    assert kleis("fmt", "link.kleis").status == 0
    assert Path("link.kleis").is_symlink()
    assert "∧" in Path("real.kleis").read_text()


def test_fmt_of_standard_input(process: Callable[..., Any]) -> None:
    answer = process("fmt", "-", text="define f(x) = x and x")
    assert (answer.status, answer.out.strip()) == (0, "define f(x) = x ∧ x")
