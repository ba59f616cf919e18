"""A soak of real servers: `python tests/programs/soak.py --minutes 5` (`make soak MINUTES=5`).

Two servers share one home over stdio. One stays up to the end: its memory, file descriptors and children are watched.
The other is left, or killed with SIGKILL, and started again. Both run tools, evolve, list and prove, in an order that the
seed decides; now and then a prover of the lasting server is killed. It fails, and says why, if

- an acknowledged version is not there, or has another value, in the end or after any restart;
- an answer is wrong, or an error of a kind that the attacks do not explain;
- after the warm-up the lasting server grows by more than `MEMORY`, holds `DESCRIPTORS` more, or has more than `CHILDREN`;
- a process that a server began outlives it.

Only processes that descend from these servers are killed. Nothing is written outside a temporary home.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # run as a script

from tests.support.servers.pif_server import PifClient, pif_server

MEMORY = 96
"""Megabytes by which the lasting server may grow after its warm-up: caches of terms, types and verdicts are bounded."""
DESCRIPTORS = 24
CHILDREN = 12
NAMES = 40
"""Names that are evolved again and again."""
PATIENCE = 20.0
"""Seconds that the system may take to bury what a server began."""

PROPOSITIONS = (
    "∀(x : ℤ). x + {n} = {n} + x",
    "∀(x y : ℤ). x < y → x + {n} < y + {n}",
    "∀(x : ℤ). x > {n} → x ≥ {n}",
)


class Broken(Exception):
    """Something that the soak must not see."""


class Soak:
    """The home, the clients and what was acknowledged."""

    def __init__(self, home: Path, seed: int) -> None:
        self.home = home
        self.chance = random.Random(seed)
        self.acknowledged: dict[str, int] = {}
        self.values: dict[tuple[str, int], int] = {}
        self.done: Counter[str] = Counter()
        self.samples: list[tuple[int, int, int]] = []

    def evolve(self, client: PifClient) -> None:
        """A new version of some tool, noted once it is acknowledged."""
        name, constant = f"soak_{self.chance.randrange(NAMES)}", self.chance.randrange(10**9)
        code = {"lam": "x", "body": {"add": [{"var": "x"}, constant]}}
        answer = client.ask("evolve", name=name, description=f"adds {constant}", code=code)
        if answer["type"] == "error":
            raise Broken(f"evolve was refused: {answer['error']}")
        version = answer["version"]
        self.acknowledged[name] = max(version, self.acknowledged.get(name, 0))
        self.values[name, version] = constant

    def run(self, client: PifClient) -> None:
        """Some acknowledged version, at some number."""
        if self.values:
            key = self.chance.choice(list(self.values))
            self.check(client, key)

    def check(self, client: PifClient, key: tuple[str, int]) -> None:
        """An acknowledged version gives what it was evolved to give."""
        name, version = key
        number = self.chance.randrange(1000)
        answer = client.ask("run", tool=f"{name}@{version}", input=number)
        if answer.get("value") != number + self.values[key]:
            raise Broken(f"{name}@{version} of {number} should be {number + self.values[key]}: {answer}")

    def prove(self, client: PifClient) -> None:
        """A true proposition: proved, or not decided where its prover was killed."""
        text = self.chance.choice(PROPOSITIONS).format(n=self.chance.randrange(10**6))
        answer = client.ask("evaluate", expression=text, timeout_ms=20_000)
        if answer.get("status") not in ("verified", "unknown"):
            raise Broken(f"{text}: {answer}")
        self.done[f"proofs {answer['status']}"] += 1

    def list(self, client: PifClient) -> None:
        """The list counts at least the names that were acknowledged."""
        answer = client.ask("list", query="soak_", limit=5)
        if answer.get("total", 0) < len(self.acknowledged):
            raise Broken(f"{len(self.acknowledged)} names were acknowledged: {answer}")

    def kill_prover(self, client: PifClient) -> None:
        """SIGKILL to one process below the server, if there is one."""
        below = descendants(client.process.pid)
        if below:
            with suppress(ProcessLookupError):
                os.kill(self.chance.choice(below), signal.SIGKILL)

    def everything(self, client: PifClient) -> None:
        """All that was acknowledged is there."""
        for key in list(self.values):
            self.check(client, key)

    def sample(self, client: PifClient) -> None:
        """Resident megabytes, open descriptors and processes of the lasting server."""
        process = Path("/proc") / str(client.process.pid)
        pages = int((process / "statm").read_text().split()[1])
        size = pages * os.sysconf("SC_PAGE_SIZE") >> 20
        self.samples.append((size, len(os.listdir(process / "fd")), len(descendants(client.process.pid))))


def descendants(root: int) -> list[int]:
    """The processes below one, by /proc."""
    below: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                below.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [root]
    while waiting:
        children = below.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def soak(seconds: float, seed: int) -> dict[str, Any]:
    """Run it; what was done and measured. Raises `Broken`."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pif-soak-") as made, ExitStack() as open_clients:
        state = Soak(Path(made) / "home", seed)
        lasting = open_clients.enter_context(pif_server(state.home, groups="pif,theory"))
        work = [(state.run, 12), (state.evolve, 8), (state.list, 4), (state.prove, 3), (state.kill_prover, 1)]
        actions, weights = [each for each, _ in work], [weight for _, weight in work]
        rounds = 0
        while time.monotonic() - begun < seconds or rounds < 3:
            rounds += 1
            with pif_server(state.home, groups="pif,theory") as other:
                for _ in range(state.chance.randrange(30, 90)):
                    action = state.chance.choices(actions, weights)[0]
                    action(state.chance.choice((lasting, other)))
                    state.done[action.__name__] += 1
                began = [other.process.pid, *descendants(other.process.pid)]
                if state.chance.random() < 0.5:
                    other.process.kill()
                    state.done["servers killed"] += 1
                else:
                    other.end_input()
                    state.done["servers left"] += 1
                other.process.wait(60)
            outlived(began)
            for key in state.chance.sample(list(state.values), min(20, len(state.values))):
                state.check(lasting, key)
            state.sample(lasting)
        with pif_server(state.home) as last:
            state.everything(last)
        began = [lasting.process.pid, *descendants(lasting.process.pid)]
        lasting.end_input()
        lasting.process.wait(60)
        outlived(began)
        bounded(state.samples)
        first, last_sample = state.samples[min(2, len(state.samples) - 1)], state.samples[-1]
    return {
        "seconds": round(time.monotonic() - begun),
        "seed": seed,
        "rounds": rounds,
        "acknowledged": len(state.values),
        "lost": 0,
        **dict(sorted(state.done.items())),
        "memory_mb": [first[0], last_sample[0]],
        "descriptors": [first[1], last_sample[1]],
        "processes": [first[2], last_sample[2]],
    }


