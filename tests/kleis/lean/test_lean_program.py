"""A Lean that ends well, fails, hangs, floods or crashes; what it sees, and what is left of it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from kleis.lean.lean_program import Lean, Limits, Reading, find_lean, read_text
from tests.support.provers.fake_lean import VERSION, install

LITTLE = Limits(seconds=60.0, processor=60, output=10_000)
SOON = Limits(seconds=0.5, processor=5)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join([str(programs), "/bin", "/usr/bin"]))
    monkeypatch.chdir(tmp_path)
    return programs


def reading(folder: Path, script: str, limits: Limits = LITTLE) -> Reading:
    install(folder, script)
    lean = find_lean()
    assert lean is not None
    return read_text(lean, "theorem one : 1 = 1 := rfl\n", limits)


def test_no_lean(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))
    assert find_lean() is None


def test_the_lean_of_the_path_and_of_a_lake_project(folder: Path, tmp_path: Path) -> None:
    install(folder, "")
    assert find_lean() == Lean((str(folder / "lean"),), VERSION)
    (folder / "lean").rename(folder / "lake")
    assert find_lean() is None
    (tmp_path / "lakefile.toml").write_text("")
    assert find_lean() == Lean((str(folder / "lake"), "env", "lean"), VERSION)
    assert find_lean(folder) is None


def test_messages_and_a_good_end(folder: Path) -> None:
    found = reading(folder, "say('warning', 1, 'unused')\nprint('a line of its own')\nprint('[1]')")
    assert (found.ended, found.status, found.errors) == ("itself", 0, ())
    assert [(each.severity, each.line, each.text) for each in found.messages] == [("warning", 1, "unused")]


def test_errors_and_a_failure_without_one(folder: Path) -> None:
    named = reading(folder, "say('error', 1, 'no')\nsys.exit(1)")
    silent = reading(folder, "print('gone', file=sys.stderr)\nsys.exit(3)")
    assert [(each.line, each.text) for each in named.errors] == [(1, "no")]
    assert [(each.line, each.text) for each in silent.errors] == [(0, "gone")]


@pytest.mark.parametrize(
    ("script", "ended", "reason"),
    [
        ("signal.pause()", "time", "within 0.5 s"),
        ("os.close(1); os.close(2); signal.pause()", "time", "within 0.5 s"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "signal", "signal 11"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "signal", "signal 9"),
    ],
)
def test_a_lean_that_does_not_end_by_itself(folder: Path, script: str, ended: str, reason: str) -> None:
    found = reading(folder, script, SOON if ended == "time" else LITTLE)
    assert found.ended == ended
    assert reason in found.reason


def test_a_flood(folder: Path) -> None:
    found = reading(folder, "while True:\n    say('error', 1, 'x' * 1000)")
    assert found.ended == "output"
    assert len(found.messages) <= 10


def test_memory_is_limited(folder: Path) -> None:
    script = "try:\n    x = bytearray(3 << 30)\nexcept MemoryError:\n    say('error', 1, 'no memory')"
    found = reading(folder, script, Limits(seconds=60.0, processor=60, addresses=1 << 30))
    assert [each.text for each in found.errors] == ["no memory"]


def test_it_sees_no_key(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARISTOTLE_API_KEY", "secret")
    found = reading(folder, "say('warning', 1, ' '.join(sorted(os.environ)))")
    assert "PATH" in found.messages[0].text
    assert "ARISTOTLE" not in found.messages[0].text


def test_nothing_of_it_is_left(folder: Path, tmp_path: Path) -> None:
    held = tmp_path / "held"
    script = f"""import fcntl
stream = open({str(held)!r}, "w")
fcntl.flock(stream, fcntl.LOCK_EX)
if os.fork() == 0:
    signal.pause()
"""
    assert reading(folder, script + "os.close(1); signal.pause()", SOON).ended == "time"
    with held.open() as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)  # waits for ever if a child of the fake still holds it


def test_a_program_that_cannot_be_run(folder: Path) -> None:
    found = read_text(Lean((str(folder / "missing"),), ""), "", LITTLE)
    assert found.errors
