"""Storage that fails under a real server: damage, full disks, missing and empty databases, disks that only read.

Every answer is right or an error of kind `store_error` that says what is affected and what to do; what was
acknowledged is there afterwards. The rows of docs/reliability.md name these tests.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from registry.errors import RegistryError
from registry.records import content_hash
from registry.store.sqlite.read_only_store import ReadOnlyStore
from registry.store.sqlite.sqlite_store import FILE_NAME, SqliteStore
from tests.support.servers.pif_server import pif_server

TOOLS = {f"tool_{number}": {"lam": "x", "body": {"add": [{"var": "x"}, number]}} for number in range(12)}
KINDS = {"store_error", "unknown_tool"}

_libc = ctypes.CDLL(None, use_errno=True)
_MS_RDONLY, _MS_REMOUNT, _MS_BIND = 1, 32, 4096


@contextmanager
def mounted(
    directory: Path, kind: str, flags: int = 0, options: str = "", source: str = "none"
) -> Iterator[None]:
    """A mount for the length of a `with`; the test is skipped where this process may not mount."""
    directory.mkdir(exist_ok=True)
    if _libc.mount(source.encode(), os.fsencode(directory), kind.encode(), flags, options.encode()) != 0:
        pytest.skip(f"mounting is not permitted here: {os.strerror(ctypes.get_errno())}")
    try:
        yield
    finally:
        _libc.umount2(os.fsencode(directory), 2)


@contextmanager
def read_only(directory: Path) -> Iterator[None]:
    """The directory on a file system that refuses every write, root's too."""
    with mounted(directory, "none", _MS_BIND, source=str(directory)):
        assert (
            _libc.mount(b"none", os.fsencode(directory), b"none", _MS_BIND | _MS_REMOUNT | _MS_RDONLY, None)
            == 0
        )
        with pytest.raises(OSError, match="Read-only"):
            (directory / "probe").write_text("")
        yield


def filled(home: Path) -> None:
    """A home with the tools of `TOOLS`, some with a description that takes pages."""
    with closing(SqliteStore(home)) as store:
        for name, code in TOOLS.items():
            text = json.dumps(code, separators=(",", ":"))
            store.evolve(name, code=text, hash=content_hash(text), description=name * 60, capabilities=[])


def contents(home: Path) -> dict[str, bytes]:
    return {
        str(each.relative_to(home)): each.read_bytes() for each in sorted(home.rglob("*")) if each.is_file()
    }


def refusal(answer: Any) -> dict[str, Any]:
    """The error of an answer, which must say what is affected and what to do."""
    assert answer["type"] == "error", answer
    error: dict[str, Any] = answer["error"]
    assert error["kind"] == "store_error"
    assert error["message"]
    assert error["hint"]
    return error


# ── Damage ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_flipped_bits_give_right_answers_or_say_what_is_damaged(tmp_path: Path) -> None:
    """One bit, at 30 random places: no wrong value, no internal error, no lost write that is not named."""
    home = tmp_path / "home"
    filled(home)
    whole = (home / FILE_NAME).read_bytes()
    chance = random.Random(19)
    told = 0
    for trial in range(30):
        place = chance.randrange(len(whole) * 8)
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        copy = tmp_path / f"flipped_{trial}"
        copy.mkdir()
        (copy / FILE_NAME).write_bytes(damaged)
        told += bool(_answers_over_damage(copy))
    assert told  # the places are of the seed: some hit


def _answers_over_damage(home: Path) -> list[str]:
    """What a workspace answers over a damaged store; every answer right or refused with `store_error`."""
    from registry.workspace import requests
    from registry.workspace.workspace import Workspace

    refused = []
    try:
        workspace = Workspace(SqliteStore(home))
    except RegistryError as error:
        assert error.kind == "store_error"
        assert error.hint
        return [error.message]
    with closing(workspace):
        for number, name in enumerate(TOOLS):
            answer: Any = workspace.run(_request(name, 5))
            if answer["type"] == "error":
                assert answer["error"]["kind"] in KINDS, answer
                refused.append(answer["error"]["message"])
            else:
                assert answer["value"] == 5 + number, answer
        listed: Any = workspace.list(requests.List())
        written: Any = workspace.evolve(
            requests.Evolve(name="new", description="d", code={"lam": "x", "body": {"var": "x"}})
        )
        for answer in (listed, written):
            if answer["type"] == "error":
                assert answer["error"]["kind"] in KINDS, answer
                refused.append(answer["error"]["message"])
        if written["type"] != "error":
            assert workspace.run(_request("new", 7))["value"] == 7
    return refused


