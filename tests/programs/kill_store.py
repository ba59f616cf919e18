"""kill -9 of a process that evolves tools, again and again; no acknowledged change may be lost, none half-written.

    python tests/programs/kill_store.py --rounds 1000 [--seed S]

Each round starts a second process on the same home. What it does is drawn from the seed, so this process knows the
change that was under way when the other died: afterwards the store must be exactly what the acknowledged changes
make of it, or that plus the one more. Three kinds of kill, by turns drawn from the seed:

- *moment*: after a random time, of starting up or of working;
- *fsync*: while the other process is seen to wait for the disk, read from /proc/PID/syscall (Linux only; elsewhere a
  moment);
- *boundary*: the process kills itself directly before or after its n-th COMMIT, fsync, rename, link or
  acknowledgement. These hooks live in this script; the product knows nothing of them.

A handle on the store stays open here over all rounds, as a server's would, and writes once a round. Every few rounds
a bystander process writes at the same time and must get through. Killing a process leaves the system's cache alone:
this shows that changes are atomic and locks are freed, not that the disk keeps its promises.
"""

from __future__ import annotations

import argparse
import os
import platform
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from registry.errors import RegistryError
from registry.records import content_hash
from registry.store.exchange.export_import import MANIFEST, export_tools, import_tools
from registry.store.exchange.file_format import Verified
from registry.store.protocol import Snapshot
from registry.store.sqlite.sqlite_store import FILE_NAME, SqliteStore

NAMES = ("f", "g", "h", "deep.name", "_x")
FSYNC = {"x86_64": (b"74", b"75"), "aarch64": (b"82", b"83")}.get(platform.machine(), ())
"""fsync and fdatasync; calls that do not wait are never seen in /proc."""

BOUNDARIES = ("COMMIT", "fsync", "replace", "link", "write")
"""`write` is the acknowledgement itself: before it the change is committed and nobody knows."""

LONGEST_WATCH = 0.6

Change = tuple[str, ...]


@dataclass
class Model:
    """What a store should hold: versions by name (code and description), current ones, numbers used up."""

    versions: dict[str, dict[int, tuple[str, str]]] = field(default_factory=dict)
    current: dict[str, int] = field(default_factory=dict)
    latest: dict[str, int] = field(default_factory=dict)

    def apply(self, change: Change) -> None:
        match change:
            case ("evolve", name, code, description):
                number = self.current.get(name, 0)
                if not number or self.versions[name][number][0] != code:
                    number = self.latest[name] = self.latest.get(name, 0) + 1
                self.versions.setdefault(name, {})[number] = (code, description)
                self.current[name] = number
            case ("rollback", name, version):
                self.current[name] = int(version)
            case ("forget", name, version):
                del self.versions[name][int(version)]
                self.settle(name)
            case ("forget", name):
                self.versions[name].clear()
                self.settle(name)

    def settle(self, name: str) -> None:
        if self.current[name] not in self.versions[name]:
            self.current[name] = max(self.versions[name], default=0)
        if not self.versions[name]:
            del self.versions[name], self.current[name]

    def copy(self) -> Model:
        versions = {name: dict(versions) for name, versions in self.versions.items()}
        return Model(versions, dict(self.current), dict(self.latest))

    def agrees(self, snapshot: Snapshot, names: tuple[str, ...]) -> bool:
        """Whether the snapshot shows these names exactly as the model has them."""
        for name in names:
            lineage = snapshot.lineage(name)
            if lineage is None:
                if name in self.current:
                    return False
                continue
            found = {one.version: (one.code, one.description) for one in lineage.versions}
            if lineage.current != self.current.get(name) or found != self.versions[name]:
                return False
        return True


def next_change(random: Random, model: Model, number: int, files: bool) -> Change:
    """The next thing to do; the same for the same draws and the same model."""
    if random.random() < (0.5 if files else 0.04):
        return (random.choice(("backup", "export")), str(number))
    name = random.choice(NAMES)
    kind = random.random()
    versions = sorted(model.versions.get(name, {}))
    if versions and kind < 0.1:
        return ("rollback", name, str(random.choice(versions)))
    if versions and kind < 0.2:
        return ("forget", name, str(random.choice(versions))) if kind < 0.17 else ("forget", name)
    size = random.choice((1, 10, 1_000, 30_000))
    code = '"' + random.choice("abc") * size + str(random.randrange(3)) + '"'
    return ("evolve", name, code, random.choice(("", "adds", "text " * 200)))


def carry_out(store: SqliteStore, change: Change, directory: Path) -> None:
    match change:
        case ("evolve", name, code, description):
            store.evolve(
                name, code=code, hash=content_hash(code), description=description, capabilities=["self"]
            )
        case ("rollback", name, version):
            store.rollback(name, int(version))
        case ("forget", name, version):
            store.forget(name, int(version))
        case ("forget", name):
            store.forget(name)
        case ("backup", number):
            store.backup(directory / f"backup_{number}")
        case ("export", number):
            export_tools(store, directory / f"export_{number}")


