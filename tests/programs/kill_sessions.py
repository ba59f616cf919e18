"""kill -9 of a process that changes a theory session, again and again; nothing acknowledged may be lost.

    python tests/programs/kill_sessions.py --rounds 500 [--seed S]

Each round forks a process that submits, undoes, saves and loads as drawn from the seed, and acknowledges each change on
a pipe.  It kills itself directly before or after its n-th fsync, rename, link or acknowledgement, or is killed at a
moment.  Afterwards the session, read from its file by nobody who knew it before, must be what the acknowledged changes
make of it, or that plus the one that was under way; saved theories are whole.  In some rounds a second process submits
to the same session: all that it was told to be accepted must be there.  The hooks live here; the product knows nothing
of them.
"""

from __future__ import annotations

import argparse
import os
import select
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from kleis.prover.process.deadline import Deadline
from kleis.sessions import Sessions, open_sessions

SESSION = "s"
BOUNDARIES = ("fsync", "replace", "write")
"""`write` is the acknowledgement: before it the change is kept and nobody knows."""

Model = list[str]
Change = tuple[str, str]


def next_change(random: Random, model: Model, number: int, *, only_submit: bool) -> Change:
    """What comes next; the same for the same draws and the same model."""
    kind = 0.0 if only_submit else random.random()
    if kind < 0.65:
        return "submit", f"f{random.randrange(10**9)}_{number}"
    if kind < 0.8 and model:
        return "undo", ""
    if kind < 0.95:
        return "save", random.choice(("a", "b"))
    return "load", ""


def apply(model: Model, change: Change) -> Model:
    match change:
        case ("submit", name):
            return [*model, name]
        case ("undo", _):
            return model[:-1]
        case ("load", _):
            return []
        case _:
            return model


def carry_out(sessions: Sessions, change: Change) -> None:
    match change:
        case ("submit", name):
            padding = "+ 0 " * (len(name) % 7)
            checked, _ = sessions.submit(
                SESSION, f"define {name}(x : ℤ) : ℤ = x {padding}", "define", Deadline(30)
            )
            assert checked.grown is not None, checked
        case ("undo", _):
            sessions.undo(SESSION, Deadline(30))
        case ("save", name):
            sessions.save(SESSION, name, overwrite=True)
        case ("load", _):
            sessions.load(SESSION, ("stdlib/prelude.kleis",), Deadline(30))


def die_at(boundary: str, when: str, count: int) -> None:
    """Kill this process before or after its n-th call of a kind."""
    left = count
    call: Callable[..., object] = getattr(os, boundary)

    def wrapped(*positional: object, **named: object) -> object:
        nonlocal left
        left -= 1
        if when == "before" and left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        answer = call(*positional, **named)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    setattr(os, boundary, wrapped)


def child(
    home: Path, draws: str, boundary: tuple[str, str, int] | None, *, only_submit: bool
) -> tuple[int, int]:
    """Fork a process that works until it is killed; its number, and the end of its acknowledgements."""
    reading, writing = os.pipe()
    number = os.fork()
    if number:
        os.close(writing)
        return number, reading
    try:
        sessions = open_sessions(home, environment={})
        model = names(sessions)
        random = Random(draws)
        if boundary is not None:
            die_at(*boundary)
        for count in range(400):
            change = next_change(random, model, count, only_submit=only_submit)
            carry_out(sessions, change)
            model = apply(model, change)
            os.write(writing, b".")
    finally:
        os._exit(1)


def names(sessions: Sessions) -> Model:
    return [name for item in sessions.universe(SESSION).items() for name in item.functions]


def run_round(home: Path, model: Model, draws: str, tally: Counter[str]) -> Model:
    """One kill and one look; the model as it is then."""
    random = Random(draws)
    together = random.random() < 0.25
    boundary = None
    if random.random() < 0.7:
        boundary = (random.choice(BOUNDARIES), random.choice(("before", "after")), random.randint(1, 5))
    number, reading = child(home, draws, boundary, only_submit=together)
    beside = child(home, f"{draws} beside", ("write", "after", 3), only_submit=True) if together else None
    if boundary is None:
        select.select([], [], [], random.uniform(0, 0.08))
        os.kill(number, signal.SIGKILL)
    ended = os.waitpid(number, 0)[1]
    assert os.WIFSIGNALED(ended), f"the process ended by itself with {ended}"
    acknowledged = len(read_all(reading))
    tally["kills"] += 1
    tally["acknowledged"] += acknowledged
    after = names(open_sessions(home, environment={}))
    if beside is not None:
        os.waitpid(beside[0], 0)
        assert len(read_all(beside[1])) == 3
        return look_at_two(home, model, draws, acknowledged, tally)
    replay = Random(draws)
    for count in range(acknowledged):
        model = apply(model, next_change(replay, model, count, only_submit=False))
    more = apply(model, next_change(replay, model, acknowledged, only_submit=False))
    assert after in (model, more), f"{acknowledged} changes: {after} is neither {model} nor {more}"
    tally["kept"] += after == more != model
    look_at_saved(home)
    return after


def look_at_two(home: Path, model: Model, draws: str, acknowledged: int, tally: Counter[str]) -> Model:
    """Two wrote at once: nothing that either was told is lost, and nothing came twice."""
    sessions = open_sessions(home, environment={})
    found = names(sessions)
    told: list[str] = list(model)
    for each, count in ((draws, acknowledged), (f"{draws} beside", 3)):
        replay = Random(each)
        told += [next_change(replay, [], place, only_submit=True)[1] for place in range(count)]
    assert set(told) <= set(found), f"lost: {set(told) - set(found)}"
    assert len(found) == len(set(found)) <= len(told) + 1
    tally["together"] += 1
    return found


def look_at_saved(home: Path) -> None:
    """Saved theories are whole files."""
    for name in ("a", "b"):
        path = home / "theories" / f"{name}.kleis"
        if path.exists():
            text = path.read_text()
            assert text.startswith("// Theory saved from the session s."), text[:80]
            assert text.endswith("\n")


def read_all(reading: int) -> bytes:
    found = b""
    while data := os.read(reading, 4096):
        found += data
    os.close(reading)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", default="0")
    arguments = parser.parse_args()
    sys.setrecursionlimit(100_000)
    home = Path(tempfile.mkdtemp(prefix="kleis-crash-"))
    tally: Counter[str] = Counter()
    model: Model = names(open_sessions(home, environment={}))
    for number in range(arguments.rounds):
        model = run_round(home, model, f"{arguments.seed} {number}", tally)
    sessions = open_sessions(home, environment={})
    checked, _ = sessions.submit(SESSION, "define last_one() : ℤ = 1", "define", Deadline(30))
    assert checked.grown is not None
    left = [path.name for path in (home / "sessions" / SESSION).iterdir()]
    assert sorted(left) == [".lock", "session.kleis"], left
    shutil.rmtree(home)
    print(
        f"{tally['kills']} kills ({tally['together']} beside another writer), {tally['acknowledged']} changes"
        f" acknowledged, {tally['kept']} kept without: none lost, none half-written"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