def _request(tool: str, value: int) -> Any:
    from pif.run.evaluate import Request

    return Request(tool=tool, input=value)


def test_a_damaged_page_reaches_the_client_as_what_it_is(tmp_path: Path) -> None:
    """A real server: its list of tools is damaged too, and what needs no tool goes on."""
    home = tmp_path / "home"
    filled(home)
    path = home / FILE_NAME
    content = bytearray(path.read_bytes())
    for start in range(4096, len(content), 4096):
        content[start : start + 4096] = b"\xa5" * 4096
    path.write_bytes(content)
    with pif_server(home) as client:
        error = refusal(client.ask("run", tool="tool_1", input=1))
        assert "damaged" in error["message"]
        assert "pif doctor --repair" in error["hint"]
        assert error["file"] == str(path)
        refusal(client.ask("evolve", name="f", description="d", code={"lam": "x", "body": {"var": "x"}}))
        assert client.ask("help")["type"] != "error"


# ── Missing and empty ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("fault", ["empty", "missing", "missing with its log"])
def test_a_database_that_is_gone_is_no_new_store(tmp_path: Path, fault: str) -> None:
    home = tmp_path / "home"
    filled(home)
    path = home / FILE_NAME
    backup = path.read_bytes()
    path.unlink()
    if fault == "empty":
        path.touch()
    if fault == "missing with its log":
        (home / "tools.lock").unlink()
        (home / (FILE_NAME + "-wal")).write_bytes(b"x" * 4152)
    before = contents(home)
    for opened in (SqliteStore, ReadOnlyStore):
        with pytest.raises(RegistryError, match="but this home had tools") as refused:
            opened(home)
        assert refused.value.kind == "store_error"
        assert "backup" in str(refused.value.hint)
    after = contents(home)
    after.pop("tools.lock", None)
    before.pop("tools.lock", None)
    assert after == before
    done = subprocess.run(
        [sys.executable, "-m", "registry.cli.pif", "serve", "--home", str(home), "--groups", "pif"],
        input="",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "but this home had tools" in done.stderr
    assert "put a backup there" in done.stderr

    (home / (FILE_NAME + "-wal")).unlink(missing_ok=True)
    path.write_bytes(backup)
    with closing(SqliteStore(home)) as store:
        assert set(store.snapshot().names()) == set(TOOLS)


def test_a_new_home_and_one_whose_making_was_killed_are_made(tmp_path: Path) -> None:
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / "tools.lock").write_bytes((1).to_bytes(8, sys.byteorder))
    (tmp_path / "killed" / FILE_NAME).touch()
    for home in (tmp_path / "new", tmp_path / "killed"):
        SqliteStore(home).close()
        SqliteStore(home).close()


# ── Read-only ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_read_only_home_is_served_where_that_is_asked_for(tmp_path: Path) -> None:
    home = tmp_path / "home"
    filled(home)
    before = contents(home)
    with read_only(home):
        with pytest.raises(RegistryError, match="can be read, but not written") as refused:
            SqliteStore(home)
        assert "--read-only" in str(refused.value.hint)
        with pif_server(home, read_only=True, groups="pif,theory") as client:
            assert client.ask("evaluate", expression="∀(x : ℝ). x * x ≥ 0")["status"] == "verified"
            unkept = client.ask("submit_define", kleis="define f(x : ℤ) = x")
            assert unkept["status"] == "error"
            assert "Read-only file system" in unkept["error"]
            assert client.ask("run", tool="tool_3", input=4)["value"] == 7
            assert client.ask("list")["total"] >= len(TOOLS)
            error = refusal(
                client.ask("evolve", name="f", description="d", code={"lam": "x", "body": {"var": "x"}})
            )
            assert "read-only" in error["message"]
            assert client.ask("analyze", code="tool_1", against="tool_1")["type"] != "error"
    assert contents(home) == before


def test_read_only_changes_nothing_in_a_writable_home_either(tmp_path: Path) -> None:
    home = tmp_path / "home"
    filled(home)
    (home / "tools.lock").unlink()
    before = contents(home)
    with closing(ReadOnlyStore(home)) as store:
        assert store.mode == "still"
        assert set(store.snapshot().names()) == set(TOOLS)
        for write in (
            lambda: store.forget("tool_1"),
            lambda: store.rollback("tool_1", 1),
            lambda: store.evolve("f", code="1", hash=content_hash("1"), description="", capabilities=[]),
        ):
            with pytest.raises(RegistryError, match="served read-only") as refused:
                write()
            assert refused.value.kind == "store_error"
        store.backup(tmp_path / "backup")
    assert contents(home) == before


