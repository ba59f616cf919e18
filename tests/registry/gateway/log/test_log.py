"""Logs: chained, signed, and found out when they are changed without the key."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis.errors import KleisError
from registry.cli.pif.gateway_views import calls_of
from registry.gateway.log import writing
from registry.gateway.log.chain import digest, line_of
from registry.gateway.log.key import PUBLIC, open_key, read_public
from registry.gateway.log.records import Asked, Outcome, Refused, Unlogged
from registry.gateway.log.refusals import BURST, PERIOD, PRINCIPALS
from registry.gateway.log.verifying import Verified, fields_of, read_lines, verify
from registry.gateway.log.writing import CHECKPOINT_LINES, ChainedLog
from tests.support.terms.recursion import recursion_limit

CALL = Asked(
    principal="ann", kind="tool", server="files", name="read", arguments=b'{"path":"/secret"}', policy="sha256:1", rule="check_call",
    decision="allow", reason="", forwarded=True,
)  # fmt: skip


def written(
    folder: Path, calls: int = 3, *, close: bool = True, now: Callable[[], float] = lambda: 0.0
) -> ChainedLog:
    log = ChainedLog(folder, open_key(folder), {"mode": "enforce"}, now=now)
    for _ in range(calls):
        log.after(log.before(CALL), Outcome(milliseconds=1.5, size=7))
    if close:
        log.close()
    return log


def checked(folder: Path, path: Path) -> Verified:
    return verify(path, read_public((folder / PUBLIC).read_text()))


@pytest.mark.parametrize(
    "line", [b"[" * 200_000, b'{"line": ' * 100_000, b"\xff", b"[]", b""], ids=lambda each: repr(each[:9])
)
def test_a_line_that_is_none_is_read_as_none(line: bytes) -> None:
    with recursion_limit(300_000):
        assert fields_of(line) is None


def test_what_was_written_is_sound_and_signed(tmp_path: Path) -> None:
    log = written(tmp_path)
    found = checked(tmp_path, log.path)
    assert (found.problem, found.lines, found.calls, found.signed, found.is_torn) == ("", 8, 3, 8, False)
    lines = [json.loads(each) for each in read_lines(log.path)[0]]
    assert [each["line"] for each in lines] == ["begin", *["call", "outcome"] * 3, "checkpoint"]
    assert lines[2] == {
        "n": 2,
        "before": lines[2]["before"],
        "line": "outcome",
        "of": 1,
        "time": 0.0,
        "ms": 1.5,
        "size": 7,
        "error": "",
    }
    assert "secret" not in log.path.read_text()
    assert found.last == digest(read_lines(log.path)[0][-1])
    assert log.path.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "gateway-key").stat().st_mode & 0o777 == 0o600


def test_checkpoints_come_after_lines_and_after_time(tmp_path: Path) -> None:
    many = written(tmp_path / "a", CHECKPOINT_LINES, close=False)
    assert checked(tmp_path / "a", many.path).signed > CHECKPOINT_LINES
    moment = iter(range(0, 100_000, 3))
    slow = written(tmp_path / "b", 4, close=False, now=lambda: float(next(moment)))
    assert checked(tmp_path / "b", slow.path).signed > 0


def changes(lines: list[bytes]) -> dict[str, list[bytes]]:
    """What one can do to a log without its key."""
    changed = lines[3].replace(b'"allow"', b'"deny" ')
    assert changed != lines[3]
    return {
        "a line changed": [*lines[:3], changed, *lines[4:]],
        "a line taken out": [*lines[:3], *lines[4:]],
        "a line put in": [*lines[:3], lines[3], *lines[3:]],
        "two lines swapped": [*lines[:3], lines[4], lines[3], *lines[5:]],
        "the first line taken out": lines[1:],
        "rubbish put in": [*lines[:3], b"rubbish", *lines[3:]],
        "nothing left": [],
    }


@pytest.mark.parametrize("what", list(changes([b'"allow"'] * 6)))
def test_what_is_changed_is_found(tmp_path: Path, what: str) -> None:
    log = written(tmp_path)
    lines, _ = read_lines(log.path)
    log.path.write_bytes(b"".join(each + b"\n" for each in changes(lines)[what]))
    assert checked(tmp_path, log.path).problem


def test_a_chain_that_is_made_anew_fails_at_the_signature(tmp_path: Path) -> None:
    log = written(tmp_path)
    lines, _ = read_lines(log.path)
    before, forged = "", []
    for line in lines:
        fields = {**json.loads(line), "before": before}
        if fields["line"] == "call":
            fields["decision"] = "deny"
        forged.append(json.dumps(fields, separators=(",", ":")).encode())
        before = digest(forged[-1])
    log.path.write_bytes(b"".join(each + b"\n" for each in forged))
    found = checked(tmp_path, log.path)
    assert "signature" in found.problem
    assert found.at == len(lines)


def test_another_key_and_lines_of_another_log_are_found(tmp_path: Path) -> None:
    one, two = written(tmp_path / "one"), written(tmp_path / "two")
    assert "another key" in checked(tmp_path / "two", one.path).problem
    again = written(tmp_path / "one")
    mixed = [*read_lines(one.path)[0][:3], *read_lines(again.path)[0][3:]]
    one.path.write_bytes(b"".join(each + b"\n" for each in mixed))
    assert checked(tmp_path / "one", one.path).problem
    assert checked(tmp_path / "two", two.path).is_sound


def test_what_cannot_be_found_is_said_a_cut_after_a_checkpoint(tmp_path: Path) -> None:
    log = written(tmp_path, CHECKPOINT_LINES)
    lines, _ = read_lines(log.path)
    end = next(place for place, each in enumerate(lines) if b'"checkpoint"' in each) + 1
    log.path.write_bytes(b"".join(each + b"\n" for each in lines[:end]))
    found = checked(tmp_path, log.path)
    assert found.is_sound
    assert found.signed == found.lines == end


def test_a_torn_last_line_is_no_line(tmp_path: Path) -> None:
    log = written(tmp_path)
    with log.path.open("ab") as file:
        file.write(b'{"n":8,"before":')
    found = checked(tmp_path, log.path)
    assert (found.is_sound, found.is_torn, found.lines) == (True, True, 8)


def test_a_line_that_is_written_in_part_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = written(tmp_path, close=False)
    real = os.write
    monkeypatch.setattr(writing.os, "write", lambda descriptor, text: real(descriptor, text[:10]))
    with pytest.raises(Unlogged):
        log.before(CALL)
    monkeypatch.undo()
    log.before(CALL)
    log.close()
    assert checked(tmp_path, log.path).is_sound


def test_a_log_that_cannot_be_mended_takes_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = written(tmp_path, close=False)

    def fails(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "write", fails)
    monkeypatch.setattr(writing.os, "ftruncate", fails)
    with pytest.raises(Unlogged, match="No space left"):
        log.before(CALL)
    monkeypatch.undo()
    with pytest.raises(Unlogged):
        log.before(CALL)
    assert checked(tmp_path, log.path).is_sound


def test_with_fsync_each_line_is_brought_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(writing.os, "fsync", synced.append)
    log = ChainedLog(tmp_path, open_key(tmp_path), {}, fsync=True)
    before = len(synced)
    log.before(CALL)
    assert len(synced) == before + 1
    log.close()


def test_keys_are_made_once_and_read_strictly(tmp_path: Path) -> None:
    assert open_key(tmp_path).private_bytes_raw() == open_key(tmp_path).private_bytes_raw()
    (tmp_path / "gateway-key").write_bytes(b"short")
    with pytest.raises(KleisError, match="is no key"):
        open_key(tmp_path)
    with pytest.raises(KleisError, match="is no public key"):
        read_public("nothing")


@settings(max_examples=40)
@given(st.data())
def test_no_byte_of_a_signed_line_can_be_changed(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("log")
    log = written(folder)
    text = bytearray(log.path.read_bytes())
    place = data.draw(st.integers(0, len(text) - 1))
    text[place] ^= data.draw(st.sampled_from([1, 2, 8, 32]))
    log.path.write_bytes(bytes(text))
    found = checked(folder, log.path)
    assert not found.is_sound or found.is_torn or found.lines < 8


def test_a_checkpoint_that_cannot_be_written_refuses_the_call_before_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = iter((0.0, 0.0, 0.0, *[100.0] * 20))
    log = ChainedLog(tmp_path, open_key(tmp_path), {}, now=lambda: next(moment))
    plain = os.write

    def full(descriptor: int, data: bytes) -> int:
        if b'"checkpoint"' in data:
            raise OSError(28, "No space left on device")
        return plain(descriptor, data)

    log.before(CALL)
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(Unlogged, match="No space"):
        log.before(CALL)
    assert checked(tmp_path, log.path).calls == 1, "no line says that the call was forwarded"
    monkeypatch.undo()
    log.before(CALL)
    log.close()
    assert (checked(tmp_path, log.path).problem, checked(tmp_path, log.path).calls) == ("", 2)


def test_after_a_failed_fsync_nothing_is_logged_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = ChainedLog(tmp_path, open_key(tmp_path), {}, fsync=True)

    def broken(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(Unlogged, match="Input/output"):
        log.before(CALL)
    monkeypatch.undo()
    with pytest.raises(Unlogged, match="Input/output"):
        log.before(CALL)
    log.close()


def test_a_log_without_its_beginning_is_none(tmp_path: Path) -> None:
    log = written(tmp_path)
    forged = line_of(0, "", "call", {"principal": "ann", "decision": "allow"})
    log.path.write_bytes(forged + b"\n")
    found = checked(tmp_path, log.path)
    assert (found.is_sound, found.at) == (False, 1)


def refused(number: int, principal: str = "eve") -> Refused:
    return Refused(principal=principal, method="tools/call", name=f"x{number}", reason="no server")


def lines_of(log: ChainedLog) -> list[dict[str, Any]]:
    return [json.loads(each) for each in read_lines(log.path)[0]]


def test_a_flood_of_refusals_is_counted_and_fills_no_disk(tmp_path: Path) -> None:
    time = [0.0]
    log = written(tmp_path, 1, close=False, now=lambda: time[0])
    for number in range(5_000):
        log.refused(refused(number))
    log.refused(refused(0, "ann"))  # one who floods hides nobody else
    flood = log.path.stat().st_size
    assert [each["principal"] for each in lines_of(log) if each["line"] == "refused"] == ["eve"] * BURST + [
        "ann"
    ]
    time[0] = PERIOD
    log.before(CALL)  # any line makes the count known
    told = [each for each in lines_of(log) if each["line"] == "refused"][-1]
    assert (told["principal"], told["name"], told["more"]) == ("eve", "x4999", 5_000 - BURST - 1)
    log.refused(refused(5_000))
    log.close()
    told = [each for each in lines_of(log) if each["line"] == "refused"][-1]
    assert (told["name"], told["more"]) == ("x5000", 0)
    assert log.path.stat().st_size < flood + 4_000
    assert checked(tmp_path, log.path).is_sound


def test_refusals_of_any_number_of_principals_and_of_any_length_are_bounded(tmp_path: Path) -> None:
    log = written(tmp_path, 0, close=False)
    for number in range(PRINCIPALS + 3 * BURST):
        log.refused(refused(number, f"principal {number}"))
    assert sum(each["line"] == "refused" for each in lines_of(log)) == PRINCIPALS + BURST
    log.close()
    last = [each for each in lines_of(log) if each["line"] == "refused"][-1]
    assert last["more"] == 2 * BURST - 1
    other = written(tmp_path, 0, close=False)
    other.refused(Refused(principal="e", method="\ud800" * 9, name="n" * 10_000, reason="r"))
    [line] = [each for each in lines_of(other) if each["line"] == "refused"]
    assert (line["method"], len(line["name"])) == ("?" * 9, writing.LONGEST)
    other.close()
    assert checked(tmp_path, other.path).is_sound


def test_the_list_of_calls_has_what_was_refused(tmp_path: Path) -> None:
    log = written(tmp_path, 1, close=False)
    log.refused(refused(1))
    log.close()
    assert [(each["line"], each["name"]) for each in calls_of([log.path])] == [
        ("call", "read"),
        ("refused", "x1"),
    ]
