"""kill -9 of what a team's servers stand on, in the middle of writes, again and again; no acknowledged change may be lost.

    python tests/programs/kill_team.py --rounds 1000 [--seed S]

Two real servers with two homes share a PostgreSQL of this program's own (`tests.support.cluster`). In each round both are
asked to evolve tools, to submit to theory sessions and to undo, and meanwhile one of four is killed:

- *server*: one of the two, with SIGKILL; it is started again
- *worker*: a process of provers below one of them
- *backend*: a process of the database that serves one of them, by `pg_terminate_backend` or with SIGKILL, after which the
  database ends all its sessions and recovers
- *database*: its first process, with SIGKILL; it is started again

Then the tables are read by nobody who knew them before. What was acknowledged is there; what was refused with "nothing was
changed" or "nothing was kept" is not; of a call that was not answered, or answered with "not known", it is there as a whole or
not at all. No version is given out twice, a session holds what was submitted in order, and where two servers submit to one
session each submission is there once. Killing processes leaves the system's cache alone: the disk's promises are not tried.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).parents[2]))  # run as a script

from kleis.sessions.files.record import read_record
from tests.programs.soak import descendants
from tests.support.cluster import Cluster, new_cluster, why_no_cluster
from tests.support.servers.pif_server import PifClient

KINDS = ("server", "worker", "backend", "database")
WEIGHTS = (1, 2, 5, 2)
"""How often each is killed: a server takes longest to be started again."""

SHARED = "both"
"""The session that both servers submit to."""

LONGEST = 25
"""Submissions of a session, after which it is begun anew."""

CALLS = 3
"""Changes that each server is asked for in a round."""

RESTARTED_WITHIN = 60.0


class Broken(Exception):
    """Something that must not be."""


class Server:
    """One of the two servers, and what was said of the changes that it was asked for."""

    def __init__(self, number: int, home: Path, url: str) -> None:
        self.number = number
        self.session = f"own{number}"
        self.said: list[tuple[str, str, str]] = []
        """What was asked (evolve, submit, share, undo, load), about what, and how it ended: kept, refused or unknown."""
        self._home = home
        self._url = url
        self.client = self._started()

    def _started(self) -> PifClient:
        """A new process, at last: one that is started while the database recovers says so and ends."""
        until = time.monotonic() + RESTARTED_WITHIN
        while True:
            try:
                return PifClient(self._home, groups="pif,theory", store=self._url, more=True)
            except EOFError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)

    def kill(self) -> None:
        """SIGKILL."""
        self.client.process.kill()

    def start_if_dead(self) -> None:
        """A new process where the last one has ended."""
        if self.client.process.poll() is not None:
            self.stop()
            self.client = self._started()

    def stop(self) -> None:
        """End it, and let go of its pipes."""
        self.client.process.kill()
        self.client.process.wait()
        self.client._listener.join(60)
        for stream in (self.client.process.stdin, self.client.process.stdout, self.client.process.stderr):
            if stream is not None and not stream.closed:
                with suppress(OSError):
                    stream.close()

    def _call(self, what: str, about: str) -> tuple[str, dict[str, Any]]:
        """The tool and the arguments for a change."""
        match what:
            case "evolve":
                code = {"lam": "x", "body": {"add": [{"var": "x"}, int(about)]}}
                return "evolve", {"name": "tool", "description": "adds", "code": code}
            case "submit" | "share":
                session = self.session if what == "submit" else SHARED
                return "submit_define", {"session": session, "kleis": _define(about)}
            case "undo":
                return "undo", {"session": self.session}
            case _:
                return "load_theory", {"session": self.session, "imports": ["stdlib/prelude.kleis"]}

    def ask(self, what: str, about: str) -> None:
        """Ask for a change, and note how it ended."""
        tool, arguments = self._call(what, about)
        try:
            answer = self.client.ask(tool, **arguments)
        except (
            Exception
        ):  # the server was killed: whatever the client makes of it, nobody knows what became of the call
            if self.client.process.poll() is None:
                time.sleep(1.0)
            if self.client.process.poll() is None:
                raise
            self.said.append((what, about, "unknown"))
            return
        self.said.append((what, about, outcome(what, answer)))


def _define(name: str) -> str:
    return f"define {name}(x : ℤ) : ℤ = x"


def outcome(what: str, answer: dict[str, Any]) -> str:
    """How a call ended, by its answer."""
    text = json.dumps(answer, ensure_ascii=False)
    if "not known" in text:
        return "unknown"
    is_kept = {
        "evolve": answer.get("version") is not None,
        "undo": answer.get("status") == "undone",
        "load": answer.get("declarations") is not None,
    }.get(what, answer.get("accepted") is True)
    if is_kept:
        return "kept"
    if "nothing was changed" in text or "nothing was kept" in text or "session-empty" in text:
        return "refused"
    raise Broken(f"{what}: {text[:600]}")


class Team:
    """The servers, their database, and what it should hold."""

    def __init__(self, cluster: Cluster, servers: list[Server], seed: int) -> None:
        self.cluster = cluster
        self.servers = servers
        self.chance = Random(seed)
        self.tally: Counter[str] = Counter()
        self.own: dict[str, list[str]] = {each.session: [] for each in servers}
        self.shared: set[str] = set()
        self.codes: dict[str, str] = {}
        """The outcome of each code that was evolved, by its constant."""
        self.number = 0

    def round(self) -> None:
        """Changes, a kill among them, and a look."""
        before = {each.session: list(self.own[each.session]) for each in self.servers}
        plans = [[self._planned(each) for _ in range(CALLS)] for each in self.servers]

        def work(server: Server, plan: list[tuple[str, str]]) -> None:
            for what, about in plan:
                server.ask(what, about)
                if server.client.process.poll() is not None:
                    return

        for server in self.servers:
            server.said.clear()
        with ThreadPoolExecutor(len(self.servers)) as pool:
            asked = [pool.submit(work, *pair) for pair in zip(self.servers, plans, strict=True)]
            time.sleep(self.chance.uniform(0.0, 0.12))
            kind = self.chance.choices(KINDS, WEIGHTS)[0]
            getattr(self, f"_kill_{kind}")()
        self.tally[f"killed {kind}"] += 1
        for each in asked:
            each.result()
        for server in self.servers:
            server.start_if_dead()
        self.look(before)

    def _planned(self, server: Server) -> tuple[str, str]:
        self.number += 1
        name = f"f{self.number}"
        kind = self.chance.random()
        if len(self.own[server.session]) > LONGEST:
            return "load", ""
        if kind < 0.35:
            return "evolve", str(self.number)
        if kind < 0.6:
            return "submit", name
        if kind < 0.85:
            return "share", name
        return "undo", ""

    # kills

    def _kill_server(self) -> None:
        self.chance.choice(self.servers).kill()

    def _kill_worker(self) -> None:
        below = descendants(self.chance.choice(self.servers).client.process.pid)
        if below:
            with suppress(ProcessLookupError):
                os.kill(self.chance.choice(below), signal.SIGKILL)

    def _kill_backend(self) -> None:
        with suppress(psycopg.OperationalError), psycopg.connect(self.cluster.url, autocommit=True) as asked:
            found = asked.execute(
                "SELECT pid FROM pg_stat_activity WHERE application_name = 'pif'"
            ).fetchall()
            if not found:
                return
            victim = self.chance.choice(found)[0]
            if self.chance.random() < 0.5:
                asked.execute("SELECT pg_terminate_backend(%s)", (victim,))
            else:
                os.kill(victim, signal.SIGKILL)

    def _kill_database(self) -> None:
        self.cluster.stop(signal.SIGKILL)
        self.cluster.start()

    # the look

    def look(self, before: dict[str, list[str]]) -> None:
        """Compare the tables with what was said."""
        codes, sessions = self._tables()
        for server in self.servers:
            for what, about, end in server.said:
                self.tally[end] += 1
                if what == "evolve" and end != "unknown":
                    self.codes[about] = end
                if what == "share":
                    self._look_at_shared(about, end, sessions.get(SHARED, []))
            found = sessions.get(server.session, [])
            possible = _possible(before[server.session], server.said)
            if found not in possible:
                raise Broken(f"{server.session}: {found} is none of {possible}; said {server.said}")
            self.own[server.session] = found
        there = sessions.get(SHARED, [])
        if len(there) != len(set(there)) or not self.shared <= set(there):
            raise Broken(f"{SHARED}: lost {self.shared - set(there)} of {there}")
        for code, end in self.codes.items():
            if (code in codes) is not (end == "kept"):
                raise Broken(f"{code} was {end}, and {'is' if code in codes else 'is not'} there")
        self.codes = {code: end for code, end in self.codes.items() if end == "kept"}
        if len(there) > 2 * LONGEST:
            self._begin_shared_anew()

    def _look_at_shared(self, name: str, end: str, there: list[str]) -> None:
        if end == "kept":
            self.shared.add(name)
        if end == "refused" and name in there:
            raise Broken(f"{name} was refused, and is in the session")

    def _begin_shared_anew(self) -> None:
        answer = self.servers[0].client.ask("load_theory", session=SHARED, imports=["stdlib/prelude.kleis"])
        if outcome("load", answer) == "kept":
            self.shared.clear()

    def _tables(self) -> tuple[set[str], dict[str, list[str]]]:
        """The constants of versions, and the functions of sessions, in order; a version is there once."""
        until = time.monotonic() + RESTARTED_WITHIN
        while True:
            try:
                with psycopg.connect(self.cluster.url, options="-c search_path=pif") as asked:
                    rows = asked.execute("SELECT name, body FROM sessions").fetchall()
                    codes = asked.execute(
                        "SELECT code FROM versions JOIN content USING (hash) WHERE name = 'tool' ORDER BY version"
                    ).fetchall()
                    numbers = asked.execute(
                        "SELECT array_agg(version ORDER BY version) = array_agg(row_number ORDER BY version)"
                        " FROM (SELECT version, row_number() OVER (ORDER BY version) FROM versions) AS numbered"
                    ).fetchone()
                break
            except psycopg.OperationalError:  # it recovers
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
        if numbers not in ((True,), (None,)):
            raise Broken("numbers of versions are missing, or were given out twice")
        found = {
            name: [each for item in read_record(body, file=name).items for each in item.functions]
            for name, body in rows
        }
        return {re.findall(r"\d+", code)[-1] for (code,) in codes}, found


def _possible(before: list[str], said: list[tuple[str, str, str]]) -> list[list[str]]:
    """What a session may hold after what was said of the changes, one after the other."""
    states = [before]
    for what, about, end in said:
        changed: list[list[str]] = []
        for state in states:
            after = {"submit": [*state, about], "undo": state[:-1], "load": []}.get(what, state)
            changed += [after] if end == "kept" else [state] if end == "refused" else [state, after]
        states = changed
    return states


def run(rounds: int, seed: int, tell: Callable[[str], None] = print) -> dict[str, Any]:
    """So many rounds; what was done. Raises `Broken`."""
    begun = time.monotonic()
    home = Path(tempfile.mkdtemp(prefix="pif-team-"))
    with ExitStack() as ending:
        ending.callback(shutil.rmtree, home, ignore_errors=True)
        cluster = ending.enter_context(new_cluster())
        servers = []
        for number in (1, 2):
            servers.append(Server(number, home / str(number), cluster.url))
            ending.callback(servers[-1].stop)
        team = Team(cluster, servers, seed)
        for number in range(rounds):
            try:
                team.round()
            except Broken as broken:
                raise Broken(f"round {number} of seed {seed}: {broken}") from broken
            if number % 20 == 19:
                tell(f"{number + 1} rounds in {time.monotonic() - begun:.0f} s: {dict(team.tally)}")
    return {"rounds": rounds, "seed": seed, "lost": 0, **dict(sorted(team.tally.items()))}


def main() -> int:
    """Print what was done as JSON; 1 where something broke."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=31)
    arguments = parser.parse_args()
    if reason := why_no_cluster():
        print(f"kill_team: {reason}", file=sys.stderr)
        return 2
    try:
        print(json.dumps(run(arguments.rounds, arguments.seed, lambda line: print(line, flush=True))))
    except Broken as broken:
        print(f"kill_team: {broken}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