# ---------------------------------------------------------------------------------------------- the process that dies


def model_of(store: SqliteStore) -> Model:
    """The store as it is, as a model."""
    model, snapshot = Model(), store.snapshot()
    used = store._writer.execute("SELECT name, latest FROM heads").fetchall()
    model.latest.update(used)
    for name in snapshot.names():
        if lineage := snapshot.lineage(name):
            model.current[name] = lineage.current
            model.versions[name] = {one.version: (one.code, one.description) for one in lineage.versions}
    return model


def die_at(store: SqliteStore, boundary: str) -> None:
    """Kill this process before or after the n-th call of a kind; `boundary` is "KIND:WHEN:N"."""
    kind, when, count = boundary.split(":")
    left = int(count)

    def reached() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(call: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*positional: object, **named: object) -> object:
            if when == "before":
                reached()
            answer = call(*positional, **named)
            if when == "after":
                reached()
            return answer

        return wrapped

    if kind == "COMMIT":  # SQLite reports a statement as it begins, so "after" is the next BEGIN
        wanted = "COMMIT" if when == "before" else "BEGIN IMMEDIATE"
        store._writer.set_trace_callback(lambda statement: reached() if statement == wanted else None)
    else:
        setattr(os, kind, around(getattr(os, kind)))


def work(arguments: argparse.Namespace) -> None:
    """Change and acknowledge until killed."""
    store = SqliteStore(arguments.home)
    model = model_of(store)
    random = Random(arguments.draws)
    if random.random() < 0.5:
        store._writer.execute("PRAGMA wal_autocheckpoint = 20")
    if arguments.boundary:
        die_at(store, arguments.boundary)
    number = 0
    while True:
        change = next_change(random, model, number, bool(arguments.boundary))
        carry_out(store, change, arguments.out)
        model.apply(change)
        os.write(1, b"%d\n" % number)
        number += 1


def stand_by(arguments: argparse.Namespace) -> None:
    """Write a little, beside the process that dies."""
    with closing(SqliteStore(arguments.home)) as store:
        for number in range(10):
            carry_out(
                store, ("evolve", "bystander", f'"{arguments.draws} {number}"', "beside"), arguments.out
            )


# ------------------------------------------------------------------------------------------ the process that looks on


@dataclass
class Tally:
    """What happened, for the figures at the end."""

    kills: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    kept: int = 0
    dropped: int = 0
    copies: int = 0
    bystanders: int = 0


def start(role: str, home: Path, out: Path, draws: str, boundary: str = "") -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__, "--role", role, "--home", str(home), "--out", str(out)]
    command += ["--draws", draws, "--boundary", boundary]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def kill_at_a_moment(process: subprocess.Popen[bytes], random: Random) -> str:
    working = random.random() < 0.85
    if working:
        select.select([process.stdout], [], [])  # until the first acknowledgement
    try:
        process.wait(random.uniform(0, 0.06 if working else 0.25))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    return "moment of working" if working else "moment of starting"


def kill_in_fsync(process: subprocess.Popen[bytes], random: Random) -> str:
    """Watch the process and kill it the n-th time it is seen waiting for the disk."""
    left, inside = random.randint(1, 60), False
    deadline = time.monotonic() + LONGEST_WATCH
    watched = os.open(f"/proc/{process.pid}/syscall", os.O_RDONLY)
    try:
        while left and time.monotonic() < deadline:
            now = os.pread(watched, 64, 0).split(b" ", 1)[0] in FSYNC
            left -= now and not inside
            inside = now
        process.send_signal(signal.SIGKILL)
    finally:
        os.close(watched)
    return "moment of working" if left else "inside fsync"


def run_round(store: SqliteStore, model: Model, home: Path, draws: str, tally: Tally) -> None:
    """One process, one kill, one look; raises AssertionError with what is wrong."""
    random = Random(draws)
    out = Path(tempfile.mkdtemp(prefix="pif-out-"))
    way = random.choice(("moment", "fsync", "boundary"))
    boundary = ""
    if way == "boundary":
        boundary = f"{random.choice(BOUNDARIES)}:{random.choice(('before', 'after'))}:{random.randint(1, 6)}"
    process = start("work", home, out, draws, boundary)
    bystander = start("bystander", home, out, draws) if random.random() < 0.2 else None
    if way == "boundary":
        process.wait(60)
        kind = " ".join(boundary.split(":")[1::-1])
    elif way == "fsync" and FSYNC:
        kind = kill_in_fsync(process, random)
    else:
        kind = kill_at_a_moment(process, random)
    printed = process.communicate()[0]
    assert process.returncode == -signal.SIGKILL, f"the process ended with {process.returncode}: {printed!r}"
    if bystander is not None:
        assert bystander.wait(60) == 0, "the bystander did not get through"
        bystander.communicate()
        tally.bystanders += 1
    tally.kills[kind] += 1
    acknowledged = printed.count(b"\n")
    tally.acknowledged += acknowledged
    look(store, model, home, out, draws, acknowledged, bool(boundary), tally)
    shutil.rmtree(out)