def outlived(began: list[int]) -> None:
    """What a server began is gone, within a bounded time."""
    until = time.monotonic() + PATIENCE
    while alive := [each for each in began if _runs(each)]:
        if time.monotonic() > until:
            raise Broken(f"processes outlive their server: {alive}")
        time.sleep(0.05)


def _runs(process: int) -> bool:
    try:
        return (Path("/proc") / str(process) / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def bounded(samples: list[tuple[int, int, int]]) -> None:
    """No growth beyond the stated bounds after a warm-up of two samples."""
    warm = samples[min(2, len(samples) - 1)]
    for size, files, children in samples[2:]:
        if size > warm[0] + MEMORY:
            raise Broken(f"the lasting server grew from {warm[0]} to {size} MB; the bound is {MEMORY} more")
        if files > warm[1] + DESCRIPTORS:
            raise Broken(f"it holds {files} descriptors, {warm[1]} after the warm-up")
        if children > CHILDREN:
            raise Broken(f"it has {children} processes below it; the bound is {CHILDREN}")


def main() -> int:
    """Print what was done as JSON; 1 where something broke."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=19)
    arguments = parser.parse_args()
    try:
        print(json.dumps(soak(arguments.minutes * 60, arguments.seed)))
    except Broken as broken:
        print(f"soak: {broken}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