def test_a_replica_with_a_log_is_read_with_what_the_log_holds(tmp_path: Path) -> None:
    """The log of a killed writer holds acknowledged tools; to ignore it would lose them without a word."""
    home = tmp_path / "home"
    filled(home)
    with closing(SqliteStore(home)) as store:
        store.evolve("in_the_log", code="1", hash=content_hash("1"), description="d", capabilities=[])
        shutil.copytree(home, tmp_path / "replica", ignore=shutil.ignore_patterns("*-shm"))
        with closing(ReadOnlyStore(home)) as live:
            assert live.mode == "live"
            assert live.snapshot().record("in_the_log") is not None
            store.evolve("later", code="2", hash=content_hash("2"), description="d", capabilities=[])
            live._seen = None
            assert live.snapshot().record("later") is not None
    before = contents(tmp_path / "replica")
    with closing(ReadOnlyStore(tmp_path / "replica")) as copied:
        assert copied.mode == "copied"
        assert copied.snapshot().record("in_the_log") is not None
        assert copied.snapshot().record("later") is None
    assert contents(tmp_path / "replica") == before


def test_a_still_file_that_changes_is_opened_anew(tmp_path: Path) -> None:
    home = tmp_path / "home"
    filled(home)
    with closing(ReadOnlyStore(home)) as store:
        assert store.snapshot().record("tool_1") is not None
        with closing(SqliteStore(home)) as writer:
            writer.evolve("later", code="2", hash=content_hash("2"), description="d", capabilities=[])
        store._seen = None
        assert store.snapshot().record("later") is not None
    with pytest.raises(RegistryError, match="no store to read"):
        ReadOnlyStore(tmp_path / "nowhere")


# ── Full disks and clocks ────────────────────────────────────────────────────────────────────────────────────


def test_a_full_disk_refuses_writes_and_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    """A file system of one megabyte under a real server."""
    home = tmp_path / "home"
    with mounted(home, "tmpfs", options="size=1m,mode=700"):
        kept = []
        with pif_server(home) as client:
            refused = None
            for number in range(200):
                text = "x" * 8_000 + str(number)
                answer = client.ask(
                    "evolve", name=f"t{number}", description="d", code={"lam": "x", "body": text}
                )
                if answer["type"] == "error":
                    refused = refusal(answer)
                    break
                kept.append(f"t{number}")
            assert refused is not None
            assert "full" in refused["message"] or "disk" in refused["message"]
            assert kept
            assert client.ask("run", tool=kept[0], input=1)["type"] != "error"
            refusal(
                client.ask("evolve", name="again", description="d", code={"lam": "x", "body": "y" * 9_000})
            )
        _libc.mount(b"none", os.fsencode(home), b"tmpfs", _MS_REMOUNT, b"size=8m,mode=700")
        with pif_server(home) as client:
            assert [name for name in kept if client.ask("run", tool=name, input=1)["type"] == "error"] == []
            answer = client.ask(
                "evolve", name="again", description="d", code={"lam": "x", "body": {"var": "x"}}
            )
            assert answer["type"] != "error"


def test_a_clock_that_jumps_changes_no_order_and_erases_nothing_early(tmp_path: Path) -> None:
    """Versions are ordered by their numbers, not by moments; a clock set back keeps what was forgotten longer."""
    now = [2_000_000_000.0]
    with closing(SqliteStore(tmp_path, clock=lambda: now[0], grace=3_600.0)) as store:
        for number, jump in enumerate((0.0, -86_400.0 * 365, 86_400.0 * 900, -3_600.0, 1.0)):
            now[0] += jump
            code = str(number)
            store.evolve("f", code=code, hash=content_hash(code), description="d", capabilities=[])
        lineage = store.snapshot().lineage("f")
        assert lineage is not None
        assert [each.code for each in lineage.versions] == ["0", "1", "2", "3", "4"]
        held = store.snapshot()
        store.forget("f", 5)
        now[0] -= 86_400.0 * 30
        store.evolve("g", code="9", hash=content_hash("9"), description="d", capabilities=[])
        record = held.record("f", 5)
        assert record is not None
        assert record.code == "4"
        assert store.check() == ()


def test_a_server_that_is_killed_loses_no_acknowledged_tool(tmp_path: Path) -> None:
    with pif_server(tmp_path) as client:
        for number in range(5):
            code = {"lam": "x", "body": number}
            assert client.ask("evolve", name=f"k{number}", description="d", code=code)["type"] != "error"
        client.process.kill()
    with pif_server(tmp_path) as again:
        assert [again.ask("run", tool=f"k{number}", input=0)["value"] for number in range(5)] == [
            0,
            1,
            2,
            3,
            4,
        ]