def look(
    store: SqliteStore,
    model: Model,
    home: Path,
    out: Path,
    draws: str,
    acknowledged: int,
    files: bool,
    tally: Tally,
) -> None:
    """Compare the store, through the old handle and a new one, with what the acknowledgements say."""
    random = Random(draws)
    random.random()
    for number in range(acknowledged):
        change = next_change(random, model, number, files)
        tally.copies += check_copy(change, model, out, acknowledged=True)
        model.apply(change)
    under_way = next_change(random, model, acknowledged, files)
    tally.copies += check_copy(under_way, model, out, acknowledged=False)
    more = model.copy()
    more.apply(under_way)
    kept = not model.agrees(store.snapshot(), NAMES)
    if kept:
        assert more.agrees(store.snapshot(), NAMES), (
            f"{acknowledged} changes, then {under_way[:2]}: not as expected"
        )
        model.versions, model.current, model.latest = more.versions, more.current, more.latest
        tally.kept += 1
    elif more != model:
        tally.dropped += 1
    change = ("evolve", "onlooker", f'"{draws}"', "")
    carry_out(store, change, out)
    model.apply(change)
    with closing(SqliteStore(home)) as fresh:
        assert fresh.check() == (), fresh.check()
        assert model.agrees(fresh.snapshot(), (*NAMES, "onlooker")), "a new handle sees something else"
        found = fresh._writer.execute("SELECT name, latest FROM heads WHERE name <> 'bystander'").fetchall()
        assert dict(found) == model.latest, "version numbers were lost or used twice"


def check_copy(change: Change, model: Model, out: Path, *, acknowledged: bool) -> bool:
    """Whether the change made a backup or an export; if so it must be whole, and there if it was acknowledged."""
    if change[0] not in ("backup", "export"):
        return False
    made = out / f"{change[0]}_{change[1]}"
    there = made.exists() if change[0] == "backup" else (made / MANIFEST).exists()
    assert there or not acknowledged, f"an acknowledged {change[0]} is missing"
    if not there:
        return False
    scratch = Path(tempfile.mkdtemp(prefix="pif-scratch-"))
    if change[0] == "backup":
        shutil.copyfile(made, scratch / FILE_NAME)
    with closing(SqliteStore(scratch)) as copy:
        if change[0] == "export":
            import_tools(copy, made, verify=lambda code: Verified(code, content_hash(code), ()))
        assert copy.check() == (), f"half-written {change[0]}: {copy.check()}"
        assert model.agrees(copy.snapshot(), NAMES), f"the {change[0]} is not of its moment"
    shutil.rmtree(scratch)
    return True


def run(rounds: int, seed: int) -> None:
    print(f"seed {seed}, {rounds} rounds", flush=True)
    tally, home = Tally(), Path()
    store: SqliteStore | None = None
    model = Model()
    for number in range(rounds):
        if (
            number % 40 == 0
        ):  # a new home now and then: creating one is interrupted as well, and histories stay short
            if store is not None:
                store.close()
                shutil.rmtree(home)
            home, model = Path(tempfile.mkdtemp(prefix="pif-home-")), Model()
            store = SqliteStore(home)
        assert store is not None
        try:
            run_round(store, model, home, f"{seed}/{number}", tally)
        except (AssertionError, RegistryError) as error:
            print(f"FAILED in round {number} of seed {seed}: {error}\nThe home is left in {home}", flush=True)
            raise SystemExit(1) from None
    if store is not None:
        store.close()
        shutil.rmtree(home)
    print(f"{rounds} kills, {tally.acknowledged} acknowledged changes: none lost, none half-written")
    print(f"of the changes under way {tally.kept} were there as a whole, {tally.dropped} not at all")
    print(f"{tally.copies} backups and exports were whole; {tally.bystanders} bystanders got through")
    for kind, count in sorted(tally.kills.items()):
        print(f"  {kind}: {count}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Kill a process that evolves tools; look whether anything is lost."
    )
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument(
        "--role", choices=("look", "work", "bystander"), default="look", help=argparse.SUPPRESS
    )
    for name, kind in (("home", Path), ("out", Path), ("draws", str), ("boundary", str)):
        parser.add_argument(f"--{name}", type=kind, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    match arguments.role:
        case "work":
            work(arguments)
        case "bystander":
            stand_by(arguments)
        case _:
            seed = arguments.seed if arguments.seed is not None else Random().randrange(2**32)
            run(arguments.rounds, seed)


if __name__ == "__main__":
    main()
