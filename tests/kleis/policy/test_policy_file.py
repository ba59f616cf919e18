"""A policy that follows its file: reloaded as a whole; the old one is kept while the new text is broken."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from kleis.policy.decision import Decision
from kleis.policy.policy_file import QUIET, SETTLED, PolicyFile

ALLOW = 'define check_file_edit(path) = "allow"\n'
DENY = 'define check_file_edit(path) = "deny"\n'


class Clock:
    """Time that is as far ahead of the real one as a test says."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def now(self) -> float:
        return time.time() + self.ahead

    def elapsed(self) -> float:
        return self.ahead

    def pass_by(self, seconds: float) -> None:
        self.ahead += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "agent.kleis"
    found.write_text(ALLOW)
    return found


@pytest.fixture
def file(path: Path, clock: Clock) -> PolicyFile:
    opened = PolicyFile(path, now=clock.now, elapsed=clock.elapsed)
    clock.pass_by(1)
    opened.current()
    return opened


def decided(file: PolicyFile) -> Decision:
    return file.current().decide("file_edit", {"path": "x"})


def test_a_change_is_taken_up(file: PolicyFile, path: Path, clock: Clock) -> None:
    assert decided(file).allowed
    path.write_text(DENY)
    clock.pass_by(1)
    assert not decided(file).allowed
    path.write_text(ALLOW)
    clock.pass_by(1)
    assert decided(file).allowed
    assert file.state() == "fresh"


PUSH = 'define check_git_push(branch, force) = "deny"\n'


def test_the_first_half_of_a_slow_writer_is_no_policy(path: Path, clock: Clock) -> None:
    """It parses, and lacks a rule: every push would be left to the default."""
    path.write_text(ALLOW + PUSH)
    file = PolicyFile(path, now=clock.now, elapsed=clock.elapsed)
    clock.pass_by(1)

    def pushed() -> bool:
        return file.current().decide("git_push", {"branch": "x"}).allowed

    assert not pushed()
    path.write_text(DENY)
    clock.pass_by(QUIET * 2)
    assert not pushed()
    assert file.state() == "changing"
    clock.pass_by(SETTLED / 2)
    assert not pushed()
    path.write_text(DENY + PUSH)
    clock.pass_by(QUIET * 2)
    assert not pushed()
    assert not decided(file).allowed
    clock.pass_by(SETTLED * 2)
    assert not pushed()


def test_a_rule_that_is_taken_out_is_gone_once_the_file_has_settled(path: Path, clock: Clock) -> None:
    path.write_text(ALLOW + PUSH)
    file = PolicyFile(path, now=clock.now, elapsed=clock.elapsed)
    clock.pass_by(1)
    file.current()
    path.write_text(ALLOW)
    clock.pass_by(QUIET * 2)
    assert not file.current().decide("git_push", {"branch": "x"}).allowed
    clock.pass_by(SETTLED)
    assert file.state() == "stale"
    assert file.current().decide("git_push", {"branch": "x"}).allowed
    assert file.state() == "fresh"
    assert not file.served.problem


def test_a_file_that_is_being_written_is_not_read(file: PolicyFile, path: Path, clock: Clock) -> None:
    clock.ahead = -1.0
    path.write_text("")
    assert file.state() == "changing"
    assert decided(file).allowed
    with path.open("a") as writing:
        writing.write(DENY)
    assert file.state() == "changing"
    clock.pass_by(QUIET * 2)
    assert file.state() == "stale"
    assert not decided(file).allowed


def test_an_old_change_is_read_at_once(file: PolicyFile, path: Path, clock: Clock) -> None:
    path.write_text(DENY)
    clock.pass_by(3600)
    assert file.state() == "stale"


def test_a_change_in_the_same_second_and_of_the_same_size_is_seen(
    file: PolicyFile, path: Path, clock: Clock
) -> None:
    before = path.stat()
    path.write_text(ALLOW.replace("allow", "never"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    clock.pass_by(1)
    assert not decided(file).allowed


def test_a_change_while_the_clock_is_wrong_is_taken_up(file: PolicyFile, path: Path, clock: Clock) -> None:
    """A file from the future is read once it has been seen unchanged for a while."""
    clock.ahead = -3600.0
    path.write_text(DENY)
    assert file.state() == "changing"
    clock.pass_by(QUIET * 2)
    assert not decided(file).allowed


@pytest.mark.parametrize(
    "text", ["define check_file_edit(", 'import "missing.kleis"\n', "\0\xff", "data A = B\ndata A = C"]
)
def test_a_broken_text_keeps_the_policy_and_is_told(
    file: PolicyFile, path: Path, clock: Clock, text: str
) -> None:
    path.write_text(text, encoding="latin-1")
    clock.pass_by(1)
    found = decided(file)
    assert found.allowed
    assert "cannot be loaded" in found.problem
    assert "stays in force" in found.problem
    assert found.as_dict()["policy_problem"] == found.problem
    path.write_text(DENY)
    clock.pass_by(1)
    assert decided(file).problem == ""
    assert not decided(file).allowed


def test_an_emptied_file_does_not_open_the_gate(file: PolicyFile, path: Path, clock: Clock) -> None:
    path.write_text(DENY)
    clock.pass_by(1)
    assert not decided(file).allowed
    for text in ("", "// nothing here any more\n"):
        path.write_text(text)
        clock.pass_by(1)
        assert not decided(file).allowed
        assert "no rules any more" in decided(file).problem


def test_a_file_that_is_gone_keeps_the_policy(file: PolicyFile, path: Path, clock: Clock) -> None:
    path.unlink()
    clock.pass_by(1)
    assert decided(file).allowed
    assert "there is no file" in decided(file).problem


def test_a_changed_import_is_taken_up(tmp_path: Path, clock: Clock) -> None:
    shared = tmp_path / "shared.kleis"
    shared.write_text('define verdict = "allow"\n')
    main = tmp_path / "main.kleis"
    main.write_text('import "shared.kleis"\ndefine check_file_edit(path) = verdict\n')
    file = PolicyFile(main, now=clock.now, elapsed=clock.elapsed)
    clock.pass_by(1)
    assert decided(file).allowed
    shared.write_text('define verdict = "deny"\n')
    clock.pass_by(1)
    assert not decided(file).allowed


def test_without_any_policy_everything_is_denied(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "later.kleis"
    file = PolicyFile(path, now=clock.now, elapsed=clock.elapsed)
    for action in ("file_edit", "run_command", "nonsense", None):
        found = file.current().decide(action, {"path": "x", "command": "x"})
        assert not found.allowed
        assert "no policy is in force" in found.reason
    path.write_text(ALLOW)
    clock.pass_by(5)
    assert decided(file).allowed


def test_what_an_import_lacked_may_come_later(tmp_path: Path, clock: Clock) -> None:
    main = tmp_path / "main.kleis"
    main.write_text('import "late.kleis"\n' + ALLOW)
    file = PolicyFile(main, now=clock.now, elapsed=clock.elapsed)
    clock.pass_by(1)
    assert not decided(file).allowed
    (tmp_path / "late.kleis").write_text("define helper = 1\n")
    clock.pass_by(5)
    assert decided(file).allowed


def test_a_replaced_file_is_read(file: PolicyFile, path: Path, clock: Clock) -> None:
    other = path.with_name("new.kleis")
    other.write_text(DENY)
    other.replace(path)
    clock.pass_by(1)
    assert not decided(file).allowed
